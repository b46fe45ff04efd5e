"""The command line: the only place that prints, reads the clock or ends the process.

`--help` and usage errors need click and nothing else: each command imports what it runs.  Exit codes: 0 all is well,
1 content is wrong, 2 the command was called wrongly.  Facts go to standard output, everything else to standard error.
"""

import difflib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from . import __version__, reports
from .errors import LeaderpressError, Problems, UsageError

Command = TypeVar("Command", bound=Callable[..., Any])

# Names come from dumps: a terminal must not obey them, and a forged line must not look like one of ours.
_UNSAFE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != 10}


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; gives the exit code instead of exiting."""
    try:
        code = leaderpress.main(arguments, prog_name="leaderpress", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as fault:
        fault.show()
        return 2
    except click.ClickException as fault:
        fault.show()
        return fault.exit_code
    except click.Abort:
        _say("stopped")
        return 130
    except LeaderpressError as fault:
        _print_errors([fault])
        return fault.exit_code


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="leaderpress", message="%(prog)s %(version)s")
@click.option("--site", type=click.Path(path_type=Path), metavar="DIR", help="The site; default: the nearest one.")
@click.pass_context
def leaderpress(context: click.Context, site: Path | None) -> None:
    """Publish leaderboard records as permanent, citable, checkable web pages.

    A site is a folder that holds content/site.toml. Start one with `leaderpress init DIR`, then ingest a dump
    and build.
    """
    context.obj = site


def _on_site(command: Command) -> Command:
    """Give a command the option --site, which also works before the verb."""
    option = click.option("--site", type=click.Path(path_type=Path), metavar="DIR", callback=_site, help=_SITE_HELP)
    return option(command)


_SITE_HELP = "The site; default: the nearest parent folder that is one."


def _site(context: click.Context, _: click.Parameter, value: Path | None) -> Path:
    from .config import SITE_FILE, find_site

    named = value or context.obj
    if named is None:
        return find_site(Path.cwd())
    if not (named / SITE_FILE).is_file():
        hint = f"start one with `leaderpress init {named}`"
        raise UsageError("no-site", f"not a site: it does not hold {SITE_FILE}", at=str(named), hint=hint)
    return Path(named)


_json = click.option("--json", "as_json", is_flag=True, help="Print facts as JSON.")


def _example(*lines: str) -> str:
    """The closing part of a command's help."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


@leaderpress.command(epilog=_example("leaderpress init my-records"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Start a new site in DIR, which must be new or empty."""
    from . import scaffold

    for name in scaffold.init(folder):
        click.echo(f"wrote {folder / name}")
    click.echo(f"Next: edit {folder / 'content/site.toml'}, then `leaderpress ingest SOURCE PATH…` inside {folder}.")


def _day(context: click.Context, parameter: click.Parameter, value: str | None) -> date | None:
    try:
        return None if value is None else date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a day such as 2026-08-16", context, parameter) from None


@leaderpress.command(epilog=_example("leaderpress ingest sol-execbench ~/dumps/sol --published-at 2026-08-16"))
@click.argument("source", metavar="SOURCE")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Report what would be taken; write nothing.")
@click.option("--strict", is_flag=True, help="Write nothing if anything is malformed.")
@click.option("--published-at", metavar="DATE", callback=_day, help="Day of publication (UTC); default: today.")
@click.option("--retrieved-at", metavar="INSTANT", help="When the dump was fetched; default: not stated.")
@_json
@_on_site
def ingest(
    source: str,
    paths: tuple[Path, ...],
    dry_run: bool,
    strict: bool,
    published_at: date | None,
    retrieved_at: str | None,
    as_json: bool,
    site: Path,
) -> int:
    """Turn the dump at PATH... into records of SOURCE below content/records/.

    SOURCE is a source table of the site (content/sources/SOURCE.toml) or an ingester that ships one.

    Exits with 1 if anything in the dump was malformed; the rest is written all the same, unless --strict is given.
    """
    from . import ingest as ingesting

    _require_known(site, source)
    report = ingesting.ingest(
        site,
        source,
        paths,
        published_at=published_at,
        retrieved_at=retrieved_at,
        dry_run=dry_run,
        strict=strict,
        today=lambda: datetime.now(UTC).date(),
    )
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.ingest_lines(report))
    return report.exit_code


def _require_known(site: Path, source: str) -> None:
    """Refuse a mistyped source before a dump is read, with the name that was probably meant."""
    from . import ingesters

    known = {path.stem for path in (site / "content" / "sources").glob("*.toml")} | set(ingesters.slugs())
    if source not in known and ingesters.default_source(source) is None:
        close = difflib.get_close_matches(source, sorted(known), n=1)
        hint = f"did you mean {close[0]}?" if close else f"this site knows {', '.join(sorted(known))}"
        hint += f"; a new source needs its table, content/sources/{source}.toml" if not close else ""
        raise UsageError("source-unknown", f"there is no source {source!r}", hint=hint)


@leaderpress.command(epilog=_example("leaderpress build --jobs 4"))
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one a core.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Default: build/site in the site.")
@click.option("--verify-output", is_flag=True, help="Hash every published file instead of trusting its times.")
@_json
@_on_site
def build(jobs: int | None, out: Path | None, verify_output: bool, as_json: bool, site: Path) -> None:
    """Write the site to build/site: what changed, or all of it.

    The published folder is exchanged in one step at the end. If anything is wrong, it stays as it was.
    """
    from .site.build import build as build_site

    with _progress("building") as tell:
        report = build_site(
            site,
            jobs=jobs,
            out=out,
            verify=verify_output,
            clock=time.perf_counter,
            progress=lambda files: tell(files, 0),
        )
    _print_errors(report.warnings, "warning")
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.build_lines(report))


@leaderpress.command(epilog=_example("leaderpress explain runs/fa4d9808…/index.html"))
@click.argument("path", metavar="PATH")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Default: build/site in the site.")
@_on_site
def explain(path: str, out: Path | None, site: Path) -> None:
    """Say why the next build would make the published file PATH anew, or that it would not.

    PATH is relative to the published folder.
    """
    from .site.build import explain as explain_path

    click.echo(_safe(explain_path(site, path, out)))


_AGAINST_HELP = "An earlier inventory.json or SHA256SUMS: what it lists must still be there."


@leaderpress.command(epilog=_example("leaderpress check --against ../last-week/inventory.json"))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Default: build/site in the site.")
@click.option("--against", type=click.Path(path_type=Path), metavar="FILE", help=_AGAINST_HELP)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one a core.")
@_json
@_on_site
def check(out: Path | None, against: Path | None, jobs: int | None, as_json: bool, site: Path) -> int:
    """Look for broken links, fragments and digests in the built site.

    Exits with 1 if there is any problem; each is printed with the file and the line where it stands.
    """
    from .checks import check_site

    with _progress("checking") as tell:
        report = check_site(out or site / "build" / "site", against, jobs=jobs, progress=tell)
    if as_json:
        _print_json(report)
    else:
        _print_errors(report.problems)
        _print_lines(reports.check_lines(report))
    return 1 if report.counts["problems"] else 0


_run = click.argument("reference", metavar="RUN")


@leaderpress.command(epilog=_example("leaderpress show sol-execbench/submission/196"))
@_run
@_json
@_on_site
def show(reference: str, as_json: bool, site: Path) -> None:
    """Print the facts of one run.

    RUN is a digest, the beginning of one, or source/upstream-key.
    """
    from .site.lookup import find_run

    view = find_run(site, reference)
    if as_json:
        _print_json(view)
    else:
        _print_lines(reports.run_lines(view))


@leaderpress.command(epilog=_example("leaderpress cite fa4d9808 --format bibtex >> records.bib"))
@_run
@click.option(
    "--format",
    "form",
    type=click.Choice(["apa", "bibtex", "biblatex", "ris", "csl"]),
    default="apa",
    show_default=True,
)
@_on_site
def cite(reference: str, form: str, site: Path) -> None:
    """Print the citation of one run, as its page offers it.

    RUN is a digest, the beginning of one, or source/upstream-key.
    """
    from .site.lookup import find_run

    citation: str = getattr(find_run(site, reference).citation, form)
    # Writers of citations have made the text safe; RIS needs its carriage returns.
    click.echo(citation, nl=not citation.endswith("\n"))


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Say on a terminal, and nowhere else, how far something is; the line is gone when it is done."""

    def tell(done: int, total: int) -> None:
        if sys.stderr.isatty():
            far = f"{done:,} of {total:,}" if total else (f"{done:,}" if done else "…")
            click.echo(f"\r{what} {far}", nl=False, err=True)

    tell(0, 0)
    try:
        yield tell
    finally:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", nl=False, err=True)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(_safe(line))


def _print_json(facts: Any) -> None:
    value = asdict(facts) if is_dataclass(facts) and not isinstance(facts, type) else facts
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> object:
    if isinstance(value, LeaderpressError):
        return {"code": value.code, "problem": value.problem, "at": value.at, "hint": value.hint}
    return str(value)


def _safe(text: str) -> str:
    return text.translate(_UNSAFE)


def _say(text: str) -> None:
    click.echo(_safe(text), err=True)


def _print_errors(errors: Iterable[LeaderpressError], word: str = "error") -> None:
    for error in errors:
        if isinstance(error, Problems):
            _print_errors(error.problems, word)
        else:
            _say(f"{word} {error}")

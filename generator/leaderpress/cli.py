"""The command line: the only place that prints, reads the clock or ends the process.

`--help` and usage errors need click and nothing else: each command imports what it runs.  Exit codes: 0 all is well,
1 content is wrong, 2 the command was called wrongly.  Facts go to standard output, everything else to standard error.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import __version__, reports
from .errors import LeaderpressError, Problems, UsageError
from .places import OUTPUT

if TYPE_CHECKING:
    from .ingest import Evidence

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


_AGAINST_HELP = "What was published: a site, or its inventory.json, SHA256SUMS, log/checkpoint or log.txt."


@leaderpress.command(epilog=_example("leaderpress ingest sol-execbench ~/dumps/sol --published-at 2026-08-16"))
@click.argument("source", metavar="SOURCE", required=False, default="")
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Report what would be taken and what would change; write nothing.")
@click.option("--strict", is_flag=True, help="Write nothing if anything is malformed.")
@click.option("--published-at", metavar="DATE", callback=_day, help="Day of publication (UTC); default: today.")
@click.option("--retrieved-at", metavar="INSTANT", help="When the dump was fetched; default: not stated.")
@click.option("--undo", is_flag=True, help="Take the newest folder of records back, unless something published has it.")
@click.option("--unpublished", is_flag=True, help="With --undo, without a built site: say that it was never published.")
@click.option("--against", type=click.Path(path_type=Path), metavar="FILE|FOLDER", help=f"With --undo: {_AGAINST_HELP}")
@_json
@_on_site
@click.pass_context
def ingest(
    context: click.Context,
    source: str,
    paths: tuple[Path, ...],
    dry_run: bool,
    strict: bool,
    published_at: date | None,
    retrieved_at: str | None,
    undo: bool,
    unpublished: bool,
    against: Path | None,
    as_json: bool,
    site: Path,
) -> int:
    """Turn the dump at PATH... into records of SOURCE below content/records/.

    SOURCE is a source table of the site (content/sources/SOURCE.toml) or an ingester that ships one.

    A newer dump of a source also reports what changes of what was published before, and proposes withdrawals of runs
    that the source no longer counts; none is made.

    Exits with 1 if anything in the dump was malformed; the rest is written all the same, unless --strict is given.
    """
    from . import ingest as ingesting

    if undo:
        return _undo(context, site, source, against, unpublished=unpublished, as_json=as_json)
    if unpublished or against:
        raise click.UsageError("--unpublished and --against go with --undo.", context)
    if not paths:
        raise click.UsageError("Name a SOURCE and the PATH... of its dump.", context)
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


def _undo(
    context: click.Context, site: Path, source: str, against: Path | None, *, unpublished: bool, as_json: bool
) -> int:
    """Take back the newest folder of records."""
    from . import ingest as ingesting

    if source:
        raise click.UsageError("--undo takes back the newest folder, and no dump is named with it.", context)
    report = ingesting.undo(site, evidence=_evidence(against) if against else None, unpublished=unpublished)
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.undo_lines(report))
    return 0


def _evidence(against: Path) -> "Evidence":
    from .checks.against import read_earlier
    from .ingest import Evidence

    earlier = read_earlier(against)
    return Evidence(str(against), earlier.checkpoint, earlier.sums)


def _require_known(site: Path, source: str) -> None:
    """Refuse a mistyped source before a dump is read, with the name that was probably meant."""
    from . import ingesters

    known = {path.stem for path in (site / "content" / "sources").glob("*.toml")} | set(ingesters.slugs())
    if source not in known and ingesters.default_source(source) is None:
        import difflib  # only a mistake needs it

        close = difflib.get_close_matches(source, sorted(known), n=1)
        hint = f"did you mean {close[0]}?" if close else f"this site knows {', '.join(sorted(known))}"
        hint += f"; a new source needs its table, content/sources/{source}.toml" if not close else ""
        raise UsageError("source-unknown", f"there is no source {source!r}", hint=hint)


_REDACT = 'leaderpress redact 6c0e41f2 --text "Ada L." --reason "Her wish." --basis "GDPR 17" --by "Legal desk"'


@leaderpress.command(epilog=_example(_REDACT))
@click.argument("digest", metavar="DIGEST")
@click.option("--text", "texts", multiple=True, metavar="TEXT", help="Remove exactly this; may be given again.")
@click.option("--whole", is_flag=True, help="Remove the whole document, of a project also its names.")
@click.option("--reason", required=True, metavar="TEXT", help="Why, in plain words; never what was removed.")
@click.option("--basis", required=True, metavar="TEXT", help="The law, order or request that it follows.")
@click.option("--by", "who", required=True, metavar="NAME", help="Who answers for it.")
@click.option("--on", "when", metavar="DATE", callback=_day, help="Day of the removal (UTC); default: today.")
@click.option("--dry-run", is_flag=True, help="Say what would be changed; write nothing.")
@_json
@_on_site
def redact(
    digest: str,
    texts: tuple[str, ...],
    whole: bool,
    reason: str,
    basis: str,
    who: str,
    when: date | None,
    dry_run: bool,
    as_json: bool,
    site: Path,
) -> int:
    """Remove what the law does not let stand: TEXT wherever it stands below content/, or a whole document.

    DIGEST names the document that it is about. Addresses, digests, the log and ranks stay; a note says why. There is
    no way back but version control, whose history is yours to deal with.

    Exits with 1 while a text stands in files that only a person can change; they are listed.
    """
    from .redaction import Request
    from .redaction import redact as remove

    day = when or datetime.now(UTC).date()
    request = Request(digest, texts, whole, reason, basis, who, day.isoformat())
    report = remove(site, request, dry_run=dry_run)
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.redaction_lines(report))
    return report.exit_code


@leaderpress.command(epilog=_example("leaderpress seal && leaderpress build"))
@click.option("--published-at", metavar="DATE", callback=_day, help="Day of publication (UTC); default: today.")
@_json
@_on_site
def seal(published_at: date | None, as_json: bool, site: Path) -> None:
    """Commit new notes to the publication log, so that nothing can come before them any more.

    An ingest does the same; use this where notes are published between two ingests. What is committed already stays
    as it is; with nothing new, nothing is written.
    """
    from . import ingest as ingesting

    report = ingesting.seal(site, published_at=published_at, today=lambda: datetime.now(UTC).date())
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.seal_lines(report))


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
    from .site.update import update

    with _progress("building") as tell:
        report = update(
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


@leaderpress.command(epilog=_example("leaderpress edition 2026-q3 --published-at 2026-09-30"))
@click.argument("tag", metavar="TAG")
@click.option("--note", default="", metavar="TEXT", help="A sentence about it, shown on its page.")
@click.option("--published-at", metavar="DATE", callback=_day, help="Day of publication (UTC); default: today.")
@_json
@_on_site
def edition(tag: str, note: str, published_at: date | None, as_json: bool, site: Path) -> None:
    """Freeze all rankings as they stand now under TAG, so that what led today can be proved later.

    Writes content/editions/TAG.json, once: an edition is never changed. The next build publishes it.
    """
    from .site.editions import freeze

    report = freeze(site, tag, note=note, published_at=published_at, today=lambda: datetime.now(UTC).date())
    if as_json:
        _print_json(report)
    else:
        _print_lines(reports.edition_lines(report))


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


@leaderpress.command(epilog=_example("leaderpress check --against ../last-week/inventory.json"))
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Default: build/site in the site.")
@click.option("--against", type=click.Path(path_type=Path), metavar="FILE|FOLDER", help=_AGAINST_HELP)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one a core.")
@_json
@_on_site
def check(out: Path | None, against: Path | None, jobs: int | None, as_json: bool, site: Path) -> int:
    """Look for broken links, fragments and digests in the built site.

    With --against also for every address that was published and would be lost, every canonical object that changed,
    and for the first line of the publication log that is not as it was.

    Exits with 1 if there is any problem; each is printed with the file and the line where it stands.
    """
    from .checks import check_site

    with _progress("checking") as tell:
        report = check_site(out or site / OUTPUT, against, jobs=jobs, progress=tell)
    if as_json:
        _print_json(report)
    else:
        _print_errors(report.problems)
        _print_lines(reports.check_lines(report))
    return 1 if report.counts["problems"] else 0


@leaderpress.command(epilog=_example("leaderpress verify build/site", "leaderpress verify log.txt checkpoint"))
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one a core.")
@click.option("--site", type=click.Path(path_type=Path, exists=True), metavar="DIR", help="Without PATH: this site.")
@_json
@click.pass_context
def verify(context: click.Context, paths: tuple[Path, ...], jobs: int | None, site: Path | None, as_json: bool) -> int:
    """Prove that what is at PATH is what was published: a site, its records, or files that were downloaded.

    Needs neither settings nor a network. Without PATH: the published site in this folder, or the site around it with
    its records.

    Exits with 1 if anything is not as it was published; each problem names the file, what was expected and what was
    found. What was lawfully removed is named, and is no problem.
    """
    from .verify import verify as verify_paths

    with _progress("verifying") as tell:
        report = verify_paths(paths or (_here(site or context.obj),), jobs=jobs, progress=tell)
    if as_json:
        _print_json(report)
    else:
        _print_errors(report.problems)
        _print_lines(reports.verify_lines(report))
    return 1 if report.counts.get("problems") else 0


def _here(named: Path | None) -> Path:
    """The published site in this folder, else the site that holds it."""
    from .config import find_site
    from .verify import is_published

    return named or (Path() if is_published(Path()) else find_site(Path.cwd()))


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

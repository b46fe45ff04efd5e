"""The command line: help without heavy imports, exit codes, where --site may stand, what goes to which stream."""

import json
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

from leaderpress import __version__, cli
from leaderpress.errors import BuildError, ContentError, Problems, UsageError

ROOT = Path(__file__).resolve().parents[2]
DUMP = ROOT / "content" / "example-dump" / "2026-06-01"
VERBS = ("build", "check", "cite", "edition", "explain", "ingest", "init", "redact", "seal", "show", "verify")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A new site that knows the invented board."""
    folder = tmp_path / "site"
    assert cli.run(["init", str(folder)]) == 0
    shutil.copy(ROOT / "content" / "sources" / "example-board.toml", folder / "content" / "sources")
    return folder


@pytest.fixture
def ingested(site: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The same with the first dump of the demo."""
    assert cli.run(["ingest", "example-board", str(DUMP), "--site", str(site), "--published-at", "2026-06-02"]) == 1
    capsys.readouterr()
    return site


def test_there_are_exactly_these_commands() -> None:
    assert tuple(sorted(cli.leaderpress.commands)) == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_help_with_an_example_that_parses(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([verb, "--help"]) == 0
    text = capsys.readouterr().out
    examples = re.findall(r"(?m)^  +leaderpress (.*)$", text.split("Example:")[1])
    assert examples
    command = cli.leaderpress.commands[verb]
    for example in examples:
        words = shlex.split(re.split(" >> | && ", example)[0])
        assert words[0] == verb
        command.make_context(verb, [*words[1:], "--site", str(ROOT)] if verb != "init" else words[1:])


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "init"])
def test_every_command_on_a_site_takes_its_folder(verb: str) -> None:
    assert "site" in {parameter.name for parameter in cli.leaderpress.commands[verb].params}


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out == f"leaderpress {__version__}\n"


WRONG_CALLS = {
    "no command": [],
    "an unknown command": ["bild"],
    "an unknown option": ["build", "--fast"],
    "a missing argument": ["ingest"],
    "a dump but no source": ["ingest", "sol-execbench"],
    "no processes": ["build", "--jobs", "0"],
    "an unknown citation format": ["cite", "x", "--format", "word"],
    "a day that is none": ["ingest", "sol-execbench", ".", "--published-at", "yesterday", "--site", str(ROOT)],
    "a folder that is no site": ["build", "--site", "/nonexistent"],
    "no site anywhere": ["show", "x"],
    "an instant that is none": ["ingest", "example-board", str(DUMP), "--site", str(ROOT), "--retrieved-at", "now"],
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_a_wrong_call_exits_with_2_and_prints_on_standard_error_only(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(WRONG_CALLS[case]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err != ""


RAISED = {
    "wrong content": (ContentError("c", "p", at="f:1", hint="h"), 1, "error c: p\n  at    f:1\n  hint  h\n"),
    "a wrong call": (UsageError("c", "p"), 2, "error c: p\n"),
    "a faulty output folder": (BuildError("c", "p"), 1, "error c: p\n"),
    "several": (Problems([ContentError("a", "1"), ContentError("b", "2")]), 1, "error a: 1\nerror b: 2\n"),
    "an interruption": (KeyboardInterrupt(), 130, "stopped\n"),
}


@pytest.mark.parametrize("case", RAISED)
def test_errors_are_printed_in_one_form_with_their_exit_code(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault, code, text = RAISED[case]

    @click.command()
    def failing() -> None:
        raise fault

    monkeypatch.setitem(cli.leaderpress.commands, "failing", failing)
    assert cli.run(["failing"]) == code
    printed = capsys.readouterr()
    assert (printed.out, printed.err.lstrip()) == ("", text)


def test_a_name_cannot_command_the_terminal_or_forge_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def failing() -> None:
        raise ContentError("c", "the name \x1b[2J\r\x9b0m is taken")

    monkeypatch.setitem(cli.leaderpress.commands, "failing", failing)
    cli.run(["failing"])
    assert capsys.readouterr().err == "error c: the name \\x1b[2J\\x0d\\x9b0m is taken\n"


def test_the_site_may_be_named_before_or_after_the_verb_or_be_the_current_folder(
    ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for arguments, folder in (
        (["--site", str(ingested), "show", "example-board/submission/40146"], tmp_path),
        (["show", "example-board/submission/40146", "--site", str(ingested)], tmp_path),
        (["show", "example-board/submission/40146"], ingested / "content"),
    ):
        monkeypatch.chdir(folder)
        assert cli.run(arguments) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] == texts[2] != ""


def test_the_verbs_site_wins_over_the_one_before_it(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ["--site", "/nonexistent", "show", "example-board/submission/40146", "--site", str(ingested)]
    assert cli.run(found) == 0


def test_ingest_reports_what_it_took_and_exits_with_1_for_faulty_entries(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["ingest", "example-board", str(DUMP), "--site", str(site), "--published-at", "2026-06-02"]
    assert cli.run(arguments) == 1
    text = capsys.readouterr().out
    assert re.search(r"(?m)^  BenchmarkRun +47 new$", text)
    assert re.search(r"(?m)^  DISQUALIFIED +1 left out, at submissions/9001\.json#/data/submissions/0/", text)
    assert re.search(r"(?m)^published 2026-06-02: content/records/000001-example-board-[0-9a-f]{8}/$", text)
    assert cli.run(arguments) == 0
    assert "was ingested before" in capsys.readouterr().out


def test_a_dry_run_and_a_strict_one_write_nothing(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--dry-run", "--strict"):
        assert cli.run(["ingest", "example-board", str(DUMP), "--site", str(site), option]) == 1
        assert list((site / "content" / "records").glob("*-*")) == []


def test_ingest_prints_its_report_as_json(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["ingest", "example-board", str(DUMP), "--site", str(site), "--json", "--published-at", "2026-06-02"])
    report = json.loads(capsys.readouterr().out)
    assert report["written"] is True
    assert report["snapshot"]["published_at"] == "2026-06-02"
    assert report["snapshot"]["counts"]["BenchmarkRun"] == {"new": 47, "revised": 0, "known": 0}


def test_the_day_of_publication_is_today_unless_it_is_given(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = cli.datetime.now(cli.UTC).date()
    cli.run(["ingest", "example-board", str(DUMP), "--site", str(site), "--json"])
    day = json.loads(capsys.readouterr().out)["snapshot"]["published_at"]
    assert before.isoformat() <= day <= cli.datetime.now(cli.UTC).date().isoformat()


SOURCES = {
    "exampel-board": "did you mean example-board?",
    "sol-execbenhc": "did you mean sol-execbench?",
    "something-else": "this site knows example-board, kernelindex, sol-execbench",
}


@pytest.mark.parametrize("slug", SOURCES)
def test_a_mistyped_source_is_a_wrong_call_with_the_name_that_was_meant(
    slug: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["ingest", slug, str(DUMP), "--site", str(site)]) == 2
    assert SOURCES[slug] in capsys.readouterr().err


def test_a_missing_dump_is_wrong_content_and_named(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["ingest", "example-board", str(site / "nowhere"), "--site", str(site)]) == 1
    assert f"at    {site / 'nowhere'}" in capsys.readouterr().err


def test_a_run_is_found_by_key_by_digest_and_by_prefix(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["show", "example-board/submission/40146", "--json", "--site", str(ingested)]) == 0
    by_key = capsys.readouterr().out
    digest = json.loads(by_key)["digest"]
    for reference in (digest, digest[7:], digest[7:19], digest[:19]):
        assert cli.run(["show", reference, "--json", "--site", str(ingested)]) == 0
        assert capsys.readouterr().out == by_key


def test_an_ambiguous_run_lists_the_candidates(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    candidates = ""
    for prefix in "0123456789abcdef":
        if cli.run(["show", prefix, "--site", str(ingested)]) == 2:
            printed = capsys.readouterr()
            assert printed.out == ""
            if "run-ambiguous" in printed.err:
                candidates = printed.err
                found = re.findall(r"sha256:([0-9a-f]{64})", candidates)
                assert len(found) > 1
                assert all(digest.startswith(prefix) for digest in found)
        capsys.readouterr()
    assert candidates, "47 runs and 16 first digits: at least one is shared"


@pytest.mark.parametrize("reference", ["", "zz", "example-board/submission/1", "sha256:", "nowhere/submission/40146"])
def test_a_run_that_is_not_there_is_a_wrong_call(
    reference: str, ingested: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["cite", reference, "--site", str(ingested)]) == 2
    assert capsys.readouterr().out == ""


FORMS = {
    "apa": r"カーネル工房\. \(2026\)\. ",
    "bibtex": r"@misc\{site-[0-9a-f]{12},\n",
    "biblatex": r"@dataset\{site-[0-9a-f]{12},\n",
    "ris": r"TY  - DATA\r\n",
    "csl": r"\[",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_run_is_cited_in_every_form(form: str, ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["cite", "example-board/submission/40146", "--site", str(ingested)]
    assert cli.run([*arguments, "--format", form]) == 0
    text = capsys.readouterr().out
    assert re.match(FORMS[form], text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_show_says_what_the_page_says(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["show", "example-board/submission/40146", "--site", str(ingested)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("カーネル工房 · Ring attention prefill causal h24 d96 · NVIDIA B200\n")
    assert re.search(r"(?m)^  value +1\.13 ms mean latency \(1127890 ns\)$", text)
    assert re.search(r"(?m)^  rank +1 of 15$", text)


def test_progress_is_shown_on_a_terminal_only(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with cli._progress("building"):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_site_is_built_and_found_whole(ingested: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["build", "--site", str(ingested), "--jobs", "1", "--json"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    built = ingested / "build" / "site"
    assert report["files"] + 2 == sum(path.is_file() for path in built.rglob("*"))
    assert "warning no-permalink-base" in printed.err
    assert cli.run(["check", "--site", str(ingested)]) == 0
    page = next(built.glob("runs/*/index.html"))
    page.write_bytes(page.read_bytes().replace(b"</main>", b"<a href='nowhere/'>x</a></main>"))
    capsys.readouterr()
    assert cli.run(["check", "--site", str(ingested)]) == 1
    assert "nowhere/" in capsys.readouterr().err

"""What a newer dump of a source changes: told exactly, before anything is written, and never acted upon."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, Json, TinySite

from leaderpress import reports
from leaderpress.index.compare import RunName
from leaderpress.ingest import IngestReport, preview
from leaderpress.ingest.updates import Updates
from leaderpress.manifests.notes import parse_note

MANY = [Chain(n, n * 10, user=f"U{n}") for n in range(1, 41)]
"""Enough runs that two of them are not more than a twentieth."""


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(*MANY, listed(MANY))
    return made


def listed(runs: list[Chain], *, rows: int = 0) -> Json:
    """How long the list of the first run's operation is; complete unless the dump has fewer `rows`."""
    return {"task": runs[0].operation().digest, "rows": rows or len(runs), "listed": len(runs)}


def changes(report: IngestReport) -> Updates:
    assert report.updates is not None
    return report.updates


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def numbers(names: list[RunName]) -> list[str]:
    return [name.external_id for name in names]


def test_the_first_dump_of_a_source_changes_nothing_that_was_published(tmp_path: Path) -> None:
    report = TinySite(tmp_path).feed(*MANY)
    assert (report.updates, report.unknown, report.review) == (None, "", "")
    assert not any("changes" in line for line in reports.ingest_lines(report))


def test_a_dump_that_only_repeats_changes_nothing(site: TinySite) -> None:
    report = site.feed(*MANY, listed(MANY), {"fact": "mood", "about": MANY[0].digest, "value": 1})
    assert changes(report) == Updates()
    assert "  changes nothing that was published before" in list(reports.ingest_lines(report))


def test_new_runs_and_the_ranks_that_follow(site: TinySite) -> None:
    new = Chain(99, 15, user="Zoe")
    found = changes(site.feed(*MANY, new, listed([*MANY, new])))
    assert [(one.run, one.rank) for one in found.new] == [
        (RunName(new.digest, "run/99", "Zoe", "v99", "Scan", "Abacus 1"), 2)
    ]
    group = site.group(new).key
    assert [(one.group, one.run.external_id, one.before, one.after) for one in found.ranks] == [
        (group, "run/99", 0, 2),
        *((group, f"run/{n}", n, n + 1) for n in range(2, 41)),
    ]
    assert found == Updates(new=found.new, ranks=found.ranks)


def test_a_new_group_has_no_ranks_that_change(site: TinySite) -> None:
    found = changes(site.feed(*MANY, Chain(99, 1, op="gemm"), listed(MANY)))
    assert found == Updates(new=found.new)


def test_a_revised_run_is_superseded_and_not_counted_as_new(site: TinySite) -> None:
    again = Chain(2, 5, user="U2")
    found = changes(site.feed(*MANY[:1], again, *MANY[2:], listed(MANY)))
    assert [(one.run.digest, one.successor) for one in found.revised] == [(MANY[1].digest, again.digest)]
    assert [(one.run.digest, one.before, one.after) for one in found.ranks] == [
        (again.digest, 2, 1),
        (MANY[0].digest, 1, 2),
    ]
    assert found == Updates(revised=found.revised, ranks=found.ranks)


def test_a_figure_that_is_taken_back_revises_the_revision(site: TinySite) -> None:
    again = Chain(2, 5, user="U2")
    site.feed(*MANY[:1], again, *MANY[2:], listed(MANY))
    found = changes(site.feed(*MANY, listed(MANY), {"fact": "x", "about": MANY[0].digest, "value": 1}))
    assert [(one.run.digest, one.successor) for one in found.revised] == [(again.digest, MANY[1].digest)]
    assert not found.new


def test_a_run_that_vanished_from_a_complete_list_is_proposed_for_withdrawal(site: TinySite) -> None:
    report = site.feed(*MANY[:-2], listed(MANY[:-2]), on="2026-05-06")
    found = changes(report)
    assert [(gone.run.digest, gone.source, gone.key, gone.reason) for gone in found.vanished] == [
        (run.digest, "board", str(run.n), "") for run in MANY[-2:]
    ]
    assert (found.incomplete, found.withheld, found.ranks) == (0, {}, ())
    assert report.review == f"build/proposals/{report.folder}"
    written = files(site.root / report.review)
    assert written == {proposal.file: proposal.text.encode() for proposal in found.proposals}
    for run, proposal in zip(MANY[-2:], found.proposals, strict=True):
        note = parse_note(proposal.text.encode(), f"content/notes/{proposal.file}")
        assert (note.kind, note.target, note.who, note.when) == ("withdrawal", run.digest, "Tiny press", "2026-05-06")
        assert note.why == (
            f"The source does not list {run.n} any more: so its dump that was published here on 2026-05-06,"
            " in a list that is complete."
        )
    with site.open() as index:
        assert index.run(MANY[-1].digest).rank == 40, "nothing is withdrawn by itself"


def test_an_incomplete_list_proves_nothing(site: TinySite) -> None:
    found = changes(site.feed(*MANY[:-2], listed(MANY, rows=38)))
    assert (found.vanished, found.incomplete, found.proposals) == ((), 2, ())


def test_a_list_of_which_nothing_is_said_proves_nothing(site: TinySite) -> None:
    assert changes(site.feed(*MANY[:-1])).incomplete == 1


def test_a_disqualified_run_is_told_with_the_source_s_reason(site: TinySite) -> None:
    refused = {"reject": "DISQUALIFIED", "external_id": "run/40"}
    report = site.feed(*MANY[:-1], refused, listed(MANY))
    found = changes(report)
    assert [(gone.run.digest, gone.reason) for gone in found.disqualified] == [(MANY[-1].digest, "DISQUALIFIED")]
    assert found.vanished == ()
    (proposal,) = found.proposals
    note = parse_note(proposal.text.encode(), "n.md")
    assert "does not count 40 any more (DISQUALIFIED)" in note.why


def test_a_faulty_entry_is_neither_vanished_nor_disqualified(site: TinySite) -> None:
    fault = {"reject": "MALFORMED", "external_id": "run/40", "verdict": False}
    found = changes(site.feed(*MANY[:-1], fault, listed(MANY), faulty=True))
    assert found == Updates(unreadable=1)


def test_above_a_twentieth_nothing_is_proposed_and_it_says_so(site: TinySite) -> None:
    at_most = changes(site.feed(*MANY[:38], listed(MANY[:38]), dry_run=True))
    assert (len(at_most.proposals), at_most.withheld) == (2, {})
    report = site.feed(*MANY[:37], listed(MANY[:37]))
    found = changes(report)
    assert len(found.vanished) == 3
    assert found.proposals == ()
    assert found.withheld == {
        "board": "3 of 40 runs at once, more than 5%: look at the dump before you withdraw anything"
    }
    assert report.review == ""
    assert not (site.root / "build" / "proposals").exists()


def test_what_is_withdrawn_already_is_not_proposed_again(site: TinySite) -> None:
    site.note("gone", "withdrawal", MANY[-1].digest)
    assert changes(site.feed(*MANY[:-1], listed(MANY[:-1]))) == Updates()


def test_a_renamed_user_is_told_once_with_the_number_of_runs(site: TinySite) -> None:
    team = Chain(1, user="New name").project()
    renamed = [
        {"manifest": team.document, "name": "New name"},
        *({"manifest": run.record().document, "upstream_key": str(run.n), "project": team.digest} for run in MANY[:3]),
    ]
    found = changes(site.feed(*MANY[3:], *renamed, listed(MANY)))
    assert [(one.before, one.after, one.runs) for one in found.renamed] == [
        ("U1", "New name", 1),
        ("U2", "New name", 1),
        ("U3", "New name", 1),
    ]
    assert found == Updates(renamed=found.renamed)


def test_a_changed_definition_is_a_new_operation_and_the_old_one_stays(site: TinySite) -> None:
    edited = [Chain(run.n, run.ns, user=run.user, op="scan-2", op_title="scan") for run in MANY]
    found = changes(site.feed(*edited, listed(edited)))
    assert [(one.name, one.before, one.after) for one in found.redefined] == [
        ("scan", MANY[0].operation().digest, edited[0].operation().digest)
    ]
    assert (len(found.revised), found.new, found.vanished) == (40, (), ())
    with site.open() as index:
        assert {task.digest for task in index.tasks()} == {MANY[0].operation().digest, edited[0].operation().digest}


def test_a_run_that_vanishes_while_its_operation_is_redefined_counts_as_vanished(site: TinySite) -> None:
    edited = [Chain(run.n, run.ns, user=run.user, op="scan-2", op_title="scan") for run in MANY[:-1]]
    found = changes(site.feed(*edited, listed(edited)))
    assert [gone.run.digest for gone in found.vanished] == [MANY[-1].digest]


def test_a_dry_run_says_the_same_and_touches_nothing(site: TinySite) -> None:
    dump = (*MANY[:1], Chain(2, 5, user="U2"), *MANY[2:-1], Chain(99, 1, op="gemm"), listed(MANY[:-1]))
    before = files(site.root)
    dry = site.feed(*dump, dry_run=True)
    assert files(site.root) == before
    assert (dry.written, dry.review) == (False, "")
    real = site.feed(*dump)
    assert asdict(changes(dry)) == asdict(changes(real))
    # The name of the file is part of the dump's digest, which the last line of the log covers.
    assert _without_dump(dry.snapshot) == _without_dump(real.snapshot)


def _without_dump(snapshot: dict[str, Any]) -> dict[str, Any]:
    files = {name: file for name, file in snapshot["files"].items() if name != "log.txt"}
    log = {name: value for name, value in snapshot["log"].items() if name != "sha256"}
    return {**snapshot, "dump": "", "files": files, "log": log}


def test_a_dry_run_on_a_new_site_needs_no_index(tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    assert site.feed(*MANY, dry_run=True).updates is None
    assert not (site.root / "build").exists()


def test_another_source_is_not_compared(site: TinySite) -> None:
    site.table((site.root / "content/sources/board.toml").read_text(), "other")
    report = site.feed(Chain(1, 3, user="Else"), source="other")
    assert report.updates is None


def test_what_keeps_the_comparison_from_being_made_does_not_keep_the_records(
    site: TinySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site.root / "build" / "cache").mkdir(parents=True, exist_ok=True)
    (site.root / "content/sources/broken.toml").write_text("name =")
    report = site.feed(*MANY, Chain(99, 1), listed(MANY))
    assert report.written
    assert report.updates is None
    assert report.unknown.startswith("what this changes is not known: ")
    assert any(report.unknown in line for line in reports.ingest_lines(report))


def test_people_are_told_how_many_and_the_first_ten(site: TinySite) -> None:
    new = [Chain(n, n * 100, user=f"U{n}", op="gemm") for n in range(50, 62)]
    lines = list(reports.ingest_lines(site.feed(*MANY[:-1], *new, listed(MANY[:-1]))))
    start = lines.index("  changes")
    told = lines[start : start + 20]
    assert told[1] == "    new runs: 12"
    assert told[2] == f"      run/50 {new[0].digest[7:19]} U50 v50 · GEMM on Abacus 1, rank 1"
    assert told[12:16] == [
        "      and 2 more",
        "    vanished runs: 1",
        f"      run/40 {MANY[-1].digest[7:19]} U40 v40 · Scan on Abacus 1",
        "    proposed, to be reviewed: 1 withdrawal",
    ]
    assert any("build/proposals/" in line for line in lines)


def test_everything_is_told_as_json(site: TinySite) -> None:
    report = site.feed(*MANY[:-1], listed(MANY[:-1]))
    told: Any = json.loads(json.dumps(asdict(report)))
    assert told["updates"]["vanished"][0]["run"]["external_id"] == "run/40"
    assert told["updates"]["proposals"][0]["file"] == f"withdrawal-{MANY[-1].digest[7:19]}.md"


HOSTILE_KEYS = ['quote" and \\', "línea", "x" * 5000, "🦊 +++", "\u202ertl"]


@pytest.mark.parametrize("key", HOSTILE_KEYS)
def test_a_proposal_is_a_valid_note_whatever_the_source_calls_a_run(key: str) -> None:
    from leaderpress.ingest.proposals import proposal

    target = "sha256:" + "a" * 64
    note = parse_note(proposal(target, key, "", 'A "press"', "2026-01-02").text.encode(), "n.md")
    assert note.target == target
    assert key[:5] in note.why or not key[:1].isprintable()


def test_what_changes_is_the_same_when_all_rows_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, every = TinySite(tmp_path / "few"), TinySite(tmp_path / "every")
    slower, gone = Chain(3, 500, user="U3", key="u3"), [run for run in MANY if run is not MANY[5]]
    moved = Chain(7, 70, user="Vera")
    dumps = ((*MANY, listed(MANY)), (*gone, slower, moved, Chain(99, 15, user="Zoe"), listed(MANY)))
    told = []
    for site in (few, every):
        if site is every:
            monkeypatch.setattr(preview, "touched_between", lambda *_: None)
        told.append([site.feed(*dump, on=f"2026-03-{day:02}").updates for day, dump in enumerate(dumps, 1)])
    assert told[0] == told[1]
    assert told[0][1] is not None
    assert told[0][1].new
    assert told[0][1].ranks

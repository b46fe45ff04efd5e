"""A newer dump of the real leaderboard: half of it first, then the rest with every kind of change, told exactly."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from newer_dump import FIRST, SECOND, SOURCE, Board, Story, key

from leaderpress import cli
from leaderpress.ingest import IngestReport, ingest, undo
from leaderpress.ingest.updates import Updates
from leaderpress.manifests.notes import parse_note

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Story:
    made = Story(tmp_path_factory.mktemp("updates"), corpus)
    report = made.ingest(made.old, FIRST)
    assert (report.updates, report.counts["BenchmarkRun"]["new"]) == (None, 353)
    return made


@pytest.fixture(scope="module")
def told(story: Story) -> tuple[Updates, dict[str, bytes], IngestReport]:
    """What the dry run says, what the site held after it, and the report of the real ingest."""
    dry = story.ingest(story.new, SECOND, dry_run=True)
    assert dry.updates is not None
    held = {str(path): path.read_bytes() for path in (story.root / "content").rglob("*") if path.is_file()}
    return dry.updates, held, story.ingest(story.new, SECOND)


def test_new_runs_are_the_other_half(story: Story, told: tuple[Updates, Any, Any]) -> None:
    others = {key(row["id"]) for row in story.after.submissions()} - {key(number) for number in story.first}
    assert {new.run.external_id for new in told[0].new} == others
    assert len(told[0].new) == 353


def test_revised_are_the_one_number_and_all_runs_of_the_edited_definition(
    story: Story, told: tuple[Updates, Any, Any]
) -> None:
    expected = {key(story.revised)} | {
        key(row["id"]) for row in story.before.submissions() if row["kernel_id"] == story.edited
    }
    digests = story.digests()
    assert {change.run.external_id: (change.run.digest, change.successor) for change in told[0].revised} == {
        name: tuple(digests[name]) for name in expected
    }


def test_the_vanished_and_the_disqualified_are_proposed_and_nothing_is_withdrawn(
    story: Story, told: tuple[Updates, Any, IngestReport]
) -> None:
    updates, _, report = told
    digests = story.digests()
    vanished, disqualified = key(story.vanished), key(story.disqualified)
    assert [(gone.run.digest, gone.key, gone.reason) for gone in updates.vanished] == [
        (digests[vanished][0], vanished, "")
    ]
    assert [(gone.run.digest, gone.key, gone.reason) for gone in updates.disqualified] == [
        (digests[disqualified][0], disqualified, "DISQUALIFIED")
    ]
    assert (updates.incomplete, updates.unreadable, updates.withheld) == (0, 0, {})
    written = sorted((story.root / report.review).iterdir())
    notes = [parse_note(path.read_bytes(), path.name) for path in written]
    assert {(note.kind, note.target, note.who, note.when) for note in notes} == {
        ("withdrawal", digests[name][0], "Records desk", "2026-08-31") for name in (vanished, disqualified)
    }
    assert not (story.root / "content" / "notes").exists() or not list((story.root / "content" / "notes").iterdir())


def test_the_renamed_user_is_told_with_the_runs_that_were_published_before(
    story: Story, told: tuple[Updates, Any, Any]
) -> None:
    count = sum(row["username"] == story.user for row in story.before.submissions())
    assert [asdict(change) for change in told[0].renamed] == [
        {"before": story.user, "after": "Renamed team", "runs": count}
    ]


def test_the_edited_definition_is_a_new_operation_beside_the_old_one(
    story: Story, told: tuple[Updates, Any, Any]
) -> None:
    (change,) = told[0].redefined
    assert change.name == story.edited_name
    operations = {
        line["digest"]: line.get("name")
        for path in (story.root / "content" / "records").glob("*/provenance.jsonl")
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines())
        if line["kind"] == "OperationSpec"
    }
    assert {operations[change.before], operations[change.after]} == {story.edited_name}
    assert len(operations) == 236


def test_rank_changes_are_those_of_a_ranking_made_by_hand(story: Story, told: tuple[Updates, Any, Any]) -> None:
    before = story.before.ranks()
    gone = [row for row in story.before.submissions() if row["id"] in (story.vanished, story.disqualified)]
    # Runs that the source no longer counts still stand here: only a note withdraws them.
    kept = Board.__new__(Board)
    kept.lists = {"1": {"data": {"submissions": [*story.after.submissions(), *gone]}}}
    after = kept.ranks(lambda row: row["id"] not in (story.vanished, story.disqualified) or row in gone)
    expected: set[tuple[str, int, int]] = set()
    for group, ranks in before.items():
        if group[0] == story.edited:
            # Of an edited definition the old group empties, and the new one was not published before.
            expected |= {(name, place, 0) for name, place in ranks.items()}
            continue
        names = ranks.keys() | after[group].keys()
        expected |= {(name, ranks.get(name, 0), after[group].get(name, 0)) for name in names}
    revised = key(story.revised)
    changed = {(name, old, new) for name, old, new in expected if old != new and name != revised}
    found = [(change.run.external_id, change.before, change.after) for change in told[0].ranks]
    assert {line for line in found if line[0] != revised} == changed
    # The revised run and its successor, which takes the first rank, are one: no change if that was its rank before.
    place = next(ranks[revised] for ranks in before.values() if revised in ranks)
    moves = [] if place == 1 else [(revised, place, 1)]
    assert [line for line in found if line[0] == revised] == moves
    assert len(found) == len(changed) + len(moves)


def test_the_real_ingest_says_what_the_dry_run_said_which_wrote_nothing(
    story: Story, told: tuple[Updates, dict[str, bytes], IngestReport]
) -> None:
    updates, held, report = told
    assert report.updates == updates
    assert report.exit_code == 0
    assert [path for path, data in held.items() if Path(path).read_bytes() != data] == []
    assert not [path for path in held if report.folder in path]


def test_people_are_told_in_a_page(story: Story, told: tuple[Updates, Any, IngestReport]) -> None:
    from leaderpress.reports import ingest_lines

    lines = list(ingest_lines(told[2]))
    assert len(lines) < 80
    assert "    new runs: 353" in lines
    assert "      and 343 more" in lines
    assert f"      {story.user} → Renamed team, {told[0].renamed[0].runs} runs" in lines
    assert "    proposed, to be reviewed: 2 withdrawals" in lines


def test_undone_and_done_again_gives_the_same_bytes_and_once_published_it_stays(
    story: Story, told: tuple[Updates, Any, IngestReport], tmp_path: Path
) -> None:
    copy = tmp_path / "site"
    shutil.copytree(story.root, copy)
    records = copy / "content" / "records"
    done = {str(path.relative_to(records)): path.read_bytes() for path in records.rglob("*") if path.is_file()}
    assert undo(copy, unpublished=True).folder == told[2].folder
    assert len(list(records.iterdir())) == 1
    ingest(copy, SOURCE, [story.new], published_at=SECOND, retrieved_at=None, today=lambda: SECOND)
    again = {str(path.relative_to(records)): path.read_bytes() for path in records.rglob("*") if path.is_file()}
    assert again == done
    assert cli.run(["build", "--site", str(copy)]) == 0
    assert cli.run(["ingest", "--undo", "--site", str(copy)]) == 1
    page = json.loads((copy / "build/site/changes/index.json").read_bytes())
    newest = page["changes"][0]
    counts = {line["label"]: line["value"] for line in newest["counts"]}
    assert counts["New runs"] == str(len(told[0].new) + len(told[0].revised))
    assert counts["Revised"] == str(len(told[0].revised))
    assert (counts["No longer counted"], counts["Renamed"], counts["Redefined"]) == ("1", "1", "1")
    assert newest["redefined"][0]["name"] == story.edited_name
    assert newest["renamed"][0]["newer"]["text"] == "Renamed team"


def test_too_many_at_once_propose_nothing(story: Story, told: tuple[Updates, Any, Any], tmp_path: Path) -> None:
    copy = tmp_path / "site"
    shutil.copytree(story.root, copy)
    undo(copy, unpublished=True)
    board = Board(story.old)
    rows = list(board.submissions())
    board.keep(lambda row: row not in rows[::10])
    # An empty page does not say whose list it is, so nothing follows for its kernel.
    left = {row["kernel_id"] for row in board.submissions()}
    vanished = sum(row["kernel_id"] in left for row in rows[::10])
    dump = board.write(tmp_path / "dump")
    report = ingest(copy, SOURCE, [dump], published_at=SECOND, retrieved_at=None, today=lambda: SECOND)
    assert report.updates
    assert (len(report.updates.vanished), report.updates.incomplete) == (vanished, len(rows[::10]) - vanished)
    assert vanished > len(rows) / 20
    assert report.updates.proposals == ()
    assert report.updates.withheld == {
        SOURCE: f"{vanished} of 353 runs at once, more than 5%: look at the dump before you withdraw anything"
    }

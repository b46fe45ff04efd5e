"""The index: what records say, whether it is built from nothing or continued, and what a person can look up in it."""

import hashlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from histories import FAST, HISTORIES, SLOW, rows
from tiny_site import TABLE, Chain, TinySite

from leaderpress.errors import BuildError, ContentError, LeaderpressError, Problems
from leaderpress.index import Index
from leaderpress.store import folders


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


# -- built anew or continued -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("history", HISTORIES)
def test_an_index_that_is_continued_says_what_one_from_scratch_says(
    history: str, site: TinySite, tmp_path: Path
) -> None:
    for day, dump in enumerate(HISTORIES[history], 1):
        site.feed(*dump, on=f"2026-03-{day:02}")
        continued = site.refresh()
    assert rows(continued) == rows(site.refresh(tmp_path / "elsewhere"))


def test_a_continued_index_does_not_read_the_old_folders_again(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    from leaderpress.index.fill import Filler

    read: list[int] = []
    real = Filler.add
    monkeypatch.setattr(Filler, "add", lambda self, folder: (read.append(folder.number), real(self, folder))[1])
    site.feed(FAST)
    site.refresh()
    site.feed(SLOW)
    site.refresh()
    site.refresh()
    assert read == [1, 2]


def test_a_continued_index_ranks_the_changed_groups_only(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    from leaderpress.index.standings import Ranker

    ranked: list[set[str]] = []
    real = Ranker.rank
    monkeypatch.setattr(Ranker, "rank", lambda self, groups: (ranked.append(set(groups)), real(self, groups))[1])
    moved = Chain(1, 100, gpu="Abacus 2")
    site.feed(FAST, SLOW, Chain(3, op="gemm"))
    path = site.refresh()
    site.feed(moved, Chain(4, gpu="Abacus 3"), source="board")
    site.refresh()
    database = sqlite3.connect(path)
    groups = dict(database.execute("select digest, grp from run"))
    database.close()
    assert ranked == [{groups[moved.digest], groups[Chain(4, gpu="Abacus 3").digest], groups[FAST.digest]}]


def test_folders_that_were_just_verified_are_not_read_again(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    from leaderpress.index import refresh as refreshing

    site.feed(FAST)
    held = folders(site.root)
    site.feed(SLOW)
    verified: list[str] = []
    monkeypatch.setattr(sys.modules[refreshing.__module__], "verify", lambda folder, _: verified.append(folder.name))
    refreshing(site.root, {}, [], checked=held)
    assert verified == [folder.name for folder in folders(site.root)[1:]]


def seal(path: Path) -> None:
    """Vouch for an index as the program that writes it does."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name("index.sqlite.sha256").write_text(digest, encoding="ascii")


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "other program", "foreign tables"])
def test_an_index_that_cannot_be_trusted_is_built_anew(damage: str, site: TinySite, tmp_path: Path) -> None:
    site.feed(FAST, SLOW)
    path = site.refresh()
    right = rows(path)
    whole = path.read_bytes()
    if damage == "foreign tables":
        path.unlink()
        database = sqlite3.connect(path)
        database.execute("create table meta (something integer)")
        database.close()
        seal(path)
    elif damage == "other program":
        database = sqlite3.connect(path)
        database.execute("update meta set value = 'another' where name = 'code'")
        database.execute("delete from run")
        database.commit()
        database.close()
        seal(path)
    else:
        path.write_bytes({"empty": b"", "text": b"not a database" * 400, "cut": whole[: len(whole) // 2]}[damage])
    assert rows(site.refresh()) == right


def test_a_bit_that_flips_in_the_index_never_changes_what_it_says(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    path = site.refresh()
    right, whole = rows(path), path.read_bytes()
    place = whole.index(b"Abacus 1")
    path.write_bytes(whole[:place] + b"B" + whole[place + 1 :])
    assert rows(site.refresh()) == right


def test_the_index_may_be_deleted_at_any_time(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    right = rows(site.refresh())
    shutil.rmtree(site.root / "build")
    assert rows(site.refresh()) == right


def test_a_site_without_records_has_an_empty_index(site: TinySite) -> None:
    with site.open() as index:
        assert index.folders() == []
        assert index.count("select count(*) from run") == 0


# -- records that are not what they were -------------------------------------------------------------------------------


def change_a_line(records: Path) -> str:
    path = next(records.glob("000001-*/manifests.jsonl"))
    path.write_bytes(path.read_bytes().replace(b'"mean":100', b'"mean":900'))
    return f"content/records/{path.parent.name}/manifests.jsonl"


def change_provenance(records: Path) -> str:
    path = next(records.glob("000001-*/provenance.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"run/1", b"run/9"))
    return f"content/records/{path.parent.name}/provenance.jsonl"


def remove_a_folder(records: Path) -> str:
    shutil.rmtree(next(records.glob("000001-*")))
    return f"content/records/{next(records.glob('000002-*')).name}"


def remove_a_file(records: Path) -> str:
    path = next(records.glob("000001-*/manifests.jsonl"))
    path.unlink()
    return f"content/records/{path.parent.name}/manifests.jsonl"


def rename_a_folder(records: Path) -> str:
    path = next(records.glob("000002-*"))
    path.rename(path.with_name("000002-elsewhere-" + path.name[-8:]))
    return "content/records/000002-elsewhere-"


DAMAGES = (change_a_line, change_provenance, remove_a_folder, remove_a_file, rename_a_folder)


@pytest.mark.parametrize("fresh", [True, False], ids=["from scratch", "continued"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_record_that_was_changed_is_named_before_anything_is_built(
    damage: Callable[[Path], str], fresh: bool, site: TinySite
) -> None:
    site.feed(FAST)
    site.feed(SLOW)
    site.refresh()
    if fresh:
        shutil.rmtree(site.root / "build")
    place = damage(site.root / "content" / "records")
    with pytest.raises(ContentError) as fault:
        site.refresh()
    assert fault.value.at.startswith(place)
    assert fault.value.exit_code == 1


# -- eligibility and notes ---------------------------------------------------------------------------------------------


def standing(site: TinySite, *chains: Chain) -> list[tuple[int, tuple[str, ...]]]:
    with site.open() as index:
        return [(row.rank, row.reasons) for row in (index.run(chain.digest) for chain in chains)]


def test_a_withdrawal_takes_a_run_out_and_its_end_puts_it_back(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    assert standing(site, FAST, SLOW) == [(1, ()), (2, ())]
    site.note("one", "withdrawal", FAST.digest)
    assert standing(site, FAST, SLOW) == [(0, ("WITHDRAWN",)), (1, ())]
    (site.root / "content" / "notes" / "one.md").unlink()
    assert standing(site, FAST, SLOW) == [(1, ()), (2, ())]


def test_a_note_about_a_run_that_comes_later_is_heard_when_it_comes(site: TinySite) -> None:
    late = Chain(3, 50, key=None)
    site.feed(FAST, SLOW)
    site.note("one", "correction", late.digest, successor=FAST.digest)
    site.refresh()
    site.feed(late)
    assert standing(site, FAST, SLOW, late) == [(1, ()), (2, ()), (0, ("SUPERSEDED",))]


@pytest.mark.parametrize("kind", ["dispute", "attestation"])
def test_other_notes_leave_the_ranking_as_it_is(kind: str, site: TinySite) -> None:
    site.feed(FAST, SLOW)
    site.note("one", kind, FAST.digest, **({"type": "reproduction"} if kind == "attestation" else {}))
    assert standing(site, FAST, SLOW) == [(1, ()), (2, ())]


def test_a_correction_note_supersedes_its_target(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    site.note("one", "correction", FAST.digest, successor=SLOW.digest)
    assert standing(site, FAST, SLOW) == [(0, ("SUPERSEDED",)), (1, ())]
    with site.open() as index:
        assert index.run(FAST.digest).superseded_by == SLOW.digest


def test_a_later_ingest_of_the_same_key_supersedes_the_earlier_run(site: TinySite) -> None:
    again = Chain(1, 50)
    site.feed(FAST, SLOW)
    site.feed(again)
    assert standing(site, FAST, SLOW, again) == [(0, ("SUPERSEDED",)), (2, ()), (1, ())]


def test_a_figure_that_the_source_takes_back_stands_again(site: TinySite) -> None:
    meanwhile = Chain(1, 50)
    site.feed(FAST)
    site.feed(meanwhile)
    site.feed(FAST, SLOW)
    assert standing(site, FAST, meanwhile) == [(1, ()), (0, ("SUPERSEDED",))]
    with site.open() as index:
        assert index.run(meanwhile.digest).superseded_by == FAST.digest
        assert index.run(FAST.digest).superseded_by == ""


def test_runs_without_a_key_are_never_superseded(site: TinySite) -> None:
    first, second = Chain(1, 100, key=None), Chain(1, 90, key=None)
    site.feed(first)
    site.feed(second)
    assert standing(site, first, second) == [(2, ()), (1, ())]


def test_superseding_reaches_over_groups(site: TinySite) -> None:
    """A submission that its source moved to other hardware leaves its old group."""
    moved = Chain(1, 100, gpu="Abacus 2")
    site.feed(FAST, SLOW)
    site.refresh()
    site.feed(moved)
    assert standing(site, FAST, SLOW, moved) == [(0, ("SUPERSEDED",)), (1, ()), (1, ())]


THROUGHPUT = [Chain(n, None, measurements=[("throughput", "gbps", n * 10)]) for n in (1, 2)]
DIRECTIONS = {
    "higher": ('better = "higher"', [(2, ()), (1, ())]),
    "lower": ('better = "lower"', [(1, ()), (2, ())]),
    "none": ('better = "none"', [(0, ("DIRECTION_UNKNOWN",)), (0, ("DIRECTION_UNKNOWN",))]),
}


@pytest.mark.parametrize("better", DIRECTIONS)
def test_the_sources_table_decides_the_direction(better: str, site: TinySite) -> None:
    line, expected = DIRECTIONS[better]
    site.feed(*THROUGHPUT)
    site.refresh()
    head, _, tail = TABLE.partition("[metrics.throughput]")
    site.table(head + "[metrics.throughput]" + tail.replace('better = "higher"', line, 1))
    assert standing(site, *THROUGHPUT) == expected


def test_a_rule_for_another_unit_gives_no_direction(site: TinySite) -> None:
    run = Chain(1, None, measurements=[("throughput", "mbps", 5)])
    site.feed(run)
    assert standing(site, run) == [(0, ("DIRECTION_UNKNOWN",))]


def test_latency_in_nanoseconds_needs_no_table(site: TinySite) -> None:
    site.table(TABLE.replace('better = "lower"', 'better = "none"'))
    site.feed(FAST, SLOW)
    assert standing(site, FAST, SLOW) == [(1, ()), (2, ())]


# -- several documents of one identity ---------------------------------------------------------------------------------


def test_of_several_documents_the_one_stated_last_is_shown(site: TinySite) -> None:
    titles = ["Ada · scan", "Ada new · scan", "Ada · scan"]
    site.feed(FAST)
    for day, title in enumerate(titles[1:], 1):
        site.feed(Chain(1, 100, title=title), Chain(10 + day, 500), on=f"2026-04-0{day}")
        with site.open() as index:
            subject = FAST.implementation().digest
            assert index.document(subject)["metadata"]["title"] == title
            assert index.run(FAST.digest).name == title.partition(" · ")[0]
            assert index.subjects("where digest = ?", subject)[0].title == title


def test_a_project_that_is_renamed_is_shown_by_its_new_name_at_its_old_address(site: TinySite) -> None:
    site.feed(FAST)
    renamed = {"manifest": FAST.project().document, "name": "Ada Lovelace"}
    site.feed(renamed, SLOW)
    with site.open() as index:
        row = index.run(FAST.digest)
        assert (row.project_name, row.project_slug) == ("Ada Lovelace", "ada")


def test_a_run_is_published_when_its_first_folder_was(site: TinySite) -> None:
    site.feed(FAST, on="2026-03-04")
    site.feed(FAST, SLOW, on="2026-05-06")
    with site.open() as index:
        assert [index.run(chain.digest).published_on for chain in (FAST, SLOW)] == ["2026-03-04", "2026-05-06"]


# -- looking up --------------------------------------------------------------------------------------------------------


def test_a_run_is_found_by_digest_prefix_key_and_external_id(site: TinySite) -> None:
    site.feed(FAST, SLOW, Chain(3, op="gemm"))
    digest = FAST.digest
    with site.open() as index:
        prefixes = (digest[7:], digest[:20], digest[7:19], digest[7:19].upper())
        for reference in (digest, *prefixes, "board/1", "board/run/1"):
            assert [row.digest for row in index.find_runs(reference)] == [digest], reference
        for reference in ("f" * 64, "other/1", "board/99", "zz", "%", "board/%"):
            assert index.find_runs(reference) == [], reference
        assert len(index.find_runs("sha256:")) == 3


def test_a_key_finds_the_newest_run_first(site: TinySite) -> None:
    again = Chain(1, 50)
    site.feed(FAST)
    site.feed(again)
    with site.open() as index:
        assert [row.digest for row in index.find_runs("board/1")] == [again.digest, FAST.digest]


def test_groups_are_read_with_their_contents(site: TinySite) -> None:
    failed, other = Chain(3, None, status="timeout"), Chain(4, None, status="timeout", gpu="Abacus 2")
    throughput = [Chain(n, None, measurements=[("throughput", "gbps", n * 10)]) for n in (6, 7)]
    site.feed(FAST, SLOW, failed, other, Chain(5, op="gemm"), *throughput)
    site.note("one", "withdrawal", SLOW.digest)
    with site.open() as index:
        keys = [group.key for group in index.groups("order by ranking")]
        for contents, key in zip(index.contents(keys), keys, strict=True):
            assert contents.group == index.group(key)
            assert contents.ranked == index.ranked(key)
            assert contents.unranked == index.unranked(key, contents.group.siblings)
            assert contents.events == index.events(key)
        assert len(keys) > 4
        assert {len(contents.unranked) for contents in index.contents(keys)} == {0, 1, 2}
        with pytest.raises(ContentError, match="no group sha256:no"):
            list(index.contents(["sha256:no"]))


def test_every_identity_body_hashes_to_its_digest(site: TinySite) -> None:
    from leaderpress.canonical import sha256

    site.feed(FAST, SLOW, Chain(3, None, measurements=[("throughput", "gbps", 1e-6)], user="😀 漢字 “quoted\\”"))
    with site.open() as index:
        digests = [digest for digest, _ in index.documents()]
        assert len(digests) == 1 + 1 + 3 + 3 + 1 + 1 + 3
        assert all(sha256(index.identity(digest)) == digest for digest in digests)


def test_what_no_record_holds_is_a_located_error(site: TinySite) -> None:
    site.feed(FAST)
    nothing = "sha256:" + "0" * 64
    with site.open() as index:
        for look_up in (index.run, index.group, index.task, index.document, index.identity, index.environment):
            with pytest.raises(LeaderpressError) as fault:
                look_up(nothing)
            assert nothing in str(fault.value)


def test_an_index_is_not_written_when_the_records_are_at_fault(site: TinySite) -> None:
    site.feed(FAST)
    path = site.refresh()
    before = path.read_bytes()
    change_a_line(site.root / "content" / "records")
    with pytest.raises((ContentError, Problems)):
        site.refresh()
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["index.sqlite", "index.sqlite.sha256"]


def test_an_index_that_cannot_be_written_is_our_error(site: TinySite, tmp_path: Path) -> None:
    site.feed(FAST)
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(BuildError) as fault:
        site.refresh(tmp_path / "file" / "cache")
    assert (fault.value.code, fault.value.at) == ("index-write", str(tmp_path / "file" / "cache" / "index.sqlite"))


def test_a_full_disk_leaves_the_old_index(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    site.feed(FAST)
    path = site.refresh()
    before = path.read_bytes()
    site.note("one", "withdrawal", FAST.digest)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(BuildError, match="No space left"):
        site.refresh()
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["index.sqlite", "index.sqlite.sha256"]


def test_a_reader_of_the_index_cannot_write_to_it(site: TinySite) -> None:
    site.feed(FAST)
    with Index(site.refresh(), site.root / "content" / "records") as index, pytest.raises(sqlite3.OperationalError):
        index.pairs("delete from run")

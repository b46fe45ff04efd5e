"""The form of an edition: what is written is read back, and any other byte is refused with its place."""

import json
from pathlib import Path

import pytest

from leaderpress import editions
from leaderpress.canonical import canonical, sha256
from leaderpress.editions import Edition, Head, Standing
from leaderpress.errors import ContentError, Problems
from leaderpress.log import EMPTY, Checkpoint, LogLine, checkpoint_of
from leaderpress.ranking.rank import Rank, ranking_digest


def digest(letter: str) -> str:
    return "sha256:" + letter * 64


LAST = LogLine(1, "2026-03-04", digest("d"), digest("e"), "BenchmarkRun").text()


def standing(key: str, *runs: tuple[int, str]) -> Standing:
    return Standing(ranking_digest(key, [Rank(run, place, 0, 0) for place, run in runs]), runs)


def edition(**more: object) -> Edition:
    one, two = digest("1"), digest("2")
    rankings = {
        two: standing(two, (1, digest("a")), (1, digest("b")), (2, digest("c"))),
        one: standing(one, (1, digest("f"))),
    }
    facts: dict[str, object] = {
        "published_at": "2026-09-30",
        "checkpoint": checkpoint_of([LAST]),
        "last": LAST[:-1].decode(),
        "groups": 2,
        "runs": 4,
        "note": "Third quarter",
        **more,
    }
    return Edition("2026-q3", Head(**facts), rankings)  # type: ignore[arg-type]


def test_what_is_written_is_read_back() -> None:
    made = edition()
    data = editions.edition_bytes(made)
    assert editions.parse_edition(data, "2026-q3", "e") == made
    assert editions.parse_head(data, "e") == made.head
    assert data == editions.edition_bytes(editions.parse_edition(data, "2026-q3", "e"))


def test_an_edition_without_note_and_log_leaves_both_out() -> None:
    made = edition(note="", checkpoint=EMPTY, last="")
    tree = json.loads(editions.edition_bytes(made))
    assert tree.keys() & {"note", "last"} == set()
    assert editions.parse_edition(editions.edition_bytes(made), "2026-q3", "e") == made


def test_the_seal_is_the_digest_of_the_rest_and_all_is_canonical() -> None:
    data = editions.edition_bytes(edition())
    tree = json.loads(data)
    assert canonical(tree) + b"\n" == data
    seal = tree.pop("seal")
    assert sha256(canonical(tree)) == seal


def test_the_head_can_be_read_alone_whatever_the_note_says() -> None:
    made = edition(note='","rankings":{ is no end')
    data = editions.edition_bytes(made)
    assert editions.parse_head(data, "e").note == '","rankings":{ is no end'


def test_changing_any_one_byte_is_found() -> None:
    data = editions.edition_bytes(edition())
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(ContentError) as caught:
            editions.parse_edition(changed, "2026-q3", "e")
        assert caught.value.at.startswith("e")


BAD_TREES = {
    "another tag": ({"tag": "2026-q4"}, "edition-tag", "e#/tag"),
    "another version": ({"v": 2}, "edition-tag", "e#/tag"),
    "another policy": ({"policy": "ranking-v2"}, "edition-form", "e#/policy"),
    "no day": ({"published_at": "2026-02-30"}, "edition-form", "e#/published_at"),
    "a long note": ({"note": "x" * 1001}, "edition-form", "e#/note"),
    "a note with control characters": ({"note": "a\u0007"}, "edition-form", "e#/note"),
    "no checkpoint": ({"checkpoint": {"lines": -1, "sha256": "0" * 64}}, "edition-form", "e#/checkpoint"),
    "the last line of another place": (
        {"last": LAST.decode().replace("1 2", "2 2", 1)[:-1]},
        "log-number",
        "e#/last:1",
    ),
    "no last line": ({"last": 3}, "edition-form", "e#/last"),
    "other counts": ({"counts": {"groups": 2, "runs": 5}}, "edition-counts", "e#/counts"),
    "counts of nothing": ({"counts": {"groups": 0, "runs": 0}}, "edition-form", "e#/counts"),
    "a rank of nought": (
        {"rankings": {digest("1"): {"ranking": digest("1"), "runs": [[0, digest("a")]]}}},
        "edition-form",
        f"e#/rankings/{digest('1')}",
    ),
    "a ranking with another digest": (
        {"rankings": {digest("1"): {"ranking": digest("1"), "runs": [[1, digest("a")]]}}},
        "edition-ranking",
        f"e#/rankings/{digest('1')}/ranking",
    ),
    "an unknown member": ({"more": 1}, "edition-changed", "e"),
}


@pytest.mark.parametrize("case", BAD_TREES)
def test_a_sealed_file_that_is_no_edition_is_refused_with_its_place(case: str) -> None:
    members, code, at = BAD_TREES[case]
    tree = json.loads(editions.edition_bytes(edition())) | members
    tree.pop("seal")
    data = canonical({**tree, "seal": sha256(canonical(tree))}) + b"\n"
    with pytest.raises(ContentError) as caught:
        editions.parse_edition(data, "2026-q3", "e")
    assert (caught.value.code, caught.value.at) == (code, at)


@pytest.mark.parametrize("tag", ["", "2026", "Q3", "a--b", "-a", "a/b", "..", "index", "con", "x" * 61, "ä"])
def test_a_tag_that_could_not_be_an_address_is_refused(tag: str) -> None:
    assert editions.tag_fault(tag)


def test_an_edition_is_written_once(tmp_path: Path) -> None:
    data = editions.edition_bytes(edition())
    editions.publish(tmp_path, "2026-q3", data)
    assert (tmp_path / "content/editions/2026-q3.json").read_bytes() == data
    with pytest.raises(ContentError, match="already"):
        editions.publish(tmp_path, "2026-q3", data)
    (file,) = editions.edition_files(tmp_path)
    assert (file.tag, file.digest, file.size, file.head) == ("2026-q3", sha256(data), len(data), edition().head)
    assert editions.read(file) == edition()
    assert [path.name for path in (tmp_path / "content/editions").iterdir()] == ["2026-q3.json"]


def test_what_a_killed_writer_left_is_no_edition(tmp_path: Path) -> None:
    editions.publish(tmp_path, "2026-q3", editions.edition_bytes(edition()))
    (tmp_path / "content/editions/.2026-q4.json.incoming").write_bytes(b"{")
    assert [file.tag for file in editions.edition_files(tmp_path)] == ["2026-q3"]


def test_foreign_and_damaged_files_are_named_together(tmp_path: Path) -> None:
    folder = tmp_path / "content" / "editions"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    (folder / "2026-q3.json").write_text("{}")
    (folder / "2026-q4.json").mkdir()
    with pytest.raises(Problems) as caught:
        editions.edition_files(tmp_path)
    assert [(fault.code, fault.at) for fault in caught.value.problems] == [
        ("edition-changed", "content/editions/2026-q3.json"),
        ("edition-foreign", "content/editions/2026-q4.json"),
        ("edition-foreign", "content/editions/notes.txt"),
    ]


def test_a_checkpoint_that_is_no_digest_cannot_be_written() -> None:
    with pytest.raises(ContentError):
        editions.edition_bytes(edition(checkpoint=Checkpoint(1, "short")))

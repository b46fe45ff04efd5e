"""Stamps that stay on disk are those that were saved, or none."""

from pathlib import Path

import pytest

from leaderpress.errors import BuildError
from leaderpress.site import stamps
from leaderpress.site.spans import Spans
from leaderpress.site.stamps import NOTHING, Stamp, Stamps, TreeStamps

ROWS = 20_000
"""More than are read in one go."""


def some(rows: int, start: int = 0) -> Stamps:
    found = Stamps(rows)
    for row in range(rows):
        found[row] = Stamp(2**63 + start + row, row, 0o100644, -row, start + row)
    return found


def all_of(found: Stamps) -> list[Stamp]:
    return [Stamp(*values) for values in zip(*(found.values(column) for column in range(5)), strict=True)]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    live = TreeStamps("one", "a", some(ROWS), some(7, 100))
    stamps.save(str(tmp_path / "stamps"), live, TreeStamps("two", "b", some(9, 500), some(0)))
    return tmp_path / "stamps"


def test_both_trees_are_read_as_they_were_saved_though_the_name_is_gone(saved: Path) -> None:
    live, standby = stamps.load(str(saved))
    saved.unlink()
    assert (live.identity, live.inventory, standby.identity, standby.inventory) == ("one", "a", "two", "b")
    assert all_of(live.files) == all_of(some(ROWS))
    assert all_of(live.folders) == all_of(some(7, 100))
    assert all_of(standby.files) == all_of(some(9, 500))
    assert len(standby.folders) == 0
    assert live.files[8191] == some(ROWS)[8191]
    assert list(live.files.part(1, 8190, 8195)) == [8190, 8191, 8192, 8193, 8194]


def test_what_was_saved_is_saved_again_while_it_is_read(saved: Path) -> None:
    live, standby = stamps.load(str(saved))
    stamps.save(str(saved), standby, live)
    again = stamps.load(str(saved))
    assert all_of(again[0].files) == all_of(standby.files)
    assert all_of(again[1].files) == all_of(live.files)


@pytest.mark.parametrize("place", [0, 30, 100, 5_000, -1])
def test_a_changed_byte_means_that_nothing_is_known(saved: Path, place: int) -> None:
    data = bytearray(saved.read_bytes())
    data[place] ^= 1
    saved.write_bytes(data)
    live, standby = stamps.load(str(saved))
    assert (live.identity, len(live.files), standby.identity, len(standby.files)) == ("", 0, "", 0)


def test_stamps_that_are_cut_while_they_are_read_are_an_error(saved: Path) -> None:
    live, _ = stamps.load(str(saved))
    with saved.open("r+b") as stream:
        stream.truncate(3000)
    with pytest.raises(BuildError, match="shorter"):
        all_of(live.files)


def test_rows_move_and_are_forgotten(saved: Path) -> None:
    live, _ = stamps.load(str(saved))
    spans = Spans()
    spans.add(1, 100, 2)
    spans.add(4, 9000, 1)
    known = some(ROWS)
    assert all_of(live.files.placed(spans, 6)) == [NOTHING, known[100], known[101], NOTHING, known[9000], NOTHING]
    assert all_of(live.folders.without([2])) == [some(7, 100)[row] if row != 2 else NOTHING for row in range(7)]
    assert live.folders[2] != NOTHING

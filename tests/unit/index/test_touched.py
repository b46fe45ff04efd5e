"""Which rows a refresh touched: all that differ, and nothing where that is not known for certain."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from histories import FAST, HISTORIES, SLOW, rows
from tiny_site import Chain, TinySite

from leaderpress.digests import FileDigests
from leaderpress.index import touched as touching
from leaderpress.index import touched_between
from leaderpress.ingest import undo

THIRD = Chain(3, 90, user="Cyd")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def digest(index: Path) -> str:
    return FileDigests().of(index)


def keys(table: str, found: list[tuple[object, ...]], index: Path) -> set[str]:
    database = sqlite3.connect(index)
    columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
    database.close()
    return {str(row[columns.index(touching.KEYS[table])]) for row in found}


@pytest.mark.parametrize("noted", [False, True])
@pytest.mark.parametrize("history", HISTORIES)
def test_every_row_that_differs_was_touched(history: str, noted: bool, site: TinySite, tmp_path: Path) -> None:
    first, *later = HISTORIES[history]
    site.feed(*first, on="2026-03-01")
    before = shutil.copyfile(site.refresh(), tmp_path / "before.sqlite")
    for day, dump in enumerate(later, 2):
        site.feed(*dump, on=f"2026-03-{day:02}")
        if noted:
            site.note(f"n{day}", "withdrawal", first[0].digest)
        index = site.refresh()
    touched = touched_between(index, digest(before), digest(index))
    assert touched is not None
    old, new = rows(before), rows(index)
    for table in touching.KEYS:
        differing = [row for row in (*old[table], *new[table]) if (row in old[table]) is not (row in new[table])]
        assert keys(table, differing, index) <= touched[table], table
    assert {table for table in new if old[table] != new[table]} <= {*touching.KEYS, *WITHOUT_A_PAGE}


WITHOUT_A_PAGE = {"meta", "total", "file", "renaming", "source"}
"""Tables that nothing compares: what they say stands in another one as well."""


def history(site: TinySite) -> tuple[Path, list[str]]:
    """An index that was continued twice, and its digests."""
    digests = []
    for day, chain in enumerate((FAST, SLOW, THIRD), 1):
        site.feed(chain, on=f"2026-03-{day:02}")
        digests.append(digest(site.refresh()))
    return site.refresh(), digests


def test_lists_are_followed_over_several_refreshes(site: TinySite) -> None:
    index, (first, second, third) = history(site)
    far, near, none = (touched_between(index, before, third) for before in (first, second, third))
    assert far is not None
    assert near is not None
    assert none is not None
    assert {SLOW.digest, THIRD.digest} <= far["run"]
    assert SLOW.digest not in near["version"]
    assert not any(none.values())
    assert touched_between(index, first, second) is None
    assert touched_between(index, "0" * 64, third) is None
    assert touched_between(index, "", "") is None


@pytest.mark.parametrize("damage", ["flipped", "cut", "missing", "other version", "other form"])
def test_damaged_lists_are_thrown_away(damage: str, site: TinySite) -> None:
    index, (first, *_, last) = history(site)
    kept = index.with_name(touching.KEPT)
    data = kept.read_bytes()
    if damage == "missing":
        kept.unlink()
    elif damage == "flipped":
        kept.write_bytes(data.replace(SLOW.digest.encode(), FAST.digest.encode(), 1))
    elif damage == "cut":
        kept.write_bytes(data[:-1])
    else:
        body = {**json.loads(data.partition(b"\n")[2]), **({"v": 0} if damage == "other version" else {"steps": [1]})}
        kept.write_bytes(_sealed(json.dumps(body).encode()))
    assert touched_between(index, first, last) is None


def _sealed(body: bytes) -> bytes:
    from hashlib import sha256

    return sha256(body).hexdigest().encode() + b"\n" + body


def test_an_index_that_was_made_anew_has_no_past(site: TinySite) -> None:
    index, (first, second, third) = history(site)
    undo(site.root, unpublished=True)
    again = digest(site.refresh())
    assert [touched_between(index, before, again) for before in (first, second, third)] == [None] * 3


def test_an_index_of_another_history_is_not_taken_for_a_step(site: TinySite, tmp_path: Path) -> None:
    index, (first, second, third) = history(site)
    other = TinySite(tmp_path / "other")
    for day in range(1, 4):
        other.feed(Chain(day + 10, 70 + day, user="Dan"), on=f"2026-03-{day:02}")
        other.refresh()
    shutil.copyfile(other.refresh().with_name(touching.KEPT), index.with_name(touching.KEPT))
    assert [touched_between(index, before, third) for before in (first, second)] == [None, None]


def test_very_many_rows_are_not_listed(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touching, "MOST", 3)
    index, (first, *_, last) = history(site)
    assert touched_between(index, first, last) is None
    assert not index.with_name(touching.KEPT).exists()

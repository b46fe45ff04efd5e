"""Listings that are read from disk answer as dicts and sets of all their paths would."""

import random
from pathlib import Path

import pytest

from leaderpress.errors import BuildError
from leaderpress.inventory import PathSet, folders_of
from leaderpress.site.clashes import check_paths
from leaderpress.site.listing import Listing
from leaderpress.site.published import Digests
from leaderpress.site.spans import Alike, Spans


def made(folder: Path, lines: dict[str, str], name: str = "SHA256SUMS") -> Listing:
    full = folder / name
    full.write_text("".join(f"{lines[path]}  {path}\n" for path in sorted(lines)))
    listing = Listing.open(str(full))
    assert listing is not None
    return listing


def digest(number: int) -> str:
    return f"{number:064x}"


def paths_of(choice: random.Random, count: int, alphabet: str = "ab-.0") -> set[str]:
    """Paths that share many beginnings; none is a folder of another."""
    made: set[str] = set()
    while len(made) < count:
        parts = ["".join(choice.choices(alphabet, k=choice.randint(1, 3))) for _ in range(choice.randint(1, 4))]
        if not {".", ".."}.intersection(parts):
            made.add("/".join(parts))
    return made - folders_of(made)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 700])
def test_every_row_is_found_by_its_path_and_no_other(tmp_path: Path, count: int) -> None:
    choice = random.Random(count)
    lines = {path: digest(number) for number, path in enumerate(paths_of(choice, count))}
    listing, ordered = made(tmp_path, lines), sorted(lines)
    listing.check()
    assert len(listing) == len(ordered)
    assert [path.decode() for path in listing.paths()] == ordered == list(Digests(listing))
    assert [listing.row(path) for path in ordered] == list(range(len(ordered)))
    assert [listing.path(row) for row in range(len(ordered))] == ordered
    assert dict(Digests(listing)) == lines
    for path in paths_of(choice, 60) | {"", "zz", "\udc80", "ü"}:
        assert (listing.row(path) >= 0) == (path in lines) == (path in Digests(listing))
        assert Digests(listing).get(path) == lines.get(path)
    for path in (*ordered, *paths_of(choice, 60), ""):
        assert listing.place(path.encode()) == (sum(other < path for other in ordered), path in lines)


@pytest.mark.parametrize("seed", range(4))
def test_folders_are_those_of_all_paths_each_once_and_before_what_is_in_it(tmp_path: Path, seed: int) -> None:
    lines = dict.fromkeys(paths_of(random.Random(seed), 300), digest(1))
    listing = made(tmp_path, lines)
    folders = [folder.decode() for folder in listing.folders()]
    assert len(folders) == len(set(folders))
    assert set(folders) == folders_of(lines)
    assert folders == sorted(folders, key=lambda folder: folder + "/")
    for folder in folders:
        rows = listing.below(folder.encode())
        assert [listing.path(row) for row in rows] == [path for path in sorted(lines) if path.startswith(folder + "/")]
        own = [path.decode() for _, path in listing.inside(folder.encode())]
        assert own == [path for path in sorted(lines) if path.rpartition("/")[0] == folder]
    assert [path.decode() for _, path in listing.inside(b"")] == [path for path in sorted(lines) if "/" not in path]
    assert not listing.below(b"never")


def test_any_rows_are_read_in_one_piece(tmp_path: Path) -> None:
    listing = made(tmp_path, {f"p/{number:04}": digest(number) for number in range(500)})
    whole = b"".join(listing.text()).splitlines(keepends=True)
    for start, stop in ((0, 0), (0, 500), (3, 3), (15, 17), (16, 32), (130, 499), (499, 500)):
        assert b"".join(listing.text(start, stop)) == b"".join(whole[start:stop])


BAD = {
    "out of order": f"{digest(1)}  b\n{digest(1)}  a\n",
    "twice": f"{digest(1)}  a\n{digest(2)}  a\n",
    "no line feed at the end": f"{digest(1)}  a",
    "an empty line": f"{digest(1)}  a\n\n{digest(1)}  b\n",
    "one space": f"{digest(1)} a\n",
    "capital digits": f"{'A' * 64}  a\n",
    "out of the folder": f"{digest(1)}  ../a\n",
    "absolute": f"{digest(1)}  /a\n",
    "itself": f"{digest(1)}  SHA256SUMS\n",
    "a letter of another alphabet": f"{digest(1)}  ä\n",
}


@pytest.mark.parametrize("case", BAD)
def test_what_we_would_not_write_is_refused(tmp_path: Path, case: str) -> None:
    (tmp_path / "SHA256SUMS").write_text(BAD[case])
    listing = Listing.open(str(tmp_path / "SHA256SUMS"))
    assert listing is not None
    with pytest.raises(BuildError):
        listing.check()


def test_a_listing_stays_what_it_was_when_its_name_goes(tmp_path: Path) -> None:
    listing = made(tmp_path, {"a": digest(1)})
    (tmp_path / "SHA256SUMS").unlink()
    assert list(listing.lines()) == [f"{digest(1)}  a".encode()]
    assert Listing.open(str(tmp_path / "SHA256SUMS")) is None
    (tmp_path / "SHA256SUMS").symlink_to("/etc/hostname")
    assert Listing.open(str(tmp_path / "SHA256SUMS")) is None


def test_a_listing_that_is_cut_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    listing = made(tmp_path, {f"p/{number}": digest(number) for number in range(500)})
    with (tmp_path / "SHA256SUMS").open("r+b") as stream:
        stream.truncate(5000)
    with pytest.raises(BuildError, match="shorter"):
        list(listing.paths())


@pytest.mark.parametrize("seed", range(12))
def test_two_listings_differ_as_their_sets_of_lines_do(tmp_path: Path, seed: int) -> None:
    choice = random.Random(seed)
    before = {path: digest(number) for number, path in enumerate(paths_of(choice, 600))}
    after = dict(before)
    for path in choice.sample(sorted(after), choice.choice([0, 1, 5, 200])):
        after.pop(path) if choice.random() < 0.5 else after.update({path: digest(7_000)})
    after |= {f"{path}-new": digest(8_000) for path in choice.sample(sorted(before), choice.choice([0, 1, 70]))}
    old, new = made(tmp_path, before, "old"), made(tmp_path, after, "new")
    alike = Alike(old, new)
    rows = {path: row for row, path in enumerate(sorted(after))}
    expected = {row: rows[path] for row, path in enumerate(sorted(before)) if after.get(path) == before[path]}
    assert {row: alike.equal.other(row) for row in range(len(before)) if alike.equal.other(row) >= 0} == expected
    assert alike.equal.total == len(expected)
    assert {old.path(row) for row in alike.gone} == before.keys() - after.keys()
    for most in (1, 50, 1000):
        pieces = list(alike.equal.pieces(0, len(before), most))
        assert sum(count for *_, count in pieces) == len(before)
        shared = {row + step: other + step for row, other, count in pieces if other >= 0 for step in range(count)}
        assert shared == expected


def test_rows_that_follow_each_other_are_one_run() -> None:
    spans = Spans()
    for here, there, length in ((0, 5, 2), (2, 7, 3), (5, 11, 1)):
        spans.add(here, there, length)
    assert list(spans) == [(0, 5, 5), (5, 11, 1)]


@pytest.mark.parametrize("seed", range(60))
def test_clashes_are_those_that_a_set_of_all_paths_finds(tmp_path: Path, seed: int) -> None:
    choice = random.Random(seed)
    paths = paths_of(choice, 80, "abc0-.")
    for path in choice.sample(sorted(paths), choice.choice([0, 1, 3])):
        made_up = choice.choice([path.upper(), path.title(), path.rpartition("/")[0], f"{path}/x", path + "B"])
        paths |= {made_up} if made_up else set()
    listing = made(tmp_path, dict.fromkeys(paths, digest(1)))
    known = PathSet()
    fault = None
    try:
        for path in sorted(paths):
            known.add(path)
    except BuildError as found:
        fault = found.code
    for added in (None, [path.encode() for path in sorted(paths)]):
        if fault is None:
            check_paths(listing, added)
            continue
        with pytest.raises(BuildError) as caught:
            check_paths(listing, added)
        assert caught.value.code == fault == "path-clash"


def test_many_folders_are_found_anew_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = dict.fromkeys(paths_of(random.Random(5), 300), digest(1))
    few = list(made(tmp_path, lines).folders())
    monkeypatch.setattr("leaderpress.site.listing._FEW_FOLDERS", 3)
    many = made(tmp_path, lines)
    assert [list(many.folders()), list(many.folders())] == [few, few]

"""A build that holds few records in memory publishes what one that holds all does, and refuses what that refuses."""

import os
import random
import signal
from pathlib import Path

import pytest

from leaderpress.errors import BuildError
from leaderpress.site import spool
from leaderpress.site.output import DirectoryOutput, write_file
from leaderpress.site.spool import Spool

FILES = {f"p/{number % 7}/{number}.html": b"page %d" % number for number in range(100)} | {"index.html": b"home"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "build" / "site"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few records in memory that there are many files of them."""
    monkeypatch.setattr(spool, "LIMIT", 7)


def publish(root: Path, files: dict[str, bytes], reuse: tuple[str, ...] = ()) -> None:
    with DirectoryOutput(root) as output:
        for path, data in files.items():
            output.record(path, *write_file(output.tree, path, data))
        for path in reuse:
            assert output.reuse(path)
        output.commit({})


def files_of(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def private(root: Path) -> list[str]:
    return sorted(path.name for path in root.parent.iterdir() if "fresh" in path.name)


def spooled(tmp_path: Path, paths: list[str], limit: int = 7) -> Spool:
    records = Spool(lambda: str(tmp_path), limit)
    for path in paths:
        records.add(path, len(path), "0" * 64)
    return records


# -- the spool itself --------------------------------------------------------------------------------------------------


def test_records_come_in_the_order_of_their_paths_however_many_files_they_are_in(tmp_path: Path) -> None:
    paths = [f"{name}{end}" for name in ("a", "a-b", "a/b", "a.b", "ab", "B", "_") for end in ("", "0", "-", "/x")]
    random.Random(3).shuffle(paths)
    records = spooled(tmp_path, paths)
    assert len(list(tmp_path.iterdir())) == len(paths) // 7
    assert [record.path.decode() for record in records] == sorted(paths)
    assert [record.size for record in records] == [len(path) for path in sorted(paths)]
    assert len(records) == len(paths)


def test_what_is_added_meanwhile_comes_the_next_time(tmp_path: Path) -> None:
    records = spooled(tmp_path, list("edcba"))
    before = iter(records)
    first = next(before).path
    for name in "0123456789":
        records.add(name, 1, "0" * 64)
    assert [first, *(record.path for record in before)] == [b"a", b"b", b"c", b"d", b"e"]
    assert len(list(records)) == 15


def cut(data: bytes) -> bytes:
    return data[: data.index(b"\n") + 1]


def torn(data: bytes) -> bytes:
    return data[:-5]


def flipped(data: bytes) -> bytes:
    return data[:-2] + bytes([data[-2] ^ 1]) + b"\n"


@pytest.mark.parametrize("harm", [cut, torn, flipped, lambda _: b"", lambda data: data + data])
def test_a_file_of_records_that_is_not_as_it_was_written_is_an_error(tmp_path: Path, harm) -> None:
    records = spooled(tmp_path, list("abcdefghijklmnop"))
    (victim, *_) = sorted(tmp_path.iterdir())
    victim.write_bytes(harm(victim.read_bytes()))
    with pytest.raises(BuildError) as caught:
        list(records)
    assert (caught.value.code, caught.value.at) == ("spool-damaged", str(victim))


def test_a_file_of_records_that_is_gone_is_an_error(tmp_path: Path) -> None:
    records = spooled(tmp_path, list("abcdefghijklmnop"))
    next(tmp_path.iterdir()).unlink()
    with pytest.raises(BuildError, match="cannot read"):
        list(records)


# -- builds with a small one -------------------------------------------------------------------------------------------


def test_the_site_is_the_same_with_few_records_in_memory(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = {path: data + b"!" for path, data in FILES.items() if "3" in path} | {"new/x.html": b"x"}
    same = tuple(path for path in FILES if path not in edited and not path.endswith("5.html"))
    other = tmp_path / "other" / "site"
    for folder, limit in ((other, 1 << 16), (root, 7)):
        monkeypatch.setattr(spool, "LIMIT", limit)
        publish(folder, FILES)
        if folder is root:
            assert files_of(root).keys() == {*FILES, "SHA256SUMS", "inventory.json"}
        publish(folder, edited, same)
        publish(folder, {"index.html": b"again"}, tuple(path for path in (*edited, *same) if path != "index.html"))
    assert files_of(root) == files_of(other)
    assert private(root) == []


@pytest.mark.usefixtures("few")
def test_sizes_are_those_of_this_moment_in_order(root: Path) -> None:
    publish(root, FILES)
    with DirectoryOutput(root) as output:
        assert list(output.reuse_all(but=["p/1/1.html"])) == []
        output.write("p/1/1.html", b"longer than before")
        sizes = output.sizes()
        output.write("z.html", b"later")
        expected = {path: len(data) for path, data in FILES.items()} | {"p/1/1.html": 18}
        assert list(sizes) == sorted(expected.items())


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("a.html", "a.html", "path-twice"),
        ("a.html", "A.html", "path-clash"),
        ("a", "a/b.html", "path-clash"),
        ("A", "a/b.html", "path-clash"),
        ("x/a/b.html", "X/c.html", "path-clash"),
        ("x/A/b.html", "x/a/c.html", "path-clash"),
    ],
)
@pytest.mark.parametrize("published", [False, True])
def test_paths_that_clash_are_found_across_files_of_records(
    root: Path, first: str, second: str, code: str, published: bool
) -> None:
    if published:
        publish(root, {"b.html": b"before"})
    before = files_of(root)
    with DirectoryOutput(root) as output:
        for path in (first, *FILES, second):
            output.record(path, 0, "0" * 64)
        with pytest.raises(BuildError) as caught:
            output.commit({})
    assert caught.value.code == code
    assert files_of(root) == before
    assert private(root) == []


@pytest.mark.usefixtures("few")
def test_a_path_that_is_recorded_and_taken_over_is_refused(root: Path) -> None:
    publish(root, FILES)
    before = files_of(root)
    with DirectoryOutput(root) as output:
        list(output.reuse_all(but=[]))
        output.record("p/1/1.html", *write_file(output.tree, "p/1/1.html", b"x"))
        with pytest.raises(BuildError) as caught:
            output.commit({})
    assert (caught.value.code, caught.value.at) == ("path-twice", "p/1/1.html")
    assert files_of(root) == before


@pytest.mark.usefixtures("few")
def test_a_damaged_file_of_records_leaves_the_old_site(root: Path) -> None:
    publish(root, FILES)
    before = files_of(root)
    with DirectoryOutput(root) as output:
        for path in FILES:
            output.record(path, *write_file(output.tree, path, b"new"))
        victim = next(root.parent.glob(".site-fresh-*/run-3"))
        victim.write_bytes(flipped(victim.read_bytes()))
        with pytest.raises(BuildError) as caught:
            output.commit({})
    assert caught.value.code == "spool-damaged"
    assert files_of(root) == before
    assert private(root) == []


@pytest.mark.usefixtures("few")
def test_a_kill_while_records_wait_leaves_the_old_site_and_the_next_build_tidies_up(root: Path) -> None:
    publish(root, FILES)
    before = files_of(root)
    process = os.fork()
    if process == 0:
        output = DirectoryOutput(root)
        for path in FILES:
            output.record(path, *write_file(output.tree, path, b"never published"))
        list(output.dropped())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(process, 0)
    assert files_of(root) == before
    assert len(private(root)) == 2
    publish(root, {**FILES, "index.html": b"after"})
    assert files_of(root).keys() == before.keys()
    assert private(root) == []

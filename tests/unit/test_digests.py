"""Digests that are kept: when a file is not read again, and that no change of it is overlooked."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from leaderpress import digests
from leaderpress.digests import KEPT, FileDigests


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files for old at once."""
    monkeypatch.setattr(digests, "TICK", 0)
    monkeypatch.setattr(digests, "OTHER_CLOCK", 0)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are read through."""
    seen: list[str] = []
    real = hashlib.file_digest

    def spy(stream: object, name: str) -> object:
        seen.append(Path(stream.name).name)  # type: ignore[attr-defined]
        return real(stream, name)  # type: ignore[arg-type]

    monkeypatch.setattr(hashlib, "file_digest", spy)
    return seen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    (tmp_path / "cache").mkdir()
    return path


def known(file: Path) -> FileDigests:
    return FileDigests(file.parent / "cache")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def remembered(file: Path) -> None:
    """Have the next command know the file."""
    first = known(file)
    assert first.of(file) == sha256(file.read_bytes())
    first.keep()


@pytest.mark.usefixtures("settled")
def test_a_file_is_read_once_as_long_as_it_is_as_it_was(file: Path, read: list[str]) -> None:
    remembered(file)
    assert known(file).of(file) == known(file).of(str(file)) == sha256(b"one")
    assert read == ["file"]


def test_without_a_cache_nothing_is_taken_on_trust(file: Path, read: list[str]) -> None:
    without = FileDigests()
    assert without.of(file) == without.of(file) == sha256(b"one")
    without.keep()
    assert read == ["file", "file"]


def test_a_file_that_was_written_just_now_is_read_again(file: Path, read: list[str]) -> None:
    file.write_bytes(b"two")
    remembered(file)
    known(file).of(file)
    assert read == ["file", "file"]


def _in_place(file: Path) -> None:
    """Another byte, with the same size and time of modification."""
    before = file.stat()
    with file.open("r+b") as stream:
        stream.write(b"O")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"two")
    before = file.stat()
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, file)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", [_in_place, _replaced])
def test_a_change_that_keeps_size_and_time_is_noticed(change: object, file: Path) -> None:
    remembered(file)
    change(file)  # type: ignore[operator]
    assert known(file).of(file) == sha256(file.read_bytes()) != sha256(b"one")


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("damage", ["flipped", "cut", "missing", "other version", "other form"])
def test_a_damaged_cache_is_thrown_away(damage: str, file: Path, read: list[str]) -> None:
    remembered(file)
    kept = file.parent / "cache" / KEPT
    data = kept.read_bytes()
    if damage == "missing":
        kept.unlink()
    elif damage == "flipped":
        place = data.index(sha256(b"one").encode())
        kept.write_bytes(data[:place] + (b"0" if data[place : place + 1] != b"0" else b"1") + data[place + 1 :])
    elif damage == "cut":
        kept.write_bytes(data[:-9])
    else:
        body = {**json.loads(data.partition(b"\n")[2]), **({"v": 0} if damage == "other version" else {"files": [1]})}
        text = json.dumps(body).encode()
        kept.write_bytes(sha256(text).encode() + b"\n" + text)
    assert known(file).of(file) == sha256(b"one")
    assert read == ["file", "file"]


def test_what_was_just_written_is_taken_from_its_writer(file: Path, read: list[str]) -> None:
    first = known(file)
    first.note(file, sha256(b"one"))
    first.keep()
    assert known(file).of(file) == sha256(b"one")
    assert read == []


def test_a_file_stays_known_while_names_of_it_come_and_go(file: Path, read: list[str]) -> None:
    first, second = known(file), file.with_name("second")
    first.note(file, sha256(b"one"))
    with first.renaming(file, second):
        os.link(file, second)
    with first.renaming(file):
        file.unlink()
    first.keep()
    assert known(file).of(second) == sha256(b"one")
    assert read == []


def test_another_file_under_a_new_name_is_not_taken_for_the_old_one(file: Path) -> None:
    first, second = known(file), file.with_name("second")
    first.note(file, sha256(b"one"))
    with first.renaming(file, second):
        second.write_bytes(b"two")
    assert first.of(second) == sha256(b"two")


def test_a_change_under_a_new_name_is_noticed(file: Path) -> None:
    first = known(file)
    first.note(file, sha256(b"one"))
    with first.renaming(file):
        file.write_bytes(b"one and two")
    assert first.of(file) == sha256(b"one and two")


def test_a_cache_that_cannot_be_written_costs_time_only(file: Path) -> None:
    nowhere = FileDigests(file.parent / "no" / "cache")
    assert nowhere.of(file) == sha256(b"one")
    nowhere.keep()
    with pytest.raises(OSError, match="No such file"):
        nowhere.of(file.with_name("missing"))

"""What was known of the files and folders of two trees, in one private file beside the output folder.

A stamp is the inode, size, mode and times of a file or a folder: while it has that stamp, it holds what it held.  The
file can be missing or thrown away, never wrong: it carries its own checksum and the identity of both trees, and what
was looked at so shortly after it changed that its time could not tell a further change has no stamp (`settled`).
"""

import hashlib
import json
import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from .tree import CREATE

_MAGIC = f"leaderpress-stamps-2 {sys.byteorder} ".encode()
_CLOCK_STEP = 20_000_000
"""ns; file times advance by the kernel's tick, at most 10 ms on Linux; two ticks, to be safe."""
_TYPES = "QQIqq"


class Stamp(NamedTuple):
    """Equal stamps, equal content, if it was settled; times in ns, all zeros where nothing is known."""

    inode: int
    size: int
    mode: int
    modified: int
    changed: int


class Stamps:
    """Stamps by row, kept in columns: a large site has millions."""

    __slots__ = ("columns",)

    def __init__(self, rows: int = 0) -> None:
        self.columns = tuple(array(kind, bytes(rows * array(kind).itemsize)) for kind in _TYPES)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, row: int) -> Stamp:
        return Stamp(*(column[row] for column in self.columns))

    def __setitem__(self, row: int, stamp: Stamp) -> None:
        for column, value in zip(self.columns, stamp, strict=True):
            column[row] = value

    def without(self, rows: Iterable[int]) -> "Stamps":
        """A copy in which nothing is known of some rows."""
        other = Stamps()
        other.columns = tuple(column[:] for column in self.columns)
        for row in rows:
            other[row] = NOTHING
        return other

    def pick(self, rows: Sequence[int]) -> "Stamps":
        """The stamps of these rows, nothing for -1."""
        other = Stamps()
        other.columns = tuple(
            array(column.typecode, [column[row] if row >= 0 else 0 for row in rows]) for column in self.columns
        )
        return other

    def write(self) -> bytes:
        """All columns as bytes, see `read`."""
        return b"".join(column.tobytes() for column in self.columns)

    @classmethod
    def read(cls, data: memoryview, rows: int) -> tuple["Stamps", memoryview]:
        """What `write` gave for this number of rows, and what follows it; raises `ValueError`."""
        found = cls()
        for column in found.columns:
            column.frombytes(data[: rows * column.itemsize])
            data = data[rows * column.itemsize :]
        if {len(column) for column in found.columns} != {rows}:
            raise ValueError("too short")
        return found, data


NOTHING = Stamp(0, 0, 0, 0, 0)


@dataclass(slots=True)
class TreeStamps:
    """What is known of one tree; `identity` ties it to one folder on disk with one `SHA256SUMS`."""

    identity: str = ""
    inventory: str = ""
    """SHA-256 (hex) of its `inventory.json`."""
    files: Stamps = field(default_factory=Stamps)
    """By line of its `SHA256SUMS`."""
    folders: Sequence[str] = ()
    """Folders that hold nothing but what is listed, without the root."""
    folder_stamps: Stamps = field(default_factory=Stamps)


def stamp(status: os.stat_result) -> Stamp:
    """The stamp of a file or folder."""
    return Stamp(status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def differing(folder: int, paths: Sequence[str], known: Stamps) -> Iterator[tuple[int, os.stat_result | None]]:
    """(row, status) of each path below the open `folder` that does not have its stamp; None where nothing is there."""
    stat = os.stat
    for row, (path, inode, size, mode, modified, changed) in enumerate(zip(paths, *known.columns, strict=True)):
        try:
            status = stat(path, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            yield row, None
            continue
        if (
            status.st_ctime_ns != changed
            or status.st_ino != inode
            or status.st_size != size
            or status.st_mtime_ns != modified
            or status.st_mode != mode
        ):
            yield row, status


def identity_of(root: str, sums: bytes) -> str:
    """What the stamps of a tree are valid for: this folder (device and inode), holding these `SHA256SUMS`."""
    try:
        status = os.lstat(root)
    except OSError:
        return ""
    return f"{status.st_dev}-{status.st_ino}-{hashlib.sha256(sums).hexdigest()}"


def settled(lock: str) -> int:
    """The file system's clock now, in ns, less the step of its times.

    What changed before that cannot change any more without its times showing it.  The clock is read by touching the
    lock file, because only the file system's own clock compares with the times of its files.  Raises `OSError`.
    """
    os.utime(lock)
    return os.lstat(lock).st_mtime_ns - _CLOCK_STEP


def save(full: str, live: TreeStamps, standby: TreeStamps) -> None:
    """Write what is known of both trees anew.  A failure is not an error: the next build then reads files instead."""
    payload = b"".join(part for tree in (live, standby) for part in _section(tree))
    with suppress(OSError):
        forget(full)
        with open(os.open(full, CREATE, 0o644), "wb") as stream:
            stream.write(_MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n")
            stream.write(payload)


def load(full: str) -> tuple[TreeStamps, TreeStamps]:
    """What is known of the live and the standby tree: nothing where the file is missing, torn or altered."""
    try:
        with open(full, "rb") as stream:
            head, payload = stream.readline(200), stream.read()
    except OSError:
        return TreeStamps(), TreeStamps()
    if head != _MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n":
        return TreeStamps(), TreeStamps()
    live, rest = _read_section(memoryview(payload))
    return live, _read_section(rest)[0]


def forget(full: str) -> None:
    """Throw the stamps away, before anything that they speak of changes."""
    with suppress(FileNotFoundError):
        os.unlink(full)


_HEAD = 1024


def _section(tree: TreeStamps) -> Iterator[bytes]:
    names = "\n".join(tree.folders).encode("ascii")
    head = [tree.identity, tree.inventory, len(tree.files), len(tree.folders), len(names)]
    yield json.dumps(head).encode("ascii").ljust(_HEAD)
    yield tree.files.write()
    yield tree.folder_stamps.write()
    yield names


def _read_section(data: memoryview) -> tuple[TreeStamps, memoryview]:
    identity, inventory, files, folders, length = json.loads(bytes(data[:_HEAD]))
    stamps, data = Stamps.read(data[_HEAD:], files)
    folder_stamps, data = Stamps.read(data, folders)
    names = bytes(data[:length]).decode("ascii")
    return TreeStamps(identity, inventory, stamps, names.split("\n") if folders else (), folder_stamps), data[length:]

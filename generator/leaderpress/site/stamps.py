"""What was known of the files and folders of two trees, in one private file beside the output folder.

A stamp is the inode, size, mode and times of a file or a folder: while it has that stamp, it holds what it held.  The
file can be missing or thrown away, never wrong: it carries its own checksum and the identity of both trees, and what
was looked at so shortly after it changed that its time could not tell a further change has no stamp (`settled`).
"""

import hashlib
import json
import os
import sys
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from ..errors import BuildError
from .spans import Spans
from .tree import CREATE, READ

_MAGIC = f"leaderpress-stamps-3 {sys.byteorder} ".encode()
_CLOCK_STEP = 20_000_000
"""ns; file times advance by the kernel's tick, at most 10 ms on Linux; two ticks, to be safe."""
_TYPES = "QQIqq"
_PART = 8192
"""Values that are read in one go."""
_CHUNK = 1 << 18


class Stamp(NamedTuple):
    """Equal stamps, equal content, if it was settled; times in ns, all zeros where nothing is known."""

    inode: int
    size: int
    mode: int
    modified: int
    changed: int


class _File:
    """A file that is open as long as anything reads from it, whatever becomes of its name."""

    def __init__(self, full: str) -> None:
        self.descriptor = os.open(full, READ)
        weakref.finalize(self, os.close, self.descriptor)


class _Stored:
    """A column in a file, read when it is asked for; slices are arrays."""

    __slots__ = ("_file", "_length", "_start", "typecode")

    def __init__(self, file: _File, start: int, length: int, typecode: str) -> None:
        self._file = file
        self._start = start
        self._length = length
        self.typecode = typecode

    def __len__(self) -> int:
        return self._length

    def part(self, start: int, stop: int) -> "array[int]":
        """The values of some rows; raises `OSError`, and `BuildError` where the file got shorter meanwhile."""
        found = array(self.typecode)
        size = found.itemsize
        values = os.pread(self._file.descriptor, (stop - start) * size, self._start + start * size)
        if len(values) != (stop - start) * size:
            raise BuildError("stamps-cut", "a private file of the output folder got shorter while it was read")
        found.frombytes(values)
        return found


class Stamps:
    """Stamps by row, kept in columns: a large site has millions, so that those of the last build stay on disk."""

    __slots__ = ("columns",)

    def __init__(self, rows: int = 0) -> None:
        self.columns: tuple[array[int] | _Stored, ...] = tuple(
            array(kind, bytes(rows * array(kind).itemsize)) for kind in _TYPES
        )

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, row: int) -> Stamp:
        return Stamp(*(self.part(column, row, row + 1)[0] for column in range(len(_TYPES))))

    def __setitem__(self, row: int, stamp: Stamp) -> None:
        """Only where the columns are held, as in a new one or a `copy`."""
        for column, value in zip(self.columns, stamp, strict=True):
            column[row] = value  # type: ignore[index]

    def part(self, column: int, start: int = 0, stop: int | None = None) -> "array[int]":
        """Values of one column, 0 being the inode, in the order of `Stamp`."""
        values = self.columns[column]
        stop = len(values) if stop is None else stop
        return values.part(start, stop) if isinstance(values, _Stored) else values[start:stop]

    def values(self, column: int) -> Iterator[int]:
        """All values of one column, of which few are held at a time."""
        starts = range(0, len(self), _PART)
        return chain.from_iterable(self.part(column, start, min(start + _PART, len(self))) for start in starts)

    def copy(self) -> "Stamps":
        """The same, held in memory, so that it can be changed."""
        return self.placed([(0, 0, len(self))], len(self))

    def without(self, rows: Iterable[int]) -> "Stamps":
        """A copy in which nothing is known of some rows."""
        other = self.copy()
        for row in rows:
            other[row] = NOTHING
        return other

    def placed(self, spans: Sequence[tuple[int, int, int]] | Spans, rows: int) -> "Stamps":
        """`rows` stamps, held: those of `spans` (row there, row of this one, how many), nothing for the others."""
        other = Stamps(rows)
        for column, values in enumerate(other.columns):
            # Read in one piece, because there may be as many spans as files; one column at a time is held twice.
            own = self.part(column)
            for there, here, length in spans:
                values[there : there + length] = own[here : here + length]  # type: ignore[index]
        return other

    def parts(self) -> Iterator[bytes]:
        """All columns as bytes, one after the other, in pieces."""
        for column in range(len(_TYPES)):
            for start in range(0, len(self), _PART):
                yield self.part(column, start, min(start + _PART, len(self))).tobytes()

    @classmethod
    def stored(cls, file: _File, start: int, rows: int) -> tuple["Stamps", int]:
        """What `parts` gave for this number of rows, from some place of a file on, and what place follows it."""
        columns: list[_Stored] = []
        for kind in _TYPES:
            columns.append(_Stored(file, start, rows, kind))
            start += rows * array(kind).itemsize
        found = cls()
        found.columns = tuple(columns)
        return found, start


NOTHING = Stamp(0, 0, 0, 0, 0)


@dataclass(slots=True)
class TreeStamps:
    """What is known of one tree; `identity` ties it to one folder on disk with one `SHA256SUMS`."""

    identity: str = ""
    inventory: str = ""
    """SHA-256 (hex) of its `inventory.json`."""
    files: Stamps = field(default_factory=Stamps)
    """By line of its `SHA256SUMS`."""
    folders: Stamps = field(default_factory=Stamps)
    """By the order of `Listing.folders`; of those that hold nothing but what is listed."""


def stamp(status: os.stat_result) -> Stamp:
    """The stamp of a file or folder."""
    return Stamp(status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)


def differing(folder: int, paths: Iterable[bytes], known: Stamps) -> Iterator[tuple[int, bytes, os.stat_result | None]]:
    """(row, path, status) of each path below the open `folder` without its stamp; None where nothing is there."""
    stat = os.stat
    columns = (known.values(column) for column in range(len(_TYPES)))
    for row, (path, inode, size, mode, modified, changed) in enumerate(zip(paths, *columns, strict=True)):
        try:
            status = stat(path, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            yield row, path, None
            continue
        if (
            status.st_ctime_ns != changed
            or status.st_ino != inode
            or status.st_size != size
            or status.st_mtime_ns != modified
            or status.st_mode != mode
        ):
            yield row, path, status


def identity_of(root: str, digest: str) -> str:
    """What the stamps of a tree are valid for: this folder (device and inode), and its `SHA256SUMS` by its digest."""
    try:
        status = os.lstat(root)
    except OSError:
        return ""
    return f"{status.st_dev}-{status.st_ino}-{digest}"


def settled(lock: str) -> int:
    """The file system's clock now, in ns, less the step of its times.

    What changed before that cannot change any more without its times showing it.  The clock is read by touching the
    lock file, because only the file system's own clock compares with the times of its files.  Raises `OSError`.
    """
    os.utime(lock)
    return os.lstat(lock).st_mtime_ns - _CLOCK_STEP


def save(full: str, live: TreeStamps, standby: TreeStamps) -> None:
    """Write what is known of both trees anew.  A failure is not an error: the next build then reads files instead."""
    with suppress(OSError):
        forget(full)
        with open(os.open(full, CREATE, 0o644), "wb") as stream:
            stream.write(_MAGIC + b"0" * 64 + b"\n")
            hasher = hashlib.sha256()
            for part in chain(_section(live), _section(standby)):
                hasher.update(part)
                stream.write(part)
            # Until now the checksum is wrong, so that a file that was not written to its end is not believed.
            stream.seek(len(_MAGIC))
            stream.write(hasher.hexdigest().encode())


def load(full: str) -> tuple[TreeStamps, TreeStamps]:
    """What is known of the live and the standby tree: nothing where the file is missing, torn or altered."""
    try:
        file = _File(full)
        start = len(_MAGIC) + 65
        if os.pread(file.descriptor, start, 0) != _MAGIC + _digest(file, start) + b"\n":
            return TreeStamps(), TreeStamps()
        live, start = _read_section(file, start)
        return live, _read_section(file, start)[0]
    except OSError:
        return TreeStamps(), TreeStamps()


def forget(full: str) -> None:
    """Throw the stamps away, before anything that they speak of changes; who has them open can still read them."""
    with suppress(FileNotFoundError):
        os.unlink(full)


def _digest(file: _File, start: int) -> bytes:
    """The checksum of all that follows the first line."""
    hasher = hashlib.sha256()
    while chunk := os.pread(file.descriptor, _CHUNK, start):
        hasher.update(chunk)
        start += len(chunk)
    return hasher.hexdigest().encode()


_HEAD = 1024


def _section(tree: TreeStamps) -> Iterator[bytes]:
    yield json.dumps([tree.identity, tree.inventory, len(tree.files), len(tree.folders)]).encode("ascii").ljust(_HEAD)
    yield from tree.files.parts()
    yield from tree.folders.parts()


def _read_section(file: _File, start: int) -> tuple[TreeStamps, int]:
    identity, inventory, rows, folders = json.loads(os.pread(file.descriptor, _HEAD, start))
    files, start = Stamps.stored(file, start + _HEAD, rows)
    folder_stamps, start = Stamps.stored(file, start, folders)
    return TreeStamps(identity, inventory, files, folder_stamps), start

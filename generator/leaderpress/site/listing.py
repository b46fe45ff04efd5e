"""A `SHA256SUMS` on disk, read by rows: a large site has millions of lines, and none of them is held.

Lines stand in the order of the bytes of their paths.  Every 16th is remembered by its place, so that any other is
found with one short read.
"""

import hashlib
import os
import re
import weakref
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, compress, islice

from ..errors import BuildError
from ..inventory import RESERVED, SUMS, check_path
from .tree import READ

STEP = 16
"""Lines of a block."""
_CHUNK = 1 << 18
"""Bytes that are read in one go."""
_DIGITS = 66
"""Bytes of a line before the path: the digest and two spaces."""
_LINE = re.compile(rb"[0-9a-f]{64}  [A-Za-z0-9._/-]+")
_PATHS = re.compile(rb"  (.*)\n")
_FEW_FOLDERS = 20_000
"""Folders that are held, because they are asked for a few times; more are found anew each time."""
_BETWEEN = 16
"""Rows that are passed over as fast as one is found."""
_CAPITAL = re.compile(rb"[A-Z]")


class Listing:
    """The lines `<64 hex>  <path>` of one file, by row.  It stays open: whatever becomes of its name, it is the same.

    Reading raises `OSError`, and `BuildError` where the file got shorter meanwhile.
    """

    def __init__(self, descriptor: int = -1, rows: int = 0, size: int = 0, digest: str = "") -> None:
        self._descriptor = descriptor
        self._rows = rows
        self.size = size
        """Bytes of the file."""
        self.digest = digest
        """SHA-256 (hex) of the file."""
        self._held = -1, b""
        self._split: list[bytes] = []
        self._few: list[bytes] | None = None
        if descriptor >= 0:
            weakref.finalize(self, os.close, descriptor)

    @classmethod
    def open(cls, full: str) -> "Listing | None":
        """Open a file that nobody changes; None where it is a link or cannot be read."""
        try:
            descriptor = os.open(full, READ)
        except OSError:
            return None
        hasher, rows, size = hashlib.sha256(), 0, 0
        try:
            while chunk := os.pread(descriptor, _CHUNK, size):
                hasher.update(chunk)
                rows += chunk.count(b"\n")
                size += len(chunk)
        except OSError:
            os.close(descriptor)
            return None
        return cls(descriptor, rows, size, hasher.hexdigest())

    @classmethod
    def written(cls, full: str, rows: int, size: int, digest: str) -> "Listing":
        """Open what was just written, of which all this is known; raises `OSError`."""
        return cls(os.open(full, READ), rows, size, digest)

    def __len__(self) -> int:
        return self._rows

    def check(self) -> None:
        """Raise `BuildError` unless every line is as we write it, in order, and none stands twice."""
        before, number = b"", 0
        for number, line in enumerate(self.lines(), 1):
            path = line[_DIGITS:]
            if not _LINE.fullmatch(line) or path <= before:
                raise _invalid(number)
            check_path(path.decode("ascii"))
            before = path
        if number != self._rows or any(self.row(path) >= 0 for path in RESERVED):
            raise _invalid(number + 1)

    # -- in order ------------------------------------------------------------------------------------------------------

    def lines(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Lines without their line feeds."""
        return chain.from_iterable(text[:-1].split(b"\n") for text in self.text(start, stop))

    def paths(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """The paths of some rows."""
        return chain.from_iterable(map(_PATHS.findall, self.text(start, stop)))

    def chosen(self, flags: bytearray) -> Iterator[tuple[int, bytes]]:
        """(row, path) of the rows whose flag is 1; the others have 0."""
        if flags.count(1) * _BETWEEN > len(flags):
            return compress(enumerate(self.paths()), flags)
        return ((row, self.line(row)[_DIGITS:]) for row in rows_of(flags, 1))

    def text(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """The bytes of some rows in pieces, each of whole lines."""
        begin = self.offset(start) if start else 0
        end = self.size if stop is None or stop >= self._rows else self.offset(stop)
        rest = b""
        while begin < end:
            chunk = self._bytes(begin, min(_CHUNK, end - begin))
            begin += len(chunk)
            whole, feed, tail = (rest + chunk).rpartition(b"\n")
            rest = tail
            if feed:
                yield whole + feed
        if rest:
            yield rest + b"\n"

    def folders(self) -> Iterator[bytes]:
        """Every folder that the paths need, without the root and final slashes; each before what is in it."""
        if self._few is None:
            found = list(islice(self._folders(), _FEW_FOLDERS + 1))
            self._few = found if len(found) <= _FEW_FOLDERS else []
        return iter(self._few) if self._few else self._folders()

    def _folders(self) -> Iterator[bytes]:
        # All paths in a folder stand together, so that a folder is new where the path before was not in it.
        before = b""
        for text in self.text():
            for inside in dict.fromkeys([path[: path.rfind(b"/") + 1] for path in _PATHS.findall(text)]):
                if before.startswith(inside):
                    continue
                if before.startswith(inside[: inside.rfind(b"/", 0, -1) + 1]):
                    yield inside[:-1]
                else:
                    yield from _new_folders(inside, before)
                before = inside

    def capitals(self) -> list[bytes]:
        """The paths that have capital letters: few, and all that can differ in case from another."""
        found: list[bytes] = []
        for text in self.text():
            if not text.islower():
                found += [line[_DIGITS:] for line in text[:-1].split(b"\n") if _CAPITAL.search(line)]
        return found

    # -- by path -------------------------------------------------------------------------------------------------------

    def row(self, path: str | bytes) -> int:
        """The row of a path, -1 where it is not listed."""
        row, listed = self.place(path.encode("utf-8", "surrogatepass") if isinstance(path, str) else path)
        return row if listed else -1

    def digest_of(self, path: str) -> str | None:
        """SHA-256 (hex) of a path, None where it is not listed."""
        row = self.row(path)
        return self.line(row)[:64].decode("ascii") if row >= 0 else None

    def place(self, path: bytes) -> tuple[int, bool]:
        """How many rows come before a path, and whether it is listed."""
        number = self._block_of(path)
        if number < 0:
            return 0, False
        lines = self._lines_of(number)
        at = bisect_left(lines, path, key=_path_of)
        return number * STEP + at, at < len(lines) and lines[at][_DIGITS:] == path

    def below(self, folder: bytes) -> range:
        """The rows of all paths in a folder; empty where no path is in it."""
        # "0" is what follows "/" in ASCII.
        return range(self.place(folder + b"/")[0], self.place(folder + b"0")[0])

    def inside(self, folder: bytes) -> Iterator[tuple[int, bytes]]:
        """(row, path) of the files that stand in a folder itself, the empty one being the root."""
        rows = self.below(folder) if folder else range(self._rows)
        length = len(folder) if folder else -1
        for row, path in zip(rows, self.paths(rows.start, rows.stop), strict=True):
            if path.rfind(b"/") == length:
                yield row, path

    # -- by row --------------------------------------------------------------------------------------------------------

    def line(self, row: int) -> bytes:
        """One line without its line feed."""
        return self._lines_of(row // STEP)[row % STEP]

    def path(self, row: int) -> str:
        """The path of a row."""
        return self.line(row)[_DIGITS:].decode("ascii")

    def offset(self, row: int) -> int:
        """Where a row begins; the end of the file for the row after the last."""
        if row >= self._rows:
            return self.size
        number, rest = divmod(row, STEP)
        return self._starts[number] + (sum(map(len, self._lines_of(number)[:rest])) + rest if rest else 0)

    def piece(self, begin: int, length: int) -> bytes:
        """Bytes from some place of the file on, fewer at its end."""
        return os.pread(self._descriptor, length, begin)

    def first(self, row: int) -> bytes:
        """The path of a row that begins a block."""
        return self._firsts[row // STEP]

    @cached_property
    def _index(self) -> "tuple[list[bytes], array[int]]":
        firsts: list[bytes] = []
        starts = array("q")
        row = begin = 0
        for text in self.text():
            lines = text[:-1].split(b"\n")
            ahead = -row % STEP
            marks = range(ahead, len(lines), STEP)
            firsts += [lines[at][_DIGITS:] for at in marks]
            place, last = begin, 0
            for at in marks:
                place += sum(map(len, lines[last:at])) + at - last
                last = at
                starts.append(place)
            row += len(lines)
            begin += len(text)
        return firsts, starts

    @property
    def _firsts(self) -> list[bytes]:
        return self._index[0]

    @property
    def _starts(self) -> "array[int]":
        return self._index[1]

    def _block_of(self, path: bytes) -> int:
        """The block in which a path stands if it is listed; -1 where it comes before all."""
        return bisect_right(self._firsts, path) - 1

    def _block(self, number: int) -> bytes:
        if self._held[0] != number:
            starts = self._starts
            end = starts[number + 1] if number + 1 < len(starts) else self.size
            self._held = number, self._bytes(starts[number], end - starts[number])
            self._split = []
        return self._held[1]

    def _lines_of(self, number: int) -> list[bytes]:
        block = self._block(number)
        if not self._split:
            self._split = block[:-1].split(b"\n")
        return self._split

    def _bytes(self, begin: int, length: int) -> bytes:
        found = os.pread(self._descriptor, length, begin)
        while len(found) < length:
            more = os.pread(self._descriptor, length - len(found), begin + len(found))
            if not more:
                raise BuildError("sums-cut", "the file got shorter while it was read", at=SUMS)
            found += more
        return found


def rows_of(flags: bytearray, wanted: int) -> Iterator[int]:
    """The rows that have this flag."""
    row = flags.find(wanted)
    while row >= 0:
        yield row
        row = flags.find(wanted, row + 1)


def _new_folders(inside: bytes, before: bytes) -> Iterator[bytes]:
    """The folders on the way to a folder and itself, but for those that the one before is in; both end in a slash."""
    end = inside.find(b"/") + 1
    while end:
        if not before.startswith(inside[:end]):
            yield inside[: end - 1]
        end = inside.find(b"/", end) + 1


def _path_of(line: bytes) -> bytes:
    return line[_DIGITS:]


def _invalid(number: int) -> BuildError:
    return BuildError("sums-invalid", "not the next line of `<64 hex>  <path>` in order", at=f"{SUMS}:{number}")

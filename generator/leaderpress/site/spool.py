"""What a build wrote, by path, in memory that does not grow with the site.

Records wait in a list.  When that is full, they go in order to a file of their own in a private folder, and reading
all of them is one merge of such files.  A site of some ten thousand files never needs one.
"""

import hashlib
import heapq
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import BuildError
from .tree import READ, TreeWriter, os_fault

LIMIT = 1 << 16
"""Records that are held in memory."""
_CHUNK = 1 << 18


class Record(NamedTuple):
    """One file that was written; path and digest (hex) as the bytes that `SHA256SUMS` has of them."""

    path: bytes
    digest: bytes
    size: int


class _Run(NamedTuple):
    full: str
    digest: str


class Spool:
    """Records by path; `folder` makes the private folder, when it is needed."""

    def __init__(self, folder: Callable[[], str], limit: int | None = None) -> None:
        self._folder = folder
        self._limit = limit or LIMIT
        self._writer: TreeWriter | None = None
        self._runs: list[_Run] = []
        self._held: list[bytes] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, path: str, size: int, digest: str) -> None:
        """Take a file in; raises `BuildError` where a full list cannot be written."""
        # A tab sorts before everything that a path may hold, so that records stand in the order of their paths.
        self._held.append(f"{path}\t{digest}\t{size}\n".encode())
        self._count += 1
        if len(self._held) >= self._limit:
            self._spill()

    def __iter__(self) -> Iterator[Record]:
        """All records of this moment in order, equal paths one after the other.

        Raises `BuildError` where a file of records is not as it was written: at its end at the latest.
        """
        self._held.sort()
        held = self._held[:]
        return map(_record, heapq.merge(*map(_lines, self._runs), held) if self._runs else iter(held))

    def _spill(self) -> None:
        if self._writer is None:
            self._writer = TreeWriter(self._folder())
        self._held.sort()
        name = f"run-{len(self._runs)}"
        written = self._writer.write(name, b"".join(self._held))
        self._runs.append(_Run(f"{self._writer.root}/{name}", written.sha256))
        self._held = []


def _record(line: bytes) -> Record:
    path, digest, size = line.split(b"\t")
    return Record(path, digest, int(size))


def _lines(run: _Run) -> Iterator[bytes]:
    hasher, rest = hashlib.sha256(), b""
    for chunk in _chunks(run.full):
        hasher.update(chunk)
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if line.count(b"\t") != 2:
                raise _damaged(run)
            yield line + b"\n"
    if rest or hasher.hexdigest() != run.digest:
        raise _damaged(run)


def _chunks(full: str) -> Iterator[bytes]:
    try:
        descriptor = os.open(full, READ)
    except OSError as fault:
        raise os_fault("read", full, fault) from None
    try:
        with open(descriptor, "rb", buffering=0) as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk
    except OSError as fault:
        raise os_fault("read", full, fault) from None


def _damaged(run: _Run) -> BuildError:
    hint = "build again; if it happens again, the disk or the memory of this machine is at fault"
    return BuildError("spool-damaged", "a private file of this build is not as it was written", at=run.full, hint=hint)

"""Sorting more lines than fit into memory: sorted runs in nameless temporary files, merged while they are read."""

import heapq
import tempfile
from collections.abc import Iterator
from typing import IO

from ..errors import ContentError

BUDGET = 16 * 1024 * 1024
"""Bytes held in memory before a sorted run is written out."""
MOST_RUNS = 200
"""Sorted runs, which are open files, before they are merged into one."""

# Tabs up to the last field of the longest record: what follows is a document, and is not searched.
_MOST_TABS = 7
# Bytes that a record and its note take in the buffer, beside their text.
_OVERHEAD = 200


class Sorter:
    """Takes records of fields between tabs in any order and gives them back in order of their bytes.

    A record may carry a note, further fields that play no part in the order; of equal records within one run the first
    note stays.  No field may hold a line feed or a tab: canonical JSON has neither.  The temporary files have no name,
    so a killed process leaves none.
    """

    def __init__(self) -> None:
        self._buffer: dict[bytes, bytes] = {}
        self._held = 0
        self._runs: list[IO[bytes]] = []

    def __enter__(self) -> "Sorter":
        return self

    def __exit__(self, *_: object) -> None:
        for run in self._runs:
            run.close()

    def __bool__(self) -> bool:
        """Whether anything was added."""
        return bool(self._buffer or self._runs)

    def add(self, record: bytes, note: bytes = b"") -> None:
        """Take in a record; raises `ContentError` when there is no room for temporary files."""
        if record in self._buffer:
            return
        self._buffer[record] = note
        self._held += len(record) + len(note) + _OVERHEAD
        if self._held > BUDGET:
            self._spill()

    def __iter__(self) -> Iterator[list[bytes]]:
        """The fields of all records in order, those of its note after each; equal ones of several runs side by side."""
        return (line[:-1].split(b"\t", _MOST_TABS) for line in self._merged())

    def _merged(self) -> Iterator[bytes]:
        for run in self._runs:
            run.seek(0)
        return heapq.merge(*self._runs, self._sorted()) if self._runs else self._sorted()

    def _sorted(self) -> Iterator[bytes]:
        buffer = self._buffer
        return (b"%b\t%b\n" % (record, buffer[record]) for record in sorted(buffer))

    def _spill(self) -> None:
        is_full = len(self._runs) >= MOST_RUNS
        run = _written(self._merged() if is_full else self._sorted())
        for spent in self._runs if is_full else ():
            spent.close()
        self._runs = [run] if is_full else [*self._runs, run]
        self._buffer = {}
        self._held = 0


def _written(lines: Iterator[bytes]) -> IO[bytes]:
    try:
        run = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever gets it
        run.writelines(lines)
        run.flush()
    except OSError as fault:
        problem = f"no room for temporary files: {fault.strerror or fault}"
        raise ContentError("spool-write", problem, at=tempfile.gettempdir(), hint="set TMPDIR") from None
    return run

"""The catalog export of kernelindex: rows `{table, row}` as JSON lines, plain or compressed with zstd.

The manifests stand in the rows.  Their digests are recomputed: a row whose stated digest or comparison key is not that
of its manifest is rejected, as is a row that refers to one that was not taken.  What only the tables hold (sources,
projects, names, tags, aliases, artifacts, dates) goes into the statements.

The export may hold its tables in any order and a million runs, so it is read in passes: a survey collects who refers
to whom, then each table comes after those it refers to, in one pass where the file has that order already.  Memory
grows by some hundred bytes with each row that others refer to, never with the size of their manifests.
"""

from collections.abc import Iterator

from ..errors import DumpError
from .base import Dump, DumpFile, Finding, Rejection
from .entries import IDENTICAL_COPY, MALFORMED, DriftLog, Refused, is_object, segments, shortened
from .kernelindex_rows import TABLE_KEYS, UNREFERENCED, Rows
from .kernelindex_survey import LEVELS, SHIPPED, Survey
from .reading import Line, lines, strict

FORMAT = "kernelindex"
VERSION = 2
SUFFIXES = (".jsonl", ".jsonl.zst")
SOURCES = SHIPPED

_HARMLESS = frozenset((IDENTICAL_COPY, UNREFERENCED))
_LINE_KEYS = frozenset(("table", "row"))
_LAST = max(LEVELS.values())


def ingest(dump: Dump, source: str) -> Iterator[Finding]:
    """Convert an export; `source` names the ingest in findings that belong to no single source."""
    return _Ingest(dump, source).findings()


class _Ingest:
    """One export under way."""

    def __init__(self, dump: Dump, source: str) -> None:
        self._dump = dump
        self._source = source
        self._survey = Survey()
        self._rows = Rows(self._survey)
        self._drift = DriftLog(source)

    def findings(self) -> Iterator[Finding]:
        """Everything, in an order in which what a row refers to comes before it."""
        self._survey.read(self._dump)
        passes = [range(_LAST + 1)] if self._survey.ordered else [range(level, level + 1) for level in range(_LAST + 1)]
        for levels in passes:
            for file in self._dump.files:
                yield from self._file(file, levels)
        yield from self._drift.findings()

    def _file(self, file: DumpFile, levels: range) -> Iterator[Finding]:
        surveyed = self._survey.levels[file.path]
        for position, line in enumerate(lines(file)):
            if position >= len(surveyed):
                raise DumpError("dump-changed", "the file grew while it was read", at=file.path)
            if surveyed[position] not in levels:
                continue
            if not isinstance(line, Line):
                yield self._rejection(line.at, Refused(MALFORMED, line.problem))
            elif line.data and not line.data.isspace():
                yield from self._line(line.data, f"{file.path}:{line.number}")

    def _line(self, data: bytes, at: str) -> list[Finding]:
        row: object = None
        try:
            tree = strict(data, "")
            if not is_object(tree):
                raise Refused(MALFORMED, "a line is no object with table and row")
            row = tree.get("row")
            return self._row(tree, row, at)
        except DumpError as fault:
            return [self._rejection(at, Refused(MALFORMED, fault.problem, *segments(fault.at.removeprefix("#"))))]
        except Refused as refused:
            return [self._rejection(at, refused, row)]

    def _row(self, tree: dict[str, object], row: object, at: str) -> list[Finding]:
        table = tree.get("table")
        if type(table) is not str or table not in LEVELS:
            raise Refused(MALFORMED, f"there is no table {table!r}", "table")
        if not is_object(row):
            raise Refused(MALFORMED, "row is no object", "row")
        if len(tree) > len(_LINE_KEYS):
            self._drift.note(tree, _LINE_KEYS, "line", at)
        self._drift.note(row, TABLE_KEYS[table], table, at)
        try:
            return self._rows.convert(table, row, at)
        except Refused as refused:
            raise Refused(refused.reason, refused.detail, "row", *refused.path) from None

    def _rejection(self, at: str, refused: Refused, row: object = None) -> Rejection:
        source = self._rows.sources.get(str(row.get("sourceId"))) if is_object(row) else None
        place = at if not refused.path else at + "#"
        verdict = refused.reason in _HARMLESS
        return refused.rejection(shortened(place), source or self._source, verdict=verdict)

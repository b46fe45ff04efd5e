"""The dump of the SOL-ExecBench leaderboard: JSON files as its public API serves them, or JSON lines of the same.

Three shapes of `{"data": …}` are known by what they hold, whatever the file is called: the list of kernels, the detail
of one kernel, and a page of submissions.  Anything else is reported.  The dump is read twice: a quick look finds which
files hold what and which ids stand more than once, then kernels come before the submissions that name them.  Memory
grows with the number of ids, not with the size of the dump.

Other boards may publish the same shapes: the source's slug goes into what is the source's own, and only the board
itself is linked.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from ..canonical import Json
from ..errors import DumpError
from . import sol_kernels
from .base import Dump, Finding, Rejection, TaskCount
from .entries import (
    CONFLICTING_COPIES,
    IDENTICAL_COPY,
    MALFORMED,
    DriftLog,
    Entry,
    Refused,
    fact,
    is_number,
    is_object,
    key_of,
    kind_of,
    segments,
    shortened,
    stated,
)
from .reading import Document, Unreadable, literals, require_sound
from .sol_kernels import Kernel
from .sol_submissions import VERDICTS, Submissions
from .sol_survey import Name, Shape, Sighting, Survey, entries, shape_of

FORMAT = "sol-execbench"
VERSION = 1
SUFFIXES = (".json", ".jsonl")
SOURCES = (sol_kernels.REAL_SOURCE,)

_LIST_KEYS = frozenset(("id", "name", "title", "description", "gpu_types", "tags", "op_type", "submission_count"))
_PAGE_KEYS = frozenset(("submissions", "total", "offset", "limit"))
_LIST_FACTS = ("gpu_types", "submission_count")
# A double keeps fifteen digits of any literal; only longer ones have to be read once more to be rounded exactly.
_LONG_LATENCY = re.compile(rb'"latency_ms"\s*:\s*[-+0-9.eE]{17}')


def ingest(dump: Dump, source: str) -> Iterator[Finding]:
    """Convert a dump; `source` is the slug under which the site knows the board."""
    return _Ingest(dump, source).findings()


class _Ingest:
    """One dump under way."""

    def __init__(self, dump: Dump, source: str) -> None:
        self._dump = dump
        self._source = source
        self._drift = DriftLog(source)
        self._survey = Survey()
        self._told: set[Name] = set()
        """Entries with several copies, of which one was seen."""
        self._detailed: set[str] = set()
        """Ids of kernels whose detail the dump holds, taken or not."""
        self._kernels: dict[str, Kernel] = {}
        """Kernels that were taken, by upstream id."""
        self._listed: dict[str, Sighting] = {}
        self._rows: dict[str, int] = {}
        self._totals: dict[str, int] = {}

    def findings(self) -> Iterator[Finding]:
        """Everything, kernels before submissions."""
        self._survey.read(self._dump)
        for file in self._survey.kernels:
            for document in self._survey.documents(file):
                yield from self._kernel_findings(document)
        yield from self._list_findings()
        submissions = Submissions(self._source, self._drift)
        for file in self._survey.pages:
            for document in self._survey.documents(file):
                if isinstance(document, Document) and shape_of(document) is Shape.SUBMISSIONS:
                    yield from self._page(document, submissions)
        yield from self._counts()
        yield from self._drift.findings()

    # -- kernels -------------------------------------------------------------------------------------------------

    def _kernel_findings(self, document: Document | Unreadable) -> Iterator[Finding]:
        if isinstance(document, Unreadable):
            yield self._malformed(document.at, document.problem)
            return
        shape = shape_of(document)
        if shape is Shape.UNKNOWN:
            yield self._unknown(document)
        elif shape is not Shape.SUBMISSIONS:
            yield from self._envelope(document, shape)
            for entry in entries(document):
                try:
                    self._require_entry(entry)
                    yield from self._kernel(entry) if shape is Shape.KERNEL else self._list_row(entry)
                except Refused as refused:
                    yield self._rejection(entry, refused)

    def _unknown(self, document: Document) -> Rejection:
        try:
            require_sound(document, document.tree)
        except DumpError as fault:
            # What is wrong with the JSON comes first: an object with a key twice has no shape.
            return self._malformed(f"{document.at}#{fault.at}" if fault.at else document.at, fault.problem)
        problem = "neither a list of kernels, nor the detail of a kernel, nor a page of submissions"
        return self._malformed(document.at, problem)

    def _kernel(self, entry: Sighting) -> Iterator[Finding]:
        if entry.name is not None:
            self._detailed.add(entry.name[1])
        key = self._key(entry)
        self._kernels[key] = yield from sol_kernels.convert(entry.value, entry.at, self._source, self._drift)

    def _list_row(self, entry: Sighting) -> Iterator[Finding]:
        self._listed[self._key(entry)] = entry
        self._drift.note(entry.value, _LIST_KEYS, "kernels[]", entry.at)
        yield from ()

    def _key(self, entry: Sighting) -> str:
        """An upstream id, for the first copy of an entry whose copies agree; raises `Refused` otherwise."""
        if entry.name is None:
            raise Refused(MALFORMED, "id is neither an integer nor a string", "id")
        if entry.name in self._survey.conflicting:
            raise Refused(CONFLICTING_COPIES, "the dump holds other copies of this kernel that differ", "id")
        self._require_first(entry)
        return entry.name[1]

    def _list_findings(self) -> Iterator[Finding]:
        """What the lists say beside the details; a kernel without a detail is a gap of the dump."""
        for key, entry in self._listed.items():
            kernel = self._kernels.get(key)
            if kernel is not None:
                for name, value in stated(entry.value, _LIST_FACTS).items():
                    if name not in kernel.stated:
                        yield fact(kernel.operation, self._source, name, value, entry.at, (name,))
            elif key not in self._detailed:
                detail = "the dump holds no detail of this kernel"
                yield self._rejection(entry, Refused("NO_DEFINITION", detail, "id"))

    # -- submissions ---------------------------------------------------------------------------------------------

    def _page(self, document: Document, submissions: Submissions) -> Iterator[Finding]:
        yield from self._envelope(document, Shape.SUBMISSIONS)
        exact = literals(document) if _LONG_LATENCY.search(document.data) else None
        kernels: set[str] = set()
        for position, entry in enumerate(entries(document)):
            try:
                self._require_entry(entry)
                self._require_first(entry)
                yield from self._submission(entry, _latency(entry.value, exact, position), submissions)
            except Refused as refused:
                yield self._rejection(entry, refused)
            if kernel := is_object(entry.value) and key_of(entry.value, "kernel_id"):
                kernels.add(kernel)
        yield from self._total(document, kernels)

    def _submission(self, entry: Sighting, latency: Decimal | None, submissions: Submissions) -> Iterator[Finding]:
        row: Entry = entry.value
        key = key_of(row, "kernel_id")
        conflicting = entry.name in self._survey.conflicting
        if key is not None and not (conflicting and entry.name in self._told):
            self._rows[key] = self._rows.get(key, 0) + 1
        if conflicting and entry.name is not None:
            self._told.add(entry.name)
        kernel = self._kernels.get(key or "")
        return submissions.convert(row, latency, kernel, entry.at, conflicting=conflicting)

    def _total(self, document: Document, kernels: set[str]) -> Iterator[Rejection]:
        """Keep the page's own count of its kernel's list, if it is the page of one kernel."""
        total = document.tree["data"].get("total")
        if total is None:
            return
        if type(total) is not int or total < 0:
            yield self._malformed(f"{document.at}#/data/total", "total is no count")
        elif len(kernels) == 1:
            (key,) = kernels
            self._totals[key] = max(total, self._totals.get(key, 0))

    def _counts(self) -> Iterator[TaskCount]:
        for key, kernel in self._kernels.items():
            rows, total = self._rows.get(key, 0), self._totals.get(key)
            listed = self._listed.get(key)
            own = kernel.submission_count
            if own is None and listed is not None:
                own = sol_kernels.count(listed.value)
            # The pages' total counts what the list shows, the kernel's own count may hold what it does not show.
            expected = own if total is None else total
            complete = expected is not None and rows >= expected
            yield TaskCount(kernel.operation, self._source, rows, total if own is None else own, complete)

    # -- entries -------------------------------------------------------------------------------------------------

    def _require_entry(self, entry: Sighting) -> None:
        try:
            require_sound(entry.document, entry.value)
        except DumpError as fault:
            raise Refused(MALFORMED, fault.problem, *segments(fault.at)) from None
        if not is_object(entry.value):
            raise Refused(MALFORMED, f"an entry is {kind_of(entry.value)}, not an object")

    def _require_first(self, entry: Sighting) -> None:
        """Refuse all but the first of identical copies."""
        if entry.name not in self._survey.repeated or entry.name in self._survey.conflicting:
            return
        if entry.name in self._told:
            raise Refused(IDENTICAL_COPY, "the dump holds the same entry elsewhere; it counts once", "id")
        self._told.add(entry.name)

    def _envelope(self, document: Document, shape: Shape) -> Iterator[Rejection]:
        """Look at what stands around the entries."""
        around = {**document.tree, "data": {}}
        if shape is not Shape.KERNEL:
            around["data"] = {key: value for key, value in document.tree["data"].items() if key != shape.value}
            known = _PAGE_KEYS if shape is Shape.SUBMISSIONS else frozenset(("kernels", "total", "offset", "limit"))
            self._drift.note(document.tree["data"], known, "data", document.at)
        self._drift.note(document.tree, frozenset(("data",)), "", document.at)
        try:
            require_sound(document, around)
        except DumpError as fault:
            yield self._malformed(f"{document.at}#{fault.at}", fault.problem)

    def _rejection(self, entry: Sighting, refused: Refused) -> Rejection:
        verdict = refused.reason in VERDICTS or refused.reason == IDENTICAL_COPY
        shape, key = entry.name or (Shape.UNKNOWN, "")
        external_id = f"submission/{key}" if shape is Shape.SUBMISSIONS else None
        return refused.rejection(entry.at, self._source, verdict=verdict, external_id=external_id)

    def _malformed(self, at: str, problem: str) -> Rejection:
        return Rejection(MALFORMED, shortened(at), shortened(problem), self._source, verdict=False)


def _latency(row: Json, exact: Json, position: int) -> Decimal | None:
    """The literal of `latency_ms`; None where it is not a number."""
    stated = row.get("latency_ms")
    if not is_number(stated):
        return None
    if exact is None:
        return Decimal(repr(stated))
    literal = exact["data"]["submissions"][position]["latency_ms"]
    return literal if isinstance(literal, Decimal) else Decimal(literal)

"""Reading a dump through its ingester: each thing that it yields goes where it belongs, each refusal is kept."""

from collections.abc import Callable, Iterator
from typing import Any

from ..canonical import canonical
from ..errors import DumpError, LeaderpressError, ManifestError
from ..ingesters.base import Drift, Dump, Fact, Finding, Ingester, Rejection, Statement, TaskCount
from ..ingesters.packed import PackedSet
from ..store import Line
from .claims import RUN
from .settle import DANGLING, Refusal, Settlement
from .tables import Tables, place
from .updates import stated_key

MALFORMED = "MALFORMED"


class Intake:
    """Collects what one dump holds: statements and facts into a settlement, the rest for the snapshot."""

    def __init__(self, settlement: Settlement, tables: Tables, ingester: Ingester, source: str) -> None:
        self._settlement = settlement
        self._tables = tables
        self._ingester = ingester
        self._source = source
        self._allowed: set[str] = set()
        self._rejections: list[Line] = []
        self._tasks: dict[tuple[str, str], TaskCount] = {}
        self._drift: dict[tuple[str, str], Drift] = {}
        self.sources: set[str] = set()
        """Slugs of the sources that state anything."""
        self.keys = PackedSet()
        """`stated_key` of every run that bears one."""

    def read(self, dump: Dump) -> None:
        """Take in everything that the ingester yields.

        Raises `ContentError` when a source has no table, `DumpError` when the ingester speaks for a source that is
        not one of its own or fails.
        """
        takers: dict[type, Callable[[Any], None]] = {
            Statement: self._take_statement,
            Fact: self._take_fact,
            TaskCount: self._take_task,
            Drift: self._take_drift,
            Rejection: self._take_rejection,
        }
        for finding in _guarded(self._ingester.ingest(dump, self._source), self._ingester.FORMAT):
            takers.get(type(finding), self._refuse_finding)(finding)

    def _refuse_finding(self, finding: object) -> None:
        problem = f"the ingester {self._ingester.FORMAT} yielded a {type(finding).__name__}"
        raise DumpError("ingester-output", problem, hint="a fault of the ingester, not of the dump")

    def _take_statement(self, statement: Statement) -> None:
        self._vouch(statement.source)
        self.sources.add(statement.source)
        if statement.upstream_key and statement.manifest.kind == RUN:
            self.keys.add(stated_key(statement.source, statement.upstream_key))
        try:
            self._settlement.state(statement.manifest, provenance_line(statement), statement.at)
        except ManifestError as fault:
            at = statement.at or statement.manifest.digest
            refusal = Refusal(MALFORMED, at, fault.problem, statement.source, statement.external_id)
            self._rejections.append(_rejection(refusal, verdict=False))

    def _take_fact(self, fact: Fact) -> None:
        self._vouch(fact.source)
        try:
            self._settlement.fact(fact.about, fact.source, fact.name, fact.value)
        except ManifestError as fault:
            refusal = Refusal(MALFORMED, fact.about, f"the fact {fact.name!r}: {fault.problem}", fact.source)
            self._rejections.append(_rejection(refusal, verdict=False))

    def _take_task(self, task: TaskCount) -> None:
        """Several lists of one task (two kernels with one definition) are counted together."""
        self._vouch(task.source)
        self._settlement.ask(task.task)
        key = (task.task, task.source)
        if known := self._tasks.get(key):
            stated = None if known.stated is None or task.stated is None else known.stated + task.stated
            complete = known.complete and task.complete
            task = TaskCount(task.task, task.source, known.rows + task.rows, stated, complete)
        self._tasks[key] = task

    def _take_drift(self, drift: Drift) -> None:
        key = (drift.source, drift.field)
        if known := self._drift.get(key):
            drift = Drift(drift.field, known.at, drift.source, known.count + drift.count)
        self._drift[key] = drift

    def _take_rejection(self, rejection: Rejection) -> None:
        refusal = Refusal(rejection.reason, rejection.at, rejection.detail, rejection.source, rejection.external_id)
        self._rejections.append(_rejection(refusal, verdict=rejection.verdict))

    def tasks(self) -> list[Line]:
        """A line per task and source, for operations that are present; complain about the others.  After `write`."""
        lines: list[Line] = []
        for _, task in sorted(self._tasks.items()):
            if self._settlement.is_present("OperationSpec", task.task):
                stated = {} if task.stated is None else {"stated": task.stated}
                own = {"task": task.task, "source": task.source, "rows": task.rows, "complete": task.complete}
                lines.append({**own, **stated})
            else:
                detail = f"entries are counted for {task.task}, which is neither in the dump nor in the store"
                refusal = Refusal(DANGLING, task.task, detail, task.source)
                self._rejections.append(_rejection(refusal, verdict=False))
        return lines

    def rejections(self) -> list[Line]:
        """Everything that was refused, by the ingester or by the settlement, in order of its place.  After `write`."""
        refused = [_rejection(refusal, verdict=False) for refusal in self._settlement.refusals]
        return sorted(self._rejections + refused, key=_place)

    def drift(self) -> list[Line]:
        """Unknown fields with where they were met first and how often."""
        return [
            {"source": drift.source, "field": drift.field, "at": drift.at, "count": drift.count}
            for _, drift in sorted(self._drift.items())
        ]

    def _vouch(self, slug: str) -> None:
        """Let the ingester speak only for the source that was asked for and for those whose tables it ships."""
        if slug in self._allowed:
            return
        if slug != self._source and slug not in self._ingester.SOURCES:
            problem = f"the ingester {self._ingester.FORMAT} speaks for {slug!r}, which is not a source of its own"
            raise DumpError("source-foreign", problem, at=place(slug))
        self._tables.require(slug)
        self._allowed.add(slug)


def provenance_line(statement: Statement) -> Line:
    """The line that a statement gives in `provenance.jsonl`, without a slug; what is not stated is left out."""
    line = {
        "kind": statement.manifest.kind,
        "digest": statement.manifest.digest,
        "documentDigest": statement.manifest.document_digest,
        "source": statement.source,
        "externalId": statement.external_id,
        "upstreamKey": statement.upstream_key,
        "project": statement.project,
        "name": statement.name,
        "tags": sorted(set(statement.tags)) or None,
        "aliases": sorted(set(statement.aliases)) or None,
        "artifacts": sorted(statement.artifacts, key=canonical) or None,
        "upstreamPublishedAt": statement.upstream_published_at,
    }
    return {name: value for name, value in line.items() if value is not None}


def _rejection(refusal: Refusal, *, verdict: bool) -> Line:
    line: Line = {
        "reason": refusal.reason,
        "at": refusal.at,
        "detail": refusal.detail,
        "source": refusal.source,
        "verdict": verdict,
    }
    return line if refusal.external_id is None else {**line, "externalId": refusal.external_id}


def _place(rejection: Line) -> tuple[str, ...]:
    return tuple(str(rejection.get(name, "")) for name in ("at", "reason", "externalId", "detail", "source"))


def _guarded(findings: Iterator[Finding], name: str) -> Iterator[Finding]:
    """What an ingester yields; whatever it raises that is not ours becomes a `DumpError`."""
    while True:
        try:
            finding = next(findings)
        except StopIteration:
            return
        except LeaderpressError:
            raise
        except Exception as fault:
            problem = f"the ingester {name} failed: {type(fault).__name__}: {fault}"
            hint = "a fault of the ingester, not of the dump: please report it"
            raise DumpError("ingester-failed", problem, hint=hint) from fault
        yield finding

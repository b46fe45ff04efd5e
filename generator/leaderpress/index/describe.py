"""Rows about documents, kind by kind: made from their gist, what is stated about them and the names they bear."""

import marshal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..format import operation_name
from ..ranking.eligibility import evidence_level
from ..ranking.group import GroupKey
from ..store import Line
from .gist import Run
from .labels import subject_name, workload_summary
from .names import Names, dangling
from .schema import RUN_STATED, STANDING, UNPLACED
from .statements import json_text

Row = tuple[Any, ...]

_ADD = {
    "OperationSpec": "insert or replace into task values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "WorkloadSuite": "insert or replace into workload values (?, ?, ?, ?, ?, ?)",
    "WorkloadCase": "insert or replace into workload values (?, ?, ?, ?, ?, ?)",
    "SoftwareProject": "insert or replace into project values (?, ?, ?, ?)",
    "ImplementationRevision": "insert or replace into subject values (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)",
    "BenchmarkProtocol": "insert or replace into protocol values (?, ?, ?, ?)",
    "ExecutionEnvironment": "insert or replace into environment values (?, ?, ?, ?, ?, ?, ?)",
}
_PLACE_LATER = "insert into arrival values (?, ?, ?)"
_ADD_RUN = (
    f"insert into run values ({', '.join('?' * (len(RUN_STATED) + len(STANDING)))}) on conflict (digest) do update set"
    f" {', '.join(f'{name} = excluded.{name}' for name in RUN_STATED[1:])}"
)
_RECOUNT = "insert or ignore into recount values (?)"
_NO_CODE = evidence_level({}, {})


class Described(NamedTuple):
    """A document, and what else its row is made from."""

    digest: str
    gist: Any
    said: Line
    """What the first source says about it."""
    folder: int
    """Number of the first folder that holds it."""
    published_on: str
    """Day of that folder."""


class Describer:
    """Writes the rows of documents; those that they refer to must have theirs.

    With `later` the rows of runs are put aside into `arrival`, to be brought into the order of their groups at once.
    """

    def __init__(self, database: sqlite3.Connection, *, later: bool) -> None:
        self.later = later
        self.names = Names(database)
        self.groups: set[str] = set()
        """Keys of the comparison groups whose runs got a row in `run`."""
        self._db = database
        self._rows: dict[str, Callable[[Sequence[Described]], Iterable[Row]]] = {
            "OperationSpec": self._tasks,
            "WorkloadSuite": self._workloads,
            "WorkloadCase": self._workloads,
            "SoftwareProject": self._projects,
            "ImplementationRevision": self._subjects,
            "BenchmarkProtocol": _protocols,
            "ExecutionEnvironment": self._environments,
        }

    def add(self, kind: str, documents: Sequence[Described]) -> None:
        """Write the rows of some documents of one kind; raises `ContentError` for a reference that leads nowhere."""
        if kind == "BenchmarkRun":
            self._add_runs(documents)
        else:
            self._db.executemany(_ADD[kind], self._rows[kind](documents))
            if kind == "ImplementationRevision":
                self._recount(document.digest for document in documents)

    def _add_runs(self, documents: Sequence[Described]) -> None:
        rows = self._runs(documents)
        if self.later:
            # One value for all columns: it is sorted and read back as a whole.
            self._db.executemany(_PLACE_LATER, ((row[1], row[0], marshal.dumps(row)) for row in rows))
            return
        found = [row + UNPLACED for row in rows]
        self.groups.update(row[1] for row in found)
        self._db.executemany(_ADD_RUN, found)
        self._recount(document.gist.implementation for document in documents)

    def _recount(self, subjects: Iterable[str]) -> None:
        if not self.later:
            self._db.executemany(_RECOUNT, ((digest,) for digest in subjects))

    # -- kinds -----------------------------------------------------------------------------------------------------

    def _tasks(self, documents: Sequence[Described]) -> Iterator[Row]:
        for digest, (title, family, description, constants), said, *_ in documents:
            raw = said.get("name") or title
            tags, aliases = json_text(said.get("tags", ())), json_text(said.get("aliases", ()))
            named = (digest, self._slug(digest, said), raw, operation_name(raw))
            yield (*named, family, said["source"], description, tags, aliases, constants)

    def _projects(self, documents: Sequence[Described]) -> Iterator[Row]:
        for digest, (name,), said, *_ in documents:
            yield digest, self._slug(digest, said), said.get("name") or name, said["source"]

    def _workloads(self, documents: Sequence[Described]) -> Iterator[Row]:
        tasks = self.names.tasks
        tasks.want(document.gist.task for document in documents)
        for digest, (kind, task, correctness, summary, axes, cases), *_ in documents:
            text = summary or workload_summary(kind, {"axes": axes}, tasks[task][1])
            yield digest, kind, task, correctness, text, cases

    def _environments(self, documents: Sequence[Described]) -> Iterator[Row]:
        for digest, (product, *columns), said, *_ in documents:
            yield (digest, product, self._hardware_slug(digest, product, said), *columns)

    def _subjects(self, documents: Sequence[Described]) -> Iterator[Row]:
        names = self.names
        names.tasks.want(document.gist.task for document in documents)
        names.projects.want(project for document in documents if (project := document.said.get("project")))
        for digest, (task, title, revision, has_code, has_facts), said, *_ in documents:
            project = said.get("project", "")
            name = subject_name(title, names.tasks[task][0], revision, names.project(project)[0])
            artifacts = json_text(said["artifacts"]) if "artifacts" in said else "[]"
            yield digest, task, project, name, revision, title, said["source"], artifacts, has_code, has_facts

    def _runs(self, documents: Sequence[Described]) -> Iterator[Row]:
        names = self.names
        names.workloads.want(document.gist.workload for document in documents)
        names.subjects.want(document.gist.implementation for document in documents)
        subjects = [names.subjects[document.gist.implementation] for document in documents]
        projects = [
            document.said.get("project") or subject[0] for document, subject in zip(documents, subjects, strict=True)
        ]
        names.projects.want(filter(None, projects))
        for document, subject, project in zip(documents, subjects, projects, strict=True):
            yield self._run(document, subject, project)

    def _run(self, document: Described, subject: tuple[Any, ...], project: str) -> Row:
        digest, gist, said, folder, published_on = document
        run: Run = gist
        task, correctness = self.names.workloads[run.workload]
        key = GroupKey(task, run.workload, run.protocol, run.environment, correctness, run.metric_key)
        _, name, revision, has_code = subject
        return (
            digest,
            key.digest(),
            key.siblings(),
            said["source"],
            said.get("externalId", ""),
            said.get("upstreamKey", ""),
            run.implementation,
            project,
            task,
            run.workload,
            run.protocol,
            run.environment,
            run.status,
            run.metric,
            run.statistic,
            run.unit,
            run.value,
            run.evidence if has_code else _NO_CODE,
            run.native,
            run.observed_at,
            published_on,
            said.get("upstreamPublishedAt", ""),
            folder,
            name,
            revision,
            *self.names.project(project),
            run.metrics,
        )

    # -- slugs -----------------------------------------------------------------------------------------------------

    def _slug(self, digest: str, said: Line) -> str:
        slug: str | None = said.get("slug") or self._stored_slug(digest)
        if slug is None:
            raise dangling(digest)
        return slug

    def _hardware_slug(self, digest: str, product: str, said: Line) -> str:
        slug: str | None = said.get("slug") or self._stored_slug(digest)
        if slug is None:
            row = self._db.execute("select slug from environment where product = ? limit 1", (product,)).fetchone()
            slug = row and row[0]
        if slug is None:
            raise dangling(product)
        return slug

    def _stored_slug(self, digest: str) -> str | None:
        row = self._db.execute("select slug from slug where digest = ?", (digest,)).fetchone()
        return str(row[0]) if row else None


def _protocols(documents: Sequence[Described]) -> Iterator[Row]:
    for digest, columns, *_ in documents:
        yield (digest, *columns)

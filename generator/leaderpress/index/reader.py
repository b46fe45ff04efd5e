"""Named queries over the index, and the bytes of documents in the store."""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import orjson

from ..canonical import canonical, sha256
from ..errors import ContentError
from ..manifests import identity_bytes
from .rows import (
    EnvironmentRow,
    EventRow,
    FactRow,
    FolderRow,
    GroupRow,
    Location,
    ProjectRow,
    ProtocolRow,
    RunRow,
    StatementRow,
    SubjectRow,
    TaskRow,
    WorkloadRow,
)

Row = TypeVar("Row")

_FIELDS: dict[type, str] = {
    TaskRow: "digest, slug, raw, name, family, source, description, tags, aliases, constants",
    ProjectRow: "digest, slug, name, source",
    WorkloadRow: "digest, kind, task, correctness, summary, cases",
    EnvironmentRow: "digest, product, slug, vendor, architecture, note, title",
    ProtocolRow: "digest, harness, version, title",
    SubjectRow: "digest, task, project, name, revision, title, source, runs, has_page, artifacts, has_code",
    RunRow: "digest, grp, siblings, source, external_id, upstream_key, subject, project, task, workload, protocol,"
    " environment, status, metric, statistic, unit, value, evidence, native, observed_at, published_on,"
    " upstream_published_at, folder, name, revision, project_name, project_slug, metrics, reasons, rank, tied, better,"
    " place, superseded_by",
    GroupRow: "key, siblings, task, workload, protocol, environment, metric_key, metric, statistic, unit, direction,"
    " native, ranked, ranks, members, ranking",
    EventRow: "grp, position, digest, observed_at, value, previous, stands",
    StatementRow: "digest, source, folder, external_id, upstream_key, project, name, tags, aliases, artifacts,"
    " upstream_published_at",
    FactRow: "about, source, name, value, folder",
    FolderRow: "number, name, source, published_on, snapshot",
}
_TABLES: dict[type, str] = {
    TaskRow: "task",
    ProjectRow: "project",
    WorkloadRow: "workload",
    EnvironmentRow: "environment",
    ProtocolRow: "protocol",
    SubjectRow: "subject",
    RunRow: "run",
    GroupRow: "grp",
    EventRow: "event",
    StatementRow: "statement",
    FactRow: "fact",
    FolderRow: "folder",
}
_LISTS = {"tags", "aliases", "artifacts", "constants", "reasons"}
_TREES = {"metrics", "snapshot", "value"}
_FLAGS = {"native", "has_page", "has_code", "stands"}


class Index:
    """An open index, read-only; use it as a context manager."""

    def __init__(self, path: Path, records: Path) -> None:
        self._db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self._records = records
        self._files: dict[str, Any] = {}
        self.document = lru_cache(4096)(self._document)
        self.task = lru_cache(4096)(self._one_of(TaskRow))
        self.workload = lru_cache(4096)(self._one_of(WorkloadRow))
        self.environment = lru_cache(1024)(self._one_of(EnvironmentRow))
        self.protocol = lru_cache(1024)(self._one_of(ProtocolRow))
        self.location = lru_cache(4096)(self._location)
        self._identity_text = lru_cache(256)(lambda digest: self.identity(digest).decode())

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and the record files."""
        self._db.close()
        for stream in self._files.values():
            stream.close()

    # -- generic -------------------------------------------------------------------------------------------------

    def _select(self, kind: type[Row], rest: str = "", arguments: Iterable[Any] = ()) -> list[Row]:
        fields = _FIELDS[kind]
        rows = self._db.execute(f"select {fields} from {_TABLES[kind]} {rest}", tuple(arguments))
        convert = _converters(_FIELDS[kind])
        return [
            kind(*(change(cell) if change else cell for change, cell in zip(convert, row, strict=True))) for row in rows
        ]

    def _one_of(self, kind: type[Row]) -> Any:
        def look_up(digest: str) -> Row:
            found = self._select(kind, "where digest = ?", (digest,))
            if not found:
                raise ContentError("record-dangling", f"no record holds {digest}", at="content/records")
            return found[0]

        return look_up

    def count(self, query: str, *arguments: Any) -> int:
        """The one number that a counting query gives."""
        return int(self._db.execute(query, arguments).fetchone()[0])

    def pairs(self, query: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Plain rows of a query."""
        return self._db.execute(query, arguments).fetchall()

    # -- documents -----------------------------------------------------------------------------------------------

    def _location(self, digest: str) -> Location:
        row = self._db.execute(
            "select kind, file, offset, length, identity_bytes, document_digest from document where digest = ?",
            (digest,),
        ).fetchone()
        if row is None:
            raise ContentError("record-dangling", f"no record holds {digest}", at="content/records")
        return Location(*row)

    def has(self, digest: str) -> bool:
        """Whether a document of this digest is published."""
        return self._db.execute("select 1 from document where digest = ?", (digest,)).fetchone() is not None

    def text(self, digest: str) -> bytes:
        """RFC 8785 bytes of the whole document that is shown for `digest`."""
        place = self.location(digest)
        stream = self._files.get(place.file)
        if stream is None:
            stream = self._files[place.file] = (self._records / place.file).open("rb")
        stream.seek(place.offset)
        return bytes(stream.read(place.length))

    def _document(self, digest: str) -> dict[str, Any]:
        value: dict[str, Any] = orjson.loads(self.text(digest))
        return value

    def identity(self, digest: str) -> bytes:
        """The identity body's bytes, which hash to `digest`; raises when the store no longer holds them."""
        text = self.text(digest)
        body = identity_bytes_of(text, orjson.loads(text))
        if sha256(body) != digest:
            raise ContentError("record-digest", f"the record of {digest} was changed", at=self.location(digest).file)
        return body

    def identity_text(self, digest: str) -> str:
        """The identity body as text; the few that many runs share are kept."""
        return self._identity_text(digest)

    def documents(self) -> Iterator[tuple[str, str]]:
        """(digest, kind) of every document, by digest."""
        yield from self._db.execute("select digest, kind from document order by digest")

    # -- runs and groups -----------------------------------------------------------------------------------------

    def run(self, digest: str) -> RunRow:
        """One run; raises `ContentError` when it is not published."""
        found = self._select(RunRow, "where digest = ?", (digest,))
        if not found:
            raise ContentError("record-dangling", f"no run {digest}", at="content/records")
        return found[0]

    def find_runs(self, reference: str, *, most: int = 20) -> list[RunRow]:
        """Runs that a digest, a prefix of it (with or without `sha256:`) or `source/upstream-key` names."""
        if "/" in reference:
            source, _, key = reference.partition("/")
            where = "where source = ? and (upstream_key = ? or external_id = ?) order by folder desc, digest limit ?"
            return self._select(RunRow, where, (source, key, key, most))
        prefix = "sha256:" + reference.removeprefix("sha256:").lower()
        where = "where digest >= ? and digest < ? order by digest limit ?"
        return self._select(RunRow, where, (prefix, prefix + "g", most))

    def group(self, key: str) -> GroupRow:
        """One comparison group; raises `ContentError` when there is none."""
        found = self._select(GroupRow, "where key = ?", (key,))
        if not found:
            raise ContentError("record-dangling", f"no group {key}", at="content/records")
        return found[0]

    def groups(self, where: str = "", *arguments: Any) -> list[GroupRow]:
        """Groups that a `where … order by …` clause selects."""
        return self._select(GroupRow, where, arguments)

    def ranked(self, key: str) -> list[RunRow]:
        """The ranked runs of a group in display order."""
        return self._select(RunRow, "where grp = ? and place > 0 order by place", (key,))

    def unranked(self, key: str, siblings: str) -> list[RunRow]:
        """Runs of the group that do not rank, and runs without any metric that match it in all else."""
        where = (
            "where (grp = ? and place = 0) or (siblings = ? and grp != ? and metric = '') order by observed_at, digest"
        )
        return self._select(RunRow, where, (key, siblings, key))

    def runs(self, where: str, *arguments: Any) -> list[RunRow]:
        """Runs that a `where … order by …` clause selects."""
        return self._select(RunRow, where, arguments)

    def events(self, key: str) -> list[EventRow]:
        """Record events of a group, oldest first."""
        return self._select(EventRow, "where grp = ? order by position", (key,))

    def latest_events(self, most: int, skip: int = 0) -> list[EventRow]:
        """Record events of the whole site, newest first."""
        return self._select(EventRow, "order by observed_at desc, digest desc, grp limit ? offset ?", (most, skip))

    def events_where(self, where: str, *arguments: Any) -> list[EventRow]:
        """Record events that a clause selects."""
        return self._select(EventRow, where, arguments)

    # -- the rest ------------------------------------------------------------------------------------------------

    def tasks(self, where: str = "order by slug", *arguments: Any) -> list[TaskRow]:
        """Operations that a clause selects."""
        return self._select(TaskRow, where, arguments)

    def projects(self, where: str = "order by slug", *arguments: Any) -> list[ProjectRow]:
        """Projects that a clause selects."""
        return self._select(ProjectRow, where, arguments)

    def subjects(self, where: str, *arguments: Any) -> list[SubjectRow]:
        """Implementations that a clause selects."""
        return self._select(SubjectRow, where, arguments)

    def environments(self, where: str = "order by slug, digest", *arguments: Any) -> list[EnvironmentRow]:
        """Environments that a clause selects."""
        return self._select(EnvironmentRow, where, arguments)

    def workloads(self, task: str) -> list[WorkloadRow]:
        """Suites and cases of an operation, suites first."""
        return self._select(WorkloadRow, "where task = ? order by kind desc, digest", (task,))

    def statements(self, digest: str) -> list[StatementRow]:
        """What each source says about a document, in order of ingest."""
        return self._select(StatementRow, "where digest = ? order by folder, source", (digest,))

    def facts(self, about: str) -> list[FactRow]:
        """Facts about a document; a later ingest's value of one name replaces the earlier one."""
        found = self._select(FactRow, "where about = ? order by folder, name", (about,))
        return list({(fact.source, fact.name): fact for fact in found}.values())

    def case_facts(self, task: str) -> list[FactRow]:
        """Facts about the cases of an operation, oldest ingest first."""
        where = "where about in (select digest from workload where task = ? and cases = 0) order by folder, name, about"
        return self._select(FactRow, where, (task,))

    def folders(self) -> list[FolderRow]:
        """All ingests, oldest first."""
        return self._select(FolderRow, "order by number")


def identity_bytes_of(document: bytes, value: dict[str, Any]) -> bytes:
    """The identity body's bytes, cut out of the canonical document instead of being written anew.

    In RFC 8785 order the members are apiVersion, kind, metadata, spec: leaving out the third gives the identity body.
    """
    kind = b'"kind":' + canonical(value["kind"])
    start = document.find(kind + b',"metadata":') + len(kind)
    metadata = b',"metadata":' + canonical(value["metadata"])
    if start >= len(kind) and document.startswith(metadata, start):
        return document[:start] + document[start + len(metadata) :]
    return identity_bytes(value)


@lru_cache(32)
def _converters(fields: str) -> tuple[Any, ...]:
    return tuple(_converter(name.strip()) for name in fields.split(","))


def _converter(name: str) -> Any:
    if name in _LISTS:
        return lambda text: tuple(orjson.loads(text)) if text else ()
    if name in _TREES:
        return _tree
    return bool if name in _FLAGS else None


def _tree(cell: object) -> object:
    return orjson.loads(cell) if isinstance(cell, str) else cell

"""Named queries over the index, and the bytes of documents in the store."""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import orjson

from ..canonical import sha256
from ..errors import ContentError
from ..manifests.cut import identity_bytes_of
from ..manifests.tombstone import buried, published_object
from . import shortforms
from .rows import (
    EnvironmentRow,
    EventRow,
    FactRow,
    FolderRow,
    GroupContents,
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
    Location: "digest, kind, (select path from file where number = file), offset, length, identity_bytes,"
    " document_digest",
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
    Location: "document",
}
_LISTS = {"tags", "aliases", "artifacts", "constants", "reasons"}
_TREES = {"metrics", "snapshot", "value"}
_FLAGS = {"native", "has_page", "has_code", "stands"}
_KEYS_A_QUERY = 400
_MAPPED = 48 << 20
"""Bytes of the index that are read in place instead of being copied: all of it for some ten thousand runs."""
_LOCATIONS_KEPT = 20_000
_GROUPS_A_READ = 16


class Index:
    """An open index, read-only; use it as a context manager."""

    def __init__(self, path: Path, records: Path) -> None:
        self._db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True, cached_statements=128)
        self._db.execute(f"pragma mmap_size = {_MAPPED}")
        self._records = records
        self._files: dict[str, int] = {}
        self._locations: dict[str, Location] = {}
        # Pages come in the order of groups, so that few documents are asked for again after many others.
        self.document = lru_cache(512)(self._document)
        self.text = lru_cache(64)(self._text)
        """RFC 8785 bytes of the whole document that is shown for a digest."""
        self.task = lru_cache(1024)(self._one_of(TaskRow))
        self.workload = lru_cache(1024)(self._one_of(WorkloadRow))
        self.environment = lru_cache(1024)(self._one_of(EnvironmentRow))
        self.protocol = lru_cache(1024)(self._one_of(ProtocolRow))
        self.tombstones = frozenset(row[0] for row in self.pairs("select digest from tombstone"))
        """Digests of the documents at whose addresses a tombstone is published."""
        self._sources = lru_cache(1)(self._read_sources)
        self._identity_text = lru_cache(256)(lambda digest: self.identity(digest).decode())

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and the record files."""
        self._db.close()
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()

    # -- generic -------------------------------------------------------------------------------------------------

    def _select(self, kind: type[Row], rest: str = "", arguments: Iterable[Any] = ()) -> list[Row]:
        fields = _FIELDS[kind]
        rows = self._db.execute(f"select {fields} from {_TABLES[kind]} {rest}", tuple(arguments))
        convert = _converters(fields)
        found = []
        for row in rows:
            cells = list(row)
            for place, change in convert:
                cells[place] = change(cells[place])
            found.append(kind(*cells))
        return found

    def _select_in(self, kind: type[Row], column: str, keys: Sequence[str], rest: str = "") -> Iterator[Row]:
        """Rows whose `column` is one of many keys, a few hundred keys a query."""
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            yield from self._select(kind, f"where {column} in ({', '.join('?' * len(some))}) {rest}", some)

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

    def pairs_in(self, query: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Plain rows of a query in which `{}` stands for the list of keys: those of a few hundred keys, then the next.

        An order that the query asks for holds within each few hundred.
        """
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            yield from self.pairs(query.format(", ".join("?" * len(some))), *some)

    def stream(self, query: str, *arguments: Any) -> Iterator[tuple[Any, ...]]:
        """Plain rows of a query that may give very many: they are read as they are asked for."""
        # Not `yield from`, which would close the cursor of a stream that is left half read, maybe after the index.
        for row in self._db.execute(query, arguments):  # noqa: UP028
            yield row

    # -- documents -----------------------------------------------------------------------------------------------

    def location(self, digest: str) -> Location:
        """Where a document stands; raises `ContentError` when it is not published."""
        place = self._locations.get(digest)
        if place is None:
            self.locate((digest,))
            place = self._locations.get(digest)
        if place is None:
            raise ContentError("record-dangling", f"no record holds {digest}", at="content/records")
        return place

    def locate(self, digests: Iterable[str]) -> None:
        """Look up at once where many documents stand, so that `location` knows it."""
        if len(self._locations) > _LOCATIONS_KEPT:
            self._locations.clear()
        wanted = [digest for digest in dict.fromkeys(digests) if digest not in self._locations]
        for place in self._select_in(Location, "digest", wanted):
            self._locations[place.digest] = place

    def has(self, digest: str) -> bool:
        """Whether a document of this digest is published."""
        return self._db.execute("select 1 from document where digest = ?", (digest,)).fetchone() is not None

    def _text(self, digest: str) -> bytes:
        place = self.location(digest)
        descriptor = self._files.get(place.file)
        if descriptor is None:
            descriptor = self._files[place.file] = os.open(self._records / place.file, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(descriptor, place.length, place.offset)

    def _document(self, digest: str) -> dict[str, Any]:
        value: dict[str, Any] = orjson.loads(self.text(digest))
        return value

    def identity(self, digest: str) -> bytes:
        """The identity body's bytes, which hash to `digest`; raises when the store no longer holds them.

        Of a document from which something was removed, the tombstone that stands in its place.
        """
        text = self.text(digest)
        body = identity_bytes_of(text)
        if sha256(body) != digest:
            if buried(text):
                return published_object(orjson.loads(text))
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

    def contents(self, keys: Sequence[str]) -> Iterator[GroupContents]:
        """Groups with all that `ranked`, `unranked` and `events` say of each, in the order of the keys.

        A few groups are read at once, and no more of them are held; an unknown key raises `ContentError`.
        """
        for start in range(0, len(keys), _GROUPS_A_READ):
            yield from self._contents(keys[start : start + _GROUPS_A_READ])

    def _contents(self, keys: Sequence[str]) -> Iterator[GroupContents]:
        groups = {group.key: group for group in self._select_in(GroupRow, "key", keys)}
        runs: dict[str, list[RunRow]] = defaultdict(list)
        for run in self._select_in(RunRow, "grp", keys):
            runs[run.group].append(run)
        failed: dict[str, list[RunRow]] = defaultdict(list)
        siblings = list({group.siblings for group in groups.values()})
        for run in self._select_in(RunRow, "metric = '' and siblings", siblings):
            failed[run.siblings].append(run)
        events: dict[str, list[EventRow]] = defaultdict(list)
        for event in self._select_in(EventRow, "grp", keys, "order by grp, position"):
            events[event.group].append(event)
        for key in keys:
            group = groups.get(key) or self.group(key)
            ranked = sorted((run for run in runs[key] if run.place), key=attrgetter("place"))
            others = [run for run in runs[key] if not run.place]
            others += (run for run in failed[group.siblings] if run.group != key)
            others.sort(key=attrgetter("observed_at", "digest"))
            yield GroupContents(group, ranked, others, events[key])

    def runs(self, where: str, *arguments: Any) -> list[RunRow]:
        """Runs that a `where … order by …` clause selects."""
        return self._select(RunRow, where, arguments)

    def groups_of(self, keys: Sequence[str]) -> list[GroupRow]:
        """Groups by their keys, in no particular order; unknown ones are left out."""
        return list(self._select_in(GroupRow, "key", keys))

    def runs_of(self, digests: Sequence[str]) -> list[RunRow]:
        """Runs by their digests, in no particular order; unknown ones are left out."""
        return list(self._select_in(RunRow, "digest", digests))

    def events(self, key: str) -> list[EventRow]:
        """Record events of a group, oldest first."""
        return self._select(EventRow, "where grp = ? order by position", (key,))

    # -- shortened addresses ----------------------------------------------------------------------------------------

    def short_count(self) -> int:
        """How many things can be named by a shortened address, nearly."""
        return shortforms.count(self._db)

    def shorts(self, low: str, high: str) -> Iterator[shortforms.Short]:
        """Everything whose digest is `low` or later and before `high`, by digest."""
        return shortforms.shorts(self._db, low, high)

    def keyed_runs(self, shards: Collection[str] | None = None) -> Iterator[tuple[str, list[shortforms.Keyed]]]:
        """(shard, runs) of every key that a source or another catalogue has for runs; see `shortforms.keyed`."""
        self._db.create_function("key_shard", 1, shortforms.key_shard, deterministic=True)
        return shortforms.keyed(self._db, shards)

    # -- the rest ------------------------------------------------------------------------------------------------

    def tasks(self, where: str = "order by slug", *arguments: Any) -> list[TaskRow]:
        """Operations that a clause selects."""
        return self._select(TaskRow, where, arguments)

    def tasks_of(self, slugs: Sequence[str]) -> list[TaskRow]:
        """Operations by their slugs, in no particular order."""
        return list(self._select_in(TaskRow, "slug", slugs))

    def projects(self, where: str = "order by slug", *arguments: Any) -> list[ProjectRow]:
        """Projects that a clause selects."""
        return self._select(ProjectRow, where, arguments)

    def subjects(self, where: str, *arguments: Any) -> list[SubjectRow]:
        """Implementations that a clause selects."""
        return self._select(SubjectRow, where, arguments)

    def projects_of(self, slugs: Sequence[str]) -> list[ProjectRow]:
        """Projects by their slugs, in no particular order."""
        return list(self._select_in(ProjectRow, "slug", slugs))

    def subjects_of(self, digests: Sequence[str]) -> list[SubjectRow]:
        """Implementations by their digests, in no particular order; unknown ones are left out."""
        return list(self._select_in(SubjectRow, "digest", digests))

    def environments(self, where: str = "order by slug, digest", *arguments: Any) -> list[EnvironmentRow]:
        """Environments that a clause selects."""
        return self._select(EnvironmentRow, where, arguments)

    def workloads_of(self, tasks: Sequence[str]) -> dict[str, list[WorkloadRow]]:
        """Suites and cases of many operations, suites first."""
        found: dict[str, list[WorkloadRow]] = {task: [] for task in tasks}
        for workload in self._select_in(WorkloadRow, "task", tasks, "order by kind desc, digest"):
            found[workload.task].append(workload)
        return found

    def with_page(self, subjects: Sequence[str]) -> set[str]:
        """Those of many implementations that have a page."""
        return {subject.digest for subject in self._select_in(SubjectRow, "digest", subjects) if subject.has_page}

    def folder_of(self, digest: str) -> int:
        """Number of the ingest that published a document."""
        return self.count("select folder from document where digest = ?", digest)

    def statements(self, digest: str) -> list[StatementRow]:
        """What each source says about a document, in order of ingest."""
        return self._select(StatementRow, "where digest = ? order by folder, source", (digest,))

    def all_statements(self, digests: Sequence[str]) -> dict[str, list[StatementRow]]:
        """The same for many documents at once."""
        found: dict[str, list[StatementRow]] = {digest: [] for digest in digests}
        for statement in self._select_in(StatementRow, "digest", list(found), "order by digest, folder, source"):
            found[statement.digest].append(statement)
        return found

    def facts(self, about: str) -> list[FactRow]:
        """Facts about a document; a later ingest's value of one name replaces the earlier one."""
        found = self._select(FactRow, "where about = ? order by folder, name", (about,))
        return list({(fact.source, fact.name): fact for fact in found}.values())

    def all_facts(self, digests: Sequence[str]) -> dict[str, list[FactRow]]:
        """The same about many documents at once."""
        found: dict[str, dict[tuple[str, str], FactRow]] = {digest: {} for digest in digests}
        for fact in self._select_in(FactRow, "about", list(found), "order by about, folder, name"):
            found[fact.about][fact.source, fact.name] = fact
        return {digest: list(facts.values()) for digest, facts in found.items()}

    def case_facts(self, task: str) -> list[FactRow]:
        """Facts about the cases of an operation, oldest ingest first."""
        where = "where about in (select digest from workload where task = ? and cases = 0) order by folder, name, about"
        return self._select(FactRow, where, (task,))

    def sources(self) -> list[str]:
        """Every source that stated a document, whether or not a run is among them."""
        return list(self._sources())

    def _read_sources(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self.pairs("select slug from source order by slug"))

    def folders(self) -> list[FolderRow]:
        """All ingests, oldest first."""
        return self._select(FolderRow, "where source != '' order by number")

    def history(self) -> list[FolderRow]:
        """All folders of records, oldest first: ingests, and those that only add to the log (without a source)."""
        return self._select(FolderRow, "order by number")

    def publications(self, folders: int = 0) -> Iterator[tuple[int, str, str, str]]:
        """(folder, document digest, digest, kind) of every document in the order in which they were published.

        Those of so many folders, from the first, are left out.
        """
        query = "select folder, document_digest, digest, kind from version where place > ? order by place"
        yield from self._db.execute(query, (self._last_place(folders) if folders else 0,))

    def _last_place(self, folders: int) -> int:
        """The last place of the documents of so many folders, which stand in the order of folders."""
        low, high = 0, self.count("select coalesce(max(place), 0) from version")
        while low < high:
            middle = (low + high + 1) // 2
            if self.count("select folder from version where place = ?", middle) <= folders:
                low = middle
            else:
                high = middle - 1
        return low


def coverage(folders: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, tuple[int, int, str]]:
    """How much of each operation's list the newest dump that counts it holds.

    `folders` are (date, snapshot), oldest first.  Gives operation → (entries in the dump, the source's own count, date
    since which both stand).
    """
    counts: dict[str, tuple[int, int, str]] = {}
    for published_on, snapshot in folders:
        for task in snapshot["tasks"]:
            if "stated" in task:
                figures = (task["rows"], task["stated"])
                held = counts.get(task["task"])
                if held is None or held[:2] != figures:
                    counts[task["task"]] = (*figures, published_on)
    return counts


@lru_cache(32)
def _converters(fields: str) -> tuple[tuple[int, Any], ...]:
    """(position, conversion) of the columns that are more than a number or a text."""
    found = ((place, _converter(name.strip())) for place, name in enumerate(fields.split(",")))
    return tuple((place, change) for place, change in found if change)


def _converter(name: str) -> Any:
    if name in _LISTS:
        return _list
    if name in _TREES:
        return _tree
    return bool if name in _FLAGS else None


@lru_cache(1024)
def _list(text: str | None) -> tuple[Any, ...]:
    return tuple(orjson.loads(text)) if text else ()


def _tree(cell: object) -> object:
    return orjson.loads(cell) if isinstance(cell, str) else cell

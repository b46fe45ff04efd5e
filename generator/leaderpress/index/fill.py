"""Reading records into the index: every document's digests are recomputed on the way in."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from ..canonical import sha256
from ..errors import ContentError
from ..format import operation_name
from ..manifests.cut import identity_bytes_of
from ..manifests.tombstone import buried, published_object
from ..ranking.eligibility import evidence_level
from ..ranking.group import GroupKey, correctness_digest, metric_key, primary
from ..store import PLACE, Folder, Line
from .labels import environment_note, revision_text, subject_name, workload_summary

Spec = dict[str, Any]

_NEW_DOCUMENT = "insert or ignore into document (digest, folder) values (?, ?)"
_NEW_VERSION = "insert or ignore into version values (null, ?, ?, ?, ?, ?, ?, ?)"
_SHOW = (
    "update document set kind = ?, document_digest = ?, file = ?, offset = ?, length = ?, identity_bytes = ?"
    " where digest = ?"
)
_SHOW_VERSION = (
    "update document set (document_digest, file, offset, length) ="
    " (select document_digest, file, offset, length from version where document_digest = ?) where digest = ?"
    " and exists (select 1 from version where document_digest = ?1)"
)
_STATE = (
    "insert into statement values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (digest, source) do update set"
    " external_id = coalesce(excluded.external_id, external_id),"
    " upstream_key = coalesce(excluded.upstream_key, upstream_key), project = coalesce(excluded.project, project),"
    " name = coalesce(excluded.name, name), tags = coalesce(excluded.tags, tags),"
    " aliases = coalesce(excluded.aliases, aliases), artifacts = coalesce(excluded.artifacts, artifacts),"
    " upstream_published_at = coalesce(excluded.upstream_published_at, upstream_published_at),"
    " keyed = coalesce(excluded.keyed, keyed)"
)
_RENAME = (
    "insert or ignore into renaming select ?1, digest, project, ?2 from statement"
    " where digest = ?3 and source = ?4 and project != ?2"
)
_STATED = (
    "externalId",
    "upstreamKey",
    "project",
    "name",
    "tags",
    "aliases",
    "artifacts",
    "upstreamPublishedAt",
)
_STATEMENT_FIELDS = ("source", *_STATED)
_LISTS = frozenset({"tags", "aliases", "artifacts"})
_STATEMENT = (
    "select source, external_id, upstream_key, project, name, tags, aliases, artifacts, upstream_published_at"
    " from statement where digest = ? order by folder, source limit 1"
)
_ADD_RUN = "insert or replace into run values (" + ", ".join("?" * 34) + ")"
_NO_VALUE = ("", "", "", None)
_AGAIN = (
    "select digest, file, offset, length from document where digest in again and kind not in"
    " ('ImplementationRevision', 'BenchmarkRun')",
    "select digest, file, offset, length from document where kind = 'ImplementationRevision' and (digest in again"
    " or digest in (select digest from subject where task in again or project in again))",
    "select digest, file, offset, length from document where kind = 'BenchmarkRun' and (digest in again or digest in"
    " (select run.digest from run join subject on subject.digest = run.subject where subject.digest in again"
    " or subject.task in again or subject.project in again or run.project in again))",
)
"""What has to be described anew when `again` says something new: first what has names, then what bears them."""


class Filler:
    """Adds folders of records, oldest first, to an open index.

    Provenance and documents stand in one order, so both are read as one stream: what is stated about a document is at
    hand when its bytes pass by, and every digest is recomputed on the way.
    """

    def __init__(self, database: sqlite3.Connection, records: Path) -> None:
        self._db = database
        self._records = records
        self.groups: set[str] = set()
        """Keys of the comparison groups whose runs were added or described anew."""
        self._task_of = lru_cache(4096)(self._read_task)
        self._workload_of = lru_cache(8192)(self._read_workload)
        self._subject_of = lru_cache(4096)(self._read_subject)
        self._project_of = lru_cache(4096)(self._read_project)
        self._derive: dict[str, Callable[[str, Spec, Spec], None]] = {
            "OperationSpec": self._add_task,
            "WorkloadSuite": self._add_workload,
            "WorkloadCase": self._add_workload,
            "SoftwareProject": self._add_project,
            "ImplementationRevision": self._add_subject,
            "BenchmarkProtocol": self._add_protocol,
            "ExecutionEnvironment": self._add_environment,
            "BenchmarkRun": self._add_run,
        }

    def add(self, folder: Folder) -> None:
        """Take in one folder; raises `ContentError` naming the line whose bytes are not what they should be."""
        snapshot = folder.snapshot
        self._folder = folder.number
        self._published_on: str = snapshot["published_at"]
        self._db.execute(
            "insert into folder values (?, ?, ?, ?, ?)",
            (
                folder.number,
                folder.name,
                "" if folder.is_seal else folder.source,
                self._published_on,
                orjson.dumps(snapshot).decode(),
            ),
        )
        restated = self._add_documents(folder)
        self._derive_again(restated)
        self._add_facts(folder)

    # -- the stream ------------------------------------------------------------------------------------------------

    def _add_documents(self, folder: Folder) -> list[str]:
        """Take in all documents; gives the digests that older folders hold and this one says something new about."""
        restated: list[str] = []
        stated = groupby(folder.provenance(), key=itemgetter("digest"))
        digest = ""
        has_tombstones = folder.has_tombstones
        for file, offset, line in folder.manifests():
            value = orjson.loads(line)
            identity = identity_bytes_of(line)
            found, document = sha256(identity), sha256(line)
            if has_tombstones and (stone := buried(line)):
                (found, document), identity = stone, published_object(value)
                if sha256(identity) != found:
                    self._db.execute("insert or ignore into tombstone values (?)", (found,))
            while digest != found:
                digest, lines = next(stated, ("", iter(())))
                if not digest:
                    raise _unnamed(found, f"{folder.at(file)} at byte {offset}")
                if not self._state(digest, list(lines)):
                    restated.append(digest)
            place = (f"{folder.name}/{file}", offset, len(line))
            self._db.execute(_NEW_VERSION, (document, *place, digest, value["kind"], self._folder))
            if document == self._shown:
                row = (value["kind"], document, *place, len(identity), digest)
                self._db.execute(_SHOW, row)
                if not restated or restated[-1] != digest:
                    self._derive[value["kind"]](digest, value["spec"], value["metadata"])
        for digest, lines in stated:
            if not self._state(digest, list(lines)):
                restated.append(digest)
        return restated

    def _state(self, digest: str, lines: Sequence[Line]) -> bool:
        """Take in what is stated about one document; True if no older folder holds it."""
        last = lines[-1]
        self._shown: str = last["documentDigest"]
        fresh = self._db.execute(_NEW_DOCUMENT, (digest, self._folder)).rowcount == 1
        if not fresh:
            self._db.execute(_SHOW_VERSION, (self._shown, digest))
        for line in lines:
            if "slug" in line:
                self._db.execute("insert or ignore into slug values (?, ?)", (digest, line["slug"]))
            keyed = self._folder if "upstreamKey" in line else None
            if not fresh and "project" in line and line["kind"] == "BenchmarkRun":
                self._db.execute(_RENAME, (self._folder, line["project"], digest, line["source"]))
            self._db.execute(_STATE, (digest, line["source"], self._folder, *_statement_row(line), keyed))
        self._said = lines if fresh else ()
        return fresh

    def _derive_again(self, restated: Iterable[str]) -> None:
        """Describe anew what older folders hold, and all that bears its names."""
        digests = list(restated)
        if not digests:
            return
        self._said = ()
        self._mark(digests)
        for query in _AGAIN:
            # Each step reads the names that the step before it wrote.
            for cached in (self._task_of, self._subject_of, self._project_of):
                cached.cache_clear()
            for digest, file, offset, length in self._db.execute(query).fetchall():
                value = orjson.loads(self._read(file, offset, length))
                self._derive[value["kind"]](digest, value["spec"], value["metadata"])

    def _mark(self, digests: Iterable[str]) -> None:
        self._db.execute("create temp table if not exists again (digest text primary key) without rowid")
        self._db.execute("delete from again")
        self._db.executemany("insert into again values (?)", ((digest,) for digest in digests))

    def _read(self, file: str, offset: int, length: int) -> bytes:
        with (self._records / file).open("rb") as stream:
            stream.seek(offset)
            return stream.read(length)

    def _add_facts(self, folder: Folder) -> None:
        self._db.executemany(
            "insert into fact values (?, ?, ?, ?, ?)",
            (
                (fact["about"], fact["source"], fact["name"], _json(fact["value"]), folder.number)
                for fact in folder.facts()
            ),
        )

    def _statement(self, digest: str) -> Line:
        """What the first source says about a document, with the newest value of each field."""
        if self._said:
            return self._said[0]
        row = self._one(_STATEMENT, digest)
        texts = dict(zip(_STATEMENT_FIELDS, row, strict=True))
        return {
            name: orjson.loads(text) if name in _LISTS else text for name, text in texts.items() if text is not None
        }

    # -- kinds -----------------------------------------------------------------------------------------------------

    def _add_task(self, digest: str, spec: Spec, metadata: Spec) -> None:
        said = self._statement(digest)
        raw = said.get("name") or metadata.get("title") or metadata["name"]
        self._db.execute(
            "insert or replace into task values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                digest,
                self._slug(digest),
                raw,
                operation_name(raw),
                spec["family"],
                said["source"],
                metadata.get("description", ""),
                _json(said.get("tags", [])),
                _json(said.get("aliases", [])),
                _json([name for name, axis in spec["axes"].items() if axis["role"] == "constant"]),
            ),
        )

    def _add_project(self, digest: str, spec: Spec, metadata: Spec) -> None:
        said = self._statement(digest)
        row = (digest, self._slug(digest), said.get("name") or spec["name"], said["source"])
        self._db.execute("insert or replace into project values (?, ?, ?, ?)", row)

    def _add_workload(self, digest: str, spec: Spec, metadata: Spec) -> None:
        kind = "WorkloadSuite" if "cases" in spec else "WorkloadCase"
        task = spec["operationSpecDigest"]
        summary = workload_summary(kind, spec, self._task_of(task)[1])
        row = (digest, kind, task, correctness_digest(spec), summary, len(spec.get("cases", ())))
        self._db.execute("insert or replace into workload values (?, ?, ?, ?, ?, ?)", row)

    def _add_environment(self, digest: str, spec: Spec, metadata: Spec) -> None:
        hardware = spec["hardware"]
        product = hardware["product"]
        title = metadata.get("title") or metadata["name"]
        row = (digest, product, self._hardware_slug(digest, product), hardware["vendor"], hardware["architecture"])
        self._db.execute(
            "insert or replace into environment values (?, ?, ?, ?, ?, ?, ?)", (*row, environment_note(spec), title)
        )

    def _add_protocol(self, digest: str, spec: Spec, metadata: Spec) -> None:
        harness = spec["harness"]
        row = (digest, harness["name"], harness.get("version", ""), metadata.get("title") or metadata["name"])
        self._db.execute("insert or replace into protocol values (?, ?, ?, ?)", row)

    def _add_subject(self, digest: str, spec: Spec, metadata: Spec) -> None:
        said = self._statement(digest)
        task = spec["operation"]["specDigest"]
        project = said.get("project", "")
        title = metadata.get("title") or metadata["name"]
        revision = revision_text(spec)
        name = subject_name(title, self._task_of(task)[0], revision, self._project_of(project)[0])
        has_code = evidence_level(spec, {"evidence": {"logs": {}}}) == "reproducible"
        artifacts = _json(said.get("artifacts", []))
        self._db.execute(
            "insert or replace into subject values (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)",
            (digest, task, project, name, revision, title, said["source"], artifacts, has_code, _has_facts(spec)),
        )

    def _add_run(self, digest: str, spec: Spec, metadata: Spec) -> None:
        said = self._statement(digest)
        task, correctness = self._workload_of(spec["workloadDigest"])
        measured = primary(spec)
        key = GroupKey(
            operation=task,
            workload=spec["workloadDigest"],
            protocol=spec["protocolDigest"],
            environment=spec["environmentDigest"],
            correctness=correctness,
            metric=metric_key(measured),
        )
        subject_project, name, revision, has_code = self._subject_of(spec["implementationDigest"])
        project = said.get("project") or subject_project
        native = spec.get("sourceNative")
        group = key.digest()
        self.groups.add(group)
        first, published_on = self._first_published(digest)
        self._db.execute(
            _ADD_RUN,
            (
                digest,
                group,
                key.siblings(),
                said["source"],
                said.get("externalId", ""),
                said.get("upstreamKey", ""),
                spec["implementationDigest"],
                project,
                task,
                spec["workloadDigest"],
                spec["protocolDigest"],
                spec["environmentDigest"],
                spec["status"],
                *((measured.metric, measured.statistic, measured.unit, measured.value) if measured else _NO_VALUE),
                evidence_level({"source": True} if has_code else {}, spec),
                native is not None,
                spec["observedAt"],
                published_on,
                said.get("upstreamPublishedAt", ""),
                first,
                name,
                revision,
                *self._project_of(project),
                _json(native.get("metrics", {}) if native else {}),
                "[]",
                *(0, 0, 0, 0, ""),
            ),
        )

    # -- look-ups --------------------------------------------------------------------------------------------------

    def _one(self, query: str, digest: str) -> tuple[Any, ...]:
        """The one row about `digest`; raises `ContentError` when a record refers to what no record holds."""
        row: tuple[Any, ...] | None = self._db.execute(query, (digest,)).fetchone()
        if row is None:
            raise ContentError(
                "record-dangling",
                f"a record refers to {digest}, which no record holds",
                at=PLACE,
                hint="a folder of records is missing; restore it from version control",
            )
        return row

    def _slug(self, digest: str) -> str:
        return str(self._one("select slug from slug where digest = ?", digest)[0])

    def _hardware_slug(self, digest: str, product: str) -> str:
        row = self._db.execute("select slug from slug where digest = ?", (digest,)).fetchone()
        if row is None:
            row = self._one("select slug from environment where product = ? limit 1", product)
        return str(row[0])

    def _first_published(self, digest: str) -> tuple[int, str]:
        """Number and date of the first folder that holds a run."""
        if self._said:
            return self._folder, self._published_on
        query = "select number, published_on from folder where number = (select folder from document where digest = ?)"
        number, published_on = self._one(query, digest)
        return number, published_on

    def _read_task(self, digest: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All names of an operation, and the names of its constant axes."""
        raw, slug, aliases, constants = self._one(
            "select raw, slug, aliases, constants from task where digest = ?", digest
        )
        return (raw, slug, *orjson.loads(aliases)), tuple(orjson.loads(constants))

    def _read_workload(self, digest: str) -> tuple[str, str]:
        task, correctness = self._one("select task, correctness from workload where digest = ?", digest)
        return task, correctness

    def _read_subject(self, digest: str) -> tuple[Any, ...]:
        return self._one("select project, name, revision, has_code from subject where digest = ?", digest)

    def _read_project(self, digest: str) -> tuple[str, str]:
        """Display name and slug; both empty where no project is known."""
        if not digest:
            return "", ""
        name, slug = self._one("select name, slug from project where digest = ?", digest)
        return name, slug


def _has_facts(spec: Spec) -> bool:
    """Whether an implementation states facts that deserve a page: source, licence, repository or a way to install."""
    revision = spec.get("projectRevision", {})
    return bool(spec.get("source") or spec.get("licensing") or spec.get("buildVariants") or revision.get("repository"))


def _statement_row(line: Line) -> tuple[Any, ...]:
    return tuple(_json(line[name]) if name in _LISTS and name in line else line.get(name) for name in _STATED)


def _unnamed(digest: str, at: str) -> ContentError:
    problem = f"the document hashes to {digest}, which provenance.jsonl does not name"
    hint = "records are written once; restore the folder from version control"
    return ContentError("record-digest", problem, at=at, hint=hint)


def _json(value: object) -> str:
    return orjson.dumps(value).decode()

"""Reading records into the index: every document's digests are recomputed on the way in."""

import sqlite3
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import orjson

from ..canonical import sha256
from ..errors import ContentError
from ..format import operation_name
from ..ranking.eligibility import evidence_level
from ..ranking.group import GroupKey, correctness_digest, metric_key, primary
from ..store import Folder
from .labels import environment_note, revision_text, subject_name, workload_summary
from .reader import identity_bytes_of

Spec = dict[str, Any]


class Filler:
    """Adds folders of records, oldest first, to an open index."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self._task_of = lru_cache(4096)(self._read_task)
        self._workload_of = lru_cache(8192)(self._read_workload)
        self._project_name = lru_cache(4096)(self._read_project_name)
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
        self._db.execute(
            "insert into folder values (?, ?, ?, ?, ?)",
            (folder.number, folder.name, folder.source, snapshot["published_at"], orjson.dumps(snapshot).decode()),
        )
        self._add_provenance(folder)
        self._add_manifests(folder)
        self._add_facts(folder)

    # -- what was stated ---------------------------------------------------------------------------------------

    def _add_provenance(self, folder: Folder) -> None:
        for line in folder.provenance():
            digest, source = line["digest"], line["source"]
            self._db.execute(
                "insert into document (digest, document_digest, folder) values (?, ?, ?)"
                " on conflict (digest) do update set document_digest = excluded.document_digest",
                (digest, line["documentDigest"], folder.number),
            )
            if "slug" in line:
                self._db.execute(
                    "insert or ignore into slug (digest, slug, name) values (?, ?, ?)",
                    (digest, line["slug"], line.get("name", "")),
                )
            self._db.execute(
                "insert into statement values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (digest, source) do update set"
                " external_id = coalesce(excluded.external_id, external_id),"
                " upstream_key = coalesce(excluded.upstream_key, upstream_key),"
                " project = coalesce(excluded.project, project), tags = excluded.tags, aliases = excluded.aliases,"
                " artifacts = excluded.artifacts,"
                " upstream_published_at = coalesce(excluded.upstream_published_at, upstream_published_at)",
                (
                    digest,
                    source,
                    folder.number,
                    line.get("externalId"),
                    line.get("upstreamKey"),
                    line.get("project"),
                    _json(line.get("tags", [])),
                    _json(line.get("aliases", [])),
                    _json(line.get("artifacts", [])),
                    line.get("upstreamPublishedAt"),
                ),
            )

    def _add_facts(self, folder: Folder) -> None:
        self._db.executemany(
            "insert into fact values (?, ?, ?, ?, ?)",
            (
                (fact["about"], fact["source"], fact["name"], _json(fact["value"]), folder.number)
                for fact in folder.facts()
            ),
        )

    # -- documents ---------------------------------------------------------------------------------------------

    def _add_manifests(self, folder: Folder) -> None:
        restated = {
            row[0]: row[1]
            for row in self._db.execute("select digest, document_digest from document where file is null")
        }
        for file, offset, line in folder.manifests():
            value = orjson.loads(line)
            document_digest = sha256(line)
            identity = identity_bytes_of(line, value)
            digest = sha256(identity)
            place = (f"{folder.name}/{file}", offset, len(line))
            self._db.execute("insert or ignore into version values (?, ?, ?, ?)", (document_digest, *place))
            shown = self._db.execute("select document_digest from document where digest = ?", (digest,)).fetchone()
            if shown is None:
                problem = f"the document hashes to {digest}, which provenance.jsonl does not name"
                raise ContentError(
                    "record-digest",
                    problem,
                    at=f"content/records/{folder.name}/{file} at byte {offset}",
                    hint="records are written once; restore the folder from version control",
                )
            if shown[0] != document_digest:
                continue
            restated.pop(digest, None)
            self._db.execute(
                "update document set kind = ?, file = ?, offset = ?, length = ?, identity_bytes = ? where digest = ?",
                (value["kind"], *place, len(identity), digest),
            )
            self._derive[value["kind"]](digest, value["spec"], value["metadata"])
        self._missing(folder, restated)

    def _missing(self, folder: Folder, restated: dict[str, str]) -> None:
        for digest, document_digest in restated.items():
            row = self._db.execute(
                "select file, offset, length from version where document_digest = ?", (document_digest,)
            ).fetchone()
            if row is None:
                raise ContentError(
                    "record-missing",
                    f"provenance names {digest} but no folder holds its document",
                    at=f"content/records/{folder.name}/provenance.jsonl",
                    hint="records are written once; restore the folder from version control",
                )

    def _statement(self, digest: str) -> tuple[Any, ...]:
        return self._one(
            "select source, external_id, upstream_key, project, tags, aliases, artifacts, upstream_published_at"
            " from statement where digest = ? order by folder, source limit 1",
            digest,
        )

    # -- kinds ---------------------------------------------------------------------------------------------------

    def _add_task(self, digest: str, spec: Spec, metadata: Spec) -> None:
        source, _, _, _, tags, aliases, _, _ = self._statement(digest)
        raw = metadata.get("title") or metadata["name"]
        slug = self._slug(digest)
        constants = [name for name, axis in spec["axes"].items() if axis["role"] == "constant"]
        row = (digest, slug, raw, operation_name(raw), spec["family"], source, metadata.get("description", ""))
        self._db.execute(
            "insert or replace into task values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, tags, aliases, _json(constants)),
        )
        self._task_of.cache_clear()

    def _add_project(self, digest: str, spec: Spec, metadata: Spec) -> None:
        slug, name = self._one("select slug, name from slug where digest = ?", digest)
        source = self._statement(digest)[0]
        self._db.execute(
            "insert or replace into project values (?, ?, ?, ?)", (digest, slug, name or spec["name"], source)
        )

    def _add_workload(self, digest: str, spec: Spec, metadata: Spec) -> None:
        kind = "WorkloadSuite" if "cases" in spec else "WorkloadCase"
        constants = self._task_of(spec["operationSpecDigest"])[1]
        self._db.execute(
            "insert or replace into workload values (?, ?, ?, ?, ?, ?)",
            (
                digest,
                kind,
                spec["operationSpecDigest"],
                correctness_digest(spec),
                workload_summary(kind, spec, constants),
                len(spec.get("cases", ())),
            ),
        )

    def _add_environment(self, digest: str, spec: Spec, metadata: Spec) -> None:
        hardware = spec["hardware"]
        self._db.execute(
            "insert or replace into environment values (?, ?, ?, ?, ?, ?, ?)",
            (
                digest,
                hardware["product"],
                self._hardware_slug(digest, hardware["product"]),
                hardware["vendor"],
                hardware["architecture"],
                environment_note(spec),
                metadata.get("title") or metadata["name"],
            ),
        )

    def _add_protocol(self, digest: str, spec: Spec, metadata: Spec) -> None:
        harness = spec["harness"]
        title = metadata.get("title") or metadata["name"]
        row = (digest, harness["name"], harness.get("version", ""), title)
        self._db.execute("insert or replace into protocol values (?, ?, ?, ?)", row)

    def _add_subject(self, digest: str, spec: Spec, metadata: Spec) -> None:
        source, _, _, project, _, _, artifacts, _ = self._statement(digest)
        task = spec["operation"]["specDigest"]
        title = metadata.get("title") or metadata["name"]
        revision = revision_text(spec)
        name = subject_name(title, self._task_of(task)[0], revision, self._project_name(project or ""))
        has_code = evidence_level(spec, {"evidence": {"logs": {}}}) == "reproducible"
        self._db.execute(
            "insert or replace into subject values (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)",
            (digest, task, project or "", name, revision, title, source, artifacts, has_code, _has_facts(spec)),
        )

    def _add_run(self, digest: str, spec: Spec, metadata: Spec) -> None:
        source, external_id, upstream_key, project, _, _, _, upstream_published = self._statement(digest)
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
        subject = self._one(
            "select project, name, revision, has_code from subject where digest = ?", spec["implementationDigest"]
        )
        owner = project or subject[0]
        owner_row = self._db.execute("select name, slug from project where digest = ?", (owner,)).fetchone()
        level = evidence_level({"source": True} if subject[3] else {}, spec)
        native = spec.get("sourceNative")
        self._db.execute(
            "insert or replace into run values (" + ", ".join("?" * 34) + ")",
            (
                digest,
                key.digest(),
                key.siblings(),
                source,
                external_id or "",
                upstream_key or "",
                spec["implementationDigest"],
                owner,
                task,
                spec["workloadDigest"],
                spec["protocolDigest"],
                spec["environmentDigest"],
                spec["status"],
                measured.metric if measured else "",
                measured.statistic if measured else "",
                measured.unit if measured else "",
                measured.value if measured else None,
                level,
                native is not None,
                spec["observedAt"],
                self._published_on(digest),
                upstream_published or "",
                self._first_folder(digest),
                subject[1],
                subject[2],
                owner_row[0] if owner_row else "",
                owner_row[1] if owner_row else "",
                _json((native or {}).get("metrics", {})),
                "[]",
                0,
                0,
                0,
                0,
                "",
            ),
        )

    # -- look-ups ------------------------------------------------------------------------------------------------

    def _one(self, query: str, digest: str) -> tuple[Any, ...]:
        """The one row about `digest`; raises `ContentError` when a record refers to what no record holds."""
        row: tuple[Any, ...] | None = self._db.execute(query, (digest,)).fetchone()
        if row is None:
            raise ContentError(
                "record-dangling",
                f"a record refers to {digest}, which no record holds",
                at="content/records",
                hint="a folder of records is missing; restore it from version control",
            )
        return row

    def _slug(self, digest: str) -> str:
        return str(self._one("select slug from slug where digest = ?", digest)[0])

    def _hardware_slug(self, digest: str, product: str) -> str:
        row = self._db.execute("select slug from slug where digest = ?", (digest,)).fetchone()
        if row is None:
            row = self._db.execute("select slug from environment where product = ? limit 1", (product,)).fetchone()
        return str(row[0])

    def _first_folder(self, digest: str) -> int:
        return int(self._one("select folder from document where digest = ?", digest)[0])

    def _published_on(self, digest: str) -> str:
        row = self._db.execute(
            "select published_on from folder where number = ?", (self._first_folder(digest),)
        ).fetchone()
        return str(row[0])

    def _read_task(self, digest: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All names of an operation, and the names of its constant axes."""
        raw, slug, aliases, constants = self._one(
            "select raw, slug, aliases, constants from task where digest = ?", digest
        )
        return (raw, slug, *orjson.loads(aliases)), tuple(orjson.loads(constants))

    def _read_workload(self, digest: str) -> tuple[str, str]:
        task, correctness = self._one("select task, correctness from workload where digest = ?", digest)
        return task, correctness

    def _read_project_name(self, digest: str) -> str:
        row = self._db.execute("select name from project where digest = ?", (digest,)).fetchone()
        return row[0] if row else ""


def _has_facts(spec: Spec) -> bool:
    """Whether an implementation states facts that deserve a page: source, licence, repository or a way to install."""
    revision = spec.get("projectRevision", {})
    return bool(spec.get("source") or spec.get("licensing") or spec.get("buildVariants") or revision.get("repository"))


def _json(value: object) -> str:
    return orjson.dumps(value).decode()

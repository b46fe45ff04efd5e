"""The rows of a catalog export, table by table: each becomes statements, or the reason why not."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import orjson

from ..canonical import digest_of, sha256
from ..manifests import Manifest
from .base import Fact, Finding, Statement
from .entries import CONFLICTING_COPIES, IDENTICAL_COPY, MALFORMED, Entry, Refused, is_object, sealed, stated, text
from .instants import instant
from .kernelindex_parts import Sources
from .kernelindex_survey import SHIPPED, Survey, addresses
from .kernelindex_taken import Implementation, Run, Taken, Workload
from .packed import PackedSet

UNREFERENCED = "UNREFERENCED"
"""An artifact that no manifest names: there is nothing it could be shown with."""

_SOL = "sol-execbench"
_KERNELBOT = "gpumode-kernelbot"
_RETRACTION = ("retractedAt", "retractionReason")
_MAX_SHARED = 4096

_COMMON = ("id", "createdAt", "manifest", "slug", "schemaVersion", "supersedesId", "name", "licenseExpression")
_RUN_KEYS = (
    *("runDigest", "comparisonKey", "correctnessKey", "protocolKey", "environmentKey", "environmentSummary"),
    *("implementationId", "workloadId", "sourceId", "sourceNative", "sourceAvailable", "status", "installable"),
    *("primaryMetric", "primaryStatistic", "primaryUnit", "primaryValue", "sampleCount", "observedAt", "publishedAt"),
    *("uncertaintyLow", "uncertaintyHigh", "hardwareVendor", "hardwareModel", "hardwareArchitecture", "cudaMajor"),
    *("driverMajor", "hasRawEvidence", "reported", "reproducedByKernelindex", "independentReplicationCount"),
    *_RETRACTION,
)
TABLE_KEYS = {
    "sources": frozenset((*_COMMON, "kind", "policy")),
    "projects": frozenset((*_COMMON, "normalizedName", "canonicalUrl")),
    "operations": frozenset((*_COMMON, "family", "semanticDigest", "tags")),
    "operation_aliases": frozenset(("alias", "operationId")),
    "workloads": frozenset((*_COMMON, "dtypes", "layoutKeys", "operationId", "shapeSummary", "workloadDigest")),
    "implementations": frozenset(
        (
            *_COMMON,
            *("framework", "implementationDigest", "installCommand", "installKind", "installable", "language"),
            *("licenseDeclared", "operationId", "projectId", "sourceAvailable", "sourceRevision", "title"),
            "targetArchitectures",
        )
    ),
    "benchmark_runs": frozenset((*_COMMON, *_RUN_KEYS)),
    "measurements": frozenset(("id", "metric", "runId", "sampleCount", "statistic", "unit", "value")),
    "record_events": frozenset(
        ("at", "cause", "comparisonKey", "createdAt", "id", "policyVersion", "previousRunId", "runId")
    ),
    "artifacts": frozenset(
        ("contentDigest", "createdAt", "id", "kind", "license", "mediaType", "sizeBytes", "storage", "uri")
    ),
}
"""The columns that each table is known to have."""

Kept = TypeVar("Kept", covariant=True)


class _Rows(Protocol[Kept]):
    """Rows that were taken, by their ids."""

    def get(self, row_id: str, /) -> Kept | None: ...


@dataclass(slots=True)
class Rows:
    """Takes rows in an order in which what a row refers to came before it."""

    survey: Survey
    sources: dict[str, str] = field(default_factory=dict)
    """Slugs by row id."""
    _projects: dict[str, str] = field(default_factory=dict)
    _operations: dict[str, str] = field(default_factory=dict)
    _workloads: Taken[Workload] = field(default_factory=lambda: Taken(Workload))
    _implementations: Taken[Implementation] = field(default_factory=lambda: Taken(Implementation))
    _runs: Taken[Run] = field(default_factory=lambda: Taken(Run))
    _artifacts: PackedSet = field(default_factory=PackedSet)
    """Content digests that manifests name."""
    _shared: dict[bytes, Manifest] = field(default_factory=dict)
    _rules: dict[bytes, str] = field(default_factory=dict)
    _given: set[tuple[str, str]] = field(default_factory=set)

    def convert(self, table: str, row: Entry, at: str) -> list[Finding]:
        """The findings of a row of a known table; raises `Refused` with a place inside the row."""
        return _TABLES[table](self, row, at)

    # -- tables --------------------------------------------------------------------------------------------------

    def _source(self, row: Entry, _: str) -> list[Finding]:
        row_id, slug = text(row, "id"), text(row, "slug")
        if slug not in SHIPPED:
            raise Refused(MALFORMED, f"{slug!r} is none of the sources that an export may speak for", "slug")
        _require_new(self.sources, row_id, slug)
        self.sources[row_id] = slug
        return []

    def _project(self, row: Entry, at: str) -> list[Finding]:
        row_id, name = text(row, "id"), text(row, "name")
        manifest = _manifest(row, "SoftwareProject")
        sources = _require_sources(self.survey.of_project(row_id, addresses(manifest.value)))
        _require_new(self._projects, row_id, manifest.digest)
        self._projects[row_id] = manifest.digest
        return [Statement(manifest, source, name=name, at=at) for source in sorted(sources)]

    def _operation(self, row: Entry, at: str) -> list[Finding]:
        row_id, name, tags = text(row, "id"), text(row, "name"), _tags(row)
        manifest = _manifest(row, "OperationSpec", "semanticDigest")
        sources = _require_sources(self.survey.of_operation(row_id))
        _require_new(self._operations, row_id, manifest.digest)
        self._operations[row_id] = manifest.digest
        aliases = tuple(dict.fromkeys(self.survey.aliases.get(row_id, ())))
        return [Statement(manifest, source, name=name, tags=tags, aliases=aliases, at=at) for source in sorted(sources)]

    def _alias(self, row: Entry, _: str) -> list[Finding]:
        text(row, "alias")
        _referred(self._operations, row, "operationId")
        return []

    def _workload(self, row: Entry, at: str) -> list[Finding]:
        row_id = text(row, "id")
        operation = _referred(self._operations, row, "operationId")
        manifest = _manifest(row, ("WorkloadCase", "WorkloadSuite"), "workloadDigest")
        _require_same(manifest.spec["operationSpecDigest"], operation, "operationSpecDigest", "operationId")
        sources = _require_sources(self.survey.of_part(row_id, row["operationId"]))
        _require_new(self._workloads, row_id, manifest.digest)
        rule = self._rule(manifest.spec["correctness"])
        self._workloads[row_id] = Workload(manifest.digest, operation, rule)
        return [Statement(manifest, source, at=at) for source in sorted(sources)]

    def _implementation(self, row: Entry, at: str) -> list[Finding]:
        row_id = text(row, "id")
        operation = _referred(self._operations, row, "operationId")
        project = _referred(self._projects, row, "projectId")
        manifest = _manifest(row, "ImplementationRevision", "implementationDigest")
        _require_same(manifest.spec["operation"]["specDigest"], operation, "specDigest", "operationId")
        sources = self.survey.of_part(row_id, row["operationId"]) or self.survey.by_address(addresses(manifest.value))
        _require_sources(sources)
        _require_new(self._implementations, row_id, manifest.digest)
        self._implementations[row_id] = Implementation(manifest.digest, project)
        artifacts = self._named(_implementation_artifacts(manifest.spec))
        return [Statement(manifest, source, project=project, artifacts=artifacts, at=at) for source in sorted(sources)]

    def _run(self, row: Entry, at: str) -> list[Finding]:
        row_id, manifests = text(row, "id"), row.get("manifest")
        if not is_object(manifests):
            raise Refused(MALFORMED, "the manifests of a run are no object", "manifest")
        source = _referred(self.sources, row, "sourceId")
        workload = _referred(self._workloads, row, "workloadId")
        implementation = _referred(self._implementations, row, "implementationId")
        run = _manifest(row, "BenchmarkRun", "runDigest", "manifest", "run")
        protocol = self._shared_manifest(row, "BenchmarkProtocol", "protocol")
        environment = self._shared_manifest(row, "ExecutionEnvironment", "environment")
        _require_references(run.spec, implementation, workload, protocol, environment)
        for manifest, key in ((protocol, "protocolKey"), (environment, "environmentKey")):
            _require_stated(row, key, manifest.digest)
        if row.get("comparisonKey") is not None:
            _require_stated(row, "comparisonKey", _comparison_key(run.spec, workload))
        published = _published(row)
        _require_new(self._runs, row_id, run.digest)
        self._runs[row_id] = Run(run.digest)
        external = _external_id(run.spec, source)
        statement = Statement(
            run,
            source,
            external_id=external,
            upstream_key=_upstream_key(run.spec, source, external),
            project=implementation.project,
            # The catalogue's own addresses are made of these ids, so that links to them can be followed here.
            aliases=(row_id,),
            artifacts=self._named(_run_artifacts(run.spec)),
            upstream_published_at=published,
            at=at,
        )
        facts = [Fact(run.digest, source, name, value) for name, value in stated(row, _RETRACTION).items()]
        return [*self._new(protocol, source, at), *self._new(environment, source, at), statement, *facts]

    def _of_run(self, row: Entry, _: str) -> list[Finding]:
        """Measurements and record events repeat what runs state and what rankings follow from: only checked."""
        _referred(self._runs, row, "runId")
        if row.get("previousRunId") is not None:
            _referred(self._runs, row, "previousRunId")
        return []

    def _artifact(self, row: Entry, _: str) -> list[Finding]:
        if text(row, "contentDigest") not in self._artifacts:
            raise Refused(UNREFERENCED, "no manifest that was taken names this artifact", "contentDigest")
        return []

    # -- shared --------------------------------------------------------------------------------------------------

    def _shared_manifest(self, row: Entry, kind: str, name: str) -> Manifest:
        """A document that stands in many rows: the same text is validated once."""
        try:
            spelled = kind.encode() + orjson.dumps(row["manifest"].get(name))
        except TypeError:  # nested too deeply for the writer, and for any manifest
            raise Refused(MALFORMED, "nested too deeply", "manifest", name) from None
        known = self._shared.get(spelled)
        if known is None:
            known = _manifest(row, kind, None, "manifest", name)
            if len(self._shared) >= _MAX_SHARED:
                self._shared.clear()
            self._shared[spelled] = known
        return known

    def _rule(self, correctness: Entry) -> str:
        """The digest of a correctness rule; an export has few of them."""
        spelled = orjson.dumps(correctness)
        if spelled not in self._rules:
            if len(self._rules) >= _MAX_SHARED:
                self._rules.clear()
            self._rules[spelled] = digest_of({"correctness": correctness})
        return self._rules[spelled]

    def _new(self, manifest: Manifest, source: str, at: str) -> list[Finding]:
        key = (manifest.document_digest, source)
        if key in self._given:
            return []
        self._given.add(key)
        return [Statement(manifest, source, at=at)]

    def _named(self, digests: list[str]) -> tuple[Entry, ...]:
        named = []
        for digest in dict.fromkeys(digests):
            if (entry := self.survey.artifacts.get(digest)) is not None:
                self._artifacts.add(digest)
                named.append(entry)
        return tuple(named)


_TABLES: dict[str, Callable[[Rows, Entry, str], list[Finding]]] = {
    "sources": Rows._source,
    "projects": Rows._project,
    "operations": Rows._operation,
    "operation_aliases": Rows._alias,
    "workloads": Rows._workload,
    "implementations": Rows._implementation,
    "benchmark_runs": Rows._run,
    "measurements": Rows._of_run,
    "record_events": Rows._of_run,
    "artifacts": Rows._artifact,
}


def _manifest(row: Entry, kind: str | tuple[str, ...], digest: str | None = None, *path: str) -> Manifest:
    """The manifest of a row, of the right kind, whose digest is the one that the row states."""
    place = path or ("manifest",)
    value: Any = row
    for name in place:
        value = value.get(name)
    if not is_object(value):
        raise Refused(MALFORMED, "a manifest must be a JSON object", *place)
    manifest = sealed(value, place=place)
    if manifest.kind not in ((kind,) if type(kind) is str else kind):
        raise Refused(MALFORMED, f"a {manifest.kind} does not belong here", *place, "kind")
    if digest is not None:
        _require_stated(row, digest, manifest.digest)
    return manifest


def _require_stated(row: Entry, key: str, digest: str) -> None:
    if row.get(key) != digest:
        raise Refused(MALFORMED, f"{key} is not that of the manifest, which gives {digest}", key)


def _require_same(named: str, referred: str, field: str, key: str) -> None:
    if named != referred:
        raise Refused(MALFORMED, f"the manifest's {field} is not the digest of the row that {key} names", key)


def _require_references(
    spec: Entry, implementation: Implementation, workload: Workload, protocol: Manifest, environment: Manifest
) -> None:
    _require_same(spec["implementationDigest"], implementation.digest, "implementationDigest", "implementationId")
    _require_same(spec["workloadDigest"], workload.digest, "workloadDigest", "workloadId")
    _require_same(spec["protocolDigest"], protocol.digest, "protocolDigest", "manifest")
    _require_same(spec["environmentDigest"], environment.digest, "environmentDigest", "manifest")


def _referred(taken: _Rows[Kept], row: Entry, key: str) -> Kept:
    row_id = text(row, key)
    kept = taken.get(row_id)
    if kept is None:
        raise Refused(MALFORMED, f"{key} names a row that is missing or was not taken", key)
    return kept


def _require_new(taken: _Rows[str | Workload | Implementation | Run], row_id: str, digest: str) -> None:
    known = taken.get(row_id)
    if known is None:
        return
    if (known if isinstance(known, str) else known.digest) == digest:
        raise Refused(IDENTICAL_COPY, "the same row stands elsewhere; it counts once", "id")
    raise Refused(CONFLICTING_COPIES, "another row has the same id", "id")


def _require_sources(sources: Sources) -> Sources:
    if not sources:
        raise Refused(MALFORMED, "no run and no address says which source it is of")
    return sources


def _tags(row: Entry) -> tuple[str, ...]:
    tags = row.get("tags") or []
    if type(tags) is not list or not all(type(tag) is str for tag in tags):
        raise Refused(MALFORMED, "tags is not an array of strings", "tags")
    return tuple(dict.fromkeys(filter(None, tags)))


def _published(row: Entry) -> str | None:
    spelled = row.get("publishedAt")
    if spelled is None:
        return None
    moment = instant(spelled) if type(spelled) is str else None
    if moment is None:
        raise Refused(MALFORMED, "publishedAt is no instant", "publishedAt")
    return moment


def _comparison_key(spec: Entry, workload: Workload) -> str:
    """The key of a run's comparison group, to hold against the one that the row states."""
    timing, measurements = spec.get("timing"), spec.get("measurements")
    metric = "none"
    if timing is not None:
        metric = f"latency:{timing['primaryStatistic']}:ns"
    elif measurements:
        metric = ":".join(measurements[0][name] for name in ("metric", "statistic", "unit"))
    # Digests and tokens hold nothing that JSON would escape, and the keys stand in canonical order.
    body = (
        f'{{"correctness":"{workload.correctness}","environment":"{spec["environmentDigest"]}","metric":"{metric}",'
        f'"operation":"{workload.operation}","protocol":"{spec["protocolDigest"]}","v":1,'
        f'"workload":"{workload.digest}"}}'
    )
    return sha256(body.encode())


def _external_id(spec: Entry, source: str) -> str | None:
    external: str | None = spec.get("sourceNative", {}).get("externalId")
    return f"submission/{external}" if external is not None and source == _SOL else external


def _upstream_key(spec: Entry, source: str, external: str | None) -> str | None:
    if external is None or source not in (_SOL, _KERNELBOT):
        return None
    if source == _SOL:
        return external
    # One submission is measured on several workloads and runners.
    return f"{external}/{_twelve(spec['workloadDigest'])}/{_twelve(spec['environmentDigest'])}"


def _twelve(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]


def _implementation_artifacts(spec: Entry) -> list[str]:
    named = (spec.get("source", {}).get("contentDigest"), spec["licensing"].get("evidence", {}).get("digest"))
    return [digest for digest in named if digest is not None]


def _run_artifacts(spec: Entry) -> list[str]:
    evidence = spec.get("evidence", {})
    named = (evidence.get("logs"), evidence.get("rawSamples"), spec.get("timing", {}).get("rawSamples"))
    return [reference["digest"] for reference in named if reference is not None]

"""What the index takes from a document by itself, read while its bytes pass by; the rest of it is let go at once."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..ranking.eligibility import evidence_level
from ..ranking.group import correctness_digest, metric_key, primary
from .labels import environment_note, revision_text, workload_summary
from .statements import json_text

Spec = dict[str, Any]


class Task(NamedTuple):
    """Of an operation."""

    title: str
    family: str
    description: str
    constants: str
    """Names of its constant axes, JSON."""


class Workload(NamedTuple):
    """Of a suite or a case."""

    kind: str
    task: str
    correctness: str
    summary: str
    """Of a suite; empty for a case, whose summary leaves out what its operation says."""
    axes: Mapping[str, int]
    """Of a case."""
    cases: int


class Subject(NamedTuple):
    """Of an implementation."""

    task: str
    title: str
    revision: str
    has_code: int
    has_facts: int


class Run(NamedTuple):
    """Of a run."""

    implementation: str
    workload: str
    protocol: str
    environment: str
    status: str
    metric: str
    statistic: str
    unit: str
    value: float | int | None
    metric_key: str
    evidence: str
    """Level of the evidence if the implementation's code is available."""
    native: int
    observed_at: str
    metrics: str
    """The source's own metrics, JSON."""


def gist_of(kind: str, document: Spec) -> Any:
    """The gist of a document: one of the classes above, or plain columns."""
    return _GISTS[kind](document["spec"], document["metadata"])


def _title(metadata: Spec) -> str:
    title: str = metadata.get("title") or metadata["name"]
    return title


def _task(spec: Spec, metadata: Spec) -> Task:
    constants = [name for name, axis in spec["axes"].items() if axis["role"] == "constant"]
    return Task(_title(metadata), spec["family"], metadata.get("description", ""), json_text(constants))


def _suite(spec: Spec, metadata: Spec) -> Workload:
    summary = workload_summary("WorkloadSuite", spec, ())
    task = spec["operationSpecDigest"]
    return Workload("WorkloadSuite", task, correctness_digest(spec), summary, {}, len(spec["cases"]))


def _case(spec: Spec, metadata: Spec) -> Workload:
    return Workload("WorkloadCase", spec["operationSpecDigest"], correctness_digest(spec), "", spec["axes"], 0)


def _project(spec: Spec, metadata: Spec) -> tuple[str]:
    return (spec["name"],)


def _subject(spec: Spec, metadata: Spec) -> Subject:
    has_code = evidence_level(spec, {"evidence": {"logs": {}}}) == "reproducible"
    revision = spec.get("projectRevision", {})
    stated = (spec.get("source"), spec.get("licensing"), spec.get("buildVariants"), revision.get("repository"))
    # Flags are numbers here, because the driver looks up an adapter for each bool.
    flags = int(has_code), int(any(stated))
    return Subject(spec["operation"]["specDigest"], _title(metadata), revision_text(spec), *flags)


def _protocol(spec: Spec, metadata: Spec) -> tuple[str, str, str]:
    harness = spec["harness"]
    return harness["name"], harness.get("version", ""), _title(metadata)


def _environment(spec: Spec, metadata: Spec) -> tuple[str, str, str, str, str]:
    hardware = spec["hardware"]
    architecture = hardware["architecture"]
    return hardware["product"], hardware["vendor"], architecture, environment_note(spec), _title(metadata)


def _run(spec: Spec, metadata: Spec) -> Run:
    measured = primary(spec)
    native = spec.get("sourceNative")
    return Run(
        spec["implementationDigest"],
        spec["workloadDigest"],
        spec["protocolDigest"],
        spec["environmentDigest"],
        spec["status"],
        *((measured.metric, measured.statistic, measured.unit, measured.value) if measured else ("", "", "", None)),
        metric_key(measured),
        evidence_level({"source": True}, spec),
        int(native is not None),
        spec["observedAt"],
        json_text(native["metrics"]) if native and "metrics" in native else "{}",
    )


_GISTS: dict[str, Callable[[Spec, Spec], Any]] = {
    "OperationSpec": _task,
    "WorkloadSuite": _suite,
    "WorkloadCase": _case,
    "SoftwareProject": _project,
    "ImplementationRevision": _subject,
    "BenchmarkProtocol": _protocol,
    "ExecutionEnvironment": _environment,
    "BenchmarkRun": _run,
}

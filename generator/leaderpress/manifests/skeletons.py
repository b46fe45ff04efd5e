"""What is never removed from a document: the parts by which runs find their groups."""

from collections.abc import Mapping
from typing import Any

from ..canonical import digest_of

Document = Mapping[str, Any]

MARK = "[redacted]"
"""What is shown in the place of a removed text."""
NAME_MARK = "redacted"
"""The same in names that have only a-z, 0-9 and hyphens."""
GONE = "redacted"
"""Status of a run that was removed as a whole; with it no run ranks."""


def skeleton(kind: str, spec: Document) -> dict[str, Any]:
    """What is kept of a document that goes as a whole: references and what groups are made of, the rest is dull."""
    return _SKELETONS[kind](spec)


def rule_digest(kind: str, spec: Document) -> dict[str, str]:
    """The digest of a workload's correctness rule, which is part of comparison keys; other kinds have none."""
    if not kind.startswith("Workload"):
        return {}
    return {"correctnessDigest": spec.get("correctnessDigest") or digest_of({"correctness": spec["correctness"]})}


def _suite(spec: Document) -> dict[str, Any]:
    return {
        **_workload("WorkloadSuite", spec),
        "cases": [],
        "aggregation": {"metric": "unspecified", "statistic": "unspecified"},
    }


def _case(spec: Document) -> dict[str, Any]:
    return {**_workload("WorkloadCase", spec), "axes": {}, "tensors": {}}


def _workload(kind: str, spec: Document) -> dict[str, Any]:
    kept = {"operationSpecDigest": spec["operationSpecDigest"], **rule_digest(kind, spec)}
    return {**kept, "correctness": {"comparator": MARK}}


def _implementation(spec: Document) -> dict[str, Any]:
    return {
        "operation": {"specDigest": spec["operation"]["specDigest"]},
        "projectRevision": {},
        "callable": {"language": "unknown"},
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": {},
    }


def _protocol(spec: Document) -> dict[str, Any]:
    return {
        "harness": {"name": MARK},
        "measurement": {"timer": MARK, "primaryStatistic": spec["measurement"]["primaryStatistic"]},
        "correctness": {"reference": MARK, "comparator": MARK},
    }


def _run(spec: Document) -> dict[str, Any]:
    kept: dict[str, Any] = {name: spec[name] for name in _RUN_KEPT}
    if "timing" in spec:
        kept["timing"] = {"primaryStatistic": spec["timing"]["primaryStatistic"], "latencyNs": {}}
    elif measured := spec.get("measurements"):
        kept["measurements"] = [{name: measured[0][name] for name in ("metric", "statistic", "unit")}]
    return {**kept, "status": GONE}


_RUN_KEPT = ("implementationDigest", "workloadDigest", "protocolDigest", "environmentDigest", "observedAt")
_SKELETONS = {
    "OperationSpec": lambda spec: {
        "family": NAME_MARK,
        "axes": {},
        "inputs": [],
        "outputs": [],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    },
    "WorkloadSuite": _suite,
    "WorkloadCase": _case,
    "SoftwareProject": lambda spec: {"name": MARK},
    "ImplementationRevision": _implementation,
    "BenchmarkProtocol": _protocol,
    "ExecutionEnvironment": lambda spec: {"hardware": {"vendor": MARK, "product": MARK, "architecture": MARK}},
    "BenchmarkRun": _run,
}


def frame(kind: str, spec: Document) -> tuple[Any, ...]:
    """What a removed text must leave as it is."""
    if kind == "BenchmarkRun":
        timing = spec.get("timing", {})
        return skeleton(kind, spec), spec["status"], timing.get("latencyNs"), len(spec.get("measurements", ()))
    if kind == "OperationSpec":
        return ({name: axis["role"] for name, axis in spec["axes"].items()},)
    return (skeleton(kind, spec),)

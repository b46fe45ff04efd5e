"""What a run rests on, followed from digest to digest, and what follows from it: key, value, evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..ranking.eligibility import evidence_level
from ..ranking.group import GroupKey, Primary, correctness_digest, metric_key, primary
from .objects import Found, Objects


@dataclass(frozen=True, slots=True)
class Chain:
    """A sound run and the documents that it names; those may be missing, changed or redacted."""

    digest: str
    run: Mapping[str, Any]
    implementation: Found
    workload: Found
    protocol: Found
    environment: Found

    @property
    def operation(self) -> str:
        """Digest of the operation that the workload names; empty where the workload cannot be read."""
        return str(self.workload.spec["operationSpecDigest"]) if self.workload.spec else ""

    @property
    def primary(self) -> Primary | None:
        """The measurement that the run is ranked by."""
        return primary(self.run)

    @property
    def key(self) -> str:
        """The comparison key, empty where the workload cannot be read."""
        if not self.workload.spec:
            return ""
        return GroupKey(
            operation=self.operation,
            workload=self.run["workloadDigest"],
            protocol=self.run["protocolDigest"],
            environment=self.run["environmentDigest"],
            correctness=correctness_digest(self.workload.spec),
            metric=metric_key(self.primary),
        ).digest()

    @property
    def evidence(self) -> str:
        """The evidence level, empty where the implementation cannot be read."""
        if self.implementation.spec is None:
            return ""
        return evidence_level(dict(self.implementation.spec), dict(self.run))


def chain_of(objects: Objects, digest: str) -> Chain | None:
    """The chain of a run; None where the run itself is not there or not sound."""
    run = objects.get(digest)
    if run.spec is None or run.kind != "BenchmarkRun":
        return None
    names = ("implementationDigest", "workloadDigest", "protocolDigest", "environmentDigest")
    return Chain(digest, run.spec, *(objects.get(str(run.spec.get(name))) for name in names))

"""The comparison group of a run: what must be equal for two figures to be compared.

`key = sha256(JCS({"v":1, operation, workload, protocol, environment, correctness, metric}))`.  The operation is the
one that the *workload* names: an implementation may state another, and then the workload's counts.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from ..canonical import digest_of, sha256
from ..values import dataclass

NO_METRIC = "none"


@dataclass(frozen=True, slots=True)
class Primary:
    """The measurement that a run is ranked by."""

    metric: str
    statistic: str
    unit: str
    value: float | int | None
    """None when the run states timing without its own primary statistic (there is no fallback), or was redacted."""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """The parts of a comparison key; `body` is what is hashed."""

    operation: str
    workload: str
    protocol: str
    environment: str
    correctness: str
    metric: str
    """`metric:statistic:unit`, or `none`."""

    def body(self) -> bytes:
        """RFC 8785 bytes of the key's document."""
        return _text({"v": 1, **self._parts(), "metric": self.metric})

    def digest(self) -> str:
        """The comparison key."""
        return sha256(self.body())

    def siblings(self) -> str:
        """Equal for keys that differ in the metric only: a failed run stands beside the runs that it failed to join."""
        return sha256(_text({"v": 1, **self._parts()}))

    def _parts(self) -> dict[str, str]:
        return {
            "operation": self.operation,
            "workload": self.workload,
            "protocol": self.protocol,
            "environment": self.environment,
            "correctness": self.correctness,
        }


def primary(spec: Mapping[str, Any]) -> Primary | None:
    """The primary measurement of a BenchmarkRun's spec: its timing, else the first of its measurements."""
    timing = spec.get("timing")
    if timing is not None:
        statistic: str = timing["primaryStatistic"]
        return Primary("latency", statistic, "ns", timing["latencyNs"].get(statistic))
    measurements = spec.get("measurements")
    if not measurements:
        return None
    first = measurements[0]
    return Primary(first["metric"], first["statistic"], first["unit"], first.get("value"))


def metric_key(measured: Primary | None) -> str:
    """`latency:mean:ns`, or `none` without a primary measurement."""
    return NO_METRIC if measured is None else f"{measured.metric}:{measured.statistic}:{measured.unit}"


def correctness_digest(workload_spec: Mapping[str, Any]) -> str:
    """The digest of a workload's correctness rule, one part of the key; a tombstone states the one that stood there."""
    return workload_spec.get("correctnessDigest") or _rule_digest(orjson.dumps(workload_spec["correctness"]))


@lru_cache(256)
def _rule_digest(rule: bytes) -> str:
    # Most workloads of a board share a few rules.
    return digest_of({"correctness": orjson.loads(rule)})


def _text(parts: Mapping[str, str | int]) -> bytes:
    """RFC 8785 bytes of a flat object of texts and 1, for which orjson and RFC 8785 never differ."""
    return orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)

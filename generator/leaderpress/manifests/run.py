"""One run: which implementation, on which workload, by which protocol, where, when, and what came out.

A run has timing, other measurements, or neither (a failed one).  Timing states its mean or its median.
"""

from typing import Annotated, Literal, NotRequired

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, Field, with_config
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    ArtifactRef,
    Commit,
    Digest,
    HttpsUrl,
    Instant,
    Metadata,
    Natural,
    NonNegative,
    Number,
    Positive,
    Ratio,
    Slug,
    Text200,
    Text500,
    Token,
)

Status = Literal[
    "passed",
    "incorrect_shape",
    "incorrect_dtype",
    "incorrect_numerical",
    "compile_error",
    "runtime_error",
    "timeout",
    "resource_exceeded",
    "invalid_reference",
    "policy_violation",
    "suspected_reward_hack",
    "incomplete_evidence",
    "revoked",
]


class RunCorrectness(TypedDict):
    """What the check of the outputs found."""

    comparator: Token
    """Name of the comparing procedure."""
    maximumAbsoluteError: NotRequired[NonNegative]
    """Largest absolute deviation."""
    maximumRelativeError: NotRequired[NonNegative]
    """Largest relative deviation, 1 is 100 %."""
    matchedRatio: NotRequired[Ratio]
    """Share of elements, 0 to 1, that lay within the bounds."""


class LatencyFields(TypedDict):
    """Statistics of the latency, each in whole nanoseconds."""

    mean: NotRequired[Natural]
    """Arithmetic mean."""
    median: NotRequired[Natural]
    """Median."""
    p05: NotRequired[Natural]
    """5th percentile."""
    p95: NotRequired[Natural]
    """95th percentile."""
    minimum: NotRequired[Natural]
    """Fastest sample."""
    maximum: NotRequired[Natural]
    """Slowest sample."""
    mad: NotRequired[Natural]
    """Median absolute deviation."""
    confidence95: NotRequired[Annotated[list[Natural], MinLen(2), MaxLen(2)]]
    """Lower and upper bound of the 95 % confidence interval."""


def _mean_or_median(latency: LatencyFields) -> LatencyFields:
    if "mean" not in latency and "median" not in latency:
        raise PydanticCustomError("timing-without-mean-or-median", "timing needs a mean or a median")
    return latency


Latency = Annotated[
    LatencyFields,
    AfterValidator(_mean_or_median),
    Field(json_schema_extra={"anyOf": [{"required": ["mean"]}, {"required": ["median"]}]}),
]


class Timing(TypedDict):
    """How long it took."""

    primaryStatistic: Token
    """The statistic that counts; a run that does not state it cannot be ranked."""
    latencyNs: Latency
    """Statistics in nanoseconds."""
    samples: NotRequired[Positive]
    """Number of samples behind them."""
    rawSamples: NotRequired[ArtifactRef]
    """File with the samples."""


class Measurement(TypedDict):
    """One measured figure."""

    metric: Token
    """What was measured."""
    unit: Token
    """Unit of the value."""
    statistic: Token
    """How samples became one figure."""
    value: Number
    """The figure."""
    sampleCount: NotRequired[Positive]
    """Number of samples behind it."""


class SourceNative(TypedDict):
    """What the source itself says about the run, in its own terms."""

    source: Slug
    """The source."""
    benchmark: NotRequired[Text200]
    """Its name for the task."""
    externalId: NotRequired[Text500]
    """Its name for the run."""
    metrics: NotRequired[dict[Token, Number]]
    """Its own figures."""


class HarnessRevision(TypedDict):
    """Exact revision of the harness that measured."""

    repository: HttpsUrl
    """Address of its source."""
    commit: Commit
    """Full hash of the revision."""


class Evidence(TypedDict):
    """What was kept of the run."""

    logs: NotRequired[ArtifactRef]
    """Output of the harness."""
    rawSamples: NotRequired[ArtifactRef]
    """File with the samples."""
    harness: NotRequired[HarnessRevision]
    """Exact revision of the harness."""


class RunBody(TypedDict):
    """The identity of a run."""

    implementationDigest: Digest
    """What was run."""
    workloadDigest: Digest
    """On which workload: a case or a suite."""
    protocolDigest: Digest
    """By which rules."""
    environmentDigest: Digest
    """On what."""
    status: Status
    """How it ended."""
    observedAt: Instant
    """When it was measured."""
    correctness: NotRequired[RunCorrectness]
    """What the check of the outputs found."""
    timing: NotRequired[Timing]
    """How long it took."""
    measurements: NotRequired[list[Measurement]]
    """Other figures; the first is the primary one where there is no timing."""
    sourceNative: NotRequired[SourceNative]
    """What the source itself says."""
    evidence: NotRequired[Evidence]
    """What was kept."""


@with_config(STRICT)
class BenchmarkRun(TypedDict):
    """One run of an implementation on a workload."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["BenchmarkRun"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: RunBody
    """Identity."""

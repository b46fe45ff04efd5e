"""What a run works on: one case of an operation with everything bound, or a suite of cases reported as one."""

from typing import Annotated, Literal, NotRequired

from annotated_types import MinLen
from pydantic import with_config
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    ArtifactRef,
    Digest,
    Integer,
    Metadata,
    Natural,
    NonNegative,
    Number,
    Positive,
    Ratio,
    Text200,
    Text500,
    Token,
)


class TensorData(TypedDict):
    """Where the elements of a case's tensor come from."""

    generator: Token
    """Name of the generator, e.g. random or safetensors."""
    seed: NotRequired[Natural]
    """Seed of the generator."""
    parameters: NotRequired[dict[Token, Number]]
    """Further settings of the generator."""
    artifact: NotRequired[ArtifactRef]
    """File with the elements."""


class BoundTensor(TypedDict):
    """A tensor with all its extents known."""

    shape: Annotated[list[Natural], MinLen(1)]
    """Extents, outermost first."""
    dtype: Token
    """Type of an element."""
    strides: NotRequired[list[Integer]]
    """Distance between neighbours in each dimension, in elements."""
    alignmentBytes: NotRequired[Positive]
    """Alignment of the first element, in bytes."""
    data: NotRequired[TensorData]
    """Origin of the elements."""


class BoundScalar(TypedDict):
    """A scalar with its value."""

    dtype: Token
    """Type of the value."""
    value: Number
    """The value."""


SpecialPolicy = Literal["reject", "exact_match", "ignore"]


class CaseCorrectness(TypedDict):
    """When a run of a case counts as correct."""

    comparator: Token
    """Name of the comparing procedure."""
    maxAbsoluteError: NotRequired[NonNegative]
    """Largest absolute deviation allowed."""
    maxRelativeError: NotRequired[NonNegative]
    """Largest relative deviation allowed, 1 is 100 %."""
    requiredMatchedRatio: NotRequired[Ratio]
    """Share of elements, 0 to 1, that must lie within the bounds."""
    nanPolicy: NotRequired[SpecialPolicy]
    """What to do with values that are not numbers."""
    infinityPolicy: NotRequired[SpecialPolicy]
    """What to do with infinite values."""


class CaseBody(TypedDict):
    """The identity of a case."""

    operationSpecDigest: Digest
    """The operation."""
    axes: dict[Token, Integer]
    """Values of axes, as the source states them."""
    tensors: dict[Token, BoundTensor]
    """Input tensors by name."""
    scalars: NotRequired[dict[Token, BoundScalar]]
    """Input scalars by name."""
    correctness: CaseCorrectness
    """When a run counts as correct."""


@with_config(STRICT)
class WorkloadCase(TypedDict):
    """One workload: an operation with everything bound."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["WorkloadCase"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: CaseBody
    """Identity."""


class SuiteCase(TypedDict):
    """A case inside a suite."""

    externalId: Text200
    """The source's name for the case; it may repeat within a suite."""
    axes: dict[Token, Integer]
    """Values of axes, as the source states them."""


class SuiteCorrectness(TypedDict):
    """When a run of a suite counts as correct."""

    comparator: Token
    """Name of the comparing procedure."""
    description: NotRequired[Text500]
    """The rule in words."""


class Aggregation(TypedDict):
    """How the figures of the cases become one figure."""

    metric: Token
    """What is aggregated, e.g. latency."""
    statistic: Token
    """How, e.g. mean or geomean."""


class SuiteBody(TypedDict):
    """The identity of a suite."""

    operationSpecDigest: Digest
    """The operation."""
    cases: Annotated[list[SuiteCase], MinLen(1)]
    """The cases; their order is part of the identity."""
    correctness: SuiteCorrectness
    """When a run counts as correct."""
    aggregation: Aggregation
    """How the figures of the cases become one."""


@with_config(STRICT)
class WorkloadSuite(TypedDict):
    """A workload of several cases that are measured and reported together."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["WorkloadSuite"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: SuiteBody
    """Identity."""

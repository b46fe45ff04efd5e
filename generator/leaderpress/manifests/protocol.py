"""How a run is measured: the harness, what it times, how it checks, and what may be compared with what."""

from typing import Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    Commit,
    HttpsUrl,
    Metadata,
    Natural,
    Positive,
    PositiveNumber,
    Text100,
    Text200,
    Text500,
    Text1000,
    Token,
)


class Harness(TypedDict):
    """The program that measures."""

    name: Text200
    """Its name."""
    version: NotRequired[Text100]
    """Its version, as the source writes it."""
    repository: NotRequired[HttpsUrl]
    """Address of its source."""
    commit: NotRequired[Commit]
    """Revision of its source."""


class Measuring(TypedDict):
    """What is timed, and how often."""

    timer: Token
    """The clock, e.g. wall_clock or harness_reported."""
    primaryStatistic: Token
    """The statistic that counts."""
    synchronization: NotRequired[Token]
    """How the end of the work is awaited."""
    compileIncluded: NotRequired[bool]
    """Whether compilation is timed."""
    setupIncluded: NotRequired[bool]
    """Whether preparation is timed."""
    warmupIterations: NotRequired[Natural]
    """Untimed iterations before the first timed one."""
    warmupDuration: NotRequired[Natural]
    """Untimed time before the first timed iteration, in ns."""
    measuredIterations: NotRequired[Positive]
    """Timed iterations per sample."""
    samples: NotRequired[Positive]
    """Samples per run."""
    inputRegeneration: NotRequired[Token]
    """When inputs are made anew."""
    outlierPolicy: NotRequired[Text500]
    """What happens to outliers, in words."""


class ProtocolCorrectness(TypedDict):
    """How outputs are checked."""

    reference: Text500
    """What they are compared with."""
    comparator: Token
    """Name of the comparing procedure."""


class DevicePolicy(TypedDict):
    """The state that the device is put into."""

    clocksLocked: NotRequired[bool]
    """Whether clock rates are fixed."""
    powerLimitWatts: NotRequired[PositiveNumber]
    """Power limit in watts."""
    persistenceMode: NotRequired[bool]
    """Whether the driver stays loaded between runs."""


class Comparability(TypedDict):
    """What may be compared."""

    family: Token
    """Family of protocols that belong together."""
    notes: NotRequired[Text1000]
    """What a reader must know before comparing."""


class ProtocolBody(TypedDict):
    """The identity of a protocol."""

    harness: Harness
    """The program that measures."""
    measurement: Measuring
    """What is timed."""
    correctness: NotRequired[ProtocolCorrectness]
    """How outputs are checked."""
    devicePolicy: NotRequired[DevicePolicy]
    """State of the device."""
    comparability: NotRequired[Comparability]
    """What may be compared."""


@with_config(STRICT)
class BenchmarkProtocol(TypedDict):
    """The rules by which runs are measured."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["BenchmarkProtocol"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: ProtocolBody
    """Identity."""

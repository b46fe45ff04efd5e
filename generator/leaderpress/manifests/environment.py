"""On what a run is measured: hardware, software and settings; what nobody stated is absent, never invented."""

from typing import Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    Digest,
    FreeKey,
    Metadata,
    Positive,
    PositiveNumber,
    Text100,
    Text200,
    Text500,
    Token,
)


class Hardware(TypedDict):
    """The device."""

    vendor: Token
    """Who makes it."""
    product: Text200
    """Its name, exactly as the source writes it; hardware pages are made from this text."""
    architecture: Token
    """Its architecture, e.g. sm_100, or `unknown`."""
    formFactor: NotRequired[Text100]
    """Form factor or, where a source has several fleets, the runner."""
    memoryBytes: NotRequired[Positive]
    """Memory of one device in bytes."""
    count: NotRequired[Positive]
    """Number of devices."""
    interconnect: NotRequired[Text200]
    """What connects them."""


class Framework(TypedDict):
    """The framework that calls the implementation."""

    name: Token
    """Its name."""
    version: Text100
    """Its version."""


class Software(TypedDict):
    """Everything between the device and the implementation; empty if nobody said."""

    operatingSystem: NotRequired[Text200]
    """Operating system and version."""
    kernel: NotRequired[Text200]
    """Operating system kernel."""
    driver: NotRequired[Text100]
    """Device driver."""
    cudaToolkit: NotRequired[Text100]
    """Version of the CUDA toolkit."""
    compiler: NotRequired[Text200]
    """Compiler and version."""
    framework: NotRequired[Framework]
    """Calling framework."""
    libraries: NotRequired[dict[Token, Text100]]
    """Versions of libraries, by name."""


class Settings(TypedDict):
    """How the machine was set up."""

    clocksLocked: NotRequired[bool]
    """Whether clock rates were fixed."""
    powerLimitWatts: NotRequired[PositiveNumber]
    """Power limit in watts."""
    persistenceMode: NotRequired[bool]
    """Whether the driver stayed loaded between runs."""
    eccEnabled: NotRequired[bool]
    """Whether memory errors were corrected."""
    environmentVariables: NotRequired[dict[FreeKey, Text500]]
    """Environment variables that matter."""


class EnvironmentBody(TypedDict):
    """The identity of an environment."""

    hardware: Hardware
    """The device."""
    software: Software
    """What runs on it."""
    settings: NotRequired[Settings]
    """How it was set up."""
    imageDigest: NotRequired[Digest]
    """Digest of the container image."""


@with_config(STRICT)
class ExecutionEnvironment(TypedDict):
    """A machine and what runs on it."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["ExecutionEnvironment"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: EnvironmentBody
    """Identity."""

"""What is ranked: a revision of an implementation, and the software project that it belongs to.

An implementation plays the role of *subject*.  The lists of `support` are sets: they are de-duplicated and sorted
before hashing, so that the order in which a source names them does not matter.
"""

from typing import Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    Commit,
    Digest,
    HttpsUrl,
    Metadata,
    Name,
    Natural,
    Text50,
    Text100,
    Text200,
    Text500,
    Text1000,
    Token,
)

SET_LISTS = ("hardwareArchitectures", "productsTested", "axes", "dtypes", "layouts")
"""The lists of `spec.support` whose order and repetitions mean nothing."""


class Host(TypedDict):
    """Where a project is at home."""

    kind: Literal["github", "huggingface", "gitlab", "other"]
    """The service."""
    id: Text200
    """Its name there, in the spelling of the service."""


class Package(TypedDict):
    """A package that a project publishes."""

    ecosystem: Token
    """Package registry, e.g. pypi."""
    name: Text200
    """Name in that registry."""


class ProjectBody(TypedDict):
    """The identity of a project."""

    name: Text200
    """Name as the project writes it."""
    kind: NotRequired[Literal["library", "individual", "vendor"]]
    """What sort of project it is."""
    repository: NotRequired[HttpsUrl]
    """Address of its source."""
    homepage: NotRequired[HttpsUrl]
    """Address of its own pages."""
    host: NotRequired[Host]
    """Where it is at home."""
    packages: NotRequired[list[Package]]
    """Packages that it publishes."""


@with_config(STRICT)
class SoftwareProject(TypedDict):
    """A library, a person or a vendor whose implementations are measured."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["SoftwareProject"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: ProjectBody
    """Identity."""


class ProjectRevision(TypedDict):
    """Which state of a project was measured; all that the source told."""

    repository: NotRequired[HttpsUrl]
    """Address of the source."""
    commit: NotRequired[Commit]
    """Revision in that repository."""
    version: NotRequired[Text100]
    """Version, or the source's name for the submission."""
    treeDigest: NotRequired[Digest]
    """Digest of the source tree."""


class OperationRef(TypedDict):
    """The operation that is implemented."""

    specDigest: Digest
    """Digest of the OperationSpec."""


class EntryPoint(TypedDict):
    """What is called."""

    language: Token
    """Language it is written in, `unknown` if nobody said."""
    path: NotRequired[Text500]
    """File that holds it."""
    symbol: NotRequired[Text200]
    """Name in that file."""
    interface: NotRequired[Token]
    """Calling convention."""


class Support(TypedDict):
    """What an implementation is said to work with; every list is a set."""

    hardwareArchitectures: list[Token]
    """Architectures, e.g. sm_100."""
    dtypes: list[Token]
    """Element types."""
    productsTested: NotRequired[list[Text100]]
    """Products that it was run on."""
    axes: NotRequired[list[Text200]]
    """Limits on axes, in words."""
    layouts: NotRequired[list[Text50]]
    """Memory layouts."""


class LicenceEvidence(TypedDict):
    """What a concluded licence rests on."""

    path: Text500
    """File in the source tree."""
    digest: NotRequired[Digest]
    """Digest of that file."""


class Licensing(TypedDict):
    """What is known about the licence of the source; empty if nothing is."""

    declared: NotRequired[Text200]
    """Licence that the project states."""
    concluded: NotRequired[Text200]
    """Licence that a reviewer found to hold."""
    evidence: NotRequired[LicenceEvidence]
    """What the conclusion rests on."""


class SourceFile(TypedDict):
    """The submitted source, as one file."""

    contentDigest: Digest
    """Digest of its bytes."""
    fileName: NotRequired[Text500]
    """Name that it was submitted under."""
    sizeBytes: NotRequired[Natural]
    """Its size in bytes."""


class Install(TypedDict):
    """How a build is obtained."""

    kind: Literal["git", "pip", "package", "container", "source"]
    """Way of installing."""
    repository: NotRequired[HttpsUrl]
    """Address of the source."""
    commit: NotRequired[Commit]
    """Revision in that repository."""
    package: NotRequired[Text200]
    """Name of the package or image."""
    version: NotRequired[Text100]
    """Its version."""
    command: NotRequired[Text1000]
    """The command in full."""


class BuildVariant(TypedDict):
    """One way of building or installing."""

    name: Name
    """Name of the variant."""
    install: Install
    """How it is obtained."""
    requirements: NotRequired[dict[Token, Text200]]
    """What must be there, by component."""


class ImplementationBody(TypedDict):
    """The identity of an implementation."""

    projectRevision: ProjectRevision
    """Which state of the project."""
    operation: OperationRef
    """What it implements."""
    callable: EntryPoint
    """What is called."""
    support: Support
    """What it works with."""
    licensing: Licensing
    """Licence of the source."""
    source: NotRequired[SourceFile]
    """The submitted source."""
    buildVariants: NotRequired[list[BuildVariant]]
    """How it is built or installed."""


@with_config(STRICT)
class ImplementationRevision(TypedDict):
    """One revision of an implementation of one operation."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["ImplementationRevision"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: ImplementationBody
    """Identity."""

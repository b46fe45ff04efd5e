"""The envelope shared by every kind: validated once at the door, kept as bytes ever after.

`Manifest` holds the RFC 8785 bytes of the whole document.  Its *digest* is the SHA-256 of the identity body
`{apiVersion, kind, spec}`; its *document digest* that of the whole, metadata included, so that a changed title is
seen although the identity stays.  No digest is ever computed from a pydantic dump: pydantic would rewrite instants
and numbers.
"""

from functools import lru_cache
from typing import Any

from ..canonical import canonical, canonical_of_plain, sha256
from ..errors import ManifestError
from ..values import dataclass

API_VERSION = "kernelindex.dev/v1alpha1"

KIND_ORDER = (
    "OperationSpec",
    "WorkloadSuite",
    "WorkloadCase",
    "SoftwareProject",
    "ImplementationRevision",
    "BenchmarkProtocol",
    "ExecutionEnvironment",
    "BenchmarkRun",
)
"""Every kind, so ordered that a document only names digests of kinds before its own."""

_ENVELOPE = frozenset({"apiVersion", "kind", "metadata", "spec"})


@dataclass(frozen=True, slots=True)
class Manifest:
    """One canonical document and its two digests."""

    kind: str
    digest: str
    """`sha256:` + hex over the identity body; the document's address for ever."""
    document_digest: str
    """`sha256:` + hex over `document`."""
    document: bytes
    """RFC 8785 bytes of `{apiVersion, kind, metadata, spec}`."""
    value: dict[str, Any]
    """The parsed document; treat it as read-only."""

    @property
    def spec(self) -> dict[str, Any]:
        """The identity-bearing part."""
        spec: dict[str, Any] = self.value["spec"]
        return spec

    @property
    def metadata(self) -> dict[str, Any]:
        """The editorial part, outside the digest."""
        metadata: dict[str, Any] = self.value["metadata"]
        return metadata

    @property
    def identity(self) -> bytes:
        """The bytes that hash to `digest`: what is published under `sha256/`."""
        return identity_bytes(self.value)


def identity_bytes(value: dict[str, Any]) -> bytes:
    """RFC 8785 bytes of a document's identity body."""
    return _head(value["apiVersion"], value["kind"]) + b',"spec":' + canonical(value["spec"]) + b"}"


def seal(value: dict[str, Any], *, is_plain: bool = False) -> Manifest:
    """Compute bytes and digests of an already valid document.

    `is_plain` says that `canonical_of_plain` may write it, which is much faster.  Raises `ManifestError` when the value
    is no envelope or has no canonical form.
    """
    if value.keys() != _ENVELOPE:
        raise ManifestError("manifest-shape", "a manifest has exactly apiVersion, kind, metadata and spec")
    # The four keys are in canonical order, so the parts of the document can be written once and joined.
    written = canonical_of_plain if is_plain else canonical
    head = _head(value["apiVersion"], value["kind"])
    tail = b',"spec":' + written(value["spec"]) + b"}"
    document = head + b',"metadata":' + written(value["metadata"]) + tail
    return Manifest(value["kind"], sha256(head + tail), sha256(document), document, value)


def require_object(value: object, at: str) -> dict[str, Any]:
    """`value` if it is a JSON object; raises `ManifestError` otherwise."""
    if not isinstance(value, dict):
        raise ManifestError("manifest-shape", "a manifest must be a JSON object", at=at)
    return value


@lru_cache(maxsize=64)
def _head(api_version: str, kind: str) -> bytes:
    return canonical({"apiVersion": api_version, "kind": kind})[:-1]

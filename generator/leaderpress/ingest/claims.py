"""Statements on their way through the spool: as records that sort in the order of the store, and back.

A record of the store is `rank, digest, "0", folder, position, line`, one of a dump `rank, digest, "1", document digest,
source, line`.  A dump's note holds the document, and what would otherwise have to be read off it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from ..canonical import canonical
from ..errors import ManifestError
from ..manifests import KIND_ORDER, Manifest
from ..slugs import HARDWARE, OPERATION, PROJECT, Named
from ..store import Line

RUN = "BenchmarkRun"
PROJECT_KIND = "SoftwareProject"
SLUG_KINDS = {"OperationSpec": OPERATION, PROJECT_KIND: PROJECT, "ExecutionEnvironment": HARDWARE}
_RANKS = {kind: b"%02d" % position for position, kind in enumerate(KIND_ORDER)}

_OF_OPERATION = ("OperationSpec",)
REFERENCES: dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "WorkloadSuite": ((("operationSpecDigest",), _OF_OPERATION),),
    "WorkloadCase": ((("operationSpecDigest",), _OF_OPERATION),),
    "ImplementationRevision": ((("operation", "specDigest"), _OF_OPERATION),),
    RUN: (
        (("implementationDigest",), ("ImplementationRevision",)),
        (("workloadDigest",), ("WorkloadSuite", "WorkloadCase")),
        (("protocolDigest",), ("BenchmarkProtocol",)),
        (("environmentDigest",), ("ExecutionEnvironment",)),
    ),
}
"""For each kind: where its spec names another document, and the kinds that may stand there."""


class Claim(NamedTuple):
    """One statement of a dump, read back from the spool."""

    document_digest: str
    source: str
    text: bytes
    """Canonical bytes of its provenance line, which has no slug yet."""
    document: bytes
    references: list[str]
    """The digests that the document names, in the order of `REFERENCES`."""
    project: str
    """Digest of the project that the line names; empty if it names none."""
    owner: str
    """The source that the document itself names where it is another one; else empty."""
    at: str

    @property
    def line(self) -> Line:
        """The provenance line."""
        line: Line = orjson.loads(self.text)
        return line


@dataclass(slots=True)
class Identity:
    """Everything about one digest: the store's lines in order of publication, the dump's in canonical order."""

    kind: str
    digest: str
    held: list[Line]
    claims: list[Claim]


def references(manifest: Manifest) -> list[str]:
    """The digests of the documents that a document names."""
    return [_follow(manifest.spec, path) for path, _ in REFERENCES.get(manifest.kind, ())]


def claim_record(manifest: Manifest, line: Line, at: str, named: list[str]) -> tuple[bytes, bytes]:
    """Record and note of a statement; `named` are its `references`.

    Raises `ManifestError` for a kind that the store does not know and a line that has no canonical form.
    """
    source: str = line["source"]
    owner = manifest.spec.get("sourceNative", {}).get("source", source) if manifest.kind == RUN else source
    head = (rank(manifest.kind), manifest.digest.encode(), b"1", manifest.document_digest.encode(), source.encode())
    told = [at, line.get("project") or "", "" if owner == source else owner, *named]
    # Joined, which copies: orjson hands out far more room than it fills, and many records are held at once.
    return b"\t".join((*head, canonical(line))), b"\t".join((orjson.dumps(told), manifest.document))


def held_record(line: Line, folder: int, position: int) -> bytes:
    """Record of a line of the store."""
    place = b"%b\t%b\t0\t%06d\t%09d" % (rank(line["kind"]), line["digest"].encode(), folder, position)
    return b"%b\t%b" % (place, orjson.dumps(line))


def read_identity(group: list[list[bytes]]) -> Identity:
    """The identity that all records of one digest make; the fields of each are followed by those of its note."""
    held: list[Line] = []
    claims: list[Claim] = []
    last = b""
    for parts in group:
        if parts[2] == b"0":
            held.append(orjson.loads(parts[5]))
        elif parts[5] != last:
            last = parts[5]
            claims.append(_read_claim(parts))
    return Identity(KIND_ORDER[int(group[0][0])], group[0][1].decode(), held, claims)


def _read_claim(parts: list[bytes]) -> Claim:
    _, _, _, document_digest, source, text, told, document = parts
    at, project, owner, *named = orjson.loads(told)
    return Claim(document_digest.decode(), source.decode(), text, document, named, project, owner, at)


def rank(kind: str) -> bytes:
    """What a kind's records begin with; raises `ManifestError` for a kind that the store does not know."""
    try:
        return _RANKS[kind]
    except KeyError:
        raise ManifestError("kind-unknown", f"{kind!r} is not a kind that the store knows") from None


def named(manifest: Manifest, stated: str | None) -> Named | None:
    """What a document needs a slug for, under the name that a source states or else its own; None for other kinds."""
    kind = SLUG_KINDS.get(manifest.kind)
    if kind is None:
        return None
    if kind == HARDWARE:
        product = manifest.spec["hardware"]["product"]
        return Named(kind, product, product)
    metadata = manifest.metadata
    own = manifest.spec["name"] if kind == PROJECT else metadata.get("title") or metadata["name"]
    return Named(kind, manifest.digest, own if stated is None else stated)


def _follow(spec: Line, path: tuple[str, ...]) -> str:
    node: Any = spec
    for name in path:
        node = node[name]
    return str(node)

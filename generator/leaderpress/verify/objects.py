"""Canonical objects of a published site: found by digest, judged by their own bytes."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from ..canonical import canonical, parse
from ..errors import LeaderpressError
from ..manifests import KIND_ORDER
from ..manifests.tombstone import read_tombstone
from .findings import Findings

PATH = re.compile(r"sha256/([0-9a-f]{2})/(\1[0-9a-f]{62})\.json")
NOTE_KINDS = ("Correction", "Withdrawal", "Dispute", "Attestation", "Redaction")
KINDS = (*KIND_ORDER, *NOTE_KINDS)
_BODY = {"apiVersion", "kind", "spec"}
_KEPT = 8192
_OPERATION = ("OperationSpec",)
_ANY = KIND_ORDER

REFERENCES: dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "WorkloadSuite": ((("operationSpecDigest",), _OPERATION),),
    "WorkloadCase": ((("operationSpecDigest",), _OPERATION),),
    "ImplementationRevision": ((("operation", "specDigest"), _OPERATION),),
    "BenchmarkRun": (
        (("implementationDigest",), ("ImplementationRevision",)),
        (("workloadDigest",), ("WorkloadSuite", "WorkloadCase")),
        (("protocolDigest",), ("BenchmarkProtocol",)),
        (("environmentDigest",), ("ExecutionEnvironment",)),
    ),
    "Correction": ((("target",), ("BenchmarkRun",)), (("successor",), ("BenchmarkRun",))),
    "Withdrawal": ((("target",), ("BenchmarkRun",)),),
    "Dispute": ((("target",), ("BenchmarkRun",)),),
    "Attestation": ((("target",), ("BenchmarkRun",)),),
    "Redaction": ((("target",), _ANY),),
}
"""For each kind: where its spec names another document, and the kinds that may stand there."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at the address of a digest."""

    state: Literal["sound", "redacted", "missing", "changed", "unknown"]
    """`unknown`: it was not given, and nothing is said about it."""
    kind: str = ""
    """Of the document; of one that was removed the kind that stood there."""
    spec: Mapping[str, Any] | None = None
    size: int = 0
    """Bytes of the file."""
    why: str = ""
    """Why it is not sound, in words."""
    is_gone: bool = False
    """Of a redacted document: whether it went as a whole, and not only a text in it."""


def object_path(digest: str) -> str:
    """The address of the canonical object of a digest, relative to the site."""
    return f"sha256/{digest[7:9]}/{digest[7:]}.json"


def judge(data: bytes, digest: str) -> Found:
    """What these bytes are at the address of `digest`."""
    actual = "sha256:" + hashlib.sha256(data).hexdigest()
    try:
        value = parse(data, "")
    except LeaderpressError as fault:
        return Found("changed", size=len(data), why=f"expected bytes that hash to {digest}, found {fault.problem}")
    if actual != digest:
        stone = read_tombstone(value)
        if stone is not None and stone.digest == digest and canonical(value) == data:
            return Found("redacted", kind=stone.of, size=len(data), is_gone=stone.whole)
        return Found("changed", size=len(data), why=f"expected bytes that hash to {digest}, found {actual}")
    if type(value) is not dict or value.keys() != _BODY or type(value["spec"]) is not dict:
        return Found("changed", size=len(data), why="it is not a document with apiVersion, kind and spec")
    if canonical(value) != data:
        return Found("changed", size=len(data), why="its bytes are not the RFC 8785 form of its value")
    return Found("sound", str(value["kind"]), value["spec"], len(data))


class Objects:
    """Looks canonical objects up in a published folder, or among those given; keeps the last few thousand."""

    def __init__(self, root: str, given: Mapping[str, Found] | None = None) -> None:
        self._root = root
        self._given = given
        self.get = lru_cache(_KEPT)(self._get)

    def _get(self, digest: str) -> Found:
        if self._given is not None:
            return self._given.get(digest, Found("unknown"))
        try:
            with open(f"{self._root}/{object_path(digest)}", "rb") as stream:
                return judge(stream.read(), digest)
        except OSError:
            return Found("missing")


def check_object(objects: Objects, path: str, data: bytes, logged: str, findings: Findings) -> None:
    """Judge the object at `path` and everything that it names.

    `logged` is the kind that the publication log states, empty if there is no log.
    """
    findings.counts["objects"] += 1
    name = PATH.fullmatch(path)
    if name is None:
        findings.wrong("object-name", "an object is named sha256/<first two>/<64 hex digits>.json", path)
        return
    digest = f"sha256:{name[2]}"
    found = judge(data, digest)
    if found.state == "changed":
        findings.wrong("object-changed", found.why, path, "restore the file; objects never change")
        return
    if found.state == "redacted":
        findings.redacted(digest)
    if logged and logged != found.kind:
        findings.differs("object-kind", "the log states another kind", logged, found.kind, path)
    if found.kind not in KINDS:
        findings.wrong("object-kind", f"{found.kind!r} is not a kind of document", path)
    if found.spec is not None:
        check_references(objects, found.kind, found.spec, path, findings)


def check_references(objects: Objects, kind: str, spec: Mapping[str, Any], at: str, findings: Findings) -> None:
    """Every document that a document names must be published, and be of the right kind."""
    for members, kinds in REFERENCES.get(kind, ()):
        digest = _follow(spec, members)
        if digest is None:
            if members != ("successor",):
                findings.wrong("object-shape", f"{kind} without {'.'.join(members)}", at)
            continue
        findings.counts["references"] += 1
        found = objects.get(digest)
        if found.state == "missing":
            problem = f"its {'.'.join(members)} leads to {object_path(digest)}, which is not there"
            findings.wrong("chain-broken", problem, at, "restore the missing object; nothing published is removed")
        elif found.kind and found.kind not in kinds:
            findings.differs("chain-kind", f"its {'.'.join(members)} {digest}", " or ".join(kinds), found.kind, at)


def _follow(spec: Mapping[str, Any], members: tuple[str, ...]) -> str | None:
    node: Any = spec
    for member in members:
        node = node.get(member) if isinstance(node, Mapping) else None
    return node if isinstance(node, str) else None

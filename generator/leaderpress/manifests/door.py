"""The one door through which documents enter: strict validation, normal form, digests.

A document is validated as it stands: no value is converted, no default filled in, nothing dropped.  The only change
ever made is to the lists that are sets (`spec.support`), which are de-duplicated and sorted by UTF-16 code unit.
Validation throws its own copy away and the digests are computed from the value that came in, so that a number keeps
the text it was given and a round trip through `Manifest.document` changes no byte.
"""

from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..canonical import check
from ..canonical import parse as read_json
from ..errors import DumpError, LeaderpressError, ManifestError
from .base import Manifest, require_object, seal
from .environment import ExecutionEnvironment
from .faults import Teller, json_place, raise_faults, shown
from .implementation import SET_LISTS, ImplementationRevision, SoftwareProject
from .operation import OperationSpec
from .protocol import BenchmarkProtocol
from .run import BenchmarkRun
from .workload import WorkloadCase, WorkloadSuite

MAX_DOCUMENT_BYTES = 1 << 20
"""Largest document, in canonical bytes."""

KINDS: dict[str, Any] = {
    "OperationSpec": OperationSpec,
    "WorkloadSuite": WorkloadSuite,
    "WorkloadCase": WorkloadCase,
    "SoftwareProject": SoftwareProject,
    "ImplementationRevision": ImplementationRevision,
    "BenchmarkProtocol": BenchmarkProtocol,
    "ExecutionEnvironment": ExecutionEnvironment,
    "BenchmarkRun": BenchmarkRun,
}
"""Every kind and its model, in `KIND_ORDER`."""


def parse(value: object, at: str = "") -> Manifest:
    """See `leaderpress.manifests.parse`."""
    document = require_object(value, at)
    validator = _adapter(_kind_of(document, at)).validator
    odd: list[object] = []
    try:
        validator.validate_python(document, context=odd)
    except ValidationError as error:
        raise_faults(error, document, _teller(at))
    return _seal(_with_sorted_sets(document), at, is_plain=not odd)


def parse_bytes(data: bytes, at: str) -> Manifest:
    """See `leaderpress.manifests.parse_bytes`."""
    return parse(read_json(data, at), at)


def schema(kind: str) -> dict[str, Any]:
    """See `leaderpress.manifests.schema`."""
    from .describe import json_schema

    return json_schema(KINDS, kind)


def _teller(at: str) -> Teller:
    return lambda place, code, problem, hint: ManifestError(code, problem, at=json_place(at, place), hint=hint)


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind])


def _kind_of(document: dict[str, Any], at: str) -> str:
    if "kind" not in document:
        raise ManifestError("field-missing", "a manifest names its kind", at=json_place(at, ("kind",)))
    kind = document["kind"]
    if type(kind) is str and kind in KINDS:
        return kind
    named = f"{shown(kind)!r} is not a kind" if isinstance(kind, str) else "the kind must be a text"
    raise ManifestError("kind-unknown", named, at=json_place(at, ("kind",)), hint=f"kinds: {', '.join(KINDS)}")


def _with_sorted_sets(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its set-like lists in normal form; the very same object if they are already."""
    if document["kind"] != "ImplementationRevision":
        return document
    support = document["spec"]["support"]
    changed = {}
    for name in SET_LISTS:
        if name in support and support[name] != (ordered := sorted(set(support[name]), key=_code_units)):
            changed[name] = ordered
    if not changed:
        return document
    return {**document, "spec": {**document["spec"], "support": {**support, **changed}}}


def _code_units(text: str) -> bytes:
    return text.encode("utf-16-be")


def _seal(document: dict[str, Any], at: str, *, is_plain: bool) -> Manifest:
    try:
        manifest = seal(document, is_plain=is_plain)
    except LeaderpressError as fault:
        _locate(document, at)
        raise ManifestError(fault.code, fault.problem, at=at) from None
    if b"\\u0000" in manifest.document:  # also matches a backslash before "u0000", so look again
        _locate(document, at)
    if len(manifest.document) > MAX_DOCUMENT_BYTES:
        size = f"{len(manifest.document)} bytes, more than {MAX_DOCUMENT_BYTES}"
        raise ManifestError("manifest-too-large", f"the document has {size}", at=at)
    return manifest


def _locate(document: dict[str, Any], at: str) -> None:
    """Raise what makes a document impossible to write canonically, with its place."""
    try:
        check(document, at)
    except DumpError as fault:
        raise ManifestError(fault.code, fault.problem, at=fault.at) from None

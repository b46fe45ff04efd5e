"""The kinds of manifest, and the one door through which a document enters: `parse`.

Importing this package does not import pydantic: a command that validates nothing does not pay for it.
"""

from functools import cache
from types import ModuleType
from typing import Any

from .base import API_VERSION, KIND_ORDER, Manifest, identity_bytes, seal

__all__ = ["API_VERSION", "KIND_ORDER", "Manifest", "identity_bytes", "parse", "parse_bytes", "schema", "seal"]


def parse(value: object, at: str = "") -> Manifest:
    """Validate one document of any kind and compute its digests.

    `value` is what a JSON reader gives; it is kept, so do not change it afterwards.  `at` names where it comes from;
    errors carry it with the JSON pointer of the fault.  Raises `ManifestError`, or `Problems` with every fault of the
    document; nothing else, whatever `value` is.
    """
    return _door().parse(value, at)  # type: ignore[no-any-return]


def parse_bytes(data: bytes, at: str) -> Manifest:
    """`parse` for the bytes of one JSON document; raises `DumpError` too, when they are not strict JSON."""
    return _door().parse_bytes(data, at)  # type: ignore[no-any-return]


def schema(kind: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a kind, with its cross-field rules and a description of every field.

    `kind` is one of `KIND_ORDER`.  The calendar and the canonical size cannot be expressed and are not in it.
    """
    return _door().schema(kind)  # type: ignore[no-any-return]


@cache
def _door() -> ModuleType:
    """The module that validates; an import statement that finds it loaded still costs a tenth of a validation."""
    from . import door

    return door

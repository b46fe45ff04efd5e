"""Parts of a canonical document, cut out of its bytes instead of being written anew."""

import re

import orjson

from ..errors import ManifestError
from .base import identity_bytes

_KIND = re.compile(rb'\{"apiVersion":"[^"\\]*","kind":"([A-Za-z]+)",')
_METADATA = b',"metadata":{'
_SPEC = b',"spec":{'


def identity_bytes_of(document: bytes) -> bytes:
    """The identity body's bytes of a canonical document.

    In RFC 8785 order the members are apiVersion, kind, metadata, spec: leaving out the third gives the identity body.
    Inside a string a quotation mark has a backslash before it, so what is searched for is never part of a text.
    """
    start = document.find(_METADATA)
    end = document.find(_SPEC, start)
    if 0 < start < end and document.find(_SPEC, end + 1) < 0:
        return document[:start] + document[end:]
    # A document that spells it otherwise, or has another member of that name.
    return identity_bytes(orjson.loads(document))


def kind_of(document: bytes) -> str:
    """The kind of a canonical document or identity body; raises `ManifestError` for anything else."""
    match = _KIND.match(document)
    if match is None:
        raise ManifestError("not-canonical", "not the canonical bytes of a document")
    return match[1].decode("ascii")

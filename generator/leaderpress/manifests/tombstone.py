"""What stands in the place of a document from which a text had to be removed, or that had to go as a whole.

A tombstone line of the records is the document without what was removed, and one more member, `tombstone`, with the
two digests of what stood there.  Digests never change: the address, the comparison key and the line of the log are
those that were published.  The parts by which a run finds its group are never removed; what is left of a document that
goes as a whole is exactly those parts.

At the address of the canonical object a tombstone document is published, see `published_object`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ..canonical import canonical, sha256
from ..format import kebab
from .skeletons import MARK, NAME_MARK, frame, rule_digest, skeleton

Tree = Any
"""Any JSON value."""
Document = Mapping[str, Any]

TOMBSTONE_VERSION = "leaderpress/v1"
TOMBSTONE_KIND = "Tombstone"

MIN_TEXT = 2
"""Characters of the shortest text that can be removed: a single one stands everywhere."""

_MEMBER = "tombstone"
_CHOSEN_NAMES = frozenset(
    {
        "axes",
        "environmentVariables",
        "labels",
        "libraries",
        "metrics",
        "parameters",
        "requirements",
        "scalars",
        "tensors",
    }
)
"""Members whose own members have names that the author of the document chose."""
_TAIL_LENGTH = 240
_TAIL = re.compile(
    rb',"tombstone":\{"digest":"(sha256:[0-9a-f]{64})","documentDigest":"(sha256:[0-9a-f]{64})",'
    rb'"whole":(?:false|true)\}\}\Z'
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was removed, as it is published."""

    when: str
    """Day, YYYY-MM-DD."""
    why: str
    basis: str
    """The law, order or request that the removal follows."""
    who: str
    note: str
    """The note's file, relative to the site."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A published tombstone, read back."""

    digest: str
    """Of the identity body that stood at the address."""
    of: str
    """Kind of the document that stood there."""
    whole: bool
    reason: Reason


def strip(tree: Tree, texts: Sequence[str], *, free: bool = False) -> Tree:
    """The value with `MARK` in the place of each of the texts.

    Names of members belong to the form of a document and stay, but for those that its author chose; `free`: all of
    them are chosen, as in the value of a fact.
    """
    return _strip(tree, texts, free, chosen=free)


def _strip(tree: Tree, texts: Sequence[str], free: bool, *, chosen: bool) -> Tree:
    if isinstance(tree, str):
        for text in texts:
            tree = tree.replace(text, MARK)
        return tree
    if isinstance(tree, list):
        return [_strip(part, texts, free, chosen=free) for part in tree]
    if isinstance(tree, dict):
        return {
            _strip(name, texts, free, chosen=free) if chosen else name: _strip(
                part, texts, free, chosen=free or name in _CHOSEN_NAMES
            )
            for name, part in tree.items()
        }
    return tree


def strip_name(name: str, texts: Sequence[str]) -> str:
    """A hyphenated name (`sol-user-ada`) without the words that were made from one of the texts."""
    padded = f"-{name}-"
    for text in texts:
        if words := kebab(text):
            padded = padded.replace(f"-{words}-", f"-{NAME_MARK}-")
    return padded[1:-1]


def bury(
    document: Document,
    digest: str,
    document_digest: str,
    reason: Reason,
    texts: Sequence[str],
    *,
    whole: bool = False,
    always: bool = False,
) -> dict[str, Any] | None:
    """The tombstone of a document, None if it holds none of the texts and is not to go as a whole.

    `document` may be a tombstone already; `always` makes one that says why, even if only others held the texts.
    Raises `ValueError` when a text is part of what ranking needs.
    """
    kind, metadata, spec = document["kind"], document["metadata"], document["spec"]
    if whole:
        kept: dict[str, Any] = {"metadata": {"name": NAME_MARK}, "spec": skeleton(kind, spec)}
    else:
        named = {**metadata, "name": strip_name(metadata["name"], texts)}
        kept = {"metadata": strip(named, texts), "spec": strip(spec, texts)}
        if not always and kept == {"metadata": metadata, "spec": spec}:
            return None
        if kept["spec"].get("correctness") != spec.get("correctness"):
            kept["spec"] |= rule_digest(kind, spec)
        if frame(kind, kept["spec"]) != frame(kind, spec):
            raise ValueError("the text is part of what ranking needs")
    old = document.get(_MEMBER, {"digest": digest, "documentDigest": document_digest})
    kept["metadata"] = {**kept["metadata"], "redaction": _stated(reason)}
    return {
        "apiVersion": document["apiVersion"],
        "kind": kind,
        **kept,
        _MEMBER: {**old, "whole": whole or bool(old.get("whole"))},
    }


def grave(document: Document) -> dict[str, Any] | None:
    """`{digest, documentDigest, whole}` of a tombstone line's value; None for any other document."""
    return document.get(_MEMBER)


def buried(line: bytes) -> tuple[str, str] | None:
    """(digest, document digest) of what stood where the records now hold a tombstone; None for any other document.

    `tombstone` is the last member of a canonical document, and a quotation mark inside a text has a backslash before
    it, so that the end of the line tells.
    """
    match = _TAIL.search(line, max(0, len(line) - _TAIL_LENGTH))
    return (match[1].decode("ascii"), match[2].decode("ascii")) if match else None


def published_object(document: Document) -> bytes:
    """What is published at the address of a document of which the records hold the tombstone `document`.

    That is the identity body itself where only editorial parts were removed, which no address depends on.
    """
    body = canonical({name: document[name] for name in ("apiVersion", "kind", "spec")})
    stone = document[_MEMBER]
    if sha256(body) == stone["digest"]:
        return body
    return tombstone(
        stone["digest"], document["kind"], Reason(**document["metadata"]["redaction"]), whole=stone["whole"]
    )


def tombstone(digest: str, of: str, reason: Reason, *, whole: bool = False) -> bytes:
    """The canonical bytes of the tombstone of a document of the kind `of`."""
    head = {"apiVersion": TOMBSTONE_VERSION, "kind": TOMBSTONE_KIND, "digest": digest, "of": of, "whole": whole}
    return canonical({**head, **_stated(reason)})


def _stated(reason: Reason) -> dict[str, str]:
    return {name: getattr(reason, name) for name in ("when", "why", "basis", "who", "note")}


def read_tombstone(value: object) -> Tombstone | None:
    """The parsed JSON of a published object as a tombstone; None if it is none."""
    if not isinstance(value, dict) or (value.get("apiVersion"), value.get("kind")) != _HEAD:
        return None
    texts = [value.get(name) for name in ("digest", "of", "when", "why", "basis", "who", "note")]
    if value.keys() != _OBJECT_MEMBERS or not all(isinstance(text, str) for text in texts):
        return None
    digest, of, *reason = (str(text) for text in texts)
    return Tombstone(digest, of, value["whole"] is True, Reason(*reason)) if _DIGEST.fullmatch(digest) else None


def is_tombstone_of(data: bytes, digest: str) -> bool:
    """Whether these bytes are the canonical tombstone that is published at the address of `digest`."""
    if TOMBSTONE_KIND.encode() not in data:
        return False
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    stone = read_tombstone(value)
    return stone is not None and stone.digest == digest and canonical(value) == data


_HEAD = (TOMBSTONE_VERSION, TOMBSTONE_KIND)
_OBJECT_MEMBERS = frozenset({"apiVersion", "kind", "digest", "of", "whole", "when", "why", "basis", "who", "note"})
_DIGEST = re.compile("sha256:[0-9a-f]{64}")


def tombstone_schema() -> dict[str, Any]:
    """The JSON Schema of what `tombstone` writes; like all published schemas it allows for more members."""
    words = {
        "digest": "What stood at this address hashed to it; it stays as it was published.",
        "of": "Kind of the document that stood here.",
        "when": "Day of the removal, YYYY-MM-DD.",
        "why": "The reason, in plain words.",
        "basis": "The law, order or request that the removal follows.",
        "who": "Who answers for it.",
        "note": "The publisher's note about it, a file of the site's content.",
    }
    members: dict[str, Any] = {
        "apiVersion": {"const": TOMBSTONE_VERSION},
        "kind": {"const": TOMBSTONE_KIND},
        "whole": {"type": "boolean", "description": "Whether all of it was removed, or only a text in it."},
        **{name: {"type": "string", "description": text} for name, text in words.items()},
    }
    members["digest"]["pattern"] = f"^{_DIGEST.pattern}$"
    what = "What stands at the address of a document from which something had to be removed by law."
    return {"type": "object", "description": what, "properties": members, "required": sorted(members)}


def is_original(stone: Document, document_digest: str) -> bool:
    """Whether the document with this document digest is the one that stood where the tombstone `stone` stands."""
    return bool(stone[_MEMBER]["documentDigest"] == document_digest)


def recover(stone: Document, document: Document, document_digest: str) -> list[str]:
    """The texts that were removed, found by laying a document of the tombstone's digest over it.

    The digest vouches for the spec alone; metadata tells nothing unless it is that of the original.
    """
    if stone[_MEMBER]["whole"]:
        spec = document["spec"]
        return _removable([spec["name"]]) if document["kind"] == "SoftwareProject" else []
    parts = ("metadata", "spec") if is_original(stone, document_digest) else ("spec",)
    return [text for part in parts for text in lay_over(stone[part], document[part])]


def lay_over(stone: Tree, original: Tree) -> list[str]:
    """The texts of `original` in whose places `stone` has `MARK`."""
    found: dict[str, None] = {}
    _lay_over(stone, original, found)
    return _removable(found)


def is_removable(text: str) -> bool:
    """Whether a text can be removed wherever it stands: not one that is too short, or part of what takes its place."""
    return len(text) >= MIN_TEXT and text.lower() not in MARK


def _removable(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if is_removable(text)]


def _lay_over(stone: Tree, original: Tree, found: dict[str, None]) -> None:
    if isinstance(stone, str) and isinstance(original, str):
        if MARK in stone and stone != original:
            form = re.escape(stone).replace(re.escape(MARK), "(.+?)")
            if match := re.fullmatch(form, original, re.DOTALL):
                found.update(dict.fromkeys(match.groups()))
    elif isinstance(stone, list) and isinstance(original, list):
        # Lists are laid over only while they correspond; set-like lists may have been sorted before the removal.
        for part, other in zip(stone, original, strict=False):
            _lay_over(part, other, found)
    elif isinstance(stone, dict) and isinstance(original, dict):
        for name, part in stone.items():
            _lay_over(part, original.get(name), found)

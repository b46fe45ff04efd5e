"""`content/notes/*.md`: what people say about published records, reviewed and appended, never edited in.

A note is TOML between two `+++` lines, then Markdown.  Five kinds: a *correction* names the run that supersedes its
target; a *withdrawal* takes the target out of every ranking; a *dispute* is shown beside it; an *attestation* reports
what happened when somebody tried it; a *redaction*, written by `leaderpress redact`, says why something had to be
removed, and never what.  None of them changes a manifest or the evidence level.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

from ..errors import ContentError
from . import toml
from .faults import raise_all
from .patterns import DIGEST, LINE, PROSE, TOKEN, URL
from .tables import choice, day, flag, number, optional, required, table_faults, text

NoteKind = Literal["correction", "withdrawal", "dispute", "attestation", "redaction"]
AttestationType = Literal["reproduction", "partial-reproduction", "non-reproduction", "comment"]

MAX_BODY_BYTES = 16 * 1024
"""Longest Markdown body, in UTF-8."""

_FENCE = re.compile(r"^\+\+\+[ \t]*\r?$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Note:
    """One reviewed note."""

    kind: NoteKind
    target: str
    """Digest of the manifest that it is about."""
    who: str
    """Who says so."""
    when: str
    """Day on which they said it, YYYY-MM-DD."""
    why: str
    """The reason in plain words, shown with the notice."""
    body: str
    """Further text in Markdown, untrusted; may be empty."""
    at: str
    """The note's file."""
    successor: str | None = None
    """Corrections: digest of the run that takes the target's place."""
    type: AttestationType | None = None
    """Attestations: what happened."""
    value: int | float | None = None
    """Attestations: what was measured."""
    unit: str | None = None
    """Unit of the value."""
    statistic: str | None = None
    """Statistic of the value."""
    environment: str | None = None
    """Attestations: on what, in words."""
    evidence: str | None = None
    """Address of what backs the note."""
    basis: str | None = None
    """Redactions: the law, order or request that the removal follows."""
    whole: bool | None = None
    """Redactions: true if the document had to go as a whole."""
    redacted: str | None = None
    """Digest of this note's own document as it was published, where a text had to be removed from it since."""
    redaction: str | None = None
    """With it: the file of the note that says why, relative to the site."""


_COMMON = {
    "kind": required(choice(get_args(NoteKind))),
    "target": required(text(DIGEST, 71)),
    "who": required(text(LINE, 200)),
    "when": required(day),
    "why": required(text(PROSE, 1000)),
    "evidence": optional(text(URL, 2000)),
    "redacted": optional(text(DIGEST, 71)),
    "redaction": optional(text(LINE, 300)),
}

_FIELDS = {
    "correction": {**_COMMON, "successor": required(text(DIGEST, 71))},
    "withdrawal": _COMMON,
    "dispute": _COMMON,
    "attestation": {
        **_COMMON,
        "type": required(choice(get_args(AttestationType))),
        "value": optional(number),
        "unit": optional(text(TOKEN, 200)),
        "statistic": optional(text(TOKEN, 200)),
        "environment": optional(text(PROSE, 1000)),
    },
    "redaction": {**_COMMON, "basis": required(text(PROSE, 1000)), "whole": optional(flag)},
}


def note_place(data: bytes, at: str, field: str) -> str:
    """Where a field of a sound note stands, `path:line`; for whoever finds later that its value does not fit."""
    return _split(toml.decode(data, at), at)[0].fault((field,), "", "").at


def parse_note(data: bytes, at: str) -> Note:
    """Check the bytes of a note; `at` names the file.

    Raises `ContentError` with the line, or `Problems` with every fault of the file.
    """
    front, body = _split(toml.decode(data, at), at)
    stated = front.tree
    raise_all(table_faults(front, _FIELDS[_kind_of(front)]))
    raise_all((*_relation_faults(front), *_body_faults(body, front)))
    return Note(**{**stated, "when": str(stated["when"])}, body=body, at=at)


def _split(text: str, at: str) -> tuple[toml.TomlText, str]:
    """Front matter and body of a note."""
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise ContentError("control-character", "a note has no control characters", at=f"{at}:{line}")
    fences = list(islice(_FENCE.finditer(text), 2))
    if len(fences) < 2 or fences[0].start() != 0:
        hint = "start with a line +++, then TOML, then a line +++, then Markdown"
        raise ContentError("note-without-fields", "a note starts with its fields", at=f"{at}:1", hint=hint)
    opening, closing = fences
    front = toml.read(text[opening.end() + 1 : closing.start()], at, first_line=2)
    return front, text[closing.end() :].strip()


def _kind_of(front: toml.TomlText) -> str:
    kind = front.tree.get("kind")
    if isinstance(kind, str) and kind in _FIELDS:
        return kind
    problem = "a note states its kind" if kind is None else "there is no such kind of note"
    raise front.fault(("kind",), "note-kind", problem, f"kinds: {', '.join(_FIELDS)}")


_REDACTED = (("redacted", "redaction"), ("redaction", "redacted"))


def _relation_faults(front: toml.TomlText) -> Iterator[ContentError]:
    stated = front.tree
    if stated.get("successor") == stated["target"]:
        yield front.fault(("successor",), "successor-is-target", "a run cannot supersede itself")
    for key, other in (("value", "unit"), ("unit", "value"), ("statistic", "value"), *_REDACTED):
        if key in stated and other not in stated:
            yield front.fault((key,), f"{other}-missing", f"a {key} comes with its {other}")


def _body_faults(body: str, front: toml.TomlText) -> Iterator[ContentError]:
    size = len(body.encode())
    if size > MAX_BODY_BYTES:
        yield front.fault((), "note-too-long", f"the text has {size} bytes, more than {MAX_BODY_BYTES}")

"""Notes as canonical documents: what a note says, whatever its file is called and however its fields are laid out.

A document of a note is `{apiVersion, kind, spec}` like the identity body of a manifest, is published under the SHA-256
of its bytes in the same way, and stands in the publication log.
"""

from dataclasses import fields

from ..canonical import Json, canonical, check, sha256
from .notes import Note

NOTE_API_VERSION = "leaderpress/v1"

_ABOUT_THE_FILE = ("kind", "at", "redacted", "redaction")
"""Fields that are no part of what a note says, but for the kind, which stands beside it."""


def note_kind(note: Note) -> str:
    """The kind of its document: `withdrawal` becomes `Withdrawal`."""
    return note.kind.capitalize()


def note_document(note: Note) -> bytes:
    """The RFC 8785 bytes of a note's document; what the note does not state is left out.

    Raises `DumpError` naming the note's file for a number that could not be read back.
    """
    spec: dict[str, Json] = {
        field.name: _plain(value)
        for field in fields(note)
        if field.name not in _ABOUT_THE_FILE and (value := getattr(note, field.name)) not in (None, "", ())
    }
    document = {"apiVersion": NOTE_API_VERSION, "kind": note_kind(note), "spec": spec}
    check(document, note.at)
    return canonical(document)


def note_digest(note: Note) -> str:
    """The digest of a note's document, as it was published even where a text had to be removed from it since."""
    return note.redacted or stated_digest(note)


def stated_digest(note: Note) -> str:
    """The digest of what the note's file says now."""
    return sha256(note_document(note))


def _plain(value: object) -> Json:
    return list(value) if isinstance(value, tuple) else value

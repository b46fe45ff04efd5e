"""Whether the notes of a site fit its records: every note is about something, every removal has its note."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import ContentError, LeaderpressError, Problems
from ..index import Index
from ..manifests.corrections import correction_faults
from ..manifests.notes import Note, note_place
from ..store import removal_faults
from ..store.redactions import Redactions, read_redactions
from .content import Content

_FULL = "name a run of this site by its full digest"


def check_notes(index: Index, content: Content, site: Path) -> None:
    """Raise `Problems` naming the file and the line of every note that does not fit."""
    redactions = read_redactions(site)
    faults: list[LeaderpressError] = []
    for note in content.notes:
        found = _redaction_faults(index, note, redactions) if note.kind == "redaction" else _run_faults(index, note)
        faults += (_located(site, note, *fault) for fault in found)
    faults += correction_faults(content.notes)
    faults += removal_faults(content.notes, redactions, site)
    if faults:
        raise Problems(faults)


Fault = tuple[str, str, str, str]
"""Field, code, problem, hint."""


def _run_faults(index: Index, note: Note) -> Iterator[Fault]:
    """A note is about a published run, and a successor is one."""
    for field, digest in (("target", note.target), ("successor", note.successor)):
        if digest and not index.count("select count(*) from run where digest = ?", digest):
            yield field, "note-target", f"there is no run {digest}", _hint(index, digest)


def _hint(index: Index, digest: str) -> str:
    """What the digest is instead of a run's, where it is anything."""
    kinds = index.pairs("select kind from document where digest = ?", digest)
    return f"this digest is of a document of the kind {kinds[0][0]}; {_FULL}" if kinds else _FULL


def _redaction_faults(index: Index, note: Note, redactions: Redactions) -> Iterator[Fault]:
    """A removal's note does nothing by itself: the records must have been changed."""
    if not index.has(note.target):
        yield "target", "note-target", f"there is no document {note.target}", "name a document by its full digest"
    elif not any(line["target"] == note.target and line["note"] == note.at for line in redactions.lines):
        problem = "nothing was removed from the records for this note"
        yield "kind", "redaction-undone", problem, "delete the file and run `leaderpress redact`, which writes it"


def _located(site: Path, note: Note, field: str, code: str, problem: str, hint: str) -> ContentError:
    at = note_place((site / note.at).read_bytes(), note.at, field)
    return ContentError(code, problem, at=at, hint=hint)

"""Rules that notes have among each other."""

from collections.abc import Iterator, Sequence

from ..errors import ContentError
from .notes import Note


def correction_faults(notes: Sequence[Note]) -> Iterator[ContentError]:
    """Corrections must lead somewhere: one successor for each run, and none back to where it came from."""
    successors: dict[str, str] = {}
    for note in notes:
        if note.successor and successors.setdefault(note.target, note.successor) != note.successor:
            problem = f"another correction names another successor of {note.target}"
            yield ContentError("note-successors", problem, at=note.at, hint="keep one of the two")
    for note in notes:
        seen, digest = {note.target}, note.successor
        while note.kind == "correction" and digest in successors and digest not in seen:
            seen.add(digest)
            digest = successors[digest]
        if note.kind == "correction" and digest in seen:
            problem = f"corrections lead from {note.target} back to itself"
            yield ContentError("note-circle", problem, at=note.at, hint="remove one of them")

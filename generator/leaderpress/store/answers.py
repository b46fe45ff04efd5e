"""Whether somebody answers for every removal: each line of the journal has its own note about the same document.

Notes come into the publication log, so that a removal that nobody announced cannot be added to the journal in silence.
"""

from collections.abc import Iterator, Sequence

from ..errors import ContentError
from ..manifests.notes import Note
from .redactions import PLACE, Redactions

_HINT = "`leaderpress redact` writes a note with every line; restore both from version control"


def unanswered(redactions: Redactions, notes: Sequence[Note]) -> Iterator[ContentError]:
    """A fault for each line of the journal whose note is about another document, or answers for a line before it."""
    targets = {note.at: note.target for note in notes if note.kind == "redaction"}
    answered: set[str] = set()
    for number, line in enumerate(redactions.lines, 1):
        note, target = line["note"], line["target"]
        problem = ""
        if targets.get(note, target) != target:
            problem = f"the note {note} is about {targets[note]}, and the line about {target}"
        elif note in answered:
            problem = f"the note {note} answers for a line before this one"
        answered.add(note)
        if problem:
            yield ContentError("redaction-unanswered", problem, at=f"{PLACE}:{number}", hint=_HINT)

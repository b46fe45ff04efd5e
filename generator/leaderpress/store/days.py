"""Days of publication follow one another: no folder is of an earlier day than the one before it or a note in it.

The days are the publisher's word; the log proves the order alone.  A day that contradicts the order is a mistake.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from ..errors import ContentError, LeaderpressError, Problems
from ..manifests.notes import Note, note_place
from .folder import Folder


def check_days(site: Path, day: date, held: Sequence[Folder], notes: Iterable[Note] = ()) -> None:
    """Raise `Problems` where a folder published on `day` would come before what it follows or holds.

    `held` are the folders before it, `notes` those that it publishes.
    """
    if faults := [*_faults(site, day.isoformat(), held, notes)]:
        raise Problems(faults)


def _faults(site: Path, day: str, held: Sequence[Folder], notes: Iterable[Note]) -> Iterator[LeaderpressError]:
    newest = max((folder.snapshot["published_at"] for folder in held), default="")
    if day < newest:
        problem = f"published on {day}, and the records before it on {newest}"
        hint = f"say --published-at {newest} or a later day: the order of publication is that of the folders"
        yield ContentError("published-earlier", problem, at=held[-1].at(), hint=hint)
    for note in notes:
        if note.when > day:
            problem = f"the note is of {note.when}, and would be published on {day}"
            hint = "correct its day, or say --published-at with that day or a later one"
            at = note_place((site / note.at).read_bytes(), note.at, "when")
            yield ContentError("note-later", problem, at=at, hint=hint)

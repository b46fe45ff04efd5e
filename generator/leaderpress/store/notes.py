"""`content/notes/` beside the records: which notes the publication log has already, which it takes next.

A note that a folder of records has published stands in the log for ever: it may be renamed and laid out anew, but
what it says must stay.  Who has more to say writes another note.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import ContentError, LeaderpressError, Problems
from ..log import shown
from ..manifests.corrections import correction_faults
from ..manifests.note_documents import note_digest, stated_digest
from ..manifests.notes import Note, note_place, parse_note
from .answers import unanswered
from .folder import Folder
from .publications import committed_lines, committed_notes
from .redactions import PLACE as REDACTIONS
from .redactions import Redactions
from .strays import strays

NOTES = "content/notes"
"""Where the notes stand, relative to the site."""

_RUN = "BenchmarkRun"
_HINT = "restore it from version control, and write a new note for what is to be said now"


def read_notes(site: Path) -> tuple[Note, ...]:
    """Every note of the site, by file name; raises `Problems` with every fault of every file."""
    notes: list[Note] = []
    faults: list[LeaderpressError] = [*strays(site, NOTES, ".md")]
    for path in sorted((site / NOTES).glob("*.md")):
        if path.is_file():
            try:
                notes.append(_read(path))
            except Problems as several:
                faults += several.problems
            except LeaderpressError as fault:
                faults.append(fault)
    if faults:
        raise Problems(faults)
    return tuple(notes)


def _read(path: Path) -> Note:
    at = f"{NOTES}/{path.name}"
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ContentError("content-unreadable", str(fault.strerror or fault), at=at) from None
    return parse_note(data, at)


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes in the order in which the log takes them: by day, then by file name."""
    return sorted(notes, key=lambda note: (note.when, note.at))


def new_notes(notes: Sequence[Note], held: Sequence[Folder]) -> list[Note]:
    """The notes that the next folder publishes: those that no folder has and that are about published records.

    Raises `Problems` where a note that a folder has was changed or removed, and where notes contradict each other:
    once they are in the log it would be too late.
    """
    if faults := [*changed_notes(notes, held), *correction_faults(notes)]:
        raise Problems(faults)
    known = {digest for digest, _ in committed_notes(held)}
    fresh = [note for note in notes if note_digest(note) not in known]
    published = _published(fresh, held)
    return in_order(note for note in fresh if published.issuperset(_named(note)))


def _named(note: Note) -> Iterator[str]:
    return (digest for digest in (note.target, note.successor) if digest)


def _published(notes: Sequence[Note], held: Sequence[Folder]) -> set[str]:
    """Those of the documents that these notes name that the folders hold; runs only, unless a redaction names them."""
    wanted = {digest: note.kind for note in notes for digest in _named(note)}
    if not wanted:
        return set()
    return {
        line["digest"]
        for folder in held
        for line in folder.provenance()
        if line["digest"] in wanted and (line["kind"] == _RUN or wanted[line["digest"]] not in _ABOUT_RUNS)
    }


_ABOUT_RUNS = ("correction", "withdrawal", "dispute", "attestation")


def changed_notes(notes: Sequence[Note], held: Sequence[Folder]) -> Iterator[ContentError]:
    """A fault for each note that is not as it was published, or as a removal left it, naming its file and its line."""
    if held:
        yield from removal_faults(notes, held[-1].redactions, held[-1].path.parents[2])
    files = {Path(note.at).name for note in notes}
    present = {note_digest(note) for note in notes}
    for folder in held:
        missing = {digest: file for digest, file in committed_notes([folder]) if digest not in present}
        for line in committed_lines(folder) if missing else ():
            file = missing.get(f"sha256:{line.split(b' ', 3)[2].decode()}")
            if file is not None:
                what = "changed" if file in files else "removed"
                problem = f"the note was {what}, and the log has published it: {shown(line)}"
                yield ContentError("note-committed", problem, at=f"{NOTES}/{file}", hint=_HINT)


# -- removals ----------------------------------------------------------------------------------------------------------


def removal_faults(notes: Sequence[Note], redactions: Redactions, site: Path) -> Iterator[ContentError]:
    """A fault for each note that a removal did not leave as it is, and for each removal whose note is gone."""
    for note in notes:
        if note.redacted:
            yield from _edited_since(note, note.redacted, redactions, site)
    present = {note.at for note in notes if note.kind == "redaction"}
    for number, line in enumerate(redactions.lines, 1):
        if line["note"] not in present:
            problem = f"the note that says why is gone: {line['note']}"
            hint = "restore it from version control under the same name"
            yield ContentError("redaction-note", problem, at=f"{REDACTIONS}:{number}", hint=hint)
    yield from unanswered(redactions, notes)


def _edited_since(note: Note, published: str, redactions: Redactions, site: Path) -> Iterator[ContentError]:
    """What is wrong with a note that says that a text was removed from it."""
    left, why = redactions.note(published)
    if not left:
        problem = "the note says that a text was removed from it, and no removal names it"
        hint = "take out `redacted` and `redaction`"
        yield ContentError("note-redacted", problem, at=_line_of(note, "redacted", site), hint=hint)
    elif note.redaction not in why:
        problem = f"the text was removed for another reason than {note.redaction}"
        hint = f"it says so in {min(why)}"
        yield ContentError("note-redacted", problem, at=_line_of(note, "redaction", site), hint=hint)
    elif (found := stated_digest(note)) != left:
        problem = f"the note was edited after a text was removed from it: it hashes to {found}, and {left} was left"
        yield ContentError("note-committed", problem, at=note.at, hint=_HINT)


def _line_of(note: Note, field: str, site: Path) -> str:
    return note_place((site / note.at).read_bytes(), note.at, field)

"""What the folders of records commit of the publication log.

A folder publishes, in this order, the notes that are new since the folder before it and its own documents in the order
of its manifest files.  Their lines stand in its `log.txt`, and its snapshot holds the checkpoint of the log up to and
including them, so that `cat content/records/*/log.txt | sha256sum` gives the newest one.  Folders that an older
version wrote have no `log.txt`: the first folder with one begins with their lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..canonical import sha256
from ..errors import ContentError
from ..log import VERSION, Checkpoint, LogLine, Tally, difference_fault, first_difference
from ..manifests.cut import identity_bytes_of, kind_of
from ..manifests.note_documents import note_digest, note_kind
from ..manifests.notes import Note
from ..manifests.tombstone import buried
from .draft import Draft
from .folder import LOG, PLACE, Folder, Line


@dataclass(frozen=True, slots=True)
class Commitment:
    """What a snapshot says about the log."""

    checkpoint: Checkpoint
    """Of the whole log, up to and including the folder's lines."""
    notes: tuple[tuple[str, str], ...]
    """(digest of the document, file name) of each note that the folder publishes, in order."""


def commitment(snapshot: Line) -> Commitment | None:
    """What a snapshot commits; None for one that an older version wrote.

    Raises `ContentError` for a form that this version does not know.
    """
    stated = snapshot.get("log")
    if stated is None:
        return None
    if stated["v"] != VERSION:
        problem = f"version {stated['v']!r} of the log is not known"
        raise ContentError("log-version", problem, at=PLACE, hint="a newer leaderpress wrote these records")
    notes = tuple((note["digest"], note["file"]) for note in stated["notes"])
    return Commitment(Checkpoint(stated["lines"], stated["sha256"]), notes)


def committed_notes(held: Iterable[Folder]) -> list[tuple[str, str]]:
    """(digest, file name) of every note that these folders publish, in order."""
    return [note for folder in held if (stated := commitment(folder.snapshot)) for note in stated.notes]


def committed_lines(folder: Folder) -> Iterator[bytes]:
    """The lines of the log that a folder commits, with their line feeds."""
    return folder.lines(LOG) if LOG in folder.snapshot["files"] else iter(())


def first_fault(records: Path, names: Sequence[str], lines: Iterable[bytes]) -> ContentError | None:
    """The first line of a log that is not the one that the folders of these names commit; None if all are there.

    `records` holds the folders, `lines` is the whole log as it follows from documents and notes.
    """
    places = [records / name / LOG for name in names]
    difference = first_difference((line for place in places for line in _segment(place)), lines)
    number = difference.number if difference else 0
    for name, place in zip(names, places, strict=True):
        count = sum(1 for _ in _segment(place))
        if difference and number <= count:
            return difference_fault(difference._replace(number=number), f"{PLACE}/{name}/{LOG}")
        number -= count
    return None


def _segment(place: Path) -> Iterator[bytes]:
    if place.is_file():
        with place.open("rb") as stream:
            yield from stream


class Journal:
    """Writes the log of the next folder into its draft: notes first, then each document as it is published."""

    def __init__(self, draft: Draft, held: Sequence[Folder], published_at: str) -> None:
        """Take in what older folders say of the log, and write the lines of those that say nothing."""
        self._draft = draft
        self._published_at = published_at
        self._tally = Tally()
        self._notes: list[Line] = []
        draft.log()
        covered = max((place for place, folder in enumerate(held, 1) if LOG in folder.snapshot["files"]), default=0)
        for folder in held[:covered]:
            for block in folder.blocks(LOG) if LOG in folder.snapshot["files"] else ():
                self._tally.add_many(block, block.count(b"\n"))
        for folder in held[covered:]:
            self._take_over(folder)

    def _take_over(self, folder: Folder) -> None:
        for _, _, document in folder.manifests():
            stone = buried(document) if folder.has_tombstones else None
            identity, whole = stone or (sha256(identity_bytes_of(document)), sha256(document))
            self._add(folder.snapshot["published_at"], identity, kind_of(document), document=whole)

    def note(self, note: Note) -> None:
        """Publish a note."""
        digest = note_digest(note)
        self._add(note.when, digest, note_kind(note), document=digest)
        self._notes.append({"digest": digest, "file": Path(note.at).name})

    def document(self, identity: str, kind: str, document: str) -> None:
        """Publish a document of the new folder: its digest, kind and document digest."""
        self._add(self._published_at, identity, kind, document=document)

    def _add(self, published_at: str, identity: str, kind: str, *, document: str) -> None:
        line = LogLine(self._tally.lines + 1, published_at, document, identity, kind).text()
        self._tally.add(line)
        self._draft.log((line[:-1],))

    @property
    def lines(self) -> int:
        """Of the whole log so far."""
        return self._tally.lines

    def commitment(self) -> Line:
        """What the new snapshot says about the log, as its member `log`."""
        lines, digest = self._tally.checkpoint()
        return {"v": VERSION, "lines": lines, "sha256": digest, "notes": self._notes}

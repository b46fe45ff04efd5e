"""What the folders of records commit of the publication log.

A folder publishes, in this order, the notes that are new since the folder before it, its own documents in the order
of its manifest files, and its snapshot (see `snapshot_line`).  Their lines stand in its `log.txt`, and its snapshot
holds the checkpoint of the log up to and including them, so that `cat content/records/*/log.txt | sha256sum` gives the
newest one.  Folders that an older version wrote have no `log.txt`, or none with the line of their snapshot: the first
folder with a log begins with the lines of the former, and the next snapshot's line covers both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..canonical import sha256
from ..errors import ContentError
from ..log import Checkpoint, LogLine, Tally, difference_fault, first_difference
from ..manifests.cut import identity_bytes_of, kind_of
from ..manifests.note_documents import note_digest, note_kind
from ..manifests.notes import Note
from ..manifests.tombstone import buried
from .draft import Draft
from .folder import PLACE, SEAL, Folder, Line
from .snapshot_line import KIND, LOG, line_digest, told

VERSION = 2
"""Of what a snapshot says about the log; version 1 has no line for the snapshot itself."""


@dataclass(frozen=True, slots=True)
class Commitment:
    """What a snapshot says about the log."""

    checkpoint: Checkpoint
    """Of the whole log, up to and including the folder's lines."""
    notes: tuple[tuple[str, str], ...]
    """(digest of the document, file name) of each note that the folder publishes, in order."""
    snapshot: str = ""
    """Digest in the line of the snapshot, which is the last of the folder; empty where there is none."""


def commitment(snapshot: Line) -> Commitment | None:
    """What a snapshot commits; None for one that an older version wrote.

    Raises `ContentError` for a form that this version does not know.
    """
    stated = snapshot.get("log")
    if stated is None:
        return None
    if stated["v"] not in (1, VERSION):
        problem = f"version {stated['v']!r} of the log is not known"
        raise ContentError("log-version", problem, at=PLACE, hint="a newer leaderpress wrote these records")
    notes = tuple((note["digest"], note["file"]) for note in stated["notes"])
    digest = line_digest(snapshot, stated["told"]) if "told" in stated else ""
    return Commitment(Checkpoint(stated["lines"], stated["sha256"]), notes, digest)


def committed_notes(held: Iterable[Folder]) -> list[tuple[str, str]]:
    """(digest, file name) of every note that these folders publish, in order."""
    return [note for folder in held if (stated := commitment(folder.snapshot)) for note in stated.notes]


def all_covered(held: Sequence[Folder]) -> bool:
    """Whether the log has a line for what these folders hold beside documents; a seal holds nothing."""
    for folder in reversed(held):
        stated = commitment(folder.snapshot)
        if stated and stated.snapshot:
            return True
        if not folder.is_seal:
            return False
    return True


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
    """Writes the log of the next folder into its draft: notes, each document as it is published, then its snapshot."""

    def __init__(self, draft: Draft, held: Sequence[Folder], published_at: str) -> None:
        """Take in what older folders say of the log, and write the lines of those that say nothing."""
        self._draft = draft
        self._published_at = published_at
        self._tally = Tally()
        self._notes: list[Line] = []
        self._covered = all_covered(held)
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

    def checkpoint(self) -> Checkpoint:
        """Of the whole log so far."""
        return self._tally.checkpoint()

    def completed(self, snapshot: Line) -> Line:
        """The snapshot with its files and with what it says about the log; nothing may be written after it."""
        whole = {**snapshot, "files": self._draft.files()}
        log: Line = {"v": VERSION, "notes": self._notes}
        if not (snapshot.get("form") == SEAL and self._covered):
            log["told"] = told(whole)
            digest = line_digest(whole, log["told"])
            self._add(self._published_at, digest, KIND, document=digest)
        log["lines"], log["sha256"] = self._tally.checkpoint()
        return {**whole, "files": self._draft.files(), "log": log}

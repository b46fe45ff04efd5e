"""The publication log of a build: documents in the order of their folder, then its snapshot; each note in its place.

Folders commit checkpoints of the log (`store.publications`), and a build that no longer gives one of them is refused:
what was published is neither taken back nor moved.  Notes that no folder has published yet come last, by day and file
name; `leaderpress seal` gives them their place for good.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path

from ..index import Index
from ..log import CHECKPOINT, LOG, Checkpoint, Tally, checkpoint_fault
from ..manifests.note_documents import note_digest, note_document, note_kind
from ..manifests.notes import Note
from ..manifests.tombstone import Reason, tombstone
from ..store import PLACE, SNAPSHOT, SNAPSHOT_KIND, commitment, first_fault, in_order
from .changes import Changes
from .output import DirectoryOutput

_LINES_A_CHUNK = 4096
_BLOCK = 1 << 20

Fields = tuple[str, str, str, str]
"""published_at, document digest, digest, kind."""


class Publication:
    """The log of one site, made anew each time that it is asked for."""

    def __init__(self, index: Index, notes: Sequence[Note], records: Path) -> None:
        self._index = index
        self._records = records
        self._notes = {note_digest(note): note for note in notes}
        self._history = index.history()
        self._stated = [commitment(folder.snapshot) for folder in self._history]
        committed = {digest for stated in self._stated if stated for digest, _ in stated.notes}
        self.open = in_order(note for digest, note in self._notes.items() if digest not in committed)
        """Notes that no folder has published yet."""

    @property
    def has_notes(self) -> bool:
        """Whether a folder has published a note, which must still say what it said."""
        return any(stated and stated.notes for stated in self._stated)

    @property
    def committed(self) -> int:
        """How many lines of the log the folders commit: they never change any more."""
        return max((stated.checkpoint.lines for stated in self._stated if stated), default=0)

    def count(self) -> int:
        """Lines of the whole log."""
        snapshots = sum(1 for stated in self._stated if stated and stated.snapshot)
        return self._index.count("select count(*) from version") + len(self._notes) + snapshots

    def checkpoint(self) -> Checkpoint:
        """Of the whole log; raises as `chunks` does."""
        tally = Tally()
        for _ in self.chunks(tally):
            pass
        return tally.checkpoint()

    def is_still(self, published: Checkpoint) -> bool:
        """Whether the log is the one with this checkpoint; raises as `chunks` does."""
        return self.count() == published.lines and self.checkpoint() == published

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of the document of each note; two files that say the same are one."""
        for digest, note in sorted(self._notes.items(), key=itemgetter(0)):
            yield f"sha256/{digest[7:9]}/{digest[7:]}.json", self._object(digest, note)

    def _object(self, digest: str, note: Note) -> bytes:
        """The document of a note, or its tombstone where a text had to be removed."""
        if not note.redacted:
            return note_document(note)
        because = next(each for each in self._notes.values() if each.at == note.redaction)
        reason = Reason(because.when, because.why, because.basis or "", because.who, because.at)
        return tombstone(digest, note_kind(note), reason)

    def folders_of(self, published: Checkpoint) -> int:
        """How many folders, from the first, give the log with this checkpoint, as the last of them commits; 0 if none.

        Without a note that was published and not committed, the log of a site ends with such a folder.
        """
        places = [number for number, stated in enumerate(self._stated, 1) if stated and stated.checkpoint == published]
        return max(places, default=0)

    def chunks(self, tally: Tally, folders: int = 0) -> Iterator[bytes]:
        """The log in pieces of many lines, which are counted in `tally`: the whole, or what follows so many folders.

        Raises `ContentError` naming the first line that is not the one that a folder committed.
        """
        for stated, at, lines in self._parts(folders):
            for chunk, count in _chunked(lines, tally.lines):
                tally.add_many(chunk, count)
                yield chunk
            if stated and (fault := checkpoint_fault(stated, tally.checkpoint(), at)):
                names = [folder.name for folder in self._history if f"{PLACE}/{folder.name}/{SNAPSHOT}" <= at]
                raise first_fault(self._records, names, self._lines()) or fault

    def _parts(self, folders: int = 0) -> Iterator[tuple[Checkpoint | None, str, Iterator[Fields]]]:
        """What each folder adds with its checkpoint and the place of that, then the notes that none has published."""
        rows = groupby(self._index.publications(folders), key=itemgetter(0))
        number, documents = next(rows, (0, iter(())))
        for folder, stated in zip(self._history[folders:], self._stated[folders:], strict=True):
            if stated:
                notes = (self._notes[digest] for digest, _ in stated.notes)
                yield None, "", map(_of_note, notes)
            lines: Iterator[Fields] = iter(())
            if number == folder.number:
                lines = _of_documents(folder.published_on, documents)
            if stated and stated.snapshot:
                own = (folder.published_on, stated.snapshot, stated.snapshot, SNAPSHOT_KIND)
                lines = chain(lines, (own,))
            yield stated.checkpoint if stated else None, f"{PLACE}/{folder.name}/{SNAPSHOT}", lines
            if number == folder.number:
                number, documents = next(rows, (0, iter(())))
        yield None, "", map(_of_note, self.open)

    def _lines(self) -> Iterator[bytes]:
        before = 0
        for _, _, lines in self._parts():
            for chunk, count in _chunked(lines, before):
                before += count
                yield from chunk.splitlines(keepends=True)


def write_log(publication: Publication, output: DirectoryOutput, changes: Changes | None) -> tuple[Checkpoint, int]:
    """Write the log, its checkpoint and the documents of notes, or take them over.

    Gives the checkpoint and the number of files written.  Raises `ContentError` where the records no longer give a
    checkpoint that they commit.
    """
    known = changes.log if changes is not None else None
    if known is not None and changes is not None and not changes.logged:
        return known, 0
    made = 0
    # What is stated about documents may change without a new one; the log is long, so look before writing it.
    if known is None or not (publication.is_still(known) and output.reuse(LOG)):
        log = Path(output.root, LOG)
        goes_on = changes is not None and changes.continued
        folders, tally = _resumed(publication, known, log) if known and goes_on else (0, Tally())
        output.write_chunks(LOG, chain(_blocks(log) if folders else (), publication.chunks(tally, folders)))
        known, made = tally.checkpoint(), 1
    for path, data in ((CHECKPOINT, known.text()), *publication.objects()):
        output.write(path, data)
        made += 1
    return known, made


def _resumed(publication: Publication, published: Checkpoint, log: Path) -> tuple[int, Tally]:
    """How many folders gave the published log, and its tally, if the records go on from there; else nothing of both.

    A long log is taken over as it is instead of being made again, once its bytes are proved to be those.
    """
    tally, folders = Tally(), publication.folders_of(published)
    with suppress(OSError):
        for block in _blocks(log) if folders else ():
            tally.add_many(block, block.count(b"\n"))
    return (folders, tally) if folders and tally.checkpoint() == published else (0, Tally())


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            yield block


def _of_documents(published_at: str, rows: Iterable[tuple[int, str, str, str]]) -> Iterator[Fields]:
    return ((published_at, document, digest, kind) for _, document, digest, kind in rows)


def _of_note(note: Note) -> Fields:
    digest = note_digest(note)
    return note.when, digest, digest, note_kind(note)


def _chunked(published: Iterator[Fields], before: int) -> Iterator[tuple[bytes, int]]:
    """Lines in pieces, each with their number; `before` lines came earlier."""
    while some := list(islice(published, _LINES_A_CHUNK)):
        lines = [
            f"{number} {published_at} {document[7:]} {digest[7:]} {kind}\n"
            for number, (published_at, document, digest, kind) in enumerate(some, before + 1)
        ]
        before += len(lines)
        yield "".join(lines).encode("ascii"), len(lines)

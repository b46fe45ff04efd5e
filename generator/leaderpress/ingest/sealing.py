"""`leaderpress seal`: commit to the publication log what no folder of records has committed yet, without a dump."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from .. import store
from ..canonical import digest_of
from ..log import EMPTY
from ..manifests.note_documents import note_digest
from ..manifests.notes import Note
from ..store import Draft, Folder, Journal, Line


@dataclass(frozen=True, slots=True)
class SealReport:
    """What `seal` did."""

    folder: str
    """Name of the folder that was written, empty if there was nothing to commit."""
    notes: tuple[str, ...]
    """The notes that were committed, by their files."""
    waiting: tuple[str, ...]
    """Notes that were not, because they are about runs that no folder holds."""
    lines: int
    """Of the whole log."""
    sha256: str
    """64 hex digits over those lines."""


def seal(site: Path, *, published_at: date | None, today: Callable[[], date]) -> SealReport:
    """Write a folder of records without documents, which publishes the notes that are new since the last folder.

    Notes get a fixed place in the log this way before a later note could come to stand before them; records that an
    older version wrote get their first checkpoint, or their first line of a snapshot.  Where everything is committed
    already, nothing is written.

    Raises `Problems` where a committed note was changed or the day comes before what it follows, and `ContentError` for
    a damaged store or a folder that cannot be written.
    """
    with store.exclusive(site):
        held = store.folders(site)
        for folder in held:
            store.verify(folder)
        notes = store.read_notes(site)
        fresh = store.new_notes(notes, held)
        known = {digest for digest, _ in store.committed_notes(held)}
        waiting = tuple(note.at for note in notes if note not in fresh and note_digest(note) not in known)
        stated = store.commitment(held[-1].snapshot) if held else None
        if not fresh and (not held or (stated and store.all_covered(held))):
            lines, sha256 = stated.checkpoint if stated else EMPTY
            return SealReport("", (), waiting, lines, sha256)
        day = published_at or today()
        store.check_days(site, day, held, fresh)
        return _write(site, held, fresh, waiting, day.isoformat())


def _write(
    site: Path, held: list[Folder], fresh: list[Note], waiting: tuple[str, ...], published_at: str
) -> SealReport:
    with Draft(site) as draft:
        journal = Journal(draft, held, published_at)
        for note in fresh:
            journal.note(note)
        snapshot = _snapshot(journal, held, published_at)
        name = store.folder_name(len(held) + 1, snapshot["source"], snapshot["dump"])
        draft.publish(name, store.snapshot_bytes(snapshot))
    log = snapshot["log"]
    return SealReport(name, tuple(note.at for note in fresh), waiting, log["lines"], log["sha256"])


def _snapshot(journal: Journal, held: list[Folder], published_at: str) -> Line:
    """Like that of an ingest which found nothing; what stands for the dump is what it adds to the log."""
    lines, digest = journal.checkpoint()
    after = held[-1].snapshot_digest if held else ""
    return journal.completed({
        "v": 1,
        "form": store.SEAL,
        "dump": digest_of({"after": after, "lines": lines, "sha256": digest}),
        "source": store.SEAL,
        "sources": [],
        "published_at": published_at,
        "ingester": "",
        "ingester_version": 0,
        "counts": {},
        "tasks": [],
        "rejections": [],
        "ignored": [],
        "drift": [],
        **({"previous": after} if held else {}),
    })  # fmt: skip

"""`leaderpress ingest --undo`: take the newest folder of records back while nothing published contains it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import store
from ..editions import edition_files
from ..errors import BuildError, ContentError, LeaderpressError, Problems
from ..inventory import SUMS, parse_sums
from ..log import CHECKPOINT, Checkpoint, parse_checkpoint
from ..store import Folder
from .proposals import PLACE as PROPOSALS

PUBLISHED = "build/site"
"""Where a build publishes, relative to the site."""

_HINT = "what was published is never taken back; withdraw what is wrong with a note"


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was taken back."""

    folder: str
    """Name of the folder."""
    source: str
    published_at: str
    documents: int
    """That it alone held."""
    lines: int
    """Of the log, now."""


def undo(site: Path) -> UndoReport:
    """Remove the newest folder of records, as if its dump had never been ingested, or its notes never been sealed.

    Raises `Problems` where the published site, an edition or a note contains or names something of the folder, and
    `ContentError` for a site without records or a folder that cannot be removed.
    """
    with store.exclusive(site):
        held = store.folders(site)
        if not held:
            raise ContentError("undo-nothing", "there is no folder of records", at=store.PLACE)
        last, lines = held[-1], _lines_of(held[:-1])
        documents = sum(1 for _ in last.manifests())
        if faults := [*_reasons_against(site, held, lines)]:
            raise Problems(faults)
        store.retract(site, last)
    shutil.rmtree(site / PROPOSALS / last.name, ignore_errors=True)
    return UndoReport(last.name, last.source, last.snapshot["published_at"], documents, lines)


def _lines_of(held: list[Folder]) -> int:
    """Lines of the log that these folders give."""
    if held and (stated := store.commitment(held[-1].snapshot)):
        return stated.checkpoint.lines
    notes = len(store.committed_notes(held))
    return notes + sum(1 for folder in held for _ in folder.manifests())


def _reasons_against(site: Path, held: list[Folder], lines: int) -> Iterator[LeaderpressError]:
    last = held[-1]
    notes = len(store.committed_notes([last]))
    published = _published_lines(site)
    # Notes may be published before an ingest commits them, and will be again; of a seal they are everything.
    unpublished = lines + (notes if _lines_of(held) > lines + notes else 0)
    if published > unpublished:
        problem = f"the published log has {published} lines, and the records before {last.name} give {lines}"
        yield ContentError("undo-published", problem, at=f"{PUBLISHED}/{CHECKPOINT}", hint=_HINT)
    elif page := _page_that_lists(site, last):
        problem = f"the published site lists the ingest of {last.name}"
        yield ContentError("undo-published", problem, at=f"{PUBLISHED}/{page}", hint=_HINT)
    elif run := next(iter(_published_runs(site, held)), ""):
        problem = f"the published site holds a run of {last.name}"
        yield ContentError("undo-published", problem, at=f"{PUBLISHED}/{run}", hint=_HINT)
    for edition in edition_files(site):
        if edition.head.checkpoint.lines > lines:
            yield ContentError("undo-edition", f"the edition ranks what {last.name} holds", at=edition.at, hint=_HINT)
    yield from _notes_about(site, held)


def _published_lines(site: Path) -> int:
    at = f"{PUBLISHED}/{CHECKPOINT}"
    try:
        checkpoint: Checkpoint = parse_checkpoint((site / at).read_bytes(), at)
        return checkpoint.lines
    except FileNotFoundError:
        return 0
    except OSError as fault:
        raise ContentError("undo-unknown", f"cannot read: {fault.strerror or fault}", at=at) from None


def _page_that_lists(site: Path, last: Folder) -> str:
    """The published page of changes that has this ingest, if there is one: facts alone add nothing to the log."""
    dump = str(last.snapshot["dump"]).encode() if last.source else b""
    pages = ("changes/index.html", "changes/index.json")
    held = ((page, site / PUBLISHED / page) for page in pages if dump)
    return next((page for page, path in held if path.is_file() and dump in path.read_bytes()), "")


def _published_runs(site: Path, held: list[Folder]) -> list[str]:
    """Pages of runs that only the newest folder holds, and that are published: an older version wrote no log."""
    try:
        listed = parse_sums((site / PUBLISHED / SUMS).read_bytes(), f"{PUBLISHED}/{SUMS}")
    except (OSError, BuildError):
        return []
    pages = {digest: f"runs/{digest[7:]}/index.html" for digest in _digests(held[-1])}
    return sorted(pages[digest] for digest in _only_in_last(held, {run for run in pages if pages[run] in listed}))


def _digests(folder: Folder) -> Iterator[str]:
    return (line["digest"] for line in folder.provenance())


def _only_in_last(held: list[Folder], digests: set[str]) -> set[str]:
    """Those of these digests that no older folder states anything about."""
    for folder in held[:-1] if digests else ():
        digests = digests.difference(_digests(folder))
    return digests


def _notes_about(site: Path, held: list[Folder]) -> Iterator[ContentError]:
    """A fault for each note about a document that no other folder holds."""
    last = held[-1]
    named = {digest: note for note in store.read_notes(site) for digest in (note.target, note.successor) if digest}
    mine = _only_in_last(held, named.keys() & set(_digests(last)) if named else set())
    for digest in sorted(mine):
        problem = f"the note is about {digest}, which {last.name} published"
        yield ContentError("undo-note", problem, at=named[digest].at, hint="remove the note first")

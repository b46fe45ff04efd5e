"""`leaderpress ingest --undo`: take the newest folder of records back while nothing published contains it."""

import shutil
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import store
from ..editions import edition_files
from ..errors import BuildError, ContentError, LeaderpressError, Problems
from ..inventory import SUMS, parse_sums
from ..log import CHECKPOINT, EMPTY, LOG, Checkpoint, parse_checkpoint, prefix_fault
from ..places import OUTPUT
from ..store import Folder
from ..store.redactions import PLACE as REDACTIONS
from .proposals import PLACE as PROPOSALS

CHANGES = f"{OUTPUT}/changes/index.json"
"""Names the dump of each ingest."""

_HINT = (
    "what was published is never taken back: withdraw what is wrong with a note;"
    f" if {OUTPUT} was only ever looked at, delete it and say --unpublished"
)
_UNKNOWN = (
    "name what was published with --against (its inventory.json or log/checkpoint),"
    " or say --unpublished if it never was"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """An account of what was published, kept elsewhere than in `build/site`."""

    at: str
    """What it is, for messages."""
    checkpoint: Checkpoint | None
    """Of the log; None for a site that had none."""
    paths: Container[str]
    """Of its files, where they are known."""


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


def undo(site: Path, *, evidence: Evidence | None = None, unpublished: bool = False) -> UndoReport:
    """Remove the newest folder of records, as if its dump had never been ingested, or its notes never been sealed.

    What was published is known from `build/site` and from `evidence`; where neither is at hand, somebody has to say
    that the folder is `unpublished`.

    Raises `Problems` where the published site, an edition or a note contains or names something of the folder, and
    `ContentError` for a site without records or a folder that cannot be removed.
    """
    with store.exclusive(site):
        held = store.folders(site)
        if not held:
            raise ContentError("undo-nothing", "there is no folder of records", at=store.PLACE)
        last, lines = held[-1], _lines_of(held[:-1])
        documents = sum(1 for _ in last.manifests())
        if not (evidence or unpublished or _is_built(site)):
            problem = f"{OUTPUT} holds nothing, so what is published is not known"
            raise ContentError("undo-unknown", problem, at=OUTPUT, hint=_UNKNOWN)
        if faults := [*_reasons_against(site, held, lines), *_reasons_elsewhere(evidence, held, lines)]:
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
    published = _published_lines(site)
    if published > _unpublished(held, lines):
        problem = f"the published log has {published} lines, and the records before {last.name} give {lines}"
        yield ContentError("undo-published", problem, at=f"{OUTPUT}/{CHECKPOINT}", hint=_HINT)
    elif run := next(iter(_published_runs(site, held)), ""):
        problem = f"the published site holds a run of {last.name}"
        yield ContentError("undo-published", problem, at=f"{OUTPUT}/{run}", hint=_HINT)
    elif _lists(site, last):
        problem = f"the published site lists the ingest of {last.name}"
        yield ContentError("undo-published", problem, at=CHANGES, hint=_HINT)
    if last.name in last.redactions.folders:
        problem = f"something was removed from {last.name} by law, and the record of that names its files"
        yield ContentError("undo-redacted", problem, at=REDACTIONS, hint=_HINT)
    for edition in edition_files(site):
        if edition.head.checkpoint.lines > lines:
            yield ContentError("undo-edition", f"the edition ranks what {last.name} holds", at=edition.at, hint=_HINT)
    yield from _notes_about(site, held)


def _unpublished(held: list[Folder], lines: int) -> int:
    """How many lines may be published without the newest folder; `lines` are those of the folders before it."""
    notes = len(store.committed_notes(held[-1:]))
    # Notes may be published before an ingest commits them, and will be again; of a seal they are everything.
    return lines + (0 if held[-1].is_seal else notes)


def _reasons_elsewhere(evidence: Evidence | None, held: list[Folder], lines: int) -> Iterator[LeaderpressError]:
    """What an account of the published site says against it."""
    if evidence is None:
        return
    last, stated = held[-1], evidence.checkpoint or EMPTY
    if evidence.checkpoint is None and LOG in evidence.paths:
        yield ContentError("undo-unknown", "it does not say how long the log was", at=evidence.at, hint=_UNKNOWN)
    elif stated.lines > _unpublished(held, lines):
        problem = f"the published log has {stated.lines} lines, and the records before {last.name} give {lines}"
        yield ContentError("undo-published", problem, at=evidence.at, hint=_HINT)
    elif (fault := prefix_fault(stated, _committed(held), store.PLACE)) and fault.code == "log-changed":
        problem = f"it is not of these records: {fault.problem}"
        yield ContentError("undo-unknown", problem, at=evidence.at, hint=_UNKNOWN)
    elif runs := _only_in_last(held, {run for run in _digests(last) if f"runs/{run[7:]}/index.html" in evidence.paths}):
        problem = f"the published site holds the run {min(runs)}"
        yield ContentError("undo-published", problem, at=evidence.at, hint=_HINT)


def _committed(held: list[Folder]) -> Iterator[bytes]:
    return (line for folder in held for line in store.committed_lines(folder))


def _is_built(site: Path) -> bool:
    return any((site / OUTPUT / name).is_file() for name in (SUMS, CHECKPOINT))


def _published_lines(site: Path) -> int:
    at = f"{OUTPUT}/{CHECKPOINT}"
    try:
        checkpoint: Checkpoint = parse_checkpoint((site / at).read_bytes(), at)
        return checkpoint.lines
    except FileNotFoundError:
        return 0
    except OSError as fault:
        raise ContentError("undo-unknown", f"cannot read: {fault.strerror or fault}", at=at) from None


def _lists(site: Path, last: Folder) -> bool:
    """Whether the published page of changes has this ingest: what is stated anew adds no line to the log."""
    changes = site / CHANGES
    return bool(last.source) and changes.is_file() and str(last.snapshot["dump"]).encode() in changes.read_bytes()


def _published_runs(site: Path, held: list[Folder]) -> list[str]:
    """Pages of runs that only the newest folder holds, and that are published: an older version wrote no log."""
    try:
        listed = parse_sums((site / OUTPUT / SUMS).read_bytes(), f"{OUTPUT}/{SUMS}")
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
        # The note of a removal is part of the record of it.
        hint = _HINT if named[digest].kind == "redaction" else "remove the note first"
        yield ContentError("undo-note", problem, at=named[digest].at, hint=hint)

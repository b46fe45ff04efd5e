"""Folders of records: their chain, their bytes, and the log that follows from their documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .. import store
from ..canonical import canonical, parse, sha256
from ..errors import LeaderpressError, Problems
from ..log import EMPTY, LOG, Checkpoint, LogLine, Tally, checkpoint_fault, prefix_fault
from ..manifests.cut import identity_bytes_of, kind_of
from ..manifests.note_documents import note_digest, note_kind
from ..manifests.notes import Note
from ..manifests.tombstone import buried
from ..store import Folder
from .findings import Findings
from .frozen import verify_editions

_HINT = "records are written once; restore the folder from version control"


class Recorded(NamedTuple):
    """The log as the records of a site give it."""

    committed: Checkpoint
    """The newest checkpoint that a folder commits; of no line if none does."""
    lines: int
    """Of the whole log, with the notes that no folder has published yet."""


def verify_records(root: Path, findings: Findings, only: str = "") -> Recorded | None:
    """Verify `content/records` of the site in `root`, and the editions beside them; gives the log that they give.

    Notes are compared with what the log has published of them.  `only` names the one folder whose documents are read;
    the chain of snapshots is verified all the same.  None where the records cannot be read or are not whole.
    """
    try:
        held = store.folders(root)
        notes = store.read_notes(root)
    except Problems as several:
        for fault in several.problems:
            findings.add(fault)
        return None
    except LeaderpressError as other:
        findings.add(other)
        return None
    for folder in held:
        findings.counts["folders"] += 1
        # What stands in files that were changed says nothing about the rest.
        if only in ("", folder.name) and _files(folder, findings):
            _documents(folder, findings)
    for changed in store.changed_notes(notes, held):
        findings.add(changed)
    if only or findings.counts["problems"]:
        return None
    _log(held, notes, findings)
    verify_editions(root, _all_lines(held, notes), findings)
    stated = [found for folder in held if (found := store.commitment(folder.snapshot))]
    known = {digest for digest, _ in store.committed_notes(held)}
    waiting = sum(1 for digest in {note_digest(note) for note in notes} if digest not in known)
    lines = sum(1 for _ in _all_lines(held, notes)) + waiting
    return Recorded(stated[-1].checkpoint if stated else EMPTY, lines)


def compare_with_site(recorded: Recorded, site: Path, findings: Findings) -> None:
    """The log that a built site publishes must begin with what the records commit, and have no more than they give."""
    log = site / LOG
    if not log.is_file():
        return
    with log.open("rb") as stream:
        if fault := prefix_fault(recorded.committed, stream, str(log)):
            findings.add(fault)
    with log.open("rb") as stream:
        lines = sum(1 for _ in stream)
    if lines > recorded.lines:
        problem = f"the published log has {lines} lines, and the records and notes give {recorded.lines}"
        hint = "records or notes that were published are gone; restore them from version control"
        findings.wrong("log-longer", problem, f"{log}:{recorded.lines + 1}", hint)


def _files(folder: Folder, findings: Findings) -> bool:
    """Whether every file has the bytes that the snapshot lists."""
    before = findings.counts["problems"]
    findings.counts["files"] += len(folder.snapshot["files"]) + 1
    try:
        store.verify(folder)
    except Problems as several:
        for fault in several.problems:
            findings.add(fault)
    except LeaderpressError as other:
        findings.add(other)
    return findings.counts["problems"] == before


def _documents(folder: Folder, findings: Findings) -> None:
    """Every document is canonical, and its digests are those that are stated about it, in the same order."""
    at = folder.at(store.PROVENANCE)
    try:
        stated = ((line["digest"], line["documentDigest"]) for line in folder.provenance())
        for file, offset, line in folder.manifests():
            findings.counts["documents"] += 1
            at = f"{folder.at(file)} at byte {offset}"
            if canonical(parse(line, at)) != line:
                findings.wrong("record-changed", "not the RFC 8785 form of a document", at, _HINT)
            digests = _digests(folder, line)
            if folder.has_tombstones and buried(line):
                findings.redacted(digests[0])
            if digests not in stated:  # which reads on until it is found
                problem = (
                    f"the document hashes to {' and '.join(digests)}, which {store.PROVENANCE} does not state here"
                )
                findings.wrong("record-digest", problem, at, _HINT)
                return
    except LeaderpressError as fault:
        findings.add(fault)
    except (KeyError, TypeError, ValueError) as other:
        findings.wrong("record-changed", f"not a document: {type(other).__name__} {other}", at, _HINT)


def _digests(folder: Folder, line: bytes) -> tuple[str, str]:
    """Digest and document digest of a document, also of one that was removed."""
    stone = buried(line) if folder.has_tombstones else None
    return stone or (sha256(identity_bytes_of(line)), sha256(line))


def _log(held: list[Folder], notes: tuple[Note, ...], findings: Findings) -> None:
    """The log that follows from documents and notes must be the one that the folders commit."""
    tally = Tally()
    for folder in held:
        for line in _lines(folder, notes, tally.lines):
            tally.add(line)
        stated = store.commitment(folder.snapshot)
        if stated and (fault := checkpoint_fault(stated.checkpoint, tally.checkpoint(), folder.at(store.SNAPSHOT))):
            names = [each.name for each in held[: folder.number]]
            findings.add(store.first_fault(folder.path.parent, names, _all_lines(held, notes)) or fault)
            return
    findings.counts["log lines"] += tally.lines


def _lines(folder: Folder, notes: tuple[Note, ...], before: int) -> Iterator[bytes]:
    said = {note_digest(note): note for note in notes}
    stated = store.commitment(folder.snapshot)
    for digest, _ in stated.notes if stated else ():
        before += 1
        if note := said.get(digest):
            yield LogLine(before, note.when, digest, digest, note_kind(note)).text()
    for _, _, line in folder.manifests():
        before += 1
        identity, document = _digests(folder, line)
        yield LogLine(before, folder.snapshot["published_at"], document, identity, kind_of(line)).text()
    if stated and (digest := stated.snapshot):
        yield LogLine(before + 1, folder.snapshot["published_at"], digest, digest, store.SNAPSHOT_KIND).text()


def _all_lines(held: list[Folder], notes: tuple[Note, ...]) -> Iterator[bytes]:
    number = 0
    for folder in held:
        for line in _lines(folder, notes, number):
            number += 1
            yield line

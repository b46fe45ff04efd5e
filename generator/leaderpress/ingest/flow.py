"""The course of one ingest, from the command's arguments to the published folder."""

import gc
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from .. import store
from ..digests import FileDigests
from ..errors import ContentError, UsageError
from ..ingesters.base import Dump, Ingester, open_dump
from ..manifests.notes import Note
from ..places import CACHE
from ..store import Draft, Folder, Journal, Line
from . import proposals
from .intake import Intake
from .preview import Observation, Preview
from .report import IngestReport, is_faulty
from .settle import Settlement
from .tables import Tables
from .updates import Stated

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z", re.ASCII)


def ingest(
    site: Path,
    source: str,
    paths: Sequence[Path],
    *,
    published_at: date | None,
    retrieved_at: str | None,
    dry_run: bool = False,
    strict: bool = False,
    today: Callable[[], date],
) -> IngestReport:
    """Ingest the dump at `paths` into the site's records.

    `source` is the slug of a source, or of an ingester whose dumps hold several sources.  `published_at` (a UTC date)
    defaults to `today()`; `retrieved_at` is an instant in UTC and is left out of the snapshot when None.  A dry run
    computes everything and writes nothing; `strict` writes nothing when anything was malformed; a dump that was
    ingested before writes nothing.

    Raises `UsageError` for a slug or an instant that is none, `DumpError` for a dump that cannot be opened, and
    `ContentError` for an unknown source, a damaged store, or a folder that cannot be written.
    """
    if not _SLUG.fullmatch(source):
        raise UsageError("source-slug", f"{source!r} is not a slug", hint="lower-case letters, digits and hyphens")
    retrieved = {} if retrieved_at is None else {"retrieved_at": _instant(retrieved_at)}
    tables = Tables(site)
    ingester = tables.ingester(source)
    dump = open_dump(paths, ingester.SUFFIXES)
    digests = FileDigests(site / CACHE)
    with _records(site, dry_run, digests) as held:
        digest = dump.digest()
        if earlier := next((folder for folder in held if folder.snapshot["dump"] == digest), None):
            return _already(earlier, held, source, ingester)
        day = published_at or today()
        dates = {"published_at": day.isoformat(), **retrieved}
        store.check_days(site, day, held)
        # A note of a later day waits for a later folder.
        notes = [note for note in store.new_notes(store.read_notes(site), held) if note.when <= dates["published_at"]]
        job = _Job(source, ingester, dump, digest, dates, tables, held, notes)
        preview = Preview(site, held, digests, dry_run=dry_run)
        with _few_collections(), Settlement(held) as settlement, preview, Draft(preview.root) as draft:
            intake = Intake(settlement, tables, ingester, source)
            snapshot = _settle(job, settlement, intake, draft)
            report = _publish(job, intake, draft, snapshot, preview, _objection(snapshot, dry_run, strict))
            digests.keep()
            return replace(report, unlike=len(settlement.removed.unlike))


@dataclass(frozen=True, slots=True)
class _Job:
    """The fixed facts of one ingest."""

    source: str
    ingester: Ingester
    dump: Dump
    digest: str
    dates: dict[str, str]
    tables: Tables
    held: list[Folder]
    notes: list[Note]
    """Those that the new folder publishes in the log before its own documents."""


@contextmanager
def _records(site: Path, dry_run: bool, digests: FileDigests) -> Iterator[list[Folder]]:
    """The folders of the site, checked to be unchanged; ours alone unless nothing will be written."""
    with nullcontext() if dry_run else store.exclusive(site):
        held = store.folders(site)
        for folder in held:
            store.verify(folder, digests)
        yield held


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for cycles of garbage less often: nothing that an ingest makes by the million refers to itself."""
    thresholds = gc.get_threshold()
    gc.set_threshold(50 * thresholds[0], *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _settle(job: _Job, settlement: Settlement, intake: Intake, draft: Draft) -> Line:
    """Read everything, write what is new into the draft, and give its snapshot."""
    intake.read(job.dump)
    journal = Journal(draft, job.held, job.dates["published_at"])
    for note in job.notes:
        journal.note(note)
    settlement.write(draft, journal)
    settlement.write_facts(draft)
    tasks = intake.tasks()
    previous = {"previous": job.held[-1].snapshot_digest} if job.held else {}
    snapshot = {
        "v": 1,
        "dump": job.digest,
        "source": _owner(job, intake.sources),
        "sources": sorted(intake.sources),
        **job.dates,
        "ingester": job.ingester.FORMAT,
        "ingester_version": job.ingester.VERSION,
        "counts": {kind: counts for kind, counts in settlement.counts.items() if any(counts.values())},
        "tasks": tasks,
        "rejections": intake.rejections(),
        "ignored": sorted(job.dump.ignored),
        "drift": intake.drift(),
        **previous,
    }
    if not settlement.removed:
        return journal.completed(snapshot)
    # Twice: the log covers what is published, and only then does the snapshot name the files of notes.
    return settlement.removed.snapshot(journal.completed(settlement.removed.snapshot(snapshot)))


def _owner(job: _Job, sources: set[str]) -> str:
    """Whose name the folder bears: the one source that states anything, else the ingester of several."""
    if len(sources) == 1:
        return next(iter(sources))
    return job.ingester.FORMAT if sources else job.source


def _objection(snapshot: Line, dry_run: bool, strict: bool) -> str:
    """Why this snapshot is not to be published; empty if it is."""
    if dry_run:
        return "dry run: nothing was written"
    if strict and is_faulty(snapshot):
        return "strict: something was malformed, nothing was written"
    if not snapshot["sources"] and is_faulty(snapshot):
        return "nothing could be taken from the dump, nothing was written"
    return ""


def _publish(job: _Job, intake: Intake, draft: Draft, snapshot: Line, preview: Preview, objection: str) -> IngestReport:
    name = store.folder_name(len(job.held) + 1, snapshot["source"], job.digest)
    copies = job.tables.copies(intake.sources)

    def publish() -> None:
        # Tables first: records without their source's table could not be built, and the same dump would not be
        # ingested a second time.
        for path, text in copies.items() if not objection else ():
            job.tables.copy(path, text)
        draft.publish(name, store.snapshot_bytes(snapshot))

    seen, review = Observation(), ""
    if preview.pretends or not objection:
        seen = preview.observe(publish, Stated(intake.keys, snapshot), job.tables)
    if seen.updates and seen.updates.proposals and not objection:
        review = proposals.write(preview.site, name, seen.updates.proposals)
    return IngestReport(
        name, not objection, False, snapshot, tuple(copies), objection, seen.updates, seen.notice, review
    )


def _already(earlier: Folder, held: Sequence[Folder], source: str, ingester: Ingester) -> IngestReport:
    """Report that the dump is known.  One dump has one origin: another source cannot claim it as its own."""
    snapshot = earlier.snapshot
    if source not in {snapshot["source"], *snapshot["sources"], snapshot["ingester"]}:
        problem = f"this dump was ingested for {snapshot['source']!r}, {source!r} cannot publish it again"
        raise ContentError("dump-claimed", problem, at=earlier.at(), hint="a dump belongs to one source")
    notice = f"this dump was ingested before, as {earlier.name}; nothing was written"
    later = [folder for folder in held if folder.number > earlier.number and folder.source == earlier.source]
    if later:
        notice += f". {later[-1].name} is newer and stands: a dump is stated once, and does not undo a later one"
    if snapshot["ingester_version"] != ingester.VERSION:
        notice += f" (by version {snapshot['ingester_version']} of its ingester, now {ingester.VERSION})"
    return IngestReport(earlier.name, False, True, snapshot, (), notice)


def _instant(text: str) -> str:
    """The instant with exactly three fraction digits (cut, not rounded); raises `UsageError` for anything else."""
    match = _INSTANT.fullmatch(text)
    try:
        if match is None:
            raise ValueError("not an instant")
        seconds, _, fraction = (match[2] or ":00").partition(".")
        datetime.fromisoformat(f"{match[1]}{seconds}+00:00")
    except ValueError:
        hint = "write it in UTC, like 2026-04-14T23:38:30Z"
        raise UsageError("retrieved-at", f"{text!r} is not an instant", hint=hint) from None
    return f"{match[1]}{seconds}.{fraction[:3]:0<3}Z"

"""One build: content and records → index → what changed → plan → workers → output.  It does not know the time."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .. import __version__
from ..digests import FileDigests
from ..errors import BuildError, ContentError, LeaderpressError, Problems, UsageError
from ..index import Index, refresh
from ..inventory import RESERVED, Receipt
from ..log import LOG, Checkpoint
from ..log import VERSION as LOG_VERSION
from ..manifests.notes import Note
from ..places import CACHE, OUTPUT
from ..store import PLACE, changed_notes, folders
from ..store.redactions import Redactions, read_redactions
from ..views.base import SiteView
from . import trace, workers
from .addresses import Addresses
from .changes import Changes
from .content import Content, load_content
from .cores import default_jobs
from .editions import edition_faults
from .fixed import fixed_files
from .inputs import inputs_of
from .kept import REWRITTEN, PublishedLog, lost_addresses
from .notes import check_notes
from .output import DirectoryOutput
from .overrides import check_overrides
from .plan import plan, site_view
from .publication import Publication, write_log
from .report import BuildReport, Tally, page_kinds
from .workers import Setup


def build(
    site: Path,
    *,
    jobs: int | None = None,
    out: Path | None = None,
    verify: bool = False,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[int], None] = lambda files: None,
    digests: FileDigests | None = None,
) -> BuildReport:
    """Build the site in folder `site` into `out` (default `build/site`).

    `verify` hashes every published file instead of trusting its size and times; `progress` is told how many files are
    made so far; `digests` are those of files that were looked at before.  Raises `Problems` or another
    `LeaderpressError`; then the published site is as it was.
    """
    out = out or site / OUTPUT
    known = digests or FileDigests()
    work = _Build(site, out, jobs or default_jobs(), known, verify=verify, clock=clock, progress=progress)
    try:
        return work.run(trust=True)
    except _DamagedError:
        # Somebody changed published files: nothing is assumed about any of them.
        return work.run(trust=False)


def explain(site: Path, path: str, out: Path | None = None) -> str:
    """Why the next build would make a published file anew, or that it would not; in one sentence.

    Raises as `build` does, and `UsageError` for a path that is not published.
    """
    digests = FileDigests(site / CACHE)
    content = load_content(site)
    database = refresh(site, content.sources, content.notes, digests=digests)
    with Index(database, site / "content" / "records") as index:
        chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
    with DirectoryOutput(out or site / OUTPUT) as output:
        if path not in output.published:
            hint = "name a file of build/site, such as index.html"
            raise UsageError("not-published", "no such file is published", at=path, hint=hint)
        inputs = inputs_of(site, content, chrome, digests)
        body = trace.recall(database.parent, output.published_sums, digests)
        if body is None:
            return f"{path}: made anew, because it is not known what the published site was built from"
        changes = trace.changes_since(body, database.parent, database, inputs, digests)
        if changes is None:
            return f"{path}: made anew, because {trace.common_difference(body, inputs)}"
        reason = changes.why(path)
        if reason is None and output.is_intact(path):
            return f"{path}: kept, nothing that it was built from changed"
        return f"{path}: made anew: {reason or 'somebody changed the published file'}"


class _DamagedError(BuildError):
    """A published file is not as its inventory lists it."""


class _Build:
    def __init__(
        self,
        site: Path,
        out: Path,
        jobs: int,
        digests: FileDigests,
        *,
        verify: bool,
        clock: Callable[[], float],
        progress: Callable[[int], None],
    ) -> None:
        self.site = site
        self.out = out
        self.jobs = jobs
        self.digests = digests
        self.verify = verify
        self.watch = _Watch(clock)
        self.progress = progress
        self.cause = ""
        """Why everything is made anew, if it is."""
        self.causes = Counter[str]()
        self.tally: Tally | None = None
        """Of all files that were made or taken over; None where nothing was made."""
        self.moved: list[LeaderpressError] = []
        """Warnings about published lines of the log that are not as they were."""

    def run(self, *, trust: bool) -> BuildReport:
        self.causes.clear()
        content = load_content(self.site)
        self.watch.lap("content")
        with self._open() as output:
            with workers.compiling(self.site, content.config.theme, self.site / CACHE, self.jobs):
                database = self._refreshed(content)
            self.watch.lap("index")
            return self._publish(content, database, output, trust=trust)

    def _refreshed(self, content: Content) -> Path:
        found = refresh(self.site, content.sources, content.notes, digests=self.digests)
        return trace.hold(found, self.digests)

    def _publish(self, content: Content, database: Path, output: DirectoryOutput, *, trust: bool) -> BuildReport:
        with Index(database, self.site / "content" / "records") as index:
            check_notes(index, content, self.site)
            check_overrides(index, content.overrides, self.site)
            publication = Publication(index, content.notes, self.site / PLACE)
            if publication.has_notes and (lost := [*changed_notes(content.notes, folders(self.site))]):
                raise Problems(lost)
            _check_promises(index, content, output)
            chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
            inputs = inputs_of(self.site, content, chrome, self.digests)
            changes, self.cause = _changes(database, output, inputs, self.digests) if trust else (None, "damage")
            self.watch.lap("changes")
            before = PublishedLog(output)
            if lines := [*before.uncommitted(publication.committed)]:
                raise Problems(lines)
            if changes is not None and not changes.anything and before.committed == publication.committed:
                if receipt := output.keep():
                    return self._report(content, output, receipt, "nothing", publication.open)
                raise _DamagedError("output-damaged", "a published file was changed", at=str(self.out))
            tags = content.editions if changes is None else changes.editions
            removals = read_redactions(self.site)
            editions = dict(output.published.below("editions"))
            if faults := [*edition_faults(index, publication, content.editions, tags, editions, removals)]:
                raise Problems(faults)
            log = self._make(index, database, content, chrome, inputs, output, changes, publication, trust=trust)
            if gone := _lost(output, content, before, self.site):
                raise Problems(gone)
            receipt = output.commit(_meta(content, log, publication.committed, removals))
            trace.record(database.parent, database, inputs, receipt.sums, log, self.digests)
            self.watch.lap("publish")
            why = "everything" if changes is None else "what changed"
            return self._report(content, output, receipt, why, publication.open)

    def _open(self) -> DirectoryOutput:
        output = DirectoryOutput(self.out, verify=self.verify, threads=self.jobs)
        if self.jobs > 1:
            output.look_beside()
        return output

    def _make(
        self,
        index: Index,
        database: Path,
        content: Content,
        chrome: SiteView,
        inputs: trace.Inputs,
        output: DirectoryOutput,
        changes: Changes | None,
        publication: Publication,
        *,
        trust: bool,
    ) -> Checkpoint:
        """Make what may have changed, take over the rest; gives the checkpoint of the log."""
        published = output.published if trust else {}
        setup = Setup(self.site, database, output.tree, content, chrome, inputs.theme_key, published)
        logs: list[Checkpoint] = []

        def meanwhile() -> None:
            if changes is not None:
                _take_over(output, changes)
            log, made = write_log(publication, output, changes)
            self.causes["log" if changes else self.cause] += made
            self.moved = _check_log(log, output)
            logs.append(log)

        for done in workers.run(setup, plan(index, content, changes), self.jobs, meanwhile):
            for path, size, digest, same in done:
                self.causes[changes.cause_of(path) if changes else self.cause] += 1
                if not same:
                    output.record(path, size, digest)
                elif not output.reuse(path):
                    raise _DamagedError("output-damaged", "a published file was changed", at=path)
            self.progress(self.causes.total())
        self.watch.lap("pages")
        self._fix(index, content, chrome, output, changes)
        return logs[0]

    def _fix(
        self, index: Index, content: Content, chrome: SiteView, output: DirectoryOutput, changes: Changes | None
    ) -> None:
        """Write the files beside pages, and look whether the whole fits its host."""
        self.tally = tally = Tally()
        pages = (path for path, size in output.sizes() if tally.add(path, size))
        fixed: list[tuple[str, int]] = []
        for path, data in fixed_files(index, content, chrome, pages):
            output.write(path, data)
            fixed.append((path, len(data)))
            self.causes[changes.cause_of(path) if changes else self.cause] += 1
        # A site without a sitemap lists no pages; they are counted all the same.
        deque(pages, maxlen=0)
        for path, size in fixed:
            tally.add(path, size)
        _check_host(content, tally)

    def _report(
        self,
        content: Content,
        output: DirectoryOutput,
        receipt: Receipt,
        why: str,
        notes: Sequence[Note],
    ) -> BuildReport:
        kinds = self.tally.kinds if self.tally else page_kinds(output.published_sizes())
        return BuildReport(
            output=self.out,
            files=receipt.files,
            bytes=receipt.size,
            pages=sum(kind.pages for kind in kinds.values()),
            rendered=self.causes.total(),
            written=receipt.written,
            why=why,
            changed=receipt.changed,
            sums=receipt.sums,
            causes=dict(sorted((+self.causes).items(), key=lambda pair: (-pair[1], pair[0]))),
            kinds=kinds,
            stages=self.watch.stages,
            warnings=(*content.config.warnings(), *_not_committed(notes), *self.moved),
            carried=receipt.carried,
        )


class _Watch:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since = clock()
        self.stages: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._clock()
        self.stages[stage] = self.stages.get(stage, 0.0) + now - self._since
        self._since = now


def _changes(
    database: Path, output: DirectoryOutput, inputs: trace.Inputs, digests: FileDigests
) -> tuple[Changes | None, str]:
    """What differs from the published site; where everything may, None and the cause."""
    if not output.published:
        return None, "first build"
    body = trace.recall(database.parent, output.published_sums, digests)
    if body is None:
        return None, "no trace"
    changes = trace.changes_since(body, database.parent, database, inputs, digests)
    return changes, "" if changes else trace.common_cause(body, inputs)


def _take_over(output: DirectoryOutput, changes: Changes) -> None:
    """Take over every published file that cannot have changed."""
    for path in output.reuse_all(but=changes.touched(output.paths)):
        raise _DamagedError("output-damaged", "a published file was changed", at=path)
    output.look_ahead()


def _stated_sources(index: Index) -> list[str]:
    return index.sources()


def _check_promises(index: Index, content: Content, output: DirectoryOutput) -> None:
    """Refuse to switch off published pages whose address was promised; raises `Problems` naming the settings."""
    addresses = Addresses(content.config.outputs)
    if addresses.whole or not output.published:
        return
    sources = index.stream("select digest, source from run order by digest")
    if faults := addresses.broken_promises(output.published, sources):
        raise Problems(faults)


def _check_host(content: Content, tally: Tally) -> None:
    """Refuse a site that its host would not take; raises `Problems` naming the settings that help."""
    if faults := content.config.host_profile.faults(tally.files + len(RESERVED), tally.size, tally.largest):
        raise Problems(faults)


def _not_committed(notes: Sequence[Note]) -> Iterator[LeaderpressError]:
    """Say that the last lines of the log may still move."""
    if notes:
        problem = f"{len(notes)} {'note is' if len(notes) == 1 else 'notes are'} not committed to the log yet"
        hint = "run `leaderpress seal` before the site is published, so that no other note can come before"
        yield ContentError("notes-open", problem, at=notes[0].at, hint=hint)


def _check_log(log: Checkpoint, output: DirectoryOutput) -> list[LeaderpressError]:
    """Warnings about a log that shall take the place of the published one; raises `Problems` if it loses lines."""
    faults = [*PublishedLog(output).faults(log, Path(output.tree, LOG))]
    if any(fault.code != REWRITTEN for fault in faults):
        raise Problems(faults)
    return faults


def _lost(output: DirectoryOutput, content: Content, before: PublishedLog, site: Path) -> list[LeaderpressError]:
    """Promised addresses of the published site that the new one would not have."""
    addresses = Addresses(content.config.outputs)
    return lost_addresses(output.dropped(), addresses, before, read_redactions(site))


def _meta(content: Content, log: Checkpoint, committed: int, removals: Redactions) -> dict[str, object]:
    config = content.config
    return {
        "title": config.title,
        "permalink_base": config.permalink_base,
        "base_path": config.base_path,
        "links": config.links,
        "log": {"v": LOG_VERSION, **log._asdict(), "committed": committed},
        **({"redacted": removals.published} if removals.published else {}),
    }

"""One build: content and records → index → what changed → plan → workers → output.  It does not know the time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .. import __version__
from ..errors import BuildError, ContentError, LeaderpressError, Problems, UsageError
from ..index import Index, refresh
from ..inventory import RESERVED, Receipt
from ..views.base import SiteView
from . import trace, workers
from .addresses import Addresses
from .content import Content, load_content
from .fixed import fixed_files
from .inputs import inputs_of
from .output import DirectoryOutput
from .plan import plan, site_view
from .trace import Changes
from .workers import Setup


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    output: Path
    files: int
    bytes: int
    """Of all files, without `SHA256SUMS` and `inventory.json`."""
    pages: int
    """HTML pages."""
    rendered: int
    """Files that were made anew; the others were known to be as they would come out."""
    written: int
    """Files whose bytes differ from the published ones."""
    why: str
    """Why files were made anew: `everything`, `what changed`, or `nothing`."""
    changed: bool
    """False when the published site already had every byte."""
    sums: str
    """Digest of `SHA256SUMS`, which names the whole site."""
    stages: dict[str, float] = field(default_factory=dict)
    """Seconds by stage, by the caller's clock."""
    warnings: tuple[LeaderpressError, ...] = ()
    carried: tuple[str, ...] = ()
    """Foreign files that were kept."""


def build(
    site: Path,
    *,
    jobs: int | None = None,
    out: Path | None = None,
    verify: bool = False,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[int], None] = lambda files: None,
) -> BuildReport:
    """Build the site in folder `site` into `out` (default `build/site`).

    `verify` hashes every published file instead of trusting its size and times; `progress` is told how many files are
    made so far.  Raises `Problems` or another `LeaderpressError`; then the published site is as it was.
    """
    out = out or site / "build" / "site"
    work = _Build(site, out, jobs or workers.default_jobs(), verify=verify, clock=clock, progress=progress)
    try:
        return work.run(trust=True)
    except _DamagedError:
        # Somebody changed published files: nothing is assumed about any of them.
        return work.run(trust=False)


def explain(site: Path, path: str, out: Path | None = None) -> str:
    """Why the next build would make a published file anew, or that it would not; in one sentence.

    Raises as `build` does, and `UsageError` for a path that is not published.
    """
    content = load_content(site)
    database = refresh(site, content.sources, content.notes)
    with Index(database, site / "content" / "records") as index:
        chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
    with DirectoryOutput(out or site / "build" / "site") as output:
        if path not in output.published:
            hint = "name a file of build/site, such as index.html"
            raise UsageError("not-published", "no such file is published", at=path, hint=hint)
        inputs = inputs_of(site, content, chrome)
        body = trace.recall(database.parent, output.published_sums)
        if body is None:
            return f"{path}: made anew, because it is not known what the published site was built from"
        changes = trace.changes_since(body, database.parent, database, inputs)
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
        *,
        verify: bool,
        clock: Callable[[], float],
        progress: Callable[[int], None],
    ) -> None:
        self.site = site
        self.out = out
        self.jobs = jobs
        self.verify = verify
        self.watch = _Watch(clock)
        self.progress = progress

    def run(self, *, trust: bool) -> BuildReport:
        content = load_content(self.site)
        self.watch.lap("content")
        with self._open() as output:
            database = trace.hold(refresh(self.site, content.sources, content.notes))
            self.watch.lap("index")
            return self._publish(content, database, output, trust=trust)

    def _publish(self, content: Content, database: Path, output: DirectoryOutput, *, trust: bool) -> BuildReport:
        with Index(database, self.site / "content" / "records") as index:
            _check_notes(index, content)
            _check_promises(index, content, output)
            chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
            inputs = inputs_of(self.site, content, chrome)
            changes = _changes(self.site, database, output, inputs) if trust else None
            self.watch.lap("changes")
            if changes is not None and not changes.anything and (receipt := output.keep()):
                return self._report(content, output, receipt, 0, "nothing")
            rendered = self._make(index, database, content, chrome, inputs, output, changes, trust=trust)
            receipt = output.commit(_meta(content))
            trace.record(database.parent, database, inputs, receipt.sums)
            self.watch.lap("publish")
            why = "everything" if changes is None else "what changed"
            return self._report(content, output, receipt, rendered, why)

    def _open(self) -> DirectoryOutput:
        return DirectoryOutput(self.out, verify=self.verify)

    def _make(
        self,
        index: Index,
        database: Path,
        content: Content,
        chrome: SiteView,
        inputs: trace.Inputs,
        output: DirectoryOutput,
        changes: Changes | None,
        *,
        trust: bool,
    ) -> int:
        """Take over what cannot have changed, make the rest; gives the number of files made."""
        if changes is not None:
            _take_over(output, changes)
        published = output.published if trust else {}
        setup = Setup(self.site, database, output.tree, content, chrome, inputs.theme_key, published)
        rendered = 0
        for done in workers.run(setup, plan(index, content, changes), self.jobs):
            rendered += len(done)
            for path, size, digest, same in done:
                if not same:
                    output.record(path, size, digest)
                elif not output.reuse(path):
                    raise _DamagedError("output-damaged", "a published file was changed", at=path)
            self.progress(rendered)
        self.watch.lap("pages")
        pages = [path for path in output.files if path.endswith(".html")]
        for path, data in fixed_files(index, content, chrome, pages):
            output.write(path, data)
            rendered += 1
        _check_host(content, output)
        return rendered

    def _report(
        self, content: Content, output: DirectoryOutput, receipt: Receipt, rendered: int, why: str
    ) -> BuildReport:
        return BuildReport(
            output=self.out,
            files=receipt.files,
            bytes=receipt.size,
            pages=sum(path.endswith(".html") for path in output.files or output.published),
            rendered=rendered,
            written=receipt.written,
            why=why,
            changed=receipt.changed,
            sums=receipt.sums,
            stages=self.watch.stages,
            warnings=content.config.warnings(),
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


def _changes(site: Path, database: Path, output: DirectoryOutput, inputs: trace.Inputs) -> Changes | None:
    """What differs from the published site; None where that is not known."""
    body = trace.recall(database.parent, output.published_sums)
    return None if body is None else trace.changes_since(body, database.parent, database, inputs)


def _take_over(output: DirectoryOutput, changes: Changes) -> None:
    for path in output.published:
        if changes.why(path) is None and not output.reuse(path):
            raise _DamagedError("output-damaged", "a published file was changed", at=path)


def _stated_sources(index: Index) -> list[str]:
    return index.sources()


def _check_notes(index: Index, content: Content) -> None:
    """Every note must be about a published run, and a successor must be one."""
    faults = [
        ContentError(
            "note-target", f"there is no run {digest}", at=note.at, hint="name a run of this site by its full digest"
        )
        for note in content.notes
        for digest in (note.target, note.successor)
        if digest and not index.count("select count(*) from run where digest = ?", digest)
    ]
    faults += _correction_faults(content)
    if faults:
        raise Problems(faults)


def _correction_faults(content: Content) -> list[ContentError]:
    """Corrections must lead somewhere: one successor for each run, and none back to where it came from."""
    faults: list[ContentError] = []
    successors: dict[str, str] = {}
    for note in content.notes:
        if note.successor and successors.setdefault(note.target, note.successor) != note.successor:
            problem = f"another correction names another successor of {note.target}"
            faults.append(ContentError("note-successors", problem, at=note.at, hint="keep one of the two"))
    for note in content.notes:
        seen, digest = {note.target}, note.successor
        while note.kind == "correction" and digest in successors and digest not in seen:
            seen.add(digest)
            digest = successors[digest]
        if note.kind == "correction" and digest in seen:
            problem = f"corrections lead from {note.target} back to itself"
            faults.append(ContentError("note-circle", problem, at=note.at, hint="remove one of them"))
    return faults


def _check_promises(index: Index, content: Content, output: DirectoryOutput) -> None:
    """Refuse to switch off published pages whose address was promised; raises `Problems` naming the settings."""
    addresses = Addresses(content.config.outputs)
    if addresses.whole or not output.published:
        return
    sources = dict(index.pairs("select digest, source from run"))
    if faults := addresses.broken_promises(output.published, sources):
        raise Problems(faults)


def _check_host(content: Content, output: DirectoryOutput) -> None:
    """Refuse a site that its host would not take; raises `Problems` naming the settings that help."""
    files = output.files
    largest = max(((file.size, path) for path, file in files.items()), default=(0, ""))
    total = sum(file.size for file in files.values())
    if faults := content.config.host_profile.faults(len(files) + len(RESERVED), total, (largest[1], largest[0])):
        raise Problems(faults)


def _meta(content: Content) -> dict[str, object]:
    config = content.config
    return {
        "title": config.title,
        "permalink_base": config.permalink_base,
        "base_path": config.base_path,
        "links": config.links,
    }

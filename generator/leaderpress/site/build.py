"""One build: content and records → index → plan → workers → output.  Nothing in it knows what time it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .. import __version__
from ..errors import ContentError, LeaderpressError, Problems
from ..index import Index, refresh
from . import workers
from .content import Content, load_content
from .fixed import fixed_files
from .output import DirectoryOutput
from .plan import plan, site_view
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
    written: int
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
    site: Path, *, jobs: int | None = None, out: Path | None = None, clock: Callable[[], float] = lambda: 0.0
) -> BuildReport:
    """Build the site in folder `site` into `out` (default `build/site`).

    Raises `Problems` or another `LeaderpressError`; then the published site is as it was.
    """
    watch = _Watch(clock)
    content = load_content(site)
    watch.lap("content")
    database = refresh(site, content.sources, content.notes)
    watch.lap("index")
    output_folder = out or site / "build" / "site"
    with Index(database, site / "content" / "records") as index, DirectoryOutput(output_folder) as output:
        _check_notes(index, content)
        chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
        setup = Setup(site, database, output.tree, content, chrome)
        pages: list[str] = []
        tally = _Tally()
        for done in workers.run(setup, plan(index, content), jobs or workers.default_jobs()):
            for path, size, digest in done:
                output.record(path, size, digest)
                tally.count(path, size)
                if path.endswith(".html"):
                    pages.append(path)
        watch.lap("pages")
        for path, data in fixed_files(index, content, chrome, pages):
            output.write(path, data)
            tally.count(path, len(data))
        if faults := content.config.host_profile.faults(tally.files, tally.bytes, tally.largest):
            raise Problems(faults)
        receipt = output.commit(_meta(content))
        watch.lap("publish")
    return BuildReport(
        output=output_folder,
        files=receipt.files,
        bytes=receipt.size,
        pages=len(pages),
        written=receipt.written,
        changed=receipt.changed,
        sums=receipt.sums,
        stages=watch.stages,
        warnings=content.config.warnings(),
        carried=receipt.carried,
    )


class _Tally:
    """What a host's limits are compared with."""

    def __init__(self) -> None:
        self.files = 0
        self.bytes = 0
        self.largest = ("", 0)

    def count(self, path: str, size: int) -> None:
        self.files += 1
        self.bytes += size
        if size > self.largest[1]:
            self.largest = (path, size)


class _Watch:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since = clock()
        self.stages: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = self._clock()
        self.stages[stage] = now - self._since
        self._since = now


def _stated_sources(index: Index) -> list[str]:
    return [row[0] for row in index.pairs("select distinct source from run order by source")]


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
    if faults:
        raise Problems(faults)


def _meta(content: Content) -> dict[str, object]:
    config = content.config
    return {
        "title": config.title,
        "permalink_base": config.permalink_base,
        "base_path": config.base_path,
        "links": config.links,
    }

"""Seeing what an ingest changes: the index as it is, and as it is with the new folder, which a dry run only pretends.

The comparison is a courtesy: whatever keeps it from being made is said, and never keeps records from being published.
"""

import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from .. import store
from ..config import load_config
from ..digests import FileDigests
from ..errors import LeaderpressError
from ..index import refresh, touched_between
from ..index.compare import Comparison
from ..places import CACHE
from ..store import Folder
from .tables import Tables
from .updates import Stated, Updates, updates

_INDEX = ("index.sqlite", "index.sqlite.sha256")
NOBODY = "The publisher of this site"
"""Who signs what is proposed where the site does not say."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What an ingest changes, or why that is not known; neither for the first dump of a source."""

    updates: Updates | None = None
    notice: str = ""


class Preview:
    """Where a draft is written, and what its publication changes; use it as a context manager."""

    def __init__(self, site: Path, held: Sequence[Folder], digests: FileDigests, *, dry_run: bool) -> None:
        self.site = site
        self._held = held
        self._digests = digests
        self._dry_run = dry_run
        self._stack = ExitStack()
        self.root: Path | None = site
        """The folder below which the draft is written: the site, or a copy of its outline; None for nowhere."""

    @property
    def pretends(self) -> bool:
        """Whether what is published is seen here alone."""
        return self._dry_run

    def __enter__(self) -> "Preview":
        if self._dry_run:
            self.root = self._outline() if self._held else None
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def _outline(self) -> Path:
        """A folder that holds the records by links, and the index if there is one, so that it can be continued."""
        outline = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="leaderpress-")))
        (outline / store.PLACE).mkdir(parents=True)
        for folder in self._held:
            (outline / store.PLACE / folder.name).symlink_to(folder.path.resolve(), target_is_directory=True)
        (outline / CACHE).mkdir(parents=True)
        for name in _INDEX:
            with suppress(OSError):
                shutil.copyfile(self.site / CACHE / name, outline / CACHE / name)
        return outline

    def observe(self, publish: Callable[[], None], stated: Stated, tables: Tables) -> Observation:
        """Publish, and compare before with after; raises what `publish` raises and nothing else."""
        snapshot = stated.snapshot
        if self.root is None or not _is_newer(self._held, snapshot["sources"]):
            publish()
            return Observation()
        try:
            index = self._index(self.site, tables, ())
            before, comparison = self._digest(index), Comparison(index)
        except LeaderpressError as fault:
            publish()
            return Observation(notice=_unknown(fault))
        with comparison:
            publish()
            try:
                index = self._index(self.root, tables, snapshot["sources"])
                comparison.against(index, touched_between(index, before, self._digest(index)))
                return Observation(updates(comparison, stated, self._publisher()))
            except LeaderpressError as fault:
                return Observation(notice=_unknown(fault))

    def _index(self, root: Path, tables: Tables, slugs: Collection[str]) -> Path:
        cache = (self.root or self.site) / CACHE
        # The older folders were verified when this ingest began, under the lock that it still has.
        return refresh(root, tables.every(slugs), store.read_notes(self.site), cache, self._held, self._digests)

    def _digest(self, index: Path) -> str:
        try:
            return self._digests.of(index)
        except OSError:
            return ""

    def _publisher(self) -> str:
        try:
            return load_config(self.site).publisher
        except LeaderpressError:
            return NOBODY


def _is_newer(held: Sequence[Folder], sources: Collection[str]) -> bool:
    """Whether an older folder states anything of the same sources."""
    return any(not set(sources).isdisjoint(folder.snapshot["sources"]) for folder in held)


def _unknown(fault: LeaderpressError) -> str:
    return f"what this changes is not known: {fault.problem}"

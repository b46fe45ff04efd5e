"""What a build did: how large the site is, what was made anew and why, and what took how long."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import LeaderpressError

KINDS = {
    "": "home",
    "404.html": "not found",
    "changes": "changes",
    "editions": "edition",
    "groups": "group",
    "hardware": "hardware",
    "implementations": "implementation",
    "operations": "operation",
    "projects": "project",
    "records": "records",
    "runs": "run",
    "sources": "source",
}
"""Kind of a page by the first part of its address; any other is a written page."""

WRITTEN_PAGE = "written page"


@dataclass(frozen=True, slots=True)
class PageKind:
    """The pages of one kind."""

    pages: int
    bytes: int
    """Of all of them together."""
    largest: int
    """Bytes of the largest."""
    largest_path: str


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
    causes: Mapping[str, int] = field(default_factory=dict)
    """Files that were made anew by what made it necessary: `data`, `the theme`, `a note` …"""
    kinds: Mapping[str, PageKind] = field(default_factory=dict)
    """HTML pages by kind."""
    stages: dict[str, float] = field(default_factory=dict)
    """Seconds by stage, by the caller's clock."""
    warnings: tuple[LeaderpressError, ...] = ()
    carried: tuple[str, ...] = ()
    """Foreign files that were kept."""


def kind_of(path: str) -> str:
    """The kind of page that the HTML file at `path` is."""
    first, slash, _ = path.partition("/")
    return KINDS.get(first if slash or first == "404.html" else "", WRITTEN_PAGE)


class Tally:
    """The size of a site, counted file by file in any order; nothing is held but a line for each kind of page."""

    def __init__(self) -> None:
        self.files = 0
        self.size = 0
        """Bytes of all files together."""
        self.largest = ("", 0)
        """Path and bytes of the largest file, of several the first by path."""
        self._kinds: dict[str, _Pages] = {}

    def add(self, path: str, size: int) -> bool:
        """Count one file; whether it is a page."""
        self.files += 1
        self.size += size
        if size >= self.largest[1]:
            self.largest = _larger(self.largest, path, size)
        if not path.endswith(".html"):
            return False
        kind = kind_of(path)
        known = self._kinds.get(kind) or self._kinds.setdefault(kind, _Pages())
        known.count += 1
        known.size += size
        if size >= known.largest[1]:
            known.largest = _larger(known.largest, path, size)
        return True

    @property
    def kinds(self) -> dict[str, PageKind]:
        """The pages among the files by kind; the most pages first."""
        return {
            kind: PageKind(found.count, found.size, found.largest[1], found.largest[0])
            for kind, found in sorted(self._kinds.items(), key=lambda pair: (-pair[1].count, pair[0]))
        }


@dataclass(slots=True)
class _Pages:
    """The pages of one kind, while they are counted."""

    count: int = 0
    size: int = 0
    largest: tuple[str, int] = ("", -1)


def page_kinds(sizes: Iterable[tuple[str, int]]) -> dict[str, PageKind]:
    """The pages among files, given as (path, bytes), by kind; the most pages first."""
    tally = Tally()
    for path, size in sizes:
        tally.add(path, size)
    return tally.kinds


def _larger(known: tuple[str, int], path: str, size: int) -> tuple[str, int]:
    # Of several largest ones the first by path, whatever the order in which they were made.
    known_path, known_size = known
    return (path, size) if size > known_size or (size == known_size and path < known_path) else known

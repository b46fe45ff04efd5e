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


def page_kinds(sizes: Iterable[tuple[str, int]]) -> dict[str, PageKind]:
    """The pages among files, given as (path, bytes), by kind; the most pages first."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path, size in sizes:
        if path.endswith(".html"):
            found.setdefault(kind_of(path), []).append((size, path))
    kinds = {kind: _page_kind(pages) for kind, pages in found.items()}
    return dict(sorted(kinds.items(), key=lambda pair: (-pair[1].pages, pair[0])))


def _page_kind(pages: list[tuple[int, str]]) -> PageKind:
    # Of several largest pages the first by path, whatever the order in which they were made.
    largest, path = min(pages, key=lambda page: (-page[0], page[1]))
    return PageKind(len(pages), sum(size for size, _ in pages), largest, path)

"""Home, A–Z indexes, records, changes and written pages: the ways in."""

from ..values import dataclass
from .base import Figure, Item, Link, Pager, SourceLine, Strip
from .edition import EditionRow
from .source import RejectionRow


@dataclass(frozen=True, slots=False)
class EventRow:
    """A record event, on a page outside its group."""

    digest: str
    path: str
    group: str
    task: Link
    name: str
    hardware: Link
    figure: Figure
    improvement: str
    """How far the record before it in the group lies behind it, `7.10 %`; empty for a first record."""
    observed_at: str
    observed_on: str
    stands: bool
    """True while it is the group's record."""


@dataclass(frozen=True, slots=False)
class SourceRow:
    """A source, on the home page and in the index."""

    link: Link
    runs: int
    groups: int
    last_observed: str
    licence: str


@dataclass(frozen=True, slots=False)
class HomeView:
    """The front page."""

    title: str
    description: str
    tagline: str
    runs: int
    groups: int
    facts: tuple[Item, ...]
    latest: tuple[EventRow, ...]
    strip: Strip | None
    """Of the largest group, to explain the scale."""
    strip_title: Link | None
    strip_say: str
    families: tuple[tuple[Link, int], ...]
    hardware: tuple[tuple[Link, int], ...]
    sources: tuple[SourceRow, ...]
    example: str
    """Digest of a run, for the example of checking it."""
    example_path: str
    snapshot: str
    """Date of the newest ingest; only here and on changes/, so that an ingest does not change every page."""
    snapshot_id: str
    """Eight hex digits of its dump digest."""
    illustrative: bool


@dataclass(frozen=True, slots=False)
class IndexSection:
    """One letter, or one family, of an index."""

    title: str
    anchor: str
    links: tuple[tuple[Link, int], ...]
    """With the number of runs."""


@dataclass(frozen=True, slots=False)
class IndexView:
    """An A–Z index: operations (by family), implementations, projects, hardware."""

    listed: str
    """`operations`, `implementations`, `projects` or `hardware`."""
    title: str
    description: str
    say: str
    count: int
    sections: tuple[IndexSection, ...]
    pager: Pager | None
    illustrative: bool


@dataclass(frozen=True, slots=False)
class SourcesView:
    """The index of sources."""

    title: str
    description: str
    rows: tuple[SourceRow, ...]
    lines: tuple[SourceLine, ...]
    illustrative: bool


@dataclass(frozen=True, slots=False)
class RecordsView:
    """All record events, newest first."""

    title: str
    description: str
    count: int
    standing: int
    """How many of them stand today."""
    events: tuple[EventRow, ...]
    pager: Pager | None
    feed: str
    illustrative: bool


@dataclass(frozen=True, slots=False)
class Replacement:
    """A run whose place another one took."""

    older: Link
    newer: Link


@dataclass(frozen=True, slots=False)
class Redefinition:
    """An operation that was published under the same name before."""

    name: str
    """As the source spells it."""
    older: Link
    newer: Link


@dataclass(frozen=True, slots=False)
class Renaming:
    """A project under whose name runs stood before."""

    older: Link
    newer: Link
    runs: int


@dataclass(frozen=True, slots=False)
class Uncounted:
    """A published run that its source counts no more."""

    run: Link
    reason: str
    """Code."""
    text: str
    """The same in words."""


@dataclass(frozen=True, slots=False)
class ChangeRow:
    """What one ingest changed."""

    number: int
    anchor: str
    source: Link
    published_on: str
    dump: str
    counts: tuple[Item, ...]
    """New runs, revised, leading today, not taken."""
    runs: tuple[Link, ...]
    """New runs, at most 25."""
    more: int
    replaced: tuple[Replacement, ...]
    """Revised runs, at most 25."""
    uncounted: tuple[Uncounted, ...]
    """Runs that the source counts no more, at most 25; they stay until a note withdraws them."""
    renamed: tuple[Renaming, ...]
    """At most 25."""
    redefined: tuple[Redefinition, ...]
    """At most 25."""
    drift: tuple[tuple[str, int], ...]
    """(field, number of times) that the dump holds and its ingester does not know."""
    leaders: tuple[EventRow, ...]
    """Records of its runs that stand today, at most 25; a later ingest may take some away."""
    rejections: tuple[RejectionRow, ...]


@dataclass(frozen=True, slots=False)
class ChangesView:
    """Every ingest, newest first, and the notes."""

    title: str
    description: str
    changes: tuple[ChangeRow, ...]
    feed: str
    """Path of the Atom feed, empty without one."""
    notes: tuple[tuple[str, str, Link, str], ...]
    """(date, kind, run, reason)."""
    editions: tuple[EditionRow, ...]
    """Frozen rankings, newest first."""
    illustrative: bool


@dataclass(frozen=True, slots=False)
class ProseView:
    """A written page: `content/pages/*.md`."""

    slug: str
    title: str
    description: str
    markdown: str
    """The source text; the theme renders it."""
    contents: tuple[Link, ...]
    illustrative: bool


@dataclass(frozen=True, slots=False)
class NotFoundView:
    """404.html, the only page with absolute links."""

    title: str
    description: str
    lookup: str
    """Folder of the files that its script completes shortened addresses with; empty without them."""
    digits: int
    """Hex digits of their names."""
    illustrative: bool

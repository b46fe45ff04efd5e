"""Editions: the page of one, and the index of all."""

from ..values import dataclass
from .base import CitationView, Figure, Item, Link, Pager, SourceLine


@dataclass(frozen=True, slots=False)
class EditionLeader:
    """A run that led its group when the edition was made."""

    digest: str
    path: str
    name: str
    revision: str
    since: str
    """What became of it: `redacted`, `withdrawn`, `superseded`, or nothing."""


@dataclass(frozen=True, slots=False)
class EditionGroup:
    """The head of one ranking, as it stood."""

    key: str
    path: str
    """Of the group's page, which shows today's ranking; empty without one."""
    task: Link
    hardware: Link
    note: str
    """What tells the environment from others of the same hardware, may be empty."""
    workload: str
    ranking: str
    """The digest by which the ranking as it stood is cited."""
    leaders: tuple[EditionLeader, ...]
    """Runs of rank 1, at most three."""
    tied: int
    """Further runs of rank 1."""
    figure: Figure | None
    """Of the leaders."""
    metric_label: str
    runs: int
    """Runs that ranked."""


@dataclass(frozen=True, slots=False)
class EditionView:
    """One edition: all rankings of the site on one day."""

    tag: str
    title: str
    description: str
    index: Link
    """The list of all editions."""
    say: str
    """What it holds, in a sentence."""
    note: str
    """The publisher's own words, empty without any."""
    published_on: str
    digest: str
    """Of the bytes of `file`: by it the edition is cited."""
    file: str
    """Path of the edition itself."""
    facts: tuple[Item, ...]
    lines: int
    """Publications that the log held."""
    log_digest: str
    """64 hex digits: SHA-256 of these lines of the log."""
    example_group: str
    """Comparison key of the first row, for the example of looking it up; empty on continuation pages."""
    example_run: str
    """Digest of the run that led it."""
    groups: tuple[EditionGroup, ...]
    """All in the twin, 1,000 on a page."""
    count: int
    """Of all groups."""
    pager: Pager | None
    citation: CitationView
    sources: tuple[SourceLine, ...]
    """Who stated the figures of the leaders."""
    illustrative: bool


@dataclass(frozen=True, slots=False)
class EditionRow:
    """An edition in a list."""

    link: Link
    published_on: str
    groups: int
    runs: int
    digest: str
    note: str


@dataclass(frozen=True, slots=False)
class EditionsView:
    """The index of editions, newest first."""

    title: str
    description: str
    rows: tuple[EditionRow, ...]
    illustrative: bool

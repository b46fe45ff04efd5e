"""The source page: an upstream leaderboard, its terms, every snapshot taken of it, and what was not taken."""

from ..values import dataclass
from .base import Item, Link, SourceLine


@dataclass(frozen=True, slots=False)
class RejectionRow:
    """Rejections of one snapshot with one reason."""

    reason: str
    text: str
    """The reason in words."""
    count: int
    verdict: bool
    """True when it is the source's own verdict, False when something was malformed."""
    examples: tuple[str, ...]
    """Locations in the dump, at most five."""


@dataclass(frozen=True, slots=False)
class SnapshotRow:
    """One ingested dump."""

    number: int
    folder: str
    published_on: str
    retrieved_at: str
    dump: str
    """Digest of the dump."""
    ingester: str
    counts: tuple[Item, ...]
    rejections: tuple[RejectionRow, ...]
    ignored: int
    drift: tuple[str, ...]


@dataclass(frozen=True, slots=False)
class SourceView:
    """Everything that a source page shows."""

    slug: str
    title: str
    description: str
    name: str
    url: str
    items: tuple[Item, ...]
    """Licence, terms, basis, attribution, order."""
    facts: tuple[Item, ...]
    metrics: tuple[tuple[str, str, str, str], ...]
    """(name, label, unit, better) of the source's metrics."""
    snapshots: tuple[SnapshotRow, ...]
    coverage: tuple[tuple[Link, int, str, str], ...]
    """(operation, entries in the dump, the source's own count, `complete` or `partial`)."""
    source: SourceLine
    illustrative: bool

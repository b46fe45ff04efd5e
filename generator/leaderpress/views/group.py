"""The group page: the full ranking of the runs that may be compared, records over time, exclusions."""

from ..values import dataclass
from .base import CitationView, Figure, Item, Link, Pager, Reason, SourceLine, Staircase, Strip


@dataclass(frozen=True, slots=False)
class RankedRun:
    """One row of the ranking."""

    digest: str
    anchor: str
    """`run-<12 hex>`."""
    path: str
    rank: int
    tied: bool
    label: str
    """`3=`"""
    name: str
    revision: str
    project: Link
    value: float
    figure: Figure
    gap: str
    position: float | None
    """On the gap scale, 0 for the leader; None where the gap is no ratio (a value of zero or less)."""
    metrics: tuple[str, ...]
    """The source's own metrics, in the order of `metric_labels`."""
    metric_values: tuple[float | None, ...]
    source_order: int | None
    """Place by the source's own metric among these runs; None when the source has no such metric."""
    evidence: str
    observed_on: str
    published_on: str
    coins: str
    """COinS title for reference managers; the first 25 rows only."""


@dataclass(frozen=True, slots=False)
class ExcludedRun:
    """A run that belongs here but does not rank."""

    digest: str
    path: str
    short: str
    name: str
    revision: str
    figure: Figure | None
    reasons: tuple[Reason, ...]
    observed_on: str


@dataclass(frozen=True, slots=False)
class GroupRecord:
    """One record event."""

    digest: str
    path: str
    observed_at: str
    observed_on: str
    name: str
    figure: Figure
    improvement: str
    """How far the record before lies behind this one, `7.10 %` or `×2.41`; empty for the first."""


@dataclass(frozen=True, slots=False)
class GroupView:
    """Everything that a group page shows."""

    key: str
    short: str
    title: str
    description: str
    task: Link
    task_raw: str
    family: Link
    hardware: Link
    environment_note: str
    workload: Link
    """Summary of the workload and its canonical object."""
    metric: str
    metric_label: str
    """`Latency`, `Score`: head of the value column."""
    unit: str
    better: str
    """`lower`, `higher` or `none`."""
    policy: str
    profile: str
    ranking: str
    """Digest of the ranking's state."""
    leaders: tuple[RankedRun, ...]
    """All runs of rank 1."""
    leader_say: str
    """`holds the record since 2026-04-24`, or how many share it."""
    ahead: str
    """`0.11 % ahead of #2, Nader`; empty if there is none."""
    facts: tuple[Item, ...]
    caption: str
    """What all rows have in common: `All 61: evidence reported, status passed.`"""
    shared: tuple[str, ...]
    """Columns left out because every row has the same value: any of `evidence`, `observed`, `published`, `project`."""
    metric_labels: tuple[str, ...]
    source_order_label: str
    """`Order by SOL score`, empty when the order never differs or the source has none."""
    runs: tuple[RankedRun, ...]
    """The rows of this page; the twin of the first page holds all of them."""
    pager: Pager | None
    strip: Strip | None
    staircase: Staircase | None
    records: tuple[GroupRecord, ...]
    excluded: tuple[ExcludedRun, ...]
    coverage: str
    """`Ranks the 3 submissions in the dump; the source lists 251; as of 2026-08-24.`"""
    parts: tuple[Item, ...]
    """What went into the key."""
    key_body: str
    """RFC 8785 text that hashes to the key."""
    citation: CitationView
    downloads: tuple[Item, ...]
    sources: tuple[SourceLine, ...]
    illustrative: bool

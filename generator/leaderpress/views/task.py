"""The operation page: one task, the current record of each of its groups, its definition, workloads and cases."""

from ..values import dataclass
from .base import Edited, Figure, Item, Link, SourceLine, Staircase, WorkloadView


@dataclass(frozen=True, slots=False)
class GroupRow:
    """One comparison group, as a line on another page."""

    key: str
    path: str
    task: Link
    hardware: Link
    note: str
    """Environment and protocol, as far as they tell groups apart."""
    workload: str
    """Summary of the workload, empty where all groups of the page share one."""
    figure: Figure | None
    """The record; None when nothing ranks."""
    metric_label: str
    holder: str
    holder_path: str
    """The leader's run."""
    tied: int
    """Other runs that share rank 1."""
    since: str
    runs: int
    records: int
    excluded: int
    staircase: Staircase | None


@dataclass(frozen=True, slots=False)
class Argument:
    """One input or output of the operation."""

    name: str
    role: str
    dtype: str
    shape: str


@dataclass(frozen=True, slots=False)
class TaskView:
    """Everything that an operation page shows."""

    digest: str
    slug: str
    title: str
    description: str
    name: str
    raw: str
    say: str
    """The description that the source gives, may be empty."""
    family: Link
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    featured: tuple[GroupRow, ...]
    """The records shown large: the groups with most runs, at most eight."""
    groups: tuple[GroupRow, ...]
    """All groups, when there are more than the featured ones."""
    arguments: tuple[Argument, ...]
    items: tuple[Item, ...]
    """Axes and semantics."""
    workloads: tuple[WorkloadView, ...]
    """Suites, each with its cases."""
    case_columns: tuple[str, ...]
    cases: tuple[tuple[str, str, tuple[str, ...]], ...]
    """(digest, path, values) of published cases that no suite of this page lists."""
    projects: tuple[tuple[Link, int], ...]
    stated: tuple[Item, ...]
    """Facts that the source states outside the manifests (baseline latency, number of submissions)."""
    imprint: tuple[Item, ...]
    sources: tuple[SourceLine, ...]
    illustrative: bool
    edited: Edited | None
    """What the publisher says beside the source."""

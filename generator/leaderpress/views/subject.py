"""The implementation page: one revision of somebody's code for one operation, and every run of it."""

from ..values import dataclass
from .base import Edited, Figure, Item, Link, SourceLine
from .run import Artifact


@dataclass(frozen=True, slots=False)
class RunRow:
    """One run, as a line on another page."""

    digest: str
    path: str
    task: Link
    implementation: str
    revision: str
    hardware: Link
    workload: str
    figure: Figure | None
    metric_label: str
    standing: str
    """`2 of 61`, `3= of 40`, or the reason code."""
    group: str
    """Path of its group."""
    leads: bool
    observed_on: str


@dataclass(frozen=True, slots=False)
class SubjectView:
    """Everything that an implementation page shows."""

    digest: str
    title: str
    description: str
    name: str
    say: str
    """The description that its manifest gives, may be empty."""
    task: Link
    project: Link
    identity: tuple[Item, ...]
    support: tuple[Item, ...]
    licence: tuple[Item, ...]
    builds: tuple[Item, ...]
    """How each variant is built or installed; empty if none is stated."""
    artifacts: tuple[Artifact, ...]
    runs: tuple[RunRow, ...]
    documents: tuple[Link, ...]
    sources: tuple[SourceLine, ...]
    illustrative: bool
    edited: Edited | None
    """What the publisher says beside the source."""

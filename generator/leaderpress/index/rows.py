"""The rows that the index hands to views: small, frozen, and all that a view may know beside whole documents."""

from typing import Any

from ..errors import ContentError
from ..values import dataclass


@dataclass(frozen=True, slots=True)
class TaskRow:
    """An operation."""

    digest: str
    slug: str
    raw: str
    """The source's own name."""
    name: str
    """The name for people."""
    family: str
    source: str
    description: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    constants: tuple[str, ...]
    """Names of its constant axes."""


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project."""

    digest: str
    slug: str
    name: str
    """Display name."""
    source: str


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """A suite or a case."""

    digest: str
    kind: str
    task: str
    """Digest of its operation."""
    correctness: str
    summary: str
    cases: int
    """Number of cases of a suite, 0 for a case."""


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """An environment."""

    digest: str
    product: str
    slug: str
    """Of the hardware page."""
    vendor: str
    architecture: str
    note: str
    """What tells it from others of the same hardware, may be empty."""
    title: str


@dataclass(frozen=True, slots=True)
class ProtocolRow:
    """A protocol."""

    digest: str
    harness: str
    version: str
    title: str


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """An implementation."""

    digest: str
    task: str
    project: str
    """Digest, empty if none is known."""
    name: str
    """Display name: what its title says beside the operation, else the project's name."""
    revision: str
    title: str
    source: str
    runs: int
    has_page: bool
    artifacts: tuple[dict[str, Any], ...]
    has_code: bool
    """Its source is published or its repository named."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run, as ranking and listings need it."""

    digest: str
    group: str
    siblings: str
    source: str
    external_id: str
    upstream_key: str
    subject: str
    project: str
    task: str
    workload: str
    protocol: str
    environment: str
    status: str
    metric: str
    statistic: str
    unit: str
    value: float | int | None
    evidence: str
    native: bool
    observed_at: str
    published_on: str
    upstream_published_at: str
    folder: int
    name: str
    revision: str
    project_name: str
    project_slug: str
    metrics: dict[str, float | int]
    """The source's own metrics."""
    reasons: tuple[str, ...]
    rank: int
    """0 for a run that does not rank."""
    tied: int
    better: int
    """Runs of the group that are strictly better."""
    place: int
    """Position in display order, from 1; 0 for a run that does not rank."""
    superseded_by: str

    @property
    def stated(self) -> float | int:
        """The primary value of a run that has one, as every run that ranks does; raises `ContentError` otherwise."""
        if self.value is None:
            raise ContentError("run-without-value", f"the run {self.digest} states no primary value")
        return self.value


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A comparison group."""

    key: str
    siblings: str
    task: str
    workload: str
    protocol: str
    environment: str
    metric_key: str
    metric: str
    statistic: str
    unit: str
    direction: str
    """`lower`, `higher` or `none`."""
    native: bool
    ranked: int
    ranks: int
    """Number of distinct ranks."""
    members: int
    ranking: str
    """Digest of the ranking's state."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """A record event."""

    group: str
    position: int
    digest: str
    observed_at: str
    value: float | int
    previous: float | int | None
    stands: bool


@dataclass(frozen=True, slots=True)
class GroupContents:
    """A comparison group with its runs and record events."""

    group: GroupRow
    ranked: list[RunRow]
    """In display order."""
    unranked: list[RunRow]
    """Its own runs that do not rank, and runs without any metric that match it in all else."""
    events: list[EventRow]
    """Oldest first."""

    @property
    def own(self) -> list[RunRow]:
        """Its runs: the ranked ones in display order, then the others."""
        return [*self.ranked, *(run for run in self.unranked if run.group == self.group.key)]


@dataclass(frozen=True, slots=True)
class StatementRow:
    """What one source says about a document."""

    digest: str
    source: str
    folder: int
    external_id: str | None
    upstream_key: str | None
    project: str | None
    name: str | None
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    artifacts: tuple[dict[str, Any], ...]
    upstream_published_at: str | None


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact that a source states outside the manifests."""

    about: str
    source: str
    name: str
    value: Any
    folder: int


@dataclass(frozen=True, slots=True)
class FolderRow:
    """One ingest."""

    number: int
    name: str
    source: str
    published_on: str
    snapshot: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Location:
    """Where a document's bytes stand in the store."""

    digest: str
    kind: str
    file: str
    """Path below `content/records`."""
    offset: int
    length: int
    identity_bytes: int
    document_digest: str

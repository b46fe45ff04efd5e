"""The run page: one record, its number, what it may be compared with, and how to check and cite it."""

from ..values import dataclass
from .base import (
    CitationView,
    Document,
    Figure,
    Item,
    Link,
    NoteView,
    Notice,
    Reason,
    SourceLine,
    Strip,
    WorkloadView,
)


@dataclass(frozen=True, slots=False)
class Standing:
    """The run's place in its group."""

    rank: int
    of: int
    """Number of eligible runs of the group, not of distinct ranks."""
    tied: int
    """How many *other* runs share the rank."""
    label: str
    """`2`, or `3=` when shared."""
    better: int
    """Runs that are strictly better."""
    worse: int


@dataclass(frozen=True, slots=False)
class Neighbour:
    """One row of the short ranking around the run: the leader, two on each side, the last."""

    digest: str
    path: str
    label: str
    """Rank label."""
    name: str
    revision: str
    figure: Figure
    gap: str
    """`+0.55 %`, `×84.6`, `–` for the leader."""
    metrics: tuple[str, ...]
    """The source's own metrics, in the order of `metric_labels`."""
    observed_on: str
    current: bool
    skipped: int
    """Runs between the row before and this one that are not shown."""


@dataclass(frozen=True, slots=False)
class Measurement:
    """One measured value, the primary one first."""

    metric: str
    statistic: str
    """Empty when not stated."""
    figure: Figure
    spread: str
    samples: str
    said_by: str
    """`run manifest` or `source metric`."""


@dataclass(frozen=True, slots=False)
class Artifact:
    """A file that belongs to the run or its implementation; bodies are not published here."""

    name: str
    role: str
    media_type: str
    size: str
    availability: str
    licence: str
    digest: str
    uri: str
    """https address, empty if it has none that leads anywhere."""


@dataclass(frozen=True, slots=False)
class Difference:
    """One line of the comparison with #1."""

    label: str
    this: str
    leader: str
    same: bool


@dataclass(frozen=True, slots=False)
class Comparison:
    """This run beside the leader of its group, without script."""

    leader: Link
    sentence: str
    """`1.61 times the time of #1, doubleAI.`"""
    rows: tuple[Difference, ...]


@dataclass(frozen=True, slots=False)
class RunView:
    """Everything that a run page shows."""

    digest: str
    short: str
    """First eight hex digits, for headings only."""
    title: str
    description: str
    implementation: Link
    task: Link
    task_raw: str
    """The source's own name of the operation."""
    hardware: Link
    environment_note: str
    """What tells environments of one hardware apart (`stack v1.0`), or empty."""
    family: Link
    status: str
    status_text: str
    """`Passed`, `Runtime error`, …"""
    evidence: str
    """`reported` or `reproducible`."""
    notices: tuple[Notice, ...]
    illustrative: bool
    primary: Figure | None
    primary_label: str
    """`mean latency`, `score`; empty without a primary measurement."""
    spread: str
    """`± 1.2 µs`, empty when not stated."""
    samples: str
    """`of 100`, empty when not stated."""
    struck: bool
    """True for a withdrawn run: its number is shown struck through."""
    comparison_key: str
    group: Link
    standing: Standing | None
    reasons: tuple[Reason, ...]
    """Empty when the run ranks."""
    standing_say: str
    """`20 runs are faster, 40 slower.`"""
    profile: str
    """`Source-native comparison` or `Strict exact comparison`."""
    gap: str
    """Gap to #1, empty for #1 itself and for runs that do not rank."""
    leader: Link | None
    """The leader's run, None if this run is it or nothing ranks."""
    observed_at: str
    observed_on: str
    published_on: str
    source_line: str
    """The source's own metrics in one line, `SOL 0.5230 · 1.13× reference · 8/16 cases faster`."""
    facts: tuple[Item, ...]
    metric_labels: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    strip: Strip | None
    """None under six ranked runs and for a run that does not rank."""
    identity: tuple[Item, ...]
    correctness_say: str
    correctness: tuple[Item, ...]
    workload: WorkloadView
    measurements: tuple[Measurement, ...]
    protocol: tuple[Item, ...]
    environment: tuple[Item, ...]
    artifacts: tuple[Artifact, ...]
    notes: tuple[NoteView, ...]
    note_link: str
    """Pre-filled address for adding a replication or note, or empty."""
    comparison: Comparison | None
    documents: tuple[Document, ...]
    """Run, implementation, operation, workload, protocol, environment; then the project if known."""
    citation: CitationView
    source: SourceLine
    imprint: tuple[Item, ...]
    report_link: str

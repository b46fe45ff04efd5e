"""The hardware page: one product, its environments, and what was measured on it."""

from ..values import dataclass
from .base import Edited, Item, Link, SourceLine
from .task import GroupRow


@dataclass(frozen=True, slots=False)
class EnvironmentRow:
    """One environment of the product."""

    digest: str
    path: str
    """Its canonical object."""
    title: str
    items: tuple[Item, ...]
    runs: int
    groups: int


@dataclass(frozen=True, slots=False)
class HardwareView:
    """Everything that a hardware page shows."""

    slug: str
    title: str
    description: str
    product: str
    facts: tuple[Item, ...]
    environments: tuple[EnvironmentRow, ...]
    largest: tuple[GroupRow, ...]
    """The groups with most runs, at most twenty."""
    tasks: tuple[tuple[Link, int], ...]
    """Operations measured here, with their number of runs."""
    projects: tuple[tuple[Link, int], ...]
    sources: tuple[SourceLine, ...]
    illustrative: bool
    edited: Edited | None
    """What the publisher says beside the source."""

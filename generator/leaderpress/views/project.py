"""The project page: who reports runs, the records they hold, and all their runs."""

from ..values import dataclass
from .base import Edited, Item, Link, Pager, SourceLine
from .subject import RunRow
from .task import GroupRow


@dataclass(frozen=True, slots=False)
class ProjectView:
    """Everything that a project page shows."""

    digest: str
    slug: str
    title: str
    description: str
    name: str
    items: tuple[Item, ...]
    facts: tuple[Item, ...]
    """Runs, groups, records held, records ever set, first and last observation."""
    held: tuple[GroupRow, ...]
    """Groups that the project leads, those with most runs first; at most a thousand, on the first page only."""
    held_count: int
    """How many it leads in all."""
    runs: tuple[RunRow, ...]
    run_count: int
    pager: Pager | None
    implementations: tuple[tuple[Link, int], ...]
    """Implementations that have a page, with their number of runs."""
    sources: tuple[SourceLine, ...]
    illustrative: bool
    edited: Edited | None
    """What the publisher says beside the source."""

"""Record events: in order of observation, each run that is strictly better than the best so far takes the record.

Recomputed from all eligible runs at every build; an event is never stored, so a late-found early run rewrites
history as it should be told.
"""

from collections.abc import Iterable

from ..values import dataclass
from .rank import Candidate


@dataclass(frozen=True, slots=True)
class Event:
    """A change of leader."""

    digest: str
    observed_at: str
    value: float | int
    previous: float | int | None
    """The record before it, None for the first."""


def record_events(candidates: Iterable[Candidate], better: str) -> list[Event]:
    """The record events of one group, oldest first; an equal value never takes the record."""
    events: list[Event] = []
    best: float | int | None = None
    for run in sorted(candidates, key=lambda run: (run.observed_at, run.digest)):
        if best is None or (run.value > best if better == "higher" else run.value < best):
            events.append(Event(run.digest, run.observed_at, run.value, best))
            best = run.value
    return events

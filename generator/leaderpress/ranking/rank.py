"""Dense ranks inside one comparison group.

Equal values share a rank and the next value takes the next one, so the last of 61 runs may be rank 50: `of` counts
runs, and what is better or worse is counted beside it.  Inside a tie the display order is stronger evidence, then
newer observation, then digest; it never changes a rank.
"""

from collections.abc import Iterable, Sequence

from ..canonical import digest_of
from ..values import dataclass
from . import POLICY

EVIDENCE_ORDER = {"verified": 0, "replicated": 1, "reproducible": 2, "reported": 3}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An eligible run, as far as ranking needs it."""

    digest: str
    value: float | int
    evidence: str
    observed_at: str
    """Instants with three fraction digits and Z, so that they sort as text."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A run's place."""

    digest: str
    rank: int
    tied: int
    """Other runs of the same rank."""
    better: int
    """Runs that are strictly better."""


def rank(candidates: Iterable[Candidate], better: str) -> list[Rank]:
    """Rank the eligible runs of one group, best first, in display order; `better` is `lower` or `higher`."""
    ordered = sorted(candidates, key=lambda run: run.digest)
    ordered.sort(key=lambda run: run.observed_at, reverse=True)
    ordered.sort(key=lambda run: EVIDENCE_ORDER[run.evidence])
    ordered.sort(key=lambda run: run.value, reverse=better == "higher")
    places: list[Rank] = []
    start = 0
    number = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end].value == ordered[start].value:
            end += 1
        number += 1
        places += (Rank(run.digest, number, end - start - 1, start) for run in ordered[start:end])
        start = end
    return places


def label(place: int, tied: int) -> str:
    """`3`, or `3=` when the rank is shared."""
    return f"{place}=" if tied else str(place)


def ranking_digest(group: str, places: Sequence[Rank]) -> str:
    """The digest by which a group's state is cited: over policy, group key and `[rank, digest]` in display order."""
    runs = [[place.rank, place.digest] for place in places]
    return digest_of({"v": 1, "policy": POLICY, "group": group, "runs": runs})

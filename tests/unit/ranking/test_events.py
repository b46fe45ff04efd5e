"""Record events in order of observation."""

import random

from leaderpress.ranking.events import record_events
from leaderpress.ranking.rank import Candidate


def candidate(name: str, value: float, day: int) -> Candidate:
    return Candidate(f"sha256:{name * 64}", value, "reported", f"2026-01-{day:02d}T00:00:00.000Z")


def told(candidates: list[Candidate], better: str = "lower") -> list[tuple[str, float, float | None]]:
    return [(event.digest[7], event.value, event.previous) for event in record_events(candidates, better)]


def test_only_a_strictly_better_run_takes_the_record() -> None:
    runs = [candidate("a", 5, 1), candidate("b", 5, 2), candidate("c", 6, 3), candidate("d", 4, 4)]
    assert told(runs) == [("a", 5, None), ("d", 4, 5)]


def test_a_run_found_late_but_observed_early_rewrites_the_history() -> None:
    slow, fast = candidate("a", 100, 1), candidate("b", 90, 3)
    assert told([slow, fast]) == [("a", 100, None), ("b", 90, 100)]
    assert told([slow, fast, candidate("c", 80, 2)]) == [("a", 100, None), ("c", 80, 100)]


def test_of_two_runs_of_one_instant_the_smaller_digest_comes_first() -> None:
    assert told([candidate("b", 3, 1), candidate("a", 4, 1)]) == [("a", 4, None), ("b", 3, 4)]


def test_higher_is_better() -> None:
    assert told([candidate("a", 1, 1), candidate("b", 3, 2), candidate("c", 2, 3)], "higher") == [
        ("a", 1, None),
        ("b", 3, 1),
    ]


def test_the_last_event_is_the_best_value_whatever_the_order() -> None:
    source = random.Random(3)
    for _ in range(200):
        runs = [candidate(format(n, "x"), source.randint(1, 9), source.randint(1, 28)) for n in range(12)]
        events = record_events(runs, "lower")
        assert events[-1].value == min(run.value for run in runs)
        assert [event.value for event in events] == sorted({event.value for event in events}, reverse=True)
        source.shuffle(runs)
        assert record_events(runs, "lower") == events


def test_nothing_eligible_gives_no_event() -> None:
    assert record_events([], "lower") == []

"""Dense ranks, ties, directions and the digest of a ranking's state."""

import random

import pytest

from leaderpress.canonical import digest_of
from leaderpress.ranking.rank import Candidate, label, rank, ranking_digest

KEY = "sha256:" + "0" * 64


def candidate(
    name: str, value: float, *, evidence: str = "reported", at: str = "2026-01-01T00:00:00.000Z"
) -> Candidate:
    return Candidate(digest=f"sha256:{name * 64}", value=value, evidence=evidence, observed_at=at)


def placed(candidates: list[Candidate], better: str = "lower") -> list[tuple[str, int, int, int]]:
    return [(place.digest[7], place.rank, place.tied, place.better) for place in rank(candidates, better)]


def test_equal_values_share_a_rank_and_the_next_value_takes_the_next_one() -> None:
    runs = [candidate("a", 3), candidate("b", 1), candidate("c", 2), candidate("d", 2)]
    assert placed(runs) == [("b", 1, 0, 0), ("c", 2, 1, 1), ("d", 2, 1, 1), ("a", 3, 0, 3)]


def test_higher_is_better_turns_the_order_round_but_not_the_order_inside_a_tie() -> None:
    runs = [candidate("b", 2), candidate("a", 2), candidate("c", 9)]
    assert placed(runs, "higher") == [("c", 1, 0, 0), ("a", 2, 1, 1), ("b", 2, 1, 1)]


def test_a_tie_at_the_top_has_two_leaders_and_nobody_better() -> None:
    assert placed([candidate("a", 5), candidate("b", 5)]) == [("a", 1, 1, 0), ("b", 1, 1, 0)]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (candidate("b", 1, evidence="reproducible"), candidate("a", 1), "stronger evidence"),
        (candidate("b", 1, at="2026-02-01T00:00:00.000Z"), candidate("a", 1), "the newer observation"),
        (candidate("a", 1), candidate("b", 1), "the smaller digest"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_inside_a_tie_comes_first(first: Candidate, second: Candidate, why: str) -> None:
    for order in ([first, second], [second, first]):
        assert [place.digest for place in rank(order, "lower")] == [first.digest, second.digest], why


def test_integers_and_floats_of_one_value_tie() -> None:
    assert [place.rank for place in rank([candidate("a", 2), candidate("b", 2.0)], "lower")] == [1, 1]


def test_ranks_do_not_depend_on_the_order_of_the_candidates() -> None:
    source = random.Random(7)
    runs = [candidate(format(n, "x"), source.randint(1, 5)) for n in range(16)]
    expected = placed(runs)
    for _ in range(50):
        source.shuffle(runs)
        assert placed(runs) == expected


def test_the_last_of_many_ties_has_a_small_rank_and_many_better_runs() -> None:
    runs = [candidate(format(n, "x"), n // 4) for n in range(16)]
    last = rank(runs, "lower")[-1]
    assert (last.rank, last.better, last.tied) == (4, 12, 3)


def test_a_label_marks_a_shared_rank() -> None:
    assert (label(3, 0), label(3, 1)) == ("3", "3=")


def test_the_ranking_digest_covers_policy_group_ranks_and_runs() -> None:
    places = rank([candidate("a", 1), candidate("b", 2)], "lower")
    body = {
        "v": 1,
        "policy": "ranking-v1",
        "group": KEY,
        "runs": [[1, "sha256:" + "a" * 64], [2, "sha256:" + "b" * 64]],
    }
    assert ranking_digest(KEY, places) == digest_of(body)
    assert ranking_digest(KEY, places[:1]) != ranking_digest(KEY, places)

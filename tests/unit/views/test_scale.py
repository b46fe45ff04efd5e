"""Strips and staircases as data."""

from itertools import pairwise

import pytest

from leaderpress.views.scale import median, staircase, strip

DAYS = [f"2026-0{month}-01T00:00:00.000Z" for month in range(1, 7)]


def test_a_small_group_has_no_strip() -> None:
    assert strip([1, 2, 3, 4, 5], "ns", "lower", leader="a") is None


def test_a_strip_counts_every_run_and_marks_this_one() -> None:
    plot = strip([1000, 1000, 1100, 2000, 10_000, 1_000_000], "ns", "lower", leader="a", this=2000)
    assert plot is not None
    assert sum(count for _, count in plot.marks) == 6
    assert plot.marks[0] == (0.0, 2)
    assert plot.marks[-1][0] == 1.0, "a thousandfold is clamped to the end of the scale"
    assert plot.this == 0.6001
    assert plot.leader_text == "1.00\u00a0µs"


def test_the_ticks_stand_where_the_site_wide_scale_puts_them() -> None:
    plot = strip([1000] * 6, "ns", "lower", leader="a")
    assert plot is not None
    assert [(place, text) for place, text, _ in plot.ticks] == [
        (0.0, "#1"),
        (0.0602, "+0.1 %"),
        (0.2083, "+1 %"),
        (0.4009, "+10 %"),
        (0.6001, "×2"),
        (0.7909, "×10"),
        (0.9991, "×100"),
    ]
    assert plot.ticks[4][2] == "2.00\u00a0µs"


def test_values_without_ratios_have_no_strip() -> None:
    assert strip([-1, 0, 1, 2, 3, 4], "elo", "lower", leader="a") is None


def test_higher_is_better_measures_the_gap_from_the_leader_down() -> None:
    plot = strip([200, 100, 100, 100, 100, 100], "tokens", "higher", leader="a")
    assert plot is not None
    assert plot.marks == ((0.0, 1), (0.6, 5))
    assert plot.ticks[4][2].startswith("100")


def test_a_staircase_needs_three_records() -> None:
    two = [(DAYS[0], 9, "a"), (DAYS[1], 8, "b")]
    assert staircase(two, [], "ns", "lower", "2026-06-01") is None
    assert staircase(two, [], "ns", "lower", "2026-06-01", least=2) is not None


def test_a_staircase_runs_from_the_first_run_to_the_snapshot_and_falls_to_zero() -> None:
    plot = staircase(
        [(DAYS[0], 3000, "a"), (DAYS[2], 2000, "b"), (DAYS[4], 1000, "c")],
        [(DAYS[1], 2500), (DAYS[5], 900_000)],
        "ns",
        "lower",
        "2026-07-01",
    )
    assert plot is not None
    times = [step[0] for step in plot.steps]
    heights = [step[1] for step in plot.steps]
    assert times[0] == 0.0
    assert times == sorted(times)
    assert all(time < 1 for time in times)
    assert heights[0] == 1.0
    assert heights[-1] == 0.0
    assert all(before > after for before, after in pairwise(heights))
    assert len(plot.dots) == 1, "a run far above the first record is outside the picture"
    assert (plot.first, plot.last) == ("2026-01-01", "2026-07-01")
    assert [label for _, label in plot.months][:3] == ["2026", "Feb", "Mar"]


def test_a_run_observed_after_the_snapshot_stretches_the_axis() -> None:
    plot = staircase([(DAYS[0], 3, "a"), (DAYS[1], 2, "b"), (DAYS[5], 1, "c")], [], "ns", "lower", "2026-02-01")
    assert plot is not None
    assert plot.last == "2026-06-01"
    assert plot.steps[-1][0] == 1.0


@pytest.mark.parametrize("better", ["lower", "higher"])
@pytest.mark.parametrize("unit", ["ns", "gbps"])
@pytest.mark.parametrize("value", [1e307, 1.7976931348623157e308, 5e-324, 2**53 - 1])
def test_a_strip_leaves_out_ticks_whose_figure_no_number_holds(value: float, unit: str, better: str) -> None:
    plot = strip([value] * 6, unit, better, leader="a")
    assert plot is not None
    assert plot.marks == ((0.0, 6),)
    assert plot.ticks[0] == (0.0, "#1", "")
    assert not [text for _, _, text in plot.ticks if "inf" in text.lower()]


def test_the_ticks_that_numbers_hold_stay() -> None:
    plot = strip([1e307] * 6, "gbps", "lower", leader="a")
    assert plot is not None
    assert [text for _, text, _ in plot.ticks] == ["#1", "+0.1 %", "+1 %", "+10 %", "×2", "×10"]


@pytest.mark.parametrize(
    ("values", "middle"),
    [
        ([3], 3),
        ([1, 2, 9], 2),
        ([0.1, 0.2], 0.15),
        ([0.1, 0.1, 0.7, 0.8], 0.4),
        ([1, 2], 1.5),
        ([1.7e308, 1.7e308], 1.7e308),
        ([-1.7e308, 1.7e308], 0),
        ([5e-324, 5e-324], 5e-324),
        ([2**53 - 2, 2**53 - 1], 2**53 - 1.5),
    ],
)
def test_a_median_is_exact_in_decimals_and_never_overflows(values: list[float], middle: float) -> None:
    assert median(values) == middle


@pytest.mark.parametrize("first", ["2026-01-01", "9999-09-01", "9999-12-31"])
def test_a_staircase_can_reach_the_end_of_the_calendar(first: str) -> None:
    days = [f"{first}T00:00:00.000Z", "9999-12-31T00:00:00.000Z", "9999-12-31T23:59:59.999Z"]
    plot = staircase([(day, 3 - n, "a") for n, day in enumerate(days)], [], "ns", "lower", "9999-12-31")
    assert plot is not None
    assert plot.last == "9999-12-31"
    assert all(0 <= place <= 1 for place, _ in plot.months)

"""The figures to reach, each with how it is read off a result of `bench.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

Result = Mapping[str, Any]

MILLION = 1_000_000
GROWTH = (8_000, 200_000)
"""Numbers of runs between which cost must grow linearly."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure to reach."""

    text: str
    must: float
    aim: float
    unit: str
    measure: Callable[[Result], float | None]
    least: bool = False
    """True where more is better."""
    by_cpu: Callable[[Result], float | None] | None = None
    """The same in CPU seconds, which a busy machine disturbs less."""

    def line(self, result: Result) -> str | None:
        value = self.measure(result)
        if value is None:
            return None
        bounds = f"{self._bound(self.must)} | {self._bound(self.aim)}"
        cpu = self.by_cpu(result) if self.by_cpu else None
        quiet = "" if cpu is None else f"{figure(cpu)}{self.unit}"
        return f"| {self.text} | {bounds} | {figure(value)}{self.unit} | {self._met(value)} | {quiet} |"

    def _met(self, value: float) -> str:
        reached = (lambda bound: value >= bound) if self.least else (lambda bound: value <= bound)
        return "aim" if reached(self.aim) else "must" if reached(self.must) else "**no**"

    def _bound(self, bound: float) -> str:
        return f"{'≥' if self.least else '≤'} {figure(bound)}{self.unit}"


def ratio(over: str, under: str, kind: str = "wall") -> Callable[[Result], float | None]:
    """Median of the ratios within the repetitions."""

    def measure(result: Result) -> float | None:
        costs = result["costs"]
        if over not in costs or under not in costs:
            return None
        pairs = zip(costs[over], costs[under], strict=True)
        return median(left[kind] / right[kind] for left, right in pairs)

    return measure


def cost(name: str, kind: str = "wall", scale: float = 1.0) -> Callable[[Result], float | None]:
    def measure(result: Result) -> float | None:
        costs = result["costs"].get(name)
        return median(cost[kind] for cost in costs) * scale if costs else None

    return measure


def _per_file(name: str, kind: str = "wall") -> Callable[[Result], float | None]:
    """Microseconds of the whole command for each file of the site."""

    def measure(result: Result) -> float | None:
        seconds = cost(name, kind, scale=1e6)(result)
        return None if seconds is None else seconds / result["facts"]["nothing report"]["files"]

    return measure


def _ingest_rate(result: Result) -> float | None:
    cpu = cost("ingest", "cpu")(result)
    return result["facts"]["ingest documents"] / cpu if cpu else None


def _peak(result: Result) -> float | None:
    """Largest process of everything that leaderpress did."""
    if result["runs"] < GROWTH[1]:
        return None
    names = ("ingest", "build", "nothing", "one", "leaders", "another", "discard")
    return max(cost["peak"] for name in names for cost in result["costs"].get(name, ()))


def _at_a_million(kind: str) -> Callable[[Result], float | None]:
    def measure(result: Result) -> float | None:
        if result["runs"] < MILLION:
            return None
        both = [cost(name, kind)(result) or 0.0 for name in ("ingest", "discard")]
        return sum(both) / 60 if kind == "wall" else max(both)

    return measure


GOALS = (
    Goal(
        "whole build / raw writing of the same tree, wall",
        3.0,
        2.0,
        " ×",
        ratio("build", "floor"),
        by_cpu=ratio("build", "floor", "cpu"),
    ),
    Goal(
        "Hugo / leaderpress, the same pages, wall",
        2.5,
        4.0,
        " ×",
        ratio("hugo", "pages"),
        True,
        ratio("hugo", "pages", "cpu"),
    ),
    Goal("leaderpress / Hugo, the same pages, CPU", 0.5, 0.3, " ×", ratio("pages", "hugo", "cpu")),
    Goal(
        "nothing changed, whole command, for each file",
        10,
        5,
        " µs",
        _per_file("nothing"),
        by_cpu=_per_file("nothing", "cpu"),
    ),
    Goal(
        "every published file hashed, for each file",
        25,
        18,
        " µs",
        _per_file("verify"),
        by_cpu=_per_file("verify", "cpu"),
    ),
    Goal(
        "one run added to a group, whole build command",
        0.8,
        0.4,
        " s",
        cost("another"),
        by_cpu=cost("another", "cpu"),
    ),
    Goal("peak memory of a process at 200,000 runs", 300, 150, " MiB", _peak),
    Goal("a million runs: ingest, index, render, hash", 20, 8, " min", _at_a_million("wall")),
    Goal("a million runs: peak memory of a process", 500, 500, " MiB", _at_a_million("peak")),
    Goal("ingest, documents a second and core", 8_000, 15_000, "/s", _ingest_rate, least=True),
    Goal("`leaderpress --help`", 0.15, 0.08, " s", cost("help"), by_cpu=cost("help", "cpu")),
)


def figure(value: float) -> str:
    return (
        f"{value:,.0f}"
        if abs(value) >= 100 or value == int(value)
        else f"{value:.2f}"
        if value < 10
        else f"{value:.1f}"
    )

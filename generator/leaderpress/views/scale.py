"""Plots as data: positions on the site's one gap scale and on a time axis.  Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import MAXYEAR, UTC, date, datetime
from decimal import Context, Decimal
from math import isfinite, log10

from ..canonical import number_text
from ..format import TIME_UNITS, gap_position, quantity
from ..values import altered
from .base import Staircase, Strip

SMALLEST_STRIP = 6
"""Fewer runs than this are a table, not a distribution."""
SMALLEST_STAIRCASE = 3
_TICKS = ((0.001, "+0.1 %"), (0.01, "+1 %"), (0.1, "+10 %"), (1.0, "×2"), (9.0, "×10"), (99.0, "×100"))
_LONGEST_IN_MONTHS = 280
_EXACT = Context(prec=40)


def has_scale(values: Iterable[float | int]) -> bool:
    """Whether gaps are ratios: all values are positive."""
    return all(value > 0 for value in values)


def strip(
    values: Sequence[float | int],
    unit: str,
    better: str,
    *,
    leader: str,
    this: float | int | None = None,
) -> Strip | None:
    """The distribution of the ranked values, best first; None for small groups and for values without ratios."""
    if len(values) < SMALLEST_STRIP or not has_scale(values):
        return None
    best = values[0]
    marks = Counter(round(gap_position(value, best, better), 3) for value in values)
    whole = Strip(
        marks=tuple(sorted(marks.items())),
        leader=leader,
        leader_text=quantity(best, unit).text,
        this=None,
        this_text="",
        median=round(gap_position(median(values), best, better), 4),
        ticks=((0.0, "#1", ""), *_ticks(best, unit, better)),
    )
    return whole if this is None else with_this(whole, this, best, unit, better)


def with_this(group: Strip, value: float | int, best: float | int, unit: str, better: str) -> Strip:
    """The distribution of a group, whose best value is `best`, with one of its values marked."""
    return altered(group, this=round(gap_position(value, best, better), 4), this_text=quantity(value, unit).text)


def staircase(
    records: Sequence[tuple[str, float | int, str]],
    others: Sequence[tuple[str, float | int]],
    unit: str,
    better: str,
    until: str,
    *,
    least: int = SMALLEST_STAIRCASE,
) -> Staircase | None:
    """Records over time; `records` are (instant, value, holder) oldest first, `until` the snapshot's date."""
    if len(records) < least or not has_scale(value for _, value, _ in records):
        return None
    best = records[-1][1]
    top = gap_position(records[0][1], best, better) or 1.0
    seen = [instant for instant, _, _ in records] + [instant for instant, _ in others]
    start = _day(min(seen))
    end = max(_day(max(seen)), float(date.fromisoformat(until).toordinal()))
    span = (end - start) or 1.0

    def at(instant: str) -> float:
        return round((_day(instant) - start) / span, 4)

    def height(value: float | int) -> float:
        return round(gap_position(value, best, better) / top, 4)

    dots = [(at(instant), height(value)) for instant, value in others if value > 0]
    return Staircase(
        steps=tuple((at(instant), height(value), name, quantity(value, unit).text) for instant, value, name in records),
        dots=tuple(sorted(dot for dot in dots if dot[1] <= 1)),
        levels=tuple((round(x / top, 4), text, shown) for x, text, shown in _ticks(best, unit, better) if x < top),
        months=_time_ticks(start, end),
        first=date.fromordinal(int(start)).isoformat(),
        last=date.fromordinal(int(end)).isoformat(),
    )


def _place(gap: float) -> float:
    return round(min(1.0, log10(1 + 1000 * gap) / 5), 4)


def _ticks(best: float | int, unit: str, better: str) -> Iterator[tuple[float, str, str]]:
    """The fixed ticks behind the leader; one whose figure no number can hold is left out."""
    for gap, text in _TICKS:
        value = best / (1 + gap) if better == "higher" else best * (1 + gap)
        if unit not in TIME_UNITS:
            # Not a stated figure but a place on the axis: four digits say where it is.
            value = float(f"{value:.4g}")
        if value > 0 and isfinite(value):
            yield _place(gap), text, quantity(value, unit).text


def median(ordered: Sequence[float | int]) -> float | int:
    """The middle of sorted values, or the mean of the two in the middle: exactly that of their decimal literals."""
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    low, high = (Decimal(number_text(value)) for value in ordered[middle - 1 : middle + 1])
    return float(_EXACT.divide(_EXACT.add(low, high), Decimal(2)))


def _day(instant: str) -> float:
    moment = datetime.fromisoformat(instant).astimezone(UTC)
    return moment.toordinal() + (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400


def _time_ticks(start: float, end: float) -> tuple[tuple[float, str], ...]:
    """First days of months, or of quarters over a longer time; January bears the year."""
    step = 1 if end - start < _LONGEST_IN_MONTHS else 3
    span = (end - start) or 1.0
    first = date.fromordinal(int(start))
    ticks: list[tuple[float, str]] = []
    year, month = first.year, first.month
    while year <= MAXYEAR and (day := date(year, month, 1).toordinal()) <= end and len(ticks) < 24:
        if day >= start and (month - 1) % step == 0:
            ticks.append((round((day - start) / span, 4), str(year) if month == 1 else _MONTHS[month - 1]))
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return tuple(ticks)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

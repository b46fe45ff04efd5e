"""Growth as an SVG that stands alone: seconds against runs, both logarithmic, so that a linear cost is a diagonal.

It is meant to stand inside a page, without a style of its own: its colour is that of the text around it.  Lines differ
by their dashes and carry their names, so colour says nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

Points = Sequence[tuple[int, float]]

WIDTH, HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 500, 24, 376
_DASHES = ("", "7 4", "2 3", "10 3 2 3")


def growth(series: Mapping[str, Points], title: str = "Wall seconds of a build against the number of runs") -> str:
    """The plot; each series has at least one point with positive coordinates."""
    x = _axis([runs for points in series.values() for runs, _ in points], _LEFT, _RIGHT)
    y = _axis([seconds for points in series.values() for _, seconds in points], _BOTTOM, _TOP)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="growth-t growth-d"'
        f' width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" fill="currentColor"',
        ' font-family="system-ui, sans-serif" font-size="13">',
        f'<title id="growth-t">{escape(title)}</title>',
        f'<desc id="growth-d">{escape(_words(series))}</desc>',
        *_grid(x, y),
        *_lines(series, x, y),
        "</svg>\n",
    ]
    return "\n".join(parts)


class _Axis:
    """Places of values between two powers of ten."""

    def __init__(self, low: int, high: int, start: float, end: float) -> None:
        self.powers = range(low, high + 1)
        self._low, self._scale, self._start = low, (end - start) / max(1, high - low), start

    def at(self, value: float) -> float:
        return round(self._start + (math.log10(value) - self._low) * self._scale, 1)


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return _Axis(low, max(high, low + 1), start, end)


def _grid(x: _Axis, y: _Axis) -> Iterator[str]:
    yield '<g stroke="currentColor" stroke-opacity=".25">'
    for power in x.powers:
        yield f'<path d="M{x.at(10**power)} {_TOP}V{_BOTTOM}"/>'
    for power in y.powers:
        yield f'<path d="M{_LEFT} {y.at(10**power)}H{_RIGHT}"/>'
    yield "</g>"
    for power in x.powers:
        yield f'<text x="{x.at(10**power)}" y="{_BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>'
    for power in y.powers:
        label = f"{10**power:,} s" if power >= 0 else f"{10.0**power:g} s"
        yield f'<text x="{_LEFT - 8}" y="{y.at(10**power) + 4}" text-anchor="end">{label}</text>'
    yield f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 38}" text-anchor="middle">runs</text>'


def _lines(series: Mapping[str, Points], x: _Axis, y: _Axis) -> Iterator[str]:
    ends = _spaced({label: y.at(points[-1][1]) for label, points in series.items()})
    for number, (label, points) in enumerate(series.items()):
        places = [(x.at(runs), y.at(seconds)) for runs, seconds in points]
        path = "L".join(f"{left} {top}" for left, top in places)
        dash = f' stroke-dasharray="{_DASHES[number % 4]}"' if number % 4 else ""
        yield f'<path d="M{path}" fill="none" stroke="currentColor" stroke-width="{1.5 if number else 2.5}"{dash}/>'
        for (left, top), (runs, seconds) in zip(places, points, strict=True):
            told = f"{escape(label)}: {runs:,} runs, {seconds:.2f} s"
            yield f'<circle cx="{left}" cy="{top}" r="3.5"><title>{told}</title></circle>'
        weight = "" if number else ' font-weight="600"'
        yield f'<text x="{_RIGHT + 12}" y="{ends[label] + 4}"{weight}>{escape(label)}</text>'
        yield (
            f'<path d="M{places[-1][0] + 5} {places[-1][1]}L{_RIGHT + 8} {ends[label]}"'
            ' stroke="currentColor" stroke-opacity=".4" fill="none"/>'
        )


def _spaced(ends: Mapping[str, float]) -> dict[str, float]:
    """Heights of the labels, moved apart where lines end close together."""
    placed: dict[str, float] = {}
    last = -math.inf
    for label, height in sorted(ends.items(), key=lambda item: item[1]):
        last = placed[label] = max(height, last + 18)
    return placed


def _words(series: Mapping[str, Points]) -> str:
    told = (
        f"{label}: " + ", ".join(f"{seconds:.2f} s for {runs:,} runs" for runs, seconds in points)
        for label, points in series.items()
    )
    return "; ".join(told) + "."

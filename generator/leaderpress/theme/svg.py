"""Plots as inline SVG without a viewBox: x in per cent, y in pixels, so that text keeps its size at any width.

Every plot is an image with a title and a description (`aria-labelledby`), every mark has a title of its own, and the
figures stand in a table beside it.  Colours and line widths come from the stylesheet by class; there is no inline
style.  Positions are those of the site's one gap scale (`format.gap_position`).
"""

from functools import lru_cache

from markupsafe import Markup, escape

from ..format import gap_text, visible
from ..views.base import Staircase, Strip

_AXIS = 74
"""Height of the strip's axis, px."""
_STEP_TOP, _STEP_BOTTOM = 27.0, 184.0
_MINI_TOP, _MINI_BOTTOM = 6.0, 50.0
_LABEL_FROM = 0.12
"""A step of this share of the width has room for its holder's name."""
_NAME_LENGTH = 28
_SHORT_STEP = 0.35
"""A last step shorter than this has its label before it, where nothing is drawn any more."""
# Place, label and class of the ticks over a column; the second gives way where the column is narrow.
_SCALE = ((0, "#1", ""), (20.83, "+1 %", ' class="t1"'), (40.09, "+10 %", ""), (60.01, "×2", ""), (79.09, "×10", ""))


def gap_row(position: float) -> Markup:
    """One row's gap to the leader: a line from #1 and a dot; tick lines are the cell's background."""
    return _gap_row(round(position * 100, 1))


@lru_cache(maxsize=2048)
def _gap_row(x: float) -> Markup:
    drawn = f'<line x2="{x:g}%" y1="8" y2="8"/><circle cx="{x:g}%" cy="8" r="3"/>'
    return Markup(f'<svg class="g" aria-hidden="true">{drawn}</svg>')


def gap_scale() -> Markup:
    """The tick labels over a column of `gap_row`s."""
    labels = "".join(f'<text{tight} x="{x}%"{_anchor(x)} y="11">{label}</text>' for x, label, tight in _SCALE)
    return Markup(f'<svg class="gs" aria-hidden="true">{labels}</svg>')


def strip(view: Strip, name: str = "strip") -> Markup:
    """The distribution of a group: one mark a run, the leader at the left, this run in the spot colour."""
    runs, drawn = _GROUPS.drawn(view)
    words = escape(_strip_words(view, runs))
    parts = [
        f'<svg class="plot strip" role="img" aria-labelledby="{name}-t {name}-d" width="100%" height="112">',
        f'<title id="{name}-t">Runs by their gap to #1</title><desc id="{name}-d">{words}</desc>',
        drawn,
        _median_label(view),
        _this_label(view),
        "</svg>",
    ]
    return Markup("".join(parts))


class _Groups:
    """What the strips of a group's pages have in common, kept for the next page: it mostly is of the same group."""

    def __init__(self) -> None:
        self._last: Strip | None = None
        self._drawn = (0, "")

    def drawn(self, view: Strip) -> tuple[int, str]:
        """Number of runs, and the axis with all runs and the leader's name."""
        if self._last is None or not _is_same_group(view, self._last):
            axis = f'<line class="ax" x2="100%" y1="{_AXIS}" y2="{_AXIS}"/>'
            marks = _strip_marks(view.marks)
            self._drawn = (
                sum(count for _, count in view.marks),
                f"{axis}{_strip_ticks(view.ticks)}{marks}{_leader_label(view)}",
            )
            self._last = view
        return self._drawn


def _is_same_group(one: Strip, other: Strip) -> bool:
    # The strips of all runs of a group share these objects; to compare what they hold would take longer.
    return (
        one.marks is other.marks
        and one.ticks is other.ticks
        and one.leader is other.leader
        and one.leader_text is other.leader_text
    )


_GROUPS = _Groups()


def _strip_words(view: Strip, runs: int) -> str:
    words = [f"{runs} runs. #1 is {visible(view.leader)} with {visible(view.leader_text)}."]
    if view.this is not None:
        words.append(f"This run has {visible(view.this_text)}.")
    if view.median is not None:
        words.append(f"The median is at {_gap_at(view.median)}.")
    if view.marks:
        words.append(f"The last is at {_gap_at(view.marks[-1][0])}.")
    return " ".join(words)


@lru_cache(maxsize=2048)
def _gap_at(position: float) -> str:
    """The gap that a position stands for; positions are rounded, so this is a reading, not a figure."""
    if position <= 0:
        return "#1"
    if position >= 1:
        return "×100 or more"
    return gap_text(1 + (10 ** (5 * position) - 1) / 1000, 1, "lower")


@lru_cache(maxsize=512)
def _strip_ticks(ticks: tuple[tuple[float, str, str], ...]) -> str:
    return "".join(_strip_tick(x * 100, gap, figure) for x, gap, figure in ticks)


def _strip_tick(x: float, gap: str, figure: str) -> str:
    # Below 0.1 % there is no room for a second line; on narrow screens not even for the first.
    crowded = 0 < x < 15
    anchor = _anchor(x)
    second = "" if crowded or x == 0 else f'<text class="w q"{anchor} x="{x:.2f}%" y="103">{escape(figure)}</text>'
    line = f'<line class="tk" x1="{x:.2f}%" x2="{x:.2f}%" y1="{_AXIS}" y2="{_AXIS + 4}"/>'
    first = f'<text class="{"ww" if crowded else "tl"}"{anchor} x="{x:.2f}%" y="90">{escape(gap)}</text>'
    return line + first + second


def _anchor(x: float) -> str:
    if x < 1:
        return ""
    return ' text-anchor="end"' if x > 99 else ' text-anchor="middle"'


def _strip_marks(marks: tuple[tuple[float, int], ...]) -> str:
    return f'<g class="k">{"".join(_strip_mark(x, count) for x, count in marks)}</g>'


@lru_cache(maxsize=2048)
def _strip_mark(position: float, count: int) -> str:
    """A tick as a rectangle, whose width comes from the stylesheet: up to a thousand of them stand on a page."""
    height = 22 + min(14, 4 * (count - 1))
    kind = ""
    if position == 0:
        height, kind = max(height, 30), ' class="k1"'
    runs = "1 run" if count == 1 else f"{count} runs"
    title = f"<title>{runs}, {escape(_gap_at(position))}</title>"
    return f'<rect{kind} x="{round(position * 100, 1):g}%" y="{_AXIS - height}" height="{height}">{title}</rect>'


def _leader_label(view: Strip) -> str:
    name, figure = escape(_short(view.leader)), escape(visible(view.leader_text))
    return (
        f'<line class="lead" x1="0" x2="0" y1="4" y2="{_AXIS}"/>'
        f'<text dx="6" y="13"><tspan class="b">{name}</tspan> {figure}</text>'
    )


def _median_label(view: Strip) -> str:
    if view.median is None:
        return ""
    away = 1.0 if view.this is None else abs(view.median - view.this)
    if away < 0.13:
        return ""
    x = view.median * 100
    hidden = " w" if away < 0.45 else ""
    anchor = "start" if x < 4 else "end" if x > 96 else "middle"
    return (
        f'<line class="lead{hidden}" x1="{x:.1f}%" x2="{x:.1f}%" y1="38" y2="46"/>'
        f'<text class="q{hidden}" text-anchor="{anchor}" x="{x:.1f}%" y="33">median</text>'
    )


def _this_label(view: Strip) -> str:
    if view.this is None:
        return ""
    x = f"{view.this * 100:.1f}%"
    anchor, shift = ("end", -6) if view.this > 0.55 else ("start", 6)
    text = f"This run {visible(view.this_text)}"
    return (
        f'<line class="this" x1="{x}" x2="{x}" y1="24" y2="{_AXIS}"><title>{escape(text)}</title></line>'
        f'<text class="a b" text-anchor="{anchor}" x="{x}" dx="{shift}" y="33">{escape(text)}</text>'
    )


def staircase(view: Staircase, mini: bool = False, name: str = "stair") -> Markup:
    """Records over time as a falling line; `name` makes the ids unique on a page with several."""
    top, bottom = (_MINI_TOP, _MINI_BOTTOM) if mini else (_STEP_TOP, _STEP_BOTTOM)
    kind, height = ("mini", 56) if mini else ("stair", 216)
    parts = [
        f'<svg class="plot {kind}" role="img" aria-labelledby="{name}-t {name}-d" width="100%" height="{height}">',
        f'<title id="{name}-t">Records over time</title><desc id="{name}-d">{escape(_stair_words(view))}</desc>',
        "" if mini else _stair_grid(view, top, bottom),
        "" if mini else _stair_dots(view, top, bottom),
        _stair_line(view, top, bottom),
        _stair_records(view, top, bottom),
        "" if mini else _stair_labels(view, top, bottom),
        "</svg>",
    ]
    return Markup("".join(parts))


def _stair_words(view: Staircase) -> str:
    if not view.steps:
        return "No record."
    _, _, first, first_figure = view.steps[0]
    _, _, last, last_figure = view.steps[-1]
    if len(view.steps) == 1:
        return f"1 record, {visible(first)} with {first_figure}, from {view.first} to {view.last}."
    return (
        f"{len(view.steps)} records from {view.first} to {view.last}: "
        f"{visible(first)} with {first_figure} first, {visible(last)} with {last_figure} now."
    )


def _x(time: float) -> str:
    """Inset by a circle's radius, so that the first and the last mark are whole."""
    return f"{1 + 98 * time:.2f}%"


def _y(gap: float, top: float, bottom: float) -> float:
    """Height of a gap; what is worse than the first record stays inside the picture."""
    return round(max(bottom - (bottom - top) * gap, top - 17), 1)


def _stair_grid(view: Staircase, top: float, bottom: float) -> str:
    axis = bottom + 6
    parts = [f'<line class="ax" x2="100%" y1="{axis:g}" y2="{axis:g}"/>']
    for gap, text, figure in view.levels:
        y = _y(gap, top, bottom)
        parts.append(f'<line class="gr" x2="100%" y1="{y:g}" y2="{y:g}"/>')
        if bottom - y > 30:
            label = f"{escape(text)} · {escape(figure)}"
            parts.append(f'<text class="q" text-anchor="end" x="100%" y="{y - 4:g}">{label}</text>')
    for time, month in view.months:
        anchor = "start" if time < 0.03 else "end" if time > 0.97 else "middle"
        parts.append(f'<line class="tk" x1="{_x(time)}" x2="{_x(time)}" y1="{axis:g}" y2="{axis + 4:g}"/>')
        parts.append(f'<text text-anchor="{anchor}" x="{_x(time)}" y="{axis + 17:g}">{escape(month)}</text>')
    return "".join(parts)


def _stair_dots(view: Staircase, top: float, bottom: float) -> str:
    return "".join(f'<circle class="d" cx="{_x(x)}" cy="{_y(y, top, bottom):g}" r="1.75"/>' for x, y in view.dots)


def _stair_line(view: Staircase, top: float, bottom: float) -> str:
    parts = []
    ends = [time for time, *_ in view.steps[1:]] + [1.0]
    below = [gap for _, gap, *_ in view.steps[1:]]
    for index, (time, gap, _, _) in enumerate(view.steps):
        y, end = _y(gap, top, bottom), _x(ends[index])
        parts.append(f'<line class="st" x1="{_x(time)}" x2="{end}" y1="{y:g}" y2="{y:g}"/>')
        if index < len(below):
            parts.append(f'<line class="st" x1="{end}" x2="{end}" y1="{y:g}" y2="{_y(below[index], top, bottom):g}"/>')
    return "".join(parts)


def _stair_records(view: Staircase, top: float, bottom: float) -> str:
    last = len(view.steps) - 1
    return "".join(
        f'<circle class="{"now" if index == last else "r"}" cx="{_x(time)}" cy="{_y(gap, top, bottom):g}" r="3">'
        f"<title>{escape(visible(holder))} {escape(figure)}</title></circle>"
        for index, (time, gap, holder, figure) in enumerate(view.steps)
    )


def _stair_labels(view: Staircase, top: float, bottom: float) -> str:
    parts = []
    ends = [time for time, *_ in view.steps[1:]]
    for index, (time, gap, holder, figure) in enumerate(view.steps[:-1]):
        if index == 0 or ends[index] - time > _LABEL_FROM:
            y = _y(gap, top, bottom) - (9 if index == 0 else 5)
            hidden = "" if index == 0 else ' class="w"'
            shift = -2 if index == 0 else 6
            parts.append(f'<text{hidden} x="{_x(time)}" dx="{shift}" y="{y:g}">{_label(holder, figure)}</text>')
    for time, gap, holder, figure in view.steps[-1:]:
        short = len(view.steps) > 1 and time > 1 - _SHORT_STEP
        place = f'x="{_x(time)}" dx="-8"' if short else f'x="{_x(1.0)}"'
        y = _y(gap, top, bottom) + (2 if short else -7)
        parts.append(f'<text class="a b" text-anchor="end" {place} y="{y:g}">{_label(holder, figure)}</text>')
    return "".join(parts)


def _label(holder: str, figure: str) -> str:
    return f"{escape(_short(holder))} {escape(figure)}"


def _short(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= _NAME_LENGTH else f"{shown[: _NAME_LENGTH - 1]}…"

"""Plots: well-formed, escaped, named for screen readers, and where the marks stand."""

import copy
import itertools
import re
from collections.abc import Callable
from dataclasses import fields, replace

import example_views as views
import pytest
from lxml import etree

from leaderpress.theme import svg
from leaderpress.views.base import Staircase, Strip

assert views.RUN.strip
assert views.GROUP.strip
PLOTS: dict[str, Callable[[], str]] = {
    "strip of a run": lambda: svg.strip(views.RUN.strip),
    "strip of a group": lambda: svg.strip(views.GROUP.strip),
    "staircase": lambda: svg.staircase(views.STAIRCASE),
    "mini staircase": lambda: svg.staircase(views.STAIRCASE, True, "s1"),
    "gap row": lambda: svg.gap_row(0.4321),
    "gap scale": svg.gap_scale,
}


class _Recorder:
    """A view that notes which of its fields are read."""

    def __init__(self, view: Strip | Staircase) -> None:
        self.view, self.read = view, set[str]()

    def __getattr__(self, name: str) -> object:
        self.read.add(name)
        return getattr(self.view, name)


def _marks(markup: str, kind: str) -> list[etree._Element]:
    return etree.fromstring(markup).xpath(f'//*[@class="{kind}"]')


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_well_formed_and_has_no_viewbox_and_no_style(name: str) -> None:
    tree = etree.fromstring(PLOTS[name]())
    assert tree.get("viewBox") is None
    assert not tree.xpath("//@style")


@pytest.mark.parametrize("name", [name for name in PLOTS if not name.startswith("gap")])
def test_a_plot_is_an_image_with_a_title_and_a_description(name: str) -> None:
    tree = etree.fromstring(PLOTS[name]())
    assert tree.get("role") == "img"
    texts = [tree.xpath(f'string(//*[@id="{part}"])') for part in tree.get("aria-labelledby", "").split()]
    assert len(texts) == 2
    assert all(texts)


@pytest.mark.parametrize("name", [name for name in PLOTS if name.startswith("gap")])
def test_what_only_repeats_a_figure_is_hidden_from_screen_readers(name: str) -> None:
    assert etree.fromstring(PLOTS[name]()).get("aria-hidden") == "true"


@pytest.mark.parametrize("hostile", views.HOSTILE)
def test_a_hostile_name_stays_text(hostile: str) -> None:
    strip = replace(views.RUN.strip, leader=hostile, leader_text="<1 ns", this_text=hostile)
    steps = tuple((time, gap, hostile, "<1 ns") for time, gap, _, _ in views.STAIRCASE.steps)
    for markup in (svg.strip(strip), svg.staircase(replace(views.STAIRCASE, steps=steps))):
        tags = {etree.QName(node).localname for node in etree.fromstring(markup).iter()}
        assert tags <= {"svg", "title", "desc", "line", "rect", "g", "text", "tspan", "circle"}
        assert "\u202e" not in markup


def test_every_run_of_the_group_has_a_mark_that_is_taller_where_runs_are_equal() -> None:
    marks = {"marks": ((0.0, 1), (0.2, 1), (0.3, 2), (0.4, 9))}
    ticks = etree.fromstring(svg.strip(replace(views.GROUP.strip, **marks))).xpath('//*[@class="k"]/*')
    assert [tick.get("x") for tick in ticks] == ["0%", "20%", "30%", "40%"]
    assert [int(tick.get("height")) for tick in ticks] == [30, 22, 26, 36]
    assert all(int(tick.get("y")) + int(tick.get("height")) == 74 for tick in ticks)
    assert [tick.findtext("title").split(",")[0] for tick in ticks] == ["1 run", "1 run", "2 runs", "9 runs"]


@pytest.mark.parametrize(("this", "anchor"), [(0.1, "start"), (0.55, "start"), (0.56, "end"), (1.0, "end")])
def test_the_label_of_this_run_stays_inside(this: float, anchor: str) -> None:
    (label,) = _marks(svg.strip(replace(views.RUN.strip, this=this)), "a b")
    assert label.get("text-anchor") == anchor


@pytest.mark.parametrize(
    ("this", "median", "kind"), [(0.2, 0.3, None), (0.2, 0.4, "q w"), (0.2, 0.7, "q"), (None, 0.3, "q")]
)
def test_the_median_is_named_where_there_is_room(this: float | None, median: float, kind: str | None) -> None:
    markup = svg.strip(replace(views.RUN.strip, this=this, median=median))
    found = re.search(r'<text class="([a-z ]+)"[^>]*>median<', markup)
    assert (found[1] if found else None) == kind


def test_a_position_reads_back_as_its_gap() -> None:
    for position, text in (
        (0, "#1"),
        (0.2083, "+1.00\u00a0%"),
        (0.6001, "×2.00"),
        (0.7909, "×10.0"),
        (1, "×100 or more"),
    ):
        assert svg._gap_at(position) == text


def test_records_are_joined_by_steps_down_to_the_right_edge() -> None:
    lines = _marks(svg.staircase(views.STAIRCASE), "st")
    records = len(views.STAIRCASE.steps)
    assert len(lines) == 2 * records - 1
    assert lines[-1].get("x2") == "99.00%"
    for before, after in itertools.pairwise(lines):
        assert (before.get("x2"), before.get("y2")) == (after.get("x1"), after.get("y1"))
    heights = [float(line.get("y1")) for line in lines]
    assert heights == sorted(heights)
    assert len(_marks(svg.staircase(views.STAIRCASE), "r")) == records - 1
    assert len(_marks(svg.staircase(views.STAIRCASE), "now")) == 1


def test_a_mini_staircase_has_neither_labels_nor_dots() -> None:
    tree = etree.fromstring(svg.staircase(views.STAIRCASE, True, "s1"))
    assert not tree.xpath("//text") + tree.xpath('//*[@class="d"]')
    assert tree.get("height") == "56"


def test_a_single_record_and_none_are_plots_too() -> None:
    for steps in ((), views.STAIRCASE.steps[:1]):
        etree.fromstring(svg.staircase(replace(views.STAIRCASE, steps=steps)))


@pytest.mark.parametrize(("draw", "view"), [(svg.strip, views.RUN.strip), (svg.staircase, views.STAIRCASE)])
def test_every_field_of_a_plot_is_drawn(draw: Callable[[object], str], view: Strip | Staircase) -> None:
    recorder = _Recorder(view)
    draw(recorder)
    assert recorder.read == {field.name for field in fields(view)}


@pytest.mark.parametrize(("time", "place"), [(0.3, "99.00%"), (0.64, "99.00%"), (0.8, "79.40%")])
def test_the_label_of_the_last_record_does_not_cross_the_line_down_to_it(time: float, place: str) -> None:
    *others, (_, gap, holder, figure) = views.STAIRCASE.steps
    steps = (others[0], (time, gap, holder, figure))
    (label,) = _marks(svg.staircase(replace(views.STAIRCASE, steps=steps)), "a b")
    assert (label.get("x"), label.get("text-anchor")) == (place, "end")


def test_a_strip_does_not_depend_on_the_one_drawn_before() -> None:
    """Strips of one group share objects, so that what they have in common is drawn once; others only look alike."""
    assert views.RUN.strip
    first = views.RUN.strip
    others = [
        replace(first, leader="another leader"),
        replace(first, leader_text="7 ns"),
        replace(first, ticks=first.ticks[:1]),
        replace(first, marks=first.marks[:2]),
        replace(first, this=None),
    ]
    alone = [svg.strip(copy.deepcopy(view)) for view in (first, *others)]
    assert len(set(alone)) == len(alone)
    for view, drawn in zip(others, alone[1:], strict=True):
        assert svg.strip(first) == alone[0]
        assert svg.strip(view) == drawn

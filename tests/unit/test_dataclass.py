"""The dataclass of views and rows: what a standard one does, made in less time."""

import copy
import dataclasses

import pytest

from leaderpress.values import dataclass


@dataclass(frozen=True, slots=False)
class Line:
    """A line with a label."""

    label: str
    value: int = 0
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A point with slots."""

    x: int
    y: int

    @property
    def sum(self) -> int:
        """Both."""
        return self.x + self.y


@dataclasses.dataclass(frozen=True)
class Plain:
    """What the standard decorator makes of the like."""

    label: str
    value: int = 0
    parts: tuple[str, ...] = ()


def test_arguments_are_taken_by_place_and_by_name_with_their_defaults() -> None:
    assert Line("a") == Line(label="a", value=0, parts=())
    assert Line("a", 2, ("b",)) == Line("a", parts=("b",), value=2)
    assert (Point(1, y=2).x, Point(1, y=2).y, Point(1, 2).sum) == (1, 2, 3)


@pytest.mark.parametrize("wrong", [{}, {"label": "a", "other": 1}])
def test_arguments_that_do_not_fit_are_refused_as_ever(wrong: dict[str, object]) -> None:
    for made in (Line, Plain):
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            made(**wrong)  # type: ignore[arg-type]


def test_equality_hash_and_text_are_those_of_a_frozen_dataclass() -> None:
    assert Line("a", 1) != Line("a", 2)
    assert hash(Line("a", 1)) == hash(Line("a", 1)) == hash(Plain("a", 1))
    assert repr(Line("a", 1, ("é",))) == repr(Plain("a", 1, ("é",))).replace("Plain", "Line")
    assert Line("a") != Plain("a")
    assert {Point(1, 2), Point(1, 2)} == {Point(1, 2)}


def test_what_works_on_dataclasses_works_on_these() -> None:
    assert dataclasses.replace(Line("a", 1), value=2) == Line("a", 2)
    assert dataclasses.asdict(Line("a", 1)) == {"label": "a", "value": 1, "parts": ()}
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "y"]
    assert copy.copy(Point(1, 2)) == Point(1, 2)
    with pytest.raises(AttributeError):
        Point(1, 2).z = 3  # type: ignore[attr-defined]

"""Copies of views with other values."""

from dataclasses import replace

import pytest

from leaderpress.values import altered, dataclass


@dataclass(frozen=True, slots=False)
class _Place:
    name: str
    number: int
    parts: tuple[str, ...] = ()


@pytest.mark.parametrize("fields", [{}, {"number": 2}, {"name": "b", "parts": ("x",)}])
def test_an_altered_copy_is_what_replace_gives(fields: dict[str, object]) -> None:
    place = _Place("a", 1)
    assert altered(place, **fields) == replace(place, **fields)  # type: ignore[arg-type]
    assert place == _Place("a", 1)

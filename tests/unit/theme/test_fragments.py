"""Shared blocks: rendered once for the same values, and never for others."""

import weakref
from pathlib import Path
from typing import Any

import example_views as views
import pytest

from leaderpress.theme import fragments
from leaderpress.theme.environment import Theme, open_theme
from leaderpress.views.base import Item

BLOCK = (
    "{% filter shared(page.items) %}"
    "{{ link('runs/') }}:{% for i in page.items %}{{ i.value }};{% endfor %}"
    "{% endfilter %}"
)


class Page:
    """A page with items, and nothing else."""

    def __init__(self, *values: str) -> None:
        self.items = tuple(Item("Label", value) for value in values)


@pytest.fixture
def theme(tmp_path: Path) -> Theme:
    folder = tmp_path / "themes" / "mine"
    (folder / "templates").mkdir(parents=True)
    (folder / "assets").mkdir()
    (folder / "theme.toml").write_text('name = "mine"\napi = 1\nextends = "default"\n')
    (folder / "templates" / "run.html").write_text(BLOCK)
    return open_theme("mine", site=tmp_path)


def show(theme: Theme, page: Page, root: str = "../../") -> str:
    head = views.head("A page")
    return theme.render("run", page=page, site=views.SITE, head=head, root=root, leaf="", path="runs/x/")


def test_the_same_object_is_rendered_once(theme: Theme) -> None:
    page = Page("a")
    first = show(theme, page)
    object.__setattr__(page.items[0], "value", "b")
    assert show(theme, page) == first == "../../runs/:a;"


def test_an_equal_object_is_another(theme: Theme) -> None:
    page, other = Page("a"), Page("a")
    show(theme, page)
    object.__setattr__(other.items[0], "value", "b")
    assert show(theme, other) == "../../runs/:b;"


def test_a_page_of_another_depth_has_its_own(theme: Theme) -> None:
    page = Page("a")
    assert [show(theme, page, root) for root in ("../../", "../", "../../")] == [
        "../../runs/:a;",
        "../runs/:a;",
        "../../runs/:a;",
    ]


def test_what_is_kept_is_escaped_like_everything_else(theme: Theme) -> None:
    page = Page("<b>")
    assert show(theme, page) == show(theme, page) == "../../runs/:&lt;b&gt;;"


def test_a_value_lives_as_long_as_its_fragment_so_that_its_identity_stays_its_own() -> None:
    held, page = fragments.Fragments(), Page("a")
    alive = weakref.ref(page)
    held.keep(("place", fragments.identity(page)), "text", page)
    del page
    assert alive() is not None


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "_LIMIT", 10)
    held = fragments.Fragments()
    for number in range(100):
        held.keep(("place", number), "12345", object())
    assert sum(held.get(("place", number)) is not None for number in range(100)) <= 3


@pytest.mark.parametrize(("one", "other"), [(True, 1), (False, 0), (None, "None"), ("1", 1)])
def test_values_that_are_shown_differently_are_kept_apart(one: Any, other: Any) -> None:
    assert fragments.identity(one) != fragments.identity(other)

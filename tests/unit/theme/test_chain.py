"""Looking up themes and templates: which folder counts, and what is refused."""

from pathlib import Path

import pytest

from leaderpress.errors import ThemeError
from leaderpress.theme.chain import choose, open_chain, template_names, theme_folders
from leaderpress.theme.environment import open_theme

CHECKOUT = Path(__file__).resolve().parents[3]


def _theme(folder: Path, toml: str = "", **templates: str) -> Path:
    name = folder.name
    (folder / "templates").mkdir(parents=True)
    (folder / "theme.toml").write_text(toml or f'name = "{name}"\napi = 1\n')
    for stem, text in templates.items():
        (folder / "templates" / f"{stem.replace('_', '-')}.html").write_text(text)
    return folder


def test_the_site_is_searched_before_the_checkout_and_the_package(tmp_path: Path) -> None:
    folders = theme_folders(tmp_path)
    assert folders[0] == (tmp_path / "themes").resolve()
    assert folders[1] == CHECKOUT / "themes"
    assert folders[2].parts[-3:] == ("leaderpress", "_share", "themes")


def test_without_a_theme_of_its_own_a_site_gets_the_default_of_the_checkout(tmp_path: Path) -> None:
    (layer,) = open_chain("default", theme_folders(tmp_path))
    assert layer.folder == CHECKOUT / "themes" / "default"


def test_a_theme_is_followed_by_the_ones_that_it_extends(tmp_path: Path) -> None:
    _theme(tmp_path / "a" / "mine", 'name = "mine"\napi = 1\nextends = "middle"\n')
    _theme(tmp_path / "b" / "middle", 'name = "middle"\napi = 1\nextends = "base"\n')
    _theme(tmp_path / "b" / "base")
    layers = open_chain("mine", (tmp_path / "a", tmp_path / "b"))
    assert [layer.name for layer in layers] == ["mine", "middle", "base"]


def test_a_theme_that_extends_its_own_name_means_the_next_one_of_that_name(tmp_path: Path) -> None:
    _theme(tmp_path / "a" / "default", 'name = "default"\napi = 1\nextends = "default"\n')
    _theme(tmp_path / "b" / "default")
    layers = open_chain("default", (tmp_path / "a", tmp_path / "b"))
    assert [layer.folder.parent.name for layer in layers] == ["a", "b"]


@pytest.mark.parametrize(
    ("toml", "code"),
    [
        ('name = "other"\napi = 1\n', "theme-name"),
        ('name = "mine"\n', "theme-api"),
        ('name = "mine"\napi = 2\n', "theme-api"),
        ('name = "mine"\napi = true\n', "theme-api"),
        ('name = "mine"\napi = "1"\n', "theme-api"),
        ('name = "mine"\napi = 1\nextend = "default"\n', "theme-key"),
        ('name = "mine"\napi = 1\nextends = ["default"]\n', "theme-key"),
        ('name = "mine"\napi = 1\nextends = "mine"\n', "theme-circle"),
        ('name = "mine"\napi = 1\nextends = "absent"\n', "theme-missing"),
        ('name = "mine"\napi = 1\nextends = "../mine"\n', "theme-name"),
        ("name = ", "theme-unreadable"),
    ],
)
def test_a_wrong_theme_file_is_refused_with_its_reason(tmp_path: Path, toml: str, code: str) -> None:
    _theme(tmp_path / "mine", toml)
    with pytest.raises(ThemeError) as caught:
        open_chain("mine", (tmp_path,))
    assert caught.value.code == code


def test_a_missing_theme_is_an_error_that_names_every_place_searched(tmp_path: Path) -> None:
    with pytest.raises(ThemeError) as caught:
        open_chain("mine", (tmp_path / "a", tmp_path / "b"))
    assert str(tmp_path / "a" / "mine") in caught.value.problem
    assert str(tmp_path / "b" / "mine") in caught.value.problem


def test_the_more_specific_name_is_tried_first_in_every_layer(tmp_path: Path) -> None:
    _theme(tmp_path / "a" / "mine", 'name = "mine"\napi = 1\nextends = "base"\n', run="near")
    _theme(tmp_path / "b" / "base", run="far", run_board="board")
    layers = open_chain("mine", (tmp_path / "a", tmp_path / "b"))
    assert choose(template_names("run", ("board",)), layers) == "run-board.html"
    assert choose(template_names("run", ("other",)), layers) == "run.html"


def test_a_missing_template_is_an_error_that_names_every_path_tried(tmp_path: Path) -> None:
    _theme(tmp_path / "a" / "mine", 'name = "mine"\napi = 1\nextends = "base"\n')
    _theme(tmp_path / "b" / "base")
    layers = open_chain("mine", (tmp_path / "a", tmp_path / "b"))
    with pytest.raises(ThemeError) as caught:
        choose(template_names("run", ("board",)), layers)
    for folder in ("a/mine", "b/base"):
        for name in ("run-board.html", "run.html"):
            assert str(tmp_path / folder / "templates" / name) in caught.value.problem


def test_the_shipped_theme_opens() -> None:
    assert [layer.name for layer in open_theme().layers] == ["default"]

"""Which files a theme consists of: a theme, the theme that it extends, and so on down to the default.

A theme is a folder `themes/<name>` with `theme.toml` (`name`, `api = 1`, optionally `extends`), `templates/` and
`assets/`.  It is looked for in the site, then beside the checkout's `pyproject.toml`, then in the installed package;
the first hit counts.  A theme that extends its own name means the next one of that name along the way, so a site may
keep a `themes/default` that changes one file.  A template of a named theme is reached as `!<name>/<template>`.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, FileSystemLoader, PrefixLoader

from ..errors import ThemeError

API = 1
"""Version of the contract between views and templates."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEYS = {"name", "api", "extends"}
_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Layer:
    """One theme folder of a chain."""

    name: str
    folder: Path
    extends: str
    """Name of the parent, empty for a theme that stands alone."""

    @property
    def templates(self) -> Path:
        """Where its templates lie; need not exist."""
        return self.folder / "templates"

    @property
    def assets(self) -> Path:
        """Where its stylesheet, script and pictures lie; need not exist."""
        return self.folder / "assets"


def theme_folders(site: Path | None = None) -> tuple[Path, ...]:
    """The folders that hold themes, in the order in which they are searched."""
    checkout = _PACKAGE.parent.parent
    folders = [site / "themes"] if site else []
    if (checkout / "pyproject.toml").is_file():
        folders.append(checkout / "themes")
    folders.append(_PACKAGE / "_share" / "themes")
    return tuple(dict.fromkeys(folder.resolve() for folder in folders))


def open_chain(name: str, folders: Iterable[Path]) -> tuple[Layer, ...]:
    """The theme `name` and its parents, most specific first; ThemeError when one is missing, wrong or in a circle."""
    candidates = tuple(folders)
    layers: list[Layer] = []
    wanted = name
    while wanted:
        layer = _find(wanted, candidates, taken={layer.folder for layer in layers})
        layers.append(layer)
        wanted = layer.extends
    return tuple(layers)


def loader(layers: tuple[Layer, ...]) -> BaseLoader:
    """A loader for `run.html` (nearest layer) and `!default/run.html` (that theme's own file)."""
    own = [FileSystemLoader(layer.templates, encoding="utf-8") for layer in layers]
    # Of two layers with one name, `!name/` means the deeper: the one that the nearer wants to build on.
    named: dict[str, BaseLoader] = {f"!{layer.name}": files for layer, files in zip(layers, own, strict=True)}
    return ChoiceLoader([PrefixLoader(named), *own])


def template_names(kind: str, variants: Iterable[str] = ()) -> tuple[str, ...]:
    """Names to try for a page kind, most specific first: `run-sol-execbench.html`, then `run.html`."""
    return (*(f"{kind}-{variant}.html" for variant in variants), f"{kind}.html")


def choose(names: tuple[str, ...], layers: tuple[Layer, ...]) -> str:
    """The first of `names` that some layer has; ThemeError lists every path tried."""
    tried = [layer.templates / name for name in names for layer in layers]
    for path in tried:
        if path.is_file():
            return path.name
    listing = ", ".join(str(path) for path in tried)
    raise ThemeError("template-missing", f"no template {names[-1]}; tried {listing}", at=str(layers[0].folder))


def _find(name: str, folders: tuple[Path, ...], taken: set[Path]) -> Layer:
    if not _NAME.fullmatch(name):
        raise ThemeError("theme-name", f"{name!r} is no theme name", hint="lower-case letters, digits and hyphens")
    tried = [folder / name for folder in folders]
    for folder in tried:
        if folder not in taken and (folder / "theme.toml").is_file():
            return _read(folder)
    if any(folder in taken for folder in tried):
        raise ThemeError("theme-circle", f"theme {name} extends itself", at=str(tried[0] / "theme.toml"))
    listing = ", ".join(str(folder / "theme.toml") for folder in tried)
    raise ThemeError("theme-missing", f"no theme {name}; tried {listing}")


def _read(folder: Path) -> Layer:
    at = str(folder / "theme.toml")
    try:
        table = tomllib.loads((folder / "theme.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ThemeError("theme-unreadable", f"theme.toml cannot be read: {fault}", at=at) from fault
    _check(table, folder.name, at)
    return Layer(folder.name, folder, table.get("extends", ""))


def _check(table: Mapping[str, Any], name: str, at: str) -> None:
    if unknown := sorted(table.keys() - _KEYS):
        raise ThemeError("theme-key", f"unknown key {unknown[0]}", at=at, hint=f"known: {', '.join(sorted(_KEYS))}")
    if table.get("name") != name:
        raise ThemeError("theme-name", f"name must be {name!r}, like its folder", at=at)
    if type(table.get("api")) is not int or table["api"] != API:
        raise ThemeError("theme-api", f"api is {table.get('api')!r}, this version speaks api = {API}", at=at)
    if not isinstance(table.get("extends", ""), str):
        raise ThemeError("theme-key", "extends must be the name of a theme", at=at)

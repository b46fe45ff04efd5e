"""A theme, ready to render: the chain of its templates, compiled once, and its assets under hashed names.

`Theme.render` is a pure function of its arguments.  Autoescaping is on for every template, an unknown variable or
field is an error, and every fault of a template leaves as a `ThemeError` that names the template and its line.
"""

import hashlib
import marshal
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2 import Environment, StrictUndefined, Template
from jinja2.runtime import Context, new_context
from markupsafe import Markup

from ..errors import LeaderpressError, ThemeError
from ..views.base import Head, Link, SiteView
from . import code, flatten, functions, svg
from .chain import Layer, choose, loader, open_chain, template_names, theme_folders
from .fragments import Fragments, identity, shared

_ACTIVE = {"css", "js", "svg", "png", "ico", "woff2", "txt"}
"""Suffixes of files that a theme may publish."""

KINDS = (
    "home", "run", "group", "task", "subject", "project", "hardware", "source", "sources", "records", "changes",
    "edition", "editions", "index", "prose", "404",
)  # fmt: skip
"""The kinds of page that a theme renders."""

_SECTIONS = {
    "runs": ("operations/", "tasks/"),
    "groups": ("operations/", "tasks/"),
    "implementations": ("implementations/", "subjects/"),
}
"""Where pages belong that the navigation does not list, by the first part of their path."""

_FILTERS = (
    functions.name, functions.count, functions.grouped, functions.spelled, functions.upper_first,
    functions.lower_first, functions.json_script, functions.total, shared,
)  # fmt: skip


class Theme:
    """The templates and assets of one theme and its parents."""

    def __init__(self, layers: tuple[Layer, ...]) -> None:
        self.layers = layers
        self._published, self._assets = _read_assets(layers)
        self._environment = _environment(layers, self.asset)
        self._templates: dict[tuple[str, tuple[str, ...]], tuple[str, Template]] = {}
        self._codes: dict[str, CodeType] = {}
        self._parsed: flatten.Parsed = {}
        self._sections: dict[tuple[int, str], Link | None] = {}
        """By the identity of a site's view, which `_fragments` keeps alive, and the first part of a path."""
        self._fragments: dict[tuple[int, str, str], tuple[SiteView, Fragments]] = {}

    def render(
        self,
        kind: str,
        *,
        page: object,
        site: SiteView,
        head: Head,
        root: str,
        leaf: str,
        path: str,
        texts: tuple[str, ...] = (),
        variants: tuple[str, ...] = (),
    ) -> str:
        """The page of `kind` as HTML; see `page`."""
        return self.page(
            kind, page=page, site=site, head=head, root=root, leaf=leaf, path=path, texts=texts, variants=variants
        ).decode()

    def page(
        self,
        kind: str,
        *,
        page: object,
        site: SiteView,
        head: Head,
        root: str,
        leaf: str,
        path: str,
        texts: tuple[str, ...] = (),
        variants: tuple[str, ...] = (),
    ) -> bytes:
        """The page of `kind` as HTML in UTF-8.

        `page` is its view; `root` the prefix from the page to the root of the site (absolute for 404.html); `leaf`
        what follows a folder in a link (`""` or `index.html`); `path` the page's own folder; `texts` the canonical
        JSON of `page.documents`, in their order.  `run-<variant>.html` is preferred to `run.html`.  Raises ThemeError.
        """
        name, template = self._template(kind, variants)
        values = {
            **self._environment.globals,
            "page": page, "site": site, "head": head, "root": root, "leaf": leaf, "path": path, "texts": texts,
            "link": functions.linker(root, leaf), "section": self._section(site, path),
            "fragments": self._fragments_for(site, root, leaf),
        }  # fmt: skip
        try:
            # The values hold the globals already; `Template.new_context` would copy their names for every page.
            context = new_context(self._environment, name, template.blocks, values, shared=True)
            # A flat template gives bytes already.
            pieces: Iterable[Any] = template.root_render_func(context)
            return b"".join([piece if type(piece) is bytes else piece.encode() for piece in pieces])
        except LeaderpressError:
            raise
        except Exception as fault:
            raise self._explained(name, values, fault) from fault

    def _fragments_for(self, site: SiteView, root: str, leaf: str) -> Fragments:
        key = (id(site), root, leaf)
        if key not in self._fragments:
            self._fragments[key] = (site, Fragments())
        return self._fragments[key][1]

    def _section(self, site: SiteView, path: str) -> Link | None:
        key = (id(site), path.partition("/")[0])
        if key not in self._sections:
            self._sections[key] = section(site.nav, path)
        return self._sections[key]

    def asset(self, name: str) -> str:
        """The published path of an asset, `assets/site.1a2b3c4d.css`; ThemeError if no layer has it."""
        try:
            return self._assets[name]
        except KeyError:
            tried = ", ".join(str(layer.assets / name) for layer in self.layers)
            raise ThemeError("asset-missing", f"no asset {name}; tried {tried}") from None

    def assets(self) -> dict[str, bytes]:
        """All assets by published path, in order of their paths."""
        return dict(self._published)

    def _template(self, kind: str, variants: tuple[str, ...]) -> tuple[str, Template]:
        key = (kind, variants)
        if key not in self._templates:
            name = choose(template_names(kind, variants), self.layers)
            loaded = next((pair for pair in self._templates.values() if pair[0] == name), None)
            self._templates[key] = loaded or (name, self._load(name))
        return self._templates[key]

    def compile(self) -> None:
        """Compile the templates of all page kinds now, so that processes forked later share them."""
        for kind in KINDS:
            self._template(kind, ())
        self._parsed.clear()

    def compiled(self) -> bytes:
        """What `compile` made, for `adopt`: of use to the same Python, Jinja and templates only."""
        return marshal.dumps(self._codes)

    def adopt(self, compiled: bytes) -> None:
        """Take over what `compiled` gave; the caller vouches that it comes from these templates."""
        self._codes.update(marshal.loads(compiled))

    def _load(self, name: str) -> Template:
        try:
            return flatten.load(self._environment, name, self._codes, self._parsed)
        except jinja2.TemplateSyntaxError as fault:
            at = f"{fault.filename or fault.name or name}:{fault.lineno}"
            raise ThemeError("template-syntax", str(fault.message), at=at) from fault
        except jinja2.TemplateNotFound as fault:
            tried = ", ".join(str(layer.templates / str(fault)) for layer in self.layers)
            raise ThemeError("template-missing", f"{name} needs {fault}; tried {tried}") from fault
        except (OSError, UnicodeDecodeError) as fault:
            raise ThemeError("template-unreadable", f"{name} cannot be read: {fault}") from fault

    def _explained(self, name: str, values: dict[str, Any], fault: Exception) -> ThemeError:
        """The fault with its place: flat templates have lost theirs, so the page is rendered once more, unflattened."""
        try:
            self._environment.get_template(name).render(values)
        except Exception as again:  # noqa: BLE001 (whatever it is, only its place is wanted)
            fault = again
        folders = tuple(str(layer.templates) for layer in self.layers)
        frames = [frame for frame in traceback.extract_tb(fault.__traceback__) if frame.filename.startswith(folders)]
        at = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else name
        return ThemeError("template-failed", f"{type(fault).__name__}: {fault}", at=at)


def open_theme(name: str = "default", *, site: Path | None = None) -> Theme:
    """The theme `name`, looked up in `site`, the checkout and the package; ThemeError if it is missing or wrong."""
    return Theme(open_chain(name, theme_folders(site)))


def section(nav: tuple[Link, ...], path: str) -> Link | None:
    """The entry of the navigation that a page belongs to."""
    first = path.partition("/")[0]
    wanted = _SECTIONS.get(first, (f"{first}/",))
    return next((link for link in nav if link.path in wanted), None) if first else None


def _environment(layers: tuple[Layer, ...], asset: Callable[[str], str]) -> Environment:
    environment = Environment(
        loader=loader(layers),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.code_generator_class = code.LeanCode
    environment.extend(text=code.text, inner=code.inner, identity=identity)
    environment.globals.update(
        asset=asset, svg=svg, markdown=_untrusted, page_markdown=_written, base64=functions.base64,
        pretty=functions.pretty, plural=functions.plural, foreign=functions.foreign, fragments=Fragments(),
    )  # fmt: skip
    environment.filters.update({filtering.__name__: filtering for filtering in _FILTERS})
    return environment


def _read_assets(layers: tuple[Layer, ...]) -> tuple[dict[str, bytes], dict[str, str]]:
    """(published path → bytes, name → published path); the nearest layer's file of a name counts."""
    files: dict[str, Path] = {}
    for layer in reversed(layers):
        files |= {file.name: file for file in layer.assets.glob("*") if file.is_file()}
    published: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for name, file in sorted(files.items()):
        data = _read_asset(file)
        stem, _, suffix = name.rpartition(".")
        names[name] = f"assets/{stem}.{hashlib.sha256(data).hexdigest()[:8]}.{suffix}"
        published[names[name]] = data
    return published, names


def _read_asset(file: Path) -> bytes:
    if file.suffix[1:] not in _ACTIVE or not functions.is_plain_name(file.name):
        hint = f"lower-case letters, digits, hyphens; one of {', '.join(sorted(_ACTIVE))}"
        raise ThemeError("asset-name", f"{file.name} cannot be published", at=str(file), hint=hint)
    try:
        return file.read_bytes()
    except OSError as fault:
        raise ThemeError("asset-unreadable", f"{file.name} cannot be read: {fault}", at=str(file)) from fault


@jinja2.pass_context
def _untrusted(context: Context, text: str) -> Markup:
    from .markdown import render_untrusted

    return Markup(render_untrusted(text, link=context["link"]))


@jinja2.pass_context
def _written(context: Context, text: str) -> Markup:
    from .markdown import render_page

    return Markup(render_page(text, link=context["link"]).html)

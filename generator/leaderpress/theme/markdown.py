"""Markdown to HTML: the site's own pages, and text that comes from a dump or a note.

Raw HTML is off for both, links go through an allow-list, nothing is cut off in silence: what cannot be rendered
whole is refused.  `MarkdownIt` itself drops what is nested deeper than its limit, so ours lies below that.

A page is written by the publisher: its faults (a link that leads nowhere, a picture from another host) are errors
with their line.  Untrusted text is never an error for what it links to: a link that is not allowed stays text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..errors import ContentError, Problems
from ..format import kebab, visible
from .functions import foreign
from .written import PageSource, read_page

__all__ = ["Heading", "PageSource", "Rendered", "read_page", "render_page", "render_untrusted"]

MAX_UNTRUSTED_BYTES = 16 * 1024
"""At the worst rate that was measured this is about a second of work."""
MAX_NESTING = 50
ID_PREFIX = "s-"
"""Stands before every heading's id, so that no heading can take the name of a property of `document`."""

_PARSER_NESTING = 64
_UNTRUSTED_HEADING_SHIFT = 3
_RELATIVE = re.compile(r"(?:[A-Za-z0-9_~-][A-Za-z0-9._~/-]*)?(?:\?[A-Za-z0-9._~&=%-]*)?(?:#[A-Za-z0-9._~-]+)?")
_DISGUISED_HOST = re.compile(r"https?://(?:[^/?#]*@|[^/?#]*xn--)", re.IGNORECASE)
_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9+#-]{0,19}")
_ALIGNMENT = re.compile(r"text-align:(left|center|right)")

Link = Callable[[str], str]
"""Turns a root-relative path (`runs/…/`, with query and fragment) into the `href` of one page; `""` refuses it."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading of a page."""

    level: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page's HTML, and what a layout needs to know about it."""

    html: str
    """Without the title."""
    title: str | None
    """Text of the heading of level 1 that the page starts with."""
    contents: tuple[Heading, ...]
    """The other headings in order."""

    def __html__(self) -> str:
        return self.html


def render_page(text: str, *, link: Link | None = None, at: str = "", first_line: int = 1) -> Rendered:
    """Render a page of the site.

    Relative links are site paths: `runs/…/`, `/runs/…/` and, since every page lies one folder below the root,
    `../runs/…/` are the same.  A fragment is the literal id of its target; a heading's is `s-` and its words.
    Raises `Problems` with all the links that are wrong, each at its line (`first_line` is that of `text`).
    """
    tokens = _parse(_page_parser(), text, at, first_line)
    title = _take_title(tokens)
    contents = tuple(_identify(tokens))
    problems = list(_link_page(tokens, link or str, {heading.id for heading in contents}, at, first_line))
    if problems:
        raise Problems(problems)
    return Rendered(_page_parser().renderer.render(tokens, _page_parser().options, {}), title, contents)


def render_untrusted(text: str, *, link: Link | None = None, at: str = "") -> str:
    """Render text that anybody may have written; invisible characters in it are written out.

    There are no pictures (they would call other hosts), and headings start at level 4.  Relative links work only
    where `link` is given: the author of a dump knows no path of the site, and a broken one would be ours.  Raises
    `ContentError` for more than 16 KiB and for nesting deeper than 50.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_UNTRUSTED_BYTES:
        problem = f"{size} bytes of Markdown, at most {MAX_UNTRUSTED_BYTES} are rendered"
        raise ContentError("markdown-size", problem, at=at)
    parser = _untrusted_parser(link is not None)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = _parse(parser, re.sub(r"[^\t\n]+", lambda run: visible(run[0]), text), at, 1)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _UNTRUSTED_HEADING_SHIFT)}"
        _link_untrusted(token.children or [], link)
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html


@cache
def _page_parser() -> MarkdownIt:
    # Everything passes here, so that what is not allowed can be reported with its line instead of staying text.
    return _Parser(lambda url: True)


@cache
def _untrusted_parser(relative: bool) -> MarkdownIt:
    def allowed(url: str) -> bool:
        if foreign(url):
            return "\\" not in url and not _DISGUISED_HOST.match(url)
        return relative and _is_relative(url)

    return _Parser(allowed).disable("image")


class _Parser(MarkdownIt):
    def __init__(self, allowed: Callable[[str], bool]) -> None:
        super().__init__("js-default", {"maxNesting": _PARSER_NESTING})
        self._allowed = allowed

    def validateLink(self, url: str) -> bool:  # noqa: N802  (the parser's own name for it)
        return self._allowed(url)


def _is_relative(url: str) -> bool:
    return url != "" and _RELATIVE.fullmatch(url) is not None and ".." not in url.split("#")[0].split("/")


def _parse(parser: MarkdownIt, text: str, at: str, first_line: int) -> list[Token]:
    tokens = parser.parse(text)
    for token in tokens:
        deepest = max([token.level, *(child.level for child in token.children or ())])
        if deepest > MAX_NESTING:
            where = _place(at, token, first_line)
            raise ContentError("markdown-nesting", f"nested more than {MAX_NESTING} deep", at=where)
        _restrain(token)
    return tokens


def _restrain(token: Token) -> None:
    """Replace what the renderer would write as a style or as a class of anybody's choosing."""
    if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
        alignment = _ALIGNMENT.fullmatch(str(style))
        if alignment:
            token.attrs["class"] = f"align-{alignment[1]}"
    elif token.type == "fence":
        language = token.info.split(maxsplit=1)[:1]
        token.info = language[0] if language and _LANGUAGE.fullmatch(language[0]) else ""


def _place(at: str, token: Token, first_line: int) -> str:
    return f"{at}:{token.map[0] + first_line}" if token.map else at


# Pages


def _take_title(tokens: list[Token]) -> str | None:
    if not tokens or tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        return None
    title = _text(tokens[1])
    del tokens[:3]
    return title


def _identify(tokens: list[Token]) -> Iterator[Heading]:
    """Give every heading an id, unique on the page."""
    taken: set[str] = set()
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _text(tokens[position + 1])
            token.attrs["id"] = identity = _free_id(ID_PREFIX + (kebab(text) or "section"), taken)
            yield Heading(int(token.tag[1]), identity, text)


def _free_id(wanted: str, taken: set[str]) -> str:
    identity, number = wanted, 1
    while identity in taken:
        number += 1
        identity = f"{wanted}-{number}"
    taken.add(identity)
    return identity


def _text(inline: Token) -> str:
    parts = [child.content if child.type in ("text", "code_inline") else " " * (child.type == "softbreak")
             for child in inline.children or ()]  # fmt: skip
    return " ".join("".join(parts).split())


def _link_page(tokens: list[Token], link: Link, ids: set[str], at: str, first_line: int) -> Iterator[ContentError]:
    """Rewrite the links and pictures of a page; yields what cannot be linked."""
    for token in tokens:
        for child in token.children or ():
            name = {"link_open": "href", "image": "src"}.get(child.type)
            if name is None:
                continue
            url = str(child.attrs[name])
            href = _page_href(url, link, ids, picture=name == "src")
            if not href:
                hint = "link to https://…, mailto:…, a path of this site, or #s-… for a heading of this page"
                problem = f"a {'picture' if name == 'src' else 'link'} cannot lead to {url!r}"
                yield ContentError("page-link", problem, at=_place(at, token, first_line), hint=hint)
            child.attrs[name] = href


def _page_href(url: str, link: Link, ids: set[str], *, picture: bool) -> str:
    if foreign(url):
        return "" if picture or "\\" in url else url
    if url.startswith("#"):
        return url if url[1:] in ids else ""
    path = url.removeprefix("../") if url.startswith("../") else url.removeprefix("/")
    return link(path) if _is_relative(path) else ""


# Untrusted text


def _link_untrusted(children: list[Token], link: Link | None) -> None:
    opened: list[Token] = []
    for token in children:
        if token.type == "link_open":
            opened.append(token)
            url = str(token.attrs["href"])
            href = url if foreign(url) else link(url) if link else ""
            token.hidden = not href
            token.attrs |= {"href": href, "rel": "nofollow noopener ugc"}
        elif token.type == "link_close":
            token.hidden = opened.pop().hidden

"""Read one HTML page strictly: its links, its ids, and what must not be in it.

The reader takes only markup that every parser reads alike: quoted attribute values, closed comments, no stray `<`.
Anything else is a problem of its own, so that this reader cannot overlook what a browser would see.  That is why it
needs no HTML library; and it reads 10 MB/s, some times faster than the standard library's.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Literal, NamedTuple

_NAME = r"[^\s\"'<>/=\x00]++"
_VALUE = r"\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')"
_ATTRIBUTES = rf"(?:\s++{_NAME}(?:{_VALUE})?)*+"
_TOKEN = re.compile(
    rf"[^<]*+<(?:(/?)([A-Za-z][A-Za-z0-9:-]*+)({_ATTRIBUTES})\s*+(/?)>"
    r"|!--(?!-?>)(?:(?!--)(?s:.))*+-->"
    r"|!(?i:doctype)[^<>]*+>)"
)
_PAIR = re.compile(rf"({_NAME})(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'))?")
_RAW = frozenset({"script", "style", "textarea", "title"})
"""Elements in which browsers read no markup; a `<` in them is refused, so that their end tag comes next."""
_DATA_SCRIPTS = frozenset({"application/json", "application/ld+json"})
_CODE_RELS = frozenset({"stylesheet", "preload", "modulepreload", "prefetch", "prerender", "manifest"})
_CODE_RELS |= {"preconnect", "dns-prefetch"}
_PICTURE_RELS = frozenset({"icon", "apple-touch-icon", "mask-icon"})
_PICTURES = frozenset({"img", "source", "image", "feimage", "use", "video", "audio", "track", "input"})
_LINK_ATTRIBUTES = frozenset(
    {
        "href",
        "src",
        "srcset",
        "imagesrcset",
        "action",
        "formaction",
        "poster",
        "data",
        "ping",
        "xlink:href",
        "http-equiv",
    }
)

_JUDGED = frozenset({"script", "style", "html", "base"})
"""Tags that are looked at whatever attributes they have."""
_DULL_NAMES = frozenset(
    {"class", "scope", "colspan", "rowspan", "title", "lang", "dir", "role", "hidden", "datetime", "value", "type"}
    | {"width", "height", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "fill", "stroke", "viewbox"}
    | {"transform", "points", "text-anchor", "stroke-width", "data-sort", "aria-hidden", "aria-label"}
)
"""Attributes without a rule: most tags have no others, and pages repeat them."""
_dull: set[str] = {""}


def _remember_dull(attributes: str) -> None:
    if len(_dull) < 10_000:
        _dull.add(attributes)


Use = Literal["visit", "download", "picture", "code"]
"""What a browser does with a URL: goes there or saves it when asked to, or fetches it by itself."""


class Link(NamedTuple):
    """A URL in a page, and where in its text the tag begins."""

    url: str
    use: Use
    offset: int = 0


@dataclass(slots=True)
class Page:
    """What was read of one page; `faults` are (code, problem, offset in the text)."""

    text: str
    ids: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)
    """Names of `<a name>`, which fragments find as well."""
    links: list[Link] = field(default_factory=list)
    faults: list[tuple[str, str, int]] = field(default_factory=list)

    def line(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return self.text.count("\n", 0, offset) + 1

    def fault(self, code: str, problem: str, offset: int = 0) -> None:
        """Note a fault."""
        self.faults.append((code, problem, offset))


def read_page(text: str) -> Page:
    """Read a page and apply the rules that concern it alone."""
    reader = _Reader(text)
    reader.run()
    reader.judge()
    return reader.page


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def missing_ids(text: str, names: Iterable[str]) -> list[str]:
    """Those names that no fragment finds in an HTML or SVG file.

    A name is first looked for where it usually is, as a plain attribute; only if that fails is the file read anew.
    """
    shown = _COMMENT.sub("", text)
    missing = [name for name in names if not _is_plain_id(shown, name)]
    if not missing:
        return []
    reader = _Reader(text)
    reader.run()
    return [name for name in missing if name not in reader.page.ids and name not in reader.page.anchors]


def _is_plain_id(text: str, name: str) -> bool:
    at = text.find(f' id="{name}"')
    token = _TOKEN.match(text, text.rfind("<", 0, at)) if at >= 0 else None
    return token is not None and any(
        key.lower() == "id" and value == name for key, value, _ in _PAIR.findall(token[3] or "")
    )


class _Reader:
    def __init__(self, text: str) -> None:
        self.page = Page(text)
        self._counts = dict.fromkeys(("html", "title", "h1"), 0)
        self._lang = ""
        self._svg = 0

    def run(self) -> None:
        position, raw = 0, ""
        for token in _TOKEN.finditer(self.page.text):
            if token.start() != position:
                self._unclear(position)
            close, tag, attributes, empty = token.groups()
            if raw:
                if not close or tag.lower() != raw:
                    self._unclear(position)
                raw = ""
            position = token.end()
            if close:
                if tag.lower() == "svg":
                    self._svg = max(0, self._svg - 1)
            elif tag:
                raw = self._start(tag.lower(), attributes, token, is_empty=bool(empty))
        if raw or "<" in self.page.text[position:]:
            self._unclear(position)

    def _unclear(self, position: int) -> None:
        start = max(position, self.page.text.find("<", position))
        self.page.fault("html-unclear", f"not clear markup: {self.page.text[start : start + 60]!r}", start)

    def _start(self, tag: str, attributes: str, token: re.Match[str], *, is_empty: bool) -> str:
        """Take in a start tag; returns it if no markup may follow before its end tag."""
        if attributes not in _dull or tag in _JUDGED:
            self._attributes(tag, attributes, token.start(2))
        if tag == "svg":
            self._svg += not is_empty
        elif tag in self._counts and not self._svg:
            self._count(tag, token)
        return tag if tag in _RAW and not is_empty else ""

    def _count(self, tag: str, token: re.Match[str]) -> None:
        self._counts[tag] += 1
        if tag == "title":
            end = self.page.text.find("<", token.end())
            if not self.page.text[token.end() : end].strip():
                self.page.fault("page-title", "the title is empty", token.start(2))

    def _attributes(self, tag: str, raw: str, start: int) -> None:
        pairs = _PAIR.findall(raw)
        given = {name.lower(): double or single for name, double, single in reversed(pairs)}
        if len(given) != len(pairs):
            self.page.fault("html-unclear", f"an attribute of <{tag}> stands twice", start)
        elif tag not in _JUDGED and _DULL_NAMES.issuperset(given):
            _remember_dull(raw)
            return
        self._identify(tag, given, start)
        if tag in ("script", "style"):
            self._no_inline(tag, given, start)
        for name in given:
            if name in ("style", "srcdoc") or name.startswith("on"):
                self.page.fault("page-inline", f"the attribute {name} on <{tag}>: a strict policy forbids it", start)
        if not _LINK_ATTRIBUTES.isdisjoint(given):
            decoded = {name: unescape(value) if "&" in value else value for name, value in given.items()}
            self.page.links += _links(tag, decoded, start)

    def _identify(self, tag: str, given: dict[str, str], start: int) -> None:
        if "id" in given:
            name = unescape(given["id"])
            if name in self.page.ids:
                self.page.fault("page-id-twice", f"the id {name!r} stands twice", start)
            if not name or re.search(r"\s", name):
                self.page.fault("page-id", f"{name!r} cannot be an id", start)
            self.page.ids.add(name)
        if tag == "a" and "name" in given:
            self.page.anchors.add(unescape(given["name"]))
        if tag == "html":
            self._lang = given.get("lang", "").strip()
        if tag == "base":
            self.page.fault("page-base", "<base> changes where every link leads", start)

    def _no_inline(self, tag: str, given: dict[str, str], start: int) -> None:
        if tag == "style" or ("src" not in given and given.get("type", "").strip().lower() not in _DATA_SCRIPTS):
            self.page.fault("page-inline", f"an inline <{tag}>: a strict policy forbids it", start)

    def judge(self) -> None:
        """The rules for a page as a whole."""
        if not self._lang:
            self.page.fault("page-lang", "<html> has no lang")
        if self._counts["title"] != 1:
            self.page.fault("page-title", f"{self._counts['title']} titles, and a page has one")
        if self._counts["h1"] != 1:
            self.page.fault("page-h1", f"{self._counts['h1']} h1, and a page has one")


def _links(tag: str, given: dict[str, str], start: int) -> Iterable[Link]:
    if tag == "a" and "href" in given and "ping" not in given:
        return (Link(given["href"], "download" if "download" in given else "visit", start),)
    return _all_links(tag, given, start)


def _all_links(tag: str, given: dict[str, str], start: int) -> Iterator[Link]:
    fetched: Use = "picture" if tag in _PICTURES else "code"
    for name in ("href", "xlink:href"):
        if name in given:
            yield Link(given[name], _use_of_href(tag, given), start)
    for name in ("src", "poster"):
        if name in given:
            yield Link(given[name], fetched, start)
    for name in ("action", "formaction"):
        if name in given:
            yield Link(given[name], "visit", start)
    for name in ("srcset", "imagesrcset"):
        for candidate in given.get(name, "").split(", "):
            yield from (Link(url, "picture", start) for url in candidate.split()[:1])
    if "data" in given and tag == "object":
        yield Link(given["data"], "code", start)
    yield from (Link(url, "code", start) for url in given.get("ping", "").split())
    if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
        yield Link(given.get("content", "").partition("=")[2].strip(" '\""), "visit", start)


def _use_of_href(tag: str, given: dict[str, str]) -> Use:
    if tag == "link":
        rels = given.get("rel", "").lower().split()
        if not _CODE_RELS.isdisjoint(rels):
            return "code"
        return "visit" if _PICTURE_RELS.isdisjoint(rels) else "picture"
    if tag in _PICTURES:
        return "picture"
    if tag == "script":
        return "code"
    return "download" if "download" in given else "visit"

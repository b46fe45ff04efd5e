"""Feeds and the files that crawlers and language models ask for first; pure functions from values to bytes.

Nothing here knows the time: a feed was updated when its newest event was, so that the same records give the same
bytes.  Addresses are absolute and made of ASCII; texts become one line each, without control characters and without
what XML cannot hold.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..cite.base import clean_url, one_line
from ..errors import BuildError

SITEMAP_URLS = 50_000
"""Most addresses in one sitemap (sitemaps.org)."""
SITEMAP_BYTES = 50 * 1024 * 1024
"""Most bytes in one sitemap (sitemaps.org)."""

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>#!|~&]")
_LIST_OR_RULE = re.compile(r"^(\d{0,9})([.)=+-])")
_PLAIN_URL = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:/._-"
"""What is the same in an address, in an attribute and in XML."""
_ATOM = "http://www.w3.org/2005/Atom"
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a feed: what Atom calls an entry."""

    id: str
    """An IRI that never changes: a permalink."""
    title: str
    link: str
    """Absolute address of its page, or of the canonical object (`….json`) in its place."""
    updated: str
    """Instant `2026-04-14T23:38:30.072Z` or day `2026-04-14`, from the data."""
    summary: str
    authors: tuple[str, ...] = ()
    """Empty: those of the feed."""
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """An Atom feed (RFC 4287)."""

    id: str
    title: str
    subtitle: str
    author: str
    address: str
    """Of the feed itself."""
    page: str
    """Of the page that shows the same; empty without one."""
    events: tuple[Event, ...]
    """In the order in which they are shown."""
    updated: str
    """When the newest event was updated, counting those that are not listed; used only if that is later."""
    rights: str = ""


class Address(NamedTuple):
    """One address of a sitemap."""

    url: str
    modified: str | None = None
    """Day or instant, from the data."""


@dataclass(frozen=True, slots=True)
class Section:
    """One list of `llms.txt`."""

    title: str
    links: tuple[tuple[str, str, str], ...]
    """(name, address, what it is)."""


def atom(feed: Feed) -> bytes:
    """The feed as XML.  Raises `BuildError` when two events have one id or an instant is not one."""
    seen: set[str] = set()
    for event in feed.events:
        if event.id in seen:
            raise BuildError("feed-same-id", f"two events have the id {event.id}", at=feed.address)
        seen.add(event.id)
    updated = max([_instant(feed.updated), *(_instant(event.updated) for event in feed.events)], key=_moment)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="{_ATOM}">',
        f"<id>{_xml(clean_url(feed.id))}</id>",
        f"<title>{_line(feed.title)}</title>",
        f"<subtitle>{_line(feed.subtitle)}</subtitle>" if feed.subtitle else "",
        f"<updated>{updated}</updated>",
        f"<author><name>{_line(feed.author)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{_href(feed.address)}"/>',
        f'<link rel="alternate" type="text/html" href="{_href(feed.page)}"/>' if feed.page else "",
        f"<rights>{_line(feed.rights)}</rights>" if feed.rights else "",
        *map(_event, feed.events),
        "</feed>",
    ]
    return ("\n".join(filter(None, lines)) + "\n").encode()


def sitemap(addresses: Iterable[Address], base: str) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of the sitemap files below `base` (absolute, ending with `/`), `sitemap.xml` last.

    `sitemap.xml` lists the addresses if they fit into one file, else the files `sitemap-1.xml`, … that do.  Only one
    file is held in memory at a time.  Raises `BuildError` for an address outside `base`.
    """
    parts = _sitemap_parts(addresses, base)
    first = next(parts)
    second = next(parts, None)
    if second is None:
        yield "sitemap.xml", first
        return
    count = 0
    for part in _chain(first, second, parts):
        count += 1
        yield f"sitemap-{count}.xml", part
    rows = [f"<sitemap><loc>{_href(base)}sitemap-{number}.xml</loc></sitemap>" for number in range(1, count + 1)]
    yield "sitemap.xml", _document("sitemapindex", rows)


def robots_txt(sitemap_url: str | None) -> bytes:
    """Everything may be read."""
    lines = ["User-agent: *", "Allow: /"]
    if sitemap_url:
        lines += ["", f"Sitemap: {clean_url(sitemap_url)}"]
    return ("\n".join(lines) + "\n").encode()


def llms_txt(title: str, summary: str, sections: Iterable[Section], details: str = "") -> bytes:
    """`llms.txt` (llmstxt.org): a heading, the summary as a quotation, `details` in Markdown as it is, lists of links.

    Names and descriptions are text: what Markdown would read as markup is escaped.
    """
    blocks = [f"# {_plain(title)}", f"> {_plain(summary)}"]
    if details:
        blocks.append(details.strip("\n"))
    for section in sections:
        rows = [f"- [{_plain(name)}]({_target(url)})" + (f": {_plain(what)}" if what else "")
                for name, url, what in section.links]  # fmt: skip
        blocks += [f"## {_plain(section.title)}", "\n".join(rows)]
    return ("\n\n".join(filter(None, blocks)) + "\n").encode()


def _event(event: Event) -> str:
    media_type = "application/json" if event.link.endswith(".json") else "text/html"
    lines = [
        "<entry>",
        f"<id>{_xml(clean_url(event.id))}</id>",
        f"<title>{_line(event.title)}</title>",
        f"<updated>{_instant(event.updated)}</updated>",
        f'<link rel="alternate" type="{media_type}" href="{_href(event.link)}"/>',
        *(f"<author><name>{_line(name)}</name></author>" for name in event.authors),
        *(f'<category term="{_line(term)}"/>' for term in event.categories),
        f"<summary>{_line(event.summary)}</summary>",
        "</entry>",
    ]
    return "\n".join(lines)


@lru_cache(maxsize=1024)
def _instant(text: str) -> str:
    if _DAY.fullmatch(text):
        return f"{text}T00:00:00Z"
    if _INSTANT.fullmatch(text):
        return text
    raise BuildError("feed-date", f"{text!r} is neither a day nor an instant in UTC")


def _moment(instant: str) -> tuple[str, str]:
    """What sorts instants with different numbers of fraction digits by time."""
    return instant[:19], instant[20:-1].rstrip("0")


def _sitemap_parts(addresses: Iterable[Address], base: str) -> Iterator[bytes]:
    """At least one document, each within the limits of the protocol."""
    room = SITEMAP_BYTES - len(_document("urlset", []))
    rows: list[str] = []
    size = 0
    for address in addresses:
        row = _row(address, base)
        if len(rows) == SITEMAP_URLS or size + len(row) + 1 > room:
            yield _document("urlset", rows)
            rows, size = [], 0
        rows.append(row)
        size += len(row) + 1
    yield _document("urlset", rows)


def _row(address: Address, base: str) -> str:
    url, modified = address
    if not url.startswith(base):
        raise BuildError("sitemap-address", f"{url!r} does not lie below {base}")
    # Nearly all addresses are plain, and there are many.
    location = _href(url) if url.encode(errors="replace").translate(None, _PLAIN_URL) else url
    if modified is None:
        return f"<url><loc>{location}</loc></url>"
    _instant(modified)
    return f"<url><loc>{location}</loc><lastmod>{modified}</lastmod></url>"


def _chain(first: bytes, second: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield second
    yield from rest


def _document(root: str, rows: list[str]) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<{root} xmlns="{_SITEMAPS}">', *rows, f"</{root}>"]
    return ("\n".join(lines) + "\n").encode()


def _line(text: str) -> str:
    """One line of text for an element or a quoted attribute."""
    return _xml(one_line(text))


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _href(url: str) -> str:
    return _xml(clean_url(url))


def _plain(text: str) -> str:
    return _LIST_OR_RULE.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\g<0>", one_line(text)))


def _target(url: str) -> str:
    return clean_url(url).replace("(", "%28").replace(")", "%29")

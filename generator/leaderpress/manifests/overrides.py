"""`content/overrides/<kind>/<slug>.toml`: what the publisher says about something that a source named.

A source may leave out a homepage, spell a name oddly, or let one team appear under two names.  The publisher's own
words stand beside the source's, marked as such; they change no document, no digest, no rank and no citation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ContentError
from . import toml
from .faults import Finding, raise_all, shown
from .licences import expression_fault
from .patterns import LINE, SLUG, URL
from .tables import Check, optional, table_faults, text

KINDS = ("operations", "projects", "implementations", "hardware")
"""Folders below `content/overrides`, named as the first part of the addresses that they are about."""

MOST = 50
"""Texts of a list."""


@dataclass(frozen=True, slots=True)
class Override:
    """What the publisher says about one page's subject; what is not said is empty."""

    kind: str
    slug: str
    """The second part of the address: a slug, of an implementation its 64 hex digits."""
    at: str
    """The file."""
    name: str = ""
    homepage: str = ""
    licence: str = ""
    """SPDX expression."""
    aliases: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    """Slugs of other projects of the same team."""


def parse_override(data: bytes, kind: str, slug: str, at: str) -> Override:
    """Check the bytes of an override; `at` names the file.

    Raises `ContentError` with the line, or `Problems` with every fault of the file.
    """
    document = toml.read(toml.decode(data, at), at)
    raise_all(table_faults(document, _FIELDS[kind]))
    raise_all(_value_faults(document, slug))
    stated: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in document.tree.items()
    }
    return Override(kind=kind, slug=slug, at=at, **stated)


def override_place(data: bytes, at: str, field: str) -> str:
    """Where a field of a sound override stands, `path:line`."""
    return toml.read(toml.decode(data, at), at).fault((field,), "", "").at


def _texts(check: Check) -> Check:
    """A list of different texts."""

    def check_list(value: Any) -> Finding | None:
        if type(value) is not list or not value:
            return "wrong-type", "a list of texts is expected here", 'write it as ["one", "two"]'
        if len(value) > MOST:
            return "list-too-long", f"the most elements allowed here are {MOST}", ""
        for word in value:
            if finding := check(word):
                return finding
        return ("list-repeats", "a text stands here twice", "") if len(set(value)) < len(value) else None

    return check_list


_COMMON = {
    "name": optional(text(LINE, 200)),
    "homepage": optional(text(URL, 2000)),
    "aliases": optional(_texts(text(LINE, 200))),
}
_LICENSED = {"licence": optional(text(LINE, 200))}
_FIELDS = {
    "operations": _COMMON,
    "projects": {**_COMMON, **_LICENSED, "same_as": optional(_texts(text(SLUG, 80)))},
    "implementations": {**_COMMON, **_LICENSED},
    "hardware": _COMMON,
}


def _value_faults(document: toml.TomlText, slug: str) -> Iterator[ContentError]:
    stated = document.tree
    if not stated:
        yield document.fault((), "override-empty", "the file says nothing", "say something, or delete the file")
    if "licence" in stated and (finding := expression_fault(stated["licence"])):
        yield document.fault(("licence",), "licence-unknown", *finding)
    if slug in stated.get("same_as", ()):
        yield document.fault(("same_as",), "override-itself", f"{shown(slug)} is this very project")

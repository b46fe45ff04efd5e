"""Markup that many pages share, kept by the values that it was made from.

A fragment must follow from its values, the site and the page's depth alone; then giving out the kept text is the same
as rendering it again.  Views that share a part share the object (the items of a protocol, a workload), so a part is
known by its identity, which costs nothing to compare; plain texts are known by what they say.
"""

from collections.abc import Callable
from typing import AnyStr

from markupsafe import Markup

Key = tuple[object, ...]

_LIMIT = 16_000_000
"""Characters kept.  Pages come in an order in which those that share a part are close together."""
_PLAIN = frozenset({str, Markup, bool, type(None)})


def identity(value: object) -> object:
    """What stands for a value in a key."""
    return value if type(value) in _PLAIN else id(value)


def shared(text: str, *values: object) -> str:
    """The filter as Jinja itself applies it: the block as it was rendered."""
    return text


class Fragments:
    """The fragments of the pages of one site and depth."""

    __slots__ = ("_alive", "_size", "_texts", "get")

    def __init__(self) -> None:
        self._texts: dict[Key, str | bytes] = {}
        self._alive: list[object] = []
        self._size = 0
        self.get: Callable[[Key], str | bytes | None] = self._texts.get
        """The text kept under a key, None where there is none."""

    def keep(self, key: Key, text: AnyStr, *values: object) -> AnyStr:
        """Keep a text, and its values too: an identity is theirs only as long as they live."""
        if self._size > _LIMIT:
            self._texts.clear()
            self._alive.clear()
            self._size = 0
        self._texts[key] = text
        self._alive += values
        self._size += len(text)
        return text

"""Percent-encoding of what stands in an address."""

import re
from functools import lru_cache
from urllib.parse import quote

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@lru_cache(maxsize=1024)
def _quote(text: str) -> str:
    return quote(text)


def _quoted(match: re.Match[str]) -> str:
    return _quote(match[0])


def percent(text: str, characters: str) -> str:
    """Percent-encode `characters` (of ASCII), the percent sign and everything that is not ASCII.

    A handful of `str.replace` is five times as fast as `urllib.parse.quote`, which goes byte by byte.
    """
    # The percent sign first, so that the escapes themselves are left alone.
    text = text.replace("%", "%25")
    if not text.isascii():
        text = _NOT_ASCII.sub(_quoted, text)
    for character in characters:
        if character in text:
            text = text.replace(character, f"%{ord(character):02X}")
    return text

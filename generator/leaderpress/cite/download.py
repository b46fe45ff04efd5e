"""Downloads that need no file of their own: `data:` URIs and the percent-encoding behind them."""

import re
from functools import lru_cache
from urllib.parse import quote

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_NOT_IN_A_URI = '\t\n\r "#<>[\\]^`{|}'


@lru_cache(maxsize=1024)
def _quote(text: str) -> str:
    return quote(text)


def _quoted(match: re.Match[str]) -> str:
    return _quote(match[0])


def data_uri(media_type: str, text: str) -> str:
    """A `data:` URI of a text in UTF-8, for the `href` of a download link."""
    return f"data:{media_type};charset=utf-8,{percent(text, _NOT_IN_A_URI)}"


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

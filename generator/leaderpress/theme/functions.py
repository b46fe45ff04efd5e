"""What templates may call, besides Jinja's own: addresses, names, JSON for reading, data for downloads.

Each function either returns plain text, which autoescaping then covers, or `Markup` that it escaped itself.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote

from markupsafe import Markup, escape

from ..format import count_text, visible

_FOREIGN = re.compile(r"(?:https?://[^\s/]|mailto:[^\s])", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")
_PATH = re.compile(r"[A-Za-z0-9._~/-]*(?:\?[^\s\"<>]*)?(?:#[A-Za-z0-9._~-]+)?")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_PLAIN_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")
_DATA_SAFE = "/:?@!$()*+,;=-._~"
_PRETTY_LIMIT = 256
_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def foreign(address: str) -> str:
    """The address if it is http, https or mailto without white space or control characters, else nothing.

    The same list that Markdown links go through: `javascript:`, `data:` and the like never reach an `href`.
    """
    return address if _FOREIGN.match(address) and not _CONTROL.search(address) else ""


def linker(root: str, leaf: str) -> Callable[[str], str]:
    """How a page links: root-relative paths get its prefix and leaf, foreign addresses pass the allow-list.

    The result is empty for a path that is empty or not allowed; templates then show the text alone.
    """

    def link(path: str) -> str:
        if path[-1:] == "/" and path[0] != "/" and ":" not in path:
            return root + path + leaf
        if not path or path[0] == "/":
            return ""
        if _SCHEME.match(path):
            return foreign(path)
        folder, mark, fragment = path.partition("#")
        filled = root + folder + (leaf if not folder or folder.endswith("/") else "")
        return filled + mark + fragment if _PATH.fullmatch(path) else ""

    return link


def is_plain_name(file_name: str) -> bool:
    """Whether a file of this name can be published as it is."""
    return _PLAIN_NAME.fullmatch(file_name) is not None


@lru_cache(maxsize=16384)
def name(text: str) -> Markup:
    """An untrusted name: set apart from the direction of the text around it, hidden characters written out."""
    return Markup("<bdi>") + escape(visible(text)) + Markup("</bdi>")


def count(number: int) -> str:
    """A count in groups of three."""
    return str(number) if -1000 < number < 1000 else count_text(number)


def grouped(number: str) -> Markup:
    """A number set large, where the space between groups of three needs to be smaller than the figures."""
    return Markup('<span class="th">\u202f</span>').join(number.split("\u202f"))


def spelled(number: int) -> str:
    """A small count in words, as in running text; figures from thirteen on."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else count(number)


def plural(number: int, one: str, many: str = "") -> str:
    """`1 run`, `2 runs`; `many` for words that do not just take an s."""
    return f"1 {one}" if number == 1 else f"{count(number)} {many or one + 's'}"


def upper_first(text: str) -> str:
    """The text with its first letter in upper case, the others as they are."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text with its first letter in lower case, unless its first word is an acronym."""
    return text if text[1:2].isupper() or text[1:2].isdigit() else text[:1].lower() + text[1:]


def data_uri(media_type: str, text: str) -> str:
    """A download that needs no file: the text in UTF-8, percent-encoded as far as an address needs it."""
    return f"data:{media_type};charset=utf-8,{quote(text, safe=_DATA_SAFE)}"


def json_script(text: str) -> Markup:
    """JSON text for a script element: what could end or comment out the element is written as an escape."""
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)


@lru_cache(maxsize=_PRETTY_LIMIT)
def pretty(text: str) -> Markup:
    """Canonical JSON text indented for reading; every literal stays as it is written, `1.10` and `1e2` too.

    A container that holds no other stands on one line.  The result is the content of an element, never of an
    attribute: JSON is full of quotation marks, and as `&#34;` they would make up a tenth of a run's page.
    """
    shown = "".join(_indent(_TOKEN.findall(text)))
    return Markup(shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _indent(tokens: list[str]) -> list[str]:
    out: list[str] = []
    depth = position = 0
    while position < len(tokens):
        token = tokens[position]
        if token in "{[":
            end = _flat_end(tokens, position)
            if end:
                out.append(_one_line(tokens[position : end + 1]))
                position = end + 1
                continue
            depth += 1
            out.append(f"{token}\n{'  ' * depth}")
        elif token in "}]":
            depth -= 1
            out.append(f"\n{'  ' * depth}{token}")
        else:
            out.append(f",\n{'  ' * depth}" if token == "," else ": " if token == ":" else token)
        position += 1
    return out


def _flat_end(tokens: list[str], start: int) -> int:
    """Where the container that opens at `start` ends, if it is short and holds no other; else 0."""
    for position in range(start + 1, min(len(tokens), start + 32)):
        if tokens[position] in "{[":
            return 0
        if tokens[position] in "}]":
            return position if sum(map(len, tokens[start:position])) < 72 else 0
    return 0


def _one_line(tokens: list[str]) -> str:
    spaced = {",": ", ", ":": ": "}
    return "".join(spaced.get(token, token) for token in tokens)

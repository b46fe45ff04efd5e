"""What templates may call, besides Jinja's own: addresses, names, JSON for reading, data for downloads.

Each function either returns plain text, which autoescaping then covers, or `Markup` that it escaped itself.
"""

import re
from binascii import b2a_base64
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import orjson
from markupsafe import Markup

from ..format import count_text, visible
from ..format import lower_first as lower_first
from ..format import upper_first as upper_first
from .code import inner

_FOREIGN = re.compile(r"(?:https?://[^\s/]|mailto:[^\s])", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")
_PATH = re.compile(r"[A-Za-z0-9._~/-]*(?:\?[^\s\"<>]*)?(?:#[A-Za-z0-9._~-]+)?")
_PLAIN_PATH = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~/-"
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_PLAIN_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+")
_PRETTY_LIMIT = 256
_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def foreign(address: str) -> str:
    """The address if it is http, https or mailto without white space or control characters, else nothing.

    The same list that Markdown links go through: `javascript:`, `data:` and the like never reach an `href`.
    """
    if not _FOREIGN.match(address):
        return ""
    # Nearly every address is plain, and asking that first spares the search through all of it.
    plain = address.isascii() and address.isprintable() and " " not in address
    return address if plain or not _CONTROL.search(address) else ""


@lru_cache(maxsize=64)
def linker(root: str, leaf: str) -> Callable[[str], str]:
    """How a page links: root-relative paths get its prefix and leaf, foreign addresses pass the allow-list.

    The result is empty for a path that is empty or not allowed; templates then show the text alone.
    """

    @lru_cache(maxsize=4096)
    def link(path: str) -> str:
        if path[-1:] == "/" and path[0] != "/" and ":" not in path:
            return root + path + leaf
        if not path or path[0] == "/":
            return ""
        if not path.encode(errors="replace").translate(None, _PLAIN_PATH):
            return root + path
        if _SCHEME.match(path):
            return foreign(path)
        folder, mark, fragment = path.partition("#")
        filled = root + folder + (leaf if not folder or folder.endswith("/") else "")
        return filled + mark + fragment if _PATH.fullmatch(path) else ""

    return link


def is_plain_name(file_name: str) -> bool:
    """Whether a file of this name can be published as it is."""
    return _PLAIN_NAME.fullmatch(file_name) is not None


@lru_cache(maxsize=4096)
def name(text: str) -> Markup:
    """An untrusted name: set apart from the direction of the text around it, hidden characters written out."""
    # `Markup(…)` would first ask whether the text is markup already.
    return str.__new__(Markup, f"<bdi>{inner(visible(text))}</bdi>")


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


def total(things: Iterable[Any], member: str) -> int:
    """The sum of one member of several things."""
    return sum(getattr(thing, member) for thing in things)


def base64(text: str) -> Markup:
    """A text as it stands in a `data:` URI after `;base64,` (RFC 2397), for a download that needs no file.

    As long as percent-encoding makes a citation, where every other character is a space or a bracket, and seven
    times as fast.
    """
    return str.__new__(Markup, b2a_base64(text.encode(), newline=False).decode())


def json_script(text: str) -> Markup:
    """JSON text for a script element: what could end or comment out the element is written as an escape."""
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)


@lru_cache(maxsize=_PRETTY_LIMIT)
def pretty(text: str) -> Markup:
    """Canonical JSON text indented for reading; every literal stays as it is written, `1.10` and `1e2` too.

    The result is the content of an element, never of an attribute: JSON is full of quotation marks, and as `&#34;`
    they would make up a tenth of a run's page.
    """
    shown = _indented(text)
    return Markup(shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _indented(text: str) -> str:
    """By orjson where it would write the very same literals, which is nearly always; else token by token."""
    try:
        value = orjson.loads(text)
        if orjson.dumps(value).decode() == text:
            return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except ValueError:
        pass
    return _indent(_TOKEN.findall(text))


def _indent(tokens: list[str]) -> str:
    """As orjson does it: each member on a line of its own, what holds nothing on one."""
    out: list[str] = []
    depth = 0
    for before, token in zip(["", *tokens], tokens, strict=False):
        opens = before in ("{", "[")
        if token in ("}", "]"):
            depth -= 1
            out.append(token if opens else f"\n{'  ' * depth}{token}")
            continue
        if opens:
            out.append(f"\n{'  ' * depth}")
        depth += token in ("{", "[")
        out.append(f",\n{'  ' * depth}" if token == "," else ": " if token == ":" else token)
    return "".join(out)

"""Reading TOML that people write by hand, so that every fault names the file and the line.

`tomllib` forgets where values stood.  The lines are found again by a scan for table headers and keys, which is exact
for the plain style that these files have and falls back to the nearest enclosing table for any other.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import ContentError
from .faults import Place, shown

MAX_BYTES = 256 * 1024
"""Largest file that is read."""

_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[{{1,2}}\s*({_PATH})\s*\]")
_KEY = re.compile(rf"\s*({_PATH})\s*=")
_FENCE = re.compile(r"\"\"\"|'''")
_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class TomlText:
    """A parsed text and where its keys stand."""

    tree: dict[str, Any]
    at: str
    """Name of the file."""
    lines: dict[tuple[str, ...], int]
    """Line of each table header and key, counted from 1 in the whole file."""

    def value(self, place: Place) -> Any:
        """What stands at a place that exists."""
        node: Any = self.tree
        for key in place:
            node = node[key]
        return node

    def fault(self, place: Place, code: str, problem: str, hint: str = "") -> ContentError:
        """An error about the value at `place`, named and located by its line where that is known."""
        name = ".".join(shown(str(part)) for part in place)
        return ContentError(code, f"{name}: {problem}" if name else problem, at=self._locate(place), hint=hint)

    def _locate(self, place: Place) -> str:
        keys = tuple(str(part) for part in place)
        for length in range(len(keys), 0, -1):
            if line := self.lines.get(keys[:length]):
                return f"{self.at}:{line}"
        return self.at


def decode(data: bytes, at: str) -> str:
    """The text of a file; raises `ContentError` if it is too large or no UTF-8."""
    if len(data) > MAX_BYTES:
        raise ContentError("file-too-large", f"{len(data)} bytes, more than {MAX_BYTES}", at=at)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise ContentError("not-utf-8", "the file is not UTF-8", at=f"{at}:{line}") from None


def read(text: str, at: str, first_line: int = 1) -> TomlText:
    """Parse TOML that starts at `first_line` of the file `at`; raises `ContentError` with the line."""
    try:
        tree = tomllib.loads(text)
    except RecursionError:
        raise ContentError("toml-invalid", "not TOML: nested too deeply", at=at) from None
    except ValueError as fault:
        raise _invalid(str(fault), at, first_line) from None
    return TomlText(tree, at, dict(_scan(text, first_line)))


def _invalid(message: str, at: str, first_line: int) -> ContentError:
    position = _POSITION.search(message)
    if position and position[1]:
        at = f"{at}:{int(position[1]) + first_line - 1}"
    return ContentError("toml-invalid", f"not TOML: {shown(_POSITION.sub('', message))}", at=at)


def _scan(text: str, first_line: int) -> Iterator[tuple[tuple[str, ...], int]]:
    table: tuple[str, ...] = ()
    fence = ""
    for line, content in enumerate(text.split("\n"), first_line):
        if not fence:
            if match := _HEADER.match(content):
                table = _parts(match[1])
                yield table, line
            elif match := _KEY.match(content):
                yield table + _parts(match[1]), line
        for mark in _FENCE.findall(content):
            fence = "" if fence == mark else fence or mark


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, path))

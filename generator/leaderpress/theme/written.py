"""A written page as its file says it: front matter and Markdown.  Reading it needs no Markdown library."""

import re
import tomllib
from dataclasses import dataclass

from ..errors import ContentError

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TOML_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class PageSource:
    """One file of `content/pages/`, read."""

    title: str
    description: str
    text: str
    """The Markdown below the front matter."""
    first_line: int
    """Line of the file on which `text` starts."""


def read_page(data: bytes, at: str) -> PageSource:
    """Read a written page: TOML between two lines `+++`, then Markdown.

    `title` is required, `description` may be given, other keys are refused.  Raises `ContentError` with `at` and the
    line for anything else.
    """
    lines = _page_lines(data, at)
    if lines[0].rstrip() != "+++" or "+++" not in (line.rstrip() for line in lines[1:]):
        hint = 'start with +++, title = "…", +++ on lines of their own'
        raise ContentError("page-front-matter", "no front matter between two lines +++", at=f"{at}:1", hint=hint)
    end = next(number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "+++")
    fields = _front_matter(lines[1:end], at)
    if not fields.get("title"):
        raise ContentError("page-title", "a page needs a title", at=f"{at}:1", hint='add title = "…"')
    return PageSource(fields["title"], fields.get("description", ""), "\n".join(lines[end + 1 :]), end + 2)


def _page_lines(data: bytes, at: str) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise ContentError("page-encoding", f"not UTF-8: {fault.reason}", at=f"{at}:{line}") from None
    lines = text.replace("\r\n", "\n").split("\n")
    for number, content in enumerate(lines, 1):
        if found := _CONTROL.search(content):
            problem = f"a control character U+{ord(found[0]):04X}"
            raise ContentError("page-control", problem, at=f"{at}:{number}")
    return lines


def _front_matter(lines: list[str], at: str) -> dict[str, str]:
    try:
        fields = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as fault:
        found = _TOML_LINE.search(str(fault))
        line = int(found[1]) + 1 if found and found[1] else len(lines) + 1
        problem = _TOML_LINE.sub("", str(fault))
        raise ContentError("page-front-matter", problem, at=f"{at}:{line}") from None
    for name, value in fields.items():
        if name not in ("title", "description") or not isinstance(value, str):
            line = next((n for n, text in enumerate(lines, 2) if text.lstrip(" [\"'").startswith(name)), 1)
            known = "title and description, both text"
            raise ContentError("page-front-matter", f"{name!r} is not known here", at=f"{at}:{line}", hint=known)
    return fields

"""What reads like a removed text and was not removed, because only the exact spelling is: a person has to judge it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import ContentError
from ..store import PLACE
from ..store.redactions import PLACE as REDACTIONS

_BETWEEN = r"[\W_]{0,3}"
_WORDS = re.compile(r"[^\W_]+")


def similar(site: Path, files: Mapping[str, bytes], gone: Collection[str], texts: Sequence[str]) -> Iterator[str]:
    """Places (`path:line`) below `content/` with one of the texts in other case, or with other signs between its words.

    `files` are the new bytes by path relative to the site, `gone` the paths that will not be there any more.
    """
    if not (pattern := _pattern(texts)):
        return
    for at, data in _files(site, files, gone):
        if pattern.search(at):
            yield at
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            if pattern.search(line):
                yield f"{at}:{number}"


def _pattern(texts: Sequence[str]) -> re.Pattern[str] | None:
    """Whole words only: a short text stands inside many."""
    spelled = [_BETWEEN.join(map(re.escape, words)) for text in texts if (words := _WORDS.findall(text))]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(spelled)})(?![^\W_])", re.IGNORECASE) if spelled else None


def _files(site: Path, files: Mapping[str, bytes], gone: Collection[str]) -> Iterator[tuple[str, bytes]]:
    held = {path.relative_to(site).as_posix(): path for path in (site / "content").rglob("*") if _is_ours(site, path)}
    for at in sorted({*held, *files} - {*gone, REDACTIONS}):
        yield at, files[at] if at in files else _read(held[at], at)


def _is_ours(site: Path, path: Path) -> bool:
    """Whether it is a plain file, and not one of what a removal has put aside."""
    aside = path.is_relative_to(site / PLACE) and any(part.startswith(".") for part in path.relative_to(site).parts)
    return not aside and path.is_file() and not path.is_symlink()


def _read(path: Path, at: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ContentError("content-unreadable", str(fault.strerror or fault), at=at) from None

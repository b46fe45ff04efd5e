"""Changing published records in one step, for removals only.

New bytes are written aside, then a list of what goes where; from that list on the removal is decided: whoever opens the
store next finishes it.  A kill before leaves everything as it was.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from ..errors import ContentError

ASIDE = "content/records/.redacting"
"""Where a removal waits, relative to the site."""

_LIST = "list.json"


def replace_all(root: Path, files: Mapping[str, bytes], gone: Sequence[str] = ()) -> None:
    """Give several files of the site (by their paths relative to it) new bytes and remove others, all or nothing.

    Use it inside `exclusive`.  Raises `ContentError` when the disk does not take it.
    """
    aside = root / ASIDE
    try:
        _sweep(aside)
        aside.mkdir(parents=True)
        places = {f"{number:06d}": path for number, path in enumerate(files)}
        for name, path in places.items():
            _write(aside / name, files[path])
        _write(aside / f"{_LIST}.part", orjson.dumps([places, list(gone)]))
        _sync(aside)
        (aside / f"{_LIST}.part").rename(aside / _LIST)
        _sync(aside)
        finish(root)
    except OSError as fault:
        problem = f"cannot write: {fault.strerror or fault}"
        hint = "repeat the command; until then the records are either as they were, or not read at all"
        raise ContentError("store-write", problem, at=ASIDE, hint=hint) from None


def finish(root: Path) -> bool:
    """Finish a removal that was decided, or clear away one that was not; gives whether there was one to finish.

    Use it inside `exclusive`.
    """
    aside = root / ASIDE
    if not aside.is_dir():
        return False
    decided = (aside / _LIST).is_file()
    if decided:
        places, gone = orjson.loads((aside / _LIST).read_bytes())
        for name, path in places.items():
            if (aside / name).exists():  # the rest was put in its place before a kill
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                os.replace(aside / name, root / path)
                _sync((root / path).parent)
        for path in gone:
            (root / path).unlink(missing_ok=True)
    _sweep(aside)
    return decided


def require_finished(root: Path) -> None:
    """Raise `ContentError` while a decided removal is not finished: the records are between two states."""
    if (root / ASIDE / _LIST).is_file():
        hint = "repeat `leaderpress redact`: it finishes what was interrupted"
        raise ContentError("redaction-unfinished", "a removal was interrupted", at=ASIDE, hint=hint)


def _sweep(aside: Path) -> None:
    if aside.exists():
        # The list first: without it nothing is decided.
        (aside / _LIST).unlink(missing_ok=True)
        shutil.rmtree(aside)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

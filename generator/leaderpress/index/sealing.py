"""Digests of index files; within one build each is computed once as long as the file is as it was."""

import hashlib
import os
from pathlib import Path

_known: dict[tuple[int, int, int, int], str] = {}


def file_digest(path: Path) -> str:
    """SHA-256 (hex) of a file; raises `OSError`."""
    with path.open("rb") as stream:
        status = os.fstat(stream.fileno())
        # Not the time of change: an index gets and loses names during a build.
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if key not in _known:
            _known[key] = hashlib.file_digest(stream, "sha256").hexdigest()
        return _known[key]


def forget() -> None:
    """Take no digest on trust that was computed before."""
    _known.clear()

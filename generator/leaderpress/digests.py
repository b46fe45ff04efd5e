"""SHA-256 of files, computed once as long as a file is as it was.

A file is taken to be as it was while device, inode, size and both times are: whoever writes into it, and sets its time
of modification back, still moves its time of change.  A file that was written a moment before it was hashed could be
written again within the same tick of the file system's clock, so its digest is not kept.  What is kept in the cache
bears a checksum; it can be missing or thrown away, never wrong.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

KEPT = "digests.json"
VERSION = 1
"""Of the form of `digests.json`; another one is thrown away."""
TICK = 100_000_000
"""Nanoseconds that a change is older than any later one, whatever the clock of the file system."""
OTHER_CLOCK = 20 * TICK
"""The same for a file of another file system than the cache, whose clock may be slower and coarser."""


class Identity(NamedTuple):
    """What a file cannot keep when its bytes change."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int
    """Nanoseconds, as the file's time of modification."""


class FileDigests:
    """Digests of files by path; without a cache folder none is taken on trust."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._known: dict[str, tuple[Identity, str]] = _read(cache / KEPT) if cache else {}
        self._before = dict(self._known)
        self._clock: tuple[int, int] | None = None
        """Device and time of the cache's file system, some time before anything was hashed here."""

    def of(self, path: Path | str) -> str:
        """SHA-256 (hex) of a file; raises `OSError`."""
        name = os.path.abspath(path)
        known = self._known.get(name)
        if known is not None and known[0] == _identity(os.stat(name)):
            return known[1]
        self._start_clock()
        with open(name, "rb") as stream:
            identity = _identity(os.fstat(stream.fileno()))
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            if self._is_settled(identity) and identity == _identity(os.fstat(stream.fileno())):
                self._known[name] = identity, digest
        return digest

    def note(self, path: Path, digest: str) -> None:
        """Take this for the digest of a file that the caller has just written, and nobody else writes."""
        with suppress(OSError):
            self._known[os.path.abspath(path)] = _identity(os.stat(path)), digest

    @contextmanager
    def renaming(self, path: Path, *names: Path) -> Iterator[None]:
        """Give the file at `path` other names, or take one from it: that moves its time of change, and no byte of it.

        `names` are new ones; what is known of the file under any other name stays known as well.
        """
        with suppress(OSError):
            self.of(path)
        known = self._known.get(os.path.abspath(path))
        yield
        if known is None:
            return
        others = [name for name, (identity, _) in self._known.items() if identity == known[0]]
        for name in {*map(os.path.abspath, names), *others}:
            with suppress(OSError):
                identity = _identity(os.stat(name))
                if identity[:-1] == known[0][:-1]:
                    self._known[name] = identity, known[1]

    def keep(self) -> None:
        """Keep what is known for the next command; a failure costs time only."""
        if self._cache is None or self._known == self._before:
            return
        with suppress(OSError):
            files = {name: known for name, known in self._known.items() if os.path.lexists(name)}
            body = json.dumps({"v": VERSION, "files": files}).encode()
            part = self._cache / f"{KEPT}.{os.getpid()}"
            part.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            os.replace(part, self._cache / KEPT)
            self._before = dict(self._known)

    def _start_clock(self) -> None:
        """Ask the file system for its time, once: there is no other clock that stamps files."""
        if self._clock is not None or self._cache is None:
            return
        self._clock = 0, 0
        part = self._cache / f"{KEPT}.{os.getpid()}"
        with suppress(OSError):
            part.write_bytes(b"")
            status = part.stat()
            # Whole seconds mean that it knows no others.
            if status.st_mtime_ns % 1_000_000_000:
                self._clock = status.st_dev, status.st_mtime_ns
            part.unlink()

    def _is_settled(self, identity: Identity) -> bool:
        """Whether a file last changed so long ago that any later change shows."""
        device, now = self._clock or (0, 0)
        margin = TICK if device == identity.device else OTHER_CLOCK
        return max(identity.modified, identity.changed) + margin <= now


def _identity(status: os.stat_result) -> Identity:
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _read(path: Path) -> dict[str, tuple[Identity, str]]:
    try:
        seal, _, body = path.read_bytes().partition(b"\n")
        if seal != hashlib.sha256(body).hexdigest().encode():
            return {}
        kept = json.loads(body)
        files = kept["files"] if kept["v"] == VERSION else {}
        return {name: (Identity(*identity), digest) for name, (identity, digest) in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}

"""Writing the next folder of records: aside, under a lock, and into its place in one step."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ContentError
from .folder import FACTS, PLACE, PROVENANCE, SNAPSHOT, Folder, Line
from .removal import finish
from .snapshot_line import LOG

ROLL_OVER = 8 * 1024 * 1024
"""Bytes that a manifest file may have before the next one is begun."""

_INCOMING = ".incoming"
_BLOCK = 1 << 18
"""Bytes that are written at once."""


@contextmanager
def exclusive(root: Path) -> Iterator[None]:
    """Be the only writer of the site's records, and clear away or finish what a killed writer left.

    The lock is on the folder itself, so that it leaves no file behind and ends with the process.  Raises
    `ContentError` when another ingest is running.
    """
    place = root / PLACE
    with _failing_as_content(PLACE):
        place.mkdir(parents=True, exist_ok=True)
        handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            problem = "another ingest is writing to this site"
            raise ContentError("store-locked", problem, at=PLACE, hint="wait until it has ended") from None
        _sweep(place)
        finish(root)
        yield
    finally:
        os.close(handle)


def retract(root: Path, folder: Folder) -> None:
    """Remove a folder in one step; call it inside `exclusive`, for the newest folder alone.

    It first gets the name of a draft that was not published, so that what a killed removal leaves is no folder any
    more and is cleared away by the next writer.  Raises `ContentError`.
    """
    place = root / PLACE
    with _failing_as_content(folder.at()):
        folder.path.rename(place / _INCOMING)
        _sync(place)
    _sweep(place)


class Draft:
    """The next folder while it is being written.  Lines come without their line feed, in their final order.

    Without a `root` nothing touches the disk and only sizes and digests are computed, which is what a dry run needs.
    Use it inside `exclusive`, as a context manager: what is not published is removed.
    """

    def __init__(self, root: Path | None) -> None:
        self._place = root / PLACE if root else None
        self._directory = self._place / _INCOMING if self._place else None
        self._parts: list[_Part] = []
        self._rolled = 1
        self._log: _Part | None = None
        with _failing_as_content(PLACE):
            if self._directory:
                self._directory.mkdir()
            self._manifests = self._part("manifests.jsonl")
            self._provenance = self._part(PROVENANCE)
            self._facts = self._part(FACTS)

    def __enter__(self) -> "Draft":
        return self

    def __exit__(self, *_: object) -> None:
        for part in self._parts:
            part.close()
        if self._place:
            _sweep(self._place)

    def manifest(self, document: bytes) -> None:
        """Add a document; a file that would pass `ROLL_OVER` is followed by the next."""
        if self._manifests.size and self._manifests.size + len(document) + 1 > ROLL_OVER:
            with _failing_as_content(f"{PLACE}/{_INCOMING}/{self._manifests.name}"):
                self._manifests.settle()
            self._rolled += 1
            self._manifests = self._part(f"manifests-{self._rolled}.jsonl")
        self._manifests.add(document)

    def provenance(self, line: bytes) -> None:
        """Add a provenance line."""
        self._provenance.add(line)

    def fact(self, line: bytes) -> None:
        """Add a fact."""
        self._facts.add(line)

    def log(self, lines: Iterable[bytes] = ()) -> None:
        """Add lines of the publication log; a folder without `Journal` has none."""
        if self._log is None:
            self._log = self._part(LOG)
        for line in lines:
            self._log.add(line)

    def files(self) -> dict[str, Line]:
        """Size and SHA-256 of each file so far, by name, as the snapshot lists them."""
        return {part.name: {"bytes": part.size, "sha256": part.digest()} for part in self._parts}

    def publish(self, name: str, snapshot: bytes) -> None:
        """Make the folder appear under its name, whole; `snapshot` comes from `snapshot_bytes`."""
        if not self._directory or not self._place:
            return
        with _failing_as_content(f"{PLACE}/{name}"):
            part = self._part(SNAPSHOT)
            part.add(snapshot.removesuffix(b"\n"))
            for part in self._parts:
                part.settle()
            _sync(self._directory)
            self._directory.rename(self._place / name)
            _sync(self._place)

    def _part(self, name: str) -> "_Part":
        with _failing_as_content(f"{PLACE}/{_INCOMING}/{name}"):
            part = _Part(name, self._directory / name if self._directory else None)
        self._parts.append(part)
        return part


class _Part:
    """One file of a draft: counted and hashed while it is written."""

    def __init__(self, name: str, path: Path | None) -> None:
        self.name = name
        self.size = 0
        self._hash = hashlib.sha256()
        self._lines: list[bytes] = []
        self._waiting = 0
        self._stream = path.open("xb", buffering=0) if path else None

    def add(self, line: bytes) -> None:
        self._lines.append(line)
        size = len(line) + 1
        self.size += size
        self._waiting += size
        if self._waiting >= _BLOCK:
            self._write()

    def digest(self) -> str:
        self._write()
        return "sha256:" + self._hash.hexdigest()

    def _write(self) -> None:
        """Hash and write the lines that were added: a block at once, because a call for each is dearer than it."""
        if not self._lines:
            return
        block = b"\n".join((*self._lines, b""))
        self._lines.clear()
        self._waiting = 0
        self._hash.update(block)
        try:
            while self._stream and block:
                block = block[self._stream.write(block) :]
        except OSError as fault:
            raise _unwritable(f"{PLACE}/{_INCOMING}/{self.name}", fault) from None

    def settle(self) -> None:
        """Bring the bytes to the disk: a folder must not be renamed before its files are there."""
        self._write()
        if self._stream:
            os.fsync(self._stream.fileno())
            self._stream.close()
            self._stream = None

    def close(self) -> None:
        """Let go of the file; what a full disk did not take does not matter any more."""
        if self._stream:
            try:
                self._stream.close()
            except OSError:
                self._stream = None


def _sweep(place: Path) -> None:
    left = place / _INCOMING
    if left.exists():
        with _failing_as_content(f"{PLACE}/{_INCOMING}"):
            shutil.rmtree(left)


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _failing_as_content(at: str) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise _unwritable(at, fault) from None


def _unwritable(at: str, fault: OSError) -> ContentError:
    problem = f"cannot write: {fault.strerror or fault}"
    return ContentError("store-write", problem, at=at, hint="nothing was published; try again")

"""Which files still have the bytes that we wrote, known without reading them: by inode, size, mode and times.

The stamps of the live tree and of the standby tree are kept in one private file beside the output folder.  It can be
missing or thrown away, never wrong: it carries its own checksum and the identity of both trees, and a file that was
stamped so shortly after it changed that its time could not tell a further change is left out (`settled`).
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from stat import S_IMODE, S_ISREG

from .tree import CREATE, digest_file, is_folder

_MAGIC = b"leaderpress-stamps-1 "
_CLOCK_STEP = 20_000_000
"""ns; file times advance by the kernel's tick, at most 10 ms on Linux; two ticks, to be safe."""


@dataclass(slots=True)
class TreeStamps:
    """Stamps by path; `identity` ties them to one folder on disk with one `SHA256SUMS`."""

    identity: str = ""
    stamps: dict[str, str] = field(default_factory=dict)


def status_of(full: str) -> os.stat_result | None:
    """The status of a plain file; None for anything else."""
    try:
        status = os.lstat(full)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status if S_ISREG(status.st_mode) else None


def stamp(status: os.stat_result) -> str:
    """The stamp of a file: equal stamps, equal bytes, if it was settled.  The inode comes first."""
    mode = S_IMODE(status.st_mode)
    return f"{status.st_ino} {status.st_size} {mode:o} {status.st_mtime_ns} {status.st_ctime_ns}"


def identity_of(root: str, sums: bytes) -> str:
    """What the stamps of a tree are valid for: this folder (device and inode), holding these `SHA256SUMS`."""
    try:
        status = os.lstat(root)
    except OSError:
        return ""
    return f"{status.st_dev}-{status.st_ino}-{hashlib.sha256(sums).hexdigest()}"


def settled(lock: str) -> int:
    """The file system's clock now, in ns, less the step of its times.

    A file whose times are earlier cannot change any more without its times showing it.  The clock is read by touching
    the lock file, because only the file system's own clock compares with the times of its files.  Raises `OSError`.
    """
    os.utime(lock)
    return os.lstat(lock).st_mtime_ns - _CLOCK_STEP


def save(full: str, live: TreeStamps, standby: TreeStamps) -> None:
    """Write both trees' stamps anew.  A failure is not an error: the next build then reads files instead."""
    payload = "\n\n".join(_section(tree) for tree in (live, standby)).encode("ascii")
    with suppress(OSError):
        forget(full)
        with open(os.open(full, CREATE, 0o644), "wb") as stream:
            stream.write(_MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


def load(full: str) -> tuple[TreeStamps, TreeStamps]:
    """The stamps of the live and the standby tree; empty ones where the file is missing, torn or altered."""
    try:
        with open(full, "rb") as stream:
            head, _, payload = stream.read().partition(b"\n")
    except OSError:
        return TreeStamps(), TreeStamps()
    if head != _MAGIC + hashlib.sha256(payload).hexdigest().encode():
        return TreeStamps(), TreeStamps()
    live, standby = payload.decode("ascii").split("\n\n")
    return _read_section(live), _read_section(standby)


def forget(full: str) -> None:
    """Throw the stamps away, before anything that they speak of changes."""
    with suppress(FileNotFoundError):
        os.unlink(full)


def _section(tree: TreeStamps) -> str:
    # Alternating lines: the fastest form to read back, and it is read by every build.
    return "\n".join([tree.identity or "-", *(text for pair in tree.stamps.items() for text in pair)])


def _read_section(text: str) -> TreeStamps:
    identity, *lines = text.split("\n")
    return TreeStamps(identity, dict(zip(lines[::2], lines[1::2], strict=True)))


class Ledger:
    """Answers for one tree on disk whether a file still has its listed bytes, by stamp or else by reading it.

    `listed` is SHA-256 (hex) by path; what `stamps` says was settled at `clock` (ns, see `settled`).  Folders on the
    way must be real ones: a link planted in their place would lead out of the tree.
    """

    def __init__(self, root: str, listed: Mapping[str, str], stamps: Mapping[str, str], clock: int) -> None:
        self.root = root
        self.listed = listed
        self.stamps = dict(stamps)
        """Settled stamps of files that were found intact, or that were not looked at yet."""
        self.learned = False
        """Whether a file had to be read whose stamp can spare that the next time."""
        self.clock = clock
        self._prefix = root + "/"
        self._seen: dict[str, os.stat_result | None] = {}
        self._folders: dict[str, bool] = {"": True}

    def intact(self, path: str) -> os.stat_result | None:
        """The status of the file if it has exactly the bytes that were published, else None; looked at once."""
        if path in self._seen:
            return self._seen[path]
        found = self._seen[path] = self._look(path) if path in self.listed else None
        return found

    def _look(self, path: str) -> os.stat_result | None:
        full = self._prefix + path
        status = status_of(full) if self._real(path.rpartition("/")[0]) else None
        if status is None:
            self.stamps.pop(path, None)
            return None
        return status if self.stamps.get(path) == stamp(status) else self._read(path, full, status)

    def _read(self, path: str, full: str, status: os.stat_result) -> os.stat_result | None:
        self.stamps.pop(path, None)
        after = status_of(full) if digest_file(full) == self.listed[path] else None
        if after is None or stamp(after) != stamp(status):
            return None
        if status.st_ctime_ns < self.clock:
            self.stamps[path] = stamp(status)
            self.learned = True
        return status

    def _real(self, folder: str) -> bool:
        known = self._folders.get(folder)
        if known is None:
            known = self._real(folder.rpartition("/")[0]) and is_folder(self._prefix + folder)
            self._folders[folder] = known
        return known

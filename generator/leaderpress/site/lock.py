"""One build at a time: an flock on a file beside the output folder.

The file is never unlinked: a lock file that is deleted while held lets a second build in through a new file of the
same name.  The kernel frees the lock when its holder dies, however it dies.
"""

import errno
import fcntl
import os
from pathlib import Path

from ..errors import BuildError

_held: set[int] = set()


def _close_in_child() -> None:
    # A forked worker shares the lock's open file: an orphan that outlives a killed parent would hold the lock on.
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


class BuildLock:
    """Held from construction to `release`; raises `BuildError` at once where another process holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = self._acquire()
        _held.add(self._descriptor)

    def release(self) -> None:
        """Let the next build in; the file stays.  May be called again."""
        if self._descriptor in _held:
            _held.discard(self._descriptor)
            os.close(self._descriptor)

    def _acquire(self) -> int:
        while True:
            descriptor = self._open()
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._still_named(descriptor):
                    return descriptor
            except OSError as fault:
                os.close(descriptor)
                raise self._refusal(fault) from None
            os.close(descriptor)  # someone deleted the file between open and flock: lock the new one

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            return os.open(self._path, flags, 0o644)
        except OSError as fault:
            problem = f"cannot open the lock file: {fault.strerror}"
            raise BuildError("output-lock", problem, at=str(self._path)) from None

    def _still_named(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.lstat(self._path))
        except FileNotFoundError:
            return False

    def _refusal(self, fault: OSError) -> BuildError:
        if fault.errno in (errno.EAGAIN, errno.EACCES):
            hint = "wait until it is done, or build with another --site"
            return BuildError("build-running", "another build writes this site", at=str(self._path), hint=hint)
        return BuildError("output-lock", f"cannot lock: {fault.strerror}", at=str(self._path))

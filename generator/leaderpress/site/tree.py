"""Folders and files on disk: writing new ones, linking, carrying and removing them.

New files are created, never opened again: two trees may share a file by hard link, and a write in place would change
both.  Modes are 0644 and 0755 whatever the umask is.
"""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import BuildError
from ..inventory import Written, check_path, path_twice

FILE_MODE = 0o644
FOLDER_MODE = 0o755
_BLOCK = 1 << 18
_MANY_FOLDERS = 20_000
"""Folders that a writer remembers; a large site has more, and asking the system again does no harm."""
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""How every file is opened for writing: it must not exist yet."""
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""How a file is opened that may be anything by now: never through a link, and without waiting for a pipe."""


@contextmanager
def wrapped(action: str, at: str) -> Iterator[None]:
    """Turn an `OSError` into a `BuildError` that says what was being done and where."""
    try:
        yield
    except OSError as fault:
        raise os_fault(action, at, fault) from None


def os_fault(action: str, at: str, fault: OSError) -> BuildError:
    """The `BuildError` for an `OSError`."""
    hint = {
        errno.ENOSPC: "free some space; the published site was not changed",
        errno.EDQUOT: "the quota is used up; the published site was not changed",
        errno.EROFS: "the file system is read-only; build to a folder that can be written",
        errno.EACCES: "the build needs to write the output folder and the folder that holds it",
    }.get(fault.errno or 0, "")
    return BuildError("output-write", f"cannot {action}: {fault.strerror or fault}", at=at, hint=hint)


class TreeWriter:
    """Creates files below one folder; one for each process, several processes may share the folder.

    It remembers which of the last folders exist, so that the steady cost of a file is open, write and close.
    """

    __slots__ = ("_folders", "_prefix", "_set_modes", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._prefix = root + "/"
        self._folders = {""}
        self._set_modes = _umask_takes(FILE_MODE | FOLDER_MODE)

    def write(self, path: str, data: bytes) -> Written:
        """Create a file.

        Raises `BuildError` where the path is invalid or exists already, or the system refuses (a full disk included);
        nothing is left of a file that could not be written whole.
        """
        check_path(path)
        try:
            folder = path.rpartition("/")[0]
            if folder not in self._folders:
                self._make(folder)
            self._create(self._prefix + path, data)
        except OSError as fault:
            raise _write_fault(path, fault) from None
        return Written(len(data), hashlib.sha256(data).hexdigest())

    def write_chunks(self, path: str, chunks: Iterable[bytes]) -> Written:
        """Create a file from pieces, of which only one is held at a time; else see `write`."""
        check_path(path)
        try:
            self.make_folder(path.rpartition("/")[0])
            return create(self._prefix + path, chunks, set_mode=self._set_modes)
        except OSError as fault:
            raise _write_fault(path, fault) from None

    def make_folder(self, folder: str) -> None:
        """Make sure that a folder (root-relative, empty for the root) exists; raises `OSError`."""
        if folder not in self._folders:
            self._make(folder)

    def _create(self, full: str, data: bytes) -> None:
        descriptor = os.open(full, CREATE, FILE_MODE)
        try:
            if self._set_modes:
                os.fchmod(descriptor, FILE_MODE)
            _write_all(descriptor, data)
        except BaseException:
            os.unlink(full)
            raise
        finally:
            os.close(descriptor)

    def _make(self, folder: str) -> None:
        parent = folder.rpartition("/")[0]
        if parent not in self._folders:
            self._make(parent)
        full = self._prefix + folder
        # Another process may have been first; if it is a file that is in the way, the next open says so.
        with suppress(FileExistsError):
            os.mkdir(full, FOLDER_MODE)
            if self._set_modes:
                os.chmod(full, FOLDER_MODE)
        if len(self._folders) >= _MANY_FOLDERS:
            self._folders = {""}
        self._folders.add(folder)


_writer: TreeWriter | None = None


def write_file(root: str | os.PathLike[str], path: str, data: bytes) -> Written:
    """Create `path` below the folder `root` and return its size and SHA-256: what a worker process calls.

    See `TreeWriter.write`; the process keeps the writer of the folder that it wrote to last.
    """
    global _writer
    folder = os.fspath(root)
    if _writer is None or _writer.root != folder:
        _writer = TreeWriter(folder)
    return _writer.write(path, data)


def create(full: str, chunks: Iterable[bytes], *, set_mode: bool = False) -> Written:
    """Create a file from pieces, of which few are held at a time; raises `OSError`.

    Nothing is left of a file that could not be written whole.
    """
    descriptor = os.open(full, CREATE, FILE_MODE)
    hasher, size = hashlib.sha256(), 0
    try:
        if set_mode:
            os.fchmod(descriptor, FILE_MODE)
        for block in _blocks(chunks):
            hasher.update(block)
            size += _write_all(descriptor, block)
    except BaseException:
        os.unlink(full)
        raise
    finally:
        os.close(descriptor)
    return Written(size, hasher.hexdigest())


def _write_all(descriptor: int, data: bytes) -> int:
    done = os.write(descriptor, data)
    while done != len(data):
        # A full disk takes a part first and says so only at the next write.
        done += os.write(descriptor, memoryview(data)[done:]) or _stuck()
    return done


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in few larger pieces, none of them empty."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= _BLOCK:
            yield b"".join(held)
            held, size = [], 0
    if size:
        yield b"".join(held)


def _stuck() -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _umask_takes(mode: int) -> bool:
    # Reading the umask means setting it; 022 meanwhile harms no other thread.
    umask = os.umask(0o022)
    os.umask(umask)
    return bool(umask & mode)


def _write_fault(path: str, fault: OSError) -> BuildError:
    if fault.errno == errno.EEXIST:
        return path_twice(path)
    if fault.errno in (errno.ENOTDIR, errno.EISDIR):
        return BuildError("path-clash", f"{path!r} needs a folder where a file is, or is a folder", at=path)
    return os_fault("write", path, fault)


def digest_file(full: str) -> str | None:
    """SHA-256 (hex) of a regular file, None where there is none; never follows a link at its end."""
    found = measure(full)
    return found[1] if found else None


def measure(path: str | bytes, folder: int | None = None) -> tuple[os.stat_result, str] | None:
    """Status and SHA-256 (hex) of a regular file; None where there is none, or it changed while it was read.

    A relative `path` is below the open `folder`.  Never follows a link at its end.
    """
    try:
        descriptor = os.open(path, READ, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        hasher = hashlib.sha256()
        # One byte more than it has, so that the first read finds its end.
        wanted = min(status.st_size + 1, _BLOCK)
        while len(block := os.read(descriptor, wanted)) == wanted:
            hasher.update(block)
        hasher.update(block)
        after = os.fstat(descriptor)
        same = (status.st_size, status.st_ctime_ns) == (after.st_size, after.st_ctime_ns)
        return (status, hasher.hexdigest()) if same else None
    finally:
        os.close(descriptor)


@contextmanager
def opened(folder: str) -> Iterator[int]:
    """A folder that is not a link, held open: paths below it are shorter for the system; raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read(path: str | os.PathLike[str]) -> bytes | None:
    """The bytes of a file that is not a link; None where it cannot be read."""
    try:
        with open(os.open(path, READ), "rb") as stream:
            return stream.read()
    except OSError:
        return None


def link_or_copy(source: str, target: str) -> None:
    """Give a file a second name, or copy it where the file system or its owner does not allow that.

    A symbolic link is made again as a link.  Raises `OSError`.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as fault:
        copy_instead(fault, source, target)


def copy_instead(fault: OSError, source: str, target: str) -> None:
    """Copy what could not be linked, unless the `fault` is one that copying would meet too; raises `OSError`."""
    if fault.errno in (errno.EEXIST, errno.ENOENT, errno.ENOSPC, errno.EROFS):
        raise fault
    shutil.copy2(source, target, follow_symlinks=False)


def carry(source: str, target: str) -> None:
    """Bring a file, link or whole folder that is not ours into another tree; raises `OSError`."""
    if not is_folder(source):
        link_or_copy(source, target)
        return
    os.mkdir(target)
    for name in os.listdir(source):
        carry(f"{source}/{name}", f"{target}/{name}")
    shutil.copystat(source, target, follow_symlinks=False)


def make_folder(full: str) -> None:
    """Create one folder with mode 0755; raises `OSError`."""
    os.mkdir(full, FOLDER_MODE)
    os.chmod(full, FOLDER_MODE)


def foreign(
    root: str,
    loose: Iterable[str],
    is_folder_of_ours: Callable[[str], bool],
    is_listed: Callable[[str], bool],
    is_needed: Callable[[str], bool] = lambda _: False,
) -> list[str]:
    """What is below `root` and not ours, sorted: files, links, and whole folders that hold nothing of ours.

    `is_listed` says it of our files, `is_folder_of_ours` of the folders that hold them; those are known to hold
    nothing else, but for those that are `loose`.  A folder that `is_needed` may be someone's today and ours tomorrow.
    """
    found: list[str] = []
    for start in loose:
        pending = [start]
        while pending:
            folder = pending.pop()
            prefix = f"{folder}/" if folder else ""
            with os.scandir(f"{root}/{prefix}") as children:
                for child in children:
                    path = prefix + child.name
                    if is_listed(path):
                        continue
                    ours = is_folder_of_ours(path)
                    if not (ours or is_needed(path)) or not child.is_dir(follow_symlinks=False):
                        found.append(path)
                    elif not ours:
                        pending.append(path)
    return sorted(found)


def remove(full: str) -> bool:
    """Delete a file, a link or a whole tree; False where something could not be deleted.  Never follows a link."""
    with suppress(FileNotFoundError):
        try:
            if is_folder(full):
                shutil.rmtree(full, onerror=_unlock_and_retry)
            else:
                os.unlink(full)
        except OSError:
            return False
    return True


def _unlock_and_retry(function: Callable[..., Any], full: str, _: object) -> None:
    # Carried folders may be without write permission (module caches are); their parent then refuses the deletion.
    os.chmod(os.path.dirname(full), 0o700)
    if function in (os.unlink, os.rmdir):
        function(full)
    else:
        os.chmod(full, 0o700)
        shutil.rmtree(full)


def prune_folders(root: str, candidates: Collection[str]) -> None:
    """Delete those of these folders (root-relative) that are empty, deepest first."""
    for folder in sorted(candidates, key=lambda path: path.count("/"), reverse=True):
        with suppress(OSError):
            os.rmdir(f"{root}/{folder}")


def is_folder(full: str) -> bool:
    """Whether a real folder is there, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(full).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False

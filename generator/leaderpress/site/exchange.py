"""Put a finished tree in the place of the live one.

Three ways, the best that the file system allows: exchange both folders in one step (Linux `renameat2`), where no
reader ever misses a file and a kill leaves one whole site or the other; two renames, where a kill between them leaves
the old site under its `outgoing` name for the next build to put back; and, where the live folder cannot be renamed at
all (it is a mount point), file by file in an order in which what a page refers to is there before the page.
"""

import ctypes
import errno
import os
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from ..errors import BuildError
from ..inventory import INVENTORY, SUMS, folders_of
from .tree import CREATE, FILE_MODE, FOLDER_MODE, prune_folders, wrapped

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NOT_SUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM})
_NOT_MOVABLE = frozenset({errno.EBUSY, errno.EXDEV})
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PART = ".leaderpress-part"
"""Name of the one temporary file that `replace_files` makes in the live folder."""


def exchange(fresh: str, live: str, outgoing: str) -> str | None:
    """Make `fresh` the live tree and return where the old one is now (`fresh` or `outgoing`; "" if there was none).

    Returns None, with nothing changed, where the live folder cannot be moved: use `replace_files`.  Raises `OSError`,
    with the old tree in its place.
    """
    if not os.path.lexists(live):
        os.rename(fresh, live)
        return ""
    try:
        _swap(fresh, live)
        return fresh
    except OSError as fault:
        if fault.errno in _NOT_MOVABLE:
            return None
        if fault.errno not in _NOT_SUPPORTED:
            raise
    return _two_renames(fresh, live, outgoing)


def _swap(first: str, second: str) -> None:
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    if renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), first)


def _two_renames(fresh: str, live: str, outgoing: str) -> str | None:
    try:
        os.rename(live, outgoing)
    except OSError as fault:
        if fault.errno in _NOT_MOVABLE:
            return None
        raise
    try:
        os.rename(fresh, live)
    except OSError:
        os.rename(outgoing, live)
        raise
    return outgoing


def restore(live: str, outgoing: str) -> None:
    """Put a site back that a build killed between its two renames left under its `outgoing` name."""
    if os.path.lexists(outgoing) and not os.path.lexists(live):
        os.rename(outgoing, live)


def replace_files(fresh: str, live: str, written: Iterable[str], removed: Collection[str]) -> None:
    """Bring `live` up to date file by file: each new file whole by a rename, what was removed at the end.

    Old files that stand in the way of a new folder, or the reverse, go first.  Never follows a link.  Raises
    `BuildError`; the site then mixes two versions, each file whole, until the next build.
    """
    ordered = sorted(written, key=_safe_order)
    blocking = _in_the_way(ordered, removed)
    with wrapped("replace the files of", live):
        _unlink(live, blocking)
        for path in ordered:
            _replace(f"{fresh}/{path}", live, path)
        _unlink(live, [path for path in removed if path not in blocking])


def _safe_order(path: str) -> tuple[int, int, str]:
    # What is referred to comes first: objects, twins and assets, then pages from the leaves to the home page, then
    # feeds and the sitemap; the two files that vouch for the rest come last.
    suffix = PurePosixPath(path).suffix
    rank = {SUMS: 3, INVENTORY: 4}.get(path, {".html": 1, ".xml": 2, ".txt": 2}.get(suffix, 0))
    return rank, -path.count("/"), path


def _in_the_way(new: Collection[str], removed: Collection[str]) -> set[str]:
    folders, files = folders_of(new), set(new)
    blocking = {path for path in removed if path in folders}
    return blocking | {path for path in removed if not files.isdisjoint(folders_of([path]))}


def _unlink(live: str, paths: Collection[str]) -> None:
    for path in paths:
        folder = _open_folder(live, path, create=False)
        try:
            os.unlink(path.rpartition("/")[2], dir_fd=folder)
        finally:
            os.close(folder)
    prune_folders(live, folders_of(paths))


def _replace(source: str, live: str, path: str) -> None:
    part = f"{live}/{PART}"
    with open(source, "rb") as stream:
        data = stream.read()
    try:
        descriptor = os.open(part, CREATE, FILE_MODE)
    except FileExistsError:
        os.unlink(part)
        return _replace(source, live, path)
    with open(descriptor, "wb") as stream:
        os.fchmod(descriptor, FILE_MODE)
        stream.write(data)
    folder = _open_folder(live, path, create=True)
    try:
        os.rename(part, path.rpartition("/")[2], dst_dir_fd=folder)
    finally:
        os.close(folder)
    return None


def _open_folder(live: str, path: str, *, create: bool) -> int:
    """A descriptor of the folder that holds `path`; refuses links on the way."""
    descriptor = os.open(live, _FOLDER)
    for part in path.split("/")[:-1]:
        try:
            inner = _enter(descriptor, part, create=create)
        except NotADirectoryError:
            raise BuildError("output-conflict", "a link or a file stands where a folder is needed", at=path) from None
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _enter(folder: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    os.mkdir(name, FOLDER_MODE, dir_fd=folder)
    inner = os.open(name, _FOLDER, dir_fd=folder)
    os.fchmod(inner, FOLDER_MODE)
    return inner

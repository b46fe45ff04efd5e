"""The new tree, made of what this build wrote and of what it reuses from the live site.

Either the standby tree is brought up to date, so that the cost follows the change, or every reused file is linked
into the folder that the build wrote to.  Both end in a complete private tree; the live one is only read.
"""

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from stat import S_IMODE

from ..inventory import RESERVED, Files, folders_of
from .stamps import Ledger
from .tree import FILE_MODE, TreeWriter, link_or_copy, prune_folders


@dataclass(frozen=True, slots=True)
class Composed:
    """A tree at `root`; `kept` are the files of the standby tree that it still holds, untouched.

    Not `complete` is a tree without the reused files, good for replacing file by file only.
    """

    root: str
    kept: Collection[str] = frozenset()
    complete: bool = True


def by_linking(fresh: str, live: Ledger, reused: Collection[str]) -> Composed:
    """Complete the folder that the build wrote to by links to the live tree's files; raises `OSError`."""
    _link(live, fresh, reused)
    return Composed(fresh)


def worth_renewing(standby: Ledger, written: Collection[str], reused: Files) -> bool:
    """Whether bringing the standby tree up to date touches fewer files than linking every reused one."""
    same = sum(standby.listed.get(path) == file.sha256 for path, file in reused.items())
    return len(written) + len(reused) - same < same


def by_renewing(
    fresh: str, work: str, standby: Ledger, live: Ledger, written: Collection[str], reused: Files
) -> Composed:
    """Turn the standby tree into the new one at `work`; raises `OSError`.

    `work` is an empty folder that the standby tree replaces.
    """
    kept = {path for path, file in reused.items() if standby.listed.get(path) == file.sha256 and _sound(standby, path)}
    os.rename(standby.root, work)
    # Files that get new bytes are replaced, not deleted first: a reader who entered this tree when it was live, two
    # builds ago, still finds them.
    obsolete = [path for path in standby.listed if path not in written and path not in reused]
    for path in (*obsolete, *RESERVED):
        _drop(f"{work}/{path}")
    prune_folders(work, folders_of(obsolete))
    _link(live, fresh, [path for path in reused if path not in kept])
    _move(fresh, work, [path for path in (*written, *reused) if path not in kept])
    return Composed(work, kept)


def _sound(standby: Ledger, path: str) -> bool:
    status = standby.intact(path)
    return status is not None and S_IMODE(status.st_mode) == FILE_MODE


def _drop(full: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(full)


def _link(live: Ledger, target: str, paths: Collection[str]) -> None:
    writer = TreeWriter(target)
    for path in paths:
        writer.make_folder(path.rpartition("/")[0])
        link_or_copy(f"{live.root}/{path}", f"{target}/{path}")
        status = live.intact(path)
        if status is not None and S_IMODE(status.st_mode) != FILE_MODE:
            os.chmod(f"{target}/{path}", FILE_MODE)


def _move(fresh: str, work: str, paths: Collection[str]) -> None:
    writer = TreeWriter(work)
    for path in paths:
        writer.make_folder(path.rpartition("/")[0])
        os.rename(f"{fresh}/{path}", f"{work}/{path}")

"""The new tree, made of what this build wrote and of what it takes over from the live site.

Either the standby tree is brought up to date, so that the cost follows the change, or every file that is taken over
is linked into the folder that the build wrote to.  Both end in a complete private tree; the live one is only read.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from ..inventory import RESERVED, folders_of
from .cores import in_threads
from .gathered import Gathered
from .ledger import Ledger
from .stamps import Stamp, Stamps
from .standby import PLAIN, Standby
from .tree import FILE_MODE, TreeWriter, copy_instead, opened, prune_folders

_PORTION = 1000
"""Files that a thread links in one go."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A tree at `root`.

    Not `complete` is a tree without the files that are taken over, good for replacing file by file only.
    """

    root: str
    rows: Sequence[int] = ()
    """Rows of the new site whose files are new in this tree, so that nothing is known of them."""
    own: Mapping[int, Stamp] = field(default_factory=dict)
    """Stamps of the other files, where the live tree has another file of the same bytes."""
    folders: Sequence[str] = ()
    """Folders that there may be, the root left out."""
    folder_stamps: Stamps = field(default_factory=Stamps)
    """Stamps of those that were not touched."""
    complete: bool = True


def by_linking(fresh: str, live: Ledger, new: Gathered) -> Composed:
    """Complete the folder that the build wrote to by links to the live tree's files; raises `OSError`."""
    _link(live, fresh, new, range(len(new.paths)))
    folders = sorted(folders_of(new.paths))
    return Composed(fresh, range(len(new.paths)), {}, folders, Stamps(len(folders)))


def worth_renewing(standby: Standby, new: Gathered) -> bool:
    """Whether bringing the standby tree up to date touches fewer files than linking every one that is taken over."""
    return len(new.paths) < 2 * standby.equal(new)


def by_renewing(fresh: str, work: str, standby: Standby, live: Ledger, new: Gathered) -> Composed:
    """Turn the standby tree into the new one at `work`; raises `OSError`.

    `work` is an empty folder that the standby tree replaces.
    """
    kept, own = standby.kept(live, new)
    rows = [row for row, flag in enumerate(kept) if not flag]
    os.rename(standby.root, work)
    # Files that get new bytes are replaced, not deleted first: a reader who entered this tree when it was live, two
    # builds ago, still finds them.
    obsolete = set(standby.listing.paths).difference(new.paths)
    for path in (*obsolete, *RESERVED):
        _drop(f"{work}/{path}")
    prune_folders(work, folders_of(obsolete))
    _link(live, fresh, new, rows)
    moved = [new.paths[row] for row in rows]
    _move(fresh, work, moved)
    touched = folders_of((*obsolete, *moved))
    folders, stamps = standby.untouched(touched)
    return Composed(work, rows, own, *_with_others(folders, stamps, touched))


def _with_others(folders: Sequence[str], stamps: Stamps, touched: Iterable[str]) -> tuple[list[str], Stamps]:
    """Folders in order, also the touched ones that are new."""
    known = {folder: row for row, folder in enumerate(folders)}
    ordered = sorted({*folders, *touched})
    return ordered, stamps.pick([known.get(folder, -1) for folder in ordered])


def _drop(full: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(full)


def _link(live: Ledger, target: str, new: Gathered, rows: Iterable[int]) -> None:
    """Link those of these files that are taken over."""
    writer = TreeWriter(target)
    taken = [row for row in rows if new.live_rows[row] >= 0]
    paths = [new.paths[row] for row in taken]
    if not paths:
        return
    for path in paths:
        writer.make_folder(path.rpartition("/")[0])
    with opened(live.root) as source, opened(target) as goal:
        list(in_threads(partial(_link_some, live.root, source, target, goal), paths, _PORTION, live.threads))
    modes = live.stamps.columns[2]
    for row, path in zip(taken, paths, strict=True):
        if modes[new.live_rows[row]] != PLAIN:
            os.chmod(f"{target}/{path}", FILE_MODE)


def _link_some(root: str, source: int, target: str, goal: int, paths: Iterable[str]) -> None:
    """Link files from one folder into another; both are open, which spares the system a part of each path."""
    for path in paths:
        try:
            os.link(path, path, src_dir_fd=source, dst_dir_fd=goal, follow_symlinks=False)
        except OSError as fault:
            copy_instead(fault, f"{root}/{path}", f"{target}/{path}")


def _move(fresh: str, work: str, paths: Collection[str]) -> None:
    writer = TreeWriter(work)
    for path in paths:
        writer.make_folder(path.rpartition("/")[0])
        os.rename(f"{fresh}/{path}", f"{work}/{path}")

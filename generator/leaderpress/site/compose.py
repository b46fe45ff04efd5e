"""The new tree, made of what this build wrote and of what it takes over from the live site.

Either the standby tree is brought up to date, so that the cost follows the change, or every file that is taken over
is linked into the folder that the build wrote to.  Both end in a complete private tree; the live one is only read.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import and_

from ..inventory import RESERVED, folders_of
from .cores import in_threads
from .gathered import Gathered
from .ledger import Ledger
from .stamps import Stamp, Stamps
from .standby import PLAIN, Renewal
from .tree import FILE_MODE, TreeWriter, copy_instead, opened, prune_folders

_PORTION = 1000
"""Files that a thread links in one go."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A tree at `root`.

    Not `complete` is a tree without the files that are taken over, good for replacing file by file only.
    """

    root: str
    fresh: bytearray
    """By row of the new site: 1 for a file that is new in this tree, so that nothing is known of it."""
    own: Mapping[int, Stamp] = field(default_factory=dict)
    """Stamps of the other files, where the live tree has another file of the same bytes."""
    folders: Stamps = field(default_factory=Stamps)
    """Stamps of the folders that were not touched, in the order of `Listing.folders`."""
    complete: bool = True


def by_linking(fresh: str, live: Ledger, new: Gathered) -> Composed:
    """Complete the folder that the build wrote to by links to the live tree's files; raises `OSError`."""
    _link(live, fresh, new, new.shared)
    folders = Stamps(sum(1 for _ in new.listing.folders()))
    return Composed(fresh, bytearray(b"\1") * len(new.listing), folders=folders)


def by_renewing(fresh: str, work: str, renewal: Renewal, live: Ledger, new: Gathered) -> Composed:
    """Turn the standby tree into the new one at `work`; raises `OSError`.

    `work` is an empty folder that the standby tree replaces.
    """
    kept, own = renewal.kept()
    missing = kept.translate(_OTHER)
    os.rename(renewal.standby.root, work)
    # Files that get new bytes are replaced, not deleted first: a reader who entered this tree when it was live, two
    # builds ago, still finds them.
    for path in (*renewal.gone(), *RESERVED):
        _drop(f"{work}/{path}")
    prune_folders(work, folders_of(renewal.gone()))
    _link(live, fresh, new, bytearray(map(and_, missing, new.shared)))
    _move(fresh, work, _chosen(new, missing))
    touched = folders_of(chain(renewal.gone(), _chosen(new, missing)))
    return Composed(work, missing, own, renewal.untouched(touched))


_OTHER = bytes([1, 0]) + bytes(254)


def _chosen(new: Gathered, flags: bytearray) -> Iterator[str]:
    """The paths of some rows of the new site."""
    return (path.decode("ascii") for _, path in new.listing.chosen(flags))


def _drop(full: str) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(full)


def _link(live: Ledger, target: str, new: Gathered, flags: bytearray) -> None:
    """Link those of these files that are taken over."""
    if not any(flags):
        return
    with opened(live.root) as source, opened(target) as goal:
        writer = TreeWriter(target)
        paths = _with_folders(writer, _chosen(new, flags))
        for _ in in_threads(partial(_link_some, live.root, source, target, goal), paths, _PORTION, live.threads):
            pass
    every = live.stamps.part(2)
    for row, other, count in new.kept:
        modes = every[other : other + count]
        if modes.count(PLAIN) != count:
            for number, mode in enumerate(modes, row):
                if mode != PLAIN and flags[number]:
                    os.chmod(f"{target}/{new.listing.path(number)}", FILE_MODE)


def _with_folders(writer: TreeWriter, paths: Iterable[str]) -> Iterator[str]:
    """These paths, whose folders are there when they are given."""
    last = ""
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder != last:
            writer.make_folder(folder)
            last = folder
        yield path


def _link_some(root: str, source: int, target: str, goal: int, paths: Iterable[str]) -> None:
    """Link files from one folder into another; both are open, which spares the system a part of each path."""
    for path in paths:
        try:
            os.link(path, path, src_dir_fd=source, dst_dir_fd=goal, follow_symlinks=False)
        except OSError as fault:
            copy_instead(fault, f"{root}/{path}", f"{target}/{path}")


def _move(fresh: str, work: str, paths: Iterable[str]) -> None:
    for path in _with_folders(TreeWriter(work), paths):
        os.rename(f"{fresh}/{path}", f"{work}/{path}")

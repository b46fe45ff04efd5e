"""The tree that the last build replaced: what of it can stand in the next one.

Most of its files are second names of live ones.  Where a folder of it still has its stamp, its names lead to the
inodes that they led to, so that a file that the live tree shares is sound if the live one is.
"""

import os
from array import array
from collections.abc import Iterator
from functools import cached_property
from stat import S_IFREG

from ..inventory import RESERVED, SUMS
from .cores import Reader
from .gathered import Gathered
from .ledger import Ledger, differing_folders, folders_seen
from .listing import Listing
from .spans import Alike, Spans
from .stamps import Stamp, Stamps, TreeStamps, identity_of, stamp
from .tree import FILE_MODE, foreign, is_folder, opened

PLAIN = S_IFREG | FILE_MODE
"""Type and mode of every published file."""
_MANY = 10_000
"""Files of its own bytes that a standby tree is used for; more are linked anew."""
_PORTION = 8192
"""Files that are compared in one go."""


class Standby:
    """The standby tree at `root`, if it is the very one that `known` speaks of and holds nothing else."""

    def __init__(self, root: str, listing: Listing, known: TreeStamps) -> None:
        self.root = root
        self.listing = listing
        self.files = known.files
        self.folders = known.folders
        self.changed = {""}
        """Folders whose names may lead elsewhere by now."""

    @classmethod
    def open(cls, root: str, known: TreeStamps, beside: Reader | None = None) -> "Standby | None":
        """The standby tree as it was left; None where it is not usable.  `beside` is what `look_beside` gave."""
        tree = cls._known(root, known)
        return tree if tree is not None and tree._is_ours(beside) else None

    @classmethod
    def look_beside(cls, root: str, known: TreeStamps) -> Reader | None:
        """Let another process look at the folders of the tree now, for `open` to ask; None where there can be none."""
        return Reader(lambda: cls._differing(root, known)) if known.identity and hasattr(os, "fork") else None

    @classmethod
    def _known(cls, root: str, known: TreeStamps) -> "Standby | None":
        listing = Listing.open(f"{root}/{SUMS}") if known.identity and is_folder(root) else None
        if listing is None or identity_of(root, listing.digest) != known.identity:
            return None
        return cls(root, listing, known)

    @classmethod
    def _differing(cls, root: str, known: TreeStamps) -> Iterator[bytes]:
        tree = cls._known(root, known)
        if tree is not None:
            with opened(root) as folder:
                yield differing_folders(folder, tree.listing, tree.folders)

    def _is_ours(self, beside: Reader | None) -> bool:
        """Whether all folders are there and hold nothing but what is listed."""
        rows = beside.next() if beside is not None else None
        if rows is None:
            with opened(self.root) as root:
                rows = differing_folders(root, self.listing, self.folders)
        flags = bytearray(len(self.folders))
        for folder, is_there in folders_seen(self.listing, array("q", rows), flags):
            if not is_there:
                return False
            self.changed.add(folder.decode("ascii"))
        return not foreign(self.root, self.changed, self._is_folder, self._is_listed)

    def _is_folder(self, path: str) -> bool:
        return bool(self.listing.below(path.encode("utf-8", "surrogateescape")))

    def _is_listed(self, path: str) -> bool:
        return path in RESERVED or self.listing.row(path) >= 0


class Renewal:
    """What of a standby tree stands in the new site."""

    def __init__(self, standby: Standby, live: Ledger, new: Gathered) -> None:
        self.standby = standby
        self._live = live
        self._new = new

    @cached_property
    def alike(self) -> Alike:
        """The lines of the standby tree beside those of the new site."""
        return Alike(self.standby.listing, self._new.listing)

    @property
    def is_worth_it(self) -> bool:
        """Whether bringing the tree up to date touches fewer files than linking every one that is taken over."""
        return len(self._new.listing) < 2 * self.alike.equal.total

    def gone(self) -> Iterator[str]:
        """The paths of the standby tree that the new site does not have."""
        return map(self.standby.listing.path, self.alike.gone)

    def kept(self) -> tuple[bytearray, dict[int, Stamp]]:
        """By row of the new site: 1 where the tree holds the file, and stamps of those that `live` does not share."""
        flags, own = bytearray(len(self._new.listing)), dict[int, Stamp]()
        for place, row, length in self.alike.equal:
            for start, shared, count in self._new.kept.pieces(row, row + length, _PORTION):
                self._keep(range(place + start - row, place + start - row + count), start, shared, flags, own)
        for folder in self.standby.changed:
            for place, _ in self.standby.listing.inside(folder.encode("ascii")):
                if (row := self.alike.equal.other(place)) >= 0:
                    flags[row] = 0
                    shared = self._new.kept.other(row)
                    self._look(place, row, self._live.stamps[shared].inode if shared >= 0 else 0, flags, own)
        return flags, own

    def _keep(self, places: range, row: int, shared: int, flags: bytearray, own: dict[int, Stamp]) -> None:
        """Decide on some files, whose rows follow each other in all three trees; `shared` is -1 for written ones."""
        count = len(places)
        if shared < 0:
            inodes, modes = array("Q", bytes(8 * count)), array("I", bytes(4 * count))
        else:
            inodes, modes = (self._live.stamps.part(column, shared, shared + count) for column in (0, 2))
        theirs = self.standby.files.part(0, places.start, places.stop)
        if inodes == theirs and modes.count(PLAIN) == count:
            flags[row : row + count] = b"\1" * count
            return
        for number, place in enumerate(places):
            if not inodes[number] or inodes[number] != theirs[number]:
                self._look(place, row + number, inodes[number], flags, own)
            elif modes[number] == PLAIN:
                flags[row + number] = 1

    def _look(self, place: int, row: int, inode: int, flags: bytearray, own: dict[int, Stamp]) -> None:
        """Decide on one file by its own status; `inode` is that of the live file, 0 where there is none."""
        try:
            now = stamp(os.lstat(f"{self.standby.root}/{self.standby.listing.path(place)}"))
        except (FileNotFoundError, NotADirectoryError):
            return
        if now.mode != PLAIN:
            return
        if now.inode == inode:
            flags[row] = 1
        elif len(own) < _MANY and now == self.standby.files[place]:
            flags[row], own[row] = 1, now

    def untouched(self, touched: set[str]) -> Stamps:
        """Stamps of the folders of the new site, of those that are neither touched nor otherwise changed."""
        changed = {folder.encode("ascii") for folder in touched | self.standby.changed}
        rows, count = Spans(), 0
        old = enumerate(self.standby.listing.folders())
        row, known = next(old, (-1, b""))
        for count, folder in enumerate(self._new.listing.folders(), 1):
            while row >= 0 and known + b"/" < folder + b"/":
                row, known = next(old, (-1, b""))
            if known == folder and folder not in changed:
                rows.add(count - 1, row, 1)
        return self.standby.folders.placed(rows, count)

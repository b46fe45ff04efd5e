"""The tree that the last build replaced: what of it can stand in the next one.

Most of its files are second names of live ones.  Where a folder of it still has its stamp, its names lead to the
inodes that they led to, so that a file that the live tree shares is sound if the live one is.
"""

import os
from pathlib import Path
from stat import S_IFREG, S_ISDIR

from ..inventory import RESERVED, SUMS
from .gathered import Gathered
from .ledger import Ledger, Listing
from .stamps import Stamp, Stamps, TreeStamps, differing, identity_of, stamp
from .tree import FILE_MODE, foreign, is_folder, opened, read

PLAIN = S_IFREG | FILE_MODE
"""Type and mode of every published file."""


class Standby:
    """The standby tree at `root`, if it is the very one that `known` speaks of and holds nothing else."""

    def __init__(self, root: str, listing: Listing, known: TreeStamps) -> None:
        self.root = root
        self.listing = listing
        self._files = known.files
        self._folders = known.folders
        self._folder_stamps = known.folder_stamps
        self._changed = {""}
        """Folders whose names may lead elsewhere by now."""

    @classmethod
    def open(cls, root: str, known: TreeStamps) -> "Standby | None":
        """The standby tree as it was left; None where it is not usable."""
        sums = read(Path(root, SUMS)) if known.identity and is_folder(root) else None
        if sums is None or identity_of(root, sums) != known.identity:
            return None
        tree = cls(root, Listing.parse(sums, ours=True), known)
        return tree if tree._is_ours() else None

    def _is_ours(self) -> bool:
        """Whether all folders are there and hold nothing but what is listed."""
        with opened(self.root) as root:
            for row, status in differing(root, self._folders, self._folder_stamps):
                if status is None or not S_ISDIR(status.st_mode):
                    return False
                self._changed.add(self._folders[row])
        return not foreign(self.root, self._changed, set(self._folders), {*self.listing.paths, *RESERVED})

    def equal(self, new: Gathered) -> int:
        """Number of files that would be the same in the new site."""
        return len(set(self.listing.lines).intersection(new.lines))

    def kept(self, live: Ledger, new: Gathered) -> tuple[bytearray, dict[int, Stamp]]:
        """By row of the new site: 1 where this tree holds the file, and stamps of those that `live` does not share."""
        flags, own = bytearray(len(new.lines)), dict[int, Stamp]()
        rows = {line: row for row, line in enumerate(new.lines)}
        inodes, modes = live.stamps.columns[0], live.stamps.columns[2]
        for place, (line, inode) in enumerate(zip(self.listing.lines, self._files.columns[0], strict=True)):
            row = rows.get(line)
            if row is None:
                continue
            shared = new.live_rows[row]
            if shared < 0 or inodes[shared] != inode or line[66:].rpartition("/")[0] in self._changed:
                self._look(place, row, inodes[shared] if shared >= 0 else 0, flags, own)
            elif modes[shared] == PLAIN:
                flags[row] = 1
        return flags, own

    def _look(self, place: int, row: int, inode: int, flags: bytearray, own: dict[int, Stamp]) -> None:
        """Decide on one file by its own status; `inode` is that of the live file, 0 where there is none."""
        try:
            now = stamp(os.lstat(f"{self.root}/{self.listing.paths[place]}"))
        except (FileNotFoundError, NotADirectoryError):
            return
        if now.mode != PLAIN:
            return
        if now.inode == inode:
            flags[row] = 1
        elif now == self._files[place]:
            flags[row], own[row] = 1, now

    def untouched(self, touched: set[str]) -> tuple[list[str], Stamps]:
        """All folders, and the stamps of those that are neither touched nor otherwise changed."""
        stamps = self._folder_stamps
        return list(self._folders), stamps.without(
            row for row, folder in enumerate(self._folders) if folder in touched or folder in self._changed
        )

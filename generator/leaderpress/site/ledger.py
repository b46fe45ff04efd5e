"""Whether the files of one tree on disk still have the bytes that its `SHA256SUMS` lists: by stamp or by reading.

All files are looked at once, when the first is asked for.  Folders on the way must be real ones: a link planted in
the place of one would lead out of the tree.  Of each file a byte and, where it had to be read, a stamp is held.
"""

import os
from array import array
from collections.abc import Iterable, Iterator
from itertools import compress, count
from stat import S_ISDIR
from struct import Struct

from ..inventory import folders_of
from .cores import Reader, in_processes
from .listing import Listing, rows_of
from .stamps import NOTHING, Stamp, Stamps, TreeStamps, differing, stamp
from .tree import is_folder, measure, opened

_PORTION = 256
"""Files that are read in one go."""
_MEASURED = Struct("=QQIqq")


class Ledger:
    """What one tree holds; what `known` says of it was settled at `clock` (ns, see `settled`).

    `threads` files may be read at the same time; `read_all`: every file is, whatever its stamp says.
    """

    def __init__(
        self,
        root: str,
        listing: Listing,
        known: TreeStamps,
        clock: int,
        threads: int = 1,
        *,
        read_all: bool = False,
    ) -> None:
        self.root = root
        self.listing = listing
        self.clock = clock
        self.learned = False
        """Whether a file had to be read whose stamp can spare that the next time."""
        self.threads = threads
        self._known = known if len(known.files) == len(listing) else TreeStamps()
        self._trusts = bool(len(self._known.files)) and not read_all
        self._stamps = self._known.files
        self._held = False
        """Whether the stamps can be changed, as they must be where a file has another one."""
        self._sound = bytearray(b"\1") * len(listing)
        self._young = array("q")
        self._folder_stamps = self._known.folders
        self._loose = bytearray()
        """By row of `Listing.folders`: 1 where something may be in it that is not listed."""
        self._gone: set[str] = set()
        self._looked = not len(listing)
        self._beside: Reader | None = None

    @property
    def sound(self) -> bytearray:
        """By row: 1 if the file has exactly the listed bytes."""
        self.look()
        return self._sound

    @property
    def stamps(self) -> Stamps:
        """The stamps of all sound files as they are now, settled or not."""
        self.look()
        return self._stamps

    def loose(self) -> Iterator[str]:
        """Folders that may hold something that is not listed; the root is always one of them."""
        self.look()
        yield ""
        if not any(self._loose):
            return
        for folder in compress(self.listing.folders(), self._loose):
            if (name := folder.decode("ascii")) not in self._gone:
                yield name

    def has_folder(self, folder: str) -> bool:
        """Whether this is a folder of this tree, and is there."""
        self.look()
        return folder not in self._gone and bool(self.listing.below(folder.encode("utf-8", "surrogateescape")))

    def intact(self, path: str) -> Stamp | None:
        """The stamp of the file if it has exactly the bytes that were published, else None."""
        row = self.listing.row(path)
        return self.stamps[row] if row >= 0 and self.sound[row] else None

    def damaged(self) -> Iterator[str]:
        """The paths of files that are missing or changed."""
        return (self.listing.path(row) for row in rows_of(self.sound, 0))

    @property
    def settled(self) -> Stamps:
        """The stamps that tell of any further change, by row."""
        return self.stamps.without(self._young) if self._young else self.stamps

    def known(self, identity: str, inventory: str) -> TreeStamps:
        """What is known for the next time; the arguments as in `TreeStamps`."""
        loose = compress(count(), self._loose)
        folders = self._folder_stamps.without(loose) if any(self._loose) else self._folder_stamps
        return TreeStamps(identity, inventory, self.settled, folders)

    def look(self) -> None:
        """Look at every file, unless that was done.  What is read through other members is of that moment."""
        if self._looked:
            return
        self._looked = True
        if not is_folder(self.root):
            self._give_up(range(len(self._sound)))
            return
        with opened(self.root) as root:
            self._look_at_folders(root)
            self._read(root, self._suspects(root))
        self.look_no_more()

    def look_beside(self) -> None:
        """Let another process begin to look now, so that this one can do something else until it needs to know.

        Where there can be no such process, or it dies, `look` does all by itself.
        """
        if not self._looked and self._beside is None and self._trusts and hasattr(os, "fork"):
            self._beside = Reader(self._differing)

    def look_no_more(self) -> None:
        """End the process that looks, if there is one."""
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.stop()

    def _differing(self) -> Iterator[bytes]:
        """Rows of folders, then of files that have not their stamps, for `_seen`."""
        with opened(self.root) as root:
            yield differing_folders(root, self.listing, self._folder_stamps)
            yield array("q", [row for row, _, _ in self._differing_files(root)]).tobytes()

    def _differing_files(self, root: int) -> Iterator[tuple[int, bytes, os.stat_result | None]]:
        return differing(root, self.listing.paths(), self._known.files)

    def _seen(self) -> "array[int] | None":
        """What the process that looks says next."""
        piece = self._beside.next() if self._beside is not None else None
        return None if piece is None else array("q", piece)

    def _look_at_folders(self, root: int) -> None:
        """Find folders that changed, and give up the files below those that are none."""
        seen = self._seen() if len(self._folder_stamps) else None
        if not len(self._folder_stamps):
            self._folder_stamps = Stamps(sum(1 for _ in self.listing.folders()))
        self._loose = bytearray(len(self._folder_stamps))
        if seen is None:
            seen = array("q", differing_folders(root, self.listing, self._folder_stamps))
        for folder, is_there in folders_seen(self.listing, seen, self._loose):
            if not is_there:
                self._give_up(self.listing.below(folder))
                self._gone.add(folder.decode("ascii"))
        if self._gone:
            folders = (folder.decode("ascii") for folder in self.listing.folders())
            self._gone.update(name for name in folders if not self._gone.isdisjoint(folders_of((name + "/x",))))

    def _suspects(self, root: int) -> bytearray:
        """By row: 1 for the files that have to be read."""
        if not self._trusts:
            return self._sound[:]
        suspects = bytearray(len(self._sound))
        seen = self._seen()
        for row in (row for row, _, _ in self._differing_files(root)) if seen is None else seen:
            suspects[row] = self._sound[row]
        return suspects

    def _read(self, root: int, suspects: bytearray) -> None:
        if not any(suspects):
            return
        self._hold()

        def files() -> Iterator[tuple[int, bytes]]:
            return compress(zip(count(), self.listing.lines()), suspects)

        def read(some: Iterable[tuple[int, bytes]]) -> bytes:
            return b"".join(_measure(root, line) for _, line in some)

        for some, measured in in_processes(read, files, _PORTION, self.threads):
            for (row, _), now in zip(some, _MEASURED.iter_unpack(measured), strict=True):
                self._note(row, Stamp(*now))

    def _note(self, row: int, now: Stamp) -> None:
        if now == NOTHING:
            self._give_up((row,))
            return
        self._stamps[row] = now
        if now.changed < self.clock:
            self.learned = True
        else:
            self._young.append(row)

    def _hold(self) -> None:
        if not self._held:
            self._held = True
            self._stamps = self._stamps.copy() if len(self._stamps) else Stamps(len(self._sound))

    def _give_up(self, rows: Iterable[int]) -> None:
        self._hold()
        for row in rows:
            self._sound[row] = 0
            self._stamps[row] = NOTHING


def differing_folders(root: int, listing: Listing, known: Stamps) -> bytes:
    """Rows of the folders that have not their stamps, as an array's bytes; `-1 - row` for one that is no folder."""
    rows = (
        row if status is not None and S_ISDIR(status.st_mode) else -1 - row
        for row, _, status in differing(root, listing.folders(), known)
    )
    return array("q", rows).tobytes()


def folders_seen(listing: Listing, seen: "array[int]", flags: bytearray) -> Iterator[tuple[bytes, bool]]:
    """(path, whether it is a folder) of each of these rows, which are marked in `flags` (one for each folder)."""
    if not seen:
        return
    for row in seen:
        flags[row if row >= 0 else -1 - row] = 1
    for row, folder in zip(seen, compress(listing.folders(), flags), strict=True):
        yield folder, row >= 0


def _measure(root: int, line: bytes) -> bytes:
    """The stamp of the file if it has the listed bytes, else that of nothing; as bytes."""
    measured = measure(line[66:], root)
    fits = measured is not None and measured[1].encode() == line[:64]
    return _MEASURED.pack(*(stamp(measured[0]) if measured is not None and fits else NOTHING))

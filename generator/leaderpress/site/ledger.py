"""Whether the files of one tree on disk still have the bytes that its `SHA256SUMS` lists: by stamp or by reading.

All files are looked at once, when the first is asked for.  Folders on the way must be real ones: a link planted in
the place of one would lead out of the tree.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from stat import S_ISDIR

from ..inventory import folders_of, parse_sums
from .cores import in_threads
from .stamps import NOTHING, Stamp, Stamps, TreeStamps, differing, stamp
from .tree import is_folder, measure, opened

_PORTION = 256
"""Files that a thread reads in one go."""


class Listing:
    """A `SHA256SUMS`, by rows; `lines` are `<64 hex>  <path>`."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self.lines = lines
        self.paths = [line[66:] for line in lines]

    @classmethod
    def parse(cls, sums: bytes, *, ours: bool = False) -> "Listing":
        """Read it; `ours`: it is known to be as we wrote it.  Raises `BuildError`."""
        if ours:
            return cls(sums.decode("ascii").split("\n")[:-1])
        return cls([f"{digest}  {path}" for path, digest in parse_sums(sums).items()])

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row by path."""
        return {path: row for row, path in enumerate(self.paths)}


class Digests(Mapping[str, str]):
    """SHA-256 (hex) by path, read from the lines of a listing."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    def __getitem__(self, path: str) -> str:
        return self._listing.lines[self._listing.rows[path]][:64]

    def __contains__(self, path: object) -> bool:
        return path in self._listing.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._listing.paths)

    def __len__(self) -> int:
        return len(self._listing.paths)


class Ledger:
    """What one tree holds; what `known` says of it was settled at `clock` (ns, see `settled`).

    `threads` may read files at the same time.
    """

    def __init__(self, root: str, listing: Listing, known: TreeStamps, clock: int, threads: int = 1) -> None:
        self.root = root
        self.listing = listing
        self.clock = clock
        self.learned = False
        """Whether a file had to be read whose stamp can spare that the next time."""
        self.threads = threads
        self._known = known if len(known.files) == len(listing.lines) else TreeStamps()
        self._stamps = self._known.files.without(()) if len(self._known.files) else Stamps(len(listing.lines))
        self._sound = bytearray(b"\1") * len(listing.lines)
        self._young: set[int] = set()
        self._folders = self._known.folders
        self._folder_stamps = self._known.folder_stamps
        self._loose: set[str] = set()
        self._gone: set[str] = set()
        self._looked = not listing.lines

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

    @property
    def loose(self) -> set[str]:
        """Folders that may hold something that is not listed; the root is always one of them."""
        self.look()
        return {"", *self._loose}

    @property
    def folders(self) -> set[str]:
        """All folders of this tree that are there, without the root."""
        self.look()
        return set(self._folders) - self._gone

    def intact(self, path: str) -> Stamp | None:
        """The stamp of the file if it has exactly the bytes that were published, else None."""
        row = self.listing.rows.get(path)
        return self.stamps[row] if row is not None and self.sound[row] else None

    def damaged(self) -> Iterator[str]:
        """The paths of files that are missing or changed."""
        return (self.listing.paths[row] for row, sound in enumerate(self.sound) if not sound)

    @property
    def settled(self) -> Stamps:
        """The stamps that tell of any further change, by row."""
        return self.stamps.without(self._young)

    def known(self, identity: str, inventory: str) -> TreeStamps:
        """What is known for the next time; the arguments as in `TreeStamps`."""
        unknown = self._loose | self._gone
        loose = (row for row, folder in enumerate(self._folders) if folder in unknown)
        return TreeStamps(identity, inventory, self.settled, self._folders, self._folder_stamps.without(loose))

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

    def _look_at_folders(self, root: int) -> None:
        """Find folders that changed, and give up the files below those that are none."""
        if not self._folders:
            self._folders = sorted(folders_of(self.listing.paths))
            self._folder_stamps = Stamps(len(self._folders))
        gone: set[str] = set()
        for row, status in differing(root, self._folders, self._folder_stamps):
            if status is None or not S_ISDIR(status.st_mode):
                gone.add(self._folders[row])
            else:
                self._loose.add(self._folders[row])
        if gone:
            gone.update(folder for folder in self._folders if not gone.isdisjoint(folders_of((folder + "/x",))))
            self._loose -= gone
            self._gone = gone
            paths = enumerate(self.listing.paths)
            self._give_up(row for row, path in paths if path.rpartition("/")[0] in gone)

    def _suspects(self, root: int) -> list[int]:
        if not len(self._known.files):
            return [row for row, sound in enumerate(self._sound) if sound]
        suspects = [row for row, _ in differing(root, self.listing.paths, self._known.files)]
        return [row for row in suspects if self._sound[row]]

    def _read(self, root: int, rows: Sequence[int]) -> None:
        measured = in_threads(lambda some: self._measure(root, some), rows, _PORTION, self.threads)
        for row, now in zip(rows, chain.from_iterable(measured), strict=True):
            self._note(row, now)

    def _measure(self, root: int, rows: Iterable[int]) -> list[Stamp | None]:
        found: list[Stamp | None] = []
        for row in rows:
            line = self.listing.lines[row]
            measured = measure(line[66:], root)
            found.append(stamp(measured[0]) if measured is not None and measured[1] == line[:64] else None)
        return found

    def _note(self, row: int, now: Stamp | None) -> None:
        if now is None:
            self._give_up((row,))
            return
        self._stamps[row] = now
        if now.changed < self.clock:
            self.learned = True
        else:
            self._young.add(row)

    def _give_up(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._sound[row] = 0
            self._stamps[row] = NOTHING

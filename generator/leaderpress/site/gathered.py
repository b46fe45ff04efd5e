"""The site that a build gathers: what it wrote, and what it takes over from the published one.

Its `SHA256SUMS` is written to the private tree at once and read from there: where nothing changed, many lines are
copied from the published one in one piece.
"""

from array import array
from collections.abc import Iterator, Mapping

from ..canonical import Json
from ..inventory import INVENTORY_END, SUMS, inventory_head, path_twice
from .clashes import check_paths
from .ledger import Ledger
from .listing import STEP, Listing, rows_of
from .spans import Spans
from .spool import Spool
from .stamps import Stamps
from .tree import TreeWriter

DROPPED, TAKEN, REPLACED = 0, 1, 2
"""What becomes of a published file: it has no place in the new site, it stays, or it was written again."""
_FEW = 1000
"""New paths that are each compared with the published ones; with more, all are compared with each other."""


class Gathered:
    """Every file of the new site, in the order of its `SHA256SUMS`.  `taken`: see `TAKEN`, by row of the live tree.

    Raises `BuildError` for a path that stands twice, and what reading `written` raises.
    """

    def __init__(self, live: Ledger, taken: bytearray, written: Spool, writer: TreeWriter) -> None:
        self._live = live
        self.states = taken[:]
        """What becomes of each published file, by row."""
        self.sizes = array("Q")
        """Bytes of each file."""
        self.kept = Spans()
        """Rows of files that are taken over, and their rows in the live tree."""
        self.shared = bytearray()
        """By row: 1 for a file that is taken over, 0 for one that was written."""
        self._added: list[bytes] = []
        self._old_sizes = live.stamps.part(1) if len(live.listing) else array("Q")
        self.sums = writer.write_chunks(SUMS, self._lines(written))
        """Size and digest of `SHA256SUMS`."""
        self.listing = Listing.written(f"{writer.root}/{SUMS}", len(self.sizes), *self.sums)
        self.size = sum(self.sizes)
        """Bytes of all files together."""

    def _lines(self, written: Spool) -> Iterator[bytes]:
        """The text of `SHA256SUMS` in pieces; notes everything else about each file on the way."""
        listing, before, done = self._live.listing, b"", 0
        for path, digest, size in written:
            if path == before:
                raise path_twice(path.decode("ascii"))
            before = path
            row, listed = listing.place(path) if len(listing) else (0, False)
            yield from self._take(done, row)
            done = row + 1 if listed else row
            if listed:
                self._replace(row, path)
            elif len(self._added) <= _FEW:
                self._added.append(path)
            self.sizes.append(size)
            self.shared.append(0)
            yield b"%b  %b\n" % (digest, path)
        yield from self._take(done, len(listing))

    def _replace(self, row: int, path: bytes) -> None:
        if self.states[row]:
            raise path_twice(path.decode("ascii"))
        self.states[row] = REPLACED

    def _take(self, start: int, stop: int) -> Iterator[bytes]:
        """The lines of those of some live rows that are taken over."""
        listing, states = self._live.listing, self.states
        while start < stop and (start := states.find(TAKEN, start, stop)) >= 0:
            end = states.find(DROPPED, start, stop)
            end = stop if end < 0 else end
            self.kept.add(len(self.sizes), start, end - start)
            self.sizes.extend(self._old_sizes[start:end])
            self.shared.extend(b"\1" * (end - start))
            if end - start < STEP:
                yield b"".join(listing.line(row) + b"\n" for row in range(start, end))
            else:
                yield from listing.text(start, end)
            start = end

    def writes(self, path: str) -> str | None:
        """SHA-256 (hex) of a file that was written, None for any other path."""
        row = self.listing.row(path)
        return self.listing.line(row)[:64].decode("ascii") if row >= 0 and not self.shared[row] else None

    def writes_below(self, folder: str) -> bool:
        """Whether a file was written in a folder or below it."""
        rows = self.listing.below(folder.encode("utf-8", "surrogateescape"))
        return self.shared.find(0, rows.start, rows.stop) >= 0

    def written(self) -> Iterator[str]:
        """The paths of all files that were written."""
        return (path.decode("ascii") for _, path in self.listing.chosen(self.shared.translate(_OTHER)))

    def dropped(self) -> Iterator[str]:
        """The published paths that the new site does not have."""
        return (self._live.listing.path(row) for row in rows_of(self.states, DROPPED))

    def removed(self) -> Iterator[str]:
        """The same of files that have our bytes."""
        sound = self._live.sound
        return (self._live.listing.path(row) for row in rows_of(self.states, DROPPED) if sound[row])

    def inventory(self, meta: Mapping[str, Json]) -> Iterator[bytes]:
        """The text of `inventory.json` in pieces."""
        yield inventory_head(len(self.sizes), self.size, self.sums, meta)
        yield from file_lines(self.listing, self.sizes)
        yield INVENTORY_END

    def stamps(self) -> Stamps:
        """What is known of each file; nothing of those that were written."""
        return self._live.settled.placed(self.kept, len(self.sizes))

    def check_clashes(self, *, checked: bool) -> None:
        """Refuse paths that some host would take for another; raises `BuildError` naming both.

        `checked`: the paths of the live tree were checked against each other.
        """
        few = checked and len(self._added) <= _FEW
        if self._added or not checked:
            check_paths(self.listing, self._added if few else None)


def file_lines(listing: Listing, sizes: "array[int]") -> Iterator[bytes]:
    """What stands in `inventory.json` about all files, in pieces."""
    row, comma = 0, b""
    for text in listing.text():
        lines = text[:-1].split(b"\n")
        some = zip(lines, sizes[row : row + len(lines)], strict=True)
        # Paths are plain ASCII without quotes or backslashes (check_path), so they need no escape.
        yield comma + b",\n".join(
            [b'"%b":{"digest":"sha256:%b","size":%d}' % (line[66:], line[:64], size) for line, size in some]
        )
        row, comma = row + len(lines), b",\n"


_OTHER = bytes([1, 0]) + bytes(254)

"""The site that a build gathers: what it wrote, and what it takes over from the published one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import TypeVar

from ..canonical import Json
from ..inventory import Files, PathSet, Written, file_line, file_lines_of, folders_of, inventory_text
from .ledger import Ledger
from .stamps import Stamps

Value = TypeVar("Value")


class Gathered:
    """Every file of the new site, in the order of its `SHA256SUMS`.

    `taken` says for each row of the live tree whether its file is taken over.
    """

    def __init__(self, live: Ledger, taken: bytearray, written: Files) -> None:
        self._live = live
        self._taken = taken
        self.written = written
        self._new = sorted(written)
        rows = list(compress(range(len(taken)), taken))
        paths = [*compress(live.listing.paths, taken), *self._new]
        self._order = sorted(range(len(paths)), key=paths.__getitem__)
        self.paths = [paths[place] for place in self._order]
        self.live_rows = self._arrange(rows, [-1] * len(self._new))
        """Row in the live tree of each file, -1 for one that was written."""

    def _arrange(self, taken: Sequence[Value], new: Sequence[Value]) -> list[Value]:
        """Values of the files that are taken over and of the written ones, by path, in the order of all paths."""
        values = [*taken, *new]
        return [values[place] for place in self._order]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of `SHA256SUMS`, without line feeds."""
        new = [f"{self.written[path].sha256}  {path}" for path in self._new]
        return self._arrange(list(compress(self._live.listing.lines, self._taken)), new)

    @cached_property
    def sizes(self) -> list[int]:
        """Bytes of each file."""
        new = [self.written[path].size for path in self._new]
        return self._arrange(list(compress(self._live.stamps.columns[1], self._taken)), new)

    @property
    def sums(self) -> bytes:
        """The text of `SHA256SUMS`."""
        return "".join(f"{line}\n" for line in self.lines).encode("ascii")

    def inventory(self, sums: bytes, meta: Mapping[str, Json], before: bytes = b"") -> bytes:
        """The text of `inventory.json`; `before` is that of the live tree, where it is as we wrote it."""
        if before:
            new = [file_line(path, self.written[path]) for path in self._new]
            lines = self._arrange(list(compress(file_lines_of(before), self._taken)), new)
        else:
            lines = [
                file_line(line[66:], Written(size, line[:64]))
                for line, size in zip(self.lines, self.sizes, strict=True)
            ]
        return inventory_text(lines, sum(self.sizes), sums, meta)

    def stamps(self) -> Stamps:
        """What is known of each file; nothing of those that were written."""
        return self._live.settled.pick(self.live_rows)

    def removed(self) -> Iterator[int]:
        """Rows of live files with our bytes that the new site does not have."""
        live = self._live
        for row, taken in enumerate(self._taken):
            if not taken and live.sound[row] and live.listing.paths[row] not in self.written:
                yield row

    def check_clashes(self) -> None:
        """Refuse new paths that some host would take for another; raises `BuildError` naming both."""
        new = [path for path in self._new if path not in self._live.listing.rows]
        if new and self._may_clash(new):
            self.check_all_clashes()

    def check_all_clashes(self) -> None:
        """The same where the paths of the live tree were not checked against each other."""
        paths = PathSet()
        for path in self.paths:
            paths.add(path)

    def _may_clash(self, new: Sequence[str]) -> bool:
        """Whether a new path could clash with one of the published, which were checked against each other."""
        files = set(map(str.casefold, self._live.listing.paths))
        folders = {folder.casefold(): folder for folder in self._live.folders}
        inside = folders_of(new)
        return (
            any(path.casefold() in files or path.casefold() in folders for path in new)
            or any(folder.casefold() in files for folder in inside)
            or any(folders.get(folder.casefold(), folder) != folder for folder in inside)
        )

"""Where lines of one listing stand in another: few runs of rows, however long the listings are."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator

from .listing import STEP, Listing

_LINES = 4 * STEP
"""Lines that are compared in one go, before they are compared one by one."""


class Spans:
    """Runs of rows that stand in both of two listings, in order."""

    def __init__(self) -> None:
        self.here = array("q")
        self.there = array("q")
        self.lengths = array("q")
        self.total = 0
        """Rows in all runs together."""

    def add(self, here: int, there: int, length: int) -> None:
        """Take in `length` rows, `here` in the one listing and `there` in the other, that follow all earlier ones."""
        self.total += length
        if self.lengths:
            last = self.lengths[-1]
            if self.here[-1] + last == here and self.there[-1] + last == there:
                self.lengths[-1] += length
                return
        self.here.append(here)
        self.there.append(there)
        self.lengths.append(length)

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """(here, there, length) of each run."""
        return zip(self.here, self.there, self.lengths, strict=True)

    def other(self, here: int) -> int:
        """The row there of a row here, -1 where it has none."""
        at = bisect_right(self.here, here) - 1
        inside = here - self.here[at] if at >= 0 else -1
        return self.there[at] + inside if 0 <= inside < self.lengths[at] else -1

    def pieces(self, start: int, stop: int, most: int) -> Iterator[tuple[int, int, int]]:
        """Some rows here, `most` at a time: (row, the row there or -1 for rows without one, how many)."""
        at = max(bisect_right(self.here, start) - 1, 0)
        while start < stop:
            while at < len(self.here) and self.here[at] + self.lengths[at] <= start:
                at += 1
            here = self.here[at] if at < len(self.here) else stop
            if here > start:
                end, other = min(here, stop, start + most), -1
            else:
                end, other = min(here + self.lengths[at], stop, start + most), self.there[at] + start - here
            yield start, other, end - start
            start = end


class Alike:
    """Two listings side by side: `equal` lines, and rows of the first whose path the second does not have (`gone`)."""

    def __init__(self, here: Listing, there: Listing) -> None:
        self.equal = Spans()
        self.gone = array("q")
        self._here = here
        self._there = there
        self._compare()

    def _compare(self) -> None:
        here, there = self._here, self._there
        row = place = 0
        for start in range(0, len(here), _LINES):
            stop = min(start + _LINES, len(here))
            begin, end = here.offset(start), here.offset(stop)
            lines = here.piece(begin, end - begin)
            if there.piece(place, len(lines)) == lines:
                self.equal.add(start, row, stop - start)
                row, place = row + stop - start, place + len(lines)
                continue
            after = there.place(here.first(stop))[0] if stop < len(here) else len(there)
            goal = there.offset(after)
            self._merge(start, lines, row, there.piece(place, goal - place))
            row, place = after, goal

    def _merge(self, start: int, here: bytes, row: int, there: bytes) -> None:
        """Compare some lines one by one, beginning at these rows."""
        rows = {line: number for number, line in enumerate(there[:-1].split(b"\n") if there else (), row)}
        paths = {line[66:] for line in rows}
        for number, line in enumerate(here[:-1].split(b"\n"), start):
            other = rows.get(line)
            if other is not None:
                self.equal.add(number, other, 1)
            elif line[66:] not in paths:
                self.gone.append(number)

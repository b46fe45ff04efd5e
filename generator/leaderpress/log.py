"""The publication log: one line for each publication, in order, so that nothing can be taken back in silence.

`<number> <published_at> <document sha256> <identity sha256> <kind>`, each ended by a line feed; numbers count from 1.
A *checkpoint* is the number of the first lines of a log and the SHA-256 of their bytes.  Whoever kept one can prove
with `head -n <lines> log.txt | sha256sum` that a newer log only goes on where the older one ended.

This module is the format (version `VERSION`) and nothing else: pure, and it streams, because a log has millions of
lines.  Lines are bytes with their line feed.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from .errors import ContentError

VERSION = 1
"""Of the form of a line; a log never mixes two."""

LOG = "log/log.txt"
CHECKPOINT = "log/checkpoint"
"""Where a site publishes them."""

MAX_LINE_BYTES = 256

_DAY = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_LINE = re.compile(rf"([1-9]\d{{0,15}}) ({_DAY}) ([0-9a-f]{{64}}) ([0-9a-f]{{64}}) ([A-Z][A-Za-z]{{0,63}})\n", re.ASCII)
_CHECKPOINT = re.compile(rb"(0|[1-9]\d{0,15}) ([0-9a-f]{64})\n")
_FORM = "<number> <published_at> <document sha256> <identity sha256> <kind>"


class LogLine(NamedTuple):
    """One publication."""

    number: int
    """Its line, from 1."""
    published_at: str
    """YYYY-MM-DD: the day that the ingest states; of a note the day that it bears."""
    document: str
    """Digest of the whole document; a title that changes makes another."""
    identity: str
    """Digest of the identity body, under which it is cited and served; of a note or snapshot the same as `document`."""
    kind: str
    """Kind of the manifest, or of the note with a capital letter; `Snapshot` closes what an ingest or seal adds."""

    def text(self) -> bytes:
        """The bytes of the line, with its line feed."""
        document, identity = self.document.removeprefix("sha256:"), self.identity.removeprefix("sha256:")
        return f"{self.number} {self.published_at} {document} {identity} {self.kind}\n".encode("ascii")


class Checkpoint(NamedTuple):
    """The first lines of a log, by their number and the digest of their bytes."""

    lines: int
    sha256: str
    """64 hex digits, as `sha256sum` prints them."""

    def text(self) -> bytes:
        """The bytes of `log/checkpoint`."""
        return f"{self.lines} {self.sha256}\n".encode("ascii")


EMPTY = Checkpoint(0, hashlib.sha256().hexdigest())
"""Of a log without a line."""


class Difference(NamedTuple):
    """The first line in which two logs differ; None where one has ended."""

    number: int
    expected: bytes | None
    found: bytes | None


class Tally:
    """Counts and hashes the lines of a log as they go by."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.lines = 0

    def add(self, line: bytes) -> None:
        """Take in the next line, with its line feed."""
        self.lines += 1
        self._hash.update(line)

    def add_many(self, lines: bytes, count: int) -> None:
        """Take in `count` lines at once."""
        self.lines += count
        self._hash.update(lines)

    def checkpoint(self) -> Checkpoint:
        """Of all lines so far."""
        return Checkpoint(self.lines, self._hash.hexdigest())


def parse_line(line: bytes, number: int, at: str) -> LogLine:
    """Read line `number` of the log `at`; raises `ContentError` at that line for anything that is not exactly one."""
    place = f"{at}:{number}"
    match = _LINE.fullmatch(line.decode("ascii", "replace"))
    if match is None:
        raise ContentError("log-line", f"{shown(line)} is not a line of the log", at=place, hint=f"a line is {_FORM}")
    if match[1] != str(number):
        problem = f"the line says that it is number {match[1]}, and it is number {number}"
        raise ContentError("log-number", problem, at=place, hint="a line is missing, or stands twice or elsewhere")
    return LogLine(number, match[2], f"sha256:{match[3]}", f"sha256:{match[4]}", match[5])


def parse_lines(lines: Iterable[bytes], at: str, first: int = 1) -> Iterator[LogLine]:
    """Read lines that follow one another, the first of them number `first`; raises as `parse_line` does."""
    for number, line in enumerate(lines, first):
        yield parse_line(line, number, at)


def parse_checkpoint(data: bytes, at: str = CHECKPOINT) -> Checkpoint:
    """Read the bytes of a checkpoint; raises `ContentError` for anything else."""
    match = _CHECKPOINT.fullmatch(data)
    if match is None:
        problem = f"{shown(data)} is not a checkpoint"
        raise ContentError("checkpoint-invalid", problem, at=at, hint="it is one line of <lines> <sha256>")
    return Checkpoint(int(match[1]), match[2].decode("ascii"))


def checkpoint_of(lines: Iterable[bytes]) -> Checkpoint:
    """The checkpoint of a whole log."""
    tally = Tally()
    for line in lines:
        tally.add(line)
    return tally.checkpoint()


def prefix_fault(checkpoint: Checkpoint, lines: Iterable[bytes], at: str) -> ContentError | None:
    """Why the log at `at` does not begin with the lines of an older checkpoint; None if it does.

    A checkpoint is a digest, so it cannot say which line is another: give the older log to `first_difference`.
    """
    tally = Tally()
    stream = iter(lines)
    while tally.lines < checkpoint.lines and (line := next(stream, b"")):
        tally.add(line)
    return checkpoint_fault(checkpoint, tally.checkpoint(), at)


def checkpoint_fault(expected: Checkpoint, found: Checkpoint, at: str) -> ContentError | None:
    """Why a log whose first lines give `found` is not one that was published with `expected`; None if it is."""
    if found == expected:
        return None
    if found.lines < expected.lines:
        problem = f"the log has {found.lines} lines, and {expected.lines} were published"
        return ContentError("log-cut", problem, at=f"{at}:{found.lines + 1}", hint="published lines are never removed")
    problem = f"the first {expected.lines} lines hash to {found.sha256}, and {expected.sha256} was published"
    hint = f"compare with `head -n {expected.lines}` of an older copy of the log; published lines never change"
    return ContentError("log-changed", problem, at=at, hint=hint)


def first_difference(older: Iterable[bytes], newer: Iterable[bytes]) -> Difference | None:
    """The first line of `older` that `newer` does not have in its place; None if it has all of them."""
    for number, (expected, found) in enumerate(zip_longest(older, newer), 1):
        if expected is None:
            return None
        if expected != found:
            return Difference(number, expected, found)
    return None


def difference_fault(difference: Difference, at: str) -> ContentError:
    """The error that names the first line of the log `at` that is not as it was published."""
    expected, found = shown(difference.expected or b""), shown(difference.found or b"")
    problem = f"the log ends here, and {expected} was published" if difference.found is None else ""
    problem = problem or f"the line is {found}, and {expected} was published"
    return ContentError("log-changed", problem, at=f"{at}:{difference.number}", hint="published lines never change")


def shown(line: bytes) -> str:
    """A line for a message: quoted, escaped, cut."""
    return repr(line[:MAX_LINE_BYTES].decode("ascii", "backslashreplace").removesuffix("\n"))

"""The publication log of a site: every line, its checkpoint, and both ways between lines and objects."""

import os
from collections.abc import Iterator

from ..errors import ContentError
from ..log import CHECKPOINT, LOG, Checkpoint, Tally, checkpoint_fault, parse_checkpoint, parse_line
from ..store import SNAPSHOT_KIND
from .findings import Findings
from .objects import KINDS, object_path

_RECORD = 32 + 5 + 1
_UNKNOWN = len(KINDS)
_HINT = "every publication has its line; compare with an older copy of the log"


class PublishedLog:
    """What the log says: for each digest its line and kind, 38 bytes a line and sorted into 256 parts."""

    def __init__(self, root: str, findings: Findings) -> None:
        """Read `log/log.txt` and compare it with `log/checkpoint`."""
        self._root = root
        self._findings = findings
        self._parts = [bytearray() for _ in range(256)]
        self._open: tuple[str, dict[bytes, tuple[int, str]]] = ("", {})
        self._done: set[str] = set()
        self.exists = os.path.isfile(f"{root}/{LOG}")
        self.checkpoint = self._read() if self.exists else Checkpoint(0, "")
        if self.exists:
            self._compare()

    def _read(self) -> Checkpoint:
        tally = Tally()
        kinds = {kind: place for place, kind in enumerate(KINDS)}
        with open(f"{self._root}/{LOG}", "rb") as stream:
            for number, line in enumerate(stream, 1):
                tally.add(line)
                try:
                    stated = parse_line(line, number, LOG)
                except ContentError as fault:
                    self._findings.add(fault)
                    continue
                if stated.kind == SNAPSHOT_KIND:
                    # It covers what is published on pages only: no object stands for it.
                    continue
                digest = bytes.fromhex(stated.identity[7:])
                kind = kinds.get(stated.kind, _UNKNOWN)
                if kind == _UNKNOWN:
                    self._findings.wrong("log-kind", f"{stated.kind!r} is not a kind of document", f"{LOG}:{number}")
                self._parts[digest[0]] += digest + number.to_bytes(5, "big") + bytes([kind])
        self._findings.counts["log lines"] += tally.lines
        return tally.checkpoint()

    def _compare(self) -> None:
        try:
            with open(f"{self._root}/{CHECKPOINT}", "rb") as stream:
                stated = parse_checkpoint(stream.read(1024))
        except OSError:
            self._findings.wrong("checkpoint-missing", "a log is published with its checkpoint", CHECKPOINT, _HINT)
        except ContentError as fault:
            self._findings.add(fault)
        else:
            if cut := checkpoint_fault(stated, self.checkpoint, LOG):
                self._findings.add(cut)

    def expect(self, stated: object) -> None:
        """What `inventory.json` says about the log must hold; a version before the log says nothing."""
        if stated is None:
            if self.exists:
                self._findings.wrong("log-unlisted", "the inventory says nothing about a log", LOG)
            return
        found = {"v": 1, **self.checkpoint._asdict()}
        if not isinstance(stated, dict) or {name: stated.get(name) for name in found} != found:
            what = "the log is not the one of the inventory"
            self._findings.differs("log-changed", what, _words(stated), _words(found), LOG, _HINT)

    def kind(self, path: str) -> str:
        """The kind that the log states for the object at `path`; a fault is noted where it has no line.

        Ask in the order of the paths, each once.
        """
        if not self.exists:
            return ""
        part = path[7:9]
        if self._open[0] != part:
            self._close()
            self._open = (part, dict(self._records(int(part, 16))) if _is_part(part) else {})
        try:
            _, kind = self._open[1].pop(bytes.fromhex(path[10:74]), (0, None))
        except ValueError:
            return ""
        if kind is None:
            self._findings.wrong("object-unlogged", f"no line of {LOG} publishes it", path, _HINT)
        return kind or ""

    def _records(self, part: int) -> Iterator[tuple[bytes, tuple[int, str]]]:
        records = self._parts[part]
        for start in range(0, len(records), _RECORD):
            number = int.from_bytes(records[start + 32 : start + 37], "big")
            place = records[start + 37]
            yield bytes(records[start : start + 32]), (number, KINDS[place] if place < _UNKNOWN else "")

    def _close(self) -> None:
        """Name the lines whose object was not met."""
        part, left = self._open
        self._done.add(part)
        for digest, (number, _) in sorted(left.items(), key=lambda pair: pair[1]):
            path = object_path(f"sha256:{digest.hex()}")
            problem = f"expected {path}, which the line publishes, found no such object"
            self._findings.wrong("object-missing", problem, f"{LOG}:{number}", "restore it; objects are never removed")

    def end(self) -> None:
        """Every line must have had its object."""
        self._close()
        for part in range(256):
            if f"{part:02x}" not in self._done:
                self._open = (f"{part:02x}", dict(self._records(part)))
                self._close()


def _words(stated: object) -> str:
    """What is said about a log, in words."""
    if not isinstance(stated, dict):
        return "no account of a log"
    return f"{stated.get('lines')} lines with the SHA-256 {stated.get('sha256')}"


def _is_part(part: str) -> bool:
    return len(part) == 2 and all(letter in "0123456789abcdef" for letter in part)

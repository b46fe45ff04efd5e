"""`content/records/redactions.jsonl`: which files of which folders were changed to remove something, and how.

Records are written once, and the law may still ask for a text to go.  Every line is one removal: the note that says
why, the documents that became tombstones, and size and SHA-256 of each touched file before and after.  So the check of
a folder accepts exactly the bytes that the removal left, and any other change is still found.  Where addresses moved,
`retired` holds digests of the old ones; `editions` leads from the digest of an edition's file to that of the new one.
Every line names the digest of the one before and bears its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ..canonical import canonical, sha256
from ..errors import ContentError

PLACE = "content/records/redactions.jsonl"
"""Relative to the site."""
VERSION = 1

Line = dict[str, Any]

_RESTORE = "it is written by `leaderpress redact` only; restore it from version control"


@dataclass(frozen=True, slots=True)
class Redactions:
    """Every removal of a site, oldest first."""

    lines: tuple[Line, ...]
    seal: str
    """Digest of the newest line, empty without any: the next line names it."""
    folders: frozenset[str]
    """Names of the folders with touched files."""
    documents: frozenset[str]
    """Digests of the documents that became tombstones in folders that were already published."""

    @property
    def retired(self) -> dict[str, str]:
        """Day of the removal by the digest of each address that was taken from its owner, and that nobody gets."""
        return {digest: line["on"] for line in self.lines for digest in line.get("retired", ())}

    @property
    def published(self) -> Line:
        """What a published site says of its removals, so that others can tell them from losses; empty for none."""
        editions = {old: new for line in self.lines for old, new in line.get("editions", {}).items()}
        told = {"addresses": self.retired, "editions": editions}
        return {name: value for name, value in told.items() if value}

    def edition(self, digest: str) -> str:
        """The digest that the edition's file with this digest has after every removal."""
        for line in self.lines:
            digest = line.get("editions", {}).get(digest, digest)
        return digest

    def now(self, path: str, listed: Line) -> Line:
        """Size and SHA-256 (`{bytes, sha256}`) that the file at `path` must have; `listed` is what it had at first."""
        for line in self.lines:
            change = line["files"].get(path)
            if change is not None and change["old"] == listed:
                listed = change["new"]
        return listed

    def note(self, published: str) -> tuple[str, frozenset[str]]:
        """What removals left of a note of which the log has this digest; empty where none touched it.

        Gives the digest of what its file must say now, and the notes that say why.
        """
        changes = ((line["note"], each) for line in self.lines for each in line["notes"].values())
        found = [(why, each["new"]) for why, each in changes if each["old"] == published]
        return (found[-1][1] if found else ""), frozenset(why for why, _ in found)

    def newest(self, path: str) -> Line | None:
        """What the newest removal left of the file at `path`; None if none touched it."""
        return next((line["files"][path]["new"] for line in reversed(self.lines) if path in line["files"]), None)

    def first(self, path: str, digest: str) -> str:
        """The digest that the file at `path`, which now has `digest`, had before any removal."""
        for line in reversed(self.lines):
            change = line["files"].get(path)
            if change is not None and change["new"]["sha256"] == digest:
                digest = change["old"]["sha256"]
        return digest


NONE = Redactions((), "", frozenset(), frozenset())
"""Of a site from which nothing was ever removed."""


def read_redactions(root: Path) -> Redactions:
    """The removals of the site `root`; raises `ContentError` naming the line that is not as it was written."""
    try:
        data = (root / PLACE).read_bytes()
    except FileNotFoundError:
        return NONE
    except OSError as fault:
        raise ContentError("record-unreadable", str(fault.strerror or fault), at=PLACE, hint=_RESTORE) from None
    lines = tuple(_checked(data))
    return Redactions(
        lines,
        lines[-1]["seal"] if lines else "",
        frozenset(path.partition("/")[0] for line in lines for path in line["files"]),
        frozenset(digest for line in lines for digest in line["documents"]),
    )


def redaction_bytes(line: Line) -> bytes:
    """The bytes of one line: canonical JSON with its own `seal`, and a line feed."""
    return canonical({**line, "seal": sha256(canonical(line))}) + b"\n"


def _checked(data: bytes) -> Iterator[Line]:
    previous = ""
    for number, text in enumerate(data.splitlines(keepends=True), 1):
        at = f"{PLACE}:{number}"
        line = _sealed(text)
        if line is None:
            raise ContentError("record-changed", "the line is not the one that was written", at=at, hint=_RESTORE)
        if line.get("previous", "") != previous:
            problem = "the line was not written after the one before it"
            raise ContentError("record-changed", problem, at=at, hint=_RESTORE)
        previous = line["seal"]
        yield line


def _sealed(text: bytes) -> Line | None:
    """The line if every byte is as it was written."""
    try:
        line = orjson.loads(text)
        body = {name: value for name, value in line.items() if name != "seal"}
        return line if redaction_bytes(body) == text and line["v"] == VERSION and _has_form(line) else None
    except (ValueError, AttributeError, KeyError, TypeError):
        return None


def _has_form(line: Line) -> bool:
    """Whether the members are what the readers above take them for; a seal says only that nobody changed the line."""
    changes = [*line["notes"].values(), *line["files"].values()]
    texts = [line["note"], line["on"], *line["documents"], *line.get("retired", ())]
    texts += [text for pair in line.get("editions", {}).items() for text in pair]
    texts += [text for change in line["notes"].values() for text in (change["old"], change["new"])]
    texts += [change[side]["sha256"] for change in line["files"].values() for side in ("old", "new")]
    return all(isinstance(change, dict) for change in changes) and all(isinstance(text, str) for text in texts)

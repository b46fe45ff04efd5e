"""The new bytes of every records file that holds something to be removed."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from .. import store
from ..canonical import canonical, sha256
from ..errors import ContentError
from ..slugs import HARDWARE, OPERATION, PLACES, PROJECT, slug_stem
from ..store import FACTS, PROVENANCE, SNAPSHOT, Folder, Line
from ..store.stripping import Removal

SLUG_KINDS = {"OperationSpec": OPERATION, "SoftwareProject": PROJECT, "ExecutionEnvironment": HARDWARE}
"""Kinds of documents that have a slug."""

Change = Callable[[bytes], bytes | None]
"""The line (without its line feed) that takes a line's place; None drops it."""


@dataclass(slots=True)
class Rewritten:
    """What a removal makes of the records."""

    files: dict[str, bytes] = field(default_factory=dict)
    """New bytes by path below `content/records`."""
    changes: dict[str, Line] = field(default_factory=dict)
    """`{old, new}` of size and SHA-256 by the same paths."""
    documents: dict[str, str] = field(default_factory=dict)
    """Digest → kind of every document that became a tombstone."""
    lines: Counter[str] = field(default_factory=Counter)
    """Changed lines by the name of the file."""
    holds: bool = False
    """Whether anything held a text, or went as a whole."""
    moved: dict[str, str] = field(default_factory=dict)
    """New address by the old one, which held the text: `projects/blue-heron` → `projects/x-0123456789`."""


def rewrite(held: Sequence[Folder], removal: Removal) -> Rewritten:
    """Remove everything from the folders, in memory: files that hold nothing to remove are left out.

    Raises `ContentError` where a text is part of what ranking needs.
    """
    found = Rewritten()
    for folder in held:
        _Folder(folder, removal, found).rewrite()
    return found


class _Folder:
    """One folder while its files are looked through."""

    def __init__(self, folder: Folder, removal: Removal, found: Rewritten) -> None:
        self._folder = folder
        self._removal = removal
        self._found = found
        # Texts as canonical JSON spells them, and words of slugs: a line without any of these is left alone unread.
        self._marks = [mark for text in removal.texts for mark in _spellings(text)]
        self._marks += [digest.encode() for digest in removal.whole]
        self._documents = self._own_documents()
        self._names: dict[str, list[str]] = {}
        """Names that hold a text, by document digest."""

    def rewrite(self) -> None:
        # Documents first: what they were called decides which addresses move.
        for name in sorted(self._folder.snapshot["files"], key=lambda name: (not name.startswith("manifests"), name)):
            if name == PROVENANCE:
                self._file(name, self._statement)
            elif name == FACTS:
                self._file(name, self._fact)
            elif name.startswith("manifests"):
                self._file(name, self._document)
        snapshot = dict(self._folder.snapshot)
        snapshot.pop("seal")
        stripped = self._removal.snapshot(snapshot)
        if stripped != snapshot:
            self._found.holds = True
            self._put(SNAPSHOT, store.snapshot_bytes(stripped), lines=1)

    def _own_documents(self) -> frozenset[str]:
        """Document digests of what the removal is about."""
        target = self._removal.target
        return frozenset(line["documentDigest"] for line in self._folder.provenance() if line["digest"] == target)

    def _file(self, name: str, change: Change) -> None:
        lines = list(self._folder.lines(name))
        changed = [change(line[:-1]) for line in lines]
        if count := sum(new != line[:-1] for new, line in zip(changed, lines, strict=True)):
            self._put(name, b"".join(line + b"\n" for line in changed if line is not None), lines=count)

    def _put(self, name: str, data: bytes, lines: int) -> None:
        path = f"{self._folder.name}/{name}"
        old = (self._folder.path / name).read_bytes()
        self._found.files[path] = data
        self._found.changes[path] = {"old": _measure(old), "new": _measure(data)}
        self._found.lines[name] += lines

    # -- lines -----------------------------------------------------------------------------------------------------

    def _is_marked(self, line: bytes) -> bool:
        return any(mark in line for mark in self._marks)

    def _document(self, line: bytes) -> bytes:
        marked = self._is_marked(line)
        if not marked and not (self._documents and sha256(line) in self._documents):
            return line
        old = orjson.loads(line)
        try:
            stone = self._removal.document(line)
        except ValueError:
            problem = "the text is part of what ranking needs: a reference, a status, a metric or an instant"
            hint = "name a longer text, or remove the whole document with --whole"
            raise ContentError("redaction-structure", problem, at=self._folder.at(), hint=hint) from None
        if stone is None:
            return line
        value = orjson.loads(stone)
        self._found.holds |= _unreasoned(value) != _unreasoned(old)
        self._names[value["tombstone"]["documentDigest"]] = self._removal.names(old)
        self._found.documents[value["tombstone"]["digest"]] = value["kind"]
        return stone

    def _statement(self, line: bytes) -> bytes:
        if not self._is_marked(line):
            return line
        old = orjson.loads(line)
        new = self._removal.statement(old, self._names.get(old["documentDigest"], ()))
        if new == old:
            return line
        self._found.holds = True
        if new.get("slug") != old.get("slug"):
            place = PLACES[SLUG_KINDS[old["kind"]]]
            self._found.moved[f"{place}/{old['slug']}"] = f"{place}/{new['slug']}"
        return canonical(new)

    def _fact(self, line: bytes) -> bytes | None:
        if not self._is_marked(line):
            return line
        old = orjson.loads(line)
        new = self._removal.fact(old)
        if new == old:
            return line
        self._found.holds = True
        return None if new is None else canonical(new)


def _unreasoned(document: Line) -> Line:
    """What a document says but for why something was removed from it, and whether that is a first removal."""
    metadata = {name: value for name, value in document["metadata"].items() if name != "redaction"}
    is_whole = document.get("tombstone", {}).get("whole", False)
    return {**document, "metadata": metadata, "tombstone": is_whole}


def _spellings(text: str) -> Iterator[bytes]:
    yield canonical(text)[1:-1]
    # Slugs are cut, so that a long name may stand in one in part only.
    if words := slug_stem(text):
        yield words.encode()


def _measure(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "sha256": sha256(data)}

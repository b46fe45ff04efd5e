"""What was removed from the records does not come back with a later dump.

Nothing that is kept says what a removed text was.  But a document that comes in again, known by its digest, is the
original of a tombstone: laid over it, it tells the text, which is then removed from everything else in the dump.  A
document that went as a whole stays gone, and so does everything stated about it.
"""

from collections.abc import Iterable, Iterator, Sequence

import orjson

from ..canonical import canonical
from ..manifests import Manifest
from ..manifests.skeletons import MARK
from ..manifests.tombstone import Reason, buried, lay_over, recover, strip
from ..slugs import HARDWARE, Named
from ..store import Folder, Line
from ..store.stripping import Removal


class Removed:
    """Knows the tombstones of the store, and learns from a dump what they were."""

    def __init__(self, held: Sequence[Folder]) -> None:
        """Take in the tombstones of the folders, oldest first."""
        self._any = False
        self._stones: dict[str, list[Line]] = {}
        self._facts: dict[tuple[str, str, str], list[Line]] = {}
        self._texts: set[str] = set()
        self._reason: Reason | None = None
        self._removal: Removal | None = None
        self.buried: set[str] = set()
        """Digests of the documents of the dump that are written as tombstones."""
        for folder in held:
            if folder.has_tombstones:
                self._hold(folder)

    def __bool__(self) -> bool:
        return self._any

    def _hold(self, folder: Folder) -> None:
        self._any = True
        for _, _, line in folder.manifests():
            if stone := buried(line):
                value = orjson.loads(line)
                self._stones.setdefault(stone[0], []).append(value)
                self._reason = max((Reason(**value["metadata"]["redaction"]), self._reason), key=_day)

    def learn(self, manifest: Manifest) -> None:
        """Find out what was removed from a document that comes in again."""
        for stone in self._stones.get(manifest.digest, ()):
            self._add(recover(stone, manifest.value))

    def learn_line(self, held: Line, line: Line) -> None:
        """The same from a statement or a fact of the records, and the one of the dump that says the same."""
        self._add(lay_over(held, line))

    def _add(self, texts: list[str]) -> None:
        if not self._texts.issuperset(texts):
            self._texts.update(texts)
            self._removal = None

    def statement(self, digest: str, line: Line, document: bytes) -> tuple[Line, bytes] | None:
        """A statement of the dump and its document as they may be written; None if the document is gone as a whole.

        Raises `ValueError` where a removed text is part of what ranking needs.
        """
        if digest in self._settled().whole:
            return None
        stone = self._settled().document(document)
        return self._settled().statement(line), document if stone is None else stone

    def names(self, names: Iterable[Named]) -> Iterator[Named]:
        """Names from which slugs are made."""
        texts = self._settled().texts
        for named in names:
            identity = strip(named.identity, texts) if named.kind == HARDWARE else named.identity
            yield Named(named.kind, identity, strip(named.name, texts))

    def hold_fact(self, line: Line) -> None:
        """Take in a fact of the records."""
        if MARK in str(line):
            self._facts.setdefault((line["about"], line["source"], line["name"]), []).append(line)

    def fact(self, text: bytes) -> bytes | None:
        """A fact of the dump as it may be written; None if it is about a document that is gone as a whole."""
        line = orjson.loads(text)
        for held in self._facts.get((line["about"], line["source"], line["name"]), ()):
            self.learn_line(held, line)
        kept = self._settled().fact(line)
        return None if kept is None else canonical(kept)

    def snapshot(self, snapshot: Line) -> Line:
        """The snapshot of the dump, which names those of its documents that are tombstones."""
        kept = self._settled().snapshot(snapshot)
        return {**kept, "redacted": sorted(self.buried)} if self.buried else kept

    def _settled(self) -> Removal:
        """What is removed, once the whole dump was read."""
        if self._removal is None:
            whole = frozenset(
                digest
                for digest, stones in self._stones.items()
                if any(stone["tombstone"]["whole"] for stone in stones)
            )
            texts = sorted(self._texts, key=lambda text: (-len(text), text))
            self._removal = Removal(self._reason or Reason("", "", "", "", ""), texts, whole)
        return self._removal


def _day(reason: Reason | None) -> str:
    return reason.when if reason else ""

"""What was removed from the records does not come back with a later dump.

Nothing that is kept says what a removed text was.  But a document that comes in again, known by its digest, is the
original of a tombstone: laid over it, it tells the text, which is then removed from everything else in the dump.  What
no digest vouches for (metadata of another document digest, statements, facts) may say anything by now and tells
nothing about the rest: a statement or fact is only held against the very one of the records.  A document that went as a
whole stays gone, and so does everything stated about it.
"""

from collections.abc import Iterable, Iterator, Sequence

import orjson

from ..canonical import canonical
from ..manifests import Manifest
from ..manifests.skeletons import MARK
from ..manifests.tombstone import Reason, buried, grave, is_original, lay_over, recover, strip
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
        self.unlike: set[str] = set()
        """Digests of tombstones whose documents came in again with other metadata, of which nothing is known."""
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
        stones = self._stones.get(manifest.digest, [])
        for stone in stones:
            texts = recover(stone, manifest.value, manifest.document_digest)
            if not self._texts.issuperset(texts):
                self._texts.update(texts)
                self._removal = None
        if stones and not any(_is_whole(stone) or is_original(stone, manifest.document_digest) for stone in stones):
            self.unlike.add(manifest.digest)

    def statement(self, digest: str, line: Line, document: bytes, held: Sequence[Line]) -> tuple[Line, bytes] | None:
        """A statement of the dump and its document as they may be written; None if the document is gone as a whole.

        `held` is what the records have of the same source about the same document.  Raises `ValueError` where a
        removed text is part of what ranking needs.
        """
        if digest in self._settled().whole:
            return None
        stone = self._settled().document(document)
        kept = self._settled().statement(self._only_of(held, line).statement(line))
        return kept, document if stone is None else stone

    def _only_of(self, held: Iterable[Line], line: Line) -> Removal:
        """What was removed from this very statement or fact; elsewhere the same words may stand."""
        texts = {text for older in held for text in lay_over(older, line)}
        return Removal(self._settled().reason, _longest_first(texts))

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
        held = self._facts.get((line["about"], line["source"], line["name"]), ())
        stripped = self._only_of(held, line).fact(line)
        kept = self._settled().fact(stripped) if stripped else None
        return None if kept is None else canonical(kept)

    def snapshot(self, snapshot: Line) -> Line:
        """The snapshot of the dump, which names those of its documents that are tombstones."""
        kept = self._settled().snapshot(snapshot)
        return {**kept, "redacted": sorted(self.buried)} if self.buried else kept

    def _settled(self) -> Removal:
        """What is removed, once the whole dump was read."""
        if self._removal is None:
            whole = frozenset(digest for digest, stones in self._stones.items() if any(map(_is_whole, stones)))
            reason = self._reason or Reason("", "", "", "", "")
            self._removal = Removal(reason, _longest_first(self._texts), whole)
        return self._removal


def _day(reason: Reason | None) -> str:
    return reason.when if reason else ""


def _is_whole(stone: Line) -> bool:
    member = grave(stone)
    return bool(member and member["whole"])


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))

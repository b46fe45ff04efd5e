"""Lines of the records without what has to be removed: one rule for what is published and for what comes in later.

`texts` are removed wherever they stand, longest first; of the documents in `whole` only what ranking needs is kept.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import orjson

from ..canonical import canonical, sha256
from ..manifests.cut import identity_bytes_of
from ..manifests.skeletons import MARK, NAME_MARK
from ..manifests.tombstone import Reason, buried, bury, strip, strip_name
from ..slugs import HARDWARE, identity_digits, slug_stem
from .folder import Line

_FIXED = frozenset({"digest", "documentDigest", "kind", "source", "project", "slug"})
_TOLD = ("tags", "aliases", "artifacts")
"""What a statement tells about a document beside its name and its keys."""
_PROSE = ("rejections", "ignored", "drift")
"""Members of a snapshot in which words of the dump stand."""
_SLUG_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Removal:
    """What is removed, and why."""

    reason: Reason
    texts: Sequence[str] = ()
    """Longest first."""
    whole: Collection[str] = field(default_factory=frozenset)
    """Digests of the documents that go as a whole."""
    target: str = ""
    """Digest of the document that it is about, whose page says why even if only others held the texts."""

    def document(self, line: bytes) -> bytes | None:
        """The tombstone line of a document, None if it stays as it is.

        Raises `ValueError` when a text is part of what ranking needs.
        """
        value = orjson.loads(line)
        digest, document = buried(line) or (sha256(identity_bytes_of(line)), sha256(line))
        is_whole, is_target = digest in self.whole, digest == self.target
        stone = bury(value, digest, document, self.reason, self.texts, whole=is_whole, always=is_target)
        return None if stone is None else canonical(stone)

    def statement(self, line: Line, names: Collection[str] = ()) -> Line:
        """A line of `provenance.jsonl`; `names` are those of its document that hold a text.

        Its slug goes if it was made from one of them.  The same words in the slug of something else are its own.
        """
        is_whole = line["digest"] in self.whole
        kept = {
            name: value if name in _FIXED else strip(value, self.texts)
            for name, value in line.items()
            if not (is_whole and name in _TOLD)
        }
        if is_whole and "name" in kept:
            kept["name"] = MARK
        if "slug" in kept:
            held = [*names, *([line["name"]] if kept.get("name") != line.get("name") else [])]
            if is_whole or any(line["slug"].startswith(slug_stem(name)) for name in held):
                kept["slug"] = _neutral_slug(kept)
        return kept

    def names(self, document: Line) -> list[str]:
        """The name of a project or an operation from which its slug may be made, if it holds a text; else nothing."""
        metadata = document["metadata"]
        name = document["spec"]["name"] if document["kind"] == "SoftwareProject" else metadata.get("title")
        if name is None:
            return [metadata["name"]] if strip_name(metadata["name"], self.texts) != metadata["name"] else []
        return [name] if strip(name, self.texts) != name else []

    def fact(self, line: Line) -> Line | None:
        """A line of `facts.jsonl`; None if it goes with its document."""
        if line["about"] in self.whole:
            return None
        name, value = strip(line["name"], self.texts), strip(line["value"], self.texts, free=True)
        return {**line, "name": name, "value": value}

    def snapshot(self, snapshot: Line) -> Line:
        """A snapshot, whose rejections may quote the dump, and which names the files of notes."""
        kept = {name: strip(value, self.texts) if name in _PROSE else value for name, value in snapshot.items()}
        if notes := snapshot.get("log", {}).get("notes"):
            named = [{**note, "file": without_text(note["file"], self.texts)} for note in notes]
            kept["log"] = {**snapshot["log"], "notes": named}
        return kept


def without_text(file: str, texts: Sequence[str]) -> str:
    """The name of a note's file without the texts and the words that were made from them."""
    stem, dot, suffix = file.rpartition(".")
    stem = strip_name(stem, texts)
    for text in texts:
        stem = stem.replace(text, NAME_MARK)
    return stem + dot + suffix


def _neutral_slug(line: Line) -> str:
    """A slug that says nothing of the name; hardware of one product shares it."""
    if line["kind"] == "ExecutionEnvironment":
        return f"x-{identity_digits(HARDWARE, line['name'])[:_SLUG_DIGITS]}"
    return f"x-{identity_digits('', line['digest'])[:_SLUG_DIGITS]}"

"""A folder of records as one stream: each document with its bytes' place and all that is stated about it."""

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from ..canonical import sha256
from ..errors import ContentError
from ..manifests.cut import identity_bytes_of
from ..manifests.tombstone import buried, published_object
from ..store import Folder, Line
from .describe import Described
from .gist import gist_of
from .statements import first_said

Row = tuple[Any, ...]

_RESTORE = "records are written once; restore the folder from version control"


class Told:
    """What one folder says about one document."""

    __slots__ = ("digest", "documents", "gist", "kind", "lines", "shown")

    def __init__(self, digest: str, lines: list[Line]) -> None:
        self.digest = digest
        self.lines = lines
        self.shown: str = lines[-1]["documentDigest"]
        """Of several documents of one identity, the one that is stated last."""
        self.kind: str = lines[-1]["kind"]
        self.documents: list[Row] = []
        """Kind, document digest, file, offset, length and size of the identity body of each that is here."""
        self.gist: Any = None
        """Gist of the shown one, if it is here."""

    def versions(self, folder: int, first: int | None) -> Iterator[Row]:
        """Rows of all documents; `first` is the number of the older folder that was the first to hold one, if any.

        Of an identity that an older folder holds, another document may be shown.
        """
        for document in self.documents:
            shown = first is None and document[1] == self.shown
            yield (self.digest, *document, folder, first or folder, int(shown))

    def described(self, folder: Folder) -> Described:
        """The document, as the first folder that holds it describes it; raises `ContentError` when it does not."""
        if self.gist is None:
            problem = f"{self.shown} is stated to be the document of {self.digest}, and no record holds it"
            raise ContentError("record-dangling", problem, at=folder.at(), hint=_RESTORE)
        published_on = folder.snapshot["published_at"]
        return Described(self.digest, self.gist, first_said(self.lines), folder.number, published_on)


class Stream:
    """Reads a folder; notes its files and tombstones in the index."""

    def __init__(self, database: sqlite3.Connection, folder: Folder) -> None:
        self._db = database
        self._folder = folder
        self._has_tombstones = folder.has_tombstones

    def everything(self) -> Iterator[Told]:
        """Everything in its order; raises `ContentError` naming the line whose bytes are not what they should be."""
        stated = groupby(self._folder.provenance(), key=itemgetter("digest"))
        told = None
        name, number = "", 0
        for file, offset, line in self._folder.manifests():
            if file != name:
                name, number = file, self._number(file)
            value = orjson.loads(line)
            digest, document, size = self._digests(line, value)
            while told is None or told.digest != digest:
                if told is not None:
                    yield told
                told = _next(stated)
                if told is None:
                    raise _unnamed(digest, f"{self._folder.at(file)} at byte {offset}")
            kind = value["kind"]
            told.documents.append((kind, document, number, offset, len(line), size))
            if document == told.shown:
                told.gist = gist_of(kind, value)
        while told := told or _next(stated):
            yield told
            told = None

    def _digests(self, line: bytes, value: dict[str, Any]) -> tuple[str, str, int]:
        """Digest of the identity, digest of the document, and the size of what is published at the first."""
        if self._has_tombstones and (stone := buried(line)):
            body = published_object(value)
            if sha256(body) != stone[0]:
                self._db.execute("insert or ignore into tombstone values (?)", (stone[0],))
            return (*stone, len(body))
        identity = identity_bytes_of(line)
        return sha256(identity), sha256(line), len(identity)

    def _number(self, file: str) -> int:
        path = f"{self._folder.name}/{file}"
        number = self._db.execute("insert into file values (null, ?)", (path,)).lastrowid
        return number or 0


def _next(stated: Iterator[tuple[str, Iterator[Line]]]) -> Told | None:
    digest, lines = next(stated, ("", iter(())))
    return Told(digest, list(lines)) if digest else None


def _unnamed(digest: str, at: str) -> ContentError:
    problem = f"the document hashes to {digest}, which provenance.jsonl does not name"
    return ContentError("record-digest", problem, at=at, hint=_RESTORE)

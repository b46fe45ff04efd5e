"""Reading records into the index: every document's digests are recomputed on the way in."""

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from pathlib import Path

import orjson

from ..manifests import KIND_ORDER
from ..store import Folder, Line
from .describe import Described, Describer
from .gist import gist_of
from .schema import IDENTITIES
from .statements import add_statements, json_text, said_of
from .stream import Stream, Told

_A_BATCH = 500
"""Documents that are written at once: enough to save calls, few enough to hold their parsed values."""
_ADD_VERSION = "insert into version values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_HELD = "select digest, folder from document where digest in (select value from json_each(?))"
_SHOW = (
    "update version set shown = document_digest = ?2 where digest = ?1"
    " and exists (select 1 from version where digest = ?1 and document_digest = ?2)"
)
_RENAME = (
    "insert or ignore into renaming select ?1, digest, project, ?2 from statement"
    " where digest = ?3 and source = ?4 and project != ?2"
)
_PUBLISHED = (
    "select document.digest, folder.number, published_on from document join folder on folder.number = document.folder"
    " where document.digest in (select value from json_each(?))"
)
_RUNS_AGAIN = (
    "select digest from again union select run.digest from run where project in again"
    " or subject in (select digest from subject where digest in again or task in again or project in again)"
)
_AGAIN = {
    "ImplementationRevision": "select digest from again"
    " union select digest from subject where task in again or project in again",
    "BenchmarkRun": _RUNS_AGAIN,
}
"""What has to be described anew when `again` says something new: its own kind, and what bears its names."""


class Filler:
    """Adds folders of records, oldest first, to an open index, and describes their documents.

    Provenance and documents stand in one order, so both are read as one stream: what is stated about a document is at
    hand when its bytes pass by, and every digest is recomputed on the way.  An index that is made from nothing (not
    `continued`) gets its runs later, all at once, see `place_runs`.
    """

    def __init__(self, database: sqlite3.Connection, records: Path, *, continued: bool) -> None:
        self.describer = Describer(database, later=not continued)
        self._db = database
        self._records = records
        self._continued = continued
        self._identified = continued
        self._any = continued
        """Whether an older folder holds anything."""

    def add(self, folder: Folder) -> None:
        """Take in one folder; raises `ContentError` naming the line whose bytes are not what they should be."""
        source = "" if folder.is_seal else folder.source
        row = (folder.number, folder.name, source, folder.snapshot["published_at"], json_text(folder.snapshot))
        self._db.execute("insert into folder values (?, ?, ?, ?, ?)", row)
        everything = Stream(self._db, folder).everything()
        while batch := list(islice(everything, _A_BATCH)):
            self._take_in(folder, batch)
        self._any = True
        self._add_facts(folder)

    def finish(self) -> None:
        """Describe anew what later folders said something new about, and all that bears its names."""
        self.identify()
        describer = self.describer
        describer.later = False
        if self._db.execute("select 1 from again").fetchone() is None:
            return
        for kind in KIND_ORDER:
            # Each kind reads the names that the kinds before it wrote.
            describer.names.forget()
            digests = _AGAIN.get(kind, "select digest from again")
            query = (
                "select digest, path, offset, length from document join file on file.number = document.file"
                f" where digest in ({digests}) and kind = ? order by file, offset"
            )
            rows = iter(self._db.execute(query, (kind,)).fetchall())
            while batch := list(islice(rows, _A_BATCH)):
                describer.add(kind, self._read_again(batch))

    # -- a batch ---------------------------------------------------------------------------------------------------

    def _take_in(self, folder: Folder, batch: Sequence[Told]) -> None:
        held = self._held(batch)
        number = folder.number
        versions = (row for told in batch for row in told.versions(number, held.get(told.digest)))
        self._db.executemany(_ADD_VERSION, versions)
        self._state([line for told in batch for line in told.lines], number, held)
        fresh = [told for told in batch if told.digest not in held] if held else batch
        for kind, some in groupby(fresh, key=attrgetter("kind")):
            self.describer.add(kind, [told.described(folder) for told in some])
        stated = [(told.digest, told.shown) for told in batch if told.digest in held] if held else []
        self._db.executemany(_SHOW, stated)
        self._db.executemany("insert or ignore into again values (?)", ((digest,) for digest, _ in stated))

    def _held(self, batch: Sequence[Told]) -> dict[str, int]:
        """The first folder of each document of the batch that an older folder holds."""
        if not self._any:
            return {}
        self.identify()
        digests = json_text([told.digest for told in batch])
        return dict(self._db.execute(_HELD, (digests,)).fetchall())

    def _state(self, lines: Sequence[Line], folder: int, held: Mapping[str, int]) -> None:
        """Take in what is stated about documents."""
        slugs = ((line["digest"], line["slug"]) for line in lines if "slug" in line)
        self._db.executemany("insert or ignore into slug values (?, ?)", slugs)
        moved = (
            (folder, line["project"], line["digest"], line["source"])
            for line in lines
            if line["digest"] in held and line["kind"] == "BenchmarkRun" and "project" in line
        )
        self._db.executemany(_RENAME, moved if held else ())
        add_statements(self._db, lines, folder)
        if self._continued:
            keys = ((line["source"], line["upstreamKey"]) for line in lines if "upstreamKey" in line)
            self._db.executemany("insert or ignore into keyed values (?, ?)", keys)

    def identify(self) -> None:
        """Make documents found by their digests."""
        if not self._identified:
            self._db.execute(IDENTITIES)
            self._identified = True

    # -- the rest --------------------------------------------------------------------------------------------------

    def _read_again(self, rows: Sequence[tuple[str, str, int, int]]) -> list[Described]:
        digests = [row[0] for row in rows]
        said = said_of(self._db, digests)
        published = {row[0]: row[1:] for row in self._db.execute(_PUBLISHED, (json_text(digests),))}
        found = []
        for path, places in groupby(rows, key=itemgetter(1)):
            with (self._records / path).open("rb") as stream:
                for digest, _, offset, length in places:
                    stream.seek(offset)
                    value = orjson.loads(stream.read(length))
                    gist = gist_of(value["kind"], value)
                    found.append(Described(digest, gist, said[digest], *published[digest]))
        return found

    def _add_facts(self, folder: Folder) -> None:
        self._db.executemany(
            "insert into fact values (?, ?, ?, ?, ?)",
            (
                (fact["about"], fact["source"], fact["name"], json_text(fact["value"]), folder.number)
                for fact in folder.facts()
            ),
        )

"""What a published site was built from, and what a change since then touches.

`build/cache/built.sqlite` is the index of the last build that was published, `trace.json` what else went into it: the
digest of all that every page depends on (program, versions, theme, settings, source tables), of each note and of each
written page, tied to the digest of the published `SHA256SUMS`.  A trace that is missing, damaged or of another site
means a full build, never a wrong page.

Pages depend on documents by digest, so what changed between the two indexes leads to pages by the columns that name
digests.  Each rule below errs on the side of too many pages: what comes out with equal bytes is not written.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..canonical import Json, canonical, sha256
from ..errors import BuildError
from ..index import coverage, file_digest, sealed, shortforms
from ..log import Checkpoint
from .overrides import edited_units

TRACE = "trace.json"
BUILT = "built.sqlite"
INDEX = "index.sqlite"
HELD = "building.sqlite"
VERSION = 2
"""Of the form of `trace.json`; another one is thrown away."""

_DOCUMENT_COLUMNS = {
    "digest": "run",
    "subject": "subject",
    "project": "project",
    "task": "task",
    "workload": "workload",
    "protocol": "protocol",
    "environment": "environment",
    "superseded_by": "run",
}
"""Columns of a run that name documents its page shows, and the tables that hold these."""
_ROWS = ("task", "project", "workload", "environment", "protocol", "subject", "slug")
"""Tables with one row a document."""
_LINKED = frozenset({"task", "project", "environment", "slug"})
"""Those whose names stand in lists of records."""
_NAMED = {
    "task": ("slug", "name", "raw"),
    "environment": ("slug", "product", "note"),
    "workload": ("summary",),
    "run": ("name", "revision", "project", "project_name", "source", "reasons", "superseded_by"),
}
"""What lists of older records show of each."""


@dataclass(slots=True)
class Changes:
    """Units of work whose pages may differ from the published ones, with the reason for each."""

    groups: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)
    hardware: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    editions: dict[str, str] = field(default_factory=dict)
    lookup: dict[str, str] = field(default_factory=dict)
    runs: frozenset[str] = frozenset()
    """Digests of the runs of `groups`, whose pages are built with them."""
    anything: bool = False
    """Whether the ways in (home, indexes, records, changes, sources) may differ."""
    records: bool = False
    """Whether a list of records may differ."""
    pages: bool = False
    """Whether a written page may differ."""
    names_changed: bool = False
    """Whether anything may be called otherwise, or stand otherwise, that was published before."""
    logged: bool = True
    """Whether the publication log may differ."""
    log: Checkpoint | None = None
    """The checkpoint of the published log, where it is known."""
    cause: str = "data"
    """What made units of work differ: `data`, or `notes` where no record was added."""

    def why(self, path: str) -> str | None:
        """Why the file at `path` is built again; None if it is not."""
        first, _, rest = path.partition("/")
        name = rest.partition("/")[0]
        digest = f"sha256:{name}"
        if first == "log":
            return LOGGED if self.logged else None
        if first == "sha256":
            return self.objects.get(f"sha256:{rest[3:-5]}")
        if first == "records" and name != "feed.xml":
            return LISTED if self.records else None
        if first == "runs":
            return "its comparison group or what it refers to changed" if digest in self.runs else None
        if first == "groups":
            return self.groups.get(digest)
        if first == "implementations" and len(name) == 64:
            return self.subjects.get(digest)
        units = {"operations": self.tasks, "projects": self.projects, "hardware": self.hardware}.get(first)
        if units is not None and not name.startswith("index."):
            return units.get(name)
        if path in _STANDING or first in _STANDING:
            return None
        if first == "lookup":
            return self.lookup.get(name.removesuffix(".js"))
        if first == "editions" and "/" in rest:
            return self.editions.get(name)
        if not rest or first in _WAYS_IN:
            return LISTED if self.anything else None
        return EDITED if self.pages else None

    def cause_of(self, path: str) -> str:
        """The kind of change that makes the file at `path` be built again, in a word or two."""
        return _CAUSES.get(self.why(path) or LISTED, self.cause)

    def touched(self, paths: Sequence[str]) -> Iterator[str]:
        """Those of these paths, which are in order, that are built again."""
        return (path for path in paths if self.why(path) is not None)


LISTED = "something that it lists may have changed"
EDITED = "a written page was edited"
LOGGED = "something may have been published"
_CAUSES = {LISTED: "lists", EDITED: "written pages", LOGGED: "log"}
"""Causes by reason; all other reasons are about records and notes."""
_STANDING = frozenset({"assets", "schema", "404.html"})
"""What depends on nothing but what all pages share."""
_WAYS_IN = frozenset(
    {"operations", "implementations", "projects", "hardware", "sources", "records", "changes", "editions"}
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything outside the index that a build depends on."""

    common: Mapping[str, str]
    """Digests of what every page depends on, by what it is."""
    notes: Mapping[str, str]
    """Digest of the notes about each run."""
    pages: str
    """Digest of the written pages."""
    editions: Mapping[str, str] = field(default_factory=dict)
    """Digest of each edition by its tag."""
    documents: tuple[str, ...] = ()
    """Digests of the documents of all notes."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """Digest of what the publisher says on a page, by the page's address."""

    @property
    def theme_key(self) -> str:
        """Digest of everything that compiled templates depend on."""
        return theme_key(self.common)


def theme_key(common: Mapping[str, str]) -> str:
    """Digest of everything that compiled templates depend on, from the digests of what every page depends on."""
    return digest_of_inputs(common[name] for name in ("the program", "Python", "libraries", "the theme"))


def digest_of_inputs(parts: Iterable[object]) -> str:
    """A digest over the texts of values whose `repr` says all about them."""
    return hashlib.sha256("\0".join(repr(part) for part in parts).encode("utf-8", "surrogatepass")).hexdigest()


def hold(index: Path) -> Path:
    """A name of its own for the index that a build reads: another command may replace the index meanwhile.

    Call it while the output folder is locked, so that one build at a time uses the name.  Raises `BuildError`.
    """
    held = index.with_name(HELD)
    try:
        held.unlink(missing_ok=True)
        os.link(index, held)
    except OSError as fault:
        raise BuildError("index-hold", str(fault.strerror or fault), at=str(held)) from None
    return held


def record(cache: Path, index: Path, inputs: Inputs, sums: str, log: Checkpoint) -> None:
    """Remember what the site with this `SHA256SUMS` digest was built from; a failure costs speed only.

    `index` is what `hold` gave.
    """
    built = cache / BUILT
    body = {
        "v": VERSION,
        "sums": sums,
        "common": dict(inputs.common),
        "notes": dict(inputs.notes),
        "pages": inputs.pages,
        "editions": dict(inputs.editions),
        "documents": list(inputs.documents),
        "overrides": dict(inputs.overrides),
        "log": list(log),
        "index": _file_digest(index),
    }
    with suppress(OSError):
        os.replace(index, built)
        # Renaming one name of a file over another name of the same file leaves both.
        index.unlink(missing_ok=True)
        _write(cache / TRACE, body)


def keep(cache: Path, name: str, key: str, payload: bytes) -> None:
    """Keep bytes that cost time to make; a failure costs time only."""
    part = cache / f"{name}.{os.getpid()}"
    with suppress(OSError):
        part.write_bytes(_seal(key, payload) + b"\n" + payload)
        os.replace(part, cache / name)


def kept(cache: Path, name: str, key: str) -> bytes | None:
    """What `keep` kept under this key, if it is whole."""
    try:
        head, _, payload = (cache / name).read_bytes().partition(b"\n")
    except OSError:
        return None
    return payload if head == _seal(key, payload) else None


def _seal(key: str, payload: bytes) -> bytes:
    return sha256(key.encode() + b"\0" + payload).encode()


def recall(cache: Path, sums: str) -> dict[str, Any] | None:
    """The trace of the site with this `SHA256SUMS` digest, if it and its index are whole."""
    try:
        head, _, text = (cache / TRACE).read_bytes().partition(b"\n")
        body: dict[str, Any] = json.loads(text)
    except (OSError, ValueError):
        return None
    if head.decode("ascii", "replace") != sha256(text) or (body.get("v"), body.get("sums")) != (VERSION, sums):
        return None
    return body if _built_digest(cache) == body["index"] else None


def changes_since(body: Mapping[str, Any], cache: Path, index: Path, inputs: Inputs) -> Changes | None:
    """What differs from the recorded build; None when everything may, because what all pages share changed."""
    if body["common"] != dict(inputs.common):
        return None
    notes: Mapping[str, str] = body["notes"]
    noted = {digest for digest in {*notes, *inputs.notes} if notes.get(digest) != inputs.notes.get(digest)}
    same = index.samefile(cache / BUILT)
    edited = body["pages"] != inputs.pages
    if same and not noted:
        # The sitemap and its like list pages, so they count as ways in.
        editions = _edition_changes(body["editions"], inputs.editions)
        anything = edited or bool(editions) or body["overrides"] != dict(inputs.overrides)
        log = Checkpoint(*body["log"])
        relabelled = body["overrides"] != dict(inputs.overrides)
        same_records = Changes(
            anything=anything, records=relabelled, pages=edited, editions=editions, logged=False, log=log
        )
        _add_edits(same_records, body["overrides"], inputs.overrides)
        return same_records
    database = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    try:
        database.execute("pragma temp_store = memory")
        database.execute("attach ? as old", (f"file:{cache / BUILT}?mode=ro",))
        database.execute(f"pragma mmap_size = {_MAPPED}")
        found = _Difference(database, noted).changes()
        if found is not None:
            found.pages = edited
            found.records |= body["overrides"] != dict(inputs.overrides)
            _add_edits(found, body["overrides"], inputs.overrides)
            found.editions |= _edition_changes(body["editions"], inputs.editions)
            if found.names_changed:
                found.editions |= dict.fromkeys(inputs.editions, "what is shown of a run or group in it changed")
            found.log = Checkpoint(*body["log"])
            for digest in {*body["documents"], *inputs.documents}:
                found.objects[digest] = "it is the document of a note"
        return found
    finally:
        database.close()


def _add_edits(found: Changes, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """The pages on which the publisher says something else."""
    kinds = {
        "operations": found.tasks,
        "projects": found.projects,
        "implementations": found.subjects,
        "hardware": found.hardware,
    }
    for kind, key in edited_units(before, after):
        kinds[kind].setdefault(key, "what the publisher says about it changed")


def _edition_changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """The editions that are new or gone; one never changes."""
    tags = {*before, *after}
    return {tag: "it was added or is gone" for tag in tags if before.get(tag) != after.get(tag)}


def common_difference(body: Mapping[str, Any], inputs: Inputs) -> str:
    """What of all that every page depends on is not what it was, in words."""
    changed = _common_changes(body, inputs)
    return f"{', '.join(changed)} changed" if changed else "records that it was built from are gone"


def common_cause(body: Mapping[str, Any], inputs: Inputs) -> str:
    """The same in a word or two: `program`, `theme`, `settings` …"""
    changed = {_COMMON.get(name, name) for name in _common_changes(body, inputs)}
    return " and ".join(sorted(changed)) or "records gone"


def _common_changes(body: Mapping[str, Any], inputs: Inputs) -> list[str]:
    before: Mapping[str, str] = body["common"]
    return [name for name, digest in inputs.common.items() if before.get(name) != digest]


_COMMON = {
    "the program": "program",
    "Python": "program",
    "libraries": "program",
    "the theme": "theme",
    "content/site.toml": "settings",
    "the frame of every page": "settings",
    "content/sources": "source tables",
}
"""Causes by what every page depends on."""


_MAPPED = 1 << 34
"""Bytes of each index that are read in place instead of being copied."""


class _Difference:
    """Compares two indexes: `main` is the new one, `old` that of the published site."""

    def __init__(self, database: sqlite3.Connection, noted: set[str]) -> None:
        self._db = database
        self._noted = noted
        self._reasons: dict[str, str] = {}
        self._new: dict[str, set[str]] = {}
        """Keys by table that the old index does not have."""
        self._ranked: list[str] = []
        """Groups whose row is new or changed."""
        self._stated: list[str] = []
        """Documents about which something is stated anew."""
        self._links_changed = False
        """Whether what lists call operations, projects or hardware may be another word."""

    def changes(self) -> Changes | None:
        self._collect()
        if self._shrank() or self._resized():
            return None
        found = Changes(anything=True, names_changed=self._names_changed(), cause=self._cause())
        self._groups(found)
        self._dependents(found)
        found.objects = dict.fromkeys(self._new["document"], "new")
        self._shards(found)
        return found

    def _cause(self) -> str:
        query = "select count(*) from {}.folder"
        before, after = (self._db.execute(query.format(schema)).fetchone() for schema in ("old", "main"))
        return "notes" if before == after else "data"

    def _shrank(self) -> bool:
        """Whether anything that had a page is gone: then nothing is assumed."""
        query = "select (select count(*) from main.{0}) - (select count(*) from old.{0})"
        return any(
            self._db.execute(query.format(table)).fetchone()[0] < len(self._new[table])
            for table in ("document", "grp", "run")
        )

    def _resized(self) -> bool:
        """Whether shortened addresses are looked up in another number of shards, which 404.html knows."""
        before, after = (shortforms.digits(shortforms.count(self._db, schema)) for schema in ("old", "main"))
        return before != after

    def _collect(self) -> None:
        """Fill `changed` with every digest about which the new index says something else."""
        self._db.execute("create temp table changed (digest text primary key) without rowid")
        shown = ("document_digest", "identity_bytes")
        self._add(self._differing("document", shown), "its document was added or described anew")
        self._stated = self._differing("statement")
        self._add(self._stated, "something new is stated about it")
        # Facts are a history, and the newest counts: one that returns to an earlier value is a change too.
        facts = self._db.execute("select about from (select * from main.fact except select * from old.fact)")
        self._add((row[0] for row in facts), "a fact about it changed")
        for table in _ROWS:
            differing = self._differing(table)
            self._links_changed |= bool(differing) and table in _LINKED
            self._add(differing, "what is shown of it changed")
        self._ranked = self._differing("grp")
        self._add(self._differing("run"), "its standing or what is shown of it changed")
        self._add(self._noted, "a note about it was added, changed or removed")
        shared = list(self._shared_names())
        self._links_changed |= bool(shared)
        self._add(shared, "its name became shared, or is no longer")
        self._add(self._coverage(), "the source's list of it changed")

    def _differing(self, table: str, columns: Collection[str] = (), new: str = "main", old: str = "old") -> list[str]:
        """First keys of the rows that `old` does not have, or with other values in some columns (by default all).

        Both are looked up in the order of their keys, which takes a third of the time of `except`.
        """
        described = self._db.execute(f"pragma {new}.table_info({table})").fetchall()
        # Views and the table of runs, which lies in the order of groups, have a key all the same.
        keys = [name for _, name, *_, place in sorted(described, key=itemgetter(5)) if place] or ["digest"]
        others = columns or [name for _, name, *_, place in described if not place]
        same = " and ".join(f"old.{name} = new.{name}" for name in keys)
        differs = "".join(f" or old.{name} is not new.{name}" for name in others)
        query = (
            f"select new.{keys[0]}, old.{keys[0]} from {new}.{table} as new left join {old}.{table} as old on {same}"
            f" where old.{keys[0]} is null{differs}"
        )
        rows = self._db.execute(query).fetchall()
        if new == "main":
            self._new[table] = {key for key, before in rows if before is None}
        return [key for key, _ in rows]

    def _any_changed(self, schema: str, table: str) -> bool:
        query = f"select 1 from changed where digest in (select digest from {schema}.{table}) limit 1"
        return self._db.execute(query).fetchone() is not None

    def _add(self, digests: Iterable[str], reason: str) -> None:
        for digest in list(digests):
            self._reasons.setdefault(digest, reason)
            self._db.execute("insert or ignore into changed values (?)", (digest,))

    def _names_changed(self) -> bool:
        """Whether a list of older records may read otherwise: a new record or rank alone changes nothing there."""
        query = (
            "select 1 from main.{0} as new join old.{0} as old on new.digest = old.digest"
            " where new.digest in changed and ({1}) limit 1"
        )
        for table, columns in _NAMED.items():
            differs = " or ".join(f"new.{column} is not old.{column}" for column in columns)
            if self._db.execute(query.format(table, differs)).fetchone():
                return True
        return bool(self._noted)

    def _shared_names(self) -> Iterator[str]:
        names = "select name from {}.task group by name having count(*) > 1"
        before, after = ({row[0] for row in self._db.execute(names.format(schema))} for schema in ("old", "main"))
        for name in before ^ after:
            yield from (row[0] for row in self._db.execute("select digest from main.task where name = ?", (name,)))

    def _coverage(self) -> Iterator[str]:
        query = "select published_on, snapshot from {}.folder order by number"
        before, after = (
            coverage(
                (published_on, json.loads(snapshot))
                for published_on, snapshot in self._db.execute(query.format(schema))
            )
            for schema in ("old", "main")
        )
        yield from (task for task in {*before, *after} if before.get(task) != after.get(task))

    def _groups(self, found: Changes) -> None:
        events = (*self._differing("event"), *self._differing("event", new="old", old="main"))
        found.records = bool(events) or found.names_changed or self._links_changed
        for key in (*self._ranked, *events):
            found.groups.setdefault(key, "its ranking changed")
        for column, table in _DOCUMENT_COLUMNS.items():
            for schema in ("main", "old"):
                if self._any_changed(schema, table):
                    query = f"select grp, {column} from {schema}.run where {column} in changed and {column} != ''"
                    for key, digest in self._db.execute(query):
                        found.groups.setdefault(key, f"{digest[:19]}: {self._reasons[digest]}")
        # An implementation may be made for another operation than its runs, and their pages name both.
        query = (
            "select grp, subject.task from main.run join main.subject on subject.digest = run.subject"
            " where subject.task in changed"
        )
        for key, digest in self._db.execute(query):
            found.groups.setdefault(key, f"{digest[:19]}: {self._reasons[digest]}")
        # A suite's page names the published cases of its operation, and what is stated about them.
        facts = "select * from {}.fact"
        query = (
            "select grp, task from main.run where task in (select task from main.workload where digest in changed"
            " and (digest not in (select digest from old.workload) or digest in"
            f" (select about from ({facts.format('main')} except {facts.format('old')}))))"
        )
        for key, _ in self._db.execute(query):
            found.groups.setdefault(key, "a case of its operation was published, or something is stated about one")
        self._siblings(found)

    def _siblings(self, found: Changes) -> None:
        """Groups that list each other's failed runs, and those whose runs supersede one another."""
        self._db.execute("create temp table dirty (key text primary key) without rowid")
        self._db.executemany("insert or ignore into dirty values (?)", ((key,) for key in found.groups))
        query = (
            "select key from main.grp where siblings in (select siblings from main.grp where key in dirty)"
            " and siblings in (select siblings from main.grp where metric = '')"
        )
        for (key,) in self._db.execute(query).fetchall():
            found.groups.setdefault(key, "a run that it lists as excluded changed")
        query = "select grp from main.run where superseded_by in changed" + "".join(
            f" union select grp from main.run where digest in (select superseded_by from {schema}.run"
            " where grp in dirty or digest in changed)"
            for schema in ("main", "old")
        )
        for (key,) in self._db.execute(query).fetchall():
            found.groups.setdefault(key, "a run that it supersedes, or that supersedes it, changed")
        self._db.executemany("insert or ignore into dirty values (?)", ((key,) for key in found.groups))

    def _dependents(self, found: Changes) -> None:
        # Also as they were: a run that passed to another project leaves the page of the one before.
        query = " union ".join(
            f"select digest, task, subject, project, environment from {schema}.run where grp in dirty"
            for schema in ("main", "old")
        )
        columns: list[set[str]] = [set() for _ in range(5)]
        for row in self._db.execute(query):
            for column, digest in zip(columns, row, strict=True):
                column.add(digest)
        runs, tasks, subjects, projects, environments = columns
        found.runs = frozenset(runs)
        by_run = "a run of it changed, or a ranking that a run of it is part of"
        self._slugs(found.tasks, "task", tasks, by_run)
        self._slugs(found.projects, "project", projects, by_run)
        self._slugs(found.hardware, "environment", environments, by_run)
        for table, units in (("task", found.tasks), ("project", found.projects), ("environment", found.hardware)):
            for digest, slug in self._db.execute(f"select digest, slug from main.{table} where digest in changed"):
                units.setdefault(slug, self._reasons[digest])
        self._cases(found)
        query = " union ".join(
            f"select digest, project from {schema}.subject"
            " where digest in changed or task in changed or project in changed"
            for schema in ("main", "old")
        )
        changed_subjects = self._db.execute(query).fetchall()
        self._slugs(found.projects, "project", {row[1] for row in changed_subjects}, "an implementation of it changed")
        for digest in {*subjects, *(row[0] for row in changed_subjects)}:
            found.subjects.setdefault(digest, self._reasons.get(digest, by_run))

    def _cases(self, found: Changes) -> None:
        """Operation pages list all their workloads, also those without a run, and name projects of their runs."""
        query = (
            "select task.slug from main.task where digest in (select task from main.workload where digest in changed)"
        )
        for (slug,) in self._db.execute(query):
            found.tasks.setdefault(slug, "a workload of it was added or changed")

    def _shards(self, found: Changes) -> None:
        """The files that complete shortened addresses: of new digests, and of keys that may lead elsewhere."""
        size = shortforms.digits(shortforms.count(self._db))
        digests = (
            "select key from main.grp where key not in (select key from old.grp) union select new.digest from"
            " main.subject as new join old.subject as old on old.digest = new.digest where new.has_page != old.has_page"
        )
        names = {digest[7 : 7 + size] for digest in found.objects}
        names |= {row[0][7 : 7 + size] for row in self._db.execute(digests)}
        self._db.execute("create temp table readdressed (digest text primary key) without rowid")
        moved = (*self._stated, *self._differing("run", ("source", "superseded_by")))
        self._db.executemany("insert or ignore into readdressed values (?)", ((digest,) for digest in moved))
        for schema in ("main", "old"):
            keys = shortforms.named(schema, f"digest in readdressed and digest in (select digest from {schema}.run)")
            names |= {shortforms.key_shard(row[0])[:size] for row in self._db.execute(keys)}
        found.lookup = dict.fromkeys(names, "what a shortened address may stand for was added or changed")

    def _slugs(self, units: dict[str, str], table: str, digests: set[str], reason: str) -> None:
        for digest in digests:
            row = self._db.execute(f"select slug from main.{table} where digest = ?", (digest,)).fetchone()
            if row is not None:
                units.setdefault(row[0], reason)


def _write(path: Path, body: Mapping[str, Json]) -> None:
    text = canonical(dict(body)) + b"\n"
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(sha256(text).encode() + b"\n" + text)
    os.replace(part, path)


def _built_digest(cache: Path) -> str:
    """The digest of the index of the published site; while it is the current one, `refresh` has looked at it."""
    built, current = cache / BUILT, cache / INDEX
    with suppress(OSError):
        if built.samefile(current):
            return sealed(current)
    return _file_digest(built)


def _file_digest(path: Path) -> str:
    """SHA-256 of a file, empty if it cannot be read; SQLite would not notice a flipped bit."""
    try:
        return file_digest(path)
    except OSError:
        return ""

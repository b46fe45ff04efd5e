"""What differs between two indexes: digests about which the new one says something else, and the pages of them.

Where it is known which rows the refreshes between the two touched, only these are compared; else all of them.  Pages
depend on documents by digest, so what changed leads to pages by the columns that name digests.  Each rule errs
on the side of too many pages: what comes out with equal bytes is not written.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from operator import itemgetter

from ..index import Touched, coverage, shortforms
from .changes import Changes

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
_PAGED = (("document", "digest"), ("grp", "key"), ("run", "digest"))
"""Tables of which every row has a page or an address, and their keys."""
_NAMED = {
    "task": ("slug", "name", "raw"),
    "environment": ("slug", "product", "note"),
    "workload": ("summary",),
    "run": ("name", "revision", "project", "project_name", "source", "reasons", "superseded_by"),
}
"""What lists of older records show of each."""


class Difference:
    """Compares two indexes: `main` is the new one, `old` that of the published site.

    `touched` are the rows that may differ; None for any.
    """

    def __init__(self, database: sqlite3.Connection, noted: set[str], touched: Touched | None = None) -> None:
        self._db = database
        self._noted = noted
        self._touched = touched
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
        """What is touched; None where so much may be that nothing is assumed."""
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
        if self._touched is not None:
            return any(self._misses(table, key) for table, key in _PAGED)
        query = "select (select count(*) from main.{0}) - (select count(*) from old.{0})"
        return any(self._db.execute(query.format(table)).fetchone()[0] < len(self._new[table]) for table, _ in _PAGED)

    def _misses(self, table: str, key: str) -> bool:
        query = (
            f"select 1 from candidate as c where name = '{table}'"
            f" and exists (select 1 from old.{table} as row where row.{key} = c.key)"
            f" and not exists (select 1 from main.{table} as row where row.{key} = c.key) limit 1"
        )
        return self._db.execute(query).fetchone() is not None

    def _resized(self) -> bool:
        """Whether shortened addresses are looked up in another number of shards, which 404.html knows."""
        before, after = (shortforms.digits(shortforms.count(self._db, schema)) for schema in ("old", "main"))
        return before != after

    def _collect(self) -> None:
        """Fill `changed` with every digest about which the new index says something else."""
        self._db.execute("create temp table changed (digest text primary key) without rowid")
        self._take_candidates()
        shown = ("document_digest", "identity_bytes")
        self._add(self._differing("document", shown), "its document was added or described anew")
        self._stated = self._differing("statement")
        self._add(self._stated, "something new is stated about it")
        # Facts are a history, and the newest counts: one that returns to an earlier value is a change too.
        self._add(self._differing_facts(), "a fact about it changed")
        for table in _ROWS:
            differing = self._differing(table)
            self._links_changed |= bool(differing) and table in _LINKED
            self._add(differing, "what is shown of it changed")
        self._ranked = self._differing("grp")
        self._add(self._differing("run"), "its standing or what is shown of it changed")
        self._add(self._noted, "a note about it was added, changed or removed")
        shared = list(self._shared_names()) if self._may_differ("task") else []
        self._links_changed |= bool(shared)
        self._add(shared, "its name became shared, or is no longer")
        if self._may_differ("folder"):
            self._add(self._coverage(), "the source's list of it changed")

    def _may_differ(self, table: str) -> bool:
        return self._touched is None or bool(self._touched[table])

    def _take_candidates(self) -> None:
        """Put what was touched at hand, under the names by which tables are compared."""
        self._db.execute("create temp table candidate (name text, key text, primary key (name, key)) without rowid")
        for table, keys in (self._touched or {}).items():
            rows = (("document" if table == "version" else table, key) for key in keys)
            self._db.executemany("insert into candidate values (?, ?)", rows)

    def _differing_facts(self) -> list[str]:
        """What facts are about of which `old` does not have the like."""
        such = "" if self._touched is None else " where about in (select key from candidate where name = 'fact')"
        query = f"select about from (select * from main.fact{such} except select * from old.fact{such})"
        about = [row[0] for row in self._db.execute(query)]
        self._db.execute("create temp table refacted (digest text primary key) without rowid")
        self._db.executemany("insert or ignore into refacted values (?)", ((digest,) for digest in about))
        return about

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
        source = f"{new}.{table} as new"
        if self._touched is not None:
            # A cross join keeps its order: from the few candidates to their rows.
            source = f"candidate cross join {source} on candidate.name = '{table}' and new.{keys[0]} = candidate.key"
        query = (
            f"select new.{keys[0]}, old.{keys[0]} from {source} left join {old}.{table} as old on {same}"
            f" where old.{keys[0]} is null{differs}"
        )
        rows = self._db.execute(query).fetchall()
        if new == "main":
            self._new[table] = {key for key, before in rows if before is None}
        return [key for key, _ in rows]

    def _any_changed(self, schema: str, table: str) -> bool:
        such = f"select 1 from {schema}.{table} as row where row.digest = changed.digest"
        query = f"select 1 from changed where exists ({such}) limit 1"
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
        for key, digest in self._db.execute(query) if self._any_changed("main", "task") else ():
            found.groups.setdefault(key, f"{digest[:19]}: {self._reasons[digest]}")
        # A suite's page names the published cases of its operation, and what is stated about them.
        query = (
            "select grp, task from main.run where task in (select task from main.workload where digest in changed"
            " and (digest not in (select digest from old.workload) or digest in refacted))"
        )
        for key, _ in self._db.execute(query) if self._any_changed("main", "workload") else ():
            found.groups.setdefault(key, "a case of its operation was published, or something is stated about one")
        self._siblings(found)

    def _siblings(self, found: Changes) -> None:
        """Groups that list each other's failed runs, and those whose runs supersede one another."""
        self._db.execute("create temp table dirty (key text primary key) without rowid")
        self._db.executemany("insert or ignore into dirty values (?)", ((key,) for key in found.groups))
        query = (
            "select key from main.grp where siblings in (select siblings from main.grp where key in dirty)"
            " and exists (select 1 from main.grp as failed where failed.siblings = grp.siblings and failed.metric = '')"
        )
        for (key,) in self._db.execute(query).fetchall():
            found.groups.setdefault(key, "a run that it lists as excluded changed")
        query = "select grp from main.run where superseded_by in changed and superseded_by != ''" + "".join(
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
        # Nothing is found faster by the operation, and seldom is one changed.
        columns_named = ("digest", "project", "task") if self._any_changed("main", "task") else ("digest", "project")
        query = " union ".join(
            f"select digest, project from {schema}.subject where {column} in changed"
            for schema in ("main", "old")
            for column in columns_named
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
        digests = {*self._new["document"], *self._new["grp"], *self._differing("subject", ("has_page",))}
        names = {digest[7 : 7 + size] for digest in digests}
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

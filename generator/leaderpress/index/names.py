"""What the index already says about the documents that others refer to, looked up for many references at once."""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import orjson

from ..errors import ContentError
from ..store import PLACE

Value = TypeVar("Value")

_KEPT = 8192
"""Answers of one kind that are kept, whatever the size of the site."""


class Lookup(Generic[Value]):
    """Answers by digest: ask for many with `want`, then take each with `[digest]`.

    `query` gives the digest and the columns of which `convert` makes the answer; it ends before its `where`.
    """

    def __init__(self, database: sqlite3.Connection, query: str, convert: Callable[..., Value]) -> None:
        self._db = database
        self._query = f"{query} where digest in (select value from json_each(?))"
        self._convert = convert
        self._known: dict[str, Value] = {}

    def want(self, digests: Iterable[str]) -> None:
        """Look up at once what is not known yet, and forget older answers if there are many."""
        wanted = set(digests)
        if len(self._known) + len(wanted) > _KEPT:
            self._known.clear()
        missing = sorted(wanted.difference(self._known))
        if missing:
            for digest, *columns in self._db.execute(self._query, (orjson.dumps(missing).decode(),)):
                self._known[digest] = self._convert(*columns)

    def __getitem__(self, digest: str) -> Value:
        """The answer; raises `ContentError` when a record refers to what no record holds."""
        if digest not in self._known:
            self.want((digest,))
        try:
            return self._known[digest]
        except KeyError:
            raise dangling(digest) from None

    def forget(self) -> None:
        """Forget every answer, because the tables have changed."""
        self._known.clear()


class Names:
    """What descriptions of documents take from the documents that they refer to."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.tasks = Lookup(database, "select digest, raw, slug, aliases, constants from task", _task)
        """All names of an operation, and the names of its constant axes."""
        self.workloads = Lookup(database, "select digest, task, correctness from workload", _columns)
        """Operation and digest of the correctness rule."""
        self.subjects = Lookup(database, "select digest, project, name, revision, has_code from subject", _columns)
        self.projects = Lookup(database, "select digest, name, slug from project", _columns)
        """Display name and slug."""

    def project(self, digest: str) -> tuple[str, str]:
        """Display name and slug; both empty where no project is known."""
        return self.projects[digest] if digest else ("", "")

    def forget(self) -> None:
        """Forget every answer, because the tables have changed."""
        for lookup in (self.tasks, self.workloads, self.subjects, self.projects):
            lookup.forget()


def dangling(digest: str) -> ContentError:
    """The error about a record that refers to what no record holds."""
    return ContentError(
        "record-dangling",
        f"a record refers to {digest}, which no record holds",
        at=PLACE,
        hint="a folder of records is missing; restore it from version control",
    )


def _task(raw: str, slug: str, aliases: str, constants: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (raw, slug, *orjson.loads(aliases)), tuple(orjson.loads(constants))


def _columns(*columns: Any) -> tuple[Any, ...]:
    return columns

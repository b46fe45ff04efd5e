"""Which rows each refresh of the index touched, so that two indexes need not be compared row by row.

While an index is continued, triggers note the key of every row that is added, changed or removed; no part of the
program has to remember to.  `touched.json` beside the index holds the last of these lists, each between the digests
of the index file before and after.  So whoever knows an index by its digest can follow the lists from it to another
one; where they do not lead from the one to the other, nothing is known and everything is compared.
"""

import hashlib
import os
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

KEPT = "touched.json"
VERSION = 1
"""Of the form of `touched.json`; another one is thrown away."""
MOST = 50_000
"""Keys in one list: a refresh that touches more is compared whole, which is as fast then."""
_STEPS = 16
"""Refreshes that are followed at most."""

_OF_DOCUMENTS = ("version", "statement", "slug", "task", "project", "workload", "environment", "protocol", "subject")
KEYS = {
    **dict.fromkeys((*_OF_DOCUMENTS, "run"), "digest"),
    "fact": "about",
    "folder": "number",
    "grp": "key",
    "event": "grp",
}
"""The column by which the rows of each table are named."""

Touched = Mapping[str, frozenset[str]]
"""Keys by table, rather too many than too few."""


class _Step(NamedTuple):
    """One refresh."""

    before: str
    after: str
    """Digests of the index."""
    touched: dict[str, list[str]]


def watch(database: sqlite3.Connection) -> None:
    """Note from now on what is touched; lasts as long as the connection."""
    database.execute("create temp table touched (name text, key text)")
    for table, column in KEYS.items():
        for event, row in (("insert", "new"), ("update", "new"), ("update", "old"), ("delete", "old")):
            database.execute(
                f"create temp trigger {table}_{event}_{row} after {event} on main.{table} begin"
                f" insert into touched values ('{table}', {row}.{column}); end"
            )


def watched(database: sqlite3.Connection) -> Touched | None:
    """What was touched since `watch`; None if it is very much."""
    found: dict[str, set[str]] = {table: set() for table in KEYS}
    rows = database.execute("select distinct name, key from temp.touched limit ?", (MOST + 1,)).fetchall()
    if len(rows) > MOST:
        return None
    for table, key in rows:
        found[table].add(key)
    return {table: frozenset(keys) for table, keys in found.items()}


def remember(index: Path, before: str, after: str, touched: Touched | None) -> None:
    """Keep that the index with digest `before` became that with digest `after`, or one of which nothing is known.

    A failure costs time only.
    """
    kept = index.with_name(KEPT)
    with suppress(OSError):
        if touched is None:
            kept.unlink(missing_ok=True)
            return
        steps = _read(index)
        step = _Step(before, after, {table: sorted(keys) for table, keys in touched.items()})
        known = steps[1 - _STEPS :] if steps and steps[-1].after == before else []
        body = orjson.dumps({"v": VERSION, "steps": [each._asdict() for each in (*known, step)]})
        part = index.with_name(f"{KEPT}.{os.getpid()}")
        part.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(part, kept)


def touched_between(index: Path, before: str, after: str) -> Touched | None:
    """Every row that may differ between the indexes with these digests; None where that is not known.

    An empty digest is that of an index that could not be read.
    """
    if not before or not after:
        return None
    found: dict[str, set[str]] = {table: set() for table in KEYS}
    for step in reversed(_read(index)):
        if after == before:
            break
        if step.after != after:
            return None
        for table, keys in step.touched.items():
            found[table].update(keys)
        after = step.before
    return {table: frozenset(keys) for table, keys in found.items()} if after == before else None


def _read(index: Path) -> list[_Step]:
    try:
        seal, _, body = index.with_name(KEPT).read_bytes().partition(b"\n")
        if seal != hashlib.sha256(body).hexdigest().encode():
            return []
        kept = orjson.loads(body)
        return [_step(step) for step in kept["steps"]] if kept["v"] == VERSION else []
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _step(step: dict[str, Any]) -> _Step:
    return _Step(step["before"], step["after"], {table: [str(key) for key in step["touched"][table]] for table in KEYS})

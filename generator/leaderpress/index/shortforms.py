"""What a shortened address may stand for, and in which shard it is looked up.

A digest is looked up by its first digits, a key (`source/upstream-key`, an identifier of another catalogue) by those of
the CRC-32 of its UTF-8 bytes: a script finds the one file that it needs.  The number of digits follows from the number
of things alone, so that a file holds some hundreds of them whatever the size of the site.
"""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Protocol
from zlib import crc32

A_SHARD = 300
"""Things that one file holds at most, on average; about 30 KB."""

_COUNT = """
insert into total select 'shorts', (select count(*) from document) + (select count(*) from grp)
  + (select count(*) from statement where upstream_key is not null or external_id is not null);
"""
_KEYED = "({0}.upstream_key is not null or {0}.external_id is not null)"
_COUNTED = (
    ("insert", "version", "new.shown"),
    ("update", "version", "new.shown - old.shown"),
    ("insert", "grp", "1"),
    ("delete", "grp", "-1"),
    ("insert", "statement", _KEYED.format("new")),
    ("update", "statement", f"{_KEYED.format('new')} - {_KEYED.format('old')}"),
)
"""What a change of a row adds to the number of things."""
_DIGESTS = (
    "select digest, case kind when 'BenchmarkRun' then (select source from run where run.digest = document.digest)"
    " when 'ImplementationRevision' then (select has_page from subject where subject.digest = document.digest) end,"
    " kind from document where digest >= ? and digest < ?"
    " union all select key, null, 'group' from grp where key >= ? and key < ? order by 1"
)
_KEYS = (
    "select key_shard(named.name) as shard, named.name, run.digest, run.source, superseded_by from ({0}) as named"
    " join run on run.digest = named.digest where {1} order by 1, 2, 3"
)


class Database(Protocol):
    """What can be asked for rows: a connection to an index."""

    def execute(self, query: str, arguments: Any = ..., /) -> Any:
        """The rows of a query."""


class Short(NamedTuple):
    """A thing that a digest stands for."""

    digest: str
    kind: str
    """Kind of the document, or `group`."""
    about: str | int | None
    """Source of a run; whether an implementation has a page."""


class Keyed(NamedTuple):
    """A run that a key stands for."""

    key: str
    digest: str
    source: str


def named(schema: str, such: str = "1") -> str:
    """The query for (key, digest) of everything that a source or another catalogue calls by a name of its own.

    `such` is a condition on the statements of that schema.
    """
    table = f"from {schema}.statement"
    return (
        f"select source || '/' || upstream_key as name, digest {table} where upstream_key is not null and {such}"
        f" union all select source || '/' || external_id, digest {table} where external_id is not null"
        f" and external_id is not upstream_key and {such}"
        f" union all select value, digest {table}, json_each(aliases) where aliases is not null and {such}"
    )


def count(database: Database, schema: str = "main") -> int:
    """How many things can be looked up, near enough to decide the number of shards."""
    return int(database.execute(f"select number from {schema}.total where name = 'shorts'").fetchone()[0])


def count_all(database: Database) -> None:
    """Count the things in an index that was just made."""
    database.execute(_COUNT)


def keep_count(database: Database) -> None:
    """Count along from now on, as long as the connection lasts."""
    for event, table, added in _COUNTED:
        database.execute(
            f"create temp trigger count_{event}_{table} after {event} on main.{table} begin"
            f" update total set number = number + {added} where name = 'shorts'; end"
        )


def digits(things: int) -> int:
    """Hex digits that name a shard when there are so many things."""
    found = 1
    while things > A_SHARD * 16**found:
        found += 1
    return found


def key_shard(key: str) -> str:
    """Eight hex digits, of which the first name the shard of a key."""
    return f"{crc32(key.encode('utf-8', 'surrogatepass')):08x}"


def shorts(database: Database, low: str, high: str) -> Iterator[Short]:
    """Everything whose digest is `low` or later and before `high`, by digest."""
    for digest, about, kind in database.execute(_DIGESTS, (low, high, low, high)):
        yield Short(digest, kind, about)


def keyed(database: Database, shards: Collection[str] | None = None) -> Iterator[tuple[str, list[Keyed]]]:
    """(shard, runs) of every key by shard and key; `shards` asks for some, by their first digits, all as many.

    Of several runs that had a key one after the other, those that stand are given, unless none does.  The database
    must know `key_shard`.
    """
    where = "1"
    if shards is not None:
        where = f"substr(shard, 1, {len(min(shards, default=''))}) in ({', '.join('?' * len(shards))})"
    rows = database.execute(_KEYS.format(named("main"), where), tuple(shards or ()))
    for (name, _), found in groupby(rows, key=itemgetter(0, 1)):
        runs = {row[2]: row for row in found}.values()
        standing = [row for row in runs if not row[4]] or runs
        yield name, [Keyed(row[1], row[2], row[3]) for row in standing]

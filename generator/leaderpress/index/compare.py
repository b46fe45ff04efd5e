"""What a further folder of records changes: an index from before it, beside one with it.

Everything is asked of the two databases at once, so that nothing but the answers is held in memory.  Where it is known
which rows the refresh between them touched, only these are looked at.
"""

import json
import re
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from ..errors import BuildError
from .touched import Touched

_STANDING = "run.superseded_by = '' and run.reasons not like '%\"WITHDRAWN\"%'"
_NAMED = "run.digest, coalesce({0}.external_id, ''), run.name, run.revision, task.name, environment.product"
_OF_RUN = (
    "join {0}.task as task on task.digest = run.task join {0}.environment as environment"
    " on environment.digest = run.environment"
)
_NEW = (
    f"select {_NAMED.format('run')}, run.rank from later.run as run {_OF_RUN.format('later')}"
    " where run.digest not in (select digest from main.run) and {run.digest}"
    " order by run.source, run.external_id, run.digest"
)
_REVISED = (
    f"select {_NAMED.format('run')}, after.superseded_by from main.run as run {_OF_RUN.format('main')}"
    " join later.run as after on after.digest = run.digest"
    " where after.superseded_by != '' and after.superseded_by != run.superseded_by and {run.digest}"
    " order by run.source, run.external_id, run.digest"
)
_RENAMED = (
    "select before.project_name, after.project_name, count(*) from main.run as before"
    " join later.run as after on after.digest = before.digest where (before.project_name != after.project_name"
    " or before.project != after.project) and {before.digest} group by 1, 2 order by 1, 2"
)
_REDEFINED = (
    "select after.raw, (select before.digest from main.task as before join main.document as document"
    " on document.digest = before.digest where before.raw = after.raw and before.source = after.source"
    " order by document.folder desc, before.digest limit 1) as earlier, after.digest from later.task as after"
    " where after.digest not in (select digest from main.task) and {after.digest} and earlier is not null order by 1, 3"
)
_RANKS = (
    f"select run.grp, {_NAMED.format('run')}, coalesce(before.rank, 0), run.rank from later.run as run"
    f" {_OF_RUN.format('later')} left join main.run as before on before.digest = run.digest"
    " where run.rank != coalesce(before.rank, 0) and {run.digest}"
    " and exists (select 1 from main.grp where grp.key = run.grp and grp.ranked > 0)"
    " order by task.name, environment.product, run.grp, run.place = 0, run.place, run.digest"
)
_KEYED = (
    "from main.statement as statement join main.run as run on run.digest = statement.digest {}"
    f" where statement.source = ? and statement.upstream_key is not null and {_STANDING}"
)
_HELD = f"select statement.upstream_key, coalesce(statement.external_id, ''), run.task, run.digest {_KEYED.format('')}"
_NAMES = (
    f"select {_NAMED.format('statement')}, statement.upstream_key {_KEYED.format(_OF_RUN.format('main'))}"
    " and statement.digest in (select value from json_each(?)) order by statement.upstream_key, run.digest"
)
_TOUCHED = "select key from temp.candidate where name = '{}'"
_MAPPED = 1 << 34
"""Bytes of each index that are read in place instead of being copied."""


@dataclass(frozen=True, slots=True)
class RunName:
    """A run, and what it is called."""

    digest: str
    external_id: str
    name: str
    """Of the implementation."""
    revision: str
    task: str
    hardware: str


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run that was not published before."""

    run: RunName
    rank: int
    """0 for one that does not rank."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A run that another one takes the place of."""

    run: RunName
    successor: str
    """Digest."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A project that known runs belong to under another name."""

    before: str
    after: str
    runs: int


@dataclass(frozen=True, slots=True)
class Redefined:
    """An operation of a name that an older one has."""

    name: str
    """As the source spells it."""
    before: str
    after: str
    """Digests."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """A run that has another rank in a group that was published before."""

    group: str
    run: RunName
    before: int
    """0 where it did not rank."""
    after: int
    """0 where it does not rank any more."""


class HeldRun(NamedTuple):
    """A run that stands, by the key under which a later dump finds it again."""

    key: str
    external_id: str
    task: str
    """Digest of its operation."""
    digest: str


class Comparison:
    """Two indexes, read only; use it as a context manager.  The older one may be replaced on disk once it is open."""

    def __init__(self, before: Path) -> None:
        self._db = sqlite3.connect(f"file:{before}?mode=ro&immutable=1", uri=True)
        self._touched: Touched | None = None
        # SQLite opens a file when it is first asked.
        list(self._rows("select count(*) from meta"))

    def __enter__(self) -> "Comparison":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._db.close()

    def against(self, after: Path, touched: Touched | None = None) -> None:
        """Name the newer index, and the rows that may differ in it; None for any."""
        list(self._rows("attach ? as later", f"file:{after}?mode=ro&immutable=1"))
        list(self._rows(f"pragma mmap_size = {_MAPPED}"))
        self._touched = touched
        list(self._rows("create temp table candidate (name text, key text, primary key (name, key)) without rowid"))
        for name in ("run", "task") if touched else ():
            rows = ((name, key) for key in (touched or {})[name])
            self._db.executemany("insert into candidate values (?, ?)", rows)

    def _such(self, query: str, name: str) -> str:
        """The query for rows of a table whose digest, which stands in braces, was touched."""
        such = "1" if self._touched is None else rf"\1 in ({_TOUCHED.format(name)})"
        return re.sub(r"\{(.+?)\}", such, query)

    def runs_of(self, source: str) -> int:
        """How many runs of a source stand in the older index."""
        query = f"select count(*) from run where run.source = ? and {_STANDING}"
        return sum(row[0] for row in self._rows(query, source))

    def held(self, source: str) -> Iterator[HeldRun]:
        """The runs of a source that stand and have a key, in no order."""
        return map(HeldRun._make, self._rows(_HELD, source))

    def names(self, source: str, digests: Collection[str]) -> Iterator[tuple[RunName, str]]:
        """Those of `held` that have these digests, each with its key, by key."""
        for row in self._rows(_NAMES, source, json.dumps(sorted(digests))) if digests else ():
            yield RunName(*row[:6]), row[6]

    def new(self) -> list[NewRun]:
        """Runs that only the newer index holds."""
        return [NewRun(RunName(*row[:6]), row[6]) for row in self._rows(self._such(_NEW, "run"))]

    def revised(self) -> list[Revision]:
        """Runs that are superseded only now, or by another run than before."""
        return [Revision(RunName(*row[:6]), row[6]) for row in self._rows(self._such(_REVISED, "run"))]

    def renamed(self) -> list[Renamed]:
        """Projects under whose name known runs do not stand any more."""
        return [Renamed(*row) for row in self._rows(self._such(_RENAMED, "run"))]

    def redefined(self) -> list[Redefined]:
        """Operations that a source defines anew under the same name."""
        return [Redefined(*row) for row in self._rows(self._such(_REDEFINED, "task"))]

    def ranks(self) -> list[RankChange]:
        """Ranks that differ, of groups in which some run ranked before; by names of group, then best first."""
        return [RankChange(row[0], RunName(*row[1:7]), row[7], row[8]) for row in self._rows(self._such(_RANKS, "run"))]

    def _rows(self, query: str, *arguments: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; raises `BuildError` where the index cannot be read."""
        try:
            yield from self._db.execute(query, arguments)
        except sqlite3.Error as fault:
            raise BuildError("index-read", f"cannot read the index: {fault}") from None

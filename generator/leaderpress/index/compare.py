"""What a further folder of records changes: an index from before it, beside one with it.

Everything is asked of the two databases at once, so that nothing but the answers is held in memory.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import BuildError

_STANDING = "run.superseded_by = '' and run.reasons not like '%\"WITHDRAWN\"%'"
_NAMED = "run.digest, coalesce({0}.external_id, ''), run.name, run.revision, task.name, environment.product"
_OF_RUN = (
    "join {0}.task as task on task.digest = run.task join {0}.environment as environment"
    " on environment.digest = run.environment"
)
_NEW = (
    f"select {_NAMED.format('run')}, run.rank from later.run as run {_OF_RUN.format('later')}"
    " where run.digest not in (select digest from main.run) order by run.source, run.external_id, run.digest"
)
_REVISED = (
    f"select {_NAMED.format('run')}, after.superseded_by from main.run as run {_OF_RUN.format('main')}"
    " join later.run as after on after.digest = run.digest"
    " where after.superseded_by != '' and after.superseded_by != run.superseded_by"
    " order by run.source, run.external_id, run.digest"
)
_RENAMED = (
    "select before.project_name, after.project_name, count(*) from main.run as before"
    " join later.run as after on after.digest = before.digest where before.project_name != after.project_name"
    " or before.project != after.project group by 1, 2 order by 1, 2"
)
_REDEFINED = (
    "select after.raw, (select before.digest from main.task as before join main.document as document"
    " on document.digest = before.digest where before.raw = after.raw and before.source = after.source"
    " order by document.folder desc, before.digest limit 1) as earlier, after.digest from later.task as after"
    " where after.digest not in (select digest from main.task) and earlier is not null order by 1, 3"
)
_RANKS = (
    f"select run.grp, {_NAMED.format('run')}, coalesce(before.rank, 0), run.rank from later.run as run"
    f" {_OF_RUN.format('later')} left join main.run as before on before.digest = run.digest"
    " where run.rank != coalesce(before.rank, 0) and run.grp in (select key from main.grp where ranked > 0)"
    " order by task.name, environment.product, run.grp, run.place = 0, run.place, run.digest"
)
_HELD = (
    f"select {_NAMED.format('statement')}, statement.upstream_key, run.task from main.statement as statement"
    f" join main.run as run on run.digest = statement.digest {_OF_RUN.format('main')}"
    f" where statement.source = ? and statement.upstream_key is not null and {_STANDING}"
    " order by statement.upstream_key, run.digest"
)


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


@dataclass(frozen=True, slots=True)
class HeldRun:
    """A run that stands, by the key under which a later dump finds it again."""

    run: RunName
    key: str
    task: str
    """Digest of its operation."""


class Comparison:
    """Two indexes, read only; use it as a context manager.  The older one may be replaced on disk once it is open."""

    def __init__(self, before: Path) -> None:
        self._db = sqlite3.connect(f"file:{before}?mode=ro&immutable=1", uri=True)
        # SQLite opens a file when it is first asked.
        list(self._rows("select count(*) from meta"))

    def __enter__(self) -> "Comparison":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._db.close()

    def against(self, after: Path) -> None:
        """Name the newer index."""
        list(self._rows("attach ? as later", f"file:{after}?mode=ro&immutable=1"))

    def runs_of(self, source: str) -> int:
        """How many runs of a source stand in the older index."""
        query = f"select count(*) from run where run.source = ? and {_STANDING}"
        return sum(row[0] for row in self._rows(query, source))

    def held(self, source: str) -> Iterator[HeldRun]:
        """The runs of a source that stand and have a key, by key."""
        for row in self._rows(_HELD, source):
            yield HeldRun(RunName(*row[:6]), row[6], row[7])

    def new(self) -> list[NewRun]:
        """Runs that only the newer index holds."""
        return [NewRun(RunName(*row[:6]), row[6]) for row in self._rows(_NEW)]

    def revised(self) -> list[Revision]:
        """Runs that are superseded only now, or by another run than before."""
        return [Revision(RunName(*row[:6]), row[6]) for row in self._rows(_REVISED)]

    def renamed(self) -> list[Renamed]:
        """Projects under whose name known runs do not stand any more."""
        return [Renamed(*row) for row in self._rows(_RENAMED)]

    def redefined(self) -> list[Redefined]:
        """Operations that a source defines anew under the same name."""
        return [Redefined(*row) for row in self._rows(_REDEFINED)]

    def ranks(self) -> list[RankChange]:
        """Ranks that differ, of groups in which some run ranked before; by names of group, then best first."""
        return [RankChange(row[0], RunName(*row[1:7]), row[7], row[8]) for row in self._rows(_RANKS)]

    def _rows(self, query: str, *arguments: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; raises `BuildError` where the index cannot be read."""
        try:
            yield from self._db.execute(query, arguments)
        except sqlite3.Error as fault:
            raise BuildError("index-read", f"cannot read the index: {fault}") from None

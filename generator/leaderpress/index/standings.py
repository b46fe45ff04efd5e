"""Eligibility, ranks and record events of every group, from the runs in the index."""

import marshal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from ..manifests.source import SourceTable
from ..ranking.eligibility import Better, ineligible_because
from ..ranking.events import record_events
from ..ranking.group import NO_METRIC
from ..ranking.rank import Candidate, Rank, rank, ranking_digest
from .schema import RUN_STATED, STANDING
from .verdicts import Verdicts

Row = tuple[Any, ...]

_A_BATCH = 200
"""Rows that are written at once."""
_GROUP = RUN_STATED.index("grp")
_SUPERSEDED = len(RUN_STATED) + STANDING.index("superseded_by")
_GROUP_HEAD = itemgetter(*map(RUN_STATED.index, ("siblings", "task", "workload", "protocol", "environment")))
_MEASURED = itemgetter(*map(RUN_STATED.index, ("metric", "statistic", "unit")))
_NATIVE = RUN_STATED.index("native")
_JUDGED = itemgetter(*map(RUN_STATED.index, ("digest", "source", "status", "metric", "unit", "value")))
_COMPARED = itemgetter(*map(RUN_STATED.index, ("digest", "value", "evidence", "observed_at")))

_ADD_RUN = f"insert into run values ({', '.join('?' * (len(RUN_STATED) + len(STANDING)))})"
_ADD_GROUP = "insert into grp values (" + ", ".join("?" * 16) + ")"
_ADD_EVENT = "insert into event values (?, ?, ?, ?, ?, nullif(?, ''), ?)"
_STAND = f"update run set {', '.join(f'{name} = ?' for name in STANDING)} where digest = ?"
_MEMBERS = f"select {', '.join((*RUN_STATED, *STANDING))} from run where grp = ? order by digest"


def direction(sources: Mapping[str, SourceTable], source: str, metric: str, unit: str) -> Better | None:
    """Whether lower or higher is better, by the source's table; latency in ns is always lower-is-better."""
    if metric == "latency" and unit == "ns":
        return "lower"
    table = sources.get(source)
    rule = table.metrics.get(metric) if table else None
    if rule is None or rule.unit != unit:
        return None
    return rule.better


class Ranker:
    """Fills `grp`, `event` and the standing of runs."""

    def __init__(self, database: sqlite3.Connection, sources: Mapping[str, SourceTable], verdicts: Verdicts) -> None:
        self._db = database
        self._verdicts = verdicts
        self._direction = lru_cache(1024)(lambda *measured: direction(sources, *measured))

    def place_runs(self) -> None:
        """Bring the runs that wait in `arrival` to their groups, all of which are new; one group at a time is held."""
        arrivals = self._db.execute("select row from arrival order by grp, digest")
        rows = (marshal.loads(row[0]) for row in arrivals)
        written = _Written(self._db)
        for key, members in groupby(rows, key=itemgetter(_GROUP)):
            group = self._group(key, list(members))
            written.runs += group.placed()
            written.add(group)
        written.flush()
        self._db.execute("drop table arrival")

    def rank(self, groups: Iterable[str]) -> None:
        """Rank groups again whose runs have rows."""
        written = _Written(self._db)
        for key in sorted(groups):
            self._db.execute("delete from grp where key = ?", (key,))
            self._db.execute("delete from event where grp = ?", (key,))
            group = self._group(key, self._db.execute(_MEMBERS, (key,)).fetchall())
            written.standings += group.changed()
            written.add(group)
        written.flush()

    def _group(self, key: str, members: list[Row]) -> "_Group":
        return _Group(key, members, self._verdicts, self._direction)


class _Written:
    """Rows on their way into the index."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self.runs: list[Row] = []
        self.standings: list[Row] = []
        self._groups: list[Row] = []
        self._events: list[Row] = []

    def add(self, group: "_Group") -> None:
        self._groups.append(group.row())
        self._events += group.events()
        if len(self._groups) + len(self.runs) > _A_BATCH:
            self.flush()

    def flush(self) -> None:
        tables = (
            (_ADD_RUN, self.runs),
            (_STAND, self.standings),
            (_ADD_GROUP, self._groups),
            (_ADD_EVENT, self._events),
        )
        for query, rows in tables:
            self._db.executemany(query, rows)
            rows.clear()


class _Group:
    """One comparison group while it is ranked."""

    def __init__(
        self, key: str, members: list[Row], verdicts: Verdicts, direction_of: Callable[..., Better | None]
    ) -> None:
        self.key = key
        self.members = members
        found = {direction_of(source, metric, unit) for _, source, _, metric, unit, _ in map(_JUDGED, members)}
        self.direction = found.pop() if len(found) == 1 else None
        """What all sources of the group agree on; None when one does not say or two disagree."""
        self.candidates: list[Candidate] = []
        self._verdicts = verdicts
        self._excluded: dict[str, tuple[str, str]] = {}
        """Reasons (JSON) and successor of the runs that do not rank."""
        for row in members:
            self._judge(row)
        self.places: list[Rank] = rank(self.candidates, self.direction or "none") if self.candidates else []

    def _judge(self, row: Row) -> None:
        digest, _, status, _, _, value = _JUDGED(row)
        later = self._verdicts.superseded.get(digest)
        if later is None:
            later = row[_SUPERSEDED] if self._verdicts.only else ""
        withdrawn = digest in self._verdicts.withdrawn
        reasons = ineligible_because(status, value, self.direction, withdrawn=withdrawn, superseded=bool(later))
        if reasons:
            self._excluded[digest] = (orjson.dumps(reasons).decode(), later)
        else:
            self.candidates.append(Candidate(*_COMPARED(row)))

    def row(self) -> Row:
        first = self.members[0]
        metric, statistic, unit = _MEASURED(first)
        return (
            self.key,
            *_GROUP_HEAD(first),
            f"{metric}:{statistic}:{unit}" if metric else NO_METRIC,
            metric,
            statistic,
            unit,
            self.direction or "none",
            int(any(row[_NATIVE] for row in self.members)),
            len(self.places),
            self.places[-1].rank if self.places else 0,
            len(self.members),
            ranking_digest(self.key, self.places),
        )

    def _standings(self) -> dict[str, Row]:
        found: dict[str, Row] = {
            place.digest: ("[]", place.rank, place.tied, place.better, position, "")
            for position, place in enumerate(self.places, start=1)
        }
        for digest, (reasons, later) in self._excluded.items():
            found[digest] = (reasons, 0, 0, 0, 0, later)
        return found

    def placed(self) -> Iterator[Row]:
        """The rows of all members with their standing."""
        standings = self._standings()
        for row in self.members:
            yield row + standings[row[0]]

    def changed(self) -> Iterator[Row]:
        """New standings of those members that had another one, with their digests."""
        standings = self._standings()
        for row in self.members:
            standing = standings[row[0]]
            if row[-len(STANDING) :] != standing:
                yield (*standing, row[0])

    def events(self) -> Iterator[Row]:
        found = record_events(self.candidates, self.direction or "none")
        last = len(found) - 1
        for position, event in enumerate(found):
            stands = position == last
            # Not None, for which the driver looks up an adapter each time.
            previous = "" if event.previous is None else event.previous
            yield (self.key, position, event.digest, event.observed_at, event.value, previous, int(stands))

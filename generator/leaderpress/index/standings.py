"""Eligibility, ranks and record events of every group, from the runs in the index."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import orjson

from ..manifests.source import SourceTable
from ..ranking.eligibility import Better, ineligible_because
from ..ranking.events import record_events
from ..ranking.group import NO_METRIC
from ..ranking.rank import Candidate, Rank, rank, ranking_digest

_COLUMNS = (
    "grp, digest, siblings, source, task, workload, protocol, environment, status, metric, statistic, unit, value,"
    " evidence, native, observed_at"
)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What reviewed notes and later ingests decide about runs."""

    withdrawn: frozenset[str] = frozenset()
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Run → the run that supersedes it."""


def direction(sources: Mapping[str, SourceTable], source: str, metric: str, unit: str) -> Better | None:
    """Whether lower or higher is better, by the source's table; latency in ns is always lower-is-better."""
    if metric == "latency" and unit == "ns":
        return "lower"
    table = sources.get(source)
    rule = table.metrics.get(metric) if table else None
    if rule is None or rule.unit != unit:
        return None
    return rule.better


def superseded_by_key(database: sqlite3.Connection) -> dict[str, str]:
    """Runs that a later ingest states anew: same source and upstream key, another digest.

    The newest statement of a key counts, so that a figure that was taken back stands again.
    """
    later: dict[str, str] = {}
    rows = database.execute(
        "select source, upstream_key, digest from statement where upstream_key is not null"
        " and (source, upstream_key) in (select source, upstream_key from statement where upstream_key is not null"
        " group by source, upstream_key having count(*) > 1) and digest in (select digest from run)"
        " order by source, upstream_key, keyed, digest"
    )
    for _, group in groupby(rows, key=itemgetter(0, 1)):
        later |= dict(pairwise(row[2] for row in group))
    return later


def touched(database: sqlite3.Connection, groups: Iterable[str], verdicts: Verdicts) -> set[str]:
    """The groups to rank again: those given, and those of runs that are superseded only now, or no longer."""
    rows = database.execute("select grp, digest, superseded_by from run where superseded_by != ''").fetchall()
    before = {digest: successor for _, digest, successor in rows}
    changed = [digest for digest, successor in verdicts.superseded.items() if before.get(digest) != successor]
    changed += [digest for digest in before if digest not in verdicts.superseded]
    found = set(groups)
    for digest in changed:
        found |= {row[0] for row in database.execute("select grp from run where digest = ?", (digest,))}
    return found


def rank_groups(
    database: sqlite3.Connection,
    sources: Mapping[str, SourceTable],
    verdicts: Verdicts,
    only: set[str] | None,
) -> None:
    """Fill `grp`, `event` and the standing columns of `run`, for the groups `only` or for all (None)."""
    if only is None:
        database.execute("delete from grp")
        database.execute("delete from event")
        rows = database.execute(f"select {_COLUMNS} from run order by grp, digest").fetchall()
    else:
        rows = []
        for key in sorted(only):
            database.execute("delete from grp where key = ?", (key,))
            database.execute("delete from event where grp = ?", (key,))
            rows += database.execute(f"select {_COLUMNS} from run where grp = ? order by digest", (key,)).fetchall()
    groups: list[tuple[Any, ...]] = []
    standings: list[tuple[Any, ...]] = []
    events: list[tuple[Any, ...]] = []
    for key, members in groupby(rows, key=itemgetter(0)):
        group = _Group(key, list(members), sources, verdicts)
        groups.append(group.row())
        standings += group.standings()
        events += group.events()
    database.executemany(
        "update run set reasons = ?, rank = ?, tied = ?, better = ?, place = ?, superseded_by = ? where digest = ?",
        standings,
    )
    database.executemany("insert into grp values (" + ", ".join("?" * 16) + ")", groups)
    database.executemany("insert into event values (?, ?, ?, ?, ?, ?, ?)", events)


class _Group:
    """One comparison group while it is ranked."""

    def __init__(
        self, key: str, members: Sequence[tuple[Any, ...]], sources: Mapping[str, SourceTable], verdicts: Verdicts
    ) -> None:
        self.key = key
        self.members = members
        self.verdicts = verdicts
        self.direction = _common_direction(members, sources)
        self.reasons = {row[1]: self._reasons(row) for row in members}
        self.candidates = [
            Candidate(digest=row[1], value=row[12], evidence=row[13], observed_at=row[15])
            for row in members
            if not self.reasons[row[1]]
        ]
        self.places: list[Rank] = rank(self.candidates, self.direction or "none") if self.candidates else []

    def _reasons(self, row: tuple[Any, ...]) -> tuple[str, ...]:
        digest = row[1]
        return ineligible_because(
            row[8],
            row[12],
            self.direction,
            withdrawn=digest in self.verdicts.withdrawn,
            superseded=digest in self.verdicts.superseded,
        )

    def row(self) -> tuple[Any, ...]:
        first = self.members[0]
        metric, statistic, unit = first[9], first[10], first[11]
        return (
            self.key,
            first[2],
            *first[4:8],
            f"{metric}:{statistic}:{unit}" if metric else NO_METRIC,
            metric,
            statistic,
            unit,
            self.direction or "none",
            any(row[14] for row in self.members),
            len(self.places),
            self.places[-1].rank if self.places else 0,
            len(self.members),
            ranking_digest(self.key, self.places),
        )

    def standings(self) -> Iterator[tuple[Any, ...]]:
        places = {
            place.digest: (place.rank, place.tied, place.better, position)
            for position, place in enumerate(self.places, start=1)
        }
        for row in self.members:
            digest = row[1]
            standing = places.get(digest, (0, 0, 0, 0))
            reasons = orjson.dumps(self.reasons[digest]).decode()
            yield (reasons, *standing, self.verdicts.superseded.get(digest, ""), digest)

    def events(self) -> Iterator[tuple[Any, ...]]:
        found = record_events(self.candidates, self.direction or "none")
        for position, event in enumerate(found):
            stands = position == len(found) - 1
            yield (self.key, position, event.digest, event.observed_at, event.value, event.previous, stands)


def _common_direction(members: Iterable[tuple[Any, ...]], sources: Mapping[str, SourceTable]) -> Better | None:
    """The direction that all sources of the group agree on; None when one does not say or two disagree."""
    found = {direction(sources, row[3], row[9], row[11]) for row in members}
    return found.pop() if len(found) == 1 else None

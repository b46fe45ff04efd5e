"""Comparison groups as lines of other pages: the record, who holds it, since when.

One query reads what many pages show of their groups, of the runs that lead them and of their record events.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ...values import dataclass
from ...views.base import Link, Staircase
from ...views.scale import staircase
from ...views.task import GroupRow
from .context import Context, figure

_LINES = """\
select grp.key, grp.task, grp.environment, grp.workload, workload.summary, grp.metric, grp.unit, grp.direction,
  grp.ranked, grp.members, leader.digest, leader.source, leader.value, leader.name, leader.tied, leader.published_on,
  (select count(*) from event where event.grp = grp.key),
  (select observed_at from event where event.grp = grp.key order by position desc limit 1)
from grp left join run as leader on leader.grp = grp.key and leader.place = 1
left join workload on workload.digest = grp.workload where grp.key in ({})"""
_RECORDS = "select grp, observed_at, value from event where grp in ({}) order by grp, position"

_NOWHERE = Link("", "")

Record = tuple[str, float | int, str]
"""Instant, value and holder of a record; lines do not name the holder."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a line says of a group."""

    key: str
    task: str
    environment: str
    workload: str
    summary: str
    metric: str
    unit: str
    direction: str
    ranked: int
    members: int
    leader: str | None
    """Digest of the run on the first place; None, like all that follows about it, if nothing ranks."""
    source: str | None
    value: float | int | None
    holder: str | None
    tied: int | None
    published_on: str | None
    records: int
    since: str | None
    """When the last record was observed."""


def read_lines(context: Context, keys: Sequence[str]) -> dict[str, Line]:
    """The lines of many groups by key."""
    return {row[0]: Line(*row) for row in context.index.pairs_in(_LINES, keys)}


def read_records(context: Context, lines: Iterable[Line]) -> dict[str, list[Record]]:
    """The records over time of those groups that have more than one, oldest first."""
    keys = [line.key for line in lines if line.records > 1]
    rows = groupby(context.index.pairs_in(_RECORDS, keys), key=lambda row: row[0])
    return {key: [(observed_at, value, "") for _, observed_at, value in events] for key, events in rows}


def group_row(
    context: Context,
    line: Line,
    *,
    with_task: bool,
    with_workload: bool,
    records: Mapping[str, Sequence[Record]] | None = None,
) -> GroupRow:
    """One group as a line; `records` are given where it gets a small plot."""
    source = line.source or ""
    return GroupRow(
        key=line.key,
        path=context.group_page(line.key),
        task=context.task_link(line.task) if with_task else _NOWHERE,
        hardware=context.hardware_link(line.environment),
        note=context.index.environment(line.environment).note,
        workload=line.summary if with_workload else "",
        figure=None if line.value is None else figure(line.value, line.unit),
        metric_label=context.metric_label(source, line.metric) if line.leader else "",
        holder=line.holder or "",
        holder_path=context.run_page(line.leader, source) if line.leader else "",
        tied=line.tied or 0,
        since=(line.since or "")[:10],
        runs=line.ranked,
        records=line.records,
        excluded=line.members - line.ranked,
        staircase=_plot(line, records.get(line.key, ())) if records is not None else None,
    )


def _plot(line: Line, records: Sequence[Record]) -> Staircase | None:
    """Records over time; None for fewer than two."""
    if line.published_on is None:
        return None
    return staircase(records, (), line.unit, line.direction, line.published_on, least=2)

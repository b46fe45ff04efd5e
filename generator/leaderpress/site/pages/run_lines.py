"""Runs as lines of other pages.

One query reads what many pages show, and only the columns that a line needs: a run has three times as many.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from ...ranking.rank import label as rank_label
from ...views.subject import RunRow
from .context import Context, figure
from .facts import measured_label

_LINES = (
    "select run.digest, run.source, run.task, run.name, run.revision, run.environment, workload.summary, run.value,"
    " run.unit, run.metric, run.statistic, run.rank, run.tied, run.reasons, run.grp, grp.ranked, run.observed_at,"
    " run.subject from run left join grp on grp.key = run.grp left join workload on workload.digest = run.workload"
)

Stated = tuple[RunRow, str]
"""A line, and the source that states its run."""


def subject_lines(context: Context, subjects: Sequence[str]) -> dict[str, list[Stated]]:
    """The runs of each of many implementations."""
    order = "run.subject, run.task, run.workload, run.environment, run.digest"
    found: dict[str, list[Stated]] = {digest: [] for digest in subjects}
    for row in context.index.pairs_in(f"{_LINES} where run.subject in ({{}}) order by {order}", subjects):
        found[row[-1]].append((_line(context, row), row[1]))
    return found


def project_lines(context: Context, project: str) -> Iterator[RunRow]:
    """The runs of a project, those that lead first, then by rank, then the newest; as many as there are, one by one."""
    order = "run.rank = 0, run.rank, run.observed_at desc, run.digest"
    for row in context.index.stream(f"{_LINES} where run.project = ? order by {order}", project):
        yield _line(context, row)


def _line(context: Context, row: tuple[Any, ...]) -> RunRow:
    (
        digest, source, task, name, revision, environment, workload, value, unit, metric, statistic, rank, tied,
        reasons, group, ranked, observed_at, _,
    ) = row  # fmt: skip
    return RunRow(
        digest=digest,
        path=context.run_page(digest, source),
        task=context.task_link(task),
        implementation=name,
        revision=revision,
        hardware=context.hardware_link(environment),
        workload=workload,
        figure=None if value is None else figure(value, unit),
        metric_label=measured_label(context, source, metric, statistic),
        standing=f"{rank_label(rank, tied)} of {ranked}" if rank else orjson.loads(reasons)[0],
        group=context.group_page(group),
        leads=rank == 1,
        observed_on=observed_at[:10],
    )

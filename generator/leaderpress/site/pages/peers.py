"""The runs of one comparison group, and what their pages have in common: looked up and made once a group."""

from collections.abc import Iterable, Sequence

from ...cite import Citable
from ...format import gap_text
from ...index import FactRow, GroupRow, RunRow, StatementRow
from ...ranking.rank import label as rank_label
from ...values import altered
from ...views.base import Link, Strip
from ...views.run import Neighbour
from ...views.scale import strip, with_this
from .citation import run_citable
from .context import Context, figure, object_path

_AROUND = 2
MOST_COLUMNS = 3
"""Source metrics beside the primary value in the short ranking."""


class Stated:
    """What the index holds about the runs of some groups beside their rows: looked up at once for all of them."""

    def __init__(self, context: Context, groups: Iterable[GroupRow], runs: Sequence[RunRow]) -> None:
        index = context.index
        own = [digest for run in runs for digest in (run.digest, run.subject)]
        parts = (part for group in groups for part in (group.task, group.workload, group.protocol, group.environment))
        index.locate([*own, *parts])
        self.statements = index.all_statements(own)
        """By digest of a run or an implementation."""
        self.facts = index.all_facts([run.digest for run in runs])
        """By digest of a run."""
        self.paged = index.with_page([*dict.fromkeys(run.subject for run in runs)])
        """Digests of the implementations that have a page."""


class Peers:
    """A group with its `ranked` runs in display order, and the `others` whose pages are built with it.

    `stated` is about all of these runs, for who builds several groups.
    """

    def __init__(
        self,
        context: Context,
        group: GroupRow,
        ranked: Sequence[RunRow],
        others: Sequence[RunRow] = (),
        stated: Stated | None = None,
    ) -> None:
        self.group = group
        self.ranked = ranked
        self.leader = ranked[0] if ranked else None
        self._context = context
        self._stated = stated or Stated(context, (group,), (*ranked, *others))
        values = [run.value for run in ranked if run.value is not None]
        self.strip = strip(values, group.unit, group.direction, leader=ranked[0].name) if ranked else None
        """The group's values on its scale; None for a small group."""
        self._rows: dict[tuple[int, tuple[str, ...]], Neighbour] = {}
        self._citables: dict[str, Citable] = {}

    def subject_link(self, run: RunRow) -> Link:
        """A run's implementation: its page, or its canonical object until it has one."""
        path = self._context.page(f"implementations/{run.subject[7:]}/") if run.subject in self._stated.paged else ""
        return Link(run.name, path or object_path(run.subject))

    def statements(self, run: RunRow) -> list[StatementRow]:
        """What each source says about a run, then about its implementation."""
        return self._stated.statements[run.digest] + self._stated.statements[run.subject]

    def facts(self, run: RunRow) -> list[FactRow]:
        """What the sources state about a run outside its manifest."""
        return self._stated.facts[run.digest]

    def citable(self, run: RunRow) -> Citable:
        """What a citation of the run says."""
        if run.digest not in self._citables:
            self._citables[run.digest] = run_citable(self._context, run)
        return self._citables[run.digest]

    def distribution(self, run: RunRow) -> Strip | None:
        """The group's values on its scale, with the run's place among them; None for a small group."""
        if self.strip is None or self.leader is None:
            return None
        return with_this(self.strip, run.stated, self.leader.stated, self.group.unit, self.group.direction)

    def around(self, run: RunRow) -> tuple[Neighbour, ...]:
        """The short ranking: the leader, the run and two on each side of it, the last."""
        here = run.place - 1
        last = len(self.ranked) - 1
        wanted = sorted({0, *range(max(0, here - _AROUND), min(last, here + _AROUND) + 1), last})
        columns = self._context.own_metrics(run)[:MOST_COLUMNS]
        before = -1
        rows = []
        for position in wanted:
            row = self._row(position, columns)
            if position == here or position - before > 1:
                row = altered(row, current=position == here, skipped=position - before - 1)
            rows.append(row)
            before = position
        return tuple(rows)

    def _row(self, position: int, columns: tuple[str, ...]) -> Neighbour:
        key = (position, columns)
        if key not in self._rows:
            self._rows[key] = self._neighbour(self.ranked[position], columns)
        return self._rows[key]

    def _neighbour(self, row: RunRow, columns: tuple[str, ...]) -> Neighbour:
        return Neighbour(
            digest=row.digest,
            path=self._context.run_page(row.digest, row.source),
            label=rank_label(row.rank, row.tied),
            name=row.name,
            revision=row.revision,
            figure=figure(row.stated, row.unit),
            gap=gap_text(row.stated, self.ranked[0].stated, self.group.direction),
            metrics=tuple(self._context.metric_value(row.source, name, row.metrics) for name in columns),
            observed_on=row.observed_at[:10],
            current=False,
            skipped=0,
        )

"""Building the operation page, and the group rows that other pages share with it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...format import margin_text
from ...index import EventRow, GroupRow, TaskRow
from ...views import task as views
from ...views.base import Item, Link, Staircase, WorkloadView
from ...views.scale import staircase
from .context import Context, figure, item, object_path
from .editorial import editorial
from .facts import stated_items
from .workload import workload_view

FEATURED = 8


def improvement_text(event: EventRow, better: str) -> str:
    """How far the record before lies behind this one, `7.10 %` or `×2.41`; empty for a first record."""
    if event.previous is None:
        return ""
    return margin_text(event.previous, event.value, better)


def group_row(context: Context, group: GroupRow, *, with_task: bool, with_workload: bool, plot: bool) -> views.GroupRow:
    """One group as a line: its record, who holds it, since when."""
    index = context.index
    environment = index.environment(group.environment)
    leaders = index.runs("where grp = ? and rank = 1 order by place limit 1", group.key)
    events = index.events(group.key)
    leader = leaders[0] if leaders else None
    task = context.task_link(group.task) if with_task else Link("", "")
    source = leader.source if leader else ""
    stairs = _mini_staircase(events, group, leader.published_on) if plot and leader else None
    return views.GroupRow(
        key=group.key,
        path=context.group_page(group.key),
        task=task,
        hardware=context.hardware_link(group.environment),
        note=environment.note,
        workload=index.workload(group.workload).summary if with_workload else "",
        figure=figure(leader.value, group.unit) if leader and leader.value is not None else None,
        metric_label=context.metric_label(source, group.metric) if leader else "",
        holder=leader.name if leader else "",
        holder_path=context.run_page(leader.digest, leader.source) if leader else "",
        tied=leader.tied if leader else 0,
        since=events[-1].observed_at[:10] if events else "",
        runs=group.ranked,
        records=len(events),
        excluded=group.members - group.ranked,
        staircase=stairs,
    )


def _mini_staircase(events: Sequence[EventRow], group: GroupRow, until: str) -> Staircase | None:
    records = [(event.observed_at, event.value, "") for event in events]
    return staircase(records, [], group.unit, group.direction, until, least=2)


def build_task(
    context: Context, task: TaskRow, groups: Sequence[GroupRow], projects: Sequence[tuple[str, int]]
) -> views.TaskView:
    """The view of one operation; `groups` with most runs first, `projects` are (digest, runs)."""
    index = context.index
    document = index.document(task.digest)
    spec: dict[str, Any] = document["spec"]
    many = len({group.workload for group in groups}) > 1
    featured = tuple(
        group_row(context, group, with_task=False, with_workload=many, plot=True) for group in groups[:FEATURED]
    )
    rest = tuple(
        group_row(context, group, with_task=False, with_workload=many, plot=False)
        for group in (groups if len(groups) > FEATURED else ())
    )
    suites = tuple(
        _anchored(workload_view(context, digest), number)
        for number, digest in enumerate((row.digest for row in index.workloads(task.digest) if row.cases), start=1)
    )
    listed = {case.digest for suite in suites for case in suite.cases}
    columns, cases = _cases(context, task, listed)
    statements = index.statements(task.digest)
    slugs = sorted({statement.source for statement in statements} | {task.source})
    return views.TaskView(
        digest=task.digest,
        slug=task.slug,
        title=task.name,
        description=f"{task.name}: records, definition and workloads, in {_plural(len(groups), 'comparison group')}.",
        name=task.name,
        raw=task.raw if task.raw != task.name else "",
        say=task.description,
        family=context.family_link(task.family),
        tags=task.tags,
        aliases=tuple(alias for alias in task.aliases if alias not in (task.raw, task.name)),
        featured=featured,
        groups=rest,
        arguments=_arguments(spec),
        items=_definition(spec, document["metadata"], task.raw),
        workloads=suites,
        case_columns=columns,
        cases=cases,
        projects=tuple((context.project_link(digest), runs) for digest, runs in projects if digest),
        stated=tuple(stated_items(context, task.digest)),
        imprint=(
            item("Operation digest", task.digest, path=object_path(task.digest), mono=True),
            *(item("Source", context.source(slug).name, path=context.page(f"sources/{slug}/")) for slug in slugs),
        ),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
    )


def _anchored(suite: WorkloadView, number: int) -> WorkloadView:
    """The suite with ids of its own for the cases: `case-3` in the first one of a page, `suite-2-case-3` in others."""
    if number == 1:
        return suite
    return replace(suite, cases=tuple(replace(case, anchor=f"suite-{number}-{case.anchor}") for case in suite.cases))


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _arguments(spec: dict[str, Any]) -> tuple[views.Argument, ...]:
    rows = []
    for role, arguments in (("input", spec["inputs"]), ("output", spec["outputs"])):
        for argument in arguments:
            tensor = argument.get("tensor")
            if tensor:
                shape = "[" + ", ".join(str(size) for size in tensor["shape"]) + "]"
                layout = f" {tensor['layout']}" if "layout" in tensor else ""
                rows.append(views.Argument(argument["name"], role, tensor["dtype"], shape + layout))
            else:
                rows.append(views.Argument(argument["name"], role, argument["scalar"]["dtype"], "scalar"))
    return tuple(rows)


def _definition(spec: dict[str, Any], metadata: dict[str, Any], raw: str) -> tuple[Item, ...]:
    semantics = spec["semantics"]
    reference = spec.get("reference")
    lines = [item("Axes", " · ".join(_axis(name, axis) for name, axis in spec["axes"].items()))]
    if "expression" in semantics:
        lines.append(item("Expression", semantics["expression"], mono=True))
    lines += [
        item("Mutation", semantics.get("mutation")),
        item("Determinism", semantics.get("determinism")),
        item("Reference", f"in {reference['language']}" if reference else None),
    ]
    if reference and (file := reference.get("artifact")):
        lines.append(item("Source of the reference", file["digest"], mono=True, extra=file["uri"]))
    # The page begins with the description and the raw name, which mostly is the title.
    lines += editorial(metadata, without=("description", *(["title"] if metadata.get("title") == raw else [])))
    return tuple(lines)


_OF_AXIS = (("value", ""), ("expression", "= "), ("minimum", "from "), ("maximum", "to "))


def _axis(name: str, axis: dict[str, Any]) -> str:
    stated = [f"{word}{axis[key]}" for key, word in _OF_AXIS if key in axis]
    return " ".join([name, *(["variable"] if axis["role"] == "variable" else []), *stated])


def _cases(
    context: Context, task: TaskRow, listed: set[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str, tuple[str, ...]], ...]]:
    """Published cases that no suite lists, with the axes that vary among them as columns."""
    digests = [row.digest for row in context.index.workloads(task.digest) if not row.cases and row.digest not in listed]
    axes = {digest: context.index.document(digest)["spec"]["axes"] for digest in digests}
    names = list(dict.fromkeys(name for values in axes.values() for name in values))
    varying = [name for name in names if len({values.get(name) for values in axes.values()}) > 1] or names[:6]
    ordered = sorted(digests, key=lambda digest: ([axes[digest].get(name, -1) for name in varying], digest))
    rows = tuple(
        (digest, object_path(digest), tuple(str(axes[digest].get(name, "–")) for name in varying)) for digest in ordered
    )
    return tuple(varying), rows

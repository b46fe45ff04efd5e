"""Building operation pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...format import margin_text
from ...index import EventRow, FactRow, TaskRow, WorkloadRow
from ...views import task as views
from ...views.base import Item, Link, WorkloadView
from .context import Context, item, object_path
from .editorial import editorial
from .facts import fact_items
from .group_lines import Line, Record, group_row, read_lines, read_records
from .workload import workload_view

FEATURED = 8


def improvement_text(event: EventRow, better: str) -> str:
    """How far the record before lies behind this one, `7.10 %` or `×2.41`; empty for a first record."""
    if event.previous is None:
        return ""
    return margin_text(event.previous, event.value, better)


def task_pages(context: Context, slugs: Sequence[str]) -> Iterator[tuple[str, views.TaskView]]:
    """(path, view) of the pages of many operations, read together."""
    index = context.index
    tasks = {task.slug: task for task in index.tasks_of(slugs)}
    digests = [task.digest for task in tasks.values()]
    workloads = index.workloads_of(digests)
    index.locate((*digests, *(row.digest for rows in workloads.values() for row in rows)))
    statements = index.all_statements(digests)
    facts = index.all_facts(digests)
    groups = _groups(context, digests)
    records = read_records(context, (line for lines in groups.values() for line in lines[:FEATURED]))
    projects = _projects(context, digests)
    for slug in slugs:
        task = tasks[slug]
        sources = {statement.source for statement in statements[task.digest]} | {task.source}
        view = build_task(
            context,
            task,
            groups=groups[task.digest],
            records=records,
            workloads=workloads[task.digest],
            projects=projects[task.digest],
            facts=facts[task.digest],
            slugs=sorted(sources),
        )
        yield f"operations/{slug}/", view


def _groups(context: Context, tasks: Sequence[str]) -> dict[str, list[Line]]:
    """The ranked groups of each operation, those with most runs first."""
    lines: dict[str, list[Line]] = {digest: [] for digest in tasks}
    query = "select key from grp where task in ({}) and ranked > 0 order by ranked desc, key"
    keys = [row[0] for row in context.index.pairs_in(query, tasks)]
    read = read_lines(context, keys)
    for key in keys:
        lines[read[key].task].append(read[key])
    return lines


def _projects(context: Context, tasks: Sequence[str]) -> dict[str, list[tuple[Link, int]]]:
    """Who reports runs of each operation, with the number of runs; whoever has most comes first."""
    counted = "select task, project, count(*) as runs from run where task in ({}) group by task, project"
    query = (
        f"select counted.task, name, slug, runs from ({counted}) as counted join project on digest = project"
        " order by runs desc, name, digest"
    )
    links: dict[str, list[tuple[Link, int]]] = {digest: [] for digest in tasks}
    for task, name, slug, runs in context.index.pairs_in(query, tasks):
        links[task].append((Link(name, context.page(f"projects/{slug}/")), runs))
    return links


def build_task(
    context: Context,
    task: TaskRow,
    *,
    groups: Sequence[Line],
    records: Mapping[str, Sequence[Record]],
    workloads: Sequence[WorkloadRow],
    projects: Sequence[tuple[Link, int]],
    facts: Sequence[FactRow],
    slugs: Sequence[str],
) -> views.TaskView:
    """The view of one operation; `groups` with most runs first, `slugs` are the sources that state something of it."""
    document = context.index.document(task.digest)
    spec: dict[str, Any] = document["spec"]
    many = len({group.workload for group in groups}) > 1
    featured = tuple(
        group_row(context, group, with_task=False, with_workload=many, records=records) for group in groups[:FEATURED]
    )
    rest = tuple(
        group_row(context, group, with_task=False, with_workload=many)
        for group in (groups if len(groups) > FEATURED else ())
    )
    suites = tuple(
        _anchored(workload_view(context, digest), number)
        for number, digest in enumerate((row.digest for row in workloads if row.cases), start=1)
    )
    listed = {case.digest for suite in suites for case in suite.cases}
    columns, cases = _cases(context, [row.digest for row in workloads if not row.cases and row.digest not in listed])
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
        projects=tuple(projects),
        stated=tuple(fact_items(context, facts)),
        imprint=(
            item("Operation digest", task.digest, path=object_path(task.digest), mono=True),
            *(item("Source", context.source(slug).name, path=context.page(f"sources/{slug}/")) for slug in slugs),
        ),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
        edited=None,
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
    context: Context, digests: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str, tuple[str, ...]], ...]]:
    """Published cases that no suite lists, with the axes that vary among them as columns."""
    # A workload that was removed as a whole states none any more.
    axes = {digest: context.index.document(digest)["spec"].get("axes", {}) for digest in digests}
    names = list(dict.fromkeys(name for values in axes.values() for name in values))
    varying = [name for name in names if len({values.get(name) for values in axes.values()}) > 1] or names[:6]
    ordered = sorted(digests, key=lambda digest: ([axes[digest].get(name, -1) for name in varying], digest))
    rows = tuple(
        (digest, object_path(digest), tuple(str(axes[digest].get(name, "–")) for name in varying)) for digest in ordered
    )
    return tuple(varying), rows

"""Building the project and hardware pages."""

from collections.abc import Sequence

from ...format import count_text
from ...index import EnvironmentRow, GroupRow, ProjectRow, RunRow, SubjectRow
from ...views import hardware as hardware_views
from ...views.base import Item, Link, Pager
from ...views.project import ProjectView
from .context import Context, item, object_path
from .editorial import editorial
from .group import PAGE_ROWS
from .subject import run_row
from .task import group_row


def build_project(
    context: Context,
    project: ProjectRow,
    runs: Sequence[RunRow],
    held: Sequence[GroupRow],
    led: int,
    records: int,
    subjects: Sequence[SubjectRow],
    pager: Pager | None,
    total: int,
    dates: tuple[str, str],
) -> ProjectView:
    """The view of one project; `runs` are those of this page, `held` the first of the `led` groups that it leads."""
    document = context.index.document(project.digest)
    slugs = sorted({statement.source for statement in context.index.statements(project.digest)} | {project.source})
    return ProjectView(
        digest=project.digest,
        slug=project.slug,
        title=project.name,
        description=f"{project.name}: {total} published runs, leading {led} comparison groups.",
        name=project.name,
        items=_project_items(project, document),
        facts=(
            item("Runs", count_text(total)),
            item("Groups led", count_text(led)),
            item("Records set", count_text(records)),
            item("First observed", dates[0][:10]),
            item("Last observed", dates[1][:10]),
        ),
        held=tuple(
            group_row(context, group, with_task=True, with_workload=True, plot=False) for group in held[:PAGE_ROWS]
        ),
        held_count=led,
        runs=tuple(run_row(context, run) for run in runs),
        run_count=total,
        pager=pager,
        implementations=tuple(
            (Link(f"{row.name} · {context.task_link(row.task).text}", context.subject_path(row.digest)), row.runs)
            for row in subjects
        ),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
    )


def _project_items(project: ProjectRow, document: dict) -> tuple[Item, ...]:  # type: ignore[type-arg]
    spec = document["spec"]
    host = spec.get("host")
    lines = []
    if spec["name"] != project.name:
        lines.append(item("Name in the manifest", spec["name"]))
    lines.append(item("Kind", spec.get("kind")))
    for name, label in (("homepage", "Homepage"), ("repository", "Repository")):
        if name in spec:
            lines.append(item(label, spec[name], path=spec[name]))
    if host:
        lines.append(
            item("Host", f"{host['kind']}: {host['id']}" if host["kind"] != "other" else host["id"], mono=True)
        )
    packages = spec.get("packages", ())
    lines += (item(f"Package, {package['ecosystem']}", package["name"], mono=True) for package in packages)
    lines.append(item("Digest", project.digest, path=object_path(project.digest), mono=True))
    lines += editorial(document["metadata"])
    return tuple(lines)


def build_hardware(
    context: Context,
    product: str,
    slug: str,
    environments: Sequence[tuple[EnvironmentRow, int, int]],
    largest: Sequence[GroupRow],
    tasks: Sequence[tuple[str, int]],
    projects: Sequence[tuple[str, int]],
    sources: Sequence[str],
) -> hardware_views.HardwareView:
    """The view of one hardware product; environments come with their numbers of runs and groups."""
    runs = sum(count for _, count, _ in environments)
    groups = sum(count for _, _, count in environments)
    first = environments[0][0]
    return hardware_views.HardwareView(
        slug=slug,
        title=product,
        description=f"{product}: {runs} runs in {groups} comparison groups, on {len(tasks)} operations.",
        product=product,
        facts=(
            item("Vendor", first.vendor),
            item("Architecture", ", ".join(dict.fromkeys(row.architecture for row, _, _ in environments))),
            item("Runs", count_text(runs)),
            item("Groups", count_text(groups)),
            item("Operations", count_text(len(tasks))),
        ),
        environments=tuple(_environment(context, row, runs, groups) for row, runs, groups in environments),
        largest=tuple(group_row(context, group, with_task=True, with_workload=True, plot=False) for group in largest),
        tasks=tuple((context.task_link(digest), count) for digest, count in tasks),
        projects=tuple((context.project_link(digest), count) for digest, count in projects if digest),
        sources=context.source_lines(sources),
        illustrative=context.illustrative(sources),
    )


def _environment(context: Context, row: EnvironmentRow, runs: int, groups: int) -> hardware_views.EnvironmentRow:
    return hardware_views.EnvironmentRow(
        digest=row.digest,
        path=object_path(row.digest),
        title=row.note or row.title,
        items=(item("Architecture", row.architecture),),
        runs=runs,
        groups=groups,
    )

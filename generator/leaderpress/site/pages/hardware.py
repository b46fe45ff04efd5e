"""Building hardware pages."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...format import count_text
from ...index import EnvironmentRow
from ...views import hardware as views
from .context import Context, item, object_path
from .group_lines import Line, group_row, read_lines

LARGEST = 20
"""Groups that a page shows."""
PROJECTS = 60
"""Projects that a page names."""
_INSIDE = "environment in (select digest from environment where slug = ?)"


def hardware_pages(context: Context, slugs: Sequence[str]) -> Iterator[tuple[str, views.HardwareView]]:
    """(path, view) of the pages of hardware products."""
    for slug in slugs:
        yield f"hardware/{slug}/", _product(context, slug)


def _product(context: Context, slug: str) -> views.HardwareView:
    index = context.index
    counts = _runs_by(context, slug)
    groups = dict(index.pairs(f"select environment, count(*) from grp where {_INSIDE} group by environment", slug))
    query = f"select key from grp where {_INSIDE} and ranked > 0 order by ranked desc, key limit ?"
    keys = [row[0] for row in index.pairs(query, slug, LARGEST)]
    lines = read_lines(context, keys)
    environments = sorted(
        index.environments("where slug = ? order by digest", slug),
        key=lambda row: (-counts["environment"][row.digest], row.digest),
    )
    return build_hardware(context, slug, environments, groups, counts, [lines[key] for key in keys])


def _runs_by(context: Context, slug: str) -> dict[str, Counter[str]]:
    """Runs on a product by environment, operation, project and source, counted in one pass."""
    columns = ("environment", "task", "project", "source")
    counts = {column: Counter[str]() for column in columns}
    names = ", ".join(columns)
    query = f"select {names}, count(*) from run where {_INSIDE} group by {names}"
    for *cells, runs in context.index.stream(query, slug):
        for column, cell in zip(columns, cells, strict=True):
            counts[column][cell] += runs
    return counts


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def build_hardware(
    context: Context,
    slug: str,
    environments: Sequence[EnvironmentRow],
    groups: Mapping[str, int],
    runs: Mapping[str, Counter[str]],
    largest: Sequence[Line],
) -> views.HardwareView:
    """The view of one hardware product: `groups` by environment, `runs` by each of four columns."""
    first = environments[0]
    tasks, sources = _most(runs["task"]), sorted(runs["source"])
    all_runs, all_groups = sum(runs["environment"].values()), sum(groups.values())
    return views.HardwareView(
        slug=slug,
        title=first.product,
        description=f"{first.product}: {all_runs} runs in {all_groups} comparison groups, on {len(tasks)} operations.",
        product=first.product,
        facts=(
            item("Vendor", first.vendor),
            item("Architecture", ", ".join(dict.fromkeys(row.architecture for row in environments))),
            item("Runs", count_text(all_runs)),
            item("Groups", count_text(all_groups)),
            item("Operations", count_text(len(tasks))),
        ),
        environments=tuple(
            _environment(row, runs["environment"][row.digest], groups.get(row.digest, 0)) for row in environments
        ),
        largest=tuple(group_row(context, line, with_task=True, with_workload=True) for line in largest),
        tasks=tuple((context.task_link(digest), count) for digest, count in tasks),
        projects=tuple(
            (context.project_link(digest), count) for digest, count in _most(runs["project"])[:PROJECTS] if digest
        ),
        sources=context.source_lines(sources),
        illustrative=context.illustrative(sources),
        edited=None,
    )


def _environment(row: EnvironmentRow, runs: int, groups: int) -> views.EnvironmentRow:
    return views.EnvironmentRow(
        digest=row.digest,
        path=object_path(row.digest),
        title=row.note or row.title,
        items=(item("Architecture", row.architecture),),
        runs=runs,
        groups=groups,
    )

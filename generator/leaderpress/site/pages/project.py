"""Building project pages."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ...format import count_text
from ...index import ProjectRow
from ...values import dataclass
from ...views.base import Item, Link, Pager
from ...views.project import ProjectView
from ...views.subject import RunRow
from .context import Context, item, object_path
from .editorial import editorial
from .group import PAGE_ROWS, pager
from .group_lines import Line, group_row, read_lines
from .run_lines import project_lines


@dataclass(frozen=True, slots=True)
class _Record:
    """What the index says of a project beside its manifest."""

    runs: int = 0
    first: str = ""
    last: str = ""
    records: int = 0
    """Record events that its runs set."""
    led: Sequence[str] = ()
    """Keys of the groups that it leads, those with most runs first."""
    implementations: Sequence[tuple[Link, int]] = ()


def project_pages(context: Context, slugs: Sequence[str]) -> Iterator[tuple[str, ProjectView]]:
    """(path, view) of the pages of many projects, read together; a long table of runs goes on on further pages."""
    index = context.index
    projects = {project.slug: project for project in index.projects_of(slugs)}
    digests = [project.digest for project in projects.values()]
    index.locate(digests)
    statements = index.all_statements(digests)
    records = _records(context, digests)
    lines = read_lines(context, [key for record in records.values() for key in record.led[:PAGE_ROWS]])
    for slug in slugs:
        project = projects[slug]
        record = records[project.digest]
        held = [lines[key] for key in record.led[:PAGE_ROWS]]
        sources = sorted({statement.source for statement in statements[project.digest]} | {project.source})
        yield from _pages(context, project, record, held, sources)


def _records(context: Context, projects: Sequence[str]) -> dict[str, _Record]:
    index = context.index
    query = (
        "select project, count(*), min(observed_at), max(observed_at) from run where project in ({}) group by project"
    )
    stated = {row[0]: row[1:] for row in index.pairs_in(query, projects)}
    query = (
        "select project, count(*) from run join event on event.digest = run.digest where project in ({})"
        " group by project"
    )
    events = dict(index.pairs_in(query, projects))
    led, implementations = _led(context, projects), _implementations(context, projects)
    found = {}
    for digest in projects:
        runs, first, last = stated.get(digest, (0, "", ""))
        records = events.get(digest, 0)
        found[digest] = _Record(runs, first, last, records, led.get(digest, ()), implementations[digest])
    return found


def _led(context: Context, projects: Sequence[str]) -> dict[str, list[str]]:
    query = (
        "select distinct project, ranked, key from run join grp on key = grp where project in ({}) and rank = 1"
        " order by ranked desc, key"
    )
    keys: dict[str, list[str]] = {}
    for project, _, key in context.index.pairs_in(query, projects):
        keys.setdefault(project, []).append(key)
    return keys


def _implementations(context: Context, projects: Sequence[str]) -> dict[str, list[tuple[Link, int]]]:
    """Those with more than one run, and with a page therefore."""
    query = (
        "select project, digest, name, task, runs from subject where project in ({}) and has_page and runs > 1"
        " order by runs desc, digest"
    )
    links: dict[str, list[tuple[Link, int]]] = {digest: [] for digest in projects}
    for project, digest, name, task, runs in context.index.pairs_in(query, projects):
        path = context.page(f"implementations/{digest[7:]}/") or object_path(digest)
        links[project].append((Link(f"{name} · {context.task_link(task).text}", path), runs))
    return links


def _pages(
    context: Context, project: ProjectRow, record: _Record, held: Sequence[Line], slugs: Sequence[str]
) -> Iterator[tuple[str, ProjectView]]:
    start = f"projects/{project.slug}/"
    linked = context.addresses.has_page(start)
    lines = project_lines(context, project.digest)
    for number in range(1, max(1, -(-record.runs // PAGE_ROWS)) + 1):
        runs = tuple(islice(lines, PAGE_ROWS))
        pages = pager(start, number, record.runs, PAGE_ROWS, linked=linked)
        path = start if number == 1 else f"{start}{number}/"
        yield path, build_project(context, project, record, runs, held if number == 1 else (), pages, slugs)


def build_project(
    context: Context,
    project: ProjectRow,
    record: _Record,
    runs: tuple[RunRow, ...],
    held: Sequence[Line],
    pages: Pager | None,
    slugs: Sequence[str],
) -> ProjectView:
    """The view of one page of a project: `runs` are those of the page, `held` the groups that the first one shows."""
    led = len(record.led)
    first = pages is None or pages.page == 1
    return ProjectView(
        digest=project.digest,
        slug=project.slug,
        title=project.name,
        description=f"{project.name}: {record.runs} published runs, leading {led} comparison groups.",
        name=project.name,
        items=_project_items(project, context.index.document(project.digest)),
        facts=(
            item("Runs", count_text(record.runs)),
            item("Groups led", count_text(led)),
            item("Records set", count_text(record.records)),
            item("First observed", record.first[:10]),
            item("Last observed", record.last[:10]),
        ),
        held=tuple(group_row(context, line, with_task=True, with_workload=True) for line in held),
        held_count=led,
        runs=runs,
        run_count=record.runs,
        pager=pages,
        implementations=tuple(record.implementations) if first else (),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
        edited=None,
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

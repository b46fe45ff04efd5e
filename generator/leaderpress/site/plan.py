"""The order of work: every page and file of a site as jobs, small enough to hand to worker processes.

A job is a kind and its keys.  Runs are built with their group, whose ranking they share; everything else stands
alone.  The plan is an ordered stream, so that memory does not grow with the site.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ..index import Index, shortforms
from ..views.base import Link, SiteView
from .addresses import Addresses
from .changes import Changes
from .content import Content
from .pages.group import PAGE_ROWS
from .pages.indexes import INDEX_PAGE
from .pages.records import EVENTS_PAGE
from .shortforms import is_looked_up, shard_names

OBJECTS_A_JOB = 400
GROUPS_A_JOB = 40
RUNS_A_JOB = 120
PAGES_A_JOB = 25
SUBJECTS_A_JOB = 100
LISTS_A_JOB = 50
"""Consecutive pages of one long list: it is sorted anew for each job, so that few of them are short work."""

NAV = (
    Link("Operations", "operations/"),
    Link("Implementations", "implementations/"),
    Link("Projects", "projects/"),
    Link("Hardware", "hardware/"),
    Link("Sources", "sources/"),
    Link("Records", "records/"),
    Link("Changes", "changes/"),
    Link("About", "about/"),
)


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work for one process."""

    kind: str
    keys: tuple[str, ...]


def plan(index: Index, content: Content, changes: Changes | None = None) -> Iterator[Job]:
    """The jobs of a build: all of them, or those that `changes` asks for.  The largest kinds come first."""
    subjects = _column(index, "select digest from subject where has_page order by digest")
    tasks = _column(index, "select slug from task order by slug")
    projects = _column(index, "select slug from project order by slug")
    hardware = _column(index, "select distinct slug from environment order by slug")
    objects = (digest for digest, _ in index.documents())
    yield from _groups(index, None if changes is None else changes.groups)
    yield from _chunks("subject", _wanted(subjects, None if changes is None else changes.subjects), size=SUBJECTS_A_JOB)
    yield from _chunks("task", _wanted(tasks, None if changes is None else changes.tasks))
    yield from _chunks("project", _wanted(projects, None if changes is None else changes.projects))
    yield from _chunks("hardware", _wanted(hardware, None if changes is None else changes.hardware), size=1)
    yield from _chunks("source", index.sources())
    yield from _chunks("objects", _wanted(objects, None if changes is None else changes.objects), size=OBJECTS_A_JOB)
    if changes is None or changes.records:
        events = index.count("select count(*) from event")
        yield from _chunks("records", _numbers(_pages(events, EVENTS_PAGE)), size=LISTS_A_JOB)
    count = index.count("select count(*) from subject")
    yield from _chunks("subjects", _numbers(_pages(count, INDEX_PAGE)), size=LISTS_A_JOB)
    yield Job("single", ("home", "tasks", "projects", "hardware", "sources", "changes"))
    yield from _editions(content, changes)
    if is_looked_up(Addresses(content.config.outputs)):
        names = shard_names(shortforms.digits(index.short_count())) if changes is None else sorted(changes.lookup)
        yield Job("lookup", tuple(names))
    if changes is None or changes.pages:
        yield Job("prose", tuple(sorted(content.pages)))
    if changes is None:
        yield Job("fixed", ("404", "schemas", "assets"))


def _editions(content: Content, changes: Changes | None) -> Iterator[Job]:
    """The index of editions and their pages; neither exists on a site without one."""
    if content.editions:
        yield Job("single", ("editions",))
        tags = _wanted(sorted(content.editions), None if changes is None else changes.editions)
        yield from _chunks("edition", tags, size=1)


def _wanted(keys: Iterable[str], only: Collection[str] | None) -> Iterator[str]:
    return (key for key in keys if only is None or key in only)


def _groups(index: Index, only: Collection[str] | None) -> Iterator[Job]:
    """Groups by operation and workload, so that what their pages share is still at hand; packed by their runs."""
    keys: list[str] = []
    runs = 0
    for key, members in index.stream("select key, members from grp order by task, workload, key"):
        if only is not None and key not in only:
            continue
        keys.append(key)
        runs += members
        if runs >= RUNS_A_JOB or len(keys) >= GROUPS_A_JOB:
            yield Job("group", tuple(keys))
            keys, runs = [], 0
    if keys:
        yield Job("group", tuple(keys))


def _chunks(kind: str, keys: Iterable[str], size: int = PAGES_A_JOB) -> Iterator[Job]:
    stream = iter(keys)
    while chunk := tuple(islice(stream, size)):
        yield Job(kind, chunk)


def _numbers(last: int) -> Iterator[str]:
    return map(str, range(1, last + 1))


def _column(index: Index, query: str) -> Iterator[str]:
    return (row[0] for row in index.stream(query))


def _pages(count: int, size: int) -> int:
    return max(1, -(-count // size))


def site_view(content: Content, generator: str, illustrative_sources: Sequence[str]) -> SiteView:
    """The chrome of every page; nothing in it changes with an ingest, unless the kind of its sources does."""
    config = content.config
    base = config.permalink_base or ""
    addresses = Addresses(config.outputs)
    slugs = set(illustrative_sources)
    return SiteView(
        title=config.title,
        tagline=config.tagline,
        description=config.description,
        publisher=config.publisher,
        language=config.language,
        permalink_base=base,
        base_path=config.base_path,
        nav=tuple(link for link in NAV if addresses.has_page(link.path)),
        illustrative=bool(slugs)
        and all(content.sources[slug].illustrative for slug in slugs if slug in content.sources),
        feed="records/feed.xml" if base else "",
        generator=generator,
        report_url=config.report_url or "",
        note_url=config.note_url or "",
        home=addresses.has_page(""),
    )


def last_page(count: int) -> int:
    """Number of pages of a ranking with `count` rows."""
    return _pages(count, PAGE_ROWS)

"""Pages that are read together: they are what each would be alone, and what a page costs does not grow with them."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.index import reader
from leaderpress.site import plan as planning
from leaderpress.site.pages import indexes, project, records
from leaderpress.site.pages.hardware import hardware_pages
from leaderpress.site.pages.subject import subject_pages
from leaderpress.site.pages.task import task_pages

Pages = Iterator[tuple[str, Any]]
Build = Callable[[Any, Sequence[Any]], Pages]

BATCHES: dict[str, tuple[Build, str]] = {
    "subject": (subject_pages, "select digest from subject order by digest"),
    "task": (task_pages, "select slug from task order by slug"),
    "project": (project.project_pages, "select slug from project order by slug"),
    "hardware": (hardware_pages, "select distinct slug from environment order by slug"),
}


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def instant(n: int) -> str:
    return f"2026-01-02T03:{n // 60:02}:{n % 60:02}.000Z"


def several(count: int) -> list[Chain]:
    """Runs of several people, operations and devices: ties, records that fell, some that failed."""
    return [
        Chain(
            n,
            None if n % 7 == 6 else 1000 - 10 * (n // 3),
            user=f"U{n % 5}",
            op=f"op{n % 4}",
            gpu=f"Abacus {n % 3}",
            status="timeout" if n % 7 == 6 else "passed",
            observed=instant(n),
        )
        for n in range(count)
    ]


def keys(at: SimpleNamespace, query: str) -> list[str]:
    return [row[0] for row in at.index.pairs(query)]


@pytest.mark.parametrize("kind", BATCHES)
def test_pages_that_are_read_together_are_those_that_each_would_be_alone(kind: str, site: TinySite) -> None:
    build, query = BATCHES[kind]
    site.feed(*several(40))
    with site.pages() as at:
        every = keys(at, query)
        together = list(build(at.context, every))
        assert together == list(chain.from_iterable(build(at.context, [key]) for key in every))
        assert list(build(at.context, every[::-1])) == together[::-1]
        assert len(every) > 2


@pytest.mark.parametrize("kind", BATCHES)
def test_more_keys_than_a_query_takes(kind: str, site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    build, query = BATCHES[kind]
    site.feed(*several(40))
    with site.pages() as at:
        whole = list(build(at.context, keys(at, query)))
        monkeypatch.setattr(reader, "_KEYS_A_QUERY", 2)
        assert list(build(at.context, keys(at, query))) == whole


def queries(at: SimpleNamespace, work: Callable[[], object]) -> int:
    """How many statements a piece of work asks the index."""
    asked: list[str] = []
    at.index._db.set_trace_callback(asked.append)
    work()
    at.index._db.set_trace_callback(None)
    return len(asked)


@pytest.mark.parametrize("kind", ["subject", "records", "subjects"])
def test_more_rows_take_no_more_queries(kind: str, site: TinySite) -> None:
    """Runs, events and implementations are joined, not looked up one by one."""
    build: dict[str, Callable[[Any, SimpleNamespace], object]] = {
        "subject": lambda context, at: list(subject_pages(context, keys(at, BATCHES["subject"][1]))),
        "records": lambda context, _: list(records.records_pages(context, [1])),
        "subjects": lambda context, _: list(indexes.subject_indexes(context, [1])),
    }
    asked = []
    for count in (20, 40):
        site.feed(*several(count))
        with site.pages() as at:
            build[kind](at.context, at)  # what many pages share is at hand from here on
            asked.append(queries(at, lambda at=at: build[kind](at.context, at)))  # type: ignore[misc]
    assert asked[0] == asked[1] > 0


def test_a_line_of_a_project_takes_no_query_of_its_own(site: TinySite) -> None:
    asked = []
    for count in (20, 40):
        site.feed(*several(count))
        with site.pages() as at:
            slugs = keys(at, BATCHES["project"][1])
            list(project.project_pages(at.context, slugs))
            asked.append(queries(at, lambda at=at, slugs=slugs: list(project.project_pages(at.context, slugs))))  # type: ignore[misc]
    assert asked[0] == asked[1] > 0


# -- long lists --------------------------------------------------------------------------------------------------------


def test_a_long_project_goes_on_without_a_gap(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run once, those that rank first and by rank, then the newest observation."""
    runs = [
        Chain(n, None if n % 5 == 4 else 100 + n % 3, status="timeout" if n % 5 == 4 else "passed", observed=instant(n))
        for n in range(11)
    ]
    site.feed(*runs)
    monkeypatch.setattr(project, "PAGE_ROWS", 4)
    files = site.files("project", "ada")
    paths = ["projects/ada/", "projects/ada/2/", "projects/ada/3/"]
    assert sorted(files) == sorted(f"{path}index.{suffix}" for path in paths for suffix in ("html", "json"))
    pages = [json.loads(files[f"{path}index.json"]) for path in paths]
    assert [len(page["runs"]) for page in pages] == [4, 4, 3]
    assert [page["pager"]["page"] for page in pages] == [1, 2, 3]
    listed = [row["digest"] for page in pages for row in page["runs"]]
    with site.open() as index:
        rows = [index.run(run.digest) for run in runs]
    newest = sorted(sorted(rows, key=lambda run: run.digest), key=lambda run: run.observed_at, reverse=True)
    ordered = sorted(newest, key=lambda run: run.rank or len(rows))
    assert listed == [run.digest for run in ordered]
    titles = {path: files[f"{path}index.html"].decode().partition("<title>")[2].partition("<")[0] for path in paths}
    assert titles["projects/ada/2/"].startswith("Ada, page 2 ")
    assert len(set(titles.values())) == 3


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("kind", ["records", "subjects"])
def test_the_parts_of_a_long_list_are_the_same_from_wherever_it_is_read(
    kind: str, size: int, site: TinySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "EVENTS_PAGE", size)
    monkeypatch.setattr(indexes, "INDEX_PAGE", size)
    build: Build = {"records": records.records_pages, "subjects": indexes.subject_indexes}[kind]
    site.feed(*several(30))
    with site.pages() as at:
        whole = at.index.count(f"select count(*) from {'event' if kind == 'records' else 'subject'}")
        numbers = range(1, -(-whole // size) + 1)
        together = list(build(at.context, numbers))
        assert together == [page for number in numbers for page in build(at.context, [number])]
    assert [path for path, _ in together] == [
        f"{'records' if kind == 'records' else 'implementations'}/{'' if number == 1 else f'{number}/'}"
        for number in numbers
    ]
    rows = [
        row
        for _, view in together
        for row in (view.events if kind == "records" else (link for part in view.sections for link in part.links))
    ]
    assert len(rows) == whole
    assert len(set(rows)) == whole


# -- growth ------------------------------------------------------------------------------------------------------------

KINDS = ("subject", "task", "project", "hardware", "source", "records", "subjects", "single")


def steps(site: TinySite, kind: str) -> int:
    """How many instructions of its own machine SQLite takes for all pages of a kind: the same on every computer."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    with site.pages() as at:
        jobs = [job for job in planning.plan(at.index, at.content) if job.kind == kind]
        at.index._db.set_progress_handler(count, 10)
        for job in jobs:
            for _ in at.renderer.files(job):
                pass
        at.index._db.set_progress_handler(None, 10)
    return taken


def grown(n: int, people: int) -> Chain:
    """A run whose implementation has a page."""
    licensed = {"licensing": {"declared": "MIT"}}
    return Chain(n, 1000 - n % 9, user="Ada" if n % 3 else f"U{n % people}", op=f"op{n // 2}", subject=licensed)


@pytest.fixture(scope="module")
def sizes(tmp_path_factory: pytest.TempPathFactory) -> tuple[TinySite, TinySite]:
    """A site, and one with eight times as many runs, people, operations and ingests."""
    found = []
    for count in (1, 8):
        site = TinySite(tmp_path_factory.mktemp(f"size-{count}"))
        for part in range(count):
            numbers = range(part * 30, part * 30 + 30)
            site.feed(*(grown(n, 10 * count) for n in numbers))
        found.append(site)
    return found[0], found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_work_grows_in_proportion_to_the_records(
    kind: str, sizes: tuple[TinySite, TinySite], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight times as much takes at most twelve times as long: a table is read for a site, not for each of its pages."""
    for name in ("pages.records.EVENTS_PAGE", "pages.indexes.INDEX_PAGE", "pages.project.PAGE_ROWS"):
        monkeypatch.setattr(f"leaderpress.site.{name}", 10)
    for name in ("EVENTS_PAGE", "INDEX_PAGE"):
        monkeypatch.setattr(planning, name, 10)
    small, large = (steps(site, kind) for site in sizes)
    assert 0 < large <= 12 * small

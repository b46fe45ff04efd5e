"""The plan: every page once, in an order and in portions that do not depend on chance."""

from collections import Counter
from pathlib import Path

import pytest
from tiny_site import TABLE, Chain, TinySite

from leaderpress.site import plan as planning
from leaderpress.site.plan import Job, plan, site_view


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


RUNS = [
    *(Chain(n, n * 10, user=f"U{n}") for n in range(1, 6)),
    *(Chain(n, n * 10, gpu=f"Abacus {n}", op="gemm") for n in range(6, 10)),
    Chain(20, None, status="timeout"),
]


def jobs(site: TinySite) -> list[Job]:
    with site.pages() as at:
        return list(plan(at.index, at.content))


def test_every_key_of_every_kind_is_planned_once(site: TinySite) -> None:
    site.feed(*RUNS)
    planned = [(job.kind, key) for job in jobs(site) for key in job.keys]
    assert max(Counter(planned).values()) == 1
    with site.open() as index:
        assert {key for kind, key in planned if kind == "group"} == {row.key for row in index.groups()}
        assert {key for kind, key in planned if kind == "objects"} == {digest for digest, _ in index.documents()}
        assert {key for kind, key in planned if kind == "task"} == {row.slug for row in index.tasks()}
        assert {key for kind, key in planned if kind == "project"} == {row.slug for row in index.projects()}


def test_no_path_is_written_by_two_jobs_and_every_run_has_a_page(site: TinySite) -> None:
    site.feed(*RUNS)
    paths: Counter[str] = Counter()
    with site.pages() as at:
        for job in plan(at.index, at.content):
            paths.update(path for path, _ in at.renderer.files(job))
    assert max(paths.values()) == 1
    assert len({path.casefold() for path in paths}) == len(paths)
    assert max(map(len, paths)) <= 200
    for run in RUNS:
        assert paths[f"runs/{run.digest[7:]}/index.html"] == 1


def test_the_plan_does_not_depend_on_the_order_of_the_dump(site: TinySite, tmp_path: Path) -> None:
    other = TinySite(tmp_path / "other")
    site.feed(*RUNS)
    other.feed(*reversed(RUNS))
    assert jobs(site) == jobs(other)


def test_groups_are_packed_by_their_runs(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    site.feed(*RUNS)
    monkeypatch.setattr(planning, "RUNS_A_JOB", 3)
    portions = [job for job in jobs(site) if job.kind == "group"]
    with site.open() as index:
        sizes = [[index.group(key).members for key in job.keys] for job in portions]
        groups = [index.group(key) for job in portions for key in job.keys]
    assert all(sum(size[:-1]) < 3 for size in sizes)
    assert groups == sorted(groups, key=lambda group: (group.task, group.workload, group.key))


def test_a_site_without_records_has_its_ways_in(site: TinySite) -> None:
    kinds = [job.kind for job in jobs(site)]
    assert kinds == ["records", "subjects", "single", "lookup", "prose", "fixed"]


ILLUSTRATIVE = {
    "all sources invented": (["board"], True),
    "one real source": (["board", "real"], False),
    "no source yet": ([], False),
}


@pytest.mark.parametrize("case", ILLUSTRATIVE)
def test_the_whole_site_is_illustrative_only_if_every_source_is(case: str, site: TinySite) -> None:
    slugs, expected = ILLUSTRATIVE[case]
    site.table(TABLE.replace("illustrative = true", "illustrative = false"), slug="real")
    assert site_view(site.content(), "x", slugs).illustrative is expected


def test_no_count_or_date_stands_in_the_chrome(site: TinySite) -> None:
    site.feed(RUNS[0])
    before = site_view(site.content(), "x", ["board"])
    site.feed(*RUNS)
    assert site_view(site.content(), "x", ["board"]) == before

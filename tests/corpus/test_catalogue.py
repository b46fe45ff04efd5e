"""The catalogue export: every run, key and record event, failed runs, hard names; and both sources in one site."""

from collections import Counter, defaultdict
from typing import Any

import pytest
from real_site import Made, visible

from leaderpress.checks import check_site

pytestmark = pytest.mark.slow

Export = dict[str, list[dict[str, Any]]]


# -- what the index says -----------------------------------------------------------------------------------------------


def test_every_run_has_its_comparison_key(catalogue: Made, export: Export) -> None:
    with catalogue.index() as index:
        ours = dict(index.pairs("select digest, grp from run"))
    assert ours == {row["runDigest"]: row["comparisonKey"] for row in export["benchmark_runs"]}
    assert len(ours) == 7857


def test_record_events_are_equal_group_by_group(catalogue: Made, export: Export) -> None:
    digests = {row["id"]: row["runDigest"] for row in export["benchmark_runs"]}
    theirs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in sorted(export["record_events"], key=lambda row: row["at"]):
        theirs[row["comparisonKey"]].append((row["at"], digests[row["runId"]]))
    ours: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with catalogue.index() as index:
        for key, digest, at in index.pairs("select grp, digest, observed_at from event order by grp, position"):
            ours[key].append((at, digest))
        assert index.count("select count(*) from grp") == 1912
        assert index.count("select count(*) from grp where ranked > 0") == len(theirs)
    assert sum(map(len, theirs.values())) == 2948
    assert [key for key in theirs if [run for _, run in theirs[key]] != [run for _, run in ours[key]]] == []
    assert set(ours) == set(theirs)


def test_each_run_belongs_to_the_source_and_the_project_of_the_export(catalogue: Made, export: Export) -> None:
    sources = {row["id"]: row["slug"] for row in export["sources"]}
    projects = {row["id"]: row["name"] for row in export["projects"]}
    owners = {row["id"]: projects[row["projectId"]] for row in export["implementations"]}
    with catalogue.index() as index:
        ours = {row[0]: row[1:] for row in index.pairs("select digest, source, project_name from run")}
    theirs = {
        row["runDigest"]: (sources[row["sourceId"]], owners[row["implementationId"]])
        for row in export["benchmark_runs"]
    }
    assert ours == theirs


# -- what the site shows -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def failed(export: Export) -> list[str]:
    return [row["runDigest"] for row in export["benchmark_runs"] if row["status"] != "passed"]


def test_failed_runs_are_published_without_rank_or_value(both: Made, failed: list[str]) -> None:
    assert len(failed) == 86
    for digest in failed:
        twin = both.twin(f"runs/{digest[7:]}")
        assert (twin["standing"], twin["primary"], twin["measurements"]) == (None, None, []), digest
        assert any(reason["code"].startswith("STATUS_") for reason in twin["reasons"])
        group = both.twin(f"groups/{twin['comparison_key'][7:]}")
        assert digest not in {row["digest"] for row in group["runs"]}
        assert next(row for row in group["excluded"] if row["digest"] == digest)["figure"] is None


def test_the_page_of_a_failed_run_shows_no_figure(both: Made, failed: list[str]) -> None:
    import re

    for digest in failed[::10]:
        page = both.html(f"runs/{digest[7:]}")
        text = visible(page)
        assert "Does not rank" in text
        hero = next(node for node in page.iter("div") if "number" in node.get("class", "").split())
        assert not re.search(r"\d\s?(ns|µs|ms|s)\b", visible(hero)), digest
        assert list(hero.iter("data")) == []


def test_a_group_lists_the_failed_runs_that_match_it_in_all_but_the_metric(both: Made, failed: list[str]) -> None:
    with both.index() as index:
        siblings = {row[0] for row in index.pairs("select siblings from run where status != 'passed'")}
        marks = ",".join("?" * len(siblings))
        ranked = index.groups(f"where ranked > 0 and siblings in ({marks}) order by key", *sorted(siblings))
        expected = {
            group.key: {
                row[0]
                for row in index.pairs(
                    "select digest from run where siblings = ? and status != 'passed'", group.siblings
                )
            }
            for group in ranked
        }
    assert expected
    for key, digests in expected.items():
        excluded = {row["digest"] for row in both.twin(f"groups/{key[7:]}")["excluded"]}
        assert digests <= excluded, key


def test_every_project_is_reachable_by_its_name(both: Made, export: Export) -> None:
    """Among them two names that leave nothing of a slug, and names that are equal or differ by case only."""
    listed = Counter[str]()
    paths: dict[str, set[str]] = defaultdict(set)
    for section in both.twin("projects")["sections"]:
        for link, _ in section["links"]:
            listed[link["text"]] += 1
            paths[link["text"]].add(link["path"])
    names = Counter(row["name"] for row in export["projects"])
    assert [name for name, count in names.items() if len(paths[name]) < count] == []
    assert {"我爱拆拆", "南北绿豆糕"} <= set(names)
    assert len({path.casefold() for found in paths.values() for path in found}) == sum(listed.values())
    for name in ("我爱拆拆", "南北绿豆糕", *(name for name, count in names.items() if count > 1)):
        for path in paths[name]:
            page = both.html(path)
            assert visible(next(page.iter("h1"))) == name
            assert both.twin(path)["run_count"] > 0


def test_both_sources_in_one_site_share_their_objects(both: Made, sol: Made, export: Export) -> None:
    with both.index() as index:
        documents = {digest for digest, _ in index.documents()}
        stated = Counter(row[0] for row in index.pairs("select distinct digest from statement"))
        folders = [row.name for row in index.folders()]
        runs = {row[0] for row in index.pairs("select digest from run")}
    assert set(stated) == documents
    assert len(folders) == 2
    exported = {row["runDigest"] for row in export["benchmark_runs"]}
    dumped = {f"sha256:{path.name}" for path in (sol.output / "runs").iterdir() if path.is_dir()}
    assert runs == exported | dumped
    assert len(exported & dumped) == 705
    objects = list((both.output / "sha256").glob("*/*.json"))
    assert {f"sha256:{path.stem}" for path in objects} == documents
    assert len(objects) == 5840 + 18792 - 5837


def test_what_only_the_catalogue_states_is_added_to_what_the_dump_stated(both: Made, export: Export) -> None:
    sources = {row["id"]: row["slug"] for row in export["sources"]}
    with both.index() as index:
        old = {row[0] for row in index.pairs("select digest from run where folder = 1")}
    row = next(
        row
        for row in export["benchmark_runs"]
        if sources[row["sourceId"]] == "sol-execbench" and row["runDigest"] in old
    )
    twin = both.twin(f"runs/{row['runDigest'][7:]}")
    imprint = {item["label"]: item["value"] for item in twin["imprint"]}
    assert imprint["Published"] == "2026-08-24", "the day of the ingest that published it first"
    assert imprint["Published upstream"] == row["publishedAt"][:10]
    tags = {row["semanticDigest"]: set(row["tags"]) for row in export["operations"]}
    task = both.twin(twin["task"]["path"])
    assert set(task["tags"]) == tags[task["digest"]]


def test_records_on_the_pages_are_those_of_the_export(both: Made, export: Export, sol: Made) -> None:
    """Where the dump adds a run to a group, its records may differ; everywhere else they are equal."""
    exported = {row["runDigest"] for row in export["benchmark_runs"]}
    digests = {row["id"]: row["runDigest"] for row in export["benchmark_runs"]}
    theirs: dict[str, list[str]] = defaultdict(list)
    for row in sorted(export["record_events"], key=lambda row: row["at"]):
        theirs[row["comparisonKey"]].append(digests[row["runId"]])
    touched = 0
    for key, events in theirs.items():
        twin = both.twin(f"groups/{key[7:]}")
        if {run["digest"] for run in twin["runs"]} <= exported:
            assert [row["digest"] for row in twin["records"]] == events, key
        else:
            touched += 1
    assert touched <= 1


# -- links -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sol", "both", "sol_for_disk", "both_for_disk"])
def test_no_link_or_fragment_is_broken(name: str, request: pytest.FixtureRequest) -> None:
    made: Made = request.getfixturevalue(name)
    report = check_site(made.output)
    assert [str(problem) for problem in report.problems[:20]] == []
    assert report.counts["links"] > 50_000


def test_links_for_a_disk_name_their_file(both_for_disk: Made) -> None:
    for path in ("", "groups", "runs"):
        folder = both_for_disk.output / path
        page = folder if path == "" else next(child for child in sorted(folder.iterdir()) if child.is_dir())
        for anchor in both_for_disk.html(page.relative_to(both_for_disk.output).as_posix()).iter("a"):
            target = anchor.get("href", "").partition("#")[0].partition("?")[0]
            if target and ":" not in target:
                assert not target.endswith("/"), target

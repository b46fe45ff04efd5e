"""The operation page's view: records of its groups, definition, suites and cases, what the source states beside."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.manifests import parse


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def twin(site: TinySite, slug: str = "scan") -> Any:
    return site.twin("task", slug, f"operations/{slug}/")


def test_groups_stand_with_most_runs_first_and_the_rest_after_eight(site: TinySite) -> None:
    crowd = [Chain(n, 100 * n, user=f"U{n}") for n in (1, 2, 3)]
    alone = [Chain(10 + n, 50, gpu=f"Abacus {n}", user="Bea") for n in range(2, 11)]
    failed = Chain(30, None, status="timeout")
    site.feed(*crowd, *alone, failed)
    view = twin(site)
    assert [row["runs"] for row in view["featured"]] == [3, 1, 1, 1, 1, 1, 1, 1]
    assert [row["runs"] for row in view["groups"]] == [3, *[1] * 9]
    first = view["featured"][0]
    assert (first["holder"], first["holder_path"], first["since"]) == (
        "U1",
        f"runs/{crowd[0].digest[7:]}/",
        "2026-01-02",
    )
    assert first["figure"]["exact"] == "100 ns"
    assert view["description"] == "Scan: records, definition and workloads, in 10 comparison groups."


def test_an_operation_without_runs_has_its_page(site: TinySite) -> None:
    only = Chain(1)
    task, suite = only.operation(), only.suite()
    site.feed({"manifest": task.document, "name": "scan"}, {"manifest": suite.document})
    view = twin(site)
    assert (view["featured"], view["groups"], view["projects"]) == ([], [], [])
    assert len(view["workloads"]) == 1
    assert [(row["name"], row["role"], row["shape"]) for row in view["arguments"]] == [
        ("x", "input", "[n, d]"),
        ("y_s", "output", "scalar"),
    ]


def test_cases_of_a_suite_lead_to_their_own_objects(site: TinySite) -> None:
    run = Chain(1)
    known, other = ({"manifest": run.case({"n": n}).document} for n in (1, 3))
    site.feed(run, known, other)
    view = twin(site)
    listed = view["workloads"][0]["cases"]
    assert [(row["label"], row["anchor"], bool(row["digest"])) for row in listed] == [
        ("id-0", "case-1", True),
        ("id-1", "case-2", False),
    ]
    assert listed[0]["path"] == f"sha256/{listed[0]['digest'][7:9]}/{listed[0]['digest'][7:]}.json"
    # A case that no suite lists is listed by itself, and only it.
    assert [row[2] for row in view["cases"]] == [["3"]]


def test_facts_tags_and_aliases_are_shown_as_stated(site: TinySite) -> None:
    run = Chain(1, about_task={"tags": ["quick", "sum"], "aliases": ["prefix_sum"]})
    task = run.operation().digest
    facts = [
        {"about": task, "fact": "latency_ms", "value": 1.5},
        {"about": task, "fact": "submission_count", "value": 1251},
        {"about": task, "fact": "verified", "value": True},
        {"about": task, "fact": "table", "value": [1, 2, 3]},
    ]
    site.feed(run, *facts)
    view = twin(site)
    assert (view["tags"], view["aliases"]) == (["quick", "sum"], ["prefix_sum"])
    stated = {item["label"]: item["value"].replace("\u00a0", " ") for item in view["stated"]}
    assert stated == {
        "Latency as published": "1.50 ms",
        "Submission count": "1\u202f251",
        "Verified": "yes",
        "Table": "[1,2,3]",
    }


def test_a_fact_is_replaced_by_the_same_fact_of_a_later_dump(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run, {"about": run.operation().digest, "fact": "submission_count", "value": 5})
    site.feed({"about": run.operation().digest, "fact": "submission_count", "value": 6})
    assert [item["value"] for item in twin(site)["stated"]] == ["6"]


def test_projects_stand_with_most_runs_first(site: TinySite) -> None:
    site.feed(Chain(1, 1, user="Ada"), Chain(2, 2, user="Bea"), Chain(3, 3, user="Bea"))
    assert [(link["text"], runs) for link, runs in twin(site)["projects"]] == [("Bea", 2), ("Ada", 1)]


def test_the_raw_name_stays_visible(site: TinySite) -> None:
    site.feed(Chain(1, op="gqa", op_title="003_grouped_query_attention_with_rope_backward"))
    view = twin(site, "003-grouped-query-attention-with-rope-backward")
    assert view["name"] == "Grouped query attention with RoPE backward"
    assert view["raw"] == "003_grouped_query_attention_with_rope_backward"


def ids(page: bytes) -> list[str]:
    return re.findall(r' id="([^"]+)"', page.decode())


def test_cases_of_several_suites_have_ids_of_their_own(site: TinySite) -> None:
    site.feed(Chain(1), Chain(2, cases=({"n": 3}, {"n": 4})))
    anchors = [[case["anchor"] for case in suite["cases"]] for suite in twin(site)["workloads"]]
    assert anchors == [["case-1", "case-2"], ["suite-2-case-1", "suite-2-case-2"]]
    found = ids(site.files("task", "scan")["operations/scan/index.html"])
    assert len(set(found)) == len(found)


def tolerant(run: Chain, axes: dict[str, int], comparator: str = "exact", **tolerance: float) -> Any:
    document = run.case(axes).document
    tree = json.loads(document)
    tree["spec"]["correctness"] = {"comparator": comparator, **tolerance}
    return {"manifest": parse(tree).document}


def test_a_case_is_matched_by_its_comparator_as_well(site: TinySite) -> None:
    run = Chain(1)
    close, exact = (tolerant(run, {"n": 1}, name) for name in ("close", "exact"))
    site.feed(run, close, exact)
    listed = twin(site)["workloads"][0]["cases"]
    assert [row["digest"] for row in listed] == [parse(json.loads(exact["manifest"])).digest, ""]


def test_a_case_that_was_stated_with_the_suite_is_preferred(site: TinySite) -> None:
    run = Chain(1)
    stated = [tolerant(run, {"n": 1}, maxAbsoluteError=error) for error in (0.5, 0.25, 0.125)]
    # The last by digest, so that no order of digests can take the place of the rule.
    *later, first = sorted(stated, key=lambda finding: parse(json.loads(finding["manifest"])).digest)
    site.feed(run, first)
    site.feed(*later, on="2026-05-06")
    listed = twin(site)["workloads"][0]["cases"]
    assert listed[0]["digest"] == parse(json.loads(first["manifest"])).digest
    assert len(twin(site)["cases"]) == 2


def test_cases_that_a_suite_does_not_tell_apart_take_nobodys_link_and_facts(site: TinySite) -> None:
    run = Chain(1)
    twins = [tolerant(run, {"n": 1}, maxAbsoluteError=error) for error in (0.5, 0.25)]
    about = parse(json.loads(twins[0]["manifest"])).digest
    site.feed(run, *twins, {"about": about, "fact": "points", "value": 1})
    view = twin(site)
    assert [(row["digest"], row["stated"]) for row in view["workloads"][0]["cases"]] == [("", []), ("", [])]
    assert len(view["cases"]) == 2

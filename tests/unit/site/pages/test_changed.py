"""The page of changes: what each ingest changed of what was published before it, and nothing twice."""

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tiny_site import Chain, Json, TinySite

from leaderpress.site.build import build

RUNS = [Chain(n, n * 10, user=f"U{n}") for n in range(1, 6)]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(*RUNS)
    return made


def changes(site: TinySite) -> list[Any]:
    """The twin's ingests, newest first."""
    twin = site.twin("single", "changes", "changes/")
    return list(twin["changes"])


def counts(change: Json) -> dict[str, str]:
    return {line["label"]: line["value"] for line in change["counts"]}


def restated(run: Chain, team: Chain) -> list[Json]:
    """A run that passed to another project."""
    project = team.project()
    return [
        {"manifest": project.document, "name": team.user},
        {"manifest": run.record().document, "upstream_key": str(run.n), "project": project.digest},
    ]


def test_the_first_ingest_changes_nothing(site: TinySite) -> None:
    (first,) = changes(site)
    assert [first[name] for name in ("replaced", "uncounted", "renamed", "redefined", "drift")] == [[]] * 5
    assert counts(first).keys() == {"New runs", "Revised", "Lead today", "Not taken"}


def test_a_revised_run_is_named_beside_the_one_that_takes_its_place(site: TinySite) -> None:
    again = Chain(2, 5, user="U2")
    site.feed(RUNS[0], again)
    newest, first = changes(site)
    (pair,) = newest["replaced"]
    assert pair["older"] == {"text": "U2 v2 · Scan", "path": f"runs/{RUNS[1].digest[7:]}/"}
    assert pair["newer"] == {"text": "U2 v2 · Scan", "path": f"runs/{again.digest[7:]}/"}
    assert first["replaced"] == []


def test_what_the_source_counts_no_more_is_said_once(site: TinySite) -> None:
    refused = [{"reject": "DISQUALIFIED", "external_id": "3"}, {"reject": "INCORRECT", "external_id": "77"}]
    site.feed(*RUNS[:2], *refused)
    site.feed(*RUNS[:3:2], *refused)
    newest, middle, _ = changes(site)
    assert newest["uncounted"] == []
    (line,) = middle["uncounted"]
    assert line["run"] == {"text": "U3 v3 · Scan", "path": f"runs/{RUNS[2].digest[7:]}/"}
    assert (line["reason"], line["text"]) == ("DISQUALIFIED", "The source disqualified the entry.")
    assert counts(middle)["No longer counted"] == "1"


def test_a_renamed_project_is_said_in_the_ingest_that_renamed_it(site: TinySite) -> None:
    site.feed(*restated(RUNS[0], Chain(0, user="New name")), *restated(RUNS[1], Chain(0, user="New name")))
    site.feed(*restated(RUNS[0], Chain(0, user="Newer name")))
    newest, middle, first = changes(site)
    assert [(line["older"]["text"], line["newer"]["text"], line["runs"]) for line in newest["renamed"]] == [
        ("New name", "Newer name", 1)
    ]
    assert sorted((line["older"]["text"], line["newer"]["text"], line["runs"]) for line in middle["renamed"]) == [
        ("U1", "New name", 1),
        ("U2", "New name", 1),
    ]
    assert first["renamed"] == []
    assert counts(middle)["Renamed"] == "2"


def test_a_redefined_operation_is_said_with_both_pages(site: TinySite) -> None:
    edited = Chain(1, 10, user="U1", op="scan-2", op_title="scan")
    site.feed(edited)
    newest, _ = changes(site)
    (line,) = newest["redefined"]
    assert line["name"] == "scan"
    with site.open() as index:
        slugs = {task.digest: task.slug for task in index.tasks()}
    assert line["older"]["path"] == f"operations/{slugs[RUNS[0].operation().digest]}/"
    assert line["newer"]["path"] == f"operations/{slugs[edited.operation().digest]}/"
    assert line["older"]["path"] != line["newer"]["path"]


def test_the_feed_says_the_same_in_numbers(site: TinySite) -> None:
    site.feed(*restated(RUNS[0], Chain(0, user="New name")), Chain(2, 5, user="U2", op="scan-2", op_title="scan"))
    build(site.root, jobs=1)
    feed = etree.parse(str(site.root / "build/site/changes/feed.xml"))
    said = [entry.findtext(f"{ATOM}summary") for entry in feed.iter(f"{ATOM}entry")]
    assert said == [
        "Illustrative data, not measurements. New runs: 1. Revised: 1. Not taken: 0. Renamed: 1."
        " Redefined operations: 1.",
        "Illustrative data, not measurements. New runs: 5. Revised: 0. Not taken: 0.",
    ]


def test_an_incremental_build_says_what_a_clean_one_says(site: TinySite, tmp_path: Path) -> None:
    build(site.root, jobs=1)
    refused = {"reject": "DISQUALIFIED", "external_id": "3"}
    site.feed(Chain(2, 5, user="U2"), refused, *restated(RUNS[0], Chain(0, user="New name")))
    build(site.root, jobs=1)
    grown = json.loads((site.root / "build/site/changes/index.json").read_bytes())
    build(site.root, jobs=1, out=tmp_path / "clean")
    assert grown == json.loads((tmp_path / "clean/changes/index.json").read_bytes())

"""Home, indexes, records and changes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tiny_site import TABLE, Chain, TinySite

from leaderpress.manifests import parse
from leaderpress.site.pages.indexes import alphabet
from leaderpress.views.base import Link


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def day(n: int) -> str:
    return f"2026-01-{n:02}T00:00:00.000Z"


def single(site: TinySite, key: str, path: str) -> Any:
    return site.twin("single", key, path)


def test_home_counts_runs_groups_and_what_does_not_rank(site: TinySite) -> None:
    site.feed(Chain(1, 100), Chain(2, 200), Chain(3, None, status="timeout"), Chain(4, 5, op="gemm", user="Bea"))
    view = single(site, "home", "")
    assert (view["runs"], view["groups"], view["snapshot"]) == (4, 2, "2026-03-04")
    assert {item["label"]: item["value"] for item in view["facts"]} == {
        "Operations": "2",
        "Projects": "2",
        "Hardware": "1",
        "Records set": "2",
        "Not ranked": "1",
        "Newest run": "2026-01-02",
    }
    assert view["example_path"].startswith("sha256/")


def test_home_of_a_site_without_records_can_be_built(site: TinySite) -> None:
    view = single(site, "home", "")
    assert (view["runs"], view["groups"], view["latest"], view["example"]) == (0, 0, [], "")
    for key, path in (("tasks", "operations/"), ("projects", "projects/"), ("sources", "sources/")):
        assert single(site, key, path)
    assert single(site, "changes", "changes/")["changes"] == []
    assert site.twin("records", "1", "records/")["count"] == 0


def test_records_are_newest_first_and_say_which_stand(site: TinySite) -> None:
    runs = [Chain(n, 400 - n * 100, user=f"U{n}", observed=day(n)) for n in (1, 2, 3)]
    site.feed(*runs, Chain(9, 70, op="gemm", observed=day(2)))
    view = site.twin("records", "1", "records/")
    assert (view["count"], view["standing"]) == (4, 2)
    days = [row["observed_on"] for row in view["events"]]
    assert days == sorted(days, reverse=True)
    assert [(row["name"], row["stands"]) for row in view["events"] if row["task"]["text"] == "Scan"] == [
        ("U3", True),
        ("U2", False),
        ("U1", False),
    ]


def test_changes_say_what_each_ingest_added_and_revised(site: TinySite) -> None:
    site.feed(Chain(1, 100), Chain(2, 200))
    site.feed(Chain(1, 300), Chain(3, 50), {"reject": "INCORRECT"}, on="2026-05-06")
    newest, first = single(site, "changes", "changes/")["changes"]
    assert (newest["number"], newest["published_on"], newest["anchor"]) == (2, "2026-05-06", "ingest-2")
    assert {item["label"]: item["value"] for item in newest["counts"]} == {
        "New runs": "2",
        "Revised": "1",
        "Lead today": "1",
        "Not taken": "1",
    }
    assert {item["label"]: item["value"] for item in first["counts"]}["New runs"] == "2"
    assert [row["count"] for row in newest["rejections"]] == [1]


def test_a_change_lists_25_runs_and_counts_the_rest(site: TinySite) -> None:
    site.feed(*(Chain(n, n) for n in range(1, 31)))
    (change,) = single(site, "changes", "changes/")["changes"]
    assert (len(change["runs"]), change["more"]) == (25, 5)


ALPHABET = {
    "ada": ("A", "letter-a"),
    "Ärger": ("A", "letter-a"),
    "ﬁne": ("F", "letter-f"),
    "  _Zed": ("Z", "letter-z"),
    "漢字": ("#", "letter-other"),
    "007": ("#", "letter-other"),
    "😀": ("#", "letter-other"),
    "ØRE": ("#", "letter-other"),
    "İstanbul": ("I", "letter-i"),
    "ßeta": ("S", "letter-s"),
}


@pytest.mark.parametrize("name", ALPHABET)
def test_names_stand_under_their_first_latin_letter(name: str) -> None:
    (section,) = alphabet([(Link(name, "x/"), 1)])
    assert (section.title, section.anchor) == ALPHABET[name]


def test_letters_are_in_order_with_the_rest_last_and_links_by_name() -> None:
    names = ["b", "Ab", "aa", "漢", "C"]
    sections = alphabet([(Link(name, f"{name}/"), 1) for name in names])
    assert [(section.title, [link.text for link, _ in section.links]) for section in sections] == [
        ("A", ["aa", "Ab"]),
        ("B", ["b"]),
        ("C", ["C"]),
        ("#", ["漢"]),
    ]


def test_operations_stand_under_their_family_with_their_runs(site: TinySite) -> None:
    site.feed(Chain(1), Chain(2, 5), Chain(3, op="gemm"))
    view = single(site, "tasks", "operations/")
    (section,) = view["sections"]
    assert section["anchor"] == "family-prefix-sum"
    assert [(link["text"], runs) for link, runs in section["links"]] == [("GEMM", 1), ("Scan", 2)]


def test_every_implementation_is_listed_and_leads_somewhere(site: TinySite) -> None:
    plain, sourced = Chain(1), Chain(2, subject={"licensing": {"declared": "MIT"}})
    site.feed(plain, sourced)
    view = site.twin("subjects", "1", "implementations/")
    links = [link["path"] for section in view["sections"] for link, _ in section["links"]]
    hexa = plain.implementation().digest[7:]
    assert sorted(links) == sorted(
        [f"sha256/{hexa[:2]}/{hexa}.json", f"implementations/{sourced.implementation().digest[7:]}/"]
    )


def test_the_index_of_sources_has_each_with_its_terms(site: TinySite) -> None:
    site.feed(Chain(1))
    view = single(site, "sources", "sources/")
    assert [(row["link"]["text"], row["runs"], row["licence"]) for row in view["rows"]] == [
        ("Tiny board", 1, "CC0-1.0")
    ]


@pytest.mark.parametrize("family", ["main", "top", "q"])
def test_a_family_may_bear_the_name_of_an_id_of_the_page(family: str, site: TinySite) -> None:
    task = Chain(1).operation()
    tree = json.loads(task.document)
    tree["spec"]["family"] = family
    site.feed({"manifest": parse(tree).document, "name": "scan"})
    page = site.files("single", "tasks")["operations/index.html"].decode()
    found = re.findall(r' id="([^"]+)"', page)
    assert len(set(found)) == len(found)
    assert f"family-{family}" in found
    assert site.twin("task", "scan", "operations/scan/")["family"]["path"] == f"operations/#family-{family}"


def test_a_source_of_operations_without_runs_is_listed(site: TinySite) -> None:
    site.table(TABLE.replace("Tiny board", "Quiet board"), slug="quiet")
    run = Chain(1)
    site.feed({"manifest": run.operation().document, "name": "scan"}, source="quiet")
    site.feed(run)
    rows = single(site, "sources", "sources/")["rows"]
    assert [(row["link"]["text"], row["runs"], row["groups"], row["last_observed"]) for row in rows] == [
        ("Tiny board", 1, 1, "2026-01-02"),
        ("Quiet board", 0, 0, ""),
    ]
    assert [line["name"] for line in single(site, "sources", "sources/")["lines"]] == ["Quiet board", "Tiny board"]
    assert len(single(site, "home", "")["sources"]) == 2


def test_home_has_the_newest_observations_first(site: TinySite) -> None:
    site.feed(Chain(1, 300, observed=day(1)), Chain(2, 200, observed=day(2)), Chain(3, 9, op="gemm", observed=day(3)))
    latest = single(site, "home", "")["latest"]
    assert [(row["observed_on"][-2:], row["improvement"] != "") for row in latest] == [
        ("03", False),
        ("02", True),
        ("01", False),
    ]

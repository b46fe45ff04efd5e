"""Implementations, projects, hardware and sources: when they have a page, and what it lists."""

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_site import TABLE, Chain, TinySite

from leaderpress.errors import ContentError


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


# -- implementations ---------------------------------------------------------------------------------------------------

DESERVES: dict[str, tuple[list[Chain], bool]] = {
    "one run and no facts": ([Chain(1)], False),
    "two runs": ([Chain(1), Chain(1, gpu="Abacus 2", key="other")], True),
    "a licence": ([Chain(1, subject={"licensing": {"declared": "MIT"}})], True),
    "source": ([Chain(1, subject={"source": {"contentDigest": "sha256:" + "2" * 64}})], True),
    "a repository": (
        [Chain(1, subject={"projectRevision": {"repository": "https://board.example/r", "commit": "a" * 40}})],
        True,
    ),
    "a way to install it": (
        [Chain(1, subject={"buildVariants": [{"name": "pip", "install": {"kind": "pip", "package": "scan"}}]})],
        True,
    ),
    "an artifact": (
        [Chain(1, about_subject={"artifacts": [{"digest": "sha256:" + "3" * 64, "role": "source", "sizeBytes": 1}]})],
        True,
    ),
}


@pytest.mark.parametrize("case", DESERVES)
def test_an_implementation_has_a_page_once_it_has_two_runs_or_facts_of_its_own(case: str, site: TinySite) -> None:
    chains, deserved = DESERVES[case]
    site.feed(*chains)
    with site.open() as index:
        (row,) = index.subjects("where digest = ?", chains[0].implementation().digest)
        assert row.has_page is deserved
        assert row.runs == len(chains)


def test_an_artifact_that_a_later_dump_states_gives_a_page(site: TinySite) -> None:
    site.feed(Chain(1))
    stated = {"artifacts": [{"digest": "sha256:" + "3" * 64, "role": "source", "sizeBytes": 1}]}
    site.feed(Chain(1, about_subject=stated))
    with site.open() as index:
        assert index.subjects("where digest = ?", Chain(1).implementation().digest)[0].has_page


def test_a_page_of_an_implementation_stays_when_a_run_is_withdrawn(site: TinySite) -> None:
    here, there = Chain(1), Chain(1, gpu="Abacus 2", key="other")
    site.feed(here, there)
    site.note("one", "withdrawal", there.digest)
    view = subject(site, here)
    assert {row["digest"] for row in view["runs"]} == {here.digest, there.digest}


def subject(site: TinySite, chain: Chain) -> Any:
    digest = chain.implementation().digest
    return site.twin("subject", digest, f"implementations/{digest[7:]}/")


def test_an_implementation_page_lists_every_run_with_its_standing(site: TinySite) -> None:
    here, there, failed = (
        Chain(1),
        Chain(1, gpu="Abacus 2", key="b"),
        Chain(1, None, status="timeout", gpu="Abacus 3", key="c"),
    )
    site.feed(here, there, failed, Chain(2, 50))
    rows = {row["digest"]: row for row in subject(site, here)["runs"]}
    assert {digest: row["standing"] for digest, row in rows.items()} == {
        here.digest: "2 of 2",
        there.digest: "1 of 1",
        failed.digest: "STATUS_TIMEOUT",
    }
    assert rows[failed.digest]["figure"] is None
    assert [rows[run.digest]["leads"] for run in (here, there, failed)] == [False, True, False]


# -- projects ----------------------------------------------------------------------------------------------------------


def project(site: TinySite, slug: str) -> Any:
    return site.twin("project", slug, f"projects/{slug}/")


def test_a_project_page_has_its_runs_and_the_groups_that_it_leads(site: TinySite) -> None:
    lead, second = Chain(1, 100, observed="2026-01-03T00:00:00.000Z"), Chain(2, 200)
    failed = Chain(3, None, status="timeout")
    rival = Chain(4, 50, user="Bea", gpu="Abacus 2")
    behind = Chain(5, 60, gpu="Abacus 2", observed="2026-01-09T00:00:00.000Z")
    site.feed(lead, second, failed, rival, behind)
    view = project(site, "ada")
    facts = {item["label"]: item["value"] for item in view["facts"]}
    assert facts == {
        "Runs": "4",
        "Groups led": "1",
        "Records set": "2",
        "First observed": "2026-01-02",
        "Last observed": "2026-01-09",
    }
    assert [row["holder_path"] for row in view["held"]] == [f"runs/{lead.digest[7:]}/"]
    assert [row["standing"] for row in view["runs"]] == ["1 of 2", "2 of 2", "2 of 2", "STATUS_TIMEOUT"]
    assert view["run_count"] == 4


NAMES = {
    "我爱拆拆": "x",
    "南北绿豆糕": "x",
    "Ada": "ada",
    "ADA!": "ada",
    "CON": "con",
    "007": "007",
    "index": "index",
    "😀": "x",
    "Zoë | Übermüller": "zo-berm-ller",
}


def test_every_name_has_its_own_reachable_page(site: TinySite) -> None:
    """Empty, reserved and colliding slugs get a tail; the index of projects leads to each."""
    site.feed(*(Chain(n, n, user=name) for n, name in enumerate(NAMES, 1)))
    with site.open() as index:
        slugs = {row.name: row.slug for row in index.projects()}
    assert set(slugs) == set(NAMES)
    assert len({slug.casefold() for slug in slugs.values()}) == len(NAMES)
    assert all(slug.startswith(NAMES[name]) for name, slug in slugs.items())
    assert "index" not in slugs.values()
    listed = [
        link for section in site.twin("single", "projects", "projects/")["sections"] for link, _ in section["links"]
    ]
    assert {link["text"]: link["path"] for link in listed} == {
        name: f"projects/{slug}/" for name, slug in slugs.items()
    }
    for name, slug in slugs.items():
        assert project(site, slug)["name"] == name


# -- hardware ----------------------------------------------------------------------------------------------------------


def test_a_hardware_page_gathers_the_environments_of_one_product(site: TinySite) -> None:
    site.feed(Chain(1, 1), Chain(2, 2, driver="9"), Chain(3, 3, driver="9", op="gemm"), Chain(4, gpu="ABACUS-1"))
    with site.open() as index:
        slugs = {row.product: row.slug for row in index.environments()}
    assert slugs["Abacus 1"] != slugs["ABACUS-1"]
    view = site.twin("hardware", slugs["Abacus 1"], f"hardware/{slugs['Abacus 1']}/")
    assert [(row["runs"], row["groups"], row["title"]) for row in view["environments"]] == [
        (2, 2, "driver 9"),
        (1, 1, "host"),
    ]
    assert [(link["text"], runs) for link, runs in view["tasks"]] == [("Scan", 2), ("GEMM", 1)]
    assert {item["label"]: item["value"] for item in view["facts"]}["Runs"] == "3"


# -- sources -----------------------------------------------------------------------------------------------------------


def source(site: TinySite, slug: str = "board") -> Any:
    return site.twin("source", slug, f"sources/{slug}/")


def test_a_source_page_has_terms_snapshots_and_rejections_by_reason(site: TinySite) -> None:
    site.feed(Chain(1), {"reject": "INCORRECT"}, {"reject": "DISQUALIFIED"})
    site.feed(Chain(2), {"reject": "INCORRECT"}, on="2026-05-06")
    view = source(site)
    assert [(row["number"], row["published_on"]) for row in view["snapshots"]] == [(2, "2026-05-06"), (1, "2026-03-04")]
    old = view["snapshots"][1]["rejections"]
    assert sorted((row["reason"], row["count"], row["verdict"], len(row["examples"])) for row in old) == [
        ("DISQUALIFIED", 1, True, 1),
        ("INCORRECT", 1, True, 1),
    ]
    items = {item["label"]: item["value"] for item in view["items"]}
    assert items["Licence"] == "CC0-1.0"
    assert items["The source sorts by"] == "Points"
    assert ["throughput", "Throughput", "gbps", "higher"] in view["metrics"]


def test_a_source_without_licence_shows_terms_and_basis_on_every_page(site: TinySite) -> None:
    site.table(
        TABLE.replace('licence = "CC0-1.0"', 'licence = "none-stated"\nterms = "Ask."\nbasis = "They are facts."')
    )
    run = Chain(1)
    site.feed(run)
    line = site.run(run).source
    assert (line.licence, line.terms, line.basis) == ("none stated", "Ask.", "They are facts.")
    assert site.group(run).sources == (line,)
    for files in (site.files("group", site.group(run).key), site.files("task", "scan"), site.files("project", "ada")):
        for path, data in files.items():
            if path.endswith(".html"):
                assert b"They are facts." in data, path


def test_a_source_whose_table_is_gone_is_a_located_error(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run)
    (site.root / "content" / "sources" / "board.toml").unlink()
    with pytest.raises(ContentError) as fault:
        site.run(run)
    assert (fault.value.code, fault.value.at) == ("source-missing", "content/sources/board.toml")


def test_one_run_in_two_sources_stands_once_and_names_both(site: TinySite) -> None:
    site.table(TABLE.replace("Tiny board", "Rival board"), slug="rival")
    run = Chain(1)
    site.feed(run)
    site.feed(run, source="rival", on="2026-05-06")
    with site.open() as index:
        assert index.count("select count(*) from run") == 1
        assert [(row.source, row.folder) for row in index.statements(run.digest)] == [("board", 1), ("rival", 2)]
    assert site.run(run).source.name == "Tiny board"
    view = site.twin("task", "scan", "operations/scan/")
    assert [line["name"] for line in view["sources"]] == ["Rival board", "Tiny board"]
    assert source(site, "rival")["snapshots"][0]["number"] == 2


# -- a project with more than a page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2])
def test_every_page_of_a_project_counts_what_it_leads(
    most: int, site: TinySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is on the first page, and cut there with a word."""
    monkeypatch.setattr("leaderpress.site.pages.project.PAGE_ROWS", most)
    monkeypatch.setattr("leaderpress.site.render.PAGE_ROWS", most)
    monkeypatch.setattr("leaderpress.site.render.last_page", lambda total: -(-total // most))
    site.feed(*(Chain(n, gpu=f"Abacus {n}") for n in (1, 2, 3)))
    files = site.files("project", "ada")
    pages = [json.loads(data) for path, data in files.items() if path.endswith("index.json")]
    assert len(pages) == -(-3 // most)
    for view in pages:
        assert {item["label"]: item["value"] for item in view["facts"]}["Groups led"] == "3"
        assert "leading 3 comparison groups" in view["description"]
        assert view["held_count"] == 3
    assert [len(view["held"]) for view in pages] == [most, *[0] * (len(pages) - 1)]
    assert f"the first {most} of 3 groups that it leads" in files["projects/ada/index.html"].decode()

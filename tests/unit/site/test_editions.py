"""Editions of a site: freezing them, publishing them byte for byte, and finding those that no longer fit."""

import html
import json
import re
import subprocess
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress import editions
from leaderpress.canonical import canonical, sha256
from leaderpress.errors import ContentError, Problems, UsageError
from leaderpress.site.build import BuildReport, build, explain
from leaderpress.site.editions import FreezeReport, freeze

ONE, TWO, TIE, OTHER = Chain(1, 100), Chain(2, 200, user="Bea"), Chain(3, 100, user="Cy"), Chain(4, 50, op="gemm")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(ONE, TWO, OTHER)
    return made


def frozen(site: TinySite, tag: str = "spring", on: str = "2026-04-01", note: str = "") -> FreezeReport:
    return freeze(site.root, tag, note=note, published_at=date.fromisoformat(on), today=date.today)


def built(site: TinySite) -> BuildReport:
    return build(site.root, jobs=1)


def published(site: TinySite, path: str) -> bytes:
    return (site.root / "build" / "site" / path).read_bytes()


def test_an_edition_holds_every_ranking_as_its_group_page_states_it(site: TinySite) -> None:
    report = frozen(site)
    edition = editions.read(editions.edition_files(site.root)[0])
    assert (report.groups, report.runs) == (2, 3) == (edition.head.groups, edition.head.runs)
    for chain, ranks in ((ONE, [(1, ONE.digest), (2, TWO.digest)]), (OTHER, [(1, OTHER.digest)])):
        group = site.group(chain)
        standing = edition.rankings[group.key]
        assert standing.ranking == group.ranking
        assert list(standing.runs) == ranks
        assert standing.runs == tuple((run.rank, run.digest) for run in group.runs)


def test_a_tie_is_frozen_as_a_tie(site: TinySite) -> None:
    site.feed(ONE, TIE)
    frozen(site)
    edition = editions.read(editions.edition_files(site.root)[0])
    ranks = [place for place, _ in edition.rankings[site.group(ONE).key].runs]
    assert ranks == [1, 1, 2]


def test_the_edition_is_published_byte_for_byte_and_its_page_shows_how_to_prove_it(site: TinySite) -> None:
    report = frozen(site, note="After the spring meeting")
    built(site)
    data = published(site, "editions/spring/edition.json")
    assert data == (site.root / report.file).read_bytes()
    assert sha256(data) == report.digest
    page = published(site, "editions/spring/index.html").decode()
    log = published(site, "log/log.txt")
    lines = report.checkpoint.lines
    head = subprocess.run(["head", "-n", str(lines)], input=log, capture_output=True, check=True).stdout
    digest = subprocess.run(["sha256sum"], input=head, capture_output=True, check=True).stdout.split()[0].decode()
    assert digest == report.checkpoint.sha256
    assert json.loads(data)["last"] == head.splitlines()[-1].decode()
    for shown in (report.digest[7:], f"head -n {lines} log.txt | sha256sum", digest, "After the spring meeting"):
        assert shown in page
    pattern = re.search(r"grep -o '(.+?)' edition.json", html.unescape(page))
    assert pattern
    found = subprocess.run(["grep", "-o", pattern[1]], input=data, capture_output=True, check=True).stdout.decode()
    assert re.fullmatch(r'\[1,"sha256:[0-9a-f]{64}"\]\n', found)


def test_the_twin_lists_groups_with_those_who_led_and_what_became_of_them(site: TinySite) -> None:
    frozen(site)
    site.note("gone", "withdrawal", OTHER.digest)
    site.feed(Chain(1, 90), TIE)
    built(site)
    twin = json.loads(published(site, "editions/spring/index.json"))
    rows = {row["task"]["text"]: row for row in twin["groups"]}
    assert twin["count"] == 2 == len(rows)
    (scan,), (gemm,) = rows["Scan"]["leaders"], rows["GEMM"]["leaders"]
    assert (scan["digest"], scan["since"], rows["Scan"]["figure"]["value"]) == (ONE.digest, "superseded", 100)
    assert (gemm["digest"], gemm["since"]) == (OTHER.digest, "withdrawn")
    assert rows["Scan"]["runs"] == 2
    assert twin["citation"]["digest"] == twin["digest"]
    assert "2026" in twin["citation"]["apa"]


def test_changes_and_the_index_list_editions_newest_first_and_neither_does_without(site: TinySite) -> None:
    built(site)
    assert not (site.root / "build/site/editions").exists()
    assert b"Editions" not in published(site, "changes/index.html")
    frozen(site, "spring", "2026-04-01")
    frozen(site, "autumn", "2026-10-01")
    built(site)
    for path in ("changes/index.html", "editions/index.html"):
        page = published(site, path).decode()
        assert -1 < page.index("editions/autumn/" if "changes" in path else ">autumn<") < page.index("spring")


BAD = {
    "a bad tag": (UsageError, "edition-tag", {"tag": "Spring"}),
    "a tag of digits": (UsageError, "edition-tag", {"tag": "2026"}),
    "a date before the records": (UsageError, "edition-date", {"on": "2026-03-03"}),
    "a long note": (ContentError, "edition-form", {"note": "x" * 1001}),
}


@pytest.mark.parametrize("case", BAD)
def test_an_edition_is_refused(case: str, site: TinySite) -> None:
    kind, code, arguments = BAD[case]
    with pytest.raises(kind) as caught:
        frozen(site, **arguments)  # type: ignore[arg-type]
    assert caught.value.code == code
    assert editions.edition_files(site.root) == []


def test_a_tag_is_used_once(site: TinySite) -> None:
    frozen(site)
    with pytest.raises(ContentError) as caught:
        frozen(site)
    assert (caught.value.code, caught.value.at) == ("edition-exists", "content/editions/spring.json")


def test_a_site_in_which_nothing_ranks_has_no_edition(tmp_path: Path) -> None:
    with pytest.raises(ContentError) as caught:
        frozen(TinySite(tmp_path))
    assert caught.value.code == "edition-empty"


def test_a_note_that_the_log_does_not_have_yet_is_sealed_first(site: TinySite) -> None:
    site.note("doubt", "dispute", ONE.digest)
    with pytest.raises(ContentError) as caught:
        frozen(site)
    assert (caught.value.code, caught.value.at) == ("notes-open", "content/notes/doubt.md")


# -- what a build refuses ----------------------------------------------------------------------------------------------


def forge(site: TinySite, change: str) -> None:
    """An edition that is sealed, but does not fit the records."""
    path = site.root / "content/editions/spring.json"
    tree = json.loads(path.read_bytes())
    tree.pop("seal")
    (key, other) = sorted(tree["rankings"], key=lambda key: len(tree["rankings"][key]["runs"]))
    if change == "group":
        strange = "sha256:" + "0" * 64
        tree["rankings"][strange] = _ranking(strange, tree["rankings"].pop(key)["runs"])
    elif change == "run":
        tree["rankings"][key] = _ranking(key, [[1, tree["rankings"][other]["runs"][0][1]]])
    else:
        tree["checkpoint"]["sha256"] = "0" * 64
    path.write_bytes(canonical({**tree, "seal": sha256(canonical(tree))}) + b"\n")


def _ranking(key: str, runs: list[list[object]]) -> dict[str, object]:
    body = {"v": 1, "policy": "ranking-v1", "group": key, "runs": runs}
    return {"ranking": sha256(canonical(body)), "runs": runs}


@pytest.mark.parametrize("change", ["group", "run", "log"])
def test_an_edition_that_does_not_fit_the_records_stops_the_build_with_its_place(change: str, site: TinySite) -> None:
    frozen(site)
    forge(site, change)
    with pytest.raises(Problems) as caught:
        built(site)
    (fault,) = caught.value.problems
    assert fault.code == f"edition-{change}"
    assert fault.at.startswith("content/editions/spring.json#/")


def test_a_changed_byte_stops_the_build(site: TinySite) -> None:
    frozen(site)
    path = site.root / "content/editions/spring.json"
    path.write_bytes(path.read_bytes().replace(b'"runs":[[1,', b'"runs":[[2,', 1))
    with pytest.raises(Problems) as caught:
        built(site)
    assert [fault.code for fault in caught.value.problems] == ["edition-changed"]


def test_a_published_edition_can_neither_go_nor_change(site: TinySite) -> None:
    frozen(site)
    built(site)
    path = site.root / "content/editions/spring.json"
    path.unlink()
    with pytest.raises(Problems) as caught:
        built(site)
    assert [(fault.code, fault.at) for fault in caught.value.problems] == [
        ("edition-lost", "content/editions/spring.json")
    ]
    frozen(site, note="Another one of that name")
    with pytest.raises(Problems) as caught:
        built(site)
    assert [fault.code for fault in caught.value.problems] == ["edition-changed"]


def test_a_page_of_an_edition_cannot_be_switched_off_once_published(site: TinySite) -> None:
    frozen(site)
    built(site)
    settings = site.root / "content/site.toml"
    settings.write_text(settings.read_text() + "\n[outputs]\nedition = false\n")
    with pytest.raises(Problems) as caught:
        built(site)
    assert [fault.code for fault in caught.value.problems] == ["permalink-lost"]


def test_with_its_page_switched_off_the_edition_itself_is_published_and_cited(tmp_path: Path) -> None:
    site = TinySite(tmp_path, "\n[outputs]\nedition = false\n")
    site.feed(ONE)
    frozen(site)
    built(site)
    assert [path.name for path in (site.root / "build/site/editions/spring").iterdir()] == ["edition.json"]
    assert b"editions/spring/edition.json" in published(site, "changes/index.html")


# -- incremental -------------------------------------------------------------------------------------------------------


def test_a_new_edition_makes_its_own_pages_and_the_ways_in_anew(site: TinySite) -> None:
    built(site)
    frozen(site)
    report = built(site)
    assert report.why == "what changed"
    assert report.written < 20
    assert built(site).why == "nothing"


def test_new_runs_leave_an_edition_alone_and_a_new_name_does_not(site: TinySite) -> None:
    frozen(site)
    built(site)
    site.feed(Chain(9, 10, user="Zoe"))
    path = "editions/spring/index.html"
    assert "kept" in explain(site.root, path)
    built(site)
    site.feed(ONE, {**_renamed(), "project": TWO.project().digest})
    assert "made anew" in explain(site.root, path)


def _renamed() -> dict[str, object]:
    return {"manifest": ONE.record().document, "external_id": "run/1", "upstream_key": "1"}


def test_a_long_edition_goes_on_on_further_pages(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    from leaderpress.site import plan, render
    from leaderpress.site.pages import group

    site.feed(*(Chain(n, op=f"op{n}") for n in range(10, 15)))
    frozen(site)
    for module in (group, render, plan):
        monkeypatch.setattr(module, "PAGE_ROWS", 3)
    monkeypatch.setattr(render.pager, "__defaults__", (3,))
    built(site)
    pages = [published(site, f"editions/spring/{page}index.html").decode() for page in ("", "2/", "3/")]
    assert [page.count('<th scope="row"') for page in pages] == [3, 3, 1]
    assert ["Prove that a run was first" in page for page in pages] == [True, False, False]
    assert len(json.loads(published(site, "editions/spring/index.json"))["groups"]) == 7

"""What a build says of itself: pages by kind, the largest of them, and why files were made anew."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_site import SITE, Chain, TinySite

from leaderpress.reports import build_lines
from leaderpress.site.build import build, explain
from leaderpress.site.report import BuildReport, kind_of, page_kinds

FAST, SLOW, OTHER = Chain(1, 100), Chain(2, 200, user="Bea"), Chain(7, 70, user="Dan", op="gemm", gpu="Abacus 3")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.feed(FAST, SLOW, OTHER)
    return site


def made(site: TinySite) -> BuildReport:
    return build(site.root, jobs=1)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("index.html", "home"),
        ("404.html", "not found"),
        ("about/index.html", "written page"),
        ("runs/aa/index.html", "run"),
        ("groups/aa/2/index.html", "group"),
        ("implementations/index.html", "implementation"),
        ("records/2/index.html", "records"),
    ],
)
def test_the_kind_of_a_page_follows_from_its_address(path: str, kind: str) -> None:
    assert kind_of(path) == kind


def test_pages_are_counted_by_kind_and_the_largest_is_named() -> None:
    sizes = [("runs/b/index.html", 7), ("runs/a/index.html", 7), ("index.html", 3), ("runs/a/index.json", 99)]
    kinds = page_kinds(sizes)
    assert list(kinds) == ["run", "home"]
    assert (kinds["run"].pages, kinds["run"].bytes) == (2, 14)
    assert (kinds["run"].largest, kinds["run"].largest_path) == (7, "runs/a/index.html")
    assert page_kinds(reversed(sizes)) == kinds


def test_the_report_agrees_with_what_is_on_disk(site: TinySite) -> None:
    report = made(site)
    pages = {path: path.stat().st_size for path in report.output.rglob("*.html")}
    assert sum(kind.pages for kind in report.kinds.values()) == report.pages == len(pages)
    assert sum(kind.bytes for kind in report.kinds.values()) == sum(pages.values())
    assert max(kind.largest for kind in report.kinds.values()) == max(pages.values())
    assert report.kinds["run"].pages == 3
    assert made(site).kinds == report.kinds


def _settings(site: TinySite) -> None:
    (site.root / "content" / "site.toml").write_text(SITE.replace("Tiny press", "Press"))


def _page(site: TinySite) -> None:
    folder = site.root / "content" / "pages"
    folder.mkdir()
    (folder / "about.md").write_text('+++\ntitle = "Page"\n+++\n\nOne.\n')


def _theme(site: TinySite) -> None:
    folder = site.root / "themes" / "default"
    folder.mkdir(parents=True)
    (folder / "theme.toml").write_text('extends = "!default"\n')


CAUSES: dict[str, tuple[Callable[[TinySite], object], set[str]]] = {
    "a run": (lambda site: site.feed(Chain(3, 300, user="Cyd")), {"data", "lists", "log"}),
    "a note": (lambda site: site.note("x", "dispute", SLOW.digest), {"notes", "lists", "log"}),
    "a written page": (_page, {"written pages", "lists"}),
    "a setting": (_settings, {"settings"}),
    "a damaged page": (lambda site: (site.root / "build/site/index.html").write_text("x"), {"damage"}),
    "a lost trace": (lambda site: (site.root / "build/cache/trace.json").unlink(), {"no trace"}),
    "nothing": (lambda site: None, set()),
}


def test_the_first_build_makes_everything_for_that_reason(site: TinySite) -> None:
    report = made(site)
    assert report.causes == {"first build": report.files} == {"first build": report.rendered}


@pytest.mark.parametrize("edit", CAUSES)
def test_files_are_counted_by_what_made_it_necessary_to_make_them(edit: str, site: TinySite) -> None:
    made(site)
    change, causes = CAUSES[edit]
    change(site)
    report = made(site)
    assert set(report.causes) == causes
    assert sum(report.causes.values()) == report.rendered


@pytest.mark.parametrize("edit", ["a run", "a note", "a written page"])
def test_explain_says_of_each_file_what_the_build_then_does(edit: str, site: TinySite) -> None:
    before = made(site).output
    paths = [path.relative_to(before).as_posix() for path in before.rglob("index.html")]
    CAUSES[edit][0](site)
    kept = {path for path in paths if ": kept" in explain(site.root, path)}
    identities = {path: (before / path).stat().st_ino for path in kept}
    made(site)
    assert 0 < len(kept) < len(paths)
    assert {path: (before / path).stat().st_ino for path in kept} == identities


def test_a_person_reads_it_in_a_few_lines(site: TinySite) -> None:
    first = list(build_lines(made(site)))
    assert " pages, " in first[0]
    assert "3 run" in first[1]
    assert first[1].startswith("pages: ")
    assert first[2].startswith("largest page: ")
    assert "(" in first[3]
    assert "first build" in first[3]
    assert "nothing changed" in list(build_lines(made(site)))

"""Whole builds of tiny sites: what is published, what a fault leaves behind, and that a short way gives the same."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_site import SITE, TABLE, Chain, TinySite

from leaderpress import __version__, config
from leaderpress.checks import check_site
from leaderpress.errors import ContentError, LeaderpressError, Problems
from leaderpress.hosts import HostProfile
from leaderpress.site.build import BuildReport, build

FAST, SLOW = Chain(1, 100), Chain(2, 200, user="Bea")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def made(site: TinySite, out: Path | None = None, jobs: int = 1) -> BuildReport:
    return build(site.root, jobs=jobs, out=out)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_build_publishes_what_it_reports(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    report = made(site)
    files = tree(site.root / "build" / "site")
    listed = {path: data for path, data in files.items() if path not in ("SHA256SUMS", "inventory.json")}
    assert report.files == len(listed)
    assert report.bytes == sum(map(len, listed.values()))
    assert report.pages == sum(path.endswith(".html") for path in listed)
    assert report.changed
    assert [str(problem) for problem in check_site(report.output).problems] == []
    assert not made(site).changed


def test_a_site_without_records_can_be_built_and_read(site: TinySite) -> None:
    report = made(site)
    assert [str(problem) for problem in check_site(report.output).problems] == []
    home = (report.output / "index.html").read_text()
    assert "Nothing has been ingested yet" in home
    assert "napshot" not in home
    assert "<code></code>" not in home


def test_every_ingest_is_an_entry_of_a_feed_which_later_ingests_leave_alone(site: TinySite) -> None:
    site.feed(FAST, Chain(3, 300, user="Cy"), {"reject": "INCORRECT"})
    first = (made(site).output / "changes/feed.xml").read_text().partition("<entry>")[2]
    assert "<id>https://tiny.example/changes/#ingest-1</id>" in first
    assert "<updated>2026-03-04T00:00:00Z</updated>" in first
    assert "<title>Ingest 1: Tiny board</title>" in first
    assert "New runs: 2. Revised: 0. Not taken: 1." in first
    site.feed(Chain(4, 10, user="Dee"), Chain(3, 250, user="Cy"), on="2026-04-05")
    output = made(site).output
    newest, again = (output / "changes/feed.xml").read_text().split("<entry>")[1:]
    assert again == first
    assert "New runs: 2. Revised: 1. Not taken: 0." in newest
    assert 'href="feed.xml"' in (output / "changes/index.html").read_text().replace("../changes/", "")
    assert [str(problem) for problem in check_site(output).problems] == []


@pytest.mark.parametrize("field", ["target", "successor"])
def test_a_note_about_a_run_that_does_not_exist_stops_the_build(field: str, site: TinySite) -> None:
    site.feed(FAST, SLOW)
    before = made(site).sums
    nothing = "sha256:" + "0" * 64
    stated = {"target": FAST.digest, "successor": SLOW.digest, field: nothing}
    site.note("one", "correction", stated["target"], successor=stated["successor"])
    with pytest.raises((Problems, LeaderpressError)) as faults:
        made(site)
    problems = getattr(faults.value, "problems", (faults.value,))
    line = (site.root / "content" / "notes" / "one.md").read_text().split("\n").index(f'{field} = "{nothing}"') + 1
    assert [(problem.code, problem.at) for problem in problems] == [("note-target", f"content/notes/one.md:{line}")]
    assert nothing in problems[0].problem
    (site.root / "content" / "notes" / "one.md").unlink()
    assert made(site).sums == before


def test_a_fault_leaves_the_published_site_as_it_was(site: TinySite) -> None:
    site.feed(FAST)
    output = made(site).output
    before = tree(output)
    (site.root / "content" / "site.toml").write_text("title = 1\n")
    with pytest.raises(Problems):
        made(site)
    assert tree(output) == before


def test_a_source_table_that_is_gone_stops_the_build_with_its_name(site: TinySite) -> None:
    site.feed(FAST)
    (site.root / "content" / "sources" / "board.toml").unlink()
    for jobs in (1, 2):
        with pytest.raises(ContentError) as fault:
            made(site, jobs=jobs)
        assert fault.value.at == "content/sources/board.toml"


def test_a_site_that_its_host_would_not_take_stays_unpublished(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    site.feed(FAST)
    tight = {**config.HOSTS, "gitlab-pages": HostProfile("gitlab-pages", max_files=10, max_file_bytes=100)}
    monkeypatch.setattr(config, "HOSTS", tight)
    _settings(site, 'host = "gitlab-pages"\n')
    with pytest.raises(Problems) as faults:
        made(site)
    assert [problem.code for problem in faults.value.problems] == ["host-limit", "host-limit"]
    assert all("outputs" in problem.hint for problem in faults.value.problems)
    assert not (site.root / "build" / "site").exists()
    _settings(site, 'host = "github-pages"\n')
    assert made(site).changed


def test_without_a_permalink_base_absolute_addresses_are_left_out(site: TinySite) -> None:
    settings = site.root / "content" / "site.toml"
    settings.write_text(SITE.replace('permalink_base = "https://tiny.example/"\n', ""))
    site.feed(FAST)
    report = made(site)
    assert [warning.code for warning in report.warnings] == ["no-permalink-base"]
    files = tree(report.output)
    assert not {"sitemap.xml", "records/feed.xml", "changes/feed.xml"} & set(files)
    page = files[f"runs/{FAST.digest[7:]}/index.html"].decode()
    assert 'rel="canonical"' not in page
    assert FAST.digest in page
    assert [str(problem) for problem in check_site(report.output).problems] == []


STYLES = ("directory", "file")


@pytest.mark.parametrize("style", STYLES)
def test_both_styles_of_links_lead_somewhere(style: str, site: TinySite) -> None:
    (site.root / "content" / "site.toml").write_text(SITE + f'links = "{style}"\n')
    site.feed(FAST, SLOW, Chain(3, None, status="timeout"), Chain(4, 5, subject={"licensing": {"declared": "MIT"}}))
    site.note("one", "withdrawal", FAST.digest)
    assert [str(problem) for problem in check_site(made(site).output).problems] == []


# -- the short way -----------------------------------------------------------------------------------------------------

KNOWN_CASE, CASE = FAST.case({"n": 2}), FAST.case({"n": 1})
Edit = Callable[[TinySite], object]
EDITS: dict[str, Edit] = {
    "a slower run": lambda site: site.feed(Chain(3, 300, user="Cyd")),
    "a new leader": lambda site: site.feed(Chain(3, 50, user="Cyd")),
    "a new operation": lambda site: site.feed(Chain(3, op="gemm")),
    "a failed run": lambda site: site.feed(Chain(3, None, status="timeout")),
    "a run stated anew": lambda site: site.feed(Chain(1, 300)),
    "a second run of an implementation": lambda site: site.feed(Chain(1, gpu="Abacus 2", key="more")),
    "a run of another operation's implementation": lambda site: site.feed(Chain(9, made_for="gemm")),
    "a new title of an implementation": lambda site: site.feed(Chain(1, 100, title="Ada fast · scan")),
    "a new title of an operation": lambda site: site.feed(Chain(3, 90, op_title="Scan of rows")),
    "a new name of a project": lambda site: site.feed({"manifest": FAST.project().document, "name": "Ada L."}),
    "a fact": lambda site: site.feed({"about": FAST.operation().digest, "fact": "points", "value": 3}),
    "a fact of a suite": lambda site: site.feed({"about": FAST.suite().digest, "fact": "points", "value": [1, 2]}),
    "a fact of a run": lambda site: site.feed({"about": FAST.digest, "fact": "points", "value": 3}),
    "a count": lambda site: site.feed({"task": FAST.operation().digest, "rows": 2, "listed": 9}, Chain(3, 300)),
    "an artifact": lambda site: site.feed(
        Chain(1, about_subject={"artifacts": [{"digest": "sha256:" + "3" * 64, "role": "log", "sizeBytes": 1}]})
    ),
    "an artifact of a run": lambda site: site.feed(
        Chain(1, said={"artifacts": [{"digest": "sha256:" + "3" * 64, "role": "log", "sizeBytes": 1}]})
    ),
    "tags": lambda site: site.feed(Chain(1, about_task={"tags": ["sum"]})),
    "an upstream date": lambda site: site.feed(Chain(1, said={"upstream_published_at": "2026-01-05T00:00:00.000Z"})),
    "a case of the suite": lambda site: site.feed({"manifest": CASE.document}),
    "a fact of a case": lambda site: site.feed({"about": KNOWN_CASE.digest, "fact": "points", "value": 3}),
    "a second source": lambda site: (site.table(TABLE, "rival"), site.feed(FAST, source="rival")),
    "a withdrawal": lambda site: site.note("x", "withdrawal", FAST.digest),
    "a correction": lambda site: site.note("x", "correction", FAST.digest, successor=SLOW.digest),
    "a dispute": lambda site: site.note("x", "dispute", SLOW.digest),
    "an attestation": lambda site: site.note("x", "attestation", SLOW.digest, type="comment"),
    "a title of the site": lambda site: _settings(site, 'language = "de"\n'),
    "another table": lambda site: site.table(TABLE.replace("Points", "Score")),
    "another direction": lambda site: site.table(TABLE.replace('better = "higher"', 'better = "lower"')),
    "a written page": lambda site: _page(site, "ours", "One."),
    "another word on a written page": lambda site: _page(site, "about", "Two."),
    "nothing": lambda site: None,
}


def _settings(site: TinySite, more: str) -> None:
    (site.root / "content" / "site.toml").write_text(SITE + more)


def _page(site: TinySite, name: str, text: str) -> None:
    folder = site.root / "content" / "pages"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(f'+++\ntitle = "Page"\n+++\n\n{text}\n')


@pytest.mark.parametrize("edit", EDITS)
def test_a_build_after_an_edit_gives_what_a_build_from_nothing_gives(edit: str, site: TinySite, tmp_path: Path) -> None:
    other = Chain(7, 70, user="Dan", op="gemm", gpu="Abacus 3", metrics={"points": 1})
    throughput = [Chain(10 + n, None, measurements=[("throughput", "gbps", n)]) for n in (1, 2)]
    site.feed(FAST, SLOW, other, *throughput, {"manifest": KNOWN_CASE.document})
    made(site)
    EDITS[edit](site)
    short = tree(made(site).output)
    (site.root / "build" / "cache").rename(tmp_path / "gone")
    whole = tree(made(site, out=tmp_path / "elsewhere").output)
    assert sorted(short) == sorted(whole)
    assert [path for path in whole if short[path] != whole[path]] == []


def test_undoing_every_edit_gives_the_first_site_again(site: TinySite, tmp_path: Path) -> None:
    site.feed(FAST, SLOW)
    first = made(site).sums
    for edit in ("a withdrawal", "a correction", "a dispute", "an attestation"):
        EDITS[edit](site)
        assert made(site).sums != first
        (site.root / "content" / "notes" / "x.md").unlink()
        assert made(site).sums == first


def test_the_inventory_names_what_a_build_was_made_with(site: TinySite) -> None:
    site.feed(FAST)
    output = made(site).output
    inventory = json.loads((output / "inventory.json").read_bytes())
    lines, digest = (output / "log" / "checkpoint").read_text().split()
    assert inventory["meta"] == {
        "title": "Tiny records",
        "permalink_base": "https://tiny.example/",
        "base_path": "/",
        "links": "directory",
        "log": {"v": 1, "lines": int(lines), "sha256": digest, "committed": int(lines)},
    }
    assert inventory["versions"]["leaderpress"] == __version__

"""What `[outputs]` switches off: no file is written for it, nothing leads there, and no promise is broken."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tiny_site import SITE, TABLE, Chain, TinySite

from leaderpress.checks import check_site
from leaderpress.config import PAGE_KINDS, Outputs
from leaderpress.errors import ContentError, Problems
from leaderpress.site.addresses import Addresses, page_kind
from leaderpress.site.build import build
from leaderpress.site.editions import freeze
from leaderpress.site.lookup import find_run

HEX = "0123456789abcdef" * 4
KINDS = {
    "": "home",
    f"runs/{HEX}/": "run",
    f"groups/{HEX}/": "group",
    f"groups/{HEX}/2/": "group",
    "operations/": "index",
    "operations/#family-prefix-sum": "index",
    "operations/scan/": "task",
    "implementations/": "index",
    "implementations/2/": "index",
    f"implementations/{HEX}/": "subject",
    f"implementations/{'7' * 64}/": "subject",
    "projects/": "index",
    "projects/ada/": "project",
    "projects/2/": "project",
    "projects/ada/2/": "project",
    "hardware/": "index",
    "hardware/abacus-1/": "hardware",
    "sources/": "index",
    "sources/board/": "source",
    "records/": "records",
    "records/2/": "records",
    "changes/": "changes",
    "editions/": "index",
    "editions/2026-q3/": "edition",
    "editions/2026-q3/2/": "edition",
    "lookup/": "lookup",
    "about/": "page",
    "runs-explained/": "page",
}


@pytest.mark.parametrize("path", KINDS)
def test_an_address_says_what_kind_of_page_it_is(path: str) -> None:
    assert page_kind(path) == KINDS[path]


def test_every_kind_that_can_be_switched_has_an_address() -> None:
    assert set(KINDS.values()) == set(PAGE_KINDS)


def test_the_outputs_of_a_source_concern_its_runs_alone() -> None:
    addresses = Addresses(Outputs(sources={"board": ("json",)}))
    assert (addresses.page(f"runs/{HEX}/", "board"), addresses.page(f"runs/{HEX}/", "rival")) == ("", f"runs/{HEX}/")
    assert addresses.twin(f"runs/{HEX}/", "board") == f"runs/{HEX}/index.json"
    assert addresses.page("sources/board/") == "sources/board/"


# -- whole sites -------------------------------------------------------------------------------------------------------

FAST = Chain(1, 100)
SOURCED = Chain(4, 500, subject={"licensing": {"declared": "MIT"}})
RIVAL = Chain(20, 90, user="Eve")
RUNS = (FAST, *(Chain(n, n * 100, user=f"U{n}") for n in (2, 3)), SOURCED, *(Chain(n, n * 100) for n in range(5, 9)))

SWITCHES = {
    **{f"no {kind} pages": f"{kind} = false" for kind in PAGE_KINDS},
    **{f"no {kind} twins": f'{kind} = ["html"]' for kind in PAGE_KINDS},
    **{f"only {kind} twins": f'{kind} = ["json"]' for kind in PAGE_KINDS},
    "no pages of a source": "sources.board = false",
    "only twins of a source": 'sources.board = ["json"]',
    "no twins at all": "\n".join(f'{kind} = ["html"]' for kind in PAGE_KINDS),
    "only twins": "\n".join(f'{kind} = ["json"]' for kind in PAGE_KINDS),
    "nothing": "\n".join(f"{kind} = false" for kind in PAGE_KINDS),
    "everything": "run = true",
}
CASES = [(name, ("directory", "file")[number % 2]) for number, name in enumerate(SWITCHES)]
"""Both styles of links go through the same decisions, so that each need not be tried with each switch."""
CASES += [(name, ("file", "directory")[number % 2]) for number, name in enumerate(SWITCHES) if "pages" in name]


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.table(TABLE, "rival")
    return site


def fed(site: TinySite) -> TinySite:
    """Every kind of page, every kind of link."""
    failed = Chain(9, None, user="Cyd", status="timeout")
    site.feed(*RUNS, failed, Chain(10, 70, gpu="Abacus 2"), {"task": FAST.operation().digest, "rows": 2, "listed": 9})
    site.feed(Chain(2, 150, user="U2"), on="2026-05-06")
    site.feed(RIVAL, source="rival", on="2026-05-07")
    freeze(site.root, "spring", published_at=date(2026, 5, 8), today=date.today)
    site.note("one", "withdrawal", RUNS[2].digest)
    site.note("two", "correction", RUNS[3].digest, successor=RUNS[4].digest)
    site.note("three", "attestation", FAST.digest, type="comment")
    return site


def switch(site: TinySite, lines: str, style: str = "directory") -> None:
    (site.root / "content" / "site.toml").write_text(f'{SITE}links = "{style}"\n[outputs]\n{lines}\n')


def paths_in(value: Any) -> Iterator[str]:
    """Every path that a twin names."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield from [inner] if key in ("path", "holder_path", "group", "previous", "next") else []
            else:
                yield from paths_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_in(inner)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[TinySite, set[str]]:
    """A site that only its settings are changed of, and every file that it can have."""
    site = TinySite(tmp_path_factory.mktemp("shared"))
    site.table(TABLE, "rival")
    return site, files(build(fed(site).root, jobs=1).output)


@pytest.mark.parametrize(("name", "style"), CASES)
def test_what_is_switched_off_is_not_written_and_leaves_no_link_behind(
    name: str, style: str, shared: tuple[TinySite, set[str]], tmp_path: Path
) -> None:
    site, whole = shared
    switch(site, SWITCHES[name], style)
    output = build(site.root, jobs=1, out=tmp_path / "out").output
    assert files(output) == whole - set(switched_off(site, whole))
    assert [str(problem) for problem in check_site(output).problems] == []
    for page in output.rglob("*.html"):
        assert not re.search(r'(?:href|action)=""', page.read_text()), page
    for file in output.rglob("index.json"):
        if file.parent.name != "v1":
            assert dangling(output, json.loads(file.read_bytes())) == set(), file


def switched_off(site: TinySite, whole: set[str]) -> Iterator[str]:
    """The files that the settings leave out, by their names alone."""
    outputs = site.content().config.outputs
    with site.open() as index:
        sources = dict(index.pairs("select digest, source from run"))
    for path in whole:
        folder, _, leaf = path.rpartition("/")
        source = sources[f"sha256:{folder[5:]}"] if folder.startswith("runs/") else None
        kind = page_kind(f"{folder}/" if folder else "")
        formats = {"index.html": ["html"], "index.json": ["json"], "ranking.csv": ["html", "json"]}.get(leaf, [])
        if kind == "lookup":
            formats = ["html", "json"]
        if path == "changes/feed.xml":  # its entries are places of that page
            formats = ["html"]
        if formats and folder != "schema/v1" and not any(outputs.has(kind, name, source) for name in formats):
            yield path


def dangling(output: Path, twin: Any) -> set[str]:
    """Paths that a twin names and that are not there."""
    named = {path.partition("#")[0] for path in paths_in(twin)} - {""}
    if "citation" in twin:
        named.add(twin["citation"]["permalink"].removeprefix("https://tiny.example/"))
    # A ranking that only data tell of is cited by the address of its data.
    wanted = {f"{path}index.html" if path.endswith("/") else path for path in named if ":" not in path}
    return {path for path in wanted if not (output / path).is_file()}


def test_links_to_runs_and_implementations_lead_to_their_canonical_objects(site: TinySite) -> None:
    switch(fed(site), "run = false\nsubject = false")
    output = build(site.root, jobs=1).output
    view = find_run(site.root, SOURCED.digest)
    objects = [
        f"sha256/{digest[7:9]}/{digest[7:]}.json" for digest in (SOURCED.digest, SOURCED.implementation().digest)
    ]
    assert [view.citation.permalink, view.implementation.path] == [f"https://tiny.example/{objects[0]}", objects[1]]
    group = (output / view.group.path / "index.html").read_text()
    assert f'href="../../{objects[0]}"' in group
    assert f'href="../{objects[1]}"' in (output / "implementations" / "index.html").read_text()
    feed = (output / "records" / "feed.xml").read_text()
    assert f"<id>https://tiny.example/runs/{RIVAL.digest[7:]}/#record</id>" in feed
    assert f'type="application/json" href="https://tiny.example/sha256/{RIVAL.digest[7:9]}/' in feed


def test_text_stays_where_a_link_goes(site: TinySite) -> None:
    switch(fed(site), "group = false\nproject = false\ntask = false\nsource = false\nindex = false")
    output = build(site.root, jobs=1).output
    page = (output / "runs" / FAST.digest[7:] / "index.html").read_text()
    for text in ("in its comparison group", "<bdi>Ada</bdi>", "<bdi>scan</bdi>", "<bdi>Tiny board</bdi>"):
        assert text in page
    assert not re.search(r'href="[^"]*(?:groups|projects|operations|sources)/', page)
    assert '<a href="../../records/">Records</a>' in page


def test_llms_txt_speaks_of_twins_only_where_there_are_some(site: TinySite) -> None:
    fed(site)
    assert "Every page is" in (build(site.root, jobs=1).output / "llms.txt").read_text()
    switch(site, 'run = ["html"]\nrecords = false')
    text = (build(site.root, jobs=1).output / "llms.txt").read_text()
    assert "Every page is" not in text
    assert "run.json" not in text
    assert "group.json" in text
    assert "/records/)" not in text


# -- promises ----------------------------------------------------------------------------------------------------------

PROMISED = {
    "run pages": ("run = false", "outputs.run"),
    "run pages but not their twins": ('run = ["json"]', "outputs.run"),
    "run pages of a source": ("sources.board = false", "outputs.sources.board"),
    "implementation pages": ('subject = ["json"]', "outputs.subject"),
}


@pytest.mark.parametrize("case", PROMISED)
def test_published_permalinks_cannot_be_switched_off(case: str, site: TinySite) -> None:
    fed(site)
    before = files(build(site.root, jobs=1).output)
    lines, setting = PROMISED[case]
    switch(site, lines)
    with pytest.raises(Problems) as faults:
        build(site.root, jobs=1)
    [fault] = faults.value.problems
    assert (type(fault), fault.code, fault.at) == (ContentError, "permalink-lost", "content/site.toml")
    assert fault.problem.startswith(f"{setting} switches off ")
    assert re.search(r"such as (runs|implementations)/[0-9a-f]{64}/index\.html$", fault.problem)
    assert files(site.root / "build" / "site") == before
    assert build(site.root, jobs=1, out=site.root.parent / "new").changed


def test_every_setting_that_breaks_a_promise_is_named(site: TinySite) -> None:
    build(fed(site).root, jobs=1)
    switch(site, "subject = false\nsources.board = false\nsources.rival = false")
    with pytest.raises(Problems) as faults:
        build(site.root, jobs=1)
    named = [fault.problem.partition(" switches off ")[::2] for fault in faults.value.problems]
    assert [setting for setting, _ in named] == ["outputs.sources.board", "outputs.sources.rival", "outputs.subject"]
    assert named[1][1].startswith("a published page ")


KEPT = {
    "twins": 'run = ["html"]\nsubject = ["html"]',
    "pages that may change": "group = false\nindex = false\nproject = false\nrecords = false",
    "a source without published runs": "sources.rival = false",
}


@pytest.mark.parametrize("case", KEPT)
def test_what_was_never_promised_can_be_switched_off_later(case: str, site: TinySite) -> None:
    site.feed(FAST, SOURCED)
    build(site.root, jobs=1)
    switch(site, KEPT[case])
    output = build(site.root, jobs=1).output
    assert [str(problem) for problem in check_site(output).problems] == []
    switch(site, "run = true")
    assert build(site.root, jobs=1).changed or case == "a source without published runs"

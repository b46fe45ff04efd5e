"""What a withdrawal takes away, and what it must leave: the page, the bytes, the citation."""

import json
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.site.build import build

LEADER, SECOND = Chain(1, 10, user="Ada"), Chain(2, 20, user="Bob")
PAGE = f"runs/{LEADER.digest[7:]}/"
OBJECT = f"sha256/{LEADER.digest[7:9]}/{LEADER.digest[7:]}.json"

Files = dict[str, bytes]


def published(site: TinySite) -> Files:
    build(site.root, jobs=1)
    root = site.root / "build" / "site"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def states(tmp_path: Path) -> tuple[Files, Files]:
    """The site before and after the withdrawal of its leader."""
    site = TinySite(tmp_path)
    site.feed(LEADER, SECOND)
    before = published(site)
    site.note("one", "withdrawal", LEADER.digest, why="It was cached.", body="See *there*.")
    return before, published(site)


def test_no_address_is_lost_and_the_canonical_bytes_stay(states: tuple[Files, Files]) -> None:
    before, after = states
    assert before.keys() - after.keys() == set()
    objects = [path for path in before if path.startswith("sha256/")]
    assert {path: before[path] for path in objects} == {path: after[path] for path in objects}
    assert OBJECT in objects


def test_the_page_says_who_when_and_why_and_is_not_to_be_listed(states: tuple[Files, Files]) -> None:
    text = states[1][f"{PAGE}index.html"].decode()
    for said in ("It was cached.", "Withdrawn on 3 February 2026", "A reviewer", "content/notes/one.md", "<em>there"):
        assert said in text
    assert '<meta name="robots" content="noindex">' in text
    assert "noindex" not in states[0][f"{PAGE}index.html"].decode()


def test_the_citation_is_frozen_but_for_the_word_that_it_was_withdrawn(states: tuple[Files, Files]) -> None:
    before, after = (json.loads(files[f"{PAGE}index.json"])["citation"] for files in states)
    for part in ("key", "permalink", "digest"):
        assert before[part] == after[part]
    assert after["biblatex"].split("eprint =")[1].split(",")[0] == before["biblatex"].split("eprint =")[1].split(",")[0]
    assert "10 ns" in after["apa"].replace("\u00a0", " ")


def test_it_leaves_rankings_records_and_sitemap(states: tuple[Files, Files]) -> None:
    before, after = states
    assert PAGE.encode() in before["sitemap.xml"]
    assert PAGE.encode() not in after["sitemap.xml"]
    key = json.loads(after[f"{PAGE}index.json"])["comparison_key"]
    group = json.loads(after[f"groups/{key[7:]}/index.json"])
    assert [run["digest"] for run in group["runs"]] == [SECOND.digest]
    assert [run["digest"] for run in group["excluded"]] == [LEADER.digest]
    assert [event["digest"] for event in group["records"]] == [SECOND.digest]
    assert LEADER.digest[7:].encode() not in after[f"groups/{key[7:]}/ranking.csv"]
    assert PAGE.encode() not in after["records/index.html"]
    assert PAGE.encode() not in after["records/feed.xml"]
    second = json.loads(after[f"runs/{SECOND.digest[7:]}/index.json"])
    assert (second["standing"]["rank"], second["standing"]["of"]) == (1, 1)


def test_a_note_taken_out_before_it_was_committed_gives_the_old_site_back(tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    site.feed(LEADER, SECOND)
    before = published(site)
    site.note("one", "withdrawal", LEADER.digest)
    assert published(site) != before
    (site.root / "content" / "notes" / "one.md").unlink()
    assert published(site) == before

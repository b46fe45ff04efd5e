"""The files that complete shortened addresses: complete, small, and only those rewritten that change."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.index import shortforms
from leaderpress.site.build import build, explain

RUNS = [Chain(n, n * 10, user=f"U{n % 3}", op=f"op{n % 2}") for n in range(1, 12)]


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(*RUNS)
    return made


def shards(site: TinySite) -> dict[str, Any]:
    """Every shard by name, read as the script reads it."""
    folder = site.root / "build" / "site" / "lookup"
    found = {}
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("shortForms(")
        assert text.endswith(");\n")
        found[path.stem] = json.loads(text[len("shortForms(") : -len(");\n")])
    return found


def digests(site: TinySite) -> dict[str, str]:
    """Letter by 64 hex digits."""
    return {entry[1:]: entry[0] for shard in shards(site).values() for entry in shard["d"]}


def keys(site: TinySite) -> dict[str, list[str]]:
    return {key: found for shard in shards(site).values() for key, found in shard["k"].items()}


def test_every_digest_stands_once_in_the_shard_of_its_first_digits(site: TinySite) -> None:
    site.feed(Chain(1, 10, user="U1", op="op1"), Chain(1, 10, gpu="Abacus 2", key="other", op="op1", user="U1"))
    build(site.root, jobs=1)
    found = digests(site)
    with site.open() as index:
        expected = {digest[7:]: "o" for digest, _ in index.documents()}
        expected |= {row[0][7:]: "r" for row in index.pairs("select digest from run")}
        expected |= {row[0][7:]: "i" for row in index.pairs("select digest from subject where has_page")}
        expected |= {group.key[7:]: "g" for group in index.groups()}
    assert found == expected
    assert Counter(expected.values()).keys() == {"o", "r", "i", "g"}
    for name, shard in shards(site).items():
        assert all(entry[1:].startswith(name) for entry in shard["d"])
        assert shard["d"] == sorted(shard["d"], key=lambda entry: entry[1:])
        assert all(shortforms.key_shard(key).startswith(name) for key in shard["k"])


def test_all_shards_exist_also_empty_ones(site: TinySite) -> None:
    build(site.root, jobs=1)
    assert list(shards(site)) == list("0123456789abcdef")


def test_a_run_is_found_by_what_its_source_and_another_catalogue_call_it(tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    run = Chain(7, key="a/b", said={"aliases": ["01a006c1-dd5d-76cf-9e44-f49eb6d945d0", "old name"]})
    site.feed(run)
    build(site.root, jobs=1)
    lead = [f"r{run.digest[7:]}"]
    assert keys(site) == {
        "board/a/b": lead,
        "board/run/7": lead,
        "01a006c1-dd5d-76cf-9e44-f49eb6d945d0": lead,
        "old name": lead,
    }


def test_a_key_leads_to_the_run_that_stands_and_to_the_other_if_none_does(site: TinySite) -> None:
    first, second = RUNS[0], Chain(1, 5, user="U1", op="op1")
    site.feed(second)
    build(site.root, jobs=1)
    assert keys(site)["board/1"] == [f"r{second.digest[7:]}"]
    site.note("old", "correction", second.digest, successor=RUNS[1].digest)
    build(site.root, jobs=1)
    assert sorted(keys(site)["board/1"]) == sorted(f"r{run.digest[7:]}" for run in (first, second))


def test_what_has_no_page_leads_to_its_object(tmp_path: Path) -> None:
    site = TinySite(tmp_path, "\n[outputs]\nrun = false\ngroup = false\nsubject = false\n")
    site.feed(*RUNS, Chain(1, 10, user="U1", op="op1"), Chain(1, 10, gpu="Abacus 2", key="x", op="op1", user="U1"))
    build(site.root, jobs=1)
    assert set(digests(site).values()) == {"o"}
    assert {found[0][0] for found in keys(site).values()} == {"o"}


def test_runs_of_a_source_whose_pages_are_off_lead_to_their_objects(tmp_path: Path) -> None:
    site = TinySite(tmp_path, "\n[outputs.sources]\nboard = []\n")
    site.feed(*RUNS)
    build(site.root, jobs=1)
    assert set(digests(site).values()) == {"o", "g"}


def test_it_can_be_switched_off_and_404_then_asks_nothing(tmp_path: Path) -> None:
    site = TinySite(tmp_path, "\n[outputs]\nlookup = false\n")
    site.feed(*RUNS)
    build(site.root, jobs=1)
    out = site.root / "build" / "site"
    assert not (out / "lookup").exists()
    page = (out / "404.html").read_text()
    assert "lookup" not in page
    assert "Page not found" in page


def test_404_names_the_folder_below_the_base_path_and_the_digits(tmp_path: Path) -> None:
    site = TinySite(tmp_path, 'base_path = "/records/"\n')
    site.feed(*RUNS)
    build(site.root, jobs=1)
    page = (site.root / "build" / "site" / "404.html").read_text()
    assert 'data-lookup="/records/lookup/" data-digits="1" data-root="/records/"' in page
    assert "<script>" not in page


@pytest.mark.parametrize(
    ("things", "size"), [(0, 1), (4800, 1), (4801, 2), (76_800, 2), (76_801, 3), (750_000, 3), (1_228_801, 4)]
)
def test_the_number_of_shards_follows_from_the_number_of_things(things: int, size: int) -> None:
    assert shortforms.digits(things) == size


def test_two_hundred_thousand_runs_give_shards_below_fifty_kilobytes() -> None:
    """Keys as sources make them differ in few digits: their checksums must spread all the same."""
    keys = [f"sol-execbench/submission/{number}" for number in range(1, 200_001)]
    size = shortforms.digits(750_000)
    counts = Counter(shortforms.key_shard(key)[:size] for key in keys)
    assert len(counts) == 16**size
    others = 750_000 / 16**size
    largest = max(counts.values()) * len('"sol-execbench/submission/200000":["r"],\n' + "0" * 64)
    assert largest + (others + 6 * others**0.5) * len('"r",\n' + "0" * 64) < 50_000


# -- incremental -------------------------------------------------------------------------------------------------------


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in after if before.get(name) != after[name]}


def test_only_shards_with_something_new_are_made_anew(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortforms, "A_SHARD", 1)
    build(site.root, jobs=1)
    before = shards(site)
    assert len(before) == 256
    site.feed(Chain(50, 3, user="U1", op="op1"))
    touched = {name for name in before if "made anew" in explain(site.root, f"lookup/{name}.js")}
    build(site.root, jobs=1)
    differ = changed(before, shards(site))
    assert differ
    assert differ <= touched
    assert len(touched) < 60


def test_more_things_give_more_shards_and_a_404_that_knows(site: TinySite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortforms, "A_SHARD", 5)
    build(site.root, jobs=1)
    assert len(shards(site)) == 16
    site.feed(*(Chain(n, n, user="U1", op="op1") for n in range(100, 130)))
    build(site.root, jobs=1)
    assert len(shards(site)) == 256
    assert 'data-digits="2"' in (site.root / "build" / "site" / "404.html").read_text()


def test_no_change_rewrites_nothing(site: TinySite) -> None:
    build(site.root, jobs=1)
    assert build(site.root, jobs=1).why == "nothing"


def test_one_shard_alone_is_what_it_is_among_all(site: TinySite) -> None:
    from leaderpress.site.addresses import Addresses
    from leaderpress.site.shortforms import shard_files, shard_names

    with site.pages() as at:
        addresses = Addresses(at.content.config.outputs)
        every = dict(shard_files(at.index, addresses, shard_names(1)))
        for name in shard_names(1):
            assert dict(shard_files(at.index, addresses, [name])) == {f"lookup/{name}.js": every[f"lookup/{name}.js"]}
        assert dict(shard_files(at.index, addresses, [])) == {}

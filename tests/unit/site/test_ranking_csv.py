"""`ranking.csv`: what a spreadsheet and a script read from it."""

import csv
import io
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.site.ranking_csv import ranking_csv


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


def test_every_row_has_exact_numbers_under_a_head(site: TinySite) -> None:
    runs = [Chain(1, 530092, metrics={"points": 0.5230339}), Chain(2, 999950, metrics={"wins": 8, "games": 16})]
    site.feed(*runs)
    data = ranking_csv(site.group(runs[0]))
    assert data.count(b"\r\n") == data.count(b"\n") == 3
    head, *rows = read(data)
    assert head == [
        "rank", "run", "implementation", "revision", "project", "value_ns", "Points", "Wins",
        "evidence", "observed", "published",
    ]  # fmt: skip
    assert rows == [
        ["1", runs[0].digest, "Ada", "v1", "Ada", "530092", "0.5230339", "", "reported", "2026-01-02", "2026-03-04"],
        ["2", runs[1].digest, "Ada", "v2", "Ada", "999950", "", "8", "reported", "2026-01-02", "2026-03-04"],
    ]


TINY = {1e-7: "1e-7", 1.5e21: "1.5e+21", 2.0: "2", 0.000001: "0.000001"}


@pytest.mark.parametrize("value", TINY)
def test_numbers_are_in_the_one_exact_spelling(value: float, site: TinySite) -> None:
    run = Chain(1, None, measurements=[("throughput", "gbps", value)])
    site.feed(run)
    head, row = read(ranking_csv(site.group(run)))
    assert row[head.index("value_gbps")] == TINY[value]


FORMULAS = ("=1+1", "+cmd", "-2+3", "@sum", "|calc", "＝1", "  =1", "\u200b=1", "\u00a0@x")
HARMLESS = ("Ada", "a=b", "x|y", "漢字, “q”", 'say "hi", you', "😀", "n-1")


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_that_a_spreadsheet_would_run_gets_an_apostrophe(name: str, site: TinySite) -> None:
    run = Chain(1, user=name)
    site.feed(run)
    head, row = read(ranking_csv(site.group(run)))
    assert row[head.index("project")] == f"'{name}"


@pytest.mark.parametrize("name", HARMLESS)
def test_other_names_are_as_they_are(name: str, site: TinySite) -> None:
    run = Chain(1, user=name)
    site.feed(run)
    head, row = read(ranking_csv(site.group(run)))
    assert row[head.index("project")] == name
    assert len(row) == len(head)

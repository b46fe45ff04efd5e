"""The group page's view: ranking, exclusions, records, the source's own order, continuation pages, the key."""

import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from tiny_site import TABLE, Chain, TinySite

from leaderpress.canonical import canonical, sha256
from leaderpress.site.plan import Job
from leaderpress.views.group import GroupView


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def day(n: int) -> str:
    return f"2026-01-{n:02}T00:00:00.000Z"


# -- the ranking -------------------------------------------------------------------------------------------------------


def test_rows_are_dense_ranks_in_display_order(site: TinySite) -> None:
    runs = [Chain(n, ns, user=f"U{n}", observed=day(n)) for n, ns in enumerate((200, 100, 100, 300, 300), 1)]
    site.feed(*runs)
    view = site.group(runs[0])
    rows = [(row.rank, row.tied, row.label, row.name, plain(row.gap), row.value) for row in view.runs]
    assert rows == [
        (1, True, "1=", "U3", "–", 100),
        (1, True, "1=", "U2", "–", 100),
        (2, False, "2", "U1", "×2.00", 200),
        (3, True, "3=", "U5", "×3.00", 300),
        (3, True, "3=", "U4", "×3.00", 300),
    ]
    assert [row.position for row in view.runs[:2]] == [0, 0]
    assert [row.digest for row in view.leaders] == [runs[2].digest, runs[1].digest]
    assert view.leader_say == "2 runs share the record since 2026-01-02"
    assert view.ahead == "×2.00 ahead of #2, U1"
    assert view.pager is None
    assert all(row.anchor == f"run-{row.digest[7:19]}" for row in view.runs)


def test_stronger_evidence_comes_first_inside_a_tie(site: TinySite) -> None:
    logs = {"evidence": {"logs": {"digest": "sha256:" + "1" * 64, "uri": "https://board.example/log"}}}
    code = {"source": {"contentDigest": "sha256:" + "2" * 64}}
    old, new = Chain(1, 100, observed=day(1), run=logs, subject=code), Chain(2, 100, observed=day(9))
    site.feed(old, new)
    assert [(row.digest, row.evidence) for row in site.group(old).runs] == [
        (old.digest, "reproducible"),
        (new.digest, "reported"),
    ]


def test_the_group_has_the_rankings_digest(site: TinySite) -> None:
    runs = [Chain(n, n * 100) for n in (1, 2)]
    site.feed(*runs)
    view = site.group(runs[0])
    body = {"v": 1, "policy": "ranking-v1", "group": view.key, "runs": [[1, runs[0].digest], [2, runs[1].digest]]}
    assert view.ranking == sha256(canonical(body))
    site.feed(Chain(3, 300))
    assert site.group(runs[0]).ranking != view.ranking


def test_the_key_is_the_digest_of_the_parts_that_are_shown(site: TinySite) -> None:
    run = Chain(1, 100)
    site.feed(run)
    view = site.group(run)
    assert view.key == "sha256:" + hashlib.sha256(view.key_body.encode()).hexdigest()
    parts = json.loads(view.key_body)
    assert parts["metric"] == "latency:mean:ns"
    assert parts["operation"] == run.operation().digest
    shown = {item.label: item for item in view.parts}
    for name in ("operation", "workload", "protocol", "environment"):
        assert shown[name.capitalize()].path == f"sha256/{parts[name][7:9]}/{parts[name][7:]}.json"
    assert shown["Group key"].value == view.key


def test_a_gap_below_what_is_shown_is_text_and_not_markup(site: TinySite) -> None:
    """`<+0.01 %` stands in the table and as the name of a mark in the plot."""
    runs = [Chain(n, 100_000_000 + 2000 * n, user=f"U{n}") for n in range(6)]
    site.feed(*runs)
    key = site.group(runs[0]).key
    pages = [data.decode() for path, data in site.files("group", key).items() if path.endswith(".html")]
    assert len(pages) == 7
    assert all("<+" not in page for page in pages)
    assert "&lt;+0.01" in pages[0]


def test_columns_whose_value_all_share_are_said_once(site: TinySite) -> None:
    runs = [Chain(n, n * 100, user=f"U{n}") for n in (1, 2)]
    site.feed(*runs)
    view = site.group(runs[0])
    assert set(view.shared) == {"evidence", "observed", "published", "project"}
    assert view.caption == "All 2: evidence reported, observed 2026-01-02, published 2026-03-04."
    site.feed(Chain(3, 300, observed=day(5)), on="2026-03-05")
    assert set(site.group(runs[0]).shared) == {"evidence", "project"}


def test_the_first_25_rows_carry_a_title_for_reference_managers(site: TinySite) -> None:
    runs = [Chain(n, n) for n in range(1, 28)]
    site.feed(*runs)
    assert [bool(row.coins) for row in site.group(runs[0]).runs] == [True] * 25 + [False] * 2


# -- what does not rank ------------------------------------------------------------------------------------------------


def excluded(view: GroupView) -> list[tuple[str, tuple[str, ...], str]]:
    return [
        (row.digest, tuple(reason.code for reason in row.reasons), plain(row.figure.number) if row.figure else "")
        for row in view.excluded
    ]


def test_failed_runs_that_match_in_all_but_the_metric_are_listed_as_excluded(site: TinySite) -> None:
    good = Chain(1, 100)
    failed = Chain(2, None, status="compile_error", observed=day(1))
    withdrawn = Chain(3, 50, observed=day(2))
    elsewhere = Chain(4, None, status="timeout", gpu="Abacus 2")
    other_metric = Chain(5, None, measurements=[("mood", "smiles", 5)])
    site.feed(good, failed, withdrawn, elsewhere, other_metric)
    site.note("one", "withdrawal", withdrawn.digest)
    view = site.group(good)
    assert excluded(view) == [
        (failed.digest, ("STATUS_COMPILE_ERROR", "MISSING_PRIMARY_METRIC"), ""),
        (withdrawn.digest, ("WITHDRAWN",), "50"),
    ]
    assert [row.digest for row in view.runs] == [good.digest]
    assert {row.path for row in view.excluded} == {f"runs/{run.digest[7:]}/" for run in (failed, withdrawn)}


def test_a_key_without_eligible_runs_has_a_page_with_an_empty_ranking(site: TinySite) -> None:
    failed = [Chain(n, None, status="timeout") for n in (1, 2)]
    site.feed(*failed)
    view = site.group(failed[0])
    assert (view.metric, view.better, view.unit) == ("none", "none", "")
    assert (view.runs, view.leaders, view.records, view.facts) == ((), (), (), ())
    assert (view.strip, view.staircase, view.pager, view.ahead, view.leader_say) == (None, None, None, "", "")
    assert {digest for digest, _, _ in excluded(view)} == {run.digest for run in failed}
    assert view.description == "Scan on Abacus 1: 2 published, none of them ranks."
    page = site.files("group", view.key)
    assert page[f"groups/{view.key[7:]}/ranking.csv"].count(b"\r\n") == 1
    assert b"undefined" not in page[f"groups/{view.key[7:]}/index.html"].lower()


def test_a_run_of_unknown_direction_is_excluded_with_its_value(site: TinySite) -> None:
    run = Chain(1, None, measurements=[("mood", "smiles", 12345)])
    site.feed(run)
    view = site.group(run)
    assert excluded(view) == [(run.digest, ("DIRECTION_UNKNOWN",), "12\u202f345")]
    assert view.metric_label == "Mood"


def test_sources_that_disagree_on_the_direction_leave_a_group_unranked(site: TinySite) -> None:
    site.table(TABLE.replace('unit = "gbps"\nbetter = "higher"', 'unit = "gbps"\nbetter = "lower"'), slug="rival")
    ours = Chain(1, None, measurements=[("throughput", "gbps", 5)])
    site.feed(ours)
    theirs = Chain(2, None, measurements=[("throughput", "gbps", 6)])
    site.feed(theirs, source="rival")
    view = site.group(ours)
    assert view.runs == ()
    assert {digest: reasons for digest, reasons, _ in excluded(view)} == {
        ours.digest: ("DIRECTION_UNKNOWN",),
        theirs.digest: ("DIRECTION_UNKNOWN",),
    }
    assert len(view.sources) == 2


# -- records over time -------------------------------------------------------------------------------------------------


def test_records_are_the_strictly_better_runs_in_order_of_observation(site: TinySite) -> None:
    values = (300, 300, 200, 250, 150)
    runs = [Chain(n, ns, user=f"U{n}", observed=day(n)) for n, ns in enumerate(values, 1)]
    site.feed(*reversed(runs))
    view = site.group(runs[0])
    assert [(row.name, row.observed_at, plain(row.improvement)) for row in view.records] == [
        ("U1", day(1), ""),
        ("U3", day(3), "50.0 %"),
        ("U5", day(5), "33.3 %"),
    ]
    assert view.leader_say == "holds the record since 2026-01-05"
    assert view.staircase is not None
    assert [step[2] for step in view.staircase.steps] == ["U1", "U3", "U5"]
    assert len(view.staircase.dots) == 2


def test_a_run_found_late_rewrites_the_records(site: TinySite) -> None:
    runs = [Chain(n, ns, observed=day(n)) for n, ns in ((5, 300), (6, 200))]
    site.feed(*runs)
    assert len(site.group(runs[0]).records) == 2
    early = Chain(1, 250, observed=day(1))
    site.feed(early)
    assert [row.digest for row in site.group(runs[0]).records] == [early.digest, runs[1].digest]


# -- the source's own order --------------------------------------------------------------------------------------------


def scored(*points: float | None) -> list[Chain]:
    """Runs of falling speed with these points of the source."""
    metrics = [{"wins": 1} if point is None else {"points": point} for point in points]
    return [Chain(n, n * 100, user=f"U{n}", metrics=own) for n, own in enumerate(metrics, 1)]


def test_the_sources_order_is_shown_where_it_differs_from_ours(site: TinySite) -> None:
    runs = scored(1.0, 3.0, 3.0, None)
    site.feed(*runs)
    view = site.group(runs[0])
    assert view.source_order_label == "Order by Points"
    assert [row.source_order for row in view.runs] == [3, 1, 1, None]
    assert view.metric_labels[0] == "Points"
    assert [row.metrics[0] for row in view.runs] == ["1.00", "3.00", "3.00", "not stated"]
    assert [row.metric_values[0] for row in view.runs] == [1.0, 3.0, 3.0, None]


@pytest.mark.parametrize("points", [(3.0, 2.0, 1.0), (2.0, 2.0, 1.0), (None, None)])
def test_the_sources_order_is_left_out_where_it_says_the_same(points: tuple[float | None, ...], site: TinySite) -> None:
    runs = scored(*points)
    site.feed(*runs)
    view = site.group(runs[0])
    assert view.source_order_label == ""
    assert {row.source_order for row in view.runs} == {None}


# -- coverage ----------------------------------------------------------------------------------------------------------


def test_coverage_says_what_the_dump_and_the_source_hold(site: TinySite) -> None:
    run = Chain(1, 100)
    site.feed(run)
    assert site.group(run).coverage == ""
    task = run.operation().digest
    site.feed({"task": task, "rows": 3, "listed": 251}, Chain(2, 200), on="2026-08-24")
    sentence = plain(site.group(run).coverage)
    assert sentence == (
        "Ranks 2 runs of this group; for the whole operation the dump holds 3 and the source lists 251,"
        " as of 2026-08-24."
    )
    site.feed({"task": task, "rows": 4, "listed": 1251}, Chain(3, 300), on="2026-08-25")
    assert "holds 4 and the source lists 1\u202f251, as of 2026-08-25" in site.group(run).coverage


# -- more than a thousand rows -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_long_rankings_go_on_on_further_pages_and_downloads_have_every_row(site: TinySite) -> None:
    runs = [Chain(n, n + 1000, user=f"U{n % 7}") for n in range(1, 2003)]
    site.feed(*runs)
    with site.pages() as at:
        key = at.index.run(runs[0].digest).group
        files = dict(islice(at.renderer.files(Job("group", (key,))), 5))
    base = f"groups/{key[7:]}/"
    names = ("index.json", "ranking.csv", "index.html", "2/index.html", "3/index.html")
    assert list(files) == [f"{base}{name}" for name in names]
    twin = json.loads(files[f"{base}index.json"])
    assert [row["digest"] for row in twin["runs"]] == [run.digest for run in runs]
    assert twin["pager"] == {"page": 1, "pages": 3, "previous": "", "next": f"{base}2/"}
    rows = list(csv.reader(io.StringIO(files[f"{base}ranking.csv"].decode())))
    assert [row[1] for row in rows[1:]] == [run.digest for run in runs]
    for path, first, last in ((f"{base}", 1, 1000), (f"{base}2/", 1001, 2000), (f"{base}3/", 2001, 2002)):
        page = files[f"{path}index.html"].decode()
        shown = [n for n, run in enumerate(runs, 1) if f'id="run-{run.digest[7:19]}"' in page]
        assert shown == list(range(first, last + 1))
        # A continuation has no twin of its own: its head points to the whole one.
        (twin_at,) = re.findall(r'<link rel="alternate" href="(?:../)+([^"]+)" type="application/json">', page)
        assert twin_at == f"{base}index.json"
        assert not re.search(r'href="index.json"', page) or path == base
    titles = [re.search("<title>(.*?)</title>", files[name].decode())[1] for name in list(files)[2:]]  # type: ignore[index]
    assert len(set(titles)) == 3


def test_a_thousand_rows_are_one_page(site: TinySite) -> None:
    from leaderpress.site.pages.group import pager

    assert pager("groups/x/", 1, 1000) is None
    second = pager("groups/x/", 1, 1001)
    assert second is not None
    assert (second.pages, second.next) == (2, "groups/x/2/")
    third = pager("groups/x/", 3, 2001)
    assert third is not None
    assert (third.previous, third.next) == ("groups/x/2/", "")


# -- the file beside it ------------------------------------------------------------------------------------------------


def test_the_twin_has_what_the_design_promises(site: TinySite) -> None:
    good, failed = Chain(1, 100), Chain(2, None, status="timeout")
    site.feed(good, failed)
    key = site.group(good).key
    twin = site.twin("group", key, f"groups/{key[7:]}/")
    assert twin["key"] == key
    assert twin["ranking"].startswith("sha256:")
    assert [{name: row[name] for name in ("digest", "rank", "tied", "value")} for row in twin["runs"]] == [
        {"digest": good.digest, "rank": 1, "tied": False, "value": 100}
    ]
    assert [(row["digest"], [reason["code"] for reason in row["reasons"]]) for row in twin["excluded"]] == [
        (failed.digest, ["STATUS_TIMEOUT", "MISSING_PRIMARY_METRIC"])
    ]
    assert [(row["digest"], row["observed_at"]) for row in twin["records"]] == [(good.digest, good.observed)]


# -- figures at the edges ----------------------------------------------------------------------------------------------


def measured(*values: float, metric: str = "throughput", unit: str = "gbps") -> list[Chain]:
    """Runs of this primary measurement, a day apart and each with a user of its own."""
    return [
        Chain(n, None, user=f"U{n}", observed=day(n), measurements=[(metric, unit, value)])
        for n, value in enumerate(values, 1)
    ]


def fact(view: GroupView, label: str) -> str:
    return plain({item.label: item.value for item in view.facts}.get(label, ""))


def test_values_at_the_end_of_all_numbers_and_dates_can_be_shown(site: TinySite) -> None:
    """A hostile dump may state 1e308 and the year 9999; it must not stop a build."""
    huge = [replace(run, observed="9999-12-31T23:59:59.999Z") for run in measured(*[1.7e308] * 6)]
    site.feed(*huge)
    view = site.group(huge[0])
    assert fact(view, "Median") == "1.7e+308 gbps"
    assert view.strip is not None
    assert site.files("group", view.key)


def test_a_ranking_of_huge_times_can_be_shown(site: TinySite) -> None:
    site.table(TABLE.replace('unit = "gbps"\nbetter = "higher"', 'unit = "gbps"\nbetter = "lower"'))
    runs = measured(*[1e307 * factor for factor in (1, 2, 3, 4, 5, 6)])
    site.feed(*runs)
    view = site.group(runs[0])
    assert view.strip is not None
    assert len(view.strip.ticks) == 6
    assert site.files("group", view.key)


def test_the_median_of_two_is_exact_in_decimals(site: TinySite) -> None:
    runs = measured(0.1, 0.1, 0.2, 0.2)
    site.feed(*runs)
    assert fact(site.group(runs[0]), "Median") == "0.15 gbps"


def test_values_without_ratios_have_no_place_on_the_scale(site: TinySite) -> None:
    """Nobody but the leader is drawn as the leader, and a place capped at a hundredfold sorts nothing."""
    runs = measured(5, 0, -3)
    site.feed(*runs)
    view = site.group(runs[0])
    assert [(row.value, row.position, row.gap) for row in view.runs] == [(5, 0, "–"), (0, None, "+5"), (-3, None, "+8")]
    page = site.files("group", view.key)[f"groups/{view.key[7:]}/index.html"].decode()
    rows = re.findall(r'<tr id="run-.*?</tr>', page)
    assert [row.count("<svg") for row in rows] == [1, 0, 0]
    assert [re.search(r'<td class="r" data-value="([^"]*)">[–+]', row)[1] for row in rows] == ["1", "2", "3"]  # type: ignore[index]


def test_gaps_beyond_a_hundredfold_sort_in_their_order(site: TinySite) -> None:
    runs = [Chain(n, ns, user=f"U{n}") for n, ns in enumerate((1, 200, 300, 400), 1)]
    site.feed(*runs)
    view = site.group(runs[0])
    page = site.files("group", view.key)[f"groups/{view.key[7:]}/index.html"].decode()
    assert re.findall(r'<td class="r" data-value="([^"]*)">[–×]', page) == ["1", "2", "3", "4"]


def test_the_last_of_times_is_the_slowest_only_where_less_is_better(site: TinySite) -> None:
    times = [Chain(n, n * 100, user=f"U{n}") for n in (1, 2)]
    site.feed(*times)
    assert fact(site.group(times[0]), "Slowest") == "200 ns"
    endurance = TABLE + '\n[metrics.uptime]\nlabel = "Uptime"\nformat = "time"\nunit = "s"\nbetter = "higher"\n'
    site.table(endurance)
    runs = measured(10, 20, metric="uptime", unit="s")
    site.feed(*runs)
    view = site.group(runs[0])
    assert (fact(view, "Slowest"), fact(view, "Last")) == ("", "10.0 s")


def test_how_far_ahead_the_leader_is_has_no_sign(site: TinySite) -> None:
    runs = [Chain(n, 100_000_000 + n, user=f"U{n}", observed=day(9 - n)) for n in (1, 2)]
    site.feed(*runs)
    view = site.group(runs[0])
    assert plain(view.ahead) == "<0.01 % ahead of #2, U2"
    assert [plain(record.improvement) for record in view.records] == ["", "<0.01 %"]


# -- several sources ---------------------------------------------------------------------------------------------------


def rivals(site: TinySite, table: str) -> list[Chain]:
    site.table(table, slug="rival")
    ours = Chain(1, 100, metrics={"points": 1})
    native = {"source": "rival", "benchmark": "scan", "externalId": "2", "metrics": {"points": 2}}
    theirs = Chain(2, 200, user="Bea", run={"sourceNative": native})
    site.feed(ours)
    site.feed(theirs, source="rival")
    return [ours, theirs]


def test_columns_of_several_sources_bear_the_name_that_each_gives(site: TinySite) -> None:
    run, _ = rivals(site, TABLE.replace('label = "Points"', 'label = "Score"').replace('"Latency"', '"Time"'))
    view = site.group(run)
    assert (view.metric_labels, view.metric_label) == (("Points / Score",), "Latency / Time")


def test_a_name_that_all_sources_use_stands_once(site: TinySite) -> None:
    run, _ = rivals(site, TABLE)
    view = site.group(run)
    assert (view.metric_labels, view.metric_label) == (("Points",), "Latency")


def test_a_citation_is_illustrative_as_soon_as_any_member_is(site: TinySite) -> None:
    """An excluded run stands on the page as well."""
    site.table(TABLE.replace("illustrative = true", "illustrative = false"), slug="rival")
    real, invented = Chain(1, 100), Chain(2, None, status="timeout")
    site.feed(real, source="rival")
    assert "llustrative" not in site.group(real).citation.apa
    site.feed(invented)
    view = site.group(real)
    assert view.illustrative
    assert "llustrative" in view.citation.apa


def test_runs_of_nobody_are_no_project(site: TinySite) -> None:
    named, nameless = Chain(1, 100), Chain(2, 200, said={"project": None}, about_subject={"project": None})
    site.feed(named, nameless)
    assert fact(site.group(named), "Projects") == "1"


# -- the source's other times ------------------------------------------------------------------------------------------


def test_only_a_time_that_restates_the_primary_one_is_left_out(site: TinySite) -> None:
    compile_time = '\n[metrics.compile]\nlabel = "Compile time"\nformat = "time"\nunit = "s"\n'
    site.table(TABLE + compile_time)
    runs = [
        Chain(n, ns, user=f"U{n}", metrics={"latency_ms": ms, "compile": 12.5})
        for n, (ns, ms) in enumerate(((530092, 0.530092), (600000, 0.6)), 1)
    ]
    site.feed(*runs)
    assert site.group(runs[0]).metric_labels == ("Compile time",)
    assert site.run(runs[0]).metric_labels == ("Compile time",)
    tail = Chain(3, 700000, metrics={"latency_ms": 0.9})
    site.feed(tail)
    assert site.group(runs[0]).metric_labels == ("Compile time", "Latency as published")


def test_a_lone_run_says_once_what_its_columns_would(site: TinySite) -> None:
    run = Chain(1, 100, user="Ada")
    site.feed(run)
    view = site.group(run)
    assert "evidence" in view.shared
    assert "published" in view.shared
    assert "observed" not in view.shared
    assert view.caption.startswith("The only run: evidence reported")

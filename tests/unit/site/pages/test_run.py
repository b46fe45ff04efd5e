"""The run page's view: standing, neighbours, what a failed, withdrawn or lone run shows, every field of a manifest."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tiny_site import TABLE, Chain, TinySite
from tiny_site import document as sealed

from leaderpress.views.run import RunView


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def latencies(*values: int) -> list[Chain]:
    """Runs 1, 2, … with these means; each observed a day after the one before."""
    return [Chain(n, ns, user=f"U{n}", observed=f"2026-01-{n:02}T00:00:00.000Z") for n, ns in enumerate(values, 1)]


def place(view: RunView) -> tuple[int, int, int, str, int, int] | None:
    at = view.standing
    return None if at is None else (at.rank, at.of, at.tied, at.label, at.better, at.worse)


# -- standing ----------------------------------------------------------------------------------------------------------

STANDINGS: dict[str, tuple[tuple[int, ...], int, tuple[int, int, int, str, int, int], str, str]] = {
    "first of two": ((100, 113), 0, (1, 2, 0, "1", 0, 1), "No runs are faster, 1 slower.", ""),
    "second of two": ((100, 113), 1, (2, 2, 0, "2", 1, 0), "One run is faster, none slower.", "+13.0 %"),
    "alone": ((100,), 0, (1, 1, 0, "1", 0, 0), "The only run in its comparison group so far.", ""),
    "a tie at the top": (
        (100, 100, 200),
        0,
        (1, 3, 1, "1=", 0, 1),
        "No runs are faster, 1 slower. One run is equal.",
        "",
    ),
    "after a tie": ((100, 100, 241), 2, (2, 3, 0, "2", 2, 0), "2 runs are faster, none slower.", "×2.41"),
    "a tie of three below": (
        (100, 200, 200, 200),
        2,
        (2, 4, 2, "2=", 1, 0),
        "One run is faster, none slower. 2 runs are equal.",
        "×2.00",
    ),
    "far behind": ((100, 8460), 1, (2, 2, 0, "2", 1, 0), "One run is faster, none slower.", "×84.6"),
}


@pytest.mark.parametrize("case", STANDINGS)
def test_the_standing_counts_runs_and_says_so_in_words(case: str, site: TinySite) -> None:
    values, which, expected, words, gap = STANDINGS[case]
    runs = latencies(*values)
    site.feed(*runs)
    view = site.run(runs[which])
    assert place(view) == expected
    assert (view.standing_say, view.gap.replace("\u00a0", " ")) == (words, gap)
    assert view.reasons == ()


def test_the_leader_is_named_to_those_behind_it_only(site: TinySite) -> None:
    first, equal, second = latencies(100, 100, 200)
    site.feed(first, equal, second)
    assert site.run(first).leader is None
    assert site.run(equal).leader is None
    assert site.run(equal).comparison is None
    view = site.run(second)
    # The newer observation leads the display order inside a tie.
    assert view.leader is not None
    assert view.leader.path == f"runs/{equal.digest[7:]}/"
    assert view.comparison is not None
    assert view.comparison.leader == view.leader
    assert "U2" in view.comparison.sentence


def test_higher_is_better_where_the_source_says_so(site: TinySite) -> None:
    low, high = (Chain(n, None, measurements=[("throughput", "gbps", n * 1000)]) for n in (1, 2))
    site.feed(low, high)
    view = site.run(low)
    assert place(view) == (2, 2, 0, "2", 1, 0)
    assert view.standing_say == "One run is better, none worse."
    assert (view.gap, view.primary_label) == ("×2.00", "mean throughput")
    assert view.primary is not None
    assert (view.primary.number, view.primary.unit, view.primary.value) == ("1\u202f000", "gbps", 1000)


# -- neighbours --------------------------------------------------------------------------------------------------------


def rows(view: RunView) -> list[tuple[str, str, int, bool]]:
    return [(row.label, row.name, row.skipped, row.current) for row in view.neighbours]


def test_the_short_ranking_has_the_leader_two_on_each_side_and_the_last(site: TinySite) -> None:
    runs = latencies(*range(100, 112))
    site.feed(*runs)
    assert rows(site.run(runs[6])) == [
        ("1", "U1", 0, False),
        ("5", "U5", 3, False),
        ("6", "U6", 0, False),
        ("7", "U7", 0, True),
        ("8", "U8", 0, False),
        ("9", "U9", 0, False),
        ("12", "U12", 2, False),
    ]
    shown = [row[:3] for row in rows(site.run(runs[0]))]
    assert shown == [("1", "U1", 0), ("2", "U2", 0), ("3", "U3", 0), ("12", "U12", 8)]
    assert sum(row.skipped + 1 for row in site.run(runs[6]).neighbours) == 12


def test_neighbours_of_a_tie_share_their_label_and_gap(site: TinySite) -> None:
    runs = latencies(100, 110, 110, 120)
    site.feed(*runs)
    shown = [(row.label, row.gap.replace("\u00a0", " ")) for row in site.run(runs[3]).neighbours]
    assert shown == [("1", "–"), ("2=", "+10.0 %"), ("2=", "+10.0 %"), ("3", "+20.0 %")]


def test_a_lone_run_is_its_own_short_ranking(site: TinySite) -> None:
    (only,) = latencies(100)
    site.feed(only)
    view = site.run(only)
    assert rows(view) == [("1", "U1", 0, True)]
    assert (view.strip, view.leader, view.comparison, view.gap) == (None, None, None, "")


def test_a_distribution_is_drawn_from_six_runs_on(site: TinySite) -> None:
    runs = latencies(100, 101, 102, 103, 104)
    site.feed(*runs)
    assert site.run(runs[1]).strip is None
    sixth = Chain(6, 1000)
    site.feed(sixth)
    strip = site.run(sixth).strip
    assert strip is not None
    assert sum(count for _, count in strip.marks) == 6
    assert (strip.leader, strip.leader_text.replace("\u00a0", " "), strip.this_text.replace("\u00a0", " ")) == (
        "U1",
        "100 ns",
        "1.00 µs",
    )


# -- runs that do not rank ---------------------------------------------------------------------------------------------


def texts(value: Any) -> list[str]:
    """Every text of a twin."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


def test_a_failed_run_shows_no_value_anywhere(site: TinySite) -> None:
    failed = Chain(3, None, status="runtime_error", user="Cyd", key="z")
    site.feed(*latencies(100, 200), failed)
    twin = site.twin("group", site.run(failed).comparison_key, f"runs/{failed.digest[7:]}/")
    assert twin["primary"] is None
    assert twin["standing"] is None
    assert [reason["code"] for reason in twin["reasons"]] == ["STATUS_RUNTIME_ERROR", "MISSING_PRIMARY_METRIC"]
    assert all(reason["text"].endswith(".") for reason in twin["reasons"])
    assert (twin["status"], twin["status_text"]) == ("runtime_error", "Runtime error")
    for name in ("neighbours", "measurements"):
        assert twin[name] == [], name
    for name in ("strip", "comparison", "leader"):
        assert twin[name] is None, name
    for name in ("gap", "primary_label", "spread", "samples", "source_line"):
        assert twin[name] == "", name
    # Neither a zero nor anybody's latency stands on it: digests, dates and revisions hold the only digits.
    shown = [text for text in texts(twin) if not re.search("[0-9a-f]{12}|^CC0-1.0$", text)]
    assert not [text for text in shown if re.search(r"(?<![\w-])0(\.0+)?(?![\w.-])|\d\s?(ns|µs|ms|s)\b", text)]


def test_the_page_of_a_failed_run_shows_no_value_either(site: TinySite) -> None:
    failed = Chain(3, None, status="timeout")
    site.feed(*latencies(100, 200), failed)
    page = site.files("group", site.run(failed).comparison_key)[f"runs/{failed.digest[7:]}/index.html"].decode()
    text = re.sub(r"<(script|style|pre)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert "Timeout" in text
    assert "Does not rank" in text
    assert not re.search(r"\d\s*(ns|µs|ms)\b", text)


def test_a_failed_run_that_states_a_time_all_the_same_does_not_rank_with_it(site: TinySite) -> None:
    failed = Chain(3, 50, status="incorrect_numerical")
    site.feed(*latencies(100, 200), failed)
    view = site.run(failed)
    assert view.standing is None
    assert [reason.code for reason in view.reasons] == ["STATUS_INCORRECT_NUMERICAL"]
    assert "incorrect numerical result" in view.reasons[0].text


def test_a_run_without_its_primary_statistic_falls_back_to_nothing(site: TinySite) -> None:
    run = Chain(1, None, timing={"median": 90})
    site.feed(run)
    view = site.run(run)
    assert view.primary is None
    assert [reason.code for reason in view.reasons] == ["MISSING_PRIMARY_METRIC"]
    assert [row.figure.exact for row in view.measurements] == ["90 ns"]


def test_the_reasons_of_a_run_stand_in_a_fixed_order(site: TinySite) -> None:
    run = Chain(1, None, status="timeout")
    site.feed(run)
    site.feed(Chain(1, 100))
    site.note("one", "withdrawal", run.digest)
    assert [reason.code for reason in site.run(run).reasons] == [
        "STATUS_TIMEOUT",
        "WITHDRAWN",
        "SUPERSEDED",
        "MISSING_PRIMARY_METRIC",
    ]


# -- identity ----------------------------------------------------------------------------------------------------------


def named(items: Any) -> dict[str, str]:
    return {item.label: item.value for item in items}


def test_the_identity_names_everything_in_full(site: TinySite) -> None:
    run = Chain(7, 100, user="Ada", metrics={"points": 1})
    site.feed(run)
    view = site.run(run)
    assert named(view.identity) == {
        "Implementation": "Ada",
        "Project": "Ada",
        "Revision": "v7",
        "Operation": "Scan",
        "Workload": "suite of 2 cases · mean latency",
        "Comparison key": view.comparison_key,
        "Source": "Tiny board",
        "External id": "run/7",
        "Run digest": run.digest,
        "Name": "run-7",
    }
    # A folder or an object stands behind each of them.
    assert [item.label for item in view.identity if not item.path] == ["Revision", "External id", "Name"]


def test_titles_and_names_are_shown_as_standing_outside_the_digest(site: TinySite) -> None:
    run = Chain(7)
    site.feed(run)
    view = site.run(run)
    outside = [
        [(i.label, i.value) for i in items if i.extra == "outside the digest"]
        for items in (view.identity, view.protocol, view.environment)
    ]
    assert outside == [[("Name", "run-7")], [("Title", "Tiny rules"), ("Name", "tiny")], [("Name", "host")]]


def test_both_operations_are_named_where_they_differ(site: TinySite) -> None:
    run = Chain(1, 100, made_for="gemm")
    site.feed(run)
    view = site.run(run)
    items = {item.label: item for item in view.identity}
    assert (items["Operation"].value, items["Operation"].path) == ("Scan", "operations/scan/")
    assert items["Implementation made for"].path == "operations/gemm/"
    assert items["Implementation made for"].value.casefold() == "gemm"
    # The workload's operation counts.
    assert view.task.path == "operations/scan/"
    assert view.documents[2].digest == run.operation().digest


def test_an_implementation_without_page_is_linked_to_its_object(site: TinySite) -> None:
    plain = Chain(1)
    sourced = Chain(2, subject={"licensing": {"declared": "MIT"}})
    site.feed(plain, sourced)
    hexa = plain.implementation().digest[7:]
    assert site.run(plain).implementation.path == f"sha256/{hexa[:2]}/{hexa}.json"
    assert site.run(sourced).implementation.path == f"implementations/{sourced.implementation().digest[7:]}/"


def test_the_chain_of_documents_is_whole_and_leads_to_the_objects(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run)
    documents = site.run(run).documents
    expected = {
        "Run": run.record(),
        "Implementation": run.implementation(),
        "Operation": run.operation(),
        "Workload": run.suite(),
        "Protocol": run.protocol(),
        "Environment": run.environment(),
        "Project": run.project(),
    }
    assert {document.label: document.digest for document in documents} == {k: m.digest for k, m in expected.items()}
    for document in documents:
        assert document.path == f"sha256/{document.digest[7:9]}/{document.digest[7:]}.json"
        assert document.bytes == len(expected[document.label].identity)


# -- figures -----------------------------------------------------------------------------------------------------------


def test_every_statistic_of_the_timing_is_shown_the_primary_one_first(site: TinySite) -> None:
    timing = {"median": 98, "minimum": 90, "maximum": 120, "p05": 91, "p95": 119, "mad": 3, "confidence95": [97, 103]}
    run = Chain(1, 100, timing=timing, run={})
    site.feed(run)
    view = site.run(run)
    assert [(row.statistic, row.figure.exact) for row in view.measurements] == [
        ("mean", "100 ns"),
        ("median", "98 ns"),
        ("minimum", "90 ns"),
        ("5th percentile", "91 ns"),
        ("95th percentile", "119 ns"),
        ("maximum", "120 ns"),
        ("median absolute deviation", "3 ns"),
        ("95 % interval, lower bound", "97 ns"),
        ("95 % interval, upper bound", "103 ns"),
    ]
    assert view.spread.replace("\u00a0", " ") == "± 3 ns"
    assert {row.said_by for row in view.measurements} == {"run manifest"}


def test_the_sources_own_figures_follow_its_table(site: TinySite) -> None:
    metrics = {"wins": 8, "games": 16, "points": 0.523033, "latency_ms": 0.530092, "unheard": 4.5}
    run = Chain(1, 530092, metrics=metrics)
    site.feed(run)
    view = site.run(run)
    assert view.source_line == "0.52 points · 8/16 wins"
    shown = [(row.metric, row.figure.number.replace("\u00a0", " "), row.figure.exact) for row in view.measurements[1:]]
    assert shown == [
        ("Latency as published", "530.1 µs", "0.530092 ms"),
        ("Points", "0.52", "0.523033"),
        ("Wins", "8/16", "8 of 16"),
        ("unheard", "4.5", "4.5"),
    ]
    assert view.primary is not None
    assert (view.primary.number, view.primary.unit, view.primary.exact) == ("530.1", "µs", "530092 ns")
    # A time beside a time restates it, so it is no column of the short ranking.
    assert view.metric_labels == ("Points", "Wins")


def test_what_is_not_stated_says_so_and_is_never_blank(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run)
    view = site.run(run)
    items = [*view.identity, *view.protocol, *view.environment, *view.facts, *view.imprint, *view.workload.items]
    assert all(item.value for item in items)
    unstated = {item.label for item in items if not item.stated}
    assert {"Driver", "CUDA", "Framework", "Warm-up", "Iterations", "Comparable"} <= unstated
    assert {item.value for item in items if not item.stated} == {"not stated"}
    assert view.correctness_say == "Marked passed by the source. The correctness policy was not published."


def test_stated_correctness_is_shown_field_by_field(site: TinySite) -> None:
    found = {"comparator": "allclose", "maximumAbsoluteError": 1e-6, "maximumRelativeError": 0, "matchedRatio": 1}
    run = Chain(1, run={"correctness": found})
    site.feed(run)
    assert named(site.run(run).correctness) == {
        "Comparator": "allclose",
        "Maximum absolute error": "0.000001",
        "Maximum relative error": "0",
        "Matched ratio": "1",
    }


def test_files_of_a_run_are_listed_with_size_type_and_whereabouts(site: TinySite) -> None:
    log = {"digest": "sha256:" + "1" * 64, "uri": "https://board.example/log.txt"}
    code = {"contentDigest": "sha256:" + "2" * 64, "fileName": "scan.py", "sizeBytes": 2048}
    mirrored = {"digest": log["digest"], "role": "log", "mediaType": "text/plain", "sizeBytes": 10}
    run = Chain(1, run={"evidence": {"logs": log}}, subject={"source": code}, said={"artifacts": [mirrored]})
    site.feed(run)
    view = site.run(run)
    assert view.evidence == "reproducible"
    assert [
        (file.name, file.media_type, file.size.replace("\u00a0", " "), file.availability) for file in view.artifacts
    ] == [
        ("scan.py", "not stated", "2.0 kB", "named by the source, not published here"),
        ("log", "text/plain", "10 B", "at the source"),
    ]
    plain = Chain(2)
    site.feed(plain)
    assert site.run(plain).artifacts == ()
    assert site.run(plain).evidence == "reported"


# -- the workload ------------------------------------------------------------------------------------------------------


def test_cases_are_numbered_even_where_their_ids_repeat(site: TinySite) -> None:
    run = Chain(1, cases=({"n": 4, "d": 8}, {"n": 2, "d": 8}, {"n": 4, "d": 8}))
    site.feed(run)
    workload = site.run(run).workload
    assert [case.anchor for case in workload.cases] == ["case-1", "case-2", "case-3"]
    assert workload.columns == ("n",)
    assert [case.values for case in workload.cases] == [("4",), ("2",), ("4",)]
    assert named(workload.items)["Same in all cases"] == "d 8"


def test_facts_of_cases_are_columns_stated_by_the_source(site: TinySite) -> None:
    run = Chain(1)
    case = run.case({"n": 1})
    finding = {"manifest": case.document}
    site.feed(run, finding, {"about": case.digest, "fact": "points", "value": 0.125})
    workload = site.run(run).workload
    assert workload.stated_columns == ("Points",)
    assert [(case.stated, bool(case.path)) for case in workload.cases] == [(("0.13",), True), (("not stated",), False)]


def test_facts_of_the_run_stand_apart_from_its_manifest(site: TinySite) -> None:
    run = Chain(1)
    long = {"about": run.digest, "fact": "log", "value": "x" * 5000}
    site.feed(run, {"about": run.digest, "fact": "points", "value": 0.125}, long)
    stated = {item.label: (item.value.replace("\u202f", " "), item.extra) for item in site.run(run).identity[-2:]}
    said = "stated by the source, outside the digest"
    assert stated == {
        "Log": ("5 000 characters, kept in the records and not published here", said),
        "Points": ("0.13", said),
    }


# -- what it says about itself -----------------------------------------------------------------------------------------


def test_links_for_notes_and_reports_are_filled_in(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run)
    view = site.run(run)
    hexa = run.digest[7:]
    assert view.note_link == f"https://desk.example/note?target=sha256%3A{hexa}"
    page = f"https%3A%2F%2Ftiny.example%2Fruns%2F{hexa}%2F"
    assert view.report_link == f"https://desk.example/issue?record=sha256%3A{hexa}&page={page}"


def test_a_citation_has_the_value_and_never_the_rank(site: TinySite) -> None:
    first, second = latencies(100, 200)
    site.feed(first)
    before = site.run(first).citation
    site.feed(second, Chain(9, 50))
    assert site.run(first).citation == before
    assert "100 ns" in before.csl.replace("\u00a0", " ")


def test_a_new_leader_changes_standing_and_nothing_else_of_a_run(site: TinySite) -> None:
    """No site-wide count or list of the latest stands on a run page, or every page would change with every ingest."""
    first, _ = runs = latencies(100, 200)
    site.feed(*runs)
    before = site.run(first)
    site.feed(Chain(3, 300, op="gemm"), Chain(4, 100, gpu="Abacus 2"))
    assert site.run(first) == before
    site.feed(Chain(5, 50))
    after = site.run(first)
    changed = {name for name in RunView.__dataclass_fields__ if getattr(after, name) != getattr(before, name)}
    assert changed == {"standing", "standing_say", "gap", "leader", "neighbours", "comparison"}


def test_the_illustrative_mark_comes_from_the_source(site: TinySite) -> None:
    run = Chain(1)
    site.feed(run)
    view = site.run(run)
    assert view.illustrative
    assert view.source.illustrative
    assert "llustrative" in view.citation.apa


def test_the_twin_is_the_view(site: TinySite) -> None:
    import orjson

    run = Chain(1)
    site.feed(run)
    twin = site.twin("group", site.run(run).comparison_key, f"runs/{run.digest[7:]}/")
    assert twin.pop("$schema") == "https://tiny.example/schema/v1/run.json"
    assert twin.pop("kind") == "run"
    assert twin == json.loads(orjson.dumps(site.run(run)))


# -- labels and samples ------------------------------------------------------------------------------------------------


def test_samples_of_another_measurement_are_not_those_of_the_latency(site: TinySite) -> None:
    counted = [{"metric": "mood", "unit": "smiles", "statistic": "mean", "value": 5, "sampleCount": 7}]
    timed, untimed = Chain(1, 100, run={"measurements": counted}), Chain(2, None, run={"measurements": counted})
    site.feed(timed, untimed)
    assert (site.run(timed).samples, [row.samples for row in site.run(timed).measurements]) == ("", ["", "7"])
    assert site.run(untimed).samples == "of 7"


def test_a_label_keeps_its_acronym(site: TinySite) -> None:
    site.table(TABLE.replace('label = "Throughput"', 'label = "SOL score"'))
    low, high = (Chain(n, None, user=f"U{n}", measurements=[("throughput", "gbps", n)]) for n in (1, 2))
    site.feed(low, high)
    view = site.run(low)
    assert view.primary_label == "mean SOL score"
    assert "mean SOL score" in view.citation.apa
    assert view.comparison is not None
    assert "Mean SOL score" in [row.label for row in view.comparison.rows]


@pytest.mark.parametrize(("better", "words"), [("lower", "faster"), ("higher", "better")])
@pytest.mark.parametrize("unit", ["ns", "us", "s"])
def test_a_shorter_time_is_faster_and_a_longer_one_only_better(
    unit: str, better: str, words: str, site: TinySite
) -> None:
    site.table(TABLE.replace('unit = "gbps"\nbetter = "higher"', f'unit = "{unit}"\nbetter = "{better}"'))
    runs = [Chain(n, None, measurements=[("throughput", unit, n)]) for n in (1, 2)]
    site.feed(*runs)
    second = runs[1] if better == "lower" else runs[0]
    assert site.run(second).standing_say == f"One run is {words}, none {'slower' if words == 'faster' else 'worse'}."


# -- what a manifest says in a corner ----------------------------------------------------------------------------------

INTERVALS = {
    "around the value": ([97, 103], "± 3 ns"),
    "around the value, which was rounded": ([97, 104], "± 4 ns"),
    "to one side": ([99, 140], "99 ns to 140 ns (95 %)"),
    "beside the value": ([150, 160], "150 ns to 160 ns (95 %)"),
}


@pytest.mark.parametrize("case", INTERVALS)
def test_an_interval_is_a_half_width_only_where_the_value_is_its_middle(case: str, site: TinySite) -> None:
    interval, spread = INTERVALS[case]
    run = Chain(1, 100, timing={"confidence95": interval})
    site.feed(run)
    view = site.run(run)
    assert view.spread.replace("\u00a0", " ") == spread
    bounds = [(m.statistic, m.figure.exact) for m in view.measurements if "interval" in m.statistic]
    assert bounds == [
        ("95 % interval, lower bound", f"{interval[0]} ns"),
        ("95 % interval, upper bound", f"{interval[1]} ns"),
    ]


def test_a_failed_run_with_stated_correctness_says_how_it_failed(site: TinySite) -> None:
    stated = {"correctness": {"comparator": "close", "matchedRatio": 0.5}}
    run = Chain(1, None, status="incorrect_numerical", run=stated)
    site.feed(run)
    view = site.run(run)
    assert view.correctness_say == "Compared with the reference; the source marks the run “incorrect numerical result”."
    assert [line.value for line in view.correctness if line.label == "Matched ratio"] == ["0.5"]


@pytest.mark.parametrize("where", ["timing", "evidence"])
def test_raw_samples_are_an_artifact_wherever_they_are_named_and_once(where: str, site: TinySite) -> None:
    file = {"uri": "store:samples", "digest": "sha256:" + "5" * 64}
    timing = {"primaryStatistic": "mean", "latencyNs": {"mean": 100}}
    both = {"timing": {**timing, "rawSamples": file}, "evidence": {"rawSamples": file}}
    run = Chain(1, 100, run={where: both[where]})
    twice = Chain(2, 100, run=both)
    site.feed(run, twice)
    for view in (site.run(run), site.run(twice)):
        (artifact,) = view.artifacts
        assert (artifact.role, artifact.digest) == ("raw samples", file["digest"])
        assert "store:samples" in artifact.availability


def test_a_protocol_may_leave_out_how_it_checks(site: TinySite) -> None:
    class Plain(Chain):
        def protocol(self) -> Any:
            spec = {
                "harness": {"name": "tiny"},
                "measurement": {"timer": "clock", "primaryStatistic": "mean"},
                "devicePolicy": {"clocksLocked": True, "powerLimitWatts": 350.0},
            }
            return sealed("BenchmarkProtocol", "tiny", spec)

    run = Plain(1, 100)
    site.feed(run)
    lines = {line.label: line.value for line in site.run(run).protocol}
    assert (lines["Correctness reference"], lines["Comparator"]) == ("not stated", "not stated")
    assert (lines["Clocks locked"], lines["Power limit, W"]) == ("yes", "350")


def page_of(site: TinySite, run: Chain) -> str:
    with site.pages() as at:
        key = at.index.run(run.digest).group
    return site.files("group", key)[f"runs/{run.digest[7:]}/index.html"].decode()


def test_the_source_metrics_stand_between_standing_and_identity(site: TinySite) -> None:
    run = Chain(1, 100, metrics={"points": 3})
    site.feed(run)
    page = page_of(site, run)
    places = [page.index(mark) for mark in ('id="standing"', "3.00 points", 'id="identity"', 'id="measurements"')]
    assert places == sorted(places)
    assert page.count("In the source’s own measures") == 1


LICENCES = {
    # (source table, DC.rights, address of the licence)
    "stated": ('licence = "MIT"\nlicence_url = "https://board.example/l"', "https://board.example/l", True),
    "on the list": ('licence = "Apache-2.0"', "https://spdx.org/licenses/Apache-2.0.html", True),
    "two of them": ('licence = "MIT OR Apache-2.0"', "MIT OR Apache-2.0", False),
    "own": ('licence = "LicenseRef-own"\nlicence_text = "Ask."', "LicenseRef-own", False),
    "none": ('licence = "none-stated"\nterms = "Ask first"\nbasis = "Facts"', "Ask first", False),
}


@pytest.mark.parametrize("case", LICENCES)
def test_a_machine_finds_the_terms_of_the_figures(case: str, site: TinySite) -> None:
    table, rights, addressed = LICENCES[case]
    run = Chain(1, 100)
    site.table(TABLE.replace('licence = "CC0-1.0"', table))
    site.feed(run)
    page = page_of(site, run)
    assert f'<meta name="DC.rights" content="{rights}">' in page
    assert (f'<link rel="license" href="{rights}">' in page) == addressed
    assert (f'"license":"{rights}"' in page) == addressed


def test_a_name_that_needs_no_other_is_not_repeated_as_nothing(site: TinySite) -> None:
    run = Chain(1, 100, op="Scan")
    site.feed(run)
    with site.pages() as at:
        key = at.index.run(run.digest).group
    files = {**site.files("group", key), **site.files("task", "scan")}
    assert site.run(run).task_raw == ""
    for path, data in files.items():
        if path.endswith(".html"):
            nothing = r'<(?:code|p class="raw"|bdi)>(?:<bdi></bdi>)?</|<code[^>]*><bdi></bdi>|title=""'
            assert not re.findall(nothing, data.decode()), path


def test_the_manifest_names_benchmark_id_and_harness_where_nothing_else_said_so(site: TinySite) -> None:
    harness = {"repository": "https://code.example/h", "commit": "2" * 40}
    native = {"source": "board", "benchmark": "scan-hard", "externalId": "x-7"}
    plain, other = Chain(1, 100), Chain(2, 200, run={"sourceNative": native, "evidence": {"harness": harness}})
    site.feed(plain, other, Chain(3, 300, metrics={"points": 1}))
    labels = ("Id in the manifest", "Benchmark at the source", "Harness repository", "Harness commit")
    found = [[line.value for line in site.run(run).identity if line.label in labels] for run in (plain, other)]
    assert found == [[], ["x-7", "scan-hard", harness["repository"], harness["commit"]]]

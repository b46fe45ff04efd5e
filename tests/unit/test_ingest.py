"""Ingesting: what is new is written once and in order, what does not fit is refused and located, the rest is history.

The dumps are those of an invented board, one JSON object a line, so that every case can be written in a line.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from leaderpress import ingesters, store
from leaderpress.canonical import canonical, sha256
from leaderpress.errors import ContentError, DumpError, LeaderpressError, UsageError
from leaderpress.ingest import IngestReport, ingest, spool
from leaderpress.ingesters import packed
from leaderpress.ingesters.base import Drift, Dump, Fact, Rejection, Statement, TaskCount
from leaderpress.manifests import API_VERSION, KIND_ORDER, Manifest, seal

Entry = dict[str, Any]

TABLE = """\
name = "Tiny board"
url = "https://board.example/"
licence = "CC0-1.0"
attribution = "Invented for tests"
ingester = "{ingester}"
illustrative = true

[metrics.latency]
label = "latency"
format = "literal"
unit = "ns"
better = "lower"
"""

# -- an invented board -----------------------------------------------------------------------------------------------


def manifest(kind: str, name: str, spec: Entry, title: str | None = None) -> Manifest:
    metadata = {"name": name} if title is None else {"name": name, "title": title}
    return seal({"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec})


def operation(entry: Entry) -> Manifest:
    argument = {"name": "x", "scalar": {"dtype": "fp32"}}
    spec = {
        "family": entry["op"],
        "axes": {},
        "inputs": [argument],
        "outputs": [argument],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    return manifest("OperationSpec", entry["op"], spec, entry.get("title"))


def suite(entry: Entry) -> Manifest:
    spec = {
        "operationSpecDigest": operation(entry).digest,
        "cases": [{"externalId": "one", "axes": {}}],
        "correctness": {"comparator": "exact"},
        "aggregation": {"metric": "latency", "statistic": "mean"},
    }
    return manifest("WorkloadSuite", f"{entry['op']}-suite", spec)


def project(entry: Entry) -> Manifest:
    return manifest("SoftwareProject", "user", {"name": entry["user"]})


def implementation(entry: Entry) -> Manifest:
    spec = {
        "projectRevision": {"version": f"v{entry['run']}"},
        "operation": {"specDigest": operation(entry).digest},
        "callable": {"language": "unknown"},
        "support": {"hardwareArchitectures": [], "dtypes": []},
        "licensing": {},
    }
    return manifest("ImplementationRevision", "implementation", spec)


def protocol() -> Manifest:
    spec = {
        "harness": {"name": "tiny"},
        "measurement": {"timer": "clock", "primaryStatistic": "mean"},
        "correctness": {"reference": "none", "comparator": "exact"},
    }
    return manifest("BenchmarkProtocol", "tiny", spec)


def environment(entry: Entry) -> Manifest:
    hardware = {"vendor": "none", "product": entry.get("gpu", "Abacus 1"), "architecture": "unknown"}
    return manifest("ExecutionEnvironment", "host", {"hardware": hardware, "software": {"driver": entry.get("driver")}})


def run(entry: Entry, source: str) -> Manifest:
    spec = {
        "implementationDigest": implementation(entry).digest,
        "workloadDigest": suite(entry).digest,
        "protocolDigest": protocol().digest,
        "environmentDigest": environment(entry).digest,
        "status": "passed",
        "observedAt": "2026-01-02T03:04:05.678Z",
        "timing": {"primaryStatistic": "mean", "latencyNs": {"mean": entry.get("ns", 100)}},
        "sourceNative": {"source": source, "benchmark": "tiny", "externalId": str(entry["run"])},
    }
    return manifest("BenchmarkRun", f"run-{entry['run']}", spec)


def chain(entry: Entry, source: str, at: str) -> Iterator[Statement]:
    """The eight statements of one entry; `without` leaves out those of one kind."""
    team, own = project(entry), run(entry, source)
    key = str(entry.get("key", entry["run"]))
    statements = (
        Statement(operation(entry), source, name=entry.get("name", entry["op"]), tags=tuple(entry.get("tags", ()))),
        Statement(suite(entry), source),
        Statement(team, source, name=entry.get("team", entry["user"])),
        Statement(implementation(entry), source, project=team.digest),
        Statement(protocol(), source),
        Statement(environment(entry), source),
        Statement(own, source, external_id=f"run/{entry['run']}", upstream_key=key, project=team.digest, at=at),
    )
    yield from (statement for statement in statements if statement.manifest.kind != entry.get("without"))


class Board:
    """An ingester for the invented board."""

    FORMAT = "tiny-board"
    VERSION = 1
    SUFFIXES = (".jsonl",)
    SOURCES: tuple[str, ...] = ()

    def ingest(self, dump: Dump, source: str) -> Iterator[Statement | Fact | TaskCount | Rejection | Drift]:
        for file in dump.files:
            for number, line in enumerate(file.read().splitlines(), 1):
                entry = json.loads(line)
                yield from self._convert(entry, entry.get("source", source), f"{file.path}:{number}")

    def _convert(
        self, entry: Entry, source: str, at: str
    ) -> Iterator[Statement | Fact | TaskCount | Rejection | Drift]:
        if "run" in entry:
            yield from chain(entry, source, at)
        if "fact" in entry:
            yield Fact(operation(entry).digest, source, entry["fact"], entry["value"])
        if "rows" in entry:
            yield TaskCount(operation(entry).digest, source, entry["rows"], entry.get("stated"), entry["complete"])
        if "reject" in entry:
            verdict = entry["reject"] != "MALFORMED"
            yield Rejection(entry["reject"], at, "refused", source, verdict, external_id=entry.get("id"))
        if "drift" in entry:
            yield Drift(entry["drift"], at, source)
        if "crash" in entry:
            raise KeyError(entry["crash"])


class Catalog(Board):
    """An ingester whose dumps hold two sources."""

    FORMAT = "tiny-catalog"
    SOURCES = ("red", "blue")


REAL_LOAD = ingesters.load
REAL_DEFAULT = ingesters.default_source
BOARDS = {board.FORMAT: board for board in (Board(), Catalog())}


def load(slug: str) -> Any:
    return BOARDS[slug] if slug in BOARDS else REAL_LOAD(slug)


def default_source(slug: str) -> bytes | None:
    return TABLE.format(ingester="tiny-catalog").encode() if slug in Catalog.SOURCES else REAL_DEFAULT(slug)


@pytest.fixture(autouse=True)
def _invented_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingesters, "load", load)
    monkeypatch.setattr(ingesters, "default_source", default_source)


# -- a site and its dumps --------------------------------------------------------------------------------------------


class Site:
    """A site in a temporary folder, with the source `board`, and what was fed into it."""

    def __init__(self, root: Path) -> None:
        self.root = root / "site"
        self.dumps = root / "dumps"
        (self.root / "content/sources").mkdir(parents=True)
        (self.root / "content/sources/board.toml").write_text(TABLE.format(ingester="tiny-board"))

    def dump(self, *entries: Entry, name: str = "") -> Path:
        self.dumps.mkdir(exist_ok=True)
        path = self.dumps / (name or f"{len(list(self.dumps.iterdir())):03d}.jsonl")
        path.write_bytes(b"".join(canonical(entry) + b"\n" for entry in entries))
        return path

    def feed(self, *entries: Entry, **options: Any) -> IngestReport:
        return self.ingest([self.dump(*entries)], **options)

    def ingest(self, paths: Sequence[Path], source: str = "board", **options: Any) -> IngestReport:
        settings: dict[str, Any] = {"published_at": None, "retrieved_at": None, **options}
        return ingest(self.root, source, paths, today=lambda: date(2026, 3, 4), **settings)

    def folder(self) -> store.Folder:
        return store.folders(self.root)[-1]

    def documents(self) -> list[Entry]:
        """The documents of the newest folder."""
        return [json.loads(line) for _, _, line in self.folder().manifests()]

    def lines(self, kind: str = "") -> list[Entry]:
        """The provenance lines of the newest folder."""
        return [line for line in self.folder().provenance() if kind in ("", line["kind"])]

    def bytes(self) -> dict[str, bytes]:
        content = self.root / "content"
        return {str(path.relative_to(content)): path.read_bytes() for path in sorted(content.rglob("*.*"))}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


ONE: Entry = {"run": 1, "op": "gemm", "user": "Ada"}
TWO: Entry = {"run": 2, "op": "scan", "user": "Bea", "gpu": "Abacus 2"}

# -- what is written -------------------------------------------------------------------------------------------------


def test_a_first_ingest_writes_every_document_in_the_order_of_kinds_then_digests(site: Site) -> None:
    report = site.feed(ONE, TWO)
    assert (report.written, report.exit_code, report.folder[:13]) == (True, 0, "000001-board-")
    places = [(KIND_ORDER.index(value["kind"]), _digest(value)) for value in site.documents()]
    assert places == sorted(places)
    assert len(set(places)) == len(places) == 13
    assert report.counts["BenchmarkRun"] == {"new": 2, "revised": 0, "known": 0}
    assert report.counts["BenchmarkProtocol"] == {"new": 1, "revised": 0, "known": 0}
    assert [line["digest"] for line in site.lines()] == [digest for _, digest in places]


def _digest(value: Entry) -> str:
    return sha256(canonical({"apiVersion": value["apiVersion"], "kind": value["kind"], "spec": value["spec"]}))


def test_lines_are_canonical_and_hash_to_what_provenance_names(site: Site) -> None:
    site.feed(ONE, TWO, {"fact": "note", "value": {"b": 1, "a": 0.5}, "op": "gemm"})
    for name in ("manifests.jsonl", "provenance.jsonl", "facts.jsonl", "snapshot.json"):
        for line in (site.folder().path / name).read_bytes().splitlines(keepends=True):
            assert canonical(json.loads(line)) + b"\n" == line
    documents = {sha256(line) for _, _, line in site.folder().manifests()}
    assert documents == {line["documentDigest"] for line in site.lines()}


def test_a_provenance_line_holds_what_was_stated_and_nothing_else(site: Site) -> None:
    site.feed({**ONE, "tags": ["b", "a", "b"], "name": "GEMM"})
    assert site.lines("BenchmarkRun") == [
        {
            "kind": "BenchmarkRun",
            "digest": run(ONE, "board").digest,
            "documentDigest": run(ONE, "board").document_digest,
            "source": "board",
            "externalId": "run/1",
            "upstreamKey": "1",
            "project": project(ONE).digest,
        }
    ]
    assert site.lines("OperationSpec") == [
        {
            "kind": "OperationSpec",
            "digest": operation(ONE).digest,
            "documentDigest": operation(ONE).document_digest,
            "source": "board",
            "name": "GEMM",
            "slug": "gemm",
            "tags": ["a", "b"],
        }
    ]


def test_a_dump_ingested_before_writes_nothing_and_says_so(site: Site) -> None:
    path = site.dump(ONE)
    first = site.ingest([path])
    before = site.bytes()
    again = site.ingest([path], published_at=date(2030, 1, 1))
    assert (again.already, again.written, again.exit_code, again.folder) == (True, False, 0, first.folder)
    assert "ingested before" in again.notice
    assert site.bytes() == before


def test_an_unchanged_restatement_adds_no_document_and_no_line(site: Site) -> None:
    site.feed(ONE, TWO, {"fact": "note", "value": 1, "op": "gemm"})
    report = site.feed(TWO, ONE, {"fact": "note", "value": 1, "op": "gemm"})
    assert report.written
    *held, log = sorted(report.snapshot["files"], key=lambda name: name == "log.txt")
    assert [(site.folder().path / name).read_bytes() for name in held] == [b""] * 3
    # The ingest itself is published, so it has a line.
    assert (site.folder().path / log).read_text(encoding="ascii").endswith(" Snapshot\n")
    assert report.counts["BenchmarkRun"] == {"new": 0, "revised": 0, "known": 2}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"tags": ["new"]}, "OperationSpec"),
        ({"name": "another name"}, "OperationSpec"),
        ({"team": "Team Ada"}, "SoftwareProject"),
        ({"key": "other-key"}, "BenchmarkRun"),
        ({"source": "blue"}, None),
    ],
)
def test_a_new_statement_about_a_known_document_adds_a_line_alone(site: Site, change: Entry, kind: str | None) -> None:
    site.feed(ONE)
    Board.SOURCES = ("blue",)
    try:
        site.feed({**ONE, **change})
    finally:
        Board.SOURCES = ()
    kinds = [line["kind"] for line in site.lines()]
    if kind:
        assert (site.documents(), kinds) == ([], [kind])
    else:  # another source: every document gets a line, and the run is another one, because it names its source
        assert len(kinds) == 7
        assert [value["kind"] for value in site.documents()] == ["BenchmarkRun"]
    assert not any("slug" in line for line in site.lines())


def test_fields_that_a_later_dump_does_not_state_are_no_change(site: Site) -> None:
    site.feed({**ONE, "tags": ["a"]})
    site.feed({**ONE, "tags": ["a", "b"]})
    assert len(site.lines()) == 1
    site.feed(ONE)
    assert site.lines() == []


def test_a_changed_title_is_a_document_of_the_same_digest(site: Site) -> None:
    site.feed({**ONE, "title": "old"})
    report = site.feed({**ONE, "title": "new"})
    assert [value["metadata"]["title"] for value in site.documents()] == ["new"]
    assert report.counts["OperationSpec"] == {"new": 0, "revised": 1, "known": 0}
    assert [line["digest"] for line in site.lines()] == [operation(ONE).digest]


def test_a_title_that_returns_is_stated_again_without_its_document(site: Site) -> None:
    site.feed({**ONE, "title": "old"})
    site.feed({**ONE, "title": "new"})
    site.feed({**ONE, "title": "old"})
    assert site.documents() == []
    assert [line["documentDigest"] for line in site.lines()] == [operation({**ONE, "title": "old"}).document_digest]
    site.feed({**ONE, "title": "old"})
    assert site.lines() == []


def test_two_documents_of_one_digest_in_one_dump_are_both_kept_and_stay_settled(site: Site) -> None:
    both = ({**ONE, "title": "first"}, {**ONE, "title": "second", "run": 2})
    site.feed(*both)
    assert len([value for value in site.documents() if value["kind"] == "OperationSpec"]) == 2
    assert [("slug" in line) for line in site.lines("OperationSpec")] == [True, False]
    site.feed(*reversed(both))
    assert site.lines() == []


def test_a_run_that_gets_its_key_back_is_stated_again(site: Site) -> None:
    site.feed({**ONE, "ns": 100})
    site.feed({**ONE, "ns": 90})
    assert [value["kind"] for value in site.documents()] == ["BenchmarkRun"]
    site.feed({**ONE, "ns": 100})
    assert site.documents() == []
    assert [line["digest"] for line in site.lines()] == [run({**ONE, "ns": 100}, "board").digest]
    site.feed({**ONE, "ns": 100})
    assert site.lines() == []


def test_facts_are_written_when_they_are_new(site: Site) -> None:
    note = {"fact": "note", "op": "gemm"}
    site.feed(ONE, {**note, "value": [1.0]}, {**note, "value": [2]}, {**note, "fact": "age", "value": None})
    about = {"about": operation(ONE).digest, "source": "board"}
    assert list(site.folder().facts()) == [
        {**about, "name": "age", "value": None},
        {**about, "name": "note", "value": [1]},
        {**about, "name": "note", "value": [2]},
    ]
    site.feed({**note, "value": [2]}, {**note, "value": [1]}, {**note, "fact": "age", "value": 3})
    assert list(site.folder().facts()) == [{**about, "name": "age", "value": 3}]
    site.feed({**note, "value": [1]})
    assert list(site.folder().facts()) == [{**about, "name": "note", "value": [1]}]


# -- slugs -----------------------------------------------------------------------------------------------------------


def slugs(site: Site) -> dict[tuple[str, str], str]:
    return {
        (line["kind"], line["digest"]): line["slug"]
        for folder in store.folders(site.root)
        for line in folder.provenance()
        if "slug" in line
    }


def test_a_slug_once_given_outlives_every_later_name(site: Site) -> None:
    site.feed({**ONE, "team": "Old Team", "name": "first name"})
    before = slugs(site)
    assert sorted(before.values()) == ["abacus-1", "first-name", "old-team"]
    site.feed({**ONE, "team": "New Team", "name": "later name", "title": "retitled"}, TWO)
    site.feed({**TWO, "run": 3, "user": "Zed", "team": "Old Team", "op": "sort", "name": "first name"})
    after = slugs(site)
    assert {key: after[key] for key in before} == before
    digits = project({"user": "Zed"}).digest[7:17]
    assert after["SoftwareProject", project({"user": "Zed"}).digest] == f"old-team-{digits}"
    assert len(set(after.values())) == len(after)


def test_environments_of_one_product_share_its_slug_and_each_states_it(site: Site) -> None:
    site.feed({**ONE, "driver": "1"}, {**ONE, "driver": "2", "run": 2})
    site.feed({**ONE, "driver": "3", "run": 3}, {**ONE, "gpu": "abacus 1", "run": 4})
    lines = [line for folder in store.folders(site.root) for line in folder.provenance()]
    given = [(line["name"], line["slug"]) for line in lines if line["kind"] == "ExecutionEnvironment"]
    other = ("abacus 1", f"abacus-1-{sha256(b'abacus 1')[7:17]}")
    assert sorted(given) == sorted([("Abacus 1", "abacus-1")] * 3 + [other])


def test_a_name_is_taken_from_the_document_where_the_source_states_none(site: Site) -> None:
    class Nameless(Board):
        def ingest(self, dump: Dump, source: str) -> Iterator[Any]:
            yield Statement(operation({**ONE, "title": "Titled Thing"}), source)
            yield Statement(operation(TWO), source)
            yield Statement(project({"user": "Ada L."}), source)

    BOARDS["tiny-board"] = Nameless()
    try:
        site.feed({})
    finally:
        BOARDS["tiny-board"] = Board()
    assert sorted(line["slug"] for line in site.lines()) == ["ada-l", "scan", "titled-thing"]


# -- what is refused -------------------------------------------------------------------------------------------------


def refused(report: IngestReport) -> list[tuple[str, str, bool]]:
    return [(line["reason"], line["at"], line["verdict"]) for line in report.snapshot["rejections"]]


@pytest.mark.parametrize("kind", [kind for kind in KIND_ORDER if kind not in ("BenchmarkRun", "WorkloadCase")])
def test_a_run_whose_chain_is_broken_is_refused_and_located(site: Site, kind: str) -> None:
    report = site.feed(TWO, {**ONE, "user": "Cy", "gpu": "Abacus 9", "without": kind})
    if kind == "BenchmarkProtocol":  # which the other entry states too
        assert report.exit_code == 0
        return
    assert report.exit_code == 1
    assert ("DANGLING", "000.jsonl:2", False) in refused(report)
    assert [value["metadata"]["name"] for value in site.documents() if value["kind"] == "BenchmarkRun"] == ["run-2"]
    held = {line["digest"] for line in site.lines()}
    assert all(line["project"] in held for line in site.lines() if "project" in line)


def test_a_chain_may_lead_into_an_older_folder(site: Site) -> None:
    site.feed(ONE)
    report = site.feed({**ONE, "ns": 5, "without": "ImplementationRevision"})
    assert report.exit_code == 0
    assert [value["kind"] for value in site.documents()] == ["BenchmarkRun"]


def test_one_key_for_two_runs_of_a_dump_refuses_both(site: Site) -> None:
    report = site.feed({**ONE, "ns": 1}, TWO, {**ONE, "ns": 2})
    assert refused(report) == [
        ("CONFLICTING_COPIES", "000.jsonl:1", False),
        ("CONFLICTING_COPIES", "000.jsonl:3", False),
    ]
    assert report.snapshot["rejections"][0]["externalId"] == "run/1"
    assert report.counts["BenchmarkRun"]["new"] == 1


def test_a_run_of_one_source_cannot_be_claimed_by_another(site: Site) -> None:
    class Thief(Board):
        def ingest(self, dump: Dump, source: str) -> Iterator[Any]:
            for statement in chain(ONE, "victim", "somewhere"):
                yield replace(statement, source=source)

    BOARDS["tiny-board"] = Thief()
    try:
        report = site.feed({})
    finally:
        BOARDS["tiny-board"] = Board()
    assert refused(report) == [("SOURCE_CONFLICT", "somewhere", False)]
    assert "BenchmarkRun" not in report.counts


def test_a_fact_about_nothing_is_refused_once(site: Site) -> None:
    lost = {"op": "unknown", "value": 1}
    report = site.feed(ONE, {**lost, "fact": "one"}, {**lost, "fact": "two"})
    assert refused(report) == [("DANGLING", operation(lost).digest, False)]
    assert (site.folder().path / "facts.jsonl").read_bytes() == b""


def test_a_task_that_is_not_there_is_refused(site: Site) -> None:
    report = site.feed(ONE, {"op": "unknown", "rows": 3, "complete": True})
    assert refused(report) == [("DANGLING", operation({"op": "unknown"}).digest, False)]
    assert report.snapshot["tasks"] == []


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([ONE], 0),
        ([ONE, {"reject": "DISQUALIFIED"}], 0),
        ([ONE, {"reject": "MALFORMED"}], 1),
        ([ONE, {"reject": "DISQUALIFIED"}, {"reject": "MALFORMED"}], 1),
        ([{"reject": "DISQUALIFIED"}], 0),
    ],
)
def test_only_what_is_malformed_gives_exit_code_1_and_the_rest_is_written(
    site: Site, entries: list[Entry], code: int
) -> None:
    report = site.feed(*entries)
    assert (report.exit_code, report.written) == (code, True)


def test_strict_writes_nothing_when_anything_is_malformed(site: Site) -> None:
    before = site.bytes()
    report = site.feed(ONE, {"reject": "MALFORMED"}, strict=True)
    assert (report.exit_code, report.written) == (1, False)
    assert site.bytes() == before
    assert "strict" in report.notice
    assert site.feed(ONE, {"reject": "DISQUALIFIED"}, strict=True).written


def test_a_dump_of_which_nothing_can_be_taken_is_not_published(site: Site) -> None:
    report = site.feed({"reject": "MALFORMED"})
    assert (report.exit_code, report.written) == (1, False)
    assert store.folders(site.root) == []


def test_rejections_are_counted_by_reason_with_the_first_places(site: Site) -> None:
    report = site.feed(ONE, *[{"reject": "DISQUALIFIED", "id": str(n)} for n in range(5)], {"reject": "MALFORMED"})
    assert [(r.reason, r.verdict, r.count, r.places) for r in report.reasons] == [
        ("MALFORMED", False, 1, ("000.jsonl:7",)),
        ("DISQUALIFIED", True, 5, ("000.jsonl:2", "000.jsonl:3", "000.jsonl:4")),
    ]


def test_an_ingester_that_fails_is_one_of_our_errors_and_leaves_nothing(site: Site) -> None:
    before = site.bytes()
    with pytest.raises(DumpError) as caught:
        site.feed(ONE, {"crash": "a"})
    assert (caught.value.code, caught.value.problem) == (
        "ingester-failed",
        "the ingester tiny-board failed: KeyError: 'a'",
    )
    assert site.bytes() == before
    assert not list((site.root / "content/records").iterdir())


# -- the snapshot ----------------------------------------------------------------------------------------------------


def test_the_snapshot_says_what_was_ingested_and_when(site: Site) -> None:
    path = site.dump(ONE, {"drift": "entries[].new"}, {"drift": "entries[].new"}, name="a.jsonl")
    (path.parent / "README.md").write_text("not read")
    report = site.ingest([path.parent], published_at=date(2026, 8, 17), retrieved_at="2026-08-16T09:00Z")
    snapshot = json.loads((site.folder().path / "snapshot.json").read_bytes())
    assert snapshot.pop("seal").startswith("sha256:")
    assert snapshot == report.snapshot
    digest = sha256(f"{sha256(path.read_bytes())[7:]}  a.jsonl\n".encode())
    wanted = {
        "v": 1,
        "dump": digest,
        "source": "board",
        "sources": ["board"],
        "published_at": "2026-08-17",
        "retrieved_at": "2026-08-16T09:00:00.000Z",
        "ingester": "tiny-board",
        "ingester_version": 1,
        "ignored": ["README.md"],
        "drift": [{"source": "board", "field": "entries[].new", "at": "a.jsonl:2", "count": 2}],
    }
    assert {name: snapshot[name] for name in wanted} == wanted
    assert "previous" not in snapshot
    for name, stated in snapshot["files"].items():
        data = (site.folder().path / name).read_bytes()
        assert stated == {"bytes": len(data), "sha256": sha256(data)}


def test_dates_that_are_not_given_are_today_and_absent(site: Site) -> None:
    snapshot = site.feed(ONE).snapshot
    assert snapshot["published_at"] == "2026-03-04"
    assert "retrieved_at" not in snapshot


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-08-16T09:00:07Z", "2026-08-16T09:00:07.000Z"),
        ("2026-08-16T09:00:07.1Z", "2026-08-16T09:00:07.100Z"),
        ("2026-08-16T09:00:07.9999Z", "2026-08-16T09:00:07.999Z"),
        ("2026-08-16", None),
        ("2026-08-16T09:00:07", None),
        ("2026-08-16T09:00:07+02:00", None),
        ("2026-02-30T09:00:07Z", None),
        ("٢٠٢٦-08-16T09:00:07Z", None),
    ],
)
def test_an_instant_has_three_fraction_digits_or_is_refused(site: Site, given: str, stored: str | None) -> None:
    if stored:
        assert site.feed(ONE, retrieved_at=given).snapshot["retrieved_at"] == stored
    else:
        with pytest.raises(UsageError):
            site.feed(ONE, retrieved_at=given)


def test_lists_of_one_task_are_counted_together(site: Site) -> None:
    task = {"op": "gemm", "complete": True}
    other = {"op": "scan", "complete": True, "rows": 1}
    report = site.feed(
        ONE, TWO, {**task, "rows": 3, "stated": 3}, {**task, "rows": 4, "stated": 9, "complete": False}, other
    )
    wanted = [
        {"task": operation(ONE).digest, "source": "board", "rows": 7, "stated": 12, "complete": False},
        {"task": operation(TWO).digest, "source": "board", "rows": 1, "complete": True},
    ]
    assert report.snapshot["tasks"] == sorted(wanted, key=lambda line: line["task"])


def test_a_dry_run_computes_the_same_snapshot_and_writes_nothing(site: Site) -> None:
    site.feed(ONE)
    path = site.dump(ONE, TWO, {"reject": "MALFORMED"}, {"fact": "n", "value": 1, "op": "gemm"})
    before = site.bytes()
    dry = site.ingest([path], dry_run=True)
    assert (dry.written, dry.exit_code) == (False, 1)
    assert site.bytes() == before
    real = site.ingest([path])
    assert (real.snapshot, real.folder) == (dry.snapshot, dry.folder)


def test_a_dry_run_does_not_even_make_the_folder_for_records(site: Site) -> None:
    site.feed(ONE, dry_run=True)
    assert not (site.root / "content/records").exists()


# -- sources ---------------------------------------------------------------------------------------------------------

RED: Entry = {**ONE, "source": "red"}
BLUE: Entry = {**TWO, "source": "blue"}


def test_a_dump_of_several_sources_bears_the_ingesters_name_and_brings_every_table(site: Site) -> None:
    report = site.ingest([site.dump(RED, BLUE)], "tiny-catalog")
    assert report.folder.startswith("000001-tiny-catalog-")
    assert report.snapshot["sources"] == ["blue", "red"]
    assert report.copied == ("content/sources/blue.toml", "content/sources/red.toml")
    assert all((site.root / path).read_bytes() == default_source(Path(path).stem) for path in report.copied)
    assert site.ingest([site.dump(RED)], "tiny-catalog").copied == ()


def test_a_dump_of_one_source_bears_its_name(site: Site) -> None:
    report = site.ingest([site.dump(RED)], "tiny-catalog")
    assert report.folder.startswith("000001-red-")
    assert report.copied == ("content/sources/red.toml",)


def test_a_table_of_the_site_is_never_replaced(site: Site) -> None:
    own = TABLE.format(ingester="tiny-catalog").replace("Tiny board", "My board")
    (site.root / "content/sources/red.toml").write_text(own)
    assert site.ingest([site.dump(RED, BLUE)], "tiny-catalog").copied == ("content/sources/blue.toml",)
    assert (site.root / "content/sources/red.toml").read_text() == own


@pytest.mark.parametrize("options", [{"dry_run": True}, {"strict": True}])
def test_no_table_is_copied_when_nothing_is_written(site: Site, options: Entry) -> None:
    before = site.bytes()
    report = site.ingest([site.dump(RED, {"reject": "MALFORMED", "source": "red"})], "tiny-catalog", **options)
    assert report.copied == ("content/sources/red.toml",)
    assert site.bytes() == before


@pytest.mark.parametrize("slug", ["nobody", "tiny-board"])
def test_a_source_without_table_is_refused_with_a_hint(site: Site, slug: str) -> None:
    with pytest.raises(ContentError) as caught:
        site.ingest([site.dump(ONE)], slug)
    assert (caught.value.code, caught.value.at) == ("source-missing", f"content/sources/{slug}.toml")
    assert caught.value.hint


def test_a_table_that_names_an_unknown_ingester_is_refused(site: Site) -> None:
    (site.root / "content/sources/board.toml").write_text(TABLE.format(ingester="nothing"))
    with pytest.raises(UsageError, match="nothing"):
        site.feed(ONE)


def test_a_source_table_without_licence_is_refused(site: Site) -> None:
    (site.root / "content/sources/board.toml").write_text(
        TABLE.format(ingester="tiny-board").replace('licence = "CC0-1.0"\n', "")
    )
    with pytest.raises(LeaderpressError, match="licence"):
        site.feed(ONE)


def test_an_ingester_cannot_speak_for_a_source_that_is_not_its_own(site: Site) -> None:
    with pytest.raises(DumpError) as caught:
        site.feed(ONE, {**TWO, "source": "red"})
    assert caught.value.code == "source-foreign"
    assert store.folders(site.root) == []


def test_a_second_source_cannot_claim_a_dump(site: Site) -> None:
    (site.root / "content/sources/rival.toml").write_text(TABLE.format(ingester="tiny-board"))
    path = site.dump(ONE)
    first = site.ingest([path])
    with pytest.raises(ContentError) as caught:
        site.ingest([path], "rival")
    assert (caught.value.code, caught.value.at) == ("dump-claimed", f"content/records/{first.folder}")


@pytest.mark.parametrize("slug", ["", "../board", "Board", "a/b", "-a", "a" * 101, "board\n"])
def test_a_source_is_a_slug(site: Site, slug: str) -> None:
    with pytest.raises(UsageError):
        site.ingest([site.dump(ONE)], slug)


# -- permanence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["manifests.jsonl", "provenance.jsonl", "facts.jsonl", "snapshot.json"])
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_changed_old_folder_is_named_and_nothing_is_added(site: Site, name: str, dry_run: bool) -> None:
    first = site.feed(ONE, {"fact": "n", "value": 1, "op": "gemm"}).folder
    site.feed(TWO)
    path = site.root / "content/records" / first / name
    path.write_bytes(path.read_bytes().replace(b"1", b"7", 1))
    with pytest.raises(ContentError) as caught:
        site.feed({**ONE, "run": 3}, dry_run=dry_run)
    assert caught.value.at == f"content/records/{first}/{name}"
    assert len(list((site.root / "content/records").iterdir())) == 2


def test_older_folders_are_never_touched(site: Site) -> None:
    site.feed(ONE)
    before = site.bytes()
    times = {path: path.stat().st_mtime_ns for path in site.folder().path.iterdir()}
    site.feed({**ONE, "title": "new", "team": "New"}, TWO)
    after = site.bytes()
    assert {name: after[name] for name in before} == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


def history(site: Site) -> None:
    random.seed(7)
    for round_ in range(4):
        entries = [
            {"run": n, "op": f"op {n % 7}", "user": f"User {n % 11}", "ns": n * 10 + (round_ if n % 5 == 0 else 0)}
            for n in range(round_ * 10, 40 + round_ * 10)
        ]
        site.ingest([site.dump(*entries[:20]), site.dump(*entries[20:], {"fact": "n", "value": round_, "op": "op 1"})])


@pytest.mark.parametrize("most_runs", [3, 200])
def test_memory_may_be_short_and_the_bytes_are_the_same(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_runs: int
) -> None:
    history(site)
    monkeypatch.setattr(spool, "BUDGET", 2000)
    monkeypatch.setattr(spool, "MOST_RUNS", most_runs)
    monkeypatch.setattr(packed, "RECENT", 5)
    spilled: list[int] = []
    real = spool.Sorter._spill
    monkeypatch.setattr(spool.Sorter, "_spill", lambda self: (spilled.append(1), real(self)))
    (tmp_path / "other").mkdir()
    other = Site(tmp_path / "other")
    history(other)
    assert len(spilled) > 50
    assert other.bytes() == site.bytes()


def test_of_equal_records_the_first_note_stays() -> None:
    with spool.Sorter() as sorter:
        for record, note in ((b"b", b"1"), (b"a", b"2"), (b"b", b"3")):
            sorter.add(record, note)
        assert list(sorter) == [[b"a", b"2"], [b"b", b"1"]]


def test_the_order_of_a_dump_plays_no_part_in_documents_and_statements(site: Site, tmp_path: Path) -> None:
    entries = [{"run": n, "op": f"op {n % 3}", "user": "A" * (n % 4)} for n in range(12)]
    site.feed(*entries)
    (tmp_path / "other").mkdir()
    other = Site(tmp_path / "other")
    other.feed(*reversed(entries))
    for name in ("manifests.jsonl", "provenance.jsonl"):
        assert (site.folder().path / name).read_bytes() == (other.folder().path / name).read_bytes()


# -- other processes -------------------------------------------------------------------------------------------------

CHILD = """
import importlib.util, os, signal, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("test_ingest", {module!r})
test = importlib.util.module_from_spec(spec)
spec.loader.exec_module(test)
test.ingesters.load, test.ingesters.default_source = test.load, test.default_source
test.{function}(Path(sys.argv[1]), *sys.argv[2:])
"""


def in_child(function: Callable[..., None], *arguments: object, **environ: str) -> subprocess.Popen[bytes]:
    package = Path(store.__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD.format(module=__file__, function=function.__name__), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def child_history(root: Path, order: str) -> None:
    site = Site(root)
    paths = [site.dump({**ONE, "run": n, "user": f"{n % 3}", "tags": ["z", "y", "x"]}, TWO) for n in range(5)]
    site.ingest(paths if order == "forward" else paths[::-1])
    site.feed({**ONE, "run": 9, "title": "t", "tags": ["p", "q", "r"]}, {"drift": "b"}, {"drift": "a"})


def test_hash_seeds_and_the_order_of_paths_play_no_part(tmp_path: Path) -> None:
    trees = []
    for seed, order in (("0", "forward"), ("1", "forward"), ("42", "backward")):
        root = tmp_path / seed
        root.mkdir()
        child = in_child(child_history, root, order, PYTHONHASHSEED=seed, TZ="Asia/Tokyo", LC_ALL="tr_TR.UTF-8")
        _, errors = child.communicate(timeout=60)
        assert child.returncode == 0, errors.decode()
        content = root / "site/content"
        trees.append({str(p.relative_to(content)): p.read_bytes() for p in content.rglob("*.*")})
    assert trees[0] == trees[1] == trees[2]
    assert len(trees[0]) == 11


CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.move"}


def child_killed(root: Path, step: str) -> None:
    """Ingest, and be killed right before the given step that changes the disk, whoever makes it."""
    remaining = int(step)
    sync = os.fsync

    def count() -> None:
        nonlocal remaining
        remaining -= 1
        if remaining < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            count()

    def counting(handle: int) -> None:
        count()
        sync(handle)

    os.fsync = counting
    sys.addaudithook(watch)
    ingest(
        root / "site",
        "tiny-catalog",
        [root / "dumps"],
        published_at=None,
        retrieved_at=None,
        today=lambda: date(2026, 3, 4),
    )


def whole(root: Path) -> int:
    """The number of folders, all of which must be whole, with no other folder in sight but one to be swept."""
    held = store.folders(root)
    for folder in held:
        store.verify(folder)
    names = {path.name for path in (root / "content/records").iterdir()} if held else set()
    assert names - {".incoming"} == {folder.name for folder in held}
    return len(held)


@pytest.mark.slow
def test_an_ingest_killed_before_any_step_leaves_a_whole_store_and_the_next_one_succeeds(tmp_path: Path) -> None:
    outcomes = []
    for step in range(60):
        root = tmp_path / str(step)
        root.mkdir()
        site = Site(root)
        site.dump(RED, BLUE)
        child = in_child(child_killed, root, step)
        child.communicate(timeout=60)
        outcomes.append((child.returncode, whole(site.root)))
        report = site.ingest([site.dumps], "tiny-catalog")
        assert report.already == (outcomes[-1][1] == 1)
        assert whole(site.root) == 1
        assert (site.root / "content/sources/red.toml").exists()
        assert sorted(path.name for path in (site.root / "content/records").iterdir()) == [report.folder]
        if child.returncode == 0:
            break
    assert outcomes[-1] == (0, 1)
    assert set(outcomes[:-1]) == {(-signal.SIGKILL, 0), (-signal.SIGKILL, 1)}
    assert len(outcomes) > 12


def child_endless(root: Path) -> None:
    site = Site.__new__(Site)
    site.root, site.dumps = root / "site", root / "dumps"
    for n in range(1000):
        site.feed(*({"run": n * 50 + m, "op": f"op {m}", "user": f"{n}"} for m in range(50)))
        sys.stdout.write(f"{n}\n")
        sys.stdout.flush()


@pytest.mark.slow
def test_ingests_killed_at_random_moments_leave_a_whole_store(tmp_path: Path) -> None:
    site = Site(tmp_path)
    chance = random.Random(11)
    for _ in range(25):
        child = in_child(child_endless, tmp_path)
        assert child.stdout
        child.stdout.readline()
        time.sleep(chance.random() * 0.1)
        child.kill()
        child.communicate(timeout=60)
        whole(site.root)
    held = whole(site.root)
    assert held >= 25
    site.feed({"run": -1, "op": "after", "user": "all"})
    assert whole(site.root) == held + 1
    assert not (site.root / "content/records/.incoming").exists()


# -- the real dumps --------------------------------------------------------------------------------------------------

SOL = ("sol-execbench", "data/sol-execbench")
CATALOG = ("kernelindex", "data/kernelindex")
SHARED = {
    "OperationSpec": 235,
    "WorkloadSuite": 235,
    "WorkloadCase": 3924,
    "SoftwareProject": 29,
    "ImplementationRevision": 705,
    "BenchmarkProtocol": 2,
    "ExecutionEnvironment": 2,
    "BenchmarkRun": 705,
}


def real(root: Path, corpus: Path, *dumps: tuple[str, str]) -> list[IngestReport]:
    return [
        ingest(
            root,
            slug,
            [corpus / path],
            published_at=date(2026, 8, 17),
            retrieved_at=None,
            today=lambda: date(2000, 1, 1),
        )
        for slug, path in dumps
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dumps", [(SOL, CATALOG), (CATALOG, SOL)], ids=["board first", "catalog first"])
def test_what_the_real_dumps_share_stands_once(tmp_path: Path, corpus: Path, dumps: tuple[Any, Any]) -> None:
    first, second = real(tmp_path, corpus, *dumps)
    assert (first.exit_code, second.exit_code) == (0, 0)
    totals = {
        report.snapshot["ingester"]: sum(sum(c.values()) for c in report.counts.values()) for report in (first, second)
    }
    assert totals == {"sol-execbench": 5840, "kernelindex": 18792}
    assert {kind: c["known"] + c["revised"] for kind, c in second.counts.items() if c["known"] + c["revised"]} == SHARED
    assert sum(SHARED.values()) == 5837
    held = store.folders(tmp_path)
    documents = [sha256(line) for folder in held for _, _, line in folder.manifests()]
    assert len(documents) == len(set(documents))
    lines = [line for folder in held for line in folder.provenance()]
    assert {line["documentDigest"] for line in lines} == set(documents)
    assert len({line["digest"] for line in lines}) == 5840 + 18792 - 5837
    assert {line["source"] for line in lines} == {"sol-execbench", "gpumode-kernelbot", "flashinfer-bench"}
    assert all(path.stat().st_size <= 8 * 2**20 for folder in held for path in folder.path.glob("manifests*"))


@pytest.mark.slow
def test_every_real_operation_project_and_product_has_one_slug_of_its_own(tmp_path: Path, corpus: Path) -> None:
    real(tmp_path, corpus, SOL, CATALOG)
    given: dict[tuple[str, str], set[str]] = {}
    for folder in store.folders(tmp_path):
        for line in folder.provenance():
            if "slug" in line:
                owner = line["name"] if line["kind"] == "ExecutionEnvironment" else line["digest"]
                given.setdefault((line["kind"], owner), set()).add(line["slug"])
    assert all(len(slugs) == 1 for slugs in given.values())
    for kind, count in (("OperationSpec", 449), ("SoftwareProject", 589)):
        assert len({next(iter(slugs)) for (of, _), slugs in given.items() if of == kind}) == count
    names = {next(iter(slugs)) for (kind, _), slugs in given.items() if kind == "SoftwareProject"}
    assert {"arseni-ivanov", "g-structure"} <= names
    assert len([name for name in names if name.startswith("x-")]) == 2


@pytest.mark.slow
def test_real_dumps_again_write_nothing(tmp_path: Path, corpus: Path) -> None:
    real(tmp_path, corpus, SOL, CATALOG)
    content = tmp_path / "content"
    before = {path: path.stat().st_mtime_ns for path in sorted(content.rglob("*"))}
    assert [report.already for report in real(tmp_path, corpus, CATALOG, SOL)] == [True, True]
    assert {path: path.stat().st_mtime_ns for path in sorted(content.rglob("*"))} == before

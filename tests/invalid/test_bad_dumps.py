"""Bad dumps through the command line: each fault is named with its place, the rest is taken, the exit code says which.

Each case damages one thing in a sound dump of the invented board, or in a small catalogue export.
"""

import copy
import json
import re
import resource
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain

from leaderpress import cli
from leaderpress.canonical import digest_of
from leaderpress.manifests import Manifest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "content" / "example-dump" / "2026-06-01"
FIRST, SECOND = "submissions/9001.json", "submissions/9006.json"
SOUND_RUNS = 18 + 5
"""Runs of the two files when nothing is wrong; each file holds one more that the board itself disqualified."""

Json = Any


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    folder = tmp_path / "dump"
    for name in ("kernels/9001.json", "kernels/9006.json", FIRST, SECOND):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DEMO / name, folder / name)
    return folder


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "site"
    assert cli.run(["init", str(folder)]) == 0
    shutil.copy(ROOT / "content" / "sources" / "example-board.toml", folder / "content" / "sources")
    capsys.readouterr()
    return folder


@dataclass(frozen=True)
class Outcome:
    code: int
    runs: int
    rejections: list[dict[str, Any]] = field(default_factory=list)
    out: str = ""
    err: str = ""

    @property
    def faults(self) -> dict[str, str]:
        """Place → reason of what is not the source's own verdict."""
        return {row["at"]: row["reason"] for row in self.rejections if not row["verdict"]}


@pytest.fixture
def ingest(site: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    def run(path: Path, source: str = "example-board", *options: str) -> Outcome:
        code = cli.run(["ingest", source, str(path), "--site", str(site), "--published-at", "2026-06-02", *options])
        said = capsys.readouterr()
        snapshots = sorted((site / "content" / "records").glob("0*/snapshot.json"))
        if not snapshots:
            return Outcome(code, 0, [], said.out, said.err)
        snapshot = json.loads(snapshots[-1].read_text())
        runs = snapshot["counts"].get("BenchmarkRun", {}).get("new", 0)
        return Outcome(code, runs, snapshot["rejections"], said.out, said.err)

    return run


def change(path: Path, edit: Callable[[Json], object]) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    edit(value["data"])
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def test_a_sound_dump_exits_with_0_although_the_source_refused_entries(
    dump: Path, ingest: Callable[..., Outcome]
) -> None:
    found = ingest(dump)
    assert (found.code, found.runs, found.faults) == (0, SOUND_RUNS, {})
    assert {row["reason"] for row in found.rejections} == {"DISQUALIFIED", "FASTER_THAN_SOL"}


# -- files that cannot be read -----------------------------------------------------------------------------------------

FILES: dict[str, Callable[[bytes], bytes]] = {
    "cut in the middle": lambda data: data[: len(data) // 2],
    "cut by one byte": lambda data: data.rstrip()[:-1],
    "empty": lambda data: b"",
    "only spaces": lambda data: b" \n\n",
    "not UTF-8": lambda data: data.replace(b'"username"', b'"user\xffname"', 1),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "compressed": lambda data: b"\x1f\x8b\x08" + data[:100],
    "a duplicate key": lambda data: data.replace(b'"data":', b'"data": {}, "data":', 1),
    "an array": lambda data: b"[1, 2, 3]",
    "a number": lambda data: b"12",
    "another envelope": lambda data: b'{"result": []}',
    "an envelope of nothing": lambda data: b'{"data": {}}',
    "a page without a list": lambda data: b'{"data": {"submissions": 5, "total": 1, "offset": 0, "limit": 1}}',
    "nested a million deep": lambda data: b"[" * 1_000_000 + b"]" * 1_000_000,
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_is_refused_and_the_others_are_taken(
    case: str, dump: Path, ingest: Callable[..., Outcome]
) -> None:
    path = dump / FIRST
    path.write_bytes(FILES[case](path.read_bytes()))
    found = ingest(dump)
    assert (found.code, found.runs) == (1, 5)
    ((place, reason),) = found.faults.items()
    assert (place.partition("#")[0].partition(":")[0], reason) == (FIRST, "MALFORMED")
    assert place in found.out + found.err, "the report names the place"
    assert "Traceback" not in found.out + found.err


# -- entries -----------------------------------------------------------------------------------------------------------

EVIL_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "9007199254740993", "-9007199254740993")


@pytest.mark.parametrize("number", EVIL_NUMBERS)
def test_a_number_that_json_does_not_have_is_named_with_its_pointer(
    number: str, dump: Path, ingest: Callable[..., Outcome]
) -> None:
    path = dump / SECOND
    path.write_text(re.sub(r'("avg_speedup": )[-0-9.]+', rf"\g<1>{number}", path.read_text(), count=1))
    found = ingest(dump)
    assert found.code == 1
    ((place, reason),) = found.faults.items()
    assert reason == "MALFORMED"
    assert place.startswith(f"{SECOND}#/data/submissions/")
    assert found.runs >= 18


Edit = Callable[[Json], object]
ENTRIES: dict[str, tuple[Edit, str, int]] = {
    # What is done to the submissions of the first file; the pointer below it that must be named; runs that are lost.
    "an entry that is no object": (lambda rows: rows.__setitem__(3, 7), "3", 1),
    "an entry without an id": (lambda rows: rows[3].pop("id"), "3", 1),
    "a latency in words": (lambda rows: rows[3].update(latency_ms="fast"), "3/latency_ms", 1),
    "a time in words": (lambda rows: rows[3].update(finished_at="yesterday"), "3/finished_at", 1),
    "a name with a NUL": (lambda rows: rows[3].update(username="a\0b"), "3/username", 1),
    "a name that is a list": (lambda rows: rows[3].update(username=["a"]), "3/username", 1),
    "a name of 10 MB": (lambda rows: rows[3].update(username="x" * 10_000_000), "3/username", 1),
    "a lone surrogate": (lambda rows: rows[3].update(username="a\ud800b"), "3/username", 1),
}


@pytest.mark.parametrize("case", ENTRIES)
def test_a_faulty_entry_is_refused_alone(case: str, dump: Path, ingest: Callable[..., Outcome]) -> None:
    edit, pointer, lost = ENTRIES[case]
    path = dump / FIRST
    value = json.loads(path.read_text(encoding="utf-8"))
    edit(value["data"]["submissions"])
    path.write_text(json.dumps(value), encoding="utf-8")
    found = ingest(dump)
    assert found.code == 1
    ((place, reason),) = found.faults.items()
    assert reason == "MALFORMED"
    assert place.startswith(f"{FIRST}#/data/submissions/{pointer.split('/')[0]}")
    assert pointer in place
    assert found.runs == SOUND_RUNS - lost
    assert len(found.out + found.err) < 10_000, "a report does not repeat what is wrong at full length"


def test_two_copies_of_a_submission_that_differ_are_both_refused(dump: Path, ingest: Callable[..., Outcome]) -> None:
    def twice(data: Json) -> None:
        data["submissions"].append({**data["submissions"][3], "latency_ms": 9.5})

    change(dump / FIRST, twice)
    found = ingest(dump)
    assert (found.code, found.runs) == (1, SOUND_RUNS - 1)
    assert found.faults == {f"{FIRST}#/data/submissions/{place}/id": "CONFLICTING_COPIES" for place in (3, 19)}


def test_identical_copies_count_once(dump: Path, ingest: Callable[..., Outcome]) -> None:
    change(dump / FIRST, lambda data: data["submissions"].append(copy.deepcopy(data["submissions"][3])))
    found = ingest(dump)
    assert found.runs == SOUND_RUNS
    assert "CONFLICTING_COPIES" not in {row["reason"] for row in found.rejections}


def test_an_unknown_gpu_keeps_its_text_and_nothing_is_assumed(
    dump: Path, site: Path, ingest: Callable[..., Outcome]
) -> None:
    change(dump / FIRST, lambda data: data["submissions"][3].update(gpu_type="Abacus 9000 <b>"))
    found = ingest(dump)
    assert (found.code, found.runs, found.faults) == (0, SOUND_RUNS, {})
    (hardware,) = (
        manifest["spec"]["hardware"]
        for manifest in _manifests(site)
        if manifest["kind"] == "ExecutionEnvironment" and "Abacus" in manifest["spec"]["hardware"]["product"]
    )
    assert hardware == {"vendor": "unknown", "product": "Abacus 9000 <b>", "architecture": "unknown"}
    assert cli.run(["build", "--site", str(site), "--jobs", "1"]) == 0
    (page,) = (site / "build" / "site" / "hardware").glob("abacus-9000-b*/index.html")
    assert "Abacus 9000 &lt;b&gt;" in page.read_text(encoding="utf-8")


def _manifests(site: Path) -> list[Json]:
    paths = (site / "content" / "records").glob("0*/manifests*.jsonl")
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_text_of_ten_megabytes_does_not_cost_a_gigabyte(dump: Path, ingest: Callable[..., Outcome]) -> None:
    change(dump / FIRST, lambda data: data["submissions"][3].update(error_log="x" * 10_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = ingest(dump)
    assert found.code in (0, 1)
    assert found.runs >= SOUND_RUNS - 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000


# -- the whole command -------------------------------------------------------------------------------------------------


def test_a_strict_ingest_of_a_faulty_dump_writes_nothing(
    dump: Path, site: Path, ingest: Callable[..., Outcome]
) -> None:
    (dump / FIRST).write_bytes(b"{")
    found = ingest(dump, "example-board", "--strict")
    assert (found.code, found.runs) == (1, 0)
    assert list((site / "content" / "records").glob("0*")) == []
    assert FIRST in found.out + found.err
    assert ingest(dump).runs == 5


def test_a_dump_of_nothing_but_faults_writes_nothing(dump: Path, site: Path, ingest: Callable[..., Outcome]) -> None:
    for path in dump.rglob("*.json"):
        path.write_bytes(b"{")
    assert ingest(dump).code == 1
    assert list((site / "content" / "records").glob("0*")) == []


def test_a_site_with_rejections_shows_each_reason_with_a_place(
    dump: Path, site: Path, ingest: Callable[..., Outcome]
) -> None:
    change(dump / FIRST, lambda data: data["submissions"][3].update(latency_ms="<script>fast"))
    (dump / SECOND).write_bytes(b"{")
    found = ingest(dump)
    assert cli.run(["build", "--site", str(site), "--jobs", "1"]) == 0
    assert cli.run(["check", "--site", str(site)]) == 0
    twin = json.loads((site / "build" / "site" / "sources" / "example-board" / "index.json").read_bytes())
    (snapshot,) = twin["snapshots"]
    shown = {row["reason"]: row for row in snapshot["rejections"]}
    assert shown["MALFORMED"]["count"] == 2
    assert set(shown["MALFORMED"]["examples"]) == set(found.faults)
    assert sum(row["count"] for row in snapshot["rejections"]) == len(found.rejections)


# -- a catalogue export ------------------------------------------------------------------------------------------------

CATALOGUE = [
    Chain(n, n * 100, user=f"U{n}", run={"sourceNative": {"source": "sol-execbench", "externalId": str(n)}})
    for n in (1, 2, 3)
]


def rows(chains: list[Chain]) -> list[dict[str, Any]]:
    """The export of a catalogue with these runs."""

    def line(table: str, **row: Any) -> dict[str, Any]:
        return {"table": table, "row": row}

    def value(manifest: Manifest) -> Json:
        return json.loads(manifest.document)

    first = chains[0]
    task, suite = first.operation(), first.suite()
    found = [
        line("sources", id="s-1", slug="sol-execbench", name="S", policy={"url": "https://board.example/"}),
        line("operations", id="o-1", name="scan", semanticDigest=task.digest, tags=[], manifest=value(task)),
        line("workloads", id="w-1", operationId="o-1", workloadDigest=suite.digest, manifest=value(suite)),
    ]
    for chain in chains:
        parts = {"protocol": chain.protocol(), "environment": chain.environment()}
        key = {
            "v": 1,
            "operation": task.digest,
            "workload": suite.digest,
            "protocol": parts["protocol"].digest,
            "environment": parts["environment"].digest,
            "correctness": digest_of({"correctness": suite.spec["correctness"]}),
            "metric": "latency:mean:ns",
        }
        found += [
            line("projects", id=f"p-{chain.n}", name=chain.user, manifest=value(chain.project())),
            line(
                "implementations",
                id=f"i-{chain.n}",
                operationId="o-1",
                projectId=f"p-{chain.n}",
                implementationDigest=chain.implementation().digest,
                manifest=value(chain.implementation()),
            ),
            line(
                "benchmark_runs",
                id=f"r-{chain.n}",
                sourceId="s-1",
                workloadId="w-1",
                implementationId=f"i-{chain.n}",
                runDigest=chain.digest,
                protocolKey=parts["protocol"].digest,
                environmentKey=parts["environment"].digest,
                comparisonKey=digest_of(key),
                publishedAt="2026-03-04T05:06:07.089Z",
                retractedAt=None,
                manifest={"run": value(chain.record()), **{name: value(part) for name, part in parts.items()}},
            ),
        ]
    return found


LIE = "sha256:" + "e" * 64
LIES: dict[str, tuple[str, str, int]] = {
    # The table and column that lie, and the runs that are left.
    "a run's digest": ("benchmark_runs", "runDigest", 2),
    "a comparison key": ("benchmark_runs", "comparisonKey", 2),
    "an implementation's digest": ("implementations", "implementationDigest", 2),
    "a protocol's digest": ("benchmark_runs", "protocolKey", 2),
}


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_sound_catalogue_is_taken(tmp_path: Path, ingest: Callable[..., Outcome]) -> None:
    found = ingest(write(tmp_path / "export.jsonl", rows(CATALOGUE)), "kernelindex")
    assert (found.code, found.runs, found.rejections) == (0, 3, [])


@pytest.mark.parametrize("case", LIES)
def test_a_row_whose_digest_is_false_is_refused_at_its_line(
    case: str, tmp_path: Path, ingest: Callable[..., Outcome]
) -> None:
    table, column, left = LIES[case]
    lines = rows(CATALOGUE)
    number = max(place for place, line in enumerate(lines) if line["table"] == table)
    lines[number]["row"][column] = LIE
    found = ingest(write(tmp_path / "export.jsonl", lines), "kernelindex")
    assert (found.code, found.runs) == (1, left)
    places = [place for place in found.faults if place.startswith(f"export.jsonl:{number + 1}")]
    assert places, found.faults
    assert any(column in place for place in places), places
    assert places[0] in found.out + found.err


BAD_LINES = {
    "cut": b'{"table": "benchmark_runs", "row": {"id"',
    "a duplicate key": b'{"table": "sources", "table": "sources", "row": {}}',
    "NaN": b'{"table": "measurements", "row": {"value": NaN}}',
    "an unknown shape": b"[]",
    "not UTF-8": b'{"table": "\xff", "row": {}}',
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_line_that_cannot_be_read_is_refused_alone(case: str, tmp_path: Path, ingest: Callable[..., Outcome]) -> None:
    path = write(tmp_path / "export.jsonl", rows(CATALOGUE))
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([*lines[:3], BAD_LINES[case], *lines[3:]]) + b"\n")
    found = ingest(path, "kernelindex")
    assert (found.code, found.runs) == (1, 3)
    ((place, reason),) = found.faults.items()
    assert place.startswith("export.jsonl:4")
    assert reason == "MALFORMED"


def test_a_cut_compressed_export_gives_an_error_and_not_a_crash(tmp_path: Path, ingest: Callable[..., Outcome]) -> None:
    zstandard = pytest.importorskip("zstandard")
    text = write(tmp_path / "plain.jsonl", rows(CATALOGUE) * 40).read_bytes()
    whole = zstandard.ZstdCompressor().compress(text)
    (tmp_path / "export.jsonl.zst").write_bytes(whole[: len(whole) // 2])
    found = ingest(tmp_path / "export.jsonl.zst", "kernelindex")
    assert found.code == 1
    assert "export.jsonl.zst" in found.out + found.err
    assert "Traceback" not in found.out + found.err

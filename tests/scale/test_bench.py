"""The benchmark works, on a small site and without Hugo; how fast anything is, no test says."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).resolve().parent
ALL = ("ingest", "build", "floor", "floor, 2 processes", "loop", "pages", "build --jobs 1", "nothing", "verify",
       "ingest one", "one", "ingest leaders", "leaders", "ingest another", "another")  # fmt: skip


def program(name: str, *arguments: str | Path) -> str:
    command = [sys.executable, str(HERE / name), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """The result of a benchmark of 60 runs, and the folder that it is in."""
    folder = tmp_path_factory.mktemp("bench")
    program("bench.py", "--runs", "60", "--repeat", "1", "--no-hugo", "--out", folder, "--work", folder)
    return json.loads((folder / "results" / "60.json").read_text()), folder


@pytest.mark.slow
def test_every_side_is_measured_once_a_repetition(outcome: tuple[dict[str, Any], Path]) -> None:
    costs = outcome[0]["costs"]
    assert {name: len(costs[name]) for name in ALL} == dict.fromkeys(ALL, 1)
    assert all(cost["cpu"] > 0 and cost["peak"] > 5 for name in ALL for cost in costs[name])


@pytest.mark.slow
def test_builds_do_what_their_names_say(outcome: tuple[dict[str, Any], Path]) -> None:
    facts = outcome[0]["facts"]
    assert facts["build report"]["rendered"] == facts["build report"]["files"]
    assert facts["build --jobs 1 report"]["bytes"] == facts["build report"]["bytes"]
    assert facts["nothing report"]["rendered"] == facts["verify report"]["rendered"] == 0
    assert facts["ingest one documents"] == facts["ingest another documents"] == 2
    written = {name: facts[f"{name} report"]["written"] for name in ("one", "another", "leaders")}
    assert 0 < written["one"] < written["leaders"] < facts["build report"]["files"]
    assert 0 < written["another"] < written["leaders"]


@pytest.mark.slow
def test_the_loop_makes_the_same_pages_byte_by_byte(outcome: tuple[dict[str, Any], Path]) -> None:
    loop, shared = outcome[0]["facts"]["loop"], outcome[0]["facts"]["shared"]
    assert loop["missing"] == 0
    assert loop["files"] == shared["files"]
    assert loop["sampled"] == loop["same_bytes"] == loop["same_data"] > 50


@pytest.mark.slow
def test_nothing_of_the_work_is_left(outcome: tuple[dict[str, Any], Path]) -> None:
    assert sorted(path.name for path in outcome[1].iterdir()) == ["results"]


@pytest.mark.slow
def test_the_report_is_a_page_with_a_plot(outcome: tuple[dict[str, Any], Path]) -> None:
    from leaderpress.theme.markdown import read_page, render_page

    printed = program("report.py", outcome[1])
    written = (outcome[1] / "benchmark.md").read_bytes()
    assert written.decode() == printed
    source = read_page(written, "benchmark.md")
    html = render_page(source.text).html
    assert "60 runs" in html
    assert html.count("<table>") == 2
    plot = ElementTree.fromstring((outcome[1] / "benchmark.svg").read_text())
    assert plot.get("role") == "img"


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exports of a whole lap through the decks."""
    folder = tmp_path_factory.mktemp("board")
    program("shapes.py", "--runs", "7857", "--out", folder)
    return folder


@pytest.fixture(scope="module")
def rows(boards: Path) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {}
    with (boards / "board.jsonl").open("rb") as lines:
        for line in lines:
            entry = json.loads(line)
            tables.setdefault(entry["table"], []).append(entry["row"])
    return tables


@pytest.mark.slow
def test_one_lap_has_the_counts_of_the_real_boards(rows: dict[str, list[dict[str, Any]]]) -> None:
    groups = Counter(row["comparisonKey"] for row in rows["benchmark_runs"])
    sizes = Counter(groups.values())
    assert len(rows["benchmark_runs"]) == 7_857
    assert len(groups) == pytest.approx(1_912, rel=0.02)
    assert sizes[1] == pytest.approx(1_301, rel=0.03)
    assert max(sizes) == 260
    assert len(rows["operations"]) == pytest.approx(449, abs=5)
    assert len(rows["projects"]) == pytest.approx(588, rel=0.05)
    assert len(rows["implementations"]) == pytest.approx(4_250, rel=0.05)
    assert len(rows["workloads"]) == pytest.approx(5_627, rel=0.03)
    failed = sum(row["status"] != "passed" for row in rows["benchmark_runs"])
    assert failed / 7_857 == pytest.approx(0.011, abs=0.003)
    assert any(not row["name"].isascii() for row in rows["projects"])


@pytest.mark.slow
def test_documents_are_as_large_as_real_ones(rows: dict[str, list[dict[str, Any]]]) -> None:
    sys.path.insert(0, str(HERE))
    try:
        from figures import MEAN_BYTES
    finally:
        sys.path.remove(str(HERE))
    sizes: dict[str, list[int]] = {}
    for table in ("operations", "workloads", "projects", "implementations", "benchmark_runs"):
        for row in rows[table]:
            manifest = row["manifest"]["run"] if table == "benchmark_runs" else row["manifest"]
            text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
            sizes.setdefault(manifest["kind"], []).append(len(text.encode()))
    measured = {kind: mean(lengths) / MEAN_BYTES[kind] for kind, lengths in sizes.items()}
    assert {kind: ratio for kind, ratio in measured.items() if not 0.8 < ratio < 1.2} == {}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(boards: Path, tmp_path: Path) -> None:
    program("shapes.py", "--runs", "7857", "--out", tmp_path)
    for name in ("board", "one", "another", "leaders"):
        again, before = ((folder / f"{name}.jsonl").read_bytes() for folder in (tmp_path, boards))
        assert hashlib.sha256(again).hexdigest() == hashlib.sha256(before).hexdigest()

"""The leaderboard's dump as a site: every digest, key and rank, and one page item by item."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from real_site import Made, visible

pytestmark = pytest.mark.slow

RUN = "sha256:fa4d980817af8b4b1ef6af0eacc26cbd01b6b6f7fd92beeeaba81fe64311d0b2"
KEY = "sha256:82454b3ed3c2b93f67f68d9e6f5e694161039492c2390b29424366990e764ace"
FIELD = "003_grouped_query_attention_with_rope_backward"
"""The submission whose page is compared item by item, its group, and its operation."""
PAGE = f"runs/{RUN[7:]}"


def test_every_digest_key_and_rank_is_the_one_that_a_right_conversion_gives(sol: Made, corpus: Path) -> None:
    oracle = corpus / "oracle"
    files = [oracle / "sol-execbench.jsonl", oracle / "sol-execbench-objects.jsonl"]
    command = [sys.executable, str(corpus / "tools" / "check_oracle.py"), str(sol.output), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip().splitlines()[-1] == "706 runs, 5840 objects, 0 problems"
    assert done.returncode == 0


ITEMS: list[tuple[str, str]] = [
    ("heading", "Run fa4d9808"),
    ("status", "Passed"),
    ("primary measurement", "530.1 µs mean"),
    ("standing", "Rank 2 of 2 in its comparison group"),
    ("profile", "Source-native comparison, observed 2026-04-14"),
    ("comparison", "Compare with #1 →"),
    ("source metrics", "SOL 0.5230 · 1.13× reference · 8/16 cases faster"),
    ("implementation", "Implementation AKO"),
    ("project", "Project AKO"),
    ("revision", "Revision submission-196"),
    ("workload", "Workload suite of 16 cases · mean latency"),
    ("comparison key", f"Comparison key {KEY}"),
    ("source", "Source NVIDIA SOL-ExecBench"),
    ("external id", "External id submission/196"),
    ("digest", f"Run digest {RUN}"),
    ("correctness", "Marked passed by the source. The correctness policy was not published."),
    ("workload's comparator", "Comparator sol_execbench_eval"),
    ("workload's description", "Correctness must pass on every case in the SOL evaluation stack."),
    ("measurement", "latency mean 530.1 µs"),
    ("harness", "Harness SOL-ExecBench evaluation stack v1.0"),
    ("timer", "Timer harness_reported"),
    ("primary statistic", "Primary statistic mean"),
    ("correctness reference", "Correctness reference definition reference implementation"),
    ("comparability family", "Comparability family sol_execbench_leaderboard"),
    ("comparability notes", "Comparable only within one definition, GPU type, and evaluation stack version."),
    ("GPU", "GPU NVIDIA B200 (sm_100)"),
    ("evaluation stack", "Evaluation stack v1.0"),
    ("worker", "Worker B200-ext-prod-1513"),
    ("artifacts", "No artifacts were published with this run."),
    ("notes", "No replications or notes yet."),
    ("what notes never do", "They never change the evidence level"),
    ("adding a note", "Add a replication or note"),
    ("citing", "Cite this record"),
    ("reporting", "Report an issue with this run"),
    ("publication", "Published 2026-08-24"),
    ("the operation's results", "All results for Grouped query attention with RoPE backward"),
    ("the twin", "JSON"),
    ("run title", f"AKO · {FIELD} · B200"),
    ("run name", "sol-submission-196"),
    ("protocol name", "sol-execbench-leaderboard-v1-0"),
    ("environment name", "sol-execbench-b200-v1-0"),
    ("environment title", "SOL-ExecBench NVIDIA B200, stack v1.0"),
    ("raw operation name", FIELD),
    ("exact value", "530092 ns"),
    ("exact source metric", "0.523033"),
    ("how to check", "sha256sum -c"),
]


@pytest.fixture(scope="module")
def text(sol: Made) -> str:
    return visible(sol.html(PAGE))


@pytest.mark.parametrize(("label", "value"), ITEMS, ids=[label for label, _ in ITEMS])
def test_the_page_of_a_submission_shows(label: str, value: str, text: str) -> None:
    assert value in text


def test_the_page_shows_the_manifests_that_the_original_shows(sol: Made, corpus: Path) -> None:
    reference = json.loads((corpus / "reference" / "run-manifest.json").read_bytes())
    shown = [json.loads("".join(node.itertext())) for node in sol.html(PAGE).iter("pre") if _is_json(node)]
    for part in ("run", "protocol", "environment"):
        body = {name: reference[part][name] for name in ("apiVersion", "kind", "spec")}
        assert body in shown, part
    assert len([value for value in shown if isinstance(value, dict) and "spec" in value]) == 7


def _is_json(node: Any) -> bool:
    try:
        json.loads("".join(node.itertext()))
    except ValueError:
        return False
    return True


def test_everything_on_the_page_that_can_be_linked_is_linked(sol: Made) -> None:
    links: dict[str, set[str]] = {}
    for anchor in sol.html(PAGE).iter("a"):
        links.setdefault(visible(anchor), set()).add(anchor.get("href", ""))
    twin = sol.twin(PAGE)
    root = "../../"
    for item in twin["identity"]:
        if item["path"]:
            assert root + item["path"] in {href for found in links.values() for href in found}, item["label"]
    for document in twin["documents"]:
        assert root + document["path"] in links[document["digest"]]
    assert links["Add a replication or note"] == {f"https://desk.example/note?target=sha256%3A{RUN[7:]}"}


def test_the_twin_of_the_page_has_rank_key_and_neighbours(sol: Made) -> None:
    twin = sol.twin(PAGE)
    assert (twin["digest"], twin["comparison_key"]) == (RUN, KEY)
    assert twin["standing"] == {"rank": 2, "of": 2, "tied": 0, "label": "2", "better": 1, "worse": 0}
    assert [(row["name"], row["label"], row["current"]) for row in twin["neighbours"]] == [
        ("doubleAI", "1", False),
        ("AKO", "2", True),
    ]


def test_every_rejection_of_the_dump_is_counted_with_its_place(sol: Made) -> None:
    (snapshot,) = sol.twin("sources/sol-execbench")["snapshots"]
    (path,) = (sol.root / "content" / "records").glob("*/snapshot.json")
    rejected = Counter(row["reason"] for row in json.loads(path.read_bytes())["rejections"])
    assert {row["reason"]: row["count"] for row in snapshot["rejections"]} == rejected
    assert all(row["examples"] for row in snapshot["rejections"])


def test_every_operation_of_the_dump_has_a_page_also_without_submission(sol: Made) -> None:
    pages = list((sol.output / "operations").glob("*/index.html"))
    assert len(pages) == 235

"""The demo: its records come from its dump, byte for byte, and it shows what a real site may meet."""

import json
import re
import shutil
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from leaderpress import cli, ingesters
from leaderpress.manifests.notes import parse_note

# The order and the dates in which the committed records were ingested.
INGESTS = (
    ("2026-06-01", "2026-06-02", "2026-06-01T18:00:00Z"),
    ("2026-08-01", "2026-08-02", "2026-08-01T18:00:00Z"),
)
SEALED = "2026-08-07"
"""When the notes were committed to the log."""

REASONS = {
    "DISQUALIFIED", "NOT_COMPLETED", "INCORRECT", "NO_LATENCY", "FASTER_THAN_SOL", "NO_DEFINITION", "NO_WORKLOADS",
    "NO_TIME", "CONFLICTING_COPIES", "IDENTICAL_COPY", "UNBINDABLE_CASE", "MALFORMED",
}  # fmt: skip


def lines(checkout: Path, name: str) -> list[dict[str, Any]]:
    """All lines of the demo's record files of a name."""
    files = sorted((checkout / "content" / "records").glob(f"*/{name}"))
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]


def test_ingesting_the_dump_again_gives_the_committed_records(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    assert cli.run(["init", str(site)]) == 0
    shutil.copy(checkout / "content" / "sources" / "example-board.toml", site / "content" / "sources")
    for dump, published, retrieved in INGESTS:
        folder = checkout / "content" / "example-dump" / dump
        dates = ["--published-at", published, "--retrieved-at", retrieved]
        assert cli.run(["ingest", "example-board", str(folder), "--site", str(site), *dates]) == 1
    shutil.copytree(checkout / "content" / "notes", site / "content" / "notes", dirs_exist_ok=True)
    assert cli.run(["seal", "--site", str(site), "--published-at", SEALED]) == 0
    again, committed = (_files(root / "content" / "records") for root in (site, checkout))
    assert sorted(again) == sorted(committed)
    assert [name for name in committed if again[name] != committed[name]] == []


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0][0].isdigit()
    }


def test_every_rejection_reason_occurs(checkout: Path) -> None:
    snapshots = [json.loads(path.read_text()) for path in (checkout / "content" / "records").glob("*/snapshot.json")]
    assert {rejection["reason"] for snapshot in snapshots for rejection in snapshot["rejections"]} == REASONS


def test_every_reason_is_explained_to_readers(checkout: Path) -> None:
    page = (checkout / "content" / "defaults" / "pages" / "methodology.md").read_text(encoding="utf-8")
    assert [reason for reason in sorted(REASONS) if f"| `{reason}` |" not in page] == []


def test_there_is_a_note_of_each_kind(checkout: Path) -> None:
    notes = [parse_note(path.read_bytes(), path.name) for path in (checkout / "content" / "notes").glob("*.md")]
    assert Counter(note.kind for note in notes) == Counter(("correction", "withdrawal", "dispute", "attestation"))


def test_invented_data_never_carries_the_name_of_a_real_source(checkout: Path) -> None:
    stated = {line["source"] for line in lines(checkout, "provenance.jsonl")}
    assert stated == {"example-board"}
    assert ingesters.default_source("example-board") is None


def runs_by_group(checkout: Path) -> dict[tuple[str, ...], list[float]]:
    """Latencies by workload, protocol and environment, which is all that differs between the demo's groups."""
    groups: dict[tuple[str, ...], list[float]] = {}
    for manifest in lines(checkout, "manifests*.jsonl"):
        if manifest["kind"] == "BenchmarkRun":
            spec = manifest["spec"]
            key = (spec["workloadDigest"], spec["protocolDigest"], spec["environmentDigest"])
            groups.setdefault(key, []).append(spec["timing"]["latencyNs"]["mean"])
    return groups


def test_there_are_large_groups_lone_runs_and_ties_at_the_top_and_below(checkout: Path) -> None:
    groups = list(runs_by_group(checkout).values())
    assert max(len(group) for group in groups) >= 12
    assert min(len(group) for group in groups) == 1
    assert any(group.count(min(group)) == 3 for group in groups)
    assert any(value > min(group) and group.count(value) == 2 for group in groups for value in group)


def test_names_hold_what_names_in_real_data_hold(checkout: Path) -> None:
    names = "".join(m["spec"]["name"] for m in lines(checkout, "manifests*.jsonl") if m["kind"] == "SoftwareProject")
    assert set("|%_&") <= set(names)
    kinds = {unicodedata.category(letter) for letter in names}
    assert {"So", "Mn", "Lo"} <= kinds, "an emoji, a combining mark, a letter without case"


def test_a_later_dump_supersedes_what_an_earlier_one_said(checkout: Path) -> None:
    runs: dict[str, set[str]] = {}
    for line in lines(checkout, "provenance.jsonl"):
        if "upstreamKey" in line:
            runs.setdefault(line["upstreamKey"], set()).add(line["digest"])
    assert sorted(key for key, digests in runs.items() if len(digests) > 1) == ["submission/40134", "submission/40150"]


def test_written_pages_link_only_to_pages_that_every_site_has(checkout: Path) -> None:
    folder = checkout / "content" / "defaults" / "pages"
    pages = {path.stem for path in folder.glob("*.md")}
    assert pages == {"about", "methodology", "how-to-cite", "how-to-verify"}
    for path in folder.glob("*.md"):
        links = re.findall(r"\]\(([^)]*)\)", path.read_text(encoding="utf-8"))
        assert links == [] or {link.rstrip("/") for link in links} <= pages, path.name


@pytest.mark.slow
@pytest.mark.parametrize("style", ["directory", "file"])
def test_the_demo_is_built_without_a_broken_link(
    style: str, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    shutil.copytree(checkout / "content", site / "content")
    settings = site / "content" / "site.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + f'links = "{style}"\n', encoding="utf-8")
    assert cli.run(["build", "--site", str(site), "--jobs", "2"]) == 0
    assert cli.run(["check", "--site", str(site)]) == 0, capsys.readouterr().err[:3000]

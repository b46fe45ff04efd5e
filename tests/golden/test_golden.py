"""Golden twins: a dozen pages of a tiny site and all of its paths, compared with what a person has read.

`pytest tests/golden --update-golden` writes them again; look at the difference before committing it.  Twins stand here
with indentation, so that a difference can be read.
"""

import json
import re
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.site.build import build

EXPECTED = Path(__file__).with_name("expected")

LEADER = Chain(
    1, 73521, user="Ada", observed="2026-01-02T03:04:05.678Z", metrics={"points": 0.875, "wins": 2, "games": 2}
)
EQUAL = Chain(
    2, 73521, user="漢字 & co", observed="2026-01-03T03:04:05.678Z", metrics={"points": 0.9, "wins": 1, "games": 2}
)
BEHIND = Chain(
    3,
    530092,
    user="Bea | B",
    made_for="gemm",
    timing={"median": 530000, "mad": 120},
    observed="2025-12-31T23:59:59.999Z",
)
SOURCED = Chain(4, 12250, gpu="Abacus 2", driver="550.1", subject={"licensing": {"declared": "MIT"}}, user="😀")
FAILED = Chain(5, None, user="Cyd", status="compile_error")
RESTATED = Chain(6, 99000, user="Dan")
RATE = Chain(8, None, user="Ada", op="gemm", measurements=[("throughput", "gbps", 1234.5)])

PAGES: dict[str, tuple[str, str]] = {
    "home": ("", ""),
    "run-leader": ("runs", LEADER.digest),
    "run-tied": ("runs", EQUAL.digest),
    "run-two-operations": ("runs", BEHIND.digest),
    "run-failed": ("runs", FAILED.digest),
    "run-superseded": ("runs", RESTATED.digest),
    "run-throughput": ("runs", RATE.digest),
    "group": ("groups", ""),
    "operation": ("operations", "scan"),
    "implementation": ("implementations", SOURCED.implementation().digest),
    "project": ("projects", "ada"),
    "hardware": ("hardware", "abacus-1"),
    "source": ("sources", "board"),
    "records": ("records", ""),
    "changes": ("changes", ""),
    "operations": ("operations", ""),
}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = TinySite(tmp_path_factory.mktemp("golden"))
    case = {"manifest": LEADER.case({"n": 2}).document}
    facts = [
        {"about": LEADER.case({"n": 2}).digest, "fact": "latency_ms", "value": 0.0735},
        {"about": LEADER.operation().digest, "fact": "submission_count", "value": 251},
        {"task": LEADER.operation().digest, "rows": 5, "listed": 251},
        {"reject": "INCORRECT"},
    ]
    site.feed(LEADER, EQUAL, BEHIND, SOURCED, FAILED, RESTATED, RATE, case, *facts)
    site.feed(Chain(6, 80000, user="Dan"), on="2026-05-06")
    site.note("one", "attestation", LEADER.digest, type="reproduction", value=73.6, unit="us", body="Five *runs*.")
    site.note("two", "dispute", EQUAL.digest, when="2026-02-04")
    return build(site.root, jobs=1).output


def twin_at(output: Path, kind: str, key: str) -> Path:
    if kind == "groups":
        run = json.loads((output / "runs" / LEADER.digest[7:] / "index.json").read_bytes())
        key = run["comparison_key"]
    return output / kind / key.removeprefix("sha256:") / "index.json"


def compare(name: str, found: str, update: bool) -> None:
    path = EXPECTED / name
    if update:
        EXPECTED.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_twin_is_as_it_was_when_somebody_read_it(name: str, output: Path, update_golden: bool) -> None:
    value = json.loads(twin_at(output, *PAGES[name]).read_bytes())
    compare(f"{name}.json", json.dumps(value, ensure_ascii=False, indent=1) + "\n", update_golden)


def test_the_paths_of_a_site_are_as_they_were(output: Path, update_golden: bool) -> None:
    """Addresses are promises: a path that is gone here is a link that breaks somewhere."""
    paths = (path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file())
    # Names of assets bear the digest of their bytes, which is the theme's business.
    named = sorted(re.sub(r"(assets/\w+\.)[0-9a-f]{8}\.", r"\1<digest>.", path) for path in paths)
    compare("paths.txt", "\n".join(named) + "\n", update_golden)


def test_there_is_no_golden_file_without_its_page() -> None:
    assert {path.name for path in EXPECTED.iterdir()} == {*(f"{name}.json" for name in PAGES), "paths.txt"}

"""`check --against`: a new site held against what was published, whatever of it was kept."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress import cli
from leaderpress.canonical import canonical
from leaderpress.checks import check_site
from leaderpress.errors import BuildError, ContentError
from leaderpress.log import checkpoint_of
from leaderpress.site.build import build

FAST, SLOW = Chain(1, 100), Chain(2, 200, user="Bea", op="gemm")
KEPT = {
    "folder": lambda site: site,
    "inventory": lambda site: site / "inventory.json",
    "sums": lambda site: site / "SHA256SUMS",
}
"""What somebody may have kept of a site."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A published site, and the one that follows it."""
    root = tmp_path_factory.mktemp("against")
    site = TinySite(root)
    site.feed(FAST, SLOW)
    older = build(site.root, jobs=1, out=root / "older").output
    site.note("one", "withdrawal", FAST.digest)
    site.feed(Chain(3, 50, user="Cyd"), on="2026-04-05")
    return older, build(site.root, jobs=1, out=root / "newer").output


@pytest.fixture
def newer(both: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the newer site, to damage."""
    shutil.copytree(both[1], tmp_path / "newer")
    return tmp_path / "newer"


AGAINST = {"object-lost", "object-changed", "address-lost", "permalink-lost", "log-lost", "log-changed", "log-cut"}


def found(newer: Path, against: Path) -> list[tuple[str, str]]:
    problems = check_site(newer, against, jobs=1).problems
    return [(problem.code, problem.at) for problem in problems if problem.code in AGAINST]


@pytest.mark.parametrize("kept", KEPT)
def test_a_site_that_goes_on_loses_nothing(both: tuple[Path, Path], kept: str) -> None:
    older, newer = both
    assert check_site(newer, KEPT[kept](older), jobs=1).problems == ()
    assert check_site(newer, older / "log/checkpoint", jobs=1).problems == ()


@pytest.mark.parametrize("kept", KEPT)
def test_every_address_that_would_be_lost_is_listed(both: tuple[Path, Path], newer: Path, kept: str) -> None:
    group = json.loads((newer / f"runs/{FAST.digest[7:]}/index.json").read_bytes())["comparison_key"][7:]
    lost = {
        f"runs/{FAST.digest[7:]}/index.html": "permalink-lost",
        f"groups/{group}/index.html": "address-lost",
        "operations/scan/index.html": "address-lost",
        "records/feed.xml": "address-lost",
        "schema/v1/run.json": "address-lost",
        f"sha256/{FAST.digest[7:9]}/{FAST.digest[7:]}.json": "object-lost",
    }
    for path in (*lost, "robots.txt", f"groups/{group}/index.json"):
        (newer / path).unlink()
    assert sorted(found(newer, KEPT[kept](both[0]))) == sorted((code, path) for path, code in lost.items())


@pytest.mark.parametrize("kept", KEPT)
def test_a_changed_object_is_named_and_a_tombstone_is_not(both: tuple[Path, Path], newer: Path, kept: str) -> None:
    path = f"sha256/{FAST.digest[7:9]}/{FAST.digest[7:]}.json"
    texts = dict.fromkeys(("of", "when", "why", "basis", "who", "note"), "x")
    stone = {"apiVersion": "leaderpress/v1", "kind": "Tombstone", "digest": FAST.digest, "whole": True, **texts}
    for data, expected in ((b"{}", [("object-changed", path)]), (canonical(stone), [])):
        (newer / path).write_bytes(data)
        sums = (newer / "SHA256SUMS").read_text().splitlines(keepends=True)
        (newer / "SHA256SUMS").write_text("".join(f"{'0' * 64}  {path}\n" if path in line else line for line in sums))
        assert found(newer, KEPT[kept](both[0])) == expected


def lose_a_line(lines: list[bytes]) -> None:
    del lines[2]


def change_a_line(lines: list[bytes]) -> None:
    lines[2] = lines[2].replace(b" 2026-03-04 ", b" 2026-03-05 ")


def cut(lines: list[bytes]) -> None:
    del lines[5:]


@pytest.mark.parametrize(
    ("change", "at"), [(lose_a_line, "log/log.txt:3"), (change_a_line, "log/log.txt:3"), (cut, "log/log.txt:6")]
)
@pytest.mark.parametrize("kept", [*KEPT, "checkpoint"])
def test_a_log_that_does_not_go_on_where_the_older_ended_is_found(
    both: tuple[Path, Path], newer: Path, kept: str, change: Callable[[list[bytes]], None], at: str
) -> None:
    lines = (newer / "log/log.txt").read_bytes().splitlines(keepends=True)
    change(lines)
    (newer / "log/log.txt").write_bytes(b"".join(lines))
    against = KEPT.get(kept, lambda site: site / "log/checkpoint")(both[0])
    ((code, place),) = found(newer, against)
    assert code in ("log-changed", "log-cut")
    # A digest cannot say which line it was; a folder has the older log itself.
    assert place == (at if kept == "folder" or code == "log-cut" else "log/log.txt")


def test_a_site_without_a_log_has_lost_it(both: tuple[Path, Path], newer: Path) -> None:
    (newer / "log/log.txt").unlink()
    assert ("log-lost", "log/log.txt") in found(newer, both[0])
    assert found(newer, both[0] / "log/checkpoint") == [("log-lost", "log/log.txt")]


def test_an_older_version_had_no_log_to_lose(both: tuple[Path, Path], tmp_path: Path) -> None:
    sums = (both[0] / "SHA256SUMS").read_text().splitlines(keepends=True)
    (tmp_path / "sums").write_text("".join(line for line in sums if "  log/" not in line))
    assert found(both[1], tmp_path / "sums") == []


def test_what_is_no_account_of_a_site_is_our_error(both: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "checkpoint").write_bytes(b"12 abc\n")
    (tmp_path / "other").write_bytes(b"words\n")
    for name in ("empty", "checkpoint", "other", "missing"):
        with pytest.raises((BuildError, ContentError)) as caught:
            check_site(both[1], tmp_path / name, jobs=1)
        assert str(tmp_path / name) in caught.value.at


def test_the_command_takes_a_checkpoint_from_years_ago(both: tuple[Path, Path], tmp_path: Path) -> None:
    root = both[1].parent / "site"
    lines = (both[1] / "log/log.txt").read_bytes().splitlines(keepends=True)
    command = ["check", "--site", str(root), "--out", str(both[1]), "--against", str(tmp_path / "checkpoint")]
    (tmp_path / "checkpoint").write_bytes(checkpoint_of(lines[:3]).text())
    assert cli.run(command) == 0
    (tmp_path / "checkpoint").write_bytes(checkpoint_of(lines[1:3]).text())
    assert cli.run(command) == 1

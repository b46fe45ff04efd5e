"""One changed byte, anywhere: a build or a verification fails and names the file.

Exhaustive over the files of a small site and of its records, and over the lines of its log; the position in a file and
the bits that change are chosen by a seeded generator.
"""

import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.errors import LeaderpressError, Problems
from leaderpress.ingest import seal
from leaderpress.site.build import build
from leaderpress.verify import verify

FAST = Chain(1, 100, metrics={"points": 3})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ingests, a committed note, a published site."""
    tiny = TinySite(tmp_path_factory.mktemp("tamper"))
    tiny.feed(FAST, Chain(2, 100, user="Bea"), {"reject": "INCORRECT"}, {"fact": "n", "about": FAST.digest, "value": 1})
    tiny.feed(Chain(3, 90, user="Cyd"), on="2026-04-05")
    tiny.note("one", "withdrawal", FAST.digest)
    seal(tiny.root, published_at=date(2026, 5, 6), today=date.today)
    build(tiny.root, jobs=1)
    return tiny.root


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Path:
    shutil.copytree(site, tmp_path / "site")
    return tmp_path / "site"


@contextmanager
def one_byte(path: Path, position: int, bits: int) -> Iterator[str]:
    """Change one byte and put it back; gives a description of the change."""
    good = path.read_bytes()
    data = bytearray(good)
    data[position] ^= bits
    path.write_bytes(data)
    try:
        yield f"{path} byte {position}: {good[position]:#04x} to {data[position]:#04x}"
    finally:
        path.write_bytes(good)


def named(problems: list[LeaderpressError], path: str) -> bool:
    return any(path in problem.at or path in problem.problem for problem in problems)


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def build_faults(root: Path) -> list[LeaderpressError]:
    try:
        build(root, jobs=1)
    except Problems as several:
        return list(several.problems)
    except LeaderpressError as fault:
        return [fault]
    return []


def verify_names(folder: Path, path: str) -> bool:
    report = verify((folder,), jobs=1)
    return report.counts["problems"] > 0 and named(list(report.problems), path)


@pytest.mark.slow
def test_every_published_file(copy: Path) -> None:
    folder = copy / "build/site"
    chance = random.Random(1)
    assert verify((folder,), jobs=1).problems == ()
    for path in files_below(folder):
        size = (folder / path).stat().st_size
        for _ in range(2 if size else 0):
            with one_byte(folder / path, chance.randrange(size), chance.randrange(1, 256)) as what:
                assert verify_names(folder, path), what


@pytest.mark.parametrize("path", ["SHA256SUMS", "inventory.json"])
def test_the_sites_account_of_itself_at_many_places(copy: Path, path: str) -> None:
    folder = copy / "build/site"
    chance = random.Random(2)
    size = (folder / path).stat().st_size
    for _ in range(40):
        with one_byte(folder / path, chance.randrange(size), chance.randrange(1, 256)) as what:
            assert verify_names(folder, path), what


def test_every_canonical_object(copy: Path) -> None:
    folder = copy / "build/site"
    chance = random.Random(3)
    for path in files_below(folder):
        if path.startswith("sha256/"):
            with one_byte(folder / path, chance.randrange((folder / path).stat().st_size), 1) as what:
                assert verify_names(folder, path), what
                assert verify((folder / path,)).counts["problems"] == 1, what


def test_every_line_of_the_log_and_every_byte_of_the_checkpoint(copy: Path) -> None:
    folder = copy / "build/site"
    chance = random.Random(4)
    lines = (folder / "log/log.txt").read_bytes().splitlines(keepends=True)
    start = 0
    for line in lines:
        with one_byte(folder / "log/log.txt", start + chance.randrange(len(line)), chance.randrange(1, 256)) as what:
            assert verify_names(folder, "log/log.txt"), what
            single = verify((folder / "log/log.txt", folder / "log/checkpoint"))
            assert named(list(single.problems), "log/log.txt"), what
        start += len(line)
    for position in range((folder / "log/checkpoint").stat().st_size):
        with one_byte(folder / "log/checkpoint", position, chance.randrange(1, 256)) as what:
            assert verify_names(folder, "log/checkpoint"), what


def test_every_file_of_the_records_stops_the_build(copy: Path) -> None:
    chance = random.Random(5)
    assert build_faults(copy) == []
    for path in files_below(copy / "content/records"):
        size = (copy / "content/records" / path).stat().st_size
        for _ in range(12 if size else 0):
            with one_byte(copy / "content/records" / path, chance.randrange(size), chance.randrange(1, 256)) as what:
                assert named(build_faults(copy), path), what
                assert verify_names(copy / "content/records", path), what


def test_every_line_of_the_records_log_stops_the_build(copy: Path) -> None:
    chance = random.Random(6)
    for path in sorted((copy / "content/records").glob("*/log.txt")):
        start = 0
        for line in path.read_bytes().splitlines(keepends=True):
            with one_byte(path, start + chance.randrange(len(line)), chance.randrange(1, 256)) as what:
                assert named(build_faults(copy), f"{path.parent.name}/log.txt"), what
            start += len(line)


def test_the_two_programs_of_every_sceptic_find_a_changed_line_too(copy: Path) -> None:
    folder = copy / "build/site/log"
    lines, digest = (folder / "checkpoint").read_text().split()
    command = ["sh", "-c", f"head -n {lines} log.txt | sha256sum"]
    assert subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.split()[0] == digest
    with one_byte(folder / "log.txt", 100, 1) as what:
        printed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
        assert printed.split()[0] != digest, what

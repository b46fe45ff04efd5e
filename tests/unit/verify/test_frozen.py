"""Editions as single files, beside logs and beside records; logs that are longer than their records."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.canonical import canonical, sha256
from leaderpress.checks import check_site
from leaderpress.errors import LeaderpressError
from leaderpress.ingest import seal
from leaderpress.log import checkpoint_of
from leaderpress.site.build import build
from leaderpress.site.editions import freeze
from leaderpress.verify import verify

FAST, SLOW = Chain(1, 100), Chain(2, 200, user="Bea")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = TinySite(tmp_path_factory.mktemp("frozen"))
    site.feed(FAST, SLOW)
    freeze(site.root, "first", published_at=date(2026, 4, 1), today=date.today)
    site.feed(Chain(3, 50, user="Cyd"), on="2026-04-05")
    build(site.root, jobs=1)
    return site.root


@pytest.fixture
def site(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "site"))


def found(*paths: Path) -> list[tuple[str, str]]:
    return [(fault.code, fault.at) for fault in verify(paths, jobs=1).problems]


def rewrite(file: Path, **members: object) -> None:
    """Change members of an edition and give it a seal that fits."""
    tree = {**json.loads(file.read_bytes()), **members}
    tree.pop("seal")
    file.write_bytes(canonical({**tree, "seal": sha256(canonical(tree))}) + b"\n")


@pytest.mark.parametrize("name", ["content/editions/first.json", "build/site/editions/first/edition.json"])
def test_an_edition_is_read_alone_and_beside_its_log(site: Path, name: str) -> None:
    report = verify([site / name, site / "build/site/log/log.txt"], jobs=1)
    assert report.problems == ()
    assert any("edition first" in line and "1 rankings of 2 runs" in line for line in report.says)
    assert found(site / name) == []


def test_an_edition_downloaded_under_any_name(site: Path, tmp_path: Path) -> None:
    shutil.copy(site / "content/editions/first.json", tmp_path / "edition.json")
    assert found(tmp_path / "edition.json") == []


def test_changed_editions_are_named(site: Path) -> None:
    file = site / "content/editions/first.json"
    data = file.read_bytes()
    file.write_bytes(data.replace(b'[1,"sha256:', b'[2,"sha256:'))
    assert found(file) == [("edition-changed", str(file))]
    assert found(site / "content/records") == [("edition-changed", "content/editions/first.json")]
    file.write_bytes(data)
    ((key, standing),) = json.loads(data)["rankings"].items()
    rewrite(file, rankings={key: {**standing, "runs": standing["runs"][::-1]}})
    assert found(file) == [("edition-ranking", f"{file}#/rankings/{key}/ranking")]
    file.write_bytes(data)
    file.rename(file.with_name("other.json"))
    assert found(file.with_name("other.json")) == [("edition-tag", f"{file.with_name('other.json')}#/tag")]


def test_an_edition_of_another_log_is_named(site: Path) -> None:
    file = site / "content/editions/first.json"
    stated = json.loads(file.read_bytes())["checkpoint"]
    rewrite(file, checkpoint={**stated, "sha256": "0" * 64})
    log = site / "build/site/log/log.txt"
    assert found(file, log) == [("edition-log", f"{file}#/checkpoint")]
    assert ("edition-log", "content/editions/first.json#/checkpoint") in found(site / "content/records")
    lines = log.read_bytes().splitlines(keepends=True)
    short = site / "log.txt"
    short.write_bytes(b"".join(lines[:5]))
    assert found(file, short) == [("edition-log", f"{file}#/checkpoint")]


def test_a_log_that_is_longer_than_the_records_give_is_named(site: Path) -> None:
    assert found(site) == []
    last = max((site / "content/records").iterdir())
    shutil.rmtree(last)
    count = len((site / "build/site/log/log.txt").read_bytes().splitlines())
    problems = found(site)
    assert [code for code, _ in problems] == ["log-longer"]
    assert problems[0][1] == f"{site / 'build/site/log/log.txt'}:{count - 3}"


def test_notes_that_are_not_committed_are_part_of_what_the_records_give(tmp_path: Path) -> None:
    tiny = TinySite(tmp_path)
    tiny.feed(FAST)
    tiny.note("one", "dispute", FAST.digest)
    build(tiny.root, jobs=1)
    assert found(tiny.root) == []
    (tiny.root / "content/notes/one.md").unlink()
    assert [code for code, _ in found(tiny.root)] == ["log-longer"]
    tiny.note("one", "dispute", FAST.digest)
    seal(tiny.root, published_at=date(2026, 5, 6), today=date.today)
    assert found(tiny.root) == []


def test_faults_of_a_log_are_told_in_words(site: Path) -> None:
    output = site / "build/site"
    log = output / "log/log.txt"
    lines = log.read_bytes().splitlines(keepends=True)[:-1]
    log.write_bytes(b"".join(lines))
    (output / "log/checkpoint").write_bytes(checkpoint_of(lines).text())
    problems = verify([output], jobs=1).problems
    (fault,) = (fault for fault in problems if (fault.code, fault.at) == ("log-changed", "log/log.txt"))
    assert f"found {len(lines)} lines with the SHA-256" in fault.problem
    assert [str(each) for each in problems if "{'" in str(each)] == []


def against(output: Path, earlier: Path) -> list[LeaderpressError]:
    return list(check_site(output, earlier).problems)


def test_a_whole_log_can_be_checked_against(site: Path, tmp_path: Path) -> None:
    output = site / "build/site"
    older = tmp_path / "kept.txt"
    lines = (output / "log/log.txt").read_bytes().splitlines(keepends=True)
    older.write_bytes(b"".join(lines[:7]))
    assert against(output, older) == []
    older.write_bytes(b"".join([*lines[:2], lines[2].replace(b"2026-", b"2025-"), *lines[3:7]]))
    assert [(fault.code, fault.at) for fault in against(output, older)] == [("log-changed", "log/log.txt:3")]


def test_many_lost_addresses_are_one_fault_a_folder_and_the_log_comes_first(site: Path, tmp_path: Path) -> None:
    output = site / "build/site"
    earlier = Path(shutil.copytree(output, tmp_path / "earlier"))
    sums = (earlier / "SHA256SUMS").read_text().splitlines()
    sums += [f"{'0' * 64}  projects/p{number:02}/index.html" for number in range(30)]
    (earlier / "SHA256SUMS").write_text("".join(f"{line}\n" for line in sorted(sums, key=lambda line: line[66:])))
    lines = (output / "log/log.txt").read_bytes().splitlines(keepends=True)[:-1]
    (output / "log/log.txt").write_bytes(b"".join(lines))
    problems = against(output, earlier)
    assert problems[0].code.startswith("log-")
    lost = [fault for fault in problems if fault.code == "address-lost"]
    assert [fault.at for fault in lost] == ["projects/"]
    assert lost[0].problem.startswith("30 addresses")
    assert "projects/p00/index.html" in lost[0].problem

"""What a published site has, the next build keeps: records that were lost on the way stop it."""

import shutil
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.errors import LeaderpressError, Problems
from leaderpress.ingest import seal
from leaderpress.site import kept
from leaderpress.site.addresses import Addresses
from leaderpress.site.build import build
from leaderpress.site.output import DirectoryOutput
from leaderpress.site.update import update

ONE, TWO, MORE = Chain(1, 100), Chain(2, 200, user="Bea"), Chain(3, 50, user="Cy")
DAY = date(2026, 4, 1)


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    """Two ingests and a sealed note, published."""
    made = TinySite(tmp_path)
    made.feed(ONE, TWO)
    made.feed(MORE, on="2026-03-08")
    made.note("one", "dispute", ONE.digest)
    seal(made.root, published_at=DAY, today=lambda: DAY)
    build(made.root, jobs=1)
    return made


def folders(site: TinySite) -> list[Path]:
    return sorted((site.root / "content" / "records").glob("0*"))


def published(site: TinySite, out: str = "site") -> dict[str, bytes]:
    root = site.root / "build" / out
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refused(site: TinySite) -> list[LeaderpressError]:
    before = published(site)
    with pytest.raises(Problems) as caught:
        update(site.root, jobs=1)
    assert published(site) == before
    return list(caught.value.problems)


def log_of(site: TinySite) -> list[bytes]:
    return published(site)["log/log.txt"].splitlines()


@pytest.mark.parametrize("notes_too", [True, False])
def test_records_that_were_rolled_back_stop_the_build_and_the_first_line_is_named(
    site: TinySite, notes_too: bool
) -> None:
    for folder in folders(site)[1:]:
        shutil.rmtree(folder)
    if notes_too:
        shutil.rmtree(site.root / "content" / "notes")
    (fault,) = refused(site)
    lines = log_of(site)
    first = next(number for number, line in enumerate(lines, 1) if b" 2026-03-08 " in line)
    assert (fault.code, fault.at) == ("log-lost", f"log/log.txt:{first}")
    assert lines[first - 1].decode() in fault.problem
    assert "version control" in fault.hint


def test_a_seal_alone_cannot_be_taken_away(site: TinySite) -> None:
    shutil.rmtree(folders(site)[2])
    (fault,) = refused(site)
    assert fault.code == "log-lost"


def test_it_is_refused_without_a_cache_too(site: TinySite) -> None:
    shutil.rmtree(folders(site)[2])
    shutil.rmtree(site.root / "build" / "cache")
    assert [fault.code for fault in refused(site)] == ["log-lost"]


def test_other_records_in_the_place_of_published_ones_are_refused(site: TinySite, tmp_path: Path) -> None:
    other = TinySite(tmp_path / "other")
    other.feed(ONE, Chain(9, 9, user="Zoe"))
    for number in range(10, 16):
        other.feed(Chain(number, number), on=f"2026-03-{number}")
    shutil.rmtree(site.root / "content" / "records")
    shutil.rmtree(site.root / "content" / "notes")
    shutil.copytree(other.root / "content" / "records", site.root / "content" / "records")
    (fault,) = refused(site)
    assert fault.code == "log-lost"


def test_a_build_into_an_empty_folder_has_nothing_to_compare(site: TinySite) -> None:
    shutil.rmtree(folders(site)[2])
    assert build(site.root, jobs=1, out=site.root / "build" / "new").changed


def test_a_site_that_was_published_without_a_committed_count_is_kept_as_well(site: TinySite) -> None:
    """An older version did not state it: what comes before the line of a document is committed."""
    with DirectoryOutput(site.root / "build" / "site") as output:
        for path in output.paths:
            output.reuse(path)
        log = {name: value for name, value in output.published_meta["log"].items() if name != "committed"}
        output.commit({**output.published_meta, "log": log})
    shutil.rmtree(site.root / "content" / "notes")
    for folder in folders(site)[1:]:
        shutil.rmtree(folder)
    (fault,) = refused(site)
    assert fault.code == "log-lost"


def test_a_log_that_cannot_be_read_any_more_is_told_by_its_checkpoint(site: TinySite) -> None:
    (site.root / "build" / "site" / "log" / "log.txt").unlink()
    assert build(site.root, jobs=1).changed, "nothing was lost but a file of the site"
    (site.root / "build" / "site" / "log" / "log.txt").unlink()
    shutil.rmtree(folders(site)[2])
    assert [fault.code for fault in refused(site)] == ["log-lost"]


# -- notes that nothing commits ----------------------------------------------------------------------------------------


def test_an_open_note_that_changes_is_built_with_a_warning_that_names_its_line(site: TinySite) -> None:
    site.note("two", "dispute", TWO.digest, why="First.")
    build(site.root, jobs=1)
    number = len(log_of(site))
    site.note("two", "dispute", TWO.digest, why="Second.")
    report = build(site.root, jobs=1)
    (warning,) = [each for each in report.warnings if each.code == kept.REWRITTEN]
    assert warning.at == f"log/log.txt:{number}"
    assert "leaderpress seal" in warning.hint
    build(site.root, jobs=1, out=site.root / "build" / "clean")
    assert published(site) == published(site, "clean")
    assert kept.REWRITTEN not in {each.code for each in build(site.root, jobs=1).warnings}


def test_another_open_note_before_one_is_told_too(site: TinySite) -> None:
    site.note("two", "dispute", TWO.digest, when="2026-05-02")
    build(site.root, jobs=1)
    site.note("earlier", "dispute", TWO.digest, when="2026-05-01")
    assert kept.REWRITTEN in {each.code for each in build(site.root, jobs=1).warnings}
    site.note("last", "dispute", TWO.digest, when="2026-05-03")
    assert kept.REWRITTEN not in {each.code for each in build(site.root, jobs=1).warnings}


def test_a_seal_of_published_notes_changes_no_line_and_is_published(site: TinySite) -> None:
    site.note("two", "dispute", TWO.digest)
    build(site.root, jobs=1)
    seal(site.root, published_at=DAY, today=lambda: DAY)
    assert kept.REWRITTEN not in {each.code for each in build(site.root, jobs=1).warnings}
    build(site.root, jobs=1, out=site.root / "build" / "clean")
    assert published(site) == published(site, "clean")


# -- addresses ---------------------------------------------------------------------------------------------------------


class Before:
    """A published log whose notes may still change."""

    open_notes = frozenset({"a" * 64})


def lost(*paths: str) -> list[str]:
    from leaderpress.config import Outputs
    from leaderpress.store.redactions import NONE

    addresses = Addresses(Outputs())
    return [fault.at for fault in kept.lost_addresses(paths, addresses, Before(), NONE)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        f"runs/{'b' * 64}/index.html",
        f"groups/{'b' * 64}/index.html",
        f"sha256/bb/{'b' * 64}.json",
        f"implementations/{'b' * 64}/index.html",
        "projects/ada/index.html",
        "operations/scan/index.html",
        "hardware/abacus/index.html",
        "sources/board/index.html",
        "editions/q1/index.html",
    ],
)
def test_a_promised_address_is_not_dropped(path: str) -> None:
    assert lost(path) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "about/index.html",
        f"runs/{'b' * 64}/index.json",
        "implementations/2/index.html",
        "changes/index.html",
        "assets/site.css",
        f"sha256/aa/{'a' * 64}.json",
    ],
)
def test_others_may_go(path: str) -> None:
    assert lost(path) == []

"""Days of publication that contradict the order of publication, and dumps that come a second time."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite, _known

from leaderpress import reports
from leaderpress.errors import Problems
from leaderpress.ingest import ingest, seal

ONE, TWO = Chain(1, 100), Chain(2, 200, user="Bea")
LATER = date(2026, 3, 9)


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(ONE, on="2026-03-08")
    return made


def sealed(site: TinySite, day: date) -> None:
    seal(site.root, published_at=day, today=date.today)


def fault(act: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(Problems) as caught:
        act()
    (found,) = caught.value.problems
    assert "--published-at" in found.hint
    return found.code, found.at or ""


def names(site: TinySite) -> list[str]:
    return sorted(path.name for path in (site.root / "content/records").iterdir())


def test_an_ingest_of_an_earlier_day_than_the_newest_folder_is_refused(site: TinySite) -> None:
    before = names(site)
    assert fault(lambda: site.feed(TWO, on="2026-03-07")) == ("published-earlier", f"content/records/{before[0]}")
    assert names(site) == before
    site.feed(TWO, on="2026-03-08")


def test_a_seal_of_an_earlier_day_is_refused(site: TinySite) -> None:
    site.note("one", "dispute", ONE.digest)
    assert fault(lambda: sealed(site, date(2026, 3, 7)))[0] == "published-earlier"
    sealed(site, date(2026, 3, 8))


def test_a_note_of_a_later_day_than_it_is_sealed_on_is_refused_with_its_line(site: TinySite) -> None:
    site.note("one", "dispute", ONE.digest, when="2026-03-10")
    before = names(site)
    assert fault(lambda: sealed(site, LATER)) == ("note-later", "content/notes/one.md:6")
    assert names(site) == before
    site.note("one", "dispute", ONE.digest, when="2026-03-09")
    sealed(site, LATER)


def test_an_ingest_leaves_notes_of_a_later_day_to_a_later_folder(site: TinySite) -> None:
    site.note("one", "dispute", ONE.digest, when="2026-03-10")
    assert site.feed(TWO, on="2026-03-09").snapshot["log"]["notes"] == []
    assert len(site.feed(Chain(3, 3), on="2026-03-10").snapshot["log"]["notes"]) == 1


def test_a_dump_that_comes_again_after_a_newer_one_is_told_so(site: TinySite) -> None:
    site.feed(TWO, on="2026-03-08")
    first, second = names(site)
    dump = min(site._dumps.iterdir())
    with _known():
        again = ingest(site.root, "board", [dump], published_at=LATER, retrieved_at=None, today=date.today)
    assert again.already
    assert first in again.notice
    assert f"{second} is newer and stands" in again.notice
    assert any(second in line for line in reports.ingest_lines(again))

"""Notices and notes: withdrawn, superseded, disputed, attested; what they change and what they never change."""

from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.views.run import RunView

FAST, SLOW = Chain(1, 100), Chain(2, 200, user="Bea")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.feed(FAST, SLOW)
    return site


def notices(view: RunView) -> list[tuple[str, str, str]]:
    return [(notice.kind, notice.title, notice.link.path if notice.link else "") for notice in view.notices]


def page(chain: Chain) -> str:
    return f"runs/{chain.digest[7:]}/"


def test_a_withdrawn_run_keeps_its_page_its_struck_number_and_says_why(site: TinySite) -> None:
    site.note("one", "withdrawal", FAST.digest, when="2026-09-02", why="The cache was warm.", who="Ada")
    view = site.run(FAST)
    assert notices(view) == [("withdrawn", "Withdrawn on 2 September 2026", "")]
    notice = view.notices[0]
    assert (notice.text, notice.who, notice.date) == ("The cache was warm.", "Ada", "2026-09-02")
    assert notice.file == "content/notes/one.md"
    assert view.struck
    assert view.primary is not None
    assert (view.standing, view.status_text, view.status) == (None, "Withdrawn", "passed")
    assert view.standing_say == "One run ranks in this comparison group, this one does not."
    assert place(site.run(SLOW)) == (1, 1)


def place(view: RunView) -> tuple[int, int] | None:
    return None if view.standing is None else (view.standing.rank, view.standing.of)


def test_the_page_of_a_withdrawn_run_is_not_to_be_indexed(site: TinySite) -> None:
    def head(chain: Chain) -> str:
        return (
            site.files("group", site.run(chain).comparison_key)[f"{page(chain)}index.html"].decode().split("<body")[0]
        )

    assert 'content="noindex' not in head(FAST)
    site.note("one", "withdrawal", FAST.digest)
    assert 'content="noindex' in head(FAST)
    assert 'content="noindex' not in head(SLOW)


def test_a_correction_links_target_and_successor_both_ways(site: TinySite) -> None:
    site.note("one", "correction", FAST.digest, successor=SLOW.digest)
    assert notices(site.run(FAST)) == [("superseded", "Superseded on 3 February 2026", page(SLOW))]
    assert notices(site.run(SLOW)) == [("corrects", f"Supersedes Run {FAST.digest[7:15]}", page(FAST))]
    assert site.run(FAST).status_text == "Superseded"
    assert not site.run(FAST).struck


def test_a_run_that_a_later_dump_restates_is_superseded_without_a_note(site: TinySite) -> None:
    again = Chain(1, 50)
    site.feed(again, on="2026-05-06")
    view = site.run(FAST)
    assert notices(view) == [("superseded", "Superseded on 6 May 2026", page(again))]
    assert (view.notices[0].who, view.notices[0].file) == ("", "")
    assert notices(site.run(again)) == [("corrects", f"Supersedes Run {FAST.digest[7:15]}", page(FAST))]
    assert place(site.run(again)) == (1, 2)


def test_a_run_that_stands_again_bears_the_notice_of_the_one_between(site: TinySite) -> None:
    between = Chain(1, 50)
    site.feed(between, on="2026-05-06")
    site.feed(FAST, Chain(7, 70), on="2026-06-07")
    assert notices(site.run(between))[0][0] == "superseded"
    assert notices(site.run(between))[0][2] == page(FAST)
    assert notices(site.run(between))[0][1] == "Superseded on 7 June 2026"
    assert [kind for kind, _, _ in notices(site.run(FAST))] == ["corrects"]
    site.feed(between, Chain(8, 80), on="2026-07-08")
    assert notices(site.run(FAST))[0][1] == "Superseded on 8 July 2026"


def test_a_note_of_a_correction_takes_the_place_of_the_derived_notice(site: TinySite) -> None:
    again = Chain(1, 50)
    site.feed(again)
    site.note("one", "correction", FAST.digest, successor=again.digest, why="A typing error.")
    view = site.run(FAST)
    assert [(notice.kind, notice.text) for notice in view.notices] == [("superseded", "A typing error.")]


def test_a_disputed_run_still_ranks(site: TinySite) -> None:
    site.note("one", "dispute", FAST.digest, why="Not all of it is written.", evidence="https://board.example/1")
    view = site.run(FAST)
    assert notices(view) == [("disputed", "Disputed on 3 February 2026", "")]
    assert place(view) == (1, 2)
    assert [(item.label, item.value, item.path) for item in view.notes[0].items] == [
        ("Evidence", "https://board.example/1", "https://board.example/1")
    ]


ATTESTED: dict[str, Any] = {
    "type": "partial-reproduction",
    "value": 1.021,
    "unit": "ms",
    "statistic": "mean",
    "environment": "another host",
    "body": "Five *fresh* processes.",
}


def test_an_attestation_is_shown_with_its_figure_and_never_changes_the_evidence(site: TinySite) -> None:
    before = site.run(FAST)
    site.note("one", "attestation", FAST.digest, **ATTESTED)
    view = site.run(FAST)
    assert view.notices == ()
    (note,) = view.notes
    assert (note.kind, note.title, note.who) == ("attestation", "Attested on 3 February 2026", "A reviewer")
    assert note.text == "Because it is so.\n\nFive *fresh* processes."
    assert [(item.label, item.value.replace("\u00a0", " ")) for item in note.items] == [
        ("Outcome", "partial reproduction"),
        ("Measured", "1.02 ms mean"),
        ("Environment", "another host"),
    ]
    changed = {name for name in RunView.__dataclass_fields__ if getattr(view, name) != getattr(before, name)}
    assert changed == {"notes"}
    assert view.evidence == before.evidence == "reported"


def test_the_gravest_notice_comes_first_and_notes_are_in_order_of_time(site: TinySite) -> None:
    site.note("a", "dispute", FAST.digest, when="2026-01-01")
    site.note("b", "correction", FAST.digest, successor=SLOW.digest, when="2026-01-03")
    site.note("c", "withdrawal", FAST.digest, when="2026-01-02")
    view = site.run(FAST)
    assert [notice.kind for notice in view.notices] == ["withdrawn", "superseded", "disputed"]
    assert [note.kind for note in view.notes] == ["dispute", "withdrawal", "correction"]
    assert [reason.code for reason in view.reasons] == ["WITHDRAWN", "SUPERSEDED"]


def test_a_notice_about_one_run_is_on_no_other_page(site: TinySite) -> None:
    before = site.run(SLOW)
    site.note("one", "dispute", FAST.digest)
    assert site.run(SLOW) == before


def test_changes_lists_every_note_newest_first_with_its_run(site: TinySite) -> None:
    site.note("a", "dispute", FAST.digest, when="2026-01-01")
    site.note("b", "withdrawal", SLOW.digest, when="2026-01-02")
    notes = site.twin("single", "changes", "changes/")["notes"]
    assert [(when, kind, link["path"]) for when, kind, link, _ in notes] == [
        ("2026-01-02", "withdrawal", page(SLOW)),
        ("2026-01-01", "dispute", page(FAST)),
    ]


def test_the_newer_run_bears_the_date_of_the_change_on_both_sides(site: TinySite) -> None:
    site.note("one", "correction", FAST.digest, successor=SLOW.digest, when="2026-09-02")
    assert [notice.date for view in map(site.run, (FAST, SLOW)) for notice in view.notices] == ["2026-09-02"] * 2


def test_a_run_that_stands_again_dates_it_as_the_one_between_does(site: TinySite) -> None:
    between = Chain(1, 50)
    site.feed(between, on="2026-05-06")
    site.feed(FAST, Chain(7, 70), on="2026-06-07")
    assert [notice.date for view in map(site.run, (between, FAST)) for notice in view.notices] == ["2026-06-07"] * 2

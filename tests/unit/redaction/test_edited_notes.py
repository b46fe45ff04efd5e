"""A note from which a text was removed stays as the removal left it: build, seal and verify all find an edit."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from legal_site import ADA, NAME, LegalSite

from leaderpress.errors import LeaderpressError, Problems
from leaderpress.ingest import seal
from leaderpress.site.build import build
from leaderpress.verify import verify

DAY = date(2026, 4, 6)
NOTE = "2026-03-09-dispute"


@pytest.fixture
def site(site: LegalSite) -> LegalSite:
    site.note(NOTE, "dispute", ADA.digest, who="A reader", why=f"{NAME} has doubts.")
    seal(site.root, published_at=DAY, today=lambda: DAY)
    site.redact(ADA.digest, NAME)
    return site


def by_build(site: LegalSite) -> list[LeaderpressError]:
    try:
        build(site.root, jobs=1)
    except Problems as found:
        return list(found.problems)
    return []


def by_seal(site: LegalSite) -> list[LeaderpressError]:
    try:
        seal(site.root, published_at=DAY, today=lambda: DAY)
    except Problems as found:
        return list(found.problems)
    return []


def by_verify(site: LegalSite) -> list[LeaderpressError]:
    return list(verify((site.root,), jobs=1).problems)


finders = pytest.mark.parametrize("find", [by_build, by_seal, by_verify])
Find = Callable[[LegalSite], list[LeaderpressError]]


def path_of(site: LegalSite) -> Path:
    return site.root / "content" / "notes" / f"{NOTE}.md"


def edit(site: LegalSite, old: str, new: str) -> None:
    text = path_of(site).read_text(encoding="utf-8")
    assert old in text
    path_of(site).write_text(text.replace(old, new), encoding="utf-8")


@finders
def test_a_note_as_the_removal_left_it_is_sound(site: LegalSite, find: Find) -> None:
    assert find(site) == []


@finders
def test_it_may_be_renamed(site: LegalSite, find: Find) -> None:
    path_of(site).rename(path_of(site).with_name("other.md"))
    assert find(site) == []


@finders
def test_an_edit_is_found(site: LegalSite, find: Find) -> None:
    edit(site, "has doubts", "agrees with every word")
    (fault,) = find(site)
    assert (fault.code, fault.at) == ("note-committed", f"content/notes/{NOTE}.md")


@finders
def test_a_second_removal_leaves_other_words_and_those_alone(site: LegalSite, find: Find) -> None:
    site.redact(ADA.digest, "A reader", when="2026-04-06")
    assert find(site) == []
    edit(site, 'who = "[redacted]"', 'who = "A reader"')
    assert [fault.code for fault in find(site)] == ["note-committed"]


@finders
def test_a_forged_claim_is_found(site: LegalSite, find: Find) -> None:
    site.note("forged", "dispute", ADA.digest, redacted="sha256:" + "0" * 64, redaction="content/notes/x.md")
    assert ("note-redacted", "content/notes/forged.md:") in [(fault.code, fault.at[:24]) for fault in find(site)]


@finders
def test_another_reason_than_that_of_the_removal_is_found(site: LegalSite, find: Find) -> None:
    edit(site, 'redaction = "content/notes/', 'redaction = "content/notes/x')
    assert "note-redacted" in [fault.code for fault in find(site)]


@finders
def test_the_note_that_says_why_cannot_go(site: LegalSite, find: Find) -> None:
    (note,) = (site.root / "content" / "notes").glob("*-redaction-*.md")
    note.unlink()
    assert "redaction-note" in [fault.code for fault in find(site)]

"""Notes against the records: every fault with its file, its line, and what to do about it."""

from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.errors import LeaderpressError, Problems
from leaderpress.site.build import build

ONE, TWO, THREE = (Chain(n, 10 * n, user=name) for n, name in ((1, "Ada"), (2, "Bob"), (3, "Cleo")))
NOTHING = "sha256:" + "0" * 64


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.feed(ONE, TWO, THREE)
    return site


def faults(site: TinySite) -> list[LeaderpressError]:
    with pytest.raises(Problems) as found:
        build(site.root, jobs=1)
    return list(found.value.problems)


def line_of(site: TinySite, name: str, start: str) -> str:
    text = (site.root / "content" / "notes" / f"{name}.md").read_text(encoding="utf-8")
    number = next(number for number, line in enumerate(text.split("\n"), 1) if line.startswith(start))
    return f"content/notes/{name}.md:{number}"


@pytest.mark.parametrize("kind", ["withdrawal", "dispute", "attestation", "correction"])
def test_a_note_about_no_run_is_named_with_its_line(site: TinySite, kind: str) -> None:
    more = {"correction": {"successor": TWO.digest}, "attestation": {"type": "comment"}}.get(kind, {})
    site.note("one", kind, NOTHING, **more)
    (fault,) = faults(site)
    assert (fault.code, fault.at) == ("note-target", line_of(site, "one", "target"))
    assert NOTHING in fault.problem
    assert fault.hint


def test_a_successor_that_is_no_run_is_named_with_its_line(site: TinySite) -> None:
    site.note("one", "correction", ONE.digest, successor=NOTHING)
    (fault,) = faults(site)
    assert fault.at == line_of(site, "one", "successor")


def test_the_hint_says_what_a_digest_is_of(site: TinySite) -> None:
    site.note("one", "withdrawal", ONE.implementation().digest)
    (fault,) = faults(site)
    assert "of the kind ImplementationRevision" in fault.hint


def test_a_redaction_may_be_about_any_document_but_not_about_nothing(site: TinySite) -> None:
    site.note("one", "redaction", NOTHING, basis="The law.")
    (fault,) = faults(site)
    assert (fault.code, fault.at) == ("note-target", line_of(site, "one", "target"))


def test_a_note_that_claims_to_have_been_redacted_needs_a_removal(site: TinySite) -> None:
    site.note("one", "dispute", ONE.digest, redacted=NOTHING, redaction="content/notes/two.md")
    (fault,) = faults(site)
    assert (fault.code, fault.at) == ("note-redacted", line_of(site, "one", "redacted"))


def test_both_pages_of_a_correction_name_each_other(site: TinySite) -> None:
    site.note("one", "correction", ONE.digest, successor=TWO.digest)
    old, new = site.run(ONE), site.run(TWO)
    assert [(notice.kind, notice.link.path if notice.link else "") for notice in old.notices] == [
        ("superseded", f"runs/{TWO.digest[7:]}/")
    ]
    assert [(notice.kind, notice.link.path if notice.link else "") for notice in new.notices] == [
        ("corrects", f"runs/{ONE.digest[7:]}/")
    ]


def test_every_kind_of_note_is_on_the_changes_page_and_leads_somewhere(site: TinySite) -> None:
    site.note("a", "correction", ONE.digest, successor=TWO.digest, when="2026-01-01")
    site.note("b", "dispute", TWO.digest, when="2026-01-02")
    site.note("c", "attestation", TWO.digest, type="comment", when="2026-01-03")
    site.note("d", "withdrawal", THREE.digest, when="2026-01-04")
    notes = site.twin("single", "changes", "changes/")["notes"]
    assert [kind for _, kind, _, _ in notes] == ["withdrawal", "attestation", "dispute", "correction"]
    assert all(link["path"] for _, _, link, _ in notes)

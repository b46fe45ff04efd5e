"""What a removal refuses, whether it would be done or only shown, and what it then leaves as it was."""

from dataclasses import replace
from datetime import date

import pytest
from legal_site import ADA, BOB, NAME, LegalSite
from tiny_site import Chain

from leaderpress import store
from leaderpress.editions import edition_bytes, edition_files, read
from leaderpress.errors import ContentError, Problems, UsageError
from leaderpress.ingest import undo
from leaderpress.manifests.note_documents import note_digest
from leaderpress.site.build import build
from leaderpress.site.editions import freeze
from leaderpress.store.redactions import read_redactions

TARGET = ADA.project().digest
Files = dict[str, bytes]


def content(site: LegalSite) -> Files:
    root = site.root / "content"
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("target", [BOB.digest, TARGET, ADA.operation().digest])
def test_what_went_as_a_whole_cannot_go_again(site: LegalSite, target: str) -> None:
    site.redact(target, whole=True)
    before = content(site)
    with pytest.raises(UsageError) as caught:
        site.redact(target, whole=True)
    assert caught.value.code == "redaction-nothing"
    assert content(site) == before


def test_what_lost_a_text_can_still_go_as_a_whole(site: LegalSite) -> None:
    site.redact(TARGET, NAME)
    assert site.redact(TARGET, whole=True).documents["SoftwareProject"] == 1


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_reason_that_tells_is_refused_by_a_dry_run_too(site: LegalSite, dry_run: bool) -> None:
    before = content(site)
    with pytest.raises(UsageError) as caught:
        site.redact(TARGET, NAME, why=f"{NAME} asked for it.", dry_run=dry_run)
    assert caught.value.code == "redaction-told"
    assert content(site) == before


@pytest.mark.parametrize("length", [71, 20])
def test_the_digest_of_a_note_leads_to_what_the_note_is_about(site: LegalSite, length: int) -> None:
    site.note("2026-03-09-dispute", "dispute", ADA.digest, why=f"{NAME} has doubts.")
    (note,) = store.read_notes(site.root)
    with pytest.raises(UsageError) as caught:
        site.redact(note_digest(note)[:length], NAME)
    assert caught.value.code == "redaction-target"
    assert note.at in caught.value.problem
    assert ADA.digest in (caught.value.hint or "")
    assert site.redact(ADA.digest, NAME).edited == (note.at,)


def test_records_that_a_removal_names_are_not_taken_back(site: LegalSite) -> None:
    last = Chain(60, 600, user="Zed", title="Quiet Otter scan")
    site.feed(last, on="2026-03-20")
    site.redact(last.implementation().digest, "Quiet Otter")
    before = content(site)
    with pytest.raises(Problems) as caught:
        undo(site.root, unpublished=True)
    assert "undo-redacted" in {fault.code for fault in caught.value.problems}
    assert not any("remove the note" in (fault.hint or "") for fault in caught.value.problems)
    assert content(site) == before


def test_records_that_no_removal_names_are_taken_back_as_ever(site: LegalSite) -> None:
    site.redact(TARGET, NAME)
    site.feed(Chain(61, 610, user="Zed"), on="2026-04-06")
    assert undo(site.root, unpublished=True).folder.startswith("000003")


def test_a_name_goes_from_the_note_of_an_edition_and_the_site_builds(site: LegalSite) -> None:
    frozen = freeze(
        site.root, "spring", note=f'With "{NAME}" on top.', published_at=date(2026, 3, 10), today=date.today
    )
    build(site.root, jobs=1)
    report = site.redact(TARGET, NAME)
    assert frozen.file in report.edited
    assert report.left == ()
    (file,) = edition_files(site.root)
    assert file.head.note == 'With "[redacted]" on top.'
    assert read_redactions(site.root).edition(frozen.digest) == file.digest != frozen.digest
    build(site.root, jobs=1)
    assert site.holding(NAME) == site.holding(NAME, "build/site") == []
    build(site.root, jobs=1)


def test_an_edition_that_anybody_else_changed_is_refused_still(site: LegalSite) -> None:
    freeze(site.root, "spring", note=f"With {NAME}.", published_at=date(2026, 3, 10), today=date.today)
    build(site.root, jobs=1)
    site.redact(TARGET, NAME)
    (file,) = edition_files(site.root)
    edition = read(file)
    file.path.write_bytes(edition_bytes(replace(edition, head=replace(edition.head, note="Another."))))
    with pytest.raises((Problems, ContentError)) as caught:
        build(site.root, jobs=1)
    faults = caught.value.problems if isinstance(caught.value, Problems) else (caught.value,)
    assert "edition-changed" in {fault.code for fault in faults}

"""Lawful removals are no tampering, and tampering is no lawful removal: `verify` and `check --against`."""

import json
import shutil
from pathlib import Path

import pytest
from legal_site import ADA, BOB, NAME, LegalSite, legal_site
from tiny_site import Chain

from leaderpress import store
from leaderpress.canonical import sha256
from leaderpress.checks import check_site
from leaderpress.reports import check_lines
from leaderpress.site.build import build
from leaderpress.store.redactions import PLACE, read_redactions, redaction_bytes
from leaderpress.verify import verify

WORD = "quillpoints"
NOTED = Chain(9, 15, user="Ida", metrics={WORD: 3, "wins": 2})


@pytest.fixture
def site(tmp_path: Path) -> LegalSite:
    site = legal_site(tmp_path / "site")
    site.feed(NOTED, on="2026-03-07")
    return site


def found(*paths: Path) -> list[tuple[str, str, str]]:
    return [(fault.code, fault.at, fault.problem) for fault in verify(paths, jobs=1).problems]


def kept(site: LegalSite, tmp_path: Path) -> Path:
    """A copy of the published site as it is now."""
    return Path(shutil.copytree(build(site.root, jobs=1).output, tmp_path / "kept"))


@pytest.mark.parametrize("what", ["implementation", "environment", "operation", "project", "protocol", "suite"])
def test_a_document_that_was_removed_as_a_whole_is_no_problem(site: LegalSite, what: str) -> None:
    build(site.root, jobs=1)
    site.redact(getattr(ADA, what)().digest, whole=True)
    build(site.root, jobs=1)
    assert found(site.root) == []


def test_a_run_of_which_a_text_was_removed_ranks_on(site: LegalSite) -> None:
    site.redact(NOTED.digest, WORD)
    build(site.root, jobs=1)
    assert verify([site.root], jobs=1).redacted
    assert found(site.root) == []


def test_objects_that_became_tombstones_are_counted(site: LegalSite, tmp_path: Path) -> None:
    before = kept(site, tmp_path)
    assert "0 objects became tombstones" in [*check_lines(check_site(before, before))]
    site.redact(ADA.implementation().digest, whole=True)
    output = build(site.root, jobs=1).output
    report = check_site(output, before)
    assert [str(fault) for fault in report.problems] == []
    assert "1 object became tombstones" in [*check_lines(report)]


def forge(site: LegalSite, old: bytes, new: bytes) -> None:
    """Change the documents of the third folder and let a further line of the journal say that a removal did."""
    held = store.folders(site.root)[2]
    redactions = read_redactions(site.root)
    path = held.path / "manifests.jsonl"
    data = path.read_bytes()
    changed = data.replace(old, new)
    assert changed != data
    path.write_bytes(changed)
    files = {f"{held.name}/manifests.jsonl": {"old": _measure(data), "new": _measure(changed)}}
    line = {name: value for name, value in redactions.lines[-1].items() if name != "seal"}
    journal = site.root / PLACE
    journal.write_bytes(journal.read_bytes() + redaction_bytes({**line, "previous": redactions.seal, "files": files}))


def _measure(data: bytes) -> dict[str, object]:
    return {"bytes": len(data), "sha256": sha256(data)}


def test_a_number_inside_a_tombstone_cannot_be_changed(site: LegalSite, tmp_path: Path) -> None:
    site.redact(NOTED.digest, WORD)
    before = kept(site, tmp_path)
    forge(site, b'"mean":15', b'"mean":7')
    assert [code for code, _, _ in found(site.root / "content/records")] == ["redaction-unanswered"]
    output = shutil.copytree(before, tmp_path / "forged")
    twin = output / "runs" / NOTED.digest[7:] / "index.json"
    data = twin.read_bytes()
    twin.write_bytes(data.replace(b'"value":15', b'"value":7').replace(b'"value": 15', b'"value": 7'))
    assert twin.read_bytes() != data
    codes = {(fault.code, fault.at) for fault in check_site(output, before).problems}
    assert ("tombstone-changed", f"runs/{NOTED.digest[7:]}/index.json") in codes


def test_a_line_of_the_journal_needs_a_note_about_its_target(site: LegalSite) -> None:
    report = site.redact(ADA.implementation().digest, whole=True)
    assert found(site.root) == []
    note = site.root / report.note
    text = note.read_text()
    note.write_text(text.replace(ADA.implementation().digest, BOB.implementation().digest))
    codes = [(code, at) for code, at, _ in found(site.root)]
    assert ("redaction-unanswered", f"{PLACE}:1") in codes
    note.write_text(text)
    assert found(site.root) == []


def test_who_made_a_run_is_in_the_log_also_after_a_removal(site: LegalSite) -> None:
    site.redact(ADA.project().digest, NAME)
    log = (build(site.root, jobs=1).output / "log/log.txt").read_bytes()
    assert found(site.root) == []
    held = store.folders(site.root)[0]
    snapshot = json.loads((held.path / store.SNAPSHOT).read_bytes())
    assert store.commitment(snapshot).snapshot[7:].encode() in log

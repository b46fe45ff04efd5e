"""`leaderpress redact` at the command line: what it says, and with which code it ends."""

import json

import pytest
from legal_site import ADA, NAME, LegalSite

from leaderpress.cli import run

WHY = ("--reason", "A person asked for it.", "--basis", "GDPR, article 17", "--by", "Legal desk", "--on", "2026-04-05")
PROJECT = ADA.project().digest


def call(site: LegalSite, *arguments: str) -> int:
    return run(["redact", *arguments, *WHY, "--site", str(site.root)])


def test_it_says_what_it_changed_and_never_what_was_removed(
    site: LegalSite, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(site, PROJECT, "--text", NAME) == 0
    said = capsys.readouterr().out
    assert f"SoftwareProject {PROJECT}" in said
    assert "ImplementationRevision  2 tombstones" in said
    assert "manifests.jsonl         3 lines changed" in said
    assert f"moves to projects/x-{PROJECT[7:17]}/" in said
    assert f"wrote content/notes/2026-04-05-redaction-{PROJECT[7:19]}.md" in said
    assert NAME not in said


def test_facts_as_json_and_a_dry_run(site: LegalSite, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(site, PROJECT[:20], "--text", NAME, "--dry-run", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["target"], report["written"]) == (PROJECT, False)
    assert site.holding(NAME)


def test_it_ends_with_1_while_something_is_left_to_do(site: LegalSite, capsys: pytest.CaptureFixture[str]) -> None:
    (site.root / "content" / "pages").mkdir()
    (site.root / "content" / "pages" / "us.md").write_text(f"Thanks, {NAME}.", encoding="utf-8")
    assert call(site, PROJECT, "--text", NAME) == 1
    assert "LEFT, change it by hand: content/pages/us.md:1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((PROJECT, "--text", "never said"), 2, "redaction-nothing"),
        ((PROJECT,), 2, "redaction-text"),
        (("sha256:123", "--text", NAME), 2, "redaction-target"),
        ((PROJECT, "--text", "passed"), 1, "redaction-structure"),
    ],
)
def test_what_cannot_be_meant_ends_with_its_code_and_a_hint(
    site: LegalSite, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, said: str
) -> None:
    assert call(site, *arguments) == code
    error = capsys.readouterr().err
    assert said in error
    assert "hint" in error

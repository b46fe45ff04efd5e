"""What a removal does to the published site: the text is nowhere, every address answers, the rest is as it was."""

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
from legal_site import ADA, ADA_AGAIN, BOB, NAME, LegalSite
from tiny_site import Chain

from leaderpress.checks import check_site
from leaderpress.errors import Problems
from leaderpress.ingest import seal
from leaderpress.manifests.tombstone import read_tombstone
from leaderpress.site.build import build

Files = dict[str, bytes]

PROJECT = ADA.project().digest


@pytest.fixture
def site(site: LegalSite) -> LegalSite:
    """The site with notes that name the person, one of them in the name of its file, and a first build."""
    site.note("2026-03-09-dispute-ada-quill", "dispute", ADA.digest, who=NAME, why=f"{NAME} has doubts.")
    site.note("2026-03-10-attestation", "attestation", BOB.digest, type="comment", why="Fine.", body=f"By {NAME}.")
    seal(site.root, published_at=None, today=lambda: __import__("datetime").date(2026, 3, 11))
    build(site.root, jobs=1)
    return site


def published(site: LegalSite, out: str = "site") -> Files:
    root = site.root / "build" / out
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def objects(files: Files) -> Files:
    return {path: data for path, data in files.items() if path.startswith("sha256/")}


def test_the_name_stands_in_no_published_file_any_more(site: LegalSite) -> None:
    assert len(site.holding(NAME, "build/site")) > 15
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    assert site.holding(NAME, "build/site") == site.holding(NAME) == []
    assert site.holding("[redacted]", "build/site")


def test_every_address_of_a_record_still_answers_and_says_why(site: LegalSite) -> None:
    before = published(site)
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    after = published(site)
    assert before.keys() - after.keys() == {"projects/ada-quill/index.html", "projects/ada-quill/index.json"}
    moved = f"projects/x-{PROJECT[7:17]}/index.json"
    assert after.keys() - before.keys() == {moved, moved.replace("json", "html"), *_note_objects(site, after)}
    project = json.loads(after[moved])
    (line,) = [line for line in project["items"] if line["label"] == "Redacted"]
    assert line["value"] == "A person asked for it. Basis: GDPR, article 17."
    assert line["extra"] == "by Legal desk on 2026-04-05"


def _note_objects(site: LegalSite, files: Files) -> set[str]:
    """Objects of the notes that say why."""
    return {path for path, data in objects(files).items() if b'"kind":"Redaction"' in data}


def test_all_other_objects_keep_their_bytes_and_the_removed_one_is_a_tombstone(site: LegalSite) -> None:
    before = objects(published(site))
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    after = objects(published(site))
    changed = {path for path in before if before[path] != after[path]}
    held = {path for path, data in before.items() if NAME.encode() in data}
    assert changed == held
    assert f"sha256/{PROJECT[7:9]}/{PROJECT[7:]}.json" in changed
    for path in changed:
        stone = read_tombstone(json.loads(after[path]))
        assert stone is not None
        assert stone.digest == "sha256:" + path[10:-5] == "sha256:" + hashlib.sha256(before[path]).hexdigest()
        assert (stone.reason.when, stone.reason.why, stone.whole) == ("2026-04-05", "A person asked for it.", False)
        assert (site.root / stone.reason.note).is_file()
        jsonschema.validate(json.loads(after[path]), json.loads(published(site)["schema/v1/tombstone.json"]))


def test_the_log_stays_line_by_line_and_gets_one_for_the_note(site: LegalSite) -> None:
    before = published(site)["log/log.txt"].splitlines()
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    after = published(site)["log/log.txt"].splitlines()
    assert after[: len(before)] == before
    assert [line.rpartition(b" ")[2] for line in after[len(before) :]] == [b"Redaction"]


def test_an_incremental_build_equals_a_clean_one(site: LegalSite) -> None:
    for texts in ((NAME,), ("Bob",)):
        site.redact(PROJECT, *texts)
        build(site.root, jobs=1)
        build(site.root, jobs=1, out=site.root / "build" / "clean" / texts[0])
        assert published(site) == published(site, f"clean/{texts[0]}")
    site.feed(Chain(5, 5, user="Dora"), on="2026-04-06")
    build(site.root, jobs=1)
    build(site.root, jobs=1, out=site.root / "build" / "clean" / "last")
    assert published(site) == published(site, "clean/last")


def test_the_check_of_a_site_accepts_tombstones_and_nothing_else(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    out = site.root / "build" / "site"
    assert [str(problem) for problem in check_site(out, jobs=1).problems] == []
    stone = out / f"sha256/{PROJECT[7:9]}/{PROJECT[7:]}.json"
    other = out / f"sha256/{BOB.digest[7:9]}/{BOB.digest[7:]}.json"
    other.write_bytes(stone.read_bytes())
    codes = {problem.code for problem in check_site(out, jobs=1).problems}
    assert "object-digest" in codes


def test_a_run_page_says_what_was_removed_and_why(site: LegalSite) -> None:
    titled = Chain(6, 60, user="Eve", run={}, said={})
    site.feed(titled, on="2026-03-12")
    site.redact(titled.digest, whole=True)
    view = site.run(titled)
    assert (view.primary, view.standing, view.status_text) == (None, None, "Redacted")
    (notice,) = view.notices
    assert (notice.kind, notice.title, notice.who) == ("redacted", "Redacted on 5 April 2026", "Legal desk")
    assert notice.text == "The record was removed: A person asked for it. Basis: GDPR, article 17."
    assert [reason.text for reason in view.reasons][:1] == ["The record was removed as a whole by a redaction."]


def test_a_removed_run_keeps_its_page_and_leaves_rankings_and_sitemap(site: LegalSite) -> None:
    page = f"runs/{BOB.digest[7:]}/"
    assert page.encode() in published(site)["sitemap.xml"]
    site.redact(BOB.digest, whole=True)
    build(site.root, jobs=1)
    files = published(site)
    assert b'<meta name="robots" content="noindex">' in files[f"{page}index.html"]
    assert page.encode() not in files["sitemap.xml"]
    assert b"20 ns" not in files[f"{page}index.html"]
    group = json.loads(files[f"groups/{json.loads(files[page + 'index.json'])['comparison_key'][7:]}/index.json"])
    assert BOB.digest not in {run["digest"] for run in group["runs"]}
    assert {"STATUS_REDACTED", "MISSING_PRIMARY_METRIC"} == {
        reason for run in group["excluded"] if run["digest"] == BOB.digest for reason in _codes(run)
    }


def _codes(run: dict[str, list[dict[str, str] | str]]) -> list[str]:
    return [reason["code"] if isinstance(reason, dict) else reason for reason in run["reasons"]]


def test_a_note_without_a_removal_and_a_removal_without_its_note_stop_the_build(site: LegalSite) -> None:
    site.note("forged", "redaction", PROJECT, basis="None.")
    with pytest.raises(Problems) as faults:
        build(site.root, jobs=1)
    (fault,) = faults.value.problems
    assert (fault.code, fault.at) == ("redaction-undone", "content/notes/forged.md:2")
    (site.root / "content" / "notes" / "forged.md").unlink()
    report = site.redact(PROJECT, NAME)
    (site.root / report.note).unlink()
    with pytest.raises(Problems) as faults:
        build(site.root, jobs=1)
    assert {fault.code for fault in faults.value.problems} == {"redaction-note"}


def test_a_second_removal_changes_the_same_note_again(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    site.redact(ADA_AGAIN.digest, "has doubts")
    build(site.root, jobs=1)
    assert site.holding("has doubts") == site.holding("has doubts", "build/site") == []


def test_other_files_of_the_publisher_are_named_and_left(site: LegalSite) -> None:
    page = site.root / "content" / "pages" / "us.md"
    page.parent.mkdir()
    page.write_text(f'+++\ntitle = "Us"\n+++\n\nWith thanks to {NAME}.\n', encoding="utf-8")
    report = site.redact(PROJECT, NAME)
    assert report.left == ("content/pages/us.md:5",)
    assert report.exit_code == 1
    assert Path(site.holding(NAME)[0]).name == "us.md"


def test_a_run_page_does_not_promise_a_digest_that_its_object_does_not_have(site: LegalSite) -> None:
    page = f"runs/{BOB.digest[7:]}/index.html"
    promise = f'"sha256":"{BOB.digest[7:]}"'.encode()
    assert promise in published(site)[page]
    site.redact(BOB.digest, whole=True)
    build(site.root, jobs=1)
    after = published(site)[page]
    assert promise not in after
    assert b"Run, redacted: a tombstone" in after


def test_what_the_publisher_says_moves_along_and_loses_the_name(site: LegalSite) -> None:
    folder = site.root / "content" / "overrides" / "projects"
    folder.mkdir(parents=True)
    (folder / "ada-quill.toml").write_text(f'homepage = "https://ada.example/"\naliases = ["Dr {NAME}"]\n')
    (folder / "bob.toml").write_text('same_as = ["ada-quill"]\n')
    build(site.root, jobs=1)
    site.redact(PROJECT, NAME)
    build(site.root, jobs=1)
    assert site.holding(NAME) == site.holding(NAME, "build/site") == []
    moved = f"x-{PROJECT[7:17]}"
    assert sorted(path.name for path in folder.iterdir()) == ["bob.toml", f"{moved}.toml"]
    assert json.loads(published(site)["projects/bob/index.json"])["edited"]["same_as"] == [
        {"text": moved, "path": f"projects/{moved}/"}
    ]


def test_a_target_that_held_no_text_itself_says_why_all_the_same(site: LegalSite) -> None:
    before = objects(published(site))
    site.redact(ADA.project().digest, "tuned by")
    build(site.root, jobs=1)
    project = json.loads(published(site)["projects/ada-quill/index.json"])
    assert [line["value"] for line in project["items"] if line["label"] == "Redacted"] == [
        "A person asked for it. Basis: GDPR, article 17."
    ]
    after = objects(published(site))
    assert {path: after[path] for path in before} == before

"""What a removal leaves of the records: no trace of the text, every digest, and nothing else changed."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from legal_site import ADA, ADA_AGAIN, BOB, CLEO, NAME, LegalSite
from tiny_site import Chain

from leaderpress import store
from leaderpress.errors import ContentError, LeaderpressError, UsageError
from leaderpress.store.redactions import read_redactions, redaction_bytes

Records = dict[str, bytes]


def records(site: LegalSite) -> Records:
    """Every file of the records by its name."""
    root = site.root / "content" / "records"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def check(site: LegalSite) -> None:
    for folder in store.folders(site.root):
        store.verify(folder)


def test_the_name_stands_nowhere_below_content(site: LegalSite) -> None:
    assert len(site.holding(NAME)) >= 5
    report = site.redact(ADA.project().digest, NAME)
    assert site.holding(NAME) == []
    assert report.left == ()
    assert report.exit_code == 0
    assert dict(report.documents) == {"ImplementationRevision": 2, "SoftwareProject": 1}
    check(site)


def test_digests_and_places_of_all_documents_stay(site: LegalSite) -> None:
    def stated() -> list[tuple[str, str, str]]:
        lines = (line for folder in store.folders(site.root) for line in folder.provenance())
        return [(line["digest"], line["documentDigest"], line["source"]) for line in lines]

    before = stated()
    site.redact(ADA.project().digest, NAME)
    assert stated() == before


def test_lines_without_the_text_keep_their_bytes(site: LegalSite) -> None:
    before = records(site)
    site.redact(ADA.project().digest, NAME)
    for name, data in records(site).items():
        if name in before and name.endswith("jsonl"):
            untouched = [line for line in before[name].splitlines() if NAME.encode() not in line]
            assert [line for line in data.splitlines() if line in untouched] == untouched


def test_the_account_names_each_touched_file_before_and_after(site: LegalSite) -> None:
    before = records(site)
    site.redact(ADA.project().digest, NAME)
    after = records(site)
    (line,) = [json.loads(line) for line in after["redactions.jsonl"].splitlines()]
    touched = {name for name in before if before[name] != after[name]}
    assert set(line["files"]) == touched
    for name in touched:
        change = line["files"][name]
        for data, stated in ((before[name], change["old"]), (after[name], change["new"])):
            assert stated == {"bytes": len(data), "sha256": "sha256:" + hashlib.sha256(data).hexdigest()}


def test_any_other_change_of_a_byte_is_still_found(site: LegalSite) -> None:
    site.redact(ADA.project().digest, NAME)
    root = site.root / "content" / "records"
    for name, data in records(site).items():
        for place in sorted({0, len(data) // 3, len(data) - 2} if data else ()):
            (root / name).write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            with pytest.raises(LeaderpressError) as fault:
                check(site)
            assert name.rpartition("/")[2] in str(fault.value)
        (root / name).write_bytes(data)
    check(site)


def test_the_text_cannot_come_back_by_putting_an_old_file_there(site: LegalSite) -> None:
    before = records(site)
    site.redact(ADA.project().digest, NAME)
    root = site.root / "content" / "records"
    for name, data in before.items():
        if (now := (root / name).read_bytes()) != data:
            (root / name).write_bytes(data)
            with pytest.raises(ContentError, match="changed"):
                check(site)
            (root / name).write_bytes(now)


def test_the_account_itself_cannot_be_taken_away_or_cut(site: LegalSite) -> None:
    site.redact(ADA.project().digest, NAME)
    site.redact(BOB.project().digest, "Bob")
    path = site.root / "content" / "records" / "redactions.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    for left in (b"", first, second, second + first):
        path.write_bytes(left)
        with pytest.raises(LeaderpressError):
            check(site)
    path.write_bytes(first + second)
    check(site)


@pytest.mark.parametrize(
    "odd", [{"notes": {"a.md": "sha256:1"}}, {"files": {"a": {"old": 1, "new": 2}}}, {"documents": [1]}, {"on": 1}]
)
def test_a_sealed_line_of_another_form_is_named(site: LegalSite, odd: dict[str, Any]) -> None:
    site.redact(ADA.project().digest, NAME)
    path = site.root / "content" / "records" / "redactions.jsonl"
    line = json.loads(path.read_bytes())
    del line["seal"]
    path.write_bytes(redaction_bytes({**line, **odd}))
    with pytest.raises(LeaderpressError) as caught:
        read_redactions(site.root)
    assert (caught.value.code, caught.value.at) == ("record-changed", "content/records/redactions.jsonl:1")


def test_a_second_removal_goes_on_from_the_first(site: LegalSite) -> None:
    site.redact(ADA.project().digest, NAME)
    site.redact(ADA_AGAIN.implementation().digest, "tuned by")
    assert site.holding(NAME) == site.holding("tuned by") == []
    check(site)
    with site.open() as index:
        assert index.document(ADA_AGAIN.implementation().digest)["metadata"]["title"] == "[redacted] [redacted]"


def test_the_address_that_held_the_name_moves_and_the_others_stay(site: LegalSite) -> None:
    with site.open() as index:
        before = {row.digest: row.slug for row in index.projects()}
    assert before[ADA.project().digest] == "ada-quill"
    report = site.redact(ADA.project().digest, NAME)
    with site.open() as index:
        after = {row.digest: row.slug for row in index.projects()}
    moved = f"x-{ADA.project().digest[7:17]}"
    assert after == {**before, ADA.project().digest: moved}
    assert report.addresses == (f"projects/{moved}/",)


def test_a_dry_run_says_the_same_and_changes_nothing(site: LegalSite) -> None:
    before = records(site)
    told = site.redact(ADA.project().digest, NAME, dry_run=True)
    assert records(site) == before
    assert not told.written
    done = site.redact(ADA.project().digest, NAME)
    assert (told.documents, told.lines, told.addresses) == (done.documents, done.lines, done.addresses)


def test_ranks_stay_while_only_a_text_goes(site: LegalSite) -> None:
    def standings() -> list[tuple[str, str, int, object]]:
        with site.open() as index:
            return [(run.digest, run.group, run.rank, run.value) for run in index.runs("order by digest")]

    before = standings()
    assert {rank for _, _, rank, _ in before} == {1, 2, 3, 4}
    site.redact(ADA.project().digest, NAME)
    assert standings() == before


@pytest.mark.parametrize("chain", [ADA, BOB])
def test_a_run_that_goes_as_a_whole_leaves_the_ranking_and_keeps_its_group(site: LegalSite, chain: Chain) -> None:
    with site.open() as index:
        before = index.run(chain.digest)
    site.redact(chain.digest, whole=True)
    check(site)
    with site.open() as index:
        after = index.run(chain.digest)
        others = [run.digest for run in index.ranked(before.group)]
    assert (after.group, after.siblings, after.observed_at) == (before.group, before.siblings, before.observed_at)
    assert (after.rank, after.value, after.reasons) == (0, None, ("STATUS_REDACTED", "MISSING_PRIMARY_METRIC"))
    assert others == [each.digest for each in (ADA, BOB, CLEO, ADA_AGAIN) if each is not chain]


@pytest.mark.parametrize("metrics", [{"ns": None, "measurements": [("points", "mana", 5)]}, {"ns": 70}])
def test_a_whole_run_keeps_its_group_whatever_it_measured(site: LegalSite, metrics: dict[str, object]) -> None:
    chain = Chain(9, user="Zoe", **metrics)  # type: ignore[arg-type]
    site.feed(chain, on="2026-03-08")
    with site.open() as index:
        group = index.run(chain.digest).group
    site.redact(chain.digest, whole=True)
    with site.open() as index:
        assert index.run(chain.digest).group == group


@pytest.mark.parametrize(
    "part", ["operation", "suite", "implementation", "project", "protocol", "environment", "record"]
)
def test_every_kind_of_document_can_go_as_a_whole(site: LegalSite, part: str) -> None:
    digest = getattr(ADA, part)().digest
    with site.open() as index:
        groups = {run.digest: run.group for run in index.runs("")}
    site.redact(digest, whole=True)
    check(site)
    with site.open() as index:
        assert {run.digest: run.group for run in index.runs("")} == groups
        assert digest in index.tombstones
        stone = json.loads(index.identity(digest))
        assert (stone["kind"], stone["digest"], stone["whole"]) == ("Tombstone", digest, True)
    assert site.files("group", *sorted(set(groups.values())))


def test_a_whole_project_takes_its_names_along(site: LegalSite) -> None:
    site.redact(ADA.project().digest, whole=True)
    assert site.holding(NAME) == []


def test_a_text_in_a_rule_of_correctness_does_not_change_the_group(site: LegalSite) -> None:
    chain = Chain(8, 80, comparator="secret_sauce")
    site.feed(chain, on="2026-03-07")
    with site.open() as index:
        before = index.run(chain.digest).group
    site.redact(chain.suite().digest, "secret_sauce")
    assert site.holding("secret_sauce") == []
    with site.open() as index:
        assert index.run(chain.digest).group == before


@pytest.mark.parametrize(
    ("target", "texts", "more", "code"),
    [
        ("sha256:" + "0" * 64, ("Ada",), {}, "redaction-target"),
        ("", ("Ada",), {}, "redaction-target"),
        (ADA.digest, (), {}, "redaction-text"),
        (ADA.digest, ("a",), {}, "redaction-text"),
        (ADA.digest, (" Ada",), {}, "redaction-text"),
        (ADA.digest, ("redact",), {}, "redaction-text"),
        (ADA.digest, ("never said",), {}, "redaction-nothing"),
        (ADA.digest, ("Ada",), {"why": "Ada asked"}, "redaction-told"),
        (ADA.digest, ("passed",), {}, "redaction-structure"),
        (ADA.digest, ("mean",), {}, "redaction-structure"),
        (ADA.digest, (ADA.suite().digest[7:20],), {}, "redaction-structure"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_changes(
    site: LegalSite, target: str, texts: tuple[str, ...], more: dict[str, str], code: str
) -> None:
    before = records(site)
    with pytest.raises(LeaderpressError) as fault:
        site.redact(target, *texts, **more)
    assert fault.value.code == code
    assert fault.value.hint
    assert isinstance(fault.value, UsageError | ContentError)
    assert records(site) == before


def test_a_removal_that_was_killed_is_finished_by_the_next_command(
    site: LegalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leaderpress.store import removal

    real = removal.os.replace
    calls: list[object] = []

    def killed(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 3:
            raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(removal.os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            site.redact(ADA.project().digest, NAME)
    with pytest.raises(ContentError, match="interrupted"):
        check(site)
    with pytest.raises(UsageError, match="nothing below content"):
        site.redact(ADA.project().digest, NAME)
    assert site.holding(NAME) == []
    check(site)


def test_a_removal_that_was_killed_before_it_was_decided_changed_nothing(
    site: LegalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leaderpress.store import removal

    before = records(site)
    with monkeypatch.context() as patch:
        patch.setattr(removal, "finish", lambda root: (_ for _ in ()).throw(KeyboardInterrupt))
        patch.setattr(removal.Path, "rename", lambda self, target: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            site.redact(ADA.project().digest, NAME)
    check(site)
    with store.exclusive(site.root):
        pass
    assert records(site) == before

"""A later dump does not bring back what was removed, although nothing that is kept says what it was."""

import json
from typing import Any

import pytest
from legal_site import ADA, ADA_AGAIN, BOB, NAME, LegalSite
from tiny_site import Chain

from leaderpress import store
from leaderpress.site.build import build

PROJECT = ADA.project().digest
NEWER = Chain(7, 70, user=NAME, title=f"{NAME} · Scan", said={"tags": [NAME, "new"]})
QUOTE = {"about": ADA.digest, "fact": "quote", "value": {"by": NAME, NAME: 1}}


def lines(site: LegalSite, number: int) -> list[dict[str, Any]]:
    return list(store.folders(site.root)[number - 1].provenance())


def test_the_same_documents_again_say_nothing_new(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    site.feed(ADA, ADA_AGAIN, QUOTE, Chain(9, 90, user="New"), on="2026-04-06")
    assert site.holding(NAME) == []
    told = {line["digest"] for line in lines(site, 3)}
    assert told.isdisjoint({PROJECT, ADA.digest, ADA.implementation().digest, ADA_AGAIN.implementation().digest})
    assert list(store.folders(site.root)[2].facts()) == []


def test_new_documents_of_the_same_person_come_without_the_name_and_rank(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    site.feed(ADA, NEWER, {"about": NEWER.digest, "fact": "quote", "value": [NAME]}, on="2026-04-06")
    assert site.holding(NAME) == []
    with site.open() as index:
        run = index.run(NEWER.digest)
        assert (run.rank, run.value, run.project, run.project_name) == (5, 70, PROJECT, "[redacted]")
        assert index.document(NEWER.implementation().digest)["metadata"]["title"] == "[redacted] · Scan"
    folder = store.folders(site.root)[2]
    assert folder.snapshot["redacted"] == [NEWER.implementation().digest]
    assert {line["documentDigest"] for line in lines(site, 3)} >= {NEWER.implementation().document_digest}
    build(site.root, jobs=1)
    assert site.holding(NAME, "build/site") == []


def test_a_refusal_that_quotes_the_name_comes_without_it(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    site.feed(ADA, NEWER, {"reject": "REFUSED", "detail": f"{NAME} cached it"}, on="2026-04-06")
    assert store.folders(site.root)[2].snapshot["rejections"][0]["detail"] == "[redacted] cached it"


def test_a_renamed_known_document_comes_without_the_name(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    renamed = Chain(1, 10, user=NAME, title=f"{NAME} renamed", said={"tags": ["again"]})
    assert renamed.digest == ADA.digest
    site.feed(renamed, on="2026-04-06")
    assert site.holding(NAME) == []
    with site.open() as index:
        assert index.document(ADA.implementation().digest)["metadata"]["title"] == "[redacted] renamed"


def test_a_text_that_stood_in_statements_alone_stays_gone(site: LegalSite) -> None:
    aliased = Chain(11, 110, user="Zed", about_task={"aliases": ["code name Fox"]}, op="fold")
    site.feed(aliased, on="2026-03-20")
    site.redact(aliased.operation().digest, "code name Fox")
    site.feed(aliased, Chain(12, 120, user="Yan"), on="2026-04-06")
    assert site.holding("code name Fox") == []


def test_a_document_that_went_as_a_whole_stays_gone(site: LegalSite) -> None:
    site.redact(BOB.digest, whole=True)
    told = Chain(2, 20, user="Bob", said={"tags": ["told"]})
    assert told.digest == BOB.digest
    site.feed(told, Chain(9, 90, user="New"), {"about": BOB.digest, "fact": "x", "value": 1}, on="2026-04-06")
    assert BOB.digest not in {line["digest"] for line in lines(site, 3)}
    with site.open() as index:
        assert index.run(BOB.digest).rank == 0
        assert index.facts(BOB.digest) == []


@pytest.mark.parametrize("again", [0, 1])
def test_a_new_hardware_of_a_removed_name_gets_a_neutral_address(site: LegalSite, again: int) -> None:
    one = Chain(20, 200, gpu="Secret Chip 1", user="Uma")
    two = Chain(21, 210, gpu="Secret Chip 1", driver="7", user="Uma")
    site.feed(one, *([two] if again else []), on="2026-03-20")
    site.redact(one.environment().digest, "Secret Chip")
    site.feed(one, two, on="2026-04-06")
    assert site.holding("Secret Chip") == []
    with site.open() as index:
        slugs = {row.digest: row.slug for row in index.environments()}
        assert slugs[one.environment().digest] == slugs[two.environment().digest]
    build(site.root, jobs=1)
    assert site.holding("Secret Chip", "build/site") == []


def test_an_entry_of_which_ranking_needs_a_removed_text_is_refused(site: LegalSite) -> None:
    named = Chain(20, 200, user="wagtail")
    site.feed(named, on="2026-03-20")
    site.redact(named.project().digest, "wagtail")
    measured = Chain(21, None, user="wagtail", measurements=(("wagtail", "smiles", 1),))
    site.feed(measured, on="2026-04-06", faulty=True)
    rows = store.folders(site.root)[3].snapshot["rejections"]
    assert {(row["reason"], row["verdict"]) for row in rows} == {("REDACTED_TEXT", False)}
    assert any(row["detail"].startswith("BenchmarkRun ") for row in rows)
    build(site.root, jobs=1)


def test_without_a_removal_nothing_of_this_stands_in_a_snapshot(site: LegalSite) -> None:
    site.feed(NEWER, on="2026-04-06")
    text = json.dumps([folder.snapshot for folder in store.folders(site.root)])
    assert "redacted" not in text

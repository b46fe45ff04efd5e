"""What a later dump may teach about removed texts, and what it must not: only a digest vouches for an original."""

import pytest
from legal_site import ADA, BOB, NAME, LegalSite
from tiny_site import Chain

from leaderpress import store
from leaderpress.ingest import IngestReport
from leaderpress.reports import ingest_lines

PROJECT = ADA.project().digest
OTHER = "Kestrel Works"


def told(site: LegalSite, digest: str) -> list[str]:
    """Names under which the newest folder speaks of a document."""
    return [line.get("name", "") for line in store.folders(site.root)[-1].provenance() if line["digest"] == digest]


def renamed() -> Chain:
    """A known implementation of the person, with another name in what no digest vouches for."""
    chain = Chain(1, 10, user=OTHER)
    assert chain.implementation().digest == ADA.implementation().digest
    return chain


def test_another_name_in_metadata_is_not_taken_for_the_removed_one(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    new = Chain(30, 300, user=OTHER)
    site.feed(renamed(), new, {"about": BOB.digest, "fact": "praise", "value": f"by {OTHER}"}, on="2026-04-06")
    folder = store.folders(site.root)[2]
    assert [fact["value"] for fact in folder.facts()] == [f"by {OTHER}"]
    with site.open() as index:
        assert index.document(ADA.implementation().digest)["metadata"]["title"] == f"{OTHER} · scan"
        assert index.document(new.project().digest)["spec"]["name"] == OTHER
        assert index.run(new.digest).project_name == OTHER


def test_the_whole_original_tells_what_stood_in_its_metadata_alone(site: LegalSite) -> None:
    titled = Chain(31, 310, user="Zed", title="Quiet Otter scan")
    site.feed(titled, on="2026-03-20")
    site.redact(titled.implementation().digest, "Quiet Otter")
    site.feed(titled, {"about": BOB.digest, "fact": "praise", "value": "Quiet Otter"}, on="2026-04-06")
    assert site.holding("Quiet Otter") == []


def test_a_statement_is_held_against_the_very_one_of_the_records(site: LegalSite) -> None:
    aliased = Chain(32, 320, user="Zed", about_task={"aliases": ["code name Fox"]}, op="fold")
    site.feed(aliased, on="2026-03-20")
    site.redact(aliased.operation().digest, "code name Fox")
    again = Chain(32, 320, user="Zed", about_task={"aliases": [OTHER]}, op="fold")
    site.feed(again, {"about": BOB.digest, "fact": "praise", "value": OTHER}, on="2026-04-06")
    assert [fact["value"] for fact in store.folders(site.root)[-1].facts()] == [OTHER]


def test_a_fact_is_held_against_the_very_one_of_the_records(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    quotes = [{"about": ADA.digest, "fact": "quote", "value": {"by": OTHER, NAME: 1}}]
    site.feed(*quotes, {"about": BOB.digest, "fact": "praise", "value": OTHER}, on="2026-04-06")
    values = {fact["name"]: fact["value"] for fact in store.folders(site.root)[-1].facts()}
    assert values["praise"] == OTHER


@pytest.mark.parametrize("text", ["N", "act"])
def test_a_learned_text_that_is_too_short_or_part_of_the_mark_is_no_text(site: LegalSite, text: str) -> None:
    site.redact(PROJECT, NAME)
    site.feed(Chain(1, 10, user=text), Chain(33, 330, user="New actor N"), on="2026-04-06")
    assert told(site, Chain(33).project().digest) == []
    with site.open() as index:
        assert index.run(Chain(33, 330, user="New actor N").digest).project_name == "New actor N"


def test_the_report_counts_removed_documents_that_came_with_other_metadata(site: LegalSite) -> None:
    site.redact(PROJECT, NAME)
    same = _ingested(site, ADA)
    assert (same.unlike, [line for line in ingest_lines(same) if "metadata" in line]) == (0, [])
    other = _ingested(site, renamed())
    assert other.unlike == 1
    assert any("1 removed document came with other metadata" in line for line in ingest_lines(other))


def _ingested(site: LegalSite, chain: Chain) -> IngestReport:
    return site.feed(chain, Chain(40 + len(store.folders(site.root)), 400, user="New"), on="2026-04-06")

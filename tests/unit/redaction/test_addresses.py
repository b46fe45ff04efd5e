"""What becomes of addresses that held a removed text: they move, nobody else gets them, and a checker is told."""

import json

import pytest
from legal_site import ADA, NAME, LegalSite
from tiny_site import Chain

from leaderpress import store
from leaderpress.checks import check_site
from leaderpress.config import Outputs
from leaderpress.manifests.tombstone import Reason
from leaderpress.reports import check_lines, redaction_lines
from leaderpress.site.addresses import Addresses
from leaderpress.site.build import build
from leaderpress.site.kept import PublishedLog, lost_addresses
from leaderpress.site.output import DirectoryOutput
from leaderpress.slugs import HARDWARE, OPERATION, PROJECT, Named, SlugBook, address_digest, slug_stem
from leaderpress.store.redactions import read_redactions
from leaderpress.store.stripping import Removal

TARGET = ADA.project().digest
HYPHENED = Chain(50, 500, user="ada-quill", title="of somebody else")


def slugs(site: LegalSite) -> dict[str, str]:
    """Slugs of projects by their digests."""
    with site.open() as index:
        return {row.digest: row.slug for row in index.projects()}


def test_a_retired_address_is_never_given_again(site: LegalSite) -> None:
    site.redact(TARGET, NAME)
    assert read_redactions(site.root).retired == {address_digest("projects/ada-quill"): "2026-04-05"}
    other = Chain(51, 510, user="Ada-Quill!", title="of somebody else")
    site.feed(other, on="2026-04-06")
    digest = other.project().digest
    assert slugs(site)[digest] == f"ada-quill-{digest[7:17]}"


@pytest.mark.parametrize("kind", [PROJECT, OPERATION, HARDWARE])
def test_only_the_address_itself_is_retired(kind: str) -> None:
    book = SlugBook({address_digest("projects/x-ray"): "2026-04-05"})
    book.assign([Named(kind, "sha256:" + "1" * 64, "X ray")])
    slug = book.slug(kind, "sha256:" + "1" * 64)
    assert (slug == "x-ray") is (kind != PROJECT)


def test_the_same_words_in_the_address_of_another_stay_and_are_named(site: LegalSite) -> None:
    site.feed(HYPHENED, on="2026-03-20")
    before = slugs(site)
    report = site.redact(TARGET, NAME)
    after = slugs(site)
    assert {digest for digest in before if before[digest] != after[digest]} == {TARGET}
    assert report.addresses == (f"projects/x-{TARGET[7:17]}/",)
    folder = store.folders(site.root)[2].name
    assert any(place.startswith(f"content/records/{folder}/manifests.jsonl:") for place in report.similar)
    assert not any("000001" in place for place in report.similar)
    assert report.exit_code == 0
    said = [line for line in redaction_lines(report) if "similar, not removed" in line]
    assert len(said) == len(report.similar)


@pytest.mark.parametrize(
    ("kind", "metadata", "spec", "moves"),
    [
        ("SoftwareProject", {"name": "user-ada-quill"}, {"name": "ada-quill"}, False),
        ("SoftwareProject", {"name": "user-7"}, {"name": "by Ada Quill"}, True),
        ("OperationSpec", {"name": "ada-quill-scan", "title": "Scan"}, {}, False),
        ("OperationSpec", {"name": "ada-quill-scan"}, {}, True),
        ("OperationSpec", {"name": "scan", "title": "Scan of Ada Quill"}, {}, True),
    ],
)
def test_a_slug_goes_with_the_name_that_it_was_made_from(
    kind: str, metadata: dict[str, str], spec: dict[str, str], moves: bool
) -> None:
    removal = Removal(Reason("", "", "", "", ""), [NAME])
    name = spec.get("name") or metadata.get("title") or metadata["name"]
    line = {"kind": kind, "digest": "sha256:" + "1" * 64, "slug": slug_stem(name)}
    names = removal.names({"kind": kind, "metadata": metadata, "spec": spec})
    assert (removal.statement(line, names)["slug"] != line["slug"]) is moves


def test_an_operation_without_a_title_moves_with_its_own_name(site: LegalSite) -> None:
    task = Chain(52, 520, op="Quiet-Otter", user="Zed")
    site.feed(task, on="2026-03-20")
    report = site.redact(task.operation().digest, "Quiet-Otter")
    assert report.addresses == (f"operations/x-{task.operation().digest[7:17]}/",)


def test_a_check_against_the_site_before_says_what_moved_and_finds_no_fault(site: LegalSite) -> None:
    build(site.root, jobs=1)
    earlier = site.root / "earlier.json"
    earlier.write_bytes((site.root / "build/site/inventory.json").read_bytes())
    site.redact(TARGET, NAME)
    build(site.root, jobs=1)
    report = check_site(site.root / "build/site", earlier, jobs=1)
    assert report.problems == ()
    assert report.moved == (("projects/ada-quill/index.html", "2026-04-05"),)
    assert "moved by a redaction of 2026-04-05: projects/ada-quill/index.html" in [*check_lines(report)]
    stated = json.loads((site.root / "build/site/inventory.json").read_bytes())["meta"]["redacted"]
    assert stated == {"addresses": {address_digest("projects/ada-quill"): "2026-04-05"}}


def test_any_other_lost_address_is_a_fault_still(site: LegalSite) -> None:
    build(site.root, jobs=1)
    earlier = site.root / "earlier.json"
    data = (site.root / "build/site/inventory.json").read_bytes()
    site.redact(TARGET, NAME)
    build(site.root, jobs=1)
    earlier.write_bytes(data.replace(b'"projects/bob/', b'"projects/rob/'))
    report = check_site(site.root / "build/site", earlier, jobs=1)
    assert [(fault.code, fault.at) for fault in report.problems] == [("address-lost", "projects/rob/index.html")]


def test_a_build_gives_up_no_address_but_the_one_that_held_the_text(site: LegalSite) -> None:
    build(site.root, jobs=1)
    with DirectoryOutput(site.root / "build/site") as output:
        before = PublishedLog(output)
    site.redact(TARGET, NAME)
    paths = ["projects/ada-quill/index.html", "projects/bob/index.html"]
    faults = lost_addresses(paths, Addresses(Outputs()), before, read_redactions(site.root))
    assert [fault.at for fault in faults] == ["projects/bob/index.html"]

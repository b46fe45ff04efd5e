"""The editorial layer on pages: marked as the publisher's, outside all digests, rendering no more than it must."""

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.errors import Problems
from leaderpress.site.build import BuildReport, build

ADA, BOB = Chain(1, 10, user="Ada"), Chain(2, 20, user="Bob", subject={"licensing": {"declared": "MIT"}})
Files = dict[str, bytes]


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.feed(ADA, BOB)
    return site


def edit(site: TinySite, name: str, text: str) -> None:
    path = site.root / "content" / "overrides" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def make(site: TinySite, out: str = "site") -> BuildReport:
    return build(site.root, jobs=1, out=site.root / "build" / out)


def files(site: TinySite, out: str = "site") -> Files:
    root = site.root / "build" / out
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def twin(site: TinySite, path: str) -> Any:
    return json.loads(files(site)[f"{path}index.json"])["edited"]


def test_what_the_publisher_says_is_a_field_of_its_own_and_marked_on_the_page(site: TinySite) -> None:
    edit(
        site, "projects/ada", 'name = "Ada & Co"\nhomepage = "https://ada.example/"\nlicence = "MIT"\naliases = ["A"]\n'
    )
    make(site)
    page = json.loads(files(site)["projects/ada/index.json"])
    assert page["name"] == page["title"] == "Ada"
    assert page["edited"] == {
        "name": "Ada & Co",
        "items": [
            {**_item("Homepage", "https://ada.example/"), "path": "https://ada.example/"},
            {**_item("Licence", "MIT"), "path": "https://spdx.org/licenses/MIT.html"},
            _item("Also called", "A"),
        ],
        "same_as": [],
        "files": ["content/overrides/projects/ada.toml"],
    }
    text = files(site)["projects/ada/index.html"].decode()
    section = text[text.index("Edited by the publisher") :]
    assert "Ada &amp; Co" in section
    assert "outside every digest" in section
    assert "Ada &amp; Co" not in text[: text.index("Edited by the publisher")]


def _item(label: str, value: str) -> dict[str, object]:
    return {"label": label, "value": value, "path": "", "mono": False, "stated": True, "extra": ""}


def test_a_page_without_an_override_says_nothing_of_it(site: TinySite) -> None:
    make(site)
    assert twin(site, "projects/ada/") is None
    assert all(b"Edited by the publisher" not in data for data in files(site).values())


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("projects/ada", "projects/ada/"),
        ("operations/scan", "operations/scan/"),
        ("hardware/abacus-1", "hardware/abacus-1/"),
        (f"implementations/{BOB.implementation().digest[7:]}", f"implementations/{BOB.implementation().digest[7:]}/"),
    ],
)
def test_an_edit_changes_its_page_and_nothing_else(site: TinySite, name: str, path: str) -> None:
    make(site)
    before = files(site)
    edit(site, name, 'name = "Another name"\n')
    report = make(site)
    after = files(site)
    changed = {file for file in after if after[file] != before.get(file)}
    assert changed == {f"{path}index.html", f"{path}index.json", "SHA256SUMS", "inventory.json"}
    assert report.why == "what changed"
    make(site, "clean")
    assert after == files(site, "clean")
    (site.root / "content" / "overrides" / f"{name}.toml").unlink()
    make(site)
    assert files(site) == before


def test_one_team_under_two_names_is_said_on_both_pages(site: TinySite) -> None:
    make(site)
    edit(site, "projects/ada", 'name = "Ada & Co"\nsame_as = ["bob"]\n')
    make(site)
    assert twin(site, "projects/ada/")["same_as"] == [{"text": "bob", "path": "projects/bob/"}]
    other = twin(site, "projects/bob/")
    assert other["same_as"] == [{"text": "Ada & Co", "path": "projects/ada/"}]
    assert (other["name"], other["items"], other["files"]) == ("", [], ["content/overrides/projects/ada.toml"])
    make(site, "clean")
    assert files(site) == files(site, "clean")


def test_objects_log_and_citations_do_not_know_of_it(site: TinySite) -> None:
    make(site)
    before = files(site)
    edit(site, "projects/ada", 'name = "Another name"\n')
    edit(site, "operations/scan", 'name = "Yet another"\n')
    make(site)
    kept = {path for path in before if path.startswith(("sha256/", "log/", "runs/", "groups/"))}
    assert {path: before[path] for path in kept} == {path: files(site)[path] for path in kept}


@pytest.mark.parametrize(
    ("name", "text", "at", "hint"),
    [
        ("projects/adda", 'name = "A"', "projects/adda.toml", "did you mean ada?"),
        ("projects/ada", 'name = "A"\nsame_as = ["bobb"]', "projects/ada.toml:2", "did you mean bob?"),
        ("hardware/zzz", 'name = "A"', "hardware/zzz.toml", "the last part of the page's address"),
        (f"implementations/{ADA.implementation().digest[7:]}", 'name = "A"', "implementations/", "address"),
    ],
)
def test_an_override_of_no_page_stops_the_build(site: TinySite, name: str, text: str, at: str, hint: str) -> None:
    edit(site, name, text)
    with pytest.raises(Problems) as faults:
        make(site)
    (fault,) = faults.value.problems
    assert fault.code == "override-unknown"
    assert fault.at.startswith(f"content/overrides/{at}")
    assert hint in fault.hint


@pytest.mark.parametrize("name", ["sources/board", "runs/x", "stray", "projects/deep/er"])
def test_an_override_in_a_place_that_means_nothing_is_refused(site: TinySite, name: str) -> None:
    edit(site, name, 'name = "A"')
    with pytest.raises(Problems) as faults:
        make(site)
    assert [fault.code for fault in faults.value.problems] == ["override-kind"]
    assert "operations, projects, implementations, hardware" in faults.value.problems[0].hint


def test_faults_of_several_overrides_come_with_all_others(site: TinySite) -> None:
    edit(site, "projects/ada", "name = 1")
    edit(site, "projects/bob", "rank = 1")
    site.table("nonsense", "other")
    with pytest.raises(Problems) as faults:
        make(site)
    assert {fault.at.partition(":")[0] for fault in faults.value.problems} == {
        "content/overrides/projects/ada.toml",
        "content/overrides/projects/bob.toml",
        "content/sources/other.toml",
    }

"""Reading what stands beside the records: everything at once, with all of its faults."""

from pathlib import Path

import pytest
from tiny_site import TABLE, Chain, TinySite

from leaderpress.errors import Problems
from leaderpress.site.content import TAKEN, defaults_folder, load_content
from leaderpress.site.plan import plan

PAGE = '+++\ntitle = "Us"\n+++\n\nThis is ours.\n'
DEFAULTS = {"about", "methodology", "how-to-cite", "how-to-verify"}


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def write(site: TinySite, name: str, text: str) -> None:
    path = site.root / "content" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_site_has_the_pages_that_ship_with_every_site(site: TinySite) -> None:
    assert set(load_content(site.root).pages) == DEFAULTS == {path.stem for path in defaults_folder().glob("*.md")}


def test_its_own_page_takes_the_place_of_a_default_and_others_are_added(site: TinySite) -> None:
    write(site, "pages/about.md", PAGE)
    write(site, "pages/team.md", PAGE)
    pages = load_content(site.root).pages
    assert set(pages) == DEFAULTS | {"team"}
    assert pages["about"].title == "Us"


def test_notes_come_in_the_order_of_their_names_whatever_the_folder_says(
    site: TinySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b", "a", "c"):
        site.note(name, "dispute", Chain(1).digest)
    real = Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, pattern: sorted(real(self, pattern), reverse=True))
    assert [note.at for note in load_content(site.root).notes] == [f"content/notes/{name}.md" for name in "abc"]


def test_files_of_other_kinds_are_left_alone(site: TinySite) -> None:
    write(site, "notes/.keep", "not a note")
    write(site, "sources/board.toml.bak", "not a table")
    (site.root / "content" / "notes" / "folder.md").mkdir()
    assert load_content(site.root).notes == ()


def test_all_faults_are_found_at_once_each_with_its_place(site: TinySite) -> None:
    write(site, "site.toml", 'title = "T"\npublisher = "P"\nkey = "K!"\ncolour = "red"\n')
    write(site, "sources/broken.toml", TABLE.replace('licence = "CC0-1.0"\n', ""))
    write(site, "notes/one.md", "no fields")
    write(site, "notes/two.md", '+++\nkind = "rumour"\n+++\n')
    write(site, "pages/Bad Name.md", PAGE)
    with pytest.raises(Problems) as faults:
        load_content(site.root)
    places = {(problem.at, problem.code) for problem in faults.value.problems}
    assert {at.split(":")[0] for at, _ in places} >= {
        "content/site.toml",
        "content/sources/broken.toml",
        "content/notes/one.md",
        "content/notes/two.md",
    }
    assert ("content/site.toml:3", "site-value") in places
    assert ("content/site.toml:4", "site-value") in places
    assert ("content/sources/broken.toml", "licence-missing") in {(at.split(":")[0], code) for at, code in places}


@pytest.mark.parametrize("name", ["site.toml", "sources/board.toml", "notes/one.md", "pages/one.md"])
def test_no_faulty_file_is_left_out_in_silence(name: str, site: TinySite) -> None:
    """A withdrawal with a typing error must stop the build, not vanish."""
    write(site, name, "+++\nwrong = \n")
    with pytest.raises(Problems) as faults:
        load_content(site.root)
    assert {problem.at.split(":")[0] for problem in faults.value.problems} == {f"content/{name}"}


@pytest.mark.parametrize(
    "name", ["Bad Name", "runs", "records", "data", "sha256", "Über", "index", "con", "007", "a--b"]
)
def test_a_page_whose_name_cannot_be_its_address_is_refused(name: str, site: TinySite) -> None:
    write(site, "pages/ok.md", PAGE)
    write(site, f"pages/{name}.md", PAGE)
    with pytest.raises(Problems) as faults:
        load_content(site.root)
    assert [(problem.at, problem.code) for problem in faults.value.problems] == [
        (f"content/pages/{name}.md", "page-name")
    ]


def test_every_first_part_of_an_address_in_use_is_taken(site: TinySite) -> None:
    site.feed(Chain(1, subject={"licensing": {"declared": "MIT"}}))
    with site.pages() as at:
        paths = [path for job in plan(at.index, at.content) for path, _ in at.renderer.files(job)]
    first = {path.partition("/")[0] for path in paths if "/" in path}
    assert first - DEFAULTS <= TAKEN

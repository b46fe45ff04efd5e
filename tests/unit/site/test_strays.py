"""What stands where nothing reads it is named, instead of being left out in silence."""

from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress.errors import ContentError, LeaderpressError, Problems
from leaderpress.site.build import build

ONE = Chain(1, 100)


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(ONE)
    made.note("one", "dispute", ONE.digest)
    return made


def faults(site: TinySite) -> list[tuple[str, str]]:
    found: list[LeaderpressError] = []
    try:
        build(site.root, jobs=1)
    except Problems as several:
        found += several.problems
    except ContentError as fault:
        found.append(fault)
    assert all(fault.hint for fault in found)
    return [(fault.code, fault.at) for fault in found]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("notes/2026/one.md", "note-foreign"),
        ("notes/one.txt", "note-foreign"),
        ("notes/one.MD", "note-foreign"),
        ("overrides/projects/ada.yaml", "override-foreign"),
        ("overrides/README", "override-foreign"),
        ("records/notes.txt", "record-foreign"),
    ],
)
def test_a_stray_file_is_named(site: TinySite, path: str, code: str) -> None:
    place = site.root / "content" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("anything", encoding="utf-8")
    assert faults(site) == [(code, f"content/{path}")]


@pytest.mark.parametrize("path", ["notes/.gitkeep", "notes/.git/x.txt", "overrides/.DS_Store", "records/.gitkeep"])
def test_hidden_files_are_left_alone(site: TinySite, path: str) -> None:
    place = site.root / "content" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("anything", encoding="utf-8")
    assert faults(site) == []

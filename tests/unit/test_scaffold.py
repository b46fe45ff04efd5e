"""`leaderpress init`: a new site is valid as it stands and touches nothing that exists."""

import re
from pathlib import Path
from typing import get_args

import pytest

from leaderpress import config, scaffold
from leaderpress.errors import UsageError
from leaderpress.manifests.notes import NoteKind, parse_note


def test_a_new_site_is_found_and_its_settings_are_valid(tmp_path: Path) -> None:
    folder = tmp_path / "GPU Records"
    files = scaffold.init(folder)
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == sorted(files)
    assert config.find_site(folder / "content" / "notes") == folder.resolve()
    settings = config.load_config(folder)
    assert (settings.title, settings.key) == ("Gpu records", "gpu-records")


def test_every_setting_stands_in_the_file_and_the_examples_are_valid(tmp_path: Path) -> None:
    scaffold.init(tmp_path)
    text = (tmp_path / config.SITE_FILE).read_text()
    every = re.sub(r"(?m)^# (?=[a-z_-]+ = |\[)", "", text)
    settings = config.parse_config(every.encode())
    for name in config.SiteConfig.__slots__:
        assert re.search(rf"(?m)^(\[)?{name}\b", every), f"{name} is not mentioned"
    assert settings.permalink_base == "https://records.example.org/"
    assert not settings.outputs.has("hardware", "html")


def test_an_existing_empty_folder_is_taken(tmp_path: Path) -> None:
    assert "content/site.toml" in scaffold.init(tmp_path)


@pytest.mark.parametrize("name", ["content", ".git", "notes.txt"])
def test_a_folder_that_holds_anything_is_left_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError) as caught:
        scaffold.init(tmp_path)
    assert caught.value.code == "init-not-empty"
    assert name in caught.value.problem
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(UsageError) as caught:
        scaffold.init(tmp_path / "x")
    assert caught.value.code == "init-not-a-folder"


def test_what_cannot_be_written_is_our_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a file where a folder is needed")
    with pytest.raises(UsageError):
        scaffold.init(tmp_path / "x" / "y")


KEYS = {
    "GPU Records!": "gpu-records",
    "über": "ber",
    "记录": "site",
    "--a--": "a",
    "": "site",
    "x" * 60: "x" * 40,
    f"{'y' * 39} z": "y" * 39,
}


@pytest.mark.parametrize("name", KEYS)
def test_a_folder_name_becomes_a_valid_citation_key(name: str) -> None:
    key = scaffold.site_key(name)
    assert key == KEYS[name]
    config.parse_config(f'title = "T"\npublisher = "P"\nkey = "{key}"\n'.encode())


def test_the_readme_names_every_command_that_a_publisher_needs_and_how_a_note_is_written(tmp_path: Path) -> None:
    scaffold.init(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    commands = ("ingest", "seal", "build", "check", "check --against", "verify", "edition", "redact")
    assert [command for command in commands if f"leaderpress {command}" not in text] == []
    example = text.partition("```text\n")[2].partition("```")[0]
    note = parse_note(example.replace("<64 digits of the run>", "0" * 64).encode(), "note.md")
    assert (note.kind, note.when) == ("withdrawal", "2026-08-04")
    assert [kind for kind in get_args(NoteKind) if f"`{kind}`" not in text] == []

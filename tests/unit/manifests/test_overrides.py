"""Overrides: what a publisher may say, with a located fault for everything else."""

import pytest

from leaderpress.errors import ContentError, Problems
from leaderpress.manifests.overrides import Override, override_place, parse_override

AT = "content/overrides/projects/ada.toml"
WHOLE = """\
name = "Ada's team"
homepage = "https://ada.example/"
licence = "MIT OR Apache-2.0"
aliases = ["ada.l", "Ada L."]
same_as = ["bob", "cleo-2"]
"""


def test_a_whole_one() -> None:
    assert parse_override(WHOLE.encode(), "projects", "ada", AT) == Override(
        "projects",
        "ada",
        AT,
        "Ada's team",
        "https://ada.example/",
        "MIT OR Apache-2.0",
        ("ada.l", "Ada L."),
        ("bob", "cleo-2"),
    )


@pytest.mark.parametrize("kind", ["operations", "hardware", "implementations", "projects"])
def test_every_kind_may_have_another_name_a_homepage_and_aliases(kind: str) -> None:
    found = parse_override(b'name = "N"\nhomepage = "https://n.example/"\naliases = ["M"]\n', kind, "n", AT)
    assert (found.name, found.homepage, found.aliases) == ("N", "https://n.example/", ("M",))


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("", 0, "override-empty"),
        ("# nothing\n", 0, "override-empty"),
        ('\nhomepage = "ftp://x.example/"\n', 2, "not-an-address"),
        ('homepage = "javascript:alert(1)"\n', 1, "not-an-address"),
        ('name = ""\n', 1, "not-a-line"),
        ("name = 3\n", 1, "wrong-type"),
        ('name = "a\\nb"\n', 1, "not-a-line"),
        ('licence = "Whatever I like"\n', 1, "licence-unknown"),
        ('aliases = "one"\n', 1, "wrong-type"),
        ("aliases = []\n", 1, "wrong-type"),
        ('aliases = ["a", 3]\n', 1, "wrong-type"),
        ('name = "A"\naliases = ["a", "a"]\n', 2, "list-repeats"),
        ('same_as = ["Not A Slug"]\n', 1, "not-a-slug"),
        ('same_as = ["ada"]\n', 1, "override-itself"),
        ('name = "A"\nrank = 1\n', 2, "field-unknown"),
        ("name = \n", 1, "toml-invalid"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, code: str) -> None:
    with pytest.raises(ContentError) as fault:
        parse_override(text.encode(), "projects", "ada", AT)
    assert (fault.value.code, fault.value.at) == (code, f"{AT}:{line}" if line else AT)


@pytest.mark.parametrize(("kind", "field"), [("operations", "licence"), ("hardware", "same_as")])
def test_what_a_kind_cannot_have_is_refused(kind: str, field: str) -> None:
    with pytest.raises(ContentError) as fault:
        parse_override(f'name = "A"\n{field} = "MIT"\n'.encode(), kind, "ada", AT)
    assert (fault.value.code, fault.value.at) == ("field-unknown", f"{AT}:2")
    assert "keys here: name, homepage, aliases" in fault.value.hint


def test_all_faults_of_a_file_are_told() -> None:
    with pytest.raises(Problems) as faults:
        parse_override(b'name = 1\nhomepage = 2\nlicence = "MIT"\n', "projects", "ada", AT)
    assert [fault.at for fault in faults.value.problems] == [f"{AT}:1", f"{AT}:2"]


def test_the_place_of_a_field() -> None:
    assert override_place(WHOLE.encode(), AT, "same_as") == f"{AT}:5"

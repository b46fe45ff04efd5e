"""What the documentation says is true: the tree map, the commands, the words, and the tour with its output."""

import re
import tomllib
from pathlib import Path

import pytest

from leaderpress import __version__
from leaderpress.cli import leaderpress

IGNORED = {".git", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", "__pycache__", "dist"}

GLOSSARY = (
    "source", "dump", "snapshot", "ingester", "rejection", "manifest", "digest", "store", "task", "subject",
    "comparison group", "eligibility", "rank", "leader", "record event", "correction, withdrawal, dispute, attestation",
    "view", "page", "trace", "inventory", "edition", "log",
)  # fmt: skip


@pytest.fixture(scope="module")
def readme(checkout: Path) -> str:
    return (checkout / "README.md").read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """The text below a heading of the second level."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def tree_map(readme: str) -> list[str]:
    """Paths named in the tree map, by its indentation: a folder ends with a slash, several names may share a line."""
    [block] = re.findall(r"```text\n(.*?)```", section(readme, "Tree"), re.DOTALL)
    paths: list[str] = []
    trail: list[str] = []
    for line in block.splitlines():
        names = re.split(r"\s{2,}", line.strip())[0].split()
        depth = (len(line) - len(line.lstrip())) // 2
        trail = trail[:depth]
        paths += ["".join(trail) + name for name in names]
        if names[-1].endswith("/"):
            trail.append(names[-1])
    return paths


def test_everything_in_the_tree_map_exists(readme: str, checkout: Path) -> None:
    missing = [path for path in tree_map(readme) if not (checkout / path).exists()]
    assert missing == []
    assert [path for path in tree_map(readme) if (checkout / path).is_dir() != path.endswith("/")] == []


def test_the_tree_map_names_every_folder_and_every_module_of_the_package(readme: str, checkout: Path) -> None:
    named = set(tree_map(readme))
    top = {p.name + "/" if p.is_dir() else p.name for p in checkout.iterdir() if p.name not in IGNORED}
    unnamed = {name for name in top if name not in named and not name.startswith(".git")}
    package = checkout / "generator" / "leaderpress"
    for path in package.iterdir():
        if path.name in IGNORED or path.name in ("__init__.py", "__main__.py", "py.typed"):
            continue
        name = f"generator/leaderpress/{path.name}" + ("/" if path.is_dir() else "")
        if name not in named:
            unnamed.add(name)
    assert sorted(unnamed) == []


def test_every_command_is_in_the_readme_and_every_command_in_it_exists(readme: str) -> None:
    shown = set(re.findall(r"(?:^|\$ |`|\t| )leaderpress ([a-z]+)\b", section(readme, "Commands")))
    assert shown == set(leaderpress.commands)
    used = set(re.findall(r"^\$ leaderpress (?:--site \S+ )?([a-z]+)\b", readme, re.MULTILINE))
    assert used
    assert used <= set(leaderpress.commands)


def test_the_two_commands_are_targets_of_the_makefile(readme: str, checkout: Path) -> None:
    makefile = (checkout / "Makefile").read_text()
    for target in re.findall(r"\bmake ([a-z]+)\b", readme):
        assert re.search(rf"(?m)^{target}:", makefile), target
    for target in ("site", "test"):
        assert f"make {target}" in readme
    assert re.search(r"(?m)^\s*make test$", (checkout / ".ci" / "run").read_text())


def test_the_glossary_has_every_word(readme: str) -> None:
    glossary = section(readme, "Glossary")
    assert [word for word in GLOSSARY if f"**{word}**" not in glossary] == []


def test_the_changelog_speaks_of_this_version(checkout: Path) -> None:
    changelog = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"(?m)^## {re.escape(__version__)}\b", changelog)


def test_every_dependency_says_why(checkout: Path) -> None:
    text = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    obvious = {"pytest>=8.3", "ruff>=0.9", "leaderpress[zstd]"}
    silent = [
        name
        for name in {name for each in lists for name in each} - obvious
        if not re.search(rf'(?m)^ *"{re.escape(name)}", +# \S', text)
    ]
    assert sorted(silent) == []


def test_the_wheel_takes_along_what_a_site_needs(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert shared == {
        "themes/default": "leaderpress/_share/themes/default",
        "content/defaults": "leaderpress/_share/content/defaults",
    }
    assert all(any((checkout / path).rglob("*.*")) for path in shared)


def test_the_licence_is_the_declared_one(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
    assert "Apache License" in (checkout / "LICENSE").read_text()[:200]

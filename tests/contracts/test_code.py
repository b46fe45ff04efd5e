"""The form of the code: words, sizes, and what must not be left behind in any file."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

Modules = dict[str, ast.Module]

AVOIDED = {
    "result",
    "results",
    "entry",
    "entries",
    "manager",
    "util",
    "utils",
    "helper",
    "helpers",
    "timestamp",
    "misc",
}
"""Words that say nothing about the thing; `item` and `data` are left out, since views and codecs need them."""

ENTRIES = {
    "ingesters": "one upstream thing that is taken or rejected",
    "cite.tex": "BibTeX's own word",
    "checks.feeds": "Atom's own word",
    "site.feeds": "Atom's own word",
    "site.fixed": "Atom's own word",
}
"""Modules (with all below them) in which `entry` is the term of a format, and why."""

LEFTOVERS = {
    "a path of somebody's machine": r"/(?:home|Users)/(?!runner\b)[a-z]+/|/work/(?:main|shared)|/tmp/plan",
    "an unfinished place": r"\b(?:TODO|FIXME|XXX)\b",
    "a conflict marker": r"^(?:<{7}|>{7}) ",
    "a placeholder text": r"(?i)\blorem ipsum\b",
}

TEXT_SUFFIXES = {".py", ".md", ".toml", ".html", ".css", ".js", ".xml", ".svg", ".txt", ".jinja", ".cfg", ""}


def names_defined(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that a module gives to modules, classes, functions, arguments and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, node.lineno


def words_of(name: str) -> set[str]:
    """The words of an identifier, in snake case or camel case; an entry point is a thing of its own."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return set(re.sub(r"entry_points?", "", words).split("_"))


def avoided_in(module: str) -> set[str]:
    """The words that this module must not use."""
    is_term = any(module == place or module.startswith(place + ".") for place in ENTRIES)
    return AVOIDED - {"entry", "entries"} if is_term else AVOIDED


def test_names_avoid_the_words_that_say_nothing(modules: Modules) -> None:
    wrong = [f"{name}: the module's name" for name in modules if set(name.split(".")) & avoided_in(name)]
    wrong += [
        f"{module}:{line} {name}"
        for module, tree in modules.items()
        for name, line in names_defined(tree)
        if words_of(name) & avoided_in(module)
    ]
    assert wrong == []


def functions_of(modules: Modules) -> list[tuple[int, str]]:
    """(lines, place) of every function, docstring included."""
    return sorted(
        ((node.end_lineno or node.lineno) - node.lineno + 1, f"{module}:{node.lineno} {node.name}")
        for module, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_functions_are_short(modules: Modules) -> None:
    lengths = functions_of(modules)
    assert lengths[len(lengths) // 2][0] <= 15, lengths[len(lengths) // 2]
    assert lengths[len(lengths) * 9 // 10][0] < 40, lengths[len(lengths) * 9 // 10]
    assert [place for lines, place in lengths if lines > 80] == []


def test_no_file_holds_more_than_one_concept(checkout: Path) -> None:
    long = {
        str(path.relative_to(checkout)): count
        for path in (checkout / "generator").rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert long == {}


def test_everything_public_is_documented(modules: Modules) -> None:
    silent = []
    for module, tree in modules.items():
        if not ast.get_docstring(tree):
            silent.append(f"{module}: the module")
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                silent += _silent_members(module, node)
        silent += _silent_members(module, tree)
    assert silent == []


def _silent_members(module: str, owner: ast.Module | ast.ClassDef) -> list[str]:
    private = isinstance(owner, ast.ClassDef) and owner.name.startswith("_")
    return [
        f"{module}:{node.lineno} {node.name}"
        for node in owner.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not private
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and not any(getattr(decorator, "attr", "") == "setter" for decorator in node.decorator_list)
    ]


@pytest.fixture(scope="module")
def texts(checkout: Path) -> dict[str, str]:
    """Every tracked or new text file that is not ignored, but for records and dumps, which are not ours to word."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=checkout,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return {
        name: (checkout / name).read_text(encoding="utf-8")
        for name in listed.split("\0")
        if name
        and (checkout / name).is_file()
        and Path(name).suffix in TEXT_SUFFIXES
        and not name.startswith(("content/records/", "tests/contracts/test_code.py"))
        and b"\0" not in (checkout / name).read_bytes()[:4096]
    }


@pytest.mark.parametrize("case", LEFTOVERS)
def test_nothing_is_left_behind(case: str, texts: dict[str, str]) -> None:
    assert len(texts) > 20
    pattern = re.compile(LEFTOVERS[case], re.MULTILINE)
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1} {match[0]}"
        for name, text in texts.items()
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_every_text_ends_with_one_newline_and_has_no_carriage_return(texts: dict[str, str]) -> None:
    wrong = [
        name
        for name, text in texts.items()
        if name.startswith(("generator/", "content/", ".ci/")) and text and (not text.endswith("\n") or "\r" in text)
    ]
    assert wrong == []

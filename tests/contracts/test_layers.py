"""Who may import whom, which packages stay behind which door, and what a build must never ask for."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

Modules = dict[str, ast.Module]

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors", "places", "values", "digests"}),
    frozenset({"canonical", "hosts"}),
    frozenset({"format", "inventory", "config", "log"}),
    frozenset({"manifests", "slugs"}),
    # Views are plain values without an import, so index and theme may both speak of them.
    frozenset({"ingesters", "store", "ranking", "cite", "views"}),
    frozenset({"index", "theme", "editions"}),
    frozenset({"ingest", "site", "checks", "verify", "scaffold", "redaction"}),
    frozenset({"reports"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
"""Lowest first; a part imports itself and what is below it, never its siblings."""

FENCES = {
    "pydantic": ("manifests", "config", "site.schema"),
    "pydantic_core": ("manifests", "config", "site.schema"),
    "annotated_types": ("manifests",),  # comes with pydantic and is part of its interface, as is the next
    "typing_extensions": ("manifests",),
    "jinja2": ("theme", "site.render"),
    "markupsafe": ("theme", "site.render"),
    "markdown_it": ("theme.markdown",),
    "sqlite3": ("index", "site.trace", "site.difference", "site.bulk"),
    "click": ("cli",),
    "rfc8785": ("canonical",),
    "zstandard": ("ingesters",),
    # Ingesters stay pure: a file without a name is memory by another means.
    "tempfile": ("ingest", "ingesters.packed"),
}
"""Package → the modules (with all below them) that may import it."""

AMBIENT = {"time", "random", "secrets", "uuid", "locale", "getpass", "socket", "platform", "urllib.request"}
"""Modules whose answers differ between two builds of the same content."""

AMBIENT_CALLS = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("os", "getenv"),
}

_OUTPUT = ("output", "tree", "stamps", "lock", "exchange", "compose", "commit", "published", "strangers")
WRITERS = (
    "digests",
    "store",
    "editions",
    "ingest",
    "index",
    "scaffold",
    "site.trace",
    "site.unchanged",
    *(f"site.{part}" for part in _OUTPUT),
)
"""Modules that write files."""

WRITING_CALLS = {
    "write_text",
    "write_bytes",
    "mkdir",
    "makedirs",
    "unlink",
    "rmdir",
    "rmtree",
    "replace",
    "rename",
    "touch",
}


def imports_of(name: str, tree: ast.Module, modules: Modules) -> Iterator[tuple[str, int]]:
    """Absolute dotted names that a module imports, with lines; own modules start with `leaderpress`."""
    package = name if is_package(name, modules) else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or "", node.lineno
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if package else []
            base = parts[: len(parts) - (node.level - 1)]
            stem = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{stem}.{alias.name}" if stem else alias.name
                yield ".".join(filter(None, ["leaderpress", full if full in modules else stem])), node.lineno


def is_package(name: str, modules: Modules) -> bool:
    """Whether a module has others below it."""
    return name == "" or any(other.startswith(name + ".") for other in modules)


def part_of(module: str) -> str:
    """The part of the package that an own module belongs to."""
    return module.split(".")[0]


def below(module: str, fence: tuple[str, ...]) -> bool:
    """Whether `module` is one of `fence` or inside one of them."""
    return any(module == name or module.startswith(name + ".") for name in fence)


def test_every_part_of_the_package_has_its_layer(modules: Modules) -> None:
    placed = frozenset().union(*LAYERS)
    assert sorted({part_of(name) for name in modules if name} - placed) == []


def test_a_part_imports_only_what_is_below_it(modules: Modules) -> None:
    height = {part: level for level, layer in enumerate(LAYERS) for part in layer}
    wrong = []
    for name, tree in modules.items():
        for target, line in imports_of(name, tree, modules):
            own = target.removeprefix("leaderpress").lstrip(".")
            if not target.startswith("leaderpress") or not own or not name or part_of(own) == part_of(name):
                continue
            if height.get(part_of(own), -1) >= height[part_of(name)]:
                wrong.append(f"{name}:{line} imports {own}")
    assert wrong == []


def test_the_package_imports_itself_by_relative_names_only(modules: Modules) -> None:
    absolute = [
        f"{name}:{node.lineno}"
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith("leaderpress"))
        or (isinstance(node, ast.Import) and any(alias.name.startswith("leaderpress") for alias in node.names))
    ]
    assert absolute == []


def test_other_packages_stay_behind_their_door(modules: Modules) -> None:
    wrong = [
        f"{name}:{line} imports {target}"
        for name, tree in modules.items()
        for target, line in imports_of(name, tree, modules)
        for package, fence in FENCES.items()
        if (target == package or target.startswith(package + ".")) and not below(name, fence)
    ]
    assert wrong == []


def test_only_declared_packages_are_imported(modules: Modules) -> None:
    known = set(FENCES) | {"orjson", "leaderpress"} | set(sys.stdlib_module_names)
    wrong = {
        f"{name}:{line} imports {target}"
        for name, tree in modules.items()
        for target, line in imports_of(name, tree, modules)
        if target.split(".")[0] not in known
    }
    assert sorted(wrong) == []


def test_what_the_tests_import_is_declared(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = (project["dependencies"], *project["optional-dependencies"].values())
    declared = {re.split(r"[^A-Za-z0-9_-]", name)[0].replace("-", "_").lower() for each in lists for name in each}
    # Distributions whose import has another name, or that come with a declared one and are part of its interface.
    declared |= {"yaml", "markdown_it", "markupsafe", "pydantic_core"} | set(sys.stdlib_module_names)
    files = list((checkout / "tests").rglob("*.py"))
    own = {path.stem for path in files} | {path.name for path in (checkout / "tests").iterdir()} | {"leaderpress"}
    wrong = {
        f"{path.name}: {name}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _roots(node)
        if name not in declared | own
    }
    assert sorted(wrong) == []


def _roots(node: ast.AST) -> list[str]:
    """The top-level packages that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    return [(node.module or "").split(".")[0]] if isinstance(node, ast.ImportFrom) and node.level == 0 else []


def test_nothing_but_the_command_line_asks_for_clock_chance_or_place(modules: Modules) -> None:
    wrong = []
    for name, tree in modules.items():
        if name == "cli":
            continue
        wrong += [f"{name}:{line} imports {t}" for t, line in imports_of(name, tree, modules) if t in AMBIENT]
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                call = (node.value.id, node.attr)
                if call in AMBIENT_CALLS or call == ("os", "environ"):
                    wrong.append(f"{name}:{node.lineno} asks {'.'.join(call)}")
    assert wrong == []


def test_files_are_written_by_the_writers_only(modules: Modules) -> None:
    wrong = [
        f"{name}:{node.lineno} {what}"
        for name, tree in modules.items()
        if not below(name, WRITERS)
        for node in ast.walk(tree)
        if (what := _writes(node))
    ]
    assert wrong == []


def _writes(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        # `replace` is also a method of texts and dates (two arguments or keywords), and of the module dataclasses.
        on_a_path = node.func.attr not in ("replace", "rename") or (len(node.args) == 1 and not node.keywords)
        if node.func.attr in WRITING_CALLS and (owner in ("os", "shutil") or (on_a_path and owner != "dataclasses")):
            return f"calls {node.func.attr}"
    named_open = (isinstance(node.func, ast.Name) and node.func.id == "open") or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "open"
    )
    if named_open:
        words = [
            value.value for value in ast.walk(node) if isinstance(value, ast.Constant) and isinstance(value.value, str)
        ]
        if any(set(word) <= set("rwaxbt+") and set(word) & set("wax+") for word in words):
            return "opens a file for writing"
    return ""


def test_there_is_no_import_cycle(modules: Modules) -> None:
    edges = {
        name: {
            target.removeprefix("leaderpress.")
            for target, _ in imports_of(name, tree, modules)
            if target.startswith("leaderpress.") and target != f"leaderpress.{name}"
        }
        for name, tree in modules.items()
    }
    assert _cycles(edges) == []


def _cycles(edges: dict[str, set[str]]) -> list[str]:
    """Cycles found by a depth-first walk, each as `a → b → a`."""
    done: set[str] = set()
    found: list[str] = []

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            found.append(" → ".join((*trail[trail.index(name) :], name)))
        elif name not in done:
            for target in sorted(edges.get(name, ())):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())
    return found


def test_the_cycle_finder_finds_cycles() -> None:
    assert _cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}) == ["a → b → c → a"]


def test_every_module_imports_alone(modules: Modules, checkout: Path) -> None:
    # One interpreter that has imported nothing of ours forks a child for each module: as good as a fresh start.
    program = """
import importlib, os, sys
faulty = []
for name in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as fault:
            print(f"{name}: {fault!r}", flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        faulty.append(name)
sys.exit(len(faulty) and 1)
"""
    names = [f"leaderpress.{name}".rstrip(".") for name in modules if name != "__main__"]
    done = subprocess.run(
        [sys.executable, "-c", program, *names],
        env={**os.environ, "PYTHONPATH": str(checkout / "generator")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("module", ["click", "pydantic", "jinja2", "sqlite3", "orjson"])
def test_the_command_line_starts_with_click_alone(module: str, checkout: Path) -> None:
    program = f"import sys; from leaderpress import cli; print({module!r} in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(checkout / "generator")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(module == "click")

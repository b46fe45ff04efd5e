"""What the contract tests share: the checkout, and the package as syntax trees."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "generator" / "leaderpress"


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name below `leaderpress` (the package itself is `""`), parsed."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return found

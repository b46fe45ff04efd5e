"""Ingesters are found by slug, imported when asked for, and each brings its source tables."""

import subprocess
import sys
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from leaderpress import ingesters
from leaderpress.errors import UsageError
from leaderpress.manifests.source import parse_source

GENERATOR = Path(ingesters.__file__).parents[2]


@pytest.mark.parametrize("slug", sorted(ingesters.REGISTRY))
def test_every_registered_ingester_has_the_shape_of_one(slug: str) -> None:
    module = ingesters.load(slug)
    assert slug == module.FORMAT
    assert module.VERSION >= 1
    assert all(suffix.startswith(".") for suffix in module.SUFFIXES)


@pytest.mark.parametrize("slug", sorted(ingesters.REGISTRY))
def test_every_source_of_an_ingester_has_a_default_table(slug: str) -> None:
    for source in ingesters.load(slug).SOURCES:
        table = ingesters.default_source(source)
        assert table is not None
        assert parse_source(table, source, source).metrics["latency"].better == "lower"


def test_the_shipped_tables_say_what_the_design_asks_for() -> None:
    def table(slug: str) -> object:
        return parse_source(ingesters.default_source(slug) or b"", slug, slug)

    sol, kernelbot, flashinfer = table("sol-execbench"), table("gpumode-kernelbot"), table("flashinfer-bench")
    assert (sol.licence, sol.order, bool(sol.basis)) == ("none-stated", "sol_score", True)
    assert kernelbot.licence == "LicenseRef-GPUMode-Reciprocity-1.0"
    assert (kernelbot.metrics["score"].unit, kernelbot.metrics["score"].better) == ("s", "lower")
    assert flashinfer.licence == "Apache-2.0"


def test_an_unknown_slug_names_those_that_exist() -> None:
    with pytest.raises(UsageError, match="nobody") as caught:
        ingesters.load("nobody")
    assert "sol-execbench" in caught.value.hint


@pytest.mark.parametrize("slug", ["nobody", "../base", "..", "", "SOL", "sol-execbench.toml"])
def test_no_other_file_is_ever_given_as_a_source_table(slug: str) -> None:
    assert ingesters.default_source(slug) is None


def test_nothing_is_imported_until_it_is_asked_for() -> None:
    script = (
        "import sys, leaderpress.ingesters\n"
        "loaded = [name for name in sys.modules if 'ingesters.' in name or name in ('zstandard', 'pydantic')]\n"
        "print(sorted(loaded))"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=GENERATOR, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['leaderpress.ingesters.base']"


def _provide(monkeypatch: pytest.MonkeyPatch, value: str, module: object) -> None:
    monkeypatch.setitem(sys.modules, "foreign_board", module)
    point = EntryPoint("foreign-board", value, ingesters.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == ingesters.ENTRY_POINTS else [])


def test_another_package_can_provide_an_ingester(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        FORMAT="foreign-board",
        VERSION=1,
        SUFFIXES=(".csv",),
        SOURCES=("foreign-board",),
        ingest=lambda dump, source: iter(()),
        default_source=lambda slug: b'name = "x"' if slug == "foreign-board" else None,
    )
    _provide(monkeypatch, "foreign_board", module)
    assert ingesters.load("foreign-board") is module
    assert ingesters.default_source("foreign-board") == b'name = "x"'
    assert "foreign-board" in ingesters.slugs()


@pytest.mark.parametrize(
    ("value", "code"), [("foreign_board", "ingester-shape"), ("no_such_module_anywhere", "ingester-broken")]
)
def test_a_foreign_ingester_that_cannot_be_used_is_our_error(
    monkeypatch: pytest.MonkeyPatch, value: str, code: str
) -> None:
    _provide(monkeypatch, value, SimpleNamespace(FORMAT="foreign-board", VERSION="1", SUFFIXES=(), SOURCES=()))
    with pytest.raises(UsageError) as caught:
        ingesters.load("foreign-board")
    assert caught.value.code == code

"""Real sites, each made once for all workers of a test run: they cost a minute, the tests on them nearly nothing."""

import fcntl
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from real_site import Made

from leaderpress import cli

SETTINGS = """\
title = "Records"
publisher = "Records"
key = "records"
permalink_base = "https://records.example.org/"
note_url = "https://desk.example/note?target={digest}"
report_url = "https://desk.example/issue?record={digest}&page={permalink}"
"""


Maker = Callable[[Path], None]


def shared(factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of this run see."""
    base = factory.getbasetemp()
    return (base.parent if base.name.startswith("popen-") else base) / "real"


def once(factory: pytest.TempPathFactory, name: str, make: Maker) -> Made:
    """The site of a name, made by whichever worker comes first; the others wait for it."""
    place = shared(factory)
    (place / "users").mkdir(parents=True, exist_ok=True)
    (place / "users" / str(os.getpid())).touch()
    root = place / name
    with (place / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / f"{name}.made").exists():
            shutil.rmtree(root, ignore_errors=True)
            make(root)
            (place / f"{name}.made").touch()
    return Made(root)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Whoever leaves last takes the sites away: they are two gigabytes, and pytest keeps the folders of three runs."""
    factory: pytest.TempPathFactory | None = getattr(session.config, "_tmp_path_factory", None)
    if factory is None or not (users := shared(factory) / "users").is_dir():
        return
    (users / str(os.getpid())).unlink(missing_ok=True)
    if not session.testsfailed and not any(users.iterdir()):
        shutil.rmtree(shared(factory), ignore_errors=True)


def run(*arguments: object, code: int = 0) -> None:
    assert cli.run([str(argument) for argument in arguments]) == code


def start(root: Path, more: str = "") -> None:
    run("init", root)
    (root / "content" / "site.toml").write_text(SETTINGS + more, encoding="utf-8")


def ingest_sol(root: Path, corpus: Path) -> None:
    run("ingest", "sol-execbench", corpus / "data" / "sol-execbench", "--site", root, "--published-at", "2026-08-24")


def ingest_catalogue(root: Path, corpus: Path) -> None:
    (export,) = (corpus / "data" / "kernelindex").glob("*.zst")
    run("ingest", "kernelindex", export, "--site", root, "--published-at", "2026-08-25")


@pytest.fixture(scope="session")
def sol(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The leaderboard's dump, built."""

    def make(root: Path) -> None:
        start(root)
        ingest_sol(root, corpus)
        run("build", "--site", root)

    return once(tmp_path_factory, "sol", make)


@pytest.fixture(scope="session")
def catalogue(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The catalogue export alone, ingested but not built."""

    def make(root: Path) -> None:
        start(root)
        ingest_catalogue(root, corpus)

    return once(tmp_path_factory, "catalogue", make)


@pytest.fixture(scope="session")
def both(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Both in one site, the dump first, built."""

    def make(root: Path) -> None:
        start(root)
        ingest_sol(root, corpus)
        ingest_catalogue(root, corpus)
        run("build", "--site", root)

    return once(tmp_path_factory, "both", make)


def for_disk(made: Made) -> Maker:
    """The same site again, with links for reading from a disk."""

    def make(root: Path) -> None:
        for part in ("content", "build/cache"):
            shutil.copytree(made.root / part, root / part)
        (root / "content" / "site.toml").write_text(SETTINGS + 'links = "file"\n', encoding="utf-8")
        run("build", "--site", root)

    return make


@pytest.fixture(scope="session")
def sol_for_disk(sol: Made, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return once(tmp_path_factory, "sol-for-disk", for_disk(sol))


@pytest.fixture(scope="session")
def both_for_disk(both: Made, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return once(tmp_path_factory, "both-for-disk", for_disk(both))


@pytest.fixture(scope="session")
def export(corpus: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of the catalogue export by table."""
    (path,) = (corpus / "data" / "kernelindex").glob("*.zst")
    text = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    tables: dict[str, list[dict[str, Any]]] = {}
    for line in text.splitlines():
        parsed = json.loads(line)
        tables.setdefault(parsed["table"], []).append(parsed["row"])
    return tables

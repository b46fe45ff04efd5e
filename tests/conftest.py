"""What every test may ask for: the real data, and whether goldens are to be written again."""

import os
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected files of golden tests again")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is for a person who reads the difference; CI only compares")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "corpus" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.corpus)
    # Quick tests first, so that a plain mistake is seen within the first minute.
    items.sort(key=lambda item: any(item.get_closest_marker(name) for name in ("slow", "browser")))


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real dumps and public corpora; they are not part of the repository."""
    named = os.environ.get("LEADERPRESS_CORPUS")
    if named:
        return Path(named)
    if os.environ.get("CI"):
        pytest.fail("LEADERPRESS_CORPUS is not set: CI must run the tests on real data, not skip them")
    pytest.skip("LEADERPRESS_CORPUS is not set")

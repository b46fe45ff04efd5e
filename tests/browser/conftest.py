"""A Chromium, a site of all page kinds, and a server that sends the strict policy as a header too."""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import example_views as views
import pytest

from leaderpress.theme.environment import open_theme

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """The system's Chromium."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("there is no chromium: CI must run the browser tests, not skip them")
        pytest.skip("there is no chromium; name one with CHROMIUM=…")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


def _write(folder: Path, leaf: str) -> Path:
    theme = open_theme()
    for path, data in theme.assets().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    for page in views.PAGES:
        file = folder / page.path if page.kind == "404" else folder / page.path / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(views.render(theme, page, leaf="" if page.kind == "404" else leaf), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example pages with links to folders, as on a server."""
    return _write(tmp_path_factory.mktemp("directory"), "")


class _Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    """Where the example pages are served, with a trailing slash."""
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()

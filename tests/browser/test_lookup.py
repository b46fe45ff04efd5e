"""Shortened addresses: 404.html completes what is unique and lists what is not, below any base path."""

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress.site.build import build

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
OLD_ID = "01a006c1-dd5d-76cf-9e44-f49eb6d945d0"
ONE, TWO = Chain(1, 100, said={"aliases": [OLD_ID]}), Chain(2, 200, user="Bea")
REVISED = Chain(2, 150, user="Bea")
ODD = Chain(3, 50, op="gemm", key="paths/ä |\u2028</script>")
SHARED = (Chain(4, 10, op="sort", key="4a"), Chain(5, 20, op="sort", key="5a"))
"""Two runs that the source gives one external id."""

Open = Callable[[str], Any]


class _Host(http.server.SimpleHTTPRequestHandler):
    """A static host below `/records/`: what is not there is answered by 404.html, as hosts of static sites do."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/records"))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        body = (Path(self.directory) / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    site = TinySite(tmp_path_factory.mktemp("lookup"), 'base_path = "/records/"\n')
    site.feed(
        ONE, TWO, ODD, *(Chain(run.n, run.ns, op=run.op, key=run.key, said={"external_id": "both"}) for run in SHARED)
    )
    site.feed(REVISED)
    build(site.root, jobs=1)
    handler = functools.partial(_Host, directory=str(site.root / "build" / "site"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/records/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(browser: Any, host: str) -> Iterator[Open]:
    """Opens an address below the root of the site, and checks that nothing else was asked and nothing refused."""
    contexts = []
    asked: list[str] = []
    said: list[str] = []

    def opened(path: str, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(host + path, wait_until="networkidle")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(host)] == []
    assert [text for text in said if "404 (Not Found)" not in text] == []


def short(run: Chain, digits: int = 12) -> str:
    return run.digest[7 : 7 + digits]


def page(run: Chain) -> str:
    return f"runs/{run.digest[7:]}/"


COMPLETED = {
    "twelve digits": (short(ONE), page(ONE)),
    "more digits": (short(ONE, 40), page(ONE)),
    "capital letters": (short(ONE).upper(), page(ONE)),
    "with the algorithm": (f"sha256:{short(ONE)}", page(ONE)),
    "below runs": (f"runs/{short(ONE)}", page(ONE)),
    "with a slash": (f"runs/{short(ONE)}/", page(ONE)),
    "with a file": (f"runs/{short(ONE)}/index.html", page(ONE)),
    "an object of an operation": (ONE.operation().digest[7:21], None),
    "an object of a run": (f"sha256/{short(ONE, 2)}/{short(ONE)}", None),
    "an old identifier": (f"runs/{OLD_ID}", page(ONE)),
    "an old identifier in capitals": (OLD_ID.upper(), page(ONE)),
    "the key of a source": ("board/1", page(ONE)),
    "the external id of a source": ("board/run/1", page(ONE)),
    "a key of two runs, of which one stands": ("board/2", page(REVISED)),
    "the run that no longer stands, by digest": (short(TWO), page(TWO)),
    "a key with everything that could break a script": ("board/paths/%C3%A4%20%7C%E2%80%A8%3C/script%3E", page(ODD)),
}


@pytest.mark.parametrize("case", COMPLETED)
def test_what_is_unique_is_followed(case: str, visit: Open, host: str) -> None:
    asked, target = COMPLETED[case]
    tab = visit(asked)
    if target is None:
        digest = ONE.operation().digest if "operation" in case else ONE.digest
        target = f"sha256/{digest[7:9]}/{digest[7:]}.json"
    assert tab.url == host + target
    assert "Page not found" not in tab.content()


def test_a_group_is_followed_and_the_fragment_kept(visit: Open, host: str) -> None:
    tab = visit(short(ONE))
    group = tab.locator("a[href*='groups/']").first.get_attribute("href").split("groups/")[1][:64]
    tab = visit(f"groups/{group[:16]}#ranking")
    assert tab.url == f"{host}groups/{group}/#ranking"


def test_several_are_listed_and_none_is_followed(visit: Open, host: str) -> None:
    tab = visit("board/both")
    assert tab.url == host + "board/both"
    assert tab.get_by_role("status").inner_text().startswith("Several records")
    links = tab.locator("[data-lookup] li a")
    assert {links.nth(place).get_attribute("href") for place in range(links.count())} == {
        f"/records/{page(run)}" for run in _shared()
    }
    links.first.click()
    assert "/runs/" in tab.url


def _shared() -> list[Chain]:
    return [Chain(run.n, run.ns, op=run.op, key=run.key) for run in SHARED]


UNKNOWN = {
    "digits of nothing": ("0123456789ab", "No record"),
    "a whole digest of nothing": (f"runs/{'0' * 64}/", "No record"),
    "too few digits": (short(ONE, 8), "first twelve digits"),
    "a key of nothing": ("board/none", "No record"),
    "a key that objects have": ("constructor/x", "No record"),
    "a member that objects have": ("__proto__/", ""),
    "any other address": ("no-such-page/", ""),
    "an address that is no text": ("%FF%FE", ""),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_is_unknown_is_said_and_stays(case: str, visit: Open, host: str) -> None:
    asked, told = UNKNOWN[case]
    tab = visit(asked)
    assert tab.url == host + asked
    status = tab.get_by_role("status").inner_text()
    assert status.startswith(told) if told == "No record" else told in status
    assert bool(status) is bool(told)


def test_without_script_the_page_says_what_to_do(visit: Open, host: str) -> None:
    tab = visit(short(ONE), java_script_enabled=False)
    assert tab.url == host + short(ONE)
    words = tab.locator("[data-lookup]").inner_text()
    assert "Else look for it in the list of all files" in words
    assert tab.locator("[data-lookup] a").get_attribute("href") == "/records/SHA256SUMS"


def test_a_shard_that_is_gone_is_said(browser: Any, host: str) -> None:
    tab = browser.new_context().new_page()
    tab.route("**/lookup/*", lambda route: route.abort())
    tab.goto(host + short(ONE), wait_until="networkidle")
    assert tab.get_by_role("status").inner_text() == "The list of records could not be loaded."
    tab.context.close()

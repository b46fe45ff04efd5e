"""What only a browser can tell: errors, foreign requests, overflow, accessibility, script off, and from a disk."""

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import example_views as views
import pytest

NAMES = [page.name for page in views.PAGES]
BY_NAME = {page.name: page for page in views.PAGES}
WIDTHS = (320, 360, 480, 640, 767, 768, 1024, 1200, 1280, 1600)
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Open]:
    """Opens an example page by name; its context is closed afterwards."""
    contexts = []

    def opened(name: str, *, width: int = 1280, at: str = address, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.goto(at + BY_NAME[name].path)
        return tab

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_silent_and_asks_no_other_host(browser: Any, address: str, name: str) -> None:
    context = browser.new_context()
    tab = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address + BY_NAME[name].path, wait_until="networkidle")
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(address)] == []
    assert len(asked) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_never_wider_than_its_window(open_page: Open, name: str) -> None:
    tab = open_page(name)
    wide = []
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        if tab.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(width)
    assert wide == []


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_violation_in_either_theme_wide_or_narrow(open_page: Open, name: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    tab = open_page(name, bypass_csp=True)
    found = []
    for scheme, width in itertools.product(("light", "dark"), (360, 1280)):
        tab.emulate_media(color_scheme=scheme)
        tab.set_viewport_size({"width": width, "height": 900})
        report = Axe().run(tab, options={"runOnly": {"type": "tag", "values": AXE_TAGS}}).response
        assert len(report["passes"]) > 15
        found += [
            (scheme, width, rule["id"], [node["html"][:120] for node in rule["nodes"]][:5])
            for rule in report["violations"]
        ]
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_missing_without_script(open_page: Open, name: str) -> None:
    words = """() => { const found = []; const walker = document.createTreeWalker(
        document.querySelector('main'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) found.push(walker.currentNode.data); return found.join(' '); }"""
    without = open_page(name, java_script_enabled=False)
    # With script off only the markup can be asked; it is parsed again in a page that runs none of ours.
    html = without.content()
    bare = open_page("404")
    bare.set_content(re.sub(r"<script[^>]*></script>|<meta http-equiv[^>]*>|<link[^>]*>", "", html))
    plain = bare.evaluate(words)
    scripted = open_page(name).evaluate(words)
    added = {word for word in set(scripted.split()) - set(plain.split()) if not re.fullmatch(r"\d{4}-\d\d-\d\d", word)}
    assert added <= {"Filter", "Copy"}
    assert len(plain.split()) > 5


def test_the_tabs_of_a_citation_work_without_script(open_page: Open) -> None:
    tab = open_page("run", java_script_enabled=False)
    shown = tab.locator(".panel:visible pre")
    assert shown.inner_text().startswith("@misc{")
    tab.get_by_text("RIS", exact=True).click()
    assert shown.inner_text().startswith("TY  - DATA")
    tab.keyboard.press("ArrowRight")
    assert shown.inner_text().startswith("[")


def test_a_download_is_the_citation_byte_for_byte(open_page: Open) -> None:
    tab = open_page("run")
    tab.get_by_text("RIS", exact=True).click()
    with tab.expect_download() as waiting:
        tab.get_by_role("link", name=re.compile(r"Download .*\.ris")).click()
    assert waiting.value.suggested_filename == f"{views.CITATION.key}.ris"
    assert Path(waiting.value.path()).read_bytes() == views.CITATION.ris.encode()


def test_the_date_of_access_and_copy_buttons_are_added_by_script(open_page: Open) -> None:
    tab = open_page("run", permissions=["clipboard-read", "clipboard-write"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", tab.locator("[data-accessed]").inner_text())
    tab.locator(".panel:visible").get_by_role("button", name="Copy").click()
    tab.get_by_role("button", name="Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()") == views.CITATION.bibtex
    tab.locator("#check").locator("xpath=ancestor::section").get_by_role("button", name="Copy").click()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert "sha256sum -c" in copied
    assert ": OK" not in copied


def test_a_long_ranking_can_be_sorted_and_filtered(open_page: Open) -> None:
    tab = open_page("group")
    names = "Array.from(document.querySelectorAll('.ranking tbody tr:not([hidden]) th')).map(e => e.textContent.trim())"
    before = tab.evaluate(names)
    head = tab.locator(".ranking th", has=tab.get_by_role("button", name="Score", exact=True)).first
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert tab.evaluate(names) == before
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert tab.evaluate(names)[0] == before[-1]
    faster = tab.locator(".ranking th", has=tab.get_by_role("button", name="Faster"))
    for _ in range(2):
        faster.get_by_role("button").click()
        assert tab.evaluate(names)[-1].startswith("Cookie"), "a row without a value stays last"
    tab.get_by_label("Filter").first.fill("nader")
    assert len(tab.evaluate(names)) == 2
    assert tab.get_by_role("status").first.inner_text() == f"2 of {len(before)}"


def test_a_short_table_has_neither_buttons_nor_a_filter(open_page: Open) -> None:
    tab = open_page("run")
    assert tab.locator("th button").count() == 0
    assert tab.get_by_label("Filter").count() == 0


@pytest.mark.parametrize("name", ["home", "run", "prose"])
def test_links_to_folders_are_completed_when_read_from_a_disk(open_page: Open, folder: Path, name: str) -> None:
    tab = open_page(name, at="about:blank")
    page = BY_NAME[name]
    tab.goto((folder / page.path / "index.html").as_uri())
    hrefs = tab.evaluate("Array.from(document.links).map(a => a.getAttribute('href'))")
    assert [href for href in hrefs if re.match(r"[^:#?]*/(#|\?|$)", href)] == []
    tab.locator("header a.home").click()
    assert tab.url == (folder / "index.html").as_uri()
    tab.get_by_role("navigation", name="Site").get_by_role("link", name="About").click()
    assert tab.locator("h1").inner_text() == "About"


def test_the_number_is_the_largest_thing_on_the_page(open_page: Open) -> None:
    tab = open_page("run")
    sizes = tab.evaluate(
        "Array.from(document.querySelectorAll('main *')).filter(e => e.childElementCount === 0 && e.textContent.trim())"
        ".map(e => [parseFloat(getComputedStyle(e).fontSize), e.textContent.trim()])"
    )
    assert max(sizes)[1] == "896.8"


def test_a_run_prints_on_three_sheets(open_page: Open) -> None:
    pdf = open_page("run").pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 3


def test_the_keyboard_reaches_the_content_first(open_page: Open) -> None:
    tab = open_page("run")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"

"""Rendering: overriding, escaping, addresses, errors with their place, and the fast path that changes nothing."""

import itertools
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.request import urlopen

import example_views as views
import html5lib
import pytest

from leaderpress.errors import ThemeError
from leaderpress.theme import functions
from leaderpress.theme.environment import Theme, open_theme, section
from leaderpress.views.base import Link

NAMES = [page.name for page in views.PAGES]
BY_NAME = {page.name: page for page in views.PAGES}


@pytest.fixture(scope="module")
def theme() -> Theme:
    return open_theme()


def _site_theme(site: Path, extends: str = "default", **templates: str) -> Theme:
    folder = site / "themes" / "mine"
    (folder / "templates").mkdir(parents=True)
    (folder / "assets").mkdir()
    (folder / "theme.toml").write_text(f'name = "mine"\napi = 1\nextends = "{extends}"\n')
    for stem, text in templates.items():
        (folder / "templates" / f"{stem.replace('_', '-')}.html").write_text(text)
    return open_theme("mine", site=site)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_renders_to_one_heading_and_parses_without_a_fault(theme: Theme, name: str) -> None:
    html = views.render(theme, BY_NAME[name])
    parser = html5lib.HTMLParser(strict=True)
    tree = parser.parse(html)
    levels = [int(node.tag[-1]) for node in tree.iter() if re.fullmatch(r".*\}h[1-6]", str(node.tag))]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels


@pytest.mark.parametrize("name", NAMES)
def test_the_flattened_page_equals_what_plain_inheritance_renders(theme: Theme, name: str) -> None:
    page = BY_NAME[name]
    plain = theme._environment.get_template(f"{page.kind}.html")
    flat = views.render(theme, page)
    theme._templates[(page.kind, ())] = (f"{page.kind}.html", plain)
    try:
        assert views.render(theme, page) == flat
    finally:
        theme._templates.clear()


@pytest.mark.parametrize("name", NAMES)
def test_no_page_has_inline_style_or_script_or_an_unquoted_attribute(theme: Theme, name: str) -> None:
    html = views.render(theme, BY_NAME[name])
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    for node in tree.iter():
        assert not [key for key in node.attrib if isinstance(key, str) and (key == "style" or key.startswith("on"))]
        assert node.tag != "style"
        if node.tag == "script":
            assert node.get("src") or node.get("type") == "application/ld+json"
    for tag in re.findall(r"<[a-z][^<>]*>", html):
        assert not re.search(r"=[^\"\s]", re.sub(r'"[^"]*"', '""', tag)), tag


@pytest.mark.parametrize("name", NAMES)
def test_the_strict_policy_is_the_first_thing_in_a_page(theme: Theme, name: str) -> None:
    tree = html5lib.parse(views.render(theme, BY_NAME[name]), namespaceHTMLElements=False)
    first = tree.find("head")[0]
    assert first.get("http-equiv") == "Content-Security-Policy"
    directives = [part.strip() for part in first.get("content").split(";")]
    assert directives[:4] == ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"]
    assert set(directives[4:]) == {"base-uri 'none'", "form-action 'self'"}


@pytest.mark.parametrize("name", NAMES)
def test_untrusted_names_add_no_node_and_no_address(theme: Theme, name: str) -> None:
    tree = html5lib.parse(views.render(theme, BY_NAME[name]), namespaceHTMLElements=False)
    for node in tree.iter():
        assert node.tag not in ("img", "iframe", "object")
        for key in ("href", "src", "action"):
            address = node.get(key, "")
            assert not address.lower().startswith(("javascript:", "vbscript:"))
            assert not address.startswith("data:") or node.get("download")


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_every_reference_to_one_resolves(theme: Theme, name: str) -> None:
    tree = html5lib.parse(views.render(theme, BY_NAME[name]), namespaceHTMLElements=False)
    ids = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    for node in tree.iter():
        wanted = [*node.get("aria-labelledby", "").split(), *([node.get("for")] if node.get("for") else [])]
        wanted += [node.get("href")[1:]] if node.get("href", "").startswith("#") else []
        assert set(wanted) <= set(ids)


def test_links_are_relative_and_end_in_a_folder_or_in_its_file(theme: Theme) -> None:
    folders = views.render(theme, BY_NAME["run"])
    files = views.render(theme, BY_NAME["run"], leaf="index.html")
    assert f'href="../../{views.KEY_PATH}"' in folders
    assert f'href="../../{views.KEY_PATH}index.html"' in files
    assert 'href="../../operations/index.html#family-elementwise"' in files
    assert f'href="../../{views.DOCUMENTS[0].path}"' in files


def test_only_404_has_absolute_links(theme: Theme) -> None:
    site = replace(views.SITE, base_path="/records/")
    lost = views.render(theme, BY_NAME["404"], site=site)
    assert 'href="/records/operations/"' in lost
    assert f'href="/records/{theme.asset("site.css")}"' in lost
    assert not re.search(r'(?:href|src)="/', views.render(theme, BY_NAME["run"], site=site))


def test_the_navigation_marks_the_section_of_a_page() -> None:
    nav = views.SITE.nav
    cases = {
        "": None,
        "operations/": "operations/",
        "operations/x/": "operations/",
        "runs/ab/": "operations/",
        "groups/ab/2/": "operations/",
        "implementations/ab/": "implementations/",
        "unknown/": None,
    }
    for path, expected in cases.items():
        found = section(nav, path)
        assert (found.path if found else None) == expected, path
    assert section((Link("Tasks", "tasks/"),), "runs/ab/") == Link("Tasks", "tasks/")


def test_one_file_overrides_one_template_and_the_rest_stays(tmp_path: Path) -> None:
    mine = _site_theme(tmp_path, task='{% extends "!default/task.html" %}{% block built %} with care{% endblock %}')
    default = open_theme()
    page = BY_NAME["task"]
    assert views.render(mine, page) == views.render(default, page).replace("0.1.0 ·", "0.1.0 with care ·")
    assert views.render(mine, BY_NAME["run"]) == views.render(default, BY_NAME["run"])


def test_a_base_of_ones_own_changes_the_chrome_of_every_page(tmp_path: Path) -> None:
    mine = _site_theme(tmp_path, base="<!doctype html><title>x</title>{% block main %}{% endblock %}")
    for name in ("task", "run", "home"):
        assert views.render(mine, BY_NAME[name]).startswith("<!doctype html><title>x</title>")


def test_super_keeps_what_it_builds_on(tmp_path: Path) -> None:
    text = '{% extends "!default/sources.html" %}{% block main %}<p>first</p>{{ super() }}{% endblock %}'
    mine = _site_theme(tmp_path, sources=text)
    html = views.render(mine, BY_NAME["sources"])
    assert "<p>first</p>" in html
    assert '<h2 id="terms">' in html


def test_a_template_for_one_source_is_preferred(tmp_path: Path) -> None:
    mine = _site_theme(tmp_path, run_board="board: {{ page.short }}", run="any")
    page = BY_NAME["run"]
    arguments = {"page": page.view, "site": views.SITE, "head": views.head("x"), "root": "", "leaf": "", "path": ""}
    assert mine.render("run", variants=("board",), **arguments) == "board: fa4d9808"
    assert mine.render("run", variants=("other",), **arguments) == "any"


@pytest.mark.parametrize(
    ("template", "code", "place", "problem"),
    [
        ("a\n{{ page.absent }}", "template-failed", "run.html:2", "absent"),
        ("a\n\n{{ nobody }}", "template-failed", "run.html:3", "nobody"),
        (
            '{% extends "base.html" %}\n{% block main %}\n\n{{ 1 / 0 }}{% endblock %}',
            "template-failed",
            "run.html:4",
            "zero",
        ),
        ('\n{% include "_broken.html" %}', "template-failed", "_broken.html:3", "absent"),
        ("a\n{% if %}", "template-syntax", "run.html:2", "Expected"),
        ('{% include "_absent.html" %}', "template-missing", "", "_absent.html"),
        ('{{ asset("absent.css") }}', "asset-missing", "", "absent.css"),
    ],
)
def test_a_fault_in_a_template_names_its_file_and_line(
    tmp_path: Path, template: str, code: str, place: str, problem: str
) -> None:
    mine = _site_theme(tmp_path, run=template, _broken="\n\n{{ page.absent }}")
    (tmp_path / "themes/mine/templates/_broken.html").write_text("\n\n{{ page.absent }}")
    with pytest.raises(ThemeError) as caught:
        views.render(mine, BY_NAME["run"])
    assert caught.value.code == code
    assert caught.value.at.endswith(place)
    assert problem in caught.value.problem


def test_assets_are_named_after_their_bytes_and_a_nearer_one_counts(tmp_path: Path) -> None:
    _site_theme(tmp_path)
    (tmp_path / "themes/mine/assets/site.css").write_text("body{}")
    mine, default = open_theme("mine", site=tmp_path), open_theme()
    assert mine.assets()[mine.asset("site.css")] == b"body{}"
    assert re.fullmatch(r"assets/site\.[0-9a-f]{8}\.css", mine.asset("site.css"))
    assert mine.asset("site.css") != default.asset("site.css")
    assert mine.asset("site.js") == default.asset("site.js")


@pytest.mark.parametrize("name", ["Site.css", "site.html", "a b.css", "site.CSS", "noext"])
def test_an_asset_that_cannot_be_published_is_refused(tmp_path: Path, name: str) -> None:
    _site_theme(tmp_path)
    (tmp_path / "themes/mine/assets" / name).write_text("x")
    with pytest.raises(ThemeError, match="cannot be published"):
        open_theme("mine", site=tmp_path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("runs/ab/", "../runs/ab/index.html"),
        ("sha256/ab/abcd.json", "../sha256/ab/abcd.json"),
        ("operations/#gemm", "../operations/index.html#gemm"),
        ("search/?q=a&b", "../search/?q=a&b"),
        ("", ""),
        ("https://example.org/?a=1&b=2", "https://example.org/?a=1&b=2"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("javascript:alert(1)", ""),
        ("JAVASCRIPT:alert(1)/", ""),
        ("data:text/html,x", ""),
        ("//evil.example/", ""),
        ("/runs/", ""),
        ("https://a b", ""),
        ("https://example.org/\n", ""),
        ("java\nscript:x", ""),
        ('runs/"onclick="x', ""),
    ],
)
def test_an_address_is_completed_or_refused(path: str, expected: str) -> None:
    assert functions.linker("../", "index.html")(path) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"a":[1.0,1e2,-0.0,1E400,123456789012345678901234567890],"b":"x\\"y, {z}: [","c":{},"d":[]}',
        '{"e":[[1],{"f":null}]}',
        "[]", "{}", "1.10", '"a"', "[true,false,null]",
    ],
)  # fmt: skip
def test_json_is_indented_without_a_change_to_any_literal(text: str) -> None:
    shown = functions.pretty(text)
    back = shown.unescape()
    assert re.sub(r'("(?:[^"\\]|\\.)*")|\s+', r"\1", back) == text
    if "1E400" not in text:
        assert json.loads(back) == json.loads(text)


def test_json_for_reading_is_escaped() -> None:
    assert "<" not in functions.pretty('{"a":"</pre><script>"}')


def test_json_in_a_script_element_cannot_end_it_and_keeps_its_values() -> None:
    value = {"name": "</script><!--<script>&amp;\u2028"}
    shown = functions.json_script(json.dumps(value))
    assert not set("<>&") & set(shown)
    assert json.loads(shown) == value


@pytest.mark.parametrize("text", ["", "a%20b\r\n\t#<>\"{}|\\^`[]?&+'ü🚀", "".join(map(chr, range(32, 127)))])
def test_a_download_holds_the_exact_text_and_survives_an_attribute(text: str) -> None:
    found: list[str | None] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(dict(attrs)["href"])

    address = f"data:text/plain;charset=utf-8;base64,{functions.base64(text)}"
    Reader().feed(f'<a href="{address}">')
    assert found == [address]
    with urlopen(address) as download:
        assert download.read().decode() == text
    assert not set(functions.base64(text)) & set(' "&<>#\n\r\t{}\\`|^[]')


def test_names_are_set_apart_and_hidden_characters_shown() -> None:
    assert functions.name("<a\u202eb>") == "<bdi>&lt;a⟨U+202E⟩b&gt;</bdi>"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (functions.count(999), "999"),
        (functions.count(7857), "7\u202f857"),
        (functions.plural(1, "run"), "1 run"),
        (functions.plural(2000, "run"), "2\u202f000 runs"),
        (functions.plural(0, "entry", "entries"), "0 entries"),
        (functions.spelled(6), "six"),
        (functions.spelled(13), "13"),
        (functions.lower_first("Latency"), "latency"),
        (functions.lower_first("SOL score"), "SOL score"),
        (functions.upper_first("mean latency"), "Mean latency"),
        (functions.grouped("1<\u202f2"), '1&lt;<span class="th">\u202f</span>2'),
    ],
)
def test_words_and_counts(call: str, expected: str) -> None:
    assert call == expected

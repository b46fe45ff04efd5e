"""Markdown, read back as a browser would: every attack of the corpora in many places, and CommonMark itself."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import html5lib
import pytest
from markdown_it import MarkdownIt
from markupsafe import Markup

from leaderpress.errors import ContentError, Problems
from leaderpress.theme.markdown import (
    MAX_NESTING,
    MAX_UNTRUSTED_BYTES,
    Heading,
    PageSource,
    read_page,
    render_page,
    render_untrusted,
)

ELEMENTS = {
    "a", "blockquote", "br", "code", "div", "em", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    ("a", "href"): r"(?i:https?://|mailto:)[^\s\\]+",
    ("a", "rel"): "nofollow noopener ugc",
    ("a", "title"): r"(?s).*",
    ("ol", "start"): r"\d+",
    ("code", "class"): r"language-[a-z0-9][a-z0-9+#-]*",
    ("th", "class"): r"align-(left|center|right)",
    ("td", "class"): r"align-(left|center|right)",
}
CONTEXTS: dict[str, Callable[[str], str]] = {
    "text": lambda attack: attack,
    "after text": lambda attack: f"see {attack} here",
    "link": lambda attack: f"[x]({attack})",
    "pointed link": lambda attack: f"[x](<{attack}>)",
    "link title": lambda attack: f'[x](https://e.example "{attack}")',
    "link text": lambda attack: f"[{attack}](https://e.example)",
    "autolink": lambda attack: f"<{attack}>",
    "reference": lambda attack: f"[x][r]\n\n[r]: {attack}\n",
    "pointed reference": lambda attack: f"[x][r]\n\n[r]: <{attack}> '{attack}'\n",
    "picture": lambda attack: f"![{attack}]({attack})",
    "code": lambda attack: f"`{attack}`",
    "fence": lambda attack: f"```{attack}\n{attack}\n```",
    "heading": lambda attack: f"# {attack}\n\n{attack}\n===",
    "list": lambda attack: f"- {attack}\n  1. {attack}",
    "quote": lambda attack: f"> {attack}",
    "table": lambda attack: f"| {attack} | b |\n|:-:|--:|\n| {attack} | {attack} |",
    "emphasis": lambda attack: f"**{attack}** _{attack}_ ~~{attack}~~",
}


def faults(html: str) -> list[str]:
    """What a browser would find in the HTML that Markdown of ours must not make."""
    root = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    found = []
    for element in root.iter():
        if element is root:
            continue
        if not isinstance(element.tag, str) or element.tag not in ELEMENTS:
            found.append(f"<{element.tag}>")
        for name, value in element.attrib.items():
            rule = ATTRIBUTES.get((str(element.tag), name))
            if rule is None or not re.fullmatch(rule, value):
                found.append(f"{element.tag} {name}={value!r}")
    return found


def check_attacks(attacks: Iterable[str], context: str) -> int:
    """Render every attack, parse many results at once; a fault that only appears joined still is one."""
    html = [f"<div>{render_untrusted(CONTEXTS[context](attack))}</div>" for attack in attacks]
    for start in range(0, len(html), 500):
        part = html[start : start + 500]
        assert faults("".join(part)) == []
        assert len(html5lib.parseFragment("".join(part), namespaceHTMLElements=False)) == len(part)
    return len(html)


ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&Tab;script:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "//evil.example/x",
    "/\\evil.example",
    "\\\\evil.example",
    "https://good.example@evil.example/",
    "https://xn--80ak6aa92e.example/",
    "blob:https://e.example/x",
    "feed:javascript:alert(1)",
    '"><svg onload=alert(1)>',
    "x' onmouseover='alert(1)",
    "x](javascript:alert(1)) [y",
    "</code></pre><script>",
    "javascript:alert(1)//](https://e.example)",
)


def test_the_judge_finds_what_it_must_find() -> None:
    bad = '<script>1</script><p onclick="x">a</p><a href="javascript:1">b</a><img src="x"><td style="x">'
    assert len(faults(bad)) >= 4


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_attack_adds_a_node(context: str) -> None:
    assert check_attacks(ATTACKS, context) == len(ATTACKS)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("context", CONTEXTS)
def test_no_attack_of_the_corpora_adds_a_node(context: str, corpus: Path) -> None:
    assert check_attacks(attacks_of(corpus), context) > 2500


def attacks_of(corpus: Path) -> list[str]:
    folder = corpus / "corpora"
    texts: list[str] = json.loads((folder / "xss/all_unique.json").read_bytes())
    texts += json.loads((folder / "xss/bad_urls.json").read_bytes())
    texts += json.loads((folder / "naughty-strings/blns.json").read_bytes())
    texts += [example["markdown"] for example in commonmark(corpus)]
    for name in ("0xcela_event_handlers", "port_swigger_xss_cheatsheet_event_handlers"):
        handlers = (folder / f"xss/{name}.txt").read_text().split()
        texts += [f"<b {handler}=alert(1)>x</b>" for handler in handlers]
    return texts


def commonmark(corpus: Path) -> list[dict[str, str]]:
    examples: list[dict[str, str]] = json.loads((corpus / "corpora/commonmark/commonmark.json").read_bytes())
    return examples


# Examples of the CommonMark specification by number: fences whose first word cannot be a class of ours, and links to
# what cannot be a path of a site: other schemes, nothing at all, `./`, brackets, letters beyond ASCII.
ODD_LANGUAGES = {24, 34, 144}
NO_SITE_PATH = {22, 23, 32, 33, 194, 195, 200, 202, 206, 484, 485, 486, 487, 489, 492, 495, 496, 498, 499, 500, 501}
NO_SITE_PATH |= {502, 503, 504, 507, 522, 567, 596, 598, 599, 601}


@pytest.mark.corpus
def test_pages_render_commonmark(corpus: Path) -> None:
    """Every example that needs no raw HTML, save those that a page of ours may not or does not write that way."""
    other, refused, same = set(), set(), 0
    for example in commonmark(corpus):
        if needs_raw_html(example["markdown"]):
            continue
        try:
            page = render_page(example["markdown"], link=lambda path: path)
        except Problems:
            refused.add(example["example"])
            continue
        title = f"<h1>{page.title}</h1>\n" if page.title is not None else ""
        if plain(title + re.sub(r' id="s-[^"]*"', "", page.html)) == plain(example["html"]):
            same += 1
        else:
            other.add(example["example"])
    assert other == ODD_LANGUAGES
    assert refused == NO_SITE_PATH
    assert same > 500


def needs_raw_html(text: str) -> bool:
    tokens = MarkdownIt("commonmark").parse(text)
    kinds = {token.type for block in tokens for token in (block, *(block.children or ()))}
    return bool(kinds & {"html_block", "html_inline"})


def plain(html: str) -> str:
    """HTML without what this package writes otherwise on purpose: slashes of paths, inline markup of a title."""
    html = re.sub(r"<h1>(.*?)</h1>", lambda match: f"<h1>{re.sub(r'<[^>]+>', '', match[1])}</h1>", html, flags=re.S)
    html = re.sub(r'(href|src)="/', r'\1="', html).replace(" />", ">")
    return re.sub(r">\s+<", "><", " ".join(html.split()))


def links(html: str) -> list[tuple[str, dict[str, str]]]:
    root = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    return [("".join(element.itertext()), dict(element.attrib)) for element in root.iter("a")]


UNTRUSTED_LINKS = [
    ("[a](https://e.example/x?y=1#z)", "https://e.example/x?y=1#z"),
    ("[a](HTTP://e.example)", "HTTP://e.example"),
    ("<https://e.example>", "https://e.example"),
    ("[a](mailto:x@e.example)", "mailto:x@e.example"),
    ("<x@e.example>", "mailto:x@e.example"),
    ("[a](javascript:x)", None),
    ("[a](//e.example)", None),
    ("[a](runs/x/)", None),
    ("[a](/runs/x/)", None),
    ("[a](#x)", None),
    ("[a]()", None),
    ("[a](ftp://e.example)", None),
    ("[a](https:e.example)", None),
    ("[a](https:///x)", None),
    ("[a](https://u@e.example)", None),
    ("[a](https://u:p@e.example)", None),
    ("[a](https://аpple.example)", None),
    ("[a](https://xn--pple-43d.example)", None),
    ("[a](https://e.example/@user)", "https://e.example/@user"),
    ("https://e.example", None),
]


@pytest.mark.parametrize(("text", "href"), UNTRUSTED_LINKS)
def test_untrusted_text_links_only_to_plain_addresses(text: str, href: str | None) -> None:
    found = [attributes for _, attributes in links(render_untrusted(text))]
    assert found == ([{"href": href, "rel": "nofollow noopener ugc"}] if href else [])


def test_a_refused_link_stays_readable() -> None:
    assert render_untrusted("[a](javascript:x) b") == "<p>[a](javascript:x) b</p>\n"


def test_untrusted_text_links_into_the_site_only_where_a_linker_is_given() -> None:
    html = render_untrusted("[a](runs/x/#y) [b](../etc) [c](no/) [d](//e.example)", link=only_runs)
    assert [(text, attributes["href"]) for text, attributes in links(html)] == [("a", "../../runs/x/#y")]
    assert html == (
        '<p><a href="../../runs/x/#y" rel="nofollow noopener ugc">a</a> [b](../etc) c [d](//e.example)</p>\n'
    )


def only_runs(path: str) -> str:
    return "../../" + path if path.startswith("runs/") else ""


def test_untrusted_text_has_no_pictures() -> None:
    html = render_untrusted("![a](https://e.example/p.png)")
    assert html == '<p>!<a href="https://e.example/p.png" rel="nofollow noopener ugc">a</a></p>\n'


def test_untrusted_headings_stand_below_those_of_the_page() -> None:
    html = render_untrusted("# a\n\n### b\n\n###### c")
    assert html == "<h4>a</h4>\n<h6>b</h6>\n<h6>c</h6>\n"


def test_hidden_characters_are_written_out_and_tabs_and_lines_stay() -> None:
    assert (
        render_untrusted("a\u202eb\x01\r\nc\rd\n\n\tcode")
        == "<p>a⟨U+202E⟩b⟨U+0001⟩\nc\nd</p>\n<pre><code>code\n</code></pre>\n"
    )


def test_untrusted_text_may_be_any_string() -> None:
    assert render_untrusted("\0 \ud800") == "<p>⟨U+0000⟩ ⟨U+D800⟩</p>\n"


def test_tables_are_aligned_by_classes_and_not_by_styles() -> None:
    html = render_untrusted("| a | b | c |\n|:--|:-:|---|\n| 1 | 2 | 3 |")
    assert '<th class="align-left">a</th>' in html
    assert '<td class="align-center">2</td>' in html
    assert "<td>3</td>" in html
    assert "style" not in html


@pytest.mark.parametrize(
    ("info", "expected"),
    [("python", ' class="language-python"'), ("c++ x", ' class="language-c++"'), ("a b=c", ' class="language-a"'),
     ("", ""), ("PY", ""), ('x"y', ""), ("é", ""), ("a" * 21, ""), ("line-numbers&quot;x", "")],
)  # fmt: skip
def test_only_a_plain_word_becomes_the_language_of_a_block(info: str, expected: str) -> None:
    assert f"<pre><code{expected}>" in render_untrusted(f"```{info}\nx\n```")


def test_the_largest_field_is_rendered_and_one_byte_more_is_refused() -> None:
    assert len(render_untrusted("é" * (MAX_UNTRUSTED_BYTES // 2))) > MAX_UNTRUSTED_BYTES // 2
    with pytest.raises(ContentError, match="16385 bytes") as caught:
        render_untrusted("é" * (MAX_UNTRUSTED_BYTES // 2) + "x", at="notes/a.md")
    assert caught.value.at == "notes/a.md"


NESTS = {
    "quotes": lambda depth: ">" * depth + " x",
    "lists": lambda depth: "\n".join("  " * level + "- x" for level in range(depth)),
    "emphasis": lambda depth: "**" * depth + "x" + "**" * depth,
}


@pytest.mark.parametrize("shape", NESTS)
@pytest.mark.parametrize("depth", [51, 60, 63, 64, 65, 100])
def test_what_is_nested_too_deep_is_refused_and_never_cut_off(shape: str, depth: int) -> None:
    text = NESTS[shape](depth)
    for render in (render_untrusted, render_page):
        with pytest.raises(ContentError, match="nested more than 50") as caught:
            render(text, at="x.md")
        assert caught.value.at.startswith("x.md:")


def test_what_is_nested_as_deep_as_allowed_is_whole() -> None:
    html = render_untrusted(">" * (MAX_NESTING - 1) + " x")
    assert html.count("<blockquote>") == MAX_NESTING - 1
    assert "<p>x</p>" in html


@pytest.mark.parametrize("opening", ["[", "![", "`", "*", "_", "(", "<", "~~", "&", "\\"])
def test_repeated_openings_lose_no_text(opening: str) -> None:
    html = render_untrusted(opening * 400 + "needle")
    assert "needle" in html


def test_a_page_gives_title_headings_and_html() -> None:
    page = render_page("# The *title* `x`\n\n## One & two\n\ntext\n\n## One & two\n\n### 日本\n")
    assert page.title == "The title x"
    assert page.contents == (
        Heading(2, "s-one-two", "One & two"),
        Heading(2, "s-one-two-2", "One & two"),
        Heading(3, "s-section", "日本"),
    )
    assert page.html == (
        '<h2 id="s-one-two">One &amp; two</h2>\n<p>text</p>\n'
        '<h2 id="s-one-two-2">One &amp; two</h2>\n<h3 id="s-section">日本</h3>\n'
    )
    assert Markup(page) == page.html


def test_ids_of_headings_never_repeat() -> None:
    page = render_page("## a\n## a 2\n## a\n## a\n## b\n")
    ids = [heading.id for heading in page.contents]
    assert ids == ["s-a", "s-a-2", "s-a-3", "s-a-4", "s-b"]


def test_only_a_heading_at_the_start_is_the_title() -> None:
    page = render_page("text\n\n# Later\n")
    assert page.title is None
    assert page.contents == (Heading(1, "s-later", "Later"),)


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("methodology/", "R/methodology/L"),
        ("/methodology/", "R/methodology/L"),
        ("../methodology/#s-x", "R/methodology/#s-xL"),
        ("compare/?run=ab&run=cd", "R/compare/?run=ab&amp;run=cdL"),
        ("data/runs.csv", "R/data/runs.csvL"),
        ("#s-here", "#s-here"),
        ("https://e.example/a b", None),
        ("https://e.example/", "https://e.example/"),
        ("mailto:x@e.example", "mailto:x@e.example"),
    ],
)
def test_a_page_links_by_site_path(target: str, href: str | None) -> None:
    html = render_page(f"[x]({target})\n\n## Here", link=lambda path: f"R/{path}L").html
    assert (f'href="{href}"' in html) if href else ("href" not in html)


def test_pictures_of_a_page_are_files_of_the_site() -> None:
    assert render_page("![a](assets/a.png)", link=lambda path: f"R/{path}").html == (
        '<p><img src="R/assets/a.png" alt="a"></p>\n'
    )


BAD_PAGE_LINKS = [
    "javascript:x",
    "//e.example",
    "../../x",
    "x/../y",
    "#s-missing",
    "#",
    "ftp://e.example",
    "data:x",
    "a:b",
]


@pytest.mark.parametrize("target", BAD_PAGE_LINKS)
def test_a_bad_link_on_a_page_is_an_error_with_its_line(target: str) -> None:
    with pytest.raises(Problems) as caught:
        render_page(f"text\n\n[x]({target})", at="pages/a.md", first_line=5)
    assert [problem.at for problem in caught.value.problems] == ["pages/a.md:7"]


def test_all_bad_links_of_a_page_are_reported() -> None:
    with pytest.raises(Problems) as caught:
        render_page("[x](a:b)\n\n![p](https://e.example/p.png)\n\n[y](gone/)", link=lambda path: "", at="a.md")
    assert [problem.at for problem in caught.value.problems] == ["a.md:1", "a.md:3", "a.md:5"]


def test_a_page_has_no_raw_html() -> None:
    assert render_page("<b>x</b>\n\n<script>y</script>").html == (
        "<p>&lt;b&gt;x&lt;/b&gt;</p>\n<p>&lt;script&gt;y&lt;/script&gt;</p>\n"
    )


def test_front_matter_and_text_are_read_apart() -> None:
    data = '\ufeff+++\r\ntitle = "About +++"\ndescription = "What"\n+++\n\nText\n+++\n'.encode()
    assert read_page(data, "a.md") == PageSource("About +++", "What", "\nText\n+++\n", 5)


@pytest.mark.parametrize(
    ("data", "at", "code"),
    [
        (b"", "a.md:1", "page-front-matter"),
        (b"# x\n", "a.md:1", "page-front-matter"),
        (b"+++\ntitle = 'x'\n", "a.md:1", "page-front-matter"),
        (b"+++\n+++\n", "a.md:1", "page-title"),
        (b"+++\ntitle = ''\n+++\n", "a.md:1", "page-title"),
        (b"+++\ntitle = 'x'\nx = \n+++\n", "a.md:3", "page-front-matter"),
        (b"+++\ntitle = 'x'\ntitle = 'y'\n+++\n", "a.md:3", "page-front-matter"),
        (b"+++\ntitle = 'x'\n\ncolour = 'y'\n+++\n", "a.md:4", "page-front-matter"),
        (b"+++\ntitle = 7\n+++\n", "a.md:2", "page-front-matter"),
        (b"+++\ntitle = 'x'\n+++\n\nbad \xff\n", "a.md:5", "page-encoding"),
        (b"+++\ntitle = 'x'\n+++\n\n\x01\n", "a.md:5", "page-control"),
    ],
)
def test_a_bad_page_is_an_error_with_its_line(data: bytes, at: str, code: str) -> None:
    with pytest.raises(ContentError) as caught:
        read_page(data, "a.md")
    assert (caught.value.at, caught.value.code) == (at, code)


def test_the_line_of_a_fault_counts_the_front_matter() -> None:
    source = read_page(b"+++\ntitle = 'x'\n+++\n\n[x](a:b)\n", "a.md")
    with pytest.raises(Problems) as caught:
        render_page(source.text, at="a.md", first_line=source.first_line)
    assert caught.value.problems[0].at == "a.md:5"

"""Feeds, sitemaps, robots.txt and llms.txt, read back as XML and Markdown, with hostile names throughout."""

import re
import unicodedata
from dataclasses import replace
from urllib.robotparser import RobotFileParser

import pytest
from lxml import etree
from markdown_it import MarkdownIt

from leaderpress.errors import BuildError
from leaderpress.site import feeds
from leaderpress.site.feeds import Address, Event, Feed, Section, atom, llms_txt, robots_txt, sitemap

ATOM = "{http://www.w3.org/2005/Atom}"
MAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
BASE = "https://board.example/x/"

HOSTILE = (
    "plain",
    "<b>&amp;</b> ]]> <![CDATA[x]]>",
    "\"quoted\" 'single'",
    "controls \x01\x0b\x1f\x7f\x85 end",
    "line\r\nbreak\u2028and\ttab",
    "Łukasz 田中 🚀👩‍🔬 e\u0301",
    "surrogate \ud800 non-character \ufffe\uffff",
    "[link](javascript:x) `code` *em* _x_ ![p](q) | ~~s~~ # h",
    "- not a list",
    "12. not a list",
    "=== not a heading",
    "> not a quotation",
    "&lt; &copy; \\ end \\",
    "](evil) [",
    "<https://e.example>",
)


def kept(text: str) -> str:
    """What a reader must get back; written apart from the package's own rule."""
    gone = {"\ud800", "\ufffe", "\uffff"}
    spaced = ["" if c in gone else " " if unicodedata.category(c) == "Cc" else c for c in text]
    return " ".join(unicodedata.normalize("NFC", "".join(spaced)).split())


def event(number: int, **changed: object) -> Event:
    plain = Event(
        id=f"{BASE}runs/{number:064x}/",
        title=f"Run {number}",
        link=f"{BASE}runs/{number:064x}/",
        updated="2026-04-14T23:38:30.072Z",
        summary="A summary",
    )
    return replace(plain, **changed)


FEED = Feed(
    id=f"{BASE}records/",
    title="Records",
    subtitle="Every change of a leader",
    author="Example Index",
    address=f"{BASE}records/feed.xml",
    page=f"{BASE}records/",
    events=(event(1), event(2)),
    updated="2026-01-01",
    rights="CC0",
)


def check_rfc4287(data: bytes) -> etree._Element:
    """The rules of RFC 4287 that concern what we write (sections 3.2, 3.3, 4.1 and 4.2)."""
    root = etree.fromstring(data)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(ATOM + name)) == 1
        assert re.match(r"[a-z][a-z0-9+.-]*:[!-~]+$", element.findtext(f"{ATOM}id") or "")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", element.findtext(f"{ATOM}updated") or "")
        kinds = [(link.get("rel"), link.get("type")) for link in element.findall(f"{ATOM}link")]
        assert len(kinds) == len(set(kinds))
        assert ("alternate", "text/html") in kinds
        for link in element.findall(f"{ATOM}link"):
            assert re.match(r"https?://[!-~]+$", link.get("href") or "")
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    assert root.find(f"{ATOM}link[@rel='self']") is not None
    ids = [element.text for element in root.iter(f"{ATOM}id")][1:]
    assert len(ids) == len(set(ids))
    return root


def test_a_feed_follows_rfc_4287() -> None:
    root = check_rfc4287(atom(FEED))
    assert root.findtext(f"{ATOM}subtitle") == "Every change of a leader"
    assert root.findtext(f"{ATOM}rights") == "CC0"
    assert [e.findtext(f"{ATOM}title") for e in root.iter(f"{ATOM}entry")] == ["Run 1", "Run 2"]


def test_hostile_names_come_back_from_a_feed() -> None:
    events = tuple(
        event(n, title=text, summary=text, authors=(text, "B"), categories=(text,)) for n, text in enumerate(HOSTILE)
    )
    root = check_rfc4287(atom(replace(FEED, title=HOSTILE[1], author=HOSTILE[3], events=events)))
    assert root.findtext(f"{ATOM}title") == kept(HOSTILE[1])
    assert root.findtext(f"{ATOM}author/{ATOM}name") == kept(HOSTILE[3])
    found = list(root.iter(f"{ATOM}entry"))
    assert len(found) == len(HOSTILE)
    for text, element in zip(HOSTILE, found, strict=True):
        assert element.findtext(f"{ATOM}title") == element.findtext(f"{ATOM}summary") == kept(text)
        assert [name.text for name in element.iter(f"{ATOM}name")] == [kept(text), "B"]
        assert element.find(f"{ATOM}category").get("term") == kept(text)
        assert len(element) == 8


def test_a_feed_was_updated_when_its_newest_event_was() -> None:
    events = (
        event(1, updated="2026-04-14T10:00:00Z"),
        event(2, updated="2026-04-14T10:00:00.5Z"),
        event(3, updated="2026-04-14T10:00:00.072Z"),
        event(4, updated="2026-04-14"),
    )
    updated = {
        check_rfc4287(atom(replace(FEED, events=events, updated=stated))).findtext(f"{ATOM}updated")
        for stated in ("2026-04-13", "2026-04-14T10:00:00.49Z")
    }
    assert updated == {"2026-04-14T10:00:00.5Z"}
    later = atom(replace(FEED, events=events, updated="2026-04-15"))
    assert check_rfc4287(later).findtext(f"{ATOM}updated") == "2026-04-15T00:00:00Z"


def test_a_feed_without_events_is_a_feed() -> None:
    root = check_rfc4287(atom(replace(FEED, events=(), subtitle="", rights="")))
    assert root.findtext(f"{ATOM}updated") == "2026-01-01T00:00:00Z"
    assert root.find(f"{ATOM}subtitle") is None
    assert root.find(f"{ATOM}rights") is None


def test_addresses_of_a_feed_are_ascii() -> None:
    root = check_rfc4287(atom(replace(FEED, events=(event(1, link=f'{BASE}a b/"ü"?x=1&y=2'),))))
    link = root.find(f"{ATOM}entry/{ATOM}link")
    assert link is not None
    assert link.get("href") == f"{BASE}a%20b/%22%C3%BC%22?x=1&y=2"


def test_two_events_with_one_id_are_an_error() -> None:
    with pytest.raises(BuildError, match="two events"):
        atom(replace(FEED, events=(event(1), event(1, title="again"))))


@pytest.mark.parametrize("updated", ["", "2026", "2026-04-14T10:00:00", "2026-04-14T10:00:00+02:00", "14.4.2026"])
def test_only_an_instant_in_utc_or_a_day_is_taken(updated: str) -> None:
    with pytest.raises(BuildError, match="neither a day nor an instant"):
        atom(replace(FEED, events=(event(1, updated=updated),)))
    with pytest.raises(BuildError):
        list(sitemap([Address(BASE, updated)], BASE))


def locations(data: bytes, root: str, row: str) -> list[str]:
    document = etree.fromstring(data)
    assert document.tag == MAPS + root
    return [element.findtext(f"{MAPS}loc") or "" for element in document.findall(MAPS + row)]


def test_a_small_sitemap_is_one_file() -> None:
    addresses = [Address(BASE, "2026-04-14"), Address(f"{BASE}a/", "2026-04-14T10:00:00.072Z"), Address(f"{BASE}b&c/")]
    [(path, data)] = sitemap(addresses, BASE)
    assert path == "sitemap.xml"
    assert locations(data, "urlset", "url") == [address.url for address in addresses]
    days = [element.text for element in etree.fromstring(data).iter(f"{MAPS}lastmod")]
    assert days == ["2026-04-14", "2026-04-14T10:00:00.072Z"]


def many(count: int) -> list[Address]:
    return [Address(f"{BASE}runs/{number}/") for number in range(count)]


@pytest.mark.parametrize(("count", "files"), [(0, 1), (50_000, 1), (50_001, 3), (100_000, 3), (100_001, 4)])
def test_a_sitemap_holds_at_most_fifty_thousand_addresses(count: int, files: int) -> None:
    made = list(sitemap(many(count), BASE))
    assert len(made) == files
    check_sitemaps(made, many(count))


def check_sitemaps(made: list[tuple[str, bytes]], addresses: list[Address]) -> None:
    """Every address stands in exactly one file, which the index names."""
    assert made[-1][0] == "sitemap.xml"
    parts = made[:-1] or made
    found = [url for _, data in parts for url in locations(data, "urlset", "url")]
    assert found == [address.url for address in addresses]
    if len(made) > 1:
        assert locations(made[-1][1], "sitemapindex", "sitemap") == [BASE + path for path, _ in parts]


def test_a_sitemap_holds_at_most_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "SITEMAP_BYTES", 1000)
    made = list(sitemap(many(100), BASE))
    assert len(made) > 3
    assert max(len(data) for _, data in made[:-1]) <= 1000
    assert min(len(data) for _, data in made[:-2]) > 900
    check_sitemaps(made, many(100))


def test_a_sitemap_lists_only_its_own_site() -> None:
    with pytest.raises(BuildError, match="does not lie below"):
        list(sitemap([Address("https://other.example/")], BASE))


def test_robots_may_read_everything_and_find_the_sitemap() -> None:
    text = robots_txt(f"{BASE}sitemap.xml").decode()
    robots = RobotFileParser()
    robots.parse(text.splitlines())
    assert robots.can_fetch("any", f"{BASE}runs/x/")
    assert robots.site_maps() == [f"{BASE}sitemap.xml"]


def test_llms_txt_has_the_form_of_its_specification() -> None:
    text = llms_txt(
        "Board",
        "What it is",
        [Section("Data", (("Runs", f"{BASE}data/runs.jsonl", "one a line"), ("All", f"{BASE}a (b)/", "")))],
        details="Some *words*.\n",
    ).decode()
    assert text == (
        "# Board\n\n> What it is\n\nSome *words*.\n\n## Data\n\n"
        f"- [Runs]({BASE}data/runs.jsonl): one a line\n- [All]({BASE}a%20%28b%29/)\n"
    )


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_stay_text_in_llms_txt(hostile: str) -> None:
    sections = [Section(hostile, ((hostile, f"{BASE}x/", hostile),))]
    tokens = MarkdownIt("js-default").parse(llms_txt(hostile, hostile, sections).decode())
    kinds = [token.type for token in tokens if token.nesting == 1]
    assert kinds == [
        "heading_open", "blockquote_open", "paragraph_open", "heading_open", "bullet_list_open", "list_item_open",
        "paragraph_open",
    ]  # fmt: skip
    inline = [token for token in tokens if token.type == "inline"]
    texts = ["".join(child.content for child in token.children or ()) for token in inline]
    assert texts == [kept(hostile)] * 3 + [f"{kept(hostile)}: {kept(hostile)}"]
    links = [child.attrs["href"] for token in inline for child in token.children or () if child.type == "link_open"]
    assert links == [f"{BASE}x/"]

"""check_site finds every planted fault, names its place, and finds none in a good site."""

import hashlib
import os
import shutil
from html.parser import HTMLParser

import pytest

from leaderpress import checks
from leaderpress.canonical import canonical
from leaderpress.checks import check_site
from leaderpress.checks.page import read_page
from leaderpress.checks.site import Site, resolve
from leaderpress.errors import BuildError
from leaderpress.inventory import parse_inventory, sums_bytes
from leaderpress.site.output import DirectoryOutput

BASE = "https://example.org/board/"
BODY = canonical({"apiVersion": "v1", "kind": "run", "spec": {"value": 1.5}})
HEX = hashlib.sha256(BODY).hexdigest()
OBJECT = f"sha256/{HEX[:2]}/{HEX}.json"


def page(body="", head="", title="A title", lang=' lang="en"', h1="<h1>Heading</h1>"):
    return (
        f"<!doctype html>\n<html{lang}>\n<head><title>{title}</title>\n{head}</head>\n"
        f"<body>\n{h1}\n{body}\n</body></html>\n"
    ).encode()


SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    f"<url><loc>{BASE}</loc></url>\n<url><loc>{BASE}runs/{HEX}/</loc></url>\n</urlset>\n"
)
FEED = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Records</title>\n'
    f'<id>{BASE}records/</id><updated>2026-01-01T00:00:00Z</updated><link rel="self" href="{BASE}records/feed.xml"/>\n'
    f"<entry><title>One</title><id>{BASE}#1</id><updated>2026-01-01T00:00:00Z</updated>\n"
    f'<link href="{BASE}runs/{HEX}/"/></entry>\n</feed>\n'
)
GOOD = {
    "index.html": page(
        f'<a href="runs/{HEX}/">run</a> <a href="runs/{HEX}/#value">value</a> <a href="#top">up</a>\n'
        '<a href="?q=1">q</a> <a href="https://elsewhere.example/">out</a> <a href="mailto:a@example.org">mail</a>\n'
        '<a href="/board/">home</a>',
        '<link rel="stylesheet" href="assets/site.css">\n<script src="assets/site.js" defer></script>\n'
        f'<link rel="canonical" href="{BASE}">\n<link rel="license" href="https://licence.example/">',
    ),
    f"runs/{HEX}/index.html": page(
        f'<p id="value">1 &lt; 2</p> <a href="../../{OBJECT}">object</a> <a href="../..">home</a>\n'
        '<a href="./">this</a> <a href="#value">value</a> <a name="old"></a><a href="#old">old</a>\n'
        '<a download="a.bib" href="data:text/plain,%40misc">BibTeX</a>\n'
        '<img src="data:image/gif;base64,R0lGOD" alt="">\n'
        '<svg role="img"><title>Plot</title><use href="../../assets/plot.svg#mark"/></svg>',
        '<script type="application/ld+json">{"a": "\\u003c"}</script>\n<!-- a comment -->',
    ),
    f"runs/{HEX}/index.json": b'{"digest":1}',
    "records/index.html": page(f'<a href="feed.xml">feed</a> <a href="/board/runs/{HEX}/#value">value</a>'),
    "records/feed.xml": FEED.encode(),
    "404.html": page('<a href="/board/">home</a> <a href="#top">up</a>'),
    "sitemap.xml": SITEMAP.encode(),
    "robots.txt": f"User-agent: *\nSitemap: {BASE}sitemap.xml\n".encode(),
    "assets/site.css": b'body { background: url("plot.svg") } i { background: url(data:image/gif;base64,R0lGOD) }',
    "assets/site.js": b"if (1 < 2) {}",
    "assets/plot.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><path id="mark" d="M0 0"/></svg>',
    OBJECT: BODY,
    "data/runs.jsonl": b'{"a":1}\n{"a":2}\n',
}
META = {"permalink_base": BASE, "base_path": "/board/", "links": "directory"}


@pytest.fixture
def publish(tmp_path):
    def build(changes=None, meta=META):
        root = tmp_path / "site"
        with DirectoryOutput(root) as output:
            for path, data in {**GOOD, **(changes or {})}.items():
                if data is not None:
                    output.write(path, data)
            output.commit(meta)
        return root

    return build


def found(root, **options):
    return [(problem.code, problem.at) for problem in check_site(root, **options).problems]


def test_a_good_site_has_no_problem_and_everything_is_counted(publish):
    report = check_site(publish())
    assert [str(problem) for problem in report.problems] == []
    assert report.counts == {
        "files": 15,
        "bytes": report.counts["bytes"],
        "pages": 4,
        "links": 23,
        "fragments": 7,
        "json": 3,
        "objects": 1,
        "xml": 3,
        "entries": 3,
        "host_files": 0,
        "problems": 0,
    }


def body(text):
    return {"x/index.html": page(text)}


def head(text):
    return {"x/index.html": page("", text)}


X, LINE, HEAD_LINE = "x/index.html", "x/index.html:7", "x/index.html:4"

# name: (files that differ from the good site, code, place)
FAULTS = {
    "a link to nothing": (body('<a href="../gone/">x</a>'), "link-broken", LINE),
    "a link to a missing file": (body('<a href="../index.json">x</a>'), "link-broken", LINE),
    "a link with the wrong case": (body('<a href="../Records/">x</a>'), "link-broken", LINE),
    "a folder without its slash": (body('<a href="../records">x</a>'), "link-slash", LINE),
    "a link out of the site": (body('<a href="../../x/">x</a>'), "link-outside", LINE),
    "an encoded link out of the site": (body('<a href="%2e%2e/../x/">x</a>'), "link-outside", LINE),
    "a link above the base path": (body('<a href="/other/">x</a>'), "link-outside", LINE),
    "a broken absolute path": (body('<a href="/board/gone/">x</a>'), "link-broken", LINE),
    "a broken permalink": (body(f'<a href="{BASE}gone/">x</a>'), "link-broken", LINE),
    "a broken canonical link": (head(f'<link rel="canonical" href="{BASE}gone/">'), "link-broken", HEAD_LINE),
    "a space in a link": (body('<a href="../records/ ">x</a>'), "link-spelling", LINE),
    "a backslash in a link": (body('<a href="..\\records\\">x</a>'), "link-spelling", LINE),
    "an encoded line break in a link": (body('<a href="java&#10;script:alert(1)">x</a>'), "link-spelling", LINE),
    "an empty part in a link": (body('<a href="..//records/">x</a>'), "link-spelling", LINE),
    "a fragment that is not in the page": (body('<a href="#gone">x</a>'), "link-fragment", LINE),
    "a fragment that is not in another page": (body('<a href="../records/#gone">x</a>'), "link-fragment", LINE),
    "a fragment that only a comment has": (
        {X: page('<a href="../y/#z">x</a>'), "y/index.html": page('<!-- <p id="z"> -->')},
        "link-fragment",
        LINE,
    ),
    "a fragment that only text has": (
        {X: page('<a href="../y/#z">x</a>'), "y/index.html": page('<p>an id="z" here</p>')},
        "link-fragment",
        LINE,
    ),
    "a missing symbol in a picture": (
        body('<svg><use href="../assets/plot.svg#gone"></use></svg>'),
        "link-fragment",
        LINE,
    ),
    "a fragment of a feed entry": (
        {"records/feed.xml": FEED.replace(f"{HEX}/", f"{HEX}/#gone").encode()},
        "link-fragment",
        "records/feed.xml:5",
    ),
    "a missing picture": (body('<img src="gone.png" alt="">'), "link-broken", LINE),
    "a missing picture in a set": (body('<img srcset="../404.html 1x, gone.png 2x" alt="">'), "link-broken", LINE),
    "a missing stylesheet": (head('<link rel="stylesheet" href="gone.css">'), "link-broken", HEAD_LINE),
    "a missing script": (head('<script src="gone.js"></script>'), "link-broken", HEAD_LINE),
    "a form to nothing": (body('<form action="../gone/"></form>'), "link-broken", LINE),
    "a refresh to nothing": (head('<meta http-equiv="refresh" content="0; url=../gone/">'), "link-broken", HEAD_LINE),
    "a relative link on the 404 page": ({"404.html": page('<a href="records/">x</a>')}, "link-relative", "404.html:7"),
    "a script link": (body('<a href="javascript:alert(1)">x</a>'), "link-scheme", LINE),
    "a script link in disguise": (body('<a href="JaVaScRiPt&colon;alert(1)">x</a>'), "link-scheme", LINE),
    "a data link to visit": (body('<a href="data:text/html,x">x</a>'), "link-scheme", LINE),
    "a foreign picture": (body('<img src="https://elsewhere.example/x.png" alt="">'), "foreign-request", LINE),
    "a foreign picture without scheme": (body('<img src="//elsewhere.example/x.png" alt="">'), "foreign-request", LINE),
    "a foreign stylesheet": (
        head('<link href="https://e.example/x.css" rel="stylesheet">'),
        "foreign-request",
        HEAD_LINE,
    ),
    "a foreign script": (head('<script src="https://e.example/x.js"></script>'), "foreign-request", HEAD_LINE),
    "a script of data": (head('<script src="data:text/javascript,1"></script>'), "foreign-request", HEAD_LINE),
    "a preconnect": (head('<link rel="preconnect" href="https://e.example/">'), "foreign-request", HEAD_LINE),
    "a foreign frame": (body('<iframe src="https://e.example/"></iframe>'), "foreign-request", LINE),
    "a ping": (body('<a href="./" ping="https://e.example/">x</a>'), "foreign-request", LINE),
    "a foreign picture in a style": (
        {"assets/site.css": b"a {}\nb { background: url( 'https://e.example/x.png' ) }"},
        "foreign-request",
        "assets/site.css:2",
    ),
    "a foreign import in a style": (
        {"assets/site.css": b'@import "//e.example/x.css";'},
        "foreign-request",
        "assets/site.css:1",
    ),
    "a missing font in a style": ({"assets/site.css": b"a{src:url(gone.woff2)}"}, "link-broken", "assets/site.css:1"),
    "an inline script": (head("<script>alert(1)</script>"), "page-inline", HEAD_LINE),
    "an inline script with a type": (head('<script type="module">x</script>'), "page-inline", HEAD_LINE),
    "an inline style": (head("<style>a {}</style>"), "page-inline", HEAD_LINE),
    "a style attribute": (body('<p style="color: red">x</p>'), "page-inline", LINE),
    "an event handler": (body('<p class="a" ONCLICK="x()">x</p>'), "page-inline", LINE),
    "a frame of text": (body('<iframe srcdoc="x"></iframe>'), "page-inline", LINE),
    "an id twice": (body('<p id="a"></p>\n<p id="a"></p>'), "page-id-twice", "x/index.html:8"),
    "an id with a space": (body('<p id="a b"></p>'), "page-id", LINE),
    "an empty id": (body('<p id=""></p>'), "page-id", LINE),
    "a base": (head('<base href="../">'), "page-base", HEAD_LINE),
    "no title": ({X: page().replace(b"<title>A title</title>", b"")}, "page-title", "x/index.html:1"),
    "an empty title": ({X: page(title=" ")}, "page-title", "x/index.html:3"),
    "two titles": (head("<title>B</title>"), "page-title", "x/index.html:1"),
    "a title in a picture only": (
        {X: page("<svg><title>A</title></svg>").replace(b"<title>A title</title>", b"")},
        "page-title",
        "x/index.html:1",
    ),
    "no heading": ({X: page(h1="<h2>x</h2>")}, "page-h1", "x/index.html:1"),
    "two headings": (body("<h1>x</h1>"), "page-h1", "x/index.html:1"),
    "no language": ({X: page(lang="")}, "page-lang", "x/index.html:1"),
    "an empty language": ({X: page(lang=' lang=""')}, "page-lang", "x/index.html:1"),
    "a stray <": (body("<p>1 < 2</p>"), "html-unclear", LINE),
    "an attribute without quotes": (body("<a href=../gone/>x</a>"), "html-unclear", LINE),
    "an attribute twice": (body('<a href="./" HREF="../gone/">x</a>'), "html-unclear", LINE),
    "attributes without a space": (body('<a class="a"href="../gone/">x</a>'), "html-unclear", LINE),
    "a comment that browsers end early": (body("<!--> <a href='./'>x</a> -->"), "html-unclear", LINE),
    "a comment that is never closed": (body("<!-- "), "html-unclear", LINE),
    "an unfinished tag": ({X: page() + b"<p "}, "html-unclear", "x/index.html:9"),
    "markup in a script": (
        head('<script type="application/json">"<p>"</script>'),
        "html-unclear",
        HEAD_LINE,
    ),
    "a script that is never closed": (
        {X: page() + b'<script src="../assets/site.js">'},
        "html-unclear",
        "x/index.html:9",
    ),
    "not UTF-8": ({X: page() + b"\xff"}, "page-encoding", X),
    "JSON that is cut": ({"x.json": b'{"a":'}, "json-invalid", "x.json"),
    "JSON with a key twice": ({"x.json": b'{"a":1,"a":2}'}, "json-duplicate-key", "x.json"),
    "JSON with NaN": ({"x.json": b'{"a":NaN}'}, "json-not-finite", "x.json#/a"),
    "a bad line of JSON": ({"data/runs.jsonl": b'{"a":1}\n\n{"a":}\n'}, "json-invalid", "data/runs.jsonl:3"),
    "an object under another name": (
        {f"sha256/00/{'0' * 64}.json": BODY},
        "object-digest",
        f"sha256/00/{'0' * 64}.json",
    ),
    "an object in another folder": ({f"sha256/zz/{HEX}.json": BODY}, "object-name", f"sha256/zz/{HEX}.json"),
    "a stray file among the objects": ({"sha256/notes.txt": b""}, "object-name", "sha256/notes.txt"),
    "XML that is cut": ({"x.svg": b"<svg>\n<path>"}, "xml-invalid", "x.svg:2"),
    "XML with a document type": ({"x.svg": b"<!DOCTYPE svg>\n<svg/>"}, "xml-doctype", "x.svg:1"),
    "a script in a picture": (
        {"x.svg": b'<svg xmlns="http://www.w3.org/2000/svg">\n<script/></svg>'},
        "page-inline",
        "x.svg:2",
    ),
    "a handler in a picture": (
        {"x.svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"></svg>'},
        "page-inline",
        "x.svg:1",
    ),
    "a lost address in the sitemap": (
        {"sitemap.xml": SITEMAP.replace(f"/{HEX}/", "/gone/").encode()},
        "link-broken",
        "sitemap.xml:4",
    ),
    "a foreign address in the sitemap": (
        {"sitemap.xml": SITEMAP.replace(f"{BASE}runs", "https://e.example/runs").encode()},
        "permalink-base",
        "sitemap.xml:4",
    ),
    "a relative address in the sitemap": (
        {"sitemap.xml": SITEMAP.replace(f"{BASE}runs", "runs").encode()},
        "permalink-base",
        "sitemap.xml:4",
    ),
    "a lost address in the feed": (
        {"records/feed.xml": FEED.replace(f"runs/{HEX}", "gone").encode()},
        "link-broken",
        "records/feed.xml:5",
    ),
    "an entry without a link": (
        {"records/feed.xml": FEED.replace(f'<link href="{BASE}runs/{HEX}/"/>', "").encode()},
        "feed-entry",
        "records/feed.xml:5",
    ),
    "an entry with the id of the feed": (
        {"records/feed.xml": FEED.replace(f"{BASE}#1", f"{BASE}records/").encode()},
        "feed-id-twice",
        "records/feed.xml:4",
    ),
    "a lost sitemap": ({"robots.txt": f"Sitemap: {BASE}map.xml".encode()}, "link-broken", "robots.txt:1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_at_its_place_and_nothing_else(publish, fault):
    changes, code, at = FAULTS[fault]
    problems = found(publish(changes))
    assert (code, at) in problems
    assert {other for other, _ in problems} == {code}


BAD_OBJECTS = {
    "not canonical": (b'{"apiVersion": "v1","kind":"run","spec":{}}', "object-not-canonical"),
    "not in order": (b'{"kind":"run","apiVersion":"v1","spec":{}}', "object-not-canonical"),
    "a member too many": (canonical({"apiVersion": "v1", "kind": "run", "metadata": {}, "spec": {}}), "object-shape"),
    "not an object": (b"[]", "object-shape"),
}


@pytest.mark.parametrize("case", BAD_OBJECTS)
def test_an_object_whose_name_is_right_and_whose_bytes_are_not_canonical_is_found(publish, case):
    data, code = BAD_OBJECTS[case]
    name = hashlib.sha256(data).hexdigest()
    path = f"sha256/{name[:2]}/{name}.json"
    assert found(publish({path: data})) == [(code, path)]


# --- tampering after the build ----------------------------------------------------------------------------------------


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("path", sorted(GOOD))
def test_one_changed_bit_in_any_file_is_found_and_named(publish, path):
    root = publish()
    flip(root / path)
    assert ("file-changed", path) in found(root)


@pytest.mark.parametrize("path", sorted(GOOD))
def test_a_deleted_file_is_found_and_named(publish, path):
    root = publish()
    (root / path).unlink()
    assert ("file-missing", path) in found(root)


@pytest.mark.parametrize("name", ["SHA256SUMS", "inventory.json"])
def test_a_changed_byte_of_the_sums_or_the_inventory_is_found(publish, name):
    root = publish()
    good = (root / name).read_bytes()
    for position in range(0, len(good), 3):
        data = bytearray(good)
        data[position] ^= 4
        (root / name).write_bytes(data)
        assert found(root) != [], (position, data[max(0, position - 20) : position + 20])


def add(root, path, data=b"x"):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


TAMPERING = {
    "an added file": (lambda root: add(root, "runs/new/index.html", page()), ("file-added", "runs/new/index.html")),
    "an added hidden file": (lambda root: add(root, "runs/.hidden"), ("file-added", "runs/.hidden")),
    "a host's file in a wrong place": (lambda root: add(root, "runs/CNAME"), ("file-added", "runs/CNAME")),
    "an added link": (lambda root: (root / "runs" / "l").symlink_to("/etc/passwd"), ("file-special", "runs/l")),
    "an added link to a folder": (lambda root: (root / "l").symlink_to("/etc"), ("file-special", "l")),
    "a file became a link": (
        lambda root: ((root / "robots.txt").unlink(), (root / "robots.txt").symlink_to("sitemap.xml")),
        ("file-special", "robots.txt"),
    ),
    "no sums": (lambda root: (root / "SHA256SUMS").unlink(), ("file-missing", "SHA256SUMS")),
    "no inventory": (lambda root: (root / "inventory.json").unlink(), ("file-missing", "inventory.json")),
    "sums that are cut": (
        lambda root: (root / "SHA256SUMS").write_bytes((root / "SHA256SUMS").read_bytes()[:-20]),
        ("sums-invalid", "SHA256SUMS:13"),
    ),
    "a fifo": (lambda root: os.mkfifo(root / "fifo"), ("file-special", "fifo")),
}


@pytest.mark.parametrize("case", TAMPERING)
def test_tampering_is_found_and_named(publish, case):
    tamper, problem = TAMPERING[case]
    root = publish()
    tamper(root)
    assert problem in found(root)


def test_a_changed_file_whose_line_in_the_sums_was_forged_is_found_by_the_inventory(publish):
    root = publish()
    inventory = parse_inventory((root / "inventory.json").read_bytes())
    (root / "robots.txt").write_bytes(b"")
    forged = {
        **inventory.files,
        "robots.txt": inventory.files["robots.txt"]._replace(size=0, sha256=hashlib.sha256(b"").hexdigest()),
    }
    (root / "SHA256SUMS").write_bytes(sums_bytes(forged))
    assert found(root) == [("inventory-differs", "inventory.json")] * 2


def test_files_that_hosts_ask_for_are_counted_and_not_checked(publish):
    root = publish()
    add(root, "CNAME")
    add(root, ".git/HEAD")
    add(root, ".well-known/security.txt")
    report = check_site(root)
    assert (report.problems, report.counts["host_files"]) == ((), 3)


# --- link styles, earlier sites, big sites ----------------------------------------------------------------------------


def as_file_style(data):
    return (
        data.replace(b'/"', b'/index.html"').replace(b"/#", b"/index.html#").replace(b'"../.."', b'"../../index.html"')
    )


def test_a_site_for_reading_from_a_disk_has_no_link_to_a_folder(publish):
    pages = {path: as_file_style(data) for path, data in GOOD.items() if path.endswith(".html")}
    pages["index.html"] = pages["index.html"].replace(b'example/index.html"', b'example/"')
    meta = {**META, "links": "file"}
    assert found(publish(pages, meta)) == []
    assert found(publish(pages)) == []
    assert {code for code, _ in found(publish({}, meta))} == {"link-folder"}


def test_a_site_without_permalinks_has_neither_feed_nor_sitemap(publish):
    codes = found(publish({}, {"base_path": "/board/"}))
    assert {code for code, _ in codes} == {"permalink-base"}
    assert {at.partition(":")[0] for _, at in codes} == {"records/feed.xml", "sitemap.xml", "robots.txt"}


@pytest.mark.parametrize("account", ["inventory.json", "SHA256SUMS"])
def test_what_was_published_once_must_still_be_there(publish, tmp_path, account):
    earlier = tmp_path / "earlier"
    shutil.copy(publish() / account, earlier)
    links = {path: page() for path in GOOD if path.endswith(".html")}
    lost = {**links, f"runs/{HEX}/index.html": None, OBJECT: None}
    lost |= {"robots.txt": None, "sitemap.xml": None, "records/feed.xml": None}
    root = publish(lost)
    assert found(root) == []
    assert found(root, against=earlier) == [
        ("address-lost", "records/feed.xml"),
        ("permalink-lost", f"runs/{HEX}/index.html"),
        ("object-lost", OBJECT),
    ]
    assert found(publish(), against=earlier) == []


def test_an_earlier_account_that_cannot_be_read_is_our_error(publish, tmp_path):
    (tmp_path / "bad").write_bytes(b"nonsense")
    for name in ("bad", "missing"):
        with pytest.raises(BuildError):
            check_site(publish(), against=tmp_path / name)


def test_a_folder_that_is_not_there_is_our_error(tmp_path):
    with pytest.raises(BuildError) as caught:
        check_site(tmp_path / "gone")
    assert caught.value.code == "site-unreadable"


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_and_one_process_report_the_same(publish, jobs, monkeypatch):
    many = {
        f"p/{number}/index.html": page(f'<a href="../{number + 1}/#a">x</a><p id="a"></p>') for number in range(400)
    }
    root = publish({**many, "p/7/index.html": page('<style></style><a href="../8/#b">x</a><p id="a"></p>')})
    seen = []
    report = check_site(root, jobs=jobs, progress=lambda done, total: seen.append((done, total)))
    assert [(problem.code, problem.at) for problem in report.problems] == [
        ("link-broken", "p/399/index.html:7"),
        ("link-fragment", "p/7/index.html:7"),
        ("page-inline", "p/7/index.html:7"),
    ]
    assert report.counts["pages"] == 404
    assert seen[-1] == (415, 415)
    monkeypatch.setattr(checks, "MAX_PROBLEMS", 2)
    short = check_site(root, jobs=jobs)
    assert (len(short.problems), short.counts["problems"]) == (2, 3)


# --- the readers by themselves ----------------------------------------------------------------------------------------


class Reference(HTMLParser):
    """Start tags as the standard library reads them."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)


@pytest.mark.parametrize("path", [path for path in GOOD if path.endswith(".html")])
def test_the_reader_sees_what_another_parser_sees(path):
    text = GOOD[path].decode()
    other = Reference()
    other.feed(text)
    other.close()
    mine = read_page(text)
    assert [link.url for link in mine.links] == other.links
    assert mine.ids == other.ids


@pytest.mark.parametrize(
    "text", ["<" * 20_000, "<a " * 20_000, "<a" + " " * 50_000, '<a b="' * 10_000, "<!--" * 20_000]
)
def test_no_text_makes_the_reader_slow(text):
    # A reader that backtracks needs minutes for these; the limit is that the test ends.
    assert read_page(text).faults


SITE = Site("", {"index.html": 1, "a/index.html": 1, "a/b/index.html": 1, "a/f.json": 1}, {}, BASE, "/board/")

WHERE = [
    ("index.html", "a/", "a/index.html"),
    ("a/index.html", "", "a/index.html"),
    ("a/index.html", ".", "a/index.html"),
    ("a/index.html", "..", "index.html"),
    ("a/index.html", "../", "index.html"),
    ("a/b/index.html", "../../", "index.html"),
    ("a/b/index.html", "../f.json?x=/#y", "a/f.json"),
    ("a/b/index.html", "/board/", "index.html"),
    ("a/b/index.html", "%2e%2e/%66.json", "a/f.json"),
    ("a/b/index.html", BASE, "index.html"),
    ("404.html", "#x", "404.html"),
]


@pytest.mark.parametrize(("source", "url", "path"), WHERE)
def test_a_link_leads_where_a_browser_goes(source, url, path):
    reference = resolve(SITE, source, url)
    assert (reference.code, reference.path) == ("", path)

"""The sitemap of a site: which pages it names, and since when they stand."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tiny_site import Chain, TinySite

from leaderpress.site.fixed import fixed_files
from leaderpress.site.plan import site_view

BASE = "https://tiny.example/"
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def addresses(site: TinySite, pages: list[str]) -> dict[str, str | None]:
    """Path and date of every entry."""
    content = site.content()
    with site.open() as index:
        files = dict(fixed_files(index, content, site_view(content, "leaderpress test", ["board"]), pages))
    tree = ElementTree.fromstring(files["sitemap.xml"])
    entries = tree.findall("s:url", NAMES)
    return {
        entry.findtext("s:loc", "", NAMES).removeprefix(BASE): entry.findtext("s:lastmod", None, NAMES)
        for entry in entries
    }


def test_a_sitemap_dates_runs_and_leaves_out_what_is_withdrawn(tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    old, new = [Chain(n) for n in range(4)], [Chain(n) for n in range(4, 8)]
    site.feed(*old, on="2026-03-04")
    site.feed(*new, on="2026-03-05")
    gone = old[2]
    site.note("gone", "withdrawal", gone.digest)
    paths = {chain.digest: f"runs/{chain.digest[7:]}/" for chain in (*old, *new)}
    others = ["", "operations/", "projects/ada/"]
    pages = [f"{path}index.html" for path in (*others, *paths.values())]
    expected: dict[str, str | None] = dict.fromkeys(others)
    expected |= {paths[chain.digest]: "2026-03-04" for chain in old if chain is not gone}
    expected |= {paths[chain.digest]: "2026-03-05" for chain in new}
    assert addresses(site, sorted(["404.html", *pages])) == expected
    # A run whose page is switched off, and with it the last of all.
    last = max(paths.values())
    assert addresses(site, sorted(page for page in pages if not page.startswith(last))) == {
        path: date for path, date in expected.items() if path != last
    }

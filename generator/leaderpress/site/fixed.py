"""The files beside pages: feed, sitemap, robots, llms.txt, citation file, host headers."""

from collections.abc import Iterable, Iterator

from ..cite import citation_cff
from ..index import FolderRow, Index
from ..log import CHECKPOINT, LOG
from ..ranking.eligibility import HIDING
from ..views.base import SiteView
from .addresses import Addresses
from .content import Content
from .feeds import Address, Event, Feed, Section, atom, llms_txt, robots_txt, sitemap
from .pages import changed
from .pages.context import Context, figure_text, run_path
from .pages.listing import CHANGES_FEED, ingested, source_of
from .pages.records import latest_events
from .schema import schema_path

FEED_ENTRIES = 50

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = f"""\
/sha256/*
  Cache-Control: public, max-age=31536000, immutable
  Access-Control-Allow-Origin: *
/assets/*
  Cache-Control: public, max-age=31536000, immutable
/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: strict-origin-when-cross-origin
  Content-Security-Policy: {_POLICY}
/records/feed.xml
  Content-Type: application/atom+xml; charset=utf-8
/changes/feed.xml
  Content-Type: application/atom+xml; charset=utf-8
/CITATION.cff
  Content-Type: text/yaml; charset=utf-8
/log/*
  Content-Type: text/plain; charset=utf-8
  Access-Control-Allow-Origin: *
"""


def fixed_files(index: Index, content: Content, site: SiteView, pages: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Every file that stands once in a site; `pages` are the paths of all its HTML pages in order."""
    newest = max((folder.published_on for folder in index.folders()), default="")
    base = site.permalink_base
    yield ".nojekyll", b""
    yield "_headers", _HEADERS.encode()
    yield "llms.txt", _llms(site, Addresses(content.config.outputs))
    yield "robots.txt", robots_txt(f"{base}sitemap.xml" if base else None)
    if base:
        context = Context(index, content.config, site, content.sources, {})
        yield "records/feed.xml", _records_feed(context, newest)
        if context.addresses.has_page("changes/"):
            yield CHANGES_FEED, _changes_feed(context, newest)
        yield from sitemap(_addresses(index, base, pages), base)
    if newest:
        yield "CITATION.cff", _citation(site, newest).encode()


def _addresses(index: Index, base: str, pages: Iterable[str]) -> Iterator[Address]:
    """The address of every page that may be found; both pages and runs are read in order of digest."""
    hides = " or ".join(f"reasons like '%\"{code}\"%'" for code in sorted(HIDING))
    runs = index.stream(f"select digest, published_on, {hides} from run order by digest")
    run = next(runs, None)
    for path in pages:
        folder = path.removesuffix("index.html")
        published_on, hidden = None, path == "404.html"
        if folder.startswith("runs/"):
            digest = f"sha256:{folder[5:-1]}"
            while run is not None and run[0] < digest:
                run = next(runs, None)
            if run is not None and run[0] == digest:
                _, published_on, hidden = run
        if not hidden:
            yield Address(base + folder, published_on)


def _records_feed(context: Context, newest: str) -> bytes:
    site = context.site
    base = site.permalink_base
    events = latest_events(context, FEED_ENTRIES)
    note = _note(site)
    entries = tuple(
        Event(
            id=f"{base}{run_path(event.digest)}#record",
            title=f"{event.task.text} on {event.hardware.text}: {figure_text(event.figure)} by {event.name}",
            link=base + event.path,
            updated=event.observed_at,
            summary=note
            + (
                f"A record, {event.improvement} against the one before."
                if event.improvement
                else "The first record of its group."
            ),
            authors=(event.name,),
        )
        for event in events
    )
    return atom(
        Feed(
            id=f"{base}records/",
            title=f"{site.title}: records",
            subtitle=note + "Changes of leader, newest observation first.",
            author=site.publisher,
            address=f"{base}records/feed.xml",
            page=base + context.page("records/") if context.addresses.has_page("records/") else "",
            events=entries,
            updated=newest or "1970-01-01",
        )
    )


def _changes_feed(context: Context, newest: str) -> bytes:
    """One entry an ingest; it says only what no later ingest can change, so that a reader need not read it again."""
    site = context.site
    page = f"{site.permalink_base}changes/"
    folders = context.index.folders()[: -FEED_ENTRIES - 1 : -1]
    return atom(
        Feed(
            id=page,
            title=f"{site.title}: changes",
            subtitle=f"{_note(site)}What every ingest added, revised and refused, newest first.",
            author=site.publisher,
            address=site.permalink_base + CHANGES_FEED,
            page=page,
            events=tuple(_ingest_event(context, folder, page) for folder in folders),
            updated=newest or "1970-01-01",
        )
    )


def _ingest_event(context: Context, folder: FolderRow, page: str) -> Event:
    new, revised, refused = ingested(context, folder)
    counts = f"New runs: {new}. Revised: {revised}. Not taken: {refused}.{_further(context, folder)}"
    address = f"{page}#ingest-{folder.number}"
    return Event(
        id=address,
        title=f"Ingest {folder.number}: {source_of(context, folder).text}",
        link=address,
        updated=folder.published_on,
        summary=_note(context.site) + counts,
    )


def _further(context: Context, folder: FolderRow) -> str:
    """What an ingest changed beside runs, where it did."""
    counts = {
        "Renamed": len(changed.renamed(context, folder)),
        "Redefined operations": len(changed.redefined(context, folder)),
        "Unknown fields": len(folder.snapshot["drift"]),
    }
    return "".join(f" {label}: {count}." for label, count in counts.items() if count)


def _note(site: SiteView) -> str:
    return "Illustrative data, not measurements. " if site.illustrative else ""


def _llms(site: SiteView, addresses: Addresses) -> bytes:
    base = site.permalink_base
    note = _note(site)
    twins = "Every page is a folder with `index.html` and, with the same content, `index.json`."
    if not addresses.whole:
        twins = "A page is a folder with `index.html`; where its head names one, `index.json` has the same content."
    details = (
        f"{twins} A canonical object stands"
        " at `sha256/<first two hex digits>/<64 hex digits>.json`, and the SHA-256 of its bytes is its name. Ranks hold"
        " within one comparison group only; cite a run by its digest, never by its rank."
    )
    links = tuple((link.text, base + link.path, "") for link in site.nav)
    machine = (
        ("All files with sizes and digests", f"{base}inventory.json", ""),
        ("SHA256SUMS", f"{base}SHA256SUMS", "for sha256sum -c"),
        ("Publication log", f"{base}{LOG}", f"one line a publication; {CHECKPOINT} has the SHA-256 of all lines"),
        *(
            (f"JSON Schema of a {kind} page", f"{base}{schema_path(kind)}", "")
            for kind, folder in (("run", "runs/"), ("group", "groups/"))
            if addresses.has_twin(folder)
        ),
    )
    summary = note + (site.description or site.tagline or site.title)
    return llms_txt(site.title, summary, (Section("Pages", links), Section("Data", machine)), details)


def _citation(site: SiteView, newest: str) -> str:
    return citation_cff(
        title=site.title,
        publisher=site.publisher,
        abstract=site.description or site.tagline or site.title,
        version=newest,
        released=newest,
        url=(site.permalink_base or None) if site.home else None,
        illustrative=site.illustrative,
    )

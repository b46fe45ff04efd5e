"""Building the ways in: home, A–Z indexes, sources, records, changes."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from ...format import count_text, family_name
from ...index import EventRow, FolderRow, RunRow
from ...manifests.notes import Note
from ...views import listing as views
from ...views.base import Item, Link
from ...views.scale import strip
from .context import Context, family_anchor, figure, item, object_path
from .group import pager
from .source import rejection_rows
from .task import improvement_text

LATEST = 15
SHOWN = 25
EVENTS_PAGE = 1000
INDEX_PAGE = 2000
CHANGES_FEED = "changes/feed.xml"
"""Address of the Atom feed of all ingests."""


def event_row(context: Context, event: EventRow) -> views.EventRow:
    """A record event outside its group."""
    index = context.index
    run = index.run(event.digest)
    group = index.group(event.group)
    return views.EventRow(
        digest=event.digest,
        path=context.run_page(event.digest, run.source),
        group=context.group_page(event.group),
        task=context.task_link(run.task),
        name=run.name,
        hardware=context.hardware_link(run.environment),
        figure=figure(event.value, group.unit),
        improvement=improvement_text(event, group.direction),
        observed_at=event.observed_at,
        observed_on=event.observed_at[:10],
        stands=event.stands,
    )


def build_home(context: Context) -> views.HomeView:
    """The front page."""
    index = context.index
    runs = index.count("select count(*) from run")
    groups = index.count("select count(*) from grp where ranked > 0")
    tasks = index.count("select count(*) from task")
    projects = index.count("select count(*) from project where digest in (select project from run)")
    products = index.count("select count(distinct slug) from environment")
    unranked = index.count("select count(*) from run where place = 0")
    newest = index.pairs("select max(observed_at) from run")[0][0] or ""
    latest = index.latest_events(LATEST)
    explained, plot = _explained(context)
    folders = index.folders()
    example = index.pairs("select digest from run where place = 1 order by observed_at desc, digest limit 1")
    digest = example[0][0] if example else ""
    return views.HomeView(
        title=context.site.title,
        description=context.site.description or context.site.tagline or context.site.title,
        tagline=context.site.tagline,
        runs=runs,
        groups=groups,
        facts=(
            item("Operations", count_text(tasks)),
            item("Projects", count_text(projects)),
            item("Hardware", count_text(products)),
            item("Records set", count_text(index.count("select count(*) from event"))),
            item("Not ranked", count_text(unranked)),
            item("Newest run", newest[:10]),
        ),
        latest=tuple(event_row(context, event) for event in latest),
        strip=plot,
        strip_title=explained,
        strip_say=f"{sum(count for _, count in plot.marks)} runs, one mark each." if plot else "",
        families=_families(context),
        hardware=_hardware(context),
        sources=source_rows(context),
        example=digest,
        example_path=object_path(digest) if digest else "",
        snapshot=folders[-1].published_on if folders else "",
        snapshot_id=folders[-1].snapshot["dump"][7:15] if folders else "",
        illustrative=context.site.illustrative,
    )


def _explained(context: Context) -> tuple[Link | None, Any]:
    """The largest group whose strip can explain the scale."""
    for group in context.index.groups(
        "where ranked >= 6 order by ranked between 12 and 80 desc, ranked desc, key limit 5"
    ):
        ranked = context.index.ranked(group.key)
        values = [run.value for run in ranked if run.value is not None]
        plot = strip(values, group.unit, group.direction, leader=ranked[0].name)
        if plot:
            task, hardware = context.task_link(group.task), context.hardware_link(group.environment)
            return Link(f"{task.text} on {hardware.text}", context.group_page(group.key)), plot
    return None, None


def _families(context: Context) -> tuple[tuple[Link, int], ...]:
    rows = context.index.pairs("select family, count(*) from task group by family order by count(*) desc, family")
    return tuple((context.family_link(family), count) for family, count in rows)


def _hardware(context: Context) -> tuple[tuple[Link, int], ...]:
    rows = context.index.pairs(
        "select product, slug, count(run.digest) n from environment"
        " left join run on run.environment = environment.digest group by slug, product order by n desc, product"
    )
    return tuple((Link(product, context.page(f"hardware/{slug}/")), count) for product, slug, count in rows)


def source_rows(context: Context) -> tuple[views.SourceRow, ...]:
    """Every source that stated a record, the one with most runs first."""
    rows = context.index.pairs(
        "select stated.source, count(digest), count(distinct grp), max(observed_at)"
        " from (select distinct source from statement) as stated left join run on run.source = stated.source"
        " group by stated.source order by count(digest) desc, stated.source"
    )
    return tuple(
        views.SourceRow(
            link=Link(context.source(slug).name, context.page(f"sources/{slug}/")),
            runs=runs,
            groups=groups,
            last_observed=(last or "")[:10],
            licence=context.source_line(slug).licence,
        )
        for slug, runs, groups, last in rows
    )


def build_sources(context: Context) -> views.SourcesView:
    """The index of sources."""
    rows = source_rows(context)
    slugs = context.index.sources()
    return views.SourcesView(
        title="Sources",
        description="Every leaderboard that the records of this site come from, with its terms.",
        rows=rows,
        lines=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
    )


# -- indexes -----------------------------------------------------------------------------------------------------------


def build_tasks(context: Context) -> views.IndexView:
    """Operations by family."""
    rows = context.index.pairs(
        "select task.family, task.name, task.slug, count(run.digest) from task left join run on run.task = task.digest"
        " group by task.digest order by task.family, lower(task.name), task.slug"
    )
    families: dict[str, list[tuple[Link, int]]] = {}
    for family, name, slug, runs in rows:
        families.setdefault(family, []).append((Link(name, context.page(f"operations/{slug}/")), runs))
    sections = [
        views.IndexSection(family_name(family), family_anchor(family), tuple(links))
        for family, links in families.items()
    ]
    sections.sort(key=lambda section: (section.title.casefold(), section.anchor))
    say = f"{count_text(len(rows))} operations in {count_text(len(sections))} families, with their number of runs."
    return _index(context, "operations", "Operations", say, len(rows), tuple(sections))


def build_projects(context: Context) -> views.IndexView:
    """Projects A–Z."""
    rows = context.index.pairs(
        "select name, slug, (select count(*) from run where run.project = project.digest) from project"
    )
    links = [(Link(name, context.page(f"projects/{slug}/")), runs) for name, slug, runs in rows]
    say = f"{count_text(len(rows))} projects and people who reported runs, with their number of runs."
    return _index(context, "projects", "Projects", say, len(rows), alphabet(links))


def build_hardware_index(context: Context) -> views.IndexView:
    """Hardware by vendor."""
    rows = context.index.pairs(
        "select vendor, product, slug, count(run.digest) from environment left join run"
        " on run.environment = environment.digest group by slug, vendor, product order by vendor, product"
    )
    vendors: dict[str, list[tuple[Link, int]]] = {}
    for vendor, product, slug, runs in rows:
        vendors.setdefault(vendor, []).append((Link(product, context.page(f"hardware/{slug}/")), runs))
    sections = tuple(
        views.IndexSection(vendor, f"vendor-{number}", tuple(links))
        for number, (vendor, links) in enumerate(vendors.items(), start=1)
    )
    say = f"{count_text(len(rows))} products, with their number of runs."
    return _index(context, "hardware", "Hardware", say, len(rows), sections)


def build_subjects(context: Context, page: int) -> views.IndexView:
    """Implementations A–Z, `INDEX_PAGE` a page."""
    count = context.index.count("select count(*) from subject")
    rows = context.index.pairs(
        "select subject.name, revision, subject.digest, has_page, runs, task.name from subject"
        " join task on task.digest = subject.task order by lower(subject.name), subject.name, revision, subject.digest"
        " limit ? offset ?",
        INDEX_PAGE,
        (page - 1) * INDEX_PAGE,
    )
    links = [
        (Link(f"{name} {revision} · {task}" if revision and revision not in name else f"{name} · {task}", path), runs)
        for name, revision, digest, has_page, runs, task in rows
        for path in [(context.page(f"implementations/{digest[7:]}/") if has_page else "") or object_path(digest)]
    ]
    say = f"{count_text(count)} implementations. One without facts of its own leads to its canonical object."
    sections = alphabet(links, keep_order=True)
    return _index(
        context,
        "implementations",
        "Implementations",
        say,
        count,
        sections,
        pager("implementations/", page, count, INDEX_PAGE, linked=context.addresses.has_page("implementations/")),
    )


def _index(
    context: Context,
    kind: str,
    title: str,
    say: str,
    count: int,
    sections: tuple[views.IndexSection, ...],
    pages: Any = None,
) -> views.IndexView:
    return views.IndexView(
        listed=kind,
        title=title if pages is None or pages.page == 1 else f"{title}, page {pages.page}",
        description=say,
        say=say,
        count=count,
        sections=sections,
        pager=pages,
        illustrative=context.site.illustrative,
    )


def alphabet(links: Iterable[tuple[Link, int]], *, keep_order: bool = False) -> tuple[views.IndexSection, ...]:
    """Links under the first letter of their text, accents stripped; what is not a Latin letter stands under `#`."""
    letters: dict[str, list[tuple[Link, int]]] = {}
    listed = list(links)
    if not keep_order:
        # All of the line, so that the order holds where the site writes no pages that differ in path.
        listed.sort(key=lambda counted: (counted[0].text.casefold(), counted[0].path, counted[0].text, counted[1]))
    for counted in listed:
        letters.setdefault(_letter(counted[0].text), []).append(counted)
    return tuple(
        views.IndexSection(letter, f"letter-{letter.lower()}" if letter != "#" else "letter-other", tuple(found))
        for letter, found in sorted(letters.items(), key=lambda pair: (pair[0] == "#", pair[0]))
    )


def _letter(text: str) -> str:
    for character in unicodedata.normalize("NFKD", text):
        if character.isalnum():
            upper = character.upper()[:1]  # ß has a capital form of two letters
            return upper if "A" <= upper <= "Z" else "#"
    return "#"


# -- records and changes -----------------------------------------------------------------------------------------------


def build_records(context: Context, page: int, feed: str) -> views.RecordsView:
    """All record events, newest first, `EVENTS_PAGE` a page."""
    count = context.index.count("select count(*) from event")
    standing = context.index.count("select count(*) from event where stands")
    events = context.index.latest_events(EVENTS_PAGE, (page - 1) * EVENTS_PAGE)
    return views.RecordsView(
        title="Records" if page == 1 else f"Records, page {page}",
        description=f"{count_text(count)} changes of leader, newest observation first; {count_text(standing)} stand.",
        count=count,
        standing=standing,
        events=tuple(event_row(context, event) for event in events),
        pager=pager("records/", page, count, EVENTS_PAGE, linked=context.addresses.has_page("records/")),
        feed=feed,
        illustrative=context.site.illustrative,
    )


def build_changes(context: Context, folders: Sequence[FolderRow], notes: Sequence[Note]) -> views.ChangesView:
    """What every ingest changed, newest first, and every note."""
    return views.ChangesView(
        title="Changes",
        description="What every ingest added, revised and refused, and every reviewed note, newest first.",
        changes=tuple(_change(context, folder) for folder in reversed(folders)),
        feed=CHANGES_FEED if context.site.permalink_base and context.addresses.has_page("changes/") else "",
        notes=tuple(
            (note.when, note.kind, _run_link(context, note.target), note.why)
            for note in sorted(notes, key=lambda note: (note.when, note.target), reverse=True)
        ),
        illustrative=context.site.illustrative,
    )


def _run_link(context: Context, digest: str) -> Link:
    run = context.index.run(digest)
    return _new_run(context, run)


def source_of(context: Context, folder: FolderRow) -> Link:
    """The source that an ingest read, or all of them where its dump holds several."""
    if known := context.sources.get(folder.source):
        return Link(known.name, context.page(f"sources/{folder.source}/"))
    return Link(_several(context, folder), context.page("sources/"))


def ingested(context: Context, folder: FolderRow) -> tuple[int, int, int]:
    """New runs, revised ones and entries that were not taken: what an ingest did, whatever came after it."""
    index = context.index
    superseding = (
        "select count(*) from run as older join run as newer on newer.digest = older.superseded_by"
        " where newer.folder = ? and older.folder < newer.folder"
    )
    new = index.count("select count(*) from run where folder = ?", folder.number)
    return new, index.count(superseding, folder.number), len(folder.snapshot["rejections"])


def _change(context: Context, folder: FolderRow) -> views.ChangeRow:
    index = context.index
    number = folder.number
    new, revised, refused = ingested(context, folder)
    standing = "stands and digest in (select digest from run where folder = ?)"
    leaders = index.events_where(f"where {standing} order by observed_at desc, digest limit ?", number, SHOWN)
    leading = index.count(f"select count(*) from event where {standing}", number)
    runs = index.runs("where folder = ? order by observed_at desc, digest limit ?", number, SHOWN)
    rejections = folder.snapshot["rejections"]
    counts: list[Item] = [
        item("New runs", count_text(new)),
        item("Revised", count_text(revised)),
        item("Lead today", count_text(leading)),
        item("Not taken", count_text(refused)),
    ]
    return views.ChangeRow(
        number=number,
        anchor=f"ingest-{number}",
        source=source_of(context, folder),
        published_on=folder.published_on,
        dump=folder.snapshot["dump"],
        counts=tuple(counts),
        runs=tuple(_new_run(context, run) for run in runs),
        more=new - len(runs),
        leaders=tuple(event_row(context, event) for event in leaders),
        rejections=rejection_rows(rejections),
    )


def _several(context: Context, folder: FolderRow) -> str:
    return ", ".join(context.source(slug).name for slug in folder.snapshot.get("sources", ()))


def _new_run(context: Context, run: RunRow) -> Link:
    return Link(f"{run.name} · {context.task_link(run.task).text}", context.run_page(run.digest, run.source))

"""Building the ways in: home, A–Z indexes, sources, records, changes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...editions import EditionFile
from ...format import count_text
from ...index import FolderRow, RunRow
from ...manifests.notes import Note
from ...views import listing as views
from ...views.base import Item, Link
from ...views.scale import strip
from . import changed
from .context import Context, item, object_path
from .edition import edition_rows
from .records import latest_events, standing_events
from .source import extent, rejection_rows

LATEST = 15
SHOWN = 25
CHANGES_FEED = "changes/feed.xml"
"""Address of the Atom feed of all ingests."""


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
        latest=tuple(latest_events(context, LATEST)),
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
        "select product, slug, coalesce(sum(runs), 0) n from environment left join"
        " (select environment, count(*) as runs from run group by environment) as counted"
        " on counted.environment = environment.digest group by slug, product order by n desc, product"
    )
    return tuple((Link(product, context.page(f"hardware/{slug}/")), count) for product, slug, count in rows)


def source_rows(context: Context) -> tuple[views.SourceRow, ...]:
    """Every source that stated a record, the one with most runs first."""
    stated = [(slug, *extent(context, slug)) for slug in context.index.sources()]
    return tuple(
        views.SourceRow(
            link=Link(context.source(slug).name, context.page(f"sources/{slug}/")),
            runs=runs,
            groups=groups,
            last_observed=last[:10],
            licence=context.source_line(slug).licence,
        )
        for slug, runs, groups, last in sorted(stated, key=lambda row: (-row[1], row[0]))
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


# -- changes ---------------------------------------------------------------------------------------------------------


def build_changes(
    context: Context, folders: Sequence[FolderRow], notes: Sequence[Note], editions: Sequence[EditionFile] = ()
) -> views.ChangesView:
    """What every ingest changed, newest first, every note and every edition."""
    return views.ChangesView(
        title="Changes",
        description="What every ingest added, revised and refused, and every reviewed note, newest first.",
        changes=tuple(reversed(list(_changes(context, folders)))),
        feed=CHANGES_FEED if context.site.permalink_base and context.addresses.has_page("changes/") else "",
        notes=tuple(
            (note.when, note.kind, _run_link(context, note.target), note.why)
            for note in sorted(notes, key=lambda note: (note.when, note.target), reverse=True)
        ),
        editions=edition_rows(context, editions),
        illustrative=context.site.illustrative,
    )


def _run_link(context: Context, digest: str) -> Link:
    if not context.index.count("select count(*) from run where digest = ?", digest):
        return Link(f"{context.index.location(digest).kind} {digest[7:15]}", object_path(digest))
    return _new_run(context, context.index.run(digest))


def source_of(context: Context, folder: FolderRow) -> Link:
    """The source that an ingest read, or all of them where its dump holds several."""
    if known := context.sources.get(folder.source):
        return Link(known.name, context.page(f"sources/{folder.source}/"))
    return Link(_several(context, folder), context.page("sources/"))


def ingested(context: Context, folder: FolderRow) -> tuple[int, int, int]:
    """New runs, revised ones and entries that were not taken: what an ingest did, whatever came after it."""
    index = context.index
    new = index.count("select count(*) from run where folder = ?", folder.number)
    return new, _revised(context).get(folder.number, 0), len(folder.snapshot["rejections"])


@lru_cache(4)
def _revised(context: Context) -> dict[int, int]:
    """How many runs of earlier ingests the runs of each ingest took the place of, by its number."""
    return dict(
        context.index.pairs(
            "select newer.folder, count(*) from run as older join run as newer on newer.digest = older.superseded_by"
            " where older.superseded_by != '' and older.folder < newer.folder group by newer.folder"
        )
    )


@lru_cache(4)
def _leading(context: Context) -> dict[int, tuple[int, list[str]]]:
    """How many runs of each ingest lead today, and the newest `SHOWN` of them, by its number."""
    leading: dict[int, tuple[int, list[str]]] = {}
    for folder, digest in context.index.stream(
        "select run.folder, event.digest from event join run on run.digest = event.digest where stands"
        " order by event.observed_at desc, event.digest"
    ):
        count, newest = leading.get(folder, (0, []))
        leading[folder] = (count + 1, newest if len(newest) == SHOWN else [*newest, digest])
    return leading


def _changes(context: Context, folders: Sequence[FolderRow]) -> Iterator[views.ChangeRow]:
    """Ingest by ingest, the oldest first: what a source does not count is said where it is new."""
    known: set[tuple[str, str]] = set()
    for folder in folders:
        yield _change(context, folder, changed.uncounted(context, folder, known))
        known |= changed.refusals(folder).keys()


def _change(context: Context, folder: FolderRow, uncounted: tuple[views.Uncounted, ...]) -> views.ChangeRow:
    index = context.index
    number = folder.number
    new, revised, refused = ingested(context, folder)
    leading, newest = _leading(context).get(number, (0, []))
    runs = index.runs("where folder = ? order by observed_at desc, digest limit ?", number, SHOWN)
    rejections = folder.snapshot["rejections"]
    counts: list[Item] = [
        item("New runs", count_text(new)),
        item("Revised", count_text(revised)),
        item("Lead today", count_text(leading)),
        item("Not taken", count_text(refused)),
    ]
    renamed, redefined = changed.renamed(context, folder), changed.redefined(context, folder)
    for label, found in (("No longer counted", uncounted), ("Renamed", renamed), ("Redefined", redefined)):
        if found:
            counts.append(item(label, count_text(len(found))))
    return views.ChangeRow(
        number=number,
        anchor=f"ingest-{number}",
        source=source_of(context, folder),
        published_on=folder.published_on,
        dump=folder.snapshot["dump"],
        counts=tuple(counts),
        runs=tuple(_new_run(context, run) for run in runs),
        more=new - len(runs),
        replaced=changed.replaced(context, folder) if revised else (),
        uncounted=uncounted[:SHOWN],
        renamed=renamed[:SHOWN],
        redefined=redefined[:SHOWN],
        drift=tuple((row["field"], row["count"]) for row in folder.snapshot["drift"]),
        leaders=tuple(standing_events(context, newest)),
        rejections=rejection_rows(rejections),
    )


def _several(context: Context, folder: FolderRow) -> str:
    return ", ".join(context.source(slug).name for slug in folder.snapshot.get("sources", ()))


def _new_run(context: Context, run: RunRow) -> Link:
    return Link(f"{run.name} · {context.task_link(run.task).text}", context.run_page(run.digest, run.source))

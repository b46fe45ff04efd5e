"""Record events outside their groups: the records pages, and the rows that other pages share with them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ...format import count_text, margin_text
from ...views import listing as views
from .context import Context, figure
from .group import pager

EVENTS_PAGE = 1000
"""Events that one page lists."""
_EVENTS = (
    "select event.digest, event.grp, event.observed_at, event.value, event.previous, event.stands, run.source,"
    " run.name, run.task, run.environment, grp.unit, grp.direction from event"
    " left join run on run.digest = event.digest left join grp on grp.key = event.grp"
)


def latest_events(context: Context, most: int = -1, skip: int = 0) -> Iterator[views.EventRow]:
    """Record events of the whole site, newest first; all of them without `most`, read as they are asked for."""
    order = "event.observed_at desc, event.digest desc, event.grp"
    return _rows(context, f"order by {order} limit ? offset ?", most, skip)


def leading_events(context: Context, folder: int, most: int) -> Iterator[views.EventRow]:
    """Those of the runs of one ingest that stand today, newest first."""
    own = "event.stands and event.digest in (select digest from run where folder = ?)"
    return _rows(context, f"where {own} order by event.observed_at desc, event.digest limit ?", folder, most)


def _rows(context: Context, rest: str, *arguments: int) -> Iterator[views.EventRow]:
    for row in context.index.stream(f"{_EVENTS} {rest}", *arguments):
        digest, group, observed_at, value, previous, stands, source, name, task, environment, unit, better = row
        yield views.EventRow(
            digest=digest,
            path=context.run_page(digest, source),
            group=context.group_page(group),
            task=context.task_link(task),
            name=name,
            hardware=context.hardware_link(environment),
            figure=figure(value, unit),
            improvement="" if previous is None else margin_text(previous, value, better),
            observed_at=observed_at,
            observed_on=observed_at[:10],
            stands=bool(stands),
        )


def records_pages(context: Context, pages: Sequence[int]) -> Iterator[tuple[str, views.RecordsView]]:
    """(path, view) of consecutive pages of all record events, newest first, `EVENTS_PAGE` a page."""
    count, standing = context.index.pairs("select count(*), coalesce(sum(stands), 0) from event")[0]
    events = latest_events(context, skip=(pages[0] - 1) * EVENTS_PAGE)
    linked = context.addresses.has_page("records/")
    for page in pages:
        yield (
            "records/" if page == 1 else f"records/{page}/",
            views.RecordsView(
                title="Records" if page == 1 else f"Records, page {page}",
                description=f"{count_text(count)} changes of leader, newest observation first;"
                f" {count_text(standing)} stand.",
                count=count,
                standing=standing,
                events=tuple(islice(events, EVENTS_PAGE)),
                pager=pager("records/", page, count, EVENTS_PAGE, linked=linked),
                feed=context.site.feed,
                illustrative=context.site.illustrative,
            ),
        )

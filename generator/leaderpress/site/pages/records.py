"""Record events outside their groups: the records pages, and the rows that other pages share with them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ...format import count_text, margin_text
from ...views import listing as views
from .context import Context, figure
from .group import pager

EVENTS_PAGE = 1000
"""Events that one page lists."""
_SHOWN = (
    "select event.digest, event.grp, event.observed_at, event.value, event.previous, event.stands, run.source,"
    " run.name, run.task, run.environment, grp.unit, grp.direction from"
    " (select * from event where {where} order by {order} limit ? offset ?) as event"
    " left join run on run.digest = event.digest left join grp on grp.key = event.grp order by {order}"
)
"""The events are selected before anything is looked up about them."""


def latest_events(context: Context, most: int, skip: int = 0) -> Iterator[views.EventRow]:
    """Record events of the whole site, newest first."""
    query = _SHOWN.format(where="true", order="event.observed_at desc, event.digest desc, event.grp")
    return _rows(context, query, most, skip)


def standing_events(context: Context, digests: Sequence[str]) -> Iterator[views.EventRow]:
    """Those of some runs that lead today, newest first."""
    own = f"stands and digest in ({', '.join('?' * len(digests))})"
    return _rows(context, _SHOWN.format(where=own, order="event.observed_at desc, event.digest"), *digests, -1, 0)


def _rows(context: Context, query: str, *arguments: int | str) -> Iterator[views.EventRow]:
    for row in context.index.stream(query, *arguments):
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
    events = latest_events(context, len(pages) * EVENTS_PAGE, (pages[0] - 1) * EVENTS_PAGE)
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

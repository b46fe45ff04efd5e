"""Building the pages of editions: what led on one day, and how to prove it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...cite import Citable, run_key
from ...editions import Edition, EditionFile, Standing
from ...format import count_text, upper_first
from ...index import GroupRow, RunRow
from ...views import edition as views
from ...views.base import Link
from .citation import citation_view
from .context import Context, figure, item
from .group import pager

GENRE = "Edition of benchmark rankings"
LEADERS = 3
"""Leaders of one group that a row names."""
EDITIONS = "editions/"
_SINCE = {"STATUS_REDACTED": "redacted", "WITHDRAWN": "withdrawn", "SUPERSEDED": "superseded"}
"""What may have become of a leader, by the reason for which it does not rank any more."""


def edition_path(tag: str) -> str:
    """Address of an edition's page."""
    return f"{EDITIONS}{tag}/"


def edition_object(tag: str) -> str:
    """Address of the edition itself, byte for byte as it is committed."""
    return f"{EDITIONS}{tag}/edition.json"


@dataclass(frozen=True, slots=True)
class _Stood:
    """A group as it stood, and what is known of it today."""

    key: str
    standing: Standing
    group: GroupRow
    leaders: Sequence[RunRow]


def build_edition(context: Context, file: EditionFile, edition: Edition) -> views.EditionView:
    """The view of one edition with all of its rows, which is the twin."""
    stood = _in_order(context, edition)
    head, path = edition.head, edition_path(file.tag)
    title = f"Edition {file.tag}"
    say = f"The rankings of {_groups(head.groups)} as they stood on {head.published_at}: {_runs(head.runs)}."
    slugs = sorted({run.source for found in stood for run in found.leaders})
    illustrative = context.illustrative(slugs)
    return views.EditionView(
        tag=file.tag,
        title=title,
        description=say,
        index=Link("Editions", context.page(EDITIONS)),
        say=say,
        note=head.note,
        published_on=head.published_at,
        digest=file.digest,
        file=edition_object(file.tag),
        facts=(
            item("Groups", count_text(head.groups)),
            item("Ranked runs", count_text(head.runs)),
            item("Publications", count_text(head.checkpoint.lines)),
            item("Policy", head.policy, mono=True),
            item("Bytes", count_text(file.size)),
        ),
        lines=head.checkpoint.lines,
        log_digest=head.checkpoint.sha256,
        example_group=stood[0].key,
        example_run=stood[0].standing.runs[0][1],
        groups=tuple(_group(context, found) for found in stood),
        count=head.groups,
        pager=pager(path, 1, head.groups, linked=context.addresses.has_page(path)),
        citation=citation_view(context, _citable(context, file, illustrative=illustrative)),
        sources=context.source_lines(slugs),
        illustrative=illustrative,
    )


def _in_order(context: Context, edition: Edition) -> list[_Stood]:
    """Groups by the names of operation and hardware, then by key."""
    index = context.index
    groups = {group.key: group for group in index.groups_of(list(edition.rankings))}
    first = {
        key: [digest for place, digest in standing.runs if place == 1][:LEADERS]
        for key, standing in edition.rankings.items()
    }
    runs = {run.digest: run for run in index.runs_of([digest for found in first.values() for digest in found])}
    stood = [
        _Stood(key, standing, groups[key], [runs[digest] for digest in first[key]])
        for key, standing in edition.rankings.items()
    ]
    return sorted(stood, key=lambda found: (*_names(context, found.group), found.key))


def _names(context: Context, group: GroupRow) -> tuple[str, str]:
    return context.task_link(group.task).text.casefold(), context.hardware_link(group.environment).text.casefold()


def _group(context: Context, stood: _Stood) -> views.EditionGroup:
    group, leaders = stood.group, stood.leaders
    # A value may have been removed since.
    value = next((run.value for run in leaders if run.value is not None), None)
    leading = sum(place == 1 for place, _ in stood.standing.runs)
    slugs = sorted({run.source for run in leaders})
    return views.EditionGroup(
        key=stood.key,
        path=context.group_page(stood.key),
        task=context.task_link(group.task),
        hardware=context.hardware_link(group.environment),
        note=context.index.environment(group.environment).note,
        workload=context.index.workload(group.workload).summary,
        ranking=stood.standing.ranking,
        leaders=tuple(_leader(context, run) for run in leaders),
        tied=leading - len(leaders),
        figure=None if value is None else figure(value, group.unit),
        metric_label=upper_first(context.joint_label(slugs, group.metric)),
        runs=len(stood.standing.runs),
    )


def _leader(context: Context, run: RunRow) -> views.EditionLeader:
    since = next((word for code, word in _SINCE.items() if code in run.reasons), "")
    path = context.run_page(run.digest, run.source)
    return views.EditionLeader(run.digest, path, run.name, run.revision, since)


def _citable(context: Context, file: EditionFile, *, illustrative: bool) -> Citable:
    head = file.head
    path = edition_path(file.tag)
    if not context.addresses.has_page(path):
        path = edition_object(file.tag)
    title = f"{context.site.title}, edition {file.tag}"
    what = f"rankings of {_groups(head.groups)} with {_runs(head.runs)}"
    return Citable(
        key=run_key(context.config.key, file.digest),
        authors=(context.site.publisher,),
        title=title,
        issued=head.published_at,
        publisher=context.site.publisher,
        version=file.tag,
        permalink=context.permalink(path) or None,
        path=path,
        digest=file.digest,
        genre=GENRE,
        value_text=what,
        licence_url=None,
        language=context.site.language,
        abstract=f"{upper_first(what)}, as they stood on {head.published_at}.",
        illustrative=illustrative,
        withdrawn=False,
    )


def _groups(count: int) -> str:
    return f"{count_text(count)} comparison group{'' if count == 1 else 's'}"


def _runs(count: int) -> str:
    return f"{count_text(count)} ranked run{'' if count == 1 else 's'}"


def edition_rows(context: Context, files: Sequence[EditionFile]) -> tuple[views.EditionRow, ...]:
    """Editions in a list, the newest first."""
    return tuple(
        views.EditionRow(
            link=Link(file.tag, context.page(edition_path(file.tag)) or edition_object(file.tag)),
            published_on=file.head.published_at,
            groups=file.head.groups,
            runs=file.head.runs,
            digest=file.digest,
            note=file.head.note,
        )
        for file in sorted(files, key=_age, reverse=True)
    )


def _age(file: EditionFile) -> tuple[str, int, str]:
    return file.head.published_at, file.head.checkpoint.lines, file.tag


def build_editions(context: Context, files: Sequence[EditionFile]) -> views.EditionsView:
    """The index of editions."""
    return views.EditionsView(
        title="Editions",
        description="All rankings of this site, frozen on one day each, so that what led then can be proved later.",
        rows=edition_rows(context, files),
        illustrative=context.site.illustrative,
    )

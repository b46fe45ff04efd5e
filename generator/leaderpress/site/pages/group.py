"""Building the group page: ranking, records, exclusions, and what went into the key."""

from collections.abc import Sequence

from ...cite import Citable, coins
from ...format import count_text, date_text, gap_position, gap_text, margin_text, upper_first
from ...index import EventRow, GroupRow, RunRow
from ...ranking import POLICY
from ...ranking.eligibility import reason_words
from ...ranking.group import GroupKey
from ...ranking.rank import label as rank_label
from ...views.base import CitationView, Item, Link, Pager, Reason, Staircase
from ...views.group import ExcludedRun, GroupRecord, GroupView, RankedRun
from ...views.scale import median, staircase
from .citation import citation_view
from .context import Context, figure, figure_text, group_path, hexa, item, object_path
from .peers import MOST_COLUMNS, Peers
from .run import is_timed, profile_text
from .task import improvement_text

PAGE_ROWS = 1000
COINS_ROWS = 25
GENRE = "Benchmark ranking"


def build_group(
    context: Context,
    group: GroupRow,
    ranked: Sequence[RunRow],
    unranked: Sequence[RunRow],
    events: Sequence[EventRow],
    peers: Peers | None = None,
) -> GroupView:
    """The view of one group with all of its rows, which is the twin."""
    peers = peers or Peers(context, group, ranked)
    index = context.index
    task = index.task(group.task)
    environment = index.environment(group.environment)
    members = [*ranked, *unranked]
    by_digest = {run.digest: run for run in ranked}
    slugs = sorted({run.source for run in members})
    columns = _metric_columns(context, ranked or unranked)
    order = _source_order(context, ranked, slugs)
    shared = _shared(ranked)
    rows = tuple(
        _ranked_run(context, peers, run, columns, order.get(run.digest), number <= COINS_ROWS)
        for number, run in enumerate(ranked, start=1)
    )
    title = f"{task.name} · {environment.product}"
    value_label = context.joint_label(slugs, group.metric) if group.metric else ""
    values = [run.value for run in ranked if run.value is not None]
    records = _records(context, events, by_digest, group)
    as_of = max((run.published_on for run in members), default="")
    body = group_key(context, group)
    path = group_path(group.key)
    return GroupView(
        key=group.key,
        short=hexa(group.key)[:8],
        title=title,
        description=_description(task.name, environment.product, ranked, unranked),
        task=context.task_link(group.task),
        task_raw=task.raw if task.raw != task.name else "",
        family=context.family_link(task.family),
        hardware=context.hardware_link(group.environment),
        environment_note=environment.note,
        workload=Link(index.workload(group.workload).summary, object_path(group.workload)),
        metric=group.metric_key,
        metric_label=upper_first(value_label),
        unit=group.unit,
        better=group.direction,
        policy=POLICY,
        profile=profile_text(group),
        ranking=group.ranking,
        leaders=tuple(row for row in rows if row.rank == 1),
        leader_say=_leader_say(ranked, events),
        ahead=_ahead(ranked, group),
        facts=_facts(ranked, values, group),
        caption=_caption(ranked, shared),
        shared=tuple(shared),
        metric_labels=tuple(context.joint_label(_stating(ranked or unranked, name), name) for name in columns),
        source_order_label=_order_label(context, slugs) if order else "",
        runs=rows,
        pager=pager(path, 1, len(ranked), linked=context.addresses.has_page(path)),
        strip=peers.strip,
        staircase=group_staircase(events, by_digest, ranked, group, as_of),
        records=records,
        excluded=tuple(_excluded(context, run) for run in unranked),
        coverage=_coverage(context, group, ranked),
        parts=_parts(context, group),
        key_body=body.body().decode(),
        citation=_citation(context, group, title, ranked, as_of, illustrative=context.illustrative(slugs)),
        downloads=_downloads(context, path, len(ranked)),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
    )


def group_key(context: Context, group: GroupRow) -> GroupKey:
    """The parts that hash to the group's key."""
    return GroupKey(
        operation=group.task,
        workload=group.workload,
        protocol=group.protocol,
        environment=group.environment,
        correctness=context.index.workload(group.workload).correctness,
        metric=group.metric_key,
    )


def pager(path: str, page: int, count: int, size: int = PAGE_ROWS, *, linked: bool = True) -> Pager | None:
    """Continuation of a long table below `path`; None when one page holds it.  Not `linked`: only twins are written."""
    pages = -(-count // size)
    if pages <= 1:
        return None
    if not linked:
        return Pager(page, pages, "", "")
    before = "" if page == 1 else (path if page == 2 else f"{path}{page - 1}/")
    return Pager(page, pages, before, f"{path}{page + 1}/" if page < pages else "")


def _ranked_run(
    context: Context, peers: Peers, run: RunRow, columns: Sequence[str], order: int | None, with_coins: bool
) -> RankedRun:
    leader, group = peers.ranked[0], peers.group
    positive = run.stated > 0 and leader.stated > 0
    return RankedRun(
        digest=run.digest,
        anchor=f"run-{hexa(run.digest)[:12]}",
        path=context.run_page(run.digest, run.source),
        rank=run.rank,
        tied=run.tied > 0,
        label=rank_label(run.rank, run.tied),
        name=run.name,
        revision=run.revision,
        project=Link(run.project_name, context.page(f"projects/{run.project_slug}/") if run.project_slug else ""),
        value=run.stated,
        figure=figure(run.stated, run.unit),
        gap=gap_text(run.stated, leader.stated, group.direction),
        position=round(gap_position(run.stated, leader.stated, group.direction), 4) if positive else None,
        metrics=tuple(context.metric_value(run.source, name, run.metrics) for name in columns),
        metric_values=tuple(run.metrics.get(name) for name in columns),
        source_order=order,
        evidence=run.evidence,
        observed_on=run.observed_at[:10],
        published_on=run.published_on,
        coins=coins(peers.citable(run)) if with_coins else "",
    )


def _metric_columns(context: Context, runs: Sequence[RunRow]) -> list[str]:
    names: dict[str, None] = {}
    for run in runs:
        names |= dict.fromkeys(context.own_metrics(run))
    return list(names)[:MOST_COLUMNS]


def _stating(runs: Sequence[RunRow], metric: str) -> list[str]:
    """The sources that state a metric about any of the runs."""
    return sorted({run.source for run in runs if metric in run.metrics})


def _source_order(context: Context, ranked: Sequence[RunRow], slugs: Sequence[str]) -> dict[str, int]:
    """Places by the source's own metric; empty where the source has none or its order is ours."""
    if len(slugs) != 1 or not ranked:
        return {}
    table = context.sources.get(slugs[0])
    name = table.order if table else None
    if table is None or not name or name not in table.metrics or table.metrics[name].better == "none":
        return {}
    scored = [run for run in ranked if name in run.metrics]
    higher = table.metrics[name].better == "higher"
    scored.sort(key=lambda run: run.metrics[name], reverse=higher)
    places: dict[str, int] = {}
    for number, run in enumerate(scored, start=1):
        before = scored[number - 2] if number > 1 else None
        tied = before is not None and before.metrics[name] == run.metrics[name]
        places[run.digest] = places[before.digest] if tied and before else number
    ours = [run.digest for run in ranked if run.digest in places]
    return {} if [run.digest for run in scored] == ours else places


def _order_label(context: Context, slugs: Sequence[str]) -> str:
    table = context.source(slugs[0])
    return f"Order by {context.metric_label(slugs[0], table.order or '')}"


def _shared(ranked: Sequence[RunRow]) -> dict[str, str]:
    """Columns whose value all rows share: they leave the table and are said once.

    A lone run keeps the day of its observation, and its project unless that only repeats its name.
    """
    if not ranked:
        return {}
    columns = {
        "evidence": {run.evidence for run in ranked},
        "observed": {run.observed_at[:10] for run in ranked},
        "published": {run.published_on for run in ranked},
        "project": {run.project_name if run.project_name != run.name else "" for run in ranked},
    }
    if len(ranked) == 1:
        del columns["observed"]
        if columns["project"] != {""}:
            del columns["project"]
    return {name: found.pop() for name, found in columns.items() if len(found) == 1}


def _caption(ranked: Sequence[RunRow], shared: dict[str, str]) -> str:
    said = [f"{name} {value}" for name, value in shared.items() if value]
    who = "The only run" if len(ranked) == 1 else f"All {len(ranked)}"
    return f"{who}: {', '.join(said)}." if said else ""


def _facts(ranked: Sequence[RunRow], values: Sequence[float | int], group: GroupRow) -> tuple[Item, ...]:
    if not ranked:
        return ()
    projects = len({run.project for run in ranked if run.project})
    lines = [
        item("Runs", count_text(len(ranked))),
        item("Projects", count_text(projects) if projects else None),
        item("Ranks", count_text(group.ranks)),
    ]
    if len(ranked) > 2:
        lines.append(item("Median", figure_text(figure(median(values), group.unit))))
    if len(ranked) > 1:
        worst = "Slowest" if is_timed(group) else "Last"
        lines.append(item(worst, figure_text(figure(values[-1], group.unit))))
    observed = sorted(run.observed_at[:10] for run in ranked)
    lines += [item("First observed", observed[0]), item("Last observed", observed[-1])]
    return tuple(lines)


def _leader_say(ranked: Sequence[RunRow], events: Sequence[EventRow]) -> str:
    if not ranked:
        return ""
    tied = ranked[0].tied
    since = f"since {date_text(events[-1].observed_at)}" if events else ""
    if tied:
        return f"{tied + 1} runs share the record {since}".strip()
    return f"holds the record {since}".strip()


def _ahead(ranked: Sequence[RunRow], group: GroupRow) -> str:
    second = next((run for run in ranked if run.rank == 2), None)
    if second is None or second.value is None or ranked[0].value is None:
        return ""
    gap = margin_text(second.value, ranked[0].value, group.direction)
    return f"{gap} ahead of #2, {second.name}"


def _records(
    context: Context, events: Sequence[EventRow], runs: dict[str, RunRow], group: GroupRow
) -> tuple[GroupRecord, ...]:
    return tuple(
        GroupRecord(
            digest=event.digest,
            path=context.run_page(event.digest, runs[event.digest].source),
            observed_at=event.observed_at,
            observed_on=event.observed_at[:10],
            name=runs[event.digest].name,
            figure=figure(event.value, group.unit),
            improvement=improvement_text(event, group.direction),
        )
        for event in events
    )


def group_staircase(
    events: Sequence[EventRow], runs: dict[str, RunRow], ranked: Sequence[RunRow], group: GroupRow, until: str
) -> Staircase | None:
    """Records over time with the other runs as dots; None for fewer than three records."""
    records = [(event.observed_at, event.value, runs[event.digest].name) for event in events]
    held = {event.digest for event in events}
    others = [(run.observed_at, run.value) for run in ranked if run.digest not in held and run.value is not None]
    return staircase(records, others, group.unit, group.direction, until)


def _excluded(context: Context, run: RunRow) -> ExcludedRun:
    return ExcludedRun(
        digest=run.digest,
        path=context.run_page(run.digest, run.source),
        short=hexa(run.digest)[:8],
        name=run.name,
        revision=run.revision,
        figure=figure(run.value, run.unit) if run.value is not None else None,
        reasons=tuple(Reason(code, reason_words(code)) for code in run.reasons),
        observed_on=run.observed_at[:10],
    )


def _coverage(context: Context, group: GroupRow, ranked: Sequence[RunRow]) -> str:
    """What part of the source's list the ranking holds, as far as a dump says so."""
    stated = context.cached.coverage.get(group.task)
    if stated is None:
        return ""
    rows, listed, since = stated
    count = len(ranked)
    return (
        f"Ranks {count} {'run' if count == 1 else 'runs'} of this group; for the whole operation the dump holds"
        f" {count_text(rows)} and the source lists {count_text(listed)}, as of {since}."
    )


def _parts(context: Context, group: GroupRow) -> tuple[Item, ...]:
    index = context.index
    task = index.task(group.task)
    protocol = index.protocol(group.protocol)
    environment = index.environment(group.environment)
    workload = index.document(group.workload)["spec"]
    where = f"{environment.product} ({environment.architecture})"
    lines = [
        item("Operation", task.name, path=object_path(group.task), extra=hexa(group.task)[:12]),
        item(
            "Workload",
            index.workload(group.workload).summary,
            path=object_path(group.workload),
            extra=hexa(group.workload)[:12],
        ),
        item("Protocol", protocol.title, path=object_path(group.protocol), extra=hexa(group.protocol)[:12]),
        item(
            "Environment",
            f"{where}, {environment.note}" if environment.note else where,
            path=object_path(group.environment),
            extra=hexa(group.environment)[:12],
        ),
        item("Correctness", workload["correctness"].get("comparator"), mono=True),
        item("Metric", group.metric_key, mono=True),
        item("Group key", group.key, mono=True),
    ]
    notes = index.document(group.protocol)["spec"].get("comparability", {}).get("notes")
    if notes:
        lines.append(item("Comparable", notes))
    return tuple(lines)


def _citation(
    context: Context, group: GroupRow, title: str, ranked: Sequence[RunRow], as_of: str, *, illustrative: bool
) -> CitationView:
    count = len(ranked)
    own = group_path(group.key)
    path = context.page(own) or context.addresses.twin(own)
    citable = Citable(
        key=f"{context.config.key}-{hexa(group.ranking)[:12]}",
        authors=(context.site.publisher,),
        title=f"{title.replace(' · ', ' on ')}: ranking of {count} {'run' if count == 1 else 'runs'}",
        issued=as_of,
        publisher=context.site.publisher,
        version=as_of,
        permalink=context.permalink(path) or None,
        path=path,
        digest=group.ranking,
        genre=GENRE,
        value_text=None,
        licence_url=None,
        language=context.site.language,
        abstract=f"{title}: state of the ranking under {POLICY}, {count} ranked runs.",
        illustrative=illustrative,
        withdrawn=False,
    )
    return citation_view(context, citable)


def _downloads(context: Context, path: str, count: int) -> tuple[Item, ...]:
    rows = f"{count_text(count)} {'run' if count == 1 else 'runs'}"
    twin = context.addresses.twin(path)
    return (
        Item("ranking.csv", rows, path=f"{path}ranking.csv"),
        *([Item("index.json", rows, path=twin)] if twin else []),
    )


def _description(task: str, product: str, ranked: Sequence[RunRow], unranked: Sequence[RunRow]) -> str:
    if not ranked:
        return f"{task} on {product}: {len(unranked)} published, none of them ranks."
    best = figure_text(figure(ranked[0].value or 0, ranked[0].unit))
    return f"{task} on {product}: {len(ranked)} ranked, #1 is {ranked[0].name} with {best}."

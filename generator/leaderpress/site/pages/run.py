"""Building the run page from the run's row, its group and the six documents behind it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...cite import Citable, cite, record_title, run_key
from ...format import date_text, gap_text
from ...index import GroupRow, RunRow
from ...manifests.source import TIME_UNITS
from ...ranking.eligibility import reason_words, status_words
from ...views.base import CitationView, Document, Item, Link, Reason
from ...views.run import Comparison, Difference, Neighbour, RunView, Standing
from ...views.scale import strip
from . import facts
from .context import Context, figure, group_path, hexa, item, object_path, rank_label, run_path
from .notices import note_views, notices
from .workload import workload_view

_AROUND = 2
MOST_COLUMNS = 3
"""Source metrics beside the primary value in the short ranking."""
GENRE = "Benchmark run record"


def build_run(context: Context, run: RunRow, group: GroupRow, ranked: Sequence[RunRow]) -> RunView:
    """The view of one run; `ranked` are the ranked runs of its group in display order."""
    index = context.index
    document = index.document(run.digest)
    spec: dict[str, Any] = document["spec"]
    subject_spec = index.document(run.subject)["spec"]
    task = index.task(run.task)
    environment = index.environment(run.environment)
    leader = ranked[0] if ranked else None
    standing = _standing(run, ranked)
    rivals = leader is not None and standing is not None and run.rank > 1
    correctness_say, correctness = facts.correctness(run, spec)
    citable = run_citable(context, run)
    workload = workload_view(context, run.workload)
    values = [row.value for row in ranked if row.value is not None]
    reasons = tuple(Reason(code, reason_words(code)) for code in run.reasons)
    hardware = context.hardware_link(run.environment)
    path = run_path(run.digest)
    labels = tuple(context.metric_label(run.source, name) for name in context.own_metrics(run)[:MOST_COLUMNS])
    source = context.source_line(run.source)
    published = notices(context, run, group)
    return RunView(
        digest=run.digest,
        short=hexa(run.digest)[:8],
        title=f"{run.name} · {task.name} · {environment.product}",
        description=citable.abstract,
        implementation=Link(run.name, context.subject_path(run.subject)),
        task=context.task_link(run.task),
        task_raw=task.raw if task.raw != task.name else "",
        hardware=hardware,
        environment_note=environment.note,
        family=context.family_link(task.family),
        status=run.status,
        status_text=_status_text(run),
        evidence=run.evidence,
        notices=published,
        illustrative=source.illustrative,
        primary=figure(run.value, run.unit) if run.value is not None else None,
        primary_label=facts.primary_label(context, run) if run.value is not None else "",
        spread=facts.spread_text(run, spec),
        samples=facts.samples_text(spec),
        struck="WITHDRAWN" in run.reasons,
        comparison_key=run.group,
        group=Link("comparison group", group_path(run.group)),
        standing=standing,
        reasons=reasons,
        standing_say=_standing_say(group, standing, len(ranked)),
        profile=profile_text(group),
        gap=facts.gap(run, leader, group.direction) if leader and standing else "",
        leader=Link(leader.name, run_path(leader.digest)) if leader and rivals else None,
        observed_at=run.observed_at,
        observed_on=date_text(run.observed_at),
        published_on=run.published_on,
        source_line=facts.source_line(context, run),
        facts=facts.hero_facts(context, run, spec),
        metric_labels=labels,
        neighbours=_neighbours(context, run, ranked, group.direction) if standing else (),
        strip=_strip(run, ranked, values, group) if standing else None,
        identity=_identity(context, run, subject_spec, workload.summary, document["metadata"]),
        correctness_say=correctness_say,
        correctness=correctness,
        workload=workload,
        measurements=facts.measurements(context, run, spec),
        protocol=facts.protocol(index.document(run.protocol)),
        environment=facts.environment(
            index.document(run.environment), hardware.path, document["metadata"].get("labels", {})
        ),
        artifacts=facts.artifacts(spec, subject_spec, _stated_artifacts(context, run)),
        notes=note_views(context, run),
        note_link=context.pre_filled(context.site.note_url, run.digest, path),
        comparison=_comparison(context, run, leader, group.direction) if leader and rivals else None,
        documents=documents(context, run),
        citation=citation_view(context, citable),
        source=source,
        imprint=_imprint(context, run, task.name),
        report_link=context.pre_filled(context.site.report_url, run.digest, path),
    )


def _strip(run: RunRow, ranked: Sequence[RunRow], values: list[float | int], group: GroupRow) -> Any:
    return strip(values, group.unit, group.direction, leader=ranked[0].name, this=run.value)


def profile_text(group: GroupRow) -> str:
    """How comparable the group is: by the source's own words, or exactly."""
    return "Source-native comparison" if group.native else "Strict exact comparison"


def _status_text(run: RunRow) -> str:
    if "WITHDRAWN" in run.reasons:
        return "Withdrawn"
    return "Superseded" if "SUPERSEDED" in run.reasons else status_words(run.status)


def _standing(run: RunRow, ranked: Sequence[RunRow]) -> Standing | None:
    if not run.rank:
        return None
    return Standing(
        rank=run.rank,
        of=len(ranked),
        tied=run.tied,
        label=rank_label(run),
        better=run.better,
        worse=len(ranked) - run.better - run.tied - 1,
    )


def _standing_say(group: GroupRow, standing: Standing | None, count: int) -> str:
    if standing is None:
        if not count:
            return "Nothing ranks in this comparison group."
        return f"{_number_of(count)} {'ranks' if count == 1 else 'rank'} in this comparison group, this one does not."
    if count == 1:
        return "The only run in its comparison group so far."
    timed = group.direction == "lower" and group.unit in TIME_UNITS
    up, down = ("faster", "slower") if timed else ("better", "worse")
    tie = f" {_number_of(standing.tied)} {'is' if standing.tied == 1 else 'are'} equal." if standing.tied else ""
    verb = "is" if standing.better == 1 else "are"
    first = f"{_number_of(standing.better)} {verb} {up}, {str(standing.worse) if standing.worse else 'none'} {down}."
    return first + tie


def _number_of(count: int) -> str:
    if count == 0:
        return "No runs"
    return "One run" if count == 1 else f"{count} runs"


def _neighbours(context: Context, run: RunRow, ranked: Sequence[RunRow], better: str) -> tuple[Neighbour, ...]:
    here = run.place - 1
    last = len(ranked) - 1
    wanted = sorted({0, *range(max(0, here - _AROUND), min(last, here + _AROUND) + 1), last})
    columns = context.own_metrics(run)[:MOST_COLUMNS]
    rows = []
    before = -1
    for position in wanted:
        row = ranked[position]
        rows.append(
            Neighbour(
                digest=row.digest,
                path=run_path(row.digest),
                label=rank_label(row),
                name=row.name,
                revision=row.revision,
                figure=figure(row.stated, row.unit),
                gap=gap_text(row.stated, ranked[0].stated, better),
                metrics=tuple(context.metric_value(row.source, name, row.metrics) for name in columns),
                observed_on=row.observed_at[:10],
                current=row.digest == run.digest,
                skipped=position - before - 1,
            )
        )
        before = position
    return tuple(rows)


def _identity(
    context: Context, run: RunRow, subject_spec: dict[str, Any], summary: str, metadata: dict[str, Any]
) -> tuple[Item, ...]:
    task = context.index.task(run.task)
    project = context.project_link(run.project)
    source = context.source_line(run.source)
    stated_task = subject_spec["operation"]["specDigest"]
    lines = [
        item("Implementation", run.name, path=context.subject_path(run.subject)),
        item("Project", project.text, path=project.path),
        item("Revision", run.revision),
        item("Operation", task.name, path=f"operations/{task.slug}/", extra=task.raw if task.raw != task.name else ""),
    ]
    if stated_task != run.task and context.index.has(stated_task):
        other = context.task_link(stated_task)
        lines.append(item("Implementation made for", other.text, path=other.path))
    lines += [
        item("Workload", summary, path=object_path(run.workload)),
        item("Comparison key", run.group, path=group_path(run.group), mono=True),
        item("Source", source.name, path=source.path),
        item("External id", run.external_id),
        item("Run digest", run.digest, path=object_path(run.digest), mono=True),
    ]
    lines += facts.editorial(metadata)
    stated = facts.stated_items(context, run.digest)
    lines += (replace(line, extra=f"stated by the source, {facts.OUTSIDE}") for line in stated)
    return tuple(lines)


def _stated_artifacts(context: Context, run: RunRow) -> list[dict[str, Any]]:
    named: dict[str, dict[str, Any]] = {}
    for digest in (run.digest, run.subject):
        for statement in context.index.statements(digest):
            for one in statement.artifacts:
                named.setdefault(one["digest"], one)
    return list(named.values())


def documents(context: Context, run: RunRow) -> tuple[Document, ...]:
    """The chain of canonical objects behind a run, the run first."""
    chain = [
        ("Run", run.digest),
        ("Implementation", run.subject),
        ("Operation", run.task),
        ("Workload", run.workload),
        ("Protocol", run.protocol),
        ("Environment", run.environment),
    ]
    if run.project:
        chain.append(("Project", run.project))
    return tuple(
        Document(label, digest, object_path(digest), context.index.location(digest).identity_bytes)
        for label, digest in chain
    )


def _comparison(context: Context, run: RunRow, leader: RunRow, better: str) -> Comparison:
    behind = gap_text(run.stated, leader.stated, better)
    rows = [
        ("Implementation", run.name, leader.name),
        ("Revision", run.revision, leader.revision),
        ("Project", run.project_name, leader.project_name),
        (facts.primary_label(context, run).capitalize(), facts.value_text(run), facts.value_text(leader)),
    ]
    for name in context.own_metrics(run):
        label = context.metric_label(run.source, name)
        this = context.metric_value(run.source, name, run.metrics)
        rows.append((label, this, context.metric_value(leader.source, name, leader.metrics)))
    rows += [
        ("Evidence", run.evidence, leader.evidence),
        ("Observed", run.observed_at[:10], leader.observed_at[:10]),
        ("Published", run.published_on, leader.published_on),
    ]
    same = "Operation, workload, protocol, environment, correctness rule and metric are the same for both."
    return Comparison(
        leader=Link(leader.name, run_path(leader.digest)),
        sentence=f"{behind} against #1, {leader.name}. {same}",
        rows=tuple(Difference(label, a or "not stated", b or "not stated", a == b) for label, a, b in rows),
    )


def run_citable(context: Context, run: RunRow) -> Citable:
    """What a citation of the run says; the rank never, it changes."""
    task = context.index.task(run.task)
    environment = context.index.environment(run.environment)
    authors = tuple(author["name"] for author in context.index.document(run.subject)["metadata"].get("authors", ()))
    operation = task.raw if task.name in context.cached.raw_names else task.name
    title = record_title(run.name, run.revision, operation, environment.product)
    value = facts.value_text(run)
    source = context.source(run.source)
    if value:
        measured = f"{value} {facts.primary_label(context, run)}"
    else:
        measured = f"no figure, status {status_words(run.status).lower()}"
    return Citable(
        key=run_key(context.config.key, run.digest),
        authors=authors or ((run.project_name,) if run.project_name else (source.name,)),
        title=title,
        issued=run.observed_at[:10],
        publisher=context.site.publisher,
        version=run.published_on,
        permalink=context.permalink(run_path(run.digest)) or None,
        path=run_path(run.digest),
        digest=run.digest,
        genre=GENRE,
        value_text=measured if value else None,
        licence_url=source.licence_url,
        language=context.site.language,
        abstract=f"{title}: {measured}, as stated by {source.name}, observed {run.observed_at[:10]}.",
        illustrative=source.illustrative,
        withdrawn="WITHDRAWN" in run.reasons,
    )


def citation_view(context: Context, citable: Citable) -> CitationView:
    """The citation in every format."""
    made = cite(citable)
    return CitationView(
        key=made.key,
        apa=made.apa,
        bibtex=made.bibtex,
        biblatex=made.biblatex,
        ris=made.ris,
        csl=made.csl,
        permalink=citable.permalink or "",
        digest=citable.digest,
    )


def _imprint(context: Context, run: RunRow, task_name: str) -> tuple[Item, ...]:
    source = context.source_line(run.source)
    task = context.index.task(run.task)
    lines = [item("Published", run.published_on)]
    if run.upstream_published_at:
        lines.append(item("Published upstream", run.upstream_published_at[:10]))
    lines += [
        item("Source", source.name, path=source.path),
        item("Licence of the figures", source.licence, path=source.licence_url),
    ]
    if source.basis:
        lines.append(item("Basis of publication", source.basis))
    if source.attribution:
        lines.append(item("Attribution", source.attribution))
    lines.append(item("See also", f"All results for {task_name}", path=f"operations/{task.slug}/"))
    return tuple(lines)

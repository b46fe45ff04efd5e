"""Building the run page from the run's row, its group and the six documents behind it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...format import TIME_UNITS, date_text, gap_text, upper_first
from ...index import GroupRow, RunRow
from ...ranking.eligibility import reason_words, status_words
from ...ranking.rank import label as rank_label
from ...views.base import Document, Item, Link, Reason
from ...views.run import Comparison, Difference, RunView, Standing
from . import facts
from .citation import citation_view
from .context import Context, figure, hexa, item, object_path
from .editorial import OUTSIDE, editorial
from .notices import note_views, notices
from .peers import MOST_COLUMNS, Peers
from .workload import workload_view


def build_run(
    context: Context, run: RunRow, group: GroupRow, ranked: Sequence[RunRow], peers: Peers | None = None
) -> RunView:
    """The view of one run; `ranked` are the ranked runs of its group in display order.

    `peers` is what the pages of the group have in common, for who builds several of them.
    """
    peers = peers or Peers(context, group, ranked, () if run.rank else (run,))
    index = context.index
    document = index.document(run.digest)
    spec: dict[str, Any] = document["spec"]
    subject_spec = index.document(run.subject)["spec"]
    task = index.task(run.task)
    environment = index.environment(run.environment)
    leader = peers.leader
    standing = _standing(run, ranked)
    rivals = leader is not None and standing is not None and run.rank > 1
    correctness_say, correctness = facts.correctness(run, spec)
    citable = peers.citable(run)
    workload = workload_view(context, run.workload)
    reasons = tuple(Reason(code, reason_words(code)) for code in run.reasons)
    hardware = context.hardware_link(run.environment)
    path = context.run_page(run.digest, run.source)
    labels = tuple(context.metric_label(run.source, name) for name in context.own_metrics(run)[:MOST_COLUMNS])
    source = context.source_line(run.source)
    published = notices(context, run, group)
    return RunView(
        digest=run.digest,
        short=hexa(run.digest)[:8],
        title=f"{run.name} · {task.name} · {environment.product}",
        description=citable.abstract,
        implementation=peers.subject_link(run),
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
        group=Link("comparison group", context.group_page(run.group)),
        standing=standing,
        reasons=reasons,
        standing_say=_standing_say(group, standing, len(ranked)),
        profile=profile_text(group),
        gap=facts.gap(run, leader, group.direction) if leader and standing else "",
        leader=Link(leader.name, context.run_page(leader.digest, leader.source)) if leader and rivals else None,
        observed_at=run.observed_at,
        observed_on=date_text(run.observed_at),
        published_on=run.published_on,
        source_line=facts.source_line(context, run),
        facts=facts.hero_facts(context, run, spec),
        metric_labels=labels,
        neighbours=peers.around(run) if standing else (),
        strip=peers.distribution(run) if standing else None,
        identity=_identity(context, run, peers, subject_spec, workload.summary, document),
        correctness_say=correctness_say,
        correctness=correctness,
        workload=workload,
        measurements=facts.measurements(context, run, spec),
        protocol=_protocol(context, run.protocol),
        environment=_environment(context, run.environment, tuple(document["metadata"].get("labels", {}).items())),
        artifacts=facts.artifacts(spec, subject_spec, facts.stated_artifacts(peers.statements(run))),
        notes=note_views(context, run),
        note_link=context.pre_filled(context.site.note_url, run.digest, path),
        comparison=_comparison(context, run, leader, group.direction) if leader and rivals else None,
        documents=documents(context, run),
        citation=citation_view(context, citable),
        source=source,
        imprint=_imprint(context, run.source, run.task, run.published_on, run.upstream_published_at[:10]),
        report_link=context.pre_filled(context.site.report_url, run.digest, path),
    )


@lru_cache(256)
def _protocol(context: Context, digest: str) -> tuple[Item, ...]:
    return facts.protocol(context.index.document(digest))


@lru_cache(256)
def _environment(context: Context, digest: str, labels: tuple[tuple[str, str], ...]) -> tuple[Item, ...]:
    return facts.environment(context.index.document(digest), context.hardware_link(digest).path, dict(labels))


def is_timed(group: GroupRow) -> bool:
    """Whether what is better is faster: the figures are times, and less is better."""
    return group.direction == "lower" and group.unit in TIME_UNITS


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
        label=rank_label(run.rank, run.tied),
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
    up, down = ("faster", "slower") if is_timed(group) else ("better", "worse")
    tie = f" {_number_of(standing.tied)} {'is' if standing.tied == 1 else 'are'} equal." if standing.tied else ""
    verb = "is" if standing.better == 1 else "are"
    first = f"{_number_of(standing.better)} {verb} {up}, {str(standing.worse) if standing.worse else 'none'} {down}."
    return first + tie


def _number_of(count: int) -> str:
    if count == 0:
        return "No runs"
    return "One run" if count == 1 else f"{count} runs"


def _identity(
    context: Context, run: RunRow, peers: Peers, subject_spec: dict[str, Any], summary: str, document: dict[str, Any]
) -> tuple[Item, ...]:
    task = context.index.task(run.task)
    task_page = context.task_link(run.task).path
    project = context.project_link(run.project)
    source = context.source_line(run.source)
    stated_task = subject_spec["operation"]["specDigest"]
    lines = [
        item("Implementation", run.name, path=peers.subject_link(run).path),
        item("Project", project.text, path=project.path),
        item("Revision", run.revision),
        item("Operation", task.name, path=task_page, extra=task.raw if task.raw != task.name else ""),
    ]
    if stated_task != run.task and context.index.has(stated_task):
        other = context.task_link(stated_task)
        lines.append(item("Implementation made for", other.text, path=other.path))
    lines += [
        item("Workload", summary, path=object_path(run.workload)),
        item("Comparison key", run.group, path=context.group_page(run.group), mono=True),
        item("Source", source.name, path=source.path),
        item("External id", run.external_id),
        *facts.stated_names(document["spec"], run.external_id, task.raw),
        item("Run digest", run.digest, path=object_path(run.digest), mono=True),
    ]
    # The labels stand under the environment, of which they are mostly about.
    lines += editorial(document["metadata"], without=("labels",))
    stated = facts.fact_items(context, peers.facts(run))
    lines += (replace(line, extra=f"stated by the source, {OUTSIDE}") for line in stated)
    return tuple(lines)


def documents(context: Context, run: RunRow) -> tuple[Document, ...]:
    """The chain of canonical objects behind a run, the run first."""
    chain = [
        _document(context, "Run", run.digest),
        _document(context, "Implementation", run.subject),
        _shared_document(context, "Operation", run.task),
        _shared_document(context, "Workload", run.workload),
        _shared_document(context, "Protocol", run.protocol),
        _shared_document(context, "Environment", run.environment),
    ]
    if run.project:
        chain.append(_shared_document(context, "Project", run.project))
    return tuple(chain)


def _document(context: Context, label: str, digest: str) -> Document:
    if digest in context.index.tombstones:
        label = f"{label}, redacted: a tombstone"
    return Document(label, digest, object_path(digest), context.index.location(digest).identity_bytes)


_shared_document = lru_cache(1024)(_document)


def _comparison(context: Context, run: RunRow, leader: RunRow, better: str) -> Comparison:
    behind = gap_text(run.stated, leader.stated, better)
    rows = [
        ("Implementation", run.name, leader.name),
        ("Revision", run.revision, leader.revision),
        ("Project", run.project_name, leader.project_name),
        (upper_first(facts.primary_label(context, run)), facts.value_text(run), facts.value_text(leader)),
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
        leader=Link(leader.name, context.run_page(leader.digest, leader.source)),
        sentence=f"{behind} against #1, {leader.name}. {same}",
        rows=tuple(Difference(label, a or "not stated", b or "not stated", a == b) for label, a, b in rows),
    )


@lru_cache(1024)
def _imprint(context: Context, slug: str, task: str, published_on: str, upstream_on: str) -> tuple[Item, ...]:
    source = context.source_line(slug)
    lines = [item("Published", published_on)]
    if upstream_on:
        lines.append(item("Published upstream", upstream_on))
    lines += [
        item("Source", source.name, path=source.path),
        item("Licence of the figures", source.licence, path=source.licence_url),
    ]
    if source.basis:
        lines.append(item("Basis of publication", source.basis))
    if source.attribution:
        lines.append(item("Attribution", source.attribution))
    link = context.task_link(task)
    if link.path:
        lines.append(item("See also", f"All results for {link.text}", path=link.path))
    return tuple(lines)

"""Building the implementation page, and the run rows that other pages share with it."""

from collections.abc import Sequence

from ...index import RunRow, SubjectRow
from ...ranking.rank import label as rank_label
from ...views import subject as views
from ...views.base import Item, Link
from . import facts
from .context import Context, figure, item, object_path
from .editorial import authors_text, editorial


def run_row(context: Context, run: RunRow) -> views.RunRow:
    """One run as a line."""
    of = context.cached.ranked(run.group)
    return views.RunRow(
        digest=run.digest,
        path=context.run_page(run.digest, run.source),
        task=context.task_link(run.task),
        implementation=run.name,
        revision=run.revision,
        hardware=context.hardware_link(run.environment),
        workload=context.index.workload(run.workload).summary,
        figure=figure(run.value, run.unit) if run.value is not None else None,
        metric_label=facts.primary_label(context, run),
        standing=f"{rank_label(run.rank, run.tied)} of {of}" if run.rank else run.reasons[0],
        group=context.group_page(run.group),
        leads=run.rank == 1,
        observed_on=run.observed_at[:10],
    )


def build_subject(context: Context, subject: SubjectRow, runs: Sequence[RunRow]) -> views.SubjectView:
    """The view of one implementation."""
    index = context.index
    document = index.document(subject.digest)
    spec = document["spec"]
    metadata = document["metadata"]
    task = context.task_link(subject.task)
    project = context.project_link(subject.project)
    stated = [stated_file for statement in index.statements(subject.digest) for stated_file in statement.artifacts]
    slugs = sorted({run.source for run in runs} | {subject.source})
    return views.SubjectView(
        digest=subject.digest,
        title=f"{subject.name} · {task.text}",
        description=f"{subject.name}, revision {subject.revision or 'not stated'}, for {task.text}: {len(runs)} runs.",
        name=subject.name,
        say=metadata.get("description", ""),
        task=task,
        project=project,
        identity=_identity(subject, spec, metadata),
        support=_support(spec),
        licence=_licence(spec),
        builds=_builds(spec),
        artifacts=facts.artifacts({}, spec, stated),
        runs=tuple(run_row(context, run) for run in runs),
        documents=(
            Link("Implementation", object_path(subject.digest)),
            Link("Operation", object_path(subject.task)),
            *((Link("Project", object_path(subject.project)),) if subject.project else ()),
        ),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
    )


def _identity(subject: SubjectRow, spec: dict, metadata: dict) -> tuple[Item, ...]:  # type: ignore[type-arg]
    revision = spec.get("projectRevision", {})
    call = spec["callable"]
    authors = authors_text(metadata)
    lines = [item("Title", subject.title), item("Authors", authors), item("Version", revision.get("version"))]
    for name, label in (("repository", "Repository"), ("commit", "Commit"), ("treeDigest", "Tree digest")):
        if name in revision:
            value = revision[name]
            lines.append(item(label, value, path=value if name == "repository" else "", mono=name != "repository"))
    lines.append(item("Language", None if call["language"] == "unknown" else call["language"]))
    lines += (
        item(label, call[name], mono=True)
        for name, label in (("path", "Path"), ("symbol", "Symbol"), ("interface", "Interface"))
        if name in call
    )
    lines.append(item("Digest", subject.digest, path=object_path(subject.digest), mono=True))
    # The page begins with the description.
    lines += editorial(metadata, without=("title", "authors", "description"))
    return tuple(lines)


def _support(spec: dict) -> tuple[Item, ...]:  # type: ignore[type-arg]
    support = spec["support"]
    fields = (
        ("productsTested", "Measured on"),
        ("hardwareArchitectures", "Architectures"),
        ("dtypes", "Data types"),
        ("layouts", "Layouts"),
        ("axes", "Axes"),
    )
    return tuple(item(label, ", ".join(support[name])) for name, label in fields if name in support)


def _licence(spec: dict) -> tuple[Item, ...]:  # type: ignore[type-arg]
    licensing = spec.get("licensing", {})
    lines = [item("Declared", licensing.get("declared")), item("Concluded", licensing.get("concluded"))]
    if evidence := licensing.get("evidence"):
        lines.append(item("Evidence", evidence["path"], mono=True))
        if "digest" in evidence:
            lines.append(item("Digest of the evidence", evidence["digest"], mono=True))
    return tuple(lines)


def _builds(spec: dict) -> tuple[Item, ...]:  # type: ignore[type-arg]
    """How each variant is obtained, and what it needs."""
    lines: list[Item] = []
    for variant in spec.get("buildVariants", ()):
        name, install = variant["name"], variant["install"]
        package = " ".join(install[key] for key in ("package", "version") if key in install)
        needs = ", ".join(f"{component} {version}" for component, version in variant.get("requirements", {}).items())
        lines += [
            item(f"Build {name}", install["kind"]),
            *([item("Command", install["command"], mono=True)] if "command" in install else []),
            *([item("Package", package)] if package else []),
            *facts.optional(install, ("repository", "Repository"), ("commit", "Commit")),
            *([item("Requires", needs)] if needs else []),
        ]
    return tuple(lines)

"""Building implementation pages."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import orjson

from ...index import StatementRow, SubjectRow
from ...views import subject as views
from ...views.base import Item, Link
from . import facts
from .context import Context, item, object_path
from .editorial import authors_text, editorial
from .run_lines import Stated, subject_lines


def subject_pages(context: Context, digests: Sequence[str]) -> Iterator[tuple[str, views.SubjectView]]:
    """(path, view) of the pages of many implementations, read together."""
    index = context.index
    index.locate(digests)
    subjects = {subject.digest: subject for subject in index.subjects_of(digests)}
    statements = index.all_statements(digests)
    lines = subject_lines(context, digests)
    for digest in digests:
        view = build_subject(context, subjects[digest], lines[digest], statements[digest])
        yield f"implementations/{digest[7:]}/", view


def build_subject(
    context: Context, subject: SubjectRow, runs: Sequence[Stated], statements: Sequence[StatementRow]
) -> views.SubjectView:
    """The view of one implementation."""
    document = context.index.document(subject.digest)
    spec = document["spec"]
    metadata = document["metadata"]
    task = context.task_link(subject.task)
    project = context.project_link(subject.project)
    files = [file for statement in statements for file in statement.artifacts]
    slugs = sorted({source for _, source in runs} | {subject.source})
    return views.SubjectView(
        digest=subject.digest,
        title=f"{subject.name} · {task.text}",
        description=f"{subject.name}, revision {subject.revision or 'not stated'}, for {task.text}: {len(runs)} runs.",
        name=subject.name,
        say=metadata.get("description", ""),
        task=task,
        project=project,
        identity=_identity(subject, spec, metadata),
        support=_support(orjson.dumps(spec["support"])),
        licence=_licence(orjson.dumps(spec.get("licensing", {}))),
        builds=_builds(spec),
        artifacts=facts.artifacts({}, spec, files),
        runs=tuple(line for line, _ in runs),
        documents=(
            Link("Implementation", object_path(subject.digest)),
            Link("Operation", object_path(subject.task)),
            *((Link("Project", object_path(subject.project)),) if subject.project else ()),
        ),
        sources=context.source_lines(slugs),
        illustrative=context.illustrative(slugs),
        edited=None,
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


@lru_cache(512)
def _support(text: bytes) -> tuple[Item, ...]:
    """What a manifest says of its support, given as JSON: few differ, and pages that agree share the object."""
    support = orjson.loads(text)
    fields = (
        ("productsTested", "Measured on"),
        ("hardwareArchitectures", "Architectures"),
        ("dtypes", "Data types"),
        ("layouts", "Layouts"),
        ("axes", "Axes"),
    )
    return tuple(item(label, ", ".join(support[name])) for name, label in fields if name in support)


@lru_cache(512)
def _licence(text: bytes) -> tuple[Item, ...]:
    """The same of its licensing."""
    licensing = orjson.loads(text)
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

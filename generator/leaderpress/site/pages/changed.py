"""What one ingest changed of what was published before it, as far as the records say so."""

from collections.abc import Collection

from ...index import FolderRow, RunRow
from ...views.base import Link
from ...views.listing import Redefinition, Renaming, Replacement, Uncounted
from .context import Context, object_path
from .source import reason_text

SHOWN = 25
"""How many of each a page names."""

_REVISED = (
    "where superseded_by != '' and superseded_by in (select digest from run where folder = ?1) and +folder < ?1"
    " order by name, digest limit ?2"
)
_REDEFINED = (
    "select after.raw, (select before.digest from task as before join document on document.digest = before.digest"
    " where before.raw = after.raw and before.source = after.source and document.folder < ?1"
    " order by document.folder desc, before.digest limit 1) as earlier, after.digest from task as after"
    " join document on document.digest = after.digest where document.folder = ?1 and earlier is not null"
    # Few names stand for two operations, and looking for an earlier one of each takes long.
    " and (after.raw, after.source) in (select raw, source from task group by 1, 2 having count(*) > 1) order by 1, 3"
)
_RENAMED = "select before, after, count(*) from renaming where folder = ? group by 1, 2 order by 3 desc, 1, 2"
_REFUSED = (
    "select statement.digest from statement join run on run.digest = statement.digest where statement.source = ?"
    " and statement.upstream_key = ? and run.folder < ? order by run.superseded_by != '', run.folder desc, run.digest"
    " limit 1"
)

Refusals = dict[tuple[str, str], str]
"""(source, external id) → the reason for which the source did not count it."""


def refusals(folder: FolderRow) -> Refusals:
    """What the sources of an ingest stated without counting it."""
    return {
        (row["source"], row["externalId"]): row["reason"]
        for row in folder.snapshot["rejections"]
        if row["verdict"] and "externalId" in row
    }


def replaced(context: Context, folder: FolderRow) -> tuple[Replacement, ...]:
    """Runs of earlier ingests whose place a run of this one takes, at most `SHOWN`."""
    return tuple(
        Replacement(_run(context, older), _run(context, context.index.run(older.superseded_by)))
        for older in context.index.runs(_REVISED, folder.number, SHOWN)
    )


def redefined(context: Context, folder: FolderRow) -> tuple[Redefinition, ...]:
    """Operations that were published under the same name before."""
    rows = context.index.pairs(_REDEFINED, folder.number)
    return tuple(Redefinition(raw, _task(context, older), _task(context, newer)) for raw, older, newer in rows)


def renamed(context: Context, folder: FolderRow) -> tuple[Renaming, ...]:
    """Projects under whose name runs of earlier ingests stood until this one."""
    rows = context.index.pairs(_RENAMED, folder.number)
    link = context.project_link
    return tuple(Renaming(link(older), link(newer), runs) for older, newer, runs in rows)


def uncounted(context: Context, folder: FolderRow, known: Collection[tuple[str, str]]) -> tuple[Uncounted, ...]:
    """Runs of earlier ingests that their source counts no more, found by their key; `known` was said before."""
    return tuple(
        Uncounted(_run(context, context.index.run(digest)), reason, reason_text(reason))
        for (source, name), reason in sorted(refusals(folder).items())
        if (source, name) not in known
        for (digest,) in context.index.pairs(_REFUSED, source, name, folder.number)
    )


def _run(context: Context, run: RunRow) -> Link:
    text = f"{run.name} {run.revision}".strip() + f" · {context.task_link(run.task).text}"
    return Link(text, context.run_page(run.digest, run.source))


def _task(context: Context, digest: str) -> Link:
    link = context.task_link(digest)
    return Link(link.text, link.path or object_path(digest))

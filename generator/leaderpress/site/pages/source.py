"""Building the source page: terms, snapshots, rejections, coverage."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...format import count_text
from ...index import FolderRow
from ...manifests.source import SourceTable
from ...views.base import Item, Link
from ...views.source import RejectionRow, SnapshotRow, SourceView
from .context import Context, item

EXAMPLES = 5
REASONS = {
    "DISQUALIFIED": "The source disqualified the entry.",
    "NOT_COMPLETED": "The entry did not complete.",
    "INCORRECT": "The source found the output incorrect.",
    "NO_LATENCY": "No positive latency is stated.",
    "FASTER_THAN_SOL": "The latency is below the smallest physical bound that the source states.",
    "NO_DEFINITION": "The dump lacks the definition of its operation.",
    "NO_WORKLOADS": "The dump lacks the workloads of its operation.",
    "NO_TIME": "No time of observation is stated.",
    "CONFLICTING_COPIES": "The dump holds the entry more than once, with different content.",
    "IDENTICAL_COPY": "The dump holds the same entry more than once; it counts once.",
    "UNBINDABLE_CASE": "The shapes of a workload case do not follow from its axes.",
    "UNREFERENCED": "Nothing else in the dump refers to it.",
    "DANGLING": "It refers to something that neither the dump nor the records hold.",
    "SOURCE_CONFLICT": "It names another source than the one that states it.",
    "REDACTED_TEXT": "Something that was removed by law is part of what ranking needs of it.",
    "MALFORMED": "The entry or file could not be read as what it should be.",
}


def reason_text(code: str) -> str:
    """A rejection's reason in words; an ingester's own code keeps its letters."""
    return REASONS.get(code) or code.replace("_", " ").capitalize() + "."


def rejection_rows(rejections: Sequence[dict[str, Any]], source: str | None = None) -> tuple[RejectionRow, ...]:
    """Rejections of a snapshot, counted by reason, the most frequent first."""
    mine = [row for row in rejections if source is None or row.get("source", source) == source]
    counts = Counter(row["reason"] for row in mine)
    return tuple(
        RejectionRow(
            reason=reason,
            text=reason_text(reason),
            count=count,
            verdict=all(row["verdict"] for row in mine if row["reason"] == reason),
            examples=tuple(row["at"] for row in mine if row["reason"] == reason)[:EXAMPLES],
        )
        for reason, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )


@lru_cache(256)
def extent(context: Context, source: str) -> tuple[int, int, str]:
    """How many runs a source states, of how many groups, and when the newest was observed (empty without a run)."""
    query = "select count(*), count(distinct grp), max(observed_at) from run where source = ?"
    ((runs, groups, last),) = context.index.pairs(query, source)
    return runs, groups, last or ""


def source_pages(context: Context, slugs: Sequence[str]) -> Iterator[tuple[str, SourceView]]:
    """(path, view) of the pages of sources."""
    every = context.index.folders()
    for slug in slugs:
        folders = [folder for folder in every if slug in folder.snapshot["sources"]]
        yield f"sources/{slug}/", build_source(context, context.source(slug), folders)


def build_source(context: Context, table: SourceTable, folders: Sequence[FolderRow]) -> SourceView:
    """The view of one source; `folders` are the ingests that state something from it, oldest first."""
    runs, groups, last = extent(context, table.slug)
    line = context.source_line(table.slug)
    return SourceView(
        slug=table.slug,
        title=table.name,
        description=f"{table.name}: terms, {len(folders)} snapshots, {runs} published runs, and what was not taken.",
        name=table.name,
        url=table.url or "",
        items=_terms(table),
        facts=(
            item("Runs", count_text(runs)),
            item("Groups", count_text(groups)),
            item("Snapshots", count_text(len(folders))),
            item("Last observed", last[:10]),
        ),
        metrics=tuple(
            (name, rule.label, rule.unit or "", {"lower": "lower", "higher": "higher"}.get(rule.better, "not ranked"))
            for name, rule in table.metrics.items()
        ),
        snapshots=tuple(_snapshot(folder, table.slug) for folder in reversed(folders)),
        coverage=_coverage(context, table.slug, folders),
        source=line,
        illustrative=table.illustrative,
    )


def _terms(table: SourceTable) -> tuple[Item, ...]:
    stated = table.licence != "none-stated"
    return (
        item("Address", table.url, path=table.url or ""),
        item("Licence", table.licence if stated else "none stated by the source", path=table.licence_url or ""),
        *([item("Terms", table.terms)] if table.terms else []),
        *([item("Basis of publication", table.basis)] if table.basis else []),
        *([item("Attribution", table.attribution)] if table.attribution else []),
        item("The source sorts by", table.metrics[table.order].label if table.order else None),
    )


def _snapshot(folder: FolderRow, source: str) -> SnapshotRow:
    snapshot = folder.snapshot
    counts: dict[str, dict[str, int]] = snapshot["counts"]
    return SnapshotRow(
        number=folder.number,
        folder=folder.name,
        published_on=folder.published_on,
        retrieved_at=snapshot.get("retrieved_at", ""),
        dump=snapshot["dump"],
        ingester=f"{snapshot['ingester']} {snapshot['ingester_version']}",
        counts=tuple(_count(kind, stated) for kind, stated in counts.items() if any(stated.values())),
        rejections=rejection_rows(snapshot["rejections"], source),
        ignored=len(snapshot.get("ignored", ())),
        drift=tuple(_drift(field) for field in snapshot.get("drift", ())),
    )


def _count(kind: str, stated: dict[str, int]) -> Item:
    words = {"new": "new", "revised": "revised", "known": "known before"}
    return item(kind, ", ".join(f"{count_text(stated[key])} {word}" for key, word in words.items() if stated.get(key)))


def _drift(field: dict[str, Any]) -> str:
    return f"{field['field']}, {count_text(field['count'])} times, first at {field['at']}"


def _coverage(context: Context, source: str, folders: Sequence[FolderRow]) -> tuple[tuple[Link, int, str, str], ...]:
    """How much of each operation's list the newest dump holds, where the source states its own count."""
    rows: dict[str, tuple[Link, int, str, str]] = {}
    for folder in folders:
        for task in folder.snapshot.get("tasks", ()):
            if task.get("source", source) == source and context.index.has(task["task"]):
                stated = task.get("stated")
                rows[task["task"]] = (
                    context.task_link(task["task"]),
                    task["rows"],
                    "not stated" if stated is None else count_text(stated),
                    "complete" if task["complete"] else "partial",
                )
    return tuple(sorted(rows.values(), key=lambda row: (row[0].path, row[0].text, row[1:])))

"""What reviewed notes and later ingests say about a run: notices before its number, and the list of notes."""

from ...index import GroupRow, RunRow
from ...manifests.notes import Note
from ...views.base import Item, Link, NoteView, Notice
from .context import Context, figure, figure_text, item
from .editorial import redaction_text

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_TITLES = {
    "withdrawal": "Withdrawn",
    "dispute": "Disputed",
    "correction": "Superseded",
    "attestation": "Attested",
    "redaction": "Redacted",
}


def long_date(day: str) -> str:
    """`2026-09-02` as `2 September 2026`."""
    year, month, number = day[:10].split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {year}"


def notices(context: Context, run: RunRow, group: GroupRow) -> tuple[Notice, ...]:
    """Notices of a run, the gravest first."""
    notes = context.notes.get(run.digest, ())
    found = [
        _from_note(context, note)
        for kind in ("withdrawal", "correction", "dispute")
        for note in notes
        if note.kind == kind
    ]
    found = [*_redacted(context, run), *found]
    corrected = any(note.kind == "correction" for note in notes)
    if run.superseded_by and not corrected:
        found.append(_superseded(context, run))
    found += _supersedes(context, run)
    return tuple(found)


def _from_note(context: Context, note: Note) -> Notice:
    link = None
    if note.successor:
        link = _run_link(context, context.index.run(note.successor))
    kinds = {"withdrawal": "withdrawn", "correction": "superseded", "dispute": "disputed"}
    return Notice(
        kind=kinds[note.kind],
        title=f"{_TITLES[note.kind]} on {long_date(note.when)}",
        text=note.why,
        who=note.who,
        date=note.when,
        link=link,
        file=note.at,
    )


def _redacted(context: Context, run: RunRow) -> list[Notice]:
    """What was removed from the record; a tombstone states the reason itself, so that no page needs the note."""
    document = context.index.document(run.digest)
    redaction = document["metadata"].get("redaction")
    if redaction is None:
        return []
    what = "The record was removed" if document["tombstone"]["whole"] else "A text was removed from this record"
    return [
        Notice(
            kind="redacted",
            title=f"Redacted on {long_date(redaction['when'])}",
            text=f"{what}: {redaction_text(redaction)}",
            who=redaction["who"],
            date=redaction["when"],
            link=None,
            file=redaction["note"],
        )
    ]


def _superseded(context: Context, run: RunRow) -> Notice:
    newer = context.index.run(run.superseded_by)
    since = _superseded_on(context, run, newer)
    return Notice(
        kind="superseded",
        title=f"Superseded on {long_date(since)}",
        text="A later dump of the source states this submission anew; the newer record ranks in its place.",
        who="",
        date=since,
        link=_run_link(context, newer),
        file="",
    )


def _superseded_on(context: Context, run: RunRow, newer: RunRow) -> str:
    """When the newer run took the place; one that stood before and stands again did so when it was stated again."""
    if newer.folder > _stated_in(context, run):
        return newer.published_on
    query = "select published_on from folder where number = ?"
    return str(context.index.pairs(query, _stated_in(context, newer))[0][0])


def _stated_in(context: Context, run: RunRow) -> int:
    """Number of the folder that stated the run's key last."""
    query = "select coalesce(max(keyed), ?) from statement where digest = ? and source = ?"
    return context.index.count(query, run.folder, run.digest, run.source)


def _supersedes(context: Context, run: RunRow) -> list[Notice]:
    if run.digest not in context.cached.supersede:
        return []
    older = context.index.runs("where superseded_by = ? and superseded_by != '' order by folder, digest", run.digest)
    return [
        Notice(
            kind="corrects",
            title=f"Supersedes Run {before.digest[7:15]}",
            text="This record takes the place of an earlier one, which stays at its address.",
            who="",
            date=_corrected_on(context, before) or _superseded_on(context, before, run),
            link=_run_link(context, before),
            file="",
        )
        for before in older
    ]


def _corrected_on(context: Context, run: RunRow) -> str:
    """The date of the note that names a run's successor, empty without one; the latest note counts."""
    return max((note.when for note in context.notes.get(run.digest, ()) if note.kind == "correction"), default="")


def _run_link(context: Context, run: RunRow) -> Link:
    return Link(f"Run {run.digest[7:15]}", context.run_page(run.digest, run.source))


def note_views(context: Context, run: RunRow) -> tuple[NoteView, ...]:
    """Every note about a run, oldest first."""
    notes = sorted(context.notes.get(run.digest, ()), key=lambda note: (note.when, note.at))
    return tuple(
        NoteView(
            kind=note.kind,
            title=f"{_TITLES[note.kind]} on {long_date(note.when)}",
            who=note.who,
            date=note.when,
            text="\n\n".join(text for text in (note.why, note.body) if text),
            items=_items(context, note),
            file=note.at,
        )
        for note in notes
    )


def _items(context: Context, note: Note) -> tuple[Item, ...]:
    lines = []
    if note.successor:
        path = _run_link(context, context.index.run(note.successor)).path
        lines.append(item("Successor", note.successor, path=path, mono=True))
    if note.basis:
        lines.append(item("Basis", note.basis))
    if note.type:
        lines.append(item("Outcome", note.type.replace("-", " ")))
    if note.value is not None:
        statistic = f" {note.statistic}" if note.statistic else ""
        lines.append(item("Measured", figure_text(figure(note.value, note.unit)) + statistic))
    if note.environment:
        lines.append(item("Environment", note.environment))
    if note.evidence:
        lines.append(item("Evidence", note.evidence, path=note.evidence))
    return tuple(lines)

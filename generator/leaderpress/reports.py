"""What commands say about what they did, as lines of plain text; nothing here prints."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checks import CheckReport
    from .ingest import IngestReport, SealReport, UndoReport
    from .redaction import RedactionReport
    from .site.editions import FreezeReport
    from .site.report import BuildReport
    from .verify import VerifyReport
    from .views.run import RunView


_SHOWN = 20
"""Places that a report names at most."""


def ingest_lines(report: "IngestReport") -> Iterator[str]:
    """What was taken, what was left out and why, and where the records are."""
    snapshot = report.snapshot
    yield f"{snapshot['source']}: dump {snapshot['dump']}"
    if report.already:
        yield report.notice
        return
    for kind, counts in report.counts.items():
        yield f"  {kind:<24}" + ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    for reason in report.reasons:
        who = "left out" if reason.verdict else "faulty"
        yield f"  {reason.reason:<24}{reason.count} {who}, at {', '.join(reason.places)}"
    yield from (f"  unknown field {drift['field']}, {drift['count']} times" for drift in snapshot["drift"])
    if snapshot["ignored"]:
        yield f"  not read: {', '.join(snapshot['ignored'])}"
    if report.unlike:
        what = f"{report.unlike} removed {_plural(report.unlike, 'document')} came with other metadata"
        yield f"  {what}; look whether it says what was removed, and remove it again if so"
    yield from _update_lines(report)
    yield from (f"  {'wrote' if report.written else 'would write'} {path}" for path in report.copied)
    yield report.notice or f"published {snapshot['published_at']}: content/records/{report.folder}/"


def _update_lines(report: "IngestReport") -> Iterator[str]:
    """What a newer dump changes of what was published before."""
    from .ingest.telling import update_lines

    if report.unknown:
        yield f"  {report.unknown}"
    if report.updates:
        yield from update_lines(report.updates)
    if report.review:
        yield f"  move what you agree with from {report.review}/ to content/notes/"


def undo_lines(report: "UndoReport") -> Iterator[str]:
    """What was taken back."""
    yield f"removed content/records/{report.folder}/ of {report.published_at}: {report.documents:,} documents"
    yield f"log: {report.lines:,} lines; nothing published contained more"


def seal_lines(report: "SealReport") -> Iterator[str]:
    """Which notes were committed to the log, and the log's checkpoint."""
    yield from (f"  committed {at}" for at in report.notes)
    yield from (f"  waits for the run that it names: {at}" for at in report.waiting)
    yield f"sealed: content/records/{report.folder}/" if report.folder else "nothing new to commit"
    yield f"log: {report.lines:,} lines, sha256 {report.sha256}"


def redaction_lines(report: "RedactionReport") -> Iterator[str]:
    """What a removal changed, and what it leaves to a person."""
    yield f"{report.kind} {report.target}"
    yield from (f"  {kind:<24}{count} {_plural(count, 'tombstone')}" for kind, count in report.documents.items())
    yield from (f"  {name:<24}{count} {_plural(count, 'line')} changed" for name, count in report.lines.items())
    yield from (f"  {'changed' if report.written else 'would change'} {path}" for path in report.edited)
    yield from (f"  moves to {address}" for address in report.addresses)
    yield from (f"  LEFT, change it by hand: {place}" for place in report.left)
    yield from (f"  similar, not removed: {place}" for place in report.similar[:_SHOWN])
    if len(report.similar) > _SHOWN:
        yield f"  similar, not removed: {len(report.similar) - _SHOWN} more places; --json lists them"
    if not report.written:
        yield "dry run: nothing was written"
        return
    yield f"wrote {report.note}"
    yield "Next: delete build/, which holds older copies, then build and publish. Version control keeps what it had."


def edition_lines(report: "FreezeReport") -> Iterator[str]:
    """What an edition holds, and the digest by which it is cited."""
    yield f"edition {report.tag} of {report.published_at}: {report.groups:,} groups, {report.runs:,} ranked runs"
    yield f"  made from the first {report.checkpoint.lines:,} lines of the log"
    yield f"  {report.digest}"
    yield f"wrote {report.file}; commit it, then build"


def build_lines(report: "BuildReport") -> Iterator[str]:
    """How large the site is, where it is, what was made anew and why, and what took how long (seconds)."""
    yield f"{report.pages:,} pages, {report.files:,} files, {report.bytes:,} bytes: {report.output}"
    if report.kinds:
        yield "pages: " + ", ".join(f"{kind.pages:,} {name}" for name, kind in report.kinds.items())
        largest = max(report.kinds.values(), key=lambda kind: kind.largest)
        yield f"largest page: {largest.largest:,} bytes, {largest.largest_path}"
    causes = ", ".join(f"{count:,} {cause}" for cause, count in report.causes.items())
    made = f"{report.rendered:,} files made ({causes}), {report.written:,} of them differ from what was published"
    yield made if report.changed else "nothing changed"
    if report.carried:
        yield f"kept {len(report.carried)} files that are not ours: {', '.join(report.carried[:5])}"
    yield ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in report.stages.items())


def check_lines(report: "CheckReport") -> Iterator[str]:
    """What was looked at, and how many problems there are."""
    yield from (f"moved by a redaction of {day}: {path}" for path, day in report.moved)
    counts = report.counts
    if (buried := counts.get("buried")) is not None:
        yield f"{buried:,} {'object' if buried == 1 else 'objects'} became tombstones"
    seen = ", ".join(f"{counts[what]:,} {what}" for what in ("files", "pages", "links", "fragments", "objects"))
    problems = counts["problems"]
    yield f"{seen}: {problems:,} {'problem' if problems == 1 else 'problems'}"
    if problems > len(report.problems):
        yield f"the first {len(report.problems):,} are listed"


def verify_lines(report: "VerifyReport") -> Iterator[str]:
    """What was verified, what was lawfully removed, and how many problems there are."""
    yield from report.says
    yield from (f"redacted: {digest}" for digest in report.redacted)
    counts = {what: count for what, count in sorted(report.counts.items()) if what != "problems" and count}
    problems = report.counts.get("problems", 0)
    seen = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    yield f"{seen}: {problems:,} {'problem' if problems == 1 else 'problems'}"
    if problems > len(report.problems):
        yield f"the first {len(report.problems):,} are listed"


def run_lines(view: "RunView") -> Iterator[str]:
    """The facts of one run, from the same view as its page."""
    yield view.title
    yield from (f"  {notice.title}: {notice.text}" for notice in view.notices)
    figure = view.primary
    value = f"{figure.number} {figure.unit}".strip() if figure else "not stated"
    yield _fact("value", f"{value} {view.primary_label} {view.spread} {view.samples}", figure.exact if figure else "")
    yield _fact("status", view.status_text, view.evidence)
    standing = view.standing
    yield _fact("rank", f"{standing.label} of {standing.of}" if standing else "does not rank", view.gap)
    yield from (_fact("because", reason.text) for reason in view.reasons)
    yield _fact("as stated", view.source_line)
    yield from (_fact(item.label, item.value, item.extra) for item in view.identity)
    yield _fact("observed", view.observed_at)
    yield _fact("published", view.published_on)
    yield _fact("page", view.citation.permalink or f"runs/{view.digest[7:]}/")


def _fact(label: str, value: str, extra: str = "") -> str:
    text = " ".join(value.split()) or "not stated"
    return f"  {label:<18}{text}" + (f" ({extra})" if extra else "")


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"

"""What commands say about what they did, as lines of plain text; nothing here prints."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checks import CheckReport
    from .ingest import IngestReport
    from .site.build import BuildReport
    from .views.run import RunView


def ingest_lines(report: "IngestReport") -> Iterator[str]:
    """What was taken, what was left out and why, and where the records are."""
    snapshot = report.snapshot
    yield f"{snapshot['source']}: dump {snapshot['dump']}"
    if report.already:
        yield f"was ingested before: content/records/{report.folder}/"
        return
    for kind, counts in report.counts.items():
        yield f"  {kind:<24}" + ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    for reason in report.reasons:
        who = "left out" if reason.verdict else "faulty"
        yield f"  {reason.reason:<24}{reason.count} {who}, at {', '.join(reason.places)}"
    yield from (f"  unknown field {drift['field']}, {drift['count']} times" for drift in snapshot["drift"])
    if snapshot["ignored"]:
        yield f"  not read: {', '.join(snapshot['ignored'])}"
    yield from (f"  {'wrote' if report.written else 'would write'} {path}" for path in report.copied)
    yield report.notice or f"published {snapshot['published_at']}: content/records/{report.folder}/"


def build_lines(report: "BuildReport") -> Iterator[str]:
    """How large the site is, where it is, and what took how long (seconds)."""
    yield f"{report.pages:,} pages, {report.files:,} files, {report.bytes:,} bytes: {report.output}"
    made = f"{report.rendered:,} files made ({report.why}), {report.written:,} of them differ from what was published"
    yield made if report.changed else "nothing changed"
    if report.carried:
        yield f"kept {len(report.carried)} files that are not ours: {', '.join(report.carried[:5])}"
    yield ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in report.stages.items())


def check_lines(report: "CheckReport") -> Iterator[str]:
    """What was looked at, and how many problems there are."""
    counts = report.counts
    seen = ", ".join(f"{counts[what]:,} {what}" for what in ("files", "pages", "links", "fragments", "objects"))
    problems = counts["problems"]
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

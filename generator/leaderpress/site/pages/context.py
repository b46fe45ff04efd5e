"""What every page builder works with: the open index, the source tables, the notes, the site's settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ...config import SiteConfig, fill_link
from ...errors import ContentError
from ...format import date_text, family_name, metric_text, quantity
from ...index import Index, RunRow, TaskRow
from ...manifests.notes import Note
from ...manifests.source import TIME_UNITS, SourceTable
from ...views.base import NOT_STATED, Figure, Item, Link, SiteView, SourceLine


def hexa(digest: str) -> str:
    """The 64 hex digits of a digest."""
    return digest[7:]


def object_path(digest: str) -> str:
    """Address of a canonical object."""
    return f"sha256/{digest[7:9]}/{digest[7:]}.json"


def run_path(digest: str) -> str:
    """Address of a run page."""
    return f"runs/{digest[7:]}/"


def group_path(key: str) -> str:
    """Address of a group page."""
    return f"groups/{key[7:]}/"


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Read-only; one for each worker process."""

    index: Index
    config: SiteConfig
    site: SiteView
    sources: Mapping[str, SourceTable]
    notes: Mapping[str, Sequence[Note]]
    """Notes by the digest that they are about."""
    cached: "Cached" = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cached", Cached(self.index))

    # -- links -----------------------------------------------------------------------------------------------------

    def task_link(self, digest: str) -> Link:
        """An operation's name and page."""
        row: TaskRow = self.index.task(digest)
        return Link(row.name, f"operations/{row.slug}/")

    def family_link(self, family: str) -> Link:
        """A family's name and its place in the index of operations."""
        return Link(family_name(family), f"operations/#{family}")

    def hardware_link(self, environment: str) -> Link:
        """The product of an environment and its page."""
        row = self.index.environment(environment)
        return Link(row.product, f"hardware/{row.slug}/")

    def project_link(self, digest: str) -> Link:
        """A project's display name and page; the empty link for an unknown one."""
        return self.cached.project(digest)

    def subject_path(self, digest: str) -> str:
        """An implementation's page, or its canonical object until it has one."""
        return f"implementations/{digest[7:]}/" if self.cached.has_page(digest) else object_path(digest)

    def permalink(self, path: str) -> str:
        """The absolute address of a path, empty without a permalink base."""
        return f"{self.site.permalink_base}{path}" if self.site.permalink_base else ""

    def pre_filled(self, template: str, digest: str, path: str) -> str:
        """A report or note address with digest and permalink filled in; empty without a template."""
        if not template:
            return ""
        return fill_link(template, digest=digest, permalink=self.permalink(path) or path)

    # -- sources -----------------------------------------------------------------------------------------------------

    def source(self, slug: str) -> SourceTable:
        """A source's table; raises `ContentError` when the site has none."""
        table = self.sources.get(slug)
        if table is None:
            raise ContentError("source-missing", f"no table for the source {slug!r}", at=f"content/sources/{slug}.toml")
        return table

    def source_line(self, slug: str) -> SourceLine:
        """Who stated a figure, and on what terms."""
        table = self.source(slug)
        return SourceLine(
            name=table.name,
            path=f"sources/{slug}/",
            licence="none stated" if table.licence == "none-stated" else table.licence,
            licence_url=table.licence_url or "",
            terms=table.terms or "",
            basis=table.basis or "",
            attribution=table.attribution or "",
            illustrative=table.illustrative,
        )

    def source_lines(self, slugs: Sequence[str]) -> tuple[SourceLine, ...]:
        """The same for several sources, by name."""
        lines = [self.source_line(slug) for slug in sorted(set(slugs))]
        return tuple(sorted(lines, key=lambda line: line.name.casefold()))

    def illustrative(self, slugs: Sequence[str]) -> bool:
        """Whether any of the sources holds invented data."""
        return any(self.source(slug).illustrative for slug in slugs)

    # -- metrics -----------------------------------------------------------------------------------------------------

    def metric_label(self, source: str, metric: str) -> str:
        """A metric's name for people."""
        table = self.sources.get(source)
        rule = table.metrics.get(metric) if table else None
        return rule.label if rule else metric.replace("_", " ")

    def metric_value(self, source: str, metric: str, values: Mapping[str, float | int]) -> str:
        """One of the source's own metrics as its table formats it; `x/y` for a count of a total."""
        value = values.get(metric)
        if value is None:
            return NOT_STATED
        table = self.sources.get(source)
        rule = table.metrics.get(metric) if table else None
        if rule is None:
            return metric_text(value, "literal")
        total = values.get(rule.of) if rule.of else None
        if total is not None:
            return f"{metric_text(value, 'count')}/{metric_text(total, 'count')}"
        if rule.format == "time":
            return quantity(value, rule.unit).text
        return metric_text(value, rule.format, rule.unit)

    def own_metrics(self, run: RunRow) -> list[str]:
        """The source's metrics that say something beside the primary value: a time beside a time restates it."""
        table = self.sources.get(run.source)
        rules = table.metrics if table else {}
        return [
            name
            for name in self.shown_metrics(run.source, run.metrics)
            if name in rules and not (rules[name].unit in TIME_UNITS and run.unit in TIME_UNITS)
        ]

    def shown_metrics(self, source: str, values: Mapping[str, float | int]) -> list[str]:
        """The source's metrics in the order of its table, totals left out; what the table does not name comes last."""
        table = self.sources.get(source)
        if table is None:
            return sorted(values)
        totals = {rule.of for rule in table.metrics.values() if rule.of}
        known = [name for name in table.metrics if name in values and name not in totals]
        return known + sorted(name for name in values if name not in table.metrics)


class Cached:
    """Look-ups that many pages repeat."""

    def __init__(self, index: Index) -> None:
        self.project = lru_cache(8192)(lambda digest: _project_link(index, digest))
        self.has_page = lru_cache(65536)(
            lambda digest: index.count("select count(*) from subject where digest = ? and has_page", digest) > 0
        )
        self.raw_names = frozenset(
            row[0] for row in index.pairs("select name from task group by name having count(*) > 1")
        )
        """Names that two operations share, so that only their raw names tell them apart."""
        self.case_digests = lru_cache(256)(lambda task: _case_digests(index, task))
        self.coverage = _coverage(index)
        """Operation → (entries in the dump, the source's own count, date since which both stand)."""


def _coverage(index: Index) -> dict[str, tuple[int, int, str]]:
    counts: dict[str, tuple[int, int, str]] = {}
    for folder in index.folders():
        for task in folder.snapshot["tasks"]:
            if "stated" in task:
                held = counts.get(task["task"])
                figures = (task["rows"], task["stated"])
                if held is None or held[:2] != figures:
                    counts[task["task"]] = (*figures, folder.published_on)
    return counts


def _project_link(index: Index, digest: str) -> Link:
    found = index.projects("where digest = ?", digest) if digest else []
    return Link(found[0].name, f"projects/{found[0].slug}/") if found else Link("", "")


def _case_digests(index: Index, task: str) -> dict[frozenset[tuple[str, int]], str]:
    """Published cases of an operation by their axes."""
    cases: dict[frozenset[tuple[str, int]], str] = {}
    for row in index.workloads(task):
        if row.kind == "WorkloadCase":
            spec: dict[str, Any] = index.document(row.digest)["spec"]
            cases.setdefault(frozenset(spec["axes"].items()), row.digest)
    return cases


def figure(value: float | int, unit: str | None) -> Figure:
    """A number as all pages show it."""
    shown = quantity(value, unit)
    return Figure(number=shown.number, unit=shown.unit, exact=shown.exact, value=value)


def figure_text(shown: Figure) -> str:
    """Number and unit in one text."""
    return f"{shown.number}\u00a0{shown.unit}" if shown.unit else shown.number


def item(label: str, value: object, *, path: str = "", mono: bool = False, extra: str = "") -> Item:
    """A labelled line; None, an empty text and the literal `unspecified` read `not stated`."""
    if value is None or value in ("", "unspecified"):
        return Item(label, NOT_STATED, stated=False)
    if value is True or value is False:
        return Item(label, "yes" if value else "no")
    return Item(label, str(value), path=path, mono=mono, extra=extra)


def rank_label(run: RunRow) -> str:
    """`3`, or `3=` when the rank is shared."""
    return f"{run.rank}=" if run.tied else str(run.rank)


def on(instant: str) -> str:
    """The date of an instant."""
    return date_text(instant)

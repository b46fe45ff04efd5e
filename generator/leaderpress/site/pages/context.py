"""What every page builder works with: the open index, the source tables, the notes, the site's settings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from ...config import SiteConfig, fill_link
from ...errors import ContentError
from ...format import family_name, metric_text, quantity, same_time
from ...index import EnvironmentRow, Index, RunRow, TaskRow, coverage
from ...manifests.notes import Note
from ...manifests.source import MetricRule, SourceTable
from ...views.base import NOT_STATED, Figure, Item, Link, SiteView, SourceLine
from ..addresses import Addresses

_RUNS_KEPT = 4096
"""Runs whose metrics are remembered; a group's runs come one after the other."""


def hexa(digest: str) -> str:
    """The 64 hex digits of a digest."""
    return digest[7:]


def object_path(digest: str) -> str:
    """Address of a canonical object."""
    return f"sha256/{digest[7:9]}/{digest[7:]}.json"


def run_path(digest: str) -> str:
    """Address of a run page."""
    return f"runs/{digest[7:]}/"


CaseKey = tuple[frozenset[tuple[str, int]], str]
"""Axes and comparator: all that a suite and a case's own document both state about a case."""


def case_key(axes: Mapping[str, int], correctness: Mapping[str, Any]) -> CaseKey:
    """By what a case of a suite and its own document are matched."""
    return frozenset(axes.items()), str(correctness.get("comparator", ""))


def family_anchor(family: str) -> str:
    """The id of a family's section in the index of operations; no id of the page's frame begins so."""
    return f"family-{family}"


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
    addresses: Addresses = field(init=False)
    """What may be linked to."""
    cached: "Cached" = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "addresses", Addresses(self.config.outputs))
        object.__setattr__(self, "cached", Cached(self.index, self.addresses))

    # -- links -----------------------------------------------------------------------------------------------------

    def page(self, path: str) -> str:
        """The path of a page, empty where the site does not write it."""
        return self.addresses.page(path)

    def run_page(self, digest: str, source: str) -> str:
        """A run's page, or its canonical object where the site writes no page for runs of the source."""
        return self.addresses.page(run_path(digest), source) or object_path(digest)

    def group_page(self, key: str) -> str:
        """A comparison group's page, empty where the site writes none."""
        return self.addresses.page(group_path(key))

    def task_link(self, digest: str) -> Link:
        """An operation's name and page."""
        return self.cached.task(digest)

    def family_link(self, family: str) -> Link:
        """A family's name and its place in the index of operations."""
        return self.cached.family(family)

    def hardware_link(self, environment: str) -> Link:
        """The product of an environment and its page."""
        return self.cached.hardware(environment)

    def project_link(self, digest: str) -> Link:
        """A project's display name and page; the empty link for an unknown one."""
        return self.cached.project(digest)

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
        if slug not in self.cached.source_lines:
            self.cached.source_lines[slug] = self._source_line(slug)
        return self.cached.source_lines[slug]

    def _source_line(self, slug: str) -> SourceLine:
        table = self.source(slug)
        return SourceLine(
            name=table.name,
            path=self.page(f"sources/{slug}/"),
            licence="none stated" if table.licence == "none-stated" else table.licence,
            licence_url=table.licence_address,
            terms=table.terms or "",
            basis=table.basis or "",
            attribution=table.attribution or "",
            illustrative=table.illustrative,
        )

    def source_lines(self, slugs: Sequence[str]) -> tuple[SourceLine, ...]:
        """The same for several sources, by name; one object for the same sources."""
        key = tuple(sorted(set(slugs)))
        if key not in self.cached.joint_lines:
            lines = [self.source_line(slug) for slug in key]
            self.cached.joint_lines[key] = tuple(sorted(lines, key=lambda line: line.name.casefold()))
        return self.cached.joint_lines[key]

    def illustrative(self, slugs: Sequence[str]) -> bool:
        """Whether any of the sources holds invented data."""
        return any(self.source(slug).illustrative for slug in slugs)

    # -- metrics -----------------------------------------------------------------------------------------------------

    def metric_label(self, source: str, metric: str) -> str:
        """A metric's name for people."""
        rule = self._rule(source, metric)
        return rule.label if rule else metric.replace("_", " ")

    def _rule(self, source: str, metric: str) -> MetricRule | None:
        table = self.sources.get(source)
        return table.metrics.get(metric) if table else None

    def joint_label(self, sources: Sequence[str], metric: str) -> str:
        """A metric's name where several sources state it: the one that all use, else each of theirs."""
        named = [slug for slug in sources if (table := self.sources.get(slug)) and metric in table.metrics]
        return " / ".join(dict.fromkeys(self.metric_label(slug, metric) for slug in named or sources))

    def metric_value(self, source: str, metric: str, values: Mapping[str, float | int]) -> str:
        """One of the source's own metrics as its table formats it; `x/y` for a count of a total."""
        value = values.get(metric)
        if value is None:
            return NOT_STATED
        rule = self._rule(source, metric)
        if rule is None:
            return metric_text(value, "literal")
        total = values.get(rule.of) if rule.of else None
        if total is not None:
            return f"{metric_text(value, 'count')}/{metric_text(total, 'count')}"
        if rule.format == "time":
            return quantity(value, rule.unit).text
        return metric_text(value, rule.format, rule.unit)

    def own_metrics(self, run: RunRow) -> tuple[str, ...]:
        """The source's metrics that say something beside the primary value: the same time in another unit does not."""
        kept = self.cached.own_metrics
        if run.digest not in kept:
            if len(kept) > _RUNS_KEPT:
                kept.clear()
            kept[run.digest] = self._own_metrics(run)
        return kept[run.digest]

    def _own_metrics(self, run: RunRow) -> tuple[str, ...]:
        return tuple(
            name
            for name in self.shown_metrics(run.source, run.metrics)
            if (rule := self._rule(run.source, name)) and not _restates(run, run.metrics[name], rule.unit)
        )

    def shown_metrics(self, source: str, values: Mapping[str, float | int]) -> tuple[str, ...]:
        """The source's metrics in the order of its table, totals left out; what the table does not name comes last."""
        key = (source, *values)
        if key not in self.cached.shown_metrics:
            self.cached.shown_metrics[key] = self._in_order(source, values)
        return self.cached.shown_metrics[key]

    def _in_order(self, source: str, names: Collection[str]) -> tuple[str, ...]:
        table = self.sources.get(source)
        if table is None:
            return tuple(sorted(names))
        totals = {rule.of for rule in table.metrics.values() if rule.of}
        known = [name for name in table.metrics if name in names and name not in totals]
        return (*known, *sorted(name for name in names if name not in table.metrics))


class Cached:
    """Look-ups that many pages repeat."""

    def __init__(self, index: Index, addresses: Addresses) -> None:
        self.project = lru_cache(8192)(lambda digest: _project_link(index, addresses, digest))
        self.task = lru_cache(4096)(lambda digest: _task_link(index.task(digest), addresses))
        self.family = lru_cache(1024)(lambda family: _family_link(family, addresses))
        self.hardware = lru_cache(1024)(lambda digest: _hardware_link(index.environment(digest), addresses))
        self.source_lines: dict[str, SourceLine] = {}
        self.joint_lines: dict[tuple[str, ...], tuple[SourceLine, ...]] = {}
        self.shown_metrics: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.own_metrics: dict[str, tuple[str, ...]] = {}
        self.supersede = frozenset(
            row[0] for row in index.pairs("select distinct superseded_by from run where superseded_by != ''")
        )
        """Runs that take the place of an earlier one."""
        self.raw_names = frozenset(
            row[0] for row in index.pairs("select name from task group by name having count(*) > 1")
        )
        """Names that two operations share, so that only their raw names tell them apart."""
        self.published_cases = lru_cache(256)(lambda task: _published_cases(index, task))
        self.coverage = coverage((folder.published_on, folder.snapshot) for folder in index.folders())
        """Operation → (entries in the dump, the source's own count, date since which both stand)."""


def _restates(run: RunRow, value: float | int, unit: str | None) -> bool:
    return run.value is not None and same_time(value, unit, run.value, run.unit)


def _task_link(row: TaskRow, addresses: Addresses) -> Link:
    return Link(row.name, addresses.page(f"operations/{row.slug}/"))


def _family_link(family: str, addresses: Addresses) -> Link:
    return Link(family_name(family), addresses.page(f"operations/#{family_anchor(family)}"))


def _hardware_link(row: EnvironmentRow, addresses: Addresses) -> Link:
    return Link(row.product, addresses.page(f"hardware/{row.slug}/"))


def _project_link(index: Index, addresses: Addresses, digest: str) -> Link:
    found = index.projects("where digest = ?", digest) if digest else []
    return Link(found[0].name, addresses.page(f"projects/{found[0].slug}/")) if found else Link("", "")


def _published_cases(index: Index, task: str) -> dict[CaseKey, list[tuple[int, str]]]:
    """Published cases of an operation, (folder, digest), by what a suite says of a case of its own."""
    cases: dict[CaseKey, list[tuple[int, str]]] = {}
    rows = index.pairs(
        "select folder, workload.digest from workload join document on document.digest = workload.digest"
        " where task = ? and workload.kind = 'WorkloadCase' order by workload.digest",
        task,
    )
    index.locate(digest for _, digest in rows)
    for folder, digest in rows:
        # Only these few members of so many documents are ever needed: not worth a place among the kept ones.
        spec: dict[str, Any] = orjson.loads(index.text(digest))["spec"]
        cases.setdefault(case_key(spec["axes"], spec["correctness"]), []).append((folder, digest))
    return cases


@lru_cache(4096)
def _figure(value: float | int, unit: str | None, whole: bool) -> Figure:
    shown = quantity(value, unit)
    return Figure(number=shown.number, unit=shown.unit, exact=shown.exact, value=value)


def figure(value: float | int, unit: str | None) -> Figure:
    """A number as all pages show it."""
    # 1 and 1.0 are equal, but the twin keeps them apart.
    return _figure(value, unit, isinstance(value, int))


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

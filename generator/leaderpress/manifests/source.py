"""`content/sources/<slug>.toml`: who publishes a board, under which licence, and how its own figures are read.

A licence must be stated: an SPDX expression; a `LicenseRef-…` with its text or address; or `none-stated` with the
terms that the source does give and the basis on which the publisher shows the data all the same, both of which stand
on every page.  The direction of a metric comes from here and from nowhere else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ..errors import ContentError
from ..format import TIME_UNITS, is_metric_format
from . import toml
from .faults import raise_all, shown
from .licences import NONE_STATED, expression_fault, has_reference, licence_address
from .patterns import LINE, PROSE, SLUG, TOKEN, URL
from .tables import choice, flag, mapping, optional, required, table_faults, text

Better = Literal["lower", "higher", "none"]

_LICENCE_HINT = (
    'add licence = "<SPDX expression>", or "LicenseRef-<name>" with licence_text or licence_url, '
    'or "none-stated" with terms and basis'
)


@dataclass(frozen=True, slots=True)
class MetricRule:
    """How one figure of a source is named, written and judged."""

    label: str
    """Name as shown, e.g. in the head of a column."""
    format: str = "literal"
    """`fixed:N`, `ratio:N`, `count`, `literal`, or `time` for a value whose unit is one of time."""
    unit: str = ""
    """Unit of the value as stated, empty if it has none."""
    better: Better = "none"
    """Direction; `none` if it does not rank anything."""
    of: str | None = None
    """The metric that this count is a part of: shown as `8/16`."""
    line: str | None = None
    """Wording in the source metrics line, with `{value}`; None: not in that line."""


@dataclass(frozen=True, slots=True)
class SourceTable:
    """One source, as its table in `content/sources` states it."""

    slug: str
    """Name of the file, and of the source in paths."""
    name: str
    """Name as shown."""
    url: str
    """Address of the board."""
    licence: str
    """SPDX expression, `LicenseRef-…`, or `none-stated`."""
    licence_text: str | None = None
    """Text of a licence that is not on the SPDX list."""
    licence_url: str | None = None
    """Address of that text."""
    terms: str | None = None
    """What a source without a licence says about use."""
    basis: str | None = None
    """Why the publisher shows data that have no licence."""
    attribution: str | None = None
    """The credit that the source asks for."""
    ingester: str = ""
    """Slug of the ingester that reads its dumps; the slug of the source unless stated."""
    illustrative: bool = False
    """Invented for demonstration; every page says so."""
    metrics: Mapping[str, MetricRule] = field(default_factory=dict)
    """Rules by name of the metric, in the order of the table."""
    order: str | None = None
    """The metric that the source itself sorts by."""

    @property
    def licence_address(self) -> str:
        """Where the licence can be read: as stated, else SPDX's page about it; empty where there is neither."""
        return self.licence_url or licence_address(self.licence)

    @property
    def rights(self) -> str:
        """The terms of the figures in one line of text: the licence's name, or what a source without one says."""
        return (self.terms or "") if self.licence == NONE_STATED else self.licence


_METRIC_FIELDS = {
    "label": optional(text(LINE, 200)),
    "format": optional(text(LINE, 200)),
    "unit": optional(text(LINE, 50)),
    "better": optional(choice(get_args(Better))),
    "of": optional(text(TOKEN, 200)),
    "line": optional(text(LINE, 200)),
}

_FIELDS = {
    "name": required(text(LINE, 200)),
    "url": required(text(URL, 2000)),
    "licence": optional(text(LINE, 200)),
    "licence_text": optional(text(PROSE, 65536)),
    "licence_url": optional(text(URL, 2000)),
    "terms": optional(text(PROSE, 1000)),
    "basis": optional(text(PROSE, 1000)),
    "attribution": optional(text(PROSE, 1000)),
    "ingester": optional(text(SLUG, 100)),
    "illustrative": optional(flag),
    "order": optional(text(TOKEN, 200)),
    "metrics": optional(mapping),
}


def parse_source(data: bytes, slug: str, at: str) -> SourceTable:
    """Check the bytes of a source table; `at` names the file.

    Raises `ContentError` with the line, or `Problems` with every fault of the file.
    """
    if finding := text(SLUG, 100)(slug):
        raise ContentError(finding[0], f"{shown(slug)}: {finding[1]}", at=at, hint="rename the file")
    document = toml.read(toml.decode(data, at), at)
    raise_all(_form_faults(document))
    source = _table(slug, document.tree)
    raise_all((*_licence_faults(document), *_metric_faults(source, document)))
    return source


def _form_faults(document: toml.TomlText) -> Iterator[ContentError]:
    yield from table_faults(document, _FIELDS)
    metrics = document.tree.get("metrics")
    if isinstance(metrics, dict):
        for name in metrics:
            if finding := text(TOKEN, 200)(name):
                yield document.fault(("metrics", name), *finding)
            yield from table_faults(document, _METRIC_FIELDS, ("metrics", name))
    if "licence" not in document.tree:
        yield document.fault((), "licence-missing", "a source states its licence", _LICENCE_HINT)


def _table(slug: str, stated: dict[str, Any]) -> SourceTable:
    rules = {name: _rule(name, rule) for name, rule in stated.get("metrics", {}).items()}
    return SourceTable(**{**stated, "slug": slug, "ingester": stated.get("ingester", slug), "metrics": rules})


def _rule(name: str, stated: dict[str, Any]) -> MetricRule:
    return MetricRule(**{"label": name.replace("_", " "), **stated})


def _licence_faults(document: toml.TomlText) -> Iterator[ContentError]:
    stated = document.tree
    licence: str = stated["licence"]
    if licence == NONE_STATED:
        for name in ("terms", "basis"):
            if name not in stated:
                problem = f"a source without a licence states its {name}"
                yield document.fault(("licence",), f"{name}-missing", problem, f'add {name} = "…"')
    elif finding := expression_fault(licence):
        yield document.fault(("licence",), "licence-unknown", *finding)
    elif has_reference(licence) and "licence_text" not in stated and "licence_url" not in stated:
        problem = "a licence outside the SPDX list comes with its text or address"
        yield document.fault(("licence",), "licence-text-missing", problem, "add licence_text or licence_url")


def _metric_faults(source: SourceTable, document: toml.TomlText) -> Iterator[ContentError]:
    for name, rule in source.metrics.items():
        for key, code, problem in _rule_faults(name, rule, source.metrics):
            yield document.fault(("metrics", name, key), code, problem)
    order = source.order
    if order is not None and (order not in source.metrics or source.metrics[order].better == "none"):
        problem = "the source sorts by a metric of this table that has a direction"
        hint = f'add [metrics.{order}] with better = "lower" or "higher"'
        yield document.fault(("order",), "order-unknown", problem, hint)


def _rule_faults(name: str, rule: MetricRule, rules: Mapping[str, MetricRule]) -> Iterator[tuple[str, str, str]]:
    if rule.format == "time":
        if rule.unit not in TIME_UNITS:
            yield "unit", "unit-not-time", f"the format time needs a unit of time: {', '.join(TIME_UNITS)}"
    elif not is_metric_format(rule.format):
        yield "format", "format-unknown", "formats are fixed:N, ratio:N, count, literal and time"
    if rule.of is not None:
        if rule.of == name or rule.of not in rules:
            yield "of", "of-unknown", "the whole is another metric of this table"
        elif rule.format != "count" or rules[rule.of].format != "count":
            yield "of", "of-not-a-count", 'a part and its whole both have format = "count"'
    if rule.line is not None:
        around = rule.line.split("{value}")
        if len(around) != 2 or "{" in "".join(around) or "}" in "".join(around):
            yield "line", "line-template", "a wording has {value} once and no other brace"

"""A suite or a case as a reader sees it: constants said once, only what varies as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ...canonical import number_text
from ...views.base import NOT_STATED, Case, Item, WorkloadView
from .context import Context, case_key, item, object_path
from .editorial import editorial

Spec = Mapping[str, Any]

_TOLERANCES = (
    ("maxAbsoluteError", "Maximum absolute error"),
    ("maxRelativeError", "Maximum relative error"),
    ("requiredMatchedRatio", "Required matched ratio"),
    ("nanPolicy", "NaN policy"),
    ("infinityPolicy", "Infinity policy"),
)


def workload_view(context: Context, digest: str) -> WorkloadView:
    """The workload of a run; raises `ContentError` when it is not published."""
    return _view(context, digest)


@lru_cache(512)
def _view(context: Context, digest: str) -> WorkloadView:
    document = context.index.document(digest)
    row = context.index.workload(digest)
    if row.kind == "WorkloadSuite":
        view = _suite(context, digest, document["spec"], row.summary)
    else:
        view = _case(digest, document["spec"], row.summary)
    return replace(view, items=(*view.items, *editorial(document["metadata"])))


def _suite(context: Context, digest: str, spec: Spec, summary: str) -> WorkloadView:
    cases: Sequence[Spec] = spec["cases"]
    names = list(dict.fromkeys(name for case in cases for name in case["axes"]))
    constant = [name for name in names if len({case["axes"].get(name) for case in cases}) == 1]
    varying = [name for name in names if name not in constant] if len(cases) > 1 else []
    same = [f"{name} {cases[0]['axes'][name]}" for name in constant] if varying or len(cases) > 1 else []
    if len(cases) == 1:
        varying, same = names, []
    task = spec["operationSpecDigest"]
    digests = _own_documents(context, digest, spec)
    stated = _case_facts(context, task, digests)
    say = spec["correctness"].get("description", "")
    aggregation = spec["aggregation"]
    return WorkloadView(
        digest=digest,
        path=object_path(digest),
        summary=summary,
        say=say,
        items=(
            *_correctness(spec["correctness"]),
            item(
                "Aggregation", f"{aggregation['statistic']} {aggregation['metric']}".replace("unspecified", "").strip()
            ),
            *([item("Same in all cases", " · ".join(same))] if same else []),
            *([item("Varies", ", ".join(varying))] if varying else []),
        ),
        columns=tuple(varying),
        cases=tuple(
            _suite_case(number, case, varying, own, tuple(column.get(own, NOT_STATED) for column in stated.values()))
            for number, (case, own) in enumerate(zip(cases, digests, strict=True), start=1)
        ),
        stated_columns=tuple(stated),
        tensors=(),
    )


def _own_documents(context: Context, suite: str, spec: Spec) -> list[str]:
    """The published document of each case of a suite, empty where there is none, or several and none is the one.

    Cases that differ in tolerances or tensors only look the same in a suite; one stated together with it is preferred.
    """
    published = context.cached.published_cases(spec["operationSpecDigest"])
    here = context.index.folder_of(suite)
    found = []
    for case in spec["cases"]:
        every = published.get(case_key(case["axes"], spec["correctness"]), [])
        near = [own for folder, own in every if folder == here] or [own for _, own in every]
        found.append(near[0] if len(near) == 1 else "")
    return found


def _suite_case(number: int, case: Spec, varying: Sequence[str], digest: str, stated: tuple[str, ...]) -> Case:
    axes: Mapping[str, int] = case["axes"]
    return Case(
        label=case["externalId"],
        anchor=f"case-{number}",
        values=tuple(str(axes[name]) if name in axes else "–" for name in varying),
        digest=digest,
        path=object_path(digest) if digest else "",
        stated=stated,
    )


def _case(digest: str, spec: Spec, summary: str) -> WorkloadView:
    tensors: Mapping[str, Spec] = spec.get("tensors", {})
    scalars: Mapping[str, Spec] = spec.get("scalars", {})
    rows = [(name, tensor["dtype"], _shape(tensor), _elements(tensor)) for name, tensor in tensors.items()]
    rows += [(name, scalar["dtype"], f"scalar {_scalar(scalar)}".strip(), "") for name, scalar in scalars.items()]
    axes = " · ".join(f"{name} = {value}" for name, value in spec["axes"].items())
    return WorkloadView(
        digest=digest,
        path=object_path(digest),
        summary=summary,
        say="",
        items=(*_correctness(spec["correctness"]), item("Axes", axes)),
        columns=(),
        cases=(),
        stated_columns=(),
        tensors=tuple(rows),
    )


def _shape(tensor: Spec) -> str:
    parts = ["[" + ", ".join(str(size) for size in tensor["shape"]) + "]"]
    if "strides" in tensor:
        parts.append("strides [" + ", ".join(str(step) for step in tensor["strides"]) + "]")
    if "alignmentBytes" in tensor:
        parts.append(f"aligned to {tensor['alignmentBytes']} bytes")
    return ", ".join(parts)


def _elements(tensor: Spec) -> str:
    """`random, seed 7, mean 0.5`: where the elements come from; empty if the source does not say."""
    data: Spec = tensor.get("data", {})
    parts = [data["generator"]] if data else []
    parts += [f"seed {data['seed']}"] if "seed" in data else []
    parts += [f"{name} {number_text(value)}" for name, value in data.get("parameters", {}).items()]
    if file := data.get("artifact"):
        address = "" if file["uri"].endswith(file["digest"]) else f" at {file['uri']}"
        parts.append(f"file {file['digest']}{address}")
    return ", ".join(parts)


def _scalar(scalar: Spec) -> str:
    value = scalar.get("value")
    return "" if value is None else (number_text(value) if isinstance(value, int | float) else str(value))


def _correctness(spec: Spec) -> list[Item]:
    lines = [item("Comparator", spec.get("comparator"), mono=True)]
    for name, label in _TOLERANCES:
        if name in spec:
            value = spec[name]
            lines.append(item(label, number_text(value) if isinstance(value, int | float) else value))
    return lines


def _case_facts(context: Context, task: str, digests: Sequence[str]) -> dict[str, dict[str, str]]:
    """Figures that the source states about single cases beside the manifests: column → case digest → text."""
    columns: dict[str, dict[str, str]] = {}
    wanted = set(digests)
    for fact in context.index.case_facts(task):
        value = fact.value
        if fact.about in wanted and isinstance(value, int | float) and not isinstance(value, bool):
            shown = context.metric_value(fact.source, fact.name, {fact.name: value})
            columns.setdefault(context.metric_label(fact.source, fact.name), {})[fact.about] = shown
    return columns

"""SOL-ExecBench kernels: one kernel detail becomes an operation, a workload suite and its cases.

The spec of each document follows the rules of the format exactly, because every digest downstream depends on them;
what has no place in a manifest (baseline, bounds, counts) is given as facts, verbatim.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..canonical import pointer
from ..format import kebab
from ..manifests import Manifest
from .base import Finding, Statement
from .entries import (
    MALFORMED,
    DriftLog,
    Entry,
    Refused,
    document,
    fact,
    is_number,
    is_object,
    optional_text,
    sealed,
    stated,
)
from .sol_definitions import Definition, read_definition
from .sol_workloads import convert_workloads

REAL_SOURCE = "sol-execbench"
"""The board itself.  Only its own records may name its address: other sources use the format, not the board."""
KERNELS_URL = "https://research.nvidia.com/benchmarks/sol-execbench/api/kernels"

MAX_DESCRIPTION = 2000
"""Characters of a description; a longer one becomes a fact."""

_LEVEL_TAGS = frozenset(("L1", "L2", "Quant", "FlashInfer-Bench"))
_MODEL_TAG = "model:"
_FACTS = ("baseline", "baseline_latency_ms", "latency_unit", "sol_is_dummy", "gpu_types", "submission_count")
_FIELDS = {"/metadata/title": ("name",), "/metadata/name": ("name",), "/spec/axes": ("axes",)}

_DETAIL_KEYS = frozenset(
    (
        *("id", "name", "title", "description", "gpu_types", "tags", "axes", "inputs", "outputs", "workloads"),
        *("baseline", "baseline_latency_ms", "latency_unit", "sol_is_dummy", "op_type", "reference"),
        "submission_count",
    )
)
_AXIS_KEYS = frozenset(("type", "value", "expression", "description"))
_ARGUMENT_KEYS = frozenset(("shape", "dtype", "description"))
_WORKLOAD_KEYS = frozenset(("axes", "uuid", "baseline_latency_ms", "sol_ms", "inputs", "tolerance"))


@dataclass(frozen=True, slots=True)
class Kernel:
    """What submissions need to know of their kernel."""

    name: str
    operation: str
    suite: str | None
    """None: it has no workloads that make a suite."""
    dtypes: tuple[str, ...]
    """Of all inputs, scalars included; sorted."""
    bound_ms: float | None
    """The smallest stated bound of its cases."""
    stated: frozenset[str]
    """Names of the facts that its detail gives."""
    submission_count: int | None
    """The source's own count of its submissions."""


def convert(detail: Entry, at: str, source: str, drift: DriftLog) -> Generator[Finding, None, Kernel]:
    """Convert one kernel detail; raises `Refused` before the first finding if the kernel itself cannot be taken."""
    _note_drift(detail, at, drift)
    definition = read_definition(detail)
    operation = _operation(detail, definition, source)
    title = optional_text(detail, "title")
    yield Statement(
        operation,
        source,
        name=definition.name,
        tags=_tags(detail),
        aliases=(title,) if title and title != definition.name else (),
        at=at,
    )
    facts = stated(detail, _FACTS)
    yield from _kernel_facts(operation.digest, facts, detail, at, source)
    suite = yield from convert_workloads(detail, definition, operation.digest, at, source)
    dtypes = tuple(sorted({argument.dtype for argument in definition.inputs}))
    return Kernel(definition.name, operation.digest, suite, dtypes, _bound(detail), frozenset(facts), count(detail))


def count(entry: Mapping[str, Any]) -> int | None:
    """The source's own count of a kernel's submissions, if it is one."""
    stated_count = entry.get("submission_count")
    return stated_count if type(stated_count) is int and stated_count >= 0 else None


# -- operation ---------------------------------------------------------------------------------------------------


def _operation(detail: Entry, definition: Definition, source: str) -> Manifest:
    spec = {
        "family": _family(detail),
        "axes": definition.axes,
        "inputs": [argument.spec() for argument in definition.inputs],
        "outputs": [argument.spec() for argument in definition.outputs],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    if optional_text(detail, "reference") is not None:
        spec["reference"] = {"language": "python"}
    metadata: Entry = {"name": kebab(definition.name) or "x", "title": definition.name}
    description = optional_text(detail, "description")
    if description is not None and len(description) <= MAX_DESCRIPTION:
        metadata["description"] = description
    if source == REAL_SOURCE:
        metadata["sourceRefs"] = [{"url": KERNELS_URL}]
    return sealed(document("OperationSpec", metadata, spec), _FIELDS)


def _family(detail: Entry) -> str:
    kind = kebab(optional_text(detail, "op_type") or "")
    if kind:
        return kind
    usable = (tag for tag in _tags(detail) if tag not in _LEVEL_TAGS and not tag.startswith(_MODEL_TAG))
    return next(filter(None, map(kebab, usable)), "uncategorized")


def _tags(detail: Entry) -> tuple[str, ...]:
    tags = detail.get("tags")
    if tags is None:
        return ()
    if type(tags) is not list or not all(type(tag) is str for tag in tags):
        raise Refused(MALFORMED, "tags is not an array of strings", "tags")
    return tuple(dict.fromkeys(filter(None, tags)))


def _kernel_facts(operation: str, facts: Entry, detail: Entry, at: str, source: str) -> Iterator[Finding]:
    description = optional_text(detail, "description") or ""
    if len(description) > MAX_DESCRIPTION:
        facts["description"] = description
    for name in (*_FACTS, "description"):
        if name in facts:
            yield fact(operation, source, name, facts[name], at, (name,))


def _bound(detail: Entry) -> float | None:
    if detail.get("sol_is_dummy") is True:
        return None  # the source says that its own bounds are placeholders
    workloads = detail.get("workloads")
    bounds = [case.get("sol_ms") for case in workloads if is_object(case)] if type(workloads) is list else []
    return min((bound for bound in bounds if is_number(bound) and bound > 0), default=None)


def _note_drift(detail: Entry, at: str, drift: DriftLog) -> None:
    drift.note(detail, _DETAIL_KEYS, "kernel", at)
    for key, known in (("axes", _AXIS_KEYS), ("inputs", _ARGUMENT_KEYS), ("outputs", _ARGUMENT_KEYS)):
        members = detail.get(key)
        for name, value in members.items() if is_object(members) else ():
            if is_object(value):
                drift.note(value, known, f"kernel.{key}.*", at + pointer(key, name))
    workloads = detail.get("workloads")
    for position, workload in enumerate(workloads if type(workloads) is list else ()):
        if is_object(workload):
            drift.note(workload, _WORKLOAD_KEYS, "kernel.workloads[]", at + pointer("workloads", position))

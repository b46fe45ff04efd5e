"""SOL-ExecBench workloads: the cases of a kernel become one suite and, each by itself, workload cases."""

import hashlib
import json
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from ..canonical import pointer
from ..errors import DumpError
from ..format import kebab
from ..manifests import Manifest
from .base import Finding, Statement
from .entries import (
    MALFORMED,
    Entry,
    Refused,
    as_title,
    document,
    fact,
    is_number,
    is_object,
    kind_of,
    optional_text,
    sealed,
    stated,
)
from .expressions import Expression, parse_expression
from .sol_definitions import COMPARATOR, Definition

UNBINDABLE = "UNBINDABLE_CASE"
"""A case whose tensor shapes cannot be worked out; it alone is left out."""

_SUITE_DESCRIPTION = "Correctness must pass on every case in the SOL evaluation stack."
_CASE_FACTS = ("baseline_latency_ms", "sol_ms")
_TOLERANCES = {
    "max_atol": "maxAbsoluteError",
    "max_rtol": "maxRelativeError",
    "required_matched_ratio": "requiredMatchedRatio",
}


def external_id(workload: Mapping[str, Any]) -> str:
    """How a suite names a case: its `uuid`, else twelve hex digits over its axes in the source's own spelling."""
    uuid = optional_text(workload, "uuid")
    if uuid is not None:
        return uuid
    axes = workload["axes"]
    ordered = {name: axes[name] for name in sorted(axes, key=_collation)}
    body = json.dumps(ordered, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def _collation(name: str) -> tuple[str, str]:
    # The order that the original system used (a locale's): `_` first, then letters whatever their case, lower first.
    return name.lower().replace("_", "\x01"), name.swapcase()


def convert_workloads(
    detail: Entry, definition: Definition, operation: str, at: str, source: str
) -> Generator[Finding, None, str | None]:
    """Convert the workloads of a kernel detail that stands at `at`; gives the suite's digest, if there is a suite."""
    workloads = detail.get("workloads")
    if workloads is None:
        return None
    if type(workloads) is not list:
        problem = f"workloads is {kind_of(workloads)}, not an array"
        yield Refused(MALFORMED, problem, "workloads").rejection(at, source)
        return None
    binder = _Binder(definition)
    named: list[tuple[int, Entry, str]] = []
    for position, workload in enumerate(workloads):
        try:
            named.append((position, workload, _checked(workload)))
        except Refused as refused:
            yield refused.rejection(at + pointer("workloads", position), source)
    # A suite without one of its cases would be another workload under the same name, so it is all of them or none.
    suite = None
    if named and len(named) == len(workloads):
        try:
            suite = _suite(definition.name, operation, named)
            yield Statement(suite, source, at=at + pointer("workloads"))
        except Refused as refused:
            yield refused.rejection(at + pointer("workloads"), source)
    seen: set[str] = set()
    for position, workload, name in named:
        place = at + pointer("workloads", position)
        case = None
        try:
            case = _case(definition.name, operation, workload, name, binder)
        except Refused as refused:
            yield refused.rejection(place, source)
        about = case.digest if case and case.digest not in seen else None
        if case and about:
            seen.add(about)
            yield Statement(case, source, at=place)
        yield from _case_facts(workload, about, suite, position, place, source)
    return suite.digest if suite else None


def _checked(workload: Any) -> str:
    """The external id of a workload whose axes can stand in a suite; raises `Refused`."""
    if not is_object(workload):
        raise Refused(MALFORMED, f"a workload is {kind_of(workload)}, not an object")
    axes = workload.get("axes")
    if not is_object(axes):
        raise Refused(MALFORMED, f"the axes of a workload are {kind_of(axes)}, not an object", "axes")
    for name, value in axes.items():
        if type(value) is not int:
            raise Refused(MALFORMED, f"an axis has {kind_of(value)} for its value, not an integer", "axes", name)
    if len({name.lower() for name in axes}) < len(axes):
        raise Refused(MALFORMED, "two axes have one name once their case is dropped", "axes")
    return external_id(workload)


def _suite(kernel: str, operation: str, named: list[tuple[int, Entry, str]]) -> Manifest:
    spec = {
        "operationSpecDigest": operation,
        "cases": [{"externalId": name, "axes": _lowered(workload)} for _, workload, name in named],
        "correctness": {"comparator": COMPARATOR, "description": _SUITE_DESCRIPTION},
        "aggregation": {"metric": "latency", "statistic": "mean"},
    }
    title = as_title(f"SOL workload suite: {kernel}")
    return sealed(document("WorkloadSuite", {"name": f"{kebab(kernel) or 'x'}-suite", "title": title}, spec))


def _case(kernel: str, operation: str, workload: Entry, name: str, binder: "_Binder") -> Manifest:
    axes = _lowered(workload)
    spec = {
        "operationSpecDigest": operation,
        "axes": axes,
        "tensors": binder.tensors(axes),
        "correctness": {"comparator": COMPARATOR, **_tolerances(workload)},
    }
    spelled = ", ".join(f"{axis}={value}" for axis, value in workload["axes"].items())
    title = as_title(f"{kernel} · {spelled}" if spelled else kernel)
    metadata = {"name": f"{kebab(kernel) or 'x'}-{kebab(name[:8]) or 'x'}", "title": title}
    return sealed(document("WorkloadCase", metadata, spec))


def _case_facts(
    workload: Entry, case: str | None, suite: Manifest | None, position: int, at: str, source: str
) -> Iterator[Finding]:
    """Facts about a case, or about the suite under the case's number where the case has no document of its own."""
    about, prefix = (case, "") if case else (suite.digest if suite else None, f"case-{position + 1}.")
    if about is None:
        return
    for name, value in stated(workload, _CASE_FACTS).items():
        yield fact(about, source, prefix + name, value, at, (name,))


def _tolerances(workload: Entry) -> Entry:
    given = workload.get("tolerance")
    if not is_object(given):
        return {}
    return {ours: given[theirs] for theirs, ours in _TOLERANCES.items() if is_number(given.get(theirs))}


class _Binder:
    """Works out the integer shapes of a kernel's input tensors for the axes of a case."""

    def __init__(self, definition: Definition) -> None:
        self._tensors = [argument for argument in definition.inputs if argument.shape]
        self._constants = {name: axis["value"] for name, axis in definition.axes.items() if axis["role"] == "constant"}
        self._faults: dict[str, str] = {}
        self._derived = _in_order(self._parsed(definition.axes))

    def tensors(self, axes: Mapping[str, int]) -> dict[str, Entry]:
        """`{name: {dtype, shape}}`; raises `Refused` when a shape cannot be bound."""
        bound = {**self._constants, **axes}
        faults = dict(self._faults)
        for name, expression in self._derived:
            if name not in bound:
                try:
                    bound[name] = expression.value(bound)
                except DumpError as fault:
                    # Of a chain of axes without a value, the first says what is wrong.
                    roots = (faults[need] for need in sorted(expression.names) if need in faults)
                    faults[name] = next(roots, fault.problem)
        return {
            argument.name: {"dtype": argument.dtype, "shape": [_size(size, bound, faults) for size in argument.shape]}
            for argument in self._tensors
        }

    def _parsed(self, axes: Mapping[str, Entry]) -> dict[str, Expression]:
        parsed: dict[str, Expression] = {}
        for name, axis in axes.items():
            if axis["role"] == "derived":
                try:
                    parsed[name] = parse_expression(axis["expression"])
                except DumpError as fault:
                    self._faults[name] = fault.problem
        return parsed


def _in_order(derived: Mapping[str, Expression]) -> list[tuple[str, Expression]]:
    """Derived axes after those that they need; members of a circle come last, where only stated values help them."""
    waiting = {name: set(expression.names & derived.keys()) for name, expression in derived.items()}
    needed_by: dict[str, list[str]] = {}
    for name, needs in waiting.items():
        for need in needs:
            needed_by.setdefault(need, []).append(name)
    ready = [name for name, needs in waiting.items() if not needs]
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for other in needed_by.get(name, ()):
            waiting[other].discard(name)
            if not waiting[other]:
                ready.append(other)
    circle = [name for name, needs in waiting.items() if needs]
    return [(name, derived[name]) for name in (*order, *circle)]


def _size(size: int | str, bound: Mapping[str, int], faults: Mapping[str, str]) -> int:
    value = bound.get(size) if isinstance(size, str) else size
    if value is None:
        raise Refused(UNBINDABLE, faults.get(str(size), f"the dimension {size!r} has no value"), "axes")
    if value < 0:
        raise Refused(UNBINDABLE, f"the dimension {size!r} is {value}", "axes")
    return value


def _lowered(workload: Entry) -> dict[str, int]:
    return {name.lower(): value for name, value in workload["axes"].items()}

"""SOL-ExecBench submissions: one row of a page becomes a run and what it refers to, or the reason why not."""

from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Context, Decimal

from ..canonical import MAX_SAFE_INTEGER
from ..manifests import Manifest
from .base import Fact, Rejection, Statement
from .entries import (
    CONFLICTING_COPIES,
    MALFORMED,
    DriftLog,
    Entry,
    Refused,
    as_title,
    fact,
    is_number,
    key_of,
    kind_of,
    optional_text,
    shortened,
    stated,
    text,
)
from .instants import instant
from .sol_documents import environment_of, implementation_of, project_of, protocol_of, run_of
from .sol_kernels import Kernel

VERDICTS = frozenset(("DISQUALIFIED", "NOT_COMPLETED", "INCORRECT", "NO_LATENCY", "FASTER_THAN_SOL"))
"""Reasons that rest on what the source itself states about its entry; the others are gaps or faults of the dump."""

UNKNOWN_STACK = "unknown"
_METRICS = ("sol_score", "avg_speedup", "fast_1_count", "fast_1_total")
_FACTS = ("benchmark_results", "submission_mode")
_REVIEW = "review_"
_KNOWN = frozenset(
    (
        *("id", "type", "user_id", "username", "kernel_id", "kernel_name", "kernel_title", "gpu_type", "worker_id"),
        *("collection_id", "collection_submission_id", "collection_title", "submission_mode", "original_filename"),
        *("status", "is_correct", "latency_ms", "benchmark_results", "error_log", "evaluation_stack_version"),
        *("sol_score", "fast_1_count", "fast_1_total", "avg_speedup", "submitted_at", "finished_at"),
        *("is_disqualified", "disqualification_reason", "disqualification_source", "disqualified_at"),
    )
)
_DIGITS = Context(prec=500, rounding=ROUND_HALF_UP)
_LONGEST_LITERAL = 400


class Submissions:
    """Converts rows; remembers which shared documents were given already."""

    def __init__(self, source: str, drift: DriftLog) -> None:
        self._source = source
        self._drift = drift
        self._given: dict[tuple[str, ...], str] = {}

    def convert(
        self, row: Entry, latency: Decimal | None, kernel: Kernel | None, at: str, *, conflicting: bool
    ) -> Iterator[Statement | Fact | Rejection]:
        """The documents of one submission, or raises `Refused` before the first; every shared document comes once.

        `latency` is the exact literal of `latency_ms` where it is a number; `conflicting` says that the dump holds
        other copies of the row that differ.
        """
        if any(not key.startswith(_REVIEW) for key in row.keys() - _KNOWN):
            reviews = frozenset(key for key in row if key.startswith(_REVIEW))
            self._drift.note(row, _KNOWN | reviews, "submissions[]", at)
        kernel, suite, mean, observed_at = _accepted(row, latency, kernel, conflicting)
        return self._documents(row, kernel, suite, mean, observed_at, at)

    def _documents(
        self, row: Entry, kernel: Kernel, suite: str, mean: int, observed_at: str, at: str
    ) -> Iterator[Statement | Fact | Rejection]:
        user, gpu, number = text(row, "username"), text(row, "gpu_type"), str(key_of(row, "id"))
        stack = optional_text(row, "evaluation_stack_version") or UNKNOWN_STACK
        shared: list[tuple[tuple[str, ...], Statement]] = []
        project = self._shared(shared, ("project", user), at, lambda: project_of(user, self._source), name=user)
        protocol = self._shared(shared, ("protocol", stack), at, lambda: protocol_of(stack))
        environment = self._shared(shared, ("environment", gpu, stack), at, lambda: environment_of(gpu, stack))
        benchmark = optional_text(row, "kernel_name") or kernel.name
        implementation = implementation_of(number, user, benchmark, gpu, kernel)
        digests = {
            "implementationDigest": implementation.digest,
            "workloadDigest": suite,
            "protocolDigest": protocol,
            "environmentDigest": environment,
        }
        native = {
            "source": self._source,
            "benchmark": benchmark,
            "externalId": number,
            "metrics": {"latency_ms": row["latency_ms"], **_metrics(row)},
        }
        title = as_title(f"{user} · {benchmark} · {gpu}")
        run = run_of(digests, native, mean, observed_at, title, optional_text(row, "worker_id"))
        return self._findings(row, shared, project, implementation, run, at)

    def _findings(
        self,
        row: Entry,
        shared: list[tuple[tuple[str, ...], Statement]],
        project: str,
        implementation: Manifest,
        run: Manifest,
        at: str,
    ) -> Iterator[Statement | Fact | Rejection]:
        for key, statement in shared:
            self._given[key] = statement.manifest.digest
            yield statement
        yield Statement(implementation, self._source, project=project, at=at)
        key_text = f"submission/{key_of(row, 'id')}"
        yield Statement(run, self._source, external_id=key_text, upstream_key=key_text, project=project, at=at)
        for name, value in _facts(row).items():
            yield fact(run.digest, self._source, name, value, at, (name,))

    def _shared(
        self,
        shared: list[tuple[tuple[str, ...], Statement]],
        key: tuple[str, ...],
        at: str,
        make: Callable[[], Manifest],
        name: str | None = None,
    ) -> str:
        """The digest of a document that many rows share; it joins `shared` when no row has given it yet."""
        known = self._given.get(key)
        if known is not None:
            return known
        manifest = make()
        shared.append((key, Statement(manifest, self._source, name=name, at=at)))
        return manifest.digest


def mean_nanoseconds(latency_ms: Decimal) -> int:
    """Milliseconds to whole nanoseconds, half-up on the decimal literal; raises `Refused` beyond what can be exact."""
    if latency_ms.adjusted() > 15 or len(latency_ms.as_tuple().digits) > _LONGEST_LITERAL:
        raise Refused(MALFORMED, "latency_ms is beyond what can be written exactly", "latency_ms")
    if latency_ms.adjusted() < -_LONGEST_LITERAL:
        return 0
    mean = int(latency_ms.scaleb(6, _DIGITS).to_integral_value(ROUND_HALF_UP, _DIGITS))
    if mean > MAX_SAFE_INTEGER:
        raise Refused(MALFORMED, "latency_ms is beyond 2^53-1 ns", "latency_ms")
    return mean


# -- what is taken -----------------------------------------------------------------------------------------------


def _accepted(
    row: Entry, latency: Decimal | None, kernel: Kernel | None, conflicting: bool
) -> tuple[Kernel, str, int, str]:
    """Kernel, suite, mean latency in ns and instant of a row that is taken; the first reason that applies otherwise."""
    _require_accepted(row)
    mean = _mean(row, latency)
    if kernel is not None and kernel.bound_ms is not None and row["latency_ms"] < kernel.bound_ms:
        detail = f"{row['latency_ms']} ms is below the smallest bound of its cases, {kernel.bound_ms} ms"
        raise Refused("FASTER_THAN_SOL", detail, "latency_ms")
    if kernel is None:
        raise Refused("NO_DEFINITION", "the dump holds no usable definition of its kernel", "kernel_id")
    if kernel.suite is None:
        raise Refused("NO_WORKLOADS", "its kernel states no usable workloads", "kernel_id")
    observed_at = _observed_at(row)
    if conflicting:
        raise Refused(CONFLICTING_COPIES, "the dump holds other copies of this submission that differ", "id")
    if key_of(row, "id") is None:
        raise Refused(MALFORMED, "id is neither an integer nor a string", "id")
    return kernel, kernel.suite, mean, observed_at


def _require_accepted(row: Entry) -> None:
    disqualified = row.get("is_disqualified")
    if disqualified is True:
        reason = row.get("disqualification_reason")
        why = f": {reason}" if type(reason) is str and reason else ""
        raise Refused("DISQUALIFIED", f"the source disqualified it{why}", "is_disqualified")
    status = optional_text(row, "status")
    if status != "COMPLETED":
        raise Refused("NOT_COMPLETED", f"its status is {status}" if status else "it has no status", "status")
    correct = row.get("is_correct")
    if correct is None or correct is False:
        raise Refused("INCORRECT", "the source does not call it correct", "is_correct")
    for name, value in (("is_correct", correct), ("is_disqualified", disqualified)):
        if value is not None and type(value) is not bool:
            raise Refused(MALFORMED, f"{name} is {kind_of(value)}, not a boolean", name)


def _mean(row: Entry, latency: Decimal | None) -> int:
    value = row.get("latency_ms")
    if value is None:
        raise Refused("NO_LATENCY", "it has no latency", "latency_ms")
    if not is_number(value) or latency is None:
        raise Refused(MALFORMED, f"latency_ms is {kind_of(value)}, not a number", "latency_ms")
    if latency <= 0:
        raise Refused("NO_LATENCY", f"its latency is {value} ms", "latency_ms")
    mean = mean_nanoseconds(latency)
    if mean == 0:
        raise Refused("NO_LATENCY", f"its latency of {value} ms rounds to 0 ns", "latency_ms")
    return mean


def _observed_at(row: Entry) -> str:
    for name in ("finished_at", "submitted_at"):
        spelled = optional_text(row, name)
        if spelled is not None:
            moment = instant(spelled)
            if moment is None:
                raise Refused(MALFORMED, f"{name} is no instant: {shortened(spelled)!r}", name)
            return moment
    raise Refused("NO_TIME", "it states neither when it finished nor when it was submitted", "finished_at")


def _metrics(row: Entry) -> Entry:
    return {name: row[name] for name in _METRICS if is_number(row.get(name))}


def _facts(row: Entry) -> Entry:
    """What the source states beside the run; `submitted_at` only where the run's instant is another."""
    names = [*_FACTS, *sorted(key for key in row if key.startswith(_REVIEW))]
    if optional_text(row, "finished_at") is not None:
        names.append("submitted_at")
    return stated(row, names)

"""Which runs rank.  No reason means that a run is eligible."""

from typing import Literal

Better = Literal["lower", "higher", "none"]

REASONS = {
    "WITHDRAWN": "The record was withdrawn.",
    "SUPERSEDED": "Another record supersedes it.",
    "MISSING_PRIMARY_METRIC": "It states no value for the metric that the group is ranked by.",
    "DIRECTION_UNKNOWN": "The source does not say whether lower or higher is better.",
}

REDACTED = "STATUS_REDACTED"
"""Of a run that was removed as a whole; no source states this status."""

HIDING = frozenset({"WITHDRAWN", REDACTED})
"""Reasons for which a run keeps its page and is listed for no search engine."""

STATUS_WORDS = {
    "passed": "Passed",
    "incorrect_shape": "Incorrect shape",
    "incorrect_dtype": "Incorrect dtype",
    "incorrect_numerical": "Incorrect numerical result",
    "compile_error": "Compile error",
    "runtime_error": "Runtime error",
    "timeout": "Timeout",
    "resource_exceeded": "Resources exceeded",
    "invalid_reference": "Invalid reference",
    "policy_violation": "Policy violation",
    "suspected_reward_hack": "Suspected reward hack",
    "incomplete_evidence": "Incomplete evidence",
    "revoked": "Revoked",
    "redacted": "Redacted",
}


def status_words(status: str) -> str:
    """The status for people; an unknown one keeps its own words."""
    return STATUS_WORDS.get(status) or status.replace("_", " ").capitalize()


def ineligible_because(
    status: str, value: float | int | None, better: Better | None, *, withdrawn: bool, superseded: bool
) -> tuple[str, ...]:
    """The reason codes of `ranking-v1`, in a fixed order."""
    reasons = []
    if status != "passed":
        reasons.append(f"STATUS_{status.upper()}")
    if withdrawn:
        reasons.append("WITHDRAWN")
    if superseded:
        reasons.append("SUPERSEDED")
    if value is None:
        reasons.append("MISSING_PRIMARY_METRIC")
    elif better not in ("lower", "higher"):
        reasons.append("DIRECTION_UNKNOWN")
    return tuple(reasons)


def reason_words(code: str) -> str:
    """A reason code as a sentence."""
    if code == REDACTED:
        return "The record was removed as a whole by a redaction."
    if code.startswith("STATUS_"):
        return f"The source reports its status as “{status_words(code.removeprefix('STATUS_').lower()).lower()}”."
    return REASONS[code]


def evidence_level(implementation_spec: dict[str, object], run_spec: dict[str, object]) -> str:
    """`reproducible` when the source code is available and raw evidence is named, else `reported`.

    `verified` and `replicated` are reserved; attestations never change the level.
    """
    revision = implementation_spec.get("projectRevision")
    has_code = bool(implementation_spec.get("source")) or (isinstance(revision, dict) and "repository" in revision)
    evidence = run_spec.get("evidence")
    timing = run_spec.get("timing")
    has_raw = (isinstance(evidence, dict) and bool(evidence.keys() & {"logs", "rawSamples"})) or (
        isinstance(timing, dict) and "rawSamples" in timing
    )
    return "reproducible" if has_code and has_raw else "reported"

"""Which runs rank, why others do not, and the level of evidence."""

import pytest

from leaderpress.ranking.eligibility import (
    REASONS,
    Better,
    evidence_level,
    ineligible_because,
    reason_words,
    status_words,
)


@pytest.mark.parametrize(
    ("status", "value", "better", "withdrawn", "superseded", "expected"),
    [
        ("passed", 1, "lower", False, False, ()),
        ("passed", 0, "higher", False, False, ()),
        ("passed", None, "lower", False, False, ("MISSING_PRIMARY_METRIC",)),
        ("passed", 1, None, False, False, ("DIRECTION_UNKNOWN",)),
        ("passed", 1, "none", False, False, ("DIRECTION_UNKNOWN",)),
        ("passed", 1, "lower", True, False, ("WITHDRAWN",)),
        ("passed", 1, "lower", True, True, ("WITHDRAWN", "SUPERSEDED")),
        ("runtime_error", None, None, False, False, ("STATUS_RUNTIME_ERROR", "MISSING_PRIMARY_METRIC")),
        ("timeout", 1, "lower", False, False, ("STATUS_TIMEOUT",)),
    ],
)
def test_reasons(
    status: str,
    value: float | None,
    better: Better | None,
    withdrawn: bool,
    superseded: bool,
    expected: tuple[str, ...],
) -> None:
    assert ineligible_because(status, value, better, withdrawn=withdrawn, superseded=superseded) == expected


def test_every_reason_has_a_sentence() -> None:
    for code in [*REASONS, "STATUS_COMPILE_ERROR", "STATUS_SOMETHING_NEW"]:
        assert reason_words(code).endswith(".")
    assert "compile error" in reason_words("STATUS_COMPILE_ERROR")


def test_an_unknown_status_keeps_its_own_words() -> None:
    assert status_words("melted_down") == "Melted down"


@pytest.mark.parametrize(
    ("subject", "run", "level"),
    [
        ({}, {}, "reported"),
        ({"source": {"contentDigest": "x"}}, {}, "reported"),
        ({}, {"evidence": {"logs": {}}}, "reported"),
        ({"source": {"contentDigest": "x"}}, {"evidence": {"logs": {}}}, "reproducible"),
        ({"projectRevision": {"repository": "https://example.org/"}}, {"timing": {"rawSamples": {}}}, "reproducible"),
        ({"projectRevision": {"version": "1"}}, {"evidence": {"rawSamples": {}}}, "reported"),
        ({"source": {"contentDigest": "x"}}, {"evidence": {"harness": {}}}, "reported"),
    ],
)
def test_evidence_needs_source_and_raw_evidence(subject: dict[str, object], run: dict[str, object], level: str) -> None:
    assert evidence_level(subject, run) == level

"""Instants of a dump become UTC with three digits, or nothing."""

import pytest

from leaderpress.ingesters.instants import instant


@pytest.mark.parametrize(
    ("spelled", "wanted"),
    [
        ("2026-08-14T05:38:44.902912", "2026-08-14T05:38:44.902Z"),
        ("2026-08-14T05:38:44.999999999", "2026-08-14T05:38:44.999Z"),
        ("2026-08-14 05:38:44", "2026-08-14T05:38:44.000Z"),
        ("2026-08-14T05:38:44.5Z", "2026-08-14T05:38:44.500Z"),
        ("2026-08-14T05:38:44+02:00", "2026-08-14T03:38:44.000Z"),
        ("2026-03-01T01:30:00.05+0200", "2026-02-28T23:30:00.050Z"),
        ("2025-12-31T23:00:00-02", "2026-01-01T01:00:00.000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ("0999-01-01T00:00:00Z", "0999-01-01T00:00:00.000Z"),
    ],
)
def test_an_instant_is_converted_to_utc_and_cut(spelled: str, wanted: str) -> None:
    assert instant(spelled) == wanted


@pytest.mark.parametrize(
    "spelled",
    [
        "",
        "2026-02-30T00:00:00",
        "2025-02-29T00:00:00Z",
        "2026-08-14",
        "2026-08-14T05:38",
        "2026-08-14T24:00:00",
        "2026-08-14T05:60:00",
        "2026-08-14T05:38:60Z",
        "2026-08-14T05:38:44+25:00",
        "2026-08-14T05:38:44 Z",
        "2026-08-14T05:38:44,5",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+02:00",
        "9999-12-31T23:59:59-01:00",
        "٢٠٢٦-08-14T05:38:44Z",
        "1755149924",
        "yesterday",
    ],
)
def test_what_is_no_instant_is_nothing(spelled: str) -> None:
    assert instant(spelled) is None

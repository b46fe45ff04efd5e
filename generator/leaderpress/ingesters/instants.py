"""Instants as manifests hold them: UTC, exactly three fraction digits, `Z`."""

import re
from datetime import UTC, datetime

_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,12}))?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)


def instant(text: str) -> str | None:
    """`2026-08-14T05:38:44.902912` → `2026-08-14T05:38:44.902Z`; None for what is no instant.

    A missing zone means UTC, a stated one is converted; fractions are cut, never rounded, so that an instant never
    moves into the future.  Dates without a time and days or hours that do not exist are refused.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    try:
        # fromisoformat also checks the calendar and completes the zone's spelling.
        moment = datetime.fromisoformat(f"{day}T{time}{zone or ''}")
        if moment.tzinfo not in (None, UTC):
            day, _, time = moment.astimezone(UTC).isoformat()[:19].partition("T")
    except (ValueError, OverflowError):
        return None
    return f"{day}T{time}.{(fraction or '')[:3]:0<3}Z"

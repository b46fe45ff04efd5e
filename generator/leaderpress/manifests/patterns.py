"""The forms that texts may have, and the sentence that a person reads when one does not have it.

The expressions are written so that Python, Rust and JSON Schema validators read them alike; in Python use `fullmatch`,
whose end is the end.
"""

from datetime import date
from typing import NamedTuple

DIGEST = "^sha256:[0-9a-f]{64}$"
TOKEN = "^[a-z][a-z0-9_]*$"
SLUG = "^[a-z0-9][a-z0-9-]*$"
NAME = "^[a-z0-9][a-z0-9._-]*$"
COMMIT = "^[0-9a-f]{40}$"
URL = r'^https://[^\x00-\x20"<>\\^`{|}\x7f/?#]+([/?#][^\x00-\x20"<>\\^`{|}\x7f]*)?$'
INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$"
EXPRESSION = "^[a-z0-9_+*%/() -]+$"
LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
PROSE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
CALENDAR_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class PatternRule(NamedTuple):
    """What a person is told when a text does not match a pattern."""

    code: str
    problem: str
    hint: str = ""


PATTERN_RULES = {
    DIGEST: PatternRule("not-a-digest", "a digest is sha256: and 64 lower-case hexadecimal digits"),
    TOKEN: PatternRule(
        "not-a-token",
        "a token starts with a-z and goes on with a-z, 0-9 or _",
        "a unit such as tokens/s is written tokens_s",
    ),
    SLUG: PatternRule("not-a-slug", "a slug has only a-z, 0-9 and -, and does not start with -"),
    NAME: PatternRule("not-a-name", "a name has only a-z, 0-9, dot, _ and -, and starts with a letter or digit"),
    COMMIT: PatternRule("not-a-commit", "a commit is 40 lower-case hexadecimal digits", "give the full hash"),
    URL: PatternRule("not-an-address", "an address starts with https:// and has no blank, quote, bracket or backslash"),
    INSTANT: PatternRule(
        "not-an-instant",
        "an instant has the form YYYY-MM-DDThh:mm:ss.sssZ, in UTC, with exactly three digits of a second",
        "2026-04-14T23:38:30Z is written 2026-04-14T23:38:30.000Z",
    ),
    EXPRESSION: PatternRule(
        "not-an-expression", "an expression has only lower-case names, whole numbers, + - * / % and parentheses"
    ),
    LINE: PatternRule("not-a-line", "one line of text is expected here, neither blank nor with control characters"),
    PROSE: PatternRule("not-prose", "text is expected here, neither blank nor with control characters"),
    CALENDAR_DATE: PatternRule("not-a-date", "a date has the form YYYY-MM-DD"),
}


def is_real_date(text: str) -> bool:
    """Whether a text that starts with YYYY-MM-DD names a day of the calendar."""
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True

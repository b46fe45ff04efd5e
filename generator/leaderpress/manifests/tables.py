"""Checking small tables that people write by hand: source tables and the fields of notes.

They are read by every command, also by one that finds nothing to do, and importing pydantic would cost such a command
more than all its other work.  So they are checked by these few rules, against the same patterns.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite
from re import compile as pattern_of
from typing import Any

from ..canonical import MAX_SAFE_INTEGER
from ..errors import ContentError
from .faults import Finding, Place
from .patterns import CALENDAR_DATE, PATTERN_RULES, is_real_date
from .toml import TomlText

Check = Callable[[Any], Finding | None]
"""What is wrong with a value; None if nothing is."""


@dataclass(frozen=True, slots=True)
class Field:
    """The rule of one key."""

    check: Check
    required: bool


def required(check: Check) -> Field:
    """A key that must stand in the table."""
    return Field(check, required=True)


def optional(check: Check) -> Field:
    """A key that may be absent."""
    return Field(check, required=False)


def table_faults(document: TomlText, fields: Mapping[str, Field], place: Place = ()) -> Iterator[ContentError]:
    """Everything that is wrong with the table at `place`: unknown keys, missing keys, values against their rules."""
    table = document.value(place)
    if not isinstance(table, dict):
        yield document.fault(place, "wrong-type", "a table is expected here")
        return
    for key, value in table.items():
        if key not in fields:
            known = f"keys here: {', '.join(fields)}"
            yield document.fault((*place, key), "field-unknown", "there is no such key here", known)
        elif finding := fields[key].check(value):
            yield document.fault((*place, key), *finding)
    for key, field in fields.items():
        if field.required and key not in table:
            yield document.fault((*place, key), "field-missing", "this key is required")


def text(pattern: str, most: int) -> Check:
    """A text of a form, of at most `most` characters."""
    form, rule = pattern_of(pattern), PATTERN_RULES[pattern]

    def check(value: Any) -> Finding | None:
        if type(value) is not str:
            return "wrong-type", "a text is expected here", ""
        if len(value) > most:
            return "text-too-long", f"the most characters allowed here are {most}", ""
        return None if form.fullmatch(value) else (rule.code, rule.problem, rule.hint)

    return check


def choice(words: Sequence[str]) -> Check:
    """One of a few words."""

    def check(value: Any) -> Finding | None:
        if type(value) is str and value in words:
            return None
        return "not-a-choice", f"one of {', '.join(words)} is expected here", ""

    return check


def flag(value: Any) -> Finding | None:
    """True or false."""
    return None if type(value) is bool else ("wrong-type", "true or false is expected here", "")


def mapping(value: Any) -> Finding | None:
    """A table of tables, whose parts are checked by themselves."""
    return None if type(value) is dict else ("wrong-type", "a table is expected here", "")


def number(value: Any) -> Finding | None:
    """A finite number that can be written exactly."""
    if type(value) is int:
        is_safe = -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER
        return None if is_safe else ("out-of-range", "a whole number beyond ±(2^53-1)", "")
    if type(value) is not float:
        return "wrong-type", "a number is expected here", ""
    return None if isfinite(value) else ("not-finite", "a number must be finite", "")


def day(value: Any) -> Finding | None:
    """A date, as TOML writes it or as a text of the same form."""
    if type(value) is date:
        return None
    if finding := _DAY_TEXT(value):
        return finding
    return None if is_real_date(value) else ("date-impossible", "there is no such day in the calendar", "")


_DAY_TEXT = text(CALENDAR_DATE, 10)

"""From pydantic's findings to our own errors: a stable code, one plain sentence, and the place as a JSON pointer.

No text of pydantic and no unbounded piece of the input reaches a message.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..canonical import pointer
from ..errors import LeaderpressError, Problems
from .patterns import PATTERN_RULES

if TYPE_CHECKING:  # tables that are checked without pydantic tell their faults through this module too
    from pydantic_core import ErrorDetails, ValidationError

MAX_FAULTS = 100
"""Faults of one document that are told one by one; the rest are counted."""
MAX_SHOWN = 60
"""Characters of a foreign word that a message or a pointer repeats."""

Place = tuple[int | str, ...]
"""Keys and positions from the root of a document."""
Finding = tuple[str, str, str]
"""Code, problem, hint."""
Teller = Callable[[Place, str, str, str], LeaderpressError]
"""Makes an error of a place and a finding; it decides how the place is written and which family it is."""


def raise_faults(error: "ValidationError", value: object, tell: Teller) -> None:
    """Raise everything that pydantic found in `value`: one error as itself, more as `Problems`."""
    findings = error.errors(include_url=False)
    faults = [tell(_place(finding, value), *_explain(finding)) for finding in findings[:MAX_FAULTS]]
    if len(findings) > MAX_FAULTS:
        rest = len(findings) - MAX_FAULTS
        faults.append(tell((), "more-faults", f"{rest} more faults in the same document", ""))
    raise_all(faults)


def raise_all(faults: Iterable[LeaderpressError]) -> None:
    """Raise one error as itself, several as `Problems`, none not at all."""
    found = tuple(faults)
    if len(found) == 1:
        raise found[0]
    if found:
        raise Problems(found)


def json_place(at: str, place: Place) -> str:
    """`at` with the place as a JSON pointer: `dump.json#/spec/axes`; the root is `at` itself."""
    if not place:
        return at
    return f"{at}#{pointer(*(shown(segment) if isinstance(segment, str) else segment for segment in place))}"


def shown(word: str) -> str:
    """A foreign word as it may stand in a message: short, printable as UTF-8."""
    short = word if len(word) <= MAX_SHOWN else word[: MAX_SHOWN - 1] + "…"
    return short.encode("utf-8", "backslashreplace").decode("utf-8")


def _place(finding: "ErrorDetails", value: object) -> Place:
    """The place of a fault, without the marks that pydantic puts between keys."""
    place: list[int | str] = []
    node = value
    location = finding["loc"]
    for index, segment in enumerate(location):
        is_last = index == len(location) - 1
        if isinstance(node, dict) and (segment in node or (is_last and finding["type"] == "missing")):
            node = node.get(segment)
        elif isinstance(node, list) and isinstance(segment, int) and segment < len(node):
            node = node[segment]
        elif not (isinstance(node, dict) and location[index + 1 : index + 2] == ("[key]",)):
            continue  # the name of a branch of a union, or the mark of a key
        place.append(segment)
    return tuple(place)


def _explain(finding: "ErrorDetails") -> Finding:
    code, problem, hint = _explain_value(finding)
    return code, f"in a key: {problem}" if finding["loc"][-1:] == ("[key]",) else problem, hint


def _explain_value(finding: "ErrorDetails") -> Finding:
    kind = finding["type"]
    context = finding.get("ctx", {})
    if kind in _WITH_CONTEXT:
        return _WITH_CONTEXT[kind](context)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind.endswith("_type"):
        return "wrong-type", "a value of another type is expected here", ""
    if "-" in kind:  # one of our own rules: they speak for themselves
        return kind, finding["msg"], ""
    return "invalid", "this value breaks the rules of its kind", ""


_PLAIN: dict[str, Finding] = {
    "missing": ("field-missing", "this field is required", ""),
    "extra_forbidden": ("field-unknown", "there is no such field here", "check the spelling; nothing is ignored"),
    "invalid_key": ("field-unknown", "a field name must be a text", ""),
    "string_type": ("wrong-type", "a text is expected here", ""),
    "string_unicode": ("not-unicode", "a text with a lone surrogate", ""),
    "int_type": ("wrong-type", "a whole number is expected here", "write numbers without quotes and without fraction"),
    "float_type": ("wrong-type", "a number is expected here", "write numbers without quotes"),
    "bool_type": ("wrong-type", "true or false is expected here", ""),
    "dict_type": ("wrong-type", "an object is expected here", ""),
    "list_type": ("wrong-type", "a list is expected here", ""),
    "finite_number": ("not-finite", "a number must be finite", ""),
    "recursion_loop": ("recursion", "a value contains itself", ""),
}


def _pattern(context: dict[str, Any]) -> Finding:
    rule = PATTERN_RULES[context["pattern"]]
    return rule.code, rule.problem, rule.hint


def _choice(context: dict[str, Any]) -> Finding:
    return "not-a-choice", f"one of {context['expected']} is expected here", ""


def _length(code: str, word: str) -> Callable[[dict[str, Any]], Finding]:
    def finding(context: dict[str, Any]) -> Finding:
        limit = context.get("max_length", context.get("min_length"))
        return code, f"{word} {limit}", ""

    return finding


def _bound(name: str, words: str) -> Callable[[dict[str, Any]], Finding]:
    def finding(context: dict[str, Any]) -> Finding:
        return "out-of-range", f"the number must be {words} {context[name]}", ""

    return finding


_WITH_CONTEXT: dict[str, Callable[[dict[str, Any]], Finding]] = {
    "string_pattern_mismatch": _pattern,
    "literal_error": _choice,
    "string_too_long": _length("text-too-long", "the most characters allowed here are"),
    "string_too_short": _length("text-too-short", "the fewest characters allowed here are"),
    "too_long": _length("list-too-long", "the most elements allowed here are"),
    "too_short": _length("list-too-short", "the fewest elements allowed here are"),
    "greater_than_equal": _bound("ge", "at least"),
    "greater_than": _bound("gt", "greater than"),
    "less_than_equal": _bound("le", "at most"),
}

"""Axis expressions mean what Python means by them, for the operators that they have."""

import random

import pytest

from leaderpress.errors import DumpError
from leaderpress.ingesters.expressions import MAX_LENGTH, MAX_NESTING, parse_expression

AXES = {"a": 7, "b": 3, "c": -4, "zero": 0, "_x1": 11}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("a", 7),
        ("_x1 + 1", 12),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("10 - 3 - 2", 5),
        ("100 // 7 // 2", 7),
        ("-a // 2", -4),
        ("-(a // 2)", -3),
        ("c % b", 2),
        ("a % -b", -2),
        ("- - 5", 5),
        ("+-+5", -5),
        ("2 * -a", -14),
        ("a*b+c", 17),
        ("\t( a )\n* 2 ", 14),
        ("007", 7),
    ],
)
def test_values_are_those_of_integer_arithmetic(text: str, value: int) -> None:
    assert parse_expression(text).value(AXES) == value


def test_random_expressions_agree_with_python() -> None:
    chance = random.Random(20260401)

    def make(depth: int) -> str:
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(["a", "b", "c", str(chance.randrange(20))])
        kind = chance.randrange(7)
        if kind == 0:
            return f"-{make(depth - 1)}"
        if kind == 1:
            return f"({make(depth - 1)})"
        return f"{make(depth - 1)} {chance.choice(['+', '-', '*', '//', '%'])} {make(depth - 1)}"

    compared = 0
    for _ in range(3000):
        text = make(4)
        try:
            wanted = eval(text, {"__builtins__": {}}, AXES)  # noqa: S307 - text that this test made
        except ZeroDivisionError:
            with pytest.raises(DumpError, match="divides by zero"):
                parse_expression(text).value(AXES)
            continue
        if len(text) <= MAX_LENGTH and abs(wanted) < 2**40:
            assert parse_expression(text).value(AXES) == wanted, text
            compared += 1
    assert compared > 2000


def test_names_are_those_that_the_value_needs() -> None:
    assert parse_expression("a * (b + 2) // a").names == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the end"),
        ("a +", "the end"),
        ("a b", "'b' was not expected"),
        ("(a", "the end"),
        ("a)", r"'\)' was not expected"),
        ("()", r"'\)' was not expected"),
        ("* a", r"'\*' was not expected"),
        ("a / b", "uses '/'"),
        ("a ** b", r"uses '\*\*'"),
        ("a.b", "character"),
        ("a[0]", "character"),
        ("1e3", "'e3' was not expected"),
        ("ａ", "character"),
        ("٣", "character"),
        ("__import__('os')", "was not expected"),
        ("a;b", "character"),
        ("a" * (MAX_LENGTH + 1), "characters; the limit"),
        ("(" * (MAX_NESTING + 1) + "1" + ")" * (MAX_NESTING + 1), "nested deeper"),
        ("-" * (MAX_NESTING + 1) + "1", "nested deeper"),
        ("9007199254740992", "beyond 2"),
    ],
)
def test_what_is_no_expression_is_refused(text: str, problem: str) -> None:
    with pytest.raises(DumpError, match=problem):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a // zero", "divides by zero"),
        ("a % (b - 3)", "divides by zero"),
        ("missing + 1", "'missing', which has no value"),
        ("9007199254740991 * 2", "leaves the integers"),
        ("-9007199254740991 - 1", "leaves the integers"),
    ],
)
def test_values_that_do_not_exist_are_refused(text: str, problem: str) -> None:
    expression = parse_expression(text)
    with pytest.raises(DumpError, match=problem):
        expression.value(AXES)


def test_the_deepest_expression_that_is_taken_has_its_value() -> None:
    assert parse_expression("(" * MAX_NESTING + "1" + ")" * MAX_NESTING).value({}) == 1

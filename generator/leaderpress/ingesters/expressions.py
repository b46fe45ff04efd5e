"""Axis expressions: integer arithmetic over the names of other axes.

The language is what benchmark definitions use for derived axes: decimal integers, names, unary `+` and `-`, the
binary operators `+ - * // %` with Python's precedence and rounding, and parentheses.  True division and powers are
refused: the first leaves the integers, the second their size.  Text comes from strangers, so length, nesting and
every intermediate value are bounded; nothing is ever handed to `eval`.
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from ..canonical import MAX_SAFE_INTEGER
from ..errors import DumpError

MAX_LENGTH = 200
"""Characters; the limit of an axis expression in an operation's manifest."""
MAX_NESTING = 32
"""Parentheses and signs inside one another."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>//|\*\*|[-+*%/()])|(?P<end>\Z))"
)
_NEGATE = "u-"
_SUMS = frozenset("+-")
_PRODUCTS = frozenset(("*", "//", "%"))


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression in postfix order."""

    text: str
    steps: tuple[int | str, ...]
    """Integers, names and operators; `u-` is the unary minus."""
    names: frozenset[str]
    """The axes whose values it needs."""

    def value(self, axes: Mapping[str, int]) -> int:
        """Its value; raises `DumpError` for a missing axis, a division by zero or a value beyond ±(2^53-1)."""
        stack: list[int] = []
        for step in self.steps:
            if isinstance(step, int):
                stack.append(step)
            elif step in self.names:
                stack.append(_axis(self.text, step, axes))
            elif step == _NEGATE:
                stack.append(-stack.pop())
            else:
                right = stack.pop()
                stack.append(self._apply(step, stack.pop(), right))
        return stack[0]

    def _apply(self, sign: str, left: int, right: int) -> int:
        if sign in ("//", "%") and right == 0:
            _refuse(f"{self.text!r} divides by zero")
        value = _OPERATIONS[sign](left, right)
        if abs(value) > MAX_SAFE_INTEGER:
            _refuse(f"{self.text!r} leaves the integers within ±(2^53-1)")
        return value


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def parse_expression(text: str) -> Expression:
    """Parse one expression; raises `DumpError` that says what is wrong with it."""
    if len(text) > MAX_LENGTH:
        _refuse(f"an axis expression of {len(text)} characters; the limit is {MAX_LENGTH}")
    return _Parser(text).parse()


def _axis(text: str, name: str, axes: Mapping[str, int]) -> int:
    if name not in axes:
        _refuse(f"{text!r} needs the axis {name!r}, which has no value")
    return axes[name]


def _refuse(problem: str) -> NoReturn:
    raise DumpError("axis-expression", problem)


class _Parser:
    """Recursive descent; one method a level of precedence, each appends its postfix steps."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._steps: list[int | str] = []
        self._names: set[str] = set()
        self._kind, self._token = "", ""
        self._advance()

    def parse(self) -> Expression:
        self._sum(0)
        if self._kind != "end":
            self._unexpected()
        return Expression(self._text, tuple(self._steps), frozenset(self._names))

    def _sum(self, nesting: int) -> None:
        self._product(nesting)
        while self._token in _SUMS:
            sign = self._advance()
            self._product(nesting)
            self._steps.append(sign)

    def _product(self, nesting: int) -> None:
        self._signed(nesting)
        while self._token in _PRODUCTS:
            sign = self._advance()
            self._signed(nesting)
            self._steps.append(sign)

    def _signed(self, nesting: int) -> None:
        if nesting > MAX_NESTING:
            _refuse(f"{self._text!r} is nested deeper than {MAX_NESTING}")
        if self._token in _SUMS:
            sign = self._advance()
            self._signed(nesting + 1)
            if sign == "-":
                self._steps.append(_NEGATE)
        else:
            self._atom(nesting)

    def _atom(self, nesting: int) -> None:
        if self._kind == "number":
            self._steps.append(self._number(self._advance()))
        elif self._kind == "name":
            self._names.add(self._token)
            self._steps.append(self._advance())
        elif self._token == "(":
            self._advance()
            self._sum(nesting + 1)
            if self._token != ")":
                self._unexpected()
            self._advance()
        else:
            self._unexpected()

    def _number(self, digits: str) -> int:
        if int(digits) > MAX_SAFE_INTEGER:
            _refuse(f"{self._text!r} holds an integer beyond 2^53-1")
        return int(digits)

    def _advance(self) -> str:
        """Step to the next token; gives the one just left."""
        left = self._token
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            _refuse(f"{self._text!r} holds a character that no axis expression may hold")
        self._position = match.end()
        self._kind = match.lastgroup or ""
        self._token = match.group(self._kind)
        if self._token in ("/", "**"):
            _refuse(f"{self._text!r} uses {self._token!r}; only + - * // % keep an axis an integer")
        return left

    def _unexpected(self) -> NoReturn:
        found = repr(self._token) if self._token else "the end"
        _refuse(f"{self._text!r} is not an axis expression: {found} was not expected there")

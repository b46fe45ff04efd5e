"""SOL-ExecBench definitions: what a kernel detail says of its axes, inputs and outputs, in the words of manifests."""

import re
from dataclasses import dataclass
from typing import Any

from .entries import MALFORMED, Entry, Refused, is_object, kind_of, text

COMPARATOR = "sol_execbench_eval"
"""How the board decides that a result is correct, by name; its rule is not published."""

_DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "float": "fp32",
    "float64": "fp64",
    "double": "fp64",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e4m3": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "float4_e2m1": "fp4_e2m1",
}

Shape = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output."""

    name: str
    dtype: str
    shape: Shape
    """Empty for a scalar."""

    def spec(self) -> Entry:
        """As an operation's spec holds it."""
        if not self.shape:
            return {"name": self.name, "scalar": {"dtype": self.dtype}}
        return {"name": self.name, "tensor": {"shape": list(self.shape), "dtype": self.dtype}}


@dataclass(frozen=True, slots=True)
class Definition:
    """A kernel detail, read."""

    name: str
    axes: dict[str, Entry]
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]


def read_definition(detail: Entry) -> Definition:
    """Read a kernel detail; raises `Refused` with the place of the first field that cannot be read."""
    name = text(detail, "name")
    inputs, outputs = _arguments(detail, "inputs"), _arguments(detail, "outputs")
    return Definition(name, _axes(detail), inputs, outputs)


def dtype_token(name: str) -> str:
    """A dtype as manifests write it: `bfloat16` → `bf16`; unknown ones lower-cased, other characters as `_`."""
    low = name.lower()
    return _DTYPES.get(low) or re.sub(r"[^a-z0-9_]", "_", low)


def _axes(detail: Entry) -> dict[str, Entry]:
    axes: dict[str, Entry] = {}
    for name, axis in _members(detail, "axes").items():
        key = name.lower()
        if key in axes:
            raise Refused(MALFORMED, f"two axes are named {key!r} once their case is dropped", "axes", name)
        if not is_object(axis):
            raise Refused(MALFORMED, f"an axis is {kind_of(axis)}, not an object", "axes", name)
        axes[key] = _axis(axis, name)
    return axes


def _axis(axis: Entry, name: str) -> Entry:
    kind = axis.get("type")
    if kind == "var":
        return {"role": "variable", "type": "integer"}
    if kind == "const" and type(axis.get("value")) is int:
        return {"role": "constant", "type": "integer", "value": axis["value"]}
    if kind == "expr" and type(axis.get("expression")) is str:
        return {"role": "derived", "type": "integer", "expression": axis["expression"].lower()}
    problem = "an axis is var, const with an integer value, or expr with an expression"
    raise Refused(MALFORMED, problem, "axes", name)


def _arguments(detail: Entry, key: str) -> tuple[Argument, ...]:
    arguments = tuple(_argument(name, value, key) for name, value in _members(detail, key).items())
    if not arguments:
        raise Refused(MALFORMED, f"{key} is empty", key)
    if len({argument.name for argument in arguments}) < len(arguments):
        raise Refused(MALFORMED, f"two of the {key} have one name once they are spelled as tokens", key)
    return arguments


def _argument(name: str, value: Any, key: str) -> Argument:
    if not is_object(value):
        raise Refused(MALFORMED, f"an argument is {kind_of(value)}, not an object", key, name)
    dtype, shape = value.get("dtype"), value.get("shape")
    if type(dtype) is not str or not dtype:
        raise Refused(MALFORMED, "an argument needs a dtype", key, name, "dtype")
    if shape is not None and type(shape) is not list:
        raise Refused(MALFORMED, f"a shape is {kind_of(shape)}, not an array", key, name, "shape")
    token = re.sub(r"[^a-z0-9_]", "_", name.lower())
    spelled = token if re.match("[a-z]", token) else "x_" + token
    dimensions = tuple(_dimension(size, key, name, position) for position, size in enumerate(shape or ()))
    return Argument(spelled, dtype_token(dtype), dimensions)


def _dimension(size: Any, key: str, name: str, position: int) -> int | str:
    if type(size) is int:
        return size
    if type(size) is str and size:
        return int(size) if size.isascii() and size.isdigit() and len(size) < 17 else size.lower()
    raise Refused(MALFORMED, f"a dimension is {kind_of(size)}", key, name, "shape", position)


def _members(detail: Entry, key: str) -> Entry:
    value = detail.get(key)
    if value is None:
        return {}
    if not is_object(value):
        raise Refused(MALFORMED, f"{key} is {kind_of(value)}, not an object", key)
    members: Entry = value
    return members

"""What is measured: an operation, with its axes, arguments and meaning.

An operation plays the role of *task*.  A constant axis states its value, a derived one the expression that gives it;
an argument is a tensor or a scalar, never both.
"""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import MinLen
from pydantic import AfterValidator, Discriminator, Field, Tag, with_config
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from .fields import (
    STRICT,
    ApiVersion,
    ArtifactRef,
    Expression,
    Integer,
    Metadata,
    Natural,
    Slug,
    Text2000,
    Token,
)


class AxisFields(TypedDict):
    """A named extent of an operation."""

    role: Literal["variable", "constant", "derived"]
    """Chosen by each case, the same in all of them, or computed from other axes."""
    type: Literal["integer"]
    """Axes count; nothing else exists."""
    value: NotRequired[Integer]
    """Value of a constant axis."""
    minimum: NotRequired[Integer]
    """Smallest value that a variable axis may take."""
    maximum: NotRequired[Integer]
    """Largest value that a variable axis may take."""
    expression: NotRequired[Expression]
    """How a derived axis follows from the others."""


def _axis_is_complete(axis: AxisFields) -> AxisFields:
    if axis["role"] == "constant" and "value" not in axis:
        raise PydanticCustomError("axis-without-value", "a constant axis needs a value")
    if axis["role"] == "derived" and "expression" not in axis:
        raise PydanticCustomError("axis-without-expression", "a derived axis needs an expression")
    return axis


def _if_role(role: str, needed: str) -> dict[str, Any]:
    condition = {"properties": {"role": {"const": role}}, "required": ["role"]}
    return {"if": condition, "then": {"required": [needed]}}


Axis = Annotated[
    AxisFields,
    AfterValidator(_axis_is_complete),
    Field(json_schema_extra={"allOf": [_if_role("constant", "value"), _if_role("derived", "expression")]}),
]


def _dimension_form(value: object) -> str | None:
    return {int: "extent", str: "axis"}.get(type(value))


Dimension = Annotated[
    Annotated[Natural, Tag("extent")] | Annotated[Token, Tag("axis")],
    Discriminator(
        _dimension_form,
        custom_error_type="not-a-dimension",
        custom_error_message="a dimension is a whole number or the name of an axis",
    ),
]


class TensorType(TypedDict):
    """A tensor as an operation declares it."""

    shape: Annotated[list[Dimension], MinLen(1)]
    """Extents, outermost first: whole numbers or names of axes."""
    dtype: Token
    """Type of an element."""
    layout: NotRequired[Literal["row_major", "col_major", "contiguous", "strided"]]
    """Order of the elements in memory."""


class ScalarType(TypedDict):
    """A scalar as an operation declares it."""

    dtype: Token
    """Type of the value."""


class ArgumentFields(TypedDict):
    """An input or an output of an operation."""

    name: Token
    """Name within the operation."""
    tensor: NotRequired[TensorType]
    """Set for a tensor."""
    scalar: NotRequired[ScalarType]
    """Set for a scalar."""


def _one_form(argument: ArgumentFields) -> ArgumentFields:
    if ("tensor" in argument) == ("scalar" in argument):
        raise PydanticCustomError("tensor-or-scalar", "an argument is either a tensor or a scalar, and one of them")
    return argument


Argument = Annotated[
    ArgumentFields,
    AfterValidator(_one_form),
    Field(json_schema_extra={"oneOf": [{"required": ["tensor"]}, {"required": ["scalar"]}]}),
]


class Semantics(TypedDict):
    """What an operation does to its arguments."""

    mutation: Literal["none", "in_place", "destination"]
    """Whether inputs are changed, or outputs are written into given memory."""
    determinism: Literal["deterministic", "nondeterministic", "unspecified"]
    """Whether equal inputs give equal bits."""
    expression: NotRequired[Text2000]
    """The operation as a formula, for readers."""


class Reference(TypedDict):
    """The implementation that defines what is correct."""

    language: Token
    """Language it is written in."""
    artifact: NotRequired[ArtifactRef]
    """Its source text."""


class OperationBody(TypedDict):
    """The identity of an operation."""

    family: Slug
    """Kind of operation, for browsing."""
    axes: dict[Token, Axis]
    """Named extents."""
    inputs: Annotated[list[Argument], MinLen(1)]
    """Arguments that are read, in order."""
    outputs: Annotated[list[Argument], MinLen(1)]
    """Arguments that are written, in order."""
    semantics: Semantics
    """Effect on the arguments."""
    reference: NotRequired[Reference]
    """What correct means."""


@with_config(STRICT)
class OperationSpec(TypedDict):
    """An operation: what every implementation of it must compute."""

    apiVersion: ApiVersion
    """Version of the document format."""
    kind: Literal["OperationSpec"]
    """Kind of the document."""
    metadata: Metadata
    """Editorial part, outside the digest."""
    spec: OperationBody
    """Identity."""

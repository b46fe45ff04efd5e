"""JSON Schemas of the kinds, for publishing: with a description of every field and the rules between fields.

pydantic can collect the descriptions itself, but only while it builds its validators, where reading the sources costs
four times as much as everything else.  They are needed here alone, so they are read here.
"""

import ast
import inspect
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ..errors import UsageError

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kinds: dict[str, Any], kind: str) -> dict[str, Any]:
    """The schema of one of `kinds`; raises `UsageError` for another name."""
    if kind not in kinds:
        raise UsageError("kind-unknown", f"{kind!r} is not a kind", hint=f"kinds: {', '.join(kinds)}")
    adapter: TypeAdapter[Any] = TypeAdapter(kinds[kind])
    return {"$schema": DIALECT, **adapter.json_schema(schema_generator=_Documented)}


class _Documented(GenerateJsonSchema):
    """Adds what pydantic leaves unsaid."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False  # a title made from the field's name says nothing new

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        described = super().typed_dict_schema(schema)
        for name, text in _field_texts(schema["cls"]).items():
            described["properties"][name].setdefault("description", text)
        return described

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        described = super().dict_schema(schema)
        if "patternProperties" in described:
            described["additionalProperties"] = False
        return described


def _field_texts(model: type) -> dict[str, str]:
    """The text under each field of a class, as written in its source."""
    body = ast.parse(inspect.getsource(model)).body[0].body  # type: ignore[attr-defined]
    texts = {}
    for field, below in pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                texts[name] = inspect.cleandoc(text)
    return texts

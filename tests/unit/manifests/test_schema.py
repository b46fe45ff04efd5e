import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from leaderpress.errors import UsageError
from leaderpress.manifests import KIND_ORDER, schema

Document = Callable[[str], Any]


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_the_schema_of_a_kind_is_one_and_accepts_the_complete_document(kind: str, document: Document) -> None:
    described = schema(kind)
    Draft202012Validator.check_schema(described)
    Draft202012Validator(described).validate(document(kind))
    assert described["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(described)) == described


def objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "properties" in node and node.get("type") == "object":
            yield node
        for part in node.values():
            yield from objects(part)
    elif isinstance(node, list):
        for part in node:
            yield from objects(part)


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_every_field_is_described_and_no_object_takes_unknown_ones(kind: str) -> None:
    found = list(objects(schema(kind)))
    assert len(found) > 5
    for described in found:
        assert described["additionalProperties"] is False
        assert described["description"]
        for name, field in described["properties"].items():
            assert field.get("description"), f"{described['title']}.{name}"


def paths(node: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield place
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        yield from paths(part, (*place, str(key)))


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_the_complete_document_uses_every_field_of_its_kind(kind: str, document: Document) -> None:
    used = {key for place in paths(document(kind)) for key in place}
    declared = {name for described in objects(schema(kind)) for name in described["properties"]}
    assert declared - used == set()


# sentence: (kind, place of the value, value): what a reader who has the schema alone can find out as well
REFUSED = {
    "a constant axis without its value": (
        "OperationSpec", ("spec", "axes", "heads"), {"role": "constant", "type": "integer"}),
    "a derived axis without its expression": (
        "OperationSpec", ("spec", "axes", "width"), {"role": "derived", "type": "integer"}),
    "an argument that is neither tensor nor scalar": ("OperationSpec", ("spec", "inputs"), [{"name": "x"}]),
    "an argument that is both": (
        "OperationSpec", ("spec", "inputs"),
        [{"name": "x", "scalar": {"dtype": "bf16"}, "tensor": {"dtype": "bf16", "shape": [1]}}]),
    "timing without mean and median": ("BenchmarkRun", ("spec", "timing", "latencyNs"), {"p95": 1}),
    "a label whose name is no token": ("BenchmarkRun", ("metadata", "labels"), {"Big Name": "x"}),
    "an unknown field": ("BenchmarkRun", ("spec", "verdict"), "good"),
    "an address over http": ("SoftwareProject", ("spec", "homepage"), "http://ada.example"),
    "an instant without its fraction": ("BenchmarkRun", ("spec", "observedAt"), "2026-04-14T23:38:30Z"),
    "a text in place of a number": ("BenchmarkRun", ("spec", "timing", "samples"), "30"),
    "a dimension that is true": ("OperationSpec", ("spec", "outputs", 0, "tensor", "shape", 0), True),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSED)
def test_the_schema_alone_refuses(sentence: str, document: Document) -> None:
    kind, place, new = REFUSED[sentence]
    value = document(kind)
    *parents, last = place
    node = value
    for key in parents:
        node = node[key]
    node[last] = new
    assert not Draft202012Validator(schema(kind)).is_valid(value)


def test_an_unknown_kind_has_no_schema() -> None:
    with pytest.raises(UsageError):
        schema("ServingRun")

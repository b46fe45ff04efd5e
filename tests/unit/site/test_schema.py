"""Twins and their published schemas: each twin fits its schema, and no schema forbids what a later version may add."""

import dataclasses
import json
from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import urljoin

import example_views
import jsonschema
import pytest
from tiny_site import Chain, TinySite

from leaderpress.site.editions import freeze
from leaderpress.site.schema import TWINS, schemas, twin

BASE = "https://tiny.example/"
SCHEMAS = {path.split("/")[-1].removesuffix(".json"): json.loads(data) for path, data in schemas(BASE).items()}


def validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMAS[kind])


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Every twin of a site that holds a bit of everything, by path."""
    site = TinySite(tmp_path_factory.mktemp("twins"))
    logs = {"evidence": {"logs": {"digest": "sha256:" + "1" * 64, "uri": "https://board.example/log"}}}
    own = {"points": 0.5, "wins": 3, "games": 4}
    runs = [
        Chain(n, 1000 // n, user=f"U{n}", metrics=own, observed=f"2026-01-{n:02}T00:00:00.000Z") for n in range(1, 9)
    ]
    odd = [
        Chain(20, None, status="timeout"),
        Chain(21, None, measurements=[("throughput", "gbps", 1.5e-7)], run=logs, made_for="gemm"),
        Chain(22, 7, subject={"licensing": {"declared": "MIT"}}, timing={"confidence95": [1, 9]}),
        Chain(23, 0, op="zero"),
    ]
    facts = {"about": runs[0].suite().digest, "fact": "points", "value": [1, None]}
    site.feed(*runs, *odd, facts, {"task": runs[0].operation().digest, "rows": 2, "listed": 3}, {"reject": "INCORRECT"})
    site.feed(Chain(1, 90), on="2026-05-06")
    freeze(site.root, "spring", published_at=date(2026, 5, 6), today=date.today)
    site.note("a", "withdrawal", runs[1].digest)
    site.note("b", "attestation", runs[2].digest, type="reproduction", value=1.5, unit="us")
    found: dict[str, dict[str, Any]] = {}
    with site.pages() as at:
        from leaderpress.site.plan import plan

        for job in plan(at.index, at.content):
            for path, data in at.renderer.files(job):
                if path.endswith("index.json") and not path.startswith("schema/"):
                    assert path not in found
                    found[path] = json.loads(data)
    return found


def test_every_kind_of_twin_occurs_and_fits_its_schema(twins: dict[str, dict[str, Any]]) -> None:
    assert {value["kind"] for value in twins.values()} == set(TWINS)
    validators = {kind: validator(kind) for kind in TWINS}
    for path, value in twins.items():
        faults = [fault.message for fault in validators[value["kind"]].iter_errors(value)]
        assert faults == [], path


@pytest.mark.parametrize("kind", TWINS)
def test_a_schema_is_one_and_is_at_the_address_that_twins_name(kind: str, twins: dict[str, dict[str, Any]]) -> None:
    schema = SCHEMAS[kind]
    jsonschema.Draft202012Validator.check_schema(schema)
    named = {value["$schema"] for value in twins.values() if value["kind"] == kind}
    assert named == {schema["$id"]} == {f"{BASE}schema/v1/{kind}.json"}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


@pytest.mark.parametrize("kind", TWINS)
def test_a_schema_refers_to_nothing_outside_itself(kind: str) -> None:
    assert all(node["$ref"].startswith("#/$defs/") for node in nodes(SCHEMAS[kind]) if "$ref" in node)


@pytest.mark.parametrize("kind", TWINS)
def test_no_schema_forbids_unknown_members(kind: str, twins: dict[str, dict[str, Any]]) -> None:
    closed = {"additionalProperties", "unevaluatedProperties", "propertyNames", "maxProperties"}
    assert [
        node for node in nodes(SCHEMAS[kind]) if closed & {key for key in node if not isinstance(node[key], dict)}
    ] == []
    extended = [_with_more(value) for value in twins.values() if value["kind"] == kind]
    assert all(not list(validator(kind).iter_errors(value)) for value in extended)


def _with_more(value: Any) -> Any:
    """The same with an unknown member in every object."""
    if isinstance(value, dict):
        return {**{key: _with_more(part) for key, part in value.items()}, "added_in_a_later_version": [1]}
    return [_with_more(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", TWINS)
def test_a_schema_notices_what_is_missing_or_of_another_type(kind: str, twins: dict[str, dict[str, Any]]) -> None:
    value = next(value for value in twins.values() if value["kind"] == kind)
    for name in value:
        assert list(validator(kind).iter_errors({key: part for key, part in value.items() if key != name})), name
        assert list(validator(kind).iter_errors({**value, name: {"not": "this"}})), name


@pytest.mark.parametrize("kind", TWINS)
def test_a_twin_has_exactly_the_fields_of_its_view(kind: str, twins: dict[str, dict[str, Any]]) -> None:
    fields = [field.name for field in dataclasses.fields(TWINS[kind])]
    for value in (value for value in twins.values() if value["kind"] == kind):
        assert list(value) == ["$schema", "kind", *fields]


@pytest.mark.parametrize("path", ["", "about/", "groups/x/", "projects/ada/2/"])
def test_a_twin_without_a_permalink_base_leads_to_its_schema(path: str) -> None:
    value = json.loads(twin("group", example_views.GROUP, "", path))
    page = f"https://anywhere.example/below/{path}index.json"
    found = urljoin(page, value["$schema"])
    assert found == "https://anywhere.example/below/schema/v1/group.json"
    assert urljoin(found, json.loads(schemas("")["schema/v1/group.json"])["$id"]) == found


def test_numbers_in_twins_are_the_exact_ones(twins: dict[str, dict[str, Any]]) -> None:
    values = [value["primary"]["value"] for value in twins.values() if value["kind"] == "run" and value["primary"]]
    assert 1.5e-7 in values
    assert 0 in values
    assert 90 in values

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from pydantic import TypeAdapter

from leaderpress import canonical
from leaderpress.errors import LeaderpressError, ManifestError, Problems
from leaderpress.manifests import KIND_ORDER, identity_bytes, parse, parse_bytes, seal
from leaderpress.manifests.door import KINDS, MAX_DOCUMENT_BYTES
from leaderpress.manifests.patterns import DIGEST, NAME, SLUG, TOKEN

Document = Callable[[str], Any]


def test_the_registry_holds_every_kind_in_order() -> None:
    assert tuple(KINDS) == KIND_ORDER


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_a_complete_document_of_each_kind_is_accepted_and_its_bytes_hash_to_its_digests(
    kind: str, document: Document
) -> None:
    value = document(kind)
    manifest = parse(value)
    body = {key: manifest.value[key] for key in ("apiVersion", "kind", "spec")}
    assert manifest.kind == kind
    assert manifest.identity == identity_bytes(manifest.value) == canonical.canonical(body)
    assert manifest.document == canonical.canonical(manifest.value)
    assert manifest.digest == "sha256:" + hashlib.sha256(manifest.identity).hexdigest()
    assert manifest.document_digest == "sha256:" + hashlib.sha256(manifest.document).hexdigest()
    assert (manifest.spec, manifest.metadata) == (manifest.value["spec"], value["metadata"])


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_a_round_trip_changes_no_byte(kind: str, document: Document) -> None:
    once = parse(document(kind))
    assert parse_bytes(once.document, "again") == once


def test_a_digest_published_elsewhere_comes_out() -> None:
    spec = {"name": "Vector Project", "repository": "https://example.invalid/vector/project"}
    value = {"apiVersion": "kernelindex.dev/v1alpha1", "kind": "SoftwareProject", "metadata": {"name": "v"}}
    digest = parse({**value, "spec": spec}).digest
    assert digest == "sha256:bea60af06f12216679b113d6624c5293d59bef2104ccc27cd33c992d124e039d"


def test_metadata_moves_the_document_digest_and_leaves_the_identity(document: Document) -> None:
    before, after = document("BenchmarkRun"), document("BenchmarkRun")
    after["metadata"]["title"] = "Another title"
    assert parse(before).digest == parse(after).digest
    assert parse(before).document_digest != parse(after).document_digest


def test_sets_are_sorted_by_utf_16_code_unit_without_repetition(document: Document) -> None:
    value = document("ImplementationRevision")
    value["spec"]["support"] |= {
        "hardwareArchitectures": ["sm_90", "sm_100", "sm_90"],
        "productsTested": ["\uff21", "\U0001f986", "Z"],  # the duck's first code unit, d83e, is below ff21
        "axes": ["b", "a"],
        "dtypes": ["fp32", "bf16", "bf16"],
        "layouts": ["row_major", "col_major"],
    }
    assert parse(value).spec["support"] == {
        "hardwareArchitectures": ["sm_100", "sm_90"],
        "productsTested": ["Z", "\U0001f986", "\uff21"],
        "axes": ["a", "b"],
        "dtypes": ["bf16", "fp32"],
        "layouts": ["col_major", "row_major"],
    }


def test_documents_that_differ_in_the_order_of_a_set_are_one(document: Document) -> None:
    value, other = document("ImplementationRevision"), document("ImplementationRevision")
    other["spec"]["support"]["hardwareArchitectures"].reverse()
    assert parse(value).digest == parse(other).digest


def test_the_order_of_every_other_list_is_identity(document: Document) -> None:
    value, other = document("WorkloadSuite"), document("WorkloadSuite")
    other["spec"]["cases"].reverse()
    assert parse(value).digest != parse(other).digest


def test_what_came_in_is_never_changed(document: Document) -> None:
    value = document("ImplementationRevision")
    parse(value)
    assert value == document("ImplementationRevision")


def test_numbers_and_instants_keep_their_text(document: Document) -> None:
    value = document("BenchmarkRun")
    value["spec"]["measurements"][0]["value"] = 8
    value["spec"]["observedAt"] = "2026-04-14T23:38:30.000Z"
    text = parse(value).document.decode()
    assert '"value":8}' in text
    assert '"observedAt":"2026-04-14T23:38:30.000Z"' in text


@pytest.mark.parametrize("number", [8, 8.0, -0.0, 0.5, 9.5e-6, 1e-7, 1e21, 1e-5, 2**53 - 1, 0])
def test_a_number_in_any_place_is_written_as_rfc_8785_says(number: float, document: Document) -> None:
    run, case = document("BenchmarkRun"), document("WorkloadCase")
    run["spec"]["measurements"][0]["value"] = number
    run["spec"]["sourceNative"]["metrics"]["figure"] = number
    case["spec"]["scalars"]["alpha"] = {"dtype": "fp32", "value": number}
    for value in (run, case):
        assert parse(value).document == rfc8785.dumps(value)


def test_free_keys_are_sorted_by_utf_16_code_unit(document: Document) -> None:
    value = document("ExecutionEnvironment")
    value["spec"]["settings"]["environmentVariables"] = dict.fromkeys(("\ufb33", "\U0001f602", "é", "A"), "1")
    assert parse(value).document == rfc8785.dumps(value)


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_every_place_of_a_number_or_a_free_key_is_one_that_the_door_looks_at(kind: str) -> None:
    """Floats only where odd ones are noted, keys only of ASCII: what `canonical_of_plain` rests on."""
    schema = TypeAdapter(KINDS[kind]).core_schema
    for node, above in nodes(schema):
        if node.get("type") == "float":
            assert above.get("type") == "function-before", above
        if node.get("type") == "dict":
            keys = node["keys_schema"]
            assert keys.get("pattern") in (TOKEN, SLUG, NAME, DIGEST) or keys["type"] == "function-before", keys
        assert node.get("type") not in ("any", "json", "number")


def nodes(node: Any, above: Any = None) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every object of a schema, with the one that it stands in."""
    if isinstance(node, dict):
        yield node, above
        for part in node.values():
            yield from nodes(part, node)
    elif isinstance(node, list):
        for part in node:
            yield from nodes(part, above)


def test_a_failed_run_needs_no_figures(document: Document) -> None:
    value = document("BenchmarkRun")
    for name in ("timing", "measurements", "sourceNative", "evidence", "correctness"):
        del value["spec"][name]
    value["spec"]["status"] = "compile_error"
    assert parse(value).spec["status"] == "compile_error"


def test_what_nobody_stated_may_be_empty(document: Document) -> None:
    environment, implementation = document("ExecutionEnvironment"), document("ImplementationRevision")
    environment["spec"] = {"hardware": environment["spec"]["hardware"], "software": {}}
    implementation["spec"] |= {"licensing": {}, "projectRevision": {}}
    assert parse(environment).spec["software"] == {}
    assert parse(implementation).spec["licensing"] == {}


REAL_DAYS = {"2024-02-29": True, "2000-02-29": True, "2023-02-29": False, "1900-02-29": False, "2026-04-31": False}


@pytest.mark.parametrize(("day", "is_real"), REAL_DAYS.items())
def test_an_instant_is_a_day_of_the_calendar(day: str, is_real: bool, document: Document) -> None:
    value = document("BenchmarkRun")
    value["spec"]["observedAt"] = f"{day}T00:00:00.000Z"
    if is_real:
        parse(value)
        return
    with pytest.raises(ManifestError) as caught:
        parse(value, "dump.json")
    assert (caught.value.code, caught.value.at) == ("date-impossible", "dump.json#/spec/observedAt")


def test_every_fault_of_a_document_is_told_with_its_place(document: Document) -> None:
    value = document("BenchmarkRun")
    value["spec"]["status"] = "fine"
    value["spec"]["timing"]["latencyNs"] = {"p95": 1}
    value["metadata"]["labels"] = {"Big Name": "x"}
    del value["spec"]["protocolDigest"]
    with pytest.raises(Problems) as caught:
        parse(value, "runs.jsonl:7")
    assert {(fault.code, fault.at) for fault in caught.value.problems} == {
        ("not-a-choice", "runs.jsonl:7#/spec/status"),
        ("timing-without-mean-or-median", "runs.jsonl:7#/spec/timing/latencyNs"),
        ("not-a-token", "runs.jsonl:7#/metadata/labels/Big Name"),
        ("field-missing", "runs.jsonl:7#/spec/protocolDigest"),
    }


def test_a_flood_of_faults_is_counted(document: Document) -> None:
    value = document("WorkloadSuite")
    value["spec"]["cases"] = [{"externalId": 1, "axes": {}}] * 5000
    with pytest.raises(Problems) as caught:
        parse(value)
    assert len(caught.value.problems) == 101
    assert caught.value.problems[-1].problem == "4900 more faults in the same document"


def test_a_document_has_a_largest_size(document: Document) -> None:
    value = document("WorkloadSuite")
    value["spec"]["cases"] = [{"externalId": "x" * 200, "axes": {}}] * (MAX_DOCUMENT_BYTES // 200)
    with pytest.raises(ManifestError) as caught:
        parse(value, "dump.json")
    assert (caught.value.code, caught.value.at) == ("manifest-too-large", "dump.json")


def test_a_backslash_before_u0000_is_no_nul(document: Document) -> None:
    value = document("SoftwareProject")
    value["spec"]["name"] = "\\u0000"
    assert parse(value).spec["name"] == "\\u0000"


def test_seal_takes_nothing_but_an_envelope(document: Document) -> None:
    with pytest.raises(ManifestError):
        seal({**document("SoftwareProject"), "extra": 1})


def cyclic() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


class Text(str):
    __slots__ = ()


HOSTILE: dict[str, Any] = {
    "true for a number": True,
    "a number as text": "5",
    "infinity": float("inf"),
    "not a number": float("nan"),
    "an integer beyond 2^53": 2**53,
    "an integer of 5,000 digits": 10**5000,
    "a huge text": "x" * 2_000_000,
    "a text of blanks": " " * 100_000,
    "a lone surrogate": "\ud800",
    "NUL": "\0",
    "null": None,
    "an empty object": {},
    "an empty list": [],
    "an object with a number for a key": {1: 1},
    "an object with a surrogate for a key": {"\udfff": 1},
    "an object with a huge key": {"k" * 1_000_000: 1},
    "a deep list": [[[[[[[[[[1]]]]]]]]]],
    "a list that holds itself": cyclic(),
    "a tuple": (1, 2),
    "bytes": b"x",
    "a set": {1},
    "a kind of text": Text("passed"),
    "an object of a class": object(),
}

PLACES = {
    "BenchmarkRun": [
        ("kind",), ("apiVersion",), ("metadata",), ("metadata", "labels"), ("metadata", "labels", "worker"),
        ("metadata", "authors"), ("spec",), ("spec", "status"), ("spec", "observedAt"), ("spec", "workloadDigest"),
        ("spec", "timing", "latencyNs", "mean"), ("spec", "timing", "latencyNs", "confidence95"),
        ("spec", "measurements"), ("spec", "sourceNative", "metrics"), ("spec", "correctness", "matchedRatio"),
    ],
    "OperationSpec": [
        ("spec", "axes"), ("spec", "axes", "batch"), ("spec", "inputs"), ("spec", "inputs", 0),
        ("spec", "inputs", 0, "tensor", "shape"), ("spec", "inputs", 0, "tensor", "shape", 0),
    ],
    "ImplementationRevision": [("spec", "support"), ("spec", "support", "dtypes"), ("spec", "support", "dtypes", 0)],
    "ExecutionEnvironment": [("spec", "settings", "environmentVariables"), ("spec", "settings", "powerLimitWatts")],
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_values_raise_our_errors_only(name: str, document: Document) -> None:
    told = []
    for kind, places in PLACES.items():
        for place in places:
            value = document(kind)
            *parents, last = place
            node = value
            for key in parents:
                node = node[key]
            node[last] = HOSTILE[name]
            try:
                parse(value, "x")
            except LeaderpressError as fault:
                told.append(str(fault).encode())  # whatever came in, it can be printed
    assert len(told) >= 15
    assert max(map(len, told)) < 20_000


@pytest.mark.parametrize("value", [None, [], "x", 5, True, b"{}", {}, {"kind": []}, {1: 2}, {"kind": "\ud800"}])
def test_what_is_no_manifest_at_all_is_refused(value: object) -> None:
    with pytest.raises(ManifestError) as caught:
        parse(value, "x")
    assert caught.value.at.startswith("x")


BYTES = {
    "an overflowing number": b'{"kind": 1e400}',
    "a key that stands twice": b'{"kind": "a", "kind": "b"}',
    "no JSON": b"{",
    "no UTF-8": b'{"kind": "\xff"}',
    "a bare NaN": b'{"kind": NaN}',
    "a deep nest": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("data", BYTES.values(), ids=BYTES)
def test_bytes_that_are_no_strict_json_are_refused(data: bytes) -> None:
    with pytest.raises(LeaderpressError) as caught:
        parse_bytes(data, "dump.json")
    assert caught.value.at.startswith("dump.json")


def test_importing_the_package_and_its_tables_leaves_pydantic_alone() -> None:
    program = (
        "import sys, leaderpress.manifests.notes, leaderpress.manifests.source\n"
        "sys.exit('pydantic' in sys.modules or 'pydantic_core' in sys.modules)"
    )
    package_root = Path(canonical.__file__).parents[1]
    subprocess.run([sys.executable, "-c", program], check=True, cwd=package_root, env={"PYTHONPATH": str(package_root)})


def test_a_real_manifest_that_was_published_hashes_to_the_digests_that_it_names(corpus: Path) -> None:
    chain = json.loads((corpus / "reference" / "run-manifest.json").read_text("utf-8"))
    run = parse(chain["run"])
    assert run.digest == "sha256:fa4d980817af8b4b1ef6af0eacc26cbd01b6b6f7fd92beeeaba81fe64311d0b2"
    assert parse(chain["protocol"]).digest == run.spec["protocolDigest"]
    assert parse(chain["environment"]).digest == run.spec["environmentDigest"]

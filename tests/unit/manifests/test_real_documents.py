"""All documents of a real catalog export: accepted, with the digests that their rows state, byte for byte."""

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
import zstandard
from jsonschema import Draft202012Validator

from leaderpress.manifests import KIND_ORDER, Manifest, parse, parse_bytes, schema

COUNTS = {
    "OperationSpec": 449, "WorkloadSuite": 256, "WorkloadCase": 5371, "SoftwareProject": 588,
    "ImplementationRevision": 4250, "BenchmarkProtocol": 6, "ExecutionEnvironment": 15, "BenchmarkRun": 7857,
}  # fmt: skip

STATED = {
    "projects": None,
    "operations": "semanticDigest",
    "workloads": "workloadDigest",
    "implementations": "implementationDigest",
}
RUN_PARTS = {"run": "runDigest", "protocol": "protocolKey", "environment": "environmentKey"}


class Row(NamedTuple):
    value: Any
    stated: str | None
    """The digest that the row states, if it states one."""


def read_rows(folder: Path) -> Iterator[Row]:
    """The manifests of the newest export, with their digests."""
    (newest,) = sorted((folder / "data" / "kernelindex").glob("*.zst"))[-1:]
    with newest.open("rb") as compressed:
        stream = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(compressed), "utf-8", newline="\n")
        for line in stream:
            entry = orjson.loads(line)
            row = entry["row"]
            if entry["table"] in STATED:
                name = STATED[entry["table"]]
                yield Row(row["manifest"], row[name] if name else None)
            elif entry["table"] == "benchmark_runs":
                yield from (Row(row["manifest"][part], row[name]) for part, name in RUN_PARTS.items())


@pytest.fixture(scope="module")
def real(corpus: Path) -> dict[str, tuple[Row, Manifest]]:
    """Every distinct document by its document digest; the parsed and the given form."""
    found: dict[str, tuple[Row, Manifest]] = {}
    for row in read_rows(corpus):
        manifest = parse(row.value)
        assert row.stated in (None, manifest.digest), row.value["metadata"]["name"]
        found[manifest.document_digest] = row, manifest
    return found


@pytest.mark.slow
def test_every_real_document_is_accepted_with_the_digest_that_its_row_states(
    real: dict[str, tuple[Row, Manifest]],
) -> None:
    kinds = Counter(manifest.kind for _, manifest in real.values())
    assert kinds == COUNTS
    assert sum(kinds.values()) == 18_792
    assert sum(row.stated is not None for row, _ in real.values()) == 18_792 - COUNTS["SoftwareProject"]


@pytest.mark.slow
def test_no_real_document_is_changed_and_a_round_trip_changes_no_byte(real: dict[str, tuple[Row, Manifest]]) -> None:
    for row, manifest in real.values():
        assert manifest.value == row.value
        assert parse_bytes(manifest.document, "again") == manifest


@pytest.mark.slow
@pytest.mark.parametrize("kind", KIND_ORDER)
def test_the_published_schema_accepts_every_real_document(kind: str, real: dict[str, tuple[Row, Manifest]]) -> None:
    validator = Draft202012Validator(schema(kind))
    values = [manifest.value for _, manifest in real.values() if manifest.kind == kind]
    assert len(values) == COUNTS[kind]
    for value in values:
        validator.validate(value)

"""One fault a case, named by a sentence: the code and the JSON pointer that a person gets."""

from collections.abc import Callable
from typing import Any

import pytest

from leaderpress.errors import ManifestError
from leaderpress.manifests import parse

GONE = object()
"""In place of a value: the key is taken away."""

OPERATION, SUITE, CASE = "OperationSpec", "WorkloadSuite", "WorkloadCase"
PROJECT, IMPLEMENTATION = "SoftwareProject", "ImplementationRevision"
PROTOCOL, ENVIRONMENT, RUN = "BenchmarkProtocol", "ExecutionEnvironment", "BenchmarkRun"

# sentence: (kind, where it is spoilt, with what, code, where it is reported if elsewhere)
BROKEN: dict[str, tuple[Any, ...]] = {
    # envelope
    "the kind is missing": (RUN, "kind", GONE, "field-missing"),
    "the kind is unknown": (RUN, "kind", "BenchmarkRuns", "kind-unknown"),
    "the kind is no text": (RUN, "kind", 7, "kind-unknown"),
    "the format version is another": (RUN, "apiVersion", "kernelindex.dev/v1", "not-a-choice"),
    "the format version is missing": (RUN, "apiVersion", GONE, "field-missing"),
    "a key beside the envelope": (RUN, "status", "passed", "field-unknown"),
    "the metadata are missing": (RUN, "metadata", GONE, "field-missing"),
    "the spec is a list": (RUN, "spec", [], "wrong-type"),
    # metadata
    "a document without a name": (RUN, "metadata/name", GONE, "field-missing"),
    "a name with a capital": (RUN, "metadata/name", "Run", "not-a-name"),
    "a name that starts with a dot": (RUN, "metadata/name", ".run", "not-a-name"),
    "an empty name": (RUN, "metadata/name", "", "not-a-name"),
    "a name of 201 characters": (RUN, "metadata/name", "a" * 201, "text-too-long"),
    "a name that ends in a line break": (RUN, "metadata/name", "run\n", "not-a-name"),
    "a title of 201 characters": (RUN, "metadata/title", "ä" * 201, "text-too-long"),
    "a description of 2,001 characters": (RUN, "metadata/description", "x" * 2001, "text-too-long"),
    "a label that is a number": (RUN, "metadata/labels/worker", 5, "wrong-type"),
    "a label of 201 characters": (RUN, "metadata/labels/worker", "x" * 201, "text-too-long"),
    "a label's name with a blank": (RUN, "metadata/labels/big name", "x", "not-a-token"),
    "an author who is a text": (RUN, "metadata/authors/0", "Ada", "wrong-type"),
    "an author with a mail address": (RUN, "metadata/authors/0/email", "a@b.example", "field-unknown"),
    "an author whose account has 101 characters": (RUN, "metadata/authors/0/github", "x" * 101, "text-too-long"),
    "authors who are no list": (RUN, "metadata/authors", {"name": "Ada"}, "wrong-type"),
    "a source over http": (RUN, "metadata/sourceRefs/0/url", "http://board.example", "not-an-address"),
    "a source that is a script": (RUN, "metadata/sourceRefs/0/url", "javascript:alert(1)", "not-an-address"),
    "a source with a quote": (RUN, "metadata/sourceRefs/0/url", 'https://a.example/"x', "not-an-address"),
    "a source without a host": (RUN, "metadata/sourceRefs/0/url", "https:///x", "not-an-address"),
    "a source with a line break": (RUN, "metadata/sourceRefs/0/url", "https://a.example/\nx", "not-an-address"),
    "a source of 2,001 characters": (RUN, "metadata/sourceRefs/0/url", "https://a/" + "x" * 1991, "text-too-long"),
    "a key in need of escaping": (RUN, "metadata/a~1b~0c", 1, "field-unknown"),
    # operation
    "a family with an underscore": (OPERATION, "spec/family", "gqa_paged", "not-a-slug"),
    "a family of 101 characters": (OPERATION, "spec/family", "a" * 101, "text-too-long"),
    "an axis with a capital": (OPERATION, "spec/axes/Batch", {"role": "variable", "type": "integer"}, "not-a-token"),
    "an axis of an unknown role": (OPERATION, "spec/axes/batch/role", "free", "not-a-choice"),
    "an axis of another type": (OPERATION, "spec/axes/batch/type", "float", "not-a-choice"),
    "a constant axis without its value": (
        OPERATION, "spec/axes/heads/value", GONE, "axis-without-value", "spec/axes/heads"),
    "a derived axis without its expression": (
        OPERATION, "spec/axes/width/expression", GONE, "axis-without-expression", "spec/axes/width"),
    "an axis value with a fraction": (OPERATION, "spec/axes/heads/value", 8.5, "wrong-type"),
    "an axis value that is a whole float": (OPERATION, "spec/axes/heads/value", 8.0, "wrong-type"),
    "an axis value that is true": (OPERATION, "spec/axes/heads/value", True, "wrong-type"),
    "an axis value beyond 2^53": (OPERATION, "spec/axes/heads/value", 2**53, "out-of-range"),
    "an expression with a power": (OPERATION, "spec/axes/width/expression", "batch ^ 2", "not-an-expression"),
    "an expression in capitals": (OPERATION, "spec/axes/width/expression", "BATCH", "not-an-expression"),
    "an expression of 201 characters": (OPERATION, "spec/axes/width/expression", "a" * 201, "text-too-long"),
    "an operation without inputs": (OPERATION, "spec/inputs", [], "list-too-short"),
    "an operation without outputs": (OPERATION, "spec/outputs", GONE, "field-missing"),
    "an argument that is neither": (OPERATION, "spec/inputs/1/scalar", GONE, "tensor-or-scalar", "spec/inputs/1"),
    "an argument that is both": (
        OPERATION, "spec/inputs/0/scalar", {"dtype": "fp32"}, "tensor-or-scalar", "spec/inputs/0"),
    "a tensor of no dimension": (OPERATION, "spec/inputs/0/tensor/shape", [], "list-too-short"),
    "a negative dimension": (OPERATION, "spec/inputs/0/tensor/shape/1", -1, "out-of-range"),
    "a dimension that is true": (OPERATION, "spec/inputs/0/tensor/shape/1", True, "not-a-dimension"),
    "a dimension with a fraction": (OPERATION, "spec/inputs/0/tensor/shape/1", 1.5, "not-a-dimension"),
    "a dimension that is no axis name": (OPERATION, "spec/inputs/0/tensor/shape/0", "8", "not-a-token"),
    "an unknown layout": (OPERATION, "spec/inputs/0/tensor/layout", "tiled", "not-a-choice"),
    "an unknown mutation": (OPERATION, "spec/semantics/mutation", "maybe", "not-a-choice"),
    "determinism that is true": (OPERATION, "spec/semantics/determinism", True, "not-a-choice"),
    "an artifact without a digest": (OPERATION, "spec/reference/artifact/digest", GONE, "field-missing"),
    # workloads
    "a digest in capitals": (SUITE, "spec/operationSpecDigest", "sha256:" + "A" * 64, "not-a-digest"),
    "a digest without its prefix": (SUITE, "spec/operationSpecDigest", "a" * 64, "not-a-digest"),
    "a digest that is a digit short": (SUITE, "spec/operationSpecDigest", "sha256:" + "a" * 63, "not-a-digest"),
    "a digest and a line break": (SUITE, "spec/operationSpecDigest", "sha256:" + "a" * 64 + "\n", "not-a-digest"),
    "a suite without cases": (SUITE, "spec/cases", [], "list-too-short"),
    "a case without a name": (SUITE, "spec/cases/1/externalId", GONE, "field-missing"),
    "a case whose axis is null": (SUITE, "spec/cases/1/axes/batch", None, "wrong-type"),
    "a suite's rule of 501 characters": (SUITE, "spec/correctness/description", "x" * 501, "text-too-long"),
    "a suite that aggregates by nothing": (SUITE, "spec/aggregation/statistic", GONE, "field-missing"),
    "a bound tensor with a named dimension": (CASE, "spec/tensors/q/shape/0", "batch", "wrong-type"),
    "an alignment of nothing": (CASE, "spec/tensors/q/alignmentBytes", 0, "out-of-range"),
    "a negative seed": (CASE, "spec/tensors/q/data/seed", -1, "out-of-range"),
    "a parameter that is infinite": (CASE, "spec/tensors/q/data/parameters/mean", float("inf"), "not-finite"),
    "a scalar that is no number": (CASE, "spec/scalars/scale/value", "0.1", "wrong-type"),
    "a scalar beyond 2^53": (CASE, "spec/scalars/scale/value", 2**53 + 1, "json-integer-range"),
    "a negative tolerance": (CASE, "spec/correctness/maxAbsoluteError", -0.1, "out-of-range"),
    "a ratio above one": (CASE, "spec/correctness/requiredMatchedRatio", 1.01, "out-of-range"),
    "an unknown policy for NaN": (CASE, "spec/correctness/nanPolicy", "allow", "not-a-choice"),
    # project and implementation
    "a project without a name": (PROJECT, "spec/name", GONE, "field-missing"),
    "a project's name with NUL": (PROJECT, "spec/name", "a\0b", "json-nul"),
    "a project's name with half a character": (PROJECT, "spec/name", "a\ud800", "not-unicode"),
    "a project of an unknown sort": (PROJECT, "spec/kind", "team", "not-a-choice"),
    "a project at an unknown service": (PROJECT, "spec/host/kind", "GitHub", "not-a-choice"),
    "a homepage with a blank": (PROJECT, "spec/homepage", "https://ada.example/a b", "not-an-address"),
    "a short commit": (IMPLEMENTATION, "spec/projectRevision/commit", "abc1234", "not-a-commit"),
    "a version of 101 characters": (IMPLEMENTATION, "spec/projectRevision/version", "1" * 101, "text-too-long"),
    "an implementation in a language with a plus": (IMPLEMENTATION, "spec/callable/language", "c++", "not-a-token"),
    "support without architectures": (IMPLEMENTATION, "spec/support/hardwareArchitectures", GONE, "field-missing"),
    "a set that is an object": (IMPLEMENTATION, "spec/support/dtypes", {"bf16": 1}, "wrong-type"),
    "a layout of 51 characters": (IMPLEMENTATION, "spec/support/layouts/0", "x" * 51, "text-too-long"),
    "a product of 101 characters": (IMPLEMENTATION, "spec/support/productsTested/0", "x" * 101, "text-too-long"),
    "licensing that is missing": (IMPLEMENTATION, "spec/licensing", GONE, "field-missing"),
    "a file of negative size": (IMPLEMENTATION, "spec/source/sizeBytes", -1, "out-of-range"),
    "an unknown way of installing": (IMPLEMENTATION, "spec/buildVariants/0/install/kind", "npm", "not-a-choice"),
    "a command of 1,001 characters": (
        IMPLEMENTATION, "spec/buildVariants/0/install/command", "x" * 1001, "text-too-long"),
    # protocol and environment
    "a harness without a name": (PROTOCOL, "spec/harness/name", GONE, "field-missing"),
    "a timer that is not stated": (PROTOCOL, "spec/measurement/timer", GONE, "field-missing"),
    "a flag that is a number": (PROTOCOL, "spec/measurement/compileIncluded", 1, "wrong-type"),
    "a duration with its unit": (PROTOCOL, "spec/measurement/warmupDuration", "1.5 ms", "wrong-type"),
    "no measured iteration": (PROTOCOL, "spec/measurement/measuredIterations", 0, "out-of-range"),
    "a power limit of nothing": (PROTOCOL, "spec/devicePolicy/powerLimitWatts", 0, "out-of-range"),
    "notes of 1,001 characters": (PROTOCOL, "spec/comparability/notes", "x" * 1001, "text-too-long"),
    "an environment without a product": (ENVIRONMENT, "spec/hardware/product", GONE, "field-missing"),
    "a vendor in capitals": (ENVIRONMENT, "spec/hardware/vendor", "NVIDIA", "not-a-token"),
    "an environment without software": (ENVIRONMENT, "spec/software", GONE, "field-missing"),
    "a framework without a version": (ENVIRONMENT, "spec/software/framework/version", GONE, "field-missing"),
    "a library named with a dash": (ENVIRONMENT, "spec/software/libraries/a-b", "1", "not-a-token"),
    "an environment variable of 501 characters": (
        ENVIRONMENT, "spec/settings/environmentVariables/A", "x" * 501, "text-too-long"),
    # run
    "a status of no run": (RUN, "spec/status", "failed", "not-a-choice"),
    "an instant without a fraction": (RUN, "spec/observedAt", "2026-04-14T23:38:30Z", "not-an-instant"),
    "an instant in microseconds": (RUN, "spec/observedAt", "2026-04-14T23:38:30.072000Z", "not-an-instant"),
    "an instant with an offset": (RUN, "spec/observedAt", "2026-04-14T23:38:30.072+00:00", "not-an-instant"),
    "an instant in the 25th hour": (RUN, "spec/observedAt", "2026-04-14T24:00:00.000Z", "not-an-instant"),
    "an instant in the year nought": (RUN, "spec/observedAt", "0000-01-01T00:00:00.000Z", "date-impossible"),
    "an instant on the 30th of February": (RUN, "spec/observedAt", "2026-02-30T00:00:00.000Z", "date-impossible"),
    "an instant in foreign digits": (RUN, "spec/observedAt", "２０２６-04-14T23:38:30.072Z", "not-an-instant"),
    "an instant that is a number": (RUN, "spec/observedAt", 1776209910, "wrong-type"),
    "timing without mean and median": (
        RUN, "spec/timing/latencyNs", {"p95": 1}, "timing-without-mean-or-median"),
    "a latency with a fraction": (RUN, "spec/timing/latencyNs/mean", 530092.5, "wrong-type"),
    "a negative latency": (RUN, "spec/timing/latencyNs/mean", -1, "out-of-range"),
    "an interval of one bound": (RUN, "spec/timing/latencyNs/confidence95", [1], "list-too-short"),
    "an interval of three bounds": (RUN, "spec/timing/latencyNs/confidence95", [1, 2, 3], "list-too-long"),
    "no sample": (RUN, "spec/timing/samples", 0, "out-of-range"),
    "a measurement without a unit": (RUN, "spec/measurements/0/unit", GONE, "field-missing"),
    "a unit with a slash": (RUN, "spec/measurements/0/unit", "tokens/s", "not-a-token"),
    "a value that is not a number": (RUN, "spec/measurements/0/value", float("nan"), "not-finite"),
    "a value that is null": (RUN, "spec/measurements/0/value", None, "wrong-type"),
    "a source with a capital": (RUN, "spec/sourceNative/source", "Example", "not-a-slug"),
    "a source's figure that is a text": (RUN, "spec/sourceNative/metrics/sol_score", "0.5", "wrong-type"),
    "a matched ratio below nought": (RUN, "spec/correctness/matchedRatio", -0.01, "out-of-range"),
    "a log of 2,001 characters": (RUN, "spec/evidence/logs/uri", "x" * 2001, "text-too-long"),
    "evidence of an unknown sort": (RUN, "spec/evidence/video", {}, "field-unknown"),
}  # fmt: skip


def spoil(value: Any, place: str, new: object) -> None:
    *parents, last = [key.replace("~1", "/").replace("~0", "~") for key in place.split("/")]
    for key in parents:
        value = value[int(key)] if isinstance(value, list) else value[key]
    key = int(last) if isinstance(value, list) else last
    if new is GONE:
        del value[key]
    else:
        value[key] = new


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_broken_document_is_refused_with_code_and_place(sentence: str, document: Callable[[str], Any]) -> None:
    kind, place, new, code, *elsewhere = BROKEN[sentence]
    value = document(kind)
    spoil(value, place, new)
    with pytest.raises(ManifestError) as caught:
        parse(value, "dump.json")
    pointer = "/" + (elsewhere[0] if elsewhere else place)
    assert (caught.value.code, caught.value.at) == (code, f"dump.json#{pointer}")
    assert caught.value.problem
    assert "pydantic" not in str(caught.value)


def test_hints_say_what_to_write_instead(document: Callable[[str], Any]) -> None:
    value = document(RUN)
    value["spec"]["observedAt"] = "2026-04-14T23:38:30Z"
    with pytest.raises(ManifestError) as caught:
        parse(value)
    assert "2026-04-14T23:38:30.000Z" in caught.value.hint

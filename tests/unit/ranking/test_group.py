"""The comparison key and the primary measurement."""

import hashlib

import pytest

from leaderpress.canonical import digest_of
from leaderpress.ranking.group import GroupKey, Primary, correctness_digest, metric_key, primary

PARTS = {name: f"sha256:{digit * 64}" for name, digit in
         zip(("operation", "workload", "protocol", "environment", "correctness"), "abcde", strict=True)}  # fmt: skip


def test_the_key_is_the_sha256_of_the_canonical_parts() -> None:
    key = GroupKey(**PARTS, metric="latency:mean:ns")
    text = (
        '{"correctness":"sha256:' + "e" * 64 + '","environment":"sha256:' + "d" * 64 + '","metric":"latency:mean:ns",'
        '"operation":"sha256:' + "a" * 64 + '","protocol":"sha256:' + "c" * 64 + '","v":1,'
        '"workload":"sha256:' + "b" * 64 + '"}'
    )
    assert key.body() == text.encode()
    assert key.digest() == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("part", [*PARTS, "metric"])
def test_every_part_separates_groups(part: str) -> None:
    whole = {**PARTS, "metric": "latency:mean:ns"}
    assert GroupKey(**whole).digest() != GroupKey(**{**whole, part: "other"}).digest()


def test_siblings_differ_in_the_metric_only() -> None:
    passed, failed = GroupKey(**PARTS, metric="latency:mean:ns"), GroupKey(**PARTS, metric="none")
    assert passed.siblings() == failed.siblings()
    assert passed.digest() != failed.digest()
    assert GroupKey(**{**PARTS, "protocol": "other"}, metric="none").siblings() != failed.siblings()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"timing": {"primaryStatistic": "mean", "latencyNs": {"mean": 530092, "median": 1}}},
            Primary("latency", "mean", "ns", 530092),
        ),
        (
            {"timing": {"primaryStatistic": "p95", "latencyNs": {"mean": 5}}},
            Primary("latency", "p95", "ns", None),
        ),
        (
            {
                "measurements": [
                    {"metric": "score", "statistic": "geomean", "unit": "s", "value": 1e-05},
                    {"metric": "x"},
                ]
            },
            Primary("score", "geomean", "s", 1e-05),
        ),
        (
            {
                "timing": {"primaryStatistic": "median", "latencyNs": {"median": 7}},
                "measurements": [{"metric": "score", "statistic": "mean", "unit": "s", "value": 2}],
            },
            Primary("latency", "median", "ns", 7),
        ),
        ({"status": "compile_error"}, None),
        ({"measurements": []}, None),
    ],
    ids=[
        "timing",
        "no fallback to another statistic",
        "first measurement",
        "timing before measurements",
        "none",
        "empty",
    ],
)
def test_the_primary_measurement(spec: dict[str, object], expected: Primary | None) -> None:
    assert primary(spec) == expected


def test_the_metric_part_of_the_key() -> None:
    assert metric_key(Primary("latency", "mean", "ns", 1)) == "latency:mean:ns"
    assert metric_key(None) == "none"


def test_the_correctness_part_covers_the_rule_alone() -> None:
    rule = {"comparator": "exact"}
    assert correctness_digest({"correctness": rule, "cases": []}) == digest_of({"correctness": rule})

"""What is kept of an export's rows comes back as it was put in, in memory or packed."""

import pytest

from leaderpress.ingesters import packed
from leaderpress.ingesters.kernelindex_parts import Artifacts, Parts
from leaderpress.ingesters.kernelindex_taken import Implementation, Run, Taken, Workload


@pytest.fixture(params=[1, 1 << 14], autouse=True)
def recent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything packed at once, and nothing."""
    monkeypatch.setattr(packed, "RECENT", request.param)


def test_a_part_has_a_place_and_the_sources_that_ran_it_whichever_came_first() -> None:
    parts = Parts()
    parts.run("w", "s1")
    parts.place("w", "op", None)
    parts.place("i", "op", "project")
    parts.place("i", "other op", "other project")
    parts.run("i", "s1")
    parts.run("i", "s2")
    parts.run("unplaced", "s3")
    assert (parts.sources("w"), parts.sources("i"), parts.sources("x")) == ({"s1"}, {"s1", "s2"}, set())
    assert sorted(parts.placed(), key=str) == [("op", "project", {"s1", "s2"}), ("op", None, {"s1"})]


def test_of_artifacts_with_one_digest_the_first_counts_and_one_that_cannot_be_written_is_left_out() -> None:
    artifacts = Artifacts()
    entries = {f"sha256:{n}": {"digest": f"sha256:{n}", "sizeBytes": n, "uri": "é" * n} for n in range(5)}
    for digest, entry in entries.items():
        artifacts.add(digest, entry)
        artifacts.add(digest, {"digest": "another"})
    deep: list[object] = []
    for _ in range(300):
        deep = [deep]
    artifacts.add("deep", {"digest": "deep", "uri": deep})
    assert {digest: artifacts.get(digest) for digest in entries} == entries
    assert (artifacts.get("deep"), artifacts.get("unknown")) == (None, None)


def test_rows_come_back_as_they_were_taken() -> None:
    digests = [f"sha256:{number:064x}" for number in range(4)]
    workloads, implementations, runs = Taken(Workload), Taken(Implementation), Taken(Run)
    for number, digest in enumerate(digests):
        workloads[f"w{number}"] = Workload(digest, digests[number % 2], digests[0])
        implementations[f"i{number}"] = Implementation(digest, digests[number % 2])
        runs[f"r{number}"] = Run(digest)
    assert workloads.get("w3") == (digests[3], digests[1], digests[0])
    assert implementations.get("i2") == (digests[2], digests[0])
    assert runs.get("r1") == (digests[1],)
    assert (workloads.get("i1"), runs.get("r9")) == (None, None)

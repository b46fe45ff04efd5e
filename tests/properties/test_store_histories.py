"""Random histories of ingests: what the store may never lose, repeat or change, whatever is stated in which order."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderpress import store
from leaderpress.canonical import canonical, sha256
from leaderpress.ingest.settle import Settlement
from leaderpress.manifests import API_VERSION, Manifest, seal

Line = dict[str, Any]

NAMES = ("GEMM", "gemm", "Gemm!", "index", "42", "", "我爱拆拆", "🦀", "～", "gemm-x", "con")


@dataclass(frozen=True)
class Told:
    """One thing that a dump says: a run of an operation, with what may vary from dump to dump."""

    operation: int
    title: int
    name: str
    tags: frozenset[str]
    source: str
    key: int
    value: int
    product: str


TOLD = st.builds(
    Told,
    operation=st.integers(0, 3),
    title=st.integers(0, 2),
    name=st.sampled_from(NAMES),
    tags=st.frozensets(st.sampled_from("abc")),
    source=st.sampled_from(("red", "blue")),
    key=st.integers(0, 2),
    value=st.integers(0, 2),
    product=st.sampled_from(("Abacus", "abacus", "Abacus 2")),
)
HISTORIES = st.lists(st.lists(TOLD, max_size=6), min_size=1, max_size=6)


def sealed(kind: str, spec: Line, title: int = 0) -> Manifest:
    return seal(
        {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": "x", "title": f"t{title}"}, "spec": spec}
    )


def statements(told: Told) -> list[tuple[Manifest, Line]]:
    operation = sealed("OperationSpec", {"family": f"f{told.operation}"}, told.title)
    project = sealed("SoftwareProject", {"name": told.name})
    owner = {"operationSpecDigest": operation.digest}
    suite = sealed("WorkloadSuite", owner)
    subject = sealed("ImplementationRevision", {"operation": {"specDigest": operation.digest}, "key": told.key})
    protocol = sealed("BenchmarkProtocol", {})
    environment = sealed("ExecutionEnvironment", {"hardware": {"product": told.product}})
    run = sealed(
        "BenchmarkRun",
        {
            "implementationDigest": subject.digest,
            "workloadDigest": suite.digest,
            "protocolDigest": protocol.digest,
            "environmentDigest": environment.digest,
            "source": told.source,
            "value": told.value,
        },
    )
    tags = {"tags": sorted(told.tags)} if told.tags else {}
    stated: list[tuple[Manifest, Line]] = [
        (operation, {"name": told.name, **tags}),
        (suite, {}),
        (project, {"name": told.name}),
        (subject, {"project": project.digest}),
        (protocol, {}),
        (environment, {}),
        (run, {"upstreamKey": f"key-{told.key}", "externalId": f"{told.key}"}),
    ]
    return [(manifest, {**_base(manifest, told.source), **extra}) for manifest, extra in stated]


def _base(manifest: Manifest, source: str) -> Line:
    digests = {"digest": manifest.digest, "documentDigest": manifest.document_digest}
    return {"kind": manifest.kind, "source": source, **digests}


def ingest(root: Path, dump: Iterable[Told], number: int) -> tuple[store.Folder, set[str]]:
    """One ingest; returns its folder and the digests that were refused."""
    with store.exclusive(root):
        held = store.folders(root)
        with Settlement(held) as settlement, store.Draft(root) as draft:
            for told in dump:
                for manifest, line in statements(told):
                    settlement.state(manifest, line, f"{number}")
                settlement.fact(statements(told)[0][0].digest, told.source, "value", told.value)
            settlement.write(draft, store.Journal(draft, held, "2026-01-01"))
            settlement.write_facts(draft)
            digest = sha256(str(len(held)).encode())
            snapshot = {"dump": digest, "source": "red", "files": draft.files()}
            previous = {"previous": held[-1].snapshot_digest} if held else {}
            name = store.folder_name(len(held) + 1, "red", digest)
            draft.publish(name, store.snapshot_bytes({**snapshot, **previous}))
        refused = {refusal.detail.split()[1].rstrip(":") for refusal in settlement.refusals}
    return store.folders(root)[-1], refused


def says(line: Line, stated: Line) -> bool:
    return all(line.get(name) == value for name, value in stated.items())


@pytest.mark.slow
@settings(max_examples=120, deadline=None, derandomize=True)
@given(HISTORIES)
def test_no_history_loses_repeats_or_changes_anything(history: list[list[Told]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        documents: dict[str, bytes] = {}
        lines: list[Line] = []
        given_before: dict[tuple[str, str], str] = {}
        for number, dump in enumerate(history):
            folder, refused = ingest(root, dump, number)
            for _, _, text in folder.manifests():
                assert sha256(text) not in documents, "a document is written once"
                documents[sha256(text)] = text
            lines += folder.provenance()
            stated = [pair for told in dump for pair in statements(told) if pair[0].digest not in refused]
            _nothing_is_lost(stated, documents, lines)
            _keys_lead_to_what_was_said_last(stated, lines)
            slugs = _slugs(lines)
            assert given_before.items() <= slugs.items(), "a slug never changes"
            assert len({(kind, slug) for (kind, _), slug in slugs.items()}) == len(slugs), "nor is it shared"
            given_before = slugs


def _nothing_is_lost(stated: list[tuple[Manifest, Line]], documents: dict[str, bytes], lines: list[Line]) -> None:
    newest = {(line["digest"], line["source"]): line for line in lines}
    for manifest, line in stated:
        assert documents[manifest.document_digest] == manifest.document
        assert any(says(older, line) for older in lines), "what was stated stands somewhere"
        shown = newest[line["digest"], line["source"]]
        same = [other for _, other in stated if (other["digest"], other["source"]) == (line["digest"], line["source"])]
        assert any(says(shown, other) for other in same), "what was stated last is what this dump says"


def _keys_lead_to_what_was_said_last(stated: list[tuple[Manifest, Line]], lines: list[Line]) -> None:
    holders = {(line["source"], line["upstreamKey"]): line["digest"] for line in lines if "upstreamKey" in line}
    for _, line in stated:
        if "upstreamKey" in line:
            assert holders[line["source"], line["upstreamKey"]] == line["digest"]


def _slugs(lines: list[Line]) -> dict[tuple[str, str], str]:
    slugs: dict[tuple[str, str], str] = {}
    for line in lines:
        if "slug" in line:
            owner = line["name"] if line["kind"] == "ExecutionEnvironment" else line["digest"]
            assert slugs.setdefault((line["kind"], owner), line["slug"]) == line["slug"]
    return slugs


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(HISTORIES, st.randoms(use_true_random=False))
def test_the_same_dumps_give_the_same_bytes_in_any_order_of_their_statements(
    history: list[list[Told]], chance: Any
) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        for number, dump in enumerate(history):
            ingest(Path(one), dump, number)
            ingest(Path(other), chance.sample(dump, len(dump)), number)
        assert _tree(Path(one)) == _tree(Path(other))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(HISTORIES)
def test_a_dump_repeated_at_once_has_nothing_to_add(history: list[list[Told]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        for number, dump in enumerate(history):
            ingest(Path(name), dump, number)
        again, _ = ingest(Path(name), history[-1], len(history))
        sizes = {name: file["bytes"] for name, file in again.snapshot["files"].items()}
        del sizes["log.txt"]
        assert sizes == {
            "manifests.jsonl": 0,
            "provenance.jsonl": 0,
            "facts.jsonl": 0,
        }


def _tree(root: Path) -> dict[str, bytes]:
    for folder in store.folders(root):
        store.verify(folder)
        assert all(canonical(line) for line in folder.provenance())
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

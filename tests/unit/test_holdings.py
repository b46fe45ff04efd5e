"""Of a store an ingest takes in what its dump asks for, and every slug; whatever else a line may hold."""

from pathlib import Path
from typing import Any

import pytest

from leaderpress import store
from leaderpress.canonical import canonical, sha256
from leaderpress.errors import ContentError
from leaderpress.ingest.holdings import Holdings

Line = dict[str, Any]

A, B, C = (sha256(text) for text in (b"a", b"b", b"c"))
TRICKY = 'submission/"1","upstreamKey":"2"\\é🦀\n'


def line(digest: str, kind: str = "BenchmarkRun", **more: Any) -> Line:
    return {"digest": digest, "documentDigest": sha256(digest.encode()), "kind": kind, "source": "board", **more}


def publish(root: Path, *lines: bytes) -> None:
    with store.exclusive(root), store.Draft(root) as draft:
        held = store.folders(root)
        for text in lines:
            draft.provenance(text)
        previous = {"previous": held[-1].snapshot_digest} if held else {}
        snapshot = {"dump": sha256(b"".join(lines)), "source": "board", "files": draft.files(), **previous}
        name = store.folder_name(len(held) + 1, "board", snapshot["dump"])
        draft.publish(name, store.snapshot_bytes(snapshot))


def told(root: Path, *digests: str, keys: tuple[str, ...] = ()) -> list[tuple[int, int, str, bool, bytes]]:
    holdings = Holdings(store.folders(root))
    holdings.ask(*digests, None)
    for key in keys:
        holdings.ask_key(canonical(["board", key]))
    return [(h.folder.number, h.position, h.line["digest"], h.is_asked, h.key) for h in holdings]


def test_lines_that_were_not_asked_for_are_passed_over(tmp_path: Path) -> None:
    publish(tmp_path, *map(canonical, (line(A), line(B, upstreamKey="1"), line(C))))
    publish(tmp_path, canonical(line(A, tags=["x"])))
    assert told(tmp_path) == []
    assert told(tmp_path, A) == [(1, 1, A, True, b""), (2, 1, A, True, b"")]
    assert told(tmp_path, sha256(b"d")) == []


def test_a_line_with_a_slug_is_always_taken_in(tmp_path: Path) -> None:
    publish(tmp_path, canonical(line(A, "OperationSpec", slug="gemm")), canonical(line(B)))
    assert told(tmp_path) == [(1, 1, A, False, b"")]


@pytest.mark.parametrize("key", ["1", "", TRICKY, "a,b", "}"])
@pytest.mark.parametrize("more", [{}, {"tags": ["x", '"y"']}, {"upstreamPublishedAt": "2026-01-01T00:00:00.000Z"}])
def test_a_key_is_found_in_whatever_spelling_it_has(tmp_path: Path, key: str, more: Line) -> None:
    publish(tmp_path, canonical(line(A, upstreamKey=key, **more)), canonical(line(B, upstreamKey="other", **more)))
    assert told(tmp_path, keys=(key,)) == [(1, 1, A, False, canonical(["board", key]))]
    assert told(tmp_path, keys=("another",)) == []


def test_members_of_artifacts_are_not_taken_for_those_of_the_line(tmp_path: Path) -> None:
    artifact = {"digest": B, "documentDigest": C, "source": "board", "upstreamKey": "1", "zz": 1}
    publish(tmp_path, canonical(line(A, artifacts=[artifact], aliases=[B])))
    assert told(tmp_path, B, C, keys=("1",)) == []
    assert told(tmp_path, A, keys=("1",)) == [(1, 1, A, True, b"")]


def test_nothing_is_remembered_for_an_empty_store(tmp_path: Path) -> None:
    assert told(tmp_path, A, keys=("1",)) == []


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    publish(tmp_path, canonical(line(A))[:-1])
    with pytest.raises(ContentError) as caught:
        told(tmp_path, A)
    assert (caught.value.code, caught.value.at.rpartition("/")[2]) == ("record-damaged", "provenance.jsonl:1")

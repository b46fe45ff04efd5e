"""Folders of records: written in one step, read line by line, and never changed without being found out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderpress import store
from leaderpress.canonical import canonical, sha256
from leaderpress.errors import ContentError, Problems
from leaderpress.store import draft as draft_module

DUMP = "sha256:" + "0123456789abcdef" * 4


def publish(root: Path, source: str = "board", documents: tuple[bytes, ...] = (b'{"a":1}', b'{"b":2}')) -> store.Folder:
    with store.exclusive(root):
        held = store.folders(root)
        with store.Draft(root) as draft:
            for position, document in enumerate(documents):
                draft.manifest(document)
                draft.provenance(canonical({"digest": sha256(document), "position": position}))
            draft.fact(b'{"about":"x","value":1}')
            snapshot: dict[str, Any] = {"dump": DUMP, "source": source, "files": draft.files()}
            if held:
                snapshot["previous"] = held[-1].snapshot_digest
            name = store.folder_name(len(held) + 1, source, DUMP)
            draft.publish(name, store.snapshot_bytes(snapshot))
    return store.folders(root)[-1]


def everything_below(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_a_site_without_records_has_no_folder(tmp_path: Path) -> None:
    assert store.folders(tmp_path) == []


def test_a_folder_is_named_by_number_source_and_dump(tmp_path: Path) -> None:
    assert publish(tmp_path).name == "000001-board-01234567"
    second = publish(tmp_path, "other-board")
    assert (second.number, second.source, second.name) == (2, "other-board", "000002-other-board-01234567")
    assert second.at("facts.jsonl") == "content/records/000002-other-board-01234567/facts.jsonl"
    assert [folder.number for folder in store.folders(tmp_path)] == [1, 2]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    store.verify(folder)
    assert list(folder.manifests()) == [("manifests.jsonl", 0, b'{"a":1}'), ("manifests.jsonl", 8, b'{"b":2}')]
    assert [line["position"] for line in folder.provenance()] == [0, 1]
    assert list(folder.facts()) == [{"about": "x", "value": 1}]
    assert everything_below(folder.path) == ["facts.jsonl", "manifests.jsonl", "provenance.jsonl", "snapshot.json"]


def test_a_manifest_file_rolls_over_before_it_passes_eight_mebibytes(tmp_path: Path) -> None:
    documents = tuple(canonical({"n": n, "text": "x" * 1_000_000}) for n in range(20))
    folder = publish(tmp_path, documents=documents)
    store.verify(folder)
    sizes = {name: (folder.path / name).stat().st_size for name in folder.snapshot["files"] if "manifests" in name}
    assert list(sizes) == sorted(sizes) == ["manifests-2.jsonl", "manifests-3.jsonl", "manifests.jsonl"]
    assert max(sizes.values()) <= draft_module.ROLL_OVER
    assert [line for _, _, line in folder.manifests()] == list(documents)
    for name, offset, line in folder.manifests():
        assert (folder.path / name).read_bytes()[offset : offset + len(line) + 1] == line + b"\n"


def test_manifest_files_are_read_in_order_of_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_module, "ROLL_OVER", 10)
    documents = tuple(canonical({"n": n}) for n in range(10, 25))
    folder = publish(tmp_path, documents=documents)
    assert "manifests-12.jsonl" in folder.snapshot["files"]
    assert [line for _, _, line in folder.manifests()] == list(documents)


def test_a_document_larger_than_a_file_gets_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_module, "ROLL_OVER", 20)
    documents = (canonical({"n": "x" * 50}), b'{"n":1}', b'{"n":2}')
    names = [name for name, _, _ in publish(tmp_path, documents=documents).manifests()]
    assert names == ["manifests.jsonl", "manifests-2.jsonl", "manifests-2.jsonl"]


def test_a_draft_without_a_site_writes_nothing_and_measures_the_same(tmp_path: Path) -> None:
    wanted = publish(tmp_path).snapshot["files"]
    with store.Draft(None) as draft:
        for position, document in enumerate((b'{"a":1}', b'{"b":2}')):
            draft.manifest(document)
            draft.provenance(canonical({"digest": sha256(document), "position": position}))
        draft.fact(b'{"about":"x","value":1}')
        assert draft.files() == wanted
        draft.publish("000002-board-01234567", b"{}\n")
    assert len(store.folders(tmp_path)) == 1


def test_what_is_not_published_leaves_nothing(tmp_path: Path) -> None:
    with store.exclusive(tmp_path), store.Draft(tmp_path) as draft:
        draft.manifest(b"{}")
        assert everything_below(tmp_path / "content/records") != []
    assert everything_below(tmp_path / "content/records") == []


def test_what_a_killed_ingest_left_is_swept_under_the_lock(tmp_path: Path) -> None:
    publish(tmp_path)
    left = tmp_path / "content/records/.incoming"
    left.mkdir()
    (left / "manifests.jsonl").write_bytes(b'{"half')
    assert len(store.folders(tmp_path)) == 1
    assert publish(tmp_path).number == 2
    assert not left.exists()


def test_a_second_writer_is_turned_away(tmp_path: Path) -> None:
    with store.exclusive(tmp_path):
        with pytest.raises(ContentError) as caught, store.exclusive(tmp_path):
            pass
        assert (caught.value.code, caught.value.at) == ("store-locked", "content/records")
    with store.exclusive(tmp_path):
        pass


def spoil(path: Path, how: str) -> None:
    if how == "delete":
        path.unlink()
    elif how == "append":
        with path.open("ab") as stream:
            stream.write(b"{}\n")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-1])
    elif how == "link":
        path.rename(path.with_name("elsewhere"))
        path.symlink_to("elsewhere")


@pytest.mark.parametrize("how", ["delete", "append", "cut"])
@pytest.mark.parametrize("name", ["manifests.jsonl", "provenance.jsonl", "facts.jsonl"])
def test_a_changed_file_is_named(tmp_path: Path, name: str, how: str) -> None:
    folder = publish(tmp_path)
    spoil(folder.path / name, how)
    with pytest.raises(ContentError) as caught:
        store.verify(folder)
    assert (caught.value.code, caught.value.at) == ("record-changed", folder.at(name))


def verify_all(root: Path) -> None:
    for folder in store.folders(root):
        store.verify(folder)


def test_every_single_changed_byte_is_found(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    for path in sorted(folder.path.iterdir()):
        whole = path.read_bytes()
        for position in range(len(whole)):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
            with pytest.raises(ContentError) as caught:
                verify_all(tmp_path)
            assert caught.value.at == folder.at(path.name), (position, str(caught.value))
        path.write_bytes(whole)
    store.verify(store.folders(tmp_path)[0])


def test_a_file_that_does_not_belong_to_the_folder_is_named(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    (folder.path / "notes.txt").write_text("mine")
    with pytest.raises(ContentError) as caught:
        store.verify(folder)
    assert caught.value.at == folder.at("notes.txt")


def test_a_link_in_place_of_a_file_is_a_change(tmp_path: Path) -> None:
    folder = publish(tmp_path)
    spoil(folder.path / "facts.jsonl", "link")
    with pytest.raises(Problems) as caught:
        store.verify(folder)
    assert [fault.at for fault in caught.value.problems] == [folder.at("elsewhere"), folder.at("facts.jsonl")]


def rewritten(folder: store.Folder, **changes: object) -> bytes:
    snapshot = {name: value for name, value in folder.snapshot.items() if name != "seal"}
    return store.snapshot_bytes({**snapshot, **changes})


def test_a_snapshot_rewritten_with_its_seal_is_found_by_the_next_one(tmp_path: Path) -> None:
    first = publish(tmp_path)
    publish(tmp_path)
    (first.path / "snapshot.json").write_bytes(rewritten(first, published_at="1999-01-01"))
    with pytest.raises(ContentError) as caught:
        store.folders(tmp_path)
    assert caught.value.at == first.at("snapshot.json")


def names_of_damage() -> Iterator[Any]:
    yield pytest.param(
        lambda place: (place / "000002-board-01234567").rename(place / "000003-board-01234567"), id="gap"
    )
    yield pytest.param(lambda place: (place / "000002-x-00000000").mkdir(), id="number twice")
    yield pytest.param(lambda place: (place / "drafts").mkdir(), id="foreign folder")
    yield pytest.param(lambda place: (place / "000003-board-00000000").mkdir(), id="no snapshot")
    yield pytest.param(lambda place: (place / "000001-board-01234567/snapshot.json").write_text("[]"), id="not ours")
    yield pytest.param(lambda place: (place / "000001-board-01234567/snapshot.json").write_text("{"), id="not JSON")
    yield pytest.param(
        lambda place: (place / "000002-board-01234567").rename(place / "000002-sole-01234567"), id="another name"
    )


@pytest.mark.parametrize("damage", list(names_of_damage()))
def test_a_damaged_order_of_publication_is_refused(tmp_path: Path, damage: Any) -> None:
    publish(tmp_path)
    publish(tmp_path)
    damage(tmp_path / "content/records")
    with pytest.raises(ContentError) as caught:
        store.folders(tmp_path)
    assert caught.value.at.startswith("content/records/")
    assert caught.value.hint


@pytest.mark.parametrize("text", [b'{"a":1}\n{"b', b'{"a":1}\n{"b":2}'])
def test_a_truncated_line_is_never_read_in_silence(tmp_path: Path, text: bytes) -> None:
    folder = publish(tmp_path)
    (folder.path / "provenance.jsonl").write_bytes(text)
    with pytest.raises(ContentError) as caught:
        list(folder.provenance())
    assert caught.value.at.startswith(folder.at("provenance.jsonl"))


def test_a_folder_that_cannot_be_written_is_one_of_our_errors(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content/records").write_text("a file in the way")
    with pytest.raises(ContentError) as caught, store.exclusive(tmp_path):
        pass
    assert (caught.value.code, caught.value.at) == ("store-write", "content/records")

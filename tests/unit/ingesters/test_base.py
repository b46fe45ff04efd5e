"""A dump is a set of files with stable names and a digest that `sha256sum` can recompute."""

import hashlib
import os
from pathlib import Path

import pytest

from leaderpress.errors import DumpError
from leaderpress.ingesters.base import open_dump


def _put(root: Path, name: str, data: bytes = b"{}") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_bytes(data)


def test_files_are_sorted_and_others_listed_as_ignored(tmp_path: Path) -> None:
    for name in ("b/2.json", "a.json", "b/1.jsonl", "b-1.json", "NOTES.md", "b/readme.txt"):
        _put(tmp_path, name)
    dump = open_dump([tmp_path], (".json", ".jsonl"))
    assert [file.path for file in dump.files] == ["a.json", "b-1.json", "b/1.jsonl", "b/2.json"]
    assert dump.ignored == ("NOTES.md", "b/readme.txt")


def test_the_digest_is_that_of_the_lines_of_sha256sum(tmp_path: Path) -> None:
    _put(tmp_path, "ü.json", b"one")
    _put(tmp_path, "a/b.json", b"two" * 700_000)
    dump = open_dump([tmp_path], (".json",))
    lines = "".join(
        f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n" for name in ("a/b.json", "ü.json")
    )
    assert dump.digest() == "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def test_a_single_file_is_called_by_its_name(tmp_path: Path) -> None:
    _put(tmp_path, "deep/down/x.json")
    assert [file.path for file in open_dump([tmp_path / "deep/down/x.json"], (".json",)).files] == ["x.json"]


def test_links_below_a_folder_are_not_followed(tmp_path: Path) -> None:
    _put(tmp_path, "outside/secret.json")
    _put(tmp_path, "dump/own.json")
    (tmp_path / "dump/link.json").symlink_to(tmp_path / "outside/secret.json")
    (tmp_path / "dump/folder").symlink_to(tmp_path / "outside")
    assert [file.path for file in open_dump([tmp_path / "dump"], (".json",)).files] == ["own.json"]


def test_a_path_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="no such file") as caught:
        open_dump([tmp_path / "nothing"], (".json",))
    assert caught.value.code == "dump-missing"


def test_a_dump_without_a_readable_file_is_an_error(tmp_path: Path) -> None:
    _put(tmp_path, "readme.md")
    with pytest.raises(DumpError) as caught:
        open_dump([tmp_path], (".json",))
    assert caught.value.code == "dump-empty"


def test_two_files_of_one_path_are_an_error(tmp_path: Path) -> None:
    _put(tmp_path, "one/x.json")
    _put(tmp_path, "two/x.json")
    with pytest.raises(DumpError) as caught:
        open_dump([tmp_path / "one", tmp_path / "two"], (".json",))
    assert caught.value.code == "dump-same-path"


@pytest.mark.parametrize("name", [b"line\nfeed.json", b"not-\xff-utf8.json"])
def test_a_name_that_no_line_can_hold_is_an_error(tmp_path: Path, name: bytes) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"{}")
    with pytest.raises(DumpError) as caught:
        open_dump([tmp_path], (".json",))
    assert caught.value.code == "dump-path"


def test_a_file_that_vanishes_is_our_error(tmp_path: Path) -> None:
    _put(tmp_path, "x.json")
    dump = open_dump([tmp_path], (".json",))
    (tmp_path / "x.json").unlink()
    with pytest.raises(DumpError) as caught:
        dump.digest()
    assert (caught.value.code, caught.value.at) == ("dump-unreadable", "x.json")

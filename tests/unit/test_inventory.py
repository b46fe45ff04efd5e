"""Paths, SHA256SUMS and inventory.json."""

import hashlib
import json
import subprocess

import pytest

from leaderpress.errors import BuildError
from leaderpress.inventory import (
    PathSet,
    Written,
    check_path,
    folders_of,
    inventory_bytes,
    is_permanent,
    parse_inventory,
    parse_sums,
    sums_bytes,
    sums_named_by,
)

GOOD = ["index.html", ".nojekyll", "_headers", "a/b/c.json", "CNAME.txt", "a" * 80, "-rf", "/".join(["ab"] * 67)[:200]]
BAD = [
    "",
    "/etc/passwd",
    "a//b",
    "a/",
    "../a",
    "a/../b",
    "a/..",
    "./a",
    "a/.",
    "a b",
    "ä",
    "a\n",
    "a\0b",
    "a\\b",
    "a" * 81,
    "/".join(["a" * 50] * 4),
    "C:x",
    "a/%2e%2e/b",
]


@pytest.mark.parametrize("path", GOOD)
def test_a_portable_path_is_taken(path):
    check_path(path)


@pytest.mark.parametrize("path", BAD)
def test_any_other_path_is_refused(path):
    with pytest.raises(BuildError) as caught:
        check_path(path)
    assert caught.value.code == "path-invalid"


CLASHES = [
    ("a/x.html", "a/x.html", "path-twice"),
    ("a/x.html", "a/X.html", "path-clash"),
    ("runs/x", "Runs/y", "path-clash"),
    ("Runs/x", "runs/y", "path-clash"),
    ("a", "a/b", "path-clash"),
    ("a/b", "a", "path-clash"),
    ("a/b/c", "a/B", "path-clash"),
    ("a/B", "a/b/c", "path-clash"),
]


@pytest.mark.parametrize(("first", "second", "code"), CLASHES)
def test_two_paths_that_some_host_takes_for_one_are_refused_with_both_names(first, second, code):
    paths = PathSet()
    paths.add(first)
    with pytest.raises(BuildError) as caught:
        paths.add(second)
    assert caught.value.code == code
    assert repr(second) in caught.value.problem
    assert repr(first) in caught.value.problem or "/".join(first.split("/")[:-1]) in caught.value.problem


def test_paths_that_only_share_folders_or_beginnings_do_not_clash():
    paths = PathSet()
    for path in ["a/b", "a/c", "a-b", "ab", "a/bc/d", "b/a"]:
        paths.add(path)


FILES = {
    name: Written(len(name), hashlib.sha256(name.encode()).hexdigest()) for name in ["b/x", "b-x", "B.txt", "a.html"]
}


def test_sums_are_sorted_by_bytes_and_read_back():
    text = sums_bytes(FILES)
    assert [line.split("  ")[1] for line in text.decode().splitlines()] == ["B.txt", "a.html", "b-x", "b/x"]
    assert parse_sums(text) == {path: file.sha256 for path, file in FILES.items()}


def test_sha256sum_itself_accepts_the_sums(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "SHA256SUMS").write_bytes(sums_bytes(FILES))
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "b-x").write_text("other")
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 1


HEX = "0" * 64
BAD_SUMS = [
    (f"{HEX}  a\nnonsense\n", "SHA256SUMS:2"),
    (f"{HEX} a\n", "SHA256SUMS:1"),
    (f"{HEX}  a", "SHA256SUMS:1"),
    (f"{HEX}  a\n{HEX}  ü\n", "SHA256SUMS:2"),
    (f"{HEX}  a\n{HEX}  a\n", "SHA256SUMS"),
    (f"{HEX}  ../a\n", "SHA256SUMS"),
    (f"{HEX}  inventory.json\n", "SHA256SUMS"),
    (f"\n{HEX}  a\n", "SHA256SUMS:1"),
]


@pytest.mark.parametrize(("text", "at"), BAD_SUMS)
def test_sums_that_are_not_ours_are_refused(text, at):
    with pytest.raises(BuildError) as caught:
        parse_sums(text.encode())
    assert (caught.value.code, caught.value.at) == ("sums-invalid", at)


def test_an_inventory_is_json_and_reads_back():
    sums = sums_bytes(FILES)
    data = inventory_bytes(FILES, sums, {"permalink_base": "https://example.org/é/", "versions": {"jinja2": "3"}})
    plain = json.loads(data)
    inventory = parse_inventory(data)
    assert plain["counts"] == {"files": 4, "bytes": sum(file.size for file in FILES.values())}
    assert plain["files"]["b/x"] == {"size": 3, "digest": "sha256:" + FILES["b/x"].sha256}
    assert inventory.files == FILES
    assert inventory.meta == {"permalink_base": "https://example.org/é/"}
    assert inventory.versions["jinja2"] == "3"
    assert "leaderpress" in inventory.versions
    assert inventory.sums == sums_named_by(data) == "sha256:" + hashlib.sha256(sums).hexdigest()


def test_an_empty_site_has_an_inventory_too():
    data = inventory_bytes({}, b"", {})
    assert parse_inventory(data).files == {}
    assert sums_named_by(data) == "sha256:" + hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"inventory":2}', b'{"inventory":1,"files":{"a":{}}}', b"\xff"])
def test_what_is_no_inventory_is_refused_with_our_error(data):
    for read in (parse_inventory, sums_named_by):
        with pytest.raises(BuildError) as caught:
            read(data)
        assert caught.value.code == "inventory-invalid"


def test_the_folders_of_paths():
    assert folders_of(["a/b/c", "a/d", "e"]) == {"a", "a/b"}


PERMANENT = {
    f"runs/{'a' * 64}/index.html": True,
    f"implementations/{'1' * 64}/index.html": True,
    f"subjects/{'a' * 64}/index.html": True,
    f"runs/{'a' * 64}/index.json": False,
    f"groups/{'a' * 64}/index.html": False,
    "implementations/index.html": False,
    "implementations/2/index.html": False,
}


@pytest.mark.parametrize("path", PERMANENT)
def test_the_pages_of_runs_and_implementations_are_permanent(path: str) -> None:
    assert is_permanent(path) is PERMANENT[path]

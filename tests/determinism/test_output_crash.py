"""Killed builds and readers during builds: the published site is one whole version at every moment."""

import errno
import json
import os
import random
import signal
import time
from pathlib import Path

import pytest

from leaderpress.site import exchange
from leaderpress.site.output import DirectoryOutput, MemoryOutput, write_file

PAGES = 250


def content(version):
    """A site of some hundred files of which a tenth is new, a tenth changed and the rest as in the version before."""
    files = {f"p/{number // 20}/{number}.html": b"same %d" % number for number in range(PAGES)}
    files.update({f"c/{number}.html": b"version %d" % version for number in range(PAGES // 10)})
    files.update({f"n/{version}/{number}.html": b"new" for number in range(PAGES // 10)})
    return files


def build(root, version, incremental=False):
    """Write the files of a version as workers do; a changed file has to be written, the rest may be reused."""
    with DirectoryOutput(root) as output:
        for path, data in content(version).items():
            if not (incremental and path.startswith("p/") and output.reuse(path)):
                output.record(path, *write_file(output.tree, path, data))
        output.commit({"version": version})


def expected(version):
    output = MemoryOutput()
    for path, data in content(version).items():
        output.write(path, data)
    output.commit({"version": version})
    return output.files


def files_of(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def published_version(root):
    """The version that is published, after a look at every byte of it."""
    files = files_of(root)
    version = json.loads(files["inventory.json"])["meta"]["version"]
    assert files.pop("CNAME") == b"example.org"
    assert files == expected(version)
    return version


def child(function, *arguments):
    process = os.fork()
    if process == 0:
        try:
            function(*arguments)
        finally:
            os._exit(1)
    return process


def build_for_ever(root, version, incremental):
    while True:
        version += 1
        build(root, version, incremental)


def no_exchange(*_):
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["full", "incremental", "two renames"])
def test_a_kill_at_any_moment_leaves_one_whole_version(tmp_path, monkeypatch, how):
    if how == "two renames":
        monkeypatch.setattr(exchange, "_swap", no_exchange)
    root = tmp_path / "build" / "site"
    build(root, 0)
    (root / "CNAME").write_bytes(b"example.org")
    start = time.perf_counter()
    build(root, 1, incremental=True)
    span = time.perf_counter() - start
    moments, version, torn_down = random.Random(7), 1, 0
    for _ in range(40):
        process = child(build_for_ever, root, version, how == "incremental")
        time.sleep(moments.uniform(0, 3 * span))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        torn_down += any("fresh" in path.name for path in root.parent.iterdir())
        if how == "two renames" and not root.exists():
            DirectoryOutput(root).close()  # the gap of this way: the next build's first act closes it
        version = published_version(root) + 1
        build(root, version, incremental=True)
        assert published_version(root) == version
        names = {path.name for path in root.parent.iterdir()}
        assert names == {"site", ".site-lock", ".site-stamps", ".site-standby"}
    assert torn_down > 10, "the kills missed the builds"
    assert version > 40


def read_for_ever(root, ready):
    names = [root / path for path in content(0) if not path.startswith("n/")]
    names += [root / "CNAME", root / "SHA256SUMS", root / "inventory.json"]
    reads = missed = 0
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    os.write(ready, b"go\n")
    while not stop:
        for name in names:
            try:
                descriptor = os.open(name, os.O_RDONLY)
                missed += not os.read(descriptor, 100)
                os.close(descriptor)
            except FileNotFoundError:
                missed += 1
            reads += 1
    os.write(ready, json.dumps([reads, missed]).encode())
    os._exit(0)


@pytest.mark.slow
def test_a_reader_never_misses_a_file_while_builds_exchange_the_tree(tmp_path):
    root = tmp_path / "build" / "site"
    build(root, 0)
    (root / "CNAME").write_bytes(b"example.org")
    build(root, 1)
    outcome, ready = os.pipe()
    process = child(read_for_ever, Path(root), ready)
    assert os.read(outcome, 10) == b"go\n"
    for version in range(2, 62):
        build(root, version, incremental=version % 10 != 0)
    os.kill(process, signal.SIGTERM)
    reads, missed = json.loads(os.read(outcome, 1000))
    os.waitpid(process, 0)
    assert reads > 1000
    assert missed == 0

"""Another process that looks at both trees sees what this one would see, and nothing hangs on it."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from leaderpress.errors import BuildError
from leaderpress.site import output as module
from leaderpress.site.cores import Reader
from leaderpress.site.output import DirectoryOutput

META = {"permalink_base": "https://example.org/"}
FILES = {f"runs/{number:03}/index.html": b"run %d" % number for number in range(40)} | {"index.html": b"home"}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def build(root: Path, files: dict[str, bytes], *, beside: bool) -> tuple[list[str], dict[str, bytes]]:
    """Publish these files, taking over what it can; gives the damaged paths and what is on disk after."""
    with DirectoryOutput(root) as output:
        if beside:
            output.look_beside()
        changed = {path for path in output.paths if files.get(path) != FILES.get(path)}
        damaged = list(output.reuse_all(but=changed))
        output.look_ahead()
        for path in {*damaged, *changed, *files.keys() - {*output.paths}} & files.keys():
            output.write(path, files[path])
        output.commit(META)
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return damaged, found


def published(root: Path) -> None:
    """A site with a standby tree, whose stamps can be trusted."""
    build(root, FILES, beside=False)
    time.sleep(0.05)
    build(root, FILES | {"new.txt": b"1"}, beside=False)
    time.sleep(0.05)
    build(root, FILES, beside=False)
    time.sleep(0.05)


def nothing(root: Path) -> None:
    """Leave both trees as they are."""


def a_changed_file(root: Path) -> None:
    """Change a published file."""
    (root / "runs/007/index.html").write_bytes(b"forged")


def a_lost_folder(root: Path) -> None:
    """Delete a published folder."""
    shutil.rmtree(root / "runs/011")


def a_link_for_a_folder(root: Path) -> None:
    """Plant a link where a published folder was."""
    (root / "runs/012").rename(root.parent / "elsewhere")
    (root / "runs/012").symlink_to(root.parent / "elsewhere")


def a_stranger(root: Path) -> None:
    """Put a file of somebody's into a published folder."""
    (root / "runs/013/notes.txt").write_bytes(b"mine")


def a_spoilt_standby_tree(root: Path) -> None:
    """Put a file into the tree that waits."""
    (standby,) = (path for path in root.parent.iterdir() if path.is_dir() and "standby" in path.name)
    (standby / "runs/014/index.html").unlink()
    (standby / "runs/014/index.html").write_bytes(b"spoilt")


EDITS = (nothing, a_changed_file, a_lost_folder, a_stranger, a_spoilt_standby_tree)


@pytest.mark.parametrize("edit", EDITS)
def test_two_processes_publish_what_one_does(edit: Callable[[Path], None], tmp_path: Path) -> None:
    results = []
    for beside in (False, True):
        root = tmp_path / str(beside) / "site"
        published(root)
        edit(root)
        results.append(build(root, FILES | {"index.html": b"newer"}, beside=beside))
    assert results[0] == results[1]
    assert all(results[1][1][path] == data for path, data in (FILES | {"index.html": b"newer"}).items())


@pytest.mark.parametrize("beside", [False, True])
def test_a_link_in_the_place_of_a_folder_is_refused(beside: bool, tmp_path: Path) -> None:
    root = tmp_path / "site"
    published(root)
    a_link_for_a_folder(root)
    with pytest.raises(BuildError, match="output-conflict"):
        build(root, FILES | {"index.html": b"newer"}, beside=beside)


def test_a_process_that_dies_is_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "site"
    published(root)
    a_changed_file(root)
    started = Reader.__init__

    def dying(self: Reader, *arguments: object) -> None:
        started(self, *arguments)  # type: ignore[arg-type]
        os.kill(self._process, signal.SIGKILL)

    monkeypatch.setattr(Reader, "__init__", dying)
    damaged, found = build(root, FILES | {"index.html": b"newer"}, beside=True)
    assert damaged == ["runs/007/index.html"]
    assert found["runs/007/index.html"] == FILES["runs/007/index.html"]


def test_a_build_that_ends_early_leaves_no_process(tmp_path: Path) -> None:
    root = tmp_path / "site"
    published(root)
    with DirectoryOutput(root) as output:
        output.look_beside()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    with DirectoryOutput(root) as output:
        output.look_beside()
        assert output.keep() is not None
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_process_that_looks_does_not_hold_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "site"
    published(root)
    monkeypatch.setattr(module.Standby, "_differing", lambda *_: time.sleep(60))
    with DirectoryOutput(root) as output:
        output.look_beside()
        looking = output._looking
        assert looking is not None
        with pytest.raises(BuildError, match="build-running"):
            DirectoryOutput(root)
        output._lock.release()
        # The process closes what it inherits first of all, but not before it was started.
        for _ in range(500):
            with suppress(BuildError):
                DirectoryOutput(root).close()
                return
            time.sleep(0.01)
        pytest.fail("the lock is still held")

"""MemoryOutput, and what DirectoryOutput publishes, reuses, keeps and refuses."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leaderpress.errors import BuildError, ManifestError
from leaderpress.site import exchange, stamps, tree
from leaderpress.site.output import DirectoryOutput, MemoryOutput, write_file

SITE = {"index.html": b"home", "runs/aa/index.html": b"run a", "runs/bb/index.html": b"run b", "data/x.json": b"{}"}
META = {"permalink_base": "https://example.org/"}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "build" / "site"


def build(root, files=SITE, meta=META, reuse=()):
    with DirectoryOutput(root) as output:
        for path, data in files.items():
            output.write(path, data)
        for path in reuse:
            assert output.reuse(path), path
        return output.commit(meta)


def files_of(folder):
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_symlink():
            found[path.relative_to(folder).as_posix()] = "-> " + os.readlink(path)
        elif path.is_file():
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def expected(files=SITE, meta=META):
    output = MemoryOutput()
    for path, data in files.items():
        output.write(path, data)
    output.commit(meta)
    return output.files


def siblings(root):
    return sorted(path.name for path in root.parent.iterdir())


def settle():
    time.sleep(0.05)  # file times have a step, and stamps younger than that are not trusted


# --- both outputs -----------------------------------------------------------------------------------------------------


def test_disk_and_memory_hold_the_same_bytes(root):
    receipt = build(root)
    assert files_of(root) == expected()
    assert (receipt.files, receipt.size, receipt.written, receipt.changed) == (4, 16, 4, True)
    assert receipt.sums == "sha256:" + hashlib.sha256((root / "SHA256SUMS").read_bytes()).hexdigest()


def test_the_inventory_is_the_same_whatever_the_order_of_writing(root):
    build(root, dict(reversed(SITE.items())))
    assert (root / "inventory.json").read_bytes() == expected()["inventory.json"]


@pytest.mark.parametrize("path", ["SHA256SUMS", "inventory.json", "sha256sums", "Inventory.JSON", "../x", "index.html"])
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_bad_reserved_or_repeated_path_is_refused_at_once(root, kind, path):
    output = MemoryOutput() if kind == "memory" else DirectoryOutput(root)
    output.write("index.html", b"")
    with pytest.raises(BuildError) as caught:
        output.write(path, b"")
    assert caught.value.code.startswith("path-")
    if kind == "disk":
        output.close()


def test_meta_that_is_not_json_is_refused_and_nothing_published(root):
    build(root)
    with pytest.raises(ManifestError):
        build(root, {"index.html": b"new"}, {"x": float("nan")})
    assert files_of(root) == expected()


# --- a second build ---------------------------------------------------------------------------------------------------


def test_a_second_build_replaces_the_site_whole(root):
    build(root)
    new = {"index.html": b"home 2", "other/x.html": b"x"}
    receipt = build(root, new)
    assert files_of(root) == expected(new)
    assert receipt.removed == 3


def test_an_equal_build_touches_nothing_on_disk(root):
    build(root)
    before = {path: os.lstat(path) for path in [root, *root.rglob("*")]}
    assert build(root).changed is False
    assert build(root, {}, reuse=SITE).changed is False
    assert {path: os.lstat(path) for path in [root, *root.rglob("*")]} == before


def test_a_changed_meta_alone_is_published(root):
    build(root)
    assert build(root, {}, {"permalink_base": "https://other.example/"}, reuse=SITE).changed is True
    assert b"other.example" in (root / "inventory.json").read_bytes()


def test_reuse_over_many_builds_gives_the_bytes_of_clean_builds(root):
    content = {f"p/{number}/index.html": b"page %d" % number for number in range(40)}
    build(root, content)
    for step in range(12):
        if step % 3:
            settle()
        changed = {f"p/{step}/index.html": b"changed %d" % step, f"new/{step}.html": b"n%d" % step}
        for path in (f"p/{20 + step}/index.html", f"new/{step - 2}.html"):
            content.pop(path, None)
        content.update(changed)
        receipt = build(root, changed, reuse=[path for path in content if path not in changed])
        assert receipt.written == 2
        assert files_of(root) == expected(content), step
        assert not [path for path in root.rglob("*") if path.is_dir() and not any(path.iterdir())]
    assert siblings(root) == [".site-lock", ".site-stamps", ".site-standby", "site"]


def test_the_standby_tree_is_brought_up_to_date_instead_of_linking_everything(root, monkeypatch):
    content = {f"p/{number}": b"%d" % number for number in range(60)}
    build(root, content)
    links = []
    real = os.link
    monkeypatch.setattr(os, "link", lambda *a, **k: (links.append(a), real(*a, **k)))
    for step, most in ((1, 60), (2, 2), (3, 2)):
        settle()
        links.clear()
        build(root, {"p/0": b"v%d" % step}, reuse=[path for path in content if path != "p/0"])
        assert len(links) <= most, step
    assert files_of(root) == expected({**content, "p/0": b"v3"})


def test_settled_files_are_known_without_reading_them(root, monkeypatch):
    build(root, {f"p/{number}": b"%d" % number for number in range(20)})
    settle()
    build(root, {}, reuse=[f"p/{number}" for number in range(20)])  # reads what was too young at the first build
    read = []
    monkeypatch.setattr("leaderpress.site.ledger.measure", lambda path, folder: read.append(path))
    build(root, {}, reuse=[f"p/{number}" for number in range(20)])
    assert read == []


def overwrite_in_place(path):
    times = os.stat(path)
    with open(path, "r+b") as stream:
        stream.write(b"HOME")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


DAMAGE = {
    "same size and time": overwrite_in_place,
    "other size": lambda path: path.write_bytes(b"longer than before"),
    "deleted": lambda path: path.unlink(),
    "a link": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a fifo": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("stamped", [True, False])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_not_reused(root, damage, stamped):
    build(root)
    settle()
    build(root, {}, reuse=SITE)
    if not stamped:
        (root.parent / ".site-stamps").unlink()
    DAMAGE[damage](root / "index.html")
    with DirectoryOutput(root) as output:
        assert output.reuse("index.html") is False
        assert output.reuse("runs/aa/index.html") is True
        assert output.reuse("never/published.html") is False


@pytest.mark.parametrize("damage", ["same size and time", "other size", "deleted", "a link"])
def test_a_damaged_file_that_is_built_again_is_repaired_and_reported(root, damage):
    build(root)
    settle()
    DAMAGE[damage](root / "index.html")
    receipt = build(root)
    assert files_of(root) == expected()
    assert receipt.overwritten == ("index.html",)


def replace_by_another(path):
    path.unlink()
    path.write_bytes(b"XX")


def test_damage_in_the_standby_tree_is_never_published(root):
    content = {f"p/{number}": b"%d" % number for number in range(30)}
    build(root, content)
    settle()
    build(root, {"p/0": b"v1"}, reuse=list(content)[1:])
    settle()
    standby = root.parent / ".site-standby"
    for number, action in enumerate([replace_by_another, Path.unlink, lambda path: os.chmod(path, 0o600)]):
        action(standby / f"p/{20 + number}")
    build(root, {"p/0": b"v2"}, reuse=list(content)[1:])
    assert files_of(root) == expected({**content, "p/0": b"v2"})
    assert {stat.S_IMODE(path.stat().st_mode) for path in root.rglob("*") if path.is_file()} == {0o644}


def test_a_stranger_in_the_standby_tree_is_never_published(root):
    content = {f"p/{number}/x": b"%d" % number for number in range(30)}
    build(root, content)
    settle()
    build(root, {"p/0/x": b"v1"}, reuse=list(content)[1:])
    settle()
    (root.parent / ".site-standby" / "p/7/planted.html").write_bytes(b"x")
    build(root, {"p/0/x": b"v2"}, reuse=list(content)[1:])
    assert files_of(root) == expected({**content, "p/0/x": b"v2"})


def test_a_folder_of_the_standby_tree_that_was_exchanged_is_never_published(root, tmp_path):
    content = {f"p/{number}/x": b"%d" % number for number in range(30)}
    build(root, content)
    settle()
    build(root, {"p/0/x": b"v1"}, reuse=list(content)[1:])
    settle()
    standby = root.parent / ".site-standby"
    (standby / "p/7").rename(tmp_path / "seven")
    (standby / "p/8").rename(standby / "p/7")
    (tmp_path / "seven").rename(standby / "p/8")
    build(root, {"p/0/x": b"v2"}, reuse=list(content)[1:])
    assert files_of(root) == expected({**content, "p/0/x": b"v2"})


def test_bytes_that_return_are_published_though_the_standby_tree_had_them(root):
    content = {f"p/{number}": b"%d" % number for number in range(30)}
    build(root, content)
    for step in range(4):
        settle()
        data = b"0" if step % 2 else b"other"
        build(root, {"p/0": data}, reuse=list(content)[1:])
        assert files_of(root) == expected({**content, "p/0": data}), step


@pytest.mark.parametrize("stamped", [True, False])
@pytest.mark.parametrize("part", ["files", "meta"])
def test_a_site_whose_inventory_was_edited_is_not_kept(root, part, stamped):
    build(root)
    settle()
    with DirectoryOutput(root) as output:
        assert output.keep()
    if not stamped:
        (root.parent / ".site-stamps").unlink()
    inventory = root / "inventory.json"
    before = b'"size":4' if part == "files" else b"example.org"
    assert before in inventory.read_bytes()
    inventory.write_bytes(inventory.read_bytes().replace(before, before[:-1] + b"7"))
    with DirectoryOutput(root) as output:
        assert output.keep() is None
    build(root, {}, reuse=SITE)
    assert files_of(root) == expected()


def test_lost_stamps_are_made_again_by_a_build_that_changes_nothing(root, monkeypatch):
    build(root)
    settle()
    (root.parent / ".site-stamps").unlink()
    with DirectoryOutput(root) as output:
        assert output.keep()
    monkeypatch.setattr("leaderpress.site.ledger.measure", lambda path, folder: pytest.fail(path))
    with DirectoryOutput(root) as output:
        assert output.keep()


@pytest.mark.parametrize("verify", [True, False])
def test_everything_but_some_files_is_taken_over_at_once(root, verify):
    content = {f"p/{number}": b"%d" % number for number in range(900)}
    build(root, content)
    settle()
    overwrite_in_place(root / "p/700")
    (root / "p/800").unlink()
    with DirectoryOutput(root, verify=verify, threads=3) as output:
        assert list(output.reuse_all(but=["p/800", "never/published"])) == ["p/700"]
    with DirectoryOutput(root, verify=verify, threads=3) as output:
        assert list(output.reuse_all(but=["p/700", "p/800"])) == []
        for path in ("p/700", "p/800"):
            output.write(path, content[path])
        with pytest.raises(BuildError, match="two pages or files"):
            output.write("p/1", b"")
        receipt = output.commit(META)
    assert (receipt.written, receipt.reused) == (2, 898)
    assert sorted(receipt.overwritten) == ["p/700", "p/800"]
    assert files_of(root) == expected(content)


@pytest.mark.parametrize("broken", [b"", b"leaderpress-stamps-2 little 0000\nx", b"\xff\n\n", None])
def test_broken_stamps_cost_time_and_nothing_else(root, broken):
    build(root)
    settle()
    build(root, {}, reuse=SITE)
    stamps = root.parent / ".site-stamps"
    text = stamps.read_bytes()
    middle = len(text) // 2
    flipped = text[:middle] + bytes([text[middle] ^ 1]) + text[middle + 1 :]
    stamps.write_bytes(flipped if broken is None else broken)
    receipt = build(root, {"index.html": b"new"}, reuse=[path for path in SITE if path != "index.html"])
    assert files_of(root) == expected({**SITE, "index.html": b"new"})
    assert receipt.reused == 3


def test_stamps_of_another_tree_are_not_believed(root):
    build(root)
    settle()
    build(root, {}, reuse=SITE)
    shutil.copytree(root, root.parent / "copy")
    shutil.rmtree(root)
    (root.parent / "copy").rename(root)
    (root / "index.html").write_bytes(b"HOME")
    with DirectoryOutput(root) as output:
        assert output.reuse("index.html") is False


@pytest.mark.parametrize("how", ["written", "read"])
def test_a_file_changed_in_the_same_tick_of_a_slow_clock_is_found_out(root, monkeypatch, how):
    class OfASlowClock:
        def __init__(self, status):
            self.status = status

        def __getattr__(self, name):
            value = getattr(self.status, name)
            return value // 10**10 * 10**10 if name.endswith("_ns") else value

    for name in ("stat", "fstat"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, real=real, **k: OfASlowClock(real(*a, **k)))
    monkeypatch.setattr(stamps, "_CLOCK_STEP", 2 * 10**10)
    build(root)
    if how == "read":
        build(root, {}, reuse=SITE)
    overwrite_in_place(root / "index.html")
    with DirectoryOutput(root) as output:
        assert output.reuse("index.html") is False


# --- modes, links, foreign files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000, 0o027])
def test_modes_do_not_depend_on_the_umask(root, umask):
    before = os.umask(umask)
    try:
        build(root)
        settle()
        (root / "CNAME").write_text("example.org")
        build(root, {"index.html": b"2", "n/m/o": b""}, reuse=["data/x.json"])
    finally:
        os.umask(before)
    ours = [path for path in root.rglob("*") if path.name != "CNAME"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in ours if path.is_file()} == {0o644}
    assert {stat.S_IMODE(path.stat().st_mode) for path in [root, *ours] if path.is_dir()} == {0o755}


def plant(root):
    (root / "CNAME").write_text("example.org")
    (root / ".git" / "objects").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/pages")
    os.chmod(root / ".git" / "HEAD", 0o440)
    (root / ".git" / "objects" / "empty").mkdir()
    (root / "runs" / "aa" / "mine.txt").write_text("mine")
    (root / "runs" / "away").symlink_to("/etc")
    (root / "dangling").symlink_to("nowhere")


FOREIGN = {
    "CNAME": b"example.org",
    ".git/HEAD": b"ref: refs/heads/pages",
    "runs/aa/mine.txt": b"mine",
    "runs/away": "-> /etc",
    "dangling": "-> nowhere",
}


@pytest.mark.parametrize("reuse", [False, True])
def test_files_that_are_not_ours_are_carried_along(root, reuse):
    content = {**SITE, **{f"p/{number}": b"" for number in range(20)}}
    build(root, content)
    plant(root)
    for step in range(4):
        settle()
        content["index.html"] = b"home %d" % step
        again = [path for path in content if path != "index.html"] if reuse else []
        receipt = build(root, {path: data for path, data in content.items() if path not in again}, reuse=again)
        assert files_of(root) == {**expected(content), **FOREIGN}
        assert receipt.carried == (".git", "CNAME", "dangling", "runs/aa/mine.txt", "runs/away")
    assert (root / ".git" / "objects" / "empty").is_dir()
    assert stat.S_IMODE((root / ".git" / "HEAD").stat().st_mode) == 0o440
    assert (root / ".git" / "HEAD").stat().st_nlink == 1
    standby = files_of(root.parent / ".site-standby")
    assert not set(FOREIGN) & set(standby)


def test_a_foreign_file_stays_when_our_folder_around_it_goes(root):
    build(root)
    plant(root)
    build(root, {"index.html": b"only"})
    assert files_of(root) == {**expected({"index.html": b"only"}), **FOREIGN}


def test_our_file_that_someone_edited_is_kept_when_we_no_longer_build_it(root):
    build(root)
    settle()
    (root / "runs/aa/index.html").write_text("edited by hand")
    receipt = build(root, {"index.html": b"only"})
    assert files_of(root) == {**expected({"index.html": b"only"}), "runs/aa/index.html": b"edited by hand"}
    assert receipt.carried == ("runs/aa/index.html",)
    assert receipt.removed == 2
    assert receipt.overwritten == ()


CONFLICTS = {
    "our file is theirs": (lambda root: (root / "new.html").write_text("theirs"), {"new.html": b"ours"}),
    "our folder is their file": (lambda root: (root / "new").write_text("theirs"), {"new/x.html": b"ours"}),
    "our folder is their link": (lambda root: (root / "new").symlink_to("/tmp"), {"new/x.html": b"ours"}),
    "our file is their link": (lambda root: (root / "new.html").symlink_to("/tmp/x"), {"new.html": b"ours"}),
    "our file is their folder": (lambda root: (root / "new").mkdir(), {"new": b"ours"}),
    "our file is our folder with theirs": (lambda root: (root / "runs" / "theirs").write_text("x"), {"runs": b"ours"}),
    "a page became their folder": (
        lambda root: ((root / "index.html").unlink(), (root / "index.html").mkdir()),
        {"index.html": b"ours"},
    ),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_a_place_that_is_not_ours_is_never_written_over(root, case):
    plant_it, files = CONFLICTS[case]
    build(root)
    plant_it(root)
    before = files_of(root)
    with pytest.raises(BuildError) as caught:
        build(root, files)
    assert caught.value.code == "output-conflict"
    assert caught.value.at
    assert files_of(root) == before
    assert [name for name in siblings(root) if "fresh" in name] == []


def test_a_foreign_file_with_our_very_bytes_is_no_conflict(root):
    build(root)
    (root / "robots.txt").write_bytes(b"User-agent: *\n")
    receipt = build(root, {**SITE, "robots.txt": b"User-agent: *\n"})
    assert receipt.carried == ()
    assert files_of(root) == expected({**SITE, "robots.txt": b"User-agent: *\n"})


def test_a_foreign_folder_is_shared_with_our_files(root):
    build(root)
    (root / "assets").mkdir()
    (root / "assets" / "theirs.css").write_text("x")
    build(root, {**SITE, "assets/ours.css": b"y"})
    assert files_of(root) == {**expected({**SITE, "assets/ours.css": b"y"}), "assets/theirs.css": b"x"}


def test_a_link_planted_for_a_folder_of_ours_leads_nowhere(root, tmp_path):
    build(root)
    outside = tmp_path / "outside"
    shutil.move(root / "runs", outside)
    (root / "runs").symlink_to(outside)
    with DirectoryOutput(root) as output:
        assert output.reuse("runs/aa/index.html") is False
    before = files_of(outside)
    with pytest.raises(BuildError, match="not ours"):
        build(root, {**SITE, "runs/aa/index.html": b"changed"})
    assert files_of(outside) == before


# --- what is refused --------------------------------------------------------------------------------------------------

NOT_OURS = {
    "someone's files": {"thesis.tex": b"ten years of work"},
    "sums without inventory": {"SHA256SUMS": b"", "x.iso": b"x"},
    "inventory without sums": {"inventory.json": expected()["inventory.json"]},
    "an inventory of other sums": {**expected(), "SHA256SUMS": b"0" * 64 + b"  index.html\n"},
    "another program's inventory": {**expected(), "inventory.json": b'{"hosts": []}'},
}


@pytest.mark.parametrize("case", NOT_OURS)
def test_a_folder_that_is_not_ours_is_refused_and_left_alone(root, case):
    for path, data in NOT_OURS[case].items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    before = files_of(root)
    with pytest.raises(BuildError) as caught:
        build(root)
    assert caught.value.code == "output-not-ours"
    assert files_of(root) == before
    assert siblings(root) == [".site-lock", "site"]


def test_an_empty_folder_is_taken(root):
    root.mkdir(parents=True)
    build(root)
    assert files_of(root) == expected()


def test_a_link_or_a_file_as_output_folder_is_refused(root, tmp_path):
    root.parent.mkdir()
    (tmp_path / "elsewhere").mkdir()
    root.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BuildError) as caught:
        build(root)
    assert caught.value.code == "output-link"
    root.unlink()
    root.write_text("a file")
    with pytest.raises(BuildError) as caught:
        build(root)
    assert caught.value.code == "output-not-folder"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_links_planted_at_our_private_names_are_not_followed(root, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_text("x")
    build(root)
    for name in (".site-standby", ".site-fresh-1-1", ".site-outgoing"):
        (root.parent / name).symlink_to(victim)
    (root.parent / ".site-stamps").unlink()
    (root.parent / ".site-stamps").symlink_to(victim / "precious")
    build(root, {"index.html": b"2"})
    build(root, {"index.html": b"3"})
    assert files_of(victim) == {"precious": b"x"}
    (root.parent / ".site-lock").unlink()
    (root.parent / ".site-lock").symlink_to(victim / "precious")
    with pytest.raises(BuildError, match="lock file"):
        build(root)


# --- the lock ---------------------------------------------------------------------------------------------------------


def test_a_second_build_exits_at_once_with_a_clear_error(root):
    build(root)
    with DirectoryOutput(root) as first:
        with pytest.raises(BuildError) as caught:
            DirectoryOutput(root)
        assert caught.value.code == "build-running"
        first.write("index.html", b"first")
        first.commit({})
    assert (root / "index.html").read_bytes() == b"first"
    build(root)


HOLD = """
import sys, time
from pathlib import Path
from leaderpress.site.output import DirectoryOutput
output = DirectoryOutput(Path(sys.argv[1]))
output.write("index.html", b"never committed")
print("open", flush=True)
time.sleep(60)
"""


def hold(root, program=HOLD):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout.readline() == "open\n"
    return process


def test_a_build_in_another_process_holds_the_lock_until_it_dies(root):
    build(root)
    process = hold(root)
    with pytest.raises(BuildError) as caught:
        build(root, {"index.html": b"second"})
    process.kill()
    process.wait()
    process.stdout.close()
    assert caught.value.code == "build-running"
    build(root, {"index.html": b"third"})
    assert files_of(root) == expected({"index.html": b"third"})
    assert siblings(root) == [".site-lock", ".site-stamps", ".site-standby", "site"]


ORPHAN = """
import os, signal, sys, time
from pathlib import Path
from leaderpress.site.output import DirectoryOutput
output = DirectoryOutput(Path(sys.argv[1]))
output.write("index.html", b"never committed")
started, ready = os.pipe()
if os.fork() == 0:
    os.close(1)
    os.write(ready, b"x")
    time.sleep(20)
    os._exit(0)
os.read(started, 1)
print("open", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_orphaned_worker_does_not_hold_the_lock_of_its_dead_parent(root):
    process = hold(root, ORPHAN)
    process.wait()
    process.stdout.close()
    build(root)
    assert files_of(root) == expected()


def test_a_closed_output_takes_no_more(root):
    output = DirectoryOutput(root)
    output.commit({})
    for action in (lambda: output.write("x", b""), lambda: output.record("x", 0, ""), lambda: output.commit({})):
        with pytest.raises(BuildError) as caught:
            action()
        assert caught.value.code == "output-closed"
    output.close()


@pytest.mark.parametrize(("old", "new"), [("a/b", "a"), ("a/b", "A/c"), ("a", "a/b"), ("x.html", "X.html")])
def test_a_new_path_that_clashes_with_a_reused_one_is_refused(root, old, new):
    build(root, {old: b""})
    with pytest.raises(BuildError) as caught:
        build(root, {new: b""}, reuse=[old])
    assert caught.value.code == "path-clash"
    assert files_of(root) == expected({old: b""})


# --- workers ----------------------------------------------------------------------------------------------------------


def test_files_that_workers_write_are_published_when_they_are_recorded(root):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = (
        "import json, sys\nfrom leaderpress.site.output import write_file\n"
        "print(json.dumps([[p, *write_file(sys.argv[1], p, p.encode())] for p in sys.argv[2:]]))"
    )
    paths = [[f"p/{worker}/{number}/index.html" for number in range(5)] for worker in (1, 2)]
    with DirectoryOutput(root) as output:
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", program, output.tree, *share], stdout=subprocess.PIPE, env=environment
            )
            for share in paths
        ]
        for worker in workers:
            for path, size, digest in json.loads(worker.communicate()[0]):
                output.record(path, size, digest)
        output.commit(META)
    assert files_of(root) == expected({path: path.encode() for share in paths for path in share})


def test_a_worker_refuses_what_leads_out_or_exists(tmp_path):
    (tmp_path / "link").symlink_to("/tmp")
    write_file(tmp_path, "a/b", b"1")
    for path, code in [
        ("../x", "path-invalid"),
        ("a/b", "path-twice"),
        ("a/b/c", "path-clash"),
        ("link", "path-twice"),
    ]:
        with pytest.raises(BuildError) as caught:
            write_file(tmp_path, path, b"2")
        assert caught.value.code == code, path
    assert (tmp_path / "a/b").read_bytes() == b"1"


def test_a_file_that_was_noted_but_not_written_stops_the_commit(root):
    build(root)
    for size, present in ((3, False), (4, True)):
        with DirectoryOutput(root) as output:
            if present:
                write_file(output.tree, "x", b"abc")
            output.record("x", size, "0" * 64)
            with pytest.raises(BuildError) as caught:
                output.commit({})
        assert (caught.value.code, caught.value.at) == ("output-incomplete", "x")
    assert files_of(root) == expected()


# --- failures ---------------------------------------------------------------------------------------------------------


def test_an_exception_leaves_the_old_site_and_no_leftovers(root):
    build(root)
    with pytest.raises(BuildError, match="path of a published file"):
        build(root, {"index.html": b"new", "../index.html": b"out"})
    assert files_of(root) == expected()
    assert siblings(root) == [".site-lock", ".site-stamps", "site"]


def test_nothing_is_left_of_a_file_that_could_not_be_written_whole(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:2]) if len(data) > 2 else 0)
    with pytest.raises(BuildError, match="No space"):
        write_file(tmp_path, "a/b", b"abc")
    assert files_of(tmp_path) == {}


def test_a_failed_exchange_of_a_renewed_tree_leaves_the_old_site_and_no_leftovers(root, monkeypatch):
    content = {f"p/{number}": b"%d" % number for number in range(30)}
    for step in range(2):
        content["p/0"] = b"v%d" % step
        build(root, {"p/0": content["p/0"]} if step else content, reuse=list(content)[1:] if step else ())
        settle()
    monkeypatch.setattr(exchange, "_swap", fail_with(5))
    with pytest.raises(BuildError, match="Input/output"):
        build(root, {"p/0": b"v2"}, reuse=list(content)[1:])
    assert files_of(root) == expected(content)
    assert siblings(root) == [".site-lock", "site"]
    monkeypatch.undo()
    build(root, {"p/0": b"v3"}, reuse=list(content)[1:])
    assert files_of(root) == expected({**content, "p/0": b"v3"})


def test_a_full_disk_at_any_write_leaves_the_old_site_whole(root, monkeypatch):
    content = {**SITE, **{f"p/{number}": b"x" * 100 for number in range(10)}}
    build(root, content)
    real = os.write
    for allowed in range(16):
        left = [allowed]

        def short(descriptor, data, left=left):
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            left[0] -= 1
            return real(descriptor, data[: max(1, len(data) // 2)] if left[0] == 0 else data)

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", short)
            with pytest.raises(BuildError) as caught:
                build(root, {path: data + b"!" for path, data in content.items()})
        assert caught.value.code == "output-write"
        assert "free some space" in caught.value.hint
        assert files_of(root) == expected(content)
        assert [name for name in siblings(root) if "fresh" in name] == []


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


@pytest.fixture
def mounted(tmp_path):
    """Mounts file systems and unmounts them after the test."""
    mounts = []

    def mount(folder, *options):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", *options, str(folder)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("this machine does not let us mount")
        mounts.append(folder)
        return folder

    yield mount
    for folder in reversed(mounts):
        subprocess.run(["umount", "-l", str(folder)], check=True)


@needs_root
def test_a_really_full_disk_leaves_the_old_site_whole(mounted, tmp_path):
    root = mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=400k", "tmpfs") / "build" / "site"
    build(root)
    for size in (600_000, 250_000, 70_000):
        with pytest.raises(BuildError) as caught:
            build(root, {f"p/{number}": b"x" * size for number in range(8)})
        assert "No space" in caught.value.problem
        assert files_of(root) == expected()
    assert siblings(root) == [".site-lock", ".site-stamps", "site"]
    build(root, {"index.html": b"fits"})
    assert files_of(root) == expected({"index.html": b"fits"})


@needs_root
def test_a_read_only_disk_is_a_clear_error(mounted, tmp_path):
    disk = mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=400k", "tmpfs")
    root = disk / "build" / "site"
    build(root)
    for _ in range(2):
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with pytest.raises(BuildError) as caught:
            build(root, {"index.html": b"2"})
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        assert "Read-only" in caught.value.problem
        assert files_of(root) == expected()


def test_a_folder_that_may_not_be_written_is_a_clear_error(root, monkeypatch):
    build(root)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(BuildError) as caught:
        build(root, {"index.html": b"2"})
    assert caught.value.code == "output-write"
    assert "needs to write" in caught.value.hint
    assert files_of(root) == expected()


# --- file systems without the exchange --------------------------------------------------------------------------------


def fail_with(code):
    def swap(*_):
        raise OSError(code, os.strerror(code))

    return swap


@pytest.mark.parametrize("error", [38, 22, 95])
def test_two_renames_publish_where_the_exchange_is_not_known(root, monkeypatch, error):
    monkeypatch.setattr(exchange, "_swap", fail_with(error))
    content = {**SITE, **{f"p/{number}": b"" for number in range(20)}}
    build(root, content)
    plant(root)
    for step in range(4):
        settle()
        content["index.html"] = b"%d" % step
        build(root, {"index.html": content["index.html"]}, reuse=[path for path in content if path != "index.html"])
        assert files_of(root) == {**expected(content), **FOREIGN}
    assert siblings(root) == [".site-lock", ".site-stamps", ".site-standby", "site"]


def test_a_kill_between_two_renames_is_put_right_by_the_next_build(root):
    build(root)
    plant(root)
    os.rename(root, root.parent / ".site-outgoing")
    with DirectoryOutput(root):
        assert files_of(root) == {**expected(), **FOREIGN}
    assert siblings(root) == [".site-lock", ".site-stamps", "site"]


def test_a_failed_second_rename_puts_the_old_site_back(root, monkeypatch):
    build(root)
    monkeypatch.setattr(exchange, "_swap", fail_with(38))
    real = os.rename

    def rename(source, target):
        if str(target) == str(root) and "fresh" in str(source):
            raise OSError(5, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(BuildError, match="Input/output"):
        build(root, {"index.html": b"2"})
    assert files_of(root) == expected()


@pytest.fixture(params=["refused", "mounted"])
def fixed_root(request, root, monkeypatch):
    """An output folder that cannot be renamed."""
    if request.param == "refused":
        monkeypatch.setattr(exchange, "_swap", fail_with(16))
        return root
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    return request.getfixturevalue("mounted")(root, "-t", "tmpfs", "tmpfs")


def test_a_mount_point_is_replaced_file_by_file(fixed_root):
    root = fixed_root
    build(root)
    (root / "CNAME").write_text("example.org")
    (root / "index.html").write_text("edited")
    receipt = build(
        root, {"index.html": b"2", "n/m/x.html": b"n", "runs/aa/index.html": b"run a2"}, reuse=["data/x.json"]
    )
    new = {"index.html": b"2", "n/m/x.html": b"n", "runs/aa/index.html": b"run a2", "data/x.json": b"{}"}
    assert files_of(root) == {**expected(new), "CNAME": b"example.org"}
    assert (receipt.removed, receipt.overwritten, receipt.carried) == (1, ("index.html",), ("CNAME",))
    assert not (root / "runs" / "bb").exists()
    build(root, {"n": b"a file now", "data/x.json/y": b"a folder now"})
    assert files_of(root) == {
        **expected({"n": b"a file now", "data/x.json/y": b"a folder now"}),
        "CNAME": b"example.org",
    }
    assert siblings(root) == [".site-lock", "site"]


def test_a_replacement_that_was_killed_is_finished_by_the_next_build(fixed_root, monkeypatch):
    root = fixed_root
    before = {**SITE, "old.html": b"old"}
    build(root, before)
    after = {**SITE, "index.html": b"2", "new/x.html": b"x", "robots.txt": b"r"}
    real, third = exchange._replace, {"index.html": b"3", "robots.txt": b"other"}
    for allowed in range(8):
        count = [0]

        def replace(*arguments, allowed=allowed, count=count):
            count[0] += 1
            if count[0] > allowed:
                raise KeyboardInterrupt
            real(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(exchange, "_replace", replace)
            with pytest.raises(KeyboardInterrupt):
                build(root, after)
        (root / ".leaderpress-part").write_bytes(b"half")
        build(root, third)
        assert files_of(root) == expected(third)
        build(root, before)
        assert files_of(root) == expected(before)


def test_pages_follow_what_they_refer_to_and_the_inventory_is_last():
    paths = [
        "inventory.json",
        "index.html",
        "sitemap.xml",
        "runs/a/index.html",
        "sha256/aa/b.json",
        "SHA256SUMS",
        "a.css",
    ]
    assert sorted(paths, key=exchange._safe_order) == [
        "sha256/aa/b.json",
        "a.css",
        "runs/a/index.html",
        "index.html",
        "sitemap.xml",
        "SHA256SUMS",
        "inventory.json",
    ]


def test_files_are_copied_where_links_are_not_to_be_had(root, monkeypatch):
    build(root)
    plant(root)

    def refuse(*_, **__):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    build(root, {"index.html": b"2"}, reuse=[path for path in SITE if path != "index.html"])
    assert files_of(root) == {**expected({**SITE, "index.html": b"2"}), **FOREIGN}
    assert tree.digest_file(str(root / "index.html")) == hashlib.sha256(b"2").hexdigest()


def test_reading_every_file_forgets_no_folder(root, monkeypatch):
    monkeypatch.setattr(stamps, "_CLOCK_STEP", -1_000_000_000)  # as if the site had taken long to write
    build(root)
    with DirectoryOutput(root, verify=True) as output:
        assert output.keep() is not None
    live, _ = stamps.load(str(root.parent / ".site-stamps"))
    assert len(live.folders) == 4
    assert all(live.folders[row] != stamps.NOTHING for row in range(4))

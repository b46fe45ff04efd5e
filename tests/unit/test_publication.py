"""The publication log of whole sites: what ingests, notes and seals add, and that nothing committed ever moves."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress import store
from leaderpress.canonical import sha256
from leaderpress.checks import check_site
from leaderpress.errors import ContentError, LeaderpressError, Problems
from leaderpress.ingest import SealReport, seal
from leaderpress.log import Checkpoint, checkpoint_of, parse_checkpoint, parse_lines, prefix_fault
from leaderpress.manifests.note_documents import note_digest
from leaderpress.site.build import build
from leaderpress.site.publication import Publication
from leaderpress.verify import verify

FAST, SLOW, LATE = Chain(1, 100), Chain(2, 200, user="Bea"), Chain(3, 300, user="Cyd")
OTHER = Chain(4, 400, user="Dan")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    return TinySite(tmp_path)


def published(site: TinySite) -> tuple[list[bytes], Checkpoint]:
    """Lines and checkpoint of a build."""
    output = build(site.root, jobs=1).output
    lines = (output / "log/log.txt").read_bytes().splitlines(keepends=True)
    return lines, parse_checkpoint((output / "log/checkpoint").read_bytes())


def sealed(site: TinySite, on: str = "2026-05-06") -> SealReport:
    return seal(site.root, published_at=date.fromisoformat(on), today=date.today)


def committed(site: TinySite) -> bytes:
    """What `cat content/records/*/log.txt` prints."""
    return b"".join(path.read_bytes() for path in sorted(site.root.glob("content/records/*/log.txt")))


def faults(action: Callable[[], object]) -> list[LeaderpressError]:
    with pytest.raises(LeaderpressError) as caught:
        action()
    return list(caught.value.problems) if isinstance(caught.value, Problems) else [caught.value]


def test_every_document_has_a_line_in_the_order_of_publication(site: TinySite) -> None:
    site.feed(FAST, on="2026-03-04")
    site.feed(SLOW, on="2026-04-05")
    lines, checkpoint = published(site)
    entries = list(parse_lines(lines, "log"))
    assert checkpoint == checkpoint_of(lines)
    stated = []
    for path in sorted(site.root.glob("content/records/*/manifests*.jsonl")):
        for line in path.read_bytes().splitlines():
            value = json.loads(line)
            body = {name: value[name] for name in ("apiVersion", "kind", "spec")}
            identity = json.dumps(body, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
            stated.append((sha256(line), sha256(identity), value["kind"]))
    closing = [entry for entry in entries if entry.kind == "Snapshot"]
    assert [(entry.number, entry.published_at) for entry in closing] == [(8, "2026-03-04"), (12, "2026-04-05")]
    entries = [entry for entry in entries if entry.kind != "Snapshot"]
    assert [(entry.document, entry.identity, entry.kind) for entry in entries] == stated
    assert [entry.published_at for entry in entries] == ["2026-03-04"] * 7 + ["2026-04-05"] * 3
    assert committed(site) == b"".join(lines)


def test_a_new_title_is_a_line_of_its_own(site: TinySite) -> None:
    site.feed(FAST)
    site.feed(Chain(1, 100, op_title="Scan it"))
    entries = list(parse_lines(published(site)[0], "log"))
    digest = FAST.operation().digest
    first, second = [entry for entry in entries if entry.identity == digest]
    assert first.document != second.document


def test_the_log_has_every_object_of_the_site_and_no_other(site: TinySite) -> None:
    site.feed(FAST, SLOW)
    site.note("one", "dispute", FAST.digest)
    lines, _ = published(site)
    objects = {f"sha256:{path.stem}" for path in site.root.glob("build/site/sha256/*/*.json")}
    assert {entry.identity for entry in parse_lines(lines, "log") if entry.kind != "Snapshot"} == objects
    assert check_site(site.root / "build/site").problems == ()


def test_a_note_is_published_as_an_object_that_hashes_to_its_line(site: TinySite) -> None:
    site.feed(FAST)
    site.note("one", "withdrawal", FAST.digest, body="*More* words.", evidence="https://e.example/")
    lines, _ = published(site)
    entry = list(parse_lines(lines, "log"))[-1]
    assert (entry.published_at, entry.kind, entry.document) == ("2026-02-03", "Withdrawal", entry.identity)
    data = (site.root / f"build/site/sha256/{entry.identity[7:9]}/{entry.identity[7:]}.json").read_bytes()
    assert sha256(data) == entry.identity
    assert json.loads(data) == {
        "apiVersion": "leaderpress/v1",
        "kind": "Withdrawal",
        "spec": {
            "body": "*More* words.",
            "evidence": "https://e.example/",
            "target": FAST.digest,
            "when": "2026-02-03",
            "who": "A reviewer",
            "why": "Because it is so.",
        },
    }


def test_what_a_note_says_has_one_digest_whatever_its_file_looks_like(site: TinySite) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest)
    (note,) = store.read_notes(site.root)
    text = (site.root / "content/notes/one.md").read_text()
    (site.root / "content/notes/one.md").unlink()
    (site.root / "content/notes/two.md").write_text(text.replace(" = ", "   =  "), encoding="utf-8")
    (again,) = store.read_notes(site.root)
    assert note_digest(again) == note_digest(note)


def test_notes_between_ingests_are_committed_by_the_next_one_before_its_documents(site: TinySite) -> None:
    site.feed(FAST)
    site.note("b", "dispute", FAST.digest, when="2026-02-05")
    site.note("a", "dispute", FAST.digest, when="2026-02-05", why="Another reason.")
    site.note("z", "dispute", FAST.digest, when="2026-02-04")
    before, checkpoint = published(site)
    site.feed(SLOW)
    after, _ = published(site)
    assert after[: len(before)] == before
    assert prefix_fault(checkpoint, after, "log") is None
    kinds = [entry.kind for entry in parse_lines(after, "log")]
    assert kinds[7:12] == ["Snapshot", "Dispute", "Dispute", "Dispute", "SoftwareProject"]
    assert committed(site) == b"".join(after)
    (folder,) = store.folders(site.root)[1:]
    assert [file for _, file in store.committed_notes([folder])] == ["z.md", "a.md", "b.md"]


def test_a_note_that_waits_for_its_run_comes_after_it(site: TinySite) -> None:
    site.feed(FAST)
    site.note("early", "dispute", SLOW.digest)
    assert [fault.code for fault in faults(lambda: build(site.root, jobs=1))] == ["note-target"]
    assert sealed(site).waiting == ("content/notes/early.md",)
    site.feed(SLOW)
    lines, _ = published(site)
    assert [entry.kind for entry in parse_lines(lines, "log")][-1] == "Dispute"
    assert b"".join(lines[:-1]) == committed(site)


def test_without_a_seal_a_build_says_that_the_last_lines_may_move(site: TinySite) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest)
    assert [warning.code for warning in build(site.root, jobs=1).warnings] == ["notes-open"]
    sealed(site)
    assert build(site.root, jobs=1).warnings == ()


def test_a_seal_gives_notes_their_place_before_a_note_that_would_come_first(site: TinySite) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest, when="2026-02-09")
    report = sealed(site)
    assert report.notes == ("content/notes/one.md",)
    before, checkpoint = published(site)
    assert checkpoint == (report.lines, report.sha256)
    site.note("older", "attestation", FAST.digest, when="2026-01-01", type="comment")
    after, _ = published(site)
    assert after[:-1] == before
    again = sealed(site)
    assert again.notes == ("content/notes/older.md",)
    assert published(site)[0] == after
    assert sealed(site).folder == ""
    assert len(store.folders(site.root)) == 3
    assert committed(site) == b"".join(after)


def test_a_seal_is_no_ingest_for_any_page(site: TinySite, tmp_path: Path) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest)
    output = build(site.root, jobs=1).output
    shutil.copytree(output, tmp_path / "before")
    sealed(site)
    build(site.root, jobs=1)
    for path in sorted((tmp_path / "before").rglob("*.*")):
        # The inventory says how many lines of the log are committed.
        if path.is_file() and path.name != "inventory.json":
            assert (output / path.relative_to(tmp_path / "before")).read_bytes() == path.read_bytes(), path
    with site.open() as index:
        assert [folder.number for folder in index.folders()] == [1]
        assert [folder.number for folder in index.history()] == [1, 2]


@pytest.mark.parametrize("edit", ["changed", "removed", "replaced"])
def test_a_committed_note_cannot_be_edited_or_removed(site: TinySite, edit: str) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest)
    site.note("two", "dispute", FAST.digest, when="2026-02-04")
    sealed(site)
    lines, _ = published(site)
    path = site.root / "content/notes/two.md"
    if edit == "removed":
        path.unlink()
    else:
        site.note("two", "dispute", FAST.digest, why="No, because of that.", when="2026-02-04")
    for action in (lambda: build(site.root, jobs=1), lambda: sealed(site), lambda: site.feed(SLOW, on="2026-05-06")):
        (fault,) = faults(action)
        assert (fault.code, fault.at) == ("note-committed", "content/notes/two.md")
        assert lines[-1].decode().strip() in fault.problem
        assert ("removed" if edit == "removed" else "changed") in fault.problem
        assert "new note" in fault.hint
    site.note("two", "dispute", FAST.digest, when="2026-02-04")
    assert published(site)[0] == lines


def test_a_committed_note_may_be_renamed_and_another_be_written(site: TinySite) -> None:
    site.feed(FAST)
    site.note("one", "dispute", FAST.digest)
    sealed(site)
    lines, _ = published(site)
    (site.root / "content/notes/one.md").rename(site.root / "content/notes/other.md")
    site.note("one", "withdrawal", FAST.digest, when="2026-03-01")
    assert published(site)[0][:-1] == lines


def test_contradicting_notes_never_come_into_the_log(site: TinySite) -> None:
    site.feed(FAST, SLOW, LATE)
    site.note("one", "correction", FAST.digest, successor=SLOW.digest)
    site.note("two", "correction", FAST.digest, successor=LATE.digest)
    for action in (lambda: sealed(site), lambda: site.feed(Chain(4, 4))):
        assert [fault.code for fault in faults(action)] == ["note-successors"]
    assert len(store.folders(site.root)) == 1


# -- records of an older version ---------------------------------------------------------------------------------------


def forget_the_log(site: TinySite) -> None:
    """Make the records what a version without a log would have written."""
    previous: dict[str, str] = {}
    for folder in sorted((site.root / store.PLACE).iterdir()):
        snapshot = json.loads((folder / store.SNAPSHOT).read_bytes())
        for name in ("seal", "log", "previous"):
            snapshot.pop(name, None)
        snapshot["files"].pop(store.LOG)
        (folder / store.LOG).unlink()
        data = store.snapshot_bytes({**snapshot, **previous})
        (folder / store.SNAPSHOT).write_bytes(data)
        previous = {"previous": sha256(data)}


def said(lines: list[bytes]) -> list[str]:
    """Lines of a log without their numbers."""
    return [line.decode().strip().partition(" ")[2] for line in lines]


def forget_snapshots(site: TinySite) -> None:
    """Make the records what a version would have written whose log had no lines of snapshots."""
    previous, log = {}, b""
    for folder in sorted((site.root / store.PLACE).iterdir()):
        snapshot = json.loads((folder / store.SNAPSHOT).read_bytes())
        kept = [line for line in (folder / store.LOG).read_bytes().splitlines() if not line.endswith(b" Snapshot")]
        count = log.count(b"\n") + 1
        own = b"".join(b"%d %s\n" % (number, line.partition(b" ")[2]) for number, line in enumerate(kept, count))
        (folder / store.LOG).write_bytes(own)
        log += own
        stated = {"v": 1, "notes": snapshot["log"]["notes"], **checkpoint_of(log.splitlines(keepends=True))._asdict()}
        files = {**snapshot["files"], store.LOG: {"bytes": len(own), "sha256": sha256(own)}}
        old = {name: value for name, value in snapshot.items() if name not in ("seal", "previous")}
        data = store.snapshot_bytes({**old, **previous, "files": files, "log": stated})
        (folder / store.SNAPSHOT).write_bytes(data)
        previous = {"previous": sha256(data)}


@pytest.mark.parametrize("by", ["ingest", "seal"])
def test_records_without_lines_of_snapshots_stay_valid_and_are_covered_next(site: TinySite, by: str) -> None:
    site.feed(FAST, OTHER)
    site.note("one", "dispute", FAST.digest)
    site.feed(SLOW)
    forget_snapshots(site)
    before, checkpoint = published(site)
    assert verify([site.root], jobs=1).problems == ()
    assert checkpoint == checkpoint_of(committed(site).splitlines(keepends=True))
    if by == "ingest":
        site.feed(LATE)
    else:
        assert sealed(site).folder
        assert sealed(site).folder == ""
    after, _ = published(site)
    assert after[: len(before)] == before
    assert [entry.kind for entry in parse_lines(after, "log")].count("Snapshot") == 1
    assert committed(site) == b"".join(after)
    assert verify([site.root], jobs=1).problems == ()
    seal_again(site, other_project)
    assert [fault.code for fault in faults(lambda: build(site.root, jobs=1))] == ["log-changed"]


def test_records_without_a_log_give_the_same_log(site: TinySite) -> None:
    site.feed(FAST)
    site.feed(SLOW, on="2026-04-05")
    lines, _ = published(site)
    forget_the_log(site)
    shutil.rmtree(site.root / "build")
    assert said(published(site)[0]) == [line for line in said(lines) if not line.endswith("Snapshot")]
    assert committed(site) == b""


def test_the_first_folder_with_a_log_begins_with_the_lines_of_those_before(site: TinySite) -> None:
    site.feed(FAST)
    site.feed(SLOW, on="2026-04-05")
    site.note("one", "dispute", FAST.digest)
    forget_the_log(site)
    before, _ = published(site)
    site.feed(LATE, on="2026-05-05")
    after, checkpoint = published(site)
    assert after[: len(before)] == before
    assert committed(site) == b"".join(after)
    stated = store.commitment(store.folders(site.root)[-1].snapshot)
    assert stated is not None
    assert stated.checkpoint == checkpoint


def test_a_seal_commits_the_log_of_old_records(site: TinySite) -> None:
    site.feed(FAST)
    forget_the_log(site)
    lines, _ = published(site)
    report = sealed(site)
    after, checkpoint = published(site)
    assert (report.lines, report.sha256) == checkpoint
    assert committed(site) == b"".join(after)
    assert after[:-1] == lines
    assert after[-1].endswith(b" Snapshot\n")


# -- what does not fit any more ----------------------------------------------------------------------------------------


def seal_again(site: TinySite, change: Callable[[dict[str, object], Path], None]) -> None:
    """Change the first folder and make every size, digest, seal and chain fit again, as a careful forger would."""
    previous: dict[str, str] = {}
    for place, folder in enumerate(sorted((site.root / store.PLACE).iterdir())):
        snapshot = json.loads((folder / store.SNAPSHOT).read_bytes())
        snapshot.pop("seal")
        snapshot.pop("previous", None)
        if place == 0:
            change(snapshot, folder)
        for name in snapshot["files"]:
            data = (folder / name).read_bytes()
            snapshot["files"][name] = {"bytes": len(data), "sha256": sha256(data)}
        data = store.snapshot_bytes({**snapshot, **previous})
        (folder / store.SNAPSHOT).write_bytes(data)
        previous = {"previous": sha256(data)}


def another_day(snapshot: dict[str, object], folder: Path) -> None:
    snapshot["published_at"] = "2020-01-01"


def another_line(snapshot: dict[str, object], folder: Path) -> None:
    lines = (folder / store.LOG).read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b" 2026-03-04 ", b" 2026-03-05 ")
    (folder / store.LOG).write_bytes(b"".join(lines))
    log = snapshot["log"]
    assert isinstance(log, dict)
    log["sha256"] = checkpoint_of(lines).sha256


def another_checkpoint(snapshot: dict[str, object], folder: Path) -> None:
    log = snapshot["log"]
    assert isinstance(log, dict)
    log["sha256"] = "0" * 64


def replaced(file: Path, old: bytes, new: bytes) -> None:
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new))


def other_project(snapshot: dict[str, object], folder: Path) -> None:
    """Give a run to somebody else."""
    mine, other = (f'"project":"{chain.project().digest}"'.encode() for chain in (FAST, OTHER))
    replaced(folder / store.PROVENANCE, mine, other)


def other_fact(snapshot: dict[str, object], folder: Path) -> None:
    replaced(folder / store.FACTS, b"MIT", b"BSD")


def another_dump_day(snapshot: dict[str, object], folder: Path) -> None:
    snapshot["dump"] = str(snapshot["dump"])[:-4] + "0000"


def no_rejections(snapshot: dict[str, object], folder: Path) -> None:
    snapshot["rejections"] = [{"reason": "MALFORMED"}]


@pytest.mark.parametrize(
    ("change", "file"),
    [
        (another_day, "log.txt:1"),
        (another_line, "log.txt:5"),
        (another_checkpoint, "snapshot.json"),
        (other_project, "log.txt:11"),
        (other_fact, "log.txt:11"),
        (another_dump_day, "log.txt:11"),
    ],
)
def test_records_that_no_longer_give_their_checkpoint_stop_the_build(
    site: TinySite, change: Callable[[dict[str, object], Path], None], file: str
) -> None:
    site.feed(FAST, OTHER, {"about": FAST.implementation().digest, "fact": "licence", "value": "MIT"})
    site.feed(SLOW)
    published(site)
    seal_again(site, change)
    (fault,) = faults(lambda: build(site.root, jobs=1))
    assert isinstance(fault, ContentError)
    assert (fault.code, fault.at) == ("log-changed", f"{store.folders(site.root)[0].at()}/{file}")


def test_lists_of_a_snapshot_that_quote_the_dump_are_covered_too(site: TinySite) -> None:
    site.feed(FAST)
    seal_again(site, no_rejections)
    (fault,) = faults(lambda: build(site.root, jobs=1))
    assert (fault.code, fault.at) == ("record-changed", f"{store.folders(site.root)[0].at()}/snapshot.json")


def test_a_log_of_a_later_version_is_refused(site: TinySite) -> None:
    def later(snapshot: dict[str, object], folder: Path) -> None:
        log = snapshot["log"]
        assert isinstance(log, dict)
        log["v"] = 3

    site.feed(FAST)
    seal_again(site, later)
    assert [fault.code for fault in faults(lambda: build(site.root, jobs=1))] == ["log-version"]


# -- histories ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_every_published_log_goes_on_where_the_one_before_ended(tmp_path: Path, seed: int) -> None:
    """Publish, edit, publish: proved with `head` and `sha256sum`, and every build equals a build from nothing."""
    chance = random.Random(seed)
    site = TinySite(tmp_path)
    site.feed(FAST, SLOW)
    checkpoints: list[bytes] = []
    for step in range(10):
        for _ in range(chance.randint(0, 3)):
            site.note(f"n{chance.randint(0, 10**6)}", "dispute", chance.choice([FAST, SLOW]).digest,
                      why=f"Reason {step}.", when=f"2026-0{chance.randint(1, 3)}-01")  # fmt: skip
        if chance.random() < 0.5:
            site.feed(Chain(10 + step, 50 + step, user=f"U{step}"), on="2026-05-06")
        else:
            sealed(site)
        output = build(site.root, jobs=1).output
        checkpoints.append((output / "log/checkpoint").read_bytes())
        for text in checkpoints:
            lines, digest = text.decode().split()
            command = f"head -n {lines} log.txt | sha256sum"
            done = subprocess.run(["sh", "-c", command], cwd=output / "log", capture_output=True, text=True, check=True)
            assert done.stdout.split()[0] == digest
    shutil.copytree(output, tmp_path / "incremental")
    shutil.rmtree(site.root / "build")
    clean = build(site.root, jobs=1).output
    for path in sorted((tmp_path / "incremental").rglob("*")):
        if path.is_file():
            assert (clean / path.relative_to(tmp_path / "incremental")).read_bytes() == path.read_bytes(), path


def test_the_log_is_not_written_again_while_nothing_is_published(
    site: TinySite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.feed(FAST, SLOW)
    site.note("one", "dispute", FAST.digest)
    log = build(site.root, jobs=1).output / "log/log.txt"
    before = log.read_bytes()
    asked: list[int] = []
    chunks = Publication.chunks
    monkeypatch.setattr(Publication, "chunks", lambda self, *parts: asked.append(1) or chunks(self, *parts))
    (site.root / "content/pages").mkdir()
    (site.root / "content/pages/extra.md").write_text('+++\ntitle = "Extra"\n+++\n\nWords.\n')
    assert build(site.root, jobs=1).changed
    assert asked == []
    site.feed({"manifest": FAST.operation().document, "name": "scan", "tags": ["new"]})
    assert build(site.root, jobs=1).changed
    closed = log.read_bytes()
    assert closed.startswith(before)
    assert closed.count(b"\n") == before.count(b"\n") + 1
    site.feed(LATE)
    build(site.root, jobs=1)
    assert log.read_bytes().startswith(before)
    assert len(log.read_bytes()) > len(before)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many folders of the published log each build took over when it wrote another one."""
    found: list[int] = []
    chunks = Publication.chunks
    told = lambda self, tally, folders=0: found.append(folders) or chunks(self, tally, folders)  # noqa: E731
    monkeypatch.setattr(Publication, "chunks", told)
    return found


def clean_log(site: TinySite) -> bytes:
    shutil.rmtree(site.root / "build")
    return (build(site.root, jobs=1).output / "log/log.txt").read_bytes()


def test_a_log_that_goes_on_is_taken_over_as_it_is(site: TinySite, begun: list[int]) -> None:
    site.feed(FAST, SLOW)
    build(site.root, jobs=1)
    site.note("one", "dispute", FAST.digest)
    site.feed(LATE, on="2026-05-06")
    site.feed(OTHER, on="2026-05-07")
    lines, _ = published(site)
    assert begun == [0, 1]
    assert b"".join(lines) == clean_log(site)


@pytest.mark.parametrize("damage", ["flipped", "longer", "shorter"])
def test_a_published_log_that_was_damaged_is_made_again(damage: str, site: TinySite, begun: list[int]) -> None:
    site.feed(FAST, SLOW)
    log = build(site.root, jobs=1).output / "log/log.txt"
    data = log.read_bytes()
    log.write_bytes({"flipped": data[:9] + b"9" + data[10:], "longer": data + data[-9:], "shorter": data[:-9]}[damage])
    site.feed(LATE, on="2026-05-06")
    lines, _ = published(site)
    assert begun[0] == 0
    assert 1 not in begun
    assert b"".join(lines) == clean_log(site)


def test_a_log_with_notes_that_nothing_committed_is_made_again(site: TinySite, begun: list[int]) -> None:
    site.feed(FAST, SLOW)
    site.note("one", "dispute", FAST.digest)
    build(site.root, jobs=1)
    site.feed(LATE, on="2026-05-06")
    lines, _ = published(site)
    assert begun == [0, 0]
    assert b"".join(lines) == clean_log(site)


def test_a_log_is_made_again_where_it_is_not_known_what_the_records_were(site: TinySite, begun: list[int]) -> None:
    site.feed(FAST, SLOW)
    build(site.root, jobs=1)
    site.feed(LATE, on="2026-05-06")
    (site.root / "build/cache/touched.json").unlink()
    build(site.root, jobs=1)
    assert begun == [0, 0]

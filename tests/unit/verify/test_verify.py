"""Verification of sites, records and single files: nothing is said about what is whole, and every change is named."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_site import Chain, TinySite

from leaderpress import cli
from leaderpress.canonical import canonical
from leaderpress.errors import UsageError
from leaderpress.inventory import Written, inventory_bytes, parse_inventory, parse_sums, sums_bytes
from leaderpress.log import checkpoint_of
from leaderpress.site.build import build
from leaderpress.verify import VerifyReport, verify

FAST = Chain(1, 100, metrics={"points": 3, "wins": 1, "games": 2})
TIED = Chain(2, 100, user="Bea", observed="2026-01-01T00:00:00.000Z")
SLOW = Chain(3, 300, user="Cyd")
FAILED = Chain(4, None, user="Dan", status="timeout")
OTHER = Chain(5, None, user="Eve", measurements=[("throughput", "gbps", 12.5)])
WITHDRAWN = Chain(6, 50, user="Fay")
LONE = Chain(7, 70, op="gemm", gpu="Abacus 2", cases=({"n": 3},))

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of every kind of run, with notes that are committed and one that is not."""
    site = TinySite(tmp_path_factory.mktemp("verify"))
    site.feed(FAST, TIED, SLOW, FAILED, OTHER, WITHDRAWN, LONE)
    site.note("one", "withdrawal", WITHDRAWN.digest)
    site.feed(Chain(3, 290, user="Cyd"), on="2026-04-05")
    site.note("two", "dispute", FAST.digest, when="2026-03-03")
    build(site.root, jobs=1)
    return site.root


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    """A copy of the published folder, to damage."""
    shutil.copytree(original / "build/site", tmp_path / "copy")
    return tmp_path / "copy"


def found(*paths: Path, jobs: int = 1) -> list[tuple[str, str]]:
    return [(problem.code, problem.at) for problem in verify(paths, jobs=jobs).problems]


def object_of(chain: Chain, *, kind: str = "record") -> str:
    digest = getattr(chain, kind)().digest[7:]
    return f"sha256/{digest[:2]}/{digest}.json"


def twin_of(chain: Chain) -> str:
    return f"runs/{chain.digest[7:]}/index.json"


def group_of(copy: Path, chain: Chain) -> str:
    return f"groups/{json.loads((copy / twin_of(chain)).read_bytes())['comparison_key'][7:]}/index.json"


def vouch(root: Path) -> None:
    """Make SHA256SUMS and inventory.json list what is there, as somebody would who rewrites a whole site."""
    old = parse_inventory((root / "inventory.json").read_bytes())
    files = {
        path.relative_to(root).as_posix(): Written(path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in root.rglob("*")
        if path.is_file() and path.name not in ("SHA256SUMS", "inventory.json")
    }
    lines = (root / "log/log.txt").read_bytes().splitlines(keepends=True)
    log = {"v": 1, **checkpoint_of(lines)._asdict()}
    (root / "log/checkpoint").write_bytes(checkpoint_of(lines).text())
    checkpoint = (root / "log/checkpoint").read_bytes()
    files["log/checkpoint"] = Written(len(checkpoint), hashlib.sha256(checkpoint).hexdigest())
    sums = sums_bytes(files)
    (root / "SHA256SUMS").write_bytes(sums)
    meta = {**old.meta, "log": log, "versions": old.versions}
    (root / "inventory.json").write_bytes(inventory_bytes(files, sums, meta))


# -- what is whole -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_whole_site_has_no_problem_and_everything_is_counted(original: Path, jobs: int) -> None:
    report = verify((original / "build/site",), jobs=jobs)
    assert [str(problem) for problem in report.problems] == []
    files = [path for path in (original / "build/site").rglob("*") if path.is_file()]
    assert report.counts["files"] == len(files) - 2
    assert report.counts["runs"] == len(list((original / "build/site/runs").glob("*/index.json"))) == 8
    assert report.counts["objects"] == len(list((original / "build/site/sha256").rglob("*.json")))
    assert report.counts["log lines"] == len((original / "build/site/log/log.txt").read_bytes().splitlines())
    assert report.counts["claims"] > 200
    assert report.redacted == ()


def test_records_and_the_site_that_was_built_from_them_are_verified_together(original: Path) -> None:
    report = verify((original,), jobs=1)
    assert [str(problem) for problem in report.problems] == []
    assert (report.counts["folders"], report.counts["runs"]) == (2, 8)
    assert verify((original / "content/records",)).counts["folders"] == 2
    (folder, _) = sorted((original / "content/records").iterdir())
    assert verify((folder,)).problems == ()


def test_verifying_again_what_was_copied_needs_nothing_of_the_site(copy: Path) -> None:
    assert found(copy) == []


# -- a published site --------------------------------------------------------------------------------------------------


def rewrite(path: str, change: Callable[[dict[str, Any]], object]) -> Change:
    def apply(root: Path) -> None:
        value = json.loads((root / path).read_bytes())
        change(value)
        (root / path).write_bytes(json.dumps(value, ensure_ascii=False).encode())

    return apply


def test_added_missing_and_special_files_are_named(copy: Path) -> None:
    (copy / "extra.html").write_text("x")
    (copy / "operations/zz").mkdir()
    (copy / "operations/zz/index.html").write_text("x")
    (copy / "robots.txt").unlink()
    (copy / "link").symlink_to("robots.txt")
    assert found(copy) == [
        ("file-added", "extra.html"),
        ("file-special", "link"),
        ("file-added", "operations/zz/index.html"),
        ("file-missing", "robots.txt"),
    ]
    (copy / ".git").mkdir()
    (copy / ".git/config").write_text("x")
    assert ("file-added", ".git/config") not in found(copy)


def test_the_order_of_paths_plays_no_part(copy: Path) -> None:
    """A hyphen sorts before a slash, so a folder and its neighbour must not be confused."""
    for name in ("operations-x", "operations.x", "operations/a-b", "operations/a"):
        (copy / name).mkdir(exist_ok=True)
        (copy / name / "index.html").write_text(name)
    vouch(copy)
    assert found(copy) == []


@pytest.mark.parametrize("name", ["SHA256SUMS", "inventory.json", "log/log.txt", "log/checkpoint"])
def test_a_missing_account_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    codes = {at.partition(":")[0]: code for code, at in found(copy)}
    assert name in codes


def test_a_page_that_shows_another_number_is_found_even_if_all_sums_were_made_anew(copy: Path) -> None:
    def faster(twin: dict[str, Any]) -> None:
        twin["primary"] |= {"number": "90", "exact": "90 ns", "value": 90}

    rewrite(twin_of(FAST), faster)(copy)
    vouch(copy)
    at = twin_of(FAST)
    pointers = ("number", "exact", "value")
    assert {("run-differs", f"{at}#/primary/{name}") for name in pointers} <= set(found(copy))
    (problem, *_) = [one for one in verify((copy,)).problems if one.at.endswith("/primary/value")]
    assert "expected 100, found 90" in problem.problem


RUN_CLAIMS: dict[str, Callable[[dict[str, Any]], object]] = {
    "/digest": lambda twin: twin.update(digest=SLOW.digest),
    "/status": lambda twin: twin.update(status="failed"),
    "/observed_at": lambda twin: twin.update(observed_at="2026-01-02T03:04:05.679Z"),
    "/observed_on": lambda twin: twin.update(observed_on="2026-01-03"),
    "/evidence": lambda twin: twin.update(evidence="reproducible"),
    "/comparison_key": lambda twin: twin.update(comparison_key="sha256:" + "0" * 64),
    "/primary/unit": lambda twin: twin["primary"].update(unit="µs"),
    "/standing/rank": lambda twin: twin["standing"].update(rank=2),
    "/standing/of": lambda twin: twin["standing"].update(of=2),
    "/standing": lambda twin: twin.update(standing=None),
    "/workload/digest": lambda twin: twin["workload"].update(digest=SLOW.digest),
    "/documents/0/digest": lambda twin: twin["documents"][0].update(digest=SLOW.digest),
    "/documents/1/digest": lambda twin: twin["documents"][1].update(digest=SLOW.digest),
    "/documents/0/bytes": lambda twin: twin["documents"][0].update(bytes=1),
    "/documents": lambda twin: twin["documents"].pop(0),
    "/measurements/1/figure/value": lambda twin: twin["measurements"][1]["figure"].update(value=99),
}


@pytest.mark.parametrize("pointer", RUN_CLAIMS)
def test_every_claim_of_a_run_page_is_held_against_the_objects(copy: Path, pointer: str) -> None:
    rewrite(twin_of(FAST), RUN_CLAIMS[pointer])(copy)
    vouch(copy)
    assert ("run-differs", f"{twin_of(FAST)}#{pointer}") in found(copy)


def swap(twin: dict[str, Any]) -> None:
    twin["runs"][0], twin["runs"][1] = twin["runs"][1], twin["runs"][0]


GROUP_CLAIMS: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "key": ("/key", lambda twin: twin.update(key="sha256:" + "0" * 64)),
    "body": ("/key_body", lambda twin: twin.update(key_body=twin["key_body"] + " ")),
    "digest of the ranking": ("/ranking", lambda twin: twin.update(ranking="sha256:" + "0" * 64)),
    "value": ("/runs/0/value", lambda twin: twin["runs"][0].update(value=1)),
    "rank": ("/runs/2/rank", lambda twin: twin["runs"][2].update(rank=1)),
    "tie": ("/runs/0/tied", lambda twin: twin["runs"][0].update(tied=False)),
    "order": ("/runs/0/digest", swap),
    "evidence": ("/runs/0/evidence", lambda twin: twin["runs"][0].update(evidence="reproducible")),
    "stranger": ("/runs/0", lambda twin: twin["runs"][0].update(digest=LONE.digest)),
    "failed": ("/runs/0/value", lambda twin: twin["runs"][0].update(digest=FAILED.digest)),
    "records": ("/records", lambda twin: twin["records"].pop()),
    "left out": ("/ranking", lambda twin: twin["runs"].pop()),
    "excluded": ("/excluded/0/digest", lambda twin: twin["excluded"][0].update(digest="sha256:" + "1" * 64)),
}


@pytest.mark.parametrize("change", GROUP_CLAIMS)
def test_every_claim_of_a_group_page_is_computed_again(copy: Path, change: str) -> None:
    pointer, edit = GROUP_CLAIMS[change]
    group = group_of(copy, FAST)
    rewrite(group, edit)(copy)
    vouch(copy)
    assert ("group-differs", f"{group}#{pointer}") in found(copy)


def test_a_twin_of_another_shape_is_named(copy: Path) -> None:
    rewrite(twin_of(FAST), lambda twin: twin.pop("identity"))(copy)
    vouch(copy)
    assert ("twin-shape", twin_of(FAST)) in found(copy)


@pytest.mark.parametrize("kind", ["implementation", "suite", "protocol", "environment", "operation"])
def test_a_broken_chain_is_named_where_it_breaks(copy: Path, kind: str) -> None:
    missing = object_of(LONE, kind=kind)
    shared = kind == "protocol"
    (copy / missing).unlink()
    vouch(copy)
    problems = found(copy)
    assert any(code == "object-missing" and at.startswith("log/log.txt:") for code, at in problems)
    parent = {"operation": object_of(LONE, kind="suite")}.get(kind, object_of(LONE))
    assert ("chain-broken", parent) in problems
    assert shared == (("chain-broken", object_of(FAST)) in problems)


def test_an_object_of_the_wrong_kind_in_the_chain_is_named(copy: Path) -> None:
    body = json.loads((copy / object_of(LONE)).read_bytes())
    body["spec"]["protocolDigest"] = LONE.environment().digest
    data = canonical(body)
    digest = hashlib.sha256(data).hexdigest()
    path = f"sha256/{digest[:2]}/{digest}.json"
    (copy / path).parent.mkdir(exist_ok=True)
    (copy / path).write_bytes(data)
    vouch(copy)
    assert {("chain-kind", path), ("object-unlogged", path)} <= set(found(copy))


def test_an_object_that_is_not_canonical_or_no_document_is_named(copy: Path) -> None:
    for data in (b'{"kind":"BenchmarkRun","apiVersion":"x","spec":{}}', b"[]", b"no JSON", b'{"a":1}'):
        digest = hashlib.sha256(data).hexdigest()
        path = copy / f"sha256/{digest[:2]}/{digest}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        vouch(copy)
        assert ("object-changed", path.relative_to(copy).as_posix()) in found(copy)
        path.unlink()


# -- the log of a site -------------------------------------------------------------------------------------------------


def relog(root: Path, change: Callable[[list[bytes]], object]) -> None:
    lines = (root / "log/log.txt").read_bytes().splitlines(keepends=True)
    change(lines)
    (root / "log/log.txt").write_bytes(b"".join(lines))


def test_a_line_without_its_object_and_an_object_without_its_line_are_named(copy: Path) -> None:
    relog(copy, lambda lines: lines.pop(2))
    vouch(copy)
    problems = found(copy)
    assert ("log-number", "log/log.txt:3") in problems
    assert [code for code, _ in problems].count("object-unlogged") >= 1


def test_a_line_that_names_another_kind_is_found(copy: Path) -> None:
    relog(copy, lambda lines: lines.__setitem__(0, lines[0].replace(b"OperationSpec", b"WorkloadSuite")))
    vouch(copy)
    assert [code for code, _ in found(copy)] == ["object-kind"]
    relog(copy, lambda lines: lines.__setitem__(0, lines[0].replace(b"WorkloadSuite", b"Surprise")))
    vouch(copy)
    assert ("log-kind", "log/log.txt:1") in found(copy)


def test_a_log_that_was_cut_is_not_the_one_of_its_checkpoint(copy: Path) -> None:
    relog(copy, lambda lines: lines.pop())
    count = len((copy / "log/log.txt").read_bytes().splitlines())
    problems = found(copy)
    assert ("log-cut", f"log/log.txt:{count + 1}") in problems
    assert ("file-changed", "log/log.txt") in problems
    assert ("log-changed", "log/log.txt") in problems


def test_the_log_of_a_site_that_its_records_do_not_give_is_found(original: Path, tmp_path: Path) -> None:
    shutil.copytree(original, tmp_path / "whole", symlinks=True)
    site = tmp_path / "whole/build/site"
    relog(site, lambda lines: lines.__setitem__(0, lines[0].replace(b" 2026-03-04 ", b" 2026-03-05 ")))
    vouch(site)
    assert found(site) == []
    assert found(tmp_path / "whole") == [("log-changed", str(site / "log/log.txt"))]


# -- records -----------------------------------------------------------------------------------------------------------


def test_changed_records_are_named(original: Path, tmp_path: Path) -> None:
    shutil.copytree(original / "content", tmp_path / "content")
    first, second = sorted((tmp_path / "content/records").iterdir())
    (first / "facts.jsonl").write_bytes(b"{}\n")
    (second / "extra").write_bytes(b"")
    name = "content/records/" + first.name
    assert found(tmp_path) == [
        ("record-changed", f"{name}/facts.jsonl"),
        ("record-changed", f"content/records/{second.name}/extra"),
    ]
    assert found(first) == [("record-changed", f"{name}/facts.jsonl")]
    (tmp_path / "content/notes/one.md").unlink()
    assert ("note-committed", "content/notes/one.md") in found(tmp_path)


# -- single files ------------------------------------------------------------------------------------------------------


def test_single_downloads_are_verified_together(copy: Path, tmp_path: Path) -> None:
    for path in (object_of(FAST), "log/log.txt", "log/checkpoint", "SHA256SUMS", "inventory.json"):
        shutil.copy(copy / path, tmp_path)
    shutil.copy(copy / twin_of(FAST), tmp_path / "page.json")
    shutil.copy(copy / object_of(FAST, kind="suite"), tmp_path / "suite.json")
    shutil.copy(copy / group_of(copy, FAST), tmp_path / "group.json")
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    report = verify(files)
    assert [str(problem) for problem in report.problems] == []
    said = "\n".join(report.says)
    assert f"BenchmarkRun {FAST.digest}" in said
    assert f"WorkloadSuite {FAST.suite().digest}" in said
    assert f"page of the run {FAST.digest}, compared with its object" in said
    assert "begins with these" in said


def test_a_single_object_under_its_own_name_must_hash_to_it(copy: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(copy / object_of(FAST), tmp_path))
    path.write_bytes(path.read_bytes().replace(b":100", b":101"))
    assert found(path) == [("object-changed", str(path))]
    # Under another name it is a document with another digest, which a log or a page tells apart.
    other = path.rename(tmp_path / "object.json")
    assert found(other) == []
    assert found(other, copy / "log/log.txt") == [("object-unlogged", str(other))]
    assert found(other, copy / "SHA256SUMS") == [("file-unlisted", str(other))]


def test_a_single_page_is_held_against_the_object_that_is_beside_it(copy: Path, tmp_path: Path) -> None:
    page = Path(shutil.copy(copy / twin_of(FAST), tmp_path / "index.json"))
    page.write_bytes(page.read_bytes().replace(b'"value":100', b'"value":99'))
    assert ("run-differs", f"{page}#/primary/value") in found(page, copy / object_of(FAST))
    assert "its object was not given" in verify([page]).says[0]


def test_the_twin_of_a_group_proves_its_own_ranking(copy: Path, tmp_path: Path) -> None:
    page = Path(shutil.copy(copy / group_of(copy, FAST), tmp_path / "index.json"))
    assert found(page) == []
    twin = json.loads(page.read_bytes())
    swap(twin)
    page.write_bytes(json.dumps(twin).encode())
    assert found(page) == [("group-differs", f"{page}#/ranking")]


def test_an_old_checkpoint_is_a_prefix_of_the_log_or_not(copy: Path, tmp_path: Path) -> None:
    lines = (copy / "log/log.txt").read_bytes().splitlines(keepends=True)
    (tmp_path / "old").write_bytes(checkpoint_of(lines[:9]).text())
    assert found(copy / "log/log.txt", tmp_path / "old") == []
    (tmp_path / "old").write_bytes(checkpoint_of(lines[1:10]).text())
    assert found(copy / "log/log.txt", tmp_path / "old") == [("log-changed", str(copy / "log/log.txt"))]


def test_what_verify_does_not_know_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words")
    (tmp_path / "file.json").write_bytes(b"[1]")
    (tmp_path / "empty").mkdir()
    for path in ("file", "file.json", "empty"):
        with pytest.raises(UsageError) as caught:
            verify([tmp_path / path])
        assert (caught.value.code, caught.value.at) == ("verify-unknown", str(tmp_path / path))
        assert caught.value.hint


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_prints_what_is_wrong_and_exits_with_one(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.run(["verify", str(copy)]) == 0
    assert ": 0 problems" in capsys.readouterr().out
    monkeypatch.chdir(copy)
    assert cli.run(["verify"]) == 0
    path = copy / object_of(FAST)
    path.write_bytes(path.read_bytes().replace(b":100", b":101"))
    capsys.readouterr()
    assert cli.run(["verify", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["problems"][0]["at"] == object_of(FAST)
    assert FAST.digest in report["problems"][0]["problem"]
    assert cli.run(["verify", str(copy / "missing")]) == 2


def test_the_command_finds_the_site_around_it(
    original: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(original / "content")
    assert cli.run(["verify"]) == 0
    assert "2 folders" in capsys.readouterr().out


def test_nothing_is_written(copy: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    assert isinstance(verify((copy,)), VerifyReport)
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == before


def test_sums_that_are_no_sums_are_named_by_their_line(copy: Path) -> None:
    lines = (copy / "SHA256SUMS").read_bytes().splitlines(keepends=True)
    lines[3], lines[4] = lines[4], lines[3]
    lines[7] = b"x" + lines[7]
    (copy / "SHA256SUMS").write_bytes(b"".join(lines))
    problems = found(copy)
    assert {("sums-line", "SHA256SUMS:5"), ("sums-line", "SHA256SUMS:8"), ("sums-changed", "SHA256SUMS")} <= set(
        problems
    )
    assert parse_sums(b"".join(lines[:3]))


# -- what was lawfully removed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["record", "implementation", "suite", "protocol", "environment", "operation"])
def test_a_tombstone_is_redacted_and_not_tampered_with(copy: Path, kind: str) -> None:
    manifest = getattr(LONE, kind)()
    texts = dict.fromkeys(("when", "why", "basis", "who", "note"), "x")
    head = {"apiVersion": "leaderpress/v1", "kind": "Tombstone", "digest": manifest.digest, "of": manifest.kind}
    (copy / object_of(LONE, kind=kind)).write_bytes(canonical({**head, "whole": True, **texts}))
    if kind == "record":
        # The run leaves its ranking; what is left of its page makes no claim that could be checked.
        (copy / group_of(copy, LONE)).unlink()
    vouch(copy)
    report = verify((copy,), jobs=1)
    assert [str(problem) for problem in report.problems] == []
    assert report.redacted == (manifest.digest,)
    assert verify((copy / object_of(LONE, kind=kind),)).redacted == (manifest.digest,)


def test_a_tombstone_of_another_document_is_tampered_with(copy: Path) -> None:
    texts = dict.fromkeys(("when", "why", "basis", "who", "note"), "x")
    head = {"apiVersion": "leaderpress/v1", "kind": "Tombstone", "digest": FAST.digest, "of": "BenchmarkRun"}
    (copy / object_of(LONE)).write_bytes(canonical({**head, "whole": True, **texts}))
    vouch(copy)
    assert ("object-changed", object_of(LONE)) in found(copy)

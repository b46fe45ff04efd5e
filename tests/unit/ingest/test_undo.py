"""Taking the newest folder of records back: only while nothing that was published relies on it, and in one step."""

import os
import signal
from datetime import date
from pathlib import Path

import pytest
from tiny_site import Chain, TinySite

from leaderpress import cli, store
from leaderpress.errors import ContentError, Problems
from leaderpress.ingest import seal, undo
from leaderpress.site.build import build
from leaderpress.site.editions import freeze

ONE, TWO, MORE = Chain(1, 100), Chain(2, 200, user="Bea"), Chain(3, 50, user="Cy")


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    made = TinySite(tmp_path)
    made.feed(ONE, TWO)
    return made


def records(site: TinySite) -> dict[str, bytes]:
    folder = site.root / "content" / "records"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(site: TinySite) -> list[tuple[str, str]]:
    before = records(site)
    with pytest.raises(Problems) as caught:
        undo(site.root, unpublished=True)
    assert records(site) == before
    return [(fault.code, fault.at) for fault in caught.value.problems]


def published(site: TinySite) -> dict[str, bytes]:
    out = site.root / "build" / "site"
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_a_folder_that_nothing_published_contains_is_taken_back_as_if_it_had_never_been(site: TinySite) -> None:
    build(site.root, jobs=1)
    before, site_before = records(site), published(site)
    report = site.feed(ONE, MORE)
    undone = undo(site.root, unpublished=True)
    assert (undone.folder, undone.source, undone.published_at) == (report.folder, "board", "2026-03-04")
    assert undone.documents == 3, "project, implementation and run"
    assert records(site) == before
    assert build(site.root, jobs=1).changed is False
    assert published(site) == site_before
    assert site.feed(ONE, MORE).folder[:6] == report.folder[:6]


def test_the_only_folder_can_go_too(site: TinySite) -> None:
    undo(site.root, unpublished=True)
    assert records(site) == {}
    with pytest.raises(ContentError) as caught:
        undo(site.root, unpublished=True)
    assert caught.value.code == "undo-nothing"


def test_what_a_build_published_stays(site: TinySite) -> None:
    site.feed(ONE, MORE)
    build(site.root, jobs=1)
    assert refused(site) == [("undo-published", "build/site/log/checkpoint")]


def test_a_seal_that_a_build_published_stays(site: TinySite) -> None:
    site.note("one", "dispute", ONE.digest)
    seal(site.root, published_at=date(2026, 4, 1), today=date.today)
    undo(site.root, unpublished=True)
    seal(site.root, published_at=date(2026, 4, 1), today=date.today)
    build(site.root, jobs=1)
    assert refused(site) == [("undo-published", "build/site/log/checkpoint")]


def test_facts_that_a_build_published_stay(site: TinySite) -> None:
    build(site.root, jobs=1)
    fact = {"about": ONE.implementation().digest, "fact": "licence", "value": "MIT"}
    site.feed(fact)
    undo(site.root, unpublished=True)
    site.feed(fact)
    build(site.root, jobs=1)
    assert refused(site) == [("undo-published", "build/site/log/checkpoint")]
    (site.root / "build/site/log/checkpoint").unlink()
    assert refused(site) == [("undo-published", "build/site/changes/index.json")]


def test_a_site_that_was_published_without_a_log_counts_too(site: TinySite) -> None:
    site.feed(ONE, MORE)
    build(site.root, jobs=1)
    (site.root / "build/site/log/checkpoint").unlink()
    assert refused(site) == [("undo-published", f"build/site/runs/{MORE.digest[7:]}/index.html")]


def test_a_published_site_of_before_does_not_matter(site: TinySite) -> None:
    build(site.root, jobs=1)
    (site.root / "build/site/log/checkpoint").unlink()
    site.feed(ONE, MORE)
    undo(site.root, unpublished=True)


def test_an_edition_that_ranks_it_keeps_it(site: TinySite) -> None:
    freeze(site.root, "before", published_at=date(2026, 4, 1), today=date.today)
    site.feed(ONE, MORE)
    freeze(site.root, "after", published_at=date(2026, 4, 1), today=date.today)
    assert refused(site) == [("undo-edition", "content/editions/after.json")]
    (site.root / "content/editions/after.json").unlink()
    undo(site.root, unpublished=True)


def test_a_note_about_its_runs_keeps_it_and_one_about_older_runs_does_not(site: TinySite) -> None:
    site.feed(ONE, MORE)
    site.note("old", "dispute", ONE.digest)
    site.note("new", "correction", ONE.digest, successor=MORE.digest)
    assert refused(site) == [("undo-note", "content/notes/new.md")]
    (site.root / "content/notes/new.md").unlink()
    undo(site.root, unpublished=True)


def test_notes_that_it_committed_are_open_again_also_where_they_were_published(site: TinySite) -> None:
    site.note("doubt", "dispute", ONE.digest)
    build(site.root, jobs=1)
    log = published(site)["log/log.txt"]
    report = site.feed(ONE, MORE)
    assert report.snapshot["log"]["notes"]
    undo(site.root, unpublished=True)
    build(site.root, jobs=1)
    assert published(site)["log/log.txt"] == log


def test_a_seal_is_taken_back_like_an_ingest(site: TinySite) -> None:
    before = records(site)
    site.note("doubt", "dispute", ONE.digest)
    seal(site.root, published_at=date(2026, 4, 1), today=date.today)
    assert undo(site.root, unpublished=True).documents == 0
    assert records(site) == before


def test_proposals_that_came_with_it_go_too(tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    many = [Chain(n, n) for n in range(1, 41)]
    task = many[0].operation().digest
    site.feed(*many, {"task": task, "rows": 40, "listed": 40})
    report = site.feed(*many[:-1], {"task": task, "rows": 39, "listed": 39})
    assert (site.root / report.review).is_dir()
    undo(site.root, unpublished=True)
    assert not (site.root / report.review).exists()


def test_while_another_command_writes_nothing_is_taken_back(site: TinySite) -> None:
    with store.exclusive(site.root), pytest.raises(ContentError) as caught:
        undo(site.root, unpublished=True)
    assert caught.value.code == "store-locked"


@pytest.mark.parametrize("moment", ["before", "renamed", "half", "after"])
def test_killed_at_any_moment_it_is_whole_or_gone(site: TinySite, moment: str) -> None:
    before = records(site)
    site.feed(ONE, MORE)
    whole = records(site)
    child = os.fork()
    if child == 0:
        _die_at(moment)
        undo(site.root, unpublished=True)
        os._exit(0)
    os.waitpid(child, 0)
    assert {path: data for path, data in records(site).items() if not path.startswith(".")} == (
        whole if moment == "before" else before
    )
    held = store.folders(site.root)
    assert len(held) == (2 if moment == "before" else 1)
    site.feed(ONE, Chain(9, 1))
    assert [path.name for path in (site.root / "content/records").iterdir() if path.name.startswith(".")] == []


def _die_at(moment: str) -> None:
    """Make the process kill itself at one step of the removal."""
    import shutil

    from leaderpress.store import draft

    def dying(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if moment == "before":
        Path.rename = dying  # type: ignore[method-assign, assignment]
    elif moment == "renamed":
        draft._sync = dying
    elif moment == "half":
        real = os.unlink
        left = [2]

        def unlink(path: object, **more: object) -> None:
            left[0] -= 1
            (real if left[0] else dying)(path, **more)  # type: ignore[operator]

        os.unlink = unlink  # type: ignore[assignment]
    else:
        real_rmtree = shutil.rmtree

        def rmtree(path: object, **more: object) -> None:
            real_rmtree(path, **more)  # type: ignore[arg-type]
            dying()

        shutil.rmtree = rmtree  # type: ignore[assignment]


def test_from_the_command_line(site: TinySite, capsys: pytest.CaptureFixture[str]) -> None:
    report = site.feed(ONE, MORE)
    assert cli.run(["ingest", "--undo", "--unpublished", "--site", str(site.root)]) == 0
    assert f"removed content/records/{report.folder}/ of 2026-03-04: 3 documents" in capsys.readouterr().out
    build(site.root, jobs=1)
    assert cli.run(["ingest", "--undo", "--site", str(site.root)]) == 1
    assert "undo-published" in capsys.readouterr().err
    assert cli.run(["ingest", "board", "--undo", "--site", str(site.root)]) == 2
    assert cli.run(["ingest", "board", "x", "--unpublished", "--site", str(site.root)]) == 2
    assert cli.run(["ingest", "board", "--site", str(site.root)]) == 2


# -- what is known of the published site -------------------------------------------------------------------------------


def run_undo(site: TinySite, *more: str) -> int:
    return cli.run(["ingest", "--undo", "--site", str(site.root), *more])


def test_without_a_published_site_at_hand_somebody_has_to_say_what_was_published(
    site: TinySite, capsys: pytest.CaptureFixture[str]
) -> None:
    before = records(site)
    assert run_undo(site) == 1
    told = capsys.readouterr().err
    assert "build/site holds nothing, so what is published is not known" in told
    assert "--unpublished" in told
    assert "--against" in told
    assert records(site) == before
    assert run_undo(site, "--unpublished") == 0
    assert records(site) == {}


@pytest.mark.parametrize("kept", ["inventory.json", "log/checkpoint", "."])
def test_a_kept_account_tells_what_was_published(site: TinySite, kept: str, tmp_path: Path) -> None:
    build(site.root, jobs=1, out=tmp_path / "old")
    site.feed(ONE, MORE)
    build(site.root, jobs=1, out=tmp_path / "new")
    before = records(site)
    assert run_undo(site, "--against", str(tmp_path / "new" / kept)) == 1
    assert records(site) == before
    assert run_undo(site, "--against", str(tmp_path / "old" / kept)) == 0
    assert records(site) != before


def test_sums_alone_do_not_tell_how_long_the_log_was(
    site: TinySite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(site.root, jobs=1, out=tmp_path / "new")
    assert run_undo(site, "--against", str(tmp_path / "new" / "SHA256SUMS")) == 1
    assert "inventory.json" in capsys.readouterr().err


def test_an_account_of_another_site_tells_nothing(
    site: TinySite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = TinySite(tmp_path / "other")
    other.feed(Chain(7, 7))
    build(other.root, jobs=1)
    site.feed(ONE, MORE)
    assert run_undo(site, "--against", str(other.root / "build/site/log/checkpoint")) == 1
    assert "not of these records" in capsys.readouterr().err

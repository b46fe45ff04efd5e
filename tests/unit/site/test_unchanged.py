"""A build that finds nothing to do: what it takes on trust, and what it must notice."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_site import SITE, TABLE, Chain, TinySite

from leaderpress.digests import FileDigests
from leaderpress.errors import ContentError
from leaderpress.site import unchanged
from leaderpress.site.report import BuildReport
from leaderpress.site.update import update

BUILDS = {"leaderpress.site.build", "leaderpress.index", "sqlite3", "jinja2", "pydantic", "markdown_it"}
"""What a build loads, and finding that nothing changed must not."""

LOADED = """
import json, sys
from pathlib import Path
from leaderpress.site.update import update
report = update(Path(sys.argv[1]))
print(json.dumps([report.why, sorted(sys.modules)]))
"""


@pytest.fixture
def site(tmp_path: Path) -> TinySite:
    site = TinySite(tmp_path)
    site.feed(Chain(1, 100), Chain(2, 200, user="Bea"))
    update(site.root, jobs=1)
    return site


def again(site: TinySite) -> BuildReport:
    return update(site.root, jobs=1)


def was_kept(site: TinySite) -> bool:
    """Whether the next build did not even look at the records."""
    return "content" not in again(site).stages


def test_a_build_without_a_change_loads_nothing_that_builds(site: TinySite) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOADED, str(site.root)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    why, modules = json.loads(done.stdout)
    assert why == "nothing"
    assert BUILDS.isdisjoint(modules)


def test_it_reports_what_the_build_before_reported(site: TinySite) -> None:
    (site.root / "content" / "site.toml").write_text(SITE.replace("permalink_base", "#"))
    built, kept = again(site), again(site)
    assert kept.why == "nothing"
    assert (built.changed, kept.changed, kept.rendered, kept.causes) == (True, False, 0, {})
    for name in ("output", "files", "bytes", "pages", "kinds", "sums"):
        assert getattr(kept, name) == getattr(built, name), name
    assert [str(warning) for warning in kept.warnings] == [str(warning) for warning in built.warnings] != []


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _in_place(path: Path) -> None:
    """Another byte with the same size and times."""
    times = path.stat()
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


NOTICED: dict[str, Callable[[TinySite], object]] = {
    "a setting": lambda site: _write(site.root / "content" / "site.toml", SITE.replace("Tiny press", "Press")),
    "a source table": lambda site: site.table(TABLE.replace("Points", "Score")),
    "a written page": lambda site: _write(site.root / "content/pages/ours.md", '+++\ntitle = "Page"\n+++\n\nOne.\n'),
    "a note": lambda site: site.note("x", "dispute", Chain(1, 100).digest),
    "an ingest": lambda site: site.feed(Chain(3, 300, user="Cyd")),
    "a theme": lambda site: _write(site.root / "themes" / "own" / "theme.toml", 'extends = "default"\n'),
    "a published file": lambda site: _in_place(site.root / "build/site/index.html"),
    "a missing file": lambda site: (site.root / "build/site/index.html").unlink(),
    "the inventory": lambda site: _in_place(site.root / "build/site/inventory.json"),
    "the kept facts": lambda site: _in_place(site.root / "build/cache" / unchanged.KEPT),
}


@pytest.mark.parametrize("edit", NOTICED)
def test_every_change_is_noticed(edit: str, site: TinySite) -> None:
    assert was_kept(site)
    before = (site.root / "build/site/SHA256SUMS").read_bytes()
    NOTICED[edit](site)
    assert not was_kept(site)
    assert was_kept(site)
    published = edit in ("a published file", "a missing file", "the inventory", "the kept facts", "a theme")
    assert ((site.root / "build/site/SHA256SUMS").read_bytes() == before) is published


def test_a_record_that_was_changed_in_place_is_still_refused(site: TinySite) -> None:
    [record] = (site.root / "content" / "records").glob("*/manifests.jsonl")
    _in_place(record)
    with pytest.raises(ContentError, match="has changed"):
        again(site)


def test_another_published_site_is_not_taken_for_this_one(site: TinySite, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    update(site.root, jobs=1, out=elsewhere)
    assert "content" not in update(site.root, jobs=1, out=elsewhere).stages
    assert was_kept(site)
    (site.root / "content" / "site.toml").write_text(SITE.replace("Tiny press", "Press"))
    assert not was_kept(site)
    assert "content" in update(site.root, jobs=1, out=elsewhere).stages


def test_what_is_edited_while_a_build_runs_is_not_taken_for_built(site: TinySite) -> None:
    page = site.root / "content" / "pages" / "ours.md"
    _write(page, '+++\ntitle = "Page"\n+++\n\nOne.\n')

    def edit_and_undo(_: int) -> None:
        text = page.read_text()
        page.write_text(text.replace("One.", "Two."))
        page.write_text(text)

    update(site.root, jobs=1, progress=edit_and_undo)
    assert not was_kept(site)
    assert was_kept(site)


def test_files_behind_links_are_looked_at_once(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    _write(tmp_path / "shared" / "own" / "page.md", "One.")
    (tmp_path / "themes").symlink_to(tmp_path / "shared")
    (tmp_path / "shared" / "loop").symlink_to(tmp_path / "shared")
    before = unchanged.inputs_of(tmp_path)
    assert sum(path.endswith("page.md") for path in before.files) == 1
    _write(tmp_path / "shared" / "own" / "page.md", "Two.")
    after = unchanged.inputs_of(tmp_path)
    assert before.state != after.state
    assert before.digest(FileDigests()) == after.digest(FileDigests())  # both read what stands there now

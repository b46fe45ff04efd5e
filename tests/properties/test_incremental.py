"""Random series of edits: what an incremental build publishes is what a clean build publishes, byte for byte.

The board is invented.  Between builds it grows, revises, renames, forgets; notes, pages, settings, source tables and
the theme are edited; the cache and the published files are damaged or deleted; builds are killed.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from invented_board import SITE, TABLE, Board

from leaderpress.errors import LeaderpressError, Problems
from leaderpress.ingest import ingest, seal
from leaderpress.redaction import Request, redact
from leaderpress.site.build import build, explain
from leaderpress.site.editions import freeze
from leaderpress.site.report import BuildReport
from leaderpress.site.update import update
from leaderpress.store import committed_notes, folders


class World:
    """One site with its history, its board, and the edits that may befall it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.site = folder / "site"
        self.content = self.site / "content"
        self.out = self.site / "build" / "site"
        self.board = Board(self.chance)
        self.settings: dict[str, Any] = {
            "title": "Invented records",
            "base": 'permalink_base = "https://records.example/"',
            "links": "directory",
            "theme": "default",
            "number": 1,
        }
        self.table: dict[str, Any] = {"number": 1, "digits": 4, "better": "higher"}
        self.dumps = 0
        for name in ("sources", "notes", "pages"):
            (self.content / name).mkdir(parents=True)
        self.configure()
        self.restate()
        self.upstream()

    # -- edits -----------------------------------------------------------------------------------------------------

    def upstream(self) -> None:
        """A further dump is ingested."""
        for _ in range(self.chance.randint(1, 3)):
            self.board.evolve()
        self.dumps += 1
        dump = self.folder / f"dump-{self.dumps}"
        self.board.write(dump)
        day = date(2026, 7, 1 + self.dumps % 28)
        # Notes that contradict each other are refused before they come into the log.
        with suppress(Problems):
            ingest(self.site, "invented", [dump], published_at=day, retrieved_at=None, today=lambda: day)
        shutil.rmtree(dump)

    def seal(self) -> None:
        """The notes so far are committed to the log."""
        with suppress(Problems):
            seal(self.site, published_at=date(2026, 8, 3), today=date.today)

    def several_dumps(self) -> None:
        """The publisher ingests more than once before building."""
        for _ in range(self.chance.randint(2, 3)):
            self.upstream()

    def meanwhile(self) -> None:
        """While a build runs, a dump is ingested and another command brings the index up to date."""

        def interfere(_: int) -> None:
            nonlocal done
            if not done:
                done = True
                self.upstream()
                with suppress(LeaderpressError):
                    explain(self.site, "index.html", self.folder / "elsewhere")

        done = False
        with suppress(LeaderpressError):
            build(self.site, jobs=1, progress=interfere)

    def configure(self) -> None:
        self.settings["number"] += 1
        setting = self.chance.choice(["title", "base", "links", "number"])
        if setting == "title":
            self.settings["title"] = f"Invented records {self.settings['number']}"
        elif setting == "base":
            self.settings["base"] = "" if self.settings["base"] else 'permalink_base = "https://records.example/"'
        elif setting == "links":
            self.settings["links"] = self.chance.choice(["directory", "file"])
        (self.content / "site.toml").write_text(SITE.format(**self.settings))

    def restate(self) -> None:
        """The publisher edits the source's table."""
        self.table["number"] += self.chance.randint(0, 1)
        self.table["digits"] = self.chance.randint(2, 5)
        self.table["better"] = self.chance.choice(["higher", "lower"])
        (self.content / "sources" / "invented.toml").write_text(TABLE.format(**self.table))

    def note(self) -> None:
        """A note that is not in the log yet is added, edited or removed."""
        committed = {file for _, file in committed_notes(folders(self.site))}
        notes = sorted(path for path in (self.content / "notes").glob("note-*.md") if path.name not in committed)
        if notes and self.chance.random() < 0.4:
            self.chance.choice(notes).unlink()
            return
        runs = [path.parent.name for path in sorted(self.out.glob("runs/*/index.json"))]
        if not runs:
            return
        target, other = self.chance.choice(runs), self.chance.choice(runs)
        kind = self.chance.choice(["withdrawal", "dispute", "attestation", "correction"])
        extra = {"attestation": 'type = "reproduction"', "correction": f'successor = "sha256:{other}"'}.get(kind, "")
        if kind == "correction" and other == target:
            return
        text = f'+++\nkind = "{kind}"\ntarget = "sha256:{target}"\nwho = "R. Viewer"\nwhen = 2026-08-02\n'
        why = f'why = "Reason {self.chance.randint(1, 99)}."\n{extra}\n+++\nSee *there*.\n'
        name = f"note-{self.chance.randint(1, 4)}-after-{len(committed)}.md"
        (self.content / "notes" / name).write_text(text + why)

    def override(self) -> None:
        """The publisher says something of its own about a page, something else, or no longer."""
        kind = self.chance.choice(["projects", "operations", "hardware"])
        slugs = [path.parent.name for path in sorted(self.out.glob(f"{kind}/*/index.json"))]
        if not slugs:
            return
        slug, other = self.chance.choice(slugs), self.chance.choice(slugs)
        path = self.content / "overrides" / kind / f"{slug}.toml"
        if path.exists() and self.chance.random() < 0.4:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        same = f'same_as = ["{other}"]\n' if kind == "projects" and other != slug else ""
        path.write_text(f'name = "Called {self.chance.randint(1, 9)}"\n{same}')

    def remove(self) -> None:
        """A name, or a run as a whole, is removed by law."""
        kind = self.chance.choice(["projects", "projects", "runs"])
        pages = sorted(self.out.glob(f"{kind}/*/index.json"))
        if not pages:
            return
        page = json.loads(self.chance.choice(pages).read_bytes())
        texts = (page["name"],) if kind == "projects" else ()
        request = Request(page["digest"], texts, kind == "runs", "Asked for.", "The law.", "Desk", "2026-08-03")
        with suppress(LeaderpressError):
            redact(self.site, request)

    def edition(self) -> None:
        """All rankings are frozen, if every note is in the log; where there is no room for one, nothing happens."""
        with suppress(LeaderpressError):
            seal(self.site, published_at=date(2026, 9, 1), today=date.today)
        with suppress(LeaderpressError):
            tag = f"edition-{self.chance.randint(1, 4)}"
            freeze(self.site, tag, note="Frozen.", published_at=date(2026, 9, 1), today=date.today)

    def page(self) -> None:
        path = self.content / "pages" / self.chance.choice(["about.md", "extra.md"])
        if path.exists() and self.chance.random() < 0.4:
            path.unlink()
        else:
            path.write_text(f'+++\ntitle = "Page {self.chance.randint(1, 99)}"\n+++\n\nWords, [home](index.html).\n')

    def theme(self) -> None:
        folder = self.site / "themes" / "mine"
        (folder / "templates").mkdir(parents=True, exist_ok=True)
        (folder / "assets").mkdir(exist_ok=True)
        (folder / "theme.toml").write_text('name = "mine"\napi = 1\nextends = "default"\n')
        mark = self.chance.randint(1, 99)
        if self.chance.random() < 0.5:
            (folder / "assets" / "extra.css").write_text(f"p {{ margin: {mark}px }}\n")
        else:
            text = f'{{% extends "!default/404.html" %}}\n{{# {mark} #}}\n'
            (folder / "templates" / "404.html").write_text(text)
        self.settings["theme"] = self.chance.choice(["mine", "mine", "default"])
        (self.content / "site.toml").write_text(SITE.format(**self.settings))

    def spoil_the_cache(self) -> None:
        """Something in the cache, or the private files beside the output, is deleted or altered."""
        files = [path for path in (self.site / "build").rglob("*") if path.is_file() and self.out not in path.parents]
        if not files:
            return
        path = self.chance.choice(sorted(files))
        if self.chance.random() < 0.3:
            shutil.rmtree(self.site / "build" / "cache", ignore_errors=True)
        elif self.chance.random() < 0.4:
            path.unlink()
        else:
            _alter(path, self.chance)

    def spoil_the_site(self) -> None:
        """A published file is deleted or altered."""
        files = [path for path in self.out.rglob("*") if path.is_file()]
        own = [path for path in files if path.name not in ("SHA256SUMS", "inventory.json")]
        if not own:
            return
        path = self.chance.choice(sorted(own))
        if self.chance.random() < 0.5:
            path.unlink()
        else:
            _alter(path, self.chance)

    def killed_build(self) -> None:
        """A build is killed at a random moment."""
        child = os.fork()
        if child == 0:
            try:
                build(self.site, jobs=1)
            finally:
                os._exit(0)
        time.sleep(self.chance.uniform(0.0, 0.25))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def nothing(self) -> None:
        """No edit: the next build finds nothing to do."""

    def edits(self) -> list[Callable[[], None]]:
        return [
            self.upstream,
            self.upstream,
            self.several_dumps,
            self.meanwhile,
            self.configure,
            self.restate,
            self.note,
            self.note,
            self.seal,
            self.override,
            self.remove,
            self.edition,
            self.page,
            self.theme,
            self.spoil_the_cache,
            self.spoil_the_site,
            self.killed_build,
            self.nothing,
        ]

    # -- builds ----------------------------------------------------------------------------------------------------

    def publish(self) -> BuildReport | LeaderpressError:
        try:
            return update(self.site, jobs=1)
        except LeaderpressError as fault:
            return fault

    def clean(self) -> dict[str, str] | LeaderpressError:
        """What a build without any history publishes."""
        fresh = self.folder / "fresh"
        fresh.mkdir()
        shutil.copytree(self.content, fresh / "content")
        if (self.site / "themes").exists():
            shutil.copytree(self.site / "themes", fresh / "themes")
        try:
            build(fresh, jobs=1)
            return tree(fresh / "build" / "site")
        except LeaderpressError as fault:
            return fault
        finally:
            shutil.rmtree(fresh)


def tree(root: Path) -> dict[str, str]:
    """SHA-256 by path of what really stands on disk."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def _alter(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if not data:
        return
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    replacement = path.with_name(path.name + ".altered")
    replacement.write_bytes(data)
    os.replace(replacement, path)


def differences(got: dict[str, str], expected: dict[str, str]) -> list[str]:
    return [path for path in sorted({*got, *expected}) if got.get(path) != expected.get(path)]


def play(folder: Path, seed: int, count: int) -> None:
    world = World(folder, seed)
    told: list[str] = []
    for _ in range(count):
        edit = world.chance.choice(world.edits())
        edit()
        told.append(edit.__name__)
        outcome = world.publish()
        expected = world.clean()
        if isinstance(expected, LeaderpressError):
            assert isinstance(outcome, LeaderpressError), (seed, told)
            assert outcome.code == expected.code, (seed, told)
            continue
        assert isinstance(outcome, BuildReport), (seed, told, outcome)
        assert differences(tree(world.out), expected) == [], (seed, told[-6:], outcome.why)


def test_a_short_series_of_edits(tmp_path: Path) -> None:
    play(tmp_path, seed=1, count=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_three_hundred_edits(tmp_path: Path, seed: int) -> None:
    play(tmp_path, seed, count=30)

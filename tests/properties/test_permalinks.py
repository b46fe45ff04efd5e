"""Two hundred random histories: whatever a publisher does between publications, nothing published is lost.

The board is invented.  It grows, revises, renames, forgets and goes back to what it said; the publisher withdraws,
corrects, disputes, overrides, freezes editions, removes names and runs by law, and takes ingests back.  Most histories
are published without rendering pages: addresses follow from the index and the plan of a build, the log and the objects
are the ones that a build would write.  Every twentieth is built as a whole.
"""

import copy
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import pytest
from invented_board import NAMES, SITE, TABLE, Board

from leaderpress.checks import check_site
from leaderpress.errors import LeaderpressError, Problems
from leaderpress.index import Index, refresh
from leaderpress.ingest import ingest, seal, undo
from leaderpress.log import Tally
from leaderpress.redaction import Request, redact
from leaderpress.site.build import build
from leaderpress.site.content import Content, load_content
from leaderpress.site.editions import edition_faults, freeze
from leaderpress.site.notes import check_notes
from leaderpress.site.overrides import check_overrides
from leaderpress.site.plan import Job, plan
from leaderpress.site.publication import Publication
from leaderpress.store import PLACE, committed_notes, folders
from leaderpress.verify import verify

SETTINGS = {"title": "Invented records", "links": "directory", "theme": "default", "number": 1}
FOLDERS = {
    "subject": "implementations",
    "task": "operations",
    "project": "projects",
    "hardware": "hardware",
    "source": "sources",
    "edition": "editions",
}
"""Where the pages of a kind of job stand, if their name is the key."""


@dataclass
class Published:
    """What readers were given at one time."""

    addresses: set[str] = field(default_factory=set)
    """Folders of pages."""
    objects: dict[str, bytes] = field(default_factory=dict)
    """By path."""
    log: bytes = b""
    records: set[str] = field(default_factory=set)
    """Names of the folders of records that it was made from."""


class History:
    """One publisher, one board."""

    def __init__(self, folder: Path, seed: int, *, whole: bool) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.whole = whole
        self.site = folder / "site"
        self.content = self.site / "content"
        self.board = Board(self.chance)
        self.earlier: list[Board] = []
        self.day = date(2026, 7, 1)
        self.count = 0
        self.moved: set[str] = set()
        """New addresses of pages whose old ones held a removed text, since the last publication."""
        self.published = Published()
        for name in ("sources", "notes", "pages"):
            (self.content / name).mkdir(parents=True)
        settings = SITE.format(base='permalink_base = "https://records.example/"', **SETTINGS)
        (self.content / "site.toml").write_text(settings, encoding="utf-8")
        for slug in ("invented", "invented-too"):
            table = TABLE.format(number=1, digits=4, better="higher")
            (self.content / "sources" / f"{slug}.toml").write_text(table, encoding="utf-8")
        self.ingest()

    # -- what may happen -------------------------------------------------------------------------------------------

    def ingest(self, source: str = "invented") -> None:
        """The board as it is now is ingested; unchanged, it says nothing new."""
        self.count += 1
        dump = self.folder / f"dump-{self.count}"
        self.board.write(dump)
        if source != "invented":
            # A dump belongs to one source; the same facts in other bytes are another dump.
            (dump / "000.json").write_text((dump / "000.json").read_text() + "\n")
        with suppress(Problems):  # notes that contradict each other
            ingest(self.site, source, [dump], published_at=self.day, retrieved_at=None, today=lambda: self.day)
        shutil.rmtree(dump)

    def evolve(self) -> None:
        """The board changes, and is ingested."""
        self.earlier.append(copy.deepcopy(self.board))
        for _ in range(self.chance.randint(1, 4)):
            self.board.evolve()
        self.ingest()

    def rename(self) -> None:
        """A user is called something else everywhere."""
        old, new = self.chance.choice(NAMES), self.chance.choice([*NAMES, "Kestrel & co", "kestrel"])
        for row in self.board.submissions.values():
            row["username"] = new if row["username"] == old else row["username"]
        self.ingest()

    def vanish(self) -> None:
        """The board does not list a submission any more, or does not count it."""
        self.earlier.append(copy.deepcopy(self.board))
        number = self.chance.choice(sorted(self.board.submissions))
        if self.chance.random() < 0.5:
            self.board.submissions[number]["is_disqualified"] = True
        elif len(self.board.submissions) > 1:
            del self.board.submissions[number]
        self.ingest()

    def go_back(self) -> None:
        """The board says again what it said before."""
        if self.earlier:
            self.board = copy.deepcopy(self.chance.choice(self.earlier))
            self.board.chance = self.chance
            if self.chance.random() < 0.5:
                self.board.evolve()
        self.ingest()

    def second_source(self) -> None:
        """Another source states the same."""
        self.ingest("invented-too")

    def note(self) -> None:
        runs = self.column("select digest from run order by digest")
        if len(runs) < 2:
            return
        target, other = self.chance.sample(runs, 2)
        kind = self.chance.choice(["withdrawal", "withdrawal", "dispute", "attestation", "correction", "correction"])
        extra = {"attestation": 'type = "reproduction"', "correction": f'successor = "{other}"'}.get(kind, "")
        text = f'+++\nkind = "{kind}"\ntarget = "{target}"\nwho = "R. Viewer"\nwhen = {self.day}\nwhy = "Because."\n'
        self.count += 1
        said = f"{text}{extra}\n+++\nAbout {self.chance.choice(NAMES)}.\n"
        (self.content / "notes" / f"note-{self.count:03d}.md").write_text(said, encoding="utf-8")

    def take_note_back(self) -> None:
        """A note that is not in the log yet is removed."""
        committed = {file for _, file in committed_notes(folders(self.site))}
        for path in sorted((self.content / "notes").glob("note-*.md"))[-1:]:
            if path.name not in committed:
                path.unlink()

    def override(self) -> None:
        kind, table = self.chance.choice([("projects", "project"), ("operations", "task"), ("hardware", "environment")])
        slugs = self.column(f"select distinct slug from {table} where slug != '' order by slug")
        slug, other = self.chance.choice(slugs), self.chance.choice(slugs)
        path = self.content / "overrides" / kind / f"{slug}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        same = f'same_as = ["{other}"]\n' if kind == "projects" and other != slug else ""
        path.write_text(f'name = "Called {self.chance.randint(1, 9)}"\n{same}', encoding="utf-8")

    def edition(self) -> None:
        with suppress(LeaderpressError):
            self.seal()
            self.count += 1
            freeze(self.site, f"edition-{self.count}", published_at=self.day, today=lambda: self.day)

    def redact(self) -> None:
        """A name, a title or a run as a whole is removed by law."""
        query = self.chance.choice(
            [
                "select digest, name from project where name != '' order by digest",
                "select digest, name from project where name != '' order by digest",
                "select digest, name from task order by digest",
                "select digest, '' from run order by digest",
            ]
        )
        with self.open() as (index, _):
            found = list(index.pairs(query))
        if found:
            digest, name = self.chance.choice(found)
            texts = (name,) if name else ()
            request = Request(digest, texts, not name, "Asked for.", "The law.", "Desk", str(self.day))
            with suppress(LeaderpressError):
                self.moved |= set(redact(self.site, request).addresses)

    def undo(self) -> None:
        """The newest folder is taken back, which is refused once it was published."""
        newest = folders(self.site)[-1].name
        with suppress(LeaderpressError):
            undo(self.site, unpublished=True)
            held = {folder.name for folder in folders(self.site)}
            assert newest not in held
            if not held:
                self.ingest()

    def seal(self) -> None:
        seal(self.site, published_at=self.day, today=lambda: self.day)

    def happenings(self) -> list[Callable[[], None]]:
        often = [self.evolve, self.evolve, self.evolve, self.note, self.note, self.undo]
        return [
            *often,
            *(self.ingest, self.rename, self.vanish, self.go_back, self.second_source),
            *(self.take_note_back, self.override, self.edition, self.redact),
        ]

    def step(self) -> str:
        """One thing happens, on a day of its own."""
        self.day += timedelta(days=1)
        happening = self.chance.choice(self.happenings())
        happening()
        return happening.__name__

    # -- publication -----------------------------------------------------------------------------------------------

    def column(self, query: str) -> list[str]:
        with self.open() as (index, _):
            return [row[0] for row in index.pairs(query)]

    def open(self) -> "_Opened":
        return _Opened(self.site)

    def publish(self) -> Published:
        """Commit the notes, publish, and give what readers get."""
        self.day += timedelta(days=1)
        try:
            self.seal()
        except Problems:  # Notes that contradict each other never get into the log.
            self.drop_notes()
            self.seal()
        new = self.publication()
        built = self.site / "build" / "site"
        if self.whole:
            build(self.site, jobs=1)
            files = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
            assert {f"{address}index.html" for address in new.addresses} <= files
            assert {path: (built / path).read_bytes() for path in files if path.startswith("sha256/")} == new.objects
            assert (built / "log/log.txt").read_bytes() == new.log
        else:
            write_account(built, new)
        return new

    def publication(self) -> Published:
        """What a build would publish; raises as it does."""
        with self.open() as (index, content):
            check_notes(index, content, self.site)
            check_overrides(index, content.overrides, self.site)
            publication = Publication(index, content.notes, self.site / PLACE)
            assert publication.open == []
            if faults := [*edition_faults(index, publication, content.editions, content.editions, {})]:
                raise Problems(faults)
            log = b"".join(publication.chunks(Tally()))
            objects = dict(publication.objects())
            addresses = set()
            for job in plan(index, content):
                addresses |= set(addresses_of(job, index))
                if job.kind == "objects":
                    index.locate(job.keys)
                    objects |= {object_path(digest): index.identity(digest) for digest in job.keys}
        return Published(addresses, objects, log, {folder.name for folder in folders(self.site)})

    def drop_notes(self) -> None:
        committed = {file for _, file in committed_notes(folders(self.site))}
        for path in (self.content / "notes").glob("note-*.md"):
            if path.name not in committed:
                path.unlink()


class _Opened:
    """The index of a site, up to date, with what stands beside the records."""

    def __init__(self, site: Path) -> None:
        self.site = site

    def __enter__(self) -> tuple[Index, Content]:
        content = load_content(self.site)
        self.index = Index(refresh(self.site, content.sources, content.notes), self.site / "content" / "records")
        return self.index.__enter__(), content

    def __exit__(self, *caught: object) -> None:
        self.index.__exit__(*caught)  # type: ignore[arg-type]


def object_path(digest: str) -> str:
    return f"sha256/{digest[7:9]}/{digest[7:]}.json"


def addresses_of(job: Job, index: Index) -> Iterator[str]:
    """Folders of the pages of one job; continuation pages are nobody's to cite."""
    if job.kind == "group":
        for key in job.keys:
            yield f"groups/{key[7:]}/"
            for run in index.contents([key]):
                yield from (f"runs/{own.digest[7:]}/" for own in run.own)
    elif job.kind in FOLDERS:
        yield from (f"{FOLDERS[job.kind]}/{key.removeprefix('sha256:')}/" for key in job.keys)
    elif job.kind == "prose":
        yield from (f"{key}/" for key in job.keys)


def write_account(built: Path, new: Published) -> None:
    """What `ingest --undo` looks at in a published site."""
    (built / "log").mkdir(parents=True, exist_ok=True)
    (built / "log" / "log.txt").write_bytes(new.log)
    checkpoint = f"{new.log.count(10)} {hashlib.sha256(new.log).hexdigest()}\n"
    (built / "log" / "checkpoint").write_text(checkpoint)
    pages = sorted(f"{address}index.html" for address in new.addresses)
    (built / "SHA256SUMS").write_text("".join(f"{'0' * 64}  {path}\n" for path in pages))


# -- what must hold ----------------------------------------------------------------------------------------------------


def compare(history: History, old: Published, new: Published) -> None:
    lost = old.addresses - new.addresses
    came = history.moved & new.addresses
    assert len(lost) <= len(came), "an address is lost only with a removed text, and then there is a new one"
    assert {address.partition("/")[0] for address in lost} <= {address.partition("/")[0] for address in came}, lost
    assert new.log.startswith(old.log)
    removed = removed_documents(history.site)
    for path, data in old.objects.items():
        digest = f"sha256:{path[10:74]}"
        if new.objects[path] != data:
            assert digest in removed
            assert json.loads(new.objects[path])["digest"] == digest
    for path, data in new.objects.items():
        if f"sha256:{path[10:74]}" not in removed:
            assert hashlib.sha256(data).hexdigest() == path[10:74]


def removed_documents(site: Path) -> set[str]:
    """Digests of all documents and notes from which something was removed, and of those that came without it."""
    held = folders(site)
    if not held:
        return set()
    lines = held[-1].redactions.lines
    found = {digest for line in lines for digest in line["documents"]}
    found |= {note["old"] for line in lines for note in line["notes"].values()}
    return found | {digest for folder in held for digest in folder.snapshot.get("redacted", ())}


def check_whole(history: History, before: Path) -> None:
    """What the commands say about a built site and the one before it."""
    built = history.site / "build" / "site"
    report = check_site(built, before if before.exists() else None, jobs=1)
    lost = [problem for problem in report.problems if problem.code == "address-lost"]
    assert list(report.problems) == lost
    assert len(lost) <= len(history.moved)
    shutil.rmtree(before, ignore_errors=True)
    shutil.copytree(built, before)


def play(folder: Path, seed: int, *, whole: bool) -> History:
    history = History(folder, seed, whole=whole)
    told: list[str] = []
    try:
        for _ in range(4):
            told += [history.step() for _ in range(history.chance.randint(1, 5))]
            new = history.publish()
            told.append("publish")
            compare(history, history.published, new)
            report = verify((history.site,) if whole else (history.content / "records",), jobs=1)
            assert report.problems == ()
            if whole:
                check_whole(history, folder / "before")
            history.published, history.moved = new, set()
    except Exception as fault:
        fault.add_note(f"seed {seed}: {', '.join(told)}")
        raise
    return history


def test_one_history(tmp_path: Path) -> None:
    assert play(tmp_path, 0, whole=True).published.log


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_two_hundred_histories_lose_nothing(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 20):
        play(tmp_path / str(seed), seed, whole=seed % 20 == 0)
        shutil.rmtree(tmp_path / str(seed))

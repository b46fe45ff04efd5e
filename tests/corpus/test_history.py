"""A scripted history of the real leaderboard: nothing published is lost, changed in silence, or deniable.

Half of the submissions are published.  Then come the rest and one change of each kind; the publisher accepts one
proposed withdrawal, withdraws another run, and publishes; removes a name and a whole run by law, and publishes again.
"""

import hashlib
import json
import random
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from newer_dump import FIRST, SECOND, SETTINGS, Story, Submission, key

from leaderpress import cli
from leaderpress.checks import check_site
from leaderpress.errors import LeaderpressError, Problems
from leaderpress.inventory import parse_sums
from leaderpress.site.build import build
from leaderpress.verify import VerifyReport, verify

pytestmark = pytest.mark.slow

Json = dict[str, Any]
WHY = ("--reason", "A person asked for it.", "--basis", "GDPR, article 17", "--by", "Legal desk", "--on", "2026-09-01")
WITHDRAWAL = """\
+++
kind = "withdrawal"
target = "{}"
who = "Records desk"
when = 2026-09-01
why = "The measurement was made on a shared machine."
+++
"""


class History(Story):
    """Three publications, `early`, `middle` and `late`: copies of what was published; the last follows the removals."""

    def __init__(self, folder: Path, corpus: Path) -> None:
        super().__init__(folder, corpus)
        self.folder = folder
        settings = SETTINGS + 'permalink_base = "https://records.example.org/"\n'
        (self.root / "content" / "site.toml").write_text(settings, encoding="utf-8")
        self.ingest(self.old, FIRST)
        self.published = self.digests()
        self._choose_more()
        self.early = self._publish("early")
        report = self.ingest(self.new, SECOND)
        self.known = self.digests()
        self._review(self.root / report.review)
        self.middle = self._publish("middle")
        self.middle_content = Path(shutil.copytree(self.root / "content", folder / "middle-content"))
        self._remove()
        self.late = self._publish("late")

    def _publish(self, name: str) -> Path:
        self.run("build")
        return Path(shutil.copytree(self.root / "build" / "site", self.folder / name))

    def run(self, *arguments: str) -> None:
        assert cli.run([*arguments, "--site", str(self.root)]) == 0

    def _choose_more(self) -> None:
        """A run to withdraw, a run to remove and a name to remove; far from the other changes."""
        groups: dict[Any, list[Submission]] = defaultdict(list)
        touched = {
            self.edited,
            *(row["kernel_id"] for row in self.before.submissions() if row["id"] in self._changed()),
        }
        for row in self.before.submissions():
            if row["kernel_id"] not in touched and row["username"] != self.user:
                groups[row["kernel_id"], row["gpu_type"], row["evaluation_stack_version"]].append(row)
        largest = sorted(groups.values(), key=lambda rows: (-len(rows), rows[0]["id"]))
        withdrawn, removed = (min(rows, key=lambda row: row["latency_ms"]) for rows in largest[:2])
        self.withdrawn, self.removed = withdrawn["id"], removed["id"]
        self.name = self._name_to_remove({withdrawn["username"], removed["username"], self.user})

    def _changed(self) -> set[int]:
        return {self.revised, self.disqualified, self.vanished}

    def _name_to_remove(self, others: set[str]) -> str:
        """The name of whoever has most runs of those whose names stand nowhere but as a user's."""
        everything = "".join(path.read_text(encoding="utf-8") for path in sorted(self.new.rglob("*.json"))).lower()
        counts: dict[str, int] = defaultdict(int)
        for row in self.after.submissions():
            counts[row["username"]] += 1
        early = {row["username"] for row in self.before.submissions()} - others
        alone = {name for name in early if len(name) > 5 and everything.count(name.lower()) == counts[name]}
        return max(sorted(alone), key=counts.__getitem__)

    def _review(self, proposals: Path) -> None:
        """Accept the proposal about the disqualified run, not the one about the vanished; withdraw another run."""
        notes = self.root / "content" / "notes"
        (accepted,) = (
            path for path in proposals.iterdir() if self.known[key(self.disqualified)][0] in path.read_text("utf-8")
        )
        shutil.copy(accepted, notes)
        target = self.known[key(self.withdrawn)][0]
        (notes / "shared-machine.md").write_text(WITHDRAWAL.format(target), encoding="utf-8")
        self.run("seal", "--published-at", "2026-09-01")

    def _remove(self) -> None:
        self.project = self._project(self.name)
        self.slug = self.project["slug"]
        self.run("redact", self.project["digest"], "--text", self.name, *WHY)
        self.run("redact", self.known[key(self.removed)][0], "--whole", *WHY)

    def _project(self, name: str) -> Json:
        for path in sorted((self.root / "content" / "records").glob("*/provenance.jsonl")):
            for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                if line["kind"] == "SoftwareProject" and line.get("name") == name and "slug" in line:
                    return dict(line)
        raise AssertionError(name)

    # -- the rules, by hand ----------------------------------------------------------------------------------------

    def standing(self, name: str) -> list[Submission]:
        """The submissions that rank in a publication."""
        if name == "early":
            return list(self.before.submissions())
        out = {self.disqualified, self.withdrawn, *([self.removed] if name == "late" else [])}
        # Nobody withdrew the run that vanished; the dump does not list it any more.
        vanished = [row for row in self.before.submissions() if row["id"] == self.vanished]
        return [row for row in (*self.after.submissions(), *vanished) if row["id"] not in out]

    def excluded(self, name: str) -> dict[str, set[str]]:
        """Reasons by digest of the runs that do not rank."""
        if name == "early":
            return {}
        redone = {self.revised, *(row["id"] for row in self.before.submissions() if row["kernel_id"] == self.edited)}
        found = {self.known[key(number)][0]: {"SUPERSEDED"} for number in redone}
        found |= {self.known[key(number)][0]: {"WITHDRAWN"} for number in (self.disqualified, self.withdrawn)}
        if name == "late":
            found[self.known[key(self.removed)][0]] = {"STATUS_REDACTED", "MISSING_PRIMARY_METRIC"}
        return found

    def digest(self, name: str, row: Submission) -> str:
        """The digest that ranks for a submission."""
        return (self.published if name == "early" else self.known)[key(row["id"])][-1]


@dataclass(frozen=True)
class Entry:
    """A run that ranks, as the dump states it."""

    digest: str
    value: int
    observed: str


Group = tuple[frozenset[tuple[str, int, bool, int]], tuple[str, ...]]
"""(digest, rank, tied, value) of each run that ranks; the runs that held the record, oldest first."""


def groups_by_hand(history: History, name: str) -> set[Group]:
    """Ranks and records by nothing but what the dumps and the notes state."""
    groups: dict[Any, list[Entry]] = defaultdict(list)
    for row in history.standing(name):
        value = (Decimal(str(row["latency_ms"])) * 1_000_000).quantize(Decimal(1), ROUND_HALF_UP)
        entry = Entry(history.digest(name, row), int(value), row["finished_at"][:23])
        groups[row["kernel_id"], row["gpu_type"], row["evaluation_stack_version"]].append(entry)
    return {(_ranks(entries), _records(entries)) for entries in groups.values()}


def _ranks(entries: list[Entry]) -> frozenset[tuple[str, int, bool, int]]:
    values = [entry.value for entry in entries]
    places = sorted(set(values))
    return frozenset(
        (entry.digest, places.index(entry.value) + 1, values.count(entry.value) > 1, entry.value) for entry in entries
    )


def _records(entries: list[Entry]) -> tuple[str, ...]:
    found: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: (entry.observed, entry.digest)):
        if not found or entry.value < found[-1].value:
            found.append(entry)
    return tuple(entry.digest for entry in found)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Iterator[History]:
    folder = tmp_path_factory.mktemp("history")
    yield History(folder, corpus)
    shutil.rmtree(folder)


PUBLICATIONS = ("early", "middle", "late")
STEPS = (("early", "middle"), ("middle", "late"), ("early", "late"))


def place(history: History, name: str) -> Path:
    return Path(getattr(history, name))


def sums(folder: Path) -> dict[str, str]:
    return dict(parse_sums((folder / "SHA256SUMS").read_bytes(), "SHA256SUMS"))


def tree(folder: Path) -> dict[str, str]:
    """SHA-256 by path of what really stands on disk."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def twins(folder: Path, pattern: str) -> Iterator[Json]:
    return (json.loads(path.read_bytes()) for path in sorted(folder.glob(pattern)))


def object_of(digest: str) -> str:
    return f"sha256/{digest[7:9]}/{digest[7:]}.json"


# -- what was published is there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_every_old_path_is_there_but_the_page_whose_address_was_the_removed_name(
    history: History, old: str, new: str
) -> None:
    moved = {f"projects/{history.slug}/index.html", f"projects/{history.slug}/index.json"}
    assert set(sums(place(history, old))) - set(tree(place(history, new))) == (moved if new == "late" else set())
    if new == "late":
        assert (history.late / "projects" / f"x-{history.project['digest'][7:17]}" / "index.html").is_file()


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_every_old_object_is_byte_identical_and_the_removed_are_tombstones(
    history: History, old: str, new: str
) -> None:
    before, after = (place(history, name) for name in (old, new))
    objects = sorted(path for path in sums(before) if path.startswith("sha256/"))
    changed = [path for path in objects if (before / path).read_bytes() != (after / path).read_bytes()]
    removed = {history.project["digest"], history.known[key(history.removed)][0]} if new == "late" else set()
    assert set(changed) == {object_of(digest) for digest in removed}
    for digest in removed:
        stone = json.loads((after / object_of(digest)).read_bytes())
        assert (stone["kind"], stone["digest"], stone["when"]) == ("Tombstone", digest, "2026-09-01")
        assert stone["why"] == "A person asked for it."
    assert len(objects) > 5000


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_the_old_checkpoint_is_a_prefix_of_the_new_log_by_coreutils(history: History, old: str, new: str) -> None:
    lines, digest = (place(history, old) / "log" / "checkpoint").read_text().split()
    command = ["sh", "-c", 'head -n "$1" log/log.txt | sha256sum', "sh", lines]
    printed = subprocess.run(command, cwd=place(history, new), capture_output=True, text=True, check=True).stdout
    assert printed == f"{digest}  -\n"


def test_the_removed_name_stands_nowhere_and_its_runs_still_rank(history: History) -> None:
    name = history.name.encode()
    holds = [path for path in history.late.rglob("*") if path.is_file() and name in path.read_bytes()]
    assert holds == []
    rows = [row for row in history.standing("late") if row["username"] == history.name]
    for row in rows:
        twin = json.loads((history.late / "runs" / history.digest("late", row)[7:] / "index.json").read_bytes())
        assert twin["standing"]["rank"] > 0
    assert len(rows) > 2


# -- the rules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_ranks_and_record_events_are_those_made_by_hand(history: History, name: str) -> None:
    found = {
        (
            frozenset((run["digest"], run["rank"], run["tied"], run["value"]) for run in group["runs"]),
            tuple(event["digest"] for event in group["records"]),
        )
        for group in twins(place(history, name), "groups/*/index.json")
    }
    nobody: Group = (frozenset(), ())
    # Groups that everybody left keep their page.
    assert found - {nobody} == groups_by_hand(history, name)
    assert (nobody in found) is (name != "early")


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_who_does_not_rank_is_listed_with_the_reason(history: History, name: str) -> None:
    excluded = {
        run["digest"]: {reason["code"] for reason in run["reasons"]}
        for group in twins(place(history, name), "groups/*/index.json")
        for run in group["excluded"]
    }
    assert excluded == history.excluded(name)
    for run in twins(place(history, name), "runs/*/index.json"):
        assert {reason["code"] for reason in run["reasons"]} == excluded.get(run["digest"], set())
        assert (run["standing"] is None) is (run["digest"] in excluded)


def test_a_withdrawn_run_keeps_its_page_and_leaves_the_sitemap(history: History) -> None:
    folder = f"runs/{history.known[key(history.withdrawn)][0][7:]}/"
    page = (history.late / folder / "index.html").read_text(encoding="utf-8")
    assert "noindex" in page
    assert "The measurement was made on a shared machine." in page
    assert folder in (history.early / "sitemap.xml").read_text(encoding="utf-8")
    assert folder not in (history.late / "sitemap.xml").read_text(encoding="utf-8")


def test_a_revised_run_and_its_successor_lead_to_each_other(history: History) -> None:
    old, new = (digest[7:] for digest in history.known[key(history.revised)])
    assert f"runs/{new}/" in json.dumps(
        json.loads((history.late / "runs" / old / "index.json").read_bytes())["notices"]
    )
    assert new in (history.late / "runs" / old / "index.html").read_text(encoding="utf-8")
    assert old in (history.late / "runs" / new / "index.html").read_text(encoding="utf-8")


# -- the commands agree ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLICATIONS)
def test_verify_finds_nothing_and_names_what_was_removed(history: History, name: str) -> None:
    report = verify((place(history, name),))
    assert report.problems == ()
    assert bool(report.counts.get("redacted")) is (name == "late")


def test_records_and_site_together_verify(history: History) -> None:
    assert verify((history.root,)).problems == ()


@pytest.mark.parametrize(("old", "new"), STEPS)
def test_check_against_an_older_publication_lists_the_moved_page_alone(history: History, old: str, new: str) -> None:
    report = check_site(place(history, new), place(history, old))
    assert report.problems == ()
    moved = [f"projects/{history.slug}/index.html"] if new == "late" else []
    assert [path for path, _ in report.moved if path.endswith(".html")] == moved


@pytest.mark.parametrize("name", ["middle", "late"])
def test_the_incremental_build_is_the_clean_build(history: History, name: str, tmp_path: Path) -> None:
    content = history.middle_content if name == "middle" else history.root / "content"
    shutil.copytree(content, tmp_path / "site" / "content")
    assert cli.run(["build", "--site", str(tmp_path / "site")]) == 0
    assert tree(tmp_path / "site" / "build" / "site") == tree(place(history, name))


# -- one changed byte --------------------------------------------------------------------------------------------------


@contextmanager
def changed(chance: random.Random, *paths: Path) -> Iterator[list[str]]:
    """One byte of each file is another, at a random place; gives what was done."""
    good = {path: path.read_bytes() for path in paths}
    done = []
    for path, data in good.items():
        position, bits = chance.randrange(len(data)), chance.randrange(1, 256)
        path.write_bytes(data[:position] + bytes([data[position] ^ bits]) + data[position + 1 :])
        done.append(f"{path} byte {position} ^ {bits:#04x}")
    try:
        yield done
    finally:
        for path, data in good.items():
            path.write_bytes(data)


def names(problems: tuple[LeaderpressError, ...] | list[LeaderpressError], path: str) -> bool:
    return any(path in problem.at or path in problem.problem for problem in problems)


def build_faults(root: Path) -> list[LeaderpressError]:
    try:
        build(root)
    except Problems as several:
        return list(several.problems)
    except LeaderpressError as fault:
        return [fault]
    return []


@pytest.fixture(scope="module")
def copy(history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the site to be spoilt."""
    folder = tmp_path_factory.mktemp("spoilt")
    yield Path(shutil.copytree(history.root, folder / "site"))
    shutil.rmtree(folder)


def kind_of(folder: Path, path: str) -> str:
    """What a published file is: its folder and name, an object also by the kind of its document."""
    first, _, rest = path.partition("/")
    if first == "sha256":
        return f"{first} {json.loads((folder / path).read_bytes())['kind']}"
    return f"{first} {rest.rpartition('/')[2]}" if rest else first


OWN = ("SHA256SUMS", "inventory.json", "log/log.txt", "log/checkpoint")
"""Files by which a site accounts for itself; each is spoilt alone."""


def test_any_byte_of_any_kind_of_published_file_is_missed(copy: Path) -> None:
    site, chance = copy / "build" / "site", random.Random(1)
    kinds: dict[str, list[str]] = defaultdict(list)
    for path in sorted(sums(site)):
        if path not in OWN and (site / path).stat().st_size:
            kinds[kind_of(site, path)].append(path)
    assert len({kind for kind in kinds if kind.startswith("sha256")}) >= 11, (
        "eight kinds of manifest, notes, tombstones"
    )
    chosen = [path for paths in kinds.values() for path in chance.sample(paths, min(4, len(paths)))]
    with changed(chance, *(site / path for path in chosen)) as done:
        report: VerifyReport = verify((site,))
        missed = [what for path, what in zip(chosen, done, strict=True) if not names(report.problems, path)]
        assert missed == []
        for path in (path for path in chosen if path.startswith("sha256/")):
            assert names(verify((site / path,)).problems, path)


@pytest.mark.parametrize("path", OWN)
def test_any_byte_of_the_sites_account_of_itself_is_missed(copy: Path, path: str) -> None:
    site, chance = copy / "build" / "site", random.Random(2)
    for _ in range(3):
        with changed(chance, site / path) as done:
            assert names(verify((site,)).problems, path), done


def test_any_byte_of_the_log_is_missed_with_nothing_but_the_checkpoint(copy: Path) -> None:
    log, chance = copy / "build" / "site" / "log", random.Random(3)
    for name in ("log.txt",) * 60 + ("checkpoint",) * 20:
        with changed(chance, log / name) as done:
            assert names(verify((log / "log.txt", log / "checkpoint")).problems, f"log/{name}"), done


def test_any_byte_of_any_file_of_the_records_stops_the_build(copy: Path) -> None:
    records, chance = copy / "content" / "records", random.Random(4)
    assert build_faults(copy) == []
    files = [path for path in sorted(records.rglob("*")) if path.is_file() and path.stat().st_size]
    assert len(files) >= 12
    for path in files:
        for _ in range(12 if path.name == "log.txt" else 4):
            with changed(chance, path) as done:
                name = path.relative_to(records).as_posix()
                assert names(build_faults(copy), name), done
    for path in files:
        with changed(chance, path) as done:
            assert names(verify((records,)).problems, path.relative_to(records).as_posix()), done


def test_a_word_of_a_note_in_the_log_stops_the_build(copy: Path) -> None:
    path = copy / "content" / "notes" / "shared-machine.md"
    good = path.read_text(encoding="utf-8")
    for old, new in (("shared", "sharad"), ("Records desk", "Records dusk"), ("2026-09-01", "2026-09-02")):
        path.write_text(good.replace(old, new), encoding="utf-8")
        assert names(build_faults(copy), "content/notes/shared-machine.md"), new
    path.write_text(good, encoding="utf-8")
    assert build_faults(copy) == []

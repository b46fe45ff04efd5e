"""A scripted history of the real leaderboard, published twice: nothing published is lost, changed in silence, or deniable.

Half of the submissions are published.  Then come the rest and one change of each kind, the publisher accepts one
proposed withdrawal, withdraws another run, removes a name and a whole run by law, and publishes again.
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
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from newer_dump import FIRST, SECOND, SETTINGS, Board, Story, Submission, key

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
    """The two publications; `first` and `second` are copies of what was published."""

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
        touched = {self.edited, *(row["kernel_id"] for row in self.before.submissions() if row["id"] in self._changed())}
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


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Iterator[History]:
    folder = tmp_path_factory.mktemp("history")
    yield History(folder, corpus)
    shutil.rmtree(folder)

"""Makes an invented export of N runs in the shape of real boards, as JSON lines `{table, row}` that `ingest` reads.

    python tests/scale/shapes.py --runs 7857 --out FOLDER

The folder gets `board.jsonl`, and small exports to add to a site that has it: `one.jsonl`, one more run in the middle
of a group of about a hundred (half of all runs stand in such groups), `another.jsonl`, a further one in the same group,
and `leaders.jsonl`, a new leader in each of up to 1,000 groups.  The same seed gives the same bytes.  Everything is
streamed: memory hardly grows with N.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "generator"))

import documents
import figures
from documents import Dice, Object

from leaderpress.manifests.base import Manifest

Choice = TypeVar("Choice")

TABLES = ("sources", "projects", "operations", "operation_aliases", "workloads", "implementations",
          "benchmark_runs", "measurements", "record_events", "artifacts")  # fmt: skip
EXPORTS = ("board", "one", "another", "leaders")
CREATED = "2026-08-15T02:02:57.440Z"
LEADERS = 1_000
RANKED_GROUPS = 1_828 / figures.RUNS
"""Groups with a ranking, for each run."""
TYPICAL_GROUP = 98
SMALLEST_CAP = 2
_COPY = 1 << 20


class Export:
    """An export under way: one file a table, joined in the order in which tables refer to each other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._files: dict[str, Any] = {}
        self._open = ExitStack()
        self._held: set[str] = set()

    def add(self, table: str, row: Object) -> None:
        if table not in self._files:
            self._files[table] = self._open.enter_context(self._part(table).open("wb", buffering=_COPY))
        self._files[table].write(orjson.dumps({"table": table, "row": row}) + b"\n")

    def add_once(self, table: str, row: Object) -> None:
        if row["id"] not in self._held:
            self._held.add(row["id"])
            self.add(table, row)

    def _part(self, table: str) -> Path:
        return self.path.with_suffix(f".{table}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._open.close()
        with self.path.open("wb") as whole:
            for table in filter(self._files.__contains__, TABLES):
                with self._part(table).open("rb") as part:
                    while block := part.read(_COPY):
                        whole.write(block)
                self._part(table).unlink()


@dataclass(frozen=True, slots=True)
class Thing:
    """A manifest and its row."""

    manifest: Manifest
    row: Object
    project: Object
    """Row of the project of an implementation."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that may be compared."""

    source: str
    task: Thing
    workload: Thing
    rules: Manifest
    machine: Manifest
    metric: str
    """`latency` (nanoseconds), `score` (seconds) or `none`."""
    statistic: str
    best: float

    @property
    def key(self) -> str:
        metric = {"score": f"score:{self.statistic}:s", "none": "none"}.get(self.metric, f"latency:{self.statistic}:ns")
        return documents.comparison_key(self.task.manifest, self.workload.manifest, self.rules, self.machine, metric)


class Board:
    """One export and the updates to it."""

    def __init__(self, runs: int, seed: int, folder: Path) -> None:
        self._runs = runs
        self._seed = seed
        self._numbers = dict.fromkeys(TABLES, 0)
        self._shared: dict[tuple[str, ...], Manifest] = {}
        self._sources: dict[str, Object] = {}
        self._projects: dict[tuple[str, int], Object] = {}
        self._share = min(0.6, LEADERS / (RANKED_GROUPS * runs))
        self._due = 0.0
        self._typical: tuple[int, Group, Object] | None = None
        self._board, self._one, self._another, self._leaders = (Export(folder / f"{name}.jsonl") for name in EXPORTS)

    def write(self) -> None:
        makers = {"gpumode-kernelbot": self._competitions, "flashinfer-bench": self._traces,
                  "sol-execbench": self._suites}  # fmt: skip
        with self._board, self._one, self._another, self._leaders:
            left = self._runs
            for source, share in reversed(figures.SHARES.items()):
                self._source(source)
                runs = left if source == next(iter(figures.SHARES)) else round(self._runs * share / figures.RUNS)
                makers[source](source, runs)
                left -= runs
            for _ in range(round(self._numbers["operations"] * figures.UNUSED_OPERATIONS)):
                self._task("flashinfer-bench")
            if self._typical is not None:
                _, group, project = self._typical
                self._update(self._one, group, project, 1.9)
                self._update(self._another, group, project, 1.8)

    def _dice(self, *key: object) -> Dice:
        return Dice(self._seed, *key)

    # -- boards ------------------------------------------------------------------------------------------------------

    def _competitions(self, source: str, left: int) -> None:
        cap = max(SMALLEST_CAP, left // 16)
        deck = [("score", "geomean", sizes) for sizes in figures.SCORES_GEOMEAN]
        deck += [("score", "unspecified", sizes) for sizes in figures.SCORES_UNSPECIFIED]
        deck += [("latency", "mean", sizes) for sizes in figures.SUBMISSION_CASES]
        suites = _laps(figures.SCORE_SUITE, self._dice("suites", source))
        for metric, statistic, sizes in _laps(deck, self._dice(source)):
            task, dice = self._task(source)
            whole = metric == "score"
            cases = [self._suite(task, source, next(suites), statistic, dice)] if whole else []
            inside: list[Thing] = []
            for place, size in enumerate(min(size, cap) for size in sizes):
                machine = self._machine(source, place % 4 if whole else 0)
                workload = cases[0] if whole else self._case(task, source, place, dice)
                group = self._group(source, task, workload, machine, metric, statistic, dice)
                members = inside[: min(size, left)] if not whole else []
                members += [self._implementation(group) for _ in range(min(size, left) - len(members))]
                inside = max(inside, members, key=len)
                left -= self._fill(group, members)
                if not left:
                    return

    def _suites(self, source: str, left: int) -> None:
        sizes = _laps(figures.SUITE_GROUPS, self._dice(source, "sizes"))
        places = _laps(figures.SUITE_ENVIRONMENTS, self._dice(source, "places"))
        for cases in _laps(figures.SUITE_CASES, self._dice(source)):
            task, dice = self._task(source)
            workload = self._suite(task, source, cases, "mean", dice)
            for number in range(cases):
                self._case(task, source, number, dice)
            for place in range(next(places)):
                group = self._group(source, task, workload, self._machine(source, place), "latency", "mean", dice)
                size = min(next(sizes), left)
                left -= self._fill(group, [self._implementation(group) for _ in range(size)])
                if not left:
                    return

    def _traces(self, source: str, left: int) -> None:
        sizes = _laps(figures.TRACE_GROUPS, self._dice(source, "sizes"))
        for cases in _laps(figures.TRACE_CASES, self._dice(source)):
            task, dice = self._task(source)
            machine = self._machine(source, dice.below(4))
            known: list[Thing] = []
            for number in range(cases):
                workload = self._case(task, source, number, dice)
                group = self._group(source, task, workload, machine, "latency", "mean", dice)
                size = min(next(sizes), left)
                known += [self._implementation(group) for _ in range(size - len(known))]
                left -= self._fill(group, known[:size])
                if left and dice.chance(figures.FAILED):
                    failed = self._group(source, task, workload, machine, "none", "mean", dice)
                    left -= self._fill(failed, [self._implementation(failed)])
                if not left:
                    return

    # -- rows --------------------------------------------------------------------------------------------------------

    def _add(self, table: str, row: Object, export: Export | None = None) -> Object:
        self._numbers[table] += 1
        row = {
            "id": f"{TABLES.index(table):08x}-0000-7000-8000-{self._numbers[table]:012x}",
            "createdAt": CREATED,
            **row,
        }
        (export or self._board).add(table, row)
        return row

    def _source(self, source: str) -> None:
        policy = {"url": documents.ADDRESSES[source]}
        row = {"slug": source, "kind": "leaderboard", "name": source, "policy": policy}
        self._sources[source] = self._add("sources", row)

    def _project(self, source: str, dice: Dice) -> Object:
        """A project for an implementation; few projects have most of them."""
        count = max(1, round(figures.PROJECTS[source] * self._runs / figures.RUNS))
        number = int(count * dice.unit() ** figures.PROJECT_SKEW)
        if (source, number) not in self._projects:
            manifest, shown = documents.project(source, number, self._dice(source, "project", number))
            row = {"slug": manifest.metadata["name"], "name": shown, "normalizedName": shown.lower()}
            self._projects[source, number] = self._add("projects", {**row, "manifest": manifest.value})
        return self._projects[source, number]

    def _task(self, source: str) -> tuple[Thing, Dice]:
        number = self._numbers["operations"]
        dice = self._dice("operation", number)
        manifest = documents.operation(source, number, dice)
        title, tags = manifest.metadata["title"], [dice.pick(figures.FAMILIES) for _ in range(3)]
        row = {"slug": manifest.metadata["name"], "family": manifest.spec["family"], "name": title, "tags": tags}
        row |= {"semanticDigest": manifest.digest, "manifest": manifest.value}
        thing = Thing(manifest, self._add("operations", row), {})
        alias = {"alias": title, "operationId": thing.row["id"]}
        self._board.add("operation_aliases", alias)
        return thing, dice

    def _workload(self, task: Thing, manifest: Manifest) -> Thing:
        row = {"operationId": task.row["id"], "workloadDigest": manifest.digest, "dtypes": ["bf16"]}
        row |= {"layoutKeys": ["contiguous"], "shapeSummary": "[64, 1721, 2560]", "manifest": manifest.value}
        return Thing(manifest, self._add("workloads", row), {})

    def _case(self, task: Thing, source: str, number: int, dice: Dice) -> Thing:
        return self._workload(task, documents.case(task.manifest, number, documents.comparator(source), dice))

    def _suite(self, task: Thing, source: str, cases: int, statistic: str, dice: Dice) -> Thing:
        comparator = documents.comparator(source)
        return self._workload(task, documents.suite(task.manifest, cases, comparator, statistic, dice))

    def _machine(self, source: str, place: int) -> Manifest:
        row = figures.ENVIRONMENTS[source][place]
        if row not in self._shared:
            self._shared[row] = documents.environment(source, row)
        return self._shared[row]

    def _rules(self, source: str, statistic: str, machine: Manifest) -> Manifest:
        version = machine.spec["software"].get("libraries", {}).get("evaluation_stack", "")
        key = (source, statistic, version)
        if key not in self._shared:
            self._shared[key] = documents.protocol(*key)
        return self._shared[key]

    def _group(
        self, source: str, task: Thing, workload: Thing, machine: Manifest, metric: str, statistic: str, dice: Dice
    ) -> Group:
        best = 10 ** (3 + 5 * dice.unit())
        rules = self._rules(source, statistic, machine)
        return Group(source, task, workload, rules, machine, metric, statistic, best)

    def _implementation(self, group: Group, project: Object | None = None, export: Export | None = None) -> Thing:
        number = self._numbers["implementations"]
        dice = self._dice("implementation", number)
        project = project or self._project(group.source, dice)
        product = group.machine.spec["hardware"]["product"]
        manifest = documents.implementation(group.source, group.task.manifest, number, project["name"], product, dice)
        row = {"projectId": project["id"], "operationId": group.task.row["id"], "slug": manifest.metadata["name"]}
        row |= {"implementationDigest": manifest.digest, "sourceRevision": f"submission-{number}", "language": "python"}
        row |= {"targetArchitectures": ["sm_100"], "title": manifest.metadata["title"], "manifest": manifest.value}
        source = manifest.spec.get("source")
        if source and dice.chance(figures.KEPT_SOURCES):
            self._artifact("source", source["contentDigest"], source["sizeBytes"], "text/x-python", export)
        return Thing(manifest, self._add("implementations", row, export), project)

    def _artifact(self, kind: str, digest: str, size: int, media_type: str, export: Export | None = None) -> None:
        row = {"contentDigest": digest, "kind": kind, "mediaType": media_type, "sizeBytes": size, "storage": "inline"}
        self._add("artifacts", {**row, "uri": "https://example.org/files", "license": "Apache-2.0"}, export)

    # -- runs --------------------------------------------------------------------------------------------------------

    def _fill(self, group: Group, members: Sequence[Thing]) -> int:
        """Add the runs of a group; gives their number."""
        key = group.key
        for member in members:
            self._run(group, key, member, None, self._board)
        if members and group.metric != "none":
            self._due += self._share
            if self._due >= 1:
                self._due -= 1
                self._update(self._leaders, group, members[0].project, 0.5)
            if (self._typical[0] if self._typical else 0) < len(members) <= TYPICAL_GROUP:
                self._typical = (len(members), group, members[0].project)
        return len(members)

    def _update(self, export: Export, group: Group, project: Object, factor: float) -> None:
        """Add a new run to an existing group, in an export that holds nothing but what the run refers to."""
        member = self._implementation(group, project, export)
        export.add_once("sources", self._sources[group.source])
        export.add_once("projects", member.project)
        export.add_once("operations", group.task.row)
        export.add_once("workloads", group.workload.row)
        self._run(group, group.key, member, factor, export)

    def _run(self, group: Group, key: str, member: Thing, factor: float | None, export: Export) -> None:
        number = self._numbers["benchmark_runs"]
        dice = self._dice("run", number)
        value = group.best * (factor or _spread(dice))
        manifest = documents.run(group, member.manifest, number, value, factor is not None, dice)
        spec = manifest.spec
        manifests = {"run": manifest.value, "protocol": group.rules.value, "environment": group.machine.value}
        row = {
            "runDigest": manifest.digest,
            "implementationId": member.row["id"],
            "workloadId": group.workload.row["id"],
        }
        row |= {"sourceId": self._sources[group.source]["id"], "status": spec["status"], "comparisonKey": key}
        row |= {"protocolKey": group.rules.digest, "environmentKey": group.machine.digest, "publishedAt": CREATED}
        row |= {"primaryMetric": group.metric, "primaryStatistic": group.statistic, "primaryValue": value}
        row |= {"observedAt": spec["observedAt"], "hardwareModel": group.machine.spec["hardware"]["product"]}
        row |= dict.fromkeys(("retractedAt", "retractionReason", "supersedesId", "sampleCount", "cudaMajor"))
        row |= {"reported": True, "reproducedByKernelindex": False, "independentReplicationCount": 0}
        held = self._add("benchmark_runs", {**row, "manifest": manifests}, export)["id"]
        if logs := spec.get("evidence", {}).get("logs"):
            self._artifact("logs", logs["digest"], 2_000 + dice.below(9_000), "text/plain", export)
        if export is self._board:
            self._derived(group, key, held, value, spec["observedAt"], dice)

    def _derived(self, group: Group, key: str, run: str, value: float, when: str, dice: Dice) -> None:
        """Rows that repeat what runs state."""
        unit = "s" if group.metric == "score" else "ns"
        for statistic in (group.statistic, "minimum")[: 2 if group.metric == "latency" else 1]:
            row = {"runId": run, "metric": group.metric, "statistic": statistic, "unit": unit, "value": value}
            self._board.add("measurements", row)
        if dice.chance(figures.RECORDS):
            row = {"comparisonKey": key, "runId": run, "previousRunId": None, "policyVersion": "ranking-v1"}
            self._add("record_events", {**row, "cause": "new_run", "at": when})


def _laps(deck: Sequence[Choice], dice: Dice) -> Iterator[Choice]:
    """The deck over and over, shuffled anew each time."""
    while True:
        yield from dice.shuffled(deck)


def _spread(dice: Dice) -> float:
    """How far a run is behind what is possible: most within a factor of three, a few far away."""
    near = 1 + 2 * dice.unit() ** 2
    return near * 10 ** (1 + 2 * dice.unit()) if dice.chance(figures.FAR_BEHIND) else near


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    Board(options.runs, options.seed, options.out).write()


if __name__ == "__main__":
    main()

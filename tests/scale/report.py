"""A Markdown table of measured figures against the goals, and a plot of growth, from the results of `bench.py`.

    python tests/scale/report.py build/bench

Reads every file of `build/bench/results`; writes `benchmark.md` and `benchmark.svg` beside that folder, and prints the
page.  Every figure comes from a result; there are no dates.  With `--demo` the page and its plot become part of the
demo site, whose theme sets the plot into the page.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from goals import GOALS, GROWTH, Result, cost, ratio
from plot import growth

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "content" / "pages" / "benchmark.md"
PLOT = ROOT / "themes" / "demo" / "templates" / "_benchmark.svg"

SIDES = {
    "build": "leaderpress, whole site",
    "build --jobs 1": "leaderpress, whole site, one process",
    "pages": "leaderpress, run and group pages only",
    "hugo": "Hugo, run and group pages",
    "loop": "jinja2 loop, run and group pages",
    "floor": "raw writing of the whole site",
    "floor, 2 processes": "raw writing, two processes",
    "nothing": "build, nothing changed",
    "verify": "build --verify-output, nothing changed",
    "one": "build after one run was added, the first after a whole one",
    "leaders": "build after a new leader in each of up to 1,000 groups",
    "another": "build after one run was added, as every later one",
    "ingest": "ingest of the whole export",
    "ingest one": "ingest of one run",
    "ingest leaders": "ingest of the new leaders",
    "ingest another": "ingest of another run",
    "discard": "build, hashed and discarded",
    "help": "leaderpress --help",
}


AGAINST_FLOOR = ("build", "build --jobs 1", "pages", "hugo", "loop")


def page(results: list[Result]) -> str:
    """The page: Markdown below a front matter."""
    parts = [
        '+++\ntitle = "Benchmark"\ndescription = "What a build costs, beside Hugo and the disk"\n+++',
        _INTRODUCTION,
    ]
    for result in results:
        parts += [f"## {result['runs']:,} runs", _about(result), _goals(result), _costs(result), _compared(result)]
    if len(results) > 1:
        parts += ["## Growth", _growth_table(results)]
    return "\n\n".join(filter(None, [*parts, _SIDES_TEXT])) + "\n"


_INTRODUCTION = """\
Made by `make bench` from invented runs in the shape of three real boards. Every figure is a median; every ratio is the
median of ratios within one repetition, in which all sides ran one after the other on the same machine. Wall seconds
depend on what else a machine does, CPU seconds hardly do."""

_SIDES_TEXT = """\
## What each side does

- **leaderpress** reads its records and checks their digests, fills its index, ranks, makes views, renders and writes
  the whole site: pages, JSON twins, canonical objects, feeds and checksums. *Run and group pages only* does all of that
  and leaves the other pages out, so that it writes what Hugo writes.
- **Hugo** renders run and group pages and their JSON from data that is complete: ranks, gaps, citations, indented
  manifests and encoded downloads are given. It reads, checks and ranks nothing.
- **The jinja2 loop** gets the same data, a line at a time, and renders it with the theme's own templates, one page
  after the other. Its pages are equal to those of leaderpress byte by byte.
- **Raw writing** creates files of the same sizes under the same names from one buffer and does nothing else."""


def _about(result: Result) -> str:
    machine, facts = result["machine"], result["facts"]
    lines = [f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, {machine['system']}, "
             f"{machine['file system']}; Python {machine['python']}, jinja2 {machine['jinja2']}"
             f"{', Hugo ' + machine['hugo'] if 'hugo' in machine else ''}. "
             f"Load while measuring: {machine['load']}. "]  # fmt: skip
    if float(machine["load"]) > 1.5 * int(machine["cores"]):
        lines.append("**Others used the machine meanwhile: wall seconds mean little here, CPU seconds do.** ")
    if site := facts.get("build report"):
        lines.append(
            f"{facts['groups']:,} groups, {facts['ingest documents']:,} documents; the site has {site['files']:,} "
            f"files and {site['bytes'] / 1e6:,.0f} MB, the index {facts['index bytes'] / 1e6:,.1f} MB."
        )
    elif site := facts.get("discarded"):
        lines.append(
            f"{facts['ingest documents']:,} documents; {site['files']:,} files, {site['bytes'] / 1e9:,.1f} GB."
        )
    return "".join(lines)


def _goals(result: Result) -> str:
    rows = [line for goal in GOALS if (line := goal.line(result))]
    return "\n".join(["| goal | must | aim | measured | met | CPU seconds alone |", "|---|---|---|---|---|---|", *rows])


def _costs(result: Result) -> str:
    head = ["| what | wall s | from – to | CPU s | peak MiB | raw writing, wall / CPU |", "|---|--:|--:|--:|--:|--:|"]
    return "\n".join([*head, *_cost_lines(result)])


def _cost_lines(result: Result) -> Iterator[str]:
    for name, label in SIDES.items():
        costs = result["costs"].get(name)
        if not costs:
            continue
        walls = sorted(cost["wall"] for cost in costs)
        floors = [ratio(name, "floor", kind)(result) for kind in ("wall", "cpu")] if name in AGAINST_FLOOR else []
        times = " / ".join(f"{floor:.1f} ×" for floor in floors if floor)
        yield (
            f"| {label} | {median(walls):.2f} | {walls[0]:.2f} – {walls[-1]:.2f} | {cost(name, 'cpu')(result):.2f}"
            f" | {max(cost['peak'] for cost in costs):.0f} | {times} |"
        )


def _compared(result: Result) -> str:
    facts, said = result["facts"], []
    shared = facts.get("shared", {})
    for name, label in (("hugo", "Hugo"), ("loop", "The jinja2 loop")):
        if peer := facts.get(name):
            said.append(
                f"{label} wrote {peer['files']:,} files, {peer['size'] / 1e6:,.0f} MB; of {shared['files']:,} run"
                f" and group pages and twins ({shared['bytes'] / 1e6:,.0f} MB) it left out {peer['missing']}. On"
                f" {peer['sampled']} pages compared: {peer['same_data']} twins with the same values,"
                f" {peer['same_bytes']} pages with the same bytes, {peer['words']:.1%} of the visible words."
            )
    return " ".join(said)


def _growth_table(results: list[Result]) -> str:
    rows = [
        "| runs | build, wall s | ms a run | CPU ms a run | index, bytes a run | peak MiB |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for result in results:
        name = "build" if "build" in result["costs"] else "discard"
        wall, cpu = (cost(name, kind)(result) or 0.0 for kind in ("wall", "cpu"))
        runs, index = result["runs"], result["facts"]["index bytes"]
        peak = max(cost["peak"] for cost in result["costs"][name])
        rows.append(
            f"| {runs:,} | {wall:.1f}{' (discarded)' if name == 'discard' else ''} | {wall / runs * 1e3:.2f}"
            f" | {cpu / runs * 1e3:.2f} | {index / runs:,.0f} | {peak:.0f} |"
        )
    return "\n".join([*rows, *_linear(results)])


def _linear(results: list[Result]) -> Iterator[str]:
    sized = {result["runs"]: result for result in results if "build" in result["costs"]}
    if not sized.keys() >= set(GROWTH):
        return
    small, large = (sized[runs] for runs in GROWTH)
    factors = {
        "wall": (cost("build")(large) or 0) / (cost("build")(small) or 1) / (GROWTH[1] / GROWTH[0]),
        "index": large["facts"]["index bytes"] / small["facts"]["index bytes"] / (GROWTH[1] / GROWTH[0]),
    }
    yield ""
    yield f"From {GROWTH[0]:,} to {GROWTH[1]:,} runs, against linear growth (within 15 %):"
    for name, factor in factors.items():
        yield f"{name} {factor - 1:+.0%}, {'met' if abs(factor - 1) <= 0.15 else '**not met**'}."


def load(folder: Path) -> list[Result]:
    """All results, by number of runs."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return sorted(results, key=lambda result: result["runs"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--demo", action="store_true", help="write the page and its plot into the demo site as well")
    options = parser.parse_args()
    results = load(options.folder / "results")
    if not results:
        raise SystemExit(f"no results in {options.folder / 'results'}; run bench.py first")
    text, plot = page(results), growth(_series(results))
    (options.folder / "benchmark.md").write_text(text, encoding="utf-8")
    (options.folder / "benchmark.svg").write_text(plot, encoding="utf-8")
    if options.demo:
        PAGE.write_text(text, encoding="utf-8")
        PLOT.write_text(plot, encoding="utf-8")
    sys.stdout.write(text)


def _series(results: list[Result]) -> dict[str, list[tuple[int, float]]]:
    """Wall seconds against runs, for each side that has any."""
    sides = {"build": "leaderpress, whole site", "hugo": "Hugo, run and group pages",
             "loop": "jinja2 loop, same pages", "floor": "raw writing of the whole site"}  # fmt: skip
    points = {
        label: [(result["runs"], wall) for result in results if (wall := cost(name)(result)) is not None]
        for name, label in sides.items()
    }
    return {label: line for label, line in points.items() if line}


if __name__ == "__main__":
    main()

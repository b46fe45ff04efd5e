"""Check a published site from its files alone: every link, every digest, every claim that it makes about itself.

Reads the folder and nothing else, so that it judges what readers get, wherever it was built.  Every problem is a
`LeaderpressError` whose `at` is the path in the site and, where known, the line.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from ..errors import BuildError, LeaderpressError
from .against import buried_since, lost_since, moved_since
from .files import read_account
from .look import Findings, Fragment, look_at, look_for
from .site import Site, walk

__all__ = ["MAX_PROBLEMS", "CheckReport", "check_site"]

MAX_PROBLEMS = 10_000
"""Problems that a report holds; a site that is broken throughout would fill the memory with more."""

_CHUNK = 64
_FEW = 256
"""Files up to which starting processes costs more than it saves."""

Task = Callable[[Site], Findings]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`problems` of the log, then in the order of their places, at most `MAX_PROBLEMS`; `counts` of what was looked at.

    `counts["buried"]` is the number of objects of an earlier site that became tombstones.
    """

    problems: tuple[LeaderpressError, ...]
    counts: Mapping[str, int]
    moved: tuple[tuple[str, str], ...] = ()
    """(path, day of the removal) of what has another address since a lawful removal, which is no problem."""


def check_site(
    root: Path,
    against: Path | None = None,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check the site in the folder `root`.

    `against` is an earlier `inventory.json`, `SHA256SUMS`, `log/checkpoint` or `log/log.txt`, or a folder with an
    earlier site: every address must still be there, every object as it was, and the log must go on where it ended.
    `jobs` processes work (default: one for each core that we may use); `progress` is called with files done and files
    in all.  Raises `BuildError` where the folder or `against` cannot be read at all.
    """
    found = walk(str(root))
    total = _Total()
    site = read_account(root, found, total.problems)
    if against is not None:
        total.problems += lost_since(against, site)
        total.moved += moved_since(against, site)
        total.buried = {"buried": buried_since(against, site)}
    workers = jobs or _cores()
    with _Runner(site, 1 if len(site.files) <= _FEW else workers) as runner:
        done = 0
        for findings in runner.run(_file_tasks(site)):
            total.add(findings)
            done += findings.counts["files"]
            if progress is not None:
                progress(done, len(site.files))
        for findings in runner.run(_fragment_tasks(total.fragments)):
            total.add(findings)
    return total.report(len(found.host))


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _file_tasks(site: Site) -> Iterator[Task]:
    # Neighbours in the order of paths share folders, and big files do not end up in one chunk.
    paths = iter(sorted(site.files))
    while chunk := list(islice(paths, _CHUNK)):
        yield partial(look_at, paths=chunk)


def _fragment_tasks(fragments: Mapping[Fragment, str]) -> Iterator[Task]:
    wanted: dict[str, list[tuple[str, str]]] = {}
    for fragment, place in fragments.items():
        wanted.setdefault(fragment.path, []).append((fragment.name, place))
    for path, names in sorted(wanted.items()):
        yield partial(look_for, path=path, names=names)


class _Total:
    def __init__(self) -> None:
        self.problems: list[LeaderpressError] = []
        self.moved: list[tuple[str, str]] = []
        self.buried: dict[str, int] = {}
        self.fragments: dict[Fragment, str] = {}
        self._counts: Counter[str] = Counter()
        self._dropped = 0

    def add(self, findings: Findings) -> None:
        room = max(0, MAX_PROBLEMS - len(self.problems))
        self._dropped += len(findings.problems[room:])
        self.problems += findings.problems[:room]
        self._counts.update(findings.counts)
        for fragment, place in findings.fragments.items():
            self.fragments[fragment] = min(place, self.fragments.get(fragment, place))

    def report(self, host_files: int) -> CheckReport:
        names = ("files", "bytes", "pages", "links", "fragments", "json", "objects", "xml", "entries")
        counts = {name: self._counts[name] for name in names}
        counts |= {"host_files": host_files, **self.buried, "problems": len(self.problems) + self._dropped}
        return CheckReport(tuple(sorted(self.problems, key=_place)), counts, tuple(self.moved))


def _place(problem: LeaderpressError) -> tuple[bool, str, int, str, str]:
    path, _, line = problem.at.partition(":")
    return not problem.code.startswith("log-"), path, int(line) if line.isdigit() else 0, problem.code, problem.problem


_site: Site | None = None


def _start_worker(site: Site) -> None:
    global _site
    _site = site


def _in_worker(task: Task) -> Findings:
    if _site is None:
        raise BuildError("check-worker", "a worker was started without its site")
    return task(_site)


class _Runner:
    """Runs tasks in this process or in workers, with a bounded number of them under way."""

    def __init__(self, site: Site, workers: int) -> None:
        self._site = site
        self._window = 4 * workers
        self._pool = ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(site,)) if workers > 1 else None

    def __enter__(self) -> "_Runner":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, tasks: Iterator[Task]) -> Iterator[Findings]:
        """Findings of each task, in no order."""
        if self._pool is None:
            yield from (task(self._site) for task in tasks)
            return
        try:
            yield from self._run_in(self._pool, tasks)
        except BrokenProcessPool:
            raise BuildError("check-worker", "a worker process died", hint="try with one process") from None

    def _run_in(self, pool: ProcessPoolExecutor, tasks: Iterator[Task]) -> Iterator[Findings]:
        under_way: set[Future[Findings]] = {pool.submit(_in_worker, task) for task in islice(tasks, self._window)}
        while under_way:
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            under_way |= {pool.submit(_in_worker, task) for task in islice(tasks, len(ready))}
            yield from (future.result() for future in ready)

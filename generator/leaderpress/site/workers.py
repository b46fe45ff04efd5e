"""Worker processes with a bounded window of jobs: memory does not grow with the site, order does not matter.

Each process opens its own index and theme once.  Files are written by the process that rendered them; what comes
back to the parent is their paths, sizes and SHA-256 digests.
"""

import gc
import hashlib
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..digests import FileDigests
from ..errors import BuildError
from ..index import Index
from ..theme.environment import Theme, open_theme
from ..views.base import SiteView
from . import trace
from .content import Content
from .cores import give_back
from .inputs import template_key
from .plan import Job
from .render import Renderer
from .tree import TreeWriter

Done = list[tuple[str, int, str, bool]]
"""(path, bytes, SHA-256 in hex, whether it is published with these bytes) of every file that a job made.

What is published already is not written again."""

COMPILED = "templates.bin"
"""Compiled templates, in the cache folder."""

WINDOW = 8
"""Jobs in flight for each process."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a worker needs to start."""

    site_folder: Path
    index: Path
    tree: str
    content: Content
    site: SiteView
    theme_key: str
    """Digest of everything that compiled templates depend on."""
    published: Mapping[str, str]
    """SHA-256 (hex) by path of what the site holds now."""


def run(
    setup: Setup, jobs: Iterable[Job], processes: int, meanwhile: Callable[[], None] = lambda: None
) -> Iterator[Done]:
    """Do every job; gives what each wrote, in no particular order.  Faults of a worker arise here.

    `meanwhile` is called once, before anything is given, while the processes do their first jobs.
    """
    _prepare(setup)
    if processes <= 1:
        meanwhile()
        worker = _Worker(setup)
        yield from (worker.do(job) for job in jobs)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    with _frozen(), ProcessPoolExecutor(processes, mp_context=context, initializer=_start, initargs=(setup,)) as pool:
        try:
            yield from _windowed(pool.submit, jobs, processes * WINDOW, meanwhile)
        except BrokenProcessPool:
            raise BuildError("worker-died", "a worker process died", hint="out of memory? try --jobs 1") from None
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def compiling(site: Path, theme: str, cache: Path, processes: int) -> Iterator[None]:
    """Compile the templates in a process of its own meanwhile, if no build did so before; then wait for it.

    Templates take as long to compile as the index of thousands of runs to fill, and neither needs the other.
    """
    beside = None
    if processes > 1 and "fork" in multiprocessing.get_all_start_methods() and not (cache / COMPILED).exists():
        beside = multiprocessing.get_context("fork").Process(target=_compile_beside, args=(site, theme, cache))
        beside.start()
    try:
        yield
    finally:
        if beside is not None:
            beside.join()


def _compile_beside(site: Path, theme: str, cache: Path) -> None:
    # Whatever fails here fails again where the templates are needed, and is reported there.
    with suppress(Exception):
        opened = open_theme(theme, site=site)
        opened.compile()
        trace.keep(cache, COMPILED, template_key(site, theme, FileDigests()), opened.compiled())


@contextmanager
def _frozen() -> Iterator[None]:
    """What exists now lives as long as the workers do: a collection that touched it would copy it into each of them."""
    give_back()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _windowed(
    submit: Callable[[Callable[[Job], Done], Job], Future[Done]],
    jobs: Iterable[Job],
    window: int,
    meanwhile: Callable[[], None],
) -> Iterator[Done]:
    stream = iter(jobs)
    waiting = {submit(_do, job) for job in islice(stream, window)}
    meanwhile()
    for job in stream:
        ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in ready)
        waiting.add(submit(_do, job))
    while waiting:
        ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in ready)


class _Worker:
    def __init__(self, setup: Setup) -> None:
        index = Index(setup.index, setup.site_folder / "content" / "records")
        self._renderer = Renderer(index, setup.content, setup.site, _prepare(setup))
        self._writer = TreeWriter(setup.tree)
        self._published = setup.published

    def do(self, job: Job) -> Done:
        done: Done = []
        for path, data in self._renderer.files(job):
            listed = self._published.get(path)
            if listed is not None and hashlib.sha256(data).hexdigest() == listed:
                done.append((path, len(data), listed, True))
            else:
                written = self._writer.write(path, data)
                done.append((path, written.size, written.sha256, False))
        return done


_theme: tuple[str, Theme] | None = None


def _prepare(setup: Setup) -> Theme:
    """The site's theme with its templates compiled; done before workers are forked, so that they share it."""
    global _theme
    if _theme is None or _theme[0] != setup.theme_key:
        theme = open_theme(setup.content.config.theme, site=setup.site_folder)
        _compile(theme, setup)
        _theme = (setup.theme_key, theme)
    return _theme[1]


def _compile(theme: Theme, setup: Setup) -> None:
    """Compile the templates, or take over what the last build with the same templates compiled."""
    cache = setup.index.parent
    known = trace.kept(cache, COMPILED, setup.theme_key)
    if known is not None:
        theme.adopt(known)
    theme.compile()
    if known is None:
        trace.keep(cache, COMPILED, setup.theme_key, theme.compiled())


_worker: _Worker | None = None


def _start(setup: Setup) -> None:
    global _worker
    # Pages are made of thousands of values and of no cycles; looking for some at every 700 of them finds nothing,
    # and at every 50,000 still takes two per cent of the time, because what is kept for later pages is gone through.
    gc.set_threshold(1_000_000, 20, 100)
    _worker = _Worker(setup)


def _do(job: Job) -> Done:
    if _worker is None:
        raise BuildError("worker-unready", "a worker process was not set up")
    return _worker.do(job)

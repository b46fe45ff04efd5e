"""Work in several processes, with a bounded number of pieces under way."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from ..errors import BuildError
from .findings import Findings

Look = Callable[[Any], Findings]


class Pool:
    """Runs pieces of work, here or in `jobs` processes; a context manager.

    `make(root)` gives the function that looks at a piece; every process makes its own.
    """

    def __init__(self, make: Callable[[str], Look], root: str, jobs: int) -> None:
        self._own = make(root) if jobs == 1 else None
        self._window = 4 * jobs
        self._pool = ProcessPoolExecutor(jobs, initializer=_start, initargs=(make, root)) if jobs > 1 else None

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, pieces: Iterator[Any]) -> Iterator[Findings]:
        """What was found in each piece, in no order."""
        if self._own is not None:
            yield from map(self._own, pieces)
            return
        try:
            yield from self._run(pieces)
        except BrokenProcessPool:
            raise BuildError("verify-worker", "a worker process died", hint="try with one process") from None

    def _run(self, pieces: Iterator[Any]) -> Iterator[Findings]:
        if self._pool is None:
            return
        under_way: set[Future[Findings]] = {self._pool.submit(_work, piece) for piece in islice(pieces, self._window)}
        while under_way:
            ready, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            under_way |= {self._pool.submit(_work, piece) for piece in islice(pieces, len(ready))}
            yield from (future.result() for future in ready)


_look: Look | None = None


def _start(make: Callable[[str], Look], root: str) -> None:
    global _look
    _look = make(root)


def _work(piece: Any) -> Findings:
    if _look is None:
        raise BuildError("verify-worker", "a worker was started without its site")
    return _look(piece)


def cores() -> int:
    """Processes that can work at once."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1

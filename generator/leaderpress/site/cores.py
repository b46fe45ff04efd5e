"""How much may happen at the same time."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def default_jobs() -> int:
    """One process or thread for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def in_threads(
    work: Callable[[Sequence[Given]], Made], items: Sequence[Given], portion: int, threads: int
) -> Iterator[Made]:
    """What `work` gives for one portion of the items after the other, several at a time.

    For work that waits for the system or hashes, and so lets other threads run; few items are not worth a thread.
    """
    portions = [items[start : start + portion] for start in range(0, len(items), portion)]
    if threads < 2 or len(portions) < 2:
        yield from map(work, portions)
        return
    # Loading it takes longer than most builds look at files.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, portions)

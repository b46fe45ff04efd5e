"""How much may happen at the same time."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

_AHEAD = 4
"""Portions in flight for each thread."""
_LENGTH = 4
"""Bytes that say how long a piece is."""


def default_jobs() -> int:
    """One process or thread for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def give_back() -> None:
    """Give memory that was freed back to the system, before others are forked that would keep it as theirs."""
    # Filling an index frees tens of megabytes, which the C library keeps for itself; another library may not.
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def portions(items: Iterable[Given], size: int) -> Iterator[list[Given]]:
    """The items, `size` at a time; only one portion is held."""
    stream = iter(items)
    while portion := list(islice(stream, size)):
        yield portion


def in_threads(
    work: Callable[[list[Given]], Made], items: Iterable[Given], portion: int, threads: int
) -> Iterator[Made]:
    """What `work` gives for one portion of the items after the other, several at a time.

    For work that waits for the system or hashes, and so lets other threads run; few items are not worth a thread.
    """
    stream = portions(items, portion)
    first = list(islice(stream, 2))
    if threads < 2 or len(first) < 2:
        yield from map(work, first)
        yield from map(work, stream)
        return
    # Loading it takes longer than most builds look at files.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(pool.submit(work, some) for some in first)
        for some in stream:
            waiting.append(pool.submit(work, some))
            if len(waiting) > threads * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def in_processes(
    work: Callable[[list[Given]], bytes], items: Callable[[], Iterable[Given]], portion: int, processes: int
) -> Iterator[tuple[list[Given], bytes]]:
    """Each portion of the items in order, and what `work` gives for it, in as many processes forked from this one.

    `items` is asked in each of them and must give the same.  Few items are not worth a process.  What a process that
    died did not do is done here.
    """
    if processes < 2 or not hasattr(os, "fork") or len(list(islice(items(), portion + 1))) <= portion:
        yield from ((some, work(some)) for some in portions(items(), portion))
        return
    readers = [Reader(partial(_share, work, items, portion, number, processes)) for number in range(processes)]
    try:
        for number, some in enumerate(portions(items(), portion)):
            made = readers[number % processes].next()
            yield some, work(some) if made is None else made
    finally:
        # All of them first: each holds the pipes of those before it open.
        for reader in readers:
            reader.close()
        for reader in readers:
            reader.wait()


def _share(
    work: Callable[[list[Given]], bytes], items: Callable[[], Iterable[Given]], portion: int, own: int, processes: int
) -> Iterator[bytes]:
    return (work(some) for number, some in enumerate(portions(items(), portion)) if number % processes == own)


class Reader:
    """A process that sends pieces of bytes through a pipe, one after the other, and waits where that is full."""

    def __init__(self, pieces: Callable[[], Iterable[bytes]]) -> None:
        source, target = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                os.close(source)
                for piece in pieces():
                    _send(target, len(piece).to_bytes(_LENGTH, "little") + piece)
            finally:
                # Nothing of the process that this one came from may be flushed or tidied up twice.
                os._exit(0)
        os.close(target)
        self._stream = open(source, "rb")  # noqa: SIM115 - `close` does

    def next(self) -> bytes | None:
        """The next piece; None where the process died before it was sent."""
        length = self._stream.read(_LENGTH)
        size = int.from_bytes(length, "little")
        piece = self._stream.read(size) if len(length) == _LENGTH else b""
        return piece if len(length) == _LENGTH and len(piece) == size else None

    def close(self) -> None:
        """Take no more, so that the process ends at its next piece if not before."""
        self._stream.close()

    def wait(self) -> None:
        """Wait for its end."""
        os.waitpid(self._process, 0)

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self.close()
        os.kill(self._process, signal.SIGKILL)
        self.wait()


def _send(target: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(target, view) :]

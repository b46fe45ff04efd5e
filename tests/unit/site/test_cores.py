"""Work that is shared out comes back in order, whatever becomes of those who do it."""

import os
import signal

import pytest

from leaderpress.site.cores import in_processes, in_threads, portions


def summed(some: list[int]) -> bytes:
    return str(sum(some)).encode()


EXPECTED = [(some, summed(some)) for some in portions(range(1000), 30)]


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_processes_give_what_one_gives(processes: int) -> None:
    assert list(in_processes(summed, lambda: range(1000), 30, processes)) == EXPECTED
    assert list(in_processes(summed, lambda: range(0), 30, processes)) == []


def test_long_pieces_come_whole() -> None:
    found = [made for _, made in in_processes(lambda some: bytes(some) * 100_000, lambda: range(40), 1, 3)]
    assert found == [bytes([number]) * 100_000 for number in range(40)]


def test_what_a_process_that_died_did_not_do_is_done_here() -> None:
    parent = os.getpid()

    def work(some: list[int]) -> bytes:
        if 510 in some and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return summed(some)

    assert list(in_processes(work, lambda: range(1000), 30, 2)) == EXPECTED


def test_who_stops_early_waits_for_nobody() -> None:
    stream = in_processes(lambda some: bytes(1 << 20), lambda: range(1000), 1, 3)
    next(stream)
    stream.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_give_what_one_gives(threads: int) -> None:
    assert list(in_threads(summed, iter(range(1000)), 30, threads)) == [made for _, made in EXPECTED]

"""What a command costs: seconds of wall clock and of all cores, and the memory of its largest process."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GOOD = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a command and all processes that it waited for."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, user and system."""
    peak: float
    """MiB of the largest process."""


def run(command: Sequence[str | Path], log: Path, *, fine: Sequence[int] = (GOOD,)) -> Cost:
    """Run a command to its end; its output goes to `log`.  Ends the program if the exit code is none of `fine`."""
    arguments = [str(part) for part in command]
    with log.open("wb") as stream:
        started = time.perf_counter()
        process = subprocess.Popen(arguments, stdout=stream, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in fine:
        tail = log.read_text(errors="replace")[-2000:]
        raise SystemExit(f"exit code {process.returncode}: {' '.join(arguments)}\n{tail}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)

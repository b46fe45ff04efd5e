"""Where a benchmark writes: fresh folders always, on a memory disk if there is one.

A disk can make what comes after a deletion slow (ext4 without a journal: creating a file costs ten times as much), so
on a disk nothing is deleted until everything is measured.  A memory disk has no such memory, and its room is short.
"""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
BYTES_A_RUN = 260_000
"""Room that a run takes at the worst moment: two sites, the data of the peers and what one of them writes."""


class Workspace:
    """One folder with numbered folders in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.system = file_system(root.parent)
        self._number = 0
        self._old: list[Path] = []
        root.mkdir(parents=True)

    def fresh(self, name: str) -> Path:
        """A path where nothing ever was."""
        self._number += 1
        return self.root / f"{self._number:03d}-{name}"

    def retire(self, path: Path) -> None:
        """Get a folder out of the way."""
        if self.system == "tmpfs":
            shutil.rmtree(path)
        else:
            self._old.append(path.rename(path.with_name(f"{path.name}-old")))

    def clear(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.root)


def choose(runs: int, wanted: Path | None, fallback: Path) -> Path:
    """The folder to work below: the wanted one, else the memory disk if it and the memory are large enough."""
    if wanted is not None:
        return wanted
    room = min(shutil.disk_usage(MEMORY).free, available_memory()) if MEMORY.is_dir() else 0
    return MEMORY if runs * BYTES_A_RUN < room * 0.7 else fallback


def available_memory() -> int:
    """Bytes that programs could take now."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        fields = dict(line.split(":") for line in lines)
    return int(fields["MemAvailable"].split()[0]) * 1024


def file_system(folder: Path) -> str:
    """Name of the file system that holds a folder, `unknown` where the system does not say."""
    best, system = "", "unknown"
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    except OSError:
        return system
    whole = os.path.realpath(folder)
    for line in mounts.splitlines():
        _, point, kind, *_ = line.split(" ")
        if len(point) >= len(best) and (whole + "/").startswith(point.rstrip("/") + "/"):
            best, system = point, kind
    return system

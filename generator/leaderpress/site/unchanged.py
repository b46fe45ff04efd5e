"""Whether anything that a build depends on has changed since the last one that was published.

A build is a pure function of what it reads: the program and its libraries, themes, and all of `content/`.  So where
every byte of that is as it was, and the published files are as their inventory lists them, nothing has to be read,
compared or rendered.  This module only asks, and needs nothing that builds: it is what a build without any change
costs.  What it keeps in the cache can be missing or thrown away, never wrong.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..digests import FileDigests

KEPT = "unchanged.json"
VERSION = 2
"""Of the form of `unchanged.json`; another one is thrown away."""

_PACKAGE = Path(__file__).resolve().parents[1]
_SKIPPED = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache"})


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that a build of a site may read, at one moment."""

    files: tuple[str, ...]
    state: str
    """Digest of their paths, inodes, sizes and times."""

    def digest(self, digests: FileDigests) -> str:
        """Digest of their paths and bytes, and of Python and the libraries; raises `OSError`."""
        whole = hashlib.sha256(f"{sys.version}\n{sys.platform}\n{_libraries()}\n".encode())
        for path in self.files:
            whole.update(os.fsencode(path) + b"\0" + digests.of(path).encode())
        return whole.hexdigest()


def inputs_of(site: Path) -> Inputs:
    """What a build of this site may read; rather too much than too little.  Raises `OSError`."""
    files: list[str] = []
    state = hashlib.sha256()
    seen: set[tuple[int, int]] = set()
    for root in _roots(site):
        for path, status in _walk(str(root), seen):
            files.append(path)
            key = (status.st_ino, status.st_size, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)
            state.update(f"{path}\0{key}\0".encode("utf-8", "surrogateescape"))
    return Inputs(tuple(files), state.hexdigest())


def _roots(site: Path) -> tuple[Path, ...]:
    """Folders of which a build may read anything: a checkout has its themes and default pages beside the package."""
    checkout = _PACKAGE.parents[1]
    beside = (checkout / "themes", checkout / "content" / "defaults") if (checkout / "pyproject.toml").is_file() else ()
    return (site.resolve() / "content", site.resolve() / "themes", _PACKAGE, *beside)


def _walk(folder: str, seen: set[tuple[int, int]]) -> Iterator[tuple[str, os.stat_result]]:
    """Files below a folder in order, through links too; each folder once."""
    with suppress(FileNotFoundError, NotADirectoryError):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            return
        seen.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as listing:
            children = sorted((child for child in listing if child.name not in _SKIPPED), key=lambda child: child.name)
        for child in children:
            if child.is_dir():
                yield from _walk(child.path, seen)
            elif child.is_file():
                yield child.path, child.stat()


def _libraries() -> str:
    """Names and versions of all that is installed, from the names of their folders: asking each of them is dearer."""
    names: set[str] = set()
    for place in sys.path:
        with suppress(OSError):
            names.update(name for name in os.listdir(place or ".") if name.endswith((".dist-info", ".egg-info")))
    return "\n".join(sorted(names))


def remember(cache: Path, inputs: Inputs, digests: FileDigests, sums: str, facts: Mapping[str, Any]) -> None:
    """Keep that the site with this `SHA256SUMS` digest is what these inputs give; a failure costs time only.

    `facts` is JSON: what the next build shall say of it.
    """
    with suppress(OSError):
        body = json.dumps({"v": VERSION, "inputs": inputs.digest(digests), "sums": sums, "facts": facts}).encode()
        part = cache / f"{KEPT}.{os.getpid()}"
        part.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(part, cache / KEPT)


def recall(cache: Path, inputs: Inputs, digests: FileDigests) -> tuple[str, dict[str, Any]] | None:
    """(digest of `SHA256SUMS`, facts) of the site that these inputs give, if that is known."""
    try:
        seal, _, body = (cache / KEPT).read_bytes().partition(b"\n")
        if seal != hashlib.sha256(body).hexdigest().encode():
            return None
        kept = json.loads(body)
        same = kept["v"] == VERSION and kept["inputs"] == inputs.digest(digests)
        return (kept["sums"], kept["facts"]) if same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None

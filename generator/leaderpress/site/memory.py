"""An output that is kept in memory: the rules of every output, without a disk."""

from collections.abc import Mapping
from typing import Protocol

from ..canonical import Json, sha256
from ..inventory import (
    INVENTORY,
    RESERVED,
    SUMS,
    Files,
    PathSet,
    Receipt,
    Written,
    inventory_bytes,
    sums_bytes,
)


class Output(Protocol):
    """Takes the files of one site, each once, then `commit`."""

    def write(self, path: str, data: bytes) -> None:
        """Take one file in; raises `BuildError` for a bad path and for one that clashes with an earlier path."""

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """Add `SHA256SUMS` and `inventory.json` (with `meta`, see `inventory_bytes`) and publish."""


class MemoryOutput:
    """Keeps a site in a dict, `files`, with the same rules and the same last two files as on disk."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._paths = _paths()

    def write(self, path: str, data: bytes) -> None:
        """See `Output.write`."""
        self._paths.add(path)
        self.files[path] = data

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """See `Output.commit`."""
        files = {path: Written(len(data), sha256(data)[7:]) for path, data in self.files.items()}
        sums = sums_bytes(files)
        self.files[SUMS] = sums
        self.files[INVENTORY] = inventory_bytes(files, sums, meta)
        return Receipt(len(files), _total(files), sha256(sums), written=len(files))


def _paths() -> PathSet:
    paths = PathSet()
    for path in RESERVED:
        paths.add(path)
    return paths


def refuse_reserved(path: str) -> None:
    """Refuse what clashes with the files that `commit` adds; raises `BuildError`."""
    if path.partition("/")[0].casefold() in _RESERVED:
        _paths().add(path)


_RESERVED = frozenset(map(str.casefold, RESERVED))


def _total(files: Files) -> int:
    return sum(file.size for file in files.values())

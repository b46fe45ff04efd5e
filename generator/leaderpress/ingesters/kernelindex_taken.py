"""The rows of an export that were taken and that others refer to, by row id."""

from collections.abc import Callable
from struct import Struct
from typing import Generic, NamedTuple, TypeVar

from .kernelindex_parts import Numbered
from .packed import PackedMap

_PREFIX = "sha256:"


class Workload(NamedTuple):
    """A workload that was taken."""

    digest: str
    operation: str
    correctness: str
    """Digest of its correctness rule."""


class Implementation(NamedTuple):
    """An implementation that was taken."""

    digest: str
    project: str


class Run(NamedTuple):
    """A run that was taken."""

    digest: str


Row = TypeVar("Row", Workload, Implementation, Run)


class Taken(Generic[Row]):
    """Rows of one kind: the digest of each, and texts that many of them share."""

    def __init__(self, kind: type[Row]) -> None:
        self._row: Callable[..., Row] = kind
        self._form = Struct(f"<32s{len(kind._fields) - 1}I")
        self._rows: PackedMap[Row] = PackedMap(self._form.size, self._pack, self._unpack)
        self._shared: Numbered[str] = Numbered("")

    def __setitem__(self, row_id: str, row: Row) -> None:
        self._rows[row_id] = row

    def get(self, row_id: str) -> Row | None:
        """The row with this id, None if none was taken."""
        return self._rows.get(row_id)

    def _pack(self, row: Row) -> bytes:
        shared: tuple[str, ...] = row[1:]
        return self._form.pack(bytes.fromhex(row.digest.removeprefix(_PREFIX)), *map(self._shared.number, shared))

    def _unpack(self, value: bytes) -> Row:
        raw, *numbers = self._form.unpack(value)
        return self._row(_PREFIX + raw.hex(), *[self._shared.things[number] for number in numbers])

"""Maps and sets of a million texts within bounded memory: what a dump's rows and documents are known by.

A dict spends some 300 bytes on a row id and what it leads to.  Here only the newest entries stand in a dict; the rest
are packed end to end, 16 bytes of a digest for each text, so that an entry takes those, its value and a few bytes more.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import IO, Generic, TypeVar

from ..errors import DumpError

HELD = 1 << 20
"""Bytes of texts that are held before they are filed away."""
RECENT = 1 << 14
"""Entries that a map keeps in a dict before it packs them."""

Value = TypeVar("Value")

_KEY = 16
_BUCKETS = 1 << 13
"""So few that they cost little, so many that one with a million entries is searched within microseconds."""
_NOTHING = b""


class PackedMap(Generic[Value]):
    """A map from texts to values that become bytes of one width; entries can be replaced, never removed.

    Two different texts are told apart by 128 bits of SHA-256.
    """

    def __init__(self, width: int, pack: Callable[[Value], bytes], unpack: Callable[[bytes], Value]) -> None:
        self._stride = _KEY + width
        self._pack = pack
        self._unpack = unpack
        self._recent: dict[str, Value] = {}
        self._buckets: list[bytearray] = []

    def __setitem__(self, text: str, value: Value) -> None:
        self._recent[text] = value
        if len(self._recent) >= RECENT:
            self._pack_recent()

    def get(self, text: str) -> Value | None:
        """What the text leads to, None if it is not there."""
        if text in self._recent:
            return self._recent[text]
        value = self._packed(text)
        return None if value is None else self._unpack(value)

    def __contains__(self, text: str) -> bool:
        return text in self._recent or self._packed(text) is not None

    def lookup(self) -> Callable[[str], bool]:
        """See `PackedSet.lookup`."""
        return self.__contains__ if self._buckets else self._recent.__contains__

    def values(self) -> Iterator[Value]:
        """Every value, in no order."""
        if self._buckets:
            self._pack_recent()
        yield from self._recent.values()
        for bucket in self._buckets:
            for place in range(_KEY, len(bucket), self._stride):
                yield self._unpack(bytes(bucket[place : place + self._stride - _KEY]))

    def _packed(self, text: str) -> bytes | None:
        """The packed value of a text."""
        if not self._buckets:
            return None
        key, number = _key(text)
        bucket = self._buckets[number]
        place = self._place(bucket, key)
        return None if place < 0 else bytes(bucket[place + _KEY : place + self._stride])

    def _pack_recent(self) -> None:
        self._buckets = self._buckets or [bytearray() for _ in range(_BUCKETS)]
        for text, value in self._recent.items():
            key, number = _key(text)
            bucket = self._buckets[number]
            place = self._place(bucket, key)
            if place < 0:
                bucket += key + self._pack(value)
            else:
                bucket[place + _KEY : place + self._stride] = self._pack(value)
        self._recent.clear()

    def _place(self, bucket: bytearray, key: bytes) -> int:
        """Where a key stands in its bucket, -1 if it does not."""
        place = bucket.find(key)
        while place > 0 and place % self._stride:  # a value may look like a key
            place = bucket.find(key, place + 1)
        return place


class PackedSet:
    """A set of texts; see `PackedMap`."""

    def __init__(self) -> None:
        self._map: PackedMap[bytes] = PackedMap(0, bytes, bytes)

    def add(self, text: str) -> None:
        """Put a text in."""
        self._map[text] = _NOTHING

    def __contains__(self, text: str) -> bool:
        return text in self._map

    def lookup(self) -> Callable[[str], bool]:
        """The test of a text as a function that costs as little as it can; nothing may be added while it is used."""
        return self._map.lookup()


class PackedTexts:
    """Texts end to end: the newest are held, the others lie in a temporary file without a name."""

    def __init__(self) -> None:
        self._newest = bytearray()
        self._file: IO[bytes] | None = None
        self._filed = 0
        """Bytes in the file."""

    def add(self, text: bytes) -> tuple[int, int]:
        """Put a text in; gives what `get` wants.  Raises `DumpError` where there is no room for temporary files."""
        if len(self._newest) >= HELD:
            self._file_away()
        start = self._filed + len(self._newest)
        self._newest += text
        return start, len(text)

    def get(self, start: int, size: int) -> bytes:
        """The text that `add` gave this place; raises `DumpError` where it cannot be read."""
        if self._file is None or start >= self._filed:
            return bytes(self._newest[start - self._filed : start - self._filed + size])
        try:
            return os.pread(self._file.fileno(), size, start)
        except OSError as fault:
            raise _no_room("read", fault) from None

    def _file_away(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
            self._file.write(self._newest)
            self._file.flush()
        except OSError as fault:
            raise _no_room("write", fault) from None
        self._filed += len(self._newest)
        self._newest = bytearray()


def _no_room(action: str, fault: OSError) -> DumpError:
    problem = f"cannot {action} a temporary file: {fault.strerror or fault}"
    return DumpError("spool-write", problem, at=tempfile.gettempdir(), hint="free some space or set TMPDIR")


def _key(text: str) -> tuple[bytes, int]:
    """What a text is known by, and the number of its bucket."""
    try:
        digest = sha256(text.encode()).digest()
    except UnicodeEncodeError:
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return digest[:_KEY], (digest[0] << 8 | digest[1]) % _BUCKETS

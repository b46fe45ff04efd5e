"""Reading the files of a dump within bounded memory, one document or line at a time, faults included.

Documents are read strictly (see `canonical`), but a fault inside one entry must not cost its neighbours: when the
strict reader refuses a document, it is read once more with the faults left in place, and `entry` then refuses only
the entries that hold one.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from types import ModuleType
from typing import Any, NamedTuple

import orjson

from ..canonical import MAX_DEPTH, Json, check, parse
from ..errors import DumpError, UsageError
from .base import DumpFile

MAX_DOCUMENT = 48 * 1024 * 1024
"""Bytes of one JSON document or one line."""
MAX_MEMBERS = 1_500_000
"""Commas of one document: a bound on how many objects it can become in memory."""
MAX_EXPANSION = 1000
"""How many times its size a compressed file may grow."""

_LINES = (".jsonl", ".jsonl.zst")
_SMALL = 1 << 16
_CHUNK = 1 << 18
_FRAME_CHUNK = 1 << 10  # a block of zstd has four bytes or more and gives at most 128 KiB: 32 MiB a chunk at most
_SLACK = 1 << 26
_MAX_WINDOW = 1 << 27


class Line(NamedTuple):
    """One line of a file, without its line feed (a carriage return before it is blank to JSON)."""

    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON document of a file."""

    at: str
    """`path`, or `path:line` in a file of JSON lines."""
    tree: Json
    """Entries of an unsound document may hold marks that `entry` refuses."""
    data: bytes
    sound: bool
    """Whether the strict reader took all of it."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A document, a line or the rest of a file that cannot be read."""

    at: str
    problem: str


class _Twice(dict[str, Any]):
    """Stands in an unsound tree for an object in which one key stands twice."""


def documents(file: DumpFile) -> Iterator[Document | Unreadable]:
    """The documents of a `.json` file (one) or a `.jsonl` file (one a line, empty lines skipped)."""
    if not file.path.endswith(_LINES):
        yield _document(_whole(file), file.path)
        return
    for line in lines(file):
        if isinstance(line, Unreadable):
            yield line
        elif line.data and not line.data.isspace():
            yield _document(line.data, f"{file.path}:{line.number}")


def require_sound(document: Document, entry: Json) -> None:
    """Refuse an entry that holds a fault of the JSON itself.

    Raises `DumpError` whose `at` is the fault's JSON pointer inside the entry, empty for the entry as a whole.
    """
    if document.sound:
        return
    try:
        check(entry)
    except DumpError as fault:
        code, problem = fault.code, fault.problem
        if code == "json-type":
            code, problem = "json-duplicate-key", "a key stands twice in one object"
        raise DumpError(code, problem, at=fault.at.removeprefix("#")) from None


def literals(document: Document) -> Json:
    """The document once more, with every number that is not an integer as the exact `Decimal` of its literal.

    Only for documents that were read before.
    """
    return json.loads(document.data.decode(), parse_float=Decimal)


def lines(file: DumpFile) -> Iterator[Line | Unreadable]:
    """The lines of a file, decompressed if its name ends in `.zst`.

    Lines beyond `MAX_DOCUMENT` and the rest of a file that breaks off are given as `Unreadable`, in their place.
    Raises `UsageError` when the package that decompresses is not installed.
    """
    number = 1
    pending: list[bytes] = []
    size = 0
    chunks = _decompressed(file) if file.path.endswith(".zst") else file.chunks(_CHUNK)
    try:
        for chunk in chunks:
            first, *whole = chunk.split(b"\n")
            rest = first
            if whole:
                yield _line(file, number, pending, size, first)
                pending, size, rest = [], 0, whole.pop()
                for position, part in enumerate(whole, number + 1):
                    yield Line(position, part)
                number += len(whole) + 1
            size += len(rest)
            pending = [*pending, rest] if size <= MAX_DOCUMENT else []
    except DumpError as fault:
        yield Unreadable(f"{file.path}:{number}", fault.problem)
        return
    if size:
        yield _line(file, number, pending, size, b"")


def _line(file: DumpFile, number: int, pending: list[bytes], size: int, last: bytes) -> Line | Unreadable:
    if size + len(last) > MAX_DOCUMENT:
        return Unreadable(f"{file.path}:{number}", f"a line beyond {MAX_DOCUMENT // 2**20} MiB")
    return Line(number, b"".join((*pending, last)))


def _whole(file: DumpFile) -> bytes:
    """A file's bytes, cut just beyond `MAX_DOCUMENT`."""
    pieces: list[bytes] = []
    size = 0
    for chunk in file.chunks():
        pieces.append(chunk)
        size += len(chunk)
        if size > MAX_DOCUMENT:
            break
    return b"".join(pieces)


def strict(data: bytes, at: str) -> Json:
    """Read one document strictly and within the bounds of this module; raises `DumpError`."""
    tree = _evidently_sound(data)
    if tree is not None:
        return tree
    _require_bounded(data, at)
    return parse(data, at)


def _evidently_sound(data: bytes) -> Json | None:
    """The tree of a small document that the strict reader would take as told by its bytes, None where it takes a walk.

    What orjson reads and writes back unchanged has no key twice, no rounded number and, as told, no integer beyond
    ±(2^53-1).  Without the escape there is no NUL, with few brackets no depth.
    """
    if len(data) > _SMALL or len(data) - len(data.translate(None, b"[{")) > MAX_DEPTH:
        return None
    if b"\\" in data and b"\\u0000" in data:
        return None
    try:
        tree = orjson.loads(data)
        return tree if orjson.dumps(tree, option=orjson.OPT_STRICT_INTEGER) == data else None
    except (ValueError, TypeError):
        return None


def _require_bounded(data: bytes, at: str) -> None:
    hint = "publish it as pages or as JSON lines"
    if len(data) > MAX_DOCUMENT:
        raise DumpError("document-size", f"larger than {MAX_DOCUMENT // 2**20} MiB", at=at, hint=hint)
    if data.count(b",") > MAX_MEMBERS:
        raise DumpError("document-size", f"more than {MAX_MEMBERS} members", at=at, hint=hint)


def _document(data: bytes, at: str) -> Document | Unreadable:
    try:
        _require_bounded(data, at)
    except DumpError as fault:
        return Unreadable(at, f"{fault.problem}; {fault.hint}")
    try:
        return Document(at, parse(data, at), data, sound=True)
    except DumpError as fault:
        problem = fault.problem
    try:
        return Document(at, json.loads(data.decode(), object_pairs_hook=_marked), data, sound=False)
    except (ValueError, RecursionError):
        return Unreadable(at, problem)


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else _Twice(members)


def _decompressed(file: DumpFile) -> Iterator[bytes]:
    """The content of a zstd file in pieces; raises `DumpError` when it is damaged, cut off or a bomb."""
    zstandard = _zstandard(file)
    reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).decompressobj()
    taken = given = 0
    for piece in file.chunks(_FRAME_CHUNK):
        taken += len(piece)
        while piece:
            if reader.eof:
                reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).decompressobj()
            try:
                content = reader.decompress(piece)
            except zstandard.ZstdError as fault:
                raise DumpError("zstd-damaged", f"damaged zstd data: {fault}", at=file.path) from None
            piece = reader.unused_data
            given += len(content)
            if given > MAX_EXPANSION * taken + _SLACK:
                raise DumpError("zstd-bomb", f"grows to more than {MAX_EXPANSION} times its size", at=file.path)
            yield content
    if not reader.eof:
        raise DumpError("zstd-truncated", "the zstd data breaks off", at=file.path)


def _zstandard(file: DumpFile) -> ModuleType:
    try:
        import zstandard
    except ImportError:
        # Not a fault of the dump: nothing of it may count as read.
        hint = "install leaderpress[zstd], or decompress the file first"
        problem = "reading .zst needs the package zstandard"
        raise UsageError("zstd-missing", problem, at=file.path, hint=hint) from None
    return zstandard

"""Canonical bytes and strict reading on random trees and random damage, from fixed seeds."""

import json
import math
import random
import struct
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785

from leaderpress.canonical import MAX_DEPTH, canonical, check, parse
from leaderpress.errors import DumpError

ALPHABETS = [
    "abcXYZ019 _-",
    '"\\/\b\f\n\r\t\x01\x1f\x7f',
    "éßЖ中文한\u2028\u2029\ufeff",
    "\ue000\uf8ff\uffff\ufb33",
    "😂\U00010000\U0010ffff",
]
EDGES = [0.0, -0.0, 5e-324, 1e-7, 1e-6, 9.999999999999999e-6, 1e-5, 1e-4, 1e15, 1e16, 2.0**53, 1e21, 1e22, 1.7e308]


def text(rng: random.Random) -> str:
    return "".join(rng.choice(rng.choice(ALPHABETS)) for _ in range(rng.randrange(6)))


def number(rng: random.Random) -> int | float:
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randrange(-(2**53) + 1, 2**53)
    if kind == 1:
        return rng.randrange(-1000, 1000)
    if kind == 2:
        return float(rng.randrange(-(10**6), 10**6))
    if kind == 3:
        edge = rng.choice(EDGES) * rng.choice((1, -1))
        return math.nextafter(edge, rng.choice((-math.inf, 0.0, math.inf)))
    if kind == 4:
        return round(rng.uniform(-1, 1) * 10 ** rng.randrange(-8, 9), rng.randrange(9))
    while True:
        value: float = struct.unpack(">d", rng.randbytes(8))[0]
        if math.isfinite(value):
            return value


def readable_number(rng: random.Random) -> int | float:
    """A number whose canonical text is no integer beyond ±(2^53-1)."""
    while True:
        value = number(rng)
        if abs(value) < 2**53 or abs(value) >= 1e21:
            return value


def tree(rng: random.Random, number: Callable[[random.Random], int | float] = readable_number, depth: int = 0) -> Any:
    kind = rng.randrange(8 if depth < 5 else 5)
    if kind < 2:
        return number(rng)
    if kind < 4:
        return text(rng)
    if kind == 4:
        return rng.choice((True, False, None))
    if kind == 5:
        return [tree(rng, number, depth + 1) for _ in range(rng.randrange(5))]
    return {text(rng): tree(rng, number, depth + 1) for _ in range(rng.randrange(6))}


def test_20000_random_trees_have_the_bytes_of_the_reference_package() -> None:
    rng = random.Random(8785)
    for index in range(20_000):
        value = tree(rng, number if index % 2 else readable_number)
        written = canonical(value)
        assert written == rfc8785.dumps(value), index
        if not index % 2:
            assert canonical(parse(written, "x")) == written, index


def respelled(value: Any, rng: random.Random) -> bytes:
    """The same document as another writer would spell it."""
    indent = rng.choice((None, None, 0, 2))
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,", " :\t")))
    spelled = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=indent, separators=separators)
    return rng.choice((b"", b" ", b"\n\t")) + spelled.encode() + rng.choice((b"", b"\n", b"\r\n "))


def test_a_document_reads_the_same_however_it_is_spelled() -> None:
    rng = random.Random(8259)
    for index in range(4_000):
        value = tree(rng)
        data = respelled(value, rng)
        assert repr(parse(data, "x")) == repr(json.loads(data)), index


class Refused(Exception):
    pass


def by_the_book(value: Any, depth: int = 1) -> Any:
    """The rules once more, written for clarity only."""
    if isinstance(value, str):
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value):
            raise Refused
    elif isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, int):
        if abs(value) > 2**53 - 1:
            raise Refused
    elif isinstance(value, float):
        if not math.isfinite(value) or 2**53 <= abs(value) < 1e21:
            raise Refused
    else:
        if depth > MAX_DEPTH:
            raise Refused
        for member in value.items() if isinstance(value, dict) else enumerate(value):
            by_the_book(member[0])
            by_the_book(member[1], depth + 1)
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Refused
    return dict(pairs)


def expected(data: bytes) -> str | None:
    """`repr` of the document, or None where it has to be refused."""
    try:
        return repr(by_the_book(json.loads(data.decode(), object_pairs_hook=unique)))
    except (Refused, ValueError):
        return None


POISON = [
    b"NaN",
    b"-Infinity",
    b"1e400",
    b"9007199254740992",
    b"18446744073709551616",
    rb'"\ud800"',
    rb'"\u0000"',
    b'{"a":1,"a":1}',
    b"[" * 70 + b"]" * 70,
    b"\xff",
    b"01",
    b",",
    b'"',
]


def damaged(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.randrange(4))
    patch = rng.choice((b"", rng.choice(POISON), rng.randbytes(rng.randrange(3)), data[:end][-6:]))
    return data[:start] + patch + data[end:]


def test_damaged_documents_are_read_right_or_refused_and_nothing_else_is_raised() -> None:
    rng = random.Random(404)
    refused = 0
    for index in range(20_000):
        data = damaged(respelled(tree(rng), rng), rng)
        try:
            read = repr(parse(data, "x"))
        except DumpError as fault:
            str(fault).encode()
            read = None
            refused += 1
        assert read == expected(data), (index, data)
    assert 5_000 < refused < 19_000  # both outcomes must be common, or the test says nothing


BAD_LEAVES: list[Any] = [2**53, -(2**60), 1e20, math.nan, math.inf, "a\0", "\udfff", (1,), b"x", {1: 2}, {"\0": 1}]


def poisoned(value: Any, rng: random.Random) -> tuple[Any, str]:
    """A copy with one bad leaf somewhere, and the pointer of the leaf."""
    if isinstance(value, list) and value:
        position = rng.randrange(len(value))
        inner, where = poisoned(value[position], rng)
        return [*value[:position], inner, *value[position + 1 :]], f"/{position}{where}"
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        inner, where = poisoned(value[key], rng)
        return {**value, key: inner}, "/" + key.replace("~", "~0").replace("/", "~1") + where
    return rng.choice(BAD_LEAVES), ""


def test_one_bad_leaf_anywhere_is_found_at_its_pointer() -> None:
    rng = random.Random(6901)
    for index in range(3_000):
        value = tree(rng)
        check(value)
        bad, where = poisoned(value, rng)
        with pytest.raises(DumpError) as refused:
            check(bad, "f")
        assert refused.value.at == (f"f#{where}" if where else "f"), index

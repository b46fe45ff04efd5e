"""`lookup/<digits>.js`: what the script of 404.html asks to complete a shortened address.

A shard is a script and not JSON, because the policy of the site lets pages load scripts of its own and nothing else.
It calls `shortForms` with `{"d": […], "k": {…}}`: digests, and keys with what they stand for, each with a letter for
its kind before the 64 hex digits.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import product

import orjson

from ..index import Index
from ..index.shortforms import Keyed, Short
from .addresses import Addresses
from .pages.context import group_path, run_path

LOOKUP = "lookup/"
FEW = 200
"""Shards whose keys are asked for by name; more than that, and all keys pass by."""
RUN, GROUP, IMPLEMENTATION, OBJECT = "r", "g", "i", "o"
"""Letters for what a digest stands for: its page, or the canonical object where it has none."""


def shard_names(digits: int) -> list[str]:
    """All shards by name, `0` to `f` or `000` to `fff`."""
    return ["".join(name) for name in product("0123456789abcdef", repeat=digits)]


def shard_path(name: str) -> str:
    """Address of a shard."""
    return f"{LOOKUP}{name}.js"


def is_looked_up(addresses: Addresses) -> bool:
    """Whether the site writes shards."""
    return addresses.writes("lookup")


def shard_files(index: Index, addresses: Addresses, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of these shards, whose names have one length, in their order: one query for all."""
    ordered = sorted(names)
    if not ordered:
        return
    digits = len(ordered[0])
    keys = _Ahead(index.keyed_runs(ordered if len(ordered) <= FEW else None), digits)
    for name in ordered:
        found = index.shorts(f"sha256:{name}", f"sha256:{name}g")
        digests = [letter + short.digest[7:] for short in found if (letter := _letter(addresses, short))]
        yield shard_path(name), _shard(digests, keys.of(name), addresses)


class _Ahead:
    """The keys of one shard after the other, from a stream in the same order."""

    def __init__(self, keys: Iterable[tuple[str, list[Keyed]]], digits: int) -> None:
        self._stream = iter(keys)
        self._digits = digits
        self._next = next(self._stream, None)

    def of(self, name: str) -> Iterator[list[Keyed]]:
        """The keys of this shard; those of shards before it are passed over."""
        while self._next is not None and self._next[0][: self._digits] <= name:
            shard, runs = self._next
            self._next = next(self._stream, None)
            if shard[: self._digits] == name:
                yield runs


def _letter(addresses: Addresses, short: Short) -> str:
    """What a digest stands for; empty for what has no address."""
    if short.kind == "BenchmarkRun":
        return _run_letter(addresses, short.digest, str(short.about))
    if short.kind == "group":
        return GROUP if addresses.has_page(group_path(short.digest)) else ""
    if short.about and addresses.has_page(f"implementations/{short.digest[7:]}/"):
        return IMPLEMENTATION
    return OBJECT


def _run_letter(addresses: Addresses, digest: str, source: str) -> str:
    return RUN if addresses.has_page(run_path(digest), source) else OBJECT


def _shard(digests: Iterable[str], keys: Iterable[list[Keyed]], addresses: Addresses) -> bytes:
    named = (
        orjson.dumps(runs[0].key)
        + b":"
        + orjson.dumps([_run_letter(addresses, run.digest, run.source) + run.digest[7:] for run in runs])
        for runs in keys
    )
    quoted = (b'"%b"' % digest.encode("ascii") for digest in digests)
    return b'shortForms({"d":[\n%b\n],"k":{\n%b\n}});\n' % (b",\n".join(quoted), b",\n".join(named))

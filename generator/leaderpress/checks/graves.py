"""Tombstones of a site held against what was published before: nothing but texts may have gone.

A published tombstone has no figures, so the pages' JSON twins of both sites are compared: whoever changes a number in
the records of a document that was redacted changes no digest.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from ..canonical import parse
from ..errors import BuildError, LeaderpressError
from ..manifests.tombstone import Tombstone, read_tombstone
from .site import Site

_RUN = "BenchmarkRun"
_CHAIN = frozenset({"Run", "Implementation", "Operation", "Workload", "Protocol", "Environment"})
_HINT = "a removal never changes what ranking needs; restore the record"


def stone_at(site: Site, path: str) -> Tombstone | None:
    """The tombstone that stands at the address of an object; None if the object itself, or something else, does."""
    if site.sums.get(path) == path[10:74]:
        return None
    try:
        stone = read_tombstone(parse(site.read(path), path))
    except LeaderpressError:
        return None
    return stone if stone is not None and stone.digest == f"sha256:{path[10:74]}" else None


def new_graves(site: Site, sums: Mapping[str, str]) -> int:
    """How many objects of an earlier site have become tombstones; `sums` is its SHA-256 (hex) by path."""
    paths = (path for path, digest in sums.items() if path.startswith("sha256/") and digest == path[10:74])
    return sum(1 for path in paths if path in site.files and stone_at(site, path))


def changed_figures(site: Site, earlier: Path, sums: Mapping[str, str]) -> Iterator[LeaderpressError]:
    """A fault for each run of which a text was removed and whose page has other figures than in the site `earlier`."""
    for path in sorted(sums):
        if not path.startswith("sha256/") or path not in site.files:
            continue
        stone = stone_at(site, path)
        if stone is None or stone.of != _RUN or stone.whole:
            continue
        twin = f"runs/{path[10:74]}/index.json"
        if twin in sums and twin in site.files:
            yield from _differences(_read((earlier / twin).read_bytes()), _read(site.read(twin)), twin)


def _read(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}


def _differences(old: Any, new: Any, at: str) -> Iterator[LeaderpressError]:
    try:
        was, now = _facts(old), _facts(new)
        lost = [value for value in _numbers(old) if value not in _numbers(new)]
    except (KeyError, TypeError, AttributeError):
        yield BuildError("tombstone-changed", "the page of a redacted run cannot be read", at=at, hint=_HINT)
        return
    for name, value in was.items():
        if now[name] != value:
            problem = f"{name} of a redacted run was published as {value!r}, and is {now[name]!r} now"
            yield BuildError("tombstone-changed", problem, at=at, hint=_HINT)
    if lost:
        problem = f"measurements of a redacted run were published and are not there any more: {lost}"
        yield BuildError("tombstone-changed", problem, at=at, hint=_HINT)


def _facts(twin: Any) -> dict[str, object]:
    """What a removal leaves as it is: status, instant, figure and the chain of digests."""
    primary = twin["primary"] or {}
    chain = {label: found["digest"] for found in twin["documents"] if (label := _label(found)) in _CHAIN}
    return {
        "status": twin["status"],
        "observed_at": twin["observed_at"],
        "comparison_key": twin["comparison_key"],
        "value": primary.get("value"),
        "unit": primary.get("unit"),
        **chain,
    }


def _label(document: Any) -> str:
    return str(document["label"]).partition(",")[0]


def _numbers(twin: Any) -> list[object]:
    return [line["figure"]["value"] for line in twin["measurements"]]

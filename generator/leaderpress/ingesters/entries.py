"""What ingesters share about single entries: refusing one with its place, reading its fields, noting unknown ones."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from ..canonical import canonical, pointer
from ..errors import ManifestError, Problems
from ..manifests import API_VERSION, Manifest, parse
from .base import Drift, Fact, Rejection

MALFORMED = "MALFORMED"
CONFLICTING_COPIES = "CONFLICTING_COPIES"
"""Copies of one entry that differ: none of them is taken."""
IDENTICAL_COPY = "IDENTICAL_COPY"
"""A copy of an entry that the dump holds elsewhere; the entry counts once."""

MAX_DETAIL = 300
"""Characters of a stranger's text in a report."""
MAX_TITLE = 200
"""Characters of a title."""
MAX_FACT = 1 << 20
"""Bytes of one fact."""
_MAX_DRIFT = 500

Entry = dict[str, Any]


class Refused(Exception):
    """An entry is not taken.  Never leaves the ingesters: whoever knows the entry's place makes a `Rejection` of it."""

    def __init__(self, reason: str, detail: str, *path: str | int) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.path = path
        """Where the fault is, as segments of a pointer from the entry."""

    def rejection(self, at: str, source: str, *, verdict: bool = False, external_id: str | None = None) -> Rejection:
        """The finding; `at` is the entry's place."""
        place = at + shortened(pointer(*self.path))
        name = None if external_id is None else shortened(external_id)
        return Rejection(self.reason, place, shortened(self.detail), source, verdict, name)


def shortened(text: str) -> str:
    """A stranger's text made short enough for a report."""
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"


def as_title(text: str) -> str:
    """A title as long as titles may be; the last character of one that was cut is an ellipsis."""
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1] + "…"


def kind_of(value: object) -> str:
    """A JSON value's type in the words of the JSON specification."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def is_object(value: object) -> TypeGuard[Entry]:
    """Whether a value is a JSON object that can be read (marked ones are dicts too, but not of this very type)."""
    return type(value) is dict


def text(entry: Mapping[str, Any], key: str) -> str:
    """A text that must be there; raises `Refused` when it is absent, empty or something else."""
    value = optional_text(entry, key)
    if value is None:
        raise Refused(MALFORMED, f"{key} is missing", key)
    return value


def optional_text(entry: Mapping[str, Any], key: str) -> str | None:
    """A text, or None where the dump has null, an empty text or nothing; raises `Refused` for other types."""
    value = entry.get(key)
    if value is None or value == "":
        return None
    if type(value) is not str:
        raise Refused(MALFORMED, f"{key} is {kind_of(value)}, not a string", key)
    return value


def key_of(entry: Mapping[str, Any], name: str) -> str | None:
    """An upstream id as text: an integer's digits or a non-empty string; None for anything else."""
    value = entry.get(name)
    if type(value) is int:
        return str(value)
    return value if type(value) is str and value else None


def segments(place: str) -> tuple[str, ...]:
    """The segments of a JSON pointer."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:])


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a number."""
    return type(value) in (int, float)


def sealed(
    value: dict[str, Any], fields: Mapping[str, tuple[str, ...]] | None = None, place: tuple[str, ...] | None = None
) -> Manifest:
    """Validate a document; raises `Refused`.

    `place` is where the document itself stands in its entry; for a document that was made of an entry, `fields` names
    for pointers into the document the field of the entry that they were made of.
    """
    try:
        return parse(value)
    except Problems as problems:
        faults = problems.problems
    except ManifestError as fault:
        faults = (fault,)
    inside = faults[0].at.removeprefix("#")
    path = (fields or {}).get(inside, ()) if place is None else (*place, *segments(inside))
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    raise Refused(MALFORMED, f"{value.get('kind')} {inside}: {faults[0].problem}{more}", *path) from None


def document(kind: str, metadata: Entry, spec: Entry) -> Entry:
    """The envelope of a manifest."""
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def fact(about: str, source: str, name: str, value: Any, at: str, path: tuple[str | int, ...]) -> Fact | Rejection:
    """A fact, or the rejection of one that is too large to carry along."""
    size = len(canonical(value))
    if size <= MAX_FACT:
        return Fact(about, source, name, value)
    return Refused(MALFORMED, f"{name} has {size} bytes; facts beyond {MAX_FACT} are left out", *path).rejection(
        at, source
    )


@dataclass(slots=True)
class DriftLog:
    """Counts the keys that an ingester does not know."""

    source: str
    _seen: dict[str, tuple[str, int]] = field(default_factory=dict)

    def note(self, entry: Mapping[str, Any], known: frozenset[str], place: str, at: str) -> None:
        """Count an entry's unknown keys; `place` is the entry's path without positions, `at` where it stands."""
        if entry.keys() <= known:
            return
        for key in sorted(entry.keys() - known):
            name = f"{place}.{shortened(key)}"
            if name not in self._seen and len(self._seen) >= _MAX_DRIFT:
                name = f"{place}.*"
            first, count = self._seen.get(name, (at, 0))
            self._seen[name] = (first, count + 1)

    def findings(self) -> Iterator[Drift]:
        """One finding for each key."""
        for name, (at, count) in sorted(self._seen.items()):
            yield Drift(name, at, self.source, count)


def stated(entry: Mapping[str, Any], names: Iterable[str]) -> Entry:
    """The members of an entry that are stated: null, empty texts and absent ones are the same everywhere."""
    return {name: entry[name] for name in names if entry.get(name) not in (None, "")}

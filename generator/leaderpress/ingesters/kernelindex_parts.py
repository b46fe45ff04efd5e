"""What the first look at an export keeps of its workloads, implementations and artifacts, packed: they are many."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Any, Generic, TypeVar

import orjson

from .entries import Entry
from .packed import PackedMap, PackedTexts

Sources = frozenset[str]
Thing = TypeVar("Thing")

_PART = Struct("<III")
"""Numbers of a part's operation, its project and the set of its runs' sources; 0 for what is not known."""
_UNKNOWN = (0, 0, 0)
_PLACE = Struct("<QI")


class Numbered(Generic[Thing]):
    """Things and the numbers that they get in the order of their coming; the first has 0."""

    def __init__(self, first: Thing) -> None:
        self._numbers: dict[Thing, int] = {first: 0}
        self.things: list[Thing] = [first]
        """By number."""

    def number(self, thing: Thing) -> int:
        """The thing's number."""
        number = self._numbers.setdefault(thing, len(self.things))
        if number == len(self.things):
            self.things.append(thing)
        return number


def _packed(form: Struct) -> PackedMap[Any]:
    return PackedMap(form.size, lambda numbers: form.pack(*numbers), form.unpack)


@dataclass(slots=True)
class Parts:
    """The workloads and implementations of an export, by row id: whose they are and which sources ran them."""

    _parts: PackedMap[tuple[int, int, int]] = field(default_factory=lambda: _packed(_PART))
    _tasks: Numbered[str | None] = field(default_factory=lambda: Numbered(None))
    _projects: Numbered[str | None] = field(default_factory=lambda: Numbered(None))
    _sources: Numbered[Sources] = field(default_factory=lambda: Numbered(frozenset()))

    def place(self, row_id: str, task: str, project: str | None) -> None:
        """Note the operation and the project of a part; of rows with one id the first counts."""
        known, _, sources = self._parts.get(row_id) or _UNKNOWN
        if not known:
            self._parts[row_id] = (self._tasks.number(task), self._projects.number(project), sources)

    def run(self, row_id: str, source: str) -> None:
        """Note that a source (by row id) ran a part."""
        task, project, number = self._parts.get(row_id) or _UNKNOWN
        sources = self._sources.things[number]
        if source not in sources:
            self._parts[row_id] = (task, project, self._sources.number(sources | {source}))

    def sources(self, row_id: str) -> Sources:
        """Row ids of the sources that ran a part."""
        _, _, number = self._parts.get(row_id) or _UNKNOWN
        return self._sources.things[number]

    def placed(self) -> Iterator[tuple[str, str | None, Sources]]:
        """Operation, project and sources of every part that was placed, in no order."""
        for task, project, sources in self._parts.values():
            operation = self._tasks.things[task]
            if operation is not None:
                yield operation, self._projects.things[project], self._sources.things[sources]


@dataclass(slots=True)
class Artifacts:
    """Artifacts by content digest, as statements carry them."""

    _places: PackedMap[tuple[int, int]] = field(default_factory=lambda: _packed(_PLACE))
    _texts: PackedTexts = field(default_factory=PackedTexts)
    """All of them as JSON."""

    def add(self, digest: str, entry: Entry) -> None:
        """Take in an artifact; of several with one digest the first counts."""
        if digest in self._places:
            return
        try:
            text = orjson.dumps(entry)
        except TypeError:  # nested deeper than can be written: the second look refuses its row
            return
        self._places[digest] = self._texts.add(text)

    def get(self, digest: str) -> Entry | None:
        """The artifact with this digest, None if the export has none."""
        place = self._places.get(digest)
        if place is None:
            return None
        entry: Entry = orjson.loads(self._texts.get(*place))
        return entry

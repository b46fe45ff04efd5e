"""A first look at a SOL-ExecBench dump: which files hold what, and which entries stand more than once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from ..canonical import Json, canonical, sha256
from ..errors import DumpError, ManifestError
from .base import Dump, DumpFile
from .entries import is_object, key_of
from .reading import Document, Unreadable, documents, require_sound

_KEPT_BYTES = 8 << 20


class Shape(Enum):
    """What a document of the dump is."""

    KERNELS = "kernels"
    KERNEL = "kernel"
    SUBMISSIONS = "submissions"
    UNKNOWN = "unknown"


Name = tuple[Shape, str]
"""An entry's kind and upstream id."""


def shape_of(document: Document | Unreadable) -> Shape:
    """The shape of a document, by what its envelope holds."""
    tree = document.tree if isinstance(document, Document) else None
    data = tree.get("data") if is_object(tree) else None
    if not is_object(data):
        return Shape.UNKNOWN
    pages = [shape for shape in (Shape.KERNELS, Shape.SUBMISSIONS) if type(data.get(shape.value)) is list]
    if len(pages) == 1:
        return pages[0]
    if not pages and "name" in data and "id" in data and ("axes" in data or "inputs" in data):
        return Shape.KERNEL
    return Shape.UNKNOWN


@dataclass(frozen=True, slots=True)
class Sighting:
    """One entry of a document, not yet looked at."""

    name: Name | None
    """None when it has no id that could be read."""
    value: Json
    at: str
    document: Document


def entries(document: Document | Unreadable) -> Iterator[Sighting]:
    """The entries of a document, in order; none for an unknown shape."""
    shape = shape_of(document)
    if not isinstance(document, Document) or shape is Shape.UNKNOWN:
        return
    data = document.tree["data"]
    if shape is Shape.KERNEL:
        yield _sighting(shape, data, f"{document.at}#/data", document)
        return
    for position, value in enumerate(data[shape.value]):
        yield _sighting(shape, value, f"{document.at}#/data/{shape.value}/{position}", document)


def _sighting(shape: Shape, value: Json, at: str, document: Document) -> Sighting:
    key = key_of(value, "id") if is_object(value) else None
    return Sighting(None if key is None else (shape, key), value, at, document)


@dataclass(slots=True)
class Survey:
    """What the quick look found."""

    kernels: list[DumpFile] = field(default_factory=list)
    """Files that hold a list, a detail, or what is reported."""
    pages: list[DumpFile] = field(default_factory=list)
    """Files that hold submissions."""
    repeated: set[Name] = field(default_factory=set)
    """Entries of which the dump holds several copies."""
    conflicting: set[Name] = field(default_factory=set)
    """Those of them that differ."""
    _kept: dict[str, list[Document | Unreadable]] = field(default_factory=dict)
    """Documents of small dumps, so that they are read once only."""
    _room: int = _KEPT_BYTES

    def read(self, dump: Dump) -> None:
        """Look at every document."""
        seen: set[Name] = set()
        for file in dump.files:
            shapes = {self._look(document, seen) for document in self._read_and_keep(file)}
            if shapes != {Shape.SUBMISSIONS}:
                self.kernels.append(file)
            if Shape.SUBMISSIONS in shapes:
                self.pages.append(file)
        if self.repeated:
            self.conflicting = self._differing(dump)

    def documents(self, file: DumpFile) -> Iterable[Document | Unreadable]:
        """The documents of a file, again."""
        return self._kept.get(file.path) or documents(file)

    def _read_and_keep(self, file: DumpFile) -> Iterator[Document | Unreadable]:
        kept: list[Document | Unreadable] = []
        for document in documents(file):
            self._room -= len(document.data) if isinstance(document, Document) else 0
            if self._room > 0:
                kept.append(document)
            yield document
        if self._room > 0:
            self._kept[file.path] = kept

    def _look(self, document: Document | Unreadable, seen: set[Name]) -> Shape:
        for entry in entries(document):
            if entry.name is not None:
                (self.repeated if entry.name in seen else seen).add(entry.name)
        return shape_of(document)

    def _differing(self, dump: Dump) -> set[Name]:
        first: dict[Name, str] = {}
        differing: set[Name] = set()
        for file in dump.files:
            for document in self.documents(file):
                for entry in entries(document):
                    if entry.name in self.repeated and first.setdefault(entry.name, _content(entry)) != _content(entry):
                        differing.add(entry.name)
        return differing


def _content(entry: Sighting) -> str:
    """Equal for copies that say the same; an entry that holds a fault is equal to no other."""
    try:
        require_sound(entry.document, entry.value)
        return sha256(canonical(entry.value))
    except (DumpError, ManifestError):
        return entry.at

"""What a change of the records touches: units of work whose files may differ, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..log import Checkpoint


@dataclass(slots=True)
class Changes:
    """Units of work whose pages may differ from the published ones, with the reason for each."""

    groups: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    subjects: dict[str, str] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)
    hardware: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    editions: dict[str, str] = field(default_factory=dict)
    lookup: dict[str, str] = field(default_factory=dict)
    runs: frozenset[str] = frozenset()
    """Digests of the runs of `groups`, whose pages are built with them."""
    anything: bool = False
    """Whether the ways in (home, indexes, records, changes, sources) may differ."""
    records: bool = False
    """Whether a list of records may differ."""
    pages: bool = False
    """Whether a written page may differ."""
    names_changed: bool = False
    """Whether anything may be called otherwise, or stand otherwise, that was published before."""
    logged: bool = True
    """Whether the publication log may differ."""
    continued: bool = False
    """Whether the records are those of the published site and more, none of them another."""
    log: Checkpoint | None = None
    """The checkpoint of the published log, where it is known."""
    cause: str = "data"
    """What made units of work differ: `data`, or `notes` where no record was added."""

    def why(self, path: str) -> str | None:
        """Why the file at `path` is built again; None if it is not."""
        first, _, rest = path.partition("/")
        name = rest.partition("/")[0]
        digest = f"sha256:{name}"
        if first == "log":
            return LOGGED if self.logged else None
        if first == "sha256":
            return self.objects.get(f"sha256:{rest[3:-5]}")
        if first == "records" and name != "feed.xml":
            return LISTED if self.records else None
        if first == "runs":
            return "its comparison group or what it refers to changed" if digest in self.runs else None
        if first == "groups":
            return self.groups.get(digest)
        if first == "implementations" and len(name) == 64:
            return self.subjects.get(digest)
        units = {"operations": self.tasks, "projects": self.projects, "hardware": self.hardware}.get(first)
        if units is not None and not name.startswith("index."):
            return units.get(name)
        if path in _STANDING or first in _STANDING:
            return None
        if first == "lookup":
            return self.lookup.get(name.removesuffix(".js"))
        if first == "editions" and "/" in rest:
            return self.editions.get(name)
        if not rest or first in _WAYS_IN:
            return LISTED if self.anything else None
        return EDITED if self.pages else None

    def cause_of(self, path: str) -> str:
        """The kind of change that makes the file at `path` be built again, in a word or two."""
        return _CAUSES.get(self.why(path) or LISTED, self.cause)

    def touched(self, paths: Iterable[str]) -> Iterator[str]:
        """Those of these paths, which are in order, that are built again."""
        return (path for path in paths if self.why(path) is not None)


LISTED = "something that it lists may have changed"
EDITED = "a written page was edited"
LOGGED = "something may have been published"
_CAUSES = {LISTED: "lists", EDITED: "written pages", LOGGED: "log"}
"""Causes by reason; all other reasons are about records and notes."""
_STANDING = frozenset({"assets", "schema", "404.html"})
"""What depends on nothing but what all pages share."""
_WAYS_IN = frozenset(
    {"operations", "implementations", "projects", "hardware", "sources", "records", "changes", "editions"}
)

"""Which pages and twins a site writes: the one place that decides, for the files and for every link to them.

A page is named by its folder, relative to the site's root and with a final slash (`runs/<64 hex>/`, empty for the
home page); its kind follows from that alone.  `[outputs]` in `content/site.toml` says which kinds are written.
"""

import re
from collections.abc import Iterable, Iterator

from ..config import FORMATS, SITE_FILE, Outputs
from ..errors import ContentError
from ..inventory import is_permanent

_KINDS = {"": "home", "runs": "run", "groups": "group", "records": "records", "changes": "changes", "lookup": "lookup"}
_LISTED = {
    "operations": "task",
    "implementations": "subject",
    "projects": "project",
    "hardware": "hardware",
    "sources": "source",
    "editions": "edition",
}
"""Kinds whose pages stand below their index."""
_PART_OF_INDEX = re.compile(r"\d{0,9}(?:#.*)?")


def page_kind(path: str) -> str:
    """The kind, as `[outputs]` names it, of the page at `path`; a fragment may follow."""
    first, _, rest = path.partition("/")
    kind = _KINDS.get(first)
    if kind is not None:
        return kind
    kind = _LISTED.get(first)
    if kind is None:
        return "page"
    name = rest.partition("/")[0]
    # Only implementations are so many that their index goes on; a project may well be called 2.
    is_index = _PART_OF_INDEX.fullmatch(name) if kind == "subject" else name[:1] in ("", "#")
    return "index" if is_index else kind


class Addresses:
    """The pages that a site with these outputs writes.  `source` is that of a run, and of no other page."""

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self.whole = all(formats == FORMATS for formats in (*outputs.kinds.values(), *outputs.sources.values()))
        """Whether nothing is switched off, as on most sites."""

    def has_page(self, path: str, source: str | None = None) -> bool:
        """Whether the page at `path` is written."""
        return self.whole or self._outputs.has(page_kind(path), "html", source)

    def has_twin(self, path: str, source: str | None = None) -> bool:
        """Whether the page at `path` has a JSON twin."""
        return self.whole or self._outputs.has(page_kind(path), "json", source)

    def writes(self, kind: str) -> bool:
        """Whether anything of this kind is written."""
        return self.whole or any(self._outputs.has(kind, form) for form in FORMATS)

    def page(self, path: str, source: str | None = None) -> str:
        """`path` if a link may lead there, else nothing."""
        return path if self.whole or self.has_page(path, source) else ""

    def twin(self, path: str, source: str | None = None) -> str:
        """Address of the JSON twin of the page at `path`, empty without one."""
        return f"{path}index.json" if self.has_twin(path, source) else ""

    def broken_promises(self, published: Iterable[str], sources: Iterable[tuple[str, str]]) -> list[ContentError]:
        """A fault for each setting that takes away published pages whose address was promised for ever (design 3.1).

        `published` are paths of files, `sources` the digest of each run and its source; both in order.
        """
        lost = Lost()
        stated = _InOrder(sources)
        for path in published:
            if is_permanent(path):
                folder = path.removesuffix("index.html")
                source = stated.get(f"sha256:{folder.split('/')[1]}") if folder.startswith("runs/") else None
                if not self.has_page(folder, source):
                    lost.add(self._setting(folder, source), path)
        return [_broken(setting, count, first) for setting, count, first in lost]

    def _setting(self, path: str, source: str | None) -> str:
        """The setting that switches the page at `path` off."""
        kind = page_kind(path)
        return f"outputs.{kind}" if not self._outputs.has(kind, "html") else f"outputs.sources.{source}"


class Lost:
    """Paths that would be lost, counted by what they are lost to; the first of each kind is named."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, kind: str, path: str) -> None:
        """Count one."""
        count, first = self._found.get(kind, (0, path))
        self._found[kind] = count + 1, min(first, path)

    def __iter__(self) -> Iterator[tuple[str, int, str]]:
        """(kind, how many, the first by path), in order."""
        return ((kind, count, first) for kind, (count, first) in sorted(self._found.items()))


class _InOrder:
    """Values by key, from a stream in order, for keys that are asked for in order."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._stream = iter(pairs)
        self._next = next(self._stream, None)

    def get(self, key: str) -> str | None:
        while self._next is not None and self._next[0] < key:
            self._next = next(self._stream, None)
        return self._next[1] if self._next is not None and self._next[0] == key else None


def _broken(setting: str, count: int, first: str) -> ContentError:
    pages = "a published page" if count == 1 else f"{count:,} published pages"
    problem = f"{setting} switches off {pages} with a permanent address, such as {first}"
    hint = 'keep "html" in it; to save files, switch off the JSON twins with ["html"]'
    return ContentError("permalink-lost", problem, at=SITE_FILE, hint=hint)

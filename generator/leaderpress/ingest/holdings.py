"""What the store holds, as far as a dump asks for it: who asks about few digests need not take in a million lines.

The folders are read once, after the dump.  A line is taken apart only if something in it was asked for, or if it gives
a slug; of all others a glance at their bytes is enough.  They are canonical JSON, so that the same key always stands
in the same spelling, and a quotation mark inside a text always behind a backslash.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..ingesters.packed import PackedSet
from ..store import PROVENANCE, Folder, Line

_DIGEST = 71
_AFTER_DIGEST = b'","documentDigest":"'
_SLUG = b',"slug":"'
_SOURCE = b',"source":'
_KEY = b',"upstreamKey":'
_PUBLISHED = b',"upstreamPublishedAt":'


class Holding(NamedTuple):
    """One line of a folder's provenance that matters."""

    folder: Folder
    position: int
    line: Line
    is_asked: bool
    """Whether its digest was asked for."""
    key: bytes
    """Canonical `[source, upstreamKey]` if it was asked for, else empty."""


class Holdings:
    """The folders of a store, oldest first, and what is asked about them."""

    def __init__(self, held: Sequence[Folder]) -> None:
        self.folders = held
        self._digests = PackedSet()
        self._keys = PackedSet()

    def ask(self, *digests: str | None) -> None:
        """Ask for all lines about these digests."""
        if self.folders:
            for digest in filter(None, digests):
                self._digests.add(digest)

    def ask_key(self, key: bytes) -> None:
        """Ask for the lines with this key: canonical `[source, upstreamKey]`."""
        if self.folders:
            self._keys.add(key.decode())

    def __iter__(self) -> Iterator[Holding]:
        """The lines that were asked for or give a slug, in order of publication."""
        asks_digest, asks_key = self._digests.lookup(), self._keys.lookup()
        for folder in self.folders:
            for position, text in enumerate(folder.lines(PROVENANCE), 1):
                # Artifacts, whose members may be called anything, come before the digest.
                end = text.rfind(_AFTER_DIGEST)
                is_asked = asks_digest(text[end - _DIGEST : end].decode())
                key = _key(text, end)
                key = key if key and asks_key(key.decode()) else b""
                if is_asked or key or _SLUG in text:
                    yield Holding(folder, position, folder.parsed(PROVENANCE, position, text), is_asked, key)


def _key(text: bytes, start: int) -> bytes:
    """Canonical `[source, upstreamKey]` of a line, empty if it has none; `start` is where its digest ends."""
    place = text.rfind(_KEY, start)
    if place < 0:
        return b""
    source = text.rfind(_SOURCE, 0, place) + len(_SOURCE)
    end = text.rfind(_PUBLISHED, place)
    key = text[place + len(_KEY) : end if end >= 0 else text.rfind(b"}")]
    # A source is a slug: nothing in it needs an escape, and no comma but the one after it.
    return b"[%b,%b]" % (text[source : text.index(b",", source)], key)

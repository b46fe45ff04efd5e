"""The line by which the publication log covers what is no document: provenance, facts and the account of a dump.

It ends the lines of an ingest, and those of a seal only where an older version left ingests without such a line.  Its
digest is that of the folder's snapshot without the members `log` and `seal`: the SHA-256 of every file as it was first
published (but for `log.txt`, which holds the line), the dump, the dates, and the snapshot before it, so that it covers
older folders too.  The lists that quote the dump are covered by a digest, which the snapshot states in `log.told`: a
removal of a text from them leaves the line as it is.
"""

from typing import Any

from ..canonical import canonical, sha256

LOG = "log.txt"
"""The file of a folder with its lines of the log."""

KIND = "Snapshot"
"""In the place of the kind of a document; no object is published for it."""

_TOLD = ("drift", "ignored", "rejections")
"""Lists that quote the dump, from which a text may have to be removed."""
_BESIDE = frozenset({"log", "seal", *_TOLD})

Line = dict[str, Any]


def told(snapshot: Line) -> str:
    """The digest of the lists that quote the dump, as they were first published."""
    return sha256(canonical({name: snapshot.get(name) for name in _TOLD}))


def line_digest(snapshot: Line, told: str) -> str:
    """What the line of a folder with this snapshot states; `told` is the digest of its lists."""
    files = {name: file for name, file in snapshot["files"].items() if name != LOG}
    covered = {name: value for name, value in snapshot.items() if name not in _BESIDE}
    return sha256(canonical({**covered, "files": files, "told": told}))

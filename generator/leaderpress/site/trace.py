"""What a published site was built from, and what a change since then touches.

`build/cache/built.sqlite` is the index of the last build that was published, `trace.json` what else went into it: the
digest of all that every page depends on (program, versions, theme, settings, source tables), of each note and of each
written page, tied to the digest of the published `SHA256SUMS`.  A trace that is missing, damaged or of another site
means a full build, never a wrong page.  Where the index was only continued since, the lists of what its refreshes
touched lead from the one to the other, and nothing else is compared.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..canonical import Json, canonical, sha256
from ..digests import FileDigests
from ..errors import BuildError
from ..index import touched_between
from ..log import Checkpoint
from .changes import Changes
from .difference import Difference
from .overrides import edited_units

TRACE = "trace.json"
BUILT = "built.sqlite"
INDEX = "index.sqlite"
HELD = "building.sqlite"
VERSION = 2
"""Of the form of `trace.json`; another one is thrown away."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything outside the index that a build depends on."""

    common: Mapping[str, str]
    """Digests of what every page depends on, by what it is."""
    notes: Mapping[str, str]
    """Digest of the notes about each run."""
    pages: str
    """Digest of the written pages."""
    editions: Mapping[str, str] = field(default_factory=dict)
    """Digest of each edition by its tag."""
    documents: tuple[str, ...] = ()
    """Digests of the documents of all notes."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """Digest of what the publisher says on a page, by the page's address."""

    @property
    def theme_key(self) -> str:
        """Digest of everything that compiled templates depend on."""
        return theme_key(self.common)


_MAPPED = 48 << 20
"""Bytes of each index that are read in place instead of being copied: what is mapped counts as memory."""


def theme_key(common: Mapping[str, str]) -> str:
    """Digest of everything that compiled templates depend on, from the digests of what every page depends on."""
    return digest_of_inputs(common[name] for name in ("the program", "Python", "libraries", "the theme"))


def digest_of_inputs(parts: Iterable[object]) -> str:
    """A digest over the texts of values whose `repr` says all about them."""
    return hashlib.sha256("\0".join(repr(part) for part in parts).encode("utf-8", "surrogatepass")).hexdigest()


def hold(index: Path, digests: FileDigests) -> Path:
    """A name of its own for the index that a build reads: another command may replace the index meanwhile.

    Call it while the output folder is locked, so that one build at a time uses the name.  Raises `BuildError`.
    """
    held = index.with_name(HELD)
    try:
        held.unlink(missing_ok=True)
        with digests.renaming(index, held):
            os.link(index, held)
    except OSError as fault:
        raise BuildError("index-hold", str(fault.strerror or fault), at=str(held)) from None
    return held


def record(cache: Path, index: Path, inputs: Inputs, sums: str, log: Checkpoint, digests: FileDigests) -> None:
    """Remember what the site with this `SHA256SUMS` digest was built from; a failure costs speed only.

    `index` is what `hold` gave.
    """
    built = cache / BUILT
    body = {
        "v": VERSION,
        "sums": sums,
        "common": dict(inputs.common),
        "notes": dict(inputs.notes),
        "pages": inputs.pages,
        "editions": dict(inputs.editions),
        "documents": list(inputs.documents),
        "overrides": dict(inputs.overrides),
        "log": list(log),
        "index": _file_digest(index, digests),
    }
    with suppress(OSError):
        with digests.renaming(index, built):
            os.replace(index, built)
            # Renaming one name of a file over another name of the same file leaves both.
            index.unlink(missing_ok=True)
        _write(cache / TRACE, body)


def keep(cache: Path, name: str, key: str, payload: bytes) -> None:
    """Keep bytes that cost time to make; a failure costs time only."""
    part = cache / f"{name}.{os.getpid()}"
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        part.write_bytes(_seal(key, payload) + b"\n" + payload)
        os.replace(part, cache / name)


def kept(cache: Path, name: str, key: str) -> bytes | None:
    """What `keep` kept under this key, if it is whole."""
    try:
        head, _, payload = (cache / name).read_bytes().partition(b"\n")
    except OSError:
        return None
    return payload if head == _seal(key, payload) else None


def _seal(key: str, payload: bytes) -> bytes:
    return sha256(key.encode() + b"\0" + payload).encode()


def recall(cache: Path, sums: str, digests: FileDigests) -> dict[str, Any] | None:
    """The trace of the site with this `SHA256SUMS` digest, if it and its index are whole."""
    try:
        head, _, text = (cache / TRACE).read_bytes().partition(b"\n")
        body: dict[str, Any] = json.loads(text)
    except (OSError, ValueError):
        return None
    if head.decode("ascii", "replace") != sha256(text) or (body.get("v"), body.get("sums")) != (VERSION, sums):
        return None
    return body if _file_digest(cache / BUILT, digests) == body["index"] else None


def changes_since(
    body: Mapping[str, Any], cache: Path, index: Path, inputs: Inputs, digests: FileDigests
) -> Changes | None:
    """What differs from the recorded build; None when everything may, because what all pages share changed."""
    if body["common"] != dict(inputs.common):
        return None
    notes: Mapping[str, str] = body["notes"]
    noted = {digest for digest in {*notes, *inputs.notes} if notes.get(digest) != inputs.notes.get(digest)}
    same = index.samefile(cache / BUILT)
    edited = body["pages"] != inputs.pages
    if same and not noted:
        # The sitemap and its like list pages, so they count as ways in.
        editions = _edition_changes(body["editions"], inputs.editions)
        anything = edited or bool(editions) or body["overrides"] != dict(inputs.overrides)
        log = Checkpoint(*body["log"])
        relabelled = body["overrides"] != dict(inputs.overrides)
        same_records = Changes(
            anything=anything, records=relabelled, pages=edited, editions=editions, logged=False, log=log
        )
        _add_edits(same_records, body["overrides"], inputs.overrides)
        return same_records
    database = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    try:
        database.execute("pragma temp_store = memory")
        database.execute("attach ? as old", (f"file:{cache / BUILT}?mode=ro",))
        database.execute(f"pragma mmap_size = {_MAPPED}")
        touched = touched_between(cache / INDEX, body["index"], _file_digest(index, digests))
        found = Difference(database, noted, touched).changes()
        if found is not None:
            found.pages = edited
            found.records |= body["overrides"] != dict(inputs.overrides)
            _add_edits(found, body["overrides"], inputs.overrides)
            found.editions |= _edition_changes(body["editions"], inputs.editions)
            if found.names_changed:
                found.editions |= dict.fromkeys(inputs.editions, "what is shown of a run or group in it changed")
            found.log = Checkpoint(*body["log"])
            found.continued = touched is not None
            for digest in {*body["documents"], *inputs.documents}:
                found.objects[digest] = "it is the document of a note"
        return found
    finally:
        database.close()


def _add_edits(found: Changes, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """The pages on which the publisher says something else."""
    kinds = {
        "operations": found.tasks,
        "projects": found.projects,
        "implementations": found.subjects,
        "hardware": found.hardware,
    }
    for kind, key in edited_units(before, after):
        kinds[kind].setdefault(key, "what the publisher says about it changed")


def _edition_changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """The editions that are new or gone; one never changes."""
    tags = {*before, *after}
    return {tag: "it was added or is gone" for tag in tags if before.get(tag) != after.get(tag)}


def common_difference(body: Mapping[str, Any], inputs: Inputs) -> str:
    """What of all that every page depends on is not what it was, in words."""
    changed = _common_changes(body, inputs)
    return f"{', '.join(changed)} changed" if changed else "records that it was built from are gone"


def common_cause(body: Mapping[str, Any], inputs: Inputs) -> str:
    """The same in a word or two: `program`, `theme`, `settings` …"""
    changed = {_COMMON.get(name, name) for name in _common_changes(body, inputs)}
    return " and ".join(sorted(changed)) or "records gone"


def _common_changes(body: Mapping[str, Any], inputs: Inputs) -> list[str]:
    before: Mapping[str, str] = body["common"]
    return [name for name, digest in inputs.common.items() if before.get(name) != digest]


_COMMON = {
    "the program": "program",
    "Python": "program",
    "libraries": "program",
    "the theme": "theme",
    "content/site.toml": "settings",
    "the frame of every page": "settings",
    "content/sources": "source tables",
}
"""Causes by what every page depends on."""


def _write(path: Path, body: Mapping[str, Json]) -> None:
    text = canonical(dict(body)) + b"\n"
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(sha256(text).encode() + b"\n" + text)
    os.replace(part, path)


def _file_digest(path: Path, digests: FileDigests) -> str:
    """SHA-256 of a file, empty if it cannot be read; SQLite would not notice a flipped bit."""
    try:
        return digests.of(path)
    except OSError:
        return ""

"""Reading folders of records, and finding out whether one was changed.

Reading is plain line iteration: the bytes were checked when they were written, and `verify` compares them again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from ..canonical import canonical, parse, sha256
from ..digests import FileDigests
from ..errors import ContentError, LeaderpressError, Problems
from .redactions import NONE, Redactions, read_redactions
from .redactions import PLACE as REDACTIONS
from .removal import require_finished
from .snapshot_line import told

PLACE = "content/records"
"""Where the folders stand, relative to the site."""

PROVENANCE = "provenance.jsonl"
FACTS = "facts.jsonl"
SNAPSHOT = "snapshot.json"

SEAL = "seal"
"""In place of a source, for a folder that adds lines to the log and holds no documents."""

_NAME = re.compile(r"([0-9]{6})-([a-z0-9][a-z0-9-]*)-([0-9a-f]{8})")
_MANIFESTS = re.compile(r"manifests(?:-([0-9]+))?\.jsonl")
_BLOCK = 1 << 20
_RESTORE = "records are written once; restore the folder from version control"

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Folder:
    """One ingest, as it was published."""

    number: int
    """Place in the order of publication, from 1."""
    source: str
    """Slug of the source, or of the ingester where the dump holds several sources."""
    name: str
    path: Path = field(compare=False)
    snapshot: dict[str, Any] = field(compare=False, repr=False)
    snapshot_digest: str
    """SHA-256 of `snapshot.json` as it was published; the next folder's snapshot names it."""
    redactions: Redactions = field(default=NONE, compare=False, repr=False)
    """What was removed from the site's records, here or elsewhere."""

    @property
    def has_tombstones(self) -> bool:
        """Whether some of its documents are tombstones, whose bytes no longer hash to their digests."""
        return self.name in self.redactions.folders or "redacted" in self.snapshot

    @property
    def is_seal(self) -> bool:
        """Whether it holds no documents: it only adds lines to the log."""
        return self.snapshot.get("form") == SEAL

    def at(self, file: str = "") -> str:
        """The folder, or one of its files, as errors name it: relative to the site."""
        return f"{PLACE}/{self.name}/{file}" if file else f"{PLACE}/{self.name}"

    def manifests(self) -> Iterator[tuple[str, int, bytes]]:
        """Every document: file name, byte offset of its line, and the line without its line feed."""
        for name in self._manifest_files():
            offset = 0
            for line in self._lines(name):
                yield name, offset, line[:-1]
                offset += len(line)

    def provenance(self) -> Iterator[Line]:
        """Every statement, in order: `kind`, `digest`, `documentDigest`, `source` and what else was stated."""
        return self._objects(PROVENANCE)

    def facts(self) -> Iterator[Line]:
        """Every fact, in order: `about`, `source`, `name`, `value`."""
        return self._objects(FACTS)

    def lines(self, name: str) -> Iterator[bytes]:
        """Every line of one of the folder's files, with its line feed; raises `ContentError` for one cut off."""
        return self._lines(name)

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of one of the folder's files, piece by piece; raises `ContentError` if it cannot be read."""
        try:
            with (self.path / name).open("rb") as stream:
                while block := stream.read(_BLOCK):
                    yield block
        except OSError as fault:
            raise _unreadable(self.at(name), fault) from None

    def parsed(self, name: str, number: int, line: bytes) -> Line:
        """The object that line `number` of one of the folder's files holds; raises `ContentError` if it is none."""
        try:
            value: Line = orjson.loads(line)
        except orjson.JSONDecodeError as fault:
            problem = f"not JSON: {fault}"
            raise ContentError("record-damaged", problem, at=f"{self.at(name)}:{number}", hint=_RESTORE) from None
        return value

    def _manifest_files(self) -> list[str]:
        numbered = [
            (int(match[1] or 1), name) for name in self.snapshot["files"] if (match := _MANIFESTS.fullmatch(name))
        ]
        return [name for _, name in sorted(numbered)]

    def _objects(self, name: str) -> Iterator[Line]:
        for number, line in enumerate(self._lines(name), 1):
            yield self.parsed(name, number, line)

    def _lines(self, name: str) -> Iterator[bytes]:
        line = b"\n"
        try:
            with (self.path / name).open("rb") as stream:
                for line in stream:
                    yield line
        except OSError as fault:
            raise _unreadable(self.at(name), fault) from None
        if not line.endswith(b"\n"):
            raise ContentError("record-damaged", "the last line is cut off", at=self.at(name), hint=_RESTORE)


def folders(root: Path) -> list[Folder]:
    """The folders of the site `root`, oldest first.

    Raises `ContentError` for a folder without a readable snapshot, a gap or a number used twice, and a snapshot that
    its successor does not know.  The other files are compared by `verify` only.
    """
    place = root / PLACE
    if not place.is_dir():
        return []
    require_finished(root)
    redactions = read_redactions(root)
    names = sorted(_names(place))
    found: list[Folder] = []
    for name in names:
        folder = _open(place / name, len(found) + 1, redactions)
        if found and folder.snapshot.get("previous") != found[-1].snapshot_digest:
            problem = f"the snapshot is not the one that {folder.at(SNAPSHOT)} was written after"
            raise ContentError("record-changed", problem, at=found[-1].at(SNAPSHOT), hint=_RESTORE)
        found.append(folder)
    return found


def _names(place: Path) -> Iterator[str]:
    """Every folder of records; raises `ContentError` for a file that is neither hidden nor the list of removals."""
    for path in place.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield path.name
        elif path.name != Path(REDACTIONS).name:
            at = f"{PLACE}/{path.name}"
            raise ContentError("record-foreign", "no folder of records, and nothing reads it", at=at, hint="remove it")


def verify(folder: Folder, digests: FileDigests | None = None) -> None:
    """Compare every file of the folder with its snapshot; with `digests`, those that they know are not read again.

    Raises `ContentError` naming a file that is changed, missing or not listed (`Problems` when there are several).
    """
    faults = list(_faults(folder, digests or FileDigests()))
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise Problems(faults)


def folder_name(number: int, source: str, dump: str) -> str:
    """`000012-<source>-<first 8 hex digits of the dump digest>`."""
    return f"{number:06d}-{source}-{dump.removeprefix('sha256:')[:8]}"


def snapshot_bytes(snapshot: Line) -> bytes:
    """The bytes of `snapshot.json`: canonical JSON with its own `seal` (digest of the rest) and a line feed.

    The seal is what makes a single changed byte of the newest snapshot visible, which no successor vouches for yet.
    """
    return canonical({**snapshot, "seal": sha256(canonical(snapshot))}) + b"\n"


def _open(path: Path, expected: int, redactions: Redactions) -> Folder:
    at = f"{PLACE}/{path.name}"
    match = _NAME.fullmatch(path.name)
    if match is None:
        hint = "only folders written by `leaderpress ingest` may stand here"
        raise ContentError("record-foreign", "not the name of a records folder", at=at, hint=hint)
    if int(match[1]) != expected:
        problem = f"the folders are numbered without gaps, here number {expected:06d} should stand"
        hint = "restore missing folders from version control; repeat an ingest that was numbered twice"
        raise ContentError("record-number", problem, at=at, hint=hint)
    try:
        data = (path / SNAPSHOT).read_bytes()
    except OSError as fault:
        raise _unreadable(f"{at}/{SNAPSHOT}", fault) from None
    published = redactions.first(f"{path.name}/{SNAPSHOT}", sha256(data))
    folder = Folder(expected, match[2], path.name, path, _snapshot(data, f"{at}/{SNAPSHOT}"), published, redactions)
    if folder.name != folder_name(expected, str(folder.snapshot.get("source")), str(folder.snapshot.get("dump"))):
        problem = "the folder's name is not the one of the source and dump in its snapshot"
        raise ContentError("record-changed", problem, at=f"{at}/{SNAPSHOT}", hint=_RESTORE)
    return folder


def _snapshot(data: bytes, at: str) -> Line:
    try:
        snapshot = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        raise ContentError("record-changed", f"not JSON: {fault}", at=at, hint=_RESTORE) from None
    if not isinstance(snapshot, dict) or not isinstance(snapshot.get("files"), dict):
        raise ContentError("record-changed", "not the snapshot of a records folder", at=at, hint=_RESTORE)
    return snapshot


def _faults(folder: Folder, digests: FileDigests) -> Iterator[ContentError]:
    if not _is_sealed(folder):
        # What such a snapshot says about the other files means nothing.
        yield _changed(folder, SNAPSHOT, "not the bytes that were written: the seal does not fit")
        return
    if not _tells_what_it_told(folder):
        yield _changed(folder, SNAPSHOT, "its rejections, ignored files or drift are not those that the log covers")
    listed = _listed(folder)
    present = {path.name for path in folder.path.iterdir()}
    for name in sorted(present - {*listed, SNAPSHOT}):
        yield _changed(folder, name, "the snapshot does not list this file")
    for name in sorted(listed):
        if name not in present:
            yield _changed(folder, name, "the file is missing")
        elif (found := _measure(folder, name, digests)) != listed[name]:
            problem = f"the file has changed: {found['bytes']} bytes, {found['sha256']}, not as in {SNAPSHOT}"
            yield _changed(folder, name, problem)


def _listed(folder: Folder) -> Line:
    """Size and SHA-256 that each file must have: as the snapshot says, but for what a removal changed."""
    listed: Line = folder.snapshot["files"]
    if folder.name not in folder.redactions.folders:
        return listed
    now = {name: folder.redactions.now(f"{folder.name}/{name}", first) for name, first in listed.items()}
    snapshot = folder.redactions.newest(f"{folder.name}/{SNAPSHOT}")
    return now if snapshot is None else {**now, SNAPSHOT: snapshot}


def _is_sealed(folder: Folder) -> bool:
    try:
        data = (folder.path / SNAPSHOT).read_bytes()
        snapshot = parse(data, folder.at(SNAPSHOT))
        snapshot.pop("seal", None)
        return data == snapshot_bytes(snapshot)
    except (OSError, LeaderpressError, AttributeError):
        return False


def _tells_what_it_told(folder: Folder) -> bool:
    """Whether the lists that quote the dump are those of the ingest; a removal may have changed them."""
    stated = (folder.snapshot.get("log") or {}).get("told")
    removed = folder.redactions.newest(f"{folder.name}/{SNAPSHOT}") is not None
    return stated is None or removed or told(folder.snapshot) == stated


def _measure(folder: Folder, name: str, digests: FileDigests) -> Line:
    path = folder.path / name
    if path.is_symlink() or not path.is_file():
        return {"bytes": 0, "sha256": "not a file"}
    try:
        return {"bytes": path.stat().st_size, "sha256": f"sha256:{digests.of(path)}"}
    except OSError as fault:
        raise _unreadable(folder.at(name), fault) from None


def _changed(folder: Folder, name: str, problem: str) -> ContentError:
    return ContentError("record-changed", problem, at=folder.at(name), hint=_RESTORE)


def _unreadable(at: str, fault: OSError) -> ContentError:
    return ContentError("record-unreadable", str(fault.strerror or fault), at=at, hint=_RESTORE)

"""What every ingester is given and what it gives back.

An ingester is a module with `FORMAT`, `VERSION`, `SOURCES` and `ingest(dump, source)`: pure, it sees only the dump.
It yields manifests with what was stated about them (`Statement`), facts that stay outside every digest (`Fact`),
per-task completeness (`TaskCount`), every upstream entry that it did not take (`Rejection`) and the fields of the dump
that it does not know (`Drift`).  Nothing is lost: every entry of a dump is either taken or rejected, once.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Protocol

from ..errors import DumpError
from ..manifests import Manifest
from ..values import dataclass

_CHUNK = 1 << 20
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A manifest, with what the dump says about it beside its own content."""

    manifest: Manifest
    source: str
    """Slug of the source that states it."""
    external_id: str | None = None
    """The source's own name for it, as shown to readers (`submission/196`)."""
    upstream_key: str | None = None
    """Unique within a source; how a later dump finds a run again.  None: never superseded."""
    project: str | None = None
    """Digest of the SoftwareProject that an implementation or run belongs to."""
    name: str | None = None
    """Display name of an operation or a project, from which its slug is made."""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    artifacts: tuple[dict[str, Any], ...] = ()
    """`{digest, role, mediaType, sizeBytes, licence?, uri?}` each, without bodies."""
    upstream_published_at: str | None = None
    """When the source published it (instant), never our own publication date."""
    at: str = ""
    """Where in the dump it stands (`path#/json/pointer` or `path:line`), should a later check refuse it."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the source states about a manifest that no manifest holds; verbatim, outside every digest."""

    about: str
    """Digest of the manifest."""
    source: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class TaskCount:
    """How much of a task's list the dump holds."""

    task: str
    """Digest of the operation."""
    source: str
    rows: int
    """Entries of the task in the dump, taken or not."""
    stated: int | None
    """The source's own count, if it gives one."""
    complete: bool
    """Whether the dump holds every entry that the source lists."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An upstream entry that was not taken, or a file that could not be read."""

    reason: str
    """Reason code, e.g. `DISQUALIFIED` or `MALFORMED`."""
    at: str
    """`path#/json/pointer` or `path:line#/json/pointer` inside the dump."""
    detail: str
    """One sentence for a person."""
    source: str
    verdict: bool
    """True: the source's own verdict on its entry; False: something was malformed."""
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """A field of the dump that the ingester does not know: noted and counted, never a fault."""

    field: str
    """Its path with the list positions left out: `submissions[].new_field`."""
    at: str
    """Where it was met first: `path#/json/pointer` or `path:line`."""
    source: str
    count: int = 1
    """How often; several of one field are added up."""


Finding = Statement | Fact | TaskCount | Rejection | Drift
"""Whatever an ingester yields."""


@dataclass(frozen=True, slots=True)
class DumpFile:
    """One file of a dump, addressed by its path relative to the dump."""

    path: str
    location: Path = field(compare=False)

    def open(self) -> BinaryIO:
        """Open for streaming; raises `DumpError` when it cannot be opened."""
        try:
            return self.location.open("rb")
        except OSError as fault:
            raise DumpError("dump-unreadable", str(fault.strerror or fault), at=self.path) from None

    def chunks(self, size: int = _CHUNK) -> Iterator[bytes]:
        """All bytes in pieces; raises `DumpError` when it cannot be read."""
        with self.open() as stream:
            try:
                while chunk := stream.read(size):
                    yield chunk
            except OSError as fault:
                raise DumpError("dump-unreadable", str(fault.strerror or fault), at=self.path) from None

    def read(self) -> bytes:
        """All bytes; raises `DumpError` when it cannot be read."""
        try:
            return self.location.read_bytes()
        except OSError as fault:
            raise DumpError("dump-unreadable", str(fault.strerror or fault), at=self.path) from None


@dataclass(frozen=True, slots=True)
class Dump:
    """The files that a source published, in order of their paths."""

    files: tuple[DumpFile, ...]
    ignored: tuple[str, ...]
    """Paths that no ingester reads (notes, licences); listed in the report, not faults."""

    def digest(self) -> str:
        """SHA-256 over `<sha256>  <path>\\n` of each file read, sorted by path: `sha256sum` can recompute it."""
        lines = hashlib.sha256()
        for file in self.files:
            content = hashlib.sha256()
            for chunk in file.chunks():
                content.update(chunk)
            lines.update(f"{content.hexdigest()}  {file.path}\n".encode())
        return "sha256:" + lines.hexdigest()


def open_dump(paths: Sequence[Path], suffixes: Iterable[str]) -> Dump:
    """List the files below `paths`; a single file's path is its name.

    Only files whose name ends in one of `suffixes` are read.  Links below a folder are not followed.  Raises
    `DumpError` when a path does not exist or cannot be listed, nothing readable is found, two files have one
    relative path, or a name cannot be written into the lines that the dump's digest is made of.
    """
    endings = tuple(suffixes)
    found: dict[str, DumpFile] = {}
    ignored: list[str] = []
    for path in paths:
        for relative, location in _walk(path):
            if not relative.endswith(endings):
                ignored.append(relative)
            elif relative in found:
                raise DumpError("dump-same-path", "two files of the dump have the same path", at=relative)
            else:
                found[_checked(relative)] = DumpFile(relative, location)
    if not found:
        names = ", ".join(str(path) for path in paths)
        raise DumpError("dump-empty", f"no {' or '.join(endings)} file", at=names, hint="name the dump's folder")
    return Dump(tuple(found[name] for name in sorted(found)), tuple(sorted(ignored)))


def _walk(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield path.name, path
    elif path.is_dir():
        for folder, _, names in os.walk(path, onerror=_unlistable):
            for location in map(Path(folder).joinpath, names):
                if location.is_file() and not location.is_symlink():
                    yield location.relative_to(path).as_posix(), location
    else:
        raise DumpError("dump-missing", "no such file or folder", at=str(path))


def _unlistable(fault: OSError) -> NoReturn:
    raise DumpError("dump-unreadable", str(fault.strerror or fault), at=str(fault.filename)) from None


def _checked(relative: str) -> str:
    if _UNWRITABLE.search(relative):
        # Line feeds and undecodable bytes would make the digest's lines ambiguous or impossible.
        raise DumpError("dump-path", "a file name with control characters or invalid UTF-8", at=ascii(relative))
    return relative


class Ingester(Protocol):
    """The shape of an ingester module."""

    FORMAT: str
    """Its slug, e.g. `sol-execbench`."""
    VERSION: int
    """Raised whenever the same dump would give other documents."""
    SUFFIXES: tuple[str, ...]
    SOURCES: tuple[str, ...]
    """Slugs of the sources whose default tables it ships; empty: any source may use it."""

    def ingest(self, dump: Dump, source: str) -> Iterator[Finding]:
        """Convert; `source` is the slug that the site gives to this dump's source.

        Faults inside the dump are findings; it raises `DumpError` only when a file can no longer be opened, and
        `UsageError` when a package that it needs is not installed.
        """
        ...

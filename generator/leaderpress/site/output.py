"""Where a build writes: memory for tests, a folder for a site.

A `DirectoryOutput` never touches the published folder while a build runs.  Files go to a fresh tree beside it (many
processes may write there, see `write_file`), `commit` completes that tree, writes `SHA256SUMS` and `inventory.json`
last and exchanges it with the published one.  A build that fails or is killed leaves the old site whole, and the next
build clears away what it left.  Files in the published folder that are not ours stay.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from ..canonical import Json, sha256
from ..errors import BuildError
from ..inventory import (
    INVENTORY,
    RESERVED,
    SUMS,
    Files,
    PathSet,
    Receipt,
    Written,
    inventory_bytes,
    path_twice,
    sums_bytes,
)
from . import stamps
from .commit import Commit
from .lock import BuildLock
from .published import Beside, Published, read_published, refuse_unsuitable
from .tree import TreeWriter, remove, wrapped, write_file

__all__ = ["DirectoryOutput", "MemoryOutput", "Output", "write_file"]


class Output(Protocol):
    """Takes the files of one site, each once, then `commit`."""

    def write(self, path: str, data: bytes) -> None:
        """Take one file in; raises `BuildError` for a bad path and for one that clashes with an earlier path."""

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """Add `SHA256SUMS` and `inventory.json` (with `meta`, see `inventory_bytes`) and publish."""


class MemoryOutput:
    """Keeps a site in a dict, `files`, with the same rules and the same last two files as on disk."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._paths = _paths()

    def write(self, path: str, data: bytes) -> None:
        """See `Output.write`."""
        self._paths.add(path)
        self.files[path] = data

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """See `Output.commit`."""
        files = {path: Written(len(data), sha256(data)[7:]) for path, data in self.files.items()}
        sums = sums_bytes(files)
        self.files[SUMS] = sums
        self.files[INVENTORY] = inventory_bytes(files, sums, meta)
        return Receipt(len(files), _total(files), sha256(sums), written=len(files))


class DirectoryOutput:
    """Writes a site to a folder, as the only build that does; a context manager.

    Opening takes the lock, puts right what a killed build left, and refuses a folder that is not ours; leaving without
    `commit` discards what was written.  Everything raises `BuildError`, and then the published site is as it was.
    """

    def __init__(self, root: Path, *, verify: bool = False) -> None:
        """`verify`: read every published file that is taken over, whatever its times say."""
        self._verify = verify
        root = Path(os.path.abspath(root))
        refuse_unsuitable(root)
        with wrapped("create", str(root.parent)):
            root.parent.mkdir(parents=True, exist_ok=True)
            self._beside = Beside(root.parent.resolve() / root.name)
        self._lock = BuildLock(Path(self._beside.lock))
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _open(self) -> None:
        beside = self._beside
        beside.recover()
        refuse_unsuitable(beside.root)
        self._old: Published = read_published(beside)
        with wrapped("touch", beside.lock):
            self._clock = stamps.settled(beside.lock)
        self._known = stamps.load(beside.stamps)
        live = self._known[0]
        valid = not self._verify and live.identity == stamps.identity_of(beside.live, self._old.sums)
        self._live = stamps.Ledger(beside.live, self._old.listed, live.stamps if valid else {}, self._clock)
        self._paths = _paths()
        self._written: dict[str, Written] = {}
        self._reused: dict[str, Written] = {}
        self._writer: TreeWriter | None = None
        self._done = False

    @property
    def tree(self) -> str:
        """The folder that `write_file` writes to in worker processes; follow each with `record`."""
        return self._fresh_writer().root

    def _fresh_writer(self) -> TreeWriter:
        self._check_open()
        if self._writer is None:
            self._writer = TreeWriter(self._beside.new_folder())
        return self._writer

    def write(self, path: str, data: bytes) -> None:
        """See `Output.write`."""
        self._add(path)
        self._written[path] = self._fresh_writer().write(path, data)

    def record(self, path: str, size: int, sha256: str) -> None:
        """Note what a worker wrote to `tree`: its size in bytes and SHA-256 (hex).  Raises as `write` does."""
        self._check_open()
        self._add(path)
        self._written[path] = Written(size, sha256)

    def reuse(self, path: str) -> bool:
        """Take a file over from the published site, unless it no longer has the bytes that its inventory lists.

        False means that the file must be written.
        """
        self._check_open()
        status = self._live.intact(path)
        if status is None:
            return False
        self._add(path)
        self._reused[path] = Written(status.st_size, self._old.listed[path])
        return True

    def _add(self, path: str) -> None:
        # The paths of the published site were checked against each other when it was built.  While only they are
        # written again, it is enough that none is written twice.
        if path in self._written or path in self._reused:
            raise path_twice(path)
        if path not in self._old.listed:
            self._paths.add(path)

    def _check_clashes(self, files: Files) -> None:
        if not self._old.listed or (self._old.inventory and files.keys() <= self._old.listed.keys()):
            return
        paths = _paths()
        for path in files:
            paths.add(path)

    @property
    def published(self) -> Mapping[str, str]:
        """SHA-256 (hex) by path of what the folder held when it was opened."""
        return self._old.listed

    @property
    def published_sums(self) -> str:
        """Digest of the `SHA256SUMS` that the folder held when it was opened; empty if there was no site."""
        return sha256(self._old.sums) if self._old.sums else ""

    @property
    def files(self) -> Files:
        """Everything that was written or taken over so far."""
        return {**self._written, **self._reused}

    def is_intact(self, path: str) -> bool:
        """Whether a published file still has the bytes that its inventory lists."""
        return self._live.intact(path) is not None

    def keep(self) -> Receipt | None:
        """Leave the published site as it is; None where it is not what its inventory lists."""
        self._check_open()
        stamps_by_path = {path: self._live.intact(path) for path in self._old.listed}
        if not self._old.sums or not all(stamps_by_path.values()):
            return None
        self._save_what_was_learned()
        size = sum(status.st_size for status in stamps_by_path.values() if status is not None)
        count = len(stamps_by_path)
        self.close()
        return Receipt(count, size, sha256(self._old.sums), reused=count, changed=False)

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """See `Output.commit`.  Where every byte is published already, nothing on disk is touched."""
        self._check_open()
        files = {**self._written, **self._reused}
        self._check_clashes(files)
        sums = sums_bytes(files)
        inventory = inventory_bytes(files, sums, meta)
        receipt = Receipt(len(files), _total(files), sha256(sums), len(self._written), len(self._reused))
        with wrapped("publish", self._beside.live):
            if self._is_published(sums, inventory):
                self._save_what_was_learned()
                receipt = replace(receipt, changed=False)
            else:
                outcome = Commit(self._beside, self._live, self._known[1], self.tree, self._written, self._reused)
                receipt = outcome.run(sums, inventory, receipt)
        self.close()
        return receipt

    def _is_published(self, sums: bytes, inventory: bytes) -> bool:
        same = (sums, inventory) == (self._old.sums, self._old.inventory)
        return same and all(self._live.intact(path) for path in self._old.listed)

    def _save_what_was_learned(self) -> None:
        if not self._live.learned:
            return
        identity = stamps.identity_of(self._beside.live, self._old.sums)
        stamps.save(self._beside.stamps, stamps.TreeStamps(identity, self._live.stamps), self._known[1])

    def close(self) -> None:
        """Discard what was not committed and let the next build in.  May be called again."""
        if not self._done:
            self._done = True
            if self._writer is not None:
                remove(self._writer.root)
            self._lock.release()

    def _check_open(self) -> None:
        if self._done:
            raise BuildError("output-closed", "this build was committed or closed already", at=self._beside.live)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _paths() -> PathSet:
    paths = PathSet()
    for path in RESERVED:
        paths.add(path)
    return paths


def _total(files: Files) -> int:
    return sum(file.size for file in files.values())

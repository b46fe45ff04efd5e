"""Where a build writes: memory for tests, a folder for a site.

A `DirectoryOutput` never touches the published folder while a build runs.  Files go to a fresh tree beside it (many
processes may write there, see `write_file`), `commit` completes that tree, writes `SHA256SUMS` and `inventory.json`
last and exchanges it with the published one.  A build that fails or is killed leaves the old site whole, and the next
build clears away what it left.  Files in the published folder that are not ours stay.
"""

import hashlib
import heapq
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import compress
from pathlib import Path
from types import TracebackType
from typing import Self

from ..canonical import Json
from ..errors import BuildError
from ..inventory import (
    FILES_FROM,
    INVENTORY,
    INVENTORY_END,
    SUMS,
    Receipt,
    Written,
    check_path,
    is_head_intact,
    meta_of,
    path_twice,
)
from . import stamps
from .cores import Reader
from .gathered import TAKEN, Gathered, file_lines
from .ledger import Ledger
from .lock import BuildLock
from .memory import MemoryOutput, Output, refuse_reserved
from .published import Beside, Digests, Published, read_published, refuse_unsuitable
from .spool import Spool
from .standby import Standby
from .tree import TreeWriter, remove, wrapped, write_file

__all__ = ["DirectoryOutput", "MemoryOutput", "Output", "write_file"]


class DirectoryOutput:
    """Writes a site to a folder, as the only build that does; a context manager.

    Opening takes the lock, puts right what a killed build left, and refuses a folder that is not ours; leaving without
    `commit` discards what was written.  Everything raises `BuildError`, and then the published site is as it was.
    """

    def __init__(self, root: Path, *, verify: bool = False, threads: int = 1) -> None:
        """`verify`: read every published file that is taken over, whatever its times say; `threads` of them at once."""
        self._verify = verify
        self._threads = threads
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
        known, self._standby = stamps.load(beside.stamps)
        self._old: Published = read_published(beside, known)
        with wrapped("touch", beside.lock):
            self._clock = stamps.settled(beside.lock)
        known = self._old.known
        self._live = Ledger(beside.live, self._old.listing, known, self._clock, self._threads, read_all=self._verify)
        self._taken = bytearray(len(self._old.listing))
        self._private: list[str] = []
        self._written = Spool(self._private_folder)
        self._writer: TreeWriter | None = None
        self._second: Standby | None = None
        self._gathered: Gathered | None = None
        self._looking: Reader | None = None
        self._done = False

    def _private_folder(self) -> str:
        self._private.append(self._beside.new_folder())
        return self._private[-1]

    @property
    def tree(self) -> str:
        """The folder that `write_file` writes to in worker processes; follow each with `record`."""
        return self._fresh_writer().root

    def _fresh_writer(self) -> TreeWriter:
        self._check_open()
        if self._writer is None:
            self._writer = TreeWriter(self._private_folder())
        return self._writer

    def write(self, path: str, data: bytes) -> None:
        """See `Output.write`; a path that clashes with another in case or as a folder is found by `commit`."""
        self._admit(path)
        self._note(path, self._fresh_writer().write(path, data))

    def write_chunks(self, path: str, chunks: Iterable[bytes]) -> None:
        """Like `write`, for a file that is too long to be held whole."""
        self._admit(path)
        self._note(path, self._fresh_writer().write_chunks(path, chunks))

    def record(self, path: str, size: int, sha256: str) -> None:
        """Note what a worker wrote to `tree`: its size in bytes and SHA-256 (hex).  Raises as `write` does.

        That it is taken over as well is found by `commit`.
        """
        self._check_open()
        check_path(path)
        refuse_reserved(path)
        self._note(path, Written(size, sha256))

    def _admit(self, path: str) -> None:
        self._check_open()
        refuse_reserved(path)
        row = self._old.listing.row(path)
        if row >= 0 and self._taken[row]:
            raise path_twice(path)

    def _note(self, path: str, file: Written) -> None:
        self._written.add(path, *file)
        self._gathered = None

    def reuse(self, path: str) -> bool:
        """Take a file over from the published site, unless it no longer has the bytes that its inventory lists.

        False means that the file must be written.
        """
        self._check_open()
        row = self._old.listing.row(path)
        if row < 0 or not self._live.sound[row]:
            return False
        if self._taken[row]:
            raise path_twice(path)
        self._taken[row] = TAKEN
        self._gathered = None
        return True

    def reuse_all(self, but: Iterable[str]) -> Iterator[str]:
        """Take over every published file but some; gives those that no longer have the bytes that are listed."""
        self._check_open()
        listing = self._old.listing
        self._gathered = None
        self._taken[:] = self._live.sound
        damaged = self._live.sound.translate(_OTHER)
        for path in but:
            if (row := listing.row(path)) >= 0:
                self._taken[row] = damaged[row] = 0
        return (path.decode("ascii") for _, path in listing.chosen(damaged))

    def look_beside(self) -> None:
        """Let other processes begin to look at both trees, of which much has to be known before they can be used."""
        self._live.look_beside()
        self._looking = self._looking or Standby.look_beside(self._beside.standby, self._standby)

    def look_ahead(self) -> None:
        """Look at the standby tree now, unless another process does: `commit` needs it, and others work meanwhile."""
        if self._looking is None:
            self._open_standby()

    def _open_standby(self) -> None:
        with wrapped("publish", self._beside.live):
            self._second = self._second or Standby.open(self._beside.standby, self._standby, self._looking)
        self._look_no_more()

    def _look_no_more(self) -> None:
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.stop()

    @property
    def published(self) -> Digests:
        """SHA-256 (hex) by path of what the folder held when it was opened."""
        return Digests(self._old.listing)

    @property
    def paths(self) -> Iterator[str]:
        """What the folder held when it was opened, in order."""
        return iter(self.published)

    @property
    def published_sums(self) -> str:
        """Digest of the `SHA256SUMS` that the folder held when it was opened; empty if there was no site."""
        return f"sha256:{self._old.listing.digest}" if self._old.head else ""

    @property
    def root(self) -> str:
        """The published folder."""
        return self._beside.live

    @property
    def published_meta(self) -> Mapping[str, Json]:
        """What `commit` was given for the site that the folder held when it was opened; empty if there was none."""
        return meta_of(self._old.head) if self._old.head else {}

    def dropped(self) -> Iterator[str]:
        """What the folder held when it was opened and that was neither written nor taken over so far, in order.

        Raises `BuildError` for a path that was both.
        """
        return self._gather().dropped()

    def sizes(self) -> Iterator[tuple[str, int]]:
        """(path, bytes) of everything that was written or taken over until now, in order."""
        listing, taken = self._old.listing, self._taken[:]
        kept = compress(zip(listing.paths(), self._live.stamps.values(1), strict=True), taken) if any(taken) else ()
        written = ((file.path, file.size) for file in self._written)
        return ((path.decode("ascii"), size) for path, size in heapq.merge(kept, written))

    def published_sizes(self) -> Iterator[tuple[str, int]]:
        """(path, bytes) of every published file that has its bytes."""
        return zip(self.paths, self._live.stamps.values(1), strict=True)

    def is_intact(self, path: str) -> bool:
        """Whether a published file still has the bytes that its inventory lists."""
        return self._live.intact(path) is not None

    def keep(self) -> Receipt | None:
        """Leave the published site as it is; None where it is not what its inventory lists."""
        self._check_open()
        if not self._old.head or not all(self._live.sound) or not self._has_own_inventory():
            return None
        self._save_what_was_learned()
        size, count = sum(self._live.stamps.values(1)), len(self._taken)
        self.close()
        return Receipt(count, size, self.published_sums, reused=count, changed=False)

    def _has_own_inventory(self) -> bool:
        if self._old.own_inventory:
            return True
        head = self._old.head
        whole = hashlib.sha256(head + FILES_FROM)
        for piece in file_lines(self._old.listing, self._live.stamps.part(1)):
            whole.update(piece)
        whole.update(INVENTORY_END)
        same = whole.hexdigest() == self._old.inventory
        self._live.learned |= same
        return same and is_head_intact(head)

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        """See `Output.commit`.  Where every byte is published already, nothing on disk is touched."""
        self._check_open()
        new = self._gather()
        new.check_clashes(checked=bool(self._old.head))
        inventory = self._fresh_writer().write_chunks(INVENTORY, new.inventory(meta)).sha256
        digest, written = new.listing.digest, len(self._written)
        receipt = Receipt(len(new.listing), new.size, f"sha256:{digest}", written, len(new.listing) - written)
        with wrapped("publish", self._beside.live):
            if (digest, inventory) == (self._old.listing.digest, self._old.inventory) and all(self._live.sound):
                self._save_what_was_learned()
                receipt = replace(receipt, changed=False)
            else:
                receipt = self._publish(new, inventory, receipt)
        self.close()
        return receipt

    def _gather(self) -> Gathered:
        writer = self._fresh_writer()
        if self._gathered is None:
            remove(f"{writer.root}/{SUMS}")
            self._gathered = Gathered(self._live, self._taken, self._written, writer)
        return self._gathered

    def _publish(self, new: Gathered, inventory: str, receipt: Receipt) -> Receipt:
        # What only a changed site needs is not loaded before there is one.
        from .commit import Commit

        self._open_standby()
        before = self._old.known.inventory
        return Commit(self._beside, self._live, self._second, before, self.tree, new).run(inventory, receipt)

    def _save_what_was_learned(self) -> None:
        if not self._live.learned:
            return
        identity = stamps.identity_of(self._beside.live, self._old.listing.digest)
        stamps.save(self._beside.stamps, self._live.known(identity, self._old.inventory), self._standby)

    def close(self) -> None:
        """Discard what was not committed and let the next build in.  May be called again."""
        if not self._done:
            self._done = True
            self._live.look_no_more()
            self._look_no_more()
            for folder in self._private:
                remove(folder)
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


_OTHER = bytes([1, 0]) + bytes(254)

"""The site that an output folder holds now, and the private files that stand beside it.

A folder is ours if it is empty or holds an `inventory.json` whose digest is that of its `SHA256SUMS`; any other is
refused, because a build deletes what `SHA256SUMS` lists.
"""

import hashlib
import heapq
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from ..errors import BuildError
from ..inventory import FILES_FROM, INVENTORY, SUMS, sums_named_by
from .exchange import PART, restore
from .listing import Listing
from .stamps import TreeStamps, identity_of
from .tree import READ, create, digest_file, is_folder, make_folder, remove, wrapped

_CHUNK = 1 << 18
_LONGEST_HEAD = 1 << 24
"""Bytes before the files in an `inventory.json` that may be one of ours."""
_numbers = itertools.count(1)


class Beside:
    """The private siblings of an output folder, all named `.<folder>-…`; siblings, because renames need one disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.live = str(root)
        self._prefix = f"{root.parent}/.{root.name}-"
        self.lock = self._prefix + "lock"
        self.standby = self._prefix + "standby"
        """The tree that the last build replaced, kept so that the next one can bring it up to date."""
        self.outgoing = self._prefix + "outgoing"
        self.stamps = self._prefix + "stamps"
        self.pending = self._prefix + "pending"
        """The `SHA256SUMS` of a build that replaces file by file, while it does."""

    def new_folder(self) -> str:
        """Create an empty folder to build in.  Its name was never used while a worker of an earlier build can live."""
        while True:
            full = f"{self._prefix}fresh-{os.getpid()}-{next(_numbers)}"
            with wrapped("create", full):
                try:
                    make_folder(full)
                    return full
                except FileExistsError:
                    continue

    def recover(self) -> None:
        """Undo what a killed build left: call under the lock.  Raises `BuildError`."""
        with wrapped("restore", self.live):
            restore(self.live, self.outgoing)
        stem = os.path.basename(self._prefix + "fresh-")
        for name in os.listdir(self.root.parent):
            if name.startswith(stem):
                remove(f"{self.root.parent}/{name}")
        remove(self.outgoing)
        remove(self.pending + "-part")
        remove(f"{self.live}/{PART}")

    def announce(self, old: Listing, new: Listing) -> None:
        """Write down what is ours while a build replaces file by file, so that after a kill it is known.

        Raises `OSError` and `BuildError`.
        """
        part = self.pending + "-part"
        remove(part)
        create(part, _union(old, new, lambda _: True))
        os.replace(part, self.pending)


@dataclass(frozen=True, slots=True)
class Published:
    """What the live folder holds."""

    listing: Listing = field(default_factory=Listing)
    """What we published."""
    head: bytes = b""
    """What stands before the files in its `inventory.json`; empty where there is no site, or only pieces of two."""
    inventory: str = ""
    """SHA-256 (hex) of its `inventory.json`."""
    known: TreeStamps = field(default_factory=TreeStamps)
    """What is known of its files."""
    own_inventory: bool = False
    """Whether every byte of `inventory.json` is known to be ours."""


def refuse_unsuitable(root: Path) -> None:
    """Refuse an output path that is a link or not a folder; raises `BuildError`."""
    if root.is_symlink():
        hint = "delete the link, or build to the folder that it points to"
        raise BuildError("output-link", "the output folder is a symbolic link", at=str(root), hint=hint)
    if os.path.lexists(root) and not is_folder(str(root)):
        raise BuildError("output-not-folder", "the output path is not a folder", at=str(root))


def read_published(beside: Beside, known: TreeStamps) -> Published:
    """Read the live folder's inventory; `known` is what the last build left about it.

    Raises `BuildError` for a folder that is not ours.
    """
    root = beside.root
    with wrapped("read", beside.live):
        if not root.exists() or not os.listdir(root):
            return Published()
    if (pending := Listing.open(beside.pending)) is not None:
        # A build that replaced file by file was stopped: what it had written is ours as well.
        return Published(_merged(beside, pending))
    listing, inventory = Listing.open(f"{beside.live}/{SUMS}"), _read_inventory(f"{beside.live}/{INVENTORY}")
    if listing is None or inventory is None:
        raise _not_ours(root, f"it is not empty and has no {INVENTORY if listing is not None else SUMS}")
    head, digest = inventory
    same = bool(known.identity) and identity_of(beside.live, listing.digest) == known.identity
    own = same and digest == known.inventory
    try:
        if not own and sums_named_by(head) != f"sha256:{listing.digest}":
            raise _not_ours(root, f"its {SUMS} is not the one that its {INVENTORY} names")
        if not same:
            listing.check()
        return Published(listing, head, digest, known if same else TreeStamps(), own)
    except BuildError as fault:
        raise fault if fault.code == "output-not-ours" else _not_ours(root, fault.problem) from None


def _read_inventory(full: str) -> tuple[bytes, str] | None:
    """What stands before the files in `inventory.json`, and its SHA-256 (hex); None where it cannot be read."""
    hasher, head = hashlib.sha256(), b""
    try:
        with open(os.open(full, READ), "rb", buffering=0) as stream:
            while chunk := stream.read(_CHUNK):
                hasher.update(chunk)
                if FILES_FROM not in head and len(head) < _LONGEST_HEAD:
                    head += chunk
    except OSError:
        return None
    return head.partition(FILES_FROM)[0], hasher.hexdigest()


def _merged(beside: Beside, pending: Listing) -> Listing:
    """What is ours of a site that was being replaced file by file: written out in order, and read from there."""
    old, new = (_checked(listing) for listing in (Listing.open(f"{beside.live}/{SUMS}"), pending))
    folder = beside.new_folder()
    with wrapped("write", folder):
        try:
            full = f"{folder}/{SUMS}"
            written = create(full, _union(old, new, lambda line: _is_there(beside.live, line)))
            found = Listing.open(full)
        finally:
            remove(folder)
    if found is None or found.digest != written.sha256:
        raise BuildError("sums-cut", "what was just written cannot be read", at=folder)
    return found


def _checked(listing: Listing | None) -> Listing:
    """A listing if it is whole, else an empty one."""
    with suppress(BuildError):
        if listing is not None:
            listing.check()
            return listing
    return Listing()


def _is_there(live: str, line: bytes) -> bool:
    return digest_file(f"{live}/{line[66:].decode('ascii')}") == line[:64].decode("ascii")


def _union(old: Listing, new: Listing, wanted: Callable[[bytes], bool]) -> Iterator[bytes]:
    """The lines of both in order; where both list a path, the new one if it is `wanted`, which others must be too."""
    both = heapq.merge(((line[66:], 0, line) for line in old.lines()), ((line[66:], 1, line) for line in new.lines()))
    for _, some in groupby(both, key=itemgetter(0)):
        lines = [line for _, is_new, line in some if not is_new or wanted(line)]
        if lines:
            yield lines[-1] + b"\n"


def _not_ours(root: Path, why: str) -> BuildError:
    hint = "choose an empty folder, or move away what is in this one"
    return BuildError("output-not-ours", f"the output folder holds no site of ours: {why}", at=str(root), hint=hint)


class Digests(Mapping[str, str]):
    """SHA-256 (hex) of a published site by path: a mapping that holds none, but reads the listing when it is asked."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    def __getitem__(self, path: str) -> str:
        digest = self._listing.digest_of(path)
        if digest is None:
            raise KeyError(path)
        return digest

    def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """The same, `default` where the path is not listed."""
        digest = self._listing.digest_of(path)
        return default if digest is None else digest

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._listing.row(path) >= 0

    def __iter__(self) -> Iterator[str]:
        return (path.decode("ascii") for path in self._listing.paths())

    def __len__(self) -> int:
        return len(self._listing)

    def below(self, folder: str) -> Iterator[tuple[str, str]]:
        """(path, digest) of all that is in a folder."""
        rows = self._listing.below(folder.encode("ascii"))
        lines = self._listing.lines(rows.start, rows.stop) if rows else ()
        return ((line[66:].decode("ascii"), line[:64].decode("ascii")) for line in lines)

"""The site that an output folder holds now, and the private files that stand beside it.

A folder is ours if it is empty or holds an `inventory.json` whose digest is that of its `SHA256SUMS`; any other is
refused, because a build deletes what `SHA256SUMS` lists.
"""

import hashlib
import itertools
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..canonical import sha256
from ..errors import BuildError
from ..inventory import INVENTORY, SUMS, Written, parse_sums, sums_bytes, sums_named_by
from .exchange import PART, restore
from .ledger import Listing
from .stamps import TreeStamps, identity_of
from .tree import CREATE, FILE_MODE, digest_file, is_folder, make_folder, read, remove, wrapped

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

    def announce(self, listed: Mapping[str, str]) -> None:
        """Write down what is ours while a build replaces file by file, so that after a kill it is known.

        `listed` is SHA-256 (hex) by path.  Raises `OSError`.
        """
        part = self.pending + "-part"
        remove(part)
        descriptor = os.open(part, CREATE, FILE_MODE)
        with open(descriptor, "wb") as stream:
            stream.write(sums_bytes({path: Written(0, digest) for path, digest in listed.items()}))
        os.replace(part, self.pending)


@dataclass(frozen=True, slots=True)
class Published:
    """What the live folder holds."""

    sums: bytes = b""
    inventory: bytes = b""
    listing: Listing = field(default_factory=Listing)
    """What we published."""
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
    sums, inventory, pending = (read(path) for path in (root / SUMS, root / INVENTORY, Path(beside.pending)))
    if pending is not None:
        # A build that replaced file by file was stopped: what it had written is ours as well.
        return Published(listing=_merged(beside.live, sums or b"", pending))
    if sums is None or inventory is None:
        raise _not_ours(root, f"it is not empty and has no {INVENTORY if sums is not None else SUMS}")
    same = bool(known.identity) and identity_of(beside.live, sums) == known.identity
    own = same and hashlib.sha256(inventory).hexdigest() == known.inventory
    try:
        if not own and sums_named_by(inventory) != sha256(sums):
            raise _not_ours(root, f"its {SUMS} is not the one that its {INVENTORY} names")
        return Published(sums, inventory, Listing.parse(sums, ours=same), known if same else TreeStamps(), own)
    except BuildError as fault:
        raise fault if fault.code == "output-not-ours" else _not_ours(root, fault.problem) from None


def _merged(live: str, sums: bytes, pending: bytes) -> Listing:
    listed: dict[str, str] = {}
    with suppress(BuildError):
        listed.update(parse_sums(sums))
    with suppress(BuildError):
        new = parse_sums(pending)
        listed.update({path: digest for path, digest in new.items() if digest_file(f"{live}/{path}") == digest})
    return Listing([f"{digest}  {path}" for path, digest in sorted(listed.items())])


def _not_ours(root: Path, why: str) -> BuildError:
    hint = "choose an empty folder, or move away what is in this one"
    return BuildError("output-not-ours", f"the output folder holds no site of ours: {why}", at=str(root), hint=hint)

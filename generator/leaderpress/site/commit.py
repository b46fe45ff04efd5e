"""The steps from a written tree to a published site, in order.

Everything is prepared in private trees beside the published folder; `_publish` alone changes that folder.  What goes
wrong before leaves the old site as it was, what goes wrong after is only tidying, which the next build repeats.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from stat import S_ISREG

from ..errors import BuildError
from ..inventory import RESERVED, Receipt
from . import compose, stamps
from .cores import in_threads
from .exchange import exchange, replace_files
from .gathered import Gathered
from .ledger import Ledger
from .published import Beside
from .standby import PLAIN, Renewal, Standby
from .strangers import carry_all, clear_all, survey
from .tree import FILE_MODE, opened, remove

_CLOCK_EVERY = 500
"""Files that are looked at by one reading of the file system's clock."""


class Commit:
    """One commit: `fresh` is the tree that the build wrote to, `live` the published site, `new` the one to be.

    The tree holds `SHA256SUMS` and `inventory.json` already.
    """

    def __init__(
        self, beside: Beside, live: Ledger, standby: Standby | None, inventory: str, fresh: str, new: Gathered
    ) -> None:
        self._beside = beside
        self._live = live
        self._standby = standby
        self._old_inventory = inventory
        self._fresh = self._work = fresh
        self._new = new

    def run(self, inventory: str, receipt: Receipt) -> Receipt:
        """Publish, and complete the receipt; raises `OSError` or `BuildError` with the old site in its place.

        `inventory` is the SHA-256 (hex) of the new `inventory.json`.
        """
        strangers, overwritten = survey(self._live, self._new)
        removed = sum(1 for _ in self._new.removed())
        try:
            tree = self._compose()
            found = self._inspect(tree)
            gone = self._publish(tree, strangers)
        except BaseException:
            remove(self._work)
            raise
        with suppress(OSError):
            found.inventory = inventory
            self._tidy(tree, gone, strangers, found)
        return replace(receipt, removed=removed, carried=strangers, overwritten=overwritten)

    def _compose(self) -> compose.Composed:
        # The stamps of the live tree are needed before any of its files gets a second name.
        self._live.look()
        stamps.forget(self._beside.stamps)
        if os.path.ismount(self._beside.live):
            # It will be changed file by file, and what is taken over is in its place already.
            written = bytearray(not shared for shared in self._new.shared)
            folders = stamps.Stamps(sum(1 for _ in self._new.listing.folders()))
            return compose.Composed(self._fresh, written, folders=folders, complete=False)
        renewal = Renewal(self._standby, self._live, self._new) if self._standby is not None else None
        if renewal is not None and renewal.is_worth_it:
            self._work = self._beside.new_folder()
            tree = compose.by_renewing(self._fresh, self._work, renewal, self._live, self._new)
            for path in RESERVED:
                os.rename(f"{self._fresh}/{path}", f"{self._work}/{path}")
            return tree
        # Its files may be second names of live ones, whose times change when the name goes: so before `_inspect`.
        remove(self._beside.standby)
        return compose.by_linking(self._fresh, self._live, self._new)

    def _inspect(self, tree: compose.Composed) -> stamps.TreeStamps:
        """What is known of the finished tree; raises `BuildError` where a noted file is missing."""
        files = self._new.stamps()
        for row, known in tree.own.items():
            files[row] = known
        rows = self._new.listing.chosen(tree.fresh)
        with opened(tree.root) as root:
            for some, clock in in_threads(partial(self._stamps, root), rows, _CLOCK_EVERY, self._live.threads):
                for row, found in some:
                    files[row] = found if found.changed < clock else stamps.NOTHING
            folders = self._inspect_folders(root, tree)
        return stamps.TreeStamps(files=files, folders=folders)

    def _stamps(self, root: int, rows: Sequence[tuple[int, bytes]]) -> tuple[list[tuple[int, stamps.Stamp]], int]:
        """Stamps of some files, and the clock before they were looked at."""
        clock = stamps.settled(self._beside.lock)
        return [(row, self._stamp(root, row, path)) for row, path in rows], clock

    def _stamp(self, root: int, row: int, path: bytes) -> stamps.Stamp:
        try:
            found = stamps.stamp(os.stat(path, dir_fd=root, follow_symlinks=False))
        except FileNotFoundError:
            found = stamps.NOTHING
        if found.size != self._new.sizes[row] or not S_ISREG(found.mode):
            problem = "a file that was noted as written is not there"
            raise BuildError("output-incomplete", problem, at=path.decode("ascii"))
        if found.mode != PLAIN:
            # A default access list of the folder above overrules the mode given at creation.
            os.chmod(path, FILE_MODE, dir_fd=root)
            found = stamps.stamp(os.stat(path, dir_fd=root, follow_symlinks=False))
        return found

    def _inspect_folders(self, root: int, tree: compose.Composed) -> stamps.Stamps:
        clock = stamps.settled(self._beside.lock)
        known = tree.folders
        inodes = known.part(0)
        for row, folder in enumerate(self._new.listing.folders()):
            if not inodes[row]:
                with suppress(FileNotFoundError, NotADirectoryError):
                    found = stamps.stamp(os.stat(folder, dir_fd=root, follow_symlinks=False))
                    known[row] = found if found.changed < clock else stamps.NOTHING
        return known

    def _publish(self, tree: compose.Composed, strangers: Sequence[str]) -> str | None:
        """Where the replaced tree is now, "" if there was none, None if it was changed file by file."""
        live = self._beside.live
        if tree.complete:
            carry_all(live, tree.root, strangers)
            gone = exchange(tree.root, live, self._beside.outgoing)
            if gone is not None:
                return gone
        self._beside.announce(self._live.listing, self._new.listing)
        replace_files(tree.root, live, [*self._new.written(), *RESERVED], list(self._new.removed()))
        return None

    def _tidy(
        self, tree: compose.Composed, gone: str | None, strangers: Sequence[str], found: stamps.TreeStamps
    ) -> None:
        remove(self._beside.pending)
        if gone is None:
            remove(tree.root)
            return
        found.identity = stamps.identity_of(self._beside.live, self._new.listing.digest)
        standby = stamps.TreeStamps()
        if gone and clear_all(gone, strangers):
            os.rename(gone, self._beside.standby)
            identity = stamps.identity_of(self._beside.standby, self._live.listing.digest)
            standby = self._live.known(identity, self._old_inventory)
        stamps.save(self._beside.stamps, found, standby)

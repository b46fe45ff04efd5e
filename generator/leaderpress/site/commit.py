"""The steps from a written tree to a published site, in order.

Everything is prepared in private trees beside the published folder; `_publish` alone changes that folder.  What goes
wrong before leaves the old site as it was, what goes wrong after is only tidying, which the next build repeats.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from stat import S_ISREG

from ..errors import BuildError
from ..inventory import RESERVED, SUMS, Receipt
from . import compose, stamps
from .cores import in_threads
from .exchange import exchange, replace_files
from .gathered import Gathered
from .ledger import Ledger
from .published import Beside
from .standby import PLAIN, Standby
from .strangers import carry_all, clear_all, survey
from .tree import FILE_MODE, TreeWriter, opened, read, remove

_CLOCK_EVERY = 500
"""Files that are looked at by one reading of the file system's clock."""


class Commit:
    """One commit: `fresh` is the tree that the build wrote to, `live` the published site, `new` the one to be."""

    def __init__(
        self, beside: Beside, live: Ledger, standby: Standby | None, inventory: str, fresh: str, new: Gathered
    ) -> None:
        self._beside = beside
        self._live = live
        self._standby = standby
        self._old_inventory = inventory
        self._fresh = self._work = fresh
        self._new = new

    def run(self, sums: bytes, inventory: bytes, receipt: Receipt) -> Receipt:
        """Publish, and complete the receipt; raises `OSError` or `BuildError` with the old site in its place."""
        strangers, overwritten = survey(self._live, self._new)
        removed = [self._live.listing.paths[row] for row in self._new.removed()]
        try:
            tree = self._compose()
            self._finish(tree, sums, inventory)
            found = self._inspect(tree)
            gone = self._publish(tree, strangers, removed)
        except BaseException:
            remove(self._work)
            raise
        with suppress(OSError):
            found.inventory = hashlib.sha256(inventory).hexdigest()
            self._tidy(tree, gone, strangers, found, sums)
        return replace(receipt, removed=len(removed), carried=strangers, overwritten=overwritten)

    def _compose(self) -> compose.Composed:
        # The stamps of the live tree are needed before any of its files gets a second name.
        self._live.look()
        stamps.forget(self._beside.stamps)
        if os.path.ismount(self._beside.live):
            # It will be changed file by file, and what is taken over is in its place already.
            written = [row for row, taken in enumerate(self._new.live_rows) if taken < 0]
            return compose.Composed(self._fresh, written, complete=False)
        if self._standby is not None and compose.worth_renewing(self._standby, self._new):
            self._work = self._beside.new_folder()
            return compose.by_renewing(self._fresh, self._work, self._standby, self._live, self._new)
        # Its files may be second names of live ones, whose times change when the name goes: so before `_inspect`.
        remove(self._beside.standby)
        return compose.by_linking(self._fresh, self._live, self._new)

    def _finish(self, tree: compose.Composed, sums: bytes, inventory: bytes) -> None:
        writer = TreeWriter(tree.root)
        for path, data in zip(RESERVED, (sums, inventory), strict=True):
            writer.write(path, data)

    def _inspect(self, tree: compose.Composed) -> stamps.TreeStamps:
        """What is known of the finished tree; raises `BuildError` where a noted file is missing."""
        files = self._new.stamps()
        for row, known in tree.own.items():
            files[row] = known
        with opened(tree.root) as root:
            for some, clock in in_threads(partial(self._stamps, root), tree.rows, _CLOCK_EVERY, self._live.threads):
                for row, found in some:
                    files[row] = found if found.changed < clock else stamps.NOTHING
            folders, folder_stamps = self._inspect_folders(root, tree)
        return stamps.TreeStamps(files=files, folders=folders, folder_stamps=folder_stamps)

    def _stamps(self, root: int, rows: Sequence[int]) -> tuple[list[tuple[int, stamps.Stamp]], int]:
        """Stamps of some files, and the clock before they were looked at."""
        clock = stamps.settled(self._beside.lock)
        return [(row, self._stamp(root, row)) for row in rows], clock

    def _stamp(self, root: int, row: int) -> stamps.Stamp:
        path = self._new.paths[row]
        try:
            found = stamps.stamp(os.stat(path, dir_fd=root, follow_symlinks=False))
        except FileNotFoundError:
            found = stamps.NOTHING
        if found.size != self._new.sizes[row] or not S_ISREG(found.mode):
            raise BuildError("output-incomplete", "a file that was noted as written is not there", at=path)
        if found.mode != PLAIN:
            # A default access list of the folder above overrules the mode given at creation.
            os.chmod(path, FILE_MODE, dir_fd=root)
            found = stamps.stamp(os.stat(path, dir_fd=root, follow_symlinks=False))
        return found

    def _inspect_folders(self, root: int, tree: compose.Composed) -> tuple[list[str], stamps.Stamps]:
        clock = stamps.settled(self._beside.lock)
        known = tree.folder_stamps.without(())
        there: list[int] = []
        for row, folder in enumerate(tree.folders):
            if not known.columns[0][row]:
                try:
                    found = stamps.stamp(os.stat(folder, dir_fd=root, follow_symlinks=False))
                except (FileNotFoundError, NotADirectoryError):
                    continue
                known[row] = found if found.changed < clock else stamps.NOTHING
            there.append(row)
        return [tree.folders[row] for row in there], known.pick(there)

    def _publish(self, tree: compose.Composed, strangers: Sequence[str], removed: Sequence[str]) -> str | None:
        """Where the replaced tree is now, "" if there was none, None if it was changed file by file."""
        live = self._beside.live
        if tree.complete:
            carry_all(live, tree.root, strangers)
            gone = exchange(tree.root, live, self._beside.outgoing)
            if gone is not None:
                return gone
        listed = {line[66:]: line[:64] for line in (*self._live.listing.lines, *self._new.lines)}
        self._beside.announce(listed)
        replace_files(tree.root, live, [*self._new.written, *RESERVED], removed)
        return None

    def _tidy(
        self, tree: compose.Composed, gone: str | None, strangers: Sequence[str], found: stamps.TreeStamps, sums: bytes
    ) -> None:
        remove(self._beside.pending)
        if gone is None:
            remove(tree.root)
            return
        found.identity = stamps.identity_of(self._beside.live, sums)
        standby = stamps.TreeStamps()
        if gone and clear_all(gone, strangers):
            os.rename(gone, self._beside.standby)
            sums = read(Path(self._beside.standby, SUMS)) or b""
            standby = self._live.known(stamps.identity_of(self._beside.standby, sums), self._old_inventory)
        stamps.save(self._beside.stamps, found, standby)

"""The steps from a written tree to a published site, in order.

Everything is prepared in private trees beside the published folder; `_publish` alone changes that folder.  What goes
wrong before leaves the old site as it was, what goes wrong after is only tidying, which the next build repeats.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from stat import S_IMODE

from ..errors import BuildError
from ..inventory import RESERVED, SUMS, Files, Receipt
from . import compose, stamps
from .exchange import exchange, replace_files
from .published import Beside, read
from .strangers import carry_all, clear_all, survey
from .tree import FILE_MODE, TreeWriter, remove


class Commit:
    """One commit: `fresh` is the tree that the build wrote to, `live` the published site."""

    def __init__(
        self,
        beside: Beside,
        live: stamps.Ledger,
        standby: stamps.TreeStamps,
        fresh: str,
        written: Files,
        reused: Files,
    ) -> None:
        self._beside = beside
        self._live = live
        self._standby_known = standby
        self._standby: stamps.Ledger | None = None
        self._fresh = self._work = fresh
        self._written = written
        self._reused = reused
        self._files = {**written, **reused}

    def run(self, sums: bytes, inventory: bytes, receipt: Receipt) -> Receipt:
        """Publish, and complete the receipt; raises `OSError` or `BuildError` with the old site in its place."""
        strangers, overwritten = survey(self._live, self._files)
        removed = [path for path in self._live.listed if path not in self._files and self._live.intact(path)]
        try:
            tree = self._compose()
            self._finish(tree, sums, inventory)
            found = self._inspect(tree)
            gone = self._publish(tree, strangers, removed)
        except BaseException:
            remove(self._work)
            raise
        with suppress(OSError):
            self._tidy(tree, gone, strangers, found, sums)
        return replace(receipt, removed=len(removed), carried=strangers, overwritten=overwritten)

    def _compose(self) -> compose.Composed:
        stamps.forget(self._beside.stamps)
        if os.path.ismount(self._beside.live):
            # It will be changed file by file, and what is reused is in its place already.
            return compose.Composed(self._fresh, complete=False)
        self._standby = standby = self._beside.usable_standby(self._standby_known, self._live.clock)
        if standby is not None and compose.worth_renewing(standby, self._written, self._reused):
            self._work = self._beside.new_folder()
            return compose.by_renewing(self._fresh, self._work, standby, self._live, self._written, self._reused)
        # Its files may be second names of live ones, whose times change when the name goes: so before `_inspect`.
        remove(self._beside.standby)
        return compose.by_linking(self._fresh, self._live, self._reused)

    def _finish(self, tree: compose.Composed, sums: bytes, inventory: bytes) -> None:
        writer = TreeWriter(tree.root)
        for path, data in zip(RESERVED, (sums, inventory), strict=True):
            writer.write(path, data)

    def _inspect(self, tree: compose.Composed) -> dict[str, str]:
        """Settled stamps of what is new in the finished tree; raises `BuildError` where a noted file is missing."""
        clock = stamps.settled(self._beside.lock)
        new = self._files if tree.complete else self._written
        found: dict[str, str] = {}
        for path in new:
            if path not in tree.kept:
                status = self._status(tree.root, path)
                if status.st_ctime_ns < clock:
                    found[path] = stamps.stamp(status)
        return found

    def _status(self, root: str, path: str) -> os.stat_result:
        full = f"{root}/{path}"
        status = stamps.status_of(full)
        if status is None or status.st_size != self._files[path].size:
            raise BuildError("output-incomplete", "a file that was noted as written is not there", at=path)
        if S_IMODE(status.st_mode) != FILE_MODE:
            # A default access list of the folder above overrules the mode given at creation.
            os.chmod(full, FILE_MODE)
            status = os.lstat(full)
        return status

    def _publish(self, tree: compose.Composed, strangers: Sequence[str], removed: Sequence[str]) -> str | None:
        """Where the replaced tree is now, "" if there was none, None if it was changed file by file."""
        live = self._beside.live
        if tree.complete:
            carry_all(live, tree.root, strangers)
            gone = exchange(tree.root, live, self._beside.outgoing)
            if gone is not None:
                return gone
        both = {**self._live.listed, **{path: file.sha256 for path, file in self._files.items()}}
        self._beside.announce(both)
        replace_files(tree.root, live, [*self._written, *RESERVED], removed)
        return None

    def _tidy(
        self,
        tree: compose.Composed,
        gone: str | None,
        strangers: Sequence[str],
        found: Mapping[str, str],
        sums: bytes,
    ) -> None:
        remove(self._beside.pending)
        if gone is None:
            remove(tree.root)
            return
        live = stamps.TreeStamps(stamps.identity_of(self._beside.live, sums), dict(found))
        if self._standby is not None:
            known = self._standby.stamps
            live.stamps.update({path: known[path] for path in tree.kept if path in known})
        standby = stamps.TreeStamps()
        if gone and clear_all(gone, strangers):
            os.rename(gone, self._beside.standby)
            standby = self._standby_stamps(tree, found)
        stamps.save(self._beside.stamps, live, standby)

    def _standby_stamps(self, tree: compose.Composed, found: Mapping[str, str]) -> stamps.TreeStamps:
        """Of the replaced tree: files that nothing touched, and those that gave the new tree a second name."""
        known = self._live.stamps
        kept = {path: known[path] for path in tree.kept if path in known}
        for path in self._reused:
            old, new = self._live.intact(path), found.get(path, "")
            if old is not None and new.startswith(f"{old.st_ino} "):
                kept[path] = new
        sums = read(Path(self._beside.standby, SUMS)) or b""
        return stamps.TreeStamps(stamps.identity_of(self._beside.standby, sums), kept)

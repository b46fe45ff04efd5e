"""Files in the published folder that are not ours: found, checked against our own paths, carried and cleared.

A stranger is what `SHA256SUMS` does not list (CNAME, .git, …) and what it lists with other bytes if this build does
not write that path again.  A build never deletes a stranger and never writes over one.
"""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import BuildError
from ..inventory import RESERVED, folders_of
from .gathered import Gathered
from .ledger import Ledger
from .tree import TreeWriter, carry, digest_file, foreign, is_folder, prune_folders, remove


class Survey(NamedTuple):
    """What stands in the published folder beside the bytes that we wrote."""

    strangers: tuple[str, ...] = ()
    overwritten: tuple[str, ...] = ()
    """Paths of ours whose bytes someone changed or deleted, and that this build writes again."""


def survey(live: Ledger, new: Gathered) -> Survey:
    """Look through the published folder; raises `BuildError` where a stranger stands where we need its place."""
    if not is_folder(live.root):
        return Survey()
    # What is taken over is in its place, so that a stranger can only be in the way of what was written.
    changed = list(live.damaged())
    found = foreign(live.root, live.loose(), live.has_folder, lambda path: _is_listed(path, live), new.writes_below)
    found += [path for path in changed if _is_kept(f"{live.root}/{path}", path, new)]
    strangers = sorted(path for path in found if not _same_bytes(live.root, path, new))
    _refuse_conflicts(strangers, new)
    return Survey(tuple(strangers), tuple(path for path in changed if new.writes(path)))


def _is_listed(path: str, live: Ledger) -> bool:
    return path in RESERVED or live.listing.row(path) >= 0


def _is_kept(full: str, path: str, new: Gathered) -> bool:
    # A path that we write again is ours, but not a folder full of someone's files that took its place.
    return os.path.lexists(full) and (not new.writes(path) or is_folder(full))


def _same_bytes(root: str, path: str, new: Gathered) -> bool:
    wanted = new.writes(path)
    return wanted is not None and digest_file(f"{root}/{path}") == wanted


def _refuse_conflicts(strangers: Iterable[str], new: Gathered) -> None:
    for path in strangers:
        if new.writes(path) or new.writes_below(path) or any(map(new.writes, folders_of([path]))):
            hint = "move it out of the output folder, or give our page another address"
            problem = "the build needs this place, and what stands here is not ours"
            raise BuildError("output-conflict", problem, at=path, hint=hint)


def carry_all(live: str, tree: str, strangers: Sequence[str]) -> None:
    """Bring the strangers into the new tree; raises `OSError`."""
    writer = TreeWriter(tree)
    for path in strangers:
        writer.make_folder(path.rpartition("/")[0])
        carry(f"{live}/{path}", f"{tree}/{path}")


def clear_all(tree: str, strangers: Sequence[str]) -> bool:
    """Take the strangers out of the replaced tree, where their second names are; whether that went well."""
    failed = [path for path in strangers if not remove(f"{tree}/{path}")]
    prune_folders(tree, folders_of(strangers))
    return not failed

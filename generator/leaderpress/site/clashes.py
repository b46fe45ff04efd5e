"""No two paths of a site may be one to some file system or host: what `PathSet` refuses, for paths on disk.

Paths that differ in case only differ in capital letters, which few have; and a file that stands where others need a
folder comes shortly before them.
"""

from collections.abc import Iterable

from ..errors import BuildError
from ..inventory import RESERVED, PathSet, folders_of, path_clash
from .listing import Listing

_FILE_IS_FOLDER = "a file stands where this path needs a folder"
_FOLDER_IS_FILE = "a folder has the name of this file"


def check_paths(listing: Listing, added: Iterable[bytes] | None = None) -> None:
    """Raise `BuildError` naming two paths that clash; `added` are those that were not compared before, None: all."""
    _check_capitals(listing)
    if added is None:
        _check_all(listing)
        return
    for path in added:
        name = path.decode("ascii")
        if inside := listing.below(path):
            raise path_clash(name, listing.path(inside.start), _FOLDER_IS_FILE)
        for folder in folders_of([name]):
            if listing.row(folder) >= 0:
                raise path_clash(name, folder, _FILE_IS_FOLDER)


def _check_all(listing: Listing) -> None:
    # All paths that begin with the name of a file follow it without another between, so that the files whose names
    # the current path begins with are the last ones; there is seldom more than one.
    begun: list[bytes] = []
    for path in listing.paths():
        while begun and not path.startswith(begun[-1]):
            begun.pop()
        for file in begun:
            if path[len(file)] == _SLASH:
                raise path_clash(path.decode("ascii"), file.decode("ascii"), _FILE_IS_FOLDER)
        begun.append(path)


_SLASH = 0x2F


def _check_capitals(listing: Listing) -> None:
    """Compare the paths with capital letters with each other, and with those without."""
    paths = PathSet()
    for path in RESERVED:
        paths.add(path)
    for capital in listing.capitals():
        path = capital.decode("ascii")
        paths.add(path)
        if (fault := _in_lower_case(listing, path)) is not None:
            raise fault


def _in_lower_case(listing: Listing, path: str) -> BuildError | None:
    lower = path.casefold()
    if listing.row(lower) >= 0:
        return path_clash(path, lower, "two paths differ in case only")
    if inside := listing.below(lower.encode("ascii")):
        return path_clash(path, listing.path(inside.start), _FOLDER_IS_FILE)
    for folder in folders_of([path]):
        other = folder.casefold()
        if other != folder and listing.row(other) >= 0:
            return path_clash(path, other, _FILE_IS_FOLDER)
        if other != folder and (inside := listing.below(other.encode("ascii"))):
            return path_clash(path, listing.path(inside.start), "two folders differ in case only")
    return None

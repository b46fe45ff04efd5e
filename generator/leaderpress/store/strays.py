"""Files that stand where nothing reads them: somebody believes that they are published."""

from collections.abc import Iterator
from pathlib import Path

from ..errors import ContentError


def strays(site: Path, place: str, suffix: str, *, deep: bool = False) -> Iterator[ContentError]:
    """A fault for each file below `place` (relative to the site) that is not a `*<suffix>` in it.

    `deep` allows folders in it.  Names that begin with a dot are left alone, as are empty folders.
    """
    root = site / place
    what = place.rpartition("/")[2].removesuffix("s")
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        inner = path.relative_to(root)
        if path.is_dir() or any(part.startswith(".") for part in inner.parts):
            continue
        if path.suffix != suffix or (len(inner.parts) > 1 and not deep):
            problem = f"it is not read: {'an' if what[0] in 'aeiou' else 'a'} {what} is a file *{suffix}"
            problem += "" if deep else f" in {place} itself"
            at = path.relative_to(site).as_posix()
            yield ContentError(f"{what}-foreign", problem, at=at, hint="rename it, move it there, or take it away")

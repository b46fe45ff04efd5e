"""`leaderpress verify`: anybody's proof that what they have is what was published.

A published folder, the records of a site, or single files that somebody downloaded: every digest is computed again,
every reference followed, every number that a page shows held against the canonical object, and the publication log
against its checkpoint.  It needs no settings and no network, and holds 38 bytes for each line of the log.  A document
that was lawfully removed is named as redacted, not as tampered with.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import LeaderpressError, UsageError
from ..inventory import INVENTORY, SUMS
from ..places import OUTPUT
from .findings import Findings
from .pool import cores
from .records import compare_with_site, verify_records
from .single import verify_files
from .site import verify_site

__all__ = ["VerifyReport", "is_published", "verify"]

_FOLDER = re.compile(r"[0-9]{6}-[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at and what is wrong; no `problems`: all is as it was published."""

    problems: tuple[LeaderpressError, ...]
    counts: Mapping[str, int]
    redacted: tuple[str, ...]
    """Digests of documents that were lawfully removed."""
    says: tuple[str, ...]
    """What single files are, and what was compared."""


def verify(
    paths: Sequence[Path], *, jobs: int | None = None, progress: Callable[[int, int], None] = lambda done, total: None
) -> VerifyReport:
    """Verify each folder of `paths` by itself, and all single files among them together.

    `jobs` processes work (default: one for each core that we may use).  Raises `UsageError` for what is neither a
    site, nor records, nor a file of a site.
    """
    findings = Findings()
    for path in paths:
        if path.is_dir():
            _folder(path, findings, jobs or cores(), progress)
    if files := [path for path in paths if not path.is_dir()]:
        verify_files(files, findings)
    return VerifyReport(
        tuple(findings.problems), dict(findings.counts), tuple(sorted(set(findings.removed))), tuple(findings.says)
    )


def is_published(folder: Path) -> bool:
    """Whether the folder is a published site."""
    return (folder / SUMS).is_file() or (folder / INVENTORY).is_file()


def _folder(path: Path, findings: Findings, jobs: int, progress: Callable[[int, int], None]) -> None:
    if is_published(path):
        verify_site(str(path), findings, jobs=jobs, progress=lambda files: progress(files, 0))
        return
    root, only = _records_of(path.resolve())
    recorded = verify_records(root, findings, only)
    built = root / OUTPUT
    if path.resolve() == root and is_published(built):
        verify_site(str(built), findings, jobs=jobs, progress=lambda files: progress(files, 0))
        if recorded:
            compare_with_site(recorded, built, findings)


def _records_of(path: Path) -> tuple[Path, str]:
    """The site whose records these are, and the one folder of them that is meant, if any."""
    if (path / "content" / "records").is_dir():
        return path, ""
    parts = path.parts
    if parts[-2:] == ("content", "records"):
        return path.parent.parent, ""
    if parts[-3:-1] == ("content", "records") and _FOLDER.fullmatch(path.name):
        return path.parents[2], path.name
    hint = f"a published site has {SUMS}; records stand in content/records/ of a site"
    raise UsageError("verify-unknown", "neither a published site nor a folder of records", at=str(path), hint=hint)

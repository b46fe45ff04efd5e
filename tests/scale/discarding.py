"""A build whose output is hashed and thrown away, for sites that no disk here would take."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leaderpress.canonical import Json
from leaderpress.inventory import Receipt, Written
from leaderpress.site import build as building
from leaderpress.site import workers
from leaderpress.site.output import DirectoryOutput


class _Writer:
    """Hashes a file as the product's writer does."""

    def __init__(self, root: str) -> None:
        self.root = root

    def write(self, path: str, data: bytes) -> Written:
        return Written(len(data), hashlib.sha256(data).hexdigest())


class _Output(DirectoryOutput):
    """Counts files and bytes, and joins all digests into one that does not depend on their order."""

    count = size = joined = 0

    def write(self, path: str, data: bytes) -> None:
        self.record(path, len(data), hashlib.sha256(data).hexdigest())

    def record(self, path: str, size: int, sha256: str) -> None:
        type(self).count += 1
        type(self).size += size
        type(self).joined ^= int(hashlib.sha256(f"{path} {sha256}".encode()).hexdigest(), 16)

    def commit(self, meta: Mapping[str, Json]) -> Receipt:
        self.close()
        return Receipt(self.count, self.size, f"sha256:{self.joined:064x}", written=self.count)


def build(site: Path) -> dict[str, Any]:
    """Build everything but the sitemap; gives counts."""
    workers.TreeWriter = _Writer  # type: ignore[assignment,misc]
    building.DirectoryOutput = _Output  # type: ignore[misc]
    report = building.build(site, out=site / "build" / "discarded")
    return {"files": report.files, "bytes": report.bytes, "digest": report.sums}

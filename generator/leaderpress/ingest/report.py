"""What one ingest did, for people and programs; everything in it stands in the snapshot too."""

from dataclasses import dataclass

from ..store import Line
from .updates import Updates

SHOWN_PLACES = 3
"""Locations that the report names for each reason; the snapshot holds all."""


@dataclass(frozen=True, slots=True)
class Reason:
    """All rejections with one reason code."""

    reason: str
    verdict: bool
    """Whether it is the source's own verdict rather than a fault."""
    count: int
    places: tuple[str, ...]
    """Where the first ones stand in the dump."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one ingest did, or would do."""

    folder: str
    """Name of the records folder: the one written, the one that would be, or the one of the earlier ingest."""
    written: bool
    already: bool
    """The dump was ingested before; nothing was read beyond its digest."""
    snapshot: Line
    """The folder's snapshot, complete."""
    copied: tuple[str, ...] = ()
    """Source tables that the site lacks, as paths relative to it, copied from the ingesters' defaults when written."""
    notice: str = ""
    """Why nothing was written; empty if something was."""
    updates: Updates | None = None
    """What changes of what was published before; None for the first dump of a source."""
    unknown: str = ""
    """Why `updates` is not known; empty if it is, or if nothing was published before."""
    review: str = ""
    """Folder of the proposed withdrawals, relative to the site; empty if none was written."""
    unlike: int = 0
    """Documents of which something was removed and that came in with other metadata: it may hold the same again."""

    @property
    def exit_code(self) -> int:
        """0 when every rejection is the source's own verdict, 1 when anything was malformed."""
        return 0 if self.already else int(is_faulty(self.snapshot))

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """By kind: identities that are `new`, `revised` (known, with another document) and `known`."""
        counts: dict[str, dict[str, int]] = self.snapshot["counts"]
        return counts

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Rejections by reason code, faults before verdicts."""
        groups: dict[tuple[bool, str], list[str]] = {}
        for rejection in self.snapshot["rejections"]:
            groups.setdefault((rejection["verdict"], rejection["reason"]), []).append(rejection["at"])
        return tuple(
            Reason(reason, verdict, len(places), tuple(places[:SHOWN_PLACES]))
            for (verdict, reason), places in sorted(groups.items())
        )


def is_faulty(snapshot: Line) -> bool:
    """Whether anything was refused that is not the source's own verdict."""
    return any(not rejection["verdict"] for rejection in snapshot["rejections"])

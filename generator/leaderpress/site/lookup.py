"""One run by what a person types: its digest, the beginning of one, or `source/upstream-key`."""

from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..errors import UsageError
from ..index import Index, RunRow, refresh
from ..manifests.notes import Note
from ..views.run import RunView
from .content import load_content
from .pages.context import Context
from .pages.run import build_run
from .plan import site_view

LISTED = 10
"""How many runs an ambiguous reference lists."""


def find_run(site: Path, reference: str) -> RunView:
    """The view of the one run that `reference` names, exactly what its page shows.

    Raises `UsageError` when no run or several match, and what `load_content` and `refresh` raise.
    """
    content = load_content(site)
    database = refresh(site, content.sources, content.notes)
    with Index(database, site / "content" / "records") as index:
        run = only_one(index.find_runs(reference, most=LISTED + 1) if reference else [], reference)
        notes: dict[str, list[Note]] = {}
        for note in content.notes:
            notes.setdefault(note.target, []).append(note)
        chrome = site_view(content, f"leaderpress {__version__}", ())
        context = Context(index, content.config, chrome, content.sources, notes)
        group = index.group(run.group)
        return build_run(context, run, group, index.ranked(run.group))


def only_one(found: Sequence[RunRow], reference: str) -> RunRow:
    """The single run that was found; raises `UsageError` with all candidates, newest first, otherwise."""
    if len(found) == 1:
        return found[0]
    if not found:
        hint = "name it by its digest, the beginning of one, or source/upstream-key"
        raise UsageError("run-unknown", f"no run is called {reference!r}", hint=hint)
    raise UsageError("run-ambiguous", f"{reference!r} names several runs", hint="one of " + _candidates(found))


def _candidates(found: Sequence[RunRow]) -> str:
    lines = [f"{run.digest} {run.name} {run.revision}, observed {run.observed_at[:10]}" for run in found[:LISTED]]
    more = ["…"] if len(found) > LISTED else []
    return "\n        ".join(lines + more)

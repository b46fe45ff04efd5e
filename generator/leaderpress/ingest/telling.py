"""What a newer dump changes, as lines of plain text: how many of each, and the first ones."""

from collections.abc import Iterable, Iterator

from ..index.compare import RankChange, RunName
from .updates import Gone, Updates

SHOWN = 10
"""How many of each are named; `--json` names all."""


def update_lines(updates: Updates) -> Iterator[str]:
    """What changes of what was published before; `changes nothing` where that is so."""
    told = [*_lists(updates), *_counts(updates)]
    yield "  changes" if told else "  changes nothing that was published before"
    yield from told


def _lists(updates: Updates) -> Iterator[str]:
    yield from _list("new runs", [f"{_run(new.run)}{_ranked(new.rank)}" for new in updates.new])
    yield from _list(
        "revised runs", [f"{_run(change.run)}, superseded by {change.successor[7:19]}" for change in updates.revised]
    )
    yield from _list("vanished runs", map(_gone, updates.vanished))
    yield from _list("disqualified runs", map(_gone, updates.disqualified))
    yield from _list("renamed", [f"{name.before} → {name.after}, {_runs(name.runs)}" for name in updates.renamed])
    yield from _list(
        "redefined operations",
        [f"{change.name}: {change.before[7:19]} stays, {change.after[7:19]} is new" for change in updates.redefined],
    )
    groups = len({change.group for change in updates.ranks})
    yield from _list(f"ranks, in {groups} group{'' if groups == 1 else 's'}", map(_rank, updates.ranks))


def _counts(updates: Updates) -> Iterator[str]:
    if updates.incomplete:
        yield f"    not stated in lists that are not complete: {_runs(updates.incomplete)}, left as they are"
    if updates.unreadable:
        yield f"    faulty in this dump: {_runs(updates.unreadable)} that stood before, left as they are"
    for source, why in updates.withheld.items():
        yield f"    no withdrawal is proposed for {source}: {why}"
    if updates.proposals:
        count = len(updates.proposals)
        yield f"    proposed, to be reviewed: {count} withdrawal{'' if count == 1 else 's'}"


def _list(what: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield f"    {what}: {len(found):,}"
        yield from (f"      {line}" for line in found[:SHOWN])
    if len(found) > SHOWN:
        yield f"      and {len(found) - SHOWN:,} more"


def _run(run: RunName) -> str:
    called = f"{run.external_id} " if run.external_id else ""
    return f"{called}{run.digest[7:19]} {run.name} {run.revision} · {run.task} on {run.hardware}"


def _gone(gone: Gone) -> str:
    return f"{_run(gone.run)}{f': {gone.reason}' if gone.reason else ''}"


def _rank(change: RankChange) -> str:
    before, after = (str(place) if place else "not ranked" for place in (change.before, change.after))
    return f"{change.group[7:19]} {_run(change.run)}: {before} → {after}"


def _ranked(place: int) -> str:
    return f", rank {place}" if place else ", not ranked"


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"

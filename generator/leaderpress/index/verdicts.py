"""What reviewed notes and later ingests decide about runs, and whose standing that changes."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter

import orjson

from ..manifests.notes import Note

_DIGESTS_A_QUERY = 1000
_OF_RUNS = (
    " where exists (select 1 from document where document.digest = statement.digest and kind = 'BenchmarkRun')"
    " order by statement.source, statement.upstream_key, keyed, statement.digest"
)
_KEY = "statement.source, statement.upstream_key"
_ALL_CHAINS = (
    f"select {_KEY}, statement.digest from (select source, upstream_key from statement where upstream_key is not null"
    " group by source, upstream_key having count(*) > 1) as shared join statement on statement.source = shared.source"
    f" and statement.upstream_key = shared.upstream_key{_OF_RUNS}"
)
# A cross join keeps its order: of a few keys, only their statements are looked at.
_STATED_CHAINS = (
    f"select {_KEY}, statement.digest from keyed cross join statement on statement.source = keyed.source"
    f" and statement.upstream_key = keyed.upstream_key{_OF_RUNS}"
)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Which runs are withdrawn or superseded."""

    withdrawn: frozenset[str] = frozenset()
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Run → the run that supersedes it, or nothing."""
    only: bool = False
    """Whether the other runs are as they were, instead of not being superseded."""


def all_verdicts(database: sqlite3.Connection, notes: Sequence[Note]) -> Verdicts:
    """What is decided about every run."""
    superseded = {digest: later for digest, later in _successors(database, _ALL_CHAINS) if later}
    return Verdicts(_withdrawn(notes), superseded | _corrected(notes))


def new_verdicts(database: sqlite3.Connection, notes: Sequence[Note]) -> Verdicts:
    """What is decided about the runs whose keys were stated anew, and by the notes, which are as they were."""
    corrected = _corrected(notes)
    superseded = dict(_successors(database, _STATED_CHAINS)) | corrected
    return Verdicts(_withdrawn(notes), superseded, only=True)


def changed_groups(database: sqlite3.Connection, verdicts: Verdicts) -> set[str]:
    """The groups of runs that are superseded only now or by another run, or no longer; of `new_verdicts`."""
    changed = set()
    for digests in _chunks(sorted(verdicts.superseded)):
        query = "select grp, digest, superseded_by from run where digest in (select value from json_each(?))"
        for group, digest, before in database.execute(query, (orjson.dumps(digests).decode(),)):
            if verdicts.superseded[digest] != before:
                changed.add(group)
    return changed


def _successors(database: sqlite3.Connection, chains: str) -> Iterator[tuple[str, str]]:
    """Each run of the chains with the run that a later ingest states in its place: same source and upstream key.

    The newest statement of a key counts, so that a figure that was taken back stands again.
    """
    for _, group in groupby(database.execute(chains), key=itemgetter(0, 1)):
        yield from pairwise([*(row[2] for row in group), ""])


def _withdrawn(notes: Iterable[Note]) -> frozenset[str]:
    return frozenset(note.target for note in notes if note.kind == "withdrawal")


def _corrected(notes: Iterable[Note]) -> dict[str, str]:
    return {note.target: note.successor for note in notes if note.kind == "correction" and note.successor}


def _chunks(digests: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(digests), _DIGESTS_A_QUERY):
        yield digests[start : start + _DIGESTS_A_QUERY]

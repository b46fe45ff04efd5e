"""What a newer dump of a source changes about what is published: said with every ingest, and before it by a dry run.

Nothing here decides anything.  Runs that the source no longer lists, or no longer counts, stay published; each is
proposed as a withdrawal, a note that somebody reviews and puts into `content/notes/`, or does not.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..index.compare import Comparison, HeldRun, NewRun, RankChange, Redefined, Renamed, Revision, RunName
from ..ingesters.packed import PackedSet
from ..store import Line
from .proposals import Proposal, proposal

MOST = 0.05
"""Share of a source's runs above which nothing is proposed: then rather the dump is at fault than the runs."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A published run that the dump does not state any more."""

    run: RunName
    source: str
    key: str
    reason: str
    """Why the source does not count it, by code; empty where it does not list it."""


@dataclass(frozen=True, slots=True)
class Updates:
    """What changes, each list complete and in a fixed order."""

    new: tuple[NewRun, ...] = ()
    """Runs that are new and take no other's place."""
    revised: tuple[Revision, ...] = ()
    """Runs that another one takes the place of."""
    vanished: tuple[Gone, ...] = ()
    """Runs that the source does not list any more, in operations whose lists the dump holds completely."""
    disqualified: tuple[Gone, ...] = ()
    """Runs that the source lists and does not count any more."""
    incomplete: int = 0
    """Runs that the dump does not state, of operations whose lists it does not hold completely: nothing follows."""
    unreadable: int = 0
    """Runs whose entries in the dump are faulty: nothing follows."""
    renamed: tuple[Renamed, ...] = ()
    redefined: tuple[Redefined, ...] = ()
    ranks: tuple[RankChange, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    """Withdrawals to be reviewed, for all that are vanished or disqualified."""
    withheld: dict[str, str] = field(default_factory=dict)
    """Why nothing is proposed, by source."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a dump states, as far as the comparison asks."""

    keys: PackedSet
    """`source`, a line feed and the upstream key, of every run."""
    snapshot: Line


def stated_key(source: str, key: str) -> str:
    """How `Stated.keys` spells the key of a run."""
    return f"{source}\n{key}"


def updates(comparison: Comparison, stated: Stated, who: str) -> Updates:
    """What the newer index of `comparison` changes; `who` signs the proposals."""
    redefined = comparison.redefined()
    absent = _Absent(comparison, stated, redefined)
    for source in stated.snapshot["sources"]:
        absent.look_for(source)
    withheld = dict(absent.withheld())
    revised = comparison.revised()
    successors = {revision.successor for revision in revised}
    day = stated.snapshot["published_at"]
    gone = [*absent.vanished, *absent.disqualified]
    return Updates(
        new=tuple(new for new in comparison.new() if new.run.digest not in successors),
        revised=tuple(revised),
        vanished=tuple(absent.vanished),
        disqualified=tuple(absent.disqualified),
        incomplete=absent.incomplete,
        unreadable=absent.unreadable,
        renamed=tuple(comparison.renamed()),
        redefined=tuple(redefined),
        ranks=tuple(_without_doubles(comparison.ranks(), revised)),
        proposals=tuple(
            proposal(run.run.digest, run.key, run.reason, who, day) for run in gone if run.source not in withheld
        ),
        withheld=withheld,
    )


def _without_doubles(changes: Sequence[RankChange], revised: Iterable[Revision]) -> Iterator[RankChange]:
    """Rank changes, where a revised run and the one that takes its place are one: from the rank of the former."""
    successors = {revision.run.digest: revision.successor for revision in revised}
    after = {(change.group, change.run.digest) for change in changes}
    before = {
        (change.group, successors[change.run.digest]): change.before
        for change in changes
        if (change.group, successors.get(change.run.digest)) in after
    }
    for change in changes:
        if (change.group, successors.get(change.run.digest)) in before:
            continue
        rank = before.get((change.group, change.run.digest), change.before)
        if rank != change.after:
            yield replace(change, before=rank)


class _Absent:
    """Sorts the published runs that a dump does not state by what it says about them."""

    def __init__(self, comparison: Comparison, stated: Stated, redefined: Sequence[Redefined]) -> None:
        self._comparison = comparison
        self._keys = stated.keys
        self._complete = _complete(stated.snapshot["tasks"], redefined)
        self._verdicts = dict(_rejected(stated.snapshot["rejections"], verdict=True))
        self._faults = dict(_rejected(stated.snapshot["rejections"], verdict=False))
        self.vanished: list[Gone] = []
        self.disqualified: list[Gone] = []
        self.incomplete = 0
        self.unreadable = 0

    def look_for(self, source: str) -> None:
        """Take in the runs of a source."""
        reasons: dict[str, str] = {}
        for held in self._comparison.held(source):
            if stated_key(source, held.key) not in self._keys:
                reason = self._reason(source, held)
                if reason is not None:
                    reasons[held.digest] = reason
        # Few are gone of many, so that only these are called by their names.
        for run, key in self._comparison.names(source, reasons):
            reason = reasons[run.digest]
            (self.disqualified if reason else self.vanished).append(Gone(run, source, key, reason))

    def _reason(self, source: str, held: HeldRun) -> str | None:
        """Why a run that is not stated is gone, empty where the source does not list it; None if it is not."""
        names = [(source, name) for name in (held.external_id, held.key) if name]
        reason = next((self._verdicts[name] for name in names if name in self._verdicts), None)
        if reason:
            return reason
        if any(name in self._faults for name in names):
            self.unreadable += 1
        elif (source, held.task) in self._complete:
            return ""
        else:
            self.incomplete += 1
        return None

    def withheld(self) -> Iterator[tuple[str, str]]:
        """(source, why) of sources that lost so many runs at once that nothing is proposed."""
        lost = Counter(run.source for run in (*self.vanished, *self.disqualified))
        for source, gone in sorted(lost.items()):
            runs = self._comparison.runs_of(source)
            if gone > MOST * runs:
                share = f"{gone} of {runs} runs at once, more than {MOST:.0%}"
                yield source, f"{share}: look at the dump before you withdraw anything"


def _complete(tasks: Iterable[Line], redefined: Iterable[Redefined]) -> set[tuple[str, str]]:
    """(source, operation) of the lists that the dump holds completely, operations that it redefines included."""
    found = {(task["source"], task["task"]) for task in tasks if task["complete"]}
    newer: Mapping[str, str] = {change.before: change.after for change in redefined}
    return found | {(source, older) for older, later in newer.items() for source, task in found if task == later}


def _rejected(rejections: Iterable[Line], *, verdict: bool) -> Iterator[tuple[tuple[str, str], str]]:
    """((source, external id), reason) of what the source itself does not count, or of what is faulty."""
    for rejection in rejections:
        if rejection["verdict"] is verdict and "externalId" in rejection:
            yield (rejection["source"], rejection["externalId"]), rejection["reason"]

"""Whether a build keeps what the folder that it writes to has published: its lines of the log, its addresses.

Records can be lost on the way to a build (a folder deleted, a branch that is older), and nothing in them would tell.
The published site does: its log must begin the new one, and its addresses must answer.  A folder that holds no site
promises nothing; for that there is `check --against`.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import get_args

from ..errors import BuildError, ContentError, LeaderpressError
from ..inventory import is_permanent
from ..log import LOG, Checkpoint, Difference, first_difference, prefix_fault, shown
from ..manifests.notes import NoteKind
from ..slugs import retired_day
from ..store.redactions import Redactions
from .addresses import Addresses, Lost, page_kind
from .output import DirectoryOutput

REWRITTEN = "log-rewritten"
"""Code of the fault of a log in which published notes, which nothing committed, are not as they were."""

_HINT = (
    "restore content/records and content/notes from version control; if nothing of that site was ever published,"
    " delete its folder and build again"
)
_PROMISED = frozenset({"group", "task", "project", "hardware", "source"})
"""Kinds of pages that stay for as long as the settings have them written; `is_permanent` names those for ever."""
_MOVABLE = frozenset({"task", "project", "hardware"})
"""Kinds with an address that may hold a name, which a removal changes."""
_NOTE_KINDS = frozenset(kind.capitalize().encode() for kind in get_args(NoteKind))


class PublishedLog:
    """The log of the site that the output folder held when it was opened."""

    def __init__(self, output: DirectoryOutput) -> None:
        stated = output.published_meta.get("log")
        self._meta: Mapping[str, object] = stated if isinstance(stated, dict) else {}
        self._file = Path(output.root, LOG)
        self._output = output

    @cached_property
    def _readable(self) -> bool:
        # Asked only where the log is another: the whole tree is looked at for it.
        return LOG in self._output.published and self._output.is_intact(LOG)

    @property
    def committed(self) -> int:
        """How many of its first lines its records had committed; 0 where that is not known."""
        return _number(self._meta.get("committed"))

    def uncommitted(self, committed: int) -> Iterator[LeaderpressError]:
        """The fault of records that commit fewer lines than those of the published site did; none if all are there."""
        if committed < self.committed:
            line = next(self._from(committed + 1), b"") if self._readable else b""
            problem = f"{self.committed:,} lines were committed and published, the records commit {committed:,}: "
            problem += shown(line)
            yield BuildError("log-lost", problem, at=f"{LOG}:{committed + 1}", hint=_HINT)

    def faults(self, log: Checkpoint, file: Path) -> Iterator[LeaderpressError]:
        """What is wrong with a new log, in `file`, that shall take its place.

        One of the code `REWRITTEN` is a warning: only notes that were never committed are not as they were.
        """
        stated = Checkpoint(_number(self._meta.get("lines")), str(self._meta.get("sha256")))
        if log == stated:
            return
        if self._readable:
            if difference := first_difference(_lines(self._file), _lines(file)):
                yield self._fault(difference)
        elif self._meta and (fault := prefix_fault(stated, _lines(file), LOG)):
            yield fault

    def _fault(self, difference: Difference) -> LeaderpressError:
        line = shown(difference.expected or b"")
        at = f"{LOG}:{difference.number}"
        if difference.number > self.committed and all(map(_is_of_note, self._from(difference.number))):
            problem = f"a note that was published before it was committed is changed, moved or gone: {line}"
            hint = "whoever kept a checkpoint of it will notice; commit notes with `leaderpress seal` before a build"
            return ContentError(REWRITTEN, problem, at=at, hint=hint)
        there = f"the new log has {shown(difference.found)}" if difference.found else "the new log ends before it"
        problem = f"the line was published, and {there}: {line}"
        return BuildError("log-lost", problem, at=at, hint=_HINT)

    @cached_property
    def open_notes(self) -> set[str]:
        """The digests (64 digits) of published notes that nothing commits; empty where the log cannot be read."""
        if not self._readable:
            return set()
        return {line.split()[3].decode() for line in self._from(self.committed + 1) if _is_of_note(line)}

    def _from(self, number: int) -> Iterator[bytes]:
        return islice(_lines(self._file), number - 1, None)


def lost_addresses(
    dropped: Iterable[str], addresses: Addresses, before: PublishedLog, redactions: Redactions
) -> list[LeaderpressError]:
    """A fault for each kind of promised address among the published paths that the new site does not have."""
    lost = Lost()
    for path in dropped:
        kind = _promised_kind(path, addresses)
        is_open = kind == "object" and path[10:-5] in before.open_notes
        if kind and not is_open and not (kind in _MOVABLE and _is_retired(path, redactions)):
            lost.add(kind, path)
    return [_lost(*found) for found in lost]


def _promised_kind(path: str, addresses: Addresses) -> str:
    """What kind of promise a published path is; empty for none."""
    if path.startswith("sha256/"):
        return "object"
    if not path.endswith("/index.html"):
        return ""
    folder = path.removesuffix("index.html")
    kind = page_kind(folder)
    return kind if is_permanent(path) or (kind in _PROMISED and addresses.has_page(folder)) else ""


def _is_retired(path: str, redactions: Redactions) -> bool:
    """Whether a removal moved the page: its address held the text.  Older ones did not say which they moved."""
    return bool(retired_day(path, redactions.retired)) or any("retired" not in line for line in redactions.lines)


def _lost(kind: str, count: int, first: str) -> BuildError:
    what = f"{count:,} published {kind} addresses" if count > 1 else f"a published {kind} address"
    return BuildError("address-lost", f"{what} would be lost, first {first}", at=first, hint=_HINT)


def _is_of_note(line: bytes) -> bool:
    return line.rpartition(b" ")[2].rstrip(b"\n") in _NOTE_KINDS


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with file.open("rb") as stream:
            yield from stream
    except OSError as fault:
        raise BuildError("file-unreadable", f"cannot read: {fault.strerror}", at=str(file)) from None

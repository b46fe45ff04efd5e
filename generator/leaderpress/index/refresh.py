"""Bringing the index up to date: folders that it does not hold are added, everything else is recomputed.

Folders of records are written once, so an index that holds a prefix of them is continued; anything else — another
program version, a folder gone or changed, a byte of the index that is not as it was written — starts it anew.  The
new file replaces the old one in one step; `index.sqlite.sha256` beside it holds its digest.
"""

import gc
import hashlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..digests import FileDigests
from ..errors import BuildError
from ..manifests.notes import Note
from ..manifests.source import SourceTable
from ..places import CACHE
from ..store import PLACE, Folder, folders, verify
from . import shortforms
from .fill import Filler
from .schema import INDEXES, KEYS, PASSING, TABLES
from .standings import Ranker
from .touched import Touched, remember, watch, watched
from .verdicts import all_verdicts, changed_groups, new_verdicts

_WRITING = """
pragma page_size = 16384;
pragma cache_size = -32768;
pragma journal_mode = off;
pragma synchronous = off;
pragma locking_mode = exclusive;
"""
"""Large pages, because a run's row is longer than a small page takes without another one; 32 MiB of them at hand, and
as much to sort in."""
_COUNT_RUNS = (
    "update subject set (runs, has_page) = (select count(*), count(*) > 1 or subject.has_facts"
    " or subject.artifacts != '[]' from run where run.subject = subject.digest)"
)
"""An implementation gets a page once it has two runs or facts of its own: source, licence, repository."""
_MEASURE = """
pragma analysis_limit = 1000;
analyze;
"""


def refresh(
    site: Path,
    sources: Mapping[str, SourceTable],
    notes: Sequence[Note],
    cache: Path | None = None,
    checked: Collection[Folder] = (),
    digests: FileDigests | None = None,
) -> Path:
    """Make `build/cache/index.sqlite` say what `content/records` says; gives its path.

    `checked` are folders that the caller has verified and kept others from changing since; `digests` are those of files
    that were looked at before.  Raises `ContentError` for a record that is not what it was when it was written,
    `BuildError` when the index cannot be written.
    """
    digests = digests or FileDigests()
    held = folders(site)
    for folder in held:
        if folder not in checked:
            verify(folder, digests)
    path = (cache or site / CACHE) / "index.sqlite"
    wanted = _state(held, sources, notes, digests)
    try:
        if (recorded := _recorded(path, digests)) != wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(site, path, held, sources, notes, recorded, wanted, digests)
    except (OSError, sqlite3.Error) as fault:
        hint = "free some space, or make the folder writable; it holds nothing that cannot be made again"
        raise BuildError("index-write", f"cannot write the index: {fault}", at=str(path), hint=hint) from None
    return path


def _replace(
    site: Path,
    path: Path,
    held: Sequence[Folder],
    sources: Mapping[str, SourceTable],
    notes: Sequence[Note],
    recorded: Mapping[str, str],
    state: dict[str, str],
    digests: FileDigests,
) -> None:
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fresh.unlink(missing_ok=True)
    try:
        with _uncollected():
            done, judged = _continue_from(path, fresh, recorded, state)
            before = sealed(path) if done else ""
            changed = _write(site, fresh, held, sources, notes, state, done=done, judged=judged)
        seal = FileDigests().of(fresh)
        with digests.renaming(path):
            os.replace(fresh, path)
        digests.note(path, seal)
        remember(path, before, seal, changed)
        # Between these two lines the old digest stands beside the new index, which is then taken for damaged.
        _seal_of(path).write_text(seal, encoding="ascii")
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the cycle collector from walking, over and over, through parsed records, which hold no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _write(
    site: Path,
    fresh: Path,
    held: Sequence[Folder],
    sources: Mapping[str, SourceTable],
    notes: Sequence[Note],
    state: dict[str, str],
    *,
    done: int,
    judged: bool,
) -> Touched | None:
    """Write what is missing behind the `done` folders that `fresh` holds; `judged` as in `_continue`.

    Gives the rows that it touched, if it continued an index, and they are not too many.
    """
    database = sqlite3.connect(fresh)
    try:
        database.executescript(_WRITING + PASSING)
        if done:
            watch(database)
            shortforms.keep_count(database)
            _continue(database, site, held[done:], sources, notes, judged=judged)
        else:
            _make(database, site, held, sources, notes)
        database.executemany("insert or replace into meta values (?, ?)", state.items())
        database.commit()
        database.executescript(_MEASURE)
        return watched(database) if done else None
    finally:
        database.close()


def _make(
    database: sqlite3.Connection,
    site: Path,
    held: Sequence[Folder],
    sources: Mapping[str, SourceTable],
    notes: Sequence[Note],
) -> None:
    database.executescript(TABLES)
    filler = Filler(database, site / PLACE, continued=False)
    for folder in held:
        filler.add(folder)
    filler.identify()
    database.executescript(KEYS)
    Ranker(database, sources, all_verdicts(database, notes)).place_runs()
    database.executescript(INDEXES)
    filler.finish()
    database.execute(_COUNT_RUNS)
    shortforms.count_all(database)


def _continue(
    database: sqlite3.Connection,
    site: Path,
    added: Sequence[Folder],
    sources: Mapping[str, SourceTable],
    notes: Sequence[Note],
    *,
    judged: bool,
) -> None:
    """Add folders; `judged` says that sources and notes are those from which the standings in the index follow."""
    filler = Filler(database, site / PLACE, continued=True)
    for folder in added:
        filler.add(folder)
    filler.finish()
    database.execute(f"{_COUNT_RUNS} where digest in (select digest from recount)")
    if judged:
        verdicts = new_verdicts(database, notes)
        groups = filler.describer.groups | changed_groups(database, verdicts)
    else:
        verdicts = all_verdicts(database, notes)
        groups = {row[0] for row in database.execute("select distinct grp from run")}
    Ranker(database, sources, verdicts).rank(groups)


def _state(
    held: Sequence[Folder], sources: Mapping[str, SourceTable], notes: Sequence[Note], digests: FileDigests
) -> dict[str, str]:
    return {
        # A removal changes folders that the index may hold already, so that it starts anew.
        "code": _code_digest(digests) + (held[-1].redactions.seal if held else ""),
        "folders": "\n".join(f"{folder.name} {folder.snapshot_digest}" for folder in held),
        "sources": _digest(repr(sorted(sources.items()))),
        "notes": _digest(repr(list(notes))),
    }


def sealed(path: Path) -> str:
    """The digest (hex) of an index that `refresh` has just given; empty if it is gone."""
    try:
        return _seal_of(path).read_text(encoding="ascii")
    except OSError:
        return ""


def _seal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _is_sound(path: Path, digests: FileDigests) -> bool:
    """Whether every byte is as it was written: a flipped bit inside SQLite's pages is read back without a word."""
    try:
        return _seal_of(path).read_bytes() == digests.of(path).encode()
    except OSError:
        return False


def _recorded(path: Path, digests: FileDigests) -> dict[str, str]:
    """What an index on disk was made from; empty if it cannot be read or trusted."""
    if not _is_sound(path, digests):
        return {}
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return dict(database.execute("select name, value from meta"))
        finally:
            database.close()
    except sqlite3.Error:
        return {}


def _continue_from(old: Path, fresh: Path, recorded: Mapping[str, str], state: dict[str, str]) -> tuple[int, bool]:
    """Copy the old index if it holds a prefix of the folders.

    Gives the number of folders it holds, and whether its standings follow from the same sources and notes.
    """
    if recorded.get("code") != state["code"] or "folders" not in recorded:
        return 0, False
    had = recorded["folders"].splitlines()
    if not had or had != state["folders"].splitlines()[: len(had)]:
        return 0, False
    shutil.copyfile(old, fresh)
    return len(had), all(recorded.get(name) == state[name] for name in ("sources", "notes"))


def _code_digest(digests: FileDigests) -> str:
    """Digest of the program parts that decide what the index says, and of what they run on."""
    package = Path(__file__).parent.parent
    files = [package / "canonical.py", package / "format.py"]
    for part in ("index", "manifests", "ranking", "store"):
        files += sorted((package / part).glob("*.py"))
    texts = hashlib.sha256(f"{sys.version_info[:3]} {sqlite3.sqlite_version}".encode())
    for path in files:
        texts.update(digests.of(path).encode())
    return texts.hexdigest()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

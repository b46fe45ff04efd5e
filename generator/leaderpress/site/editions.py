"""Editions of a site: making one from the rankings as they stand, and finding out whether one still fits."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from .. import editions, store
from ..editions import Edition, EditionFile, Head, Standing
from ..errors import ContentError, LeaderpressError, UsageError
from ..index import Index, refresh
from ..log import Checkpoint, Tally
from ..store.redactions import NONE, Redactions
from .content import load_content
from .publication import Publication

_RESTORE = "restore it from version control; editions are written once"


@dataclass(frozen=True, slots=True)
class FreezeReport:
    """What `freeze` wrote."""

    tag: str
    file: str
    """Relative to the site."""
    digest: str
    published_at: str
    groups: int
    runs: int
    checkpoint: Checkpoint


def freeze(
    site: Path, tag: str, *, note: str = "", published_at: date | None = None, today: Callable[[], date]
) -> FreezeReport:
    """Write the edition `tag` of the site's rankings; `published_at` (a UTC date) defaults to `today()`.

    Raises `UsageError` for a bad tag or a date before that of the records, `ContentError` for a tag that is taken or
    a site in which nothing ranks, and what `load_content` and `refresh` raise.
    """
    if fault := editions.tag_fault(tag):
        raise UsageError("edition-tag", f"{tag!r} cannot be the tag of an edition: {fault}", hint="such as 2026-q3")
    with store.exclusive(site):
        content = load_content(site)
        database = refresh(site, content.sources, content.notes)
        day = (published_at or today()).isoformat()
        records = site / store.PLACE
        with Index(database, records) as index:
            edition = _edition(index, Publication(index, content.notes, records), tag, note, day)
        data = editions.edition_bytes(edition)
        editions.publish(site, tag, data)
    (file,) = (file for file in editions.edition_files(site) if file.tag == tag)
    head = file.head
    return FreezeReport(tag, file.at, file.digest, day, head.groups, head.runs, head.checkpoint)


def _edition(index: Index, publication: Publication, tag: str, note: str, day: str) -> Edition:
    newest = max((folder.published_on for folder in index.folders()), default="")
    if day < newest:
        hint = "an edition cannot be older than the records that it ranks"
        raise UsageError("edition-date", f"{day} lies before {newest}, when records were published", hint=hint)
    if publication.open:
        hint = "run `leaderpress seal` first, so that the edition follows from what the log has"
        raise ContentError("notes-open", "a note is not committed to the log yet", at=publication.open[0].at, hint=hint)
    rankings = dict(_rankings(index))
    if not rankings:
        raise ContentError("edition-empty", "no run ranks", at=store.PLACE, hint="ingest a dump first")
    runs = sum(len(standing.runs) for standing in rankings.values())
    checkpoint, last = _log_end(publication)
    return Edition(tag, Head(day, checkpoint, last, len(rankings), runs, note), rankings)


def _rankings(index: Index) -> Iterator[tuple[str, Standing]]:
    digests: dict[str, str] = dict(index.pairs("select key, ranking from grp where ranked > 0"))
    rows = index.pairs("select grp, rank, digest from run where place > 0 order by grp, place")
    for key, members in groupby(rows, key=itemgetter(0)):
        yield key, Standing(digests[key], tuple((row[1], row[2]) for row in members))


def _log_end(publication: Publication) -> tuple[Checkpoint, str]:
    """The checkpoint of the log, and its last line."""
    tally, end = Tally(), b""
    for chunk in publication.chunks(tally):
        end = chunk or end
    return tally.checkpoint(), end.rstrip(b"\n").rpartition(b"\n")[2].decode("ascii")


def _prefixes(publication: Publication, wanted: Collection[int]) -> dict[int, Checkpoint]:
    """The checkpoints of the log after so many lines each; a log that is shorter gives fewer."""
    tally = Tally()
    found = {0: tally.checkpoint()}
    for chunk in publication.chunks(Tally()):
        count = chunk.count(b"\n")
        if any(tally.lines < lines <= tally.lines + count for lines in wanted):
            for line in chunk.splitlines(keepends=True):
                tally.add(line)
                if tally.lines in wanted:
                    found[tally.lines] = tally.checkpoint()
        else:
            tally.add_many(chunk, count)
    return found


def edition_faults(
    index: Index,
    publication: Publication,
    held: Mapping[str, EditionFile],
    tags: Collection[str],
    published: Mapping[str, str],
    redactions: Redactions = NONE,
) -> Iterator[LeaderpressError]:
    """What is wrong with the editions `held`: those of `tags` are read whole, all are compared with the published ones.

    `published` is SHA-256 (hex) by path of the files of the published site; `redactions` say which digest the edition
    has since a text was removed from its note.
    """
    yield from _broken_promises(held, published, redactions)
    files = [held[tag] for tag in sorted(tags) if tag in held]
    yield from _other_logs(publication, files)
    for file in files:
        try:
            yield from _strangers(index, file)
        except LeaderpressError as fault:
            yield fault


def _broken_promises(
    held: Mapping[str, EditionFile], published: Mapping[str, str], redactions: Redactions
) -> Iterator[ContentError]:
    for path in published:
        if path.startswith("editions/") and path.endswith("/edition.json"):
            tag, digest = path.split("/")[1], published[path]
            if tag not in held:
                problem = f"the edition {tag} was published and is gone"
                yield ContentError("edition-lost", problem, at=editions.place(tag), hint=_RESTORE)
            elif held[tag].digest != redactions.edition(f"sha256:{digest}"):
                problem = f"the edition was published with the digest sha256:{digest}, and is {held[tag].digest} now"
                yield ContentError("edition-changed", problem, at=held[tag].at, hint=_RESTORE)


def _other_logs(publication: Publication, files: Sequence[EditionFile]) -> Iterator[ContentError]:
    """A fault for each edition that was made from another log than the one that these records give."""
    wanted = {file.head.checkpoint.lines for file in files}
    found = _prefixes(publication, wanted) if files else {}
    for file in files:
        stated = file.head.checkpoint
        if found.get(stated.lines) != stated:
            problem = f"the first {stated.lines} lines of the log are not those that the edition was made from"
            yield ContentError("edition-log", problem, at=f"{file.at}#/checkpoint", hint=_RESTORE)


def _strangers(index: Index, file: EditionFile) -> Iterator[ContentError]:
    """A fault for each group or run of an edition that the site does not hold."""
    edition = editions.read(file)
    known = {group.key for group in index.groups_of(list(edition.rankings))}
    for key, standing in edition.rankings.items():
        if key not in known:
            problem = f"there is no group {key}"
            yield ContentError("edition-group", problem, at=f"{file.at}#/rankings/{key}", hint=_RESTORE)
            continue
        members = {row[0] for row in index.pairs("select digest from run where grp = ?", key)}
        for place, (_, digest) in enumerate(standing.runs):
            if digest not in members:
                at = f"{file.at}#/rankings/{key}/runs/{place}"
                yield ContentError("edition-run", f"{digest} is no run of this group", at=at, hint=_RESTORE)

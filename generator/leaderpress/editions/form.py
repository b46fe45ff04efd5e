"""The form of an edition: canonical JSON with a seal over the rest and a digest over each ranking.  Pure.

In canonical order all that is short comes before the rankings, so that the head of a large edition can be read alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from ..canonical import canonical, sha256
from ..errors import ContentError, LeaderpressError
from ..log import Checkpoint, parse_line
from ..manifests.patterns import CALENDAR_DATE, DIGEST, PROSE, is_real_date
from ..ranking import POLICY
from ..ranking.rank import Rank, ranking_digest
from ..slugs import LONGEST, is_reserved

VERSION = 1
LONGEST_NOTE = 1000
"""Characters of an edition's note."""

_TAG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DIGEST = re.compile(DIGEST)
_PROSE = re.compile(PROSE)
_DATE = re.compile(CALENDAR_DATE)
_HEX = re.compile(r"[0-9a-f]{64}")
_HEAD = frozenset({"checkpoint", "counts", "policy", "published_at"})
_OPTIONAL = frozenset({"last", "note"})
_WHOLE = frozenset({*_HEAD, "rankings", "seal", "tag", "v"})
_RANKINGS = b',"rankings":{'
_RESTORE = "editions are written once; restore the file from version control"

Tree = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Head:
    """What an edition says of itself."""

    published_at: str
    """YYYY-MM-DD, as the publisher states it."""
    checkpoint: Checkpoint
    """The publications that the rankings follow from: all that the log held."""
    last: str
    """The last line of that log without its line feed; empty for an empty log."""
    groups: int
    """Comparison groups in which a run ranks; the others are left out."""
    runs: int
    """Runs that rank, in all groups together."""
    note: str = ""
    policy: str = POLICY


@dataclass(frozen=True, slots=True)
class Standing:
    """The ranking of one comparison group."""

    ranking: str
    """The digest by which the ranking is cited."""
    runs: tuple[tuple[int, str], ...]
    """(rank, digest of the run), best first, in display order."""


@dataclass(frozen=True, slots=True)
class Edition:
    """All rankings on one day."""

    tag: str
    head: Head
    rankings: Mapping[str, Standing]
    """By comparison key."""


def tag_fault(tag: str) -> str:
    """Why a text cannot be the tag of an edition, which is part of an address; empty if it can."""
    if not _TAG.fullmatch(tag) or len(tag) > LONGEST:
        return f"a tag has a-z, 0-9 and single hyphens, at most {LONGEST} characters"
    return "a tag is more than digits, and no name that a file system reserves" if is_reserved(tag) else ""


def edition_bytes(edition: Edition) -> bytes:
    """The bytes of the edition's file: canonical JSON and a line feed.

    Raises `ContentError` for what `parse_edition` would not take back: a bad tag, a note that is too long.
    """
    data = _sealed(_tree(edition))
    parse_edition(data, edition.tag, f"edition {edition.tag}")
    return data


def parse_head(data: bytes, at: str) -> Head:
    """Read the head of an edition's bytes, whatever follows; raises `ContentError` for anything else."""
    try:
        tree = orjson.loads(data.partition(_RANKINGS)[0] + b"}")
    except orjson.JSONDecodeError:
        tree = None
    if type(tree) is not dict or tree.keys() - _OPTIONAL != _HEAD:
        raise _fault("edition-changed", "not the bytes of an edition", at)
    _refuse_unusual(tree, at)
    stated, counts = tree["checkpoint"], tree["counts"]
    checkpoint = Checkpoint(stated["lines"], stated["sha256"])
    note = tree.get("note", "")
    return Head(tree["published_at"], checkpoint, tree.get("last", ""), counts["groups"], counts["runs"], note)


def parse_edition(data: bytes, tag: str, at: str) -> Edition:
    """Read the bytes of an edition; `at` names the file.

    Raises `ContentError` for bytes that `edition_bytes` did not write, with the JSON pointer where one part is wrong.
    """
    head = parse_head(data, at)
    tree = _load(data, at)
    if (tree["v"], tree["tag"]) != (VERSION, tag):
        said = f"version {tree['v']!r}, tag {tree['tag']!r}"
        raise _fault("edition-tag", f"the edition says {said}, not version {VERSION}, tag {tag!r}", f"{at}#/tag")
    rankings = {key: _standing(key, stated, at) for key, stated in tree["rankings"].items()}
    if (len(rankings), sum(len(standing.runs) for standing in rankings.values())) != (head.groups, head.runs):
        raise _fault("edition-counts", "the counts are not those of the rankings", f"{at}#/counts")
    return Edition(tag, head, rankings)


def _tree(edition: Edition) -> Tree:
    head = edition.head
    stated = {
        "v": VERSION,
        "tag": edition.tag,
        "published_at": head.published_at,
        "note": head.note,
        "policy": head.policy,
        "checkpoint": {"lines": head.checkpoint.lines, "sha256": head.checkpoint.sha256},
        "last": head.last,
        "counts": {"groups": head.groups, "runs": head.runs},
        "rankings": {
            key: {"ranking": standing.ranking, "runs": [list(row) for row in standing.runs]}
            for key, standing in edition.rankings.items()
        },
    }
    return {name: value for name, value in stated.items() if value != ""}


def _sealed(tree: Tree) -> bytes:
    return canonical({**tree, "seal": sha256(canonical(tree))}) + b"\n"


def _load(data: bytes, at: str) -> Tree:
    """The members but for the seal, which must fit: then every byte is as it was written."""
    try:
        tree: Any = orjson.loads(data)
        if type(tree) is dict and tree.keys() - _OPTIONAL == _WHOLE and type(tree["rankings"]) is dict:
            tree.pop("seal")
            if _sealed(tree) == data:
                return dict(tree)
    except (orjson.JSONDecodeError, LeaderpressError):
        pass
    raise _fault("edition-changed", "not the bytes that were written: the seal does not fit", at)


def _refuse_unusual(tree: Tree, at: str) -> None:
    """A sealed file can still be one that somebody else sealed: every member must have its form."""
    counts = tree["counts"]
    checks = (
        ("checkpoint", _is_checkpoint(tree["checkpoint"]), "a checkpoint has lines and their sha256"),
        ("counts", _are_counts(counts), "the counts are those of groups and runs, and one at least"),
        ("note", _is_note(tree.get("note", "-")), f"a note is text of at most {LONGEST_NOTE} characters"),
        ("policy", tree["policy"] == POLICY, f"this program ranks with {POLICY}"),
        ("published_at", _is_day(tree["published_at"]), "not a day of the form 2026-08-16"),
    )
    for member, holds, problem in checks:
        if not holds:
            raise _fault("edition-form", problem, f"{at}#/{member}")
    lines, last = tree["checkpoint"]["lines"], tree.get("last", "")
    if type(last) is not str or bool(lines) is not bool(last):
        raise _fault("edition-form", "the last line of the log belongs to its checkpoint", f"{at}#/last")
    if lines:
        parse_line(last.encode("ascii", "replace") + b"\n", lines, f"{at}#/last")


def _standing(key: str, stated: Any, at: str) -> Standing:
    where = f"{at}#/rankings/{key}"
    rows = stated.get("runs") if type(stated) is dict and stated.keys() == {"ranking", "runs"} else None
    if not _DIGEST.fullmatch(key) or type(rows) is not list or not rows or not all(map(_is_row, rows)):
        raise _fault("edition-form", "a group has a ranking and runs, each with rank and digest", where)
    runs = tuple((row[0], row[1]) for row in rows)
    if ranking_digest(key, [Rank(digest, place, 0, 0) for place, digest in runs]) != stated["ranking"]:
        raise _fault("edition-ranking", "the digest of the ranking is not that of its runs", f"{where}/ranking")
    return Standing(stated["ranking"], runs)


def _is_row(row: object) -> bool:
    if not (isinstance(row, list) and len(row) == 2):
        return False
    return _is_count(row[0]) and type(row[1]) is str and bool(_DIGEST.fullmatch(row[1]))


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"groups", "runs"} and all(map(_is_count, value.values()))


def _is_day(value: object) -> bool:
    return isinstance(value, str) and bool(_DATE.fullmatch(value)) and is_real_date(value)


def _is_note(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NOTE and bool(_PROSE.fullmatch(value))


def _is_checkpoint(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"lines", "sha256"}:
        return False
    lines, digest = value["lines"], value["sha256"]
    return type(lines) is int and lines >= 0 and type(digest) is str and bool(_HEX.fullmatch(digest))


def _fault(code: str, problem: str, at: str) -> ContentError:
    return ContentError(code, problem, at=at, hint=_RESTORE)

"""Editions: their form, their seal, the digest of each ranking, and the log that they were made from."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .. import editions
from ..editions import Edition
from ..editions.form import parse_edition
from ..errors import LeaderpressError, Problems
from ..log import Checkpoint, Tally
from .findings import Findings

PATH = re.compile(r"editions/([^/]+)/edition\.json")
_HINT = "an edition is written once; restore it, or compare with another copy of the log"


def is_edition(value: Mapping[str, Any]) -> bool:
    """Whether a parsed JSON object means to be an edition."""
    return value.keys() >= {"checkpoint", "rankings", "seal", "tag"}


def read_edition(data: bytes, value: Mapping[str, Any], path: Path) -> Edition:
    """The edition in a single file; where the name of the file says a tag, it must be that one.

    Raises `ContentError` for bytes that are not those of an edition.
    """
    at = path.resolve()
    tag = str(value["tag"])
    if published := PATH.fullmatch("/".join(at.parts[-3:])):
        tag = published[1]
    elif at.parts[-3:-1] == ("content", "editions"):
        tag = at.stem
    return parse_edition(data, tag, str(path))


def verify_editions(site: Path, log: Iterable[bytes], findings: Findings) -> None:
    """Verify `content/editions` of a site; `log` is the one that follows from its records, line by line."""
    try:
        files = editions.edition_files(site)
    except Problems as several:
        for fault in several.problems:
            findings.add(fault)
        return
    wanted = [(file.at, file.head.checkpoint, file.head.last) for file in files]
    compare_with_log(wanted, log, findings)
    for file in files:
        findings.counts["editions"] += 1
        try:
            editions.read(file)
        except LeaderpressError as other:
            findings.add(other)


def compare_with_log(stated: Iterable[tuple[str, Checkpoint, str]], log: Iterable[bytes], findings: Findings) -> None:
    """Each edition (its file, its checkpoint, the last line that it saw) must be made from a beginning of `log`."""
    left: dict[int, list[tuple[str, Checkpoint, str]]] = {}
    for edition in stated:
        left.setdefault(edition[1].lines, []).append(edition)
    tally = Tally()
    for line in log if left else ():
        tally.add(line)
        for at, checkpoint, last in left.pop(tally.lines, ()):
            if tally.checkpoint() != checkpoint or line != last.encode() + b"\n":
                problem = f"the first {checkpoint.lines} lines of the log are not those that it was made from"
                findings.wrong("edition-log", problem, f"{at}#/checkpoint", _HINT)
    for lines, editions_of in sorted(left.items()):
        for at, _, _ in editions_of if lines else ():
            problem = f"it was made from {lines} lines of the log, and there are {tally.lines}"
            findings.wrong("edition-log", problem, f"{at}#/checkpoint", _HINT)

"""Withdrawals that are proposed, not made: notes as files to be reviewed, outside `content/`."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import ContentError

PLACE = "build/proposals"
"""Where they are written, relative to the site."""

_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """A note that withdraws a run, if somebody agrees."""

    file: str
    """Its name, below `PLACE` and the name of the folder of records."""
    target: str
    """Digest of the run."""
    text: str


def proposal(target: str, key: str, reason: str, who: str, day: str) -> Proposal:
    """The withdrawal of a run that its source no longer counts for `reason`, or no longer lists if that is empty."""
    name = key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…"
    does_not = f"does not count {name} any more ({reason})" if reason else f"does not list {name} any more"
    since = "" if reason else ", in a list that is complete"
    lines = [
        "+++",
        'kind = "withdrawal"',
        f'target = "{target}"',
        f"who = {_text(who)}",
        f"when = {day}",
        f"why = {_text(f'The source {does_not}: so its dump that was published here on {day}{since}.')}",
        "+++",
    ]
    return Proposal(f"withdrawal-{target[7:19]}.md", target, "\n".join(lines) + "\n")


def write(site: Path, folder: str, proposals: Iterable[Proposal]) -> str:
    """Write proposals for review; gives their folder, relative to the site.  Raises `ContentError`."""
    place = f"{PLACE}/{folder}"
    try:
        os.makedirs(site / place, exist_ok=True)
        for found in proposals:
            (site / place / found.file).write_text(found.text, encoding="utf-8")
    except OSError as fault:
        raise ContentError("proposal-write", f"cannot write: {fault.strerror or fault}", at=place) from None
    return place


def _text(text: str) -> str:
    """A TOML string of one line; keys come from dumps."""
    line = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return json.dumps(line, ensure_ascii=False)

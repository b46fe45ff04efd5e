"""Whether two programs made the same site: the same files, the same data, the same words on a sample of pages."""

import html
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_UNSEEN = re.compile(r"<(script|style|title)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
_BODY = re.compile(r"<main\b.*</main>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One peer beside the product."""

    files: int
    """Number that the peer wrote."""
    missing: int
    """Pages and twins of ours that the peer did not write."""
    size: int
    """Bytes of all its files."""
    sampled: int
    same_bytes: int
    """Pages of the sample that are equal byte by byte."""
    same_data: int
    """Twins of the sample that hold the same values."""
    words: float
    """Share of our visible words that its pages show as well, 0 to 1, over the whole sample."""


def compare(ours: Path, theirs: Path, sample: int) -> Comparison:
    """Hold a peer's output against the product's run and group pages."""
    mine = {path: size for path, size in files(ours) if path.startswith(("runs/", "groups/")) and "index." in path}
    found = dict(files(theirs))
    pages = sorted(path for path in mine if path.endswith(".html") and path in found)
    chosen = pages[:: max(1, len(pages) // sample)]
    shown = common = equal = data = 0
    for path in chosen:
        left, right = ((root / path).read_bytes() for root in (ours, theirs))
        equal += left == right
        words, others = _words(left), _words(right)
        shown += words.total()
        common += (words & others).total()
        twin = path.replace(".html", ".json")
        data += json.loads((ours / twin).read_bytes()) == json.loads((theirs / twin).read_bytes())
    missing = len(mine.keys() - found.keys())
    words_share = common / shown if shown else 1.0
    return Comparison(len(found), missing, sum(found.values()), len(chosen), equal, data, words_share)


def files(root: Path) -> Iterator[tuple[str, int]]:
    """Path and size of every file below a folder."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(root / prefix) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{prefix}{entry.name}/")
                else:
                    yield prefix + entry.name, entry.stat(follow_symlinks=False).st_size


def _words(page: bytes) -> Counter[str]:
    body = _BODY.search(page.decode())
    return Counter(html.unescape(_UNSEEN.sub(" ", body[0] if body else "")).split())

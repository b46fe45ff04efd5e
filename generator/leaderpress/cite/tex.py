"""BibTeX and BibLaTeX.

Both are UTF-8.  8-bit BibTeX passes its bytes through, biber and pybtex read it, and it has been LaTeX's default
since 2018; a 7-bit file could spell accents, but no CJK and no emoji, so that names would be lost.
"""

import re
from functools import lru_cache

from .base import Source

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
}
# The second half are pairs that TeX fonts join into another character (two hyphens become a dash).  The straight
# double quote stays: \textquotedbl does not exist in LaTeX's default font encoding and would stop the document.
_SPECIAL = re.compile(r"[\\{}^~<>|#$%&_]|-(?=-)|'(?=')|`(?=`)|,(?=,)|[?!](?=`)")


def entries(source: Source) -> tuple[str, str]:
    """The BibTeX and the BibLaTeX entry."""
    head = _head(source)
    return _bibtex(source, head), _biblatex(source, head)


def _head(source: Source) -> str:
    """Teams, titles and publishers stand in double braces: styles change the case of titles and split names."""
    names = " and ".join([f"{{{_escape(name)}}}" for name in source.authors])
    author = f"  author = {{{names}}},\n" if names else ""
    publisher = f"  publisher = {{{{{_escape(source.publisher)}}}}},\n" if source.publisher else ""
    return f"{{{source.key},\n{author}  title = {{{{{_escape(source.title)}}}}},\n{publisher}"


def _bibtex(source: Source, head: str) -> str:
    """`@misc`, since Zotero discards `@dataset`; the digest stands in `note`: plain styles take `eprint` for arXiv."""
    address = f"  howpublished = {{\\url{{{source.url}}}}},\n" if source.url else ""
    place = "" if source.url else f", {_escape(source.path)}"
    note = f"{_escape(source.genre)}, version {_escape(source.version)}, {source.digest}{place}"
    return (
        f"@misc{head}"
        f"  year = {{{source.day.year:04}}},\n"
        f"  month = {_MONTHS[source.day.month - 1]},\n"
        f"{address}"
        f"  note = {{{'. '.join((note, *source.notices))}}}\n"
        "}\n"
    )


def _biblatex(source: Source, head: str) -> str:
    """`@dataset`, as biblatex defines it: it prints type, version and `sha256: …`."""
    notes = source.notices if source.url else (_escape(source.path), *source.notices)
    address = f"  url = {{{source.url}}},\n" if source.url else ""
    note = f"  note = {{{'. '.join(notes)}}},\n" if notes else ""
    return (
        f"@dataset{head}"
        f"  date = {{{source.issued}}},\n"
        f"  version = {{{_escape(source.version)}}},\n"
        f"  type = {{{_escape(source.genre)}}},\n"
        f"{address}{note}"
        f"  eprint = {{{source.digest.removeprefix('sha256:')}}},\n"
        "  eprinttype = {sha256}\n"
        "}\n"
    )


@lru_cache(maxsize=1024)
def _escape(text: str) -> str:
    text = _SPECIAL.sub(_escaped, text)
    # BibTeX takes a brace with a command right behind it for one accented letter and changes the case inside.
    return "{}" + text if text[:1] == "\\" else text


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return _ESCAPES.get(character) or character + "{}"

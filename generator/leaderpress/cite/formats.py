"""One citable in every format: APA text, BibTeX, BibLaTeX, RIS, CSL-JSON."""

from typing import Any

import orjson

from ..values import dataclass
from .base import Citable, Source, prepare
from .tex import entries


@dataclass(frozen=True, slots=True)
class Citation:
    """One citable in every format; each text ends as a file of its format does."""

    key: str
    apa: str
    """One line without a line end."""
    bibtex: str
    biblatex: str
    ris: str
    """CRLF line ends."""
    csl: str
    """CSL-JSON: an array of one item."""


def cite(citable: Citable) -> Citation:
    """All formats at once.  Raises `ManifestError` when `issued` is not a date."""
    source = prepare(citable)
    bibtex, biblatex = entries(source)
    return Citation(
        key=source.key,
        apa=_apa(source),
        bibtex=bibtex,
        biblatex=biblatex,
        ris=_ris(source),
        csl=_csl(source),
    )


def _apa(source: Source) -> str:
    """The form of a data set in APA's 7th edition (10.9); without an author the title comes first."""
    said = f"{source.title} (Version {source.version}) [{'. '.join((source.genre, *source.notices))}]"
    where = source.url or f"{source.digest}, {source.path}"
    # A publisher that is also the author is not said twice.
    who = "" if source.authors == [source.publisher] else f"{_sentence(source.publisher)} "
    if not source.authors:
        return f"{said}. ({source.day.year}). {who}{where}"
    return f"{_sentence(_apa_authors(source.authors))} ({source.day.year}). {said}. {who}{where}"


def _apa_authors(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) > 20:
        return f"{', '.join(names[:19])}, . . . {names[-1]}"
    return f"{', '.join(names[:-1])}, & {names[-1]}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _ris(source: Source) -> str:
    """A team's name ends with a comma, or it would be split into a first and a last name."""
    lines = [("TI", source.title), *(("AU", name + ",") for name in source.authors)]
    lines += [
        ("PY", f"{source.day.year:04}"),
        ("DA", source.issued.replace("-", "/") + "/"),
        ("PB", source.publisher),
        ("ET", source.version),
        ("UR", source.url),
        ("LA", source.language),
        ("AB", source.abstract),
        ("N1", f"Digest: {source.digest}"),
        ("N1", "" if source.url else f"Path: {source.path}"),
        *(("N1", notice) for notice in source.notices),
    ]
    body = "\r\n".join([f"{tag}  - {value}" for tag, value in lines if value])
    return f"TY  - DATA\r\n{body}\r\nER  - \r\n"


def _csl(source: Source) -> str:
    custom = {"digest": source.digest, "path": source.path}
    if source.licence:
        custom["licence"] = source.licence
    item: dict[str, Any] = {
        "id": source.key,
        "type": "dataset",
        "title": source.title,
        "issued": {"date-parts": [[source.day.year, source.day.month, source.day.day]]},
        "publisher": source.publisher,
        "version": source.version,
        "genre": source.genre,
        "language": source.language,
    }
    if source.authors:
        item["author"] = [{"literal": name} for name in source.authors]
    if source.url:
        item["URL"] = source.url
    if source.abstract:
        item["abstract"] = source.abstract
    if source.notices:
        # Reference managers drop what they do not know, but keep a note.
        item["note"] = custom["notice"] = ". ".join(source.notices)
    item["custom"] = custom
    # One line a field: half the size of an indenting writer's text, and still readable on the page.
    lines = [f'  "{name}": {orjson.dumps(value).decode()}' for name, value in item.items()]
    return "[{\n" + ",\n".join(lines) + "\n}]\n"

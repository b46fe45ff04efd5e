"""The citation that a page carries for programs: `<meta>` elements, schema.org JSON-LD, COinS.

What reference managers make of each was observed with Zotero's translators: they read COinS first, then `<meta>`,
and never JSON-LD, which is for dataset search engines.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .base import Citable, Source, clean_url, one_line, prepare
from .encoding import percent

DESCRIPTION_LENGTH = (50, 5000)
"""Fewest and most characters of a schema.org Dataset's description that dataset search engines take."""
_NOT_IN_A_FIELD = ' "#&+;<=>[\\]^`{|}'


@dataclass(frozen=True, slots=True)
class Distribution:
    """A file in which a citable can be downloaded."""

    url: str
    media_type: str
    digest: str | None = None


def meta_tags(citable: Citable) -> tuple[tuple[str, str], ...]:
    """Names and contents of the `<meta>` elements from which reference managers save a page, in order.

    `z:itemType` outranks every other hint of the type in Zotero, and a trailing comma makes it keep a team's name
    whole.  There is no `citation_*`: it would turn the record into a journal article.
    """
    source = prepare(citable)
    tags = [("z:itemType", "dataset"), ("DC.title", source.title)]
    tags += [("DC.creator", name + ",") for name in source.authors]
    tags += [
        ("DC.type", "Dataset"),
        ("DC.publisher", source.publisher),
        ("DC.date", source.issued),
        ("DC.identifier", source.url or source.digest),
        ("DC.rights", source.rights),
        ("DC.language", source.language),
        ("DCTERMS.abstract", _with_notices(source, source.abstract)),
        ("prism.edition", source.version),
    ]
    return tuple((name, content) for name, content in tags if content)


def json_ld(
    citable: Citable,
    *,
    description: str,
    distributions: Iterable[Distribution] = (),
) -> dict[str, Any]:
    """The schema.org `Dataset` of a page, ready for a JSON writer.

    A description that is shorter than dataset search engines ask for goes on with publisher and digest; a longer one
    is cut.
    """
    source = prepare(citable)
    node = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "@id": source.url,
        "name": source.title,
        "description": _description(source, one_line(description)),
        "url": source.url,
        "identifier": source.digest,
        "genre": source.genre,
        "creator": [{"@type": "Organization", "name": name} for name in source.authors],
        "publisher": {"@type": "Organization", "name": source.publisher},
        "dateCreated": source.issued,
        "version": source.version,
        "license": source.licence,
        "inLanguage": source.language,
        "isAccessibleForFree": True,
        "creativeWorkStatus": ". ".join(source.notices),
        "distribution": [_download(file) for file in distributions],
    }
    return {name: value for name, value in node.items() if value}


def coins(citable: Citable) -> str:
    """The value of `title` in `<span class="Z3988" title="…">`, not yet escaped for HTML.

    The permalink stands in `rft.identifier`: Zotero drops the date of access when it stands in `rft_id`.
    """
    source = prepare(citable)
    fields = [("ctx_ver", "Z39.88-2004"), ("rft_val_fmt", "info:ofi/fmt:kev:mtx:dc"), ("rft.type", "dataset")]
    fields += [("rft.title", source.title)]
    fields += [("rft.aucorp", name) for name in source.authors]
    fields += [
        ("rft.publisher", source.publisher),
        ("rft.date", source.issued),
        ("rft.identifier", source.url or source.digest),
        ("rft.description", _with_notices(source, source.abstract)),
        ("rft.rights", source.rights),
        ("rft.language", source.language),
    ]
    # One line is one text without control characters (`one_line`), so that all are encoded at once and joined after.
    joined = "\x02".join(f"{name}\x01{value}" for name, value in fields if value)
    return percent(joined, _NOT_IN_A_FIELD).replace("\x01", "=").replace("\x02", "&")


def _with_notices(source: Source, text: str) -> str:
    return ". ".join([*source.notices, text]) if source.notices else text


def _description(source: Source, text: str) -> str:
    fewest, most = DESCRIPTION_LENGTH
    said = _with_notices(source, text)
    for more in (f"Published by {source.publisher}", f"Identified by {source.digest}"):
        if len(said) < fewest:
            said = f"{said.rstrip('. ')}. {more}." if said.strip(". ") else f"{more}."
    return said if len(said) <= most else f"{said[: most - 1].rstrip()}…"


def _download(file: Distribution) -> dict[str, str]:
    download = {"@type": "DataDownload", "contentUrl": clean_url(file.url), "encodingFormat": file.media_type}
    if file.digest:
        download["sha256"] = file.digest.removeprefix("sha256:")
    return download

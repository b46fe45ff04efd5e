"""What can be cited, and the one form of its texts that every format starts from.

A text is first made one line: control characters and runs of whitespace become one space, surrogates and
noncharacters are dropped, the rest is brought to NFC.  Everything else (emoji, CJK, markup characters) arrives in
the reader's reference manager as it was.
"""

import re
import unicodedata
from datetime import date
from functools import lru_cache
from urllib.parse import quote

from ..errors import ContentError, ManifestError
from ..values import dataclass

ILLUSTRATIVE = "Illustrative data, not a measurement"
WITHDRAWN = "Withdrawn"

_SITE_KEY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PLANE_ENDS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_NO_CHARACTER = re.compile(f"[\ud800-\udfff\ufdd0-\ufdef{_PLANE_ENDS}]")
_URL_FOREIGN = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_NOTICES = {
    (False, False): (),
    (False, True): (WITHDRAWN,),
    (True, False): (ILLUSTRATIVE,),
    (True, True): (ILLUSTRATIVE, WITHDRAWN),
}


@dataclass(frozen=True, slots=True)
class Citable:
    """What can be cited: one run, or the ranking of a comparison group in one state."""

    key: str
    """See `run_key`."""
    authors: tuple[str, ...]
    """Names of teams; a person's name is treated as one too, since no source tells them apart."""
    title: str
    """See `record_title`; without the value."""
    issued: str
    """ISO date (`2026-04-14`) of the observation."""
    publisher: str
    version: str
    """The date on which the site published it."""
    permalink: str | None
    """Absolute; None while the site has no permalink base: then digest and path are cited instead."""
    path: str
    """Relative to the root of the site: `runs/<64 hex>/`."""
    digest: str
    """`sha256:` and 64 hex digits."""
    genre: str
    """`Benchmark run record` or `Benchmark ranking`."""
    value_text: str | None
    """`530.1 µs mean latency`; None where there is no value to state."""
    licence_url: str | None
    language: str
    """BCP 47 tag of the title."""
    abstract: str
    illustrative: bool
    withdrawn: bool
    rights: str = ""
    """Name of the licence or the source's own terms, said where the licence has no address."""


def run_key(site_key: str, digest: str) -> str:
    """`<site key>-<first 12 hex digits>`: the citation key, lower-case because BibTeX folds case.

    Raises `ManifestError` for a digest of another form and `ContentError` for an unusable site key.
    """
    if not _SITE_KEY.fullmatch(site_key):
        raise ContentError("site-key", f"{site_key!r} cannot start a citation key", hint="use a-z, 0-9 and -")
    if not _DIGEST.fullmatch(digest):
        raise ManifestError("digest-form", f"{digest!r} is not sha256: and 64 hex digits")
    return f"{site_key}-{digest[7:19]}"


def record_title(implementation: str, revision: str | None, operation: str, hardware: str | None) -> str:
    """`<implementation> <revision>: <operation> on <hardware>`, without the parts that are not stated.

    The revision is left out where the implementation's name already says it.
    """
    subject = implementation
    if revision and f" {_words(revision)} " not in f" {_words(implementation)} ":
        subject = f"{implementation} {revision}".strip()
    what = f"{operation} on {hardware}" if hardware else operation
    return f"{subject}: {what}" if subject else what


@dataclass(frozen=True, slots=True)
class Source:
    """A citable with texts of one line and URLs of ASCII."""

    key: str
    authors: list[str]
    title: str
    """With the value."""
    day: date
    issued: str
    publisher: str
    version: str
    url: str
    """Empty without a permalink."""
    path: str
    digest: str
    genre: str
    licence: str
    rights: str
    """The licence's address, else the terms in words."""
    language: str
    abstract: str
    notices: tuple[str, ...]
    """What a reader must know before relying on it."""


@lru_cache(maxsize=32)
def prepare(citable: Citable) -> Source:
    """Bring a citable into the form that the writers take.  Raises `ManifestError` when `issued` is not a date."""
    title = one_line(citable.title) or citable.key
    if citable.value_text:
        title = f"{title}: {one_line(citable.value_text)}"
    return Source(
        key=citable.key,
        authors=[name for name in map(one_line, citable.authors) if name],
        title=title,
        day=day(citable.issued),
        issued=citable.issued,
        publisher=one_line(citable.publisher),
        version=one_line(citable.version),
        url=clean_url(citable.permalink),
        path=one_line(citable.path),
        digest=citable.digest,
        genre=one_line(citable.genre),
        licence=clean_url(citable.licence_url),
        rights=clean_url(citable.licence_url) or one_line(citable.rights),
        language=one_line(citable.language),
        abstract=one_line(citable.abstract),
        notices=_NOTICES[citable.illustrative, citable.withdrawn],
    )


def one_line(text: str) -> str:
    """A text without line breaks, control characters and runs of spaces; see the module's contract."""
    # Between a number and its unit; the one character of nearly every title that is not printable.
    plain = text.replace("\u00a0", " ")
    if plain.isprintable() and unicodedata.is_normalized("NFC", plain):
        return " ".join(plain.split()) if "  " in plain or plain[:1] == " " or plain[-1:] == " " else plain
    text = _CONTROL.sub(" ", _NO_CHARACTER.sub("", text))
    return " ".join(unicodedata.normalize("NFC", text).split())


@lru_cache(maxsize=256)
def clean_url(url: str | None) -> str:
    """A URL in the characters of RFC 3986 alone, so that no format needs to escape it; empty for None."""
    return _URL_FOREIGN.sub(lambda match: quote(match[0].encode("utf-8", "replace")), url) if url else ""


@lru_cache(maxsize=1024)
def day(text: str) -> date:
    """The date that `2026-04-14` names; raises `ManifestError` for any other form."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise ManifestError("citation-date", f"{text!r} is not a date of the form 2026-04-14")


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()

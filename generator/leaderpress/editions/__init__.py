"""Editions: all rankings of a site as they stand on one day, frozen under a tag and never touched again.

`content/editions/<tag>.json` holds digests and ranks, no names: whoever cites its SHA-256 can prove later which run
led when the citation was written, and a name that must be removed from the site never has to be removed from it, but
for its note.
"""

from .folder import PLACE, EditionFile, data_of, edition_files, place, publish, read
from .form import LONGEST_NOTE, Edition, Head, Standing, edition_bytes, parse_edition, parse_head, tag_fault

__all__ = [
    "LONGEST_NOTE",
    "PLACE",
    "Edition",
    "EditionFile",
    "Head",
    "Standing",
    "data_of",
    "edition_bytes",
    "edition_files",
    "parse_edition",
    "parse_head",
    "place",
    "publish",
    "read",
    "tag_fault",
]

"""The source tables of a site while a dump is ingested, with the ingesters' defaults behind them."""

import os
from collections.abc import Iterable
from pathlib import Path

from .. import ingesters
from ..errors import ContentError, UsageError
from ..ingesters.base import Ingester
from ..manifests.source import SourceTable, parse_source

PLACE = "content/sources"
"""Where the tables stand, relative to the site."""


class Tables:
    """Finds the table of a source in the site or, failing that, among the defaults that ingesters ship."""

    def __init__(self, site: Path) -> None:
        self._site = site
        self._found: dict[str, SourceTable | None] = {}
        self._defaults: dict[str, bytes] = {}

    def find(self, slug: str) -> SourceTable | None:
        """The table of a source; None if neither the site nor an ingester has one.

        Raises `ContentError` for a table that cannot be read or breaks its rules (a missing licence, for instance).
        """
        if slug not in self._found:
            self._found[slug] = self._read(slug)
        return self._found[slug]

    def require(self, slug: str) -> SourceTable:
        """The table of a source that the dump speaks of; raises `ContentError` if there is none."""
        table = self.find(slug)
        if table is None:
            hint = f"write {place(slug)} with name, url, licence and attribution, and `ingester` naming its format"
            raise ContentError("source-missing", f"no table for the source {slug!r}", at=place(slug), hint=hint)
        return table

    def ingester(self, slug: str) -> Ingester:
        """The ingester for `ingest <slug>`: the one that the source's table names, or the one of that name.

        An ingester is named directly when its dumps hold several sources; one that any source may use needs a table.
        """
        table = self.find(slug)
        if table is not None:
            return ingesters.load(table.ingester)
        try:
            ingester = ingesters.load(slug)
        except UsageError as fault:
            if fault.code == "ingester-unknown":
                self.require(slug)
            raise
        if not ingester.SOURCES:
            self.require(slug)
        return ingester

    def every(self, slugs: Iterable[str] = ()) -> dict[str, SourceTable]:
        """All tables of the site by slug, and those of `slugs` from the ingesters' defaults; raises as `find` does."""
        own = sorted(path.stem for path in (self._site / PLACE).glob("*.toml") if path.is_file())
        found = {slug: self.find(slug) for slug in dict.fromkeys((*own, *slugs))}
        return {slug: table for slug, table in found.items() if table is not None}

    def copies(self, slugs: set[str]) -> dict[str, bytes]:
        """Paths (relative to the site) and bytes of the defaults that the site lacks for these sources."""
        return {place(slug): self._defaults[slug] for slug in sorted(slugs & self._defaults.keys())}

    def copy(self, path: str, text: bytes) -> None:
        """Write a default into the site, whole or not at all; raises `ContentError` if that is impossible."""
        target = self._site / path
        aside = target.with_name(f".{target.name}.incoming")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with aside.open("wb") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            aside.replace(target)
        except OSError as fault:
            raise ContentError("source-write", f"cannot write: {fault.strerror or fault}", at=path) from None

    def _read(self, slug: str) -> SourceTable | None:
        at = place(slug)
        try:
            return parse_source((self._site / at).read_bytes(), slug, at)
        except FileNotFoundError:
            default = ingesters.default_source(slug)
        except OSError as fault:
            raise ContentError("source-unreadable", str(fault.strerror or fault), at=at) from None
        if default is None:
            return None
        self._defaults[slug] = default
        return parse_source(default, slug, at)


def place(slug: str) -> str:
    """The table's path, relative to the site."""
    return f"{PLACE}/{slug}.toml"

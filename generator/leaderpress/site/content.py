"""What a build reads beside records: settings, source tables, notes and written pages.  All faults are collected."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..config import SiteConfig, load_config
from ..editions import EditionFile, edition_files
from ..errors import ContentError, LeaderpressError, Problems
from ..manifests.notes import Note
from ..manifests.overrides import Override
from ..manifests.source import SourceTable, parse_source
from ..slugs import LONGEST, is_reserved
from ..store import read_notes
from ..theme.written import PageSource, read_page
from .overrides import read_overrides

Read = TypeVar("Read")

TAKEN = frozenset(
    [
        "assets",
        "changes",
        "compare",
        "data",
        "editions",
        "groups",
        "hardware",
        "implementations",
        "log",
        "lookup",
        "operations",
        "projects",
        "records",
        "runs",
        "schema",
        "search",
        "sha256",
        "sources",
        "subjects",
        "tasks",
    ]
)
"""First parts of addresses that no written page may have: those in use, and those promised to later page kinds."""

_PAGE_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_CHECKOUT = Path(__file__).resolve().parents[3]
_SHARE = Path(__file__).resolve().parents[1] / "_share"


@dataclass(frozen=True, slots=True)
class Content:
    """Everything below `content/` but the records."""

    config: SiteConfig
    sources: dict[str, SourceTable]
    notes: tuple[Note, ...]
    pages: dict[str, PageSource]
    """Written pages by slug; the site's own take the place of the defaults."""
    editions: dict[str, EditionFile] = field(default_factory=dict)
    """Frozen rankings by tag."""
    overrides: dict[str, Override] = field(default_factory=dict)
    """What the publisher says about pages, by their addresses."""


def load_content(site: Path) -> Content:
    """Read it all; raises `Problems` with every fault that was found."""
    faults: list[LeaderpressError] = []
    content = site / "content"
    config = _caught(faults, lambda: load_config(site))
    sources = dict(
        _each(
            faults,
            _files(content / "sources", ".toml"),
            lambda path, at: (path.stem, parse_source(_bytes(path, at), path.stem, at)),
            site,
        )
    )
    notes = _caught(faults, lambda: read_notes(site))
    pages = {
        slug: page
        for folder in (defaults_folder(), content / "pages")
        for slug, page in _each(
            faults,
            _files(folder, ".md"),
            lambda path, at: (_page_slug(path, at), read_page(_bytes(path, at), at)),
            site,
        )
    }
    editions = _caught(faults, lambda: {file.tag: file for file in edition_files(site)})
    overrides = _caught(faults, lambda: read_overrides(site))
    if faults or config is None or notes is None or editions is None or overrides is None:
        raise Problems(faults)
    return Content(config, sources, notes, pages, editions, overrides)


def defaults_folder() -> Path:
    """The pages shipped to every site: in a checkout beside `pyproject.toml`, else inside the installed package."""
    checkout = _CHECKOUT / "content" / "defaults" / "pages"
    if (_CHECKOUT / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    return _SHARE / "content" / "defaults" / "pages"


def _page_slug(path: Path, at: str) -> str:
    """The address of a written page; raises `ContentError` where it could not be one, or belongs to other pages."""
    slug = path.stem
    if not _PAGE_NAME.fullmatch(slug) or len(slug) > LONGEST or is_reserved(slug):
        hint = f"use a-z, 0-9 and single hyphens, at most {LONGEST}, such as our-policy.md"
        raise ContentError("page-name", f"{slug!r} cannot be the address of a page", at=at, hint=hint)
    if slug in TAKEN:
        problem = f"the address {slug}/ belongs to pages made from records"
        raise ContentError("page-name", problem, at=at, hint="give the page another name")
    return slug


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{suffix}") if path.is_file()) if folder.is_dir() else []


def _each(
    faults: list[LeaderpressError], paths: Iterable[Path], read: Callable[[Path, str], Read], site: Path
) -> Iterator[Read]:
    for path in paths:
        at = path.relative_to(site).as_posix() if path.is_relative_to(site) else f"defaults/{path.name}"
        value = _caught(faults, lambda path=path, at=at: read(path, at))  # type: ignore[misc]
        if value is not None:
            yield value


def _caught(faults: list[LeaderpressError], read: Callable[[], Read]) -> Read | None:
    try:
        return read()
    except Problems as several:
        faults += several.problems
    except LeaderpressError as fault:
        faults.append(fault)
    return None


def _bytes(path: Path, at: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ContentError("content-unreadable", str(fault.strerror or fault), at=at) from None

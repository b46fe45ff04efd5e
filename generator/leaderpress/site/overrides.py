"""The editorial layer: what the publisher says, read, compared with the records, and put on pages as the publisher's.

It is added to a finished view, so that nothing that is computed from records can depend on it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ..errors import ContentError, LeaderpressError, Problems
from ..index import Index
from ..manifests.licences import licence_address
from ..manifests.overrides import KINDS, Override, override_place, parse_override
from ..store import strays
from ..views.base import Edited, Item, Link

PLACE = "content/overrides"
"""Where they stand, relative to the site."""

Overrides = Mapping[str, Override]
"""By address: `projects/blue-heron`."""
View = TypeVar("View")


def read_overrides(site: Path) -> dict[str, Override]:
    """Every override of a site; raises `Problems` with every fault of every file."""
    found: dict[str, Override] = {}
    faults: list[LeaderpressError] = [*strays(site, PLACE, ".toml", deep=True)]
    for path in sorted((site / PLACE).rglob("*.toml")):
        at = path.relative_to(site).as_posix()
        try:
            override = _read(path, at)
            found[f"{override.kind}/{override.slug}"] = override
        except Problems as several:
            faults += several.problems
        except LeaderpressError as fault:
            faults.append(fault)
    if faults:
        raise Problems(faults)
    return found


def _read(path: Path, at: str) -> Override:
    kind = at.removeprefix(f"{PLACE}/").rpartition("/")[0]
    if kind not in KINDS:
        problem = f"{kind!r} is not a kind of page that can be edited" if kind else "an override stands in a folder"
        hint = f"folders: {', '.join(KINDS)}; what is said of a source stands in content/sources"
        raise ContentError("override-kind", problem, at=at, hint=hint)
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ContentError("content-unreadable", str(fault.strerror or fault), at=at) from None
    return parse_override(data, kind, path.stem, at)


_SLUGS = {
    "operations": "select slug from task",
    "projects": "select slug from project",
    "implementations": "select substr(digest, 8) from subject where has_page",
    "hardware": "select distinct slug from environment",
}


def check_overrides(index: Index, overrides: Overrides, site: Path) -> None:
    """Raise `Problems` for every override of a page that the site does not have."""
    if not overrides:
        return
    known = {kind: {row[0] for row in index.pairs(query)} for kind, query in _SLUGS.items()}
    faults = [fault for override in overrides.values() for fault in _faults(override, known[override.kind], site)]
    if faults:
        raise Problems(faults)


def _faults(override: Override, known: set[str], site: Path) -> Iterator[ContentError]:
    if override.slug not in known:
        problem = f"there is no page {override.kind}/{override.slug}/"
        yield ContentError("override-unknown", problem, at=override.at, hint=_meant(override.slug, known))
    for slug in override.same_as:
        if slug not in known:
            at = override_place((site / override.at).read_bytes(), override.at, "same_as")
            problem = f"there is no page {override.kind}/{slug}/"
            yield ContentError("override-unknown", problem, at=at, hint=_meant(slug, known))


def _meant(slug: str, known: set[str]) -> str:
    import difflib  # only a mistake needs it

    close = difflib.get_close_matches(slug, sorted(known), n=1)
    return f"did you mean {close[0]}?" if close else "the name of the file is the last part of the page's address"


# -- on pages ----------------------------------------------------------------------------------------------------------


class Edits:
    """What is added to views."""

    def __init__(self, overrides: Overrides, page: Callable[[str], str]) -> None:
        """`page` gives the path that a link may have, empty where the site has no such page."""
        self._edited = {address: _edited(address, overrides, page) for address in sorted(_addresses(overrides))}

    def add(self, path: str, view: View) -> View:
        """The view of the page at `path` with what the publisher says about it, if anything."""
        if not self._edited:
            return view
        edited = self._edited.get("/".join(path.split("/")[:2]))
        return view if edited is None else replace(view, edited=edited)  # type: ignore[type-var]

    @property
    def shown(self) -> Mapping[str, Edited]:
        """What each edited page shows, by its address."""
        return self._edited


def edited_units(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(kind, key) of the pages whose edits differ; an implementation's key is its digest."""
    for address in sorted({*before, *after}):
        if before.get(address) != after.get(address):
            kind, _, slug = address.partition("/")
            yield kind, f"sha256:{slug}" if kind == "implementations" else slug


def _addresses(overrides: Overrides) -> set[str]:
    named = {f"{override.kind}/{slug}" for override in overrides.values() for slug in override.same_as}
    return {*overrides, *named}


def _edited(address: str, overrides: Overrides, page: Callable[[str], str]) -> Edited:
    kind, _, slug = address.partition("/")
    own = overrides.get(address) or Override(kind, slug, "")
    naming = [other for other in overrides.values() if other.kind == kind and slug in other.same_as]
    same = sorted({*own.same_as, *(other.slug for other in naming)})
    return Edited(
        name=own.name,
        items=tuple(_items(own)),
        same_as=tuple(Link(_called(kind, other, overrides), page(f"{kind}/{other}/")) for other in same),
        files=tuple(sorted({*([own.at] if own.at else []), *(other.at for other in naming)})),
    )


def _called(kind: str, slug: str, overrides: Overrides) -> str:
    """What the publisher calls a project; without a word, its slug, which no later dump can change."""
    other = overrides.get(f"{kind}/{slug}")
    return other.name if other and other.name else slug


def _items(own: Override) -> Iterator[Item]:
    if own.homepage:
        yield Item("Homepage", own.homepage, path=own.homepage)
    if own.licence:
        yield Item("Licence", own.licence, path=licence_address(own.licence))
    if own.aliases:
        yield Item("Also called", ", ".join(own.aliases))

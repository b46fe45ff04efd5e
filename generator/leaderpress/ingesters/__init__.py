"""Ingesters: from the files that a leaderboard publishes to manifests, facts and rejections.

One module a source format; none is imported before it is asked for.  Packages outside this one add theirs through the
entry-point group `leaderpress.ingesters`, whose names are slugs and whose objects are modules of the same shape.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..errors import LeaderpressError, UsageError
from .base import Ingester

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["ENTRY_POINTS", "REGISTRY", "Ingester", "default_source", "load", "slugs"]

ENTRY_POINTS = "leaderpress.ingesters"

REGISTRY: dict[str, str] = {
    "kernelindex": "kernelindex",
    "sol-execbench": "sol_execbench",
}
"""Slug of the format → module of this package."""

_SLUG = re.compile("[a-z0-9][a-z0-9-]*")
_TABLES = Path(__file__).with_name("sources")
_SHAPE = {"FORMAT": str, "VERSION": int, "SUFFIXES": tuple, "SOURCES": tuple}


def slugs() -> tuple[str, ...]:
    """Every format that can be asked for, sorted."""
    return tuple(sorted({*REGISTRY, *_foreign()}))


def load(slug: str) -> Ingester:
    """The ingester of a format; ours come before those of other packages.

    Raises `UsageError` for a slug that no one provides, and for a foreign ingester that cannot be used.
    """
    if slug in REGISTRY:
        return cast(Ingester, import_module(f".{REGISTRY[slug]}", __name__))
    point = _foreign().get(slug)
    if point is None:
        hint = f"there are {', '.join(slugs())}"
        raise UsageError("ingester-unknown", f"no ingester is called {slug!r}", hint=hint)
    return _checked(_imported(point), point)


def default_source(slug: str) -> bytes | None:
    """The source table that ships with an ingester, as TOML, or None.

    A foreign ingester that is named like the source may give one by a function `default_source(slug)`.
    """
    if not _SLUG.fullmatch(slug):
        return None
    table = _TABLES / f"{slug}.toml"
    if table.is_file():
        return table.read_bytes()
    point = _foreign().get(slug)
    give = None if point is None or slug in REGISTRY else getattr(_imported(point), "default_source", None)
    given = give(slug) if callable(give) else None
    return given if isinstance(given, bytes) else None


def _foreign() -> dict[str, "EntryPoint"]:
    from importlib.metadata import entry_points  # dearer than all else here, and seldom needed

    return {point.name: point for point in sorted(entry_points(group=ENTRY_POINTS), reverse=True)}


def _imported(point: "EntryPoint") -> Any:
    try:
        return point.load()
    except LeaderpressError:
        raise
    except Exception as fault:  # noqa: BLE001 - whatever a foreign module raises while it is imported
        problem = f"the ingester {point.name!r} ({point.value}) cannot be imported: {fault}"
        raise UsageError("ingester-broken", problem, hint="update or remove the package that provides it") from None


def _checked(module: Any, point: "EntryPoint") -> Ingester:
    wrong = [name for name, kind in _SHAPE.items() if not isinstance(getattr(module, name, None), kind)]
    if not callable(getattr(module, "ingest", None)):
        wrong.append("ingest")
    if wrong:
        problem = f"the ingester {point.name!r} ({point.value}) lacks {', '.join(wrong)}"
        raise UsageError("ingester-shape", problem, hint="see leaderpress.ingesters.base.Ingester")
    return cast(Ingester, module)

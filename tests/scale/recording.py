"""The data of run and group pages: taken from the product at the point where it would render a page."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from parts import PAGES

from leaderpress import __version__
from leaderpress.index import Index, refresh
from leaderpress.site.build import _stated_sources
from leaderpress.site.content import load_content
from leaderpress.site.plan import plan, site_view
from leaderpress.site.render import Renderer
from leaderpress.theme.functions import base64, count, pretty, spelled, upper_first

_TYPES = {
    "bibtex": "application/x-bibtex",
    "biblatex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl": "application/vnd.citationstyles.csl+json",
}


class _Recorder:
    """Stands in for the theme, and keeps what it was asked to render."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def page(self, kind: str, **given: Any) -> bytes:
        """Keep everything but the view, which is what the twin says."""
        if kind not in PAGES:
            raise SystemExit(f"a page of kind {kind} is none that peers render")
        self.kept = {"kind": kind, **{name: value for name, value in given.items() if name != "page"}}
        return b""


def lines(site: Path) -> Iterator[bytes]:
    """One line of JSON for each page."""
    content = load_content(site)
    database = refresh(site, content.sources, content.notes)
    with Index(database, site / "content" / "records") as index:
        chrome = site_view(content, f"leaderpress {__version__}", _stated_sources(index))
        recorder = _Recorder()
        renderer = Renderer(index, content, chrome, recorder)  # type: ignore[arg-type]
        for job in plan(index, content):
            if job.kind == "group":
                yield from _lines(renderer.files(job), recorder)


def _lines(made: Iterable[tuple[str, bytes]], recorder: _Recorder) -> Iterator[bytes]:
    """A page and its twin come one after the other, in any order."""
    asked: dict[str, dict[str, Any]] = {}
    twins: dict[str, bytes] = {}
    for path, data in made:
        folder = path.rpartition("/")[0]
        if path.endswith(".html"):
            asked[folder] = recorder.kept
        elif path.endswith(".json"):
            twins[folder] = data
        if folder in asked and folder in twins:
            yield _line(asked.pop(folder), orjson.loads(twins.pop(folder)))


def _line(given: dict[str, Any], twin: dict[str, Any]) -> bytes:
    texts = [text if isinstance(text, str) else bytes(text).decode() for text in given["texts"]]
    citation = twin["citation"]
    more = {
        "twin": twin,
        "texts": texts,
        # Work that Hugo is spared: it has no function for these.
        "pretty": [pretty(text).unescape() for text in texts],
        "uris": [f"data:{kind};charset=utf-8;base64,{base64(citation[form])}" for form, kind in _TYPES.items()],
        "words": upper_first(spelled(len(texts))),
        "bytes": count(sum(document["bytes"] for document in twin.get("documents", ()))),
    }
    return orjson.dumps({**given, **more})

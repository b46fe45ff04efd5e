"""What a build depends on beside the records: the program, its libraries, the theme, settings, sources and notes."""

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path

from ..theme.chain import open_chain, theme_folders
from ..views.base import SiteView
from .content import Content
from .trace import Inputs, digest_of_inputs

_PACKAGE = Path(__file__).resolve().parents[1]
_ELSEWHERE = ("ingesters", "ingest", "checks", "cli.py", "reports.py", "scaffold.py", "slugs.py")
"""Parts of the program that no page depends on."""
_LIBRARIES = ("jinja2", "markupsafe", "markdown-it-py", "orjson", "pydantic", "rfc8785")
"""Libraries that touch published bytes."""


def inputs_of(site: Path, content: Content, chrome: SiteView) -> Inputs:
    """Digests of everything outside the records."""
    notes: dict[str, list[object]] = {}
    for note in content.notes:
        for digest in (note.target, note.successor):
            if digest:
                notes.setdefault(digest, []).append(note)
    parts = {
        "the program": _program(),
        "Python": sys.version_info[:3],
        "libraries": [version(name) for name in _LIBRARIES],
        "the theme": _theme(site, content.config.theme),
        "content/site.toml": content.config,
        "content/sources": sorted(content.sources.items()),
        "the frame of every page": chrome,
    }
    return Inputs(
        common={name: digest_of_inputs([part]) for name, part in parts.items()},
        notes={digest: digest_of_inputs(found) for digest, found in sorted(notes.items())},
        pages=digest_of_inputs(sorted(content.pages.items())),
    )


def _program() -> str:
    """Digest of all source files that could change a page."""
    texts = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.relative_to(_PACKAGE).parts[0] not in _ELSEWHERE:
            texts.update(path.read_bytes())
    return texts.hexdigest()


def _theme(site: Path, name: str) -> str:
    """Digest of every template and asset of the theme and its parents."""
    texts = hashlib.sha256()
    for layer in open_chain(name, theme_folders(site)):
        for folder in (layer.templates, layer.assets):
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    data = path.read_bytes()
                    texts.update(f"{layer.name}\0{path.relative_to(folder)}\0{len(data)}\0".encode())
                    texts.update(data)
    return texts.hexdigest()

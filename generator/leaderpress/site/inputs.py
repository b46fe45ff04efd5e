"""What a build depends on beside the records: the program, its libraries, the theme, settings, sources and notes."""

import hashlib
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from ..digests import FileDigests
from ..manifests.note_documents import note_digest
from ..store.redactions import PLACE as REDACTIONS
from ..store.redactions import read_redactions
from ..theme.chain import open_chain, theme_folders
from ..views.base import SiteView
from .addresses import Addresses
from .content import Content
from .overrides import Edits
from .trace import Inputs, digest_of_inputs, theme_key

_PACKAGE = Path(__file__).resolve().parents[1]
_ELSEWHERE = ("ingesters", "ingest", "checks", "cli.py", "redaction", "reports.py", "scaffold.py", "slugs.py")
"""Parts of the program that no page depends on."""
_LIBRARIES = ("jinja2", "markupsafe", "markdown-it-py", "orjson", "pydantic", "rfc8785")
"""Libraries that touch published bytes."""


def template_inputs(site: Path, theme: str, digests: FileDigests) -> dict[str, str]:
    """Digests of what compiled templates depend on, by what it is; part of what every page depends on."""
    parts = {
        "the program": _program(digests),
        "Python": sys.version_info[:3],
        "libraries": _versions(),
        "the theme": _theme(site, theme, digests),
    }
    return {name: digest_of_inputs([part]) for name, part in parts.items()}


def template_key(site: Path, theme: str, digests: FileDigests) -> str:
    """Digest of everything that compiled templates depend on; `Inputs.theme_key` of a whole site."""
    return theme_key(template_inputs(site, theme, digests))


def inputs_of(site: Path, content: Content, chrome: SiteView, digests: FileDigests) -> Inputs:
    """Digests of everything outside the records."""
    notes: dict[str, list[object]] = {}
    for note in content.notes:
        for digest in (note.target, note.successor):
            if digest:
                notes.setdefault(digest, []).append(note)
    parts = {
        "content/site.toml": content.config,
        "content/sources": sorted(content.sources.items()),
        "the frame of every page": chrome,
        # A removal is rare, and what it leaves must be nowhere: everything is made anew.
        REDACTIONS: read_redactions(site).seal,
    }
    return Inputs(
        common={
            **template_inputs(site, content.config.theme, digests),
            **{name: digest_of_inputs([part]) for name, part in parts.items()},
        },
        notes={digest: digest_of_inputs(found) for digest, found in sorted(notes.items())},
        pages=digest_of_inputs(sorted(content.pages.items())),
        editions={tag: file.digest for tag, file in content.editions.items()},
        overrides={
            address: digest_of_inputs([shown])
            for address, shown in Edits(content.overrides, Addresses(content.config.outputs).page).shown.items()
        },
        documents=tuple(sorted({note_digest(note) for note in content.notes})),
    )


def _versions() -> list[str]:
    """Names and versions of the libraries, read off the names of their folders, as far as they are found so."""
    names = {re.sub("[-_.]+", "-", name).lower() for name in _LIBRARIES}
    found: dict[str, str] = {}
    for place in sys.path:
        with suppress(OSError):
            for folder in os.listdir(place or "."):
                name = re.sub("[-_.]+", "-", folder.partition("-")[0]).lower()
                if name in names and folder.endswith(".dist-info"):
                    # As an import does, the first place on the path counts.
                    found.setdefault(name, folder)
    return [found.get(name) or _asked(name) for name in sorted(names)]


def _asked(library: str) -> str:
    from importlib.metadata import version  # takes longer than all else here, and is seldom needed

    return version(library)


def _program(digests: FileDigests) -> str:
    """Digest of all source files that could change a page."""
    texts = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        if path.relative_to(_PACKAGE).parts[0] not in _ELSEWHERE:
            texts.update(digests.of(path).encode())
    return texts.hexdigest()


def _theme(site: Path, name: str, digests: FileDigests) -> str:
    """Digest of every template and asset of the theme and its parents."""
    texts = hashlib.sha256()
    for layer in open_chain(name, theme_folders(site)):
        for folder in (layer.templates, layer.assets):
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    texts.update(f"{layer.name}\0{path.relative_to(folder)}\0{digests.of(path)}\0".encode())
    return texts.hexdigest()

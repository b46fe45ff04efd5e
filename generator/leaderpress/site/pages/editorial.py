"""What stands beside an identity: how a document is entitled, described and labelled, by whom, and taken from where.

Metadata may change while the digest stays, so every line says that it is outside the digest.
"""

from collections.abc import Collection, Mapping
from typing import Any

from ...views.base import Item
from .context import item

Metadata = Mapping[str, Any]

OUTSIDE = "outside the digest"
"""Said of what stands beside an identity and may change without it."""


def editorial(metadata: Metadata, without: Collection[str] = ()) -> list[Item]:
    """Every stated member of a document's metadata, save those of `without`, which the page says elsewhere."""
    lines = {
        "title": [item("Title", metadata.get("title"), extra=OUTSIDE)],
        "description": [item("Description", metadata.get("description"), extra=OUTSIDE)],
        "authors": [item("Authors", authors_text(metadata), extra=OUTSIDE)],
        "labels": label_items(metadata.get("labels", {})),
        "sourceRefs": reference_items(metadata),
        "name": [item("Name", metadata["name"], mono=True, extra=OUTSIDE)],
    }
    return [line for member, found in lines.items() if member not in without for line in found if line.stated]


def authors_text(metadata: Metadata) -> str:
    """The authors in the order of the source, `Ada (ada on GitHub), Bea`; empty if none is stated."""
    return ", ".join(filter(None, map(_author, metadata.get("authors", ()))))


def _author(author: Mapping[str, str]) -> str:
    name, account = author.get("name", ""), author.get("github", "")
    if not account:
        return name
    return f"{name} ({account} on GitHub)" if name else f"{account} on GitHub"


def label_items(labels: Mapping[str, str]) -> list[Item]:
    """The labels of a document, a line each."""
    return [
        item(name.replace("_", " ").capitalize(), value, extra=f"label, {OUTSIDE}")
        for name, value in labels.items()
    ]


def reference_items(metadata: Metadata) -> list[Item]:
    """Where a document was taken from."""
    return [item("Taken from", ref["url"], path=ref["url"], extra=OUTSIDE) for ref in metadata.get("sourceRefs", ())]

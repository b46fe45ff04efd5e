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
    lines = [
        item(label, metadata[member], extra=OUTSIDE)
        for member, label in (("title", "Title"), ("description", "Description"))
        if member in metadata and member not in without
    ]
    if "authors" in metadata and "authors" not in without:
        lines.append(item("Authors", authors_text(metadata), extra=OUTSIDE))
    if "labels" in metadata and "labels" not in without:
        lines += label_items(metadata["labels"])
    if "sourceRefs" not in without:
        lines += reference_items(metadata)
    if "name" not in without:
        lines.append(item("Name", metadata["name"], mono=True, extra=OUTSIDE))
    if "redaction" in metadata:
        lines.append(_redaction_item(metadata["redaction"]))
    return [line for line in lines if line.stated]


def _redaction_item(redaction: Mapping[str, str]) -> Item:
    """That something was removed from the document, and why."""
    return item("Redacted", redaction_text(redaction), extra=f"by {redaction['who']} on {redaction['when']}")


def redaction_text(redaction: Mapping[str, str]) -> str:
    """Why something was removed, in one text."""
    return f"{redaction['why'].rstrip('.')}. Basis: {redaction['basis'].rstrip('.')}."


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
        item(name.replace("_", " ").capitalize(), value, extra=f"label, {OUTSIDE}") for name, value in labels.items()
    ]


def reference_items(metadata: Metadata) -> list[Item]:
    """Where a document was taken from."""
    return [item("Taken from", ref["url"], path=ref["url"], extra=OUTSIDE) for ref in metadata.get("sourceRefs", ())]

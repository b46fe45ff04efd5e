"""What stands beside the records below `content/`: notes and overrides are changed, the rest a person has to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..canonical import sha256
from ..editions import LONGEST_NOTE, edition_bytes, parse_edition, parse_head
from ..editions import PLACE as EDITIONS
from ..errors import ContentError
from ..manifests.note_documents import note_digest, stated_digest
from ..manifests.notes import parse_note
from ..manifests.skeletons import MARK
from ..manifests.tombstone import strip
from ..store import NOTES, PLACE, Line
from ..store.stripping import without_text

OVERRIDES = "content/overrides"


@dataclass(slots=True)
class Others:
    """What a removal makes of the files beside the records."""

    files: dict[str, bytes] = field(default_factory=dict)
    """New bytes by path relative to the site."""
    notes: dict[str, Line] = field(default_factory=dict)
    """Name of a changed note's file → digest of its document as it was published (`old`) and as it is now (`new`)."""
    editions: dict[str, str] = field(default_factory=dict)
    """Digest of an edition whose note held a text → digest of what it is now."""
    gone: tuple[str, ...] = ()
    """Notes that have another name now, because the old one held a text."""
    left: tuple[str, ...] = ()
    """Places that hold a text and were not changed."""


def look_through(site: Path, texts: Sequence[str], because: str, moved: Mapping[str, str]) -> Others:
    """Look for the texts in everything below `content/` but the records.

    `because` is the file of the note, `moved` says which pages have another address now.
    """
    found = Others()
    gone: list[str] = []
    left: list[str] = []
    for path in _files(site):
        at = path.relative_to(site).as_posix()
        data = _read(path, at)
        holds = any(text.encode() in data for text in texts)
        renamed = f"{at.removesuffix(path.name)}{without_text(path.name, texts)}"
        if at.startswith(f"{NOTES}/") and path.suffix == ".md":
            if holds or renamed != at:
                found.files[renamed] = _note(data, at, texts, because, found) if holds else data
            gone += [at] if renamed != at else []
        elif at.startswith(f"{OVERRIDES}/"):
            address = at.removeprefix(f"{OVERRIDES}/").removesuffix(path.suffix)
            place = f"{OVERRIDES}/{moved.get(address, address)}{path.suffix}"
            changed = _moved(_without(data, texts), moved)
            if (place, changed) != (at, data):
                found.files[place] = changed
            gone += [at] if place != at else []
        elif at.startswith(f"{EDITIONS}/") and (edition := _edition(data, path, at, texts)):
            found.files[at] = edition
            found.editions[sha256(data)] = sha256(edition)
            left += _places(edition, at, texts)
        elif holds or any(text in path.name for text in texts):
            left += _places(data, at, texts) if holds else [at]
    found.gone, found.left = tuple(gone), tuple(left)
    return found


def _files(site: Path) -> Iterator[Path]:
    content = site / "content"
    records = site / PLACE
    return (
        path
        for path in sorted(content.rglob("*"))
        if path.is_file() and not path.is_symlink() and not path.is_relative_to(records)
    )


def _read(path: Path, at: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ContentError("content-unreadable", str(fault.strerror or fault), at=at) from None


def _note(data: bytes, at: str, texts: Sequence[str], because: str, found: Others) -> bytes:
    """A note without the texts; it goes on under the digest with which the log has published it."""
    digest = note_digest(parse_note(data, at))
    changed = _without(data, texts)
    if b"\nredacted = " not in data:
        fence = b"\r\n" if data.startswith(b"+++\r\n") else b"\n"
        added = fence.join([b"", f'redacted = "{digest}"'.encode(), f'redaction = "{because}"'.encode(), b""])
        changed = changed.replace(fence, added, 1)
    note = parse_note(changed, at)
    if note_digest(note) != digest:
        raise ContentError("redaction-note", "the note cannot be changed by a program", at=at)
    found.notes[without_text(Path(at).name, texts)] = {"old": digest, "new": stated_digest(note)}
    return changed


def _edition(data: bytes, path: Path, at: str, texts: Sequence[str]) -> bytes | None:
    """An edition without the texts in its note, the only words of it; None if it holds none there."""
    if path.name.startswith(".") or path.suffix != ".json":
        return None
    head = parse_head(data, at)
    note = strip(head.note, texts)
    if note == head.note:
        return None
    edition = parse_edition(data, path.stem, at)
    if len(note) > LONGEST_NOTE:
        raise ContentError("redaction-note", "the note of the edition would be too long", at=at)
    return edition_bytes(replace(edition, head=replace(head, note=note)))


def _moved(data: bytes, moved: Mapping[str, str]) -> bytes:
    """An override that names other projects by their new addresses."""
    for old, new in moved.items():
        old_slug, new_slug = (address.partition("/")[2] for address in (old, new))
        data = data.replace(f'"{old_slug}"'.encode(), f'"{new_slug}"'.encode())
    return data


def _without(data: bytes, texts: Sequence[str]) -> bytes:
    for text in texts:
        data = data.replace(text.encode(), MARK.encode())
    return data


def _places(data: bytes, at: str, texts: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(data.split(b"\n"), 1):
        if any(text.encode() in line for text in texts):
            yield f"{at}:{number}"

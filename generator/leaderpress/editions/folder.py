"""`content/editions/`: one file an edition, written once."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..canonical import sha256
from ..errors import ContentError, LeaderpressError, Problems
from .form import Edition, Head, parse_edition, parse_head, tag_fault

PLACE = "content/editions"
"""Where the files stand, relative to the site."""

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class EditionFile:
    """The file of an edition, by its digest; its rankings are read when a page needs them."""

    tag: str
    path: Path
    at: str
    """The file, relative to the site, as errors name it."""
    digest: str
    """`sha256:` and 64 hex digits, by which the edition is cited."""
    size: int
    """Bytes."""
    head: Head


def place(tag: str) -> str:
    """The file of an edition, relative to the site."""
    return f"{PLACE}/{tag}{_SUFFIX}"


def edition_files(site: Path) -> list[EditionFile]:
    """The editions of a site by tag; raises `Problems` for files that cannot be one or cannot be read."""
    faults: list[LeaderpressError] = []
    found: list[EditionFile] = []
    folder = site / PLACE
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        if name.startswith("."):
            continue
        try:
            found.append(_open(folder / name))
        except LeaderpressError as fault:
            faults.append(fault)
    if faults:
        raise Problems(faults)
    return found


def read(file: EditionFile) -> Edition:
    """What an edition says; raises `ContentError` for a file that is not as it was written."""
    return parse_edition(data_of(file), file.tag, file.at)


def data_of(file: EditionFile) -> bytes:
    """The bytes of an edition; raises `ContentError` when they are not those that `edition_files` saw."""
    data = _bytes(file.path, file.at)
    if sha256(data) != file.digest:
        raise ContentError("edition-changed", "the file changed while it was read", at=file.at)
    return data


def publish(site: Path, tag: str, data: bytes) -> None:
    """Write a new edition, whole or not at all; call it inside `store.exclusive`.

    Raises `ContentError` for a tag that is taken or a folder that cannot be written.
    """
    target = site / place(tag)
    aside = target.with_name(f".{target.name}.incoming")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            hint = "editions are never changed; choose another tag"
            raise ContentError("edition-exists", f"there is an edition {tag} already", at=place(tag), hint=hint)
        with aside.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        aside.rename(target)
    except OSError as fault:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise ContentError("edition-write", f"cannot write: {fault.strerror or fault}", at=place(tag)) from None


def _open(path: Path) -> EditionFile:
    at = f"{PLACE}/{path.name}"
    tag = path.name.removesuffix(_SUFFIX)
    fault = tag_fault(tag) if path.name.endswith(_SUFFIX) else f"an edition is <tag>{_SUFFIX}"
    if fault or not path.is_file() or path.is_symlink():
        hint = "only files written by `leaderpress edition` may stand here"
        raise ContentError("edition-foreign", f"not an edition: {fault or 'not a file'}", at=at, hint=hint)
    data = _bytes(path, at)
    return EditionFile(tag, path, at, sha256(data), len(data), parse_head(data, at))


def _bytes(path: Path, at: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ContentError("edition-unreadable", str(fault.strerror or fault), at=at) from None

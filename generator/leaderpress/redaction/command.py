"""The course of one removal, from the command's arguments to the new bytes of `content/`."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import store
from ..canonical import canonical, sha256
from ..errors import UsageError
from ..manifests.note_documents import note_digest
from ..manifests.notes import Note, parse_note
from ..manifests.skeletons import MARK
from ..manifests.tombstone import MIN_TEXT, Reason, is_removable
from ..slugs import address_digest
from ..store import NOTES, PLACE, Folder, Line
from ..store.redactions import PLACE as REDACTIONS
from ..store.redactions import VERSION, redaction_bytes
from ..store.removal import replace_all
from ..store.stripping import Removal
from .others import Others, look_through
from .records import Rewritten, rewrite
from .similar import similar

_PROJECT = "SoftwareProject"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be removed, and why."""

    target: str
    """Digest of the document that it is about, or the beginning of one."""
    texts: tuple[str, ...]
    """Removed exactly, wherever they stand below `content/`."""
    whole: bool
    """Whether the target goes as a whole."""
    why: str
    basis: str
    who: str
    when: str
    """Day, YYYY-MM-DD."""


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """What a removal did, or would do."""

    target: str
    kind: str
    note: str
    """The note that says why, relative to the site."""
    documents: Mapping[str, int]
    """Documents that became tombstones, by kind."""
    lines: Mapping[str, int]
    """Changed lines by the name of the records file."""
    edited: tuple[str, ...]
    """Other files that were changed."""
    addresses: tuple[str, ...]
    """New addresses of pages whose old ones held a text."""
    left: tuple[str, ...]
    """Places (`path:line`) below `content/` that hold a text still and that only a person can change."""
    similar: tuple[str, ...]
    """Places that hold a text in another spelling: whether it is the same, and has to go, a person must judge."""
    written: bool

    @property
    def exit_code(self) -> int:
        """1 while a text stands somewhere still."""
        return 1 if self.left else 0


def redact(site: Path, request: Request, *, dry_run: bool = False) -> RedactionReport:
    """Remove texts, or a whole document, from everything below `content/` that this program writes, and from notes.

    Raises `UsageError` for a target or a text that cannot be meant, `ContentError` for a damaged store, a text that
    ranking needs, or files that cannot be written; then everything is as it was.
    """
    with store.exclusive(site):
        held = store.folders(site)
        for folder in held:
            store.verify(folder)
        target, kind, names = _find(site, held, request.target)
        texts = _texts(request, names if request.whole and kind == _PROJECT else ())
        reason = _reason(site, request, target)
        whole = frozenset([target]) if request.whole else frozenset()
        found = rewrite(held, Removal(reason, texts, whole, target))
        others = look_through(site, texts, reason.note, found.moved)
        if not found.holds and not others.files:
            hint = "texts are compared exactly, with case and accents; see the page's JSON for the spelling"
            raise UsageError("redaction-nothing", "nothing below content/ holds that", hint=hint)
        # All of it before anything is said: a dry run refuses whatever the real one would.
        files = _new_bytes(held, request, target, reason, found, others)
        alike = tuple(place for place in similar(site, files, others.gone, texts) if place not in others.left)
        if not dry_run:
            replace_all(site, files, others.gone)
        return _report(target, kind, reason, found, others, alike, written=not dry_run)


def _find(site: Path, held: Sequence[Folder], wanted: str) -> tuple[str, str, tuple[str, ...]]:
    """Digest and kind of the one document that is meant, and the names by which sources call it."""
    prefix = "sha256:" + wanted.removeprefix("sha256:").lower()
    kinds: dict[str, str] = {}
    names: dict[str, None] = {}
    for folder in held:
        for line in folder.provenance():
            if line["digest"].startswith(prefix):
                kinds[line["digest"]] = line["kind"]
                names |= dict.fromkeys([line["name"]] if "name" in line else [])
    if len(kinds) != 1:
        raise _no_target(site, prefix, wanted, len(kinds))
    ((digest, kind),) = kinds.items()
    return digest, kind, (*names, *_own_names(held, digest, kind))


def _no_target(site: Path, prefix: str, wanted: str, count: int) -> UsageError:
    """The error for a digest that does not name one document of the records; a note has one too."""
    notes = [note for note in store.read_notes(site) if note_digest(note).startswith(prefix)] if not count else []
    if notes:
        problem = f"{wanted!r} is the note {notes[0].at}"
        hint = f"name what it is about, {notes[0].target}: with --text, texts go from notes too"
        return UsageError("redaction-target", problem, hint=hint)
    problem = f"{count} documents begin with {wanted!r}" if count else f"there is no document {wanted!r}"
    return UsageError("redaction-target", problem, hint="name a document by its full digest, sha256:…")


def _own_names(held: Sequence[Folder], digest: str, kind: str) -> list[str]:
    """What a project's manifest calls it."""
    if kind != _PROJECT:
        return []
    documents = {line["documentDigest"] for folder in held for line in folder.provenance() if line["digest"] == digest}
    lines = (line for folder in held for _, _, line in folder.manifests() if sha256(line) in documents)
    return [json.loads(line)["spec"]["name"] for line in lines]


def _texts(request: Request, names: Sequence[str]) -> tuple[str, ...]:
    """Every text to be removed, longest first, so that none hides part of another."""
    for text in request.texts:
        if not is_removable(text) or text != text.strip():
            problem = f"{text!r} cannot be removed: it is too short, begins or ends with a blank, or is part of {MARK}"
            raise UsageError("redaction-text", problem, hint=f"name at least {MIN_TEXT} characters")
    if not request.texts and not request.whole:
        raise UsageError("redaction-text", "nothing to remove is named", hint="give --text TEXT, or --whole")
    return tuple(sorted({*request.texts, *filter(is_removable, names)}, key=lambda text: (-len(text), text)))


def _reason(site: Path, request: Request, target: str) -> Reason:
    stem = f"{request.when}-redaction-{target[7:19]}"
    taken = {path.name for path in (site / NOTES).glob(f"{stem}*.md")}
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.md" for number in range(1, len(taken) + 2))
    note = next(name for name in names if name not in taken)
    return Reason(request.when, request.why, request.basis, request.who, f"{NOTES}/{note}")


# -- what is written ---------------------------------------------------------------------------------------------------


def _new_bytes(
    held: Sequence[Folder], request: Request, target: str, reason: Reason, found: Rewritten, others: Others
) -> dict[str, bytes]:
    """New bytes by path relative to the site; the records' own account of the change is among them."""
    note = _note(request, target, reason)
    earlier = held[-1].redactions
    line: Line = {
        "v": VERSION,
        "note": reason.note,
        "on": reason.when,
        "target": target,
        "documents": sorted(found.documents),
        "notes": others.notes,
        "retired": sorted(map(address_digest, found.moved)),
        **({"editions": others.editions} if others.editions else {}),
        "files": found.changes,
        **({"previous": earlier.seal} if earlier.seal else {}),
    }
    journal = b"".join(canonical(old) + b"\n" for old in earlier.lines) + redaction_bytes(line)
    return {
        **{f"{PLACE}/{path}": data for path, data in found.files.items()},
        **others.files,
        REDACTIONS: journal,
        reason.note: note,
    }


def _note(request: Request, target: str, reason: Reason) -> bytes:
    """The note that says why; raises as `parse_note` does for a reason that is none."""
    fields = {
        "kind": "redaction",
        "target": target,
        "who": reason.who,
        "when": reason.when,
        "why": reason.why,
        "basis": reason.basis,
        **({"whole": True} if request.whole else {}),
    }
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())
    data = "\n".join(["+++", *lines, "+++", ""]).encode()
    _refuse_telling(request, parse_note(data, reason.note))
    return data


def _refuse_telling(request: Request, note: Note) -> None:
    """A note that says what was removed would bring it back."""
    for text in request.texts:
        if any(text in field for field in (note.why, note.basis or "", note.who)):
            problem = "the reason, the basis or the name behind it holds the text that is to be removed"
            raise UsageError("redaction-told", problem, hint="say why it goes, not what it was")


def _report(
    target: str,
    kind: str,
    reason: Reason,
    found: Rewritten,
    others: Others,
    alike: tuple[str, ...],
    *,
    written: bool,
) -> RedactionReport:
    return RedactionReport(
        target=target,
        kind=kind,
        note=reason.note,
        documents=dict(sorted(Counter(found.documents.values()).items())),
        lines=dict(sorted(found.lines.items())),
        edited=tuple(sorted({*others.files, *others.gone})),
        addresses=tuple(f"{address}/" for address in sorted(set(found.moved.values()))),
        left=others.left,
        similar=alike,
        written=written,
    )

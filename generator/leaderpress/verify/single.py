"""Single files, as somebody downloaded them: what each is, whether it is whole, and whether they belong together."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..canonical import canonical, parse, sha256
from ..editions import Edition
from ..errors import ContentError, LeaderpressError, UsageError
from ..inventory import FILES_FROM, INVENTORY, SUMS, is_head_intact, parse_inventory, parse_sums
from ..log import Checkpoint, checkpoint_of, parse_checkpoint, parse_lines, prefix_fault
from ..manifests.cut import identity_bytes_of
from ..manifests.tombstone import read_tombstone
from .findings import Findings
from .frozen import compare_with_log, is_edition, read_edition
from .objects import Found, Objects, check_references, judge
from .twins import Twins, report

_NAMED = re.compile(r"([0-9a-f]{64})\.json")
_SUMS = re.compile(rb"[0-9a-f]{64}  [A-Za-z0-9._/-]+\n")
_CHECKPOINT = re.compile(rb"\d{1,16} [0-9a-f]{64}\n?")
_LOG = re.compile(rb"\d{1,16} \d{4}-\d\d-\d\d [0-9a-f]{64} ")
_BODY = {"apiVersion", "kind", "spec"}
_HINT = (
    "name a site, a folder of records, or files of a site: objects, twins, editions, log.txt, checkpoint, SHA256SUMS"
)


@dataclass(slots=True)
class _Given:
    """The files, by what they are."""

    objects: dict[str, Found] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """File of each object, by digest."""
    editions: list[tuple[str, Edition]] = field(default_factory=list)
    twins: list[tuple[str, Any]] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)
    checkpoints: list[tuple[str, Checkpoint]] = field(default_factory=list)
    sums: list[tuple[str, bytes]] = field(default_factory=list)
    inventories: list[tuple[str, bytes]] = field(default_factory=list)
    is_listed: bool = False
    """Whether `SHA256SUMS` is among them, which knows every file."""
    digests: dict[str, str] = field(default_factory=dict)
    """SHA-256 (hex) of each file."""


def verify_files(paths: Sequence[Path], findings: Findings) -> None:
    """Verify these files, each by itself and all of them together.

    Raises `UsageError` for a file that is nothing that a site publishes, or that cannot be read.
    """
    given = _Given(is_listed=any(path.name == SUMS for path in paths))
    for path in paths:
        findings.counts["files"] += 1
        try:
            _sort_in(path, given, findings)
        except UsageError:
            raise
        except LeaderpressError as fault:
            findings.add(fault)
    _check_objects(given, findings)
    _check_logs(given, findings)
    _check_lists(given, findings)


def _sort_in(path: Path, given: _Given, findings: Findings) -> None:
    at = str(path)
    try:
        with path.open("rb") as stream:
            given.digests[at] = hashlib.file_digest(stream, "sha256").hexdigest()
            stream.seek(0)
            head = stream.read(512)
            if path.name == "log.txt" or _LOG.match(head):
                given.logs.append(path)
                return
            data = head + stream.read()
    except OSError as fault:
        raise UsageError("file-unreadable", f"cannot read: {fault.strerror}", at=at) from None
    if path.name == SUMS or _SUMS.match(data):
        given.sums.append((at, data))
    elif path.name == "checkpoint" or _CHECKPOINT.fullmatch(data):
        given.checkpoints.append((at, parse_checkpoint(data, at)))
    elif path.name == INVENTORY:
        given.inventories.append((at, data))
    elif path.suffix == ".json" or data.startswith(b"{"):
        _sort_in_json(path, data, given, findings)
    elif not given.is_listed:
        raise UsageError("verify-unknown", "this is nothing that verify knows", at=at, hint=_HINT)


def _sort_in_json(path: Path, data: bytes, given: _Given, findings: Findings) -> None:
    at = str(path)
    named = _NAMED.fullmatch(path.name)
    value = None if named else parse(data, at)
    if named or (isinstance(value, dict) and value.keys() == _BODY) or read_tombstone(value):
        stone = read_tombstone(value)
        digest = f"sha256:{named[1]}" if named else stone.digest if stone else sha256(data)
        _take_object(at, digest, judge(data, digest), given, findings)
    elif isinstance(value, dict) and value.keys() == _BODY | {"metadata"}:
        document = canonical(value)
        digest = sha256(identity_bytes_of(document))
        findings.says.append(f"{at}: {value['kind']} {digest}, as a whole {sha256(document)}")
    elif isinstance(value, dict) and value.get("kind") in ("run", "group") and ("digest" in value or "key" in value):
        given.twins.append((at, value))
    elif isinstance(value, dict) and is_edition(value):
        edition = read_edition(data, value, path)
        given.editions.append((at, edition))
        findings.counts["editions"] += 1
        ranked = f"{edition.head.groups} rankings of {edition.head.runs} runs"
        findings.says.append(f"{at}: edition {edition.tag} {sha256(data)}, {ranked}, their digests computed again")
    else:
        raise UsageError("verify-unknown", "JSON, but nothing that verify knows", at=at, hint=_HINT)


def _take_object(at: str, digest: str, found: Found, given: _Given, findings: Findings) -> None:
    findings.counts["objects"] += 1
    if found.state == "changed":
        findings.wrong("object-changed", found.why, at, "fetch it again; objects never change")
    given.objects[digest] = found
    given.places[digest] = at
    if found.state == "redacted":
        findings.redacted(digest)
        findings.says.append(f"{at}: {found.kind} {digest} was redacted, a tombstone stands in its place")
    elif found.state == "sound":
        findings.says.append(f"{at}: {found.kind} {digest}")


def _check_objects(given: _Given, findings: Findings) -> None:
    """What the objects name, where it was given too; what twins say about them."""
    objects = Objects("", given.objects)
    for digest, found in given.objects.items():
        if found.spec is not None:
            check_references(objects, found.kind, found.spec, given.places[digest], findings)
    twins = Twins("", objects)
    for at, twin in given.twins:
        try:
            is_run = twin["kind"] == "run"
            digest = str(twin["digest"] if is_run else twin["key"])
            claims = twins.run_claims(digest, twin) if is_run else twins.group_claims(digest, twin)
            report(claims, at, "run-differs" if is_run else "group-differs", findings)
            known = "compared with its object" if digest in given.objects or not is_run else "its object was not given"
            findings.says.append(f"{at}: page of the {twin['kind']} {digest}, {known}")
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as fault:
            findings.wrong("twin-shape", f"not the twin of such a page: {type(fault).__name__} {fault}", at)


def _check_logs(given: _Given, findings: Findings) -> None:
    """Every line of each log, every checkpoint against each log, every object against each log."""
    for path in given.logs:
        at = str(path)
        wanted = set(given.objects)
        try:
            with path.open("rb") as stream:
                for line in parse_lines(stream, at):
                    findings.counts["log lines"] += 1
                    wanted.discard(line.identity)
        except LeaderpressError as fault:
            findings.add(fault)
            continue
        with path.open("rb") as stream:
            lines, digest = checkpoint_of(stream)
        findings.says.append(f"{at}: log of {lines} lines, sha256 {digest}")
        for missing in sorted(wanted):
            findings.wrong("object-unlogged", f"no line of {at} publishes it", given.places[missing])
        _check_prefixes(path, given.checkpoints, findings)
        made_from = [(at, edition.head.checkpoint, edition.head.last) for at, edition in given.editions]
        with path.open("rb") as stream:
            compare_with_log(made_from, stream, findings)


def _check_prefixes(log: Path, checkpoints: Iterable[tuple[str, Checkpoint]], findings: Findings) -> None:
    for at, checkpoint in checkpoints:
        with log.open("rb") as stream:
            fault = prefix_fault(checkpoint, stream, str(log))
        if fault:
            # Two files that do not fit do not say which of them was changed.
            problem = f"{fault.problem}, as {at} says"
            findings.add(ContentError(fault.code, problem, at=fault.at, hint=fault.hint))
        else:
            findings.says.append(f"{at}: {log} begins with these {checkpoint.lines} lines")


def _check_lists(given: _Given, findings: Findings) -> None:
    """`SHA256SUMS` against the other files, `inventory.json` against `SHA256SUMS`."""
    for at, data in given.sums:
        stated = set(parse_sums(data, at).values())
        findings.says.append(f"{at}: {len(stated)} different files")
        for path, digest in given.digests.items():
            if path != at and digest not in stated and path not in dict(given.inventories):
                findings.wrong("file-unlisted", f"no line of {at} has its SHA-256 {digest}", path)
    for at, data in given.inventories:
        inventory = parse_inventory(data, at)
        if not is_head_intact(data.partition(FILES_FROM)[0]):
            findings.wrong("inventory-differs", "its first lines are not those that were written", at)
        for place, sums in given.sums:
            if sha256(sums) != inventory.sums:
                findings.differs("sums-changed", f"not the file that {at} names", inventory.sums, sha256(sums), place)

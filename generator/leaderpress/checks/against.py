"""A site held against what was published before: addresses that would be lost, objects that changed, the log."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..errors import BuildError, LeaderpressError
from ..inventory import INVENTORY, SUMS, is_address, is_permanent, parse_inventory, parse_sums
from ..log import (
    CHECKPOINT,
    LOG,
    Checkpoint,
    checkpoint_of,
    difference_fault,
    first_difference,
    parse_checkpoint,
    prefix_fault,
)
from ..slugs import retired_day
from .graves import changed_figures, new_graves, stone_at
from .site import Site

_HINT = "bring it back before the site is published: what was published may be cited"
_LONGEST_CHECKPOINT = 100
_FEW_ADDRESSES = 10
"""Lost addresses that are named one by one."""
_LOG_LINE = re.compile(rb"1 \d{4}-\d\d-\d\d [0-9a-f]{64} ")


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of a site as it was published before."""

    sums: Mapping[str, str]
    """SHA-256 (hex) by path."""
    checkpoint: Checkpoint | None = None
    """Of its log, where it had one and this is known."""
    log: Path | None = None
    """Its whole log."""


def lost_since(place: Path, site: Site) -> Iterator[LeaderpressError]:
    """What was published and is not there any more.

    `place` is an earlier `inventory.json`, `SHA256SUMS`, `log/checkpoint` or `log/log.txt`, or a folder with an earlier
    site.  Raises `BuildError` where it cannot be read or is none of these.
    """
    earlier = read_earlier(place)
    yield from _log_faults(site, earlier)
    addresses: list[str] = []
    for path, digest in sorted(earlier.sums.items()):
        if path.startswith("sha256/"):
            yield from _object_faults(site, path, digest)
        elif path not in site.files and is_permanent(path):
            yield BuildError("permalink-lost", "it was published and is not there any more", at=path, hint=_HINT)
        elif path not in site.files and is_address(path) and not retired_day(path, site.retired):
            addresses.append(path)
    yield from _lost_addresses(addresses)
    if place.is_dir():
        yield from changed_figures(site, place, earlier.sums)


def buried_since(place: Path, site: Site) -> int:
    """How many objects of the earlier site have become tombstones; raises as `lost_since` does."""
    return new_graves(site, read_earlier(place).sums)


def _lost_addresses(paths: Sequence[str]) -> Iterator[LeaderpressError]:
    """Addresses that are not promised one by one while they are few, else by the first folder of their paths."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.partition("/")[0] if len(paths) > _FEW_ADDRESSES else path, []).append(path)
    for folder, lost in folders.items():
        at, problem = lost[0], "it was published and is not there any more"
        if len(lost) > 1:
            at, problem = f"{folder}/", f"{len(lost):,} addresses were published and are gone, the first is {lost[0]}"
        yield BuildError("address-lost", problem, at=at, hint=_HINT)


def moved_since(place: Path, site: Site) -> Iterator[tuple[str, str]]:
    """(path, day) of what was published and has another address since a removal: the old one held what had to go.

    Raises as `lost_since` does.
    """
    for path in sorted(read_earlier(place).sums) if site.retired else ():
        if path not in site.files and is_address(path) and (day := retired_day(path, site.retired)):
            yield path, day


def read_earlier(place: Path) -> Earlier:
    """Read an account of an earlier site; raises as `lost_since` does."""
    if place.is_dir():
        return _read_folder(place)
    data = _bytes(place)
    if data.startswith(b"{"):
        inventory = parse_inventory(data, str(place))
        log = inventory.meta.get("log")
        checkpoint = Checkpoint(int(log["lines"]), str(log["sha256"])) if isinstance(log, dict) else None
        return Earlier({path: file.sha256 for path, file in inventory.files.items()}, checkpoint)
    if _LOG_LINE.match(data):
        return Earlier({}, checkpoint_of(data.splitlines(keepends=True)), place)
    if len(data) < _LONGEST_CHECKPOINT and data.count(b"\n") == 1 and data.partition(b" ")[0].isdigit():
        return Earlier({}, parse_checkpoint(data, str(place)))
    return Earlier(parse_sums(data, str(place)))


def _read_folder(place: Path) -> Earlier:
    account = place / (SUMS if (place / SUMS).is_file() else INVENTORY)
    if not account.is_file():
        hint = f"name a published site, or its {INVENTORY}, {SUMS} or {CHECKPOINT}"
        raise BuildError("against-nothing", f"the folder has neither {SUMS} nor {INVENTORY}", at=str(place), hint=hint)
    sums = read_earlier(account).sums
    if LOG not in sums:
        return Earlier(sums)
    return Earlier(sums, parse_checkpoint(_bytes(place / CHECKPOINT), str(place / CHECKPOINT)), place / LOG)


def _bytes(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as fault:
        raise BuildError("file-unreadable", f"cannot read: {fault.strerror}", at=str(place)) from None


def _object_faults(site: Site, path: str, digest: str) -> Iterator[LeaderpressError]:
    if path not in site.files:
        yield BuildError("object-lost", "it was published and is not there any more", at=path, hint=_HINT)
    elif site.sums.get(path) != digest and not stone_at(site, path):
        problem = f"it was published with bytes that hash to {digest}, and has others now"
        yield BuildError("object-changed", problem, at=path, hint="an object never changes; restore its record")


# -- the log -----------------------------------------------------------------------------------------------------------


def _log_faults(site: Site, earlier: Earlier) -> Iterator[LeaderpressError]:
    """Whether the log of the earlier site is the beginning of the new one."""
    if earlier.checkpoint is None and LOG not in earlier.sums:
        return
    if LOG not in site.files:
        yield BuildError("log-lost", "a log was published, and the site has none", at=LOG, hint=_HINT)
    elif earlier.checkpoint is None:
        if not _begins_with(site, earlier.sums[LOG]):
            problem = f"it does not begin with the log that was published, whose SHA-256 is {earlier.sums[LOG]}"
            yield BuildError("log-changed", problem, at=LOG, hint="compare with the folder of the earlier site")
    elif fault := _prefix_fault(site, earlier, earlier.checkpoint):
        yield fault


def _prefix_fault(site: Site, earlier: Earlier, checkpoint: Checkpoint) -> LeaderpressError | None:
    fault = prefix_fault(checkpoint, _lines(Path(site.root, LOG)), LOG)
    if fault is None or earlier.log is None or checkpoint_of(_lines(earlier.log)) != checkpoint:
        return fault
    difference = first_difference(_lines(earlier.log), _lines(Path(site.root, LOG)))
    return difference_fault(difference, LOG) if difference else fault


def _begins_with(site: Site, digest: str) -> bool:
    """Whether some first lines of the site's log have this SHA-256."""
    hasher = sha256()
    if hasher.hexdigest() == digest:
        return True
    for line in _lines(Path(site.root, LOG)):
        hasher.update(line)
        if hasher.hexdigest() == digest:
            return True
    return False


def _lines(log: Path) -> Iterator[bytes]:
    try:
        with log.open("rb") as stream:
            yield from stream
    except OSError as fault:
        raise BuildError("file-unreadable", f"cannot read: {fault.strerror}", at=str(log)) from None

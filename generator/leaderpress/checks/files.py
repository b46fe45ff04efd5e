"""The site's own account of itself: `SHA256SUMS` both ways, `inventory.json`."""

from collections.abc import Iterator
from pathlib import Path

from ..canonical import Json, sha256
from ..errors import BuildError, LeaderpressError
from ..inventory import (
    FILES_FROM,
    INVENTORY,
    RESERVED,
    SUMS,
    Inventory,
    Written,
    is_head_intact,
    parse_inventory,
    parse_sums,
)
from .site import Site, Walk


def read_account(root: Path, found: Walk, problems: list[LeaderpressError]) -> Site:
    """Read what the site says about itself and compare it with what is on disk, but for the bytes of the files."""
    site = Site(str(root), found.files)
    texts = {path: site.read(path) for path in RESERVED if path in found.files}
    problems += [
        BuildError("file-missing", "a published site has this file", at=path) for path in RESERVED if path not in texts
    ]
    sums, inventory = {}, None
    try:
        sums = parse_sums(texts.get(SUMS, b""))
        inventory = parse_inventory(texts[INVENTORY]) if INVENTORY in texts else None
    except BuildError as fault:
        problems.append(fault)
    if not is_head_intact(texts.get(INVENTORY, b"").partition(FILES_FROM)[0]) and inventory is not None:
        problems.append(
            BuildError("inventory-differs", "its first lines are not those that were written", at=INVENTORY)
        )
    problems += _differences(found, sums)
    if inventory is not None:
        problems += _inventory_faults(inventory, texts.get(SUMS, b""), sums, found)
    meta = inventory.meta if inventory is not None else {}
    base = str(meta.get("permalink_base") or "")
    return Site(
        str(root),
        found.files,
        sums,
        base.rstrip("/") + "/" if base else "",
        str(meta.get("base_path") or "/"),
        str(meta.get("links") or "directory"),
        _retired(meta.get("redacted")),
    )


def _retired(redacted: Json) -> dict[str, str]:
    addresses = redacted.get("addresses") if isinstance(redacted, dict) else None
    return {digest: str(day) for digest, day in addresses.items()} if isinstance(addresses, dict) else {}


def _differences(found: Walk, sums: dict[str, str]) -> Iterator[LeaderpressError]:
    for path in sorted(sums.keys() - found.files.keys()):
        yield BuildError("file-missing", f"{SUMS} lists it, and it is not there", at=path)
    for path in sorted(found.files.keys() - sums.keys() - set(RESERVED)):
        yield BuildError("file-added", f"{SUMS} does not list it", at=path)
    for path in sorted(found.special):
        yield BuildError("file-special", "a link or a special file, and a published site has only plain files", at=path)


def _inventory_faults(
    inventory: Inventory, text: bytes, sums: dict[str, str], found: Walk
) -> Iterator[LeaderpressError]:
    if (inventory.sums, inventory.sums_size) != (sha256(text), len(text)):
        yield BuildError("inventory-differs", f"{SUMS} is not the file that the inventory names", at=INVENTORY)
    for path in sorted(inventory.files.keys() ^ sums.keys()):
        yield BuildError("inventory-differs", f"{path!r} stands in one of {INVENTORY} and {SUMS} only", at=INVENTORY)
    for path in sorted(inventory.files.keys() & sums.keys()):
        stated = inventory.files[path]
        if stated != Written(found.files.get(path, stated.size), sums[path]):
            yield BuildError("inventory-differs", f"size or digest of {path!r} is another", at=INVENTORY)
    counts = {"files": len(inventory.files), "bytes": sum(file.size for file in inventory.files.values())}
    if inventory.counts != counts:
        yield BuildError("inventory-differs", f"it counts {dict(inventory.counts)} and lists {counts}", at=INVENTORY)

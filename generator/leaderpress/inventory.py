"""What a published site consists of: paths, `SHA256SUMS` and `inventory.json`.  Pure; reads and writes nothing.

The writer of a site and its checker share these formats and nothing else.  `SHA256SUMS` names every published file
but itself and `inventory.json`, one line a file in the format of `sha256sum`, sorted by the bytes of the path.
`inventory.json` is written last and holds the digest of `SHA256SUMS`: it marks a site that is whole.  It is a pure
function of the files and of what the caller adds, so that equal sites have equal inventories.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from . import __version__
from .canonical import Json, canonical, sha256
from .errors import BuildError

SUMS = "SHA256SUMS"
INVENTORY = "inventory.json"
RESERVED = (SUMS, INVENTORY)
"""Written by `commit` alone, in this order."""

MAX_PATH = 200
MAX_PART = 80

_PART = rf"(?!\.{{1,2}}(?:/|\Z))[A-Za-z0-9._-]{{1,{MAX_PART}}}"
_PATH = re.compile(rf"{_PART}(?:/{_PART})*\Z")
FILES_FROM = b'"files":{\n'
"""The line of `inventory.json` after which the files follow."""
INVENTORY_END = b"\n}}\n"
_PERMANENT = re.compile(r"(?:(?:runs|implementations|subjects)/[0-9a-f]{64}|editions/[a-z0-9-]+)/index\.html")
_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)\n")


class Written(NamedTuple):
    """A published file: its size in bytes and the 64 hex digits of its SHA-256."""

    size: int
    sha256: str


Files = Mapping[str, Written]
"""Published files by path."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """`inventory.json` as read back."""

    versions: Mapping[str, Json]
    counts: Mapping[str, Json]
    sums: str
    """Digest of the bytes of `SHA256SUMS`."""
    sums_size: int
    meta: Mapping[str, Json]
    files: Files


def check_path(path: str) -> None:
    """Refuse a path that is not portable.

    A path is relative, of parts from `[A-Za-z0-9._-]` of at most 80 bytes that are neither `.` nor `..`, and at most
    200 bytes long (reliability rule for names; the longest that every host and file system takes).
    Raises `BuildError`.
    """
    if len(path) > MAX_PATH or not _PATH.match(path):
        rule = f"relative, parts of 1 to {MAX_PART} characters A-Z a-z 0-9 . _ -, at most {MAX_PATH} in all"
        raise BuildError("path-invalid", f"{path[:300]!r} cannot be the path of a published file", hint=rule)


def is_permanent(path: str) -> bool:
    """Whether a published file is a page whose address is promised for ever: of a run, implementation or edition."""
    return _PERMANENT.fullmatch(path) is not None


_PAGE = re.compile(r"(?:.*/)?index\.html")
_CONTINUED = re.compile(r".*/\d{1,9}/index\.html")


def is_address(path: str) -> bool:
    """Whether people link or subscribe to a published file: pages, feeds, schemas and the log.

    Not those whose rows moved to a neighbour when a table got shorter, and not what a setting may switch off or what
    only machines of the site itself ask for.
    """
    if _PAGE.fullmatch(path):
        return not _CONTINUED.fullmatch(path)
    return path.endswith("/feed.xml") or path.startswith(("schema/", "log/"))


class PathSet:
    """The paths of one site; refuses a path that some file system or host would take for another.

    Two paths must still differ after NFC and casefolding (paths are ASCII, so that NFC changes none), folders
    likewise, and no file may be where another file needs a folder.
    """

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {"": ""}

    def add(self, path: str) -> None:
        """Take a path in; raises `BuildError` naming both paths where it is bad or clashes with an earlier one."""
        check_path(path)
        key = path.casefold()
        folder = path.rpartition("/")[0]
        if self._folders.get(folder.casefold()) != folder:
            self._add_folder(folder, path)
        if key in self._folders:
            raise path_clash(path, self._folders[key] + "/", "a folder has the name of this file")
        if key in self._files:
            earlier = self._files[key]
            raise path_twice(path) if path == earlier else path_clash(path, earlier, "two paths differ in case only")
        self._files[key] = path

    def _add_folder(self, folder: str, path: str) -> None:
        key = folder.casefold()
        known = self._folders.get(key)
        if known == folder:
            return
        if known is not None:
            raise path_clash(path, known + "/", "two folders differ in case only")
        if key in self._files:
            raise path_clash(path, self._files[key], "a file stands where this path needs a folder")
        self._add_folder(folder.rpartition("/")[0], path)
        self._folders[key] = folder


def path_twice(path: str) -> BuildError:
    """The error for a path that is written a second time."""
    return BuildError("path-twice", f"two pages or files are written to {path!r}", at=path)


def path_clash(path: str, earlier: str, why: str) -> BuildError:
    """The error for two paths that some file system or host would take for one."""
    return BuildError("path-clash", f"{path!r} clashes with {earlier!r}: {why}", at=path)


def sums_bytes(files: Files) -> bytes:
    """The text of `SHA256SUMS`: `<64 hex>  <path>` lines that `sha256sum --check --strict` reads."""
    return "".join(f"{files[path].sha256}  {path}\n" for path in sorted(files)).encode("ascii")


def parse_sums(data: bytes, at: str = SUMS) -> dict[str, str]:
    """SHA-256 (hex) by path, as `SHA256SUMS` states them; raises `BuildError` at the first line that is not ours."""
    lines = _LINE.findall(data.decode("ascii", "replace"))
    if sum(len(path) for _, path in lines) + 67 * len(lines) != len(data):
        raise BuildError("sums-invalid", "not a line of `<64 hex>  <path>`", at=f"{at}:{_bad_line(data)}")
    stated = {path: digest for digest, path in lines}
    if len(stated) != len(lines) or not all(map(_PATH.match, stated)) or not stated.keys().isdisjoint(RESERVED):
        raise BuildError("sums-invalid", "a path that stands twice or cannot be listed", at=at)
    return stated


def _bad_line(data: bytes) -> int:
    lines = data.decode("ascii", "replace").splitlines(keepends=True)
    return next((number for number, line in enumerate(lines, 1) if not _LINE.fullmatch(line)), 1)


def inventory_bytes(files: Files, sums: bytes, meta: Mapping[str, Json]) -> bytes:
    """The text of `inventory.json`: JSON with one published file a line, so that two inventories can be compared.

    `meta` is what the caller adds (permalink base, base path, link style, checkpoint …); its member `versions` joins
    the generator's own version, because equal versions promise equal bytes.  Raises `ManifestError` where `meta` is
    not JSON.
    """
    lines = [file_line(path, files[path]) for path in sorted(files)]
    head = inventory_head(
        len(files), sum(file.size for file in files.values()), Written(len(sums), sha256(sums)[7:]), meta
    )
    return head + ",\n".join(lines).encode() + INVENTORY_END


def inventory_head(files: int, size: int, sums: Written, meta: Mapping[str, Json]) -> bytes:
    """What stands before the lines about each file: for a number of files of so many bytes together.

    `sums` is `SHA256SUMS`.  Commas and line feeds stand between the lines, `INVENTORY_END` after them.
    """
    own = {"leaderpress": __version__, **meta.get("versions", {})}
    rest = {name: value for name, value in meta.items() if name != "versions"}
    counts = {"bytes": size, "files": files}
    stated = {"digest": f"sha256:{sums.sha256}", "path": SUMS, "size": sums.size}
    parts: dict[str, Json] = {"inventory": 1, "versions": own, "counts": counts, "sums": stated, "meta": rest}
    return _head(parts) + FILES_FROM


def file_line(path: str, file: Written) -> str:
    """What stands in `inventory.json` about one file."""
    # Paths are plain ASCII without quotes or backslashes (check_path), so they need no escape.
    return f'"{path}":{{"digest":"sha256:{file.sha256}","size":{file.size}}}'


def _head(parts: Mapping[str, Json]) -> bytes:
    """All members but the files, with a `seal` over them: they are said nowhere else, so a changed byte must show."""
    return _members({**parts, "seal": sha256(canonical(dict(parts)))})


_UNSEALED = frozenset({"inventory", "versions", "counts", "sums", "meta"})


def is_head_intact(head: bytes) -> bool:
    """Whether what stands before the files in an `inventory.json` has every byte that was written.

    A version before the log wrote no seal; there only the spelling is compared.  False too for what is no inventory.
    """
    try:
        parts = orjson.loads(head + b'"files":{}}')
        del parts["files"]
        if parts.keys() == _UNSEALED:
            return head == _members(parts)
        del parts["seal"]
        return head == _head(parts)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _members(parts: Mapping[str, Json]) -> bytes:
    return b"{" + b"".join(b'"%b":%b,\n' % (name.encode(), canonical(value)) for name, value in parts.items())


def parse_inventory(data: bytes, at: str = INVENTORY) -> Inventory:
    """Read `inventory.json` back; raises `BuildError` for anything that is not an inventory of ours."""
    try:
        tree = orjson.loads(data)
        if tree["inventory"] != 1:
            raise ValueError(f"version {tree['inventory']!r} is not known")
        files = {path: Written(int(file["size"]), _hex(file["digest"])) for path, file in tree["files"].items()}
        sums = tree["sums"]
        if sums["path"] != SUMS:
            raise ValueError(f"its sums are in {sums['path']!r}")
        digest = "sha256:" + _hex(sums["digest"])
        return Inventory(
            dict(tree["versions"]), dict(tree["counts"]), digest, int(sums["size"]), dict(tree["meta"]), files
        )
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BuildError("inventory-invalid", f"not an inventory of a leaderpress site: {fault}", at=at) from None


def sums_named_by(inventory: bytes) -> str:
    """The digest of `SHA256SUMS` that an `inventory.json` names, without reading its list of files.

    Raises `BuildError` for what is not an inventory of ours.
    """
    return parse_inventory(inventory.partition(FILES_FROM)[0] + FILES_FROM + b"}}").sums


def meta_of(inventory: bytes) -> Mapping[str, Json]:
    """What the caller of `inventory_bytes` had added, without reading the list of files; raises as `sums_named_by`."""
    return parse_inventory(inventory.partition(FILES_FROM)[0] + FILES_FROM + b"}}").meta


def _hex(digest: str) -> str:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise ValueError(f"{digest!r} is not a digest")
    return digest[7:]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a commit did; `changed` is False where the published site already had every byte."""

    files: int
    size: int
    """Bytes of all files together, without `SHA256SUMS` and `inventory.json`."""
    sums: str
    """Digest of `SHA256SUMS`, which names the whole site."""
    written: int = 0
    reused: int = 0
    removed: int = 0
    changed: bool = True
    carried: tuple[str, ...] = field(default=())
    """Files and folders that are not ours and were kept."""
    overwritten: tuple[str, ...] = field(default=())
    """Files of ours that someone had changed or deleted since the last build, and that this build wrote again."""


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder that these paths need, without the root."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders

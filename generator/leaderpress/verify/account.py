"""A site's account of itself, line by line beside what is on disk: `SHA256SUMS` both ways, `inventory.json`.

Both lists are sorted by path, and the folder is walked in that order too, so that nothing but the current line is held.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import orjson

from ..errors import BuildError
from ..hosts import HOST_FILES
from ..inventory import FILES_FROM, INVENTORY, RESERVED, SUMS, Written, file_line, is_head_intact
from .findings import Findings

_LINE = re.compile(rb"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)\n")
_RESTORE = "restore the file from a copy of the site, or build it again"


class Listed(NamedTuple):
    """A file that `SHA256SUMS` lists and that is on disk."""

    path: str
    sha256: str
    size: int


def walk(root: str, prefix: str = "") -> Iterator[tuple[str, int | None]]:
    """(path, size) of every file in the order of the bytes of their paths; no size for a link or special file.

    Raises `BuildError` for a folder that cannot be read.
    """
    try:
        with os.scandir(f"{root}/{prefix}") as listing:
            children = sorted((child.name + "/" * child.is_dir(follow_symlinks=False), child) for child in listing)
    except OSError as fault:
        raise BuildError("site-unreadable", f"cannot list: {fault.strerror}", at=str(fault.filename)) from None
    for name, child in children:
        if not prefix and child.name in HOST_FILES:
            continue
        if name.endswith("/"):
            yield from walk(root, prefix + name)
        else:
            plain = child.is_file(follow_symlinks=False)
            yield prefix + name, child.stat(follow_symlinks=False).st_size if plain else None


class Account:
    """Reads the two lists and the folder together; `files` gives what is to be looked at."""

    def __init__(self, root: str, findings: Findings) -> None:
        self._root = root
        self._findings = findings
        self.log: object = None
        """What the inventory says about the log; None if nothing."""
        self.missing: set[str] = set()
        """Listed files that are not on disk."""

    def files(self) -> Iterator[Listed]:
        """Every file that is listed and there; whatever is not as it should be goes to the findings."""
        for name in RESERVED:
            if not os.path.isfile(f"{self._root}/{name}"):
                self._findings.wrong("file-missing", "a published site has this file", name, _RESTORE)
        inventory = _InventoryLines(self._root, self._findings)
        self.log = inventory.log
        on_disk = ((path, size) for path, size in walk(self._root) if path not in RESERVED)
        for path, sha256, size in self._merged(self._sums(inventory), on_disk):
            if sha256 is None:
                self._added(path, size)
                continue
            inventory.expect(path, sha256, size)
            if size is None:
                self.missing.add(path)
                problem = f"{SUMS} lists it with {sha256}, and it is not there"
                self._findings.wrong("file-missing", problem, path, _RESTORE)
            else:
                yield Listed(path, sha256, size)
        inventory.end()

    def _added(self, path: str, size: int | None) -> None:
        if size is None:
            problem = "a link or a special file, and a published site has only plain files"
            self._findings.wrong("file-special", problem, path, "remove it")
        else:
            self._findings.wrong("file-added", f"{SUMS} does not list it", path, "remove it, or build the site again")

    @staticmethod
    def _merged(
        sums: Iterator[tuple[str, str]], on_disk: Iterator[tuple[str, int | None]]
    ) -> Iterator[tuple[str, str | None, int | None]]:
        """(path, listed digest, size on disk); None for what one of the two does not have."""
        listed, found = next(sums, None), next(on_disk, None)
        while listed is not None or found is not None:
            if listed is not None and (found is None or listed[0] < found[0]):
                yield *listed, None
                listed = next(sums, None)
            elif found is not None and (listed is None or found[0] < listed[0] or found[1] is None):
                yield found[0], None, found[1]
                found = next(on_disk, None)
            elif listed is not None and found is not None:
                yield *listed, found[1]
                listed, found = next(sums, None), next(on_disk, None)

    def _sums(self, inventory: "_InventoryLines") -> Iterator[tuple[str, str]]:
        """(path, digest) of each line of `SHA256SUMS`; a bad line is named and left out."""
        hasher, size, before = hashlib.sha256(), 0, ""
        for number, line in enumerate(_lines(self._root, SUMS), 1):
            hasher.update(line)
            size += len(line)
            match = _LINE.fullmatch(line)
            path = match[2].decode("ascii") if match else ""
            if match is None:
                text = line.decode("ascii", "backslashreplace")
                self._findings.differs("sums-line", "a line", "<64 hex>  <path>", text, f"{SUMS}:{number}", _RESTORE)
            elif path <= before:
                problem = f"{path!r} does not come after {before!r}"
                self._findings.wrong("sums-line", problem, f"{SUMS}:{number}", _RESTORE)
            else:
                before = path
                yield path, match[1].decode("ascii")
        inventory.expect_sums(hasher.hexdigest(), size)


class _InventoryLines:
    """`inventory.json`, compared with what it must say; only the first line that differs is named."""

    def __init__(self, root: str, findings: Findings) -> None:
        self._findings = findings
        self._lines = _lines(root, INVENTORY)
        self._number = 0
        self._files = self._bytes = 0
        self._whole = os.path.isfile(f"{root}/{INVENTORY}")
        self._comma = b""
        self._head = self._read_head() if self._whole else {}
        meta = self._head.get("meta")
        self.log: object = meta.get("log") if isinstance(meta, dict) else None

    def _read_head(self) -> dict[str, object]:
        head = b""
        while (line := self._next()) not in (b"", FILES_FROM) and len(head) < 1 << 20:
            head += line
        if not is_head_intact(head):
            self._wrong("the lines before the files are not those that were written", "their seal does not fit")
            self._whole = True
        try:
            parts: dict[str, object] = orjson.loads(head + b'"files":{}}')
        except ValueError:
            return {}
        return parts

    def _next(self) -> bytes:
        self._number += 1
        return next(self._lines, b"")

    def expect(self, path: str, sha256: str, size: int | None) -> None:
        """The next file must be this one; the size of a missing file is not known."""
        self._files += 1
        self._bytes += size or 0
        if not self._whole:
            return
        found = self._next().removesuffix(b"\n").removesuffix(b",")
        if size is None:
            stated = found.rpartition(b":")[2].removesuffix(b"}")
            size = int(stated) if stated.isdigit() else 0
            self._bytes += size
        expected = file_line(path, Written(size, sha256))
        if found != expected.encode():
            self._wrong(expected, found.decode("ascii", "backslashreplace"))

    def expect_sums(self, digest: str, size: int) -> None:
        """`SHA256SUMS` must be the file that the inventory names."""
        expected = {"digest": f"sha256:{digest}", "path": SUMS, "size": size}
        if self._head and self._head.get("sums") != expected:
            self._findings.differs("sums-changed", f"{SUMS} is not the file that {INVENTORY} names",
                                   self._head.get("sums"), expected, SUMS, _RESTORE)  # fmt: skip

    def end(self) -> None:
        """Nothing may follow, and the counts must be right."""
        if not self._whole:
            return
        found = self._next() + self._next() + self._next()
        # An empty site has one empty line between the braces.
        if found not in (b"}}\n", b"\n}}\n"):
            self._wrong("the end of the list", found.decode("ascii", "backslashreplace"))
        counts = {"bytes": self._bytes, "files": self._files}
        if self._head.get("counts") != counts:
            self._findings.differs("inventory-differs", "its counts", self._head.get("counts"), counts, INVENTORY)

    def _wrong(self, expected: str, found: str) -> None:
        self._whole = False
        at = f"{INVENTORY}:{self._number}"
        self._findings.differs("inventory-differs", "a line", expected, found, at, _RESTORE)


def _lines(root: str, name: str) -> Iterator[bytes]:
    """The lines of a file; none where it is not there."""
    try:
        stream: BinaryIO = open(f"{root}/{name}", "rb")  # noqa: SIM115 - closed below
    except OSError:
        return
    with stream:
        yield from stream

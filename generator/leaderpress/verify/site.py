"""A published site, from its files alone: in one pass over the folder, by several processes."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from .account import Account, Listed
from .findings import Findings
from .objects import Objects, check_object
from .pool import Pool
from .publication import PublishedLog
from .twins import PATH as TWIN
from .twins import Twins

_CHUNK = 64
_BLOCK = 1 << 20

Looked = tuple[Listed, str]
"""A file, and the kind that the log states for an object."""


def verify_site(
    root: str, findings: Findings, *, jobs: int, progress: Callable[[int], None] = lambda files: None
) -> None:
    """Verify the site in the folder `root`; what is wrong goes to `findings`.

    Raises `BuildError` where the folder cannot be read.
    """
    log = PublishedLog(root, findings)
    account = Account(root, findings)
    with Pool(Look, root, jobs) as pool:
        for looked in pool.run(_chunks(account.files(), log)):
            findings.take(looked)
            progress(findings.counts["files"])
    log.end()
    log.expect(account.log)


def _chunks(files: Iterable[Listed], log: PublishedLog) -> Iterator[list[Looked]]:
    stream = ((file, log.kind(file.path) if file.path.startswith("sha256/") else "") for file in files)
    while chunk := list(islice(stream, _CHUNK)):
        yield chunk


class Look:
    """Looks at files of one site; each process has its own."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._objects = Objects(root)
        self._twins = Twins(root, self._objects)

    def __call__(self, files: list[Looked]) -> Findings:
        """Bytes against `SHA256SUMS`, then by what the file is."""
        findings = Findings()
        for file, kind in files:
            findings.counts["files"] += 1
            try:
                self._look(file, kind, findings)
            except OSError as fault:
                findings.wrong("file-unreadable", f"cannot read: {fault.strerror}", file.path)
        return findings

    def _look(self, file: Listed, kind: str, findings: Findings) -> None:
        is_object, is_twin = file.path.startswith("sha256/"), TWIN.fullmatch(file.path) is not None
        if not (is_object or is_twin):
            self._compare(file, self._digest(file.path, findings), findings)
            return
        with open(f"{self._root}/{file.path}", "rb") as stream:
            data = stream.read()
        findings.counts["bytes"] += len(data)
        before = findings.counts["problems"]
        if is_object:
            check_object(self._objects, file.path, data, kind, findings)
        # An object that does not hash to its name was named already.
        if not is_object or findings.counts["problems"] == before:
            self._compare(file, hashlib.sha256(data).hexdigest(), findings)
        if is_twin:
            self._twins.check(file.path, data, findings)

    def _digest(self, path: str, findings: Findings) -> str:
        hasher = hashlib.sha256()
        with open(f"{self._root}/{path}", "rb") as stream:
            while block := stream.read(_BLOCK):
                hasher.update(block)
        findings.counts["bytes"] += os.path.getsize(f"{self._root}/{path}")
        return hasher.hexdigest()

    def _compare(self, file: Listed, digest: str, findings: Findings) -> None:
        if digest != file.sha256:
            hint = "restore the file from a copy of the site, or build it again"
            findings.differs("file-changed", "the SHA-256 is another", file.sha256, digest, file.path, hint)

"""The site under check: what is on disk, what it says about itself, and where a link in it leads."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from ..errors import BuildError
from ..hosts import HOST_FILES

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNCLEAR = re.compile(r"[\x00-\x20\x7f\\]")


@dataclass(frozen=True, slots=True)
class Site:
    """A published folder; paths are relative to `root`."""

    root: str
    files: Mapping[str, int] = field(default_factory=dict)
    """Size in bytes of every plain file, host files left out."""
    sums: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 (hex) by path, as `SHA256SUMS` states it."""
    permalink_base: str = ""
    """Absolute URL with a final slash under which the site is cited; "" if it has none."""
    base_path: str = "/"
    link_style: str = "directory"
    retired: Mapping[str, str] = field(default_factory=dict)
    """Day of the removal by the digest of an address that it took away."""

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises `BuildError`."""
        try:
            with open(f"{self.root}/{path}", "rb") as stream:
                return stream.read()
        except OSError as fault:
            raise BuildError("file-unreadable", f"cannot read: {fault.strerror}", at=path) from None


class Walk(NamedTuple):
    """What is on disk: sizes of plain files by path, paths of links and other special files, host files."""

    files: dict[str, int]
    special: list[str]
    host: list[str]


def walk(root: str) -> Walk:
    """List a site's files without following links; raises `BuildError` where it cannot be read."""
    found = Walk({}, [], [])
    pending = [""]
    try:
        while pending:
            prefix = pending.pop()
            with os.scandir(f"{root}/{prefix}") as listing:
                pending += _sort_out(prefix, listing, found)
    except OSError as fault:
        raise BuildError("site-unreadable", f"cannot list: {fault.strerror}", at=str(fault.filename)) from None
    return found


def _sort_out(prefix: str, listing: Iterable[os.DirEntry[str]], found: Walk) -> list[str]:
    folders = []
    for child in listing:
        path = prefix + child.name
        if path in HOST_FILES:
            found.host.append(path)
        elif child.is_dir(follow_symlinks=False):
            folders.append(path + "/")
        elif child.is_file(follow_symlinks=False):
            found.files[path] = child.stat(follow_symlinks=False).st_size
        else:
            found.special.append(path)
    return folders


class Reference(NamedTuple):
    """Where a URL leads: to a file of the site and a fragment in it, elsewhere (`scheme`), or nowhere (`problem`)."""

    path: str = ""
    fragment: str = ""
    folder: bool = False
    """Whether the URL names a folder, so that `path` is its index.html."""
    scheme: str = ""
    code: str = ""
    problem: str = ""


def resolve(site: Site, source: str, url: str) -> Reference:
    """Follow a URL that stands in the file `source`, by the rules of a static host and of `links`.

    A link to a folder ends with a slash and needs its `index.html`; with `links = "file"` no link may end so, because
    a browser shows a list of files for it when it reads from a disk.
    """
    if _UNCLEAR.search(url):
        return Reference(
            code="link-spelling", problem=f"{url[:200]!r} holds a space, a control character or a backslash"
        )
    if site.permalink_base and url.startswith(site.permalink_base):
        return _inside(site, url[len(site.permalink_base) :], "", url)
    scheme = _SCHEME.match(url)
    if scheme:
        return Reference(scheme=scheme[0][:-1].lower())
    if url.startswith("//"):
        return Reference(scheme="https")
    if url.startswith("/"):
        if not url.startswith(site.base_path):
            return Reference(
                code="link-outside", problem=f"{url!r} does not start with the base path {site.base_path!r}"
            )
        return _styled(site, _inside(site, url[len(site.base_path) :], "", url))
    if url[:1] in ("", "#", "?"):
        return Reference(source, unquote(url.partition("#")[2]))
    if source == "404.html":
        return Reference(
            code="link-relative", problem=f"{url!r}: 404.html is shown at any address, its links start with /"
        )
    return _styled(site, _inside(site, url, source.rpartition("/")[0], url))


def _styled(site: Site, reference: Reference) -> Reference:
    if site.link_style != "file" or not reference.folder:
        return reference
    problem = f'a link to the folder of {reference.path!r} does not open from a disk, and links = "file"'
    return Reference(code="link-folder", problem=problem)


def _inside(site: Site, rest: str, folder: str, url: str) -> Reference:
    """Resolve `rest`, the part of `url` that stands below `folder`."""
    address, _, fragment = rest.partition("#")
    names = unquote(address.partition("?")[0]).split("/")
    parts = folder.split("/") if folder else []
    for name in names:
        if name == ".." and not parts:
            return Reference(code="link-outside", problem=f"{url!r} leads out of the site")
        if name == "..":
            parts.pop()
        elif name not in ("", "."):
            parts.append(name)
    path = "/".join(parts)
    if "" in names[:-1]:
        return Reference(code="link-spelling", problem=f"{url!r} holds an empty part")
    return _on_disk(site, path, unquote(fragment), url, is_folder=names[-1] in ("", ".", ".."))


def _on_disk(site: Site, path: str, fragment: str, url: str, *, is_folder: bool) -> Reference:
    index = f"{path}/index.html".lstrip("/")
    if is_folder:
        if index in site.files:
            return Reference(index, fragment, folder=True)
    elif path in site.files:
        return Reference(path, fragment)
    elif index in site.files:
        return Reference(code="link-slash", problem=f"{url!r} names a folder and must end with a slash")
    return Reference(
        code="link-broken", problem=f"{url!r} leads to {index if is_folder else path!r}, which is not there"
    )

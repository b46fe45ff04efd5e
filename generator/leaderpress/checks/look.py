"""Look at single files: bytes against `SHA256SUMS`, then by the rules of their kind.  Runs in worker processes."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..canonical import canonical, parse
from ..errors import BuildError, LeaderpressError
from ..inventory import RESERVED
from ..manifests.tombstone import is_tombstone_of, read_tombstone
from .feeds import read_xml
from .page import Link, Page, missing_ids, read_page
from .site import Reference, Site, resolve

_OBJECT = re.compile(r"sha256/([0-9a-f]{2})/(\1[0-9a-f]{62})\.json")
_CSS_URL = re.compile(rb"url\(\s*[\"']?([^\"')]*)[\"']?\s*\)|@import\s+[\"']([^\"']*)[\"']")
_BODY_MEMBERS = {"apiVersion", "kind", "spec"}
_BLOCK = 1 << 20


class Fragment(NamedTuple):
    """A fragment that a file must have."""

    path: str
    name: str


@dataclass(slots=True)
class Findings:
    """What a look at some files gave; `fragments` maps those of other files to the place of the first link."""

    problems: list[LeaderpressError] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    fragments: dict[Fragment, str] = field(default_factory=dict)

    def note(self, code: str, problem: str, path: str, line: int = 0) -> None:
        """Add a problem at a file and, where known, a line."""
        self.problems.append(BuildError(code, problem, at=f"{path}:{line}" if line else path))


def look_at(site: Site, paths: Iterable[str]) -> Findings:
    """Look at these files of the site, each read once."""
    findings = Findings()
    for path in paths:
        try:
            _look_at(site, path, findings)
        except LeaderpressError as fault:
            findings.problems.append(fault)
    return findings


def _look_at(site: Site, path: str, findings: Findings) -> None:
    findings.counts["files"] += 1
    findings.counts["bytes"] += site.files[path]
    if path in RESERVED:
        return
    look = _LOOKS.get(path.rpartition(".")[2])
    data = site.read(path) if look else b""
    digest = hashlib.sha256(data).hexdigest() if look else _digest(site, path)
    if digest != site.sums.get(path, digest):
        findings.note("file-changed", "its bytes are not those that SHA256SUMS lists", path)
    if path.startswith("sha256/"):
        _object_name(path, digest, data, findings)
    if look:
        look(site, path, data, findings)


def _digest(site: Site, path: str) -> str:
    hasher = hashlib.sha256()
    try:
        with open(f"{site.root}/{path}", "rb") as stream:
            while block := stream.read(_BLOCK):
                hasher.update(block)
    except OSError as fault:
        raise BuildError("file-unreadable", f"cannot read: {fault.strerror}", at=path) from None
    return hasher.hexdigest()


def _object_name(path: str, digest: str, data: bytes, findings: Findings) -> None:
    findings.counts["objects"] += 1
    name = _OBJECT.fullmatch(path)
    if name is None:
        findings.note("object-name", "an object is named sha256/<first two>/<64 hex>.json", path)
    elif name[2] != digest and not is_tombstone_of(data, f"sha256:{name[2]}"):
        findings.note("object-digest", f"its bytes hash to {digest}", path)


def _json(site: Site, path: str, data: bytes, findings: Findings) -> None:
    findings.counts["json"] += 1
    tree = parse(data, path)
    if path.startswith("sha256/"):
        if type(tree) is not dict or (tree.keys() != _BODY_MEMBERS and read_tombstone(tree) is None):
            findings.note("object-shape", "an object has the members apiVersion, kind and spec", path)
        elif canonical(tree) != data:
            findings.note("object-not-canonical", "its bytes are not the RFC 8785 form of its value", path)


def _json_lines(site: Site, path: str, data: bytes, findings: Findings) -> None:
    findings.counts["json"] += 1
    for number, line in enumerate(data.split(b"\n"), 1):
        if line:
            parse(line, f"{path}:{number}")


def _xml(site: Site, path: str, data: bytes, findings: Findings) -> None:
    findings.counts["xml"] += 1
    document = read_xml(data)
    findings.counts["entries"] += document.entries
    for code, problem, line in document.faults:
        findings.note(code, problem, path, line)
    for url, line in document.urls:
        _permalink(site, path, url, line, findings)


def _permalink(site: Site, path: str, url: str, line: int, findings: Findings) -> None:
    if not site.permalink_base or not url.startswith(site.permalink_base):
        findings.note("permalink-base", f"{url!r} is not below permalink_base {site.permalink_base!r}", path, line)
        return
    reference = resolve(site, path, url)
    if reference.code:
        findings.note(reference.code, reference.problem, path, line)
    elif reference.fragment:
        findings.fragments.setdefault(Fragment(reference.path, reference.fragment), f"{path}:{line}")


def _css(site: Site, path: str, data: bytes, findings: Findings) -> None:
    for match in _CSS_URL.finditer(data):
        url = (match[1] or match[2] or b"").decode("utf-8", "replace").strip()
        line = data.count(b"\n", 0, match.start()) + 1
        _judge(resolve(site, path, url), Link(url, "picture"), path, line, findings)


def _robots(site: Site, path: str, data: bytes, findings: Findings) -> None:
    if path == "robots.txt":
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            name, _, value = line.partition(":")
            if name.strip().lower() == "sitemap":
                _permalink(site, path, value.strip(), number, findings)


def _html(site: Site, path: str, data: bytes, findings: Findings) -> None:
    findings.counts["pages"] += 1
    try:
        page = read_page(data.decode("utf-8"))
    except UnicodeDecodeError as fault:
        findings.note("page-encoding", f"not UTF-8 at byte {fault.start}", path)
        return
    for code, problem, offset in page.faults:
        findings.note(code, problem, path, page.line(offset))
    findings.counts["links"] += len(page.links)
    # The first of equal links stands for all.
    for link in {link[:2]: link for link in reversed(page.links)}.values():
        _follow(site, path, page, link, findings)


def _follow(site: Site, path: str, page: Page, link: Link, findings: Findings) -> None:
    reference = resolve(site, path, link.url)
    if reference.fragment:
        _fragment(path, page, link, reference, findings)
    elif reference.code or reference.scheme:
        _judge(reference, link, path, page.line(link.offset), findings)


def _fragment(path: str, page: Page, link: Link, reference: Reference, findings: Findings) -> None:
    findings.counts["fragments"] += 1
    name = reference.fragment.partition(":~:")[0]
    if name in ("", "top"):
        return
    if reference.path != path:
        findings.fragments.setdefault(Fragment(reference.path, name), f"{path}:{page.line(link.offset)}")
    elif name not in page.ids and name not in page.anchors:
        findings.note("link-fragment", f"no element has the id {name!r}", path, page.line(link.offset))


def _judge(reference: Reference, link: Link, path: str, line: int, findings: Findings) -> None:
    """What may stand in a link that leads elsewhere: pages to visit; data to save, and pictures made of data."""
    shown = repr(link.url[:200])
    if reference.code:
        findings.note(reference.code, reference.problem, path, line)
    elif not reference.scheme or (reference.scheme == "data" and link.use in ("download", "picture")):
        return
    elif link.use in ("picture", "code"):
        findings.note("foreign-request", f"the page fetches {shown} by itself", path, line)
    elif reference.scheme not in ("http", "https", "mailto"):
        findings.note("link-scheme", f"{shown} is not a link to follow", path, line)


def look_for(site: Site, path: str, names: Iterable[tuple[str, str]]) -> Findings:
    """Look for fragments in one file; `names` are pairs of a name and the place of the link to it."""
    findings = Findings()
    if path.rpartition(".")[2] not in ("html", "svg"):
        return findings
    wanted = dict(names)
    for name in missing_ids(site.read(path).decode("utf-8", "replace"), wanted):
        findings.note("link-fragment", f"no element of {path!r} has the id {name!r}", *_split(wanted[name]))
    return findings


def _split(place: str) -> tuple[str, int]:
    path, _, line = place.rpartition(":")
    return path, int(line)


_LOOKS: dict[str, Callable[[Site, str, bytes, Findings], None]] = {
    "html": _html,
    "json": _json,
    "jsonl": _json_lines,
    "xml": _xml,
    "svg": _xml,
    "css": _css,
    "txt": _robots,
}

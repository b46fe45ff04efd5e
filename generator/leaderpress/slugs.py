"""Addresses of operations, projects and hardware: given once, at first publication, and only read after that.

A slug belongs to an *identity* within a kind: the digest of an operation or a project, the exact product text of a
piece of hardware.  Names come and go (an operation may be retitled, a project renamed, two may share a name); the
slug that an identity got first stays its address for ever.  This module decides slugs, it reads and writes nothing.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .canonical import sha256
from .errors import ContentError
from .format import kebab

OPERATION = "operation"
PROJECT = "project"
HARDWARE = "hardware"

PLACES = {OPERATION: "operations", PROJECT: "projects", HARDWARE: "hardware"}
"""First part of the address of what has a slug."""

LONGEST = 60
"""Characters of a slug before any suffix."""

_WELL_FORMED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# Windows cannot create files of these names; a slug of digits could be taken for a continuation page.
_RESERVED = re.compile(r"index|[0-9]+|con|prn|aux|nul|com[0-9]|lpt[0-9]")
# Ten digits are the rule, sixteen the rule's exception.  Names are chosen by strangers who could occupy both forms of
# somebody else's slug; the whole digest is longer than any name's slug, so that it cannot be occupied.
_SUFFIX_DIGITS = (10, 16)


@dataclass(frozen=True, slots=True)
class Named:
    """An identity that may need a slug, and the name that the slug is made from."""

    kind: str
    """`OPERATION`, `PROJECT` or `HARDWARE`."""
    identity: str
    """Digest of the operation or project; product text of the hardware."""
    name: str
    """Raw name of the operation, display name of the project, product text of the hardware."""


class SlugBook:
    """Every slug given so far.  A slug once recorded never changes and never passes to another identity.

    `retired` are digests (`address_digest`) of addresses that a removal took from their identities: whoever cited one
    meant them, so that nobody gets it any more, and only its digest may be kept.
    """

    def __init__(self, retired: Collection[str] = ()) -> None:
        self._retired = retired
        self._slugs: dict[tuple[str, str], str] = {}
        self._owners: dict[tuple[str, str], str] = {}

    def slug(self, kind: str, identity: str) -> str | None:
        """The identity's slug, None if it has none yet."""
        return self._slugs.get((kind, identity))

    def record(self, kind: str, identity: str, slug: str, at: str = "") -> None:
        """Take in a slug that an earlier ingest gave; repeating it is fine.

        Raises `ContentError` when the identity already has another slug, the slug another owner, or its spelling
        could not be a path.
        """
        if not _WELL_FORMED.fullmatch(slug):
            raise ContentError("slug-malformed", f"{slug!r} cannot be the slug of a {kind}", at=at, hint=_RESTORE)
        known = self._slugs.setdefault((kind, identity), slug)
        if known != slug:
            problem = f"the {kind} {identity} has the slug {known!r} and would get {slug!r}"
            raise ContentError("slug-changed", problem, at=at, hint=_RESTORE)
        owner = self._owners.setdefault((kind, slug), identity)
        if owner != identity:
            problem = f"the {kind} slug {slug!r} belongs to {owner} and would pass to {identity}"
            raise ContentError("slug-taken", problem, at=at, hint=_RESTORE)

    def assign(self, names: Iterable[Named]) -> None:
        """Give slugs to the identities of one ingest that have none, in the order that makes the outcome unique.

        The bare form goes to whoever comes first in order of the name's UTF-16 code units, then of the digest; an
        identity with several names is served under the first of them.
        """
        for named in sorted(names, key=_order):
            if self.slug(named.kind, named.identity) is None:
                self.record(named.kind, named.identity, self._free(named))

    def _free(self, named: Named) -> str:
        stem = slug_stem(named.name)
        digits = identity_digits(named.kind, named.identity)
        suffixed = [f"{stem or 'x'}-{digits[:count]}" for count in _SUFFIX_DIGITS]
        bare = [stem] if stem and not is_reserved(stem) else []
        for candidate in (*bare, *suffixed, f"x-{digits}"):
            if (named.kind, candidate) not in self._owners and not self._is_retired(named.kind, candidate):
                return candidate
        raise ContentError("slug-exhausted", f"no free slug for the {named.kind} {named.name!r} ({named.identity})")

    def _is_retired(self, kind: str, slug: str) -> bool:
        return bool(self._retired) and address_digest(f"{PLACES[kind]}/{slug}") in self._retired


def address_digest(address: str) -> str:
    """By what an address is known once it must not be named any more: the SHA-256 of `projects/blue-heron`."""
    return sha256(address.encode("utf-8"))


def retired_day(path: str, retired: Mapping[str, str]) -> str:
    """The day on which the page with this path lost its address, "" if it did not; `retired` as a removal keeps it."""
    return retired.get(address_digest("/".join(path.split("/")[:2])), "") if retired else ""


_RESTORE = "records are written once; restore the folder from version control"


def slug_stem(name: str) -> str:
    """The bare slug of a name: `kebab` cut at 60 characters without trailing hyphens; empty if nothing is left."""
    return kebab(name)[:LONGEST].rstrip("-")


def is_reserved(slug: str) -> bool:
    """Whether a bare slug is never given, because a file or a continuation page could bear the same name."""
    return _RESERVED.fullmatch(slug) is not None


def identity_digits(kind: str, identity: str) -> str:
    """The 64 hex digits that tell identities of one name apart: the digest's own, or the SHA-256 of a product."""
    digest = sha256(identity.encode("utf-8")) if kind == HARDWARE else identity
    return digest.removeprefix("sha256:")


def _order(named: Named) -> tuple[str, bytes, str]:
    # Big-endian UTF-16 sorts by code unit, as RFC 8785 sorts keys.
    return named.kind, named.name.encode("utf-16-be"), identity_digits(named.kind, named.identity)

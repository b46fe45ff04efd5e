"""What of a dump is new: one ordered stream over what the dump states and what the store holds about the same.

Documents and statements pass through sorted spools, so that memory does not grow with their size: only the digests
that others may refer to (packed), the slugs and what was refused are held.

A document is written when no folder holds its document digest.  A statement is written when it tells something:
when it is the first of its digest and source, when a field differs from everything stated before, or when what was
stated last no longer stands.  Fields left unstated never count as a change.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from ..canonical import canonical, sha256
from ..ingesters.packed import PackedMap
from ..manifests import KIND_ORDER, Manifest
from ..manifests.tombstone import buried
from ..slugs import HARDWARE, Named, SlugBook
from ..store import PROVENANCE, Draft, Folder, Journal, Line
from .claims import (
    PROJECT_KIND,
    REFERENCES,
    RUN,
    SLUG_KINDS,
    Claim,
    Identity,
    claim_record,
    held_record,
    named,
    read_identity,
    references,
)
from .holdings import Holding, Holdings
from .removed import Removed
from .spool import Sorter

DANGLING = "DANGLING"
"""Refused, because it refers to something that neither the dump nor the store holds."""
CONFLICTING_COPIES = "CONFLICTING_COPIES"
"""Refused, because the dump gives one upstream key to several runs."""
SOURCE_CONFLICT = "SOURCE_CONFLICT"
"""Refused, because the run itself names another source than the one that claims it."""
REDACTED_TEXT = "REDACTED_TEXT"
"""Refused, because a text that was lawfully removed is part of what ranking needs of it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A statement that was well-formed by itself but does not fit the rest."""

    reason: str
    at: str
    detail: str
    source: str
    external_id: str | None = None


class Settlement:
    """Collects a dump (`state`, `fact`, `ask`), then writes what the folders `held` lack (`write`, `write_facts`)."""

    def __init__(self, held: Sequence[Folder] = ()) -> None:
        self.slugs = SlugBook(held[-1].redactions.retired if held else ())
        self.refusals: list[Refusal] = []
        self.counts = {kind: {"new": 0, "revised": 0, "known": 0} for kind in KIND_ORDER}
        """Identities of the dump by kind: never seen, seen with another document, seen as they are."""
        self._holdings = Holdings(held)
        self._lines, self._keys, self._facts = Sorter(), Sorter(), Sorter()
        self._names: set[Named] = set()
        self._present: PackedMap[str] = PackedMap(1, _pack_kind, _unpack_kind)
        """Kinds of the documents that are there, by digest."""
        self._refused: set[str] = set()
        self.removed = Removed(held)

    def __enter__(self) -> "Settlement":
        return self

    def __exit__(self, *_: object) -> None:
        for spool in (self._lines, self._keys, self._facts):
            spool.__exit__()

    # -- collecting ----------------------------------------------------------------------------------------------

    def state(self, manifest: Manifest, line: Line, at: str) -> None:
        """Take in a statement of the dump; `line` is its provenance line without a slug."""
        targets = references(manifest)
        self._lines.add(*claim_record(manifest, line, at, targets))
        self._holdings.ask(manifest.digest, line.get("project"), *targets)
        if manifest.kind == RUN and "upstreamKey" in line:
            key = canonical([line["source"], line["upstreamKey"]])
            self._keys.add(b"%b\t1\t%b" % (key, manifest.digest.encode()))
            self._holdings.ask_key(key)
        if self.removed:
            self.removed.learn(manifest)
        if name := named(manifest, line.get("name")):
            self._names.add(name)

    def fact(self, about: str, source: str, name: str, value: Any) -> None:
        """Take in a fact of the dump; raises `ManifestError` when the value is not JSON."""
        line = {"about": about, "source": source, "name": name, "value": value}
        self._facts.add(_fact_key(line) + b"\t1\t" + canonical(line))
        self._holdings.ask(about)

    def ask(self, digest: str) -> None:
        """Say that `is_present` will be asked about a digest that no statement names."""
        self._holdings.ask(digest)

    def is_present(self, kind: str, digest: str) -> bool:
        """Whether the store holds a document of this kind, or will; after `write`, for runs only if there are facts."""
        return self._present.get(digest) == kind

    # -- documents and statements --------------------------------------------------------------------------------

    def write(self, draft: Draft, journal: Journal) -> None:
        """Write the documents and statements that are new, in the store's order, and log the documents."""
        for holding in self._holdings:
            self._hold(holding)
        self.slugs.assign(self.removed.names(self._names) if self.removed else self._names)
        disputed, returned = self._keys_at_odds()
        for identity in self._identities():
            claims = [claim for claim in identity.claims if self._fits(identity, claim, disputed)]
            if self.removed:
                claims = [*self._without_removed(identity, claims)]
            if claims:
                self._note_present(identity.kind, identity.digest)
                self._write_identity(draft, journal, identity, claims, returned)

    def _without_removed(self, identity: Identity, claims: list[Claim]) -> Iterator[Claim]:
        """The claims as they may be written, where something was removed from the records."""
        for claim in claims:
            held = [line for line in identity.held if line["source"] == claim.source]
            try:
                kept = self.removed.statement(identity.digest, claim.line, claim.document, held)
            except ValueError:
                self._refuse(identity, claim, REDACTED_TEXT, "ranking needs a part of it that was removed by law")
                continue
            if kept:
                line, document = kept
                yield claim._replace(text=canonical(line), document=document)

    def _hold(self, holding: Holding) -> None:
        """Take in a line of the store."""
        folder, position, line, is_asked, key = holding
        if is_asked:
            self._lines.add(held_record(line, folder.number, position))
            self._note_present(line["kind"], line["digest"])
        if key:
            self._keys.add(b"%b\t0\t%06d\t%09d\t%b" % (key, folder.number, position, line["digest"].encode()))
        if "slug" in line:
            kind = SLUG_KINDS[line["kind"]]
            owner = line["name"] if kind == HARDWARE else line["digest"]
            self.slugs.record(kind, owner, line["slug"], at=f"{folder.at(PROVENANCE)}:{position}")

    def _note_present(self, kind: str, digest: str) -> None:
        # Runs are the most numerous by far, and nothing but a fact refers to them.
        if kind != RUN or self._facts:
            self._present[digest] = kind

    def _keys_at_odds(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Pairs (source, digest): of runs that share a key in the dump, and of runs that have their key back.

        The latter are known runs whose key another run had meanwhile: the dump says that they stand again, which
        nobody would learn if their statement were left out as known.
        """
        disputed: set[tuple[str, str]] = set()
        returned: set[tuple[str, str]] = set()
        for key, records in groupby(self._keys, key=itemgetter(0)):
            held, stated = _split_by_origin(records)
            source = orjson.loads(key)[0]
            digests = {fields[2].decode() for fields in stated}
            if len(digests) > 1:
                disputed |= {(source, digest) for digest in digests}
            elif held and held[-1][4].decode() not in digests:
                returned |= {(source, digest) for digest in digests}
        return disputed, returned

    def _identities(self) -> Iterator[Identity]:
        for _, group in groupby(self._lines, key=itemgetter(0, 1)):
            yield read_identity(list(group))

    def _fits(self, identity: Identity, claim: Claim, disputed: set[tuple[str, str]]) -> bool:
        if claim.owner:
            problem = f"it is a run of {claim.owner!r}, claimed by {claim.source!r}"
            self._refuse(identity, claim, SOURCE_CONFLICT, problem)
        elif disputed and (claim.source, identity.digest) in disputed:
            key = claim.line.get("upstreamKey")
            self._refuse(identity, claim, CONFLICTING_COPIES, f"the dump gives the key {key!r} to several runs")
        elif missing := self._missing(identity, claim):
            self._refuse(identity, claim, DANGLING, f"its {missing} is neither in the dump nor in the store")
        else:
            return True
        return False

    def _missing(self, identity: Identity, claim: Claim) -> str:
        """The first reference that leads nowhere, in words; empty if all lead somewhere."""
        if claim.project and not self.is_present(PROJECT_KIND, claim.project):
            return f"project {claim.project}"
        if not identity.held:
            for target, (path, kinds) in zip(claim.references, REFERENCES.get(identity.kind, ()), strict=True):
                if self._present.get(target) not in kinds:
                    return f"{'.'.join(path)} {target}"
        return ""

    def _refuse(self, identity: Identity, claim: Claim, reason: str, problem: str) -> None:
        self._refused.add(identity.digest)
        detail = f"{identity.kind} {identity.digest}: {problem}"
        at = claim.at or identity.digest
        self.refusals.append(Refusal(reason, at, detail, claim.source, claim.line.get("externalId")))

    def _write_identity(
        self,
        draft: Draft,
        journal: Journal,
        identity: Identity,
        claims: list[Claim],
        returned: set[tuple[str, str]],
    ) -> None:
        held_documents = {line["documentDigest"] for line in identity.held}
        documents = {claim.document_digest: claim.document for claim in claims}
        fresh = sorted(documents.keys() - held_documents)
        for document_digest in fresh:
            draft.manifest(documents[document_digest])
            if self.removed and buried(documents[document_digest]):
                self.removed.buried.add(identity.digest)
            journal.document(identity.digest, identity.kind, document_digest)
        slug = {} if identity.held else self._slug(identity, claims[0].document)
        for claim in _telling(identity, claims, returned):
            draft.provenance(canonical({**claim.line, **slug}) if slug else claim.text)
            slug = {}
        state = "new" if not identity.held else "revised" if fresh else "known"
        self.counts[identity.kind][state] += 1

    def _slug(self, identity: Identity, document: bytes) -> Line:
        """What the first line of a digest says about its slug; empty for kinds without one.

        An environment's own first line carries the slug of its product, with the product as its name, even if an
        older environment has the same product: each line can then be understood without the others, and `SlugBook`
        refuses two that disagree.
        """
        kind = SLUG_KINDS.get(identity.kind)
        if kind is None:
            return {}
        if kind != HARDWARE:
            return {"slug": self.slugs.slug(kind, identity.digest)}
        product = orjson.loads(document)["spec"]["hardware"]["product"]
        return {"name": product, "slug": self.slugs.slug(kind, product)}

    # -- facts ---------------------------------------------------------------------------------------------------

    def write_facts(self, draft: Draft) -> None:
        """Write the facts that are new; after `write`, because a fact is about something that is present."""
        if not self._facts:
            return
        for folder in self._holdings.folders:
            for position, line in enumerate(folder.facts(), 1):
                order = b"\t0\t%06d\t%09d\t" % (folder.number, position)
                self._facts.add(_fact_key(line) + order + sha256(canonical(line)).encode())
                if self.removed:
                    self.removed.hold_fact(line)
        for key, records in groupby(self._facts, key=itemgetter(0)):
            known, stated = _split_by_origin(records)
            facts = [fields[2] for fields in stated]
            if self.removed:
                facts = [fact for text in facts if (fact := self.removed.fact(text))]
            if facts and self._is_about_something(key):
                for fact in _new_facts([fields[4].decode() for fields in known], facts):
                    draft.fact(fact)

    def _is_about_something(self, key: bytes) -> bool:
        about, source, name = orjson.loads(key)
        if about in self._present:
            return True
        if about not in self._refused:
            detail = f"the fact {name!r} is about {about}, which is neither in the dump nor in the store"
            self.refusals.append(Refusal(DANGLING, about, detail, source))
            self._refused.add(about)
        return False


def _telling(identity: Identity, claims: list[Claim], returned: set[tuple[str, str]]) -> list[Claim]:
    """The statements that are worth a line, in their order."""
    if not identity.held:
        return claims
    held: dict[str, list[Line]] = {}
    for line in identity.held:
        held.setdefault(line["source"], []).append(line)
    standing = {
        source
        for source, lines in held.items()
        if (source, identity.digest) not in returned
        and any(_says(lines[-1], claim.line) for claim in claims if claim.source == source)
    }
    return [
        claim
        for claim in claims
        if claim.source not in standing or not any(_says(older, claim.line) for older in held[claim.source])
    ]


def _says(older: Line, line: Line) -> bool:
    """Whether the older line already says everything that this one states."""
    return all(older.get(name) == value for name, value in line.items())


def _new_facts(known: Sequence[str], stated: Sequence[bytes]) -> list[bytes]:
    digests = {sha256(line): line for line in stated}
    if known and known[-1] in digests:
        return [line for digest, line in digests.items() if digest not in known]
    return list(digests.values())


def _split_by_origin(records: Iterable[list[bytes]]) -> tuple[list[list[bytes]], list[list[bytes]]]:
    """Records of the store and of the dump, by the mark in their second field."""
    held: list[list[bytes]] = []
    stated: list[list[bytes]] = []
    for parts in records:
        (held if parts[1] == b"0" else stated).append(parts)
    return held, stated


def _fact_key(line: Line) -> bytes:
    return canonical([line["about"], line["source"], line["name"]])


def _pack_kind(kind: str) -> bytes:
    return bytes((KIND_ORDER.index(kind),))


def _unpack_kind(packed: bytes) -> str:
    return KIND_ORDER[packed[0]]

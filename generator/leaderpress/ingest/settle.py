"""What of a dump is new: one ordered stream over what the store holds and what the dump states.

Documents and statements of the whole store pass through sorted spools, so that memory does not grow with their
size: only the digests that others may refer to, the slugs and what was refused are held.

A document is written when no folder holds its document digest.  A statement is written when it tells something:
when it is the first of its digest and source, when a field differs from everything stated before, or when what was
stated last no longer stands.  Fields left unstated never count as a change.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from ..canonical import canonical, sha256
from ..errors import ManifestError
from ..manifests import KIND_ORDER, Manifest
from ..slugs import HARDWARE, OPERATION, PROJECT, Named, SlugBook
from ..store import PROVENANCE, Draft, Folder, Line
from .spool import Sorter

DANGLING = "DANGLING"
"""Refused, because it refers to something that neither the dump nor the store holds."""
CONFLICTING_COPIES = "CONFLICTING_COPIES"
"""Refused, because the dump gives one upstream key to several runs."""
SOURCE_CONFLICT = "SOURCE_CONFLICT"
"""Refused, because the run itself names another source than the one that claims it."""

_RUN = "BenchmarkRun"
_PROJECT_KIND = "SoftwareProject"
_SLUG_KINDS = {"OperationSpec": OPERATION, _PROJECT_KIND: PROJECT, "ExecutionEnvironment": HARDWARE}
_RANKS = {kind: f"{position:02d}" for position, kind in enumerate(KIND_ORDER)}

_OF_OPERATION = ("OperationSpec",)
_REFERENCES: dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "WorkloadSuite": ((("operationSpecDigest",), _OF_OPERATION),),
    "WorkloadCase": ((("operationSpecDigest",), _OF_OPERATION),),
    "ImplementationRevision": ((("operation", "specDigest"), _OF_OPERATION),),
    _RUN: (
        (("implementationDigest",), ("ImplementationRevision",)),
        (("workloadDigest",), ("WorkloadSuite", "WorkloadCase")),
        (("protocolDigest",), ("BenchmarkProtocol",)),
        (("environmentDigest",), ("ExecutionEnvironment",)),
    ),
}
"""For each kind: where its spec names another document, and the kinds that may stand there."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A statement that was well-formed by itself but does not fit the rest."""

    reason: str
    at: str
    detail: str
    source: str
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Claim:
    """One statement of the dump, read back from the spool."""

    line: Line
    text: bytes
    """The line's canonical bytes."""
    document: bytes
    at: str


@dataclass(frozen=True, slots=True)
class _Identity:
    """Everything about one digest: the store's lines in order of publication, the dump's in canonical order."""

    kind: str
    digest: str
    held: list[Line]
    claims: list[_Claim]


class Settlement:
    """Collects the store (`hold`) and a dump (`state`, `fact`), then writes what is new (`write`, `write_facts`)."""

    def __init__(self) -> None:
        self.slugs = SlugBook()
        self.refusals: list[Refusal] = []
        self.counts = {kind: {"new": 0, "revised": 0, "known": 0} for kind in KIND_ORDER}
        """Identities of the dump by kind: never seen, seen with another document, seen as they are."""
        self._lines, self._keys, self._facts = Sorter(), Sorter(), Sorter()
        self._names: set[Named] = set()
        self._present: dict[str, set[bytes]] = {kind: set() for kind in KIND_ORDER}
        self._refused: set[str] = set()

    def __enter__(self) -> "Settlement":
        return self

    def __exit__(self, *_: object) -> None:
        for spool in (self._lines, self._keys, self._facts):
            spool.__exit__()

    # -- collecting ----------------------------------------------------------------------------------------------

    def hold(self, folder: Folder) -> None:
        """Take in what a folder of the store says; folders come oldest first."""
        for position, line in enumerate(folder.provenance(), 1):
            order = b"0\t%06d\t%09d" % (folder.number, position)
            identity = _rank(line["kind"]) + line["digest"].encode()
            self._lines.add(identity + b"\t%b\t" % order + orjson.dumps(line))
            self._add_key(line, order)
            if "slug" in line:
                kind = _SLUG_KINDS[line["kind"]]
                owner = line["name"] if kind == HARDWARE else line["digest"]
                self.slugs.record(kind, owner, line["slug"], at=f"{folder.at(PROVENANCE)}:{position}")

    def state(self, manifest: Manifest, line: Line, at: str) -> None:
        """Take in a statement of the dump; `line` is its provenance line without a slug."""
        order = f"\t1\t{manifest.document_digest}\t{line['source']}\t".encode()
        record = _rank(manifest.kind) + manifest.digest.encode() + order + canonical(line)
        self._lines.add(record + b"\t" + manifest.document, note=orjson.dumps(at))
        self._add_key(line, b"1")
        if named := _named(manifest, line.get("name")):
            self._names.add(named)

    def fact(self, about: str, source: str, name: str, value: Any) -> None:
        """Take in a fact of the dump; raises `ManifestError` when the value is not JSON."""
        line = {"about": about, "source": source, "name": name, "value": value}
        self._facts.add(_fact_key(line) + b"\t1\t" + canonical(line))

    def is_present(self, kind: str, digest: str) -> bool:
        """Whether the store holds a document of this kind, or will; after `write`, for runs only if there are facts."""
        return _raw(digest) in self._present[kind]

    def _add_key(self, line: Line, order: bytes) -> None:
        if line["kind"] == _RUN and "upstreamKey" in line:
            key = canonical([line["source"], line["upstreamKey"]])
            self._keys.add(b"%b\t%b\t%b" % (key, order, line["digest"].encode()))

    # -- documents and statements --------------------------------------------------------------------------------

    def write(self, draft: Draft) -> None:
        """Write the documents and statements that are new, in the store's order."""
        self.slugs.assign(self._names)
        disputed, returned = self._keys_at_odds()
        for identity in self._identities():
            claims = [claim for claim in identity.claims if self._fits(identity, claim, disputed)]
            # Runs are the most numerous by far, and nothing but a fact refers to them.
            if (identity.held or claims) and (identity.kind != _RUN or self._facts):
                self._present[identity.kind].add(_raw(identity.digest))
            if claims:
                self._write_identity(draft, identity, claims, returned)

    def _keys_at_odds(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Pairs (source, digest): of runs that share a key in the dump, and of runs that have their key back.

        The latter are known runs whose key another run had meanwhile: the dump says that they stand again, which
        nobody would learn if their statement were left out as known.
        """
        disputed: set[tuple[str, str]] = set()
        returned: set[tuple[str, str]] = set()
        for key, records in groupby((record.split(b"\t") for record, _ in self._keys), key=lambda parts: parts[0]):
            held, stated = _split_by_origin(records)
            if not stated:
                continue
            source = orjson.loads(key)[0]
            digests = {parts[-1].decode() for parts in stated}
            if len(digests) > 1:
                disputed |= {(source, digest) for digest in digests}
            elif held and held[-1][-1].decode() not in digests:
                returned |= {(source, digest) for digest in digests}
        return disputed, returned

    def _identities(self) -> Iterator[_Identity]:
        lines = ((record.split(b"\t"), note) for record, note in self._lines)
        for (rank, digest), group in groupby(lines, key=lambda pair: (pair[0][0], pair[0][1])):
            held: list[Line] = []
            claims: list[_Claim] = []
            last = b""
            for parts, note in group:
                if parts[2] == b"0":
                    held.append(orjson.loads(parts[5]))
                elif parts[5] != last:
                    last = parts[5]
                    claims.append(_Claim(orjson.loads(last), last, parts[6], orjson.loads(note)))
            yield _Identity(KIND_ORDER[int(rank)], digest.decode(), held, claims)

    def _fits(self, identity: _Identity, claim: _Claim, disputed: set[tuple[str, str]]) -> bool:
        source = claim.line["source"]
        spec = orjson.loads(claim.document)["spec"] if identity.kind in _REFERENCES else {}
        owner = spec.get("sourceNative", {}).get("source", source)
        if owner != source:
            self._refuse(identity, claim, SOURCE_CONFLICT, f"it is a run of {owner!r}, claimed by {source!r}")
        elif (source, identity.digest) in disputed:
            key = claim.line.get("upstreamKey")
            self._refuse(identity, claim, CONFLICTING_COPIES, f"the dump gives the key {key!r} to several runs")
        elif missing := self._missing(identity, claim, spec):
            self._refuse(identity, claim, DANGLING, f"its {missing} is neither in the dump nor in the store")
        else:
            return True
        return False

    def _missing(self, identity: _Identity, claim: _Claim, spec: Line) -> str:
        """The first reference that leads nowhere, in words; empty if all lead somewhere."""
        project = claim.line.get("project")
        if project is not None and not self.is_present(_PROJECT_KIND, project):
            return f"project {project}"
        if not identity.held:
            for path, kinds in _REFERENCES.get(identity.kind, ()):
                target = _follow(spec, path)
                if not any(self.is_present(kind, target) for kind in kinds):
                    return f"{'.'.join(path)} {target}"
        return ""

    def _refuse(self, identity: _Identity, claim: _Claim, reason: str, problem: str) -> None:
        self._refused.add(identity.digest)
        detail = f"{identity.kind} {identity.digest}: {problem}"
        at = claim.at or identity.digest
        self.refusals.append(Refusal(reason, at, detail, claim.line["source"], claim.line.get("externalId")))

    def _write_identity(
        self, draft: Draft, identity: _Identity, claims: list[_Claim], returned: set[tuple[str, str]]
    ) -> None:
        held_documents = {line["documentDigest"] for line in identity.held}
        documents = {claim.line["documentDigest"]: claim.document for claim in claims}
        fresh = sorted(documents.keys() - held_documents)
        for document_digest in fresh:
            draft.manifest(documents[document_digest])
        slug = {} if identity.held else self._slug(identity, claims[0].document)
        for claim in _telling(identity, claims, returned):
            draft.provenance(canonical({**claim.line, **slug}) if slug else claim.text)
            slug = {}
        state = "new" if not identity.held else "revised" if fresh else "known"
        self.counts[identity.kind][state] += 1

    def _slug(self, identity: _Identity, document: bytes) -> Line:
        """What the first line of a digest says about its slug; empty for kinds without one.

        An environment's own first line carries the slug of its product, with the product as its name, even if an
        older environment has the same product: each line can then be understood without the others, and `SlugBook`
        refuses two that disagree.
        """
        kind = _SLUG_KINDS.get(identity.kind)
        if kind is None:
            return {}
        if kind != HARDWARE:
            return {"slug": self.slugs.slug(kind, identity.digest)}
        product = orjson.loads(document)["spec"]["hardware"]["product"]
        return {"name": product, "slug": self.slugs.slug(kind, product)}

    # -- facts ---------------------------------------------------------------------------------------------------

    def write_facts(self, draft: Draft, held: Iterable[Folder]) -> None:
        """Write the facts that are new; after `write`, because a fact is about something that is present."""
        if not self._facts:
            return
        for folder in held:
            for position, line in enumerate(folder.facts(), 1):
                order = b"\t0\t%06d\t%09d\t" % (folder.number, position)
                self._facts.add(_fact_key(line) + order + sha256(canonical(line)).encode())
        for key, records in groupby((record.split(b"\t") for record, _ in self._facts), key=lambda parts: parts[0]):
            known, stated = _split_by_origin(records)
            if stated and self._is_about_something(key):
                for fact in _new_facts([parts[-1].decode() for parts in known], [parts[-1] for parts in stated]):
                    draft.fact(fact)

    def _is_about_something(self, key: bytes) -> bool:
        about, source, name = orjson.loads(key)
        if any(self.is_present(kind, about) for kind in KIND_ORDER):
            return True
        if about not in self._refused:
            detail = f"the fact {name!r} is about {about}, which is neither in the dump nor in the store"
            self.refusals.append(Refusal(DANGLING, about, detail, source))
            self._refused.add(about)
        return False


def _telling(identity: _Identity, claims: list[_Claim], returned: set[tuple[str, str]]) -> list[_Claim]:
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
        and any(_says(lines[-1], claim.line) for claim in claims if claim.line["source"] == source)
    }
    return [
        claim
        for claim in claims
        if claim.line["source"] not in standing
        or not any(_says(older, claim.line) for older in held[claim.line["source"]])
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


def _rank(kind: str) -> bytes:
    try:
        return b"%b\t" % _RANKS[kind].encode()
    except KeyError:
        raise ManifestError("kind-unknown", f"{kind!r} is not a kind that the store knows") from None


def _raw(digest: str) -> bytes:
    return bytes.fromhex(digest[7:])


def _fact_key(line: Line) -> bytes:
    return canonical([line["about"], line["source"], line["name"]])


def _follow(spec: Line, path: tuple[str, ...]) -> str:
    node: Any = spec
    for name in path:
        node = node[name]
    return str(node)


def _named(manifest: Manifest, stated: str | None) -> Named | None:
    kind = _SLUG_KINDS.get(manifest.kind)
    if kind is None:
        return None
    if kind == HARDWARE:
        product = manifest.spec["hardware"]["product"]
        return Named(kind, product, product)
    metadata = manifest.metadata
    own = manifest.spec["name"] if kind == PROJECT else metadata.get("title") or metadata["name"]
    return Named(kind, manifest.digest, own if stated is None else stated)

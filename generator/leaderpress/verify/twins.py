"""What the JSON twins of run and group pages say, held against the canonical objects."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from ..canonical import parse, sha256
from ..errors import LeaderpressError
from ..format import quantity
from ..ranking.events import record_events
from ..ranking.rank import Candidate, Rank, rank, ranking_digest
from .chain import Chain, chain_of
from .findings import Findings
from .objects import Found, Objects, object_path

PATH = re.compile(r"(runs|groups)/([0-9a-f]{64})/index\.json")
_CODES = {"runs": "run-differs", "groups": "group-differs"}
SOURCE_METRIC = "source metric"
"""How the page marks a number that the run's `sourceNative` states."""
_HINT = "the canonical object is right; build the site again"

Twin = Mapping[str, Any]


class Claim(NamedTuple):
    """Something that a twin says, and what follows from the objects."""

    pointer: str
    expected: object
    found: object


class Twins:
    """Checks twins of one site."""

    def __init__(self, root: str, objects: Objects) -> None:
        self._root = root
        self._objects = objects
        self._group = lru_cache(64)(self._read_group)

    def check(self, path: str, data: bytes, findings: Findings) -> None:
        """Hold the twin at `path` against the objects that it is about."""
        name = PATH.fullmatch(path)
        if name is None:
            return
        findings.counts[name[1]] += 1
        digest = f"sha256:{name[2]}"
        try:
            twin = parse(data, path)
            claims = self.run_claims(digest, twin) if name[1] == "runs" else self.group_claims(digest, twin)
            report(claims, path, _CODES[name[1]], findings)
        except LeaderpressError as fault:
            findings.add(fault)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as fault:
            findings.wrong("twin-shape", f"not the twin of such a page: {type(fault).__name__} {fault}", path, _HINT)

    def _read_group(self, hexdigits: str) -> dict[str, Any]:
        """Standing of every run of a group's twin, by digest; empty where it cannot be read."""
        try:
            with open(f"{self._root}/groups/{hexdigits}/index.json", "rb") as stream:
                twin = orjson.loads(stream.read())
            return {run["digest"]: run for run in twin["runs"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    # -- runs ------------------------------------------------------------------------------------------------------

    def run_claims(self, digest: str, twin: Twin) -> Iterator[Claim]:
        """What the twin of a run says."""
        yield Claim("/digest", digest, twin["digest"])
        chain = chain_of(self._objects, digest)
        if chain is None:
            found = self._objects.get(digest)
            if found.state == "missing":
                yield Claim("/digest", f"a published object {object_path(digest)}", "none")
            return
        yield from _statements(chain, twin)
        yield from _documents(self._objects, chain, twin)
        yield from _measured(chain, twin)
        yield from self._standing(digest, twin)

    def _standing(self, digest: str, twin: Twin) -> Iterator[Claim]:
        """Rank and number must be those of the group's ranking."""
        ranking = self._group(twin["comparison_key"][7:])
        standing, place = twin["standing"], ranking.get(digest)
        if not ranking:
            return
        if standing is None or place is None:
            yield Claim("/standing", None if place is None else f"rank {place['rank']}", standing)
            return
        yield Claim("/standing/rank", place["rank"], standing["rank"])
        yield Claim("/standing/of", len(ranking), standing["of"])
        yield Claim("/primary/value", place["value"], twin["primary"]["value"])

    # -- groups ----------------------------------------------------------------------------------------------------

    def group_claims(self, key: str, twin: Twin) -> Iterator[Claim]:
        """What the twin of a group says."""
        yield Claim("/key", key, twin["key"])
        yield Claim("/key_body", key, sha256(twin["key_body"].encode()))
        stated = [Rank(run["digest"], run["rank"], 0, 0) for run in twin["runs"]]
        yield Claim("/ranking", ranking_digest(key, stated), twin["ranking"])
        chains = [chain_of(self._objects, run["digest"]) for run in twin["runs"]]
        for place, (run, chain) in enumerate(zip(twin["runs"], chains, strict=True)):
            yield from self._member(key, f"/runs/{place}", run, chain)
        if candidates := self._candidates(twin, chains):
            yield from _order(candidates, twin)
        for place, run in enumerate(twin["excluded"]):
            if self._objects.get(run["digest"]).state == "missing":
                yield Claim(f"/excluded/{place}/digest", f"a published object {object_path(run['digest'])}", "none")

    def _member(self, key: str, pointer: str, run: Twin, chain: Chain | None) -> Iterator[Claim]:
        if chain is None:
            found = self._objects.get(run["digest"])
            if found.state == "missing" or found.is_gone:
                state = "one that was removed as a whole" if found.is_gone else "none"
                yield Claim(f"{pointer}/digest", f"a published run {object_path(run['digest'])}", state)
            return
        if chain.key:
            # The group that the run's own documents put it in.
            yield Claim(pointer, key, chain.key)
        measured = chain.primary
        yield Claim(f"{pointer}/value", measured.value if measured else None, run["value"])
        yield Claim(f"{pointer}/evidence", chain.evidence or run["evidence"], run["evidence"])

    def _candidates(self, twin: Twin, chains: Sequence[Chain | None]) -> list[Candidate]:
        """The ranked runs as the objects state them; empty where one of them cannot be read.

        A run from which a text was removed still ranks, and its tombstone has no figures: what the twin says stands.
        """
        found = []
        for run, chain in zip(twin["runs"], chains, strict=True):
            stone = chain is None and self._objects.get(run["digest"]).state == "redacted"
            candidate = _as_stated(run) if stone else _candidate(chain, run)
            if candidate is None:
                return []
            found.append(candidate)
        return found


def report(claims: Iterator[Claim], path: str, code: str, findings: Findings) -> None:
    """Note every claim that does not hold."""
    for pointer, expected, found in claims:
        findings.counts["claims"] += 1
        if expected != found:
            findings.differs(code, f"{pointer} is another", expected, found, f"{path}#{pointer}", _HINT)


def _statements(chain: Chain, twin: Twin) -> Iterator[Claim]:
    """Facts of the identity body that the page shows."""
    run = chain.run
    yield Claim("/status", run["status"], twin["status"])
    yield Claim("/observed_at", run["observedAt"], twin["observed_at"])
    yield Claim("/observed_on", run["observedAt"][:10], twin["observed_on"])
    yield Claim("/evidence", chain.evidence or twin["evidence"], twin["evidence"])
    key = chain.key or twin["comparison_key"]
    yield Claim("/comparison_key", key, twin["comparison_key"])
    shown = {"Comparison key": key, "Run digest": chain.digest}
    for place, line in enumerate(twin["identity"]):
        if line["label"] in shown:
            yield Claim(f"/identity/{place}/value", shown[line["label"]], line["value"])


def _documents(objects: Objects, chain: Chain, twin: Twin) -> Iterator[Claim]:
    """The digests of the chain as the page lists them, and the sizes of their files."""
    run = chain.run
    expected = {
        "Run": chain.digest,
        "Implementation": run["implementationDigest"],
        "Operation": chain.operation,
        "Workload": run["workloadDigest"],
        "Protocol": run["protocolDigest"],
        "Environment": run["environmentDigest"],
    }
    yield Claim("/workload/digest", run["workloadDigest"], twin["workload"]["digest"])
    listed = {_label(document) for document in twin["documents"]}
    for label in expected.keys() - listed:
        yield Claim("/documents", f"a document {label}", sorted(listed))
    for place, document in enumerate(twin["documents"]):
        digest = document["digest"]
        yield Claim(f"/documents/{place}/digest", expected.get(_label(document)) or digest, digest)
        yield Claim(f"/documents/{place}/path", object_path(digest), document["path"])
        yield from _size(objects.get(digest), f"/documents/{place}", document)


def _label(document: Twin) -> str:
    """What a document of the chain is; that it was redacted stands after a comma."""
    return str(document["label"]).partition(",")[0]


def _size(found: Found, pointer: str, document: Twin) -> Iterator[Claim]:
    if found.state == "missing":
        yield Claim(f"{pointer}/digest", f"a published object {object_path(document['digest'])}", "none")
    elif found.state == "sound":
        yield Claim(f"{pointer}/bytes", found.size, document["bytes"])


def _measured(chain: Chain, twin: Twin) -> Iterator[Claim]:
    """The number that is cited, as it is shown and as it is exact."""
    measured = chain.primary
    figure = twin["primary"]
    if figure is None:
        if chain.run["status"] == "passed" and measured is not None and measured.value is not None:
            yield Claim("/primary", measured.value, None)
        return
    if measured is None or measured.value is None:
        yield Claim("/primary", None, figure["value"])
        return
    shown = quantity(measured.value, measured.unit)
    yield Claim("/primary/value", measured.value, figure["value"])
    yield Claim("/primary/number", shown.number, figure["number"])
    yield Claim("/primary/unit", shown.unit, figure["unit"])
    yield Claim("/primary/exact", shown.exact, figure["exact"])
    native = chain.run.get("sourceNative", {}).get("metrics", {}).values()
    for place, line in enumerate(twin["measurements"]):
        if line["said_by"] == SOURCE_METRIC and line["figure"]["value"] not in native:
            yield Claim(f"/measurements/{place}/figure/value", sorted(native), line["figure"]["value"])


def _candidate(chain: Chain | None, run: Twin) -> Candidate | None:
    """A ranked run; its evidence is what the twin says where a text was removed from the implementation."""
    measured = chain.primary if chain is not None else None
    if chain is None or measured is None or measured.value is None:
        return None
    evidence = chain.evidence or (run["evidence"] if chain.implementation.state == "redacted" else "")
    return Candidate(chain.digest, measured.value, evidence, chain.run["observedAt"]) if evidence else None


def _as_stated(run: Twin) -> Candidate | None:
    """What the twin says of a ranked run of which only a tombstone is published."""
    observed = run.get("observed_at")
    return Candidate(run["digest"], run["value"], run["evidence"], observed) if observed else None


def _order(candidates: Sequence[Candidate], twin: Twin) -> Iterator[Claim]:
    """Ranks, their order and the records over time, computed again from the objects."""
    better = twin["better"]
    places = rank(candidates, better)
    for place, (expected, run) in enumerate(zip(places, twin["runs"], strict=True)):
        yield Claim(f"/runs/{place}/digest", expected.digest, run["digest"])
        yield Claim(f"/runs/{place}/rank", expected.rank, run["rank"])
        yield Claim(f"/runs/{place}/tied", bool(expected.tied), bool(run["tied"]))
    events = [(event.digest, event.observed_at) for event in record_events(candidates, better)]
    stated = [(event["digest"], event["observed_at"]) for event in twin["records"]]
    yield Claim("/records", events, stated)

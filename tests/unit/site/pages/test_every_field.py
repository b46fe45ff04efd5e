"""Every field that a manifest states stands on some page: complete documents, each leaf of which is told apart."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_site import TinySite

from leaderpress.canonical import number_text, sha256
from leaderpress.manifests import KIND_ORDER, Manifest, parse

DOCUMENTS = Path(__file__).parents[2] / "manifests" / "documents"
"""One document of each kind with every field that the kind has."""

FIXED = {
    # What has few values, or leads to another document; it stays as it is.
    "apiVersion", "kind", "role", "type", "layout", "mutation", "determinism", "nanPolicy", "infinityPolicy", "status",
    "observedAt", "primaryStatistic", "source", "operationSpecDigest", "specDigest", "implementationDigest",
    "workloadDigest", "protocolDigest", "environmentDigest", "expression",
}  # fmt: skip
NOT_SHOWN = {
    "apiVersion": "the same in every document",
    "kind": "the page's own kind",
    "spec/axes/*/role": "the word `variable`, an equals sign or a value alone says it",
    "spec/semantics/determinism": "`unspecified` reads `not stated`",
    "spec/axes/*/type": "axes count, nothing else exists",
    "spec/host/kind": "of another host than the known ones the name says all",
    "spec/source/sizeBytes": "a table has room for a rounded size only",
}

Json = Any


class Distinct:
    """Gives every leaf a value of its own, of the same form."""

    def __init__(self) -> None:
        self.count = 4100

    def of(self, value: Json, key: str = "") -> Json:
        if isinstance(value, dict):
            return {name: self.of(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [self.of(part, key) for part in value]
        if isinstance(value, bool) or key in FIXED:
            return value
        self.count += 1
        if isinstance(value, int | float):
            return self.count / 10000 if isinstance(value, float) or key in RATIOS else self.count
        return self._text(value)

    def _text(self, value: str) -> str:
        if value.startswith("sha256:"):
            return sha256(str(self.count).encode())
        if re.fullmatch("[0-9a-f]{40}", value):
            return f"{self.count:040d}"
        if value.startswith("https://"):
            return f"https://x{self.count}.example/"
        if value.startswith("kernelindex:"):
            return f"store:file/{self.count}"
        if re.fullmatch("[a-z][a-z0-9_]*", value):
            return f"{value}_x{self.count}" if "_" in value else f"{value}x{self.count}"
        return f"{value} x{self.count}" if " " in value or "." in value else f"{value}x{self.count}"


RATIOS = {"matchedRatio", "requiredMatchedRatio"}


def leaves(value: Json, at: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, f"{at}/{name}")
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, at)
    else:
        yield at, value


def words(value: Json) -> str:
    """A text as it is compared: pages write words for tokens and group digits."""
    return re.sub(r"[\s_]+", " ", str(value).replace("\u202f", "").casefold())


def complete() -> dict[str, Manifest]:
    """The complete documents, distinct, and naming each other by digest."""
    distinct = Distinct()
    made: dict[str, Manifest] = {}
    for kind in KIND_ORDER:
        value = distinct.of(copy.deepcopy(json.loads((DOCUMENTS / f"{kind}.json").read_bytes())))
        spec = value["spec"]
        if kind == "OperationSpec":
            spec["axes"]["heads"] |= {"minimum": 8121, "maximum": 8122}
        if "operationSpecDigest" in spec:
            spec["operationSpecDigest"] = made["OperationSpec"].digest
        if kind == "ImplementationRevision":
            spec["operation"]["specDigest"] = made["OperationSpec"].digest
        if kind == "BenchmarkRun":
            spec["implementationDigest"] = made["ImplementationRevision"].digest
            spec["workloadDigest"] = made["WorkloadCase"].digest
            spec["protocolDigest"] = made["BenchmarkProtocol"].digest
            spec["environmentDigest"] = made["ExecutionEnvironment"].digest
            spec["sourceNative"]["source"] = "board"
        made[kind] = parse(value, kind)
    return made


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Manifest], str]:
    """The documents, and all that the twins of a site of them say."""
    made = complete()
    on_suite = copy.deepcopy(made["BenchmarkRun"].value)
    on_suite["spec"]["workloadDigest"] = made["WorkloadSuite"].digest
    team = made["SoftwareProject"].digest
    owned = {"ImplementationRevision": {"project": team}, "BenchmarkRun": {"project": team, "external_id": "run/1"}}
    site = TinySite(tmp_path_factory.mktemp("every-field"))
    site.feed(
        *({"manifest": manifest.document, **owned.get(kind, {})} for kind, manifest in made.items()),
        {"manifest": parse(on_suite, "").document, "project": team, "external_id": "run/2"},
    )
    with site.pages() as at:
        groups = tuple(row[0] for row in at.index.pairs("select key from grp order by key"))
        tasks = tuple(row[0] for row in at.index.pairs("select slug from task"))
        projects = tuple(row[0] for row in at.index.pairs("select slug from project"))
    subjects = (made["ImplementationRevision"].digest,)
    jobs = [("group", groups), ("task", tasks), ("project", projects), ("subject", subjects)]
    files = {path: data for kind, keys in jobs for path, data in site.files(kind, *keys).items()}
    twins = [json.loads(data) for path, data in files.items() if path.endswith("index.json")]
    texts = [words(number_text(v) if type(v) in (int, float) else v) for twin in twins for _, v in leaves(twin, "")]
    return made, "\n".join(texts)


@pytest.mark.parametrize("kind", KIND_ORDER)
def test_every_field_of_a_document_stands_in_some_twin(kind: str, pages: tuple[dict[str, Manifest], str]) -> None:
    made, said = pages
    missing = []
    for at, value in leaves(made[kind].value, ""):
        place = re.sub(r"^spec/axes/[^/]+/", "spec/axes/*/", at[1:])
        if place not in NOT_SHOWN and not isinstance(value, bool):
            shown = number_text(value) if isinstance(value, int | float) else value
            if not re.search(rf"(?<![\w.]){re.escape(words(shown))}(?!\w)", said):
                missing.append((at, value))
    assert missing == []

"""The catalog export: every manifest of the real one, and every fault of a small one, in its place."""

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from leaderpress.canonical import digest_of
from leaderpress.ingesters import load
from leaderpress.ingesters.base import Drift, Fact, Finding, Rejection, Statement, open_dump
from leaderpress.manifests import parse

KI = load("kernelindex")
SOL = load("sol-execbench")
FIXTURE = Path(__file__).with_name("sol_execbench") / "dump"

Rows = list[dict[str, Any]]


def _findings(path: Path) -> list[Finding]:
    return list(KI.ingest(open_dump([path], KI.SUFFIXES), "kernelindex"))


def _statements(findings: list[Finding]) -> list[Statement]:
    return [found for found in findings if isinstance(found, Statement)]


def _rejections(findings: list[Finding]) -> list[Rejection]:
    return [found for found in findings if isinstance(found, Rejection)]


# -- the real export ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(corpus: Path) -> list[Finding]:
    return _findings(corpus / "data/kernelindex")


@pytest.fixture(scope="module")
def real_rows(corpus: Path) -> dict[str, Rows]:
    (path,) = (corpus / "data/kernelindex").glob("*.zst")
    text = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    tables: dict[str, Rows] = {}
    for line in text.splitlines():
        parsed = json.loads(line)
        tables.setdefault(parsed["table"], []).append(parsed["row"])
    return tables


def test_every_manifest_of_the_real_export_is_taken(real: list[Finding]) -> None:
    assert _rejections(real) == []
    assert [found for found in real if isinstance(found, Drift)] == []
    assert Counter(found.manifest.kind for found in _statements(real)) == {
        "OperationSpec": 449,
        "WorkloadSuite": 256,
        "WorkloadCase": 5371,
        "SoftwareProject": 588,
        "ImplementationRevision": 4250,
        "BenchmarkProtocol": 6,
        "ExecutionEnvironment": 15,
        "BenchmarkRun": 7857,
    }
    assert len({found.manifest.digest for found in _statements(real)}) == 18792


def test_every_digest_of_the_real_export_is_the_stated_one(real: list[Finding], real_rows: dict[str, Rows]) -> None:
    stated = {
        row[name]
        for table, names in {
            "operations": ("semanticDigest",),
            "workloads": ("workloadDigest",),
            "implementations": ("implementationDigest",),
            "benchmark_runs": ("runDigest", "protocolKey", "environmentKey"),
        }.items()
        for row in real_rows[table]
        for name in names
    }
    given = {found.manifest.digest for found in _statements(real) if found.manifest.kind != "SoftwareProject"}
    assert given == stated


def test_what_only_the_tables_hold_goes_into_the_statements(real: list[Finding], real_rows: dict[str, Rows]) -> None:
    by_digest = {found.manifest.digest: found for found in _statements(real)}
    slugs = {row["id"]: row["slug"] for row in real_rows["sources"]}
    projects = {row["id"]: row for row in real_rows["projects"]}
    implementations = {row["id"]: row for row in real_rows["implementations"]}
    for row in real_rows["benchmark_runs"]:
        found = by_digest[row["runDigest"]]
        assert (found.source, found.upstream_published_at) == (slugs[row["sourceId"]], row["publishedAt"])
        project = by_digest[found.project or ""]
        assert project.name == projects[implementations[row["implementationId"]]["projectId"]]["name"]
    assert (
        sum(found.name != found.manifest.spec["name"] for found in _statements(real) if _is(found, "SoftwareProject"))
        == 331
    )
    tags = {row["semanticDigest"]: tuple(dict.fromkeys(row["tags"])) for row in real_rows["operations"]}
    assert {found.manifest.digest: found.tags for found in _statements(real) if _is(found, "OperationSpec")} == tags
    assert sum(len(found.aliases) for found in _statements(real) if _is(found, "OperationSpec")) == 450
    runs = [found for found in _statements(real) if _is(found, "BenchmarkRun")]
    ids = {row["runDigest"]: row["id"] for row in real_rows["benchmark_runs"]}
    assert {found.manifest.digest: found.aliases for found in runs} == {run: (row,) for run, row in ids.items()}
    artifacts = [artifact["digest"] for found in _statements(real) for artifact in found.artifacts]
    assert set(artifacts) == {row["contentDigest"] for row in real_rows["artifacts"]}


def _is(found: Statement, kind: str) -> bool:
    return found.manifest.kind == kind


def test_upstream_keys_are_unique_and_only_where_the_source_has_them(real: list[Finding]) -> None:
    runs = [found for found in _statements(real) if _is(found, "BenchmarkRun")]
    keys = Counter((found.source, found.upstream_key) for found in runs if found.upstream_key)
    assert set(keys.values()) == {1}
    assert Counter(found.source for found in runs if found.upstream_key) == {
        "gpumode-kernelbot": 5215,
        "sol-execbench": 705,
    }
    sample = next(found for found in runs if found.source == "gpumode-kernelbot")
    spec = sample.manifest.spec
    external = spec["sourceNative"]["externalId"]
    assert sample.external_id == external
    assert sample.upstream_key == f"{external}/{spec['workloadDigest'][7:19]}/{spec['environmentDigest'][7:19]}"
    sol = next(found for found in runs if found.source == "sol-execbench")
    assert sol.external_id == sol.upstream_key == f"submission/{sol.manifest.spec['sourceNative']['externalId']}"


def test_both_real_inputs_give_the_same_documents(real: list[Finding], corpus: Path) -> None:
    dump = open_dump([corpus / "data/sol-execbench"], SOL.SUFFIXES)
    ours = {found.manifest.digest: found for found in SOL.ingest(dump, "sol-execbench") if isinstance(found, Statement)}
    theirs = {found.manifest.digest: found for found in _statements(real)}
    shared = ours.keys() & theirs.keys()
    assert len(shared) == 5837
    differing = [digest for digest in shared if ours[digest].manifest.document != theirs[digest].manifest.document]
    # The dump was rebuilt without the order in which the source states the axes of a case; titles keep that order.
    for digest in differing:
        one, other = (dict(side[digest].manifest.metadata) for side in (ours, theirs))
        titles = one.pop("title"), other.pop("title")
        assert ours[digest].manifest.kind == "WorkloadCase"
        assert one == other
        assert _parts(titles[0]) == _parts(titles[1]) or all(len(title) == 200 for title in titles)
        assert all(title.endswith("…") for title in titles if _parts(titles[0]) != _parts(titles[1]))
    for digest in shared:
        for name in ("source", "external_id", "upstream_key", "project", "name", "tags"):
            assert getattr(ours[digest], name) == getattr(theirs[digest], name), name


def _parts(title: str) -> list[str]:
    return sorted(title.split(" · ", 1)[1].split(", "))


# -- a small export ----------------------------------------------------------------------------------------------


SOURCES = [
    ("s-1", "sol-execbench", "https://research.nvidia.com/benchmarks"),
    ("s-2", "gpumode-kernelbot", "https://example.invalid/kernels"),
    ("s-3", "flashinfer-bench", "https://example.invalid/traces"),
]


def _export() -> Rows:
    """An export made of the invented dump of the other ingester, with rows as the tables have them."""
    dump = open_dump([FIXTURE], SOL.SUFFIXES)
    found = [item for item in SOL.ingest(dump, "sol-execbench") if isinstance(item, Statement)]
    rows: Rows = [
        _line("sources", id=row_id, slug=slug, name=slug, policy=url and {"url": url}) for row_id, slug, url in SOURCES
    ]
    by_kind: dict[str, list[Statement]] = {}
    for item in found:
        by_kind.setdefault(item.manifest.kind, []).append(item)
    for item in by_kind["SoftwareProject"]:
        rows.append(_line("projects", id=item.manifest.digest, name=f"{item.name}!", manifest=_value(item)))
    for item in by_kind["OperationSpec"]:
        digest = item.manifest.digest
        rows.append(
            _line(
                "operations", id=digest, name=item.name, semanticDigest=digest, tags=["a", "a"], manifest=_value(item)
            )
        )
        rows.append(_line("operation_aliases", operationId=digest, alias=f"alias of {item.name}"))
    for item in (*by_kind["WorkloadSuite"], *by_kind["WorkloadCase"]):
        digest, operation = item.manifest.digest, item.manifest.spec["operationSpecDigest"]
        rows.append(_line("workloads", id=digest, operationId=operation, workloadDigest=digest, manifest=_value(item)))
    for item in by_kind["ImplementationRevision"]:
        value = _value(item)
        value["spec"]["source"] = {"contentDigest": _content(item), "fileName": "kernel.py"}
        digest = parse(value).digest
        operation = value["spec"]["operation"]["specDigest"]
        rows.append(
            _line(
                "implementations",
                id=item.manifest.digest,
                operationId=operation,
                projectId=item.project,
                implementationDigest=digest,
                manifest=value,
            )
        )
        rows.append(
            _line("artifacts", id=f"a-{digest}", contentDigest=_content(item), kind="source", sizeBytes=3, uri=None)
        )
    documents = {item.manifest.digest: _value(item) for item in found}
    implementations = {row["row"]["id"]: row["row"] for row in rows if row["table"] == "implementations"}
    workloads = {row["row"]["id"]: row["row"] for row in rows if row["table"] == "workloads"}
    for number, item in enumerate(by_kind["BenchmarkRun"]):
        spec = item.manifest.spec
        rows += _run_rows(number, spec, implementations[spec["implementationDigest"]], workloads, documents, item)
    order = list(KI_ORDER)
    return sorted(rows, key=lambda line: order.index(line["table"]))


KI_ORDER = (
    *("sources", "projects", "operations", "operation_aliases", "workloads", "implementations"),
    *("benchmark_runs", "measurements", "record_events", "artifacts"),
)


def _run_rows(
    number: int, spec: dict[str, Any], implementation: dict[str, Any], workloads: Any, documents: Any, item: Statement
) -> Rows:
    value = _value(item)
    value["spec"]["implementationDigest"] = implementation["implementationDigest"]
    workload = workloads[spec["workloadDigest"]]["manifest"]["spec"]
    key = {
        "v": 1,
        "operation": workload["operationSpecDigest"],
        "workload": spec["workloadDigest"],
        "protocol": spec["protocolDigest"],
        "environment": spec["environmentDigest"],
        "correctness": digest_of({"correctness": workload["correctness"]}),
        "metric": "latency:mean:ns",
    }
    run = _line(
        "benchmark_runs",
        id=f"r-{number}",
        sourceId="s-1",
        workloadId=spec["workloadDigest"],
        implementationId=implementation["id"],
        runDigest=parse(value).digest,
        protocolKey=spec["protocolDigest"],
        environmentKey=spec["environmentDigest"],
        comparisonKey=digest_of(key),
        publishedAt="2026-03-04T05:06:07.089Z",
        retractedAt="2026-04-01T00:00:00.000Z" if number == 0 else None,
        manifest={
            "run": value,
            "protocol": documents[spec["protocolDigest"]],
            "environment": documents[spec["environmentDigest"]],
        },
    )
    extra = {"id": f"m-{number}", "runId": f"r-{number}"}
    return [run, _line("measurements", **extra, metric="latency"), _line("record_events", **extra, previousRunId=None)]


def _line(table: str, **row: Any) -> dict[str, Any]:
    return {"table": table, "row": row}


def _value(item: Statement) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(item.manifest.document)
    return value


def _content(item: Statement) -> str:
    return digest_of({"source of": item.manifest.digest})


@pytest.fixture(scope="module")
def export() -> Rows:
    return _export()


def _text(rows: Rows) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in rows)


@pytest.fixture
def ingest(tmp_path: Path) -> Callable[[Rows], list[Finding]]:
    def run(rows: Rows) -> list[Finding]:
        (tmp_path / "x.jsonl").write_bytes(_text(rows))
        return _findings(tmp_path / "x.jsonl")

    return run


def _count(rows: Rows, *tables: str) -> int:
    return sum(line["table"] in tables for line in rows)


def _identities(findings: list[Finding]) -> set[tuple[Any, ...]]:
    return {
        (item.manifest.document_digest, item.source, item.name, item.project, item.upstream_key, item.tags)
        for item in _statements(findings)
    }


def test_a_small_export_is_taken_whole(export: Rows, ingest: Callable[[Rows], list[Finding]]) -> None:
    found = ingest(export)
    assert _rejections(found) == []
    documents = _count(export, "projects", "operations", "workloads", "implementations", "benchmark_runs")
    shared = Counter(item.manifest.kind for item in _statements(found))
    assert len(_statements(found)) == documents + shared["BenchmarkProtocol"] + shared["ExecutionEnvironment"]
    assert {item.source for item in _statements(found) if item.manifest.kind == "BenchmarkRun"} == {"sol-execbench"}
    assert [(item.name, item.value) for item in found if isinstance(item, Fact)] == [
        ("retractedAt", "2026-04-01T00:00:00.000Z")
    ]
    assert all(
        len(item.artifacts) == 1 for item in _statements(found) if item.manifest.kind == "ImplementationRevision"
    )


def test_tables_may_come_in_any_order_and_in_several_files(
    export: Rows, ingest: Callable[[Rows], list[Finding]], tmp_path: Path
) -> None:
    wanted = _identities(ingest(export))
    for seed in range(5):
        shuffled = random.Random(seed).sample(export, len(export))
        found = ingest(shuffled)
        assert _rejections(found) == []
        assert _identities(found) == wanted
        seen: set[str] = set()
        for item in _statements(found):
            assert item.project is None or item.project in seen
            seen.add(item.manifest.digest)
    (tmp_path / "x.jsonl").unlink()
    for position in range(3):
        (tmp_path / f"{position}.jsonl").write_bytes(_text(export[position::3]))
    assert _identities(_findings(tmp_path)) == wanted


def test_compressed_and_plain_exports_give_the_same(
    export: Rows, ingest: Callable[[Rows], list[Finding]], tmp_path: Path
) -> None:
    wanted = ingest(export)
    (tmp_path / "x.jsonl").unlink()
    (tmp_path / "x.jsonl.zst").write_bytes(zstandard.compress(_text(export)))
    assert _identities(_findings(tmp_path)) == _identities(wanted)


def test_the_source_of_what_no_run_names_is_told_by_its_address(
    export: Rows, ingest: Callable[[Rows], list[Finding]]
) -> None:
    rows = copy.deepcopy(export)
    operation = next(line["row"] for line in rows if line["table"] == "operations" and "quiet" in line["row"]["name"])
    cases = ["https://example.invalid/traces/16", "https://example.invalid/traces"]
    for address in cases:
        operation["manifest"]["metadata"]["sourceRefs"] = [{"url": address}]
        found = ingest(rows)
        sources = {item.source for item in _statements(found) if b"quiet" in item.manifest.document}
        assert sources == {"flashinfer-bench"}, address
    operation["manifest"]["metadata"]["sourceRefs"] = [{"url": "https://example.invalid/traces-of-others"}]
    rejected = _rejections(ingest(rows))
    assert {item.reason for item in rejected} == {"MALFORMED"}
    assert "which source" in rejected[0].detail


BAD = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("table", "path", "value", "place"),
    [
        ("sources", "slug", "somebody-else", "/row/slug"),
        ("sources", "id", None, "/row/id"),
        ("projects", "name", "", "/row/name"),
        ("projects", "manifest", None, "/row/manifest"),
        ("projects", "manifest/spec/name", 5, "/row/manifest/spec/name"),
        ("projects", "manifest/kind", "OperationSpec", "/row/manifest/spec/"),
        ("operations", "semanticDigest", BAD, "/row/semanticDigest"),
        ("operations", "semanticDigest", None, "/row/semanticDigest"),
        ("operations", "tags", "a", "/row/tags"),
        ("operations", "manifest/spec/more", 1, "/row/manifest/spec/more"),
        ("operation_aliases", "operationId", "missing", "/row/operationId"),
        ("operation_aliases", "alias", None, "/row/alias"),
        ("workloads", "workloadDigest", BAD, "/row/workloadDigest"),
        ("workloads", "operationId", "missing", "/row/operationId"),
        ("implementations", "implementationDigest", BAD, "/row/implementationDigest"),
        ("implementations", "projectId", "missing", "/row/projectId"),
        ("implementations", "manifest/spec/licensing", None, "/row/manifest/spec/licensing"),
        ("benchmark_runs", "runDigest", BAD, "/row/runDigest"),
        ("benchmark_runs", "comparisonKey", BAD, "/row/comparisonKey"),
        ("benchmark_runs", "protocolKey", BAD, "/row/protocolKey"),
        ("benchmark_runs", "environmentKey", BAD, "/row/environmentKey"),
        ("benchmark_runs", "workloadId", "missing", "/row/workloadId"),
        ("benchmark_runs", "implementationId", "missing", "/row/implementationId"),
        ("benchmark_runs", "sourceId", "missing", "/row/sourceId"),
        ("benchmark_runs", "publishedAt", "soon", "/row/publishedAt"),
        ("benchmark_runs", "manifest", [], "/row/manifest"),
        ("benchmark_runs", "manifest/run", None, "/row/manifest/run"),
        ("benchmark_runs", "manifest/protocol", {}, "/row/manifest/protocol/kind"),
        (
            "benchmark_runs",
            "manifest/run/spec/timing/latencyNs/mean",
            -1,
            "/row/manifest/run/spec/timing/latencyNs/mean",
        ),
        (
            "benchmark_runs",
            "manifest/run/spec/observedAt",
            "2026-02-30T00:00:00.000Z",
            "/row/manifest/run/spec/observedAt",
        ),
        ("measurements", "runId", "missing", "/row/runId"),
        ("record_events", "previousRunId", "missing", "/row/previousRunId"),
    ],
)
def test_a_false_row_is_rejected_in_its_place_with_what_needs_it(
    export: Rows, ingest: Callable[[Rows], list[Finding]], table: str, path: str, value: Any, place: str
) -> None:
    rows = copy.deepcopy(export)
    position = max(number for number, line in enumerate(rows) if line["table"] == table)
    target: Any = rows[position]["row"]
    *parents, last = path.split("/")
    for name in parents:
        target = target[name]
    target[last] = value
    found = ingest(rows)
    rejected = _rejections(found)
    at = f"x.jsonl:{position + 1}#{place}"
    first = next(item for item in rejected if item.at.startswith(f"x.jsonl:{position + 1}#"))
    assert (first.reason, first.verdict) == ("MALFORMED", False)
    assert first.at == at or (place.endswith("/") and first.at.startswith(at))
    _require_nothing_lost(rows, found)
    if table not in ("sources", "operation_aliases", "measurements", "record_events"):
        whole = _identities(ingest(export))
        assert _identities(found) < whole


def _require_nothing_lost(rows: Rows, findings: list[Finding]) -> None:
    """Each row is either rejected once, or all that it states is given, and nothing given hangs in the air."""
    rejected = Counter(item.at.partition("#")[0] for item in _rejections(findings))
    assert set(rejected.values()) <= {1}
    given = {item.at for item in _statements(findings)}
    named: set[str] = set()
    for number, line in enumerate(rows, 1):
        at = f"x.jsonl:{number}"
        if line.get("table") in ("projects", "operations", "workloads", "implementations", "benchmark_runs"):
            assert (at in given) != (at in rejected), at
    for item in _statements(findings):
        references = json.dumps(item.manifest.spec).split('"sha256:')[1:]
        digests = {"sha256:" + reference.split('"')[0] for reference in references}
        contents = {item.manifest.spec.get("source", {}).get("contentDigest")}
        assert digests - contents <= named, item.at
        named.add(item.manifest.digest)


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        (b"nonsense", "", "not strict JSON"),
        (b"[1]", "", "no object"),
        (b"{}", "#/table", "no table None"),
        (b'{"table":"secrets","row":{}}', "#/table", "no table 'secrets'"),
        (b'{"table":["sources"],"row":{}}', "#/table", "no table"),
        (b'{"table":"projects"}', "#/row", "row is no object"),
        (b'{"table":"projects","row":[]}', "#/row", "row is no object"),
        (b'{"table":"projects","row":{"id":"p","id":"q"}}', "#/row", "twice"),
        (b'{"table":"projects","row":{"id":NaN}}', "#/row/id", "finite"),
        (b'{"table":"projects","row":{"id":"p","name":"\\u0000"}}', "#/row/name", "NUL"),
        (b'{"table":"projects","row":{"id":9007199254740993}}', "#/row/id", "beyond"),
        (b'{"table":"measurements","row":{"runId":"r-0"},"table":"sources"}', "", "twice"),
        (b'{"table":"measurements","row":{"runId":' + b"[" * 300 + b"]" * 300 + b"}}", "", "nested"),
        (b'{"table":"sources","row":{"id":"s-1","slug":"sol-execbench"}', "", "not strict JSON"),
        (b'{"table":"measurements","row":{"runId":"' + b"9" * 10_000_000 + b'"}}', "#/row/runId", "missing"),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_bad_line_costs_no_other(
    export: Rows, tmp_path: Path, text: bytes, place: str, problem: str, last: bool
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(_text(export))
    wanted = _identities(_findings(path))
    number = len(export) + 1 if last else 1
    path.write_bytes(_text(export) + text if last else text + b"\n" + _text(export))
    found = _findings(path)
    (rejected,) = _rejections(found)
    assert rejected.reason == "MALFORMED"
    assert rejected.at == f"x.jsonl:{number}{place}" or (not place and rejected.at.startswith(f"x.jsonl:{number}#"))
    assert problem in rejected.detail
    assert len(rejected.detail) <= 300
    assert _identities(found) == wanted


@pytest.mark.parametrize(
    "table", ["sources", "projects", "operations", "workloads", "implementations", "benchmark_runs"]
)
def test_a_row_that_stands_twice_counts_once_and_another_of_its_id_is_refused(
    export: Rows, ingest: Callable[[Rows], list[Finding]], table: str
) -> None:
    same = [line for line in export if line["table"] == table]
    found = ingest([*export, copy.deepcopy(same[0])])
    assert [(item.reason, item.verdict) for item in _rejections(found)] == [("IDENTICAL_COPY", True)]
    other = copy.deepcopy(same[1])
    other["row"]["id"] = same[0]["row"]["id"]
    found = ingest([*export, other])
    assert [(item.reason, item.verdict) for item in _rejections(found)] == [("CONFLICTING_COPIES", False)]
    assert _identities(found) == _identities(ingest(export))


def test_an_artifact_that_nothing_names_is_told_and_harmless(
    export: Rows, ingest: Callable[[Rows], list[Finding]]
) -> None:
    found = ingest([*export, _line("artifacts", contentDigest=BAD, kind="log")])
    assert [(item.reason, item.verdict) for item in _rejections(found)] == [("UNREFERENCED", True)]


def test_columns_that_are_new_are_counted(export: Rows, ingest: Callable[[Rows], list[Finding]]) -> None:
    rows = copy.deepcopy(export)
    runs = [line for line in rows if line["table"] == "benchmark_runs"]
    for line in runs:
        line["row"]["mood"] = "good"
    drift = [item for item in ingest(rows) if isinstance(item, Drift)]
    first = f"x.jsonl:{rows.index(runs[0]) + 1}"
    assert [(item.field, item.at, item.count) for item in drift] == [("benchmark_runs.mood", first, len(runs))]


def test_a_truncated_export_gives_what_is_whole_and_says_where_it_breaks_off(export: Rows, tmp_path: Path) -> None:
    data = zstandard.ZstdCompressor(level=1).compress(_text(export))
    (tmp_path / "x.jsonl.zst").write_bytes(zstandard.compress(_text(export[:40])) + data[: len(data) // 2])
    found = _findings(tmp_path)
    assert len(_statements(found)) > 20
    last = [item for item in _rejections(found) if "breaks off" in item.detail]
    assert [(item.reason, item.verdict) for item in last] == [("MALFORMED", False)]
    assert last[0].at.startswith("x.jsonl.zst:")


def test_mutations_of_an_export_raise_nothing_and_lose_nothing(export: Rows, tmp_path: Path) -> None:
    chance = random.Random(20261202)
    lines = _text(export).splitlines()
    alphabet = [b"null", b"0", b'""', b"[]", b"{}", b"}", b"{", b'"', b",", b"\xff", b"1e999", b"sha256:", b"x"]
    taken = 0
    for turn in range(300):
        mutated = list(lines)
        for _ in range(chance.choice((1, 2, 5))):
            number = chance.randrange(len(mutated))
            line = mutated[number]
            start = chance.randrange(len(line))
            end = start + chance.choice((0, 1, 5, 30))
            mutated[number] = (line[:start] + chance.choice(alphabet) + line[end:]).replace(b"\n", b" ") or b"x"
        (tmp_path / "x.jsonl").write_bytes(b"\n".join(mutated))
        found = _findings(tmp_path / "x.jsonl")
        _require_nothing_lost([_lenient(line) for line in mutated], found)
        unread = {number for number, line in enumerate(mutated, 1) if not _lenient(line)}
        at = {item.at.partition("#")[0] for item in _rejections(found)}
        assert {f"x.jsonl:{number}" for number in unread} <= at, turn
        taken += len(_statements(found))
    assert taken > 300 * 20


def _lenient(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}

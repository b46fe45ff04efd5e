"""Invented documents of every kind, as large and as varied as those of real boards; each is sealed by the product."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from figures import AXES, FAMILIES, INPUTS, TRANSLATED_NAMES

from leaderpress.canonical import digest_of
from leaderpress.manifests.base import API_VERSION, Manifest, seal

Choice = TypeVar("Choice")
Object = dict[str, Any]

ADDRESSES = {
    "gpumode-kernelbot": "https://huggingface.co/datasets/GPUMODE/kernelbot-data",
    "flashinfer-bench": "https://huggingface.co/datasets/flashinfer-ai/flashinfer-trace",
    "sol-execbench": "https://research.nvidia.com/benchmarks/sol-execbench",
}

_AXES = (
    "batch_size", "seq_len", "head_dim", "num_heads", "hidden_size", "num_pages", "page_size", "num_kv_heads",
    "len_indptr", "num_kv_indices", "vec_size", "num_experts", "top_k", "block", "vocab_size",
)  # fmt: skip
_TENSORS = ("hidden_states", "weight", "bias", "scale", "key_cache", "value_cache", "indices", "mask", "residual")
_TYPES = ("bf16", "fp16", "fp32", "fp8_e4m3", "int32")
_WORDS = (
    "fused", "grouped", "query", "attention", "paged", "decode", "with", "residual", "addition", "and", "block",
    "scaled", "weights", "for", "each", "token", "of", "the", "batch", "then", "the", "output", "projection",
    "is", "applied", "in", "a", "single", "pass", "over", "the", "captured", "shapes", "of", "a", "large",
    "model",
)  # fmt: skip
_TRANSLATED = (
    "深い学習工房",
    "빠른 커널 연구소",
    "Żółta Gęś",
    "rocket 🚀 kernels",
    "北方的狼",
    "اختبار سريع",
    "lynn 𖤐",
    "Ünal Öz",
)
_FIRST = ("swift", "lazy", "tensor", "warp", "cuda", "quiet", "north", "blue", "tiny", "mad", "stack", "silent")
_LAST = ("fox", "smith", "labs", "otter", "kernel", "wizard", "works", "panda", "forge", "river", "owl", "team")


class Dice:
    """A random stream of its own for everything that is made, so that nothing depends on the order of making."""

    def __init__(self, *key: object) -> None:
        self._random = random.Random(":".join(map(str, key))).random

    def unit(self) -> float:
        return self._random()

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def chance(self, share: float) -> bool:
        return self._random() < share

    def pick(self, choices: Sequence[Choice]) -> Choice:
        return choices[self.below(len(choices))]

    def hex(self, digits: int) -> str:
        return "".join(self.pick("0123456789abcdef") for _ in range(digits))

    def digest(self) -> str:
        return f"sha256:{int(self._random() * 2**53):014x}{int(self._random() * 2**53):050x}"

    def words(self, count: int) -> str:
        return " ".join(self.pick(_WORDS) for _ in range(count))

    def shuffled(self, deck: Sequence[Choice]) -> list[Choice]:
        mixed = list(deck)
        for position in range(len(mixed) - 1, 0, -1):
            other = self.below(position + 1)
            mixed[position], mixed[other] = mixed[other], mixed[position]
        return mixed


def document(kind: str, name: str, spec: Object, **metadata: Any) -> Manifest:
    """A sealed document."""
    return seal({"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec})


def project(source: str, number: int, dice: Dice) -> tuple[Manifest, str]:
    """A project and its name as shown."""
    plain = f"{dice.pick(_FIRST)}{dice.pick(('', '-', '_', ' '))}{dice.pick(_LAST)}{dice.below(1000) or ''}"
    shown = f"{dice.pick(_TRANSLATED)} {number}" if dice.chance(TRANSLATED_NAMES) else plain
    spec = {"host": {"id": f"{source}/user/{10_000_000 + number}", "kind": "other"}, "name": shown}
    return document("SoftwareProject", f"{source}-user-{10_000_000 + number}", spec), shown


def operation(source: str, number: int, dice: Dice) -> Manifest:
    """An operation; `number` makes it unlike all others."""
    family = dice.pick(FAMILIES)
    names = _AXES[: dice.pick(AXES)]
    axes: Object = {}
    for position, axis in enumerate(names):
        if position < 2:
            axes[axis] = {"role": "variable", "type": "integer"}
        elif position == 5:
            axes[axis] = {"role": "derived", "type": "integer", "expression": f"{names[2]} * {names[3]}"}
        else:
            axes[axis] = {"role": "constant", "type": "integer", "value": 64 << dice.below(8)}
    title = f"{number:03d}_{family.replace('-', '_')}_{dice.pick(_WORDS)}_{dice.pick(_WORDS)}"
    spec = {
        "axes": axes,
        "family": family,
        "inputs": [_argument(name, names, dice) for name in tensor_names(dice.pick(INPUTS))],
        "outputs": [_argument(name, names, dice) for name in ("output", "lse")[: 1 + dice.chance(0.7)]],
        "reference": {"language": "python"},
        "semantics": {"determinism": "unspecified", "mutation": "none", "expression": f"entry {number}"},
    }
    reference = {"url": f"{ADDRESSES[source]}/blob/main/definitions/{title}.json"}
    about = dice.words(18 + dice.below(40))
    return document(
        "OperationSpec", title.replace("_", "-"), spec, title=title, description=about, sourceRefs=[reference]
    )


def tensor_names(count: int) -> list[str]:
    """Names of inputs, all different."""
    return [_TENSORS[index % 9] + (f"_{index // 9}" if index >= 9 else "") for index in range(count)]


def _argument(name: str, axes: Sequence[str], dice: Dice) -> Object:
    shape = [dice.pick(axes) for _ in range(1 + dice.below(3))]
    return {"name": name, "tensor": {"dtype": dice.pick(_TYPES), "shape": shape}}


def _bound_axes(task: Manifest, case: int, dice: Dice) -> dict[str, int]:
    return {
        axis: (1 << dice.below(5)) + case if role["role"] == "variable" else role.get("value", 4096)
        for axis, role in task.spec["axes"].items()
    }


def case(task: Manifest, number: int, comparator: str, dice: Dice) -> Manifest:
    """A case of an operation."""
    axes = _bound_axes(task, number, dice)
    tensors = {
        argument["name"]: {
            "dtype": argument["tensor"]["dtype"],
            "shape": [axes[axis] for axis in argument["tensor"]["shape"]],
            **({"data": {"generator": "random"}} if comparator.startswith("flashinfer") else {}),
        }
        for argument in task.spec["inputs"]
    }
    spec = {"axes": axes, "tensors": tensors, "correctness": {"comparator": comparator},
            "operationSpecDigest": task.digest}  # fmt: skip
    bound = ", ".join(f"{axis}={value}" for axis, value in axes.items())
    name, title = task.metadata["name"], f"{task.metadata['title']} · {bound}"
    return document("WorkloadCase", f"{name}-{dice.hex(8)}", spec, title=title[:200])


def suite(task: Manifest, cases: int, comparator: str, statistic: str, dice: Dice) -> Manifest:
    """A suite of an operation's cases."""
    entries = [{"axes": _bound_axes(task, number, dice), "externalId": dice.hex(12)} for number in range(cases)]
    correctness = {"comparator": comparator, "description": "outputs match those of the reference in every case"}
    spec = {"cases": entries, "correctness": correctness, "operationSpecDigest": task.digest,
            "aggregation": {"metric": "latency", "statistic": statistic}}  # fmt: skip
    name, title = task.metadata["name"], f"{task.metadata['title']} · suite of {cases}"
    return document("WorkloadSuite", f"{name}-suite", spec, title=title)


def implementation(source: str, task: Manifest, number: int, by: str, product: str, dice: Dice) -> Manifest:
    """One submission for an operation."""
    kernelbot = source == "gpumode-kernelbot"
    version = f"submission-{number}"
    spec: Object = {
        "callable": {"language": dice.pick(("python", "triton", "cuda"))},
        "licensing": {},
        "operation": {"specDigest": task.digest},
        "projectRevision": {"version": version},
        "support": {"dtypes": ["bf16", "fp32"], "hardwareArchitectures": ["sm_100"], "productsTested": [product]},
    }
    metadata: Object = {"title": f"{task.metadata['title']} · submission {number}", "authors": [{"name": by}]}
    if kernelbot:
        size = 500 + dice.below(40_000)
        spec["source"] = {"contentDigest": dice.digest(), "fileName": "submission.py", "sizeBytes": size}
        metadata |= {"description": "submission.py", "sourceRefs": [{"url": ADDRESSES[source]}]}
    if source == "flashinfer-bench":
        spec["licensing"] = {"concluded": "Apache-2.0", "declared": "Apache-2.0"}
        spec["projectRevision"] |= {"commit": dice.hex(40), "repository": "https://github.com/flashinfer-ai/flashinfer"}
        metadata.pop("authors")
    return document("ImplementationRevision", f"{source}-{version}", spec, **metadata)


def environment(source: str, row: Sequence[str]) -> Manifest:
    """A machine of a board."""
    vendor, product, architecture, form, version = row
    hardware = {"architecture": architecture, "product": product, "vendor": vendor}
    software: Object = {}
    if source == "sol-execbench":
        software = {"libraries": {"evaluation_stack": version}}
    elif version:
        software = {"cudaToolkit": "12.8", "framework": {"name": "pytorch", "version": version}}
    name = "-".join(filter(None, (source, *product.lower().split(), form[7:].lower(), version.replace("+", "-"))))
    spec = {"hardware": hardware | ({"formFactor": form} if form else {}), "software": software}
    return document("ExecutionEnvironment", name, spec, title=f"{product} {version}".strip())


def protocol(source: str, statistic: str, version: str = "") -> Manifest:
    """The rules of a board."""
    harness = {"name": f"{source} evaluation", "repository": "https://example.org/harness"}
    spec = {
        "harness": harness | ({"version": version} if version else {}),
        "measurement": {"primaryStatistic": statistic, "timer": "wall_clock"},
        "correctness": {"comparator": comparator(source), "reference": "reference implementation of the definition"},
        "comparability": {
            "family": source.replace("-", "_"),
            "notes": "Comparable within one problem and device only.",
        },
    }
    return document("BenchmarkProtocol", f"{source}-{statistic}{version}", spec, title=f"{source}, {statistic}")


def comparator(source: str) -> str:
    """The check that a board makes."""
    return f"{source.replace('-', '_')}_eval"


def comparison_key(task: Manifest, workload: Manifest, rules: Manifest, machine: Manifest, metric: str) -> str:
    """The key of a comparison group, as exports state it."""
    parts = {
        "environment": machine.digest,
        "protocol": rules.digest,
        "operation": task.digest,
        "workload": workload.digest,
    }
    correctness = digest_of({"correctness": workload.spec["correctness"]})
    return digest_of({"v": 1, "correctness": correctness, "metric": metric, **parts})


def run(group: Any, submission: Manifest, number: int, value: float, late: bool, dice: Dice) -> Manifest:
    """A run of a comparison group (see `shapes.Group`); a late one was observed after all others."""
    source, metric, task = group.source, group.metric, group.task.manifest.metadata["title"]
    month, day = (9, 1 + dice.below(28)) if late else (1 + dice.below(8), 1 + dice.below(28))
    year = 2026 if late or dice.chance(0.6) else 2025
    observed = f"{year}-{month:02d}-{day:02d}T{dice.below(24):02d}:{dice.below(60):02d}:{dice.below(60):02d}"
    spec: Object = {
        "implementationDigest": submission.digest,
        "workloadDigest": group.workload.manifest.digest,
        "protocolDigest": group.rules.digest,
        "environmentDigest": group.machine.digest,
        "observedAt": f"{observed}.{dice.below(1000):03d}Z",
        "status": "runtime_error" if metric == "none" else "passed",
        "sourceNative": {"source": source, "benchmark": task, "externalId": f"submission/{number}"},
    }
    metadata: Object = {"title": f"{submission.metadata['title']} · case {number % 100}"}
    if metric == "none":
        digest = dice.digest()
        spec["evidence"] = {"logs": {"digest": digest, "uri": f"kernelindex:artifact/{digest}"}}
    elif metric == "score":
        score = value / 1e9
        spec["measurements"] = [{"metric": "score", "statistic": group.statistic, "unit": "s", "value": score}]
        spec["sourceNative"]["metrics"] = {"leaderboard_score_s": score}
    else:
        spec |= _timing(source, value, dice)
        spec["sourceNative"]["metrics"] = _own_metrics(source, value, dice)
        metadata["labels"] = {"worker": f"external-prod-{dice.below(4000)}"}
    if source == "flashinfer-bench":
        del spec["sourceNative"]["externalId"]
        if metric != "none":
            errors = {"maximumAbsoluteError": dice.unit() / 64, "maximumRelativeError": dice.unit() / 8}
            spec["correctness"] = {"comparator": comparator(source), **errors}
    return document("BenchmarkRun", f"{source}-{number}", spec, **metadata)


def _timing(source: str, value: float, dice: Dice) -> Object:
    mean = round(value)
    if source != "gpumode-kernelbot":
        return {"timing": {"latencyNs": {"mean": mean}, "primaryStatistic": "mean"}}
    latency = {"mean": mean, "minimum": round(mean * 0.97), "maximum": round(mean * 1.2)}
    spread = {"metric": "latency", "statistic": "std", "unit": "ns", "value": value * dice.unit() / 20}
    return {
        "timing": {"latencyNs": latency, "primaryStatistic": "mean", "samples": 100},
        "measurements": [{**spread, "sampleCount": 100}],
    }


def _own_metrics(source: str, value: float, dice: Dice) -> Object:
    faster = 0.5 + 4 * dice.unit()
    if source == "gpumode-kernelbot":
        return {"best_ns": round(value * 0.97), "mean_ns": value, "leaderboard_score_s": value / 1e9}
    if source == "sol-execbench":
        counts = {"fast_1_count": dice.below(17), "fast_1_total": 16}
        return {"avg_speedup": faster, "latency_ms": value / 1e6, "sol_score": dice.unit(), **counts}
    return {"latency_ms": value / 1e6, "reference_latency_ms": value / 1e6 * faster, "speedup_factor": faster}

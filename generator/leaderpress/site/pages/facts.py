"""The labelled lines of a run: identity, correctness, protocol, environment, measurements, artifacts.

Every field that a manifest states appears; one that it does not state reads `not stated` where a reader would look
for it, and is left out where its absence says nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...canonical import canonical, number_text
from ...format import count_text, file_size, gap_text, lower_first, quantity
from ...index import FactRow, RunRow, StatementRow
from ...ranking.eligibility import status_words
from ...views.base import Figure, Item
from ...views.run import Artifact, Measurement
from .context import Context, figure, figure_text, item
from .editorial import editorial, label_items

Spec = Mapping[str, Any]

LONGEST_FACT = 200
"""Characters of a fact that a page shows; code and logs of third parties are longer, and not ours to publish."""

STATISTICS = {
    "mean": "mean",
    "median": "median",
    "minimum": "minimum",
    "maximum": "maximum",
    "p05": "5th percentile",
    "p95": "95th percentile",
    "mad": "median absolute deviation",
}
_DEVICE = (
    ("clocksLocked", "Clocks locked"),
    ("powerLimitWatts", "Power limit, W"),
    ("persistenceMode", "Persistence mode"),
)
_TIMES_SHOWN = ("mean", "median", "minimum", "p05", "p95", "maximum", "mad")


def statistic_text(statistic: str) -> str:
    """A statistic in words, empty when the source does not say."""
    return "" if statistic in ("", "unspecified") else STATISTICS.get(statistic, statistic.replace("_", " "))


def primary_label(context: Context, run: RunRow) -> str:
    """`mean latency`, `score`."""
    return measured_label(context, run.source, run.metric, run.statistic)


@lru_cache(1024)
def measured_label(context: Context, source: str, metric: str, statistic: str) -> str:
    """The same for a metric and statistic of a source; empty for no metric."""
    words = (statistic_text(statistic), lower_first(context.metric_label(source, metric)))
    return " ".join(word for word in words if word) if metric else ""


def spread_text(run: RunRow, spec: Spec) -> str:
    """`± 1.20 µs` from a 95 % interval or a median absolute deviation, else the range; empty if none is stated."""
    timing = spec.get("timing")
    if timing is None:
        return ""
    stated = timing["latencyNs"]
    if interval := stated.get("confidence95"):
        return _interval_text(interval, run.value)
    if "mad" in stated:
        return f"± {quantity(stated['mad'], 'ns').text} (MAD)"
    if "minimum" in stated and "maximum" in stated:
        return f"{quantity(stated['minimum'], 'ns').text} to {quantity(stated['maximum'], 'ns').text}"
    return ""


def _interval_text(interval: Sequence[int], value: float | int | None) -> str:
    """`± 1.20 µs` where the value stands in the middle of its 95 % interval, else both bounds."""
    low, high = interval
    # The middle of whole nanoseconds may lie half of one away from the value that was rounded to one.
    if value is not None and abs(low + high - 2 * value) <= 1:
        return f"± {quantity((high - low) / 2, 'ns').text}"
    return f"{quantity(low, 'ns').text} to {quantity(high, 'ns').text} (95 %)"


def samples_text(spec: Spec) -> str:
    """`of 100`, the samples behind the primary value; empty when not stated."""
    if "timing" in spec:
        samples = spec["timing"].get("samples")
    else:
        samples = spec["measurements"][0].get("sampleCount") if spec.get("measurements") else None
    return "" if samples is None else f"of {samples}"


def measurements(context: Context, run: RunRow, spec: Spec) -> tuple[Measurement, ...]:
    """Every measured value that the manifest states, the primary one first, then the source's own metrics."""
    rows: list[Measurement] = []
    timing = spec.get("timing")
    samples = samples_text(spec).removeprefix("of ")
    if timing is not None:
        first = timing["primaryStatistic"]
        for name in sorted(_TIMES_SHOWN, key=lambda name: (name != first, _TIMES_SHOWN.index(name))):
            if name in timing["latencyNs"]:
                shown = figure(timing["latencyNs"][name], "ns")
                spread = spread_text(run, spec) if name == first else ""
                rows.append(Measurement("latency", statistic_text(name), shown, spread, samples, "run manifest"))
        for bound, value in zip(("lower", "upper"), timing["latencyNs"].get("confidence95", ()), strict=False):
            words = f"95 % interval, {bound} bound"
            rows.append(Measurement("latency", words, figure(value, "ns"), "", samples, "run manifest"))
    for stated in spec.get("measurements", ()):
        count = stated.get("sampleCount")
        rows.append(
            Measurement(
                context.metric_label(run.source, stated["metric"]),
                statistic_text(stated["statistic"]),
                figure(stated["value"], stated["unit"]),
                "",
                "" if count is None else str(count),
                "run manifest",
            )
        )
    rows += (_source_metric(context, run, name) for name in context.shown_metrics(run.source, run.metrics))
    return tuple(rows)


def _source_metric(context: Context, run: RunRow, name: str) -> Measurement:
    table = context.sources.get(run.source)
    rule = table.metrics.get(name) if table else None
    exact = number_text(run.metrics[name])
    if rule and rule.of and rule.of in run.metrics:
        exact = f"{exact} of {number_text(run.metrics[rule.of])}"
    elif rule and rule.unit:
        exact = f"{exact} {rule.unit}"
    shown = Figure(context.metric_value(run.source, name, run.metrics), "", exact, run.metrics[name])
    return Measurement(context.metric_label(run.source, name), "", shown, "", "", "source metric")


def source_line(context: Context, run: RunRow) -> str:
    """The source's metrics as one line, in the words of its table: `SOL 0.5230 · 1.13× reference · …`."""
    table = context.sources.get(run.source)
    if table is None:
        return ""
    parts = []
    for name in context.shown_metrics(run.source, run.metrics):
        rule = table.metrics.get(name)
        if rule and rule.line:
            parts.append(rule.line.replace("{value}", context.metric_value(run.source, name, run.metrics)))
    return " · ".join(parts)


def hero_facts(context: Context, run: RunRow, spec: Spec) -> tuple[Item, ...]:
    """The row of facts under the number."""
    stated = run.value is not None
    facts = [
        item("As stored", f"{number_text(run.value)} {run.unit}" if run.value is not None else None),
        item("Statistic", statistic_text(run.statistic)),
        item("Spread", spread_text(run, spec)),
        item("Samples", samples_text(spec).removeprefix("of ")),
    ]
    facts = facts if stated else []
    for name in context.own_metrics(run):
        value = context.metric_value(run.source, name, run.metrics)
        facts.append(item(context.metric_label(run.source, name), value))
    facts.append(item("Observed", run.observed_at[:10]))
    return tuple(facts)


def correctness(run: RunRow, spec: Spec) -> tuple[str, tuple[Item, ...]]:
    """A sentence, and what the run states about its correctness."""
    stated = spec.get("correctness")
    if stated is None and run.status == "passed":
        return "Marked passed by the source. The correctness policy was not published.", ()
    if stated is None:
        return "The run failed, and the source states no figures about its correctness.", ()
    items = (
        item("Comparator", stated.get("comparator"), mono=True),
        item("Maximum absolute error", _number(stated.get("maximumAbsoluteError"))),
        item("Maximum relative error", _number(stated.get("maximumRelativeError"))),
        item("Matched ratio", _number(stated.get("matchedRatio"))),
    )
    verdict = "passed" if run.status == "passed" else f"“{lower_first(status_words(run.status))}”"
    return f"Compared with the reference; the source marks the run {verdict}.", items


def stated_names(spec: Spec, external_id: str, task_raw: str) -> list[Item]:
    """What the run's document names besides: the source's id and benchmark for it, and the exact harness.

    An id that ends the external one (`196` of `submission/196`) and the operation's raw name are said already.
    """
    native, harness = spec.get("sourceNative", {}), spec.get("evidence", {}).get("harness", {})
    said = {"externalId": (external_id, external_id.rpartition("/")[2]), "benchmark": (task_raw,)}
    besides = {name: native[name] for name, known in said.items() if name in native and native[name] not in known}
    return [
        *optional(besides, ("externalId", "Id in the manifest"), ("benchmark", "Benchmark at the source")),
        *optional(harness, ("repository", "Harness repository"), ("commit", "Harness commit")),
    ]


def protocol(document: Spec) -> tuple[Item, ...]:
    """Every field of a BenchmarkProtocol."""
    spec = document["spec"]
    harness, measurement = spec["harness"], spec["measurement"]
    comparability, checking = spec.get("comparability", {}), spec.get("correctness", {})
    version = f" {harness['version']}" if "version" in harness else ""
    lines = [
        item("Harness", harness["name"] + version),
        *optional(harness, ("repository", "Repository"), ("commit", "Commit")),
        item("Timer", measurement["timer"], mono=True),
        item("Primary statistic", statistic_text(measurement["primaryStatistic"])),
        item("Synchronization", measurement.get("synchronization")),
        item("Warm-up", _warm_up(measurement), extra=_exact_warm_up(measurement)),
        item("Iterations", measurement.get("measuredIterations")),
        *optional(
            measurement,
            ("samples", "Samples"),
            ("compileIncluded", "Compile time included"),
            ("setupIncluded", "Set-up time included"),
            ("inputRegeneration", "Input regeneration"),
            ("outlierPolicy", "Outliers"),
        ),
        item("Correctness reference", checking.get("reference")),
        item("Comparator", checking.get("comparator"), mono=True),
        *optional(spec.get("devicePolicy", {}), *_DEVICE),
        item("Comparability family", comparability.get("family"), mono=True),
        item("Comparable", comparability.get("notes")),
        *editorial(document["metadata"]),
    ]
    return tuple(lines)


def _warm_up(measurement: Spec) -> str | None:
    parts = []
    if "warmupIterations" in measurement:
        parts.append(f"{measurement['warmupIterations']} iterations")
    if "warmupDuration" in measurement:
        parts.append(quantity(measurement["warmupDuration"], "ns").text)
    return ", ".join(parts) or None


def _exact_warm_up(measurement: Spec) -> str:
    return quantity(measurement["warmupDuration"], "ns").exact if "warmupDuration" in measurement else ""


def environment(document: Spec, hardware_path: str, labels: Mapping[str, str]) -> tuple[Item, ...]:
    """Every field of an ExecutionEnvironment, and the run's labels, which stand outside the digest."""
    spec = document["spec"]
    hardware, software = spec["hardware"], spec.get("software", {})
    settings = spec.get("settings", {})
    gpu = f"{hardware['product']} ({hardware['architecture']})"
    framework = software.get("framework")
    lines = [
        item("GPU", gpu, path=hardware_path),
        item("Vendor", hardware["vendor"]),
        *optional(hardware, ("formFactor", "Form factor"), ("count", "GPUs"), ("interconnect", "Interconnect")),
    ]
    if "memoryBytes" in hardware:
        exact = hardware["memoryBytes"]
        lines.append(item("Memory", file_size(exact), extra=f"{number_text(exact)} bytes"))
    lines += [
        *optional(software, ("operatingSystem", "Operating system"), ("kernel", "Kernel")),
        item("Driver", software.get("driver")),
        item("CUDA", software.get("cudaToolkit")),
        item("Framework", " ".join(str(part) for part in framework.values()) if framework else None),
        *optional(software, ("compiler", "Compiler")),
    ]
    lines += (
        item(name.replace("_", " ").capitalize(), version) for name, version in software.get("libraries", {}).items()
    )
    lines += optional(settings, *_DEVICE, ("eccEnabled", "ECC"))
    lines += (item(name, value, mono=True) for name, value in settings.get("environmentVariables", {}).items())
    lines += optional(spec, ("imageDigest", "Image digest"))
    lines += editorial(document["metadata"])
    lines += label_items(labels)
    return tuple(lines)


def artifacts(run_spec: Spec, subject_spec: Spec, stated: Sequence[Mapping[str, Any]]) -> tuple[Artifact, ...]:
    """Files that the run or its implementation names; their bodies are not published here."""
    found: list[Artifact] = []
    source = subject_spec.get("source")
    known = {mirror["digest"]: mirror for mirror in stated}
    if source:
        mirror = known.get(source["contentDigest"], {})
        found.append(_artifact(source.get("fileName", "source"), "source", source["contentDigest"], mirror, source))
    evidence = run_spec.get("evidence", {})
    samples = (evidence.get("rawSamples"), run_spec.get("timing", {}).get("rawSamples"))
    for role, reference in (("log", evidence.get("logs")), *(("raw samples", one) for one in samples)):
        if reference:
            mirror = known.get(reference["digest"], {})
            found.append(_artifact(role, role, reference["digest"], mirror, {"uri": reference["uri"]}))
    named = {artifact.digest for artifact in found}
    found += (
        _artifact(str(mirror.get("role", "file")), "file", digest, mirror, {})
        for digest, mirror in known.items()
        if digest not in named
    )
    return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)


def stated_artifacts(statements: Iterable[StatementRow]) -> list[Mapping[str, Any]]:
    """What the sources state about files; the first statement about a file counts."""
    named: dict[str, Mapping[str, Any]] = {}
    for statement in statements:
        for one in statement.artifacts:
            named.setdefault(one["digest"], one)
    return list(named.values())


def _artifact(name: str, role: str, digest: str, mirror: Spec, stated: Spec) -> Artifact:
    size = mirror.get("sizeBytes", stated.get("sizeBytes"))
    uri = mirror.get("uri") or stated.get("uri", "")
    public = uri if uri.startswith("https://") else ""
    # An address that ends with the digest says nothing that the digest does not.
    address = f" as {uri}" if uri and not uri.endswith(digest) else ""
    return Artifact(
        name=name,
        role=role,
        media_type=mirror.get("mediaType", "not stated"),
        size=file_size(size) if size is not None else "not stated",
        availability="at the source" if public else f"named by the source{address}, not published here",
        licence=mirror.get("licence") or "not stated",
        digest=digest,
        uri=public,
    )


def gap(run: RunRow, leader: RunRow, better: str) -> str:
    """The run's gap to #1, empty for #1 and its equals."""
    return "" if run.rank == 1 else gap_text(run.stated, leader.stated, better)


def value_text(run: RunRow) -> str:
    """The primary value as shown, empty if there is none."""
    return figure_text(figure(run.value, run.unit)) if run.value is not None else ""


def _number(value: float | int | None) -> str | None:
    return None if value is None else number_text(value)


def optional(spec: Spec, *fields: tuple[str, str]) -> list[Item]:
    """A line for each of these (member, label) that is stated; an https address leads there."""
    lines = []
    for name, label in fields:
        if name in spec:
            value = spec[name]
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            path = value if isinstance(value, str) and value[:8] == "https://" else ""
            lines.append(item(label, number_text(value) if is_number else value, path=path))
    return lines


def fact_items(context: Context, facts: Iterable[FactRow]) -> list[Item]:
    """What the source states about a document outside its manifest; a long text stays in the records."""
    return [_stated_item(context, fact) for fact in facts if fact.value is not None]


def _stated_item(context: Context, fact: FactRow) -> Item:
    value = fact.value
    label = context.metric_label(fact.source, fact.name)
    label = label[:1].upper() + label[1:]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return item(label, context.metric_value(fact.source, fact.name, {fact.name: value}))
    text = value if isinstance(value, str) else canonical(value).decode()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        text = ", ".join(value)
    if len(text) > LONGEST_FACT:
        return item(label, f"{count_text(len(text))} characters, kept in the records and not published here")
    return item(label, value if isinstance(value, bool) else text)

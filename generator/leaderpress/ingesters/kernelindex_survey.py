"""A first look at a catalog export: which table each line belongs to, and which source speaks for what.

Only runs name their source.  An operation, a workload or an implementation belongs to the sources of its own runs,
else to those of the runs that share its operation, else to the source whose address begins the addresses it names.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from .base import Dump
from .entries import Entry, is_object, key_of
from .kernelindex_parts import Artifacts, Parts, Sources
from .reading import Line, lines

SHIPPED = ("flashinfer-bench", "gpumode-kernelbot", "sol-execbench")
"""The sources that an export may speak for: those with a table of their own."""

LEVELS = {
    "sources": 0,
    "projects": 0,
    "operations": 0,
    "operation_aliases": 1,
    "workloads": 1,
    "implementations": 1,
    "benchmark_runs": 2,
    "measurements": 3,
    "record_events": 3,
    "artifacts": 3,
}
"""Every table, and after how many others its rows can be understood."""
UNPLACED = 0
"""The level of lines that belong to no table; they are reported first."""

# Nothing is learnt from these, the longest of the tables, so their usual spelling is not even parsed.
_DERIVED = re.compile(rb'\{"table":"(measurements|record_events)"')

_NONE: Sources = frozenset()


@dataclass(slots=True)
class Survey:
    """What the first look found.  Rows that cannot be read are left for the second, which reports them."""

    levels: dict[str, bytearray] = field(default_factory=dict)
    """For each file the level of each of its lines."""
    ordered: bool = True
    """Whether no line comes before one of a lower level."""
    aliases: dict[str, list[str]] = field(default_factory=dict)
    artifacts: Artifacts = field(default_factory=Artifacts)
    _slugs: dict[str, str] = field(default_factory=dict)
    _addresses: dict[str, str] = field(default_factory=dict)
    _operations: dict[str, Entry] = field(default_factory=dict)
    """Of operations, what their addresses are read off."""
    _parts: Parts = field(default_factory=Parts)
    _by_task: dict[str, Sources] = field(default_factory=dict)
    _by_project: dict[str, Sources] = field(default_factory=dict)

    def read(self, dump: Dump) -> None:
        """Look at every line."""
        last = 0
        for file in dump.files:
            levels = self.levels[file.path] = bytearray()
            for line in lines(file):
                level = self._look(line.data) if isinstance(line, Line) else UNPLACED
                self.ordered = self.ordered and level >= last
                last = level
                levels.append(level)
        self._settle()

    def of_operation(self, row_id: str) -> Sources:
        """The sources of an operation; empty if none can be named."""
        return self._by_task.get(row_id) or self.by_address(self._operations.get(row_id, {}))

    def of_part(self, row_id: str, operation_id: str) -> Sources:
        """The sources of a workload or implementation of an operation."""
        return self._named(self._parts.sources(row_id)) or self.of_operation(operation_id)

    def of_project(self, row_id: str, addresses: Entry) -> Sources:
        """The sources of a project: those of its implementations."""
        return self._by_project.get(row_id) or self.by_address(addresses)

    def by_address(self, addresses: Entry) -> Sources:
        """The source whose address begins one of these: the longest such address counts."""
        matching = [
            (len(start), slug)
            for start, slug in self._addresses.items()
            if any(_begins(start, address) for address in addresses)
        ]
        return frozenset((max(matching)[1],)) if matching else _NONE

    def _look(self, data: bytes) -> int:
        derived = _DERIVED.match(data)
        if derived:
            return LEVELS[derived.group(1).decode()]
        try:
            line = orjson.loads(data)
        except ValueError:
            return UNPLACED
        table, row = (line.get("table"), line.get("row")) if is_object(line) else (None, None)
        if type(table) is not str or table not in LEVELS or not is_object(row):
            return UNPLACED
        look = _LOOKS.get(table)
        if look is not None:
            look(self, row)
        return LEVELS[table]

    def _look_at_source(self, row: Entry) -> None:
        row_id, slug, policy = key_of(row, "id"), row.get("slug"), row.get("policy")
        if row_id is None or slug not in SHIPPED:
            return
        # Of rows with one id the first counts, here as in the second look.
        self._slugs.setdefault(row_id, slug)
        url = policy.get("url") if is_object(policy) else None
        if type(url) is str and url:
            self._addresses.setdefault(url, slug)

    def _look_at_operation(self, row: Entry) -> None:
        row_id = key_of(row, "id")
        if row_id is not None:
            self._operations.setdefault(row_id, addresses(row.get("manifest")))

    def _look_at_alias(self, row: Entry) -> None:
        row_id, alias = key_of(row, "operationId"), key_of(row, "alias")
        if row_id is not None and alias is not None:
            self.aliases.setdefault(row_id, []).append(alias)

    def _look_at_part(self, row: Entry) -> None:
        row_id, task = key_of(row, "id"), key_of(row, "operationId")
        if row_id is not None and task is not None:
            self._parts.place(row_id, task, key_of(row, "projectId"))

    def _look_at_run(self, row: Entry) -> None:
        source = key_of(row, "sourceId")
        for name in ("workloadId", "implementationId"):
            part = key_of(row, name)
            if source is not None and part is not None:
                self._parts.run(part, source)

    def _look_at_artifact(self, row: Entry) -> None:
        digest = row.get("contentDigest")
        if type(digest) is str:
            self.artifacts.add(digest, _artifact(row))

    def _settle(self) -> None:
        by_task: dict[str, set[str]] = {}
        for task, _, sources in self._parts.placed():
            by_task.setdefault(task, set()).update(sources)
        self._by_task = {task: self._named(sources) for task, sources in by_task.items()}
        by_project: dict[str, set[str]] = {}
        for task, project, sources in self._parts.placed():
            if project is not None:
                by_project.setdefault(project, set()).update(self._named(sources) or self.of_operation(task))
        self._by_project = {project: frozenset(sources) for project, sources in by_project.items()}

    def _named(self, ids: Any) -> Sources:
        return frozenset(self._slugs[row_id] for row_id in ids if row_id in self._slugs)


_LOOKS = {
    "sources": Survey._look_at_source,
    "operations": Survey._look_at_operation,
    "operation_aliases": Survey._look_at_alias,
    "workloads": Survey._look_at_part,
    "implementations": Survey._look_at_part,
    "benchmark_runs": Survey._look_at_run,
    "artifacts": Survey._look_at_artifact,
}


def addresses(manifest: Any) -> Entry:
    """The addresses that a manifest names, as the keys of an ordered set."""
    return dict.fromkeys(_addresses(manifest))


def _addresses(manifest: Any) -> Iterator[str]:
    metadata, spec = _part(manifest, "metadata"), _part(manifest, "spec")
    references = metadata.get("sourceRefs")
    for reference in references if type(references) is list else ():
        if is_object(reference) and type(reference.get("url")) is str:
            yield reference["url"]
    for holder in (spec, _part(spec, "projectRevision")):
        for name in ("repository", "homepage"):
            if type(holder.get(name)) is str:
                yield holder[name]


def _part(value: Any, name: str) -> Mapping[str, Any]:
    part = value.get(name) if is_object(value) else None
    return part if is_object(part) else {}


def _begins(start: str, address: str) -> bool:
    """Whether an address is below another; a longer name of the same beginning is not."""
    return address.startswith(start) and (start.endswith("/") or address[len(start) :][:1] in ("", "/", "?", "#"))


def _artifact(row: Entry) -> Entry:
    kept = {"digest": row["contentDigest"], "role": row.get("kind"), "mediaType": row.get("mediaType")}
    kept |= {"sizeBytes": row.get("sizeBytes"), "licence": row.get("license"), "uri": row.get("uri")}
    return {name: value for name, value in kept.items() if value is not None}

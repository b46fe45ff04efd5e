"""What sources state about documents, as rows, and what the first source says with the newest value of each field."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from ..store import Line

_STATED = (
    "externalId",
    "upstreamKey",
    "project",
    "name",
    "tags",
    "aliases",
    "artifacts",
    "upstreamPublishedAt",
)
_LISTS = frozenset({"tags", "aliases", "artifacts"})
_STATEMENT_FIELDS = ("source", *_STATED)
_UNSTATED = 0
"""In place of null, which the driver looks up an adapter for each time."""
_ADD = (
    f"insert into statement values (?, ?, ?{f', nullif(?, {_UNSTATED})' * 9})"
    " on conflict (digest, source) do update set"
    " external_id = coalesce(excluded.external_id, external_id),"
    " upstream_key = coalesce(excluded.upstream_key, upstream_key), project = coalesce(excluded.project, project),"
    " name = coalesce(excluded.name, name), tags = coalesce(excluded.tags, tags),"
    " aliases = coalesce(excluded.aliases, aliases), artifacts = coalesce(excluded.artifacts, artifacts),"
    " upstream_published_at = coalesce(excluded.upstream_published_at, upstream_published_at),"
    " keyed = coalesce(excluded.keyed, keyed)"
)
_FIRST = (
    "select digest, source, external_id, upstream_key, project, name, tags, aliases, artifacts, upstream_published_at"
    " from statement where digest in (select value from json_each(?)) order by digest, folder desc, source desc"
)


def add_statements(database: sqlite3.Connection, lines: Iterable[Line], folder: int) -> None:
    """Take in provenance lines; a field that is stated again replaces what the same source stated before."""
    lines = list(lines)
    database.executemany(_ADD, (_row(line, folder) for line in lines))
    sources = {line["source"] for line in lines}
    database.executemany("insert or ignore into source values (?)", ((source,) for source in sources))


def _row(line: Line, folder: int) -> tuple[Any, ...]:
    said = line.get
    return (
        line["digest"],
        line["source"],
        folder,
        said("externalId", _UNSTATED),
        said("upstreamKey", _UNSTATED),
        said("project", _UNSTATED),
        said("name", _UNSTATED),
        json_text(line["tags"]) if "tags" in line else _UNSTATED,
        json_text(line["aliases"]) if "aliases" in line else _UNSTATED,
        json_text(line["artifacts"]) if "artifacts" in line else _UNSTATED,
        said("upstreamPublishedAt", _UNSTATED),
        folder if "upstreamKey" in line else _UNSTATED,
    )


def first_said(lines: Sequence[Line]) -> Line:
    """The same as `said_of` gives, from all lines about a document that no older folder holds."""
    if len(lines) == 1:
        return lines[0]
    first = min(line["source"] for line in lines)
    merged: Line = {}
    for line in lines:
        if line["source"] == first:
            merged |= line
    return merged


def said_of(database: sqlite3.Connection, digests: Sequence[str]) -> dict[str, Line]:
    """What the first source says about each document, with the newest value of each field."""
    rows: Iterator[tuple[Any, ...]] = database.execute(_FIRST, (json_text(digests),))
    return {digest: _line(texts) for digest, *texts in rows}


def _line(texts: Sequence[str | None]) -> Line:
    said = zip(_STATEMENT_FIELDS, texts, strict=True)
    return {name: orjson.loads(text) if name in _LISTS else text for name, text in said if text is not None}


def json_text(value: object) -> str:
    """The value as JSON."""
    return orjson.dumps(value).decode()

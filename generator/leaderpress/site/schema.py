"""JSON Schemas of the twins, made from the views themselves: the published contract of every `index.json`.

Published schemas never forbid unknown members, so that a later version may add to a twin.
"""

from functools import lru_cache
from typing import Any

import orjson

from ..manifests.tombstone import tombstone_schema
from ..views.edition import EditionsView, EditionView
from ..views.group import GroupView
from ..views.hardware import HardwareView
from ..views.listing import ChangesView, HomeView, IndexView, ProseView, RecordsView, SourcesView
from ..views.project import ProjectView
from ..views.run import RunView
from ..views.source import SourceView
from ..views.subject import SubjectView
from ..views.task import TaskView

TWINS: dict[str, type] = {
    "home": HomeView,
    "run": RunView,
    "group": GroupView,
    "task": TaskView,
    "subject": SubjectView,
    "project": ProjectView,
    "hardware": HardwareView,
    "source": SourceView,
    "sources": SourcesView,
    "records": RecordsView,
    "changes": ChangesView,
    "edition": EditionView,
    "editions": EditionsView,
    "index": IndexView,
    "prose": ProseView,
}
"""Every kind of page that has a twin."""


TOMBSTONE = "tombstone"
"""Name of the schema of what stands in the place of a removed document."""


def schema_path(kind: str) -> str:
    """Address of a kind's schema."""
    return f"schema/v1/{kind}.json"


@lru_cache(32)
def twin_prefix(kind: str, base: str) -> bytes:
    """The first bytes of a twin: its schema and its kind; `base` is what the schema's address is made from."""
    reference = f"{base}{schema_path(kind)}"
    return b'{"$schema":' + orjson.dumps(reference) + b',"kind":' + orjson.dumps(kind) + b","


def twin(kind: str, view: object, permalink_base: str, path: str) -> bytes:
    """The JSON twin of the page in the folder `path`: the view and nothing else.

    Without a permalink base its schema is found from there, by as many steps up as the folder is deep.
    """
    return twin_prefix(kind, permalink_base or "../" * path.count("/")) + orjson.dumps(view)[1:] + b"\n"


def schemas(permalink_base: str) -> dict[str, bytes]:
    """Every schema by path: of twins, and of the tombstone of a canonical object."""
    twins = {schema_path(kind): _schema(kind, view, permalink_base) for kind, view in TWINS.items()}
    return {**twins, schema_path(TOMBSTONE): _published(TOMBSTONE, tombstone_schema(), permalink_base)}


def _schema(kind: str, view: type, permalink_base: str) -> bytes:
    from pydantic import TypeAdapter  # here, because an incremental build writes no schema and should not pay for it

    schema: dict[str, Any] = TypeAdapter(view).json_schema(mode="serialization")
    _open(schema)
    schema["properties"] = {"$schema": {"type": "string"}, "kind": {"const": kind}, **schema["properties"]}
    schema["required"] = ["$schema", "kind", *schema["required"]]
    return _published(kind, schema, permalink_base)


def _published(name: str, schema: dict[str, Any], permalink_base: str) -> bytes:
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{permalink_base}{schema_path(name)}" if permalink_base else f"{name}.json",
    }
    return orjson.dumps({**head, **schema}, option=orjson.OPT_INDENT_2) + b"\n"


def _open(node: Any) -> None:
    """Drop every refusal of unknown members."""
    if isinstance(node, dict):
        node.pop("additionalProperties", None)
        for value in node.values():
            _open(value)
    elif isinstance(node, list):
        for value in node:
            _open(value)

"""What a page's look depends on, as a digest: the templates that it can reach, and the names of all assets.

Asset names hold a hash of their bytes, so listing them is enough.  A template that picks another one at run time
cannot be followed; every template of the chain then counts.
"""

import hashlib
from collections.abc import Iterable

from jinja2 import Environment, TemplateNotFound, meta


def digest_of(parts: Iterable[bytes]) -> str:
    """`sha256:` over the parts, each with its length in front, so that no two lists read alike."""
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return f"sha256:{state.hexdigest()}"


def closure(environment: Environment, name: str) -> dict[str, str]:
    """Name and source of every template that `name` extends, includes or imports, itself first."""
    sources: dict[str, str] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in sources:
            continue
        try:
            sources[current] = _source(environment, current)
        except TemplateNotFound:
            # `{% include "x" ignore missing %}`: its appearance is a change, its absence is noted by name.
            sources[current] = ""
            continue
        for reference in meta.find_referenced_templates(environment.parse(sources[current])):
            waiting.extend(environment.list_templates() if reference is None else [reference])
    return sources


def _source(environment: Environment, name: str) -> str:
    if environment.loader is None:
        raise TemplateNotFound(name)
    return environment.loader.get_source(environment, name)[0]

"""`CITATION.cff`: how the site as a whole is cited, in the Citation File Format 1.2."""

import json

from .base import ILLUSTRATIVE, clean_url, day, one_line


def citation_cff(
    *,
    title: str,
    publisher: str,
    abstract: str,
    version: str | None = None,
    released: str | None = None,
    url: str | None = None,
    illustrative: bool = False,
) -> str:
    """`CITATION.cff` (Citation File Format 1.2) of a whole site, as YAML.

    `released` is an ISO date.  Every value is a JSON string, which YAML reads as the same text whatever is in it.
    """
    notice = f"{ILLUSTRATIVE}. " if illustrative else ""
    fields = [
        ("cff-version", "1.2.0"),
        ("message", f"{notice}Cite the single record by its permalink and digest; cite the whole as follows."),
        ("type", "dataset"),
        ("title", one_line(title)),
        ("abstract", notice + one_line(abstract)),
        ("version", one_line(version or "")),
        ("date-released", released and day(released).isoformat()),
        ("url", clean_url(url)),
    ]
    lines = [f"{name}: {_yaml(value)}" for name, value in fields if value]
    lines += ["authors:", f"  - name: {_yaml(one_line(publisher))}"]
    return "\n".join(lines) + "\n"


def _yaml(text: str) -> str:
    """A YAML scalar: YAML reads a JSON string as the same text.  Without `\\u`, whose pairs YAML does not join."""
    return json.dumps(text, ensure_ascii=False)

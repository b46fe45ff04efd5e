"""What only machines read in a page's head: titles, canonical addresses, citation metadata, Signposting, JSON-LD."""

import orjson

from ...canonical import Json
from ...cite import Citable, Distribution, json_ld, meta_tags
from ...index import RunRow
from ...ranking.eligibility import HIDING
from ...views.base import Head
from ...views.run import RunView
from .context import Context

_ABOUT_PAGE = "https://schema.org/AboutPage"
_DATASET = "https://schema.org/Dataset"
_LONGEST_DESCRIPTION = 300


def head(context: Context, title: str, description: str, path: str, *, twin: str | None = None) -> Head:
    """The head of any page that may have a JSON twin beside it, or, for a continuation page, in the folder `twin`."""
    site = context.site.title
    data = context.addresses.twin(path if twin is None else twin)
    return Head(
        title=title if title == site else f"{title} · {site}",
        description=_cut(description),
        canonical=context.permalink(path),
        noindex=False,
        meta=(),
        links=(("alternate", data, "application/json"),) if data else (),
        json_ld="",
        twin=data,
    )


def plain_head(context: Context, title: str, description: str, path: str = "", *, noindex: bool = False) -> Head:
    """The head of a page without a twin; an empty path gives no canonical address."""
    return Head(
        title=f"{title} · {context.site.title}",
        description=_cut(description),
        canonical=context.permalink(path) if path else "",
        noindex=noindex,
        meta=(),
        links=(),
        json_ld="",
    )


def run_head(context: Context, run: RunRow, view: RunView, citable: Citable, path: str) -> Head:
    """The head of a run page: what reference managers and crawlers read."""
    manifest = view.documents[0]
    permalink = context.permalink(path)
    twin = context.addresses.twin(path, run.source)
    licence = view.source.licence_url
    links = [
        *([("cite-as", permalink, "")] if permalink else []),
        *([("describedby", twin, "application/json")] if twin else []),
        ("item", manifest.path, "application/json"),
        ("type", _ABOUT_PAGE, ""),
        ("type", _DATASET, ""),
        *([("license", licence, "")] if licence else []),
        *([("alternate", twin, "application/json")] if twin else []),
    ]
    value = f"{view.primary.number} {view.primary.unit}".strip() if view.primary else view.status_text.lower()
    return Head(
        title=f"{view.title}: {value} · {context.site.title}",
        description=_cut(view.description),
        canonical=permalink,
        noindex=not HIDING.isdisjoint(reason.code for reason in view.reasons),
        meta=tuple(meta_tags(citable)),
        links=tuple(links),
        json_ld=_json_text(
            json_ld(
                citable,
                description=view.description,
                distributions=()
                if manifest.digest in context.index.tombstones
                else (
                    Distribution(
                        url=context.permalink(manifest.path) or manifest.path,
                        media_type="application/json",
                        digest=manifest.digest,
                    ),
                ),
            )
        ),
        twin=twin,
    )


def _json_text(tree: Json) -> str:
    return orjson.dumps(tree).decode()


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_DESCRIPTION else line[: _LONGEST_DESCRIPTION - 1].rstrip() + "…"

"""What only machines read in a page's head: titles, canonical addresses, citation metadata, Signposting, JSON-LD."""

import json

from ...canonical import Json
from ...cite import Distribution, json_ld, meta_tags
from ...views.base import Head
from ...views.run import RunView
from .context import Context
from .run import run_citable

_ABOUT_PAGE = "https://schema.org/AboutPage"
_DATASET = "https://schema.org/Dataset"
_LONGEST_DESCRIPTION = 300


def head(context: Context, title: str, description: str, path: str, *, twin: str | None = None) -> Head:
    """The head of any page with a JSON twin beside it, or, for a continuation page, in the folder `twin`."""
    site = context.site.title
    return Head(
        title=title if title == site else f"{title} · {site}",
        description=_cut(description),
        canonical=context.permalink(path),
        noindex=False,
        meta=(),
        links=(("alternate", f"{path if twin is None else twin}index.json", "application/json"),),
        json_ld="",
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


def run_head(context: Context, view: RunView, path: str) -> Head:
    """The head of a run page: what reference managers and crawlers read."""
    run = context.index.run(view.digest)
    citable = run_citable(context, run)
    manifest = view.documents[0]
    permalink = context.permalink(path)
    licence = view.source.licence_url
    links = [
        *([("cite-as", permalink, "")] if permalink else []),
        ("describedby", f"{path}index.json", "application/json"),
        ("item", manifest.path, "application/json"),
        ("type", _ABOUT_PAGE, ""),
        ("type", _DATASET, ""),
        *([("license", licence, "")] if licence else []),
        ("alternate", f"{path}index.json", "application/json"),
    ]
    value = f"{view.primary.number} {view.primary.unit}".strip() if view.primary else view.status_text.lower()
    return Head(
        title=f"{view.title}: {value} · {context.site.title}",
        description=_cut(view.description),
        canonical=permalink,
        noindex="WITHDRAWN" in {reason.code for reason in view.reasons},
        meta=tuple(meta_tags(citable)),
        links=tuple(links),
        json_ld=_json_text(
            json_ld(
                citable,
                description=view.description,
                distributions=(
                    Distribution(
                        url=context.permalink(manifest.path) or manifest.path,
                        media_type="application/json",
                        digest=manifest.digest,
                    ),
                ),
            )
        ),
    )


def _json_text(tree: Json) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_DESCRIPTION else line[: _LONGEST_DESCRIPTION - 1].rstrip() + "…"

"""Building the indexes: operations by family, projects and implementations A–Z, hardware by vendor."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ...format import count_text, family_name
from ...views import listing as views
from ...views.base import Link, Pager
from .context import Context, family_anchor, object_path
from .group import pager

INDEX_PAGE = 2000
"""Implementations that one page lists."""


def build_tasks(context: Context) -> views.IndexView:
    """Operations by family."""
    rows = context.index.pairs(
        "select family, name, slug, (select count(*) from run where run.task = task.digest) from task"
        " order by family, lower(name), slug"
    )
    families: dict[str, list[tuple[Link, int]]] = {}
    for family, name, slug, runs in rows:
        families.setdefault(family, []).append((Link(name, context.page(f"operations/{slug}/")), runs))
    sections = [
        views.IndexSection(family_name(family), family_anchor(family), tuple(links))
        for family, links in families.items()
    ]
    sections.sort(key=lambda section: (section.title.casefold(), section.anchor))
    say = f"{count_text(len(rows))} operations in {count_text(len(sections))} families, with their number of runs."
    return _index(context, "operations", "Operations", say, len(rows), tuple(sections))


def build_projects(context: Context) -> views.IndexView:
    """Projects A–Z."""
    rows = context.index.pairs(
        "select name, slug, (select count(*) from run where run.project = project.digest) from project"
    )
    links = [(Link(name, context.page(f"projects/{slug}/")), runs) for name, slug, runs in rows]
    say = f"{count_text(len(rows))} projects and people who reported runs, with their number of runs."
    return _index(context, "projects", "Projects", say, len(rows), alphabet(links))


def build_hardware_index(context: Context) -> views.IndexView:
    """Hardware by vendor."""
    rows = context.index.pairs(
        "select vendor, product, slug, coalesce(sum(runs), 0) from environment left join"
        " (select environment, count(*) as runs from run group by environment) as counted"
        " on counted.environment = environment.digest group by slug, vendor, product order by vendor, product"
    )
    vendors: dict[str, list[tuple[Link, int]]] = {}
    for vendor, product, slug, runs in rows:
        vendors.setdefault(vendor, []).append((Link(product, context.page(f"hardware/{slug}/")), runs))
    sections = tuple(
        views.IndexSection(vendor, f"vendor-{number}", tuple(links))
        for number, (vendor, links) in enumerate(vendors.items(), start=1)
    )
    say = f"{count_text(len(rows))} products, with their number of runs."
    return _index(context, "hardware", "Hardware", say, len(rows), sections)


def subject_indexes(context: Context, pages: Sequence[int]) -> Iterator[tuple[str, views.IndexView]]:
    """(path, view) of consecutive pages of the implementations A–Z, `INDEX_PAGE` a page, sorted once for all."""
    count = context.index.count("select count(*) from subject")
    links = _subject_links(context, (pages[0] - 1) * INDEX_PAGE)
    say = f"{count_text(count)} implementations. One without facts of its own leads to its canonical object."
    start = "implementations/"
    linked = context.addresses.has_page(start)
    for page in pages:
        sections = alphabet(islice(links, INDEX_PAGE), keep_order=True)
        part = pager(start, page, count, INDEX_PAGE, linked=linked)
        yield _part(start, page), _index(context, "implementations", "Implementations", say, count, sections, part)


def _subject_links(context: Context, skip: int) -> Iterator[tuple[Link, int]]:
    rows = context.index.stream(
        "select subject.name, revision, subject.digest, has_page, runs, task.name from subject"
        " join task on task.digest = subject.task order by lower(subject.name), subject.name, revision, subject.digest"
        " limit -1 offset ?",
        skip,
    )
    for name, revision, digest, has_page, runs, task in rows:
        path = (context.page(f"implementations/{digest[7:]}/") if has_page else "") or object_path(digest)
        shown = f"{name} {revision} · {task}" if revision and revision not in name else f"{name} · {task}"
        yield Link(shown, path), runs


def _part(start: str, page: int) -> str:
    return start if page == 1 else f"{start}{page}/"


def _index(
    context: Context,
    kind: str,
    title: str,
    say: str,
    count: int,
    sections: tuple[views.IndexSection, ...],
    pages: Pager | None = None,
) -> views.IndexView:
    return views.IndexView(
        listed=kind,
        title=title if pages is None or pages.page == 1 else f"{title}, page {pages.page}",
        description=say,
        say=say,
        count=count,
        sections=sections,
        pager=pages,
        illustrative=context.site.illustrative,
    )


def alphabet(links: Iterable[tuple[Link, int]], *, keep_order: bool = False) -> tuple[views.IndexSection, ...]:
    """Links under the first letter of their text, accents stripped; what is not a Latin letter stands under `#`."""
    letters: dict[str, list[tuple[Link, int]]] = {}
    listed = list(links)
    if not keep_order:
        # All of the line, so that the order holds where the site writes no pages that differ in path.
        listed.sort(key=lambda counted: (counted[0].text.casefold(), counted[0].path, counted[0].text, counted[1]))
    for counted in listed:
        letters.setdefault(_letter(counted[0].text), []).append(counted)
    return tuple(
        views.IndexSection(letter, f"letter-{letter.lower()}" if letter != "#" else "letter-other", tuple(found))
        for letter, found in sorted(letters.items(), key=lambda pair: (pair[0] == "#", pair[0]))
    )


def _letter(text: str) -> str:
    for character in unicodedata.normalize("NFKD", text):
        if character.isalnum():
            upper = character.upper()[:1]  # ß has a capital form of two letters
            return upper if "A" <= upper <= "Z" else "#"
    return "#"

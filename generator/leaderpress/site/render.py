"""From a job to files: views are built, twins serialised, templates rendered.  Runs in every worker process."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from .. import editions
from ..index import Index, shortforms
from ..theme.environment import Theme
from ..views.base import Head, Link, SiteView
from ..views.group import GroupView
from ..views.listing import NotFoundView, ProseView
from .content import Content
from .overrides import Edits
from .pages import heads, indexes, listing
from .pages.context import Context, group_path, object_path, run_path
from .pages.edition import build_edition, build_editions, edition_object, edition_path
from .pages.group import PAGE_ROWS, build_group, pager
from .pages.hardware import hardware_pages
from .pages.peers import Peers, Stated
from .pages.project import project_pages
from .pages.records import records_pages
from .pages.run import build_run
from .pages.source import source_pages
from .pages.subject import subject_pages
from .pages.task import task_pages
from .plan import Job, last_page
from .ranking_csv import ranking_csv
from .schema import schemas, twin
from .shortforms import LOOKUP, is_looked_up, shard_files

File = tuple[str, bytes]
"""A path below the site's root and its bytes."""


class Titled(Protocol):
    """A view whose title and description are those of its page."""

    @property
    def title(self) -> str:
        """What the page is called."""

    @property
    def description(self) -> str:
        """One sentence about it."""


class Renderer:
    """Turns jobs into files; one for each process."""

    def __init__(self, index: Index, content: Content, site: SiteView, theme: Theme) -> None:
        notes: dict[str, list[object]] = {}
        for note in content.notes:
            notes.setdefault(note.target, []).append(note)
        self._context = Context(index, content.config, site, content.sources, notes)  # type: ignore[arg-type]
        self._content = content
        self._theme = theme
        self._edits = Edits(content.overrides, self._context.page)
        self._leaf = "index.html" if content.config.links == "file" else ""
        self._kinds: dict[str, Callable[[tuple[str, ...]], Iterator[File]]] = {
            "group": self._group_job,
            "subject": self._subject_job,
            "task": self._task_job,
            "project": self._project_job,
            "hardware": self._hardware_job,
            "source": self._source_job,
            "objects": self._objects_job,
            "records": self._records_job,
            "subjects": self._subjects_job,
            "single": self._single_job,
            "edition": self._edition_job,
            "lookup": self._lookup_job,
            "prose": self._prose_job,
            "fixed": self._fixed_job,
        }

    def files(self, job: Job) -> Iterator[File]:
        """Every file of a job."""
        return self._kinds[job.kind](job.keys)

    # -- pages -----------------------------------------------------------------------------------------------------

    def _page(
        self,
        kind: str,
        path: str,
        view: object,
        head: Head,
        *,
        texts: tuple[str, ...] = (),
        source: str | None = None,
    ) -> Iterator[File]:
        """A page and its twin, as far as the site's outputs ask for them."""
        addresses = self._context.addresses
        if addresses.has_page(path, source):
            yield f"{path}index.html", self._html(kind, path, view, head, texts, source)
        if addresses.has_twin(path, source):
            yield f"{path}index.json", twin(kind, view, self._context.site.permalink_base, path)

    def _html(
        self, kind: str, path: str, view: object, head: Head, texts: tuple[str, ...] = (), source: str | None = None
    ) -> bytes:
        return self._theme.page(
            kind,
            page=view,
            site=self._context.site,
            head=head,
            root="../" * path.count("/"),
            leaf=self._leaf,
            path=path,
            texts=texts,
            variants=(source,) if source else (),
        )

    def _group_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        every = list(index.contents(keys))
        stated = Stated(self._context, [held.group for held in every], [run for held in every for run in held.own])
        for held in every:
            group, ranked = held.group, held.ranked
            peers = Peers(self._context, group, ranked, held.own[len(ranked) :], stated)
            whole = build_group(self._context, group, ranked, held.unranked, held.events, peers=peers)
            yield from self._group_pages(whole, len(ranked))
            for run in held.own:
                path = run_path(run.digest)
                view = build_run(self._context, run, group, ranked, peers)
                head = heads.run_head(self._context, run, view, peers.citable(run), path)
                texts = tuple(index.identity_text(document.digest) for document in view.documents)
                yield from self._page("run", path, view, head, texts=texts, source=run.source)

    def _group_pages(self, whole: GroupView, count: int) -> Iterator[File]:
        path = group_path(whole.key)
        has_page, has_twin = self._context.addresses.has_page(path), self._context.addresses.has_twin(path)
        if has_twin:
            yield f"{path}index.json", twin("group", whole, self._context.site.permalink_base, path)
        if has_page or has_twin:
            yield f"{path}ranking.csv", ranking_csv(whole)
        if not has_page:
            return
        size = len(whole.runs)
        pages = last_page(count)
        for page in range(1, pages + 1):
            here = path if page == 1 else f"{path}{page}/"
            rows = whole.runs if pages == 1 else whole.runs[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
            view = replace(whole, runs=rows, pager=pager(path, page, size)) if pages > 1 else whole
            title = _numbered(whole.title, page)
            head = heads.head(self._context, title, whole.description, here, twin=path)
            yield f"{here}index.html", self._html("group", here, view, head)

    def _subject_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("subject", subject_pages(self._context, keys))

    def _task_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("task", task_pages(self._context, keys))

    def _project_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        for path, found in project_pages(self._context, keys):
            view = self._edits.add(path, found)
            title = _numbered(view.title, view.pager.page if view.pager else 1)
            yield from self._page("project", path, view, heads.head(self._context, title, view.description, path))

    def _hardware_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("hardware", hardware_pages(self._context, keys))

    def _titled(self, kind: str, pages: Iterable[tuple[str, Titled]]) -> Iterator[File]:
        """Pages whose head says what their view does."""
        for path, found in pages:
            view = self._edits.add(path, found)
            yield from self._page(kind, path, view, heads.head(self._context, view.title, view.description, path))

    def _source_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("source", source_pages(self._context, keys))

    def _objects_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        index.locate(keys)
        for digest in keys:
            yield object_path(digest), index.identity(digest)

    # -- ways in -----------------------------------------------------------------------------------------------------

    def _records_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("records", records_pages(self._context, [int(key) for key in keys]))

    def _subjects_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        yield from self._titled("index", indexes.subject_indexes(self._context, [int(key) for key in keys]))

    def _single_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        context = self._context
        builders: dict[str, tuple[str, str, Callable[[], object]]] = {
            "home": ("home", "", lambda: listing.build_home(context)),
            "tasks": ("index", "operations/", lambda: indexes.build_tasks(context)),
            "projects": ("index", "projects/", lambda: indexes.build_projects(context)),
            "hardware": ("index", "hardware/", lambda: indexes.build_hardware_index(context)),
            "sources": ("sources", "sources/", lambda: listing.build_sources(context)),
            "changes": (
                "changes",
                "changes/",
                lambda: listing.build_changes(
                    context, context.index.folders(), self._content.notes, self._edition_files()
                ),
            ),
            "editions": ("editions", "editions/", lambda: build_editions(context, self._edition_files())),
        }
        for key in keys:
            kind, path, build = builders[key]
            view = build()
            head = heads.head(context, view.title, view.description, path)  # type: ignore[attr-defined]
            yield from self._page(kind, path, view, head)

    def _edition_files(self) -> list[editions.EditionFile]:
        return list(self._content.editions.values())

    def _edition_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        """An edition as it is committed, its pages and its twin."""
        context = self._context
        for tag in keys:
            file = self._content.editions[tag]
            whole = build_edition(context, file, editions.read(file))
            path = edition_path(tag)
            yield edition_object(tag), editions.data_of(file)
            if context.addresses.has_twin(path):
                yield f"{path}index.json", twin("edition", whole, context.site.permalink_base, path)
            for page in range(1, last_page(whole.count) + 1) if context.addresses.has_page(path) else ():
                here = path if page == 1 else f"{path}{page}/"
                rows = whole.groups[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
                view = replace(whole, groups=rows, pager=pager(path, page, whole.count))
                head = heads.head(context, _numbered(whole.title, page), whole.description, here, twin=path)
                yield f"{here}index.html", self._html("edition", here, view, head)

    def _lookup_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        return shard_files(self._context.index, self._context.addresses, keys)

    def _prose_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        from ..theme.markdown import render_page  # most builds of a small change render no written page

        for slug in keys:
            page = self._content.pages[slug]
            path = f"{slug}/"
            headings = (heading for heading in render_page(page.text).contents if heading.level == 2)
            contents = tuple(Link(heading.text, f"#{heading.id}") for heading in headings)
            view = ProseView(slug, page.title, page.description, page.text, contents, self._context.site.illustrative)
            head = heads.head(self._context, page.title, page.description or page.title, path)
            yield from self._page("prose", path, view, head)

    def _fixed_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        if "404" in keys:
            yield "404.html", self._not_found()
        if "schemas" in keys:
            yield from schemas(self._context.site.permalink_base).items()
        if "assets" in keys:
            yield from self._theme.assets().items()

    def _not_found(self) -> bytes:
        looked_up = is_looked_up(self._context.addresses)
        view = NotFoundView(
            title="Page not found",
            description="There is no page at this address.",
            lookup=LOOKUP if looked_up else "",
            digits=shortforms.digits(self._context.index.short_count()) if looked_up else 0,
            illustrative=self._context.site.illustrative,
        )
        head = heads.plain_head(self._context, view.title, view.description, noindex=True)
        return self._theme.page(
            "404",
            page=view,
            site=self._context.site,
            head=head,
            root=self._context.site.base_path,
            leaf=self._leaf,
            path="",
        )


def _numbered(title: str, page: int) -> str:
    """The title of a page of a long table: no two pages of a site have one title in a browser's history."""
    return title if page == 1 else f"{title}, page {page}"

"""From a job to files: views are built, twins serialised, templates rendered.  Runs in every worker process."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..index import Index
from ..theme.environment import Theme
from ..theme.markdown import render_page
from ..views.base import Head, Link, SiteView
from ..views.group import GroupView
from ..views.listing import NotFoundView, ProseView
from .content import Content
from .pages import heads, listing
from .pages.context import Context, group_path, object_path, run_path
from .pages.group import PAGE_ROWS, build_group, pager
from .pages.peers import Peers
from .pages.project import build_hardware, build_project
from .pages.run import build_run
from .pages.source import build_source
from .pages.subject import build_subject
from .pages.task import build_task
from .plan import Job, last_page
from .ranking_csv import ranking_csv
from .schema import schemas, twin

File = tuple[str, bytes]
"""A path below the site's root and its bytes."""


class Renderer:
    """Turns jobs into files; one for each process."""

    def __init__(self, index: Index, content: Content, site: SiteView, theme: Theme) -> None:
        notes: dict[str, list[object]] = {}
        for note in content.notes:
            notes.setdefault(note.target, []).append(note)
        self._context = Context(index, content.config, site, content.sources, notes)  # type: ignore[arg-type]
        self._content = content
        self._theme = theme
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
        for key in keys:
            group = index.group(key)
            ranked = index.ranked(key)
            unranked = index.unranked(key, group.siblings)
            own = [run for run in unranked if run.group == key]
            peers = Peers(self._context, group, ranked, own)
            whole = build_group(self._context, group, ranked, unranked, index.events(key), peers=peers)
            yield from self._group_pages(whole, len(ranked))
            for run in (*ranked, *own):
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
        index = self._context.index
        for digest in keys:
            subject = index.subjects("where digest = ?", digest)[0]
            runs = index.runs("where subject = ? order by task, workload, environment, digest", digest)
            view = build_subject(self._context, subject, runs)
            path = f"implementations/{digest[7:]}/"
            yield from self._page("subject", path, view, heads.head(self._context, view.title, view.description, path))

    def _task_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        for slug in keys:
            task = index.tasks("where slug = ?", slug)[0]
            groups = index.groups("where task = ? and ranked > 0 order by ranked desc, key", task.digest)
            projects = index.pairs(
                "select project, count(*) from run where task = ? group by project"
                " order by count(*) desc, project_name, project",
                task.digest,
            )
            view = build_task(self._context, task, groups, [(row[0], row[1]) for row in projects])
            path = f"operations/{slug}/"
            yield from self._page("task", path, view, heads.head(self._context, view.title, view.description, path))

    def _project_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        for slug in keys:
            project = index.projects("where slug = ?", slug)[0]
            total = index.count("select count(*) from run where project = ?", project.digest)
            led = "where key in (select grp from run where project = ? and rank = 1) order by ranked desc, key"
            held = index.groups(led, project.digest)
            records = index.count(
                "select count(*) from event where digest in (select digest from run where project = ?)", project.digest
            )
            dates = index.pairs("select min(observed_at), max(observed_at) from run where project = ?", project.digest)
            subjects = index.subjects(
                "where project = ? and has_page and runs > 1 order by runs desc, digest", project.digest
            )
            for page in range(1, last_page(total) + 1):
                path = f"projects/{slug}/" if page == 1 else f"projects/{slug}/{page}/"
                runs = index.runs(
                    "where project = ? order by rank = 0, rank, observed_at desc, digest limit ? offset ?",
                    project.digest,
                    PAGE_ROWS,
                    (page - 1) * PAGE_ROWS,
                )
                view = build_project(
                    self._context,
                    project,
                    runs,
                    held if page == 1 else [],
                    len(held),
                    records,
                    subjects if page == 1 else [],
                    pager(f"projects/{slug}/", page, total, linked=self._context.addresses.has_page(path)),
                    total,
                    (dates[0][0] or "", dates[0][1] or ""),
                )
                head = heads.head(self._context, _numbered(view.title, page), view.description, path)
                yield from self._page("project", path, view, head)

    def _hardware_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        for slug in keys:
            environments = [
                (
                    row,
                    index.count("select count(*) from run where environment = ?", row.digest),
                    index.count("select count(*) from grp where environment = ?", row.digest),
                )
                for row in index.environments("where slug = ? order by digest", slug)
            ]
            environments.sort(key=lambda row: (-row[1], row[0].digest))
            inside = "environment in (select digest from environment where slug = ?)"
            tasks = index.pairs(
                f"select task, count(*) from run where {inside} group by task order by count(*) desc, task", slug
            )
            projects = index.pairs(
                f"select project, count(*) from run where {inside} group by project"
                " order by count(*) desc, project limit 60",
                slug,
            )
            sources = index.pairs(f"select distinct source from run where {inside} order by source", slug)
            view = build_hardware(
                self._context,
                environments[0][0].product,
                slug,
                environments,
                index.groups(f"where {inside} and ranked > 0 order by ranked desc, key limit 20", slug),
                [(row[0], row[1]) for row in tasks],
                [(row[0], row[1]) for row in projects],
                [row[0] for row in sources],
            )
            path = f"hardware/{slug}/"
            yield from self._page("hardware", path, view, heads.head(self._context, view.title, view.description, path))

    def _source_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        index = self._context.index
        for slug in keys:
            folders = [folder for folder in index.folders() if slug in folder.snapshot["sources"]]
            stated = index.pairs(
                "select count(*), count(distinct grp), max(observed_at) from run where source = ?", slug
            )[0]
            table = self._context.source(slug)
            view = build_source(self._context, table, folders, stated[0], stated[1], stated[2] or "")
            path = f"sources/{slug}/"
            yield from self._page("source", path, view, heads.head(self._context, view.title, view.description, path))

    def _objects_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        for digest in keys:
            yield object_path(digest), self._context.index.identity(digest)

    # -- ways in -----------------------------------------------------------------------------------------------------

    def _records_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        for key in keys:
            page = int(key)
            path = "records/" if page == 1 else f"records/{page}/"
            view = listing.build_records(self._context, page, self._context.site.feed)
            yield from self._page("records", path, view, heads.head(self._context, view.title, view.description, path))

    def _subjects_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        for key in keys:
            page = int(key)
            path = "implementations/" if page == 1 else f"implementations/{page}/"
            view = listing.build_subjects(self._context, page)
            yield from self._page("index", path, view, heads.head(self._context, view.title, view.description, path))

    def _single_job(self, keys: tuple[str, ...]) -> Iterator[File]:
        context = self._context
        builders: dict[str, tuple[str, str, Callable[[], object]]] = {
            "home": ("home", "", lambda: listing.build_home(context)),
            "tasks": ("index", "operations/", lambda: listing.build_tasks(context)),
            "projects": ("index", "projects/", lambda: listing.build_projects(context)),
            "hardware": ("index", "hardware/", lambda: listing.build_hardware_index(context)),
            "sources": ("sources", "sources/", lambda: listing.build_sources(context)),
            "changes": (
                "changes",
                "changes/",
                lambda: listing.build_changes(context, context.index.folders(), self._content.notes),
            ),
        }
        for key in keys:
            kind, path, build = builders[key]
            view = build()
            head = heads.head(context, view.title, view.description, path)  # type: ignore[attr-defined]
            yield from self._page(kind, path, view, head)

    def _prose_job(self, keys: tuple[str, ...]) -> Iterator[File]:
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
        view = NotFoundView("Page not found", "There is no page at this address.", self._context.site.illustrative)
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

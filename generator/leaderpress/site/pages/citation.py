"""What a citation of a run says, and a citation in every format."""

from ...cite import Citable, cite, record_title, run_key
from ...index import RunRow
from ...ranking.eligibility import status_words
from ...views.base import CitationView
from . import facts
from .context import Context

GENRE = "Benchmark run record"


def run_citable(context: Context, run: RunRow) -> Citable:
    """What a citation of the run says; the rank never, it changes."""
    task = context.index.task(run.task)
    environment = context.index.environment(run.environment)
    made_by = context.index.document(run.subject)["metadata"].get("authors", ())
    authors = tuple(name for author in made_by if (name := author.get("name") or author.get("github")))
    operation = task.raw if task.name in context.cached.raw_names else task.name
    title = record_title(run.name, run.revision, operation, environment.product)
    value = facts.value_text(run)
    source = context.source(run.source)
    if value:
        measured = f"{value} {facts.primary_label(context, run)}"
    else:
        measured = f"no figure, status {status_words(run.status).lower()}"
    path = context.run_page(run.digest, run.source)
    return Citable(
        key=run_key(context.config.key, run.digest),
        authors=authors or ((run.project_name,) if run.project_name else (source.name,)),
        title=title,
        issued=run.observed_at[:10],
        publisher=context.site.publisher,
        version=run.published_on,
        permalink=context.permalink(path) or None,
        path=path,
        digest=run.digest,
        genre=GENRE,
        value_text=measured if value else None,
        licence_url=source.licence_address or None,
        rights=source.rights,
        language=context.site.language,
        abstract=f"{title}: {measured}, as stated by {source.name}, observed {run.observed_at[:10]}.",
        illustrative=source.illustrative,
        withdrawn="WITHDRAWN" in run.reasons,
    )


def citation_view(context: Context, citable: Citable) -> CitationView:
    """The citation in every format."""
    made = cite(citable)
    return CitationView(
        key=made.key,
        apa=made.apa,
        bibtex=made.bibtex,
        biblatex=made.biblatex,
        ris=made.ris,
        csl=made.csl,
        permalink=citable.permalink or "",
        digest=citable.digest,
    )

"""Bring a published site up to date: find that nothing changed, or build.

What builds is loaded only if something has to be built.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..digests import FileDigests
from ..errors import ContentError, LeaderpressError
from ..places import CACHE, OUTPUT
from . import unchanged
from .cores import default_jobs
from .output import DirectoryOutput
from .report import BuildReport, PageKind


def update(
    site: Path,
    *,
    jobs: int | None = None,
    out: Path | None = None,
    verify: bool = False,
    clock: Callable[[], float] = lambda: 0.0,
    progress: Callable[[int], None] = lambda files: None,
) -> BuildReport:
    """What `build.build` does, with the same arguments, result and errors; for less where nothing changed."""
    cache = site / CACHE
    started = clock()
    inputs = _inputs_of(site)
    digests = FileDigests(None if verify else cache)
    known = unchanged.recall(cache, inputs, digests) if inputs else None
    if known is not None:
        report = _keep(out or site / OUTPUT, *known, verify=verify, threads=jobs or default_jobs())
        if report is not None:
            report.stages["nothing changed"] = clock() - started
            digests.keep()
            return report
    with _few_collections():
        from .build import build

        report = build(site, jobs=jobs, out=out, verify=verify, clock=clock, progress=progress, digests=digests)
    # What was edited meanwhile may be in the site or not.
    if inputs is not None and inputs == _inputs_of(site):
        unchanged.remember(cache, inputs, digests, report.sums, _facts(report))
    digests.keep()
    return report


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for cycles of garbage seldom: modules are loaded to stay, and lists of a site's files refer to no other."""
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _inputs_of(site: Path) -> unchanged.Inputs | None:
    try:
        return unchanged.inputs_of(site)
    except OSError:
        return None


def _keep(out: Path, sums: str, facts: dict[str, Any], *, verify: bool, threads: int) -> BuildReport | None:
    """Leave the published site as it is; None where it is another one or not as its inventory lists it."""
    if not out.is_dir():
        return None
    with DirectoryOutput(out, verify=verify, threads=threads) as output:
        receipt = output.keep() if output.published_sums == sums else None
    if receipt is None:
        return None
    return BuildReport(
        output=out,
        files=receipt.files,
        bytes=receipt.size,
        pages=facts["pages"],
        rendered=0,
        written=0,
        why="nothing",
        changed=False,
        sums=receipt.sums,
        kinds={kind: PageKind(**pages) for kind, pages in facts["kinds"].items()},
        warnings=tuple(_warning(*parts) for parts in facts["warnings"]),
    )


def _facts(report: BuildReport) -> dict[str, Any]:
    return {
        "pages": report.pages,
        "kinds": {kind: asdict(pages) for kind, pages in report.kinds.items()},
        "warnings": [[fault.code, fault.problem, fault.at, fault.hint] for fault in report.warnings],
    }


def _warning(code: str, problem: str, at: str, hint: str) -> LeaderpressError:
    return ContentError(code, problem, at=at, hint=hint)

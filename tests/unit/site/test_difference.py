"""What a change touches is the same whether all rows are compared or only those that a refresh touched."""

import shutil
from dataclasses import fields
from pathlib import Path

import pytest
from histories import FAST, HISTORIES, SLOW
from tiny_site import Chain, TinySite

from leaderpress.ingest import undo
from leaderpress.site import trace
from leaderpress.site.changes import Changes
from leaderpress.site.update import update


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Changes | None, Changes | None]]:
    """What was found by rows touched, and by all rows, each time that both could be asked for."""
    pairs: list[tuple[Changes | None, Changes | None]] = []
    real, known = trace.changes_since, trace.touched_between

    def both(*arguments: object) -> Changes | None:
        few = real(*arguments)  # type: ignore[arg-type]
        monkeypatch.setattr(trace, "touched_between", lambda *_: None)
        pairs.append((few, real(*arguments)))  # type: ignore[arg-type]
        monkeypatch.setattr(trace, "touched_between", known)
        return few

    monkeypatch.setattr(trace, "changes_since", both)
    return pairs


@pytest.mark.parametrize("history", HISTORIES)
def test_few_rows_lead_to_the_pages_that_all_rows_lead_to(
    history: str, tmp_path: Path, found: list[tuple[Changes | None, Changes | None]]
) -> None:
    site = TinySite(tmp_path)
    for day, dump in enumerate(HISTORIES[history], 1):
        site.feed(*dump, on=f"2026-03-{day:02}")
        update(site.root, jobs=1)
    assert len(found) == len(HISTORIES[history]) - 1
    for few, every in found:
        assert few is not None
        assert every is not None
        # Where all rows are looked at, nothing is known of how the one index became the other.
        assert (few.continued, every.continued) == (True, False)
        for field in (field for field in fields(Changes) if field.name != "continued"):
            assert getattr(few, field.name) == getattr(every, field.name), field.name


def files(site: TinySite) -> dict[str, bytes]:
    root = site.root / "build" / "site"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kept", ["whole", "missing", "older"])
def test_builds_after_any_history_are_like_clean_ones(kept: str, tmp_path: Path) -> None:
    site = TinySite(tmp_path)
    site.feed(FAST, Chain(9, op="gemm"))
    update(site.root, jobs=1)
    site.feed(SLOW, on="2026-03-05")
    list_of_touched = site.root / "build/cache/touched.json"
    older = list_of_touched.read_bytes()
    undo(site.root, unpublished=True)
    site.feed(Chain(3, 50, user="Cyd"), on="2026-03-06")
    site.feed(Chain(4, 40, user="Dan"), on="2026-03-07")
    if kept != "whole":
        list_of_touched.unlink()
    if kept == "older":
        list_of_touched.write_bytes(older)
    update(site.root, jobs=1)
    continued = files(site)
    shutil.rmtree(site.root / "build")
    update(site.root, jobs=1)
    assert files(site) == continued

"""Statements: what the first source says is the same while records are read in and when it is looked up later."""

import sqlite3
from typing import Any

import pytest

from leaderpress.index.schema import TABLES
from leaderpress.index.statements import add_statements, first_said, said_of

Line = dict[str, Any]

DIGEST = "sha256:" + "1" * 64


def line(source: str, **stated: Any) -> Line:
    return {"digest": DIGEST, "source": source, **stated}


CASES: dict[str, list[Line]] = {
    "one line": [line("a", name="A", tags=["x"], externalId="e", upstreamKey="k", project="p")],
    "nothing but a source": [line("a")],
    "the first source by name, whatever comes first": [line("b", name="B"), line("a", name="A")],
    "the newest value of each field": [line("a", name="A", tags=["x"]), line("a", name="B"), line("b", name="C")],
    "empty lists": [line("a", tags=[], aliases=["y"], artifacts=[{"role": "log"}])],
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_first_source_says_does_not_depend_on_when_it_is_asked(case: str) -> None:
    lines = CASES[case]
    database = sqlite3.connect(":memory:")
    database.executescript(TABLES)
    add_statements(database, lines, 1)
    said = {name: value for name, value in first_said(lines).items() if name != "digest"}
    assert said_of(database, [DIGEST, "sha256:other"]) == {DIGEST: said}


def test_what_an_older_folder_says_of_a_source_stays_until_it_is_stated_anew() -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(TABLES)
    add_statements(database, [line("b", name="B", tags=["x"], upstreamKey="k")], 1)
    add_statements(database, [line("a", name="A"), line("b", name="C")], 2)
    assert said_of(database, [DIGEST])[DIGEST] == {"source": "b", "name": "C", "tags": ["x"], "upstreamKey": "k"}
    rows = database.execute("select source, folder, keyed, project from statement order by source").fetchall()
    assert rows == [("a", 2, None, None), ("b", 1, 1, None)]

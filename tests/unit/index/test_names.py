"""Look-ups of what documents refer to: many at once, and never more of them kept than a few thousand."""

import sqlite3

import pytest

from leaderpress.errors import ContentError
from leaderpress.index import names
from leaderpress.index.names import Lookup, Names
from leaderpress.index.schema import TABLES


@pytest.fixture
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    rows = [(f"sha256:{number}", f"slug-{number}", f"Name {number}") for number in range(50)]
    connection.executemany("insert into project values (?, ?, ?, 'board')", rows)
    return connection


def test_what_was_wanted_is_looked_up_once(database: sqlite3.Connection) -> None:
    queries: list[str] = []
    database.set_trace_callback(queries.append)
    known = Names(database)
    known.projects.want(f"sha256:{number}" for number in range(9))
    assert [known.project(f"sha256:{number}") for number in (3, 3, 8)] == [
        ("Name 3", "slug-3"),
        ("Name 3", "slug-3"),
        ("Name 8", "slug-8"),
    ]
    assert known.project("sha256:12") == ("Name 12", "slug-12")
    assert known.project("") == ("", "")
    assert len(queries) == 2


def test_only_so_many_answers_are_kept(database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_KEPT", 10)
    lookup = Lookup(database, "select digest, name from project", str)
    for number in range(50):
        lookup.want([f"sha256:{number}", "sha256:1"])
        assert (lookup[f"sha256:{number}"], lookup["sha256:1"]) == (f"Name {number}", "Name 1")
        assert len(lookup._known) <= 10


def test_changed_tables_are_asked_again_after_forgetting(database: sqlite3.Connection) -> None:
    known = Names(database)
    before = known.project("sha256:1")
    database.execute("update project set name = 'New' where digest = 'sha256:1'")
    assert known.project("sha256:1") == before
    known.forget()
    assert known.project("sha256:1") == ("New", "slug-1")


def test_a_reference_that_leads_nowhere_is_named(database: sqlite3.Connection) -> None:
    with pytest.raises(ContentError, match="sha256:nowhere") as fault:
        Names(database).subjects["sha256:nowhere"]
    assert fault.value.code == "record-dangling"

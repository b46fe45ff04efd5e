from pathlib import Path

import pytest

from leaderpress.errors import ContentError, LeaderpressError, Problems
from leaderpress.manifests.source import MetricRule, SourceTable, parse_source

AT = "content/sources/example.toml"

HEAD = """\
name = "Example Board"
url = "https://board.example/"
licence = "CC0-1.0"
"""

FULL = """\
# Invented for the tests.
name = "Example Board 🦆"
url = "https://board.example/"
licence = "LicenseRef-Example-1.0"
licence_text = '''
Use it.
name = "not a key"
'''
licence_url = "https://board.example/licence"
terms = "Ask first."
basis = "They were asked."
attribution = "Example Board, 2026."
ingester = "sol-execbench"
illustrative = true
order = "sol_score"

[metrics.latency]
unit = "ns"
better = "lower"
format = "time"

[metrics.sol_score]
label = "SOL"
format = "fixed:4"
better = "higher"
line = "SOL {value}"

[metrics.fast_1_count]
format = "count"
better = "higher"
of = "fast_1_total"
line = "{value} cases faster"

[metrics.fast_1_total]
format = "count"
"""


@pytest.mark.parametrize("unit", ["ns", "us", "\u00b5s", "\u03bcs", "ms", "s"])
def test_a_time_may_be_in_any_unit_that_pages_scale(unit: str) -> None:
    table = FULL.replace('unit = "ns"', f'unit = "{unit}"')
    assert parse_source(table.encode(), "example", AT).metrics["latency"].unit == unit


def test_a_full_table_is_read_in_its_order() -> None:
    assert parse_source(FULL.encode(), "example", AT) == SourceTable(
        slug="example",
        name="Example Board 🦆",
        url="https://board.example/",
        licence="LicenseRef-Example-1.0",
        licence_text='Use it.\nname = "not a key"\n',
        licence_url="https://board.example/licence",
        terms="Ask first.",
        basis="They were asked.",
        attribution="Example Board, 2026.",
        ingester="sol-execbench",
        illustrative=True,
        metrics={
            "latency": MetricRule("latency", "time", "ns", "lower"),
            "sol_score": MetricRule("SOL", "fixed:4", "", "higher", line="SOL {value}"),
            "fast_1_count": MetricRule("fast 1 count", "count", "", "higher", "fast_1_total", "{value} cases faster"),
            "fast_1_total": MetricRule("fast 1 total", "count", "", "none"),
        },
        order="sol_score",
    )
    assert list(parse_source(FULL.encode(), "example", AT).metrics)[:2] == ["latency", "sol_score"]


def test_a_short_table_names_the_ingester_after_the_source() -> None:
    source = parse_source(HEAD.encode(), "example", AT)
    assert (source.ingester, source.illustrative, source.metrics, source.order) == ("example", False, {}, None)


def test_none_stated_needs_terms_and_basis() -> None:
    text = HEAD.replace("CC0-1.0", "none-stated")
    with pytest.raises(Problems) as caught:
        parse_source(text.encode(), "example", AT)
    assert [(fault.code, fault.at) for fault in caught.value.problems] == [
        ("terms-missing", f"{AT}:3"),
        ("basis-missing", f"{AT}:3"),
    ]
    source = parse_source((text + 'terms = "none"\nbasis = "facts"\n').encode(), "example", AT)
    assert (source.licence, source.terms, source.basis) == ("none-stated", "none", "facts")


@pytest.mark.parametrize("key", ["licence_text", "licence_url"])
def test_a_licence_of_its_own_comes_with_text_or_address(key: str) -> None:
    text = HEAD.replace("CC0-1.0", "LicenseRef-Own")
    with pytest.raises(ContentError) as caught:
        parse_source(text.encode(), "example", AT)
    assert (caught.value.code, caught.value.at) == ("licence-text-missing", f"{AT}:3")
    assert parse_source(f'{text}{key} = "https://a.example/l"\n'.encode(), "example", AT).licence == "LicenseRef-Own"


def test_a_missing_licence_is_refused_with_the_three_ways_to_state_one() -> None:
    with pytest.raises(ContentError) as caught:
        parse_source(HEAD.replace('licence = "CC0-1.0"\n', "").encode(), "example", AT)
    assert (caught.value.code, caught.value.at) == ("licence-missing", AT)
    for way in ("SPDX", "LicenseRef-", "none-stated"):
        assert way in caught.value.hint


METRIC = HEAD + "\n[metrics.score]\n"

# sentence: (text, code, line or None)
BROKEN: dict[str, tuple[str, str, int | None]] = {
    "no TOML": (HEAD + "order = \n", "toml-invalid", 4),
    "a key twice": (HEAD + 'name = "again"\n', "toml-invalid", 4),
    "a text that never ends": (HEAD + 'terms = """\n', "toml-invalid", None),
    "lists nested 50,000 deep": (HEAD + "x = " + "[" * 50_000, "toml-invalid", None),
    "an integer of 9,000 digits": (HEAD + "x = " + "9" * 9000 + "\n", "toml-invalid", None),
    "no UTF-8": (HEAD + "# \udcff\n", "not-utf-8", 4),
    "a file of 300 KiB": (HEAD + "#" * 300 * 1024, "file-too-large", None),
    "a name that is missing": ('url = "https://a.example"\nlicence = "MIT"\n', "field-missing", None),
    "a blank name": (HEAD.replace("Example Board", " "), "not-a-line", 1),
    "a name with a line break": (HEAD.replace("Example Board", "a\\nb"), "not-a-line", 1),
    "a name, beside a text that looks like one": (
        HEAD.replace("Example Board", " ") + "terms = '''\nname = 'x'\n'''\n",
        "not-a-line",
        1,
    ),
    "a key after a text of many lines": (HEAD + 'terms = """\na\n"""\nx = 1\n', "field-unknown", 7),
    "a name of 201 characters": (HEAD.replace("Example Board", "x" * 201), "text-too-long", 1),
    "a name that is a number": (HEAD.replace('"Example Board"', "5"), "wrong-type", 1),
    "an address over http": (HEAD.replace("https:", "http:"), "not-an-address", 2),
    "an unknown licence": (HEAD.replace("CC0-1.0", "Public Domain"), "licence-unknown", 3),
    "an unknown key": (HEAD + 'license = "MIT"\n', "field-unknown", 4),
    "a flag that is a text": (HEAD + 'illustrative = "yes"\n', "wrong-type", 4),
    "an ingester that is a path": (HEAD + 'ingester = "../x"\n', "not-a-slug", 4),
    "metrics that are a list": (HEAD + "metrics = []\n", "wrong-type", 4),
    "a metric that is a text": (HEAD + '[metrics]\nscore = "SOL"\n', "wrong-type", 5),
    "a metric in capitals": (HEAD + "\n[metrics.Score]\n", "not-a-token", 5),
    "a metric with a quoted name": (HEAD + '\n[metrics."a b"]\n', "not-a-token", 5),
    "an unknown direction": (METRIC + 'better = "up"\n', "not-a-choice", 6),
    "a direction that is false": (METRIC + "better = false\n", "not-a-choice", 6),
    "an unknown format": (METRIC + 'format = "percent"\n', "format-unknown", 6),
    "a format with too many places": (METRIC + 'format = "fixed:99"\n', "format-unknown", 6),
    "a time without a unit": (METRIC + 'format = "time"\n', "unit-not-time", 5),
    "a time in minutes": (METRIC + 'unit = "min"\nformat = "time"\n', "unit-not-time", 6),
    "a unit of 51 characters": (METRIC + f'unit = "{"x" * 51}"\n', "text-too-long", 6),
    "a part of nothing known": (METRIC + 'format = "count"\nof = "total"\n', "of-unknown", 7),
    "a part of itself": (METRIC + 'format = "count"\nof = "score"\n', "of-unknown", 7),
    "a part that is no count": (METRIC + 'of = "all"\n[metrics.all]\nformat = "count"\n', "of-not-a-count", 6),
    "a whole that is no count": (METRIC + 'format = "count"\nof = "all"\n[metrics.all]\n', "of-not-a-count", 7),
    "a wording without the value": (METRIC + 'line = "SOL"\n', "line-template", 6),
    "a wording with the value twice": (METRIC + 'line = "{value} {value}"\n', "line-template", 6),
    "a wording with another brace": (METRIC + 'line = "{value} {unit}"\n', "line-template", 6),
    "a wording with half a brace": (METRIC + 'line = "{value} }"\n', "line-template", 6),
    "the order written into a metric": (METRIC + 'order = "score"\n', "field-unknown", 6),
    "an order by nothing known": ('order = "x"\n' + METRIC, "order-unknown", 1),
    "an order by a metric without a direction": ('order = "score"\n' + METRIC, "order-unknown", 1),
}


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_broken_table_is_refused_with_code_and_line(sentence: str) -> None:
    text, code, line = BROKEN[sentence]
    with pytest.raises(ContentError) as caught:
        parse_source(text.encode("utf-8", "surrogateescape"), "example", AT)
    assert (caught.value.code, caught.value.at) == (code, AT if line is None else f"{AT}:{line}")
    assert len(str(caught.value)) < 1000


def test_all_faults_of_a_table_are_told() -> None:
    text = HEAD.replace("CC0-1.0", "x" * 300) + 'nmae = "typo"\n[metrics.a]\nbetter = 1\n[metrics.b]\nfoo = 1\n'
    with pytest.raises(Problems) as caught:
        parse_source(text.encode(), "example", AT)
    assert [(fault.code, fault.at.rpartition(":")[2]) for fault in caught.value.problems] == [
        ("text-too-long", "3"),
        ("field-unknown", "4"),
        ("not-a-choice", "6"),
        ("field-unknown", "8"),
    ]


@pytest.mark.parametrize("slug", ["", "Example", "../example", "a_b", "-a", "a" * 101, "a\n", "\udcff"])
def test_the_name_of_the_file_is_a_slug(slug: str) -> None:
    with pytest.raises(LeaderpressError) as caught:
        parse_source(HEAD.encode(), slug, AT)
    assert str(caught.value).encode()  # also the name of a file that is no UTF-8 can be printed


TABLES = sorted(
    path
    for folder in ("content/sources", "generator/leaderpress/ingesters/sources")
    for path in (Path(__file__).parents[3] / folder).glob("*.toml")
)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_that_is_shipped_is_accepted(path: Path) -> None:
    assert parse_source(path.read_bytes(), path.stem, path.name).slug == path.stem


def test_there_are_shipped_tables() -> None:
    assert TABLES

"""`content/site.toml`: defaults, strictness, located faults."""

from pathlib import Path

import pytest

from leaderpress.config import FORMATS, PAGE_KINDS, SITE_FILE, fill_link, find_site, load_config, parse_config
from leaderpress.errors import ContentError, Problems, UsageError
from leaderpress.hosts import HOSTS

MINIMAL = 'title = "T"\npublisher = "P"\nkey = "k"\n'


def faults_of(text: str) -> list[tuple[str, str]]:
    with pytest.raises(Problems) as caught:
        parse_config(text.encode(), "site.toml")
    return [(fault.at, fault.problem) for fault in caught.value.problems]


def test_three_settings_are_enough_and_the_rest_has_defaults() -> None:
    config = parse_config(MINIMAL.encode())
    assert (config.title, config.publisher, config.key) == ("T", "P", "k")
    assert (config.permalink_base, config.base_path, config.theme, config.links) == (None, "/", "default", "directory")
    assert all(config.outputs.has(kind, name) for kind in PAGE_KINDS for name in FORMATS)


def test_all_that_is_missing_is_reported_at_once() -> None:
    assert faults_of("") == [("site.toml", f"{name} is missing") for name in ("title", "publisher", "key")]


REFUSED = {
    "an unknown key names the nearest known one": ('tittle = "x"', "tittle: unknown key; did you mean title?"),
    "a key far from all known ones lists them": ("zzz = 1", "zzz: unknown key; known are title, tagline"),
    "a number is not a text": ("tagline = 3", "tagline: must be a string, not an integer"),
    "a date is not a text": ("tagline = 2026-01-01", "tagline: must be a string, not a date or time"),
    "a text of two lines": ('tagline = "a\\nb"', "tagline: must be one line without control characters"),
    "a text that is too long": (f'tagline = "{"x" * 201}"', "tagline: is 201 characters long; at most 200"),
    "a theme that could leave its folder": ('theme = "../x"', "theme: '../x' is not the name of a theme"),
    "a language that is no tag": ('language = "English!"', "language: 'English!' is not a BCP 47 language tag"),
    "an unknown link style": ('links = "both"', "links: 'both' is not one of directory, file"),
    "an unknown host": ('host = "geocities"', "host: 'geocities' is not one of none, github-pages"),
    "a permalink base without TLS": ('permalink_base = "http://a.example/"', "permalink_base: 'http://a.example/'"),
    "a permalink base without a slash": ('permalink_base = "https://a.example"', "permalink_base: 'https://a"),
    "a permalink base with a query": ('permalink_base = "https://a.example/?x/"', "permalink_base: 'https://a"),
    "a permalink base with a user": ('permalink_base = "https://u@a.example/"', "permalink_base: 'https://u@"),
    "a base path that is relative": ('base_path = "x/"', "base_path: 'x/' is not a path that starts and ends"),
    "a base path with an empty part": ('base_path = "//x/"', "base_path: '//x/' is not a path"),
    "a contact that is a script": ('contact = "javascript:alert(1)"', "contact: 'javascript:alert(1)' is neither"),
    "a template with an unknown placeholder": (
        'report_url = "https://a.example/{rank}"',
        "report_url: may hold {digest} and {permalink} and no other brace",
    ),
    "a template with a lone brace": ('note_url = "https://a.example/{"', "note_url: may hold {digest} and"),
    "an output of an unknown page kind": ("[outputs]\nrnu = false", "outputs.rnu: unknown key; did you mean run?"),
    "an output in an unknown format": ('[outputs]\nrun = ["pdf"]', "outputs.run: must be true, false or a list"),
    "a source's outputs in an unknown format": ("[outputs.sources]\nx = 3", "outputs.sources.x: must be true, false"),
    "outputs that are no table": ("outputs = true", "outputs: must be a table, not a boolean"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_work_is_refused_with_its_line(case: str) -> None:
    lines, problem = REFUSED[case]
    [(at, text)] = faults_of(MINIMAL + "\n" + lines)
    assert text.startswith(problem), text
    assert at == f"site.toml:{4 + len(lines.splitlines())}"


def test_a_key_is_lower_case_letters_digits_and_single_hyphens() -> None:
    for key in ("a", "gpu-records", "2026", "a-b-c"):
        assert parse_config(f'title = "T"\npublisher = "P"\nkey = "{key}"\n'.encode()).key == key
    for key in ("A", "a_b", "-a", "a-", "a--b", "ä", "", "a b", "a\\n"):
        assert faults_of(f'title = "T"\npublisher = "P"\nkey = "{key}"\n')[0][0] == "site.toml:3"


def test_every_fault_is_reported_in_the_order_of_the_file() -> None:
    found = faults_of('links = 1\ntitle = ""\nkey = "k"\n[outputs.sources]\na = 1\n')
    assert [at for at, _ in found] == ["site.toml:1", "site.toml:2", "site.toml:5", "site.toml"]


def test_broken_toml_names_the_line_and_is_our_error() -> None:
    with pytest.raises(ContentError) as caught:
        parse_config(b'title = "T"\nkey = \n', "site.toml")
    assert (caught.value.code, caught.value.at) == ("toml-invalid", "site.toml:2")


def test_bytes_that_are_not_utf8_name_the_line() -> None:
    with pytest.raises(ContentError) as caught:
        parse_config(b'title = "T"\nkey = "\xff"\n', "site.toml")
    assert (caught.value.code, caught.value.at) == ("toml-encoding", "site.toml:2")


def test_a_file_of_brackets_neither_crashes_nor_hangs() -> None:
    with pytest.raises(ContentError):
        parse_config(b"a = " + b"[" * 100_000)


def test_the_base_path_follows_the_permalink_base_unless_it_is_set() -> None:
    base = MINIMAL + 'permalink_base = "https://a.example/records/"\n'
    assert parse_config(base.encode()).base_path == "/records/"
    assert parse_config((base + 'base_path = "/"\n').encode()).base_path == "/"


def test_a_missing_permalink_base_is_a_warning_and_not_a_fault() -> None:
    assert [warning.code for warning in parse_config(MINIMAL.encode()).warnings()] == ["no-permalink-base"]
    assert parse_config((MINIMAL + 'permalink_base = "https://a.example/"').encode()).warnings() == ()


def test_outputs_are_switched_by_page_kind_and_by_source() -> None:
    text = MINIMAL + '[outputs]\nhardware = false\ngroup = ["json"]\n[outputs.sources]\nb = ["json"]\nc = false\n'
    outputs = parse_config(text.encode()).outputs
    assert not outputs.has("hardware", "html")
    assert not outputs.has("hardware", "json")
    assert outputs.has("group", "json")
    assert not outputs.has("group", "html")
    assert outputs.has("run", "html")
    assert outputs.has("run", "html", "a")
    assert outputs.has("run", "json", "b")
    assert not outputs.has("run", "html", "b")
    assert not outputs.has("run", "json", "c")


def test_links_are_filled_with_percent_encoded_values() -> None:
    link = fill_link("https://a.example/?d={digest}&p={permalink}", digest="sha256:ab", permalink="https://b/?x=1&y=ä")
    assert link == "https://a.example/?d=sha256%3Aab&p=https%3A%2F%2Fb%2F%3Fx%3D1%26y%3D%C3%A4"


def test_a_value_that_looks_like_a_placeholder_is_not_filled_again() -> None:
    assert fill_link("https://a/{digest}", digest="{permalink}", permalink="x") == "https://a/%7Bpermalink%7D"


def test_host_limits_name_what_to_turn() -> None:
    pages = HOSTS["cloudflare-pages"]
    assert pages.faults(20_000, 10**12, ("a", 25 * 2**20)) == []
    many, large = pages.faults(20_001, 0, ("big.json", 25 * 2**20 + 1))
    assert "20,001 files" in many.problem
    assert "[outputs]" in many.hint
    assert large.at == "big.json"
    [heavy] = HOSTS["github-pages"].faults(1, 1_000_000_001, ("a", 1))
    assert "1,000,000,001 bytes" in heavy.problem
    assert HOSTS["none"].faults(10**9, 10**15, ("a", 10**12)) == []


def test_the_nearest_folder_above_with_a_site_file_is_the_site(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / SITE_FILE).write_text(MINIMAL)
    inner = tmp_path / "content" / "notes"
    inner.mkdir()
    assert find_site(inner) == tmp_path.resolve()
    assert load_config(find_site(inner)).title == "T"


def test_no_site_anywhere_is_a_usage_error_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_site(tmp_path)
    assert "leaderpress init" in caught.value.hint


def test_a_site_file_that_cannot_be_read_is_our_error(tmp_path: Path) -> None:
    (tmp_path / SITE_FILE).mkdir(parents=True)
    with pytest.raises(ContentError) as caught:
        load_config(tmp_path)
    assert caught.value.at == SITE_FILE

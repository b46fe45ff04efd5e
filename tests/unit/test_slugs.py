"""Slugs: the bare form for whoever comes first, a suffix for the others, and never a change afterwards."""

import json
import random
import re
from pathlib import Path

import pytest

from leaderpress.canonical import sha256
from leaderpress.errors import ContentError
from leaderpress.slugs import HARDWARE, OPERATION, PROJECT, Named, SlugBook, identity_digits, is_reserved, slug_stem

A = "sha256:" + "a1" * 32
B = "sha256:" + "b2" * 32
C = "sha256:" + "c3" * 32


def given(*names: Named, book: SlugBook | None = None) -> list[str | None]:
    book = book or SlugBook()
    book.assign(names)
    return [book.slug(named.kind, named.identity) for named in names]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("001_attention_softmax", "001-attention-softmax"),
        ("Arseni Ivanov", "arseni-ivanov"),
        ("G-structure", "g-structure"),
        ("NVIDIA B200", "nvidia-b200"),
        ("x" * 70, "x" * 60),
        ("a" * 59 + " b", "a" * 59),  # the cut leaves a hyphen at the end, which goes
        ("naïve — 100 %", "na-ve-100"),
        ("console", "console"),
        ("com10", "com10"),
        ("index 2", "index-2"),
    ],
)
def test_a_free_name_gets_the_bare_slug(name: str, slug: str) -> None:
    assert given(Named(PROJECT, A, name)) == [slug]


@pytest.mark.parametrize("name", ["我爱拆拆", "南北绿豆糕", "", "---", "🦀", " "])
def test_a_name_without_latin_letters_is_told_apart_by_its_digest(name: str) -> None:
    assert given(Named(PROJECT, A, name)) == ["x-a1a1a1a1a1"]


@pytest.mark.parametrize(
    "name", ["index", "INDEX", "2048", "0", "con", "PRN", "aux", "Nul", "com0", "COM9", "lpt0", "lpt9"]
)
def test_a_reserved_name_never_stands_bare(name: str) -> None:
    assert is_reserved(slug_stem(name))
    assert given(Named(OPERATION, A, name)) == [f"{name.lower()}-a1a1a1a1a1"]


def test_the_bare_form_goes_to_the_first_name_in_order_of_utf16_code_units() -> None:
    # U+1F980 sorts before U+FF5E by UTF-16 code unit (its first unit is D83E) and after it by code point.
    names = [Named(PROJECT, A, "crab ～"), Named(PROJECT, B, "crab 🦀"), Named(PROJECT, C, "Crab")]
    assert given(*names) == ["crab-a1a1a1a1a1", "crab-b2b2b2b2b2", "crab"]
    assert given(*names[:2]) == ["crab-a1a1a1a1a1", "crab"]


def test_of_equal_names_the_smaller_digest_comes_first() -> None:
    assert given(Named(PROJECT, B, "team"), Named(PROJECT, A, "team")) == ["team-b2b2b2b2b2", "team"]


def test_sixteen_digits_are_used_when_ten_are_taken() -> None:
    names = [Named(PROJECT, B, "Team"), Named(PROJECT, A, "team a1a1a1a1a1"), Named(PROJECT, C, "Team")]
    book = SlugBook()
    book.record(PROJECT, B, "team")
    book.record(PROJECT, C, "team-a1a1a1a1a1")
    assert given(Named(PROJECT, A, "Team"), book=book) == ["team-a1a1a1a1a1a1a1a1"]
    assert len(set(given(*names))) == 3


def test_somebody_who_occupies_every_short_form_cannot_stop_a_publication() -> None:
    book = SlugBook()
    for position, taken in enumerate(["team", "team-a1a1a1a1a1", "team-a1a1a1a1a1a1a1a1"]):
        book.record(PROJECT, f"sha256:{position:064x}", taken)
    assert given(Named(PROJECT, A, "Team"), book=book) == ["x-" + "a1" * 32]


def test_kinds_do_not_share_their_slugs() -> None:
    names = [Named(OPERATION, A, "H100"), Named(PROJECT, B, "H100"), Named(HARDWARE, "H100", "H100")]
    assert given(*names) == ["h100", "h100", "h100"]


def test_hardware_is_its_exact_text() -> None:
    digits = sha256(b"nvidia b200").removeprefix("sha256:")
    names = [Named(HARDWARE, text, text) for text in ("NVIDIA B200", "nvidia b200")]
    assert given(*names) == ["nvidia-b200", f"nvidia-b200-{digits[:10]}"]
    assert identity_digits(HARDWARE, "nvidia b200") == digits


def test_a_slug_stays_when_the_name_changes() -> None:
    book = SlugBook()
    assert given(Named(PROJECT, A, "old name"), book=book) == ["old-name"]
    assert given(Named(PROJECT, A, "a new name"), Named(PROJECT, B, "old name"), book=book) == [
        "old-name",
        "old-name-b2b2b2b2b2",
    ]


def test_an_identity_with_two_names_is_served_under_the_first() -> None:
    names = [Named(OPERATION, A, "zeta"), Named(OPERATION, A, "alpha"), Named(OPERATION, B, "zeta")]
    assert given(*names) == ["alpha", "alpha", "zeta"]


def test_the_order_in_which_names_arrive_plays_no_part() -> None:
    names = [Named(PROJECT, f"sha256:{n:064x}", text) for n, text in enumerate(["a", "A", "a!", "", "index", "é", "a"])]
    wanted = given(*names)
    for seed in range(20):
        shuffled = random.Random(seed).sample(names, len(names))
        assert dict(zip(shuffled, given(*shuffled), strict=True)) == dict(zip(names, wanted, strict=True))


@pytest.mark.parametrize(
    ("identity", "slug", "code"),
    [
        (A, "other", "slug-changed"),
        (B, "team", "slug-taken"),
        (B, "../team", "slug-malformed"),
        (B, "", "slug-malformed"),
        (B, "Team", "slug-malformed"),
    ],
)
def test_a_recorded_slug_can_neither_change_nor_pass_on(identity: str, slug: str, code: str) -> None:
    book = SlugBook()
    book.record(PROJECT, A, "team")
    book.record(PROJECT, A, "team")
    with pytest.raises(ContentError) as caught:
        book.record(PROJECT, identity, slug, at="content/records/x/provenance.jsonl:3")
    assert (caught.value.code, caught.value.at) == (code, "content/records/x/provenance.jsonl:3")


def test_hostile_names_get_distinct_harmless_slugs(corpus: Path) -> None:
    texts: list[str] = json.loads((corpus / "corpora/naughty-strings/blns.json").read_text())
    texts += [
        line
        for file in sorted((corpus / "corpora/path-traversal").glob("*.txt"))
        for line in file.read_text(errors="replace").splitlines()
    ]
    names = [Named(PROJECT, sha256(str(n).encode()), text) for n, text in enumerate(texts)]
    slugs = [slug for slug in given(*names) if slug is not None]
    assert len(names) == len(slugs) == len(set(slugs)) > 500
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) and len(slug) <= 80 for slug in slugs)

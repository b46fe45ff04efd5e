"""Strict reading and RFC 8785 bytes."""

import hashlib
import io
import json
import math
import random
import struct
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from leaderpress.canonical import (
    canonical,
    canonical_of_plain,
    check,
    digest_of,
    is_plain,
    number_text,
    parse,
    pointer,
    sha256,
)
from leaderpress.errors import DumpError, ManifestError

NAN = float("nan")
INFINITY = float("inf")


class Level(IntEnum):
    ONE = 1


class Text(str):
    """A text that is more than one."""


# --- RFC 8785 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_the_vectors_of_the_rfc_come_out_byte_for_byte(corpus: Path, name: str) -> None:
    folder = corpus / "corpora" / "rfc8785"
    written = canonical(parse((folder / "input" / f"{name}.json").read_bytes(), name))
    assert written == (folder / "output" / f"{name}.json").read_bytes()
    assert written == bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())


def double(bits: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(bits.rjust(16, "0")))[0]
    return value


def test_every_number_of_appendix_b_is_written_or_refused_as_it_says(corpus: Path) -> None:
    lines = (corpus / "corpora" / "rfc8785" / "rfc8785_appendix_b.csv").read_text().split()[1:]
    assert len(lines) == 27
    for line in lines:
        bits, expected = line.split(",")
        if expected == "ERROR":
            with pytest.raises(ManifestError, match="finite"):
                number_text(double(bits))
        else:
            assert number_text(double(bits)) == expected, bits
            assert canonical([double(bits)]) == f"[{expected}]".encode(), bits


@pytest.mark.parametrize(
    ("file", "count"),
    [("es6_numbers_1000.txt", 1000), ("es6_numbers_4000.txt", 4000), ("es6_numbers_plain_notation.txt", 1500)],
)
def test_every_ecmascript_number_is_written_as_a_browser_writes_it(corpus: Path, file: str, count: int) -> None:
    pairs = [line.split(",") for line in (corpus / "corpora" / "rfc8785" / file).read_text().split()]
    assert len(pairs) == count
    assert [(bits, number_text(double(bits))) for bits, _ in pairs] == [(bits, text) for bits, text in pairs]
    together = "[" + ",".join(text for _, text in pairs) + "]"
    assert canonical([double(bits) for bits, _ in pairs]) == together.encode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (8.0, "8"),
        (1e-6, "0.000001"),
        (9.5e-6, "0.0000095"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (2**53 - 1, "9007199254740991"),
        (-(2**53) + 1, "-9007199254740991"),
        (0.0001, "0.0001"),
        (999999999999999.9, "999999999999999.9"),
        (0.523033, "0.523033"),
    ],
)
def test_numbers_where_serialisers_differ(value: float, text: str) -> None:
    assert number_text(value) == text
    assert canonical({"n": value}) == f'{{"n":{text}}}'.encode()


def test_numbers_called_plain_are_written_alike_by_both(numbers: list[float]) -> None:
    plain = [number for number in numbers if is_plain(number)]
    assert 0.3 < len(plain) / len(numbers) < 0.95, "both sorts were tried"
    assert [canonical_of_plain([number]) for number in plain] == [rfc8785.dumps([number]) for number in plain]


@pytest.fixture(scope="module")
def numbers() -> list[float]:
    """Doubles of every magnitude, whole ones, and those at the borders between spellings."""
    dice = random.Random(8785)
    any_bits = [struct.unpack("<d", dice.randbytes(8))[0] for _ in range(2000)]
    usual = [dice.uniform(-1, 1) * 10.0**power for power in range(-12, 25) for _ in range(100)]
    whole: list[float] = [dice.randrange(-(2**53), 2**53) for _ in range(200)] + [8.0, -0.0, 1e15, 1e20, 1e21, 2**53]
    borders = [math.nextafter(10.0**power, way) for power in range(-8, 23) for way in (0, INFINITY)]
    return [*any_bits, *usual, *whole, *borders, *(10.0**power for power in range(-8, 23)), NAN, INFINITY]


@pytest.mark.parametrize("value", ["\ud800", Text("x"), object(), 2**64])
def test_a_plain_tree_is_held_to_the_same_rules(value: Any) -> None:
    with pytest.raises(ManifestError):
        canonical_of_plain({"a": value})


@pytest.mark.parametrize("value", [2**53, -(2**53), NAN, INFINITY, -INFINITY, True, "1", None])
def test_what_is_no_exact_number_has_no_text(value: Any) -> None:
    with pytest.raises(ManifestError):
        number_text(value)


def test_keys_are_sorted_by_utf16_code_unit() -> None:
    keys = ["z", "é", "\U0001f602", "\ufb33"]
    assert canonical(dict.fromkeys(reversed(keys), 1)) == ("{" + ",".join(f'"{key}":1' for key in keys) + "}").encode()


@pytest.mark.parametrize(
    "value",
    [
        {"a": NAN},
        [INFINITY],
        [2**53],
        {1: 2},
        {None: 2},
        {"a": (1, 2)},
        [b"bytes"],
        [Level.ONE],
        ["\ud800"],
        {"\udc00": 1},
        {"a": 1, "\udc00": 8.0},
        {1, 2},
        [object()],
    ],
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ManifestError):
        canonical(value)


def test_nesting_beyond_every_limit_is_refused_and_does_not_crash() -> None:
    deep: Any = 8.0
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ManifestError):
        canonical(deep)
    with pytest.raises(DumpError) as refused:
        check(deep)
    assert refused.value.code == "json-depth"
    while isinstance(deep, list):  # taken apart by hand: freeing it in one go is as deep
        deep = deep[0]


def test_digests_carry_the_name_of_their_algorithm() -> None:
    assert sha256(b"{}") == "sha256:" + hashlib.sha256(b"{}").hexdigest()
    assert digest_of({"b": 1, "a": 8.0}) == sha256(b'{"a":8,"b":1}')


@pytest.mark.parametrize(
    ("segments", "text"),
    [((), ""), (("a/b", 0), "/a~1b/0"), (("~",), "/~0"), (("~1",), "/~01"), (("",), "/"), (("é", "x y"), "/é/x y")],
)
def test_pointers_escape_tilde_and_slash(segments: tuple[str | int, ...], text: str) -> None:
    assert pointer(*segments) == text


# --- strict reading -------------------------------------------------------------------------------------------------


FAULTS = [
    # (what, bytes, code, where)
    ("duplicate key", b'{"a":1,"a":2}', "json-duplicate-key", ""),
    ("duplicate key, equal values", b'{"a":1,"a":1}', "json-duplicate-key", ""),
    ("duplicate key by an escape", rb'{"a":1,"\u0061":2}', "json-duplicate-key", ""),
    ("duplicate key with a colon in a string", rb'{"a" :1,"a" :2,"x":"\":"}', "json-duplicate-key", ""),
    ("duplicate key inside", b'{"x":[0,{"y":{"k":1,"b":2,"k":3}}]}', "json-duplicate-key", "#/x/1/y"),
    ("duplicate key around another", b'{"a":{"b":1,"b":2},"c":0,"c":1}', "json-duplicate-key", ""),
    ("2^53", b"[9007199254740992]", "json-integer-range", "#/0"),
    ("-2^53", b'{"n":-9007199254740992}', "json-integer-range", "#/n"),
    ("2^64, which orjson rounds", b'{"a":{"n":18446744073709551616}}', "json-integer-range", "#/a/n"),
    ("2^53 as a float", b"[1,9007199254740992.0]", "json-integer-range", "#/1"),
    ("1e20, whose canonical text is an integer", b'{"a":-1e20}', "json-integer-range", "#/a"),
    ("400 digits", b"[" + b"9" * 400 + b"]", "json-integer-range", "#/0"),
    ("5,000 digits", b"[" + b"9" * 5000 + b"]", "json-invalid", ""),
    ("1e400", b'{"a":[1,1e400]}', "json-not-finite", "#/a/1"),
    ("-1e400", b"-1e400", "json-not-finite", ""),
    ("NaN", b'{"a":NaN}', "json-not-finite", "#/a"),
    ("Infinity", b"[Infinity]", "json-not-finite", "#/0"),
    ("-Infinity", b"[0,-Infinity]", "json-not-finite", "#/1"),
    ("byte order mark", b"\xef\xbb\xbf{}", "json-invalid", ""),
    ("UTF-16", '{"a":1}'.encode("utf-16"), "json-invalid", ""),
    ("invalid UTF-8", b'["\xff"]', "json-invalid", ""),
    ("overlong UTF-8", b'["\xc0\xaf"]', "json-invalid", ""),
    ("a surrogate in UTF-8", b'["\xed\xa0\x80"]', "json-invalid", ""),
    ("lone surrogate", rb'{"a/b":["x","\ud800"]}', "json-surrogate", "#/a~1b/1"),
    ("lone low surrogate", rb'[{"m~n":"\udc00x"}]', "json-surrogate", "#/0/m~0n"),
    ("lone surrogate in a key", rb'{"a":{"\ud83d":1}}', "json-surrogate", "#/a"),
    ("surrogates the wrong way round", rb'["\udd1e\ud834"]', "json-surrogate", "#/0"),
    ("surrogate halves in neighbours", rb'["\ud834","\udd1e"]', "json-surrogate", "#/0"),
    ("NUL", rb'{"a":"x\u0000y"}', "json-nul", "#/a"),
    ("NUL in a key", rb'{"a":[{"x\u0000":1}]}', "json-nul", "#/a/0"),
    ("NUL beside other letters", '{"a":"é\\u0000"}'.encode(), "json-nul", "#/a"),
    ("a raw NUL", b'["\0"]', "json-invalid", ""),
    ("65 arrays", b"[" * 65 + b"]" * 65, "json-depth", "#" + "/0" * 64),
    ("65 objects", b'{"a":' * 65 + b"1" + b"}" * 65, "json-depth", "#" + "/a" * 64),
    ("300 arrays, more than orjson writes", b"[" * 300 + b"]" * 300, "json-depth", "#" + "/0" * 64),
    ("1,100 arrays, more than orjson reads", b"[" * 1100 + b"]" * 1100, "json-depth", None),
    ("100,000 open brackets", b"[" * 100_000, "json-depth", None),
    ("100,000 open objects", b'{"a":' * 100_000, "json-depth", None),
    ("nothing", b"", "json-invalid", ""),
    ("trailing comma", b"[1,]", "json-invalid", ""),
    ("two documents", b"{}{}", "json-invalid", ""),
    ("comment", b"{} // x", "json-invalid", ""),
    ("leading zero", b"[01]", "json-invalid", ""),
    ("single quotes", b"{'a':1}", "json-invalid", ""),
    ("cut off", b'{"a":[1,2', "json-invalid", ""),
    ("the first of several faults", rb'{"a":[1,NaN],"b":"\u0000","b":1e999}', "json-duplicate-key", ""),
    (
        "the first fault in document order",
        rb'{"a":[1,9007199254740993,NaN],"b":"\u0000"}',
        "json-integer-range",
        "#/a/1",
    ),
]


@pytest.mark.parametrize(("data", "code", "where"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_refused_with_its_code_and_place(data: bytes, code: str, where: str | None) -> None:
    with pytest.raises(DumpError) as refused:
        parse(data, "dump/x.json")
    assert refused.value.code == code
    if where is not None:
        assert refused.value.at == f"dump/x.json{where}"
    str(refused.value).encode()  # a message that cannot be printed would be a second fault


@pytest.mark.parametrize(
    "data",
    [
        b"null",
        b" \n[1, 2.5, -0, 1E3]\t\r\n",
        b'{"a":{"b":[]},"c":{}}',
        b"[" * 64 + b"]" * 64,
        b'{"a":' * 64 + b"1" + b"}" * 64,
        b"[9007199254740991,-9007199254740991,9007199254740991.0,1e21]",
        rb'["\\u0000","\ud83d\ude00","\/","\u001f"]',
        '["é","😂","\u2028","\ufeff"]'.encode(),
        b'{"a":1,"A":2,"a ":3,"":4}',
        b"[1e-999,1e308,5e-324]",
        json.dumps({"k": [1.0, {"x": "é"}]}, indent=2).encode(),
    ],
)
def test_strict_json_is_read_as_it_stands(data: bytes) -> None:
    tree = parse(data, "x")
    assert repr(tree) == repr(json.loads(data))  # repr, because 1 == 1.0 == True


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf{}", "byte order mark\n  at    x\n  hint  save it"),
        (b'["ab\xff"]', "not UTF-8 from byte 4 on"),
        (b"[1,\n2,,]", "line 2"),
    ],
)
def test_bytes_that_are_no_json_are_refused_in_words_for_a_person(data: bytes, text: str) -> None:
    with pytest.raises(DumpError) as refused:
        parse(data, "x")
    assert text in str(refused.value)


def test_a_line_of_jsonl_may_end_with_its_newline() -> None:
    assert [parse(line, "x") for line in io.BytesIO(b'{"a":1}\r\n{"a":2}\n{"a":3}')] == [{"a": 1}, {"a": 2}, {"a": 3}]


@pytest.mark.parametrize(
    ("tree", "code", "where"),
    [
        ({"a": [1, (2,)]}, "json-type", "f#/a/1"),
        ({"a": {1: 2}}, "json-type", "f#/a"),
        ([b"x"], "json-type", "f#/0"),
        ([Level.ONE], "json-type", "f#/0"),
        ([1, NAN], "json-not-finite", "f#/1"),
        ({"a": -INFINITY}, "json-not-finite", "f#/a"),
        ({"a": "\ud800"}, "json-surrogate", "f#/a"),
        ({"\ud800": "a"}, "json-surrogate", "f"),
        ([["\0"]], "json-nul", "f#/0/0"),
        ("\0", "json-nul", "f"),
        (2**53, "json-integer-range", "f"),
        ([1e20], "json-integer-range", "f#/0"),
    ],
)
def test_a_tree_from_elsewhere_is_held_to_the_same_rules(tree: Any, code: str, where: str) -> None:
    with pytest.raises(DumpError) as refused:
        check(tree, "f")
    assert (refused.value.code, refused.value.at) == (code, where)


def test_a_megabyte_key_does_not_make_a_megabyte_message() -> None:
    key = "k" * 1_000_000
    with pytest.raises(DumpError) as refused:
        parse(f'{{"{key}":1,"{key}":2}}'.encode(), "x")
    assert len(str(refused.value)) < 300


# --- JSONTestSuite --------------------------------------------------------------------------------------------------

STRICTER = {
    # files that JSON allows and we do not, with the reason
    "y_object_duplicated_key.json": "json-duplicate-key",  # readers keep either value: the record would be ambiguous
    "y_object_duplicated_key_and_value.json": "json-duplicate-key",
    "y_object_escaped_null_in_key.json": "json-nul",  # cannot be shown, cannot stand in XML
    "y_string_null_escape.json": "json-nul",
}
CHOICES = {
    # files whose reading JSON leaves open: the value that we read, or the code of the refusal
    "i_number_double_huge_neg_exp.json": [0.0],  # the nearest double of a tiny number is zero
    "i_number_real_underflow.json": [0.0],
    "i_number_huge_exp.json": "json-not-finite",  # a number beyond every double would become infinite
    "i_number_neg_int_huge_exp.json": "json-not-finite",
    "i_number_pos_double_huge_exp.json": "json-not-finite",
    "i_number_real_neg_overflow.json": "json-not-finite",
    "i_number_real_pos_overflow.json": "json-not-finite",
    "i_number_too_big_neg_int.json": "json-integer-range",  # would be rounded by every reader that has only doubles
    "i_number_too_big_pos_int.json": "json-integer-range",
    "i_number_very_big_negative_int.json": "json-integer-range",
    "i_object_key_lone_2nd_surrogate.json": "json-surrogate",  # no UTF-8 form, so no canonical bytes
    "i_string_1st_surrogate_but_2nd_missing.json": "json-surrogate",
    "i_string_1st_valid_surrogate_2nd_invalid.json": "json-surrogate",
    "i_string_incomplete_surrogate_and_escape_valid.json": "json-surrogate",
    "i_string_incomplete_surrogate_pair.json": "json-surrogate",
    "i_string_incomplete_surrogates_escape_valid.json": "json-surrogate",
    "i_string_invalid_lonely_surrogate.json": "json-surrogate",
    "i_string_invalid_surrogate.json": "json-surrogate",
    "i_string_inverted_surrogates_U+1D11E.json": "json-surrogate",
    "i_string_lone_second_surrogate.json": "json-surrogate",
    "i_string_UTF-16LE_with_BOM.json": "json-invalid",  # JSON that is exchanged is UTF-8 (RFC 8259 §8.1)
    "i_string_utf16BE_no_BOM.json": "json-invalid",
    "i_string_utf16LE_no_BOM.json": "json-invalid",
    "i_structure_UTF-8_BOM_empty_object.json": "json-invalid",  # one spelling: no byte order mark
    "i_string_UTF-8_invalid_sequence.json": "json-invalid",  # invalid UTF-8 is never repaired
    "i_string_UTF8_surrogate_U+D800.json": "json-invalid",
    "i_string_invalid_utf-8.json": "json-invalid",
    "i_string_iso_latin_1.json": "json-invalid",
    "i_string_lone_utf8_continuation_byte.json": "json-invalid",
    "i_string_not_in_unicode_range.json": "json-invalid",
    "i_string_overlong_sequence_2_bytes.json": "json-invalid",
    "i_string_overlong_sequence_6_bytes.json": "json-invalid",
    "i_string_overlong_sequence_6_bytes_null.json": "json-invalid",
    "i_string_truncated-utf-8.json": "json-invalid",
    "i_structure_500_nested_arrays.json": "json-depth",  # no manifest nests like this, and every recursion stays safe
}


def outcome(data: bytes) -> Any:
    """What reading gives: the tree in a list, or the code of the refusal; any other exception fails the test."""
    try:
        return [parse(data, "x")]
    except DumpError as refused:
        return refused.code


def test_of_jsontestsuite_all_valid_files_are_read_and_no_invalid_one(corpus: Path) -> None:
    files = sorted((corpus / "corpora" / "jsontestsuite" / "test_parsing").iterdir())
    assert len(files) == 318
    seen = {file.name: outcome(file.read_bytes()) for file in files}
    assert [name for name, result in seen.items() if name[0] == "n" and not isinstance(result, str)] == []
    assert {name: result for name, result in seen.items() if name[0] == "y" and isinstance(result, str)} == STRICTER
    read = [file for file in files if file.name[0] == "y" and file.name not in STRICTER]
    assert len(read) == 91
    for file in read:
        assert repr(seen[file.name]) == repr([json.loads(file.read_bytes())]), file.name


def test_of_jsontestsuite_the_open_cases_are_decided_as_written_here(corpus: Path) -> None:
    files = sorted((corpus / "corpora" / "jsontestsuite" / "test_parsing").glob("i_*"))
    decided = {file.name: outcome(file.read_bytes()) for file in files}
    assert decided == {name: choice if isinstance(choice, str) else [choice] for name, choice in CHOICES.items()}


# --- the real catalog -----------------------------------------------------------------------------------------------


def catalog_lines(corpus: Path) -> Iterator[bytes]:
    zstandard = pytest.importorskip("zstandard")
    (path,) = (corpus / "data" / "kernelindex").glob("*.zst")
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        yield from io.BufferedReader(stream, 1 << 20)


def stated_digests(table: str, row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(digest that the catalog states, the document it is of)."""
    if table == "benchmark_runs":
        yield row["runDigest"], row["manifest"]["run"]
    for name in ("workloadDigest", "implementationDigest", "semanticDigest"):
        if name in row:
            yield row[name], row["manifest"]


@pytest.mark.slow
def test_every_digest_that_the_real_catalog_states_is_recomputed(corpus: Path) -> None:
    wrong, count = [], 0
    for number, line in enumerate(catalog_lines(corpus), 1):
        tree = parse(line, f"catalog:{number}")
        assert canonical(tree) == rfc8785.dumps(tree), number
        for stated, document in stated_digests(tree["table"], tree["row"]):
            count += 1
            if digest_of({key: document[key] for key in ("apiVersion", "kind", "spec")}) != stated:
                wrong.append((number, stated))
    assert wrong == []
    assert count == 7857 + 5627 + 4250 + 449


def test_a_number_is_read_only_if_its_canonical_text_can_be_read_again() -> None:
    for value in (2**53 - 1, 1 - 2**53, 2.0**53 - 1, 1e21, math.nextafter(INFINITY, 0), 5e-324, -0.0, True, None):
        check([value])
        assert parse(canonical([value]), "x") == [value]
    for value in (2**53, -(2**53), 2.0**53, -(2.0**53), math.nextafter(1e21, 0), INFINITY, -INFINITY, NAN):
        with pytest.raises(DumpError):
            check([value])

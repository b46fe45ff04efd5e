"""Files of a dump are read within bounds, and one fault does not cost its neighbours."""

import builtins
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import zstandard

from leaderpress.canonical import parse
from leaderpress.errors import DumpError, UsageError
from leaderpress.ingesters import reading
from leaderpress.ingesters.base import DumpFile
from leaderpress.ingesters.reading import (
    Document,
    Line,
    Unreadable,
    documents,
    lines,
    literals,
    require_sound,
    strict,
)


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def make(name: str, data: bytes) -> DumpFile:
        (tmp_path / name).write_bytes(data)
        return DumpFile(name, tmp_path / name)

    return make


def test_a_json_file_is_one_document(file: Any) -> None:
    (document,) = documents(file("a.json", b'{"x": [1, 2.5]}\n'))
    assert isinstance(document, Document)
    assert (document.at, document.tree, document.sound) == ("a.json", {"x": [1, 2.5]}, True)


def test_json_lines_are_numbered_and_blank_ones_skipped(file: Any) -> None:
    read = list(documents(file("a.jsonl", b'1\r\n\n  \n"two"\nnot json\n[3]')))
    assert [item.at for item in read] == ["a.jsonl:1", "a.jsonl:4", "a.jsonl:5", "a.jsonl:6"]
    assert [isinstance(item, Unreadable) for item in read] == [False, False, True, False]


@pytest.mark.parametrize(
    ("entry", "place", "problem"),
    [
        ('{"a": NaN}', "/a", "not finite"),
        ('{"a": [0, -Infinity]}', "/a/1", "not finite"),
        ('{"a": 1e999}', "/a", "not finite"),
        ('{"a": {"b/c": 9007199254740992}}', "/a/b~1c", "beyond"),
        ('{"a": 123456789012345678901234567890}', "/a", "beyond"),
        ('{"a": "\\ud800"}', "/a", "surrogate"),
        ('{"a": "x\\u0000"}', "/a", "NUL"),
        ('{"a": {"k": 1, "k": 1}}', "/a", "key stands twice"),
        ('{"k": 1, "k": 2}', "", "key stands twice"),
        ('{"a": ' + "[" * 70 + "]" * 70 + "}", None, "nested deeper"),
    ],
)
def test_only_the_entry_with_a_fault_is_refused(file: Any, entry: str, place: str | None, problem: str) -> None:
    (document,) = documents(file("a.json", f'[{{"fine": 1}}, {entry}]'.encode()))
    assert isinstance(document, Document)
    assert not document.sound
    require_sound(document, document.tree[0])
    with pytest.raises(DumpError, match=problem) as caught:
        require_sound(document, document.tree[1])
    assert place is None or caught.value.at == place


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a": 1}}',
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b'"\xff"',
        b"{'a': 1}",
        b"[1,]",
        b"[" * 100_000,
        b"1" * 5000,
    ],
)
def test_what_is_no_json_is_reported_as_a_whole(file: Any, data: bytes) -> None:
    (document,) = documents(file("a.json", data))
    assert isinstance(document, Unreadable)
    assert document.at == "a.json"


def test_long_literals_can_be_had_exactly(file: Any) -> None:
    (document,) = documents(file("a.json", b'{"x": 0.07000049999999999999999, "y": 3}'))
    assert isinstance(document, Document)
    assert literals(document) == {"x": Decimal("0.07000049999999999999999"), "y": 3}


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.json", b'"' + b"x" * 2000 + b'"', "larger than"),
        ("a.jsonl", b'"' + b"x" * 2000 + b'"\n', "a line beyond"),
        ("a.json", b"[" + b"1," * 60 + b"1]", "more than"),
        ("a.jsonl", b"[" + b"1," * 60 + b"1]", "more than"),
    ],
)
def test_documents_beyond_the_bounds_are_refused(
    file: Any, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, problem: str
) -> None:
    monkeypatch.setattr(reading, "MAX_DOCUMENT", 1000)
    monkeypatch.setattr(reading, "MAX_MEMBERS", 50)
    (document,) = documents(file(name, data))
    assert isinstance(document, Unreadable)
    assert problem in document.problem


def test_a_line_beyond_the_bounds_costs_no_other(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_DOCUMENT", 1000)
    monkeypatch.setattr(reading, "_CHUNK", 64)
    data = b"\n".join([b"1", b"x" * 5000, b"2" * 1000, b"y" * 1001, b"", b"last"])
    read = list(lines(file("a.jsonl", data)))
    assert [line.data if isinstance(line, Line) else line.at for line in read] == [
        b"1",
        "a.jsonl:2",
        b"2" * 1000,
        "a.jsonl:4",
        b"",
        b"last",
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_lines_are_the_same_however_the_file_is_cut(file: Any, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(reading, "_CHUNK", size)
    data = b"one\n\ntwo\nthree and more\n\n"
    wanted = [Line(number, text) for number, text in enumerate(data.split(b"\n")[:-1], 1)]
    assert list(lines(file("a.jsonl", data))) == wanted


def test_zstd_is_read_across_frames(file: Any) -> None:
    data = zstandard.compress(b"one\ntw") + zstandard.compress(b"o\nthree")
    assert [line.data for line in lines(file("a.jsonl.zst", data)) if isinstance(line, Line)] == [
        b"one",
        b"two",
        b"three",
    ]


def test_truncated_zstd_gives_its_whole_lines_and_a_fault(file: Any) -> None:
    text = b"".join(b'{"number": %d, "odd": %d}\n' % (n, n * n * 7919 % 1000003) for n in range(20000))
    data = zstandard.compress(text)
    *read, last = lines(file("a.jsonl.zst", data[: len(data) // 2]))
    assert 100 < len(read) < 20000
    assert read == [Line(number, data) for number, data in enumerate(text.split(b"\n")[: len(read)], 1)]
    assert last == Unreadable(f"a.jsonl.zst:{len(read) + 1}", "the zstd data breaks off")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "breaks off"),
        (b"plain text", "damaged"),
        (zstandard.compress(b"x" * 100) + b"junk behind", "damaged"),
        (zstandard.compress(b"0" * (1 << 28)), "1000 times"),
    ],
)
def test_damaged_zstd_and_bombs_are_reported(file: Any, data: bytes, problem: str) -> None:
    *_, last = lines(file("a.jsonl.zst", data))
    assert isinstance(last, Unreadable)
    assert problem in last.problem


def test_a_missing_zstandard_says_what_to_install(file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match="needs the package") as caught:
        list(lines(file("a.jsonl.zst", zstandard.compress(b"x"))))
    assert "leaderpress[zstd]" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a":1,"a":1}',
        '{"a": 1}',
        '{"a":9007199254740991}',
        '{"a":9007199254740992}',
        '{"a":-9007199254740993}',
        '{"a":[12345678901234567890]}',
        '{"a":0.12345678901234568}',
        '{"a":1e5}',
        '{"a":NaN}',
        '{"a":"\\u0000"}',
        '{"a":"\\\\u0000"}',
        '{"a":"\\ud800"}',
        '{"a":"é\\n"}',
        '{"a":' + "[" * 63 + "]" * 63 + "}",
        '{"a":' + "[" * 64 + "]" * 64 + "}",
        '{"a":' + "[" * 500 + "]" * 500 + "}",
        '{"a":[' + ",".join(["[]"] * 100) + "]}",
        '{"a":1',
        "",
        "{}x",
    ],
)
def test_the_quick_reader_takes_exactly_what_the_strict_one_takes(text: str) -> None:
    data = text.encode()
    assert _outcome(strict, data) == _outcome(parse, data)


def _outcome(read: Callable[[bytes, str], Any], data: bytes) -> object:
    try:
        return json.dumps(read(data, "at"))
    except DumpError as fault:
        return fault.code, fault.at

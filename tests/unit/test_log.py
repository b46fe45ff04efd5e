"""The form of the publication log and of checkpoints, and what a log says about an older one."""

import hashlib
import random
import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderpress.errors import ContentError
from leaderpress.log import (
    EMPTY,
    Checkpoint,
    Difference,
    LogLine,
    Tally,
    checkpoint_of,
    difference_fault,
    first_difference,
    parse_checkpoint,
    parse_line,
    parse_lines,
    prefix_fault,
)


def hexdigits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def entry(number: int, kind: str = "BenchmarkRun") -> LogLine:
    document, identity = hexdigits(f"document {number}"), hexdigits(f"identity {number}")
    return LogLine(number, f"2026-08-{number % 28 + 1:02d}", f"sha256:{document}", f"sha256:{identity}", kind)


LINES = [entry(number).text() for number in range(1, 41)]


def test_a_line_has_the_five_fields_in_order() -> None:
    assert (
        entry(7).text().decode() == f"7 2026-08-08 {hexdigits('document 7')} {hexdigits('identity 7')} BenchmarkRun\n"
    )


def test_what_is_written_is_read_back() -> None:
    assert list(parse_lines(LINES, "log.txt")) == [entry(number) for number in range(1, 41)]
    assert list(parse_lines(LINES[9:], "log.txt", 10)) == [entry(number) for number in range(10, 41)]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.integers(0, len(LINES[0]) - 1), st.integers(0, 255))
def test_a_line_is_read_only_if_it_would_be_written_like_that(position: int, byte: int) -> None:
    line = LINES[4][:position] + bytes([byte]) + LINES[4][position + 1 :]
    with suppress(ContentError):
        assert parse_line(line, 5, "log.txt").text() == line


@pytest.mark.parametrize(
    "line",
    [
        b"",
        LINES[0][:-1],
        LINES[0] + b"\n",
        b"0" + LINES[0],
        b" " + LINES[0],
        LINES[0].replace(b" ", b"  ", 1),
        LINES[0].replace(b"2026-08-02", b"2026-13-02"),
        LINES[0].replace(b"\n", b"\r\n"),
        LINES[0].replace(hexdigits("identity 1").encode(), hexdigits("identity 1").upper().encode()),
        LINES[0].replace(b"2026", "２０２６".encode()),
    ],
)
def test_what_is_not_a_line_is_named_with_its_place(line: bytes) -> None:
    with pytest.raises(ContentError) as caught:
        parse_line(line, 1, "log.txt")
    assert (caught.value.code, caught.value.at) == ("log-line", "log.txt:1")


def test_a_missing_line_is_found_by_the_number_of_the_next() -> None:
    with pytest.raises(ContentError) as caught:
        list(parse_lines([*LINES[:3], *LINES[4:]], "log.txt"))
    assert (caught.value.code, caught.value.at) == ("log-number", "log.txt:4")


def test_a_checkpoint_is_written_and_read_back() -> None:
    checkpoint = checkpoint_of(LINES)
    assert checkpoint == Checkpoint(40, hashlib.sha256(b"".join(LINES)).hexdigest())
    assert parse_checkpoint(checkpoint.text()) == checkpoint
    assert checkpoint_of([]) == EMPTY
    assert parse_checkpoint(EMPTY.text()) == EMPTY


@pytest.mark.parametrize("position", range(len(checkpoint_of(LINES).text())))
def test_no_other_byte_gives_the_same_checkpoint(position: int) -> None:
    text = bytearray(checkpoint_of(LINES).text())
    text[position] ^= 1
    with suppress(ContentError):
        assert parse_checkpoint(bytes(text)) != checkpoint_of(LINES)


def test_counting_in_pieces_gives_the_same() -> None:
    tally = Tally()
    tally.add_many(b"".join(LINES[:30]), 30)
    for line in LINES[30:]:
        tally.add(line)
    assert tally.checkpoint() == checkpoint_of(LINES)


@pytest.mark.parametrize("lines", [0, 1, 17, 40])
def test_every_beginning_of_a_log_is_a_prefix(lines: int) -> None:
    assert prefix_fault(checkpoint_of(LINES[:lines]), LINES, "log.txt") is None
    assert first_difference(LINES[:lines], LINES) is None


def test_a_log_that_ends_too_early_says_where() -> None:
    fault = prefix_fault(checkpoint_of(LINES), LINES[:30], "log.txt")
    assert fault is not None
    assert (fault.code, fault.at) == ("log-cut", "log.txt:31")
    difference = first_difference(LINES, LINES[:30])
    assert difference == Difference(31, LINES[30], None)
    named = difference_fault(difference, "log.txt")
    assert named.at == "log.txt:31"
    assert LINES[30].decode().strip() in named.problem


def test_the_first_line_that_differs_is_named() -> None:
    for number in (1, 20, 40):
        other = [*LINES[: number - 1], entry(number, "Withdrawal").text(), *LINES[number:]]
        fault = prefix_fault(checkpoint_of(LINES), other, "log.txt")
        assert fault is not None
        assert fault.code == "log-changed"
        difference = first_difference(LINES, other)
        assert difference is not None
        named = difference_fault(difference, "log.txt")
        assert named.at == f"log.txt:{number}"
        assert "Withdrawal" in named.problem
        assert LINES[number - 1].decode().strip() in named.problem


def test_head_and_sha256sum_prove_the_same(tmp_path: Path) -> None:
    """Nothing of ours: the two programs that every sceptic has."""
    (tmp_path / "log.txt").write_bytes(b"".join(LINES))
    for lines in random.Random(1).sample(range(41), 8):
        command = f"head -n {lines} log.txt | sha256sum"
        printed = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert re.split(r"\s", printed)[0] == checkpoint_of(LINES[:lines]).sha256

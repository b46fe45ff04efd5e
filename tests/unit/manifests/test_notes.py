import pytest

from leaderpress.errors import ContentError, Problems
from leaderpress.manifests.notes import MAX_BODY_BYTES, Note, parse_note

AT = "content/notes/0001.md"
TARGET, SUCCESSOR = "sha256:" + "a" * 64, "sha256:" + "b" * 64


def note(kind: str = "dispute", extra: str = "", body: str = "", **changed: str) -> bytes:
    fields = {
        "kind": f'"{kind}"',
        "target": f'"{TARGET}"',
        "who": '"Ada"',
        "when": "2026-09-02",
        "why": '"The clock was wrong."',
        **changed,
    }
    lines = "".join(f"{key} = {value}\n" for key, value in fields.items() if value)
    return f"+++\n{lines}{extra}+++\n{body}".encode()


def test_a_correction_names_the_run_that_takes_over() -> None:
    data = note("correction", f'successor = "{SUCCESSOR}"\nevidence = "https://a.example/1"\n', "\nText **here**.\n\n")
    assert parse_note(data, AT) == Note(
        kind="correction",
        target=TARGET,
        who="Ada",
        when="2026-09-02",
        why="The clock was wrong.",
        body="Text **here**.",
        at=AT,
        successor=SUCCESSOR,
        evidence="https://a.example/1",
    )


@pytest.mark.parametrize("kind", ["withdrawal", "dispute"])
def test_a_withdrawal_or_a_dispute_needs_the_common_fields_only(kind: str) -> None:
    read = parse_note(note(kind), AT)
    assert (read.kind, read.body, read.successor, read.type) == (kind, "", None, None)


def test_an_attestation_may_state_a_figure() -> None:
    extra = 'type = "reproduction"\nvalue = 530.25\nunit = "us"\nstatistic = "mean"\nenvironment = "an H100"\n'
    read = parse_note(note("attestation", extra), AT)
    assert (read.type, read.value, read.unit, read.statistic, read.environment) == (
        "reproduction", 530.25, "us", "mean", "an H100")  # fmt: skip


@pytest.mark.parametrize("word", ["reproduction", "partial-reproduction", "non-reproduction", "comment"])
def test_an_attestation_says_what_happened(word: str) -> None:
    assert parse_note(note("attestation", f'type = "{word}"\n'), AT).type == word


def test_a_date_may_be_a_toml_date_or_a_text() -> None:
    assert parse_note(note(when='"2026-09-02"'), AT) == parse_note(note(), AT)


def test_carriage_returns_do_not_matter_to_the_fences() -> None:
    read = parse_note(note(body="Two\nlines").replace(b"\n", b"\r\n"), AT)
    assert (read.who, read.body) == ("Ada", "Two\r\nlines")


def test_the_body_may_hold_plus_signs_and_headings() -> None:
    assert parse_note(note(body="a\n+++\nb"), AT).body == "a\n+++\nb"


LONG = "ä" * (MAX_BODY_BYTES // 2)


def test_the_longest_body_is_taken_whole() -> None:
    assert parse_note(note(body=LONG), AT).body == LONG


# sentence: (bytes, code, line or None)
BROKEN: dict[str, tuple[bytes, str, int | None]] = {
    "an empty file": (b"", "note-without-fields", 1),
    "no fences": (b"# A note\n", "note-without-fields", 1),
    "a fence that is not closed": (b"+++\nkind = 'dispute'\n", "note-without-fields", 1),
    "text before the fence": (b"x\n" + note(), "note-without-fields", 1),
    "a byte order mark": (b"\xef\xbb\xbf" + note(), "note-without-fields", 1),
    "fences of YAML": (note().replace(b"+++", b"---"), "note-without-fields", 1),
    "no UTF-8": (note(body="\n\n") + b"\xff", "not-utf-8", 10),
    "NUL in the body": (note(body="a\nb\0"), "control-character", 9),
    "an escape sequence in the body": (note(body="\x1b[31m"), "control-character", 8),
    "no TOML": (note(who="Ada"), "toml-invalid", 4),
    "a body that is too long": (note(body=LONG + "x"), "note-too-long", None),
    "a kind that is missing": (note().replace(b'kind = "dispute"\n', b""), "note-kind", None),
    "an unknown kind": (note("praise"), "note-kind", 2),
    "a kind that is a list": (note().replace(b'"dispute"', b"[]"), "note-kind", 2),
    "a target that is missing": (note(target=""), "field-missing", None),
    "a target that is no digest": (note(target='"sha256:abc"'), "not-a-digest", 3),
    "nobody": (note(who='""'), "not-a-line", 4),
    "somebody on two lines": (note(who='"a\\nb"'), "not-a-line", 4),
    "no day": (note(when=""), "field-missing", None),
    "a day that does not exist": (note(when='"2026-02-30"'), "date-impossible", 5),
    "a day in another form": (note(when='"2 September 2026"'), "text-too-long", 5),
    "a day as a number": (note(when="20260902"), "wrong-type", 5),
    "a time of day": (note(when="2026-09-02T10:00:00Z"), "wrong-type", 5),
    "no reason": (note(why=""), "field-missing", None),
    "a reason of 1,001 characters": (note(why='"' + "x" * 1001 + '"'), "text-too-long", 6),
    "an unknown field": (note(extra="rank = 1\n"), "field-unknown", 7),
    "evidence over http": (note(extra='evidence = "http://a.example"\n'), "not-an-address", 7),
    "a correction without a successor": (note("correction"), "field-missing", None),
    "a run that corrects itself": (note("correction", f'successor = "{TARGET}"\n'), "successor-is-target", 7),
    "a withdrawal with a successor": (note("withdrawal", f'successor = "{SUCCESSOR}"\n'), "field-unknown", 7),
    "an attestation of no type": (note("attestation"), "field-missing", None),
    "an attestation of an unknown type": (note("attestation", 'type = "proof"\n'), "not-a-choice", 7),
    "a figure without a unit": (note("attestation", 'type = "comment"\nvalue = 1\n'), "unit-missing", 8),
    "a unit without a figure": (note("attestation", 'type = "comment"\nunit = "ns"\n'), "value-missing", 8),
    "a statistic without a figure": (note("attestation", 'type = "comment"\nstatistic = "mean"\n'),
                                     "value-missing", 8),
    "a figure that is true": (note("attestation", 'type = "comment"\nunit = "ns"\nvalue = true\n'), "wrong-type", 9),
    "a figure that is infinite": (note("attestation", 'type = "comment"\nunit = "ns"\nvalue = inf\n'),
                                  "not-finite", 9),
    "a figure beyond 2^53": (note("attestation", f'type = "comment"\nunit = "ns"\nvalue = {2**53}\n'),
                             "out-of-range", 9),
}  # fmt: skip


@pytest.mark.parametrize("sentence", BROKEN)
def test_a_broken_note_is_refused_with_code_and_line(sentence: str) -> None:
    data, code, line = BROKEN[sentence]
    with pytest.raises(ContentError) as caught:
        parse_note(data, AT)
    assert (caught.value.code, caught.value.at) == (code, AT if line is None else f"{AT}:{line}")


def test_all_faults_of_a_note_are_told() -> None:
    with pytest.raises(Problems) as caught:
        parse_note(note(target='"x"', when='"y"', why='""'), AT)
    assert [fault.at for fault in caught.value.problems] == [f"{AT}:3", f"{AT}:5", f"{AT}:6"]

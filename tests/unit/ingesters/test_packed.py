"""Maps and sets that are packed answer as a dict and a set do."""

import errno
import os
import random
import tempfile
from hashlib import sha256

import pytest

from leaderpress.errors import DumpError
from leaderpress.ingesters import packed
from leaderpress.ingesters.packed import PackedMap, PackedSet, PackedTexts


@pytest.fixture(params=[1, 7, 1 << 14])
def recent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many entries stay in the dict: none, a few, all."""
    monkeypatch.setattr(packed, "RECENT", request.param)
    assert isinstance(request.param, int)
    return request.param


def bytes_of(width: int) -> PackedMap[bytes]:
    return PackedMap(width, bytes, bytes)


def texts(count: int) -> list[str]:
    return [f"row-{number}" for number in range(count)] + ["", "\ud800", "é", "x" * 1000]


@pytest.mark.parametrize("width", [1, 16, 40])
def test_a_map_answers_as_a_dict(recent: int, width: int) -> None:
    dice = random.Random(recent * width)
    mapped, known = bytes_of(width), {}
    for _ in range(3):
        for text in dice.sample(texts(300), 200):
            mapped[text] = known[text] = dice.randbytes(width)
    assert {text: mapped.get(text) for text in texts(400)} == {text: known.get(text) for text in texts(400)}
    assert [text for text in texts(400) if text in mapped] == [text for text in texts(400) if text in known]
    assert sorted(mapped.values()) == sorted(known.values())


def test_a_set_answers_as_a_set(recent: int) -> None:
    given = PackedSet()
    for text in (*texts(50), *texts(50)):
        given.add(text)
    known = texts(50)[:50] + texts(0)
    assert [text for text in texts(60) if text in given] == known
    assert list(filter(given.lookup(), texts(60))) == known


def test_a_map_without_entries_has_none(recent: int) -> None:
    mapped = bytes_of(2)
    assert (mapped.get("a"), "a" in mapped) == (None, False)
    mapped["a"] = b"12"
    assert mapped.get("a") == b"12"


@pytest.mark.parametrize("shift", [0, 3])
def test_a_value_that_looks_like_a_key_is_none(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    monkeypatch.setattr(packed, "RECENT", 1)
    monkeypatch.setattr(packed, "_BUCKETS", 1)
    wanted = sha256(b"wanted").digest()[:16]
    mapped = bytes_of(16 + shift)
    mapped["other"] = bytes(shift) + wanted
    assert (mapped.get("wanted"), "wanted" in mapped) == (None, False)
    mapped["wanted"] = bytes(16 + shift)
    assert mapped.get("wanted") == bytes(16 + shift)


def test_texts_come_back_whether_they_are_held_or_filed_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "HELD", 100)
    texts = PackedTexts()
    chance = random.Random(3)
    given = [chance.randbytes(chance.randrange(60)) for _ in range(200)]
    places = [texts.add(text) for text in given]
    assert len(texts._newest) < 200
    assert [texts.get(*place) for place in places] == given
    assert texts.get(*texts.add(b"last")) == b"last"


def test_texts_that_find_no_room_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(packed, "HELD", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    texts = PackedTexts()
    texts.add(b"one")
    with pytest.raises(DumpError, match="spool-write") as caught:
        texts.add(b"two")
    assert "TMPDIR" in caught.value.hint

"""Strict reading of JSON, RFC 8785 bytes and SHA-256 digests.

Reading refuses whatever would change in silence: duplicate keys, NaN and infinities, whole numbers beyond ±(2^53-1),
invalid UTF-8, lone surrogates, NUL, nesting beyond `MAX_DEPTH`.  Writing gives the bytes of RFC 8785 (JCS), the only
form that is ever hashed; whatever was read can be written and read again.

orjson is several times as fast as the reference package `rfc8785` but differs from it in three places: integral
floats, magnitudes from 1e-6 to 1e-5 (and the exponent's spelling in some releases), and the order of keys beyond
the Basic Multilingual Plane.  `canonical` looks at the *values* to choose between the two, never at the output.
"""

import codecs
import hashlib
import json
from typing import Any, NoReturn

import orjson
import rfc8785

from .errors import DumpError, ManifestError

MAX_SAFE_INTEGER = 2**53 - 1
MAX_DEPTH = 64
_MAX_DOUBLE = 1.7976931348623157e308
_EXPONENT_FROM = 1e21  # from here on RFC 8785 writes an exponent instead of an integer
_TEXT_ALONE = frozenset({str})
# What orjson would write in its own way although it is none of JSON's types is refused.
_PLAIN = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

Json = Any
"""A JSON value: dict, list, str, int, float, bool or None."""


def parse(data: bytes, at: str) -> Json:
    """Read one strict JSON document.

    `at` names where the bytes come from; errors carry it with the JSON pointer of the fault, or say the byte position
    when the bytes are no JSON at all.  Raises `DumpError` for anything that is not strict JSON.
    """
    try:
        tree = orjson.loads(data)
    except ValueError as fault:
        verdict = str(fault)
    else:
        if not _spelled_by_orjson(tree, data):
            # orjson keeps the last of equal keys and rounds integers from 2^64 on, so its tree is not to be trusted.
            tree = _read_verbatim(data, at)
        check(tree, at)
        return tree
    # Refused, whatever follows; reading it leniently only finds the place of a fault that has one.
    check(_read_verbatim(data, at), at)
    raise DumpError("json-invalid", f"not strict JSON: {verdict}", at=at)


def check(tree: Json, at: str = "") -> None:
    """Refuse a tree that has no canonical form or that we do not accept.

    Raises `DumpError` with the JSON pointer of the first fault in document order; for a bad key, of its object.
    """
    if not _is_sound(tree):
        _refuse_first_fault(tree, at, ())


def canonical(tree: Json) -> bytes:
    """The RFC 8785 bytes of a JSON value.

    Only the exact types dict, list, str, int, float, bool and None are taken; raises `ManifestError` for the rest,
    for numbers without a canonical form and for lone surrogates.
    """
    try:
        if _orjson_agrees(tree):
            return orjson.dumps(tree, option=orjson.OPT_SORT_KEYS)
        return rfc8785.dumps(tree)
    except (TypeError, ValueError, RecursionError) as fault:
        raise ManifestError("not-canonical", f"no canonical form: {fault}") from None


def canonical_of_plain(tree: Json) -> bytes:
    """`canonical` for a tree that needs no look at its values: that of a document which passed a schema.

    Its keys must be ASCII, its integers within ±(2^53-1) and `is_plain` true of every float.  Raises as `canonical`
    does for what orjson refuses (lone surrogates, types that JSON does not have).
    """
    try:
        return orjson.dumps(tree, option=_PLAIN)
    except TypeError:
        return canonical(tree)


def is_plain(number: int | float) -> bool:
    """Whether orjson writes a number as RFC 8785 does; False, too, for one that has no canonical form."""
    if type(number) is int:
        return -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER
    size = abs(number)
    return 1e-5 <= size < _EXPONENT_FROM and size != int(size)


def sha256(data: bytes) -> str:
    """`sha256:` and the 64 lower-case hex digits of the data's SHA-256."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def digest_of(tree: Json) -> str:
    """The digest of a JSON value: `sha256(canonical(tree))`."""
    return sha256(canonical(tree))


def number_text(number: int | float) -> str:
    """The RFC 8785 text of a number, which is how every exact number is shown, hashed and exported.

    Raises `ManifestError` for an integer beyond ±(2^53-1) and for a number that is not finite.
    """
    if type(number) is int and -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER:
        return str(number)
    if type(number) not in (int, float):
        raise ManifestError("not-canonical", f"{type(number).__name__} is not a number")
    if type(number) is float and 1e-4 <= abs(number) < 1e15 and not number.is_integer():
        # Python and ECMAScript agree on the shortest digits; here they agree on writing them without an exponent.
        return repr(number)
    return canonical(number).decode("ascii")


def pointer(*segments: str | int) -> str:
    """A JSON pointer (RFC 6901) as a URI fragment without `#`: `pointer("a/b", 0)` is `/a~1b/0`."""
    return "".join("/" + str(segment).replace("~", "~0").replace("/", "~1") for segment in segments)


class _Repeated:
    """Stands in a tree for an object in which one key stands twice."""

    def __init__(self, key: str) -> None:
        self.key = key


def _spelled_by_orjson(tree: Json, data: bytes) -> bool:
    """Whether the bytes are exactly what orjson writes for the tree it read from them.

    If so, nothing was dropped, merged or rounded: an object written from a dict has no key twice.  Most JSONL is
    spelled like this, and the test is several times as fast as reading a second time.
    """
    try:
        return orjson.dumps(tree) == data.rstrip()
    except TypeError:  # nested deeper than orjson writes
        return False


def _read_verbatim(data: bytes, at: str) -> Json:
    """Read leniently but losslessly: every integer exact, NaN kept, repeated keys marked."""
    if data.startswith(codecs.BOM_UTF8):
        raise DumpError("json-invalid", "starts with a byte order mark", at=at, hint="save it as UTF-8 without one")
    try:
        return json.loads(data.decode(), object_pairs_hook=_members)
    except RecursionError:
        fault = DumpError("json-depth", f"nested deeper than {MAX_DEPTH}", at=at)
    except UnicodeDecodeError as error:
        fault = DumpError("json-invalid", f"not UTF-8 from byte {error.start} on ({error.reason})", at=at)
    except ValueError as error:
        fault = DumpError("json-invalid", f"not strict JSON: {error}", at=at)
    raise fault


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json] | _Repeated:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    seen: set[str] = set()
    return _Repeated(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]


def _is_sound(tree: Json) -> bool:
    """A quick look at every node: True only if `_refuse_first_fault` has nothing to say.

    It goes down level by level, so that it knows the depth without knowing any path.
    """
    texts: list[str] = []
    level: list[Json] = [[tree]]
    for _ in range(MAX_DEPTH + 1):
        below: list[Json] = []
        for container in level:
            if type(container) is dict:
                texts.extend(container)
                container = container.values()
            for node in container:
                kind = type(node)
                if kind is str:
                    texts.append(node)
                elif kind is dict or kind is list:
                    below.append(node)
                elif kind is int:
                    if not -MAX_SAFE_INTEGER <= node <= MAX_SAFE_INTEGER:
                        return False
                elif kind is float:
                    if not (abs(node) <= MAX_SAFE_INTEGER or _EXPONENT_FROM <= abs(node) <= _MAX_DOUBLE):
                        return False
                elif kind is not bool and node is not None:
                    return False
        if not below:
            return _are_sound_texts(texts)
        level = below
    return False


def _are_sound_texts(texts: list[str]) -> bool:
    try:
        text = "".join(texts)
        if not text.isascii():
            text.encode()
    except (TypeError, UnicodeEncodeError):  # a key that is no string; a lone surrogate
        return False
    return "\0" not in text


def _refuse_first_fault(node: Json, at: str, path: tuple[str | int, ...]) -> None:
    """Go down in document order and raise at the first fault; recursion ends at `MAX_DEPTH`."""
    kind = type(node)
    if kind is dict:
        _refuse_depth(at, path)
        for key, value in node.items():
            _refuse_key(key, at, path)
            _refuse_first_fault(value, at, (*path, key))
    elif kind is list:
        _refuse_depth(at, path)
        for position, value in enumerate(node):
            _refuse_first_fault(value, at, (*path, position))
    elif kind is str:
        _refuse_text(node, "a string", at, path)
    elif kind is _Repeated:
        _refuse("json-duplicate-key", f"the key {_short(node.key)} stands twice in one object", at, path)
    else:
        _refuse_scalar(node, at, path)


def _refuse_scalar(node: Json, at: str, path: tuple[str | int, ...]) -> None:
    kind = type(node)
    if kind is int:
        if not -MAX_SAFE_INTEGER <= node <= MAX_SAFE_INTEGER:
            _refuse("json-integer-range", "an integer beyond ±(2^53-1); write it as a string", at, path)
    elif kind is float:
        if not abs(node) <= _MAX_DOUBLE:
            _refuse("json-not-finite", "a number that is not finite", at, path)
        if MAX_SAFE_INTEGER < abs(node) < _EXPONENT_FROM:
            # Its RFC 8785 text is an integer, which we would refuse to read back.
            _refuse("json-integer-range", "a whole number beyond ±(2^53-1); write it as a string", at, path)
    elif kind is not bool and node is not None:
        _refuse("json-type", f"{kind.__name__} is not a JSON type", at, path)


def _refuse_key(key: Json, at: str, path: tuple[str | int, ...]) -> None:
    if type(key) is not str:
        _refuse("json-type", f"a key that is {type(key).__name__}, not a string", at, path)
    # The pointer is the object's: a pointer through a bad key could not be written.
    _refuse_text(key, f"the key {_short(key)}", at, path)


def _refuse_text(text: str, what: str, at: str, path: tuple[str | int, ...]) -> None:
    if "\0" in text:
        # A NUL cannot be shown and separates the values of a bulk escape, so it is refused at the door.
        _refuse("json-nul", f"{what} has a NUL character", at, path)
    try:
        text.encode()
    except UnicodeEncodeError:
        _refuse("json-surrogate", f"{what} has a lone surrogate", at, path)


def _refuse_depth(at: str, path: tuple[str | int, ...]) -> None:
    if len(path) >= MAX_DEPTH:
        _refuse("json-depth", f"nested deeper than {MAX_DEPTH}", at, path)


def _refuse(code: str, problem: str, at: str, path: tuple[str | int, ...]) -> NoReturn:
    where = f"{at}#{pointer(*path)}" if path else at
    raise DumpError(code, problem, at=where) from None


def _short(key: str) -> str:
    """A key quoted for a message: escaped, and cut, because a dump may make it megabytes long."""
    return repr(key if len(key) <= 60 else key[:60] + "…")


def _orjson_agrees(tree: Json) -> bool:
    """Whether orjson prints this value exactly as RFC 8785 does; raises for what has no canonical form."""
    agrees = True
    keys: list[str] = []
    stack: list[Json] = [[tree]]
    while stack:
        container = stack.pop()
        if type(container) is dict:
            keys.extend(container)
            container = container.values()
        if _TEXT_ALONE.issuperset(map(type, container)):
            continue
        for node in container:
            kind = type(node)
            if kind is str or kind is bool or node is None:
                continue
            if kind is dict or kind is list:
                stack.append(node)
            elif kind is int:
                if not -MAX_SAFE_INTEGER <= node <= MAX_SAFE_INTEGER:
                    raise ValueError("an integer beyond ±(2^53-1)")
            elif kind is float:
                agrees = _orjson_agrees_on(node) and agrees
            else:
                raise TypeError(f"{kind.__name__} is not a JSON type")
    return _orjson_sorts_right(keys) and agrees


def _orjson_agrees_on(number: float) -> bool:
    size = abs(number)
    if 1e-5 <= size < _EXPONENT_FROM:
        return size != int(size)
    if not size <= _MAX_DOUBLE:
        raise ValueError("a number that is not finite")
    return False


def _orjson_sorts_right(keys: list[str]) -> bool:
    if set(map(type, keys)) - {str}:
        raise TypeError("object keys must be strings")
    # UTF-16 order (RFC 8785 §3.2.3) and code point order differ only above the BMP.
    text = "".join(keys)
    return text.isascii() or max(text) <= "\uffff"

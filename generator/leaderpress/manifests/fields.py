"""The building blocks of every kind: tokens, digests, addresses, bounded text, numbers, and the editorial metadata.

Sizes are counted in characters (code points).
"""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, MaxLen
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from ..canonical import MAX_SAFE_INTEGER, is_plain
from .patterns import COMMIT, DIGEST, EXPRESSION, INSTANT, NAME, SLUG, TOKEN, URL, is_real_date

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""How every kind is read; the parts of a kind inherit it from the kind itself."""


def _real_date(text: str) -> str:
    if not is_real_date(text):
        raise PydanticCustomError("date-impossible", "there is no such day in the calendar")
    return text


# What orjson may not write as RFC 8785 does passes, but goes into the context, a list: the door then looks twice.


def _noting_odd(number: Any, info: ValidationInfo) -> Any:
    if info.context is not None and type(number) in (int, float) and not is_plain(number):
        info.context.append(number)
    return number


def _noting_odd_key(key: Any, info: ValidationInfo) -> Any:
    if info.context is not None and not (type(key) is str and key.isascii()):
        info.context.append(key)
    return key


ApiVersion = Literal["kernelindex.dev/v1alpha1"]

Text50 = Annotated[str, MaxLen(50)]
Text100 = Annotated[str, MaxLen(100)]
Text200 = Annotated[str, MaxLen(200)]
Text500 = Annotated[str, MaxLen(500)]
Text1000 = Annotated[str, MaxLen(1000)]
Text2000 = Annotated[str, MaxLen(2000)]
FreeKey = Annotated[str, MaxLen(200), BeforeValidator(_noting_odd_key)]
Digest = Annotated[str, StringConstraints(pattern=DIGEST)]
Token = Annotated[str, StringConstraints(pattern=TOKEN)]
Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=100)]
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=200)]
Commit = Annotated[str, StringConstraints(pattern=COMMIT)]
HttpsUrl = Annotated[str, StringConstraints(pattern=URL, max_length=2000)]
Expression = Annotated[str, StringConstraints(pattern=EXPRESSION, max_length=200)]
Instant = Annotated[
    str,
    StringConstraints(pattern=INSTANT),
    AfterValidator(_real_date),
    Field(json_schema_extra={"format": "date-time"}),
]

Integer = Annotated[int, Ge(-MAX_SAFE_INTEGER), Le(MAX_SAFE_INTEGER)]
Natural = Annotated[int, Ge(0), Le(MAX_SAFE_INTEGER)]
Positive = Annotated[int, Gt(0), Le(MAX_SAFE_INTEGER)]


# Whole numbers beyond ±(2^53-1) in these are found when the document is sealed: a float field would only round them.
# Every field that may hold a float is noted, and so is every key that is no token (`FreeKey`).
_Noted = BeforeValidator(_noting_odd)
Number = Annotated[float, _Noted]
NonNegative = Annotated[float, Ge(0), _Noted]
PositiveNumber = Annotated[float, Gt(0), _Noted]
Ratio = Annotated[float, Ge(0), Le(1), _Noted]


class Author(TypedDict):
    """Who made something."""

    name: NotRequired[Text200]
    """Name as the source writes it."""
    github: NotRequired[Text100]
    """Account on GitHub."""


class SourceRef(TypedDict):
    """Where a document was taken from."""

    url: HttpsUrl
    """Address of the upstream page or file."""


class Metadata(TypedDict):
    """The editorial part of a document: it may change without changing what the document is."""

    name: Name
    """Short name, unique enough for people; not an identity."""
    title: NotRequired[Text200]
    """Title as shown."""
    description: NotRequired[Text2000]
    """A few sentences for readers."""
    labels: NotRequired[dict[Token, Text200]]
    """What else the source said, by label."""
    authors: NotRequired[list[Author]]
    """Who made it, in the order of the source."""
    sourceRefs: NotRequired[list[SourceRef]]
    """Where it was taken from."""


class ArtifactRef(TypedDict):
    """A file outside the document, bound by its digest."""

    uri: Text2000
    """Where the file was; may be of any scheme, so it is not a link."""
    digest: Digest
    """Digest of the file's bytes."""

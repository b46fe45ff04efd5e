"""`content/site.toml`: what a publisher decides about a site, read once and frozen.

Reading is strict: an unknown key, a wrong type or a value that could not work is a located fault, and all faults of
the file are reported together.  Nothing is taken from the environment; the file alone decides.  No pydantic here,
because the configuration is read on every command, also on those that find nothing to do.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from .errors import ContentError, LeaderpressError, Problems, UsageError
from .hosts import HOSTS, HostProfile

SITE_FILE = "content/site.toml"
"""A folder that holds this file is a site."""

PAGE_KINDS = (
    "home", "run", "group", "task", "subject", "project", "hardware", "source", "records", "changes", "edition",
    "index", "page", "lookup",
)  # fmt: skip
"""Page kinds whose outputs can be switched; which page is of which kind is said by `site.addresses.page_kind`.

`lookup` are the files that 404.html completes shortened addresses with."""

FORMATS = ("html", "json")
"""What a page kind can be written as."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SIMPLE_ADDRESS = re.compile(r"[A-Za-z0-9._~:/-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Outputs:
    """Which pages and twins are written; everything that is not mentioned is on."""

    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Page kind → the formats that are written."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source slug → the formats in which its run pages are written."""

    def has(self, kind: str, output_format: str, source: str | None = None) -> bool:
        """Whether pages of `kind` (of `source`, for runs) are written as `output_format`."""
        if output_format not in self.kinds.get(kind, FORMATS):
            return False
        return source is None or output_format in self.sources.get(source, FORMATS)


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """The settings of one site, all checked."""

    title: str
    """Name of the site, on every page."""
    publisher: str
    """Who stands behind the site; the publisher in every citation."""
    key: str
    """First part of every citation key, `[a-z0-9-]+`; never change it once something was cited."""
    tagline: str = ""
    """One line under the title of the home page."""
    description: str = ""
    """One or two sentences for search engines and feeds."""
    permalink_base: str | None = None
    """Absolute https URL ending in `/` under which permalinks are promised; None: pages give digest and path only."""
    base_path: str = "/"
    """Path under which the host serves the site; only 404.html needs it."""
    theme: str = "default"
    language: str = "en"
    """BCP 47 tag of the language that pages are written in."""
    links: Literal["directory", "file"] = "directory"
    """`directory` links to folders; `file` writes `index.html` out, for reading from a disk."""
    host: str = "none"
    """Name of the host profile that a build is checked against."""
    contact: str | None = None
    """https or mailto URL."""
    report_url: str | None = None
    """Template of the link that reports an issue with a record."""
    note_url: str | None = None
    """Template of the link that adds a replication or a note."""
    outputs: Outputs = field(default_factory=Outputs)

    @property
    def host_profile(self) -> HostProfile:
        """The limits of the chosen host."""
        return HOSTS[self.host]

    def warnings(self) -> tuple[LeaderpressError, ...]:
        """What a publisher should know although the site can be built."""
        if self.permalink_base is not None:
            return ()
        problem = "no permalink_base: no canonical links, feeds, sitemap or permalinks in citations"
        hint = 'set permalink_base = "https://…/" before anything is cited'
        return (ContentError("no-permalink-base", problem, at=SITE_FILE, hint=hint),)


def fill_link(template: str, *, digest: str, permalink: str) -> str:
    """A report or note link for one record; both values are percent-encoded, so they may stand in a query."""
    # What is filled in holds no brace any more, so the second placeholder cannot come from the first value.
    return template.replace("{digest}", _in_a_query(digest)).replace("{permalink}", _in_a_query(permalink))


@lru_cache(maxsize=16)
def _in_a_query(text: str) -> str:
    # Nearly every address is of this form, and two replacements are ten times as fast as `quote`.
    if _SIMPLE_ADDRESS.fullmatch(text):
        return text.replace(":", "%3A").replace("/", "%2F")
    return quote(text, safe="")


def find_site(start: Path) -> Path:
    """The nearest folder from `start` upwards that is a site; raises `UsageError` if there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / SITE_FILE).is_file():
            return folder
    hint = "start one with `leaderpress init DIR`, or name one with --site DIR"
    raise UsageError("no-site", f"neither this folder nor one above holds {SITE_FILE}", at=str(start), hint=hint)


def load_config(site: Path) -> SiteConfig:
    """Read the configuration of `site`; raises `ContentError`, or `Problems` with every fault of the file."""
    try:
        content = (site / SITE_FILE).read_bytes()
    except OSError as fault:
        raise ContentError("site-unreadable", str(fault.strerror or fault), at=SITE_FILE) from None
    return parse_config(content, SITE_FILE)


def parse_config(content: bytes, at: str = SITE_FILE) -> SiteConfig:
    """Check the bytes of a `site.toml`; `at` names them in errors, which carry the line."""
    text = _decode(content, at)
    values: dict[str, Any] = {}
    faults: list[LeaderpressError] = []
    for name, value in _read_toml(text, at).items():
        try:
            values[name] = _checked(name, value)
        except _Fault as fault:
            place = ".".join((name, *fault.path))
            where = f"{at}:{_line_of(text, place)}"
            faults.append(ContentError("site-value", f"{place}: {fault.problem}", at=where))
            values[name] = None
    faults += [
        ContentError("site-missing", f"{name} is missing", at=at, hint=f'add {name} = "…"')
        for name in ("title", "publisher", "key")
        if name not in values
    ]
    if faults:
        raise Problems(faults)
    if "base_path" not in values and "permalink_base" in values:
        # Permalinks usually point at the place where the site is served; where they do not, base_path says so.
        values["base_path"] = urlsplit(values["permalink_base"]).path
    return SiteConfig(**values)


class _Fault(Exception):
    """A value that breaks its rule, at `path` below its key."""

    def __init__(self, problem: str, *path: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path


def _decode(content: bytes, at: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise ContentError("toml-encoding", "not UTF-8", at=f"{at}:{line}") from None


def _read_toml(text: str, at: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        place = re.search(r" \(at line (\d+), column \d+\)", str(fault))
        problem = str(fault).replace(place[0], "") if place else str(fault)
        where = f"{at}:{place[1]}" if place else at
        raise ContentError("toml-invalid", f"not valid TOML: {problem}", at=where) from None


def _line_of(text: str, name: str) -> int:
    """The line of a dotted key; the nearest enclosing line where it is spelt in a way that this does not see."""
    table, best = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        header = re.match(r"\[([^\[\]]+)\]", stripped)
        assignment = re.match(r"([\w.\"'-]+)\s*=", stripped)
        if header:
            table = re.sub(r"[\s\"']", "", header[1])
            here = table
        elif assignment:
            key = re.sub(r"[\"']", "", assignment[1])
            here = f"{table}.{key}" if table else key
        else:
            continue
        if here == name:
            return number
        if name.startswith(here + "."):
            best = number
    return best


def _checked(name: str, value: object) -> object:
    rule = _RULES.get(name)
    if rule is None:
        raise _Fault(_unknown(name, _RULES))
    return rule(value)


def _unknown(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    import difflib  # only a mistake needs it

    close = difflib.get_close_matches(name, list(known), n=1)
    return "unknown key" + (f"; did you mean {close[0]}?" if close else f"; known are {', '.join(known)}")


def _text(longest: int, *, empty: bool = False) -> Callable[[object], str]:
    def rule(value: object) -> str:
        if not isinstance(value, str):
            raise _Fault(f"must be a string, not {_type_name(value)}")
        if _CONTROL.search(value):
            raise _Fault("must be one line without control characters")
        if not value.strip() and not empty:
            raise _Fault("must not be empty")
        if len(value) > longest:
            raise _Fault(f"is {len(value)} characters long; at most {longest}")
        return value

    return rule


def _shape(pattern: str, what: str) -> Callable[[object], str]:
    def rule(value: object) -> str:
        text = _text(200)(value)
        if not re.fullmatch(pattern, text, re.ASCII):
            raise _Fault(f"{text!r} is not {what}")
        return text

    return rule


def _choice(*options: str) -> Callable[[object], str]:
    def rule(value: object) -> str:
        if value not in options:
            raise _Fault(f"{value!r} is not one of {', '.join(options)}")
        return str(value)

    return rule


def _permalink_base(value: object) -> str:
    text = _text(500)(value)
    if not re.fullmatch(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/", text):
        raise _Fault(f"{text!r} is not an https URL ending in `/`, without user, query or fragment")
    return text


def _web_address(value: object) -> str:
    text = _text(500)(value)
    if not re.fullmatch(r"https://[^\s/?#@]+([/?#]\S*)?|mailto:[^\s@]+@[^\s@]+", text):
        raise _Fault(f"{text!r} is neither an https nor a mailto URL")
    return text


def _link_template(value: object) -> str:
    text = _web_address(value)
    unknown = [name for name in _PLACEHOLDER.findall(text) if name not in ("digest", "permalink")]
    if unknown or re.search(r"[{}]", _PLACEHOLDER.sub("", text)):
        raise _Fault("may hold {digest} and {permalink} and no other brace")
    return text


def _formats(value: object, *path: str) -> tuple[str, ...]:
    if value is True or value is False:
        return FORMATS if value else ()
    if not isinstance(value, list) or not all(name in FORMATS for name in value):
        raise _Fault(f"must be true, false or a list of {' and '.join(FORMATS)}", *path)
    return tuple(name for name in FORMATS if name in value)


def _outputs(value: object) -> Outputs:
    if not isinstance(value, dict):
        raise _Fault(f"must be a table, not {_type_name(value)}")
    sources = value.get("sources", {})
    if not isinstance(sources, dict):
        raise _Fault(f"must be a table, not {_type_name(sources)}", "sources")
    kinds = {kind: formats for kind, formats in value.items() if kind != "sources"}
    for kind in kinds:
        if kind not in PAGE_KINDS:
            raise _Fault(_unknown(kind, PAGE_KINDS), kind)
    return Outputs(
        kinds={kind: _formats(formats, kind) for kind, formats in kinds.items()},
        sources={slug: _formats(formats, "sources", slug) for slug, formats in sources.items()},
    )


def _type_name(value: object) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a float", list: "an array", dict: "a table", str: "a string"}
    return names.get(type(value), "a date or time")


_RULES: Mapping[str, Callable[[object], object]] = {
    "title": _text(120),
    "tagline": _text(200, empty=True),
    "description": _text(500, empty=True),
    "publisher": _text(200),
    "key": _shape(r"[a-z0-9]+(-[a-z0-9]+)*", "lower-case letters and digits with single hyphens between"),
    "permalink_base": _permalink_base,
    "base_path": _shape(r"/([A-Za-z0-9._~-]+/)*", "a path that starts and ends with `/`"),
    "theme": _shape(r"[a-z0-9]+(-[a-z0-9]+)*", "the name of a theme (lower-case letters, digits, hyphens)"),
    "language": _shape(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", "a BCP 47 language tag such as en or pt-BR"),
    "links": _choice("directory", "file"),
    "host": _choice(*HOSTS),
    "contact": _web_address,
    "report_url": _link_template,
    "note_url": _link_template,
    "outputs": _outputs,
}

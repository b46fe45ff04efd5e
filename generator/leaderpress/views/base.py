"""The words that all views share, and the site view: the chrome around every page.

A view is the frozen value that a page shows, and its JSON twin *is* the view; what a template cannot find here it
cannot show.  Paths are relative to the site's root, without a leading slash; folders end with a slash.  Every text
is plain: markup is the theme's business.  A missing figure is None or an item that is not `stated`, never blank and
never zero.

Views have no slots: orjson writes the `__dict__` of a dataclass some six times as fast as its slots, and every view
is written out as a twin.
"""

from ..values import dataclass

NOT_STATED = "not stated"


@dataclass(frozen=True, slots=False)
class Link:
    """A text and the page or file that it leads to."""

    text: str
    path: str
    """Root-relative; empty when there is no such page."""


@dataclass(frozen=True, slots=False)
class Figure:
    """A number as shown and as stated."""

    number: str
    """Digits as shown, rounded half-up: `530.1`."""
    unit: str
    """Unit as shown, empty if none: `µs`."""
    exact: str
    """The literal (RFC 8785 number text) and stated unit: `530092 ns`."""
    value: float
    """The exact value in the stated unit."""


@dataclass(frozen=True, slots=False)
class Item:
    """One labelled line of a description list."""

    label: str
    value: str
    path: str = ""
    """Where the value leads, if anywhere; an absolute https address when it leaves the site."""
    mono: bool = False
    """True for what can be pasted: digests, raw names, tokens."""
    stated: bool = True
    """False when the source does not say; the value then reads `not stated`."""
    extra: str = ""
    """A second, quieter text behind the value (raw name, short digest)."""


@dataclass(frozen=True, slots=False)
class Reason:
    """Why a run does not rank."""

    code: str
    """`STATUS_RUNTIME_ERROR`, `WITHDRAWN`, `SUPERSEDED`, `MISSING_PRIMARY_METRIC`, `DIRECTION_UNKNOWN`."""
    text: str
    """The same in words, one sentence."""


@dataclass(frozen=True, slots=False)
class Notice:
    """What a reviewed note says about this record, shown before its number."""

    kind: str
    """`redacted`, `withdrawn`, `superseded`, `disputed`, `corrects` or `illustrative`."""
    title: str
    """`Withdrawn on 2 September 2026`."""
    text: str
    """The reason, in plain words."""
    who: str
    date: str
    link: Link | None
    """The successor or predecessor, if any."""
    file: str
    """The note's file below `content/`, empty when derived."""


@dataclass(frozen=True, slots=False)
class Edited:
    """What the publisher of the site says beside the source, in `content/overrides`; outside every digest."""

    name: str
    """What the publisher calls it, empty if nothing else than the source does."""
    items: tuple[Item, ...]
    """Homepage, licence, other names."""
    same_as: tuple[Link, ...]
    """Projects of the same team."""
    files: tuple[str, ...]
    """Where it says so, relative to the site."""


@dataclass(frozen=True, slots=False)
class NoteView:
    """One attestation, dispute, correction or withdrawal, in the list of notes."""

    kind: str
    title: str
    who: str
    date: str
    text: str
    """The note's Markdown source; the theme renders it as untrusted text."""
    items: tuple[Item, ...]
    file: str


@dataclass(frozen=True, slots=False)
class Strip:
    """The distribution of a group on the one gap scale of the site (0 = leader, 1 = a hundredfold)."""

    marks: tuple[tuple[float, int], ...]
    """(position, number of runs there), ascending; positions rounded to 0.001."""
    leader: str
    """Name of the leader."""
    leader_text: str
    """The leader's figure, `328.9 µs`."""
    this: float | None
    """Position of the run that the page is about."""
    this_text: str
    median: float | None
    ticks: tuple[tuple[float, str, str], ...]
    """(position, gap text, absolute figure) of the fixed ticks: #1, +0.1 %, +1 %, +10 %, ×2, ×10, ×100."""


@dataclass(frozen=True, slots=False)
class Staircase:
    """Records over time: position on the time axis and the gap scale of the first record."""

    steps: tuple[tuple[float, float, str, str], ...]
    """(time 0..1, gap 0..1, holder, figure) of each record, in order; the last holds to the right edge."""
    dots: tuple[tuple[float, float], ...]
    """Runs that set no record."""
    levels: tuple[tuple[float, str, str], ...]
    """(gap 0..1, gap text, absolute figure) of the grid lines."""
    months: tuple[tuple[float, str], ...]
    """(time 0..1, label) of the time ticks."""
    first: str
    last: str
    """Dates of the two ends."""


@dataclass(frozen=True, slots=False)
class Document:
    """One canonical object, by digest and address."""

    label: str
    """`Run`, `Protocol`, …"""
    digest: str
    path: str
    """`sha256/<aa>/<hex>.json`."""
    bytes: int


@dataclass(frozen=True, slots=False)
class CitationView:
    """The citation in every format, as text."""

    key: str
    apa: str
    bibtex: str
    biblatex: str
    ris: str
    csl: str
    permalink: str
    """Absolute, or empty when the site has no `permalink_base`."""
    digest: str


@dataclass(frozen=True, slots=False)
class SourceLine:
    """Who stated the figures, on what terms; on every page that shows figures."""

    name: str
    path: str
    licence: str
    """SPDX expression, the name of a `LicenseRef-…`, or `none stated`."""
    licence_url: str
    terms: str
    basis: str
    attribution: str
    illustrative: bool


@dataclass(frozen=True, slots=False)
class Pager:
    """Continuation pages of a long table."""

    page: int
    pages: int
    previous: str
    """Path, empty on the first page."""
    next: str


@dataclass(frozen=True, slots=False)
class Case:
    """One case of a workload: its label and the values of the axes that vary."""

    label: str
    """Number and external id: `2d3fe0ecfe69`."""
    anchor: str
    """`case-7`."""
    values: tuple[str, ...]
    digest: str
    """Of the WorkloadCase manifest with the same axes, empty if none is published."""
    path: str
    stated: tuple[str, ...] = ()
    """Facts of the case that the source states (baseline, SOL bound), in the order of `stated_columns`."""


@dataclass(frozen=True, slots=False)
class WorkloadView:
    """A suite or a single case, with constants said once and only varying axes as columns."""

    digest: str
    path: str
    summary: str
    """`suite of 16 cases · mean latency`, or `seq_len = 128 · batch_size = 4`."""
    say: str
    """A sentence in words."""
    items: tuple[Item, ...]
    """Comparator, tolerances, constants, varying axes."""
    columns: tuple[str, ...]
    """Names of the varying axes."""
    cases: tuple[Case, ...]
    stated_columns: tuple[str, ...]
    tensors: tuple[tuple[str, str, str, str], ...]
    """(name, dtype, shape, origin of the elements or nothing) of a single case."""


@dataclass(frozen=True, slots=False)
class SiteView:
    """What the chrome shows; the same for every page of a build."""

    title: str
    tagline: str
    description: str
    publisher: str
    language: str
    permalink_base: str
    """Absolute with a trailing slash, or empty."""
    base_path: str
    """The path that the site is served below, `/` or `/records/`; only 404.html needs it."""
    nav: tuple[Link, ...]
    illustrative: bool
    """True when every source is: the whole site is then labelled."""
    feed: str
    """Path of the Atom feed, empty without a permalink base."""
    generator: str
    """`leaderpress 0.1.0`."""
    report_url: str
    """Template of the address to report an issue, with `{digest}` and `{permalink}`; may be empty."""
    note_url: str
    """The same for adding a replication or note."""
    home: bool = True
    """False where the site has no front page."""


@dataclass(frozen=True, slots=False)
class Head:
    """What only machines read in a page's head."""

    title: str
    description: str
    canonical: str
    """Absolute permalink or empty."""
    noindex: bool
    meta: tuple[tuple[str, str], ...]
    """(name, content), in order: z:itemType, DC.*, DCTERMS.*."""
    links: tuple[tuple[str, str, str], ...]
    """(rel, address, media type): Signposting and alternates; root-relative or absolute."""
    json_ld: str
    """schema.org as JSON text, safe inside a script element; empty if none."""
    twin: str = ""
    """Root-relative path of the page's JSON twin, for a continuation page that of the first; empty without one."""

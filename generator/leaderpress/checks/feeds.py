"""Sitemaps, Atom feeds, SVG and other XML: well-formed, and every address in them on disk."""

from dataclasses import dataclass, field
from xml.parsers import expat

_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_ATOM = "http://www.w3.org/2005/Atom"
_SVG = "http://www.w3.org/2000/svg"
MAX_SITEMAP_URLS = 50_000
"""The sitemap protocol's limit for one file."""


@dataclass(slots=True)
class Document:
    """What was read of one XML file; lines count from 1."""

    urls: list[tuple[str, int]] = field(default_factory=list)
    """Absolute addresses that must be on disk."""
    entries: int = 0
    faults: list[tuple[str, str, int]] = field(default_factory=list)


def read_xml(data: bytes) -> Document:
    """Read an XML file by the rules of its kind, which its root element tells."""
    reader = _Reader()
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as fault:
        reader.document.faults.append(("xml-invalid", f"not well-formed XML: {fault}", fault.lineno))
    reader.judge()
    return reader.document


class _Reader:
    def __init__(self) -> None:
        self.document = Document()
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._path: list[str] = []
        self._text: list[str] = []
        self._seen: set[str] = set()
        self._ids: set[str] = set()

    def _fault(self, code: str, problem: str) -> None:
        self.document.faults.append((code, problem, self.parser.CurrentLineNumber))

    def _doctype(self, *_: object) -> None:
        self._fault("xml-doctype", "a DOCTYPE, which a feed or picture has no use for and which can define entities")

    def _start(self, name: str, given: dict[str, str]) -> None:
        self._path.append(name)
        self._text.clear()
        if name == f"{_ATOM} entry":
            self.document.entries += 1
            self._seen.clear()
        elif name == f"{_ATOM} link":
            self._seen.add("link")
            self.document.urls.append((given.get("href", ""), self.parser.CurrentLineNumber))
        elif name == f"{_SVG} script" or any(key.startswith("on") for key in given if name.startswith(_SVG)):
            self._fault("page-inline", "a script in a picture: a strict policy forbids it")

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        text = "".join(self._text).strip()
        if name == f"{_SITEMAP} loc":
            self.document.entries += 1
            self.document.urls.append((text, self.parser.CurrentLineNumber))
        elif name == f"{_ATOM} entry":
            self._judge_entry()
        elif name.startswith(_ATOM) and text:
            self._seen.add(name.rpartition(" ")[2])
            if name == f"{_ATOM} id":
                self._judge_id(text)

    def _judge_id(self, text: str) -> None:
        if text in self._ids:
            self._fault("feed-id-twice", f"the id {text!r} stands twice")
        self._ids.add(text)

    def _judge_entry(self) -> None:
        missing = {"id", "title", "updated", "link"} - self._seen
        if missing:
            self._fault("feed-entry", f"an entry without {', '.join(sorted(missing))} (RFC 4287, 4.1.2)")

    def judge(self) -> None:
        """The rules for a file as a whole."""
        if self.document.entries > MAX_SITEMAP_URLS and not self._ids:
            count = self.document.entries
            self._fault("sitemap-size", f"{count} addresses, and a sitemap takes {MAX_SITEMAP_URLS}")

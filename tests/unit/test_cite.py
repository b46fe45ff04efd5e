"""Citations, read back by the libraries that people use: pybtex, bibtexparser, rispy, JSON Schema."""

import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import bibtexparser
import jsonschema
import pytest
import rispy
import yaml
from pybtex.database import BibliographyData, parse_string
from pybtex.plugin import find_plugin

from leaderpress.cite import (
    ILLUSTRATIVE,
    WITHDRAWN,
    Citable,
    Citation,
    Distribution,
    citation_cff,
    cite,
    coins,
    json_ld,
    meta_tags,
    record_title,
    run_key,
)
from leaderpress.errors import ContentError, ManifestError

HEX = "fa4d980817af8b4b1ef6af00" + "ab" * 20
DIGEST = "sha256:" + HEX
RUN = Citable(
    key="board-fa4d980817af",
    authors=("AKO",),
    title="AKO submission-196: Grouped query attention with RoPE backward on NVIDIA B200",
    issued="2026-04-14",
    publisher="Example Index",
    version="2026-08-24",
    permalink=f"https://index.example/runs/{HEX}/",
    path=f"runs/{HEX}/",
    digest=DIGEST,
    genre="Benchmark run record",
    value_text="530.1\u00a0µs mean latency",
    licence_url="https://creativecommons.org/publicdomain/zero/1.0/",
    language="en",
    abstract="One run of AKO submission-196, as its source reports it.",
    illustrative=False,
    withdrawn=False,
)
TITLE = f"{RUN.title}: 530.1 µs mean latency"

# Written for these tests: one of each thing that breaks a format.
HOSTILE = (
    "Amir M. Mir | SF Tensor",
    "003_grouped_query_attention",
    "100% faster & cheaper #1 $5 ~x^2",
    "{",
    "}",
    "}}\n@misc{stolen, title={x}}",
    "a\\b \\input{x} \\",
    "_leading special stays UPPER Case",
    "Meta AI, Inc.",
    "Tom and Jerry",
    "and others",
    "A, B, C, D",
    "Łukasz 田中 팀 🚀👩‍🔬",
    "e\u0301 combining \u0915\u094d\u0937",
    "line\none\r\nER  - \r\nTY  - BOOK\u2028x\x85y\x1cz",
    "nul-free\x01\x1f\x7fcontrols",
    "--flag ---x ``quoted'' ?` !` ,,low",
    '"double" \'single\' "a',
    "<script>alert(1)</script> &lt; &amp;",
    "@comment{x} @string{a=1}",
    "%% not a comment",
    "gpt-4\u202e4-tpg",
    "\ufeffbom \ufdd0\uffff\ud800non-characters",
    "   padded\t\ttext  ",
)


def one_line(text: str) -> str:
    """What every format promises to keep of a text; written apart from the package's own rule."""
    import unicodedata

    def kept(character: str) -> str:
        category = unicodedata.category(character)
        if category == "Cs" or ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF:
            return ""
        return " " if category == "Cc" else character

    return " ".join(unicodedata.normalize("NFC", "".join(map(kept, text))).split())


def from_tex(value: str) -> str:
    """The text that LaTeX would print, by the rules of LaTeX; written apart from the package's escapes."""
    assert not re.search(r"[<>|]|--|''|``|,,|[?!]`", value), f"a font would print something else for {value!r}"
    assert not value.startswith("{\\"), f"BibTeX would take the start of {value!r} for one letter"
    named = {"backslash": "\\", "braceleft": "{", "braceright": "}", "asciicircum": "^", "asciitilde": "~"}
    named |= {"less": "<", "greater": ">", "bar": "|"}
    text, at = "", 0
    while at < len(value):
        character = value[at]
        if character == "\\" and value[at + 1].isalpha():
            word = ""
            at += 1
            while value[at].isalpha():
                word += value[at]
                at += 1
            text += named[word.removeprefix("text")]
            continue
        if character == "\\":
            at += 1
            assert value[at] in "#$%&_"
            text += value[at]
        elif character in "#$%&_^~":
            raise AssertionError(f"{character} would be read as a command in {value!r}")
        elif character not in "{}":
            text += character
        at += 1
    return text


def numbered(texts: Iterable[str]) -> list[tuple[str, Citable]]:
    """A citable for each text, which stands in its title, its authors and its publisher."""
    return [
        (text, replace(RUN, key=f"board-{n:012x}", title=f"T {text}", authors=(text, "Second Team"), publisher=text))
        for n, text in enumerate(texts)
    ]


def authors_of(text: str) -> list[str]:
    return [name for name in (one_line(text), "Second Team") if name]


def check_tex(cases: list[tuple[str, Citable]], file: str, kind: str) -> None:
    library = bibtexparser.parse_string(file)
    assert library.failed_blocks == []
    assert len(library.entries) == len(library.blocks) == len(cases)
    data = parse_string(file, "bibtex")
    assert list(data.entries) == [citable.key for _, citable in cases]
    for (text, citable), block in zip(cases, library.entries, strict=True):
        entry = data.entries[citable.key]
        title = f"{one_line(citable.title)}: 530.1 µs mean latency"
        assert block.entry_type == entry.type == kind
        assert from_tex(entry.fields["title"]) == from_tex(block.fields_dict["title"].value) == title
        assert [from_tex(str(person)) for person in entry.persons["author"]] == authors_of(text)
        assert from_tex(entry.fields.get("publisher", "")) == one_line(text)


def check_ris(cases: list[tuple[str, Citable]], file: str) -> None:
    records = rispy.loads(file)
    assert len(records) == len(cases)
    for (text, citable), record in zip(cases, records, strict=True):
        assert record["type_of_reference"] == "DATA"
        assert record["title"] == f"{one_line(citable.title)}: 530.1 µs mean latency"
        assert record["authors"] == [name + "," for name in authors_of(text)]


def check_all(texts: Iterable[str], csl_schema: object = None) -> int:
    cases = numbered(dict.fromkeys(texts))
    citations = [cite(citable) for _, citable in cases]
    check_tex(cases, "\n".join(c.bibtex for c in citations), "misc")
    check_tex(cases, "\n".join(c.biblatex for c in citations), "dataset")
    check_ris(cases, "".join(c.ris for c in citations))
    items = [json.loads(c.csl)[0] for c in citations]
    for (text, citable), item, citation in zip(cases, items, citations, strict=True):
        assert [author["literal"] for author in item["author"]] == authors_of(text)
        assert item["title"] == f"{one_line(citable.title)}: 530.1 µs mean latency"
        assert f" {one_line(citable.title)}: 530.1 µs mean latency (Version 2026-08-24) [" in citation.apa
        assert "\n" not in citation.apa
    if csl_schema is not None:
        jsonschema.Draft7Validator(csl_schema).validate(items)
    return len(cases)


def test_every_format_keeps_every_hostile_text() -> None:
    assert check_all(HOSTILE) == len(HOSTILE)


@pytest.mark.slow
@pytest.mark.corpus
def test_every_format_keeps_the_hostile_corpora(corpus: Path) -> None:
    assert check_all(hostile_corpora(corpus), csl_schema(corpus)) > 3000


@pytest.mark.slow
@pytest.mark.corpus
def test_every_format_keeps_every_name_of_the_real_inputs(corpus: Path) -> None:
    assert check_all(real_names(corpus), csl_schema(corpus)) > 1500


def csl_schema(corpus: Path) -> object:
    return json.loads((corpus / "corpora/schemas/csl-data.json").read_bytes())


def hostile_corpora(corpus: Path) -> list[str]:
    folder = corpus / "corpora"
    texts: list[str] = json.loads((folder / "naughty-strings/blns.json").read_bytes())
    texts += json.loads((folder / "xss/all_unique.json").read_bytes())
    texts += json.loads((folder / "xss/bad_urls.json").read_bytes())
    texts += json.loads((folder / "path-traversal/hostile_names.json").read_bytes())
    texts += strings_in(json.loads((folder / "unicode-security/samples.json").read_bytes()))
    confusables = (folder / "unicode-security/ascii_confusables.tsv").read_text().splitlines()[1:]
    texts += [chr(int(line.split("\t")[1][2:], 16)) + " " + line for line in confusables]
    return texts


def strings_in(tree: object) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    branches = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [text for branch in branches for text in strings_in(branch)]


def real_names(corpus: Path) -> list[str]:
    """Every name of a project, an author, an operation, an implementation and a product in both real inputs."""
    import zstandard

    names: list[str] = []
    for path in (corpus / "data/kernelindex").glob("*.zst"):
        with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            for line in io.TextIOWrapper(stream, encoding="utf-8"):
                names += names_in(json.loads(line))
    folder = corpus / "data/sol-execbench"
    names += [kernel["name"] for kernel in json.loads((folder / "kernels.json").read_bytes())["data"]["kernels"]]
    for path in (folder / "submissions").glob("*.json"):
        for submission in json.loads(path.read_bytes())["data"]["submissions"]:
            names += [submission["username"], submission["kernel_title"]]
    return names


def names_in(line: dict[str, dict[str, object]]) -> list[str]:
    table, row = line["table"], line["row"]
    names = [row.get("name"), row.get("title"), row.get("hardwareModel"), row.get("sourceRevision")]
    if table == "implementations":
        manifest = row["manifest"]
        assert isinstance(manifest, dict)
        names += [author["name"] for author in manifest["metadata"].get("authors", [])]
    return [name for name in names if isinstance(name, str)]


def test_pybtex_prints_the_entry_with_its_plain_style() -> None:
    [line] = formatted(cite(replace(RUN, authors=("Tom and SF_Tensor", "Meta AI, Inc."))).bibtex)
    assert "Tom and SF_Tensor and Meta AI, Inc." in line
    assert "AKO submission-196: Grouped query attention with RoPE backward on NVIDIA B200" in line
    assert f"sha256:{HEX}" in line
    assert "arXiv" not in line


def test_pybtex_prints_every_hostile_entry_with_its_plain_style() -> None:
    file = "\n".join(cite(citable).bibtex for _, citable in numbered(HOSTILE))
    assert len(formatted(file)) == len(HOSTILE)


def formatted(file: str) -> list[str]:
    data: BibliographyData = parse_string(file, "bibtex")
    style = find_plugin("pybtex.style.formatting", "unsrt")()
    backend = find_plugin("pybtex.backends", "plaintext")()
    return [entry.text.render(backend) for entry in style.format_bibliography(data).entries]


@pytest.mark.skipif(shutil.which("bibtex") is None, reason="needs BibTeX itself")
@pytest.mark.parametrize("style", ["plain", "unsrt", "alpha", "abbrv"])
def test_bibtex_itself_takes_every_hostile_entry(style: str, tmp_path: Path) -> None:
    cases = numbered(HOSTILE)
    (tmp_path / "x.bib").write_text("\n".join(cite(citable).bibtex for _, citable in cases), encoding="utf-8")
    (tmp_path / "x.aux").write_text(f"\\citation{{*}}\n\\bibstyle{{{style}}}\n\\bibdata{{x}}\n")
    run = subprocess.run(["bibtex", "x"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert "Warning" not in run.stdout.replace("Warning--empty author", "")
    assert (tmp_path / "x.bbl").read_bytes().count(b"\\bibitem") == len(cases)


def test_bibtex_is_this_text() -> None:
    assert cite(RUN).bibtex == (
        "@misc{board-fa4d980817af,\n"
        "  author = {{AKO}},\n"
        f"  title = {{{{{TITLE}}}}},\n"
        "  publisher = {{Example Index}},\n"
        "  year = {2026},\n"
        "  month = apr,\n"
        f"  howpublished = {{\\url{{https://index.example/runs/{HEX}/}}}},\n"
        f"  note = {{Benchmark run record, version 2026-08-24, sha256:{HEX}}}\n"
        "}\n"
    )


def test_biblatex_is_this_text() -> None:
    assert cite(RUN).biblatex == (
        "@dataset{board-fa4d980817af,\n"
        "  author = {{AKO}},\n"
        f"  title = {{{{{TITLE}}}}},\n"
        "  publisher = {{Example Index}},\n"
        "  date = {2026-04-14},\n"
        "  version = {2026-08-24},\n"
        "  type = {Benchmark run record},\n"
        f"  url = {{https://index.example/runs/{HEX}/}},\n"
        f"  eprint = {{{HEX}}},\n"
        "  eprinttype = {sha256}\n"
        "}\n"
    )


def test_ris_is_this_text() -> None:
    assert cite(RUN).ris.split("\r\n") == [
        "TY  - DATA",
        f"TI  - {TITLE}",
        "AU  - AKO,",
        "PY  - 2026",
        "DA  - 2026/04/14/",
        "PB  - Example Index",
        "ET  - 2026-08-24",
        f"UR  - https://index.example/runs/{HEX}/",
        "LA  - en",
        "AB  - One run of AKO submission-196, as its source reports it.",
        f"N1  - Digest: sha256:{HEX}",
        "ER  - ",
        "",
    ]


def test_csl_says_the_same_and_leaves_out_what_apa_would_misprint() -> None:
    [item] = json.loads(cite(RUN).csl)
    assert item["custom"] == {"digest": DIGEST, "path": RUN.path, "licence": RUN.licence_url}
    assert item["issued"] == {"date-parts": [[2026, 4, 14]]}
    assert (item["id"], item["type"], item["URL"]) == (RUN.key, "dataset", RUN.permalink)
    assert not {"container-title", "archive", "archive_location", "accessed", "note"} & set(item)


SAID = f"{TITLE} (Version 2026-08-24) [Benchmark run record]"
WHERE = f"Example Index. {RUN.permalink}"
APA_CASES = [
    ({}, f"AKO. (2026). {SAID}. {WHERE}"),
    ({"value_text": None, "title": "Y"}, f"AKO. (2026). {SAID.replace(TITLE, 'Y')}. {WHERE}"),
    ({"authors": ("A", "B")}, f"A, & B. (2026). {SAID}. {WHERE}"),
    ({"authors": ("A", "B", "C Inc.")}, f"A, B, & C Inc. (2026). {SAID}. {WHERE}"),
    ({"authors": ()}, f"{SAID}. (2026). {WHERE}"),
    ({"authors": ("Example Index",)}, f"Example Index. (2026). {SAID}. {RUN.permalink}"),
    ({"publisher": "Index Ltd."}, f"AKO. (2026). {SAID}. Index Ltd. {RUN.permalink}"),
    ({"permalink": None}, f"AKO. (2026). {SAID}. Example Index. {DIGEST}, {RUN.path}"),
    ({"genre": "Benchmark ranking"}, f"AKO. (2026). {SAID.replace('run record', 'ranking')}. {WHERE}"),
    ({"illustrative": True}, f"AKO. (2026). {SAID[:-1]}. Illustrative data, not a measurement]. {WHERE}"),
    ({"withdrawn": True}, f"AKO. (2026). {SAID[:-1]}. Withdrawn]. {WHERE}"),
]


@pytest.mark.parametrize(("changed", "expected"), APA_CASES)
def test_apa_is_one_sentence_in_the_form_of_the_manual(changed: dict[str, object], expected: str) -> None:
    assert cite(replace(RUN, **changed)).apa == expected


def test_apa_shortens_more_than_twenty_authors() -> None:
    apa = cite(replace(RUN, authors=tuple(f"T{n}" for n in range(1, 23)))).apa
    assert ", T19, . . . T22. (2026)" in apa
    assert "T20" not in apa


def formats(citation: Citation) -> dict[str, str]:
    return {name: getattr(citation, name) for name in ("apa", "bibtex", "biblatex", "ris", "csl")}


@pytest.mark.parametrize("name", ["apa", "bibtex", "biblatex", "ris", "csl"])
def test_without_a_permalink_digest_and_path_are_cited(name: str) -> None:
    text = formats(cite(replace(RUN, permalink=None)))[name]
    assert HEX in text
    assert f"runs/{HEX}/" in text
    assert "http" not in text.replace("https://creativecommons.org", "")


@pytest.mark.parametrize("name", ["apa", "bibtex", "biblatex", "ris", "csl"])
def test_every_format_carries_the_notices_and_only_when_they_hold(name: str) -> None:
    warned = formats(cite(replace(RUN, illustrative=True, withdrawn=True)))[name]
    plain = formats(cite(RUN))[name]
    assert ILLUSTRATIVE in warned
    assert WITHDRAWN in warned
    assert ILLUSTRATIVE not in plain
    assert WITHDRAWN not in plain


@pytest.mark.parametrize("name", ["apa", "bibtex", "biblatex", "ris", "csl"])
def test_a_citation_needs_no_author(name: str) -> None:
    text = formats(cite(replace(RUN, authors=("", "\u2028", "\ud800"))))[name]
    assert "author" not in text.replace("(authors)", "")
    assert "AU  -" not in text
    assert HEX in text


def test_a_url_is_percent_encoded_where_a_format_would_stumble() -> None:
    citation = cite(replace(RUN, permalink="https://index.example/a b{c}\\ü%20|\n/"))
    expected = "https://index.example/a%20b%7Bc%7D%5C%C3%BC%20%7C%0A/"
    assert json.loads(citation.csl)[0]["URL"] == expected
    assert f"howpublished = {{\\url{{{expected}}}}}" in citation.bibtex
    assert citation.apa.endswith(" " + expected)


@pytest.mark.parametrize(
    "issued", ["", "2026", "2026-4-14", "2026-02-30", "20260414", "2026-W01-1", "2026-04-14T00:00:00Z"]
)
def test_only_a_date_is_taken_as_date(issued: str) -> None:
    with pytest.raises(ManifestError, match="is not a date"):
        cite(replace(RUN, issued=issued))


def test_the_key_is_the_site_key_and_twelve_digits() -> None:
    assert run_key("board", DIGEST) == RUN.key


@pytest.mark.parametrize("digest", ["", HEX, "sha256:" + HEX.upper(), DIGEST + "0", DIGEST + "\n"])
def test_a_key_needs_a_whole_digest(digest: str) -> None:
    with pytest.raises(ManifestError):
        run_key("board", digest)


@pytest.mark.parametrize("site_key", ["", "Board", "bo ard", "-x", "x_y", "x,y", "x\n", "ü"])
def test_a_key_is_safe_in_bibtex(site_key: str) -> None:
    with pytest.raises(ContentError):
        run_key(site_key, DIGEST)


TITLE_CASES = [
    (("AKO", "submission-196", "GQA", "NVIDIA B200"), "AKO submission-196: GQA on NVIDIA B200"),
    (("submission 555004", "submission-555004", "GQA", "B200"), "submission 555004: GQA on B200"),
    (("Triton 12", "1", "GQA", "B200"), "Triton 12 1: GQA on B200"),
    (("AKO", None, "GQA", None), "AKO: GQA"),
    (("", "r1", "GQA", "B200"), "r1: GQA on B200"),
    (("", None, "GQA", "B200"), "GQA on B200"),
]


@pytest.mark.parametrize(("parts", "expected"), TITLE_CASES)
def test_a_title_says_only_what_is_stated(parts: tuple[str, str | None, str, str | None], expected: str) -> None:
    assert record_title(*parts) == expected


def test_meta_tags_come_in_the_order_that_reference_managers_need() -> None:
    assert meta_tags(replace(RUN, authors=("AKO", "B"))) == (
        ("z:itemType", "dataset"),
        ("DC.title", TITLE),
        ("DC.creator", "AKO,"),
        ("DC.creator", "B,"),
        ("DC.type", "Dataset"),
        ("DC.publisher", "Example Index"),
        ("DC.date", "2026-04-14"),
        ("DC.identifier", RUN.permalink),
        ("DC.rights", RUN.licence_url),
        ("DC.language", "en"),
        ("DCTERMS.abstract", RUN.abstract),
        ("prism.edition", "2026-08-24"),
    )


def test_meta_tags_leave_out_what_is_not_stated_and_warn() -> None:
    tags = dict(meta_tags(replace(RUN, permalink=None, licence_url=None, abstract="", illustrative=True)))
    assert tags["DC.identifier"] == DIGEST
    assert "DC.rights" not in tags
    assert tags["DCTERMS.abstract"].startswith(ILLUSTRATIVE)


def test_terms_in_words_stand_where_the_licence_has_no_address() -> None:
    worded = replace(RUN, licence_url=None, rights="Ask the board\nfirst")
    assert dict(meta_tags(worded))["DC.rights"] == "Ask the board first"
    assert ("rft.rights", "Ask the board first") in parse_qsl(coins(worded))
    assert "license" not in json_ld(worded, description=DESCRIPTION)
    assert dict(meta_tags(replace(worded, licence_url=RUN.licence_url)))["DC.rights"] == RUN.licence_url


@pytest.mark.parametrize("text", HOSTILE)
def test_coins_reads_back_as_a_query(text: str) -> None:
    citable = replace(RUN, title=text, value_text=None, authors=(text, "B"), publisher=text)
    fields = parse_qsl(coins(citable), strict_parsing=True)
    assert ("rft.title", one_line(text)) in fields
    assert [value for name, value in fields if name == "rft.aucorp"] == [one_line(text), "B"]
    assert ("rft.identifier", RUN.permalink) in fields
    assert not {"rft_id"} & dict(fields).keys()


DESCRIPTION = "A run of an attention kernel on one accelerator, with the mean latency over 16 cases."


def test_json_ld_is_a_dataset_with_checkable_files() -> None:
    file = Distribution(f"https://index.example/sha256/fa/{HEX}.json", "application/json", DIGEST)
    node = json_ld(
        replace(RUN, authors=("AKO", "B")),
        description=DESCRIPTION,
        distributions=[file],
    )
    assert (node["@context"], node["@type"], node["@id"]) == ("https://schema.org/", "Dataset", RUN.permalink)
    assert [team["name"] for team in node["creator"]] == ["AKO", "B"]
    assert node["distribution"] == [
        {"@type": "DataDownload", "contentUrl": file.url, "encodingFormat": "application/json", "sha256": HEX}
    ]
    assert node["identifier"] == DIGEST
    assert "creativeWorkStatus" not in node


def test_json_ld_of_invented_data_says_so() -> None:
    node = json_ld(replace(RUN, illustrative=True), description=DESCRIPTION)
    assert node["description"] == f"{ILLUSTRATIVE}. {DESCRIPTION}"
    assert node["creativeWorkStatus"] == ILLUSTRATIVE


DESCRIPTIONS = {
    "": f"Published by Example Index. Identified by {DIGEST}.",
    "Gone.": f"Gone. Published by Example Index. Identified by {DIGEST}.",
    "x" * 49: f"{'x' * 49}. Published by Example Index.",
    "x" * 50: "x" * 50,
    "x" * 5000: "x" * 5000,
    "x" * 5001: "x" * 4999 + "…",
    "x" * 4998 + " yy": "x" * 4998 + "…",
}


@pytest.mark.parametrize("description", DESCRIPTIONS)
def test_json_ld_brings_any_description_to_a_length_that_search_engines_take(description: str) -> None:
    found = json_ld(RUN, description=description)["description"]
    assert found == DESCRIPTIONS[description]
    assert 50 <= len(found) <= 5000


CFF = {"title": "Example board", "publisher": "Example Index", "abstract": "All records of the example board."}


def test_cff_reads_as_yaml_with_every_hostile_text() -> None:
    for text in HOSTILE:
        read = yaml.safe_load(citation_cff(**{**CFF, "title": f"T {text}", "publisher": f"P {text}"}))
        assert read["title"] == one_line(f"T {text}")
        assert read["authors"] == [{"name": one_line(f"P {text}")}]


@pytest.mark.corpus
def test_cff_is_valid(corpus: Path) -> None:
    schema = json.loads((corpus / "corpora/schemas/cff-1.2.0.schema.json").read_bytes())
    full = citation_cff(
        **CFF,
        version="2026-08-24",
        released="2026-08-24",
        url="https://index.example/",
        illustrative=True,
    )
    validator = jsonschema.Draft7Validator(schema)
    # BaseLoader keeps the date a string, as JSON Schema wants it.
    validator.validate(yaml.load(full, yaml.BaseLoader))
    validator.validate(yaml.load(citation_cff(**CFF), yaml.BaseLoader))
    assert ILLUSTRATIVE in yaml.safe_load(full)["message"]

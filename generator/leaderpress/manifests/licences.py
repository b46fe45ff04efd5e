"""SPDX licence expressions: their syntax, and the identifiers that data and code on leaderboards are published under.

The list holds the identifiers in use for data, papers and software, not the whole SPDX list; a licence that is not
on it can always be stated as `LicenseRef-<name>` with its text or address.  Identifiers are written exactly as SPDX
writes them, because pages and machine-readable outputs repeat them.
"""

import re

NONE_STATED = "none-stated"
"""What a source table says when the source states no licence at all."""

_REFERENCE = re.compile(r"(DocumentRef-[A-Za-z0-9.-]+:)?LicenseRef-[A-Za-z0-9.-]+")
_WORD = re.compile(r"[()]|[^\s()]+")
_OPERATORS = frozenset({"AND", "OR", "WITH"})

EXCEPTIONS = frozenset(
    """
    Autoconf-exception-3.0 Bison-exception-2.2 Bootloader-exception Classpath-exception-2.0 CLISP-exception-2.0
    Font-exception-2.0 GCC-exception-2.0 GCC-exception-3.1 Libtool-exception Linux-syscall-note LLVM-exception
    OCaml-LGPL-linking-exception OpenJDK-assembly-exception-1.0 Qt-GPL-exception-1.0 Qt-LGPL-exception-1.1
    Swift-exception u-boot-exception-2.0 Universal-FOSS-exception-1.0 WxWindows-exception-3.1
    """.split()  # noqa: SIM905 - a table reads better than a column of literals
)
"""Known names after WITH."""

IDENTIFIERS = frozenset(
    """
    0BSD AAL AFL-3.0 AGPL-3.0-only AGPL-3.0-or-later Apache-1.1 Apache-2.0 APSL-2.0 Artistic-2.0
    BSD-1-Clause BSD-2-Clause BSD-2-Clause-Patent BSD-3-Clause BSD-3-Clause-Clear BSD-3-Clause-LBNL
    BSD-3-Clause-No-Nuclear-License BSD-4-Clause BSD-Source-Code BSL-1.0 BUSL-1.1 BlueOak-1.0.0
    C-UDA-1.0 CAL-1.0 CC-BY-1.0 CC-BY-2.0 CC-BY-2.5 CC-BY-3.0 CC-BY-4.0
    CC-BY-NC-1.0 CC-BY-NC-2.0 CC-BY-NC-2.5 CC-BY-NC-3.0 CC-BY-NC-4.0
    CC-BY-NC-ND-1.0 CC-BY-NC-ND-2.0 CC-BY-NC-ND-2.5 CC-BY-NC-ND-3.0 CC-BY-NC-ND-4.0
    CC-BY-NC-SA-1.0 CC-BY-NC-SA-2.0 CC-BY-NC-SA-2.5 CC-BY-NC-SA-3.0 CC-BY-NC-SA-4.0
    CC-BY-ND-1.0 CC-BY-ND-2.0 CC-BY-ND-2.5 CC-BY-ND-3.0 CC-BY-ND-4.0
    CC-BY-SA-1.0 CC-BY-SA-2.0 CC-BY-SA-2.5 CC-BY-SA-3.0 CC-BY-SA-4.0 CC-PDDC CC0-1.0
    CDDL-1.0 CDDL-1.1 CDLA-Permissive-1.0 CDLA-Permissive-2.0 CDLA-Sharing-1.0
    CECILL-2.1 CECILL-B CECILL-C CERN-OHL-P-2.0 CERN-OHL-S-2.0 CERN-OHL-W-2.0 CPAL-1.0 CPL-1.0 curl
    DL-DE-BY-2.0 DL-DE-ZERO-2.0 DOC ECL-2.0 EFL-2.0 Elastic-2.0 EPL-1.0 EPL-2.0 etalab-2.0
    EUPL-1.1 EUPL-1.2 FSFAP FTL
    GFDL-1.2-only GFDL-1.2-or-later GFDL-1.3-only GFDL-1.3-or-later
    GPL-1.0-only GPL-1.0-or-later GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later
    HPND ICU IJG Intel IPL-1.0 ISC JSON
    LGPL-2.0-only LGPL-2.0-or-later LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later
    libpng-2.0 Libpng LiLiQ-P-1.1 LiLiQ-R-1.1 LPL-1.02 LPPL-1.3c MIT MIT-0 MIT-CMU MIT-Modern-Variant
    MPL-1.1 MPL-2.0 MPL-2.0-no-copyleft-exception MS-PL MS-RL MulanPSL-2.0 NASA-1.3 NCSA NIST-PD NLOD-2.0 NTP
    O-UDA-1.0 ODbL-1.0 ODC-By-1.0 OFL-1.0 OFL-1.1 OGC-1.0 OGL-Canada-2.0 OGL-UK-1.0 OGL-UK-2.0 OGL-UK-3.0
    OLDAP-2.8 OpenSSL OSET-PL-2.1 OSL-3.0 PDDL-1.0 PHP-3.01 PolyForm-Noncommercial-1.0.0
    PolyForm-Small-Business-1.0.0 PostgreSQL PSF-2.0 Python-2.0 QPL-1.0 Ruby SSPL-1.0 TCL TU-Berlin-2.0
    UCAR UCL-1.0 Unicode-3.0 Unicode-DFS-2016 Unlicense UPL-1.0 Vim VSL-1.0 W3C WTFPL X11 XFree86-1.1
    Zlib ZPL-2.1
    """.split()  # noqa: SIM905
)
"""Known licences, as SPDX spells them."""


def licence_address(expression: str) -> str:
    """Address of SPDX's own page about a licence; empty unless the expression is one identifier of the list."""
    return f"https://spdx.org/licenses/{expression}.html" if expression in IDENTIFIERS else ""


def has_reference(expression: str) -> bool:
    """Whether an expression names a licence that is not on the SPDX list (`LicenseRef-…`)."""
    return any(_REFERENCE.fullmatch(word) for word in _WORD.findall(expression))


def expression_fault(expression: str) -> tuple[str, str] | None:
    """What is wrong with an SPDX licence expression, as a sentence and a hint; None if nothing is."""
    depth, wants_licence, may_be_excepted, after_with = 0, True, False, False
    for word in _WORD.findall(expression):
        if after_with:
            if word not in EXCEPTIONS:
                return _unknown("licence exception", word, EXCEPTIONS)
            after_with, may_be_excepted = False, False
        elif wants_licence:
            if word == "(":
                depth += 1
            elif word == ")" or word in _OPERATORS:
                return f"a licence is expected before {word}", ""
            elif fault := _licence_fault(word):
                return fault
            else:
                wants_licence, may_be_excepted = False, True
        elif word == ")" and depth:
            depth, may_be_excepted = depth - 1, False
        elif word == "WITH" and may_be_excepted:
            after_with = True
        elif word in ("AND", "OR"):
            wants_licence = True
        else:
            return f"{_short(word)} is not expected after a licence", "join licences by AND or OR, in capitals"
    if wants_licence or after_with:
        return "the expression ends where a licence or an exception is expected", ""
    return ("a parenthesis is not closed", "") if depth else None


def _licence_fault(word: str) -> tuple[str, str] | None:
    if _REFERENCE.fullmatch(word) or word.removesuffix("+") in IDENTIFIERS:
        return None
    return _unknown("licence", word, IDENTIFIERS)


def _unknown(what: str, word: str, known: frozenset[str]) -> tuple[str, str]:
    from difflib import get_close_matches  # only a mistake needs it

    spellings = {name.lower(): name for name in sorted(known)}
    near = get_close_matches(word[:80].lower(), spellings, n=2)
    hint = "state another licence as LicenseRef-<name> with licence_text or licence_url"
    if near:
        hint = f"perhaps {' or '.join(spellings[name] for name in near)}; {hint}"
    return f"{_short(word)} is not a known SPDX {what}", hint


def _short(word: str) -> str:
    return word if len(word) <= 60 else word[:59] + "…"

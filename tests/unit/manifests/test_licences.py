import pytest
from packaging.licenses import canonicalize_license_expression

from leaderpress.manifests.licences import EXCEPTIONS, IDENTIFIERS, expression_fault, has_reference

GOOD = [
    "MIT",
    "Apache-2.0+",
    "CC-BY-NC-SA-4.0",
    "MIT OR Apache-2.0",
    "(MIT AND BSD-3-Clause) OR GPL-2.0-or-later WITH Classpath-exception-2.0",
    "((MIT))",
    "LicenseRef-GPUMode-Reciprocity-1.0",
    "DocumentRef-spdx:LicenseRef-x AND MIT",
    "(" * 2000 + "MIT" + ")" * 2000,
]

BAD = {
    "": "ends where",
    "   ": "ends where",
    "mit": "mit is not a known SPDX licence",
    "GPL-3.0": "GPL-3.0 is not a known SPDX licence",
    "Public Domain": "Public is not a known SPDX licence",
    "MIT Apache-2.0": "Apache-2.0 is not expected after a licence",
    "MIT or Apache-2.0": "or is not expected after a licence",
    "MIT OR": "ends where",
    "OR MIT": "expected before OR",
    "MIT AND OR MIT": "expected before OR",
    "(MIT": "not closed",
    "MIT)": ") is not expected",
    "()": "expected before )",
    "(MIT) WITH LLVM-exception": "WITH is not expected",
    "MIT WITH": "ends where",
    "Apache-2.0 WITH LLVM-Exception": "LLVM-Exception is not a known SPDX licence exception",
    "Apache-2.0 WITH LLVM-exception WITH LLVM-exception": "WITH is not expected",
    "LicenseRef-": "LicenseRef- is not a known",
    "LicenseRef-a_b": "LicenseRef-a_b is not a known",
    "x" * 5000: "is not a known",
}


@pytest.mark.parametrize("expression", GOOD, ids=lambda text: text[:40])
def test_a_licence_expression_is_accepted(expression: str) -> None:
    assert expression_fault(expression) is None


@pytest.mark.parametrize(("expression", "problem"), BAD.items(), ids=[text[:40] or "empty" for text in BAD])
def test_a_wrong_licence_expression_is_explained(expression: str, problem: str) -> None:
    fault = expression_fault(expression)
    assert fault is not None
    assert problem in fault[0]
    assert len(fault[0]) < 200


def test_a_near_miss_is_answered_with_the_right_spelling() -> None:
    fault = expression_fault("apache-2.0")
    assert fault is not None
    assert "Apache-2.0" in fault[1]


@pytest.mark.parametrize("name", sorted(IDENTIFIERS))
def test_an_identifier_is_spelled_as_spdx_spells_it(name: str) -> None:
    assert canonicalize_license_expression(name) == name


@pytest.mark.parametrize("name", sorted(EXCEPTIONS))
def test_an_exception_is_spelled_as_spdx_spells_it(name: str) -> None:
    assert canonicalize_license_expression(f"GPL-2.0-only WITH {name}") == f"GPL-2.0-only WITH {name}"


def test_references_are_found_anywhere_in_an_expression() -> None:
    assert has_reference("MIT AND (LicenseRef-x OR MIT)")
    assert not has_reference("MIT OR Apache-2.0")

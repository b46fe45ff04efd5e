"""Complete documents of our own, one of each kind with every field that the kind has; all of it is invented."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DOCUMENTS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (Path(__file__).parent / "documents").glob("*.json")
}


@pytest.fixture
def document() -> Callable[[str], Any]:
    """A fresh copy of the document of a kind, to be spoiled at will."""
    return lambda kind: copy.deepcopy(DOCUMENTS[kind])

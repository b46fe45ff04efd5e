from pathlib import Path

import pytest
from legal_site import LegalSite, legal_site


@pytest.fixture
def site(tmp_path: Path) -> LegalSite:
    return legal_site(tmp_path)

"""`ranking.csv` of a group: every ranked row, numbers exact, text cells safe in a spreadsheet."""

import csv
import io

from ..canonical import number_text
from ..views.group import GroupView

_BEFORE = ("rank", "run", "implementation", "revision", "project")
_AFTER = ("evidence", "observed", "published")
# Characters that make a spreadsheet take a cell for a formula (OWASP ASVS 1.2.10), and their full-width forms.
_FORMULA = "=+-@\t\r\n|＝＋－＠"


def ranking_csv(view: GroupView) -> bytes:
    """Every ranked row of a group as CSV (RFC 4180, CRLF): numbers exact, text cells safe in a spreadsheet."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*_BEFORE, f"value_{view.unit or 'unit'}", *view.metric_labels, *_AFTER])
    for run in view.runs:
        metrics = ["" if value is None else number_text(value) for value in run.metric_values]
        texts = [_cell(text) for text in (run.name, run.revision, run.project.text)]
        after = (run.evidence, run.observed_on, run.published_on)
        writer.writerow([run.rank, run.digest, *texts, number_text(run.value), *metrics, *after])
    return out.getvalue().encode()


def _cell(text: str) -> str:
    """A text cell that a spreadsheet must not take for a formula gets an apostrophe before it."""
    start = text.lstrip(" \u00a0\ufeff\u200b")
    return f"'{text}" if start[:1] and start[0] in _FORMULA else text

"""The disposable index: what the records say, in a form that pages can be planned and built from.

`build/cache/index.sqlite` can be deleted at any time; nothing but speed is lost.  Every digest is recomputed while
records are read in, so a line that was edited by hand is found and named before anything is built from it.
"""

from .reader import Index, coverage
from .refresh import refresh
from .rows import (
    EnvironmentRow,
    EventRow,
    FactRow,
    FolderRow,
    GroupContents,
    GroupRow,
    Location,
    ProjectRow,
    ProtocolRow,
    RunRow,
    StatementRow,
    SubjectRow,
    TaskRow,
    WorkloadRow,
)
from .touched import Touched, touched_between

__all__ = [
    "EnvironmentRow",
    "EventRow",
    "FactRow",
    "FolderRow",
    "GroupContents",
    "GroupRow",
    "Index",
    "Location",
    "ProjectRow",
    "ProtocolRow",
    "RunRow",
    "StatementRow",
    "SubjectRow",
    "TaskRow",
    "Touched",
    "WorkloadRow",
    "coverage",
    "refresh",
    "touched_between",
]

"""The records of a site: one write-once folder for each ingest, below `content/records/`.

`<nnnnnn>-<source>-<8 hex of the dump digest>/` holds

- `manifests.jsonl`, `manifests-2.jsonl`, …: the RFC 8785 text of every document that no older folder holds;
- `provenance.jsonl`: what was stated about documents, a line for each new one and for each statement that is new;
- `facts.jsonl`: what the source states beside the documents;
- `log.txt`: the lines of the publication log that the folder adds (see `publications`);
- `snapshot.json`: the dump, its dates, counts and rejections, and the size and SHA-256 of the files above.

A folder is written aside and renamed in one step, so a reader sees all of it or nothing.  It is never touched again:
`verify` names a file that differs from its snapshot, and every snapshot names the SHA-256 of the one before it, so
that `folders` notices a snapshot that was rewritten.  The numbers are the order of publication.
"""

from .days import check_days
from .draft import Draft, exclusive, retract
from .folder import (
    FACTS,
    PLACE,
    PROVENANCE,
    SEAL,
    SNAPSHOT,
    Folder,
    Line,
    folder_name,
    folders,
    snapshot_bytes,
    verify,
)
from .notes import NOTES, changed_notes, in_order, new_notes, read_notes, removal_faults
from .publications import (
    Commitment,
    Journal,
    all_covered,
    commitment,
    committed_lines,
    committed_notes,
    first_fault,
)
from .snapshot_line import KIND as SNAPSHOT_KIND
from .snapshot_line import LOG
from .strays import strays

__all__ = [
    "FACTS",
    "LOG",
    "NOTES",
    "PLACE",
    "PROVENANCE",
    "SEAL",
    "SNAPSHOT",
    "SNAPSHOT_KIND",
    "Commitment",
    "Draft",
    "Folder",
    "Journal",
    "Line",
    "all_covered",
    "changed_notes",
    "check_days",
    "commitment",
    "committed_lines",
    "committed_notes",
    "exclusive",
    "first_fault",
    "folder_name",
    "folders",
    "in_order",
    "new_notes",
    "read_notes",
    "removal_faults",
    "retract",
    "snapshot_bytes",
    "strays",
    "verify",
]

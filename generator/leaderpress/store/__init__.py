"""The records of a site: one write-once folder for each ingest, below `content/records/`.

`<nnnnnn>-<source>-<8 hex of the dump digest>/` holds

- `manifests.jsonl`, `manifests-2.jsonl`, …: the RFC 8785 text of every document that no older folder holds;
- `provenance.jsonl`: what was stated about documents, a line for each new one and for each statement that is new;
- `facts.jsonl`: what the source states beside the documents;
- `snapshot.json`: the dump, its dates, counts and rejections, and the size and SHA-256 of the files above.

A folder is written aside and renamed in one step, so a reader sees all of it or nothing.  It is never touched again:
`verify` names a file that differs from its snapshot, and every snapshot names the SHA-256 of the one before it, so
that `folders` notices a snapshot that was rewritten.  The numbers are the order of publication.
"""

from .draft import Draft, exclusive
from .folder import FACTS, PLACE, PROVENANCE, SNAPSHOT, Folder, Line, folder_name, folders, snapshot_bytes, verify

__all__ = [
    "FACTS",
    "PLACE",
    "PROVENANCE",
    "SNAPSHOT",
    "Draft",
    "Folder",
    "Line",
    "exclusive",
    "folder_name",
    "folders",
    "snapshot_bytes",
    "verify",
]

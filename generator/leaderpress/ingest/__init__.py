"""From a published dump to one folder of records: the only way in which records are written.

`ingest` reads a dump with the ingester that its source names, keeps what the store does not hold yet, and publishes
it in one step, or nothing at all.  What was refused, and why, is part of the snapshot and of the report.
"""

from .flow import ingest
from .report import IngestReport, Reason
from .sealing import SealReport, seal
from .undo import Evidence, UndoReport, undo

__all__ = ["Evidence", "IngestReport", "Reason", "SealReport", "UndoReport", "ingest", "seal", "undo"]

"""`leaderpress redact`: removing from published records what the law does not let stand.

Everything else about a record stays: its address, its digests, its place in the log and, unless the whole document
goes, its rank.  What was removed stands nowhere in the site afterwards, and nothing that is written says what it was.
"""

from .command import RedactionReport, Request, redact

__all__ = ["RedactionReport", "Request", "redact"]

"""Citations of runs and rankings, in every format that a reader may want to keep.

Pure: a `Citable` goes in, text comes out; no clock (the date of access is the reader's), no I/O.  All formats say
the same: who, the year, what was measured and the value, which version, who publishes, where, and the digest that
proves it.  Ranks are never cited, because they change.
"""

from .base import ILLUSTRATIVE, WITHDRAWN, Citable, record_title, run_key
from .embedded import Distribution, coins, json_ld, meta_tags
from .formats import Citation, cite
from .site import citation_cff

__all__ = [
    "ILLUSTRATIVE",
    "WITHDRAWN",
    "Citable",
    "Citation",
    "Distribution",
    "citation_cff",
    "cite",
    "coins",
    "json_ld",
    "meta_tags",
    "record_title",
    "run_key",
]

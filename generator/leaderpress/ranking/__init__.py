"""Ranking policy `ranking-v1`: which runs may be compared, which of them rank, in what order, and who held the record.

Pure functions over small values; nothing here reads a file, a clock or another policy.
"""

POLICY = "ranking-v1"

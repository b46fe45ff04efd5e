"""How much may happen at the same time."""

import os


def default_jobs() -> int:
    """One process or thread for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)

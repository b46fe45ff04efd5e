"""The shape of real boards, as figures: counted in one public export of three boards (7,857 runs, 1,912 groups).

Nothing of the export itself is here, only how many there are of what.  A deck lists how often each size occurs; one
lap through all decks gives the counts of the export, more laps give more of the same.
"""

RUNS = 7_857
"""Runs of one lap."""

SHARES = {"gpumode-kernelbot": 5_215, "flashinfer-bench": 1_937, "sol-execbench": 705}
"""Runs of one lap by board."""

PROJECTS = {"gpumode-kernelbot": 557, "flashinfer-bench": 1, "sol-execbench": 29}
"""Projects of one lap; a few have most of the implementations (85, 71, 62 … of 3,432)."""
PROJECT_SKEW = 2.2

UNUSED_OPERATIONS = 107 / 342
"""Operations without any run, for each one with runs."""


def _deck(*counts: tuple[int, int]) -> tuple[int, ...]:
    return tuple(size for size, times in counts for _ in range(times))


# A competition: each submission is an implementation with one run, the score of a whole suite, in up to four places.
SCORES_GEOMEAN = (
    *((163,), (15,), (17,), (19,), (151,), (222,), (225,), (254,), (254,), (260,), (122,)),
    *((26, 27, 30, 40), (67, 70, 101)),
)
SCORES_UNSPECIFIED = (
    *((10, 11, 12, 12), (13, 21, 21, 21), (21, 21, 22, 23), (23, 24, 24, 25)),
    *((26, 27, 28, 32), (33, 33, 38, 40), (47, 52, 53, 61), (63, 72, 73, 90)),
)
SUBMISSION_CASES = ((98,) * 18, (118, 118, 79), (1,))
"""Competitions that publish the latency of every case: groups of one operation, the same implementations in each."""
SCORE_SUITE = _deck((3, 7), (4, 2), (5, 3), (6, 4), (7, 2), (8, 2), (11, 1))
"""Cases of a competition's suite."""

# A leaderboard of suites: many operations, one to three submissions in each of one or two environments.
SUITE_GROUPS = _deck((1, 96), (2, 96), (3, 139))
SUITE_ENVIRONMENTS = _deck((1, 139), (2, 96))
SUITE_CASES = _deck(
    *((4, 1), (6, 1), (7, 2), (8, 4), (9, 1), (11, 1), (12, 2), (13, 1), (14, 8), (15, 3), (16, 190), (17, 1)),
    *((18, 3), (19, 1), (20, 1), (21, 1), (25, 2), (29, 1), (30, 1), (38, 2), (43, 4), (47, 1), (48, 2)),
)
"""9 % of all runs are of a suite of 4 to 48 cases; its cases are published one by one as well, without runs."""

# Traces of a library: one implementation of an operation, run on each of its cases.
TRACE_CASES = _deck(
    *((1, 3), (2, 10), (3, 9), (4, 4), (5, 2), (6, 1), (7, 3), (8, 4), (10, 4), (14, 4), (16, 1), (17, 1), (18, 1)),
    *((19, 1), (20, 14), (25, 2), (29, 1), (30, 1), (38, 2), (43, 12), (47, 1), (48, 2)),
)
TRACE_GROUPS = _deck((1, 1122), (2, 200), (3, 95), (4, 2), (6, 6))
FAILED = 86 / 1_425
"""Runs without a figure, for each case of a trace; 1 % of all runs."""

# How large things are.
AXES = _deck(
    (8, 80), (6, 77), (3, 66), (2, 55), (7, 37), (5, 36), (4, 29), (9, 24), (10, 17), (11, 13), (13, 4), (15, 6)
)
INPUTS = _deck(
    (2, 99), (6, 51), (7, 45), (3, 39), (4, 39), (5, 33), (8, 33), (10, 18), (9, 16), (1, 15), (15, 35), (25, 12)
)
TRANSLATED_NAMES = 8 / 588
"""Projects whose names are not ASCII."""
KEPT_SOURCES = 0.85
"""Submitted sources that the export lists among its artifacts."""
RECORDS = 0.375
"""Record events for each run."""
FAR_BEHIND = 0.03
"""Runs that are ten to a thousand times behind."""

MEAN_BYTES = {
    "OperationSpec": 1_726,
    "WorkloadSuite": 2_920,
    "WorkloadCase": 905,
    "SoftwareProject": 228,
    "ImplementationRevision": 746,
    "BenchmarkRun": 997,
}
"""Compact JSON, metadata included; the made documents come within a fifth of these."""

ENVIRONMENTS = {
    "gpumode-kernelbot": (
        ("amd", "AMD Instinct MI300X", "gfx942", "", ""),
        ("nvidia", "NVIDIA B200", "sm_100", "runner:B200", ""),
        ("amd", "AMD Instinct MI355X", "gfx950", "runner:MI355X", ""),
        ("nvidia", "NVIDIA A100", "sm_80", "runner:A100", ""),
        ("nvidia", "NVIDIA H100", "sm_90", "runner:H100", ""),
        ("nvidia", "NVIDIA L4", "sm_89", "runner:L4", ""),
    ),
    "flashinfer-bench": (
        ("nvidia", "NVIDIA B200", "unknown", "", "2.9.1+cu128"),
        ("nvidia", "NVIDIA B200", "unknown", "", "2.8.0+cu128"),
        ("nvidia", "NVIDIA B200", "unknown", "", "2.11.0+cu130"),
        ("nvidia", "NVIDIA GB200", "unknown", "", "2.9.1+cu130"),
    ),
    "sol-execbench": (
        ("nvidia", "NVIDIA B200", "sm_100", "", "v1.1"),
        ("nvidia", "NVIDIA B200", "sm_100", "", "v1.0"),
    ),
}
"""(vendor, product, architecture, form factor, version of its software)."""
FAMILIES = (
    "gemm", "moe", "gqa-paged", "normalization", "sampling", "rope", "mlp", "rmsnorm", "vision", "attention",
    "quantization", "ssm", "gqa-ragged", "gdn", "audio", "diffusion", "mla-paged", "decoder", "video", "conv",
)  # fmt: skip

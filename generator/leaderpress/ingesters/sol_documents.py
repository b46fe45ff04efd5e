"""The documents of a SOL-ExecBench submission: project, protocol, environment, implementation and run.

Their wording is part of the format: a changed word would change every digest that depends on it.
"""

from ..format import kebab
from ..manifests import Manifest
from . import hardware
from .entries import Entry, as_title, document, sealed
from .sol_definitions import COMPARATOR
from .sol_kernels import Kernel

_PROTOCOL_NOTES = (
    "Suite-mean latency and SOL-Score as published by the SOL-ExecBench leaderboard. Comparable only within one"
    " definition, GPU type, and evaluation stack version."
)
_RUN_FIELDS = {
    "/spec/sourceNative/benchmark": ("kernel_name",),
    "/spec/sourceNative/externalId": ("id",),
    "/metadata/name": ("id",),
    "/metadata/labels/worker": ("worker_id",),
    "/spec/observedAt": ("finished_at",),
}
_IMPLEMENTATION_FIELDS = {
    "/projectRevision/version": ("id",),
    "/spec/projectRevision/version": ("id",),
    "/metadata/name": ("id",),
    "/metadata/authors/0/name": ("username",),
    "/spec/support/productsTested/0": ("gpu_type",),
}
_PROJECT_FIELDS = {"/spec/name": ("username",), "/spec/host/id": ("username",), "/metadata/name": ("username",)}
_STACK_FIELDS = {
    "/spec/harness/version": ("evaluation_stack_version",),
    "/spec/software/libraries/evaluation_stack": ("evaluation_stack_version",),
    "/spec/hardware/product": ("gpu_type",),
}


def project_of(user: str, source: str) -> Manifest:
    """The project of a user; the source's slug keeps users of different boards apart."""
    spec = {"name": user, "host": {"kind": "other", "id": f"{source}/user/{user}"}}
    return sealed(document("SoftwareProject", {"name": f"sol-user-{kebab(user)}"}, spec), _PROJECT_FIELDS)


def protocol_of(stack: str) -> Manifest:
    """The protocol of a version of the evaluation stack."""
    spec = {
        "harness": {"name": "SOL-ExecBench evaluation stack", "version": stack},
        "measurement": {"timer": "harness_reported", "primaryStatistic": "mean"},
        "correctness": {"reference": "definition reference implementation", "comparator": COMPARATOR},
        "comparability": {"family": "sol_execbench_leaderboard", "notes": _PROTOCOL_NOTES},
    }
    metadata = {
        "name": f"sol-execbench-leaderboard-{kebab(stack) or 'x'}",
        "title": as_title(f"SOL-ExecBench evaluation stack {stack}"),
    }
    return sealed(document("BenchmarkProtocol", metadata, spec), _STACK_FIELDS)


def environment_of(gpu: str, stack: str) -> Manifest:
    """The environment of a GPU name and a stack version."""
    described = hardware.describe(gpu)
    spec = {"hardware": described, "software": {"libraries": {"evaluation_stack": stack}}}
    metadata = {
        "name": f"sol-execbench-{kebab(gpu) or 'x'}-{kebab(stack) or 'x'}",
        "title": as_title(f"SOL-ExecBench {described['product']}, stack {stack}"),
    }
    return sealed(document("ExecutionEnvironment", metadata, spec), _STACK_FIELDS)


def implementation_of(number: str, user: str, benchmark: str, gpu: str, kernel: Kernel) -> Manifest:
    """The implementation that a submission is."""
    described = hardware.describe(gpu)
    spec = {
        "projectRevision": {"version": f"submission-{number}"},
        "operation": {"specDigest": kernel.operation},
        "callable": {"language": "unknown"},
        "support": {
            "hardwareArchitectures": [described["architecture"]],
            "productsTested": [described["product"]],
            "dtypes": list(kernel.dtypes),
        },
        "licensing": {},
    }
    metadata = {
        "name": f"sol-submission-{number}",
        "title": as_title(f"{user} · {benchmark}"),
        "authors": [{"name": user}],
    }
    return sealed(document("ImplementationRevision", metadata, spec), _IMPLEMENTATION_FIELDS)


def run_of(
    digests: dict[str, str], native: Entry, mean: int, observed_at: str, title: str, worker: str | None
) -> Manifest:
    """The run; `native` is what the source itself says of it."""
    spec = {
        **digests,
        "status": "passed",
        "timing": {"primaryStatistic": "mean", "latencyNs": {"mean": mean}},
        "sourceNative": native,
        "observedAt": observed_at,
    }
    metadata: Entry = {"name": f"sol-submission-{native['externalId']}", "title": title}
    if worker is not None:
        metadata["labels"] = {"worker": worker}
    return sealed(document("BenchmarkRun", metadata, spec), _RUN_FIELDS)

"""Short texts that tell one document from its neighbours: workloads, environments, protocols, revisions."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..format import implementation_name, kebab

UNSTATED = "unspecified"


def workload_summary(kind: str, spec: Mapping[str, Any], constants: Iterable[str]) -> str:
    """`suite of 16 cases · mean latency`, or `seq_len = 128 · batch_size = 4` without the operation's constants."""
    if kind == "WorkloadSuite":
        count = len(spec["cases"])
        aggregation = spec["aggregation"]
        parts = [aggregation["statistic"], aggregation["metric"].replace("_", " ")]
        how = " ".join(part for part in parts if part != UNSTATED)
        return f"suite of {count} {'case' if count == 1 else 'cases'}" + (f" · {how}" if how else "")
    axes: Mapping[str, int] = spec["axes"]
    fixed = set(constants)
    shown = [name for name in axes if name not in fixed] or list(axes)
    return " · ".join(f"{name} = {axes[name]}" for name in shown) or "one case"


def environment_note(spec: Mapping[str, Any]) -> str:
    """What tells this environment from others of the same hardware: runner, stack, toolkit, framework, libraries."""
    hardware = spec["hardware"]
    software = spec.get("software", {})
    libraries = dict(software.get("libraries", {}))
    parts = []
    if form := hardware.get("formFactor"):
        parts.append(form.replace("runner:", "runner "))
    if count := hardware.get("count"):
        parts.append(f"{count} GPUs" if count != 1 else "1 GPU")
    if stack := libraries.pop("evaluation_stack", None):
        parts.append(f"stack {stack}")
    if cuda := software.get("cudaToolkit"):
        parts.append(f"CUDA {cuda}")
    if driver := software.get("driver"):
        parts.append(f"driver {driver}")
    if framework := software.get("framework"):
        parts.append(" ".join(str(framework[key]) for key in ("name", "version") if key in framework))
    parts += (f"{name} {version}" for name, version in sorted(libraries.items()))
    return " · ".join(parts)


def revision_text(spec: Mapping[str, Any]) -> str:
    """The implementation's revision: its version, else the first twelve digits of its commit, else empty."""
    revision = spec.get("projectRevision", {})
    version: str = revision.get("version") or revision.get("commit", "")[:12]
    return version


def subject_name(title: str, task_names: tuple[str, ...], revision: str, project: str) -> str:
    """What an implementation is called: its title beside the operation's name, else its project.

    A title that only repeats the revision (`vectoradd_v2 · submission 66186`) says nothing, so the project's name
    takes its place.
    """
    name = implementation_name(title, task_names, "")
    if project and (not name or kebab(name) == kebab(revision)):
        return project
    return name or title

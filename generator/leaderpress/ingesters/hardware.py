"""What a leaderboard's GPU name says: vendor, product, architecture, and nothing that it does not say."""

import re

UNKNOWN = "unknown"

_ARCHITECTURES = {"B200": "sm_100", "GB200": "sm_100", "H200": "sm_90", "H100": "sm_90", "A100": "sm_80"}
_PREFIX = re.compile(r"NVIDIA[ _]", re.IGNORECASE)
# A vendor is only ever read off the name: its own word, or a product line that no one else uses.
_VENDORS = (
    ("nvidia", re.compile(r"\b(nvidia|geforce|quadro|tesla|rtx)\b")),
    ("amd", re.compile(r"\b(amd|radeon|instinct|mi[0-9]{3}[a-z]*)\b")),
    ("intel", re.compile(r"\b(intel|gaudi[0-9]*)\b")),
    ("apple", re.compile(r"\bapple\b")),
    ("google", re.compile(r"\b(google|tpu)\b")),
)


def describe(name: str) -> dict[str, str]:
    """The `hardware` of an environment's spec for a GPU name, e.g. `B200` or `AMD_MI300X`."""
    short = _PREFIX.sub("", name, count=1)
    if short in _ARCHITECTURES:
        return {"vendor": "nvidia", "product": f"NVIDIA {short}", "architecture": _ARCHITECTURES[short]}
    return {"vendor": _vendor(name), "product": name, "architecture": UNKNOWN}


def _vendor(name: str) -> str:
    words = name.lower().replace("_", " ").replace("-", " ")
    return next((vendor for vendor, pattern in _VENDORS if pattern.search(words)), UNKNOWN)

"""Static hosts and what they accept: the limits that a finished site is checked against before it is published."""

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ContentError, LeaderpressError

_MIB = 1024 * 1024

HOST_FILES = frozenset(
    {"CNAME", ".domains", ".git", ".gitattributes", ".gitignore", ".well-known", "google-site-verification.html"}
)
"""Files and folders at the top that hosts ask for and that a publisher adds; they are counted, not checked."""


@dataclass(frozen=True, slots=True)
class HostProfile:
    """What a static host accepts; None where it states no limit."""

    name: str
    max_files: int | None = None
    max_bytes: int | None = None
    """Of the whole site."""
    max_file_bytes: int | None = None

    def faults(self, files: int, total_bytes: int, largest: tuple[str, int]) -> list[LeaderpressError]:
        """What a site of this size breaks; `largest` is the path and size in bytes of its biggest file."""
        path, size = largest
        excess = (
            (self.max_files, files, "files", ""),
            (self.max_bytes, total_bytes, "bytes", ""),
            (self.max_file_bytes, size, "bytes in one file", path),
        )
        return [
            ContentError("host-limit", f"{have:,} {what}, and {self.name} takes {limit:,}", at=at, hint=_KNOBS)
            for limit, have, what, at in excess
            if limit is not None and have > limit
        ]


_KNOBS = "switch outputs off in [outputs] or [outputs.sources] of content/site.toml, or choose another `host`"

HOSTS: Mapping[str, HostProfile] = {
    profile.name: profile
    for profile in (
        HostProfile("none"),
        # Limits as the hosts document them: a site of 1 GB; 20,000 (paid 100,000) files of 25 MiB; 200,000 entries.
        HostProfile("github-pages", max_bytes=1_000_000_000),
        HostProfile("gitlab-pages", max_files=200_000),
        HostProfile("cloudflare-pages", max_files=20_000, max_file_bytes=25 * _MIB),
        HostProfile("cloudflare-pages-paid", max_files=100_000, max_file_bytes=25 * _MIB),
    )
}
"""The hosts that `host` can name."""

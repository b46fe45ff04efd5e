"""What a verification found."""

from collections import Counter
from dataclasses import dataclass, field

from ..errors import BuildError, LeaderpressError

MAX_PROBLEMS = 10_000
"""Problems that are held; a site that is damaged throughout would fill the memory with more."""


@dataclass(slots=True)
class Findings:
    """Problems in the order in which they were met, what was looked at, and what was lawfully removed."""

    problems: list[LeaderpressError] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    removed: list[str] = field(default_factory=list)
    """Digests of documents in whose place a tombstone stands."""
    says: list[str] = field(default_factory=list)
    """What single files turned out to be."""

    def add(self, problem: LeaderpressError) -> None:
        """Note a problem."""
        self.counts["problems"] += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def wrong(self, code: str, problem: str, at: str, hint: str = "") -> None:
        """Note a problem at a place."""
        self.add(BuildError(code, problem, at=at, hint=hint))

    def differs(self, code: str, what: str, expected: object, found: object, at: str, hint: str = "") -> None:
        """Note that something is not what it must be."""
        self.wrong(code, f"{what}: expected {_short(expected)}, found {_short(found)}", at, hint)

    def redacted(self, digest: str) -> None:
        """Note that the document of this digest was lawfully removed: neither missing nor tampered with."""
        self.counts["redacted"] += 1
        if len(self.removed) < MAX_PROBLEMS:
            self.removed.append(digest)

    def take(self, other: "Findings") -> None:
        """Add what another part found."""
        for problem in other.problems:
            self.add(problem)
        self.counts["problems"] += other.counts["problems"] - len(other.problems)
        self.counts.update({name: count for name, count in other.counts.items() if name != "problems"})
        self.removed += other.removed[: MAX_PROBLEMS - len(self.removed)]
        self.says += other.says


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"

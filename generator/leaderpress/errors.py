"""The one family of errors that leaves this package.

Every error says what is wrong (`problem`), where (`at`: `path:line` or `path#/json/pointer`) and what to do about
it (`hint`).  Exceptions of other libraries never cross our border: they are wrapped where they arise.  The library
raises, the command line prints and exits.
"""

from collections.abc import Iterable


class LeaderpressError(Exception):
    """A fault that a person can act on.

    `code` is a stable kebab-case word (`json-duplicate-key`), `exit_code` what the command line exits with.
    """

    exit_code = 1

    def __init__(self, code: str, problem: str, *, at: str = "", hint: str = "") -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem
        self.at = at
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.problem}"]
        if self.at:
            lines.append(f"  at    {self.at}")
        if self.hint:
            lines.append(f"  hint  {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes hand errors to their parent, so they must survive pickling with their keyword arguments.
        return (_restore, (type(self), self.code, self.problem, self.at, self.hint))


def _restore(kind: type[LeaderpressError], code: str, problem: str, at: str, hint: str) -> LeaderpressError:
    return kind(code, problem, at=at, hint=hint)


class UsageError(LeaderpressError):
    """The command was called wrongly."""

    exit_code = 2


class DumpError(LeaderpressError):
    """A dump, or one place in it, cannot be read."""


class ManifestError(LeaderpressError):
    """A document breaks the rules of its kind."""


class ContentError(LeaderpressError):
    """Something below `content/` is wrong: configuration, a source, a note, a record."""


class ThemeError(LeaderpressError):
    """A theme or a template is wrong."""


class BuildError(LeaderpressError):
    """The output folder cannot be written, or what is in it is not ours."""


class Problems(LeaderpressError):
    """All the faults that one stage found, in order; never empty."""

    def __init__(self, problems: Iterable[LeaderpressError]) -> None:
        self.problems = tuple(problems)
        noun = "problem" if len(self.problems) == 1 else "problems"
        super().__init__("problems", f"{len(self.problems)} {noun}")

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)

    def __reduce__(self) -> tuple[object, ...]:
        return (Problems, (self.problems,))

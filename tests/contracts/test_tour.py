"""The tour in README.md, run as it stands: each command, and what it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def steps_of(readme: str) -> list[tuple[str, str]]:
    """(command, expected output) of every `$` line in the tour; what follows a command is its output."""
    tour = readme.split("\n## Ten minutes", 1)[1].split("\n## ", 1)[0]
    steps: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", tour, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], ""))
            else:
                command, output = steps[-1]
                steps[-1] = (command, output + line + "\n")
    return steps


def pattern_of(expected: str) -> re.Pattern[str]:
    """A line `…` stands for any number of lines, `…` inside a line for any text of it."""
    lines = []
    for line in expected.splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*?")
        else:
            # The shown texts hold the character too; anything also matches itself.
            lines.append(".*?".join(re.escape(part) for part in line.split("…")) + r"\n")
    return re.compile("".join(lines))


def test_the_pattern_is_strict_where_nothing_is_left_out() -> None:
    assert pattern_of("a\n…\nb … d\n").fullmatch("a\nx\ny\nb c d\n")
    assert not pattern_of("a\nb\n").fullmatch("a\nx\nb\n")
    assert not pattern_of("a\n").fullmatch("a\nb\n")


@pytest.mark.slow
def test_the_tour_prints_what_the_readme_shows(checkout: Path, tmp_path: Path) -> None:
    steps = steps_of((checkout / "README.md").read_text(encoding="utf-8"))
    assert len(steps) >= 8
    here = tmp_path / "checkout"
    here.mkdir()
    (here / "content").symlink_to(checkout / "content")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(checkout / "generator"), "PYTHONUTF8": "1"}
    for command, expected in steps:
        done = subprocess.run(  # noqa: S602 - a reader types it into a shell, and the text is ours
            command,
            shell=True,
            cwd=here,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        assert pattern_of(expected).fullmatch(done.stdout), f"$ {command}\n{done.stdout}\n--- expected ---\n{expected}"

"""The programs that `bench.py` measures beside `leaderpress` itself, each in a process of its own.

python tests/scale/parts.py floor LIST OUT     writes files of these sizes and does nothing else
python tests/scale/parts.py pages SITE OUT     `leaderpress build`, but run and group pages and their twins only
python tests/scale/parts.py discard SITE       `leaderpress build` that hashes what it makes and writes nothing
python tests/scale/parts.py record SITE DATA   not measured: the data of those pages, for the two below
python tests/scale/parts.py loop DATA OUT      plain jinja2: one process, one page after the other
"""

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "generator"))

PAGES = {"run", "group"}
"""The kinds that peers render as well."""


def floor(listing: str, out: str, processes: str = "1") -> None:
    """Write a tree of the given sizes from one buffer that is used again and again.

    Folders are made as they come.  With more processes each writes its share of the list.
    """
    count = int(processes)
    for share in range(1, count):
        if not os.fork():
            _write_floor(listing, out, share, count)
            os._exit(0)
    _write_floor(listing, out, 0, count)
    for _ in range(1, count):
        if os.wait()[1]:
            raise SystemExit("a process of the floor failed")


def _write_floor(listing: str, out: str, share: int, count: int) -> None:
    made: set[str] = set()
    buffer = memoryview(os.urandom(1 << 20))
    with open(listing, encoding="ascii") as lines:
        for number, line in enumerate(lines):
            if number % count != share:
                continue
            size, path = line[:-1].split(" ", 1)
            full = f"{out}/{path}"
            folder = full.rpartition("/")[0]
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            descriptor = os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            left = int(size)
            while left:
                left -= os.write(descriptor, buffer[: min(left, 1 << 20)])
            os.close(descriptor)


def pages(site: str, out: str) -> None:
    """The product's build, restricted to the pages that peers render."""
    from leaderpress.site import build as building

    whole = building.plan
    building.plan = lambda *given, **more: (job for job in whole(*given, **more) if job.kind == "group")
    building.fixed_files = lambda *_, **__: iter(())
    building.build(Path(site), out=Path(out))


def discard(site: str) -> None:
    """The product's build into an output that keeps counts and nothing else; prints them."""
    from discarding import build

    sys.stdout.write(json.dumps(build(Path(site))))


def record(site: str, data: str) -> None:
    """Write what every run and group page is rendered from: its view, its head, the texts of its documents."""
    from recording import lines

    with open(data, "wb") as stream:
        for line in lines(Path(site)):
            stream.write(line + b"\n")


def loop(data: str, out: str) -> None:
    """What one would write by hand: a line of data, a template, two files.

    The templates are the theme's own, so the pages can be compared byte by byte; they are neither flattened nor
    rewritten, and autoescaping is Jinja's.
    """
    from jinja2.compiler import CodeGenerator

    from leaderpress.theme import chain, environment, functions

    theme = environment.open_theme()
    jinja = theme._environment
    jinja.code_generator_class = CodeGenerator
    site: Any = None
    with open(data, "rb") as stream:
        for line in stream:
            row = json.loads(line)
            site = site or _names(row["site"])
            root, leaf, path = row["root"], row["leaf"], row["path"]
            given = {
                "page": _names(row["twin"]),
                "site": site,
                "head": _names(row["head"]),
                "texts": tuple(row["texts"]),
                "link": functions.linker(root, leaf),
                "section": environment.section(site.nav, path),
            }
            name = chain.choose(chain.template_names(row["kind"], row["variants"]), theme.layers)
            html = jinja.get_template(name).render(given, root=root, leaf=leaf, path=path)
            os.makedirs(f"{out}/{path}", exist_ok=True)
            with open(f"{out}/{path}index.html", "w", encoding="utf-8") as file:
                file.write(html)
            with open(f"{out}/{path}index.json", "w", encoding="utf-8") as file:
                json.dump(row["twin"], file, ensure_ascii=False)


def _names(value: Any) -> Any:
    """JSON as templates like it: objects with attributes (`items` and `values` are fields here), lists hashable."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: _names(part) for name, part in value.items()})
    return tuple(map(_names, value)) if isinstance(value, list) else value


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    programs = {program.__name__: program for program in (floor, pages, discard, record, loop)}
    programs[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()

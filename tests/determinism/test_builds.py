"""The same records give the same bytes, whatever machine, clock, locale or folder a site is built on.

Each variant starts a site, ingests the demo's two dumps and builds, in processes of its own, with one thing changed
that must not matter.  Compared are the records and `SHA256SUMS`, which names every published file.
"""

import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DUMPS = (("2026-06-01", "2026-06-02"), ("2026-08-01", "2026-08-02"))

# Loaded by the interpreter of a variant before anything else.
REVERSED = """\
import os
_listdir, _scandir = os.listdir, os.scandir
class _Scan:
    def __init__(self, *where):
        with _scandir(*where) as found:
            self._entries = iter(sorted(found, key=lambda entry: os.fsencode(entry.name), reverse=True))
    def __iter__(self): return self
    def __next__(self): return next(self._entries)
    def __enter__(self): return self
    def __exit__(self, *_): return None
    def close(self): return None
os.listdir = lambda *where: sorted(_listdir(*where), key=os.fsencode, reverse=True)
os.scandir = _Scan
"""
LATER = """\
import datetime, time
_SHIFT = 400 * 86400
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + _SHIFT
time.time_ns = lambda: _time_ns() + _SHIFT * 10**9
class _Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None): return super().fromtimestamp(time.time(), tz)
    @classmethod
    def utcnow(cls): return cls.now(datetime.timezone.utc).replace(tzinfo=None)
class _Day(datetime.date):
    @classmethod
    def today(cls): return cls.fromtimestamp(time.time())
datetime.datetime, datetime.date = _Later, _Day
"""
LOCALISED = 'import locale\nlocale.setlocale(locale.LC_ALL, "")\n'


@dataclass(frozen=True)
class Variant:
    """One way of running; the defaults are the reference."""

    env: dict[str, str] = field(default_factory=dict)
    umask: int = 0o022
    jobs: int = 1
    folder: str = "site"
    start: str = ""
    """Source of `sitecustomize`."""
    old: bool = False
    """Content with times of another year."""


VARIANTS = {
    "another hash seed": Variant(env={"PYTHONHASHSEED": "12345"}),
    "two processes": Variant(jobs=2, env={"PYTHONHASHSEED": "random"}),
    "three processes": Variant(jobs=3, env={"PYTHONHASHSEED": "random"}),
    "a time zone ahead": Variant(env={"TZ": "Pacific/Kiritimati"}),
    "a time zone behind": Variant(env={"TZ": "America/Anchorage"}),
    "no locale": Variant(env={"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "a Turkish locale": Variant(env={"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}, start=LOCALISED),
    "a private umask": Variant(umask=0o077),
    "a long path": Variant(folder="/".join(["a folder with a longer name & é"] * 4)),
    "folders listed backwards": Variant(start=REVERSED),
    "a clock 400 days ahead": Variant(start=LATER, old=True),
    "optimised bytecode": Variant(env={"PYTHONOPTIMIZE": "1"}),
}


def run(interpreter: Path | str, arguments: Sequence[str], variant: Variant, path: Sequence[Path]) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", **variant.env}
    env |= {name: os.environ[name] for name in ("LOCPATH",) if name in os.environ}
    env["PYTHONPATH"] = os.pathsep.join(map(str, path))
    done = subprocess.run(
        [str(interpreter), "-m", "leaderpress", *arguments],
        env=env,
        umask=variant.umask,
        capture_output=True,
        text=True,
    )
    # The demo's dumps hold malformed entries on purpose.
    expected = (0, 1) if arguments[0] == "ingest" else (0,)
    assert done.returncode in expected, done.stdout + done.stderr


def make(place: Path, variant: Variant, interpreter: Path | str = sys.executable, package: Path | None = None) -> Path:
    """Make the demo as `variant` says; gives the site's folder."""
    start = place / "start"
    start.mkdir(parents=True)
    (start / "sitecustomize.py").write_text(variant.start, encoding="utf-8")
    path = [start, *([package] if package else [])]
    site = place / variant.folder
    site.parent.mkdir(parents=True, exist_ok=True)
    run(interpreter, ["init", str(site)], variant, path)
    for name in ("site.toml", "sources", "notes", "pages"):
        source, target = ROOT / "content" / name, site / "content" / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy(source, target)
    shutil.copytree(ROOT / "themes" / "demo", site / "themes" / "demo")
    dumps = shutil.copytree(ROOT / "content" / "example-dump", place / "dumps")
    if variant.old:
        for file in (*site.rglob("*"), *dumps.rglob("*")):
            os.utime(file, (946684800, 946684800))
    for dump, day in DUMPS:
        options = ["--site", str(site), "--published-at", day, "--retrieved-at", f"{dump}T18:00:00Z"]
        run(interpreter, ["ingest", "example-board", str(dumps / dump), *options], variant, path)
    run(interpreter, ["build", "--site", str(site), "--jobs", str(variant.jobs)], variant, path)
    return site


def records(site: Path) -> dict[str, bytes]:
    folder = site / "content" / "records"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published(site: Path) -> dict[str, str]:
    """Path → digest of every published file, as its `SHA256SUMS` says; the two accounts by their bytes."""
    output = site / "build" / "site"
    lines = (output / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    files = {line.split("  ", 1)[1]: line.split("  ", 1)[0] for line in lines}
    return {**files, **{name: (output / name).read_text(encoding="utf-8") for name in ("SHA256SUMS", "inventory.json")}}


def differences(left: dict[str, object], right: dict[str, object]) -> list[str]:
    return sorted(path for path in {*left, *right} if left.get(path) != right.get(path))


def modes(site: Path) -> set[tuple[bool, int]]:
    output = site / "build" / "site"
    return {(path.is_dir(), stat.S_IMODE(path.lstat().st_mode)) for path in (output, *output.rglob("*"))}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("reference"), Variant(), package=ROOT / "generator")


def _has_locale(name: str) -> bool:
    program = f"import locale; locale.setlocale(locale.LC_ALL, {name!r})"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_what_must_not_matter_does_not(name: str, reference: Path, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    locale = variant.env.get("LC_ALL", "C")
    if locale.startswith("tr_TR") and not _has_locale(locale):
        if os.environ.get("CI"):
            pytest.fail(f"the locale {locale} is not installed; CI must not skip this")
        pytest.skip(f"the locale {locale} is not installed")
    site = make(tmp_path, variant, package=ROOT / "generator")
    assert differences(records(reference), records(site)) == []
    assert differences(published(reference), published(site)) == []
    assert modes(site) == {(True, 0o755), (False, 0o644)}


def test_the_variants_do_change_what_they_say(tmp_path: Path) -> None:
    """A start file that is not loaded would make its variant prove nothing."""
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    program = (
        "import os, time, datetime, locale, pathlib;"
        f"print(os.listdir({str(tmp_path)!r}), [p.name for p in pathlib.Path({str(tmp_path)!r}).iterdir()],"
        " int(time.time()), datetime.date.today(), datetime.datetime.now().year)"
    )

    def said(start: str) -> str:
        folder = tmp_path / "a"
        (folder / "sitecustomize.py").write_text(start, encoding="utf-8")
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
        return subprocess.run(
            [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
        ).stdout

    plain, backwards, later = said(""), said(REVERSED), said(LATER)
    assert backwards.startswith("['b', 'a'] ['b', 'a']")
    assert int(later.split("] ")[2].split()[0]) - int(plain.split("] ")[2].split()[0]) >= 400 * 86400
    assert later.split()[-1] > plain.split()[-1]


# -- the wheel ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment in which the wheel is installed, and no checkout is in sight."""
    place = tmp_path_factory.mktemp("wheel")
    isolation = [] if find_spec("hatchling") is None else ["--no-build-isolation"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"]
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", *quiet, *isolation, "--wheel-dir", str(place), str(ROOT)], check=True)
    (wheel,) = place.glob("leaderpress-*.whl")
    venv.create(place / "venv", with_pip=False, symlinks=True)
    interpreter = place / "venv" / "bin" / "python"
    (library,) = (place / "venv" / "lib").glob("python*/site-packages")
    subprocess.run([*pip, "install", *quiet, "--target", str(library), str(wheel)], check=True)
    # Dependencies come from here; a path named by a .pth file has its own .pth files ignored, so that the editable
    # installation stays out.
    (library / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return interpreter


def test_the_wheel_builds_what_the_checkout_builds(installed: Path, reference: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [str(installed), "-c", "import leaderpress; print(leaderpress.__file__)"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    assert str(installed.parents[1]) in where
    site = make(tmp_path, Variant(jobs=2), interpreter=installed)
    assert differences(records(reference), records(site)) == []
    assert differences(published(reference), published(site)) == []


def test_the_wheel_holds_what_a_site_needs_and_no_tests(installed: Path) -> None:
    (library,) = (installed.parents[1] / "lib").glob("python*/site-packages")
    package = library / "leaderpress"
    for name in ("_share/themes/default/theme.toml", "_share/content/defaults/pages/about.md", "py.typed"):
        assert (package / name).is_file(), name
    names = {path.name for path in library.iterdir()}
    assert not names & {"tests", "content", "themes", "generator"}

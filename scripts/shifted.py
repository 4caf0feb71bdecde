"""Run what shows days (transcripts, examples, golden cases) on other days than today.

    python3 scripts/dev.py shifted                       1, 8, 40 and 400 days from now
    python3 scripts/dev.py shifted --days 400 tests/cli -n 2

What is no option of this script goes to pytest, in place of these tests. They run in an
environment of their own, beside the packages of this one, in which every Python reads a clock that
is ahead, whatever variables it is started with. Files keep the times of the real clock. Prints a
line for each day; exits with 1 if any failed, or if ``ctx`` did not see that day.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sysconfig
import time
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
DAYS = (1, 8, 40, 400)
DAY = 24 * 60 * 60
TESTS = (
    "tests/test_transcripts.py", "tests/test_docs.py", "tests/read/test_golden.py",
    "tests/read/test_deontic.py", "tests/text/test_entities.py",
    *(f"tests/hooks/test_{name}.py" for name in ("git", "install", "run", "settings", "tools")),
)  # fmt: skip
"""Those that show days, and all that read ``tests/golden``."""
CLOCK = """
import datetime, functools, time

_AHEAD = {days} * 24 * 60 * 60
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + _AHEAD
time.time_ns = lambda: _time_ns() + _AHEAD * 10**9

def _from_now(read):
    @functools.wraps(read)
    def ahead(seconds=None):
        return read(time.time() if seconds is None else seconds)
    return ahead

for _name in ("localtime", "gmtime", "ctime"):
    setattr(time, _name, _from_now(getattr(time, _name)))
_strftime, _asctime = time.strftime, time.asctime
time.strftime = lambda form, when=None: _strftime(form, time.localtime() if when is None else when)
time.asctime = lambda when=None: _asctime(time.localtime() if when is None else when)

_real = datetime.datetime

class _Kind(type):
    def __instancecheck__(cls, one):
        return isinstance(one, _real)

class _Ahead(_real, metaclass=_Kind):
    __slots__ = ()  # as large as the real one: compiled modules compare the sizes

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.timezone.utc).replace(tzinfo=None)

_Ahead.__name__ = _Ahead.__qualname__ = "datetime"
_Ahead.__module__ = "datetime"
datetime.datetime = _Ahead
"""
"""A module that moves the clock of who imports it. ``date.today`` asks ``time.time`` itself."""


def environment(folder: Path, days: int) -> str:
    """Make a Python that reads a clock ``days`` ahead; return its path.

    Not by a variable: tests start programs in environments of their own.
    """
    venv.create(folder, symlinks=os.name != "nt")
    names = {"base": str(folder), "platbase": str(folder)}
    libraries = Path(sysconfig.get_path("purelib", "venv", names))
    (libraries / "ctx_clock.py").write_text(CLOCK.replace("{days}", str(days)), "utf-8")
    here = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    lines = ["import ctx_clock", *(f"import site; site.addsitedir({one!r})" for one in here)]
    (libraries / "ctx_clock.pth").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    scripts = Path(sysconfig.get_path("scripts", "venv", names))
    return str(scripts / ("python.exe" if os.name == "nt" else "python"))


def day_of_ctx(python: str) -> str:
    """Return the day of which ``ctx`` believes that it is today, where ``python`` runs it."""
    with TemporaryDirectory() as folder:
        (Path(folder) / ".context").mkdir()
        environ = {"HOME": folder, "PYTHONPATH": str(ROOT), "TZ": "UTC"}
        subprocess.run(
            [python, "-m", "ctx", "add", "task", "Look at a calendar"],
            cwd=folder, env=environ, check=True, capture_output=True,
        )  # fmt: skip
        text = (Path(folder) / ".context" / "TASKS.md").read_text("utf-8")
    found = re.search(r"Look at a calendar.*#added:(\d{4}-\d\d-\d\d)", text)
    return found[1] if found else ""


def expected(days: int) -> str:
    """Return the day in UTC that is ``days`` from now."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * DAY))


def is_shifted(python: str, days: int) -> bool:
    """Tell whether ``ctx`` sees the day that is ``days`` from now; midnight may pass meanwhile."""
    before = expected(days)
    return day_of_ctx(python) in {before, expected(days)}


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if every day passed, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, action="append", help="from now; may be repeated")
    options, arguments = parser.parse_known_args(argv)
    if all(one.startswith("-") for one in arguments):
        arguments = [*arguments, "-n", "auto", *TESTS]
    failed = 0
    for days in options.days or DAYS:
        with TemporaryDirectory(prefix="ctx-") as folder:
            python = environment(Path(folder), days)
            if not is_shifted(python, days):
                print(f"{days} days from now: FAILED: ctx does not see that day", flush=True)
                return 1
            code = subprocess.run(
                [python, "-m", "pytest", "-q", *arguments], cwd=ROOT, check=False
            ).returncode
        failed += bool(code)
        verdict = f"FAILED with exit code {code}" if code else "passed"
        print(f"{days} days from now ({expected(days)}): {verdict}", flush=True)
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())

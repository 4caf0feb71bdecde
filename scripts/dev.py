#!/usr/bin/env python3
"""One command for every chore of the project.

    python3 scripts/dev.py demo     install into .venv and pack the sample project
    python3 scripts/dev.py test     run the tests, --quick most of them; the rest goes to pytest
    python3 scripts/dev.py lint     ruff check and ruff format --check (--fix mends)
    python3 scripts/dev.py types    mypy
    python3 scripts/dev.py docs     regenerate the generated documents (--check compares)
    python3 scripts/dev.py site     build the site of the documents (site.py)
    python3 scripts/dev.py bench    run benchmarks/latency.py, or the benchmark named first
    python3 scripts/dev.py shifted  run what shows days as on other days (shifted.py)
    python3 scripts/dev.py busy     run the tests again and again beside busy loops (busy.py)
    python3 scripts/dev.py attacks  attack each promise and print what did not hold (attacks/)
    python3 scripts/dev.py hosts    run released hosts with and without ctx (hosts/)
    python3 scripts/dev.py killed   kill a capture at each of its system calls (killed.py)
    python3 scripts/dev.py share    run a PostgreSQL server for a team's memory (share.py)
    python3 scripts/dev.py pglite   check a team's memory with an index of BM25 (pglite.py)
    python3 scripts/dev.py system   install programs that tests use where they are (Debian, root)

Needs Python 3.11 or later and nothing else: it makes ``.venv`` at the root of the checkout
and installs there what a chore needs. An install is skipped while ``pyproject.toml`` and
the interpreter are the ones it was made for.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MINIMUM = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
CTX = BIN / ("ctx.exe" if os.name == "nt" else "ctx")
DEMO = ("agent", "--dir", "fixtures/webshop/.context", "--budget", "2000")
SYSTEM = {"chromium": "chromium", "zsh": "zsh", "fish": "fish"}
"""Programs that some tests need and pip has not, and Debian's packages of them."""
PATIENCE = 240.0
"""Seconds that installing these may take."""
APT = (
    "apt-get", "--quiet", "--yes", "--no-install-recommends",
    "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20",
    "-o", "Acquire::https::Timeout=20",
)  # fmt: skip
PROBE = (
    "import importlib.util as u, json, sys;"
    "print(json.dumps([list(sys.version_info[:2]), sys.version, u.find_spec('pip') is not None]))"
)


class DevError(Exception):
    """A chore that cannot be done; the message is one line for the person who asked."""


class Interpreter(NamedTuple):
    """What the interpreter inside ``.venv`` says of itself."""

    release: tuple[int, ...]
    version: str
    has_pip: bool


def say(message: str) -> None:
    """Write one line about progress, apart from what the chore itself prints."""
    sys.stderr.write(f"dev: {message}\n")
    sys.stderr.flush()


def run(*command: str | Path) -> int:
    """Run ``command`` at the root of the checkout and return its exit code."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode


def run_silently(failure: str, *command: str | Path) -> None:
    """Run ``command``; only when it fails, show what it said and raise ``failure``."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise DevError(failure)


def probe() -> Interpreter | None:
    """Ask the interpreter in ``.venv`` what it is; None where there is none that runs."""
    try:
        answer = subprocess.run(
            [str(PYTHON), "-c", PROBE], check=True, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    release, version, has_pip = json.loads(answer)
    return Interpreter(tuple(release), version, has_pip)


def create_venv() -> None:
    """Make ``.venv`` anew with the running interpreter."""
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise DevError(
            "this Python has no venv module; install it "
            "(Debian, Ubuntu: apt install python3-venv) and run again"
        )
    say("creating .venv")
    run_silently("could not create .venv", sys.executable, "-m", "venv", "--clear", VENV)


def interpreter() -> Interpreter:
    """Return the interpreter in ``.venv``, making it where it is missing or broken."""
    found = probe()
    if found is None:
        create_venv()
        found = probe()
    if found is None:
        raise DevError("the interpreter in .venv does not run; delete .venv and run again")
    if found.release < MINIMUM:
        raise DevError(
            f".venv has Python {dotted(found.release)}, ctx needs {dotted(MINIMUM)} or later; "
            "delete .venv and run again"
        )
    if not found.has_pip:
        run_silently("could not add pip to .venv", PYTHON, "-m", "ensurepip")
    return found


def fingerprint(found: Interpreter) -> str:
    """Return what an install depends on, as one hash."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    digest.update(f"{found.version}\n{ROOT}".encode())
    return digest.hexdigest()


def stamped(stamp: Path, expected: str) -> bool:
    """Tell whether ``stamp`` records an install with the ``expected`` fingerprint."""
    return stamp.is_file() and stamp.read_text(encoding="ascii") == expected


def install(*, dev: bool) -> None:
    """Install the checkout in place, with the development tools where ``dev`` asks for them."""
    install_packages(dev=dev)
    # An installed program has its bytecode beside it; a checkout that is installed in place
    # has not where PYTHONDONTWRITEBYTECODE is set, and would be compiled at every start.
    run(PYTHON, "-m", "compileall", "-q", ROOT / "ctx")


def install_packages(*, dev: bool) -> None:
    """Install the checkout and what it needs, unless a stamp says that this was done."""
    expected = fingerprint(interpreter())
    plain_stamp, dev_stamp = VENV / "ctx-install-stamp", VENV / "ctx-install-stamp-dev"
    if stamped(dev_stamp, expected) or (not dev and stamped(plain_stamp, expected)):
        return
    target = ".[dev]" if dev else "."
    say(f"installing {target} into .venv")
    run_silently(
        f"pip could not install {target}; what it said is above",
        *(PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"),
        *("--editable", target),
    )
    (dev_stamp if dev else plain_stamp).write_text(expected, encoding="ascii")


def demo(extra: Sequence[str]) -> int:
    """Pack the sample project and print the packet."""
    install(dev=False)
    say(" ".join(["ctx", *DEMO, *extra]))
    return run(CTX, *DEMO, *extra)


def test(extra: Sequence[str]) -> int:
    """Run the tests on every core; ``-n 0`` keeps them in one process."""
    install(dev=True)
    # Without bytecode each of the processes would compile all tests at every run.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return run(PYTHON, "-m", "pytest", "-n", "auto", *extra)


def lint(extra: Sequence[str]) -> int:
    """Check rules and format; with ``--fix``, mend both."""
    install(dev=True)
    fix = "--fix" in extra
    paths = [argument for argument in extra if argument != "--fix"]
    rules = run(PYTHON, "-m", "ruff", "check", *(["--fix"] if fix else []), *paths)
    layout = run(PYTHON, "-m", "ruff", "format", *([] if fix else ["--check"]), *paths)
    return rules or layout


def types(extra: Sequence[str]) -> int:
    """Check the types."""
    install(dev=True)
    return run(PYTHON, "-m", "mypy", *extra)


def docs(extra: Sequence[str]) -> int:
    """Regenerate the generated documents; with ``--check``, only compare."""
    install(dev=True)
    return run(PYTHON, script("scripts/generate.py"), *extra)


def site(extra: Sequence[str]) -> int:
    """Build the site of the documents."""
    install(dev=True)
    if run(PYTHON, "-c", "import material, mike"):
        say("installing .[docs] into .venv")
        pip = ("-m", "pip", "install", "--disable-pip-version-check", "--no-input")
        run_silently("pip could not install .[docs]", PYTHON, *pip, "--editable", ".[docs]")
    return run(PYTHON, script("scripts/site.py"), *extra)


def bench(extra: Sequence[str]) -> int:
    """Run one benchmark: the one named first, or the latency table."""
    install(dev=True)
    named = bool(extra) and not extra[0].startswith("-")
    name, arguments = (extra[0], extra[1:]) if named else ("latency", extra)
    return run(PYTHON, script(f"benchmarks/{name}.py"), *arguments)


def attacks(extra: Sequence[str]) -> int:
    """Attack what the documents promise: all modules of ``scripts/attacks``, or those named."""
    install(dev=True)
    return run(PYTHON, "-m", "scripts.attacks", *extra)


def hosts(extra: Sequence[str]) -> int:
    """Run released hosts against stand-ins of their models, with and without ctx."""
    install(dev=True)
    return run(PYTHON, "-m", "scripts.hosts", *extra)


def by_script(name: str) -> Callable[[Sequence[str]], int]:
    """Return the chore that runs a script of this folder with the packages of the tests."""

    def chore(extra: Sequence[str]) -> int:
        install(dev=True)
        return run(PYTHON, script(f"scripts/{name}.py"), *extra)

    return chore


def system(extra: Sequence[str]) -> int:  # noqa: ARG001 - it takes none
    """Install programs that some tests need, as far as this machine lets it.

    Where it does not, those tests are skipped: that is no failure.
    """
    missing = [package for program, package in SYSTEM.items() if not shutil.which(program)]
    if not missing or not shutil.which("apt-get") or not is_root():
        return 0
    say(f"installing {', '.join(missing)}")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ((*APT, "update"), (*APT, "install", *missing)):
        try:
            subprocess.run(
                command, env=environ, check=True, timeout=PATIENCE,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            say(f"could not install {', '.join(missing)}; the tests that need them are skipped")
            break
    return 0


def is_root() -> bool:
    """Tell whether this process may install programs for everybody."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


CHORES: Mapping[str, Callable[[Sequence[str]], int]] = {
    "demo": demo,
    "test": test,
    "lint": lint,
    "types": types,
    "docs": docs,
    "site": site,
    "bench": bench,
    "attacks": attacks,
    "hosts": hosts,
    **{name: by_script(name) for name in ("shifted", "busy", "killed", "share", "pglite")},
    "system": system,
}


def script(name: str) -> Path:
    """Return the path of a script of the project, which has to exist."""
    path = ROOT / name
    if not path.is_file():
        raise DevError(f"there is no {name}")
    return path


def dotted(release: Sequence[int]) -> str:
    """Write a release as people do: ``3.11``."""
    return ".".join(str(part) for part in release)


def require(release: Sequence[int]) -> None:
    """Refuse an interpreter that is too old to install the project."""
    if tuple(release) < MINIMUM:
        raise DevError(
            f"Python {dotted(release)} is too old, ctx needs {dotted(MINIMUM)} or later; "
            "run this script with a newer one"
        )


def parse(argv: Sequence[str]) -> tuple[str, list[str]]:
    """Split ``argv`` into the chore and what is passed on to its tool."""
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chore", choices=list(CHORES))
    extra = list(argv[1:])
    if "--" in extra:
        extra.remove("--")
    return parser.parse_args(argv[:1]).chore, extra


def main(argv: Sequence[str]) -> int:
    """Do one chore and return its exit code."""
    try:
        require(sys.version_info[:2])
        chore, extra = parse(argv)
        return CHORES[chore](extra)
    except DevError as error:
        say(f"error: {error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

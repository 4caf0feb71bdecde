"""Sessions at a command line, run as they are written in ``tests/transcripts/*.txt``.

A transcript begins with the folder it is run in (``@ webshop``: a copy of that fixture; ``@
empty``: an empty repository). Lines that are not indented are prose. What is indented by four
columns is a session::

    $ ctx agent --budget x
    ! ctx: --budget: 'x' is not a whole number of 0 or more
    ? 2

A command goes to ``sh``; then follow its standard output, its standard error (``! ``) and its
exit code (``? ``, where it is not 0). ``[..]`` stands for anything in a line, a line ``[...]``
for any number of lines, ``{here}`` for the folder that holds everything.

``python -m tests.test_transcripts`` runs all and writes down what has changed; read the diff.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest import mock

import pytest

from ctx import world
from ctx.store import places
from tests.forked import Ran, forked, here
from tests.hostile import DAY
from tests.keeping import make_repository

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPTS = sorted((ROOT / "tests" / "transcripts").glob("*.txt"))
INDENT = "    "
ANY, ANY_LINES = "[..]", "[...]"
FIXTURES = ("webshop", "themed", "odd")
PATIENT = f"""
from ctx import world
from ctx.hooks import call, deadline
world.day = lambda _: "{DAY}"
call.SECONDS = 600.0
deadline.Deadline.within = lambda deadline, _: deadline.left()
"""
CTX = f"""#!{sys.executable}
import sys
from ctx.cli import main
{PATIENT}
if sys.argv[1:] == ["mcp"]:
    from ctx.mcp import pipe
    pipe._PATIENCE = 600.0
sys.exit(main.main())
"""
TERMINAL = f"""#!{sys.executable}
import os, pty, sys
pid, handle = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    text += data
text = text.decode().replace(chr(13), "").replace(chr(27), "ESC")
print("\\n".join(line.rstrip() for line in text.split("\\n")), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""Runs a command in a terminal of its own and shows escapes as ``ESC``."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="transcripts are for a POSIX shell")


class Step(NamedTuple):
    """A command, and what a transcript expects of it."""

    line: int
    """Of the command in its transcript, counted from 0."""
    command: str
    expected: tuple[str, ...]
    end: int
    """One past its last expected line."""


class Place(NamedTuple):
    """A folder of its own to run a transcript in."""

    base: Path
    cwd: Path
    environ: dict[str, str]


def parse(text: str) -> tuple[str, list[Step]]:
    """Return the folder that a transcript is run in, and its steps."""
    lines = text.split("\n")
    folder = next(line[2:] for line in lines if line.startswith("@ "))
    return folder, list(_steps(lines))


def _steps(lines: list[str]) -> Iterator[Step]:
    at = 0
    while at < len(lines):
        start, at = at, at + 1
        if not lines[start].startswith(f"{INDENT}$ "):
            continue
        while at < len(lines) and _goes_on(lines[at]):
            at += 1
        while not lines[at - 1].strip():
            at -= 1  # blank lines before prose are no output
        expected = tuple(line.removeprefix(INDENT) for line in lines[start + 1 : at])
        yield Step(start, lines[start].removeprefix(f"{INDENT}$ "), expected, at)


def _goes_on(line: str) -> bool:
    return (line.startswith(INDENT) or not line) and not line.startswith(f"{INDENT}$ ")


def prepare(base: Path, folder: str, *, imports: bool = False) -> Place:
    """Make the folder, a home, and a PATH on which ``ctx`` is this checkout.

    The shop has a session, put there or, where all is shown that there is, by ``ctx`` itself.
    """
    tools = base / "bin"
    for name, text in (("ctx", CTX), ("in-terminal", TERMINAL)):
        tools.mkdir(parents=True, exist_ok=True)
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    for name in (*FIXTURES, "transcripts"):
        ignored = shutil.ignore_patterns(".ctx")
        shutil.copytree(ROOT / "fixtures" / name, base / name, ignore=ignored)
    (base / "home").mkdir()
    for name in ("", "empty", *FIXTURES):
        make_repository(base / name)
    place = Place(base, base / folder, _environ(base, tools))
    if folder == "webshop" and imports:
        run(Step(0, "ctx session import fix-login.jsonl", (), 0), place)
    elif folder == "webshop":
        kept = places.prepare(str(place.cwd / ".context"), place.environ, place.environ["HOME"])
        sessions = Path(kept.state) / "sessions"
        sessions.mkdir(mode=0o700)
        shutil.copy(place.cwd / "fix-login.jsonl", sessions)
    return place


def _environ(base: Path, tools: Path) -> dict[str, str]:
    kept = ("PYTHONDONTWRITEBYTECODE", "COVERAGE_PROCESS_START", "LD_LIBRARY_PATH")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    return environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "HOME": str(base / "home"),
        "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm",
        "COLUMNS": "100", "LINES": "40",
    }  # fmt: skip


_WORD = r"""(?:[\w@%+=:,./-][\w@%+=:,./#-]*|'[^']*'|"[^"$`\\]*")"""
_PLAIN = re.compile(
    rf"(?:cd ([\w./-]+) && )?((?:[A-Z_]+=[\w./:-]* )*)ctx((?: {_WORD})*)(?: +#.*)?"
    r"(?: > ([\w./-]+)|( \|.*))?"
)
"""A call of ctx in a folder, with variables, whose output goes to a file or through a pipe."""
_AFTER = re.compile(
    r"((?:echo|printf|head|mkdir|rm|rmdir|touch|:) (?:[^;|&'\"]|'[^']*')*|"
    r"rm (?:[^;|&]*); (?:echo|mkdir) (?:[^;|&'\"]|'[^']*')*)([;|]) (.*)"
)
"""What ``sh`` does before such a call, or gives it through a pipe."""


IN_FORKS = (["hook"], ["mcp"], ["share"], ["sync"])
"""Commands that may end their process, or leave threads."""


def at_once(command: str, place: Place) -> Ran | None:
    """Run a plain command without a start of Python; return None for what needs sh."""
    after = _AFTER.fullmatch(command)
    plain = _PLAIN.fullmatch(after[3] if after else command)
    if not plain:
        return None
    before = _sh(after[1], place.cwd, place.environ) if after else Ran(b"", "", 0)
    given = before.out if after and after[2] == "|" else b""
    folder, variables, words, file, pipe = plain.groups("")
    cwd = place.cwd / folder
    environ = place.environ | dict(one.split("=", 1) for one in variables.split())
    arguments = shlex.split(words)
    if arguments[:1] in IN_FORKS or "--shared" in arguments:
        ran = forked(arguments, cwd, environ, stdin=given, first=_patient)
    else:
        with mock.patch.object(world, "day", return_value=DAY):
            ran = here(arguments, cwd, environ, stdin=given)
    if not given:
        ran = ran._replace(out=before.out + ran.out)
    ran = ran._replace(err=before.err + ran.err)
    if file:
        (cwd / file).write_bytes(ran.out)
        return ran._replace(out=b"")
    if pipe:
        done = _sh(pipe.removeprefix(" |"), cwd, environ, ran.out)
        return done._replace(err=ran.err + done.err)
    return ran


def _patient() -> None:
    time.tzset()
    exec(PATIENT)  # noqa: S102 - what the program on the PATH begins with


def _sh(command: str, cwd: Path, environ: dict[str, str], given: bytes = b"") -> Ran:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=cwd, env=environ, check=False, input=given, capture_output=True,
    )  # fmt: skip
    return Ran(done.stdout, done.stderr.decode("utf-8", "backslashreplace"), done.returncode)


def run(step: Step, place: Place) -> list[str]:
    """Return the lines that ``step`` produces, as a transcript writes them."""
    ran = at_once(step.command, place)
    if ran is None:
        ran = _sh(step.command, place.cwd, place.environ)
    lines = _shown(ran.out, place) + [f"! {line}" for line in _shown(ran.err.encode(), place)]
    return [*lines, f"? {ran.code}"] if ran.code else lines


def _shown(data: bytes, place: Place) -> list[str]:
    text = data.decode("utf-8", "backslashreplace").replace(str(place.base), "{here}")
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def agrees(expected: tuple[str, ...], found: list[str]) -> bool:
    """Whether ``found`` is what a transcript expects, wildcards allowed."""
    pattern = "\n".join(expected)
    parts = (_line_pattern(line) for line in pattern.split("\n"))
    return bool(re.fullmatch("".join(parts), "".join(f"{line}\n" for line in found) or "\n"))


def _line_pattern(line: str) -> str:
    if line == ANY_LINES:
        return r"(?:[^\n]*\n)*"
    return ".*".join(map(re.escape, line.split(ANY))) + "\n"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path, tmp_path: Path) -> None:
    folder, steps = parse(path.read_text("utf-8"))
    assert len(steps) > 5
    place = prepare(tmp_path, folder, imports=True)
    for step in steps:
        found = run(step, place)
        where = f"{path.name}:{step.line + 1}: $ {step.command}"
        assert agrees(step.expected, found), "\n".join([where, *found])


def test_a_transcript_can_fail_and_hold() -> None:
    for expected, found in (
        (("a",), ["b"]), (("a",), []), ((), ["a"]), (("a", "? 2"), ["a"]), (("a",), ["a", "! b"]),
        (("a[..]",), ["b"]), (("a", "[...]", "b"), ["a", "c"]), (("[..]",), ["a", "b"]),
    ):  # fmt: skip
        assert not agrees(expected, found)
    for expected, found in (
        (("a",), ["a"]), ((), []), (("a[..]c", "? 2"), ["abc", "? 2"]), (("[...]",), []),
        (("a", "[...]", "b"), ["a", "b"]), (("a", "[...]"), ["a", "", "c"]), (("(", ""), ["(", ""]),
    ):  # fmt: skip
        assert agrees(expected, found)


def rewrite(path: Path) -> bool:
    """Write down what the steps of a transcript produce now; return whether any changed."""
    text = path.read_text("utf-8")
    folder, steps = parse(text)
    lines = text.split("\n")
    written: list[str] = []
    at = 0
    with TemporaryDirectory() as base:
        place = prepare(Path(base).resolve(), folder, imports=True)
        for step in steps:
            found = run(step, place)
            kept = step.expected if agrees(step.expected, found) else tuple(found)
            written += lines[at : step.line + 1]
            written += [f"{INDENT}{line}" if line else "" for line in kept]
            at = step.end
    new = "\n".join([*written, *lines[at:]])
    path.write_text(new, "utf-8")
    return new != text


if __name__ == "__main__":
    for one in TRANSCRIPTS:
        print(f"{one.name}: {'changed' if rewrite(one) else 'as it was'}")  # noqa: T201

"""Every command with odd values, odd streams and odd variables: a documented code and one line.

Commands and options come from the tables of ctx, so that a new one is tried as well. Each call is
the command's own example with something added to it.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typer.main import get_command

from ctx.cli.app import COMMANDS, app
from ctx.config import SETTINGS
from ctx.errors import BUG
from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.cli.options import Command

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = (
    "9" * 400, "9" * 5_000, "9" * 18, "0", "-1", "1e400", "1e308", "nan", "inf", "0x10", "1_0",
    "٣٤", "²", "1.5", "", " 7 ", "9" * 400 + "h", "99999999d", "0000000001",
)  # fmt: skip
TEXTS = (
    "\udcff",
    "a\udcff b",
    "\ud83d",
    "\u202e",
    "x" * 100_000,
    "-",
    "--",
    "\x1b[31m",
    "a\nb",
    "~\udcff/x",
)
VALUES = (*NUMBERS, *TEXTS)
STREAMS = {
    "out full": ">/dev/full", "err full": "2>/dev/full", "both full": ">/dev/full 2>&1",
    "in closed": "<&-", "out closed": ">&-", "err closed": "2>&-", "all closed": "<&- >&- 2>&-",
    "in a folder": "</", "out closed, err full": ">&- 2>/dev/full",
}  # fmt: skip
INSTRUCTIONS = ("nope", "", "source_", "complete_nope", "_", "source_bash\udcff")
WAITS = 8  # seconds for what serves until it is ended
SHOWN = 60  # characters of a word that a row shows whole
SAMPLE = 97  # of so many cases a sample tries one


class Call(NamedTuple):
    """A command as its example calls it."""

    name: str
    words: tuple[str, ...]
    options: tuple[str, ...]  # that take a value
    places: tuple[int, ...]  # of the words that are arguments


def calls() -> list[Call]:
    """Return a call of each command."""
    return list(_calls(COMMANDS, get_command(app), ()))


def _calls(table: Sequence[Command], group: Any, above: tuple[str, ...]) -> Iterator[Call]:  # noqa: ANN401 - typer's own click
    for command in table:
        names = (*above, command.name)
        found = group.commands[command.name]
        if command.commands:
            yield from _calls(command.commands, found, names)
            continue
        words = shlex.split(command.example.rpartition("| ")[2])[1:]
        options = [one.opts[0] for one in found.params if one.opts[0][0] == "-" and not one.is_flag]
        start = len(names)
        places = [
            at
            for at in range(start, len(words))
            if words[at][:1] != "-" and (at == start or words[at - 1][:1] != "-")
        ]
        yield Call(" ".join(names), (*words,), (*options,), (*places,))


def prepare(base: Path) -> dict[str, str]:
    """Make a project to call in; return the environment."""
    project, home = base / "project", base / "home"
    (project / ".context").mkdir(parents=True)
    home.mkdir()
    subprocess.run(["git", "init", "-q", project], check=True)
    (project / ".context/CONSTITUTION.md").write_text("- Never lie.\n")
    (project / ".context/TASKS.md").write_text("- [ ] return labels\n- [x] done\n")
    (project / ".context/DECISIONS.md").write_text("## [2026-01-02] Use Redis\n\nIt is fast.\n")
    turn = {"id": "a", "session": "fix-login", "ts": "", "role": "user", "text": "We use Redis."}
    (project / "transcript.jsonl").write_text(json.dumps(turn) + "\n")
    environ = {
        "HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "BROWSER": "true",
        "VISUAL": "true", "EDITOR": "true", "GIT_CONFIG_GLOBAL": os.devnull, "LANG": "C.UTF-8",
    }  # fmt: skip
    for first in (("trust",), ("session", "import", "transcript.jsonl")):
        run(first, project, environ)
    return environ


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass" if "\ud83d" in text else "surrogateescape")


class Ran(NamedTuple):
    """How a call ended; the code is None where it went on and was ended."""

    code: int | None
    err: str


def run(words: Sequence[str], cwd: Path, environ: Mapping[str, str], streams: str = "") -> Ran:
    """Run ``ctx`` with ``words``, its streams as a shell makes them of ``streams``."""
    given = [*map(_bytes, words)]
    program = f'exec "$0" -m ctx "$@" {streams or "</dev/null"}'
    with tempfile.TemporaryFile() as err, subprocess.Popen(
        ["/bin/sh", "-c", program, sys.executable, *given],
        cwd=cwd, env={name: _bytes(value) for name, value in environ.items()},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            code: int | None = process.wait(WAITS * (1 if {"serve", "mcp"} & {*words[:1]} else 10))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = None
        err.seek(0)
        return Ran(code, err.read().decode("utf-8", "backslashreplace"))


def fault(call: Call, ran: Ran, *, heard: bool = True) -> str:
    """Return what is wrong with how a call ended; empty where nothing is."""
    if "Traceback" in ran.err or "Warning" in ran.err or "Exception" in ran.err:
        return f"more than a line: {ran.err[-200:]!r}"
    if ran.code is None:
        return "" if call.words[0] in ("serve", "mcp") else "does not end"
    if call.name == "hook run":
        return f"code {ran.code}" if ran.code else ""
    if not 0 <= ran.code <= 7 or ran.code == BUG:  # noqa: PLR2004 - the codes of the guide
        return f"code {ran.code}: {ran.err[:200]!r}"
    if ran.code > 1 and heard and not ran.err.startswith("ctx: "):
        return f"code {ran.code} without its line: {ran.err[:100]!r}"
    return ""


def attack(*, full: bool) -> Iterator[Result]:
    """Yield what came of odd values, streams and variables."""
    every = calls()
    with tempfile.TemporaryDirectory() as base:
        environ = prepare(Path(base))
        work = _Work(Path(base) / "project", environ, full=full)
        yield work.tried(
            "options and arguments with odd numbers and texts",
            [
                (call, words, {}, "")
                for call in every
                for value in VALUES
                for words in _with(call, value)
            ],
        )
        yield work.tried(
            "streams that are full, closed or a folder",
            [
                (call, words, {}, streams)
                for call in every
                for words in (call.words, (*call.words, "--help"), (*call.words, "--nope"))
                for streams in STREAMS.values()
            ],
        )
        short = [
            call for call in every if call.name in ("agent", "search", "status", "session compact")
        ]
        yield work.tried(
            "settings as variables",
            [
                (call, call.words, {setting.variable: value}, "")
                for call in short
                for setting in SETTINGS
                for value in VALUES
            ],
        )
        yield work.tried(
            "a variable of completion that means nothing",
            [
                (call, call.words, {"_CTX_COMPLETE": value}, "")
                for call in every
                for value in INSTRUCTIONS
            ],
        )


def _with(call: Call, value: str) -> Iterator[tuple[str, ...]]:
    for option in call.options:
        yield (*call.words, option, value)
        yield (*call.words, f"{option}={value}")
    for at in call.places:
        yield (*call.words[:at], value, *call.words[at + 1 :])


_Case = tuple["Call", tuple[str, ...], "Mapping[str, str]", str]


class _Work:
    def __init__(self, project: Path, environ: Mapping[str, str], *, full: bool) -> None:
        self._project, self._environ = project, environ
        self._step = 1 if full else SAMPLE

    def tried(self, what: str, cases: Sequence[_Case]) -> Result:
        """Run the cases, or some of them."""
        chosen = cases[:: self._step]
        failed = []
        for call, words, variables, streams in chosen:
            ran = run(words, self._project, {**self._environ, **variables}, streams)
            heard = not ("2>" in streams or streams.endswith("2>&1"))
            if wrong := fault(call, ran, heard=heard):
                shown = " ".join(word if len(word) < SHOWN else f"{word[:9]}…" for word in words)
                extra = " ".join(f"{name}={value[:20]!r}" for name, value in variables.items())
                failed.append(f"{extra} ctx {shown!a} {streams}: {wrong}")
        return Result(what, len(chosen), tuple(failed))

#!/usr/bin/env python3
"""Record what a terminal shows of the first steps with ctx, as pictures for the documents.

    python3 scripts/record.py             run the commands, write docs/pictures/*.svg
    python3 scripts/record.py --check     write nothing; name the pictures that show something
                                          else than the commands print, exit 1

The commands run in an empty git repository, each in a terminal of ``WIDTH`` columns. What differs
from run to run is replaced: days and times by those of one morning, the folder by ``~/shop``. A
picture loads nothing from anywhere. Its ``desc`` holds what it shows, for screen readers and for
``--check``, which compares words and not how rich draws them. Needs a POSIX system, git and jq.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import shutil
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 90, 45
NEEDED = ("git", "jq")
DAY = "2026-12-01"
PROMPT = "$ "
FOLDER = "shop"
"""The repository, in the home directory."""


class Scene(NamedTuple):
    """One picture."""

    name: str
    title: str
    commands: tuple[str, ...]
    """As they are typed; one after another in the same repository, from picture to picture."""


SCENES = (
    Scene(
        "start",
        "Write down what holds",
        (
            "git init --quiet",
            "ctx init",
            """\
ctx add decision 'Keep carts in Redis' \\
    --context 'Carts were lost whenever a server restarted.' \\
    --decision 'Carts live in Redis, for 30 days.' \\
    --rationale 'It is there already, and survives a restart.' \\
    --consequence 'Redis is backed up from now on.'""",
            """\
ctx add decision 'Refunds are bookings of their own' \\
    --context 'Orders were changed after they had been paid.' \\
    --decision 'A refund is a booking; the order stays as it was.' \\
    --rationale 'Accounting has to see both.' --consequence ''""",
            """\
ctx add learning 'The payment callback comes twice' \\
    --context 'Two orders of one customer were shipped twice.' \\
    --lesson 'The provider repeats a callback after a timeout.' \\
    --application 'Keep each payment event once, by its id.'""",
        ),
    ),
    Scene(
        "start-hook",
        "Let the agent know",
        (
            "ctx hook install claude",
            """\
echo '{"session_id": "s1", "prompt": "why do carts get lost?"}' |
    ctx hook run claude UserPromptSubmit |
    jq -r .hookSpecificOutput.additionalContext""",
        ),
    ),
    Scene("start-status", "What is there, and what it costs", ("ctx status",)),
)

_CTX = f"#!{sys.executable}\nimport sys\nfrom ctx.cli.main import main\nsys.exit(main())\n"
_TERMINAL = """
import fcntl, os, pty, struct, sys, termios
columns, lines, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
pid, handle = pty.fork()
if not pid:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.execvp("sh", ["sh", "-c", command])
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""Runs a command in a terminal of its own and writes what it shows."""


class RecordError(Exception):
    """A command failed, or cannot be run here."""


# --- running ------------------------------------------------------------------------------


def recorded() -> dict[str, str]:
    """Run all scenes; return what the terminal showed in each, escapes included, by name."""
    if os.name != "posix":
        raise RecordError("needs a POSIX terminal")
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        raise RecordError(f"not installed: {', '.join(missing)}")
    with TemporaryDirectory(prefix="ctx-") as base:
        home = Path(base).resolve()
        place = home / FOLDER
        place.mkdir()
        environ = _environ(home)
        shown = {
            scene.name: [_run(command, place, environ) for command in scene.commands]
            for scene in SCENES
        }
    clean = _Normalised(str(home))
    return {
        scene.name: "".join(map(clean, _typed(scene.commands, shown[scene.name])))
        for scene in SCENES
    }


def _environ(home: Path) -> Mapping[str, str]:
    tools = home / "bin"
    tools.mkdir()
    program = tools / "ctx"
    program.write_text(_CTX)
    program.chmod(0o755)
    return {
        "CTX_CAPTURE": "off",  # which `ctx hook install` asks for on a terminal
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "xterm-256color",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }


def _run(command: str, place: Path, environ: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _TERMINAL, str(WIDTH), str(HEIGHT), command],
        cwd=place,
        env=dict(environ),
        check=False,
        capture_output=True,
    )
    text = done.stdout.decode("utf-8").replace("\r\n", "\n")
    if command.startswith("ctx add"):  # the next one has another time, on any machine
        time.sleep(1 - time.time() % 1)
    if done.returncode:
        raise RecordError(f"exit code {done.returncode}: {command}\n{text}")
    return text


def _typed(commands: Sequence[str], outputs: Sequence[str]) -> Iterator[str]:
    for command, output in zip(commands, outputs, strict=True):
        lines = command.split("\n")
        yield "".join(
            f"\x1b[1m{PROMPT if not at else ''}{line}\x1b[0m\n" for at, line in enumerate(lines)
        )
        yield output.rstrip("\n") + "\n" if output.strip() else ""


class _Normalised:
    """Replaces what differs from run to run, the same by the same."""

    _TIME = re.compile(r"\d{4}-\d\d-\d\d-\d{6}")
    _DATE = re.compile(r"\d{4}-\d\d-\d\d(?!-\d{6})")

    def __init__(self, home: str) -> None:
        self._home = home
        self._times: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        text = text.replace(self._home, "~")
        text = self._DATE.sub(DAY, text)
        return self._TIME.sub(lambda found: self._time(found[0]), text)

    def _time(self, seen: str) -> str:
        """Return a time of one morning; each is seven minutes after the one before."""
        return self._times.setdefault(seen, f"{DAY}-09{7 * len(self._times):02}00")


# --- drawing ------------------------------------------------------------------------------

_FRAME = """\
<svg viewBox="0 0 {{width}} {{height}}" xmlns="http://www.w3.org/2000/svg" role="img"
     aria-labelledby="{{unique_id}}-name {{unique_id}}-told">
    <title id="{{unique_id}}-name">{name}</title>
    <desc id="{{unique_id}}-told">
{told}
</desc>
    <style>
    .{{unique_id}}-matrix {{{{
        font-family: ui-monospace, "SFMono-Regular", "Cascadia Mono", Menlo, Consolas,
            "DejaVu Sans Mono", "Liberation Mono", monospace;
        font-size: {{char_height}}px;
        line-height: {{line_height}}px;
    }}}}
    .{{unique_id}}-title {{{{
        font-family: system-ui, sans-serif;
        font-size: 18px;
        font-weight: bold;
    }}}}
    {{styles}}
    </style>
    <defs>
    <clipPath id="{{unique_id}}-clip-terminal">
      <rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}" />
    </clipPath>
    {{lines}}
    </defs>
    {{chrome}}
    <g transform="translate({{terminal_x}}, {{terminal_y}})"
       clip-path="url(#{{unique_id}}-clip-terminal)">
    {{backgrounds}}
    <g class="{{unique_id}}-matrix">
    {{matrix}}
    </g>
    </g>
</svg>
"""
_TOLD = re.compile(r"<desc[^>]*>\n(.*?)\n</desc>", re.DOTALL)


def plain(shown: str) -> str:
    """Return what a terminal showed as lines without colours and blanks at their ends."""
    lines = Text.from_ansi(shown).plain.split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def drawn(scene: Scene, shown: str) -> str:
    """Return the picture of a scene, as SVG."""
    console = Console(
        record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor",
        legacy_windows=False, _environ={},
    )  # fmt: skip
    console.print(Text.from_ansi(shown.rstrip("\n")), soft_wrap=False, highlight=False)
    told = html.escape(plain(shown), quote=False).replace("{", "{{").replace("}", "}}")
    return console.export_svg(
        title=scene.title,
        code_format=_FRAME.format(name=html.escape(scene.title), told=told),
        unique_id=f"ctx-{scene.name}",
    )


def told(picture: str) -> str:
    """Return what a picture says that it shows; empty where it says nothing."""
    found = _TOLD.search(picture)
    return html.unescape(found[1]) if found else ""


# --- comparing ----------------------------------------------------------------------------


def stale(shown: Mapping[str, str], folder: Path = PICTURES) -> list[str]:
    """Return the names of the pictures in ``folder`` that show something else."""
    return [name for name, text in shown.items() if told(_read(folder, name)) != plain(text)]


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / f"{name}.svg").read_text("utf-8")
    except OSError:
        return ""


def main(argv: Sequence[str]) -> int:
    """Write the pictures, or with ``--check`` name those that are out of date."""
    parser = argparse.ArgumentParser(description="Record the pictures of the documents.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check = parser.parse_args(argv).check
    try:
        shown = recorded()
    except RecordError as error:
        print(f"record: {error}", file=sys.stderr)
        return 2
    old = stale(shown)
    for scene in SCENES:
        path = PICTURES / f"{scene.name}.svg"
        where = path.relative_to(ROOT).as_posix()
        if check and scene.name in old:
            print(f"{where} is out of date: run python3 scripts/record.py")
        if not check:
            PICTURES.mkdir(parents=True, exist_ok=True)
            path.write_text(drawn(scene, shown[scene.name]), encoding="utf-8", newline="\n")
            print(f"wrote {where}")
    return 1 if check and old else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

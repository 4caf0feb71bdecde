"""Interactive shells in a terminal, typed into as a person would."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.test_transcripts import prepare

ROOT = Path(__file__).resolve().parents[2]
COMPLETIONS = ROOT / "ctx" / "cli" / "shell" / "scripts"

_TYPED = """
import json, os, pty, sys
shell, keys = json.loads(sys.argv[1]), sys.argv[2].encode()
pid, handle = pty.fork()
if not pid:
    os.execvp(shell[0], shell)
os.write(handle, keys)  # who is still busy reads them later
seen = b""
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
"""
_RECORDER = f"""#!{sys.executable}
import json, os, sys
if "_CTX_COMPLETE" in os.environ:
    from ctx.cli.main import main
    sys.exit(main())
with open(os.environ["RECORD"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""


class Shell(NamedTuple):
    """One shell, and how it is started with the completion of ctx."""

    name: str
    command: tuple[str, ...]
    setup: tuple[str, ...]
    """Lines that it is given first."""

    @property
    def is_here(self) -> bool:
        return shutil.which(self.name) is not None


SHELLS = {
    shell.name: shell
    for shell in (
        Shell(
            "bash",
            ("bash", "--noprofile", "--norc", "-i"),
            ("bind 'set bell-style none'", f"source '{COMPLETIONS}/ctx.bash'"),
        ),
        Shell(
            "zsh",
            ("zsh", "-f", "-i"),
            (f"fpath=('{COMPLETIONS}' $fpath)", "autoload -Uz compinit", "compinit -D -u"),
        ),
        Shell("fish", ("fish", "--no-config", "-i"), (f"source '{COMPLETIONS}/ctx.fish'",)),
    )
}


class Desk(NamedTuple):
    """Where somebody types."""

    cwd: Path
    environ: Mapping[str, str]
    record: Path

    def typed(self, shell: Shell, *lines: str) -> list[list[str]]:
        self.shown(shell, *lines)
        text = self.record.read_text("utf-8") if self.record.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    def shown(self, shell: Shell, *lines: str) -> str:
        keys = "".join(f"{line}\n" for line in (*shell.setup, *lines, "exit"))
        done = subprocess.run(
            [sys.executable, "-c", _TYPED, json.dumps(shell.command), keys], cwd=self.cwd,
            env=dict(self.environ), check=True, capture_output=True,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "replace")


def desk(base: Path, folder: str = "webshop") -> Desk:
    """Return a place with a copy of a fixture, where ``ctx`` notes what it is given."""
    place = prepare(base, folder)
    (base / "bin" / "ctx").write_text(_RECORDER)
    record = base / "record"
    return Desk(place.cwd, {**place.environ, "RECORD": str(record)}, record)

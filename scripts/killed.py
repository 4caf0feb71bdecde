"""Kill a capture before each of its system calls, and have the next one complete it.

    python3 scripts/dev.py killed

Needs Linux and strace. Three turns are added to a transcript, a capture of them is killed before
its n-th system call, and the next capture runs to its end; then the store has to hold each turn
once, in order. From the call that opens the transcript on, until a capture lives to its end.
Exits with 1 where turns are lost or doubled.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = (
    "import sys; from ctx.app.capture import capture; from ctx.app.options import PacketOptions;"
    "from ctx.app.settings import load; from ctx.world import World; world = World();"
    "settings = load(sys.argv[1], world, PacketOptions()).settings;"
    "capture(sys.argv[1], sys.argv[2], 's1', world, settings, lambda: 60.0)"
)
TURNS = 3


def grow(path: Path, turn: int) -> None:
    """Append one turn to a transcript of Claude Code."""
    message = {"role": "user", "content": f"Turn {turn} of the ledger."}
    line = {"type": "user", "uuid": f"u{turn}", "sessionId": "s1", "message": message}
    with path.open("a") as file:
        file.write(json.dumps({**line, "timestamp": "2026-11-21T10:00:00Z"}) + "\n")


def main() -> int:
    """Return 0 if no capture lost or doubled a turn, else 1."""
    if not shutil.which("strace"):
        print("killed: strace is not installed", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        base = Path(folder)
        context = base / "shop" / ".context"
        shutil.copytree(ROOT / "fixtures" / "webshop" / ".context", context)
        transcript, log = base / "s1.jsonl", base / "log"
        environ = {
            "PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": f"{folder}/state", "CTX_CAPTURE": "on",
        }  # fmt: skip
        capture = [sys.executable, "-c", CAPTURE, str(context), str(transcript)]

        def run(*before: str) -> int:
            return subprocess.run([*before, *capture], env=environ, check=False).returncode

        written: list[str] = []

        def stored() -> list[str]:
            (path,) = base.glob("state/**/sessions/s1.jsonl")
            return [json.loads(line)["id"] for line in path.read_bytes().splitlines()]

        def more() -> None:
            for turn in range(len(written), len(written) + TURNS):
                grow(transcript, turn)
                written.append(f"u{turn}")

        more()
        code = run("strace", "-o", str(log))
        calls = log.read_text(errors="replace").splitlines()
        first = next(n for n, call in enumerate(calls, 1) if str(transcript) in call)
        number, wrong = first, []
        while code in (0, -9) and number < 2 * len(calls):
            more()
            inject = f"inject=all:signal=KILL:when={number}"
            code = run("strace", "-o", "/dev/null", "-e", inject)
            if run() or stored() != written:
                wrong.append(number)
            if code == 0:
                break
            number += 1
    print(f"{number - first} captures killed, {len(written)} turns written, {len(wrong)} wrong")
    for number in wrong:
        print(f"wrong after the kill at system call {number}")
    return int(bool(wrong) or code != 0)


if __name__ == "__main__":
    raise SystemExit(main())

"""Moves out of the repository that die at one moment after another, and those that follow.

    python -m tests.sessions.migrating FOLDER calls|bytes|full

Prints one JSON object, as ``tests.edit.dying`` does. A program of its own, so that it can fork.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from ctx.cli.session import import_  # noqa: F401 - all that a run imports: forks start from here
from ctx.errors import UNREADABLE
from tests.edit.dying import BYTES, MOST, WAYS, run
from tests.imported import sessions_of
from tests.sampling import moment

IGNORE = b"""\
# Transcripts hold private text and secrets: git leaves them out until this file is deleted.
*
"""
"""As older versions wrote it."""
TEXTS = {
    "sessions/a.jsonl": b'{"id": "1", "role": "user", "text": "One."}\n' * 20,
    "sessions/b.jsonl": b'{"id": "1", "role": "user", "text": "Torn',
    "sessions/aside/log.txt": b"torn\n",
    "sessions/summaries/a.jsonl": b'{"type": "run"}\n' * 9,
}


def prepare(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, data in {**TEXTS, "sessions/.gitignore": IGNORE}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def files(folder: Path) -> dict[str, bytes]:
    """Return all sessions below ``folder``, by name; not what a death has left half written."""
    every = (one for one in (folder / "sessions").rglob("*") if one.is_file())
    kept = (one for one in every if one.suffix not in (".tmp", ".ctx-lock"))
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in kept}


def die(base: Path, way: str) -> dict[str, object]:
    """Die at every moment in turn; look what is there, and what the next move makes of it."""
    root = base / ".context"
    died, wrong, number = 0, [], 0
    while True:
        prepare(root)
        state = sessions_of(root).parent
        shutil.rmtree(state / "sessions")
        at = moment(number, way, BYTES)
        code, said = run(WAYS[way](at), "--from-repository", "--dir", str(root))
        if code < 0 or (way == "full" and code == UNREADABLE):
            died += 1
        elif code:
            wrong.append((at, "itself", said.decode()))
        both = {**files(root), **files(state)}
        if any(both.get(name) != data for name, data in TEXTS.items()):
            wrong.append((at, "lost", said.decode()))
        survived = died <= number
        code, said = run(lambda: None, "--from-repository", "--dir", str(root))
        if code or files(state) != TEXTS or files(root).keys() - {"sessions/.gitignore"}:
            wrong.append((at, "next", said.decode()))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


if __name__ == "__main__":
    os.environ["CTX_STATE_DIR"] = f"{sys.argv[1]}/state"  # in memory, where the folder is
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), sys.argv[2])))

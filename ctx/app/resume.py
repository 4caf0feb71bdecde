"""Where the last session on a branch ended: the request, the state, and what is open.

Read from the end of its file alone, as stored: a session may be long, and a hook has to be quick.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import date

from ctx.digest import blake2b
from ctx.errors import CtxError
from ctx.hosts.wrappers import spoken
from ctx.model import Request, Thread, Turn, session_file
from ctx.read import sessions, stored
from ctx.repository import git_dir, text_of
from ctx.sessions.notes import notes
from ctx.text.sentences import LONGEST, pieces
from ctx.text.times import moment
from ctx.text.tokens import estimate

DAYS = 7  # days after which a session is no longer resumed
MOST = 8  # newest files of sessions that are looked at for one of the branch
TOKENS = 160  # tokens of all lines, at most


def resumed(request: Request) -> Thread | None:
    """Return five lines about the last session on the branch, as a turn; None where there is none.

    Sessions whose branch is not known count as of any. The session of ``request`` does not
    count. Its turn is quoted and redacted as those of sessions are.
    """
    if not request.state:
        return None
    memory = request.memory.session if request.memory else ""
    own_files = {session_file(name) for name in (request.session, memory) if name}
    git = git_dir(request.project or os.path.dirname(request.root))
    head = text_of(os.path.join(git, "HEAD")) if git else ""
    branch = head.partition("refs/heads/")[2].strip()
    for name in _newest(request.state):
        if name in own_files:
            continue
        try:
            turns = stored.last(request.state, name)
        except (CtxError, OSError):
            continue
        if turns and _is_recent(turns[-1], request.as_of) and _is_of(turns, branch):
            return _thread(turns, redact_secrets=not request.settings.allow_secrets)
    return None


def _newest(state: str) -> list[str]:
    try:
        with os.scandir(os.path.join(state, sessions.FOLDER)) as found:
            files = [
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
                for entry in found
                if entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [name for _, name in sorted(files, reverse=True)[:MOST]]


def _is_recent(turn: Turn, today: date) -> bool:
    ended = moment(turn.ts) if turn.ts else None
    return ended is not None and -1 <= (today - ended.date()).days <= DAYS


def _is_of(turns: Sequence[Turn], branch: str) -> bool:
    last = next((name for turn in reversed(turns) if (name := turn.extra.get("branch"))), branch)
    return not branch or last == branch


def lines_of(turns: Sequence[Turn]) -> list[str]:
    """Return up to five lines about the end of a session: the request, the state, what is open."""
    talk = [turn for turn in turns if turn.role != "user" or spoken(turn.text)[0].strip()]
    stated = notes(talk)
    said = {
        role: [
            text
            for turn in talk
            if turn.role == role and not turn.bundle
            for text, code in pieces(turn.text)
            if not code
        ]
        for role in ("user", "assistant")
    }
    last = {note.kind: note.text for note in stated}
    lines = {
        "asked": last.get("asked", "") or next(iter(said["user"]), ""),
        "changed": next((note.text for note in reversed(stated) if note.kind == "changed"), ""),
        "failed": last.get("failed", ""),
        "state": (said["assistant"] or [""])[-1],
        "open": "; ".join([note.text for note in stated if note.kind == "open"][-2:]),
    }
    seen: set[str] = set()
    made: list[str] = []
    for field, text in lines.items():
        if text and text not in seen:
            seen.add(text)
            made.append(f"{field}: {text[:LONGEST]}")
    while len(made) > 1 and estimate("\n".join(made)) > TOKENS:
        longest = max(made, key=len)
        made[made.index(longest)] = f"{longest[: len(longest) * 2 // 3].rstrip()} …"
    return made


def _thread(turns: Sequence[Turn], *, redact_secrets: bool) -> Thread | None:
    lines = lines_of(turns)
    if not lines:
        return None
    last = turns[-1]
    data = json.dumps(
        {
            "id": "end", "session": last.session, "ts": last.ts, "role": "assistant",
            "speaker": "end of the last session", "text": "\n".join(lines),
        }
    ).encode()  # fmt: skip
    digest = blake2b(data, digest_size=8).hexdigest()
    # No entry of the directory has an id without a file, so a session never takes it for gone.
    return sessions.single("", data, digest, redact_secrets=redact_secrets)

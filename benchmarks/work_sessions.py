"""Synthetic coding sessions, and transcripts of them in the forms of hosts.

``work-SET.txt`` has them in short: a line a turn or call, statements marked ``[[kind|…]]``,
questions with a phrase of the turns that answer them, or after ``*`` a kind of question and a
phrase of each turn, in any session up to there, that it has to gather. What agents do in between is
made here: as many announcements, calls and outputs as ``~ N`` tells, with words of the session.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

PLACE = Path(__file__).parent
_MARKED = re.compile(r"\[\[(\w+)\|(.*?)\]\]")
_NARRATION = {
    "work-fit": (
        "Let me look at {0}.", "I'll open {0} to see how it is called.", "Now checking {0}.",
        "Next is {0}.", "Taking a look at {0} now.", "Grepping for callers of {0}.",
        "{0} is where this should be handled, opening it.", "Hm, {0} might be relevant.",
    ),
    "work-held": (
        "On to {0}, which is imported by it.", "Reading {0}, then its callers.",
        "{0} has the types. One more file.", "Got it. Let me see {0} too.",
    ),
}  # fmt: skip
_NAMES = ("alpha", "broker", "cursor", "digest", "events", "folder", "gateway", "handle", "index")
_LISTINGS = (
    "def {0}(x):\n    return x + {2}\n\nclass {0}Reader:\n    size = {2}",
    "src/{0}.py:{2}: from core import {1}\nsrc/{0}_test.py:12: assert {0}({1})",
    "     {2}\texport function {0}(value: number) {{\n     12\t  return {1} * {2};\n",
    "drwxr-xr-x 2 dev dev 4096 {0}\n-rw-r--r-- 1 dev dev {2} {0}_{1}.txt\n{1}.lock",
    "{2} INFO {0}: why {1} was called: first of {2}\n{2} DEBUG {1}: no error, {0} done",
    "commit {2}f3c\n    {0}: what {1} does when {0} is not there\n\n# {1}: how it is stored",
)


class Said(NamedTuple):
    """A turn of a session."""

    id: str
    role: str
    text: str
    """Of a call, its input where that is text alone."""
    tool: str = ""
    """The name of the tool that is called."""
    given: dict[str, object] | None = None
    """The input of a call."""
    is_error: bool = False

    def row(self, session: str) -> dict[str, str]:
        """Return the turn in ctx's own form."""
        given = json.dumps(self.given, ensure_ascii=False) if self.given else self.text
        text = f"[tool_use {self.tool}] {given}" if self.tool else self.text
        return {"id": self.id, "session": session, "role": self.role, "text": text}


class Asked(NamedTuple):
    """A question about sessions."""

    text: str
    gold: frozenset[str]
    """The ids of the turns that answer it, all of which it gathers where it has a kind."""
    kind: str = ""
    """Of a question that gathers: ``which``, ``every``, ``develop``, ``compare`` or ``list``."""


class Session(NamedTuple):
    """A session of work."""

    title: str
    form: str
    """``claude`` or ``codex``."""
    turns: list[Said]
    marked: list[tuple[str, str]]
    """Kind and text of each marked statement."""
    questions: list[Asked]


def sessions_of_work(name: str) -> Iterator[Session]:
    """Yield the sessions of ``work-NAME.txt``."""
    file = f"work-{name}"
    text = (PLACE / f"{file}.txt").read_text(encoding="utf-8")
    before: list[Said] = []
    for session in text.split("== ")[1:]:
        head, *lines = session.splitlines()
        title, _, form = head.partition(" ")
        words = next((line[2:].split() for line in lines if line.startswith("w ")), list(_NAMES))
        narration = [line[2:] for line in lines if line.startswith("n ")]
        maker = _Maker(title, narration or list(_NARRATION.get(file, ())), words)
        turns: list[Said] = []
        for line in lines:
            for said in maker.said(_MARKED.sub(r"\2", line)):
                turns.append(said._replace(id=f"{title}-{len(turns) + 1}"))
        before += turns
        questions = []
        for line in lines:
            if line.startswith(("? ", "* ")):
                asked, _, phrases = line[2:].rpartition(" | ")
                gathers = line.startswith("*")
                kind, _, asked = asked.partition(" | ") if gathers else ("", "", asked)
                gold = frozenset[str]()
                for phrase in phrases.split(" && ") if gathers else (phrases,):
                    has = {
                        said.id for said in (before if gathers else turns) if phrase in said.text
                    }
                    if not has:
                        raise SystemExit(f"{file}.txt: no turn has {phrase!r}")
                    gold |= has
                questions.append(Asked(asked, gold, kind))
        marked = [(kind, said.replace("\\n", "\n")) for kind, said in _MARKED.findall(session)]
        yield Session(title, form or "claude", turns, marked, questions)


class _Maker:
    """Makes the turns of a session from its lines."""

    def __init__(self, title: str, narration: list[str], words: list[str]) -> None:
        self._narration, self._words = narration, words
        self._random = random.Random(title)
        self._at = 0

    def said(self, line: str) -> Iterator[Said]:
        mark, _, rest = line.partition(" ")
        rest = rest.replace("\\n", "\n")
        first, _, out = rest.partition("|")
        if mark == "~":
            for _ in range(int(rest)):
                yield from self._step()
        elif mark in ("u", "a"):
            yield Said("", "user" if mark == "u" else "assistant", rest)
        elif mark == "t":
            done, *steps = rest.split("|")
            todos = [{"content": step, "status": "pending"} for step in steps]
            todos.insert(0, {"content": done, "status": "completed"})
            yield Said("", "assistant", "", "TodoWrite", {"todos": todos})
            yield Said("", "tool", "Todos have been modified successfully.")
        elif mark == "+":
            tool, path = rest.split(" ", 1)
            field = "path" if "_" in tool else "file_path"
            yield Said("", "assistant", "", tool, {field: path, "new_string": "x = 1"})
            yield Said("", "tool", f"The file {path} has been updated.")
        elif mark == "%":
            patch = f"*** Begin Patch\n*** Update File: {rest}\n@@\n-a\n+b\n*** End Patch"
            yield Said("", "assistant", patch, "apply_patch")
            yield Said("", "tool", "Success. Updated the following files:")
        elif mark in ("=", "!", "$"):
            call: dict[str, object] = {"file_path" if mark == "=" else "command": first}
            yield Said("", "assistant", "", "Read" if mark == "=" else "Bash", call)
            failed = re.search(r"error|fail|timed out|traceback|want stock", out, re.IGNORECASE)
            yield Said("", "tool", out, is_error=mark != "=" and bool(failed))

    def _step(self) -> Iterator[Said]:
        one = self._random.choice(self._words)
        place, self._at = self._at, self._at + 1
        narration = self._narration[place % len(self._narration)]
        yield Said("", "assistant", narration.format(f"module {one}" if one in _NAMES else one))
        listing = _LISTINGS[place % len(_LISTINGS)]
        if listing.startswith(("drwx", "{2} INFO", "commit")):
            yield Said("", "assistant", "", "Bash", {"command": f"rg -n {one} src | head -40"})
        else:
            yield Said("", "assistant", "", "Read", {"file_path": f"src/{one}.py"})
        times = self._random.choice((1, 1, 2, 4, 12, 40))
        made = (
            listing.format(one, self._random.choice(self._words), place + at) for at in range(times)
        )
        yield Said("", "tool", "\n".join(made))


def transcript(session: Session, form: str = "") -> str:
    """Return the lines that the host of ``form``, by default the session's, writes."""
    rows = _codex(session) if (form or session.form) == "codex" else _claude(session)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _times() -> Iterator[str]:
    time = datetime(2026, 11, 2, 8, tzinfo=UTC)
    while True:
        time += timedelta(seconds=7)
        yield time.isoformat().replace("+00:00", "Z")


def _claude(session: Session) -> Iterator[dict[str, object]]:
    before, call = None, ""
    for said, time in zip(session.turns, _times(), strict=False):
        role = "assistant" if said.role == "assistant" else "user"
        block: dict[str, object] = {"type": "text", "text": said.text}
        if said.tool:
            call = f"toolu_{said.id}"
            given = said.given or {"patch": said.text}
            block = {"type": "tool_use", "id": call, "name": said.tool, "input": given}
        elif said.role == "tool":
            block = {"type": "tool_result", "tool_use_id": call, "content": said.text}
            block |= {"is_error": True} if said.is_error else {}
        yield {
            "parentUuid": before, "isSidechain": False, "userType": "external",
            "cwd": f"/home/dev/{session.title}", "sessionId": session.title, "version": "2.0.14",
            "gitBranch": f"work/{session.title}", "type": role,
            "message": {"role": role, "content": [block]}, "uuid": said.id, "timestamp": time,
        }  # fmt: skip
        before = said.id


def _codex(session: Session) -> Iterator[dict[str, object]]:
    times = _times()
    about = {
        "id": session.title, "cwd": f"/home/dev/{session.title}", "originator": "codex_cli_rs",
        "git": {"branch": f"work/{session.title}"},
    }  # fmt: skip
    yield {"timestamp": next(times), "type": "session_meta", "payload": about}
    call = ""
    for said, time in zip(session.turns, times, strict=False):
        item: dict[str, object]
        if said.tool and said.given is None:
            call = f"call_{said.id}"
            item = {"type": "custom_tool_call", "name": said.tool, "input": said.text}
        elif said.tool:
            call = f"call_{said.id}"
            given = said.given or {}
            command = given.get("command") or f"sed -n 1,80p {given.get('file_path')}"
            shell = {"command": ["bash", "-lc", command], "workdir": about["cwd"]}
            is_shell = said.tool in ("Bash", "Read")
            item = {
                "type": "function_call", "name": "shell" if is_shell else said.tool,
                "arguments": json.dumps(shell if is_shell else given),
            }  # fmt: skip
        elif said.role == "tool":
            out = {"output": said.text, "metadata": {"exit_code": int(said.is_error)}}
            item = {"type": "function_call_output", "output": json.dumps(out)}
        else:
            kind = "input_text" if said.role == "user" else "output_text"
            content = [{"type": kind, "text": said.text}]
            item = {"type": "message", "role": said.role, "content": content}
        if said.tool or said.role == "tool":
            item["call_id"] = call
        yield {"timestamp": time, "type": "response_item", "payload": {"id": said.id, **item}}

"""The chat history of Aider: ``.aider.chat.history.md`` in the repository.

From ``append_chat_history``, ``user_input`` and ``ai_output`` in ``aider/io.py``, and
``split_chat_history_markdown`` in ``aider/utils.py``, of ``Aider-AI/aider`` (looked up in
2026-11).

A line with the time begins a session. Lines of the user begin with ``####``, those of the program
with ``>``, and both end in two spaces, but for those of the user before 0.60; the other lines are
the model's. The time of a turn is that of its session's beginning, in the machine's local time.
"""

import re
from collections.abc import Iterator

from ctx.hosts.told import Told
from ctx.model import JsonObject
from ctx.model.transcripts import Home, Line

_BEGINNING = re.compile(rb"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
_MARKS = {b"#### ": "user", b"> ": "note of Aider"}
_OWN_END = b"  "
_OLD = re.compile(rb"> Aider v0\.[0-5]?\d\.")  # before 0.60
_FENCE = b"```"


def _kind(data: bytes, *, marked: set[str], is_fenced: bool) -> str:
    kind = next((kind for mark, kind in _MARKS.items() if data.startswith(mark)), "")
    is_own = data.endswith(_OWN_END) if kind in marked else not is_fenced
    return kind if kind and is_own else "assistant"


class Aider(Told):
    """Reads a message of a history."""

    name = "aider"
    has_ids = True  # made of the session's beginning and the text
    names_sessions = True
    places = (Home("AIDER_CHAT_HISTORY_FILE", ".aider.chat.history.md", ""),)

    def begins(self, data: bytes, /) -> bool:
        """Whether a line begins a session: a history begins with one."""
        return _BEGINNING.fullmatch(data) is not None

    def objects(self, lines: Iterator[Line], _path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield each message as an object for ``read``, without lines too long."""
        started, role, first, texts = "", "", None, list[str]()
        marked, is_fenced, is_old = set[str](), False, False
        for line in lines:
            data = line.data.removesuffix(b"\r")
            beginning = _BEGINNING.fullmatch(data)
            is_old = not beginning and (is_old or _OLD.match(data) is not None)
            kind = "" if beginning else _kind(data, marked=marked, is_fenced=is_fenced)
            if kind != role or first is None:
                if first:
                    yield _made(first, role, started, texts)
                role, first, texts = kind, line, []
            if beginning:
                started, first = f"{beginning[1].decode()}T{beginning[2].decode()}", None
                is_fenced = False
                continue
            text = data.decode("utf-8", "replace")
            if kind == "assistant":
                is_fenced ^= data.startswith(_FENCE)
            else:
                # Without those spaces (an editor removed them) a fence tells what is the model's.
                if data.endswith(_OWN_END) and not is_old:
                    marked.add(kind)
                is_fenced = False
                text = text.partition(" ")[2].rstrip()
            texts.append(f"{text}\n")
        if first:
            yield _made(first, role, started, texts)


def _made(first: Line, role: str, started: str, texts: list[str]) -> tuple[Line, JsonObject]:
    text = "".join(texts).strip()
    return first, {
        "told": "aider", "role": role, "time": started, "text": "" if text == "<blank>" else text,
        "session": f"aider-{started.replace(':', '-')}" if started else "",
    }  # fmt: skip


FORMAT = Aider()

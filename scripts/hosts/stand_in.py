"""A stand-in for the API of a model: it records each request and answers from a script.

It listens on the loopback alone, in threads of the process that made it, and takes any key. A
prompt ends with a key such as ``(task-3)``; the script has the answers for it. The last text of a
user that holds a key of the present prompt chooses the list, and the number of answers behind it
the item: so the stand-in keeps no state of sessions, and subagents, whose task has a key of its
own, work beside the session that started them.
"""

import contextlib
import gzip
import json
import re
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Self

from scripts.hosts.windows import MAIN, OWN, Request, Text

KEY = re.compile(r"\((task-[\w-]+)\)")
SUMMARY = "<summary>The work so far went well.</summary>"
END = "There is no more."
"""The answer after the last of a list."""
Body = dict[str, Any]
"""A request as JSON."""


class Call(NamedTuple):
    """A call of a tool by the model."""

    name: str
    arguments: dict[str, Any]
    custom: bool = False
    """Whether its arguments are one text, under ``input``."""
    space: str = ""
    """The namespace of the tool, where the API has such."""


class Answer(NamedTuple):
    """What the model answers."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens: int = 0
    """What the request counts as; 0: by its length."""
    wait: float = 0
    """Seconds until the answer begins."""


class Task(NamedTuple):
    """The answers to one prompt of a person, or of an agent to a subagent."""

    key: str
    session: str
    agent: str
    prompt: int
    answers: tuple[Answer, ...]


class Reply(NamedTuple):
    """An answer of a server."""

    data: bytes
    kind: str = "application/json"
    status: int = 200


class Api(ABC):
    """How an API names what is in a request, and how it writes an answer."""

    @abstractmethod
    def kind(self, path: str, body: Body, /) -> str:
        """Return ``turn``, ``compact``, ``side``, ``count`` or ``other``."""

    @abstractmethod
    def texts(self, body: Body, /) -> Iterator[Text]:
        """Yield what is in a request, in the order in which a model reads it."""

    @abstractmethod
    def reply(self, answer: Answer, body: Body, path: str, number: int, used: int, /) -> Reply:
        """Write an answer to the request of a number; ``used`` is what it counts as."""

    def other(self, path: str, body: Body | None, /) -> Reply:  # noqa: ARG002 - of others
        """Answer what is no request to a model."""
        return Reply(b'{"error": {"message": "not here"}}', status=404)


class StandIn:
    """The server.

    ``tasks`` are those of the present prompt, ``beyond`` counts the answers to a session that no
    script holds: a host may ask once more, such as when a subagent in the background has ended.
    """

    def __init__(self, api: Api, folder: Path) -> None:
        """Keep requests in ``folder``, one file each."""
        self.api, self.folder = api, folder
        self.tasks: dict[str, Task] = {}
        self.requests: list[Request] = []
        self.compacts: tuple[Answer, ...] = (Answer(SUMMARY),)
        self.session = ""
        self.beyond = 0
        self.lock = threading.Lock()
        handler = type("Bound", (_Handler,), {"stand_in": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self.server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path: str, body: Body, size: int) -> Reply:
        """Record a request, and answer it."""
        kind = self.api.kind(path, body)
        texts = tuple(self.api.texts(body)) if kind in {"turn", "compact", "side"} else ()
        task, place = chosen(texts, self.tasks)
        with self.lock:
            number = len(list(self.folder.iterdir())) + 1
            about = {"path": path, "kind": kind, "task": task.key if task else "", "body": body}
            (self.folder / f"{number:04}.json").write_text(json.dumps(about, indent=1), "utf-8")
            if texts:
                agent, prompt = (task.agent, task.prompt) if task else ("main", 0)
                session = task.session if task else self.session
                self.requests.append(Request(number, kind, session, agent, prompt, texts))
        if kind not in {"turn", "compact", "side"}:
            return self.api.other(path, body)
        if kind == "compact":
            answer = self.compacts[0]
        elif kind == "side":
            answer = Answer("A short title")
        else:
            is_known = task and place < len(task.answers)
            answer = task.answers[place] if task and is_known else Answer(END)
            self.beyond += not is_known and (not task or task.agent == MAIN)
        time.sleep(answer.wait)
        return self.api.reply(answer, body, path, number, answer.tokens or size // 4)


def chosen(texts: Sequence[Text], tasks: dict[str, Task]) -> tuple[Task | None, int]:
    """Return the task that a request is about, and how many answers it had already.

    The longest key of a text counts: a hook may quote the session's prompt to its subagent.
    """
    answers, was_own = 0, False
    for text in reversed(texts):
        is_own = text.role in OWN
        answers += is_own and not was_own
        was_own = is_own
        known = [key for key in KEY.findall(text.text) if key in tasks]
        if text.role == "user" and known:
            return tasks[max(known, key=len)], answers
    return None, answers


class _Handler(BaseHTTPRequestHandler):
    """Reads requests and sends what the stand-in answers."""

    protocol_version = "HTTP/1.1"
    stand_in: StandIn

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def _send(self, reply: Reply) -> None:
        with contextlib.suppress(ConnectionError):  # a host that was ended does not wait
            self.send_response(reply.status)
            self.send_header("content-type", reply.kind)
            self.send_header("content-length", str(len(reply.data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.data)

    def do_HEAD(self) -> None:
        """Answer that the server is there."""
        self._send(Reply(b""))

    def do_GET(self) -> None:
        """Answer what is no request to a model."""
        self._send(self.stand_in.api.other(self.path, None))

    def do_POST(self) -> None:
        """Answer a request to a model."""
        data = self._read()
        encoding = self.headers.get("content-encoding", "")
        if encoding == "gzip":
            data = gzip.decompress(data)
        elif encoding == "deflate":
            data = zlib.decompress(data)
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            body = {"unreadable": data.decode("utf-8", "replace")}
        path = self.path.partition("?")[0]
        self._send(self.stand_in.answer(path, body if isinstance(body, dict) else {}, len(data)))

    def _read(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        data = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data


def streamed(events: Sequence[Body], *, named: bool, end: str = "") -> Reply:
    """Return events as a server sends them one by one."""
    lines = [
        (f"event: {each['type']}\n" if named else "") + f"data: {json.dumps(each)}\n\n"
        for each in events
    ]
    return Reply(("".join(lines) + end).encode(), "text/event-stream; charset=utf-8")

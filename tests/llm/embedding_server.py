"""A server that speaks OpenAI's embeddings on 127.0.0.1, and misbehaves when told to.

It answers honestly unless a test has queued replies: each is used for one request.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple, TypeVar, cast

Reply = Callable[["Handler", list[str]], None]
Running = TypeVar("Running", bound="Server")

DIM = 4


class Seen(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return cast("list[str]", self.body["input"])


def vector(text: str) -> list[float]:
    """Return the vector of a text: not of unit length, and another for another text."""
    return [1.0, float(len(text)), float(sum(map(ord, text)) % 97), float(ord(text[0]) % 89)]


def items(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(texts)
    ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(Seen(self.path, dict(self.headers), body))
        queue = self.server.replies
        reply = queue.pop(0) if queue else self.server.otherwise
        reply(self, body["input"])

    def do_GET(self) -> None:
        self.server.requests.append(Seen(self.path, dict(self.headers), {}))
        self.send(b"{}")

    def send(
        self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        lines = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        lines |= {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        self.raw(f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + body)

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)

    def stop(self) -> None:
        self.close_connection = True

    def wait(self, seconds: float) -> bool:
        return not self.server.over.wait(seconds)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
        """Log nothing."""


class Server(ThreadingTCPServer):  # an HTTPServer would look up its own name, which takes time
    daemon_threads = True

    def __init__(self, secure: ssl.SSLContext | None = None) -> None:
        self.requests: list[Seen] = []
        self.replies: list[Reply] = []
        self.otherwise: Reply = honest
        self.over = threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        if secure is not None:
            self.socket = secure.wrap_socket(self.socket, server_side=True)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up are what some tests are about."""


@contextmanager
def running(server: Running) -> Iterator[Running]:
    """Run ``server`` until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.002})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def serving(secure: ssl.SSLContext | None = None) -> AbstractContextManager[Server]:
    return running(Server(secure))


# --- replies ----------------------------------------------------------------------------


def honest(handler: Handler, texts: list[str]) -> None:
    handler.send(json.dumps({"object": "list", "data": items(texts)}).encode())


def fails(status: int, message: str = "", **headers: str) -> Reply:
    """Return a reply of an error, in the form that OpenAI gives it."""
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return lambda handler, _: handler.send(body, status, headers)


def says(body: bytes, **headers: str) -> Reply:
    """Return a reply of these bytes, whatever is asked."""
    return lambda handler, _: handler.send(body, headers=headers)


def with_items(change: Callable[[list[dict[str, Any]]], object]) -> Reply:
    """Return an honest reply but for what ``change`` makes of its items."""
    return lambda handler, texts: handler.send(json.dumps({"data": change(items(texts))}).encode())


def with_vectors(value: Callable[[str], object]) -> Reply:
    """Return a reply that has ``value`` of each text for its vector."""
    return lambda handler, texts: handler.send(
        json.dumps(
            {"data": [{"index": at, "embedding": value(text)} for at, text in enumerate(texts)]}
        ).encode()
    )


def hangs_up(handler: Handler, _texts: list[str]) -> None:
    handler.stop()


def never_answers(handler: Handler, _texts: list[str]) -> None:
    handler.wait(60)
    handler.stop()


def drips(head: bytes) -> Reply:
    """Return a reply that sends ``head`` at once, and then a byte every 20 ms."""

    def reply(handler: Handler, _texts: list[str]) -> None:
        handler.stop()
        handler.raw(head)
        while handler.wait(0.02):
            handler.raw(b" ")

    return reply


def half(handler: Handler, texts: list[str]) -> None:
    """Promise the whole of an answer, and send half of it."""
    body = json.dumps({"data": items(texts)}).encode()
    handler.stop()
    handler.send(body[: len(body) // 2], headers={"Content_Length": str(len(body))})


def takes(most: int = 10**9, longest: int = 10**9, *, status: int, message: str) -> Reply:
    """Return a reply that is honest to small requests and refuses others."""

    def reply(handler: Handler, texts: list[str]) -> None:
        if len(texts) > most or max(map(len, texts)) > longest:
            fails(status, message)(handler, texts)
        else:
            honest(handler, texts)

    return reply

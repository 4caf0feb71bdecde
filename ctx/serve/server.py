"""The server behind the pages: who may ask, and what an answer looks like."""

import gc
import json
import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from hmac import compare_digest
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, cast

from ctx.app.find import find
from ctx.app.loopback import HOST, listening, names
from ctx.errors import OK, CtxError
from ctx.model import JsonObject
from ctx.read.files import RefusedError
from ctx.render.page import filled, part
from ctx.serve.answers import CALLS, answered
from ctx.streams import complain, report_of, write_lines
from ctx.text.names import shown
from ctx.text.secrets import mask
from ctx.text.visible import visible_json
from ctx.world import World

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; trusted-types lit-html; "
    "require-trusted-types-for 'script'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_TEXT, _JSON = "text/plain; charset=utf-8", "application/json"
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_OWN = "ctx.serve.page"
_FILES = {
    "page.css": "ctx.render.page", "page.js": "ctx.render.page", "app.css": _OWN, "app.js": _OWN,
    "lit-html.js": _OWN, "icon.svg": _OWN,
}  # fmt: skip
_MOST = 2 * 1024 * 1024  # bytes of a request: what is longer is no entry
_SECONDS = 30  # time that a client may take for its request


def run(dir_: str, port: str | None, show: Callable[[str], bool] | None) -> int:
    """Serve pages at ``port``, a free one for None, until Ctrl-C; return the exit code.

    ``show`` opens the address in a browser, and returns whether it could. Raises UsageError
    where the port cannot be had, NoDirectoryError.
    """
    root = find(dir_, World())
    with Site(listening("--port", port), dir_, root) as site:
        write_lines([site.address])
        complain("serves this machine only, to who has the address; Ctrl-C ends it")
        gc.freeze()  # what the imports made stays
        gc.enable()  # which a command does without
        if show:
            # Aside: a browser in a terminal returns when it ends.
            threading.Thread(target=_show, args=(show, site.address), daemon=True).start()
        try:
            site.serve_forever()
        except KeyboardInterrupt:
            complain("stopped")
    return OK


def _show(show: Callable[[str], bool], address: str) -> None:
    if not show(address):
        complain("no browser could be started: open the address in one")


class Site(ThreadingHTTPServer):
    """What is served, and the secret that its address holds; a context manager."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, found: socket.socket, dir_: str, root: str) -> None:
        super().__init__((HOST, 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = found
        port = found.getsockname()[1]
        self.hosts = names(port)
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{HOST}:{port}/{self.token}/"
        self.dir = dir_
        project = os.path.basename(os.path.dirname(root)) or root
        self.index = filled(
            part("index.html", _OWN), {"title": escape(shown(project)), "body": part("body.html")}
        )

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002
        """Report a bug in a line; a client that goes away is none."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            complain(report_of(error))


class _Answer(NamedTuple):
    status: int
    type: str
    text: str


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. Whoever asks by another name, or without the secret, learns nothing."""

    timeout = _SECONDS
    server_version, sys_version = "ctx", ""

    @property
    def _site(self) -> Site:
        return cast("Site", self.server)

    def do_GET(self) -> None:
        """Answer with a file of the page."""
        self._send(self._refused() or self._page(self._name))

    def do_POST(self) -> None:
        """Answer a call."""
        self._send(self._refused() or self._refused_call() or self._called(self._name))

    @property
    def _name(self) -> str:
        return self.path.partition("?")[0].split("/", 2)[-1]

    def _refused(self) -> _Answer | None:
        """Return why nobody is answered who asks so; None where all is well."""
        if self.headers.get_all("Host") not in [[host] for host in self._site.hosts]:
            return _Answer(421, _TEXT, "This server has another name.\n")
        token = self.path.split("/", 2)[1] if self.path.count("/") > 1 else ""
        if not compare_digest(token.encode("utf-8", "replace"), self._site.token.encode()):
            return _Answer(403, _TEXT, "The address that `ctx serve` printed is needed.\n")
        return None

    def _refused_call(self) -> _Answer | None:
        """Return why a call is not taken: it has to come from the page, as JSON."""
        origin = f"http://{self.headers['Host']}"
        if self.headers["Origin"] != origin or self.headers["Sec-Fetch-Site"] not in (
            None, "same-origin",
        ):  # fmt: skip
            return _Answer(403, _TEXT, "Only the page itself may ask.\n")
        if self.headers.get_content_type() != _JSON:
            return _Answer(415, _TEXT, "A call is JSON.\n")
        length = self.headers["Content-Length"] or ""
        if not length.isdecimal() or int(length[:12]) > _MOST:
            return _Answer(413, _TEXT, f"A call has up to {_MOST:,} bytes.\n")
        return None

    def _page(self, name: str) -> _Answer:
        if not name:
            return _Answer(200, f"{_TYPES['html']}; charset=utf-8", self._site.index)
        if name not in _FILES:
            return _Answer(404, _TEXT, "There is no such file.\n")
        kind = _TYPES[name.rpartition(".")[2]]
        return _Answer(200, f"{kind}; charset=utf-8", part(name, _FILES[name]))

    def _called(self, name: str) -> _Answer:
        if name not in CALLS:
            return _Answer(404, _TEXT, "There is no such call.\n")
        try:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            return _json(200, answered(name, given, self._site.dir))
        except CtxError as error:
            status, lines = 400, (error.line, *error.details)
        except (ValueError, RecursionError) as error:
            status, lines = 400, (f"no JSON: {error}",)
        except (RefusedError, OSError) as error:
            status, lines = 400, (str(error),)
        except Exception as error:  # noqa: BLE001 - the last handler: a bug becomes a report
            complain(report_of(error))
            status, lines = 500, (report_of(error),)
        return _json(status, {"error": [" ".join(mask(line).split()) for line in lines]})

    def _send(self, answer: _Answer) -> None:
        data = answer.text.encode("utf-8", "replace")
        self.send_response(answer.status)
        for name, value in (*_HEADERS.items(), ("Content-Type", answer.type)):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        """Say nothing: addresses hold the secret."""


def _json(status: int, value: JsonObject) -> _Answer:
    return _Answer(status, _JSON, visible_json(json.dumps(value, ensure_ascii=False)))

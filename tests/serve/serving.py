"""A server of pages in this process, and requests to it as anybody may write them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPConnection
from typing import Any, NamedTuple

from ctx.app.find import find
from ctx.app.loopback import HOST, listening
from ctx.serve.server import Site
from ctx.world import World
from tests.hostile import HANGS


class Answer(NamedTuple):
    status: int
    headers: Message
    body: str


class Served(NamedTuple):
    """A server that runs."""

    address: str
    port: int
    token: str

    def ask(
        self, path: str, body: bytes | None = None, *, method: str = "", **headers: str
    ) -> Answer:
        """Send a request, of ``POST`` where it has a body; headers replace what a page sends."""
        sent = {"Host": f"{HOST}:{self.port}"}
        if body is not None:
            sent |= {"Origin": f"http://{HOST}:{self.port}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        asked = HTTPConnection(HOST, self.port, timeout=HANGS)
        try:
            asked.putrequest(method or ("GET" if body is None else "POST"), path, skip_host=True)
            for name, value in ({"Content-Length": str(len(body or b""))} | sent).items():
                if value:
                    asked.putheader(name, value)
            asked.endheaders(body)
            answer = asked.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            asked.close()

    def call(self, name: str, **given: object) -> dict[str, Any]:
        """Return what a call answers; its error as ``error``."""
        answer = self.ask(f"/{self.token}/{name}", json.dumps(given).encode())
        assert answer.headers["Content-Type"] == "application/json"
        found = json.loads(answer.body)
        assert isinstance(found, dict)
        assert (answer.status == 200) is ("error" not in found)
        return found


@contextmanager
def serving(dir_: str = "") -> Iterator[Served]:
    """Serve the directory that ``dir_`` names, or that is found, until the block ends."""
    with Site(listening("--port", None), dir_, find(dir_, World())) as site:
        thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            port = int(site.address.split(":")[2].split("/")[0])
            yield Served(site.address, port, site.token)
        finally:
            site.shutdown()
            thread.join()

"""One request to one address: what urllib3 does, within a deadline, and nothing else.

- Redirects are not followed: they would take the texts to an address that nobody named.
- Proxies of the environment are not used, for the same reason: ``HTTP_PROXY`` is set for
  downloads, and who set it did not think of private notes.
- Certificates are verified against the system's authorities (or those of ``SSL_CERT_FILE``,
  which OpenSSL reads by itself).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

import urllib3

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.llm.deadline import Client, Deadline

MAX_BYTES = 64 << 20
"""Longest answer, in bytes: 128 vectors of 8,192 numbers, written out, are 25 MB."""
PAUSES = (0.2, 0.4, 0.8)
"""Seconds before each further attempt where the server does not say how many."""
_CHUNK = 1 << 16


class Answer(NamedTuple):
    """What a server said."""

    status: int
    kind: str
    """The media type, in lower case; empty where it is not said."""
    retry_after: float | None
    """Seconds after which to ask again, where the server says a number of them."""
    body: bytes


class BrokenError(Exception):
    """The connection broke: asking again may help. Says how."""


class Line:
    """Asks one address, over one connection that stays open between requests."""

    def __init__(self, url: str, key: str, who: str, client: Client) -> None:
        """Prepare to ask ``url``; ``key`` may be empty, ``who`` is what messages begin with."""
        self._url = url
        self._who = who
        self._error = client.error
        self._headers = {"Content-Type": "application/json", "User-Agent": "ctx-packet"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._pool = urllib3.PoolManager(num_pools=1, maxsize=1, retries=False)

    def ask(
        self,
        body: bytes,
        deadline: Deadline,
        pauses: Sequence[float],
        refused: Callable[[Answer], str],
    ) -> Answer:
        """Return the answer to ``body`` whose status is 200, asking again where that may help.

        That is once for each of ``pauses``, seconds that are waited where the server does not
        say how many. ``refused`` is given an answer of another status: it returns why the
        request is worth repeating, or raises. Raises the client's error.
        """
        left = iter(pauses)
        while True:
            wait = None
            try:
                answer = self.post(body, deadline)
            except BrokenError as error:
                why = str(error)
            else:
                if answer.status == HTTPStatus.OK:
                    return answer
                why, wait = refused(answer), answer.retry_after
            pause = next(left, None)
            if pause is None:
                raise self._error(f"{self._who}: {why}")
            deadline.wait(pause if wait is None else wait, why)

    def post(self, body: bytes, deadline: Deadline) -> Answer:
        """Return the answer to ``body``.

        Raises BrokenError where a connection broke, the client's error for what asking again
        would not mend.
        """
        try:
            response = self._pool.request(
                "POST",
                self._url,
                body=body,
                headers=self._headers,
                timeout=urllib3.Timeout(total=deadline.left()),
                redirect=False,
                preload_content=False,
            )
            try:
                return self._read(response, deadline)
            finally:
                # Not back to the pool where bytes are unread: they would be the next answer.
                response.close()
        except urllib3.exceptions.HTTPError as error:
            raise self._fault(error, deadline) from error

    def _read(self, response: urllib3.BaseHTTPResponse, deadline: Deadline) -> Answer:
        body = bytearray()
        # read1 returns what is there: read would wait for all of a chunk, byte by byte.
        while part := response.read1(_CHUNK):
            body += part
            if len(body) > MAX_BYTES:
                raise self._error(
                    f"{self._who}: the answer is over {MAX_BYTES >> 20} MB: is this the right"
                    " address?"
                )
            deadline.left()
        response.release_conn()
        return Answer(
            response.status,
            response.headers.get("Content-Type", "").lower(),
            _seconds(response.headers.get("Retry-After", "")),
            bytes(body),
        )

    def _fault(self, error: urllib3.exceptions.HTTPError, deadline: Deadline) -> Exception:
        """Return what to raise for what urllib3 raised."""
        match error:
            case urllib3.exceptions.NameResolutionError() | urllib3.exceptions.LocationValueError():
                what = "there is no host of that name: check the address"
            case urllib3.exceptions.NewConnectionError():
                what = "cannot connect: is the server running, and the address right?"
            case urllib3.exceptions.TimeoutError():
                return deadline.passed()
            case urllib3.exceptions.SSLError():
                what = (
                    "no secure connection: the certificate cannot be verified, or the server"
                    " speaks plain http (SSL_CERT_FILE may name a file of authorities)"
                )
            case urllib3.exceptions.DecodeError():
                what = "the answer is packed in a way that cannot be read"
            case _:
                return BrokenError("the connection broke off")
        return self._error(f"{self._who}: {what}")


def _seconds(text: str) -> float | None:
    """Return the number in a Retry-After header; a date there would need a clock."""
    text = text.strip()
    return float(text) if text.isascii() and text.isdigit() else None

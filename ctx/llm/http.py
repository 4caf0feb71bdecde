"""Requests to one server that speaks OpenAI's protocol, within a deadline.

- Redirects are not followed: they would take the texts to an address that nobody named.
- Proxies of the environment are not used, for the same reason: ``HTTP_PROXY`` is set for
  downloads, and who set it did not think of private notes.
- Certificates are verified against the system's authorities (or those of ``SSL_CERT_FILE``,
  which OpenSSL reads by itself).
"""

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus

import urllib3

from ctx.llm.answers import Answer, is_passing, refusal
from ctx.llm.deadline import Deadline
from ctx.llm.spec import Client, address, key
from ctx.model import Json, JsonObject

MAX_BYTES = 64 << 20  # of an answer: 128 vectors of 8,192 numbers, written out, are 25 MB
PAUSES = (0.2, 0.4, 0.8)  # seconds before each attempt if the server does not say how many
_CHUNK = 1 << 16


class BrokenError(Exception):
    """The connection broke: asking again may help. Says how."""


class Server:
    """A model on a server, asked over one connection that stays open between requests."""

    def __init__(
        self, argument: str, environ: Mapping[str, str], seconds: float, client: Client
    ) -> None:
        self._address = address(argument, client)
        self.name = self._address.name
        self.model = self._address.model
        self._client = client
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json", "User-Agent": "ctx-packet"}
        if secret := key(self._address, environ, client):
            self._headers["Authorization"] = f"Bearer {secret}"
        self._pool = urllib3.PoolManager(num_pools=1, maxsize=1, retries=False)

    def deadline(self) -> Deadline:
        """Return the deadline of a call that begins now."""
        return Deadline(self.name, self._seconds, self._client)

    def error(self, what: str) -> Exception:
        """Return the client's error, which names this server and ``what`` is wrong."""
        return self._client.error(f"{self.name}: {what}")

    def ask(
        self, request: JsonObject, deadline: Deadline, refused: Callable[[Answer], None]
    ) -> Json:
        """Return the JSON that answers ``request``, asked again after ``PAUSES`` if that may help.

        ``refused`` gets each answer of another status than 200, and may raise; else the client's
        error is raised.
        """
        body = json.dumps(request).encode("ascii")
        left = iter(PAUSES)
        while True:
            wait = None
            try:
                answer = self._post(body, deadline)
            except BrokenError as error:
                why = str(error)
            else:
                if answer.status == HTTPStatus.OK:
                    return parsed(answer, self.name, self._client)
                refused(answer)
                has_key = "Authorization" in self._headers
                why = refusal(answer, self._address, self._client, has_key=has_key)
                if not is_passing(answer):
                    raise self.error(why)
                wait = answer.retry_after
            if (pause := next(left, None)) is None:
                raise self.error(why)
            deadline.wait(pause if wait is None else wait, why)

    def _post(self, body: bytes, deadline: Deadline) -> Answer:
        try:
            response = self._pool.request(
                "POST",
                self._address.url,
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
                raise self.error(
                    f"the answer is over {MAX_BYTES >> 20} MB: is this the right address?"
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
        return self.error(what)


def _seconds(text: str) -> float | None:
    """Return the number in a Retry-After header; a date there would need a clock."""
    text = text.strip()
    return float(text) if text.isascii() and text.isdigit() else None


def parsed(answer: Answer, who: str, client: Client) -> Json:
    """Return the JSON of an answer; raise the client's error where it is none, or half of it."""
    if "html" in answer.kind or answer.body.lstrip()[:1] == b"<":
        raise client.error(
            f"{who}: answered with a web page: is the address that of the interface (…/v1)?"
        )
    try:
        value: Json = json.loads(answer.body)
    except (ValueError, RecursionError):
        # Not from the error: it holds the answer.
        raise client.error(f"{who}: the answer is not whole, or no JSON: try again") from None
    return value

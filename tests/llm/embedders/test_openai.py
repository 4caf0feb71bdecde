"""Servers that speak OpenAI's embeddings, and every way in which they misbehave."""

import gzip
import json
import logging
import shutil
import socket
import ssl
import subprocess
import traceback

import pytest

from tests.llm import embedding_server as fake
from tests.llm.embedding_server import Server, fails, says, serving, with_items, with_vectors

pytest.importorskip("numpy")
pytest.importorskip("urllib3")

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ctx.llm import http
from ctx.llm.embedders import embedder, openai
from ctx.model import Embedder, EmbeddingError

KEY = "sk-never-shown-0123456789"
TEXT = "a secret that no message may hold"
SOON = 0.2
"""Seconds that a call may take where the server never ends."""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSES", (0.01, 0.01, 0.01))


def asking(server: Server, seconds: float = 5.0, **environ: str) -> Embedder:
    made = embedder(f"openai:small@{server.origin}", environ, seconds)
    assert made is not None
    return made


def unit(text: str) -> npt.NDArray[np.float32]:
    row = np.array(fake.vector(text))
    scaled: npt.NDArray[np.float32] = (row / np.linalg.norm(row)).astype(np.float32)
    return scaled


def fault(server: Server, *texts: str, seconds: float = 5.0, **environ: str) -> str:
    """Return the message of the error that embedding ends in, in time and without secrets."""
    with pytest.raises(EmbeddingError) as caught:
        asking(server, seconds, **environ).embed(texts or (TEXT, "other"))
    everything = "".join(traceback.format_exception(caught.value))
    assert KEY not in everything
    assert TEXT not in everything
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(f"openai:small@{server.origin}/v1: ")
    return message


# --- what is sent and returned ----------------------------------------------------------


def test_rows_are_of_unit_length_and_in_order(server: Server) -> None:
    made = asking(server)
    assert made.dim == 0
    found = made.embed(["one", "two", "three"])
    assert found.dtype == np.float32
    assert np.allclose(found, [unit("one"), unit("two"), unit("three")])
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert made.dim == fake.DIM


def test_a_request_says_what_the_interface_wants_and_no_more(server: Server) -> None:
    asking(server).embed(["one", "zwei — 三"])
    (seen,) = server.requests
    assert seen.path == "/v1/embeddings"
    assert seen.body == {"model": "small", "input": ["one", "zwei — 三"]}
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["User-Agent"] == "ctx-packet"
    assert "Authorization" not in seen.headers


def test_the_key_goes_into_a_header(server: Server) -> None:
    made = asking(server, CTX_EMBEDDER_KEY=KEY)
    made.embed(["one"])
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{made!r} {made.name}"


@pytest.mark.parametrize("key", ["sk\r\nX-Other: 1", "schlüssel", "two words", "a\0b"])
def test_a_key_that_is_none_is_refused_unsaid(server: Server, key: str) -> None:
    with pytest.raises(EmbeddingError, match="CTX_EMBEDDER_KEY holds characters") as caught:
        asking(server, CTX_EMBEDDER_KEY=key)
    assert key not in "".join(traceback.format_exception(caught.value))


def test_the_key_is_in_no_log(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        asking(server, CTX_EMBEDDER_KEY=KEY).embed([TEXT])
    assert caplog.records
    assert KEY not in caplog.text
    assert TEXT not in caplog.text


def test_proxies_of_the_environment_see_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.origin)
        asking(server).embed(["one"])
        assert proxy.requests == []
    assert len(server.requests) == 1


def test_a_connection_serves_many_requests(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    made = asking(server)
    with caplog.at_level(logging.DEBUG, "urllib3"):
        for text in ("one", "two", "three"):
            made.embed([text])
    assert caplog.text.count("Starting new HTTP connection") == 1


def test_blank_texts_are_not_sent(server: Server) -> None:
    found = asking(server).embed(["", "one", " \n\t", "two"])
    assert server.requests[0].texts == ["one", "two"]
    assert np.allclose(found[[1, 3]], [unit("one"), unit("two")])
    assert not found[[0, 2]].any()


def test_nothing_to_embed_asks_nobody(server: Server) -> None:
    made = asking(server)
    assert made.embed([]).shape == (0, 0)
    assert made.embed(["", " "]).shape == (2, 0)
    assert server.requests == []
    made.embed(["one"])
    assert made.embed([""]).shape == (1, fake.DIM)


def test_long_texts_are_sent_in_part(server: Server) -> None:
    asking(server).embed(["x" * 50_000])
    assert server.requests[0].texts == ["x" * openai.LONGEST]


# --- batches ----------------------------------------------------------------------------


def sizes(server: Server) -> list[int]:
    return [len(seen.texts) for seen in server.requests]


def test_batches_are_limited_by_count(server: Server) -> None:
    texts = [f"text {number}" for number in range(300)]
    found = asking(server).embed(texts)
    assert sizes(server) == [128, 128, 44]
    assert np.allclose(found, [unit(text) for text in texts])


def test_batches_are_limited_by_characters(server: Server) -> None:
    asking(server).embed(["x" * openai.LONGEST] * 10)
    assert sizes(server) == [8, 2]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, ""),
        (422, "batch size 66 > maximum allowed batch size 16"),
        (400, "batch size is invalid, it should not be larger than 16"),
    ],
)
def test_a_batch_of_too_many_is_halved_and_later_ones_are_smaller(
    server: Server, status: int, message: str
) -> None:
    server.otherwise = fake.takes(16, status=status, message=message)
    texts = [f"text {number}" for number in range(200)]
    made = asking(server)
    found = made.embed(texts)
    assert np.allclose(found, [unit(text) for text in texts])
    assert sizes(server)[:4] == [128, 64, 32, 16]
    server.requests.clear()
    made.embed(texts)
    assert max(sizes(server)) == 16


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 512 tokens, however you requested 900"),
        (500, "input (992 tokens) is too large to process. increase the physical batch size"),
    ],
)
def test_a_text_over_the_context_is_shortened_alone(
    server: Server, status: int, message: str
) -> None:
    server.otherwise = fake.takes(longest=1000, status=status, message=message)
    texts = ["short", "y" * 3000, "z" * 1000, "last"]
    made = asking(server)
    found = made.embed(texts)
    assert np.allclose(found, [unit("short"), unit("y" * 750), unit("z" * 1000), unit("last")])
    # Its vector is the same whatever stands beside it.
    assert np.allclose(made.embed(["y" * 3000]), found[1:2])
    # That it was too long says nothing about how many texts are taken.
    server.requests.clear()
    made.embed(["short"] * 128)
    assert sizes(server) == [128]


def test_a_text_is_not_shortened_for_ever(server: Server) -> None:
    server.otherwise = fails(413)
    assert "refuses a text of 500 characters" in fault(server, "x" * 1000)
    assert [len(seen.texts[0]) for seen in server.requests] == [1000, 500]


# --- half answers and wrong ones --------------------------------------------------------


def test_the_order_is_that_of_the_index(server: Server) -> None:
    server.replies = [with_items(lambda items: items[::-1])]
    found = asking(server).embed(["one", "two", "three"])
    assert np.allclose(found, [unit("one"), unit("two"), unit("three")])


def test_packed_answers_are_read(server: Server) -> None:
    body = gzip.compress(json.dumps({"data": fake.items(["one"])}).encode())
    server.replies = [says(body, Content_Encoding="gzip")]
    assert np.allclose(asking(server).embed(["one"]), [unit("one")])


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (with_items(lambda items: items[:-1]), "answered 1 of 2 texts"),
        (with_items(lambda items: [items[0]] * 2), "which vector is of which text"),
        (
            with_items(lambda items: [item | {"index": None} for item in items]),
            "which vector is of which text",
        ),
        (
            with_items(lambda items: [item | {"index": item["index"] + 1} for item in items]),
            "which vector is of which text",
        ),
        (
            with_items(lambda items: [item | {"index": bool(item["index"])} for item in items]),
            "which vector is of which text",
        ),
        (with_items(lambda _: ["one", None]), "which vector is of which text"),
        (with_items(lambda _: {"0": [1.0]}), "holds no vectors"),
        (says(b"[]"), "holds no vectors"),
        (says(b'{"error": {"message": "not loaded"}}'), "holds no vectors"),
        (says(b'{"data": [{"index": 0, "embed'), "not whole, or no JSON"),
        (says(b""), "not whole, or no JSON"),
        (says(b'{"data": ' + b"9" * 5000 + b"}"), "not whole, or no JSON"),
        (says(b"<!doctype html><p>hello"), "a web page"),
        (says(b"hello", Content_Type="text/html; charset=utf-8"), "a web page"),
        (says(b"not packed", Content_Encoding="gzip"), "packed in a way"),
        (with_vectors(lambda text: [1.0] * len(text)), "different lengths"),
        (with_vectors(lambda _: []), "2 x 0 numbers for 2 texts"),
        (with_vectors(lambda _: 1.5), "2 numbers for 2 texts"),
        (with_vectors(lambda _: [[1.0], [2.0]]), "2 x 2 x 1 numbers for 2 texts"),
        (with_vectors(lambda _: ["1.0", "2.0"]), "other than vectors"),
        (with_vectors(lambda _: [True, False]), "other than vectors"),
        (with_vectors(lambda _: [10**400, 1]), "other than vectors"),
        (with_vectors(lambda _: "no base64!"), "other than vectors"),
        (with_vectors(lambda _: "QUI="), "other than vectors"),
        (with_vectors(lambda _: [1.0, float("nan")]), "not finite"),
        (with_vectors(lambda _: [1e200, 1e200]), "beyond all measure"),
        (with_vectors(lambda _: [0.0, 0.0]), "nothing but zeros"),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    server: Server, reply: fake.Reply, message: str
) -> None:
    server.replies = [reply]
    assert message in fault(server)
    assert len(server.requests) == 1


def test_another_dimension_than_before_is_an_error(server: Server) -> None:
    made = asking(server)
    made.embed(["one"])
    server.replies = [with_vectors(lambda _: [1.0, 2.0])]
    with pytest.raises(EmbeddingError, match="vectors of 2 numbers, and of 4 before"):
        made.embed(["two"])
    assert made.dim == fake.DIM
    assert np.allclose(made.embed(["two"]), [unit("two")])


def test_an_answer_without_end_is_left(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", 1 << 20)
    server.replies = [says(b"[" + b" " * (3 << 20) + b"]")]
    assert "over 1 MB" in fault(server)


# --- refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (fails(401, KEY), "wants a key (401): set the variable CTX_EMBEDDER_KEY"),
        (fails(404, "model not found"), "no such model or path (404)"),
        (fails(404, TEXT), "'ollama pull small'"),
        (fails(400, f"cannot take {TEXT}"), "refuses the request (400): is small a model"),
        (fails(429, "insufficient_quota"), "no more requests (429): the quota is used up"),
    ],
)
def test_a_refusal_is_said_once_with_what_to_try(
    server: Server, reply: fake.Reply, message: str
) -> None:
    server.otherwise = reply
    assert message in fault(server)
    assert len(server.requests) == 1


def test_a_key_that_is_not_taken_is_said_to_be_wrong(server: Server) -> None:
    server.replies = [fails(401, f"Incorrect API key provided: {KEY}")]
    assert "does not take the key (401)" in fault(server, CTX_EMBEDDER_KEY=KEY)


def test_redirects_are_not_followed(server: Server) -> None:
    with serving() as elsewhere:
        for status in (301, 302, 303, 307, 308):
            server.replies = [fails(status, Location=f"{elsewhere.origin}/v1/embeddings")]
            assert f"redirects elsewhere ({status})" in fault(server, CTX_EMBEDDER_KEY=KEY)
        assert elsewhere.requests == []


# --- trouble that passes, and time ------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        fails(429, "slow down"),
        fails(429, "slow down", Retry_After="0"),
        fails(429, "slow down", Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"),
        fails(503, "Loading model"),
        fake.hangs_up,
        fake.half,
    ],
)
def test_passing_trouble_is_waited_out(server: Server, reply: fake.Reply) -> None:
    server.replies = [reply, reply]
    assert np.allclose(asking(server).embed(["one"]), [unit("one")])
    assert [seen.texts for seen in server.requests] == [["one"]] * 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (fails(500, TEXT), "fails (500)"),
        (fails(429), "no more requests (429)"),
        (fake.hangs_up, "the connection broke off"),
        (fake.half, "the connection broke off"),
    ],
)
def test_trouble_that_stays_is_given_up(server: Server, reply: fake.Reply, message: str) -> None:
    server.otherwise = reply
    assert message in fault(server)
    assert len(server.requests) == 4


def test_nobody_waits_longer_than_allowed_for_leave_to_ask(server: Server) -> None:
    server.replies = [fails(429, Retry_After="3600")]
    assert "the 5 s allowed for it are too short to ask again" in fault(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        fake.never_answers,
        fake.drips(b""),
        fake.drips(b"HTTP/1.1 200 OK\r\nX-Slow:"),
        fake.drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        fake.drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff0\r\n"),
        fake.drips(b"HTTP/1.0 200 OK\r\n\r\n"),
    ],
)
def test_a_server_without_end_is_left_in_time(server: Server, reply: fake.Reply) -> None:
    server.otherwise = reply
    assert "not done within 0.2 s" in fault(server, seconds=SOON)


def test_all_batches_share_the_time(server: Server) -> None:
    def slow(handler: fake.Handler, texts: list[str]) -> None:
        handler.wait(0.08)
        fake.honest(handler, texts)

    server.otherwise = slow
    assert "not done within 0.2 s" in fault(server, *["x"] * 1280, seconds=SOON)
    assert len(server.requests) < 5


def test_a_server_that_takes_no_connection_is_said() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = embedder(f"openai:small@http://127.0.0.1:{port}", {}, 5)
    assert made is not None
    with pytest.raises(EmbeddingError, match="cannot connect: is the server running"):
        made.embed(["one"])


def test_a_host_that_is_none_is_said() -> None:
    made = embedder("openai:small@http://nowhere.invalid", {}, 5)
    assert made is not None
    with pytest.raises(EmbeddingError, match=r"no host of that name|cannot connect"):
        made.embed(["one"])


def test_plain_http_behind_https_is_said(server: Server) -> None:
    made = embedder(f"openai:small@https://127.0.0.1:{server.port}", {}, 5)
    assert made is not None
    with pytest.raises(EmbeddingError, match="no secure connection"):
        made.embed(["one"])
    assert server.requests == []


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    made_of = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1"
    subprocess.run(
        ["openssl", *made_of.split(), "-subj", "/CN=127.0.0.1", "-keyout", "key", "-out", "cert"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with serving(context) as server:
        made = embedder(f"openai:small@https://127.0.0.1:{server.port}", {}, 5)
        assert made is not None
        with pytest.raises(EmbeddingError, match="certificate cannot be verified"):
            made.embed(["one"])
        assert server.requests == []


# --- names ------------------------------------------------------------------------------


def test_the_name_is_of_model_and_place() -> None:
    forms = ("http://h:1", "http://H:1/", "http://h:1/v1", "http://h:1/v1/embeddings")
    made = [embedder(f"openai:small@{form}", {"CTX_EMBEDDER_KEY": KEY}, 5) for form in forms]
    assert {one.name for one in made if one} == {"openai:small@http://h:1/v1"}
    others = ("openai:large@http://h:1", "openai:small@http://h:2", "openai:small@https://h:1")
    names = {one.name for spec in others if (one := embedder(spec, {}, 5))}
    assert len(names | {"openai:small@http://h:1/v1"}) == 4


def test_nested_are_the_models_that_are_trained_so() -> None:
    nested = (
        "text-embedding-3-small", "openai/text-embedding-3-large", "nomic-embed-text",
        "nomic-embed-text:latest", "nomic-ai/nomic-embed-text-v1.5", "mxbai-embed-large",
        "text-embedding-nomic-embed-text-v1.5", "Qwen/Qwen3-Embedding-0.6B",
    )  # fmt: skip
    others = (
        "text-embedding-ada-002", "nomic-ai/nomic-embed-text-v1", "all-minilm", "BAAI/bge-m3"
    )  # fmt: skip
    for model in (*nested, *others):
        made = embedder(f"openai:{model}@http://127.0.0.1:1", {}, 5)
        assert made is not None
        assert made.nested is (model in nested), model

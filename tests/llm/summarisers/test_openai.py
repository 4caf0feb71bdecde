"""Servers that write summaries, and every way in which they misbehave."""

from __future__ import annotations

import json
import logging
import math
import socket
import traceback
from typing import Any

import pytest

from tests.llm import chat_server as fake
from tests.llm import embedding_server as replies
from tests.llm.chat_server import Seen, always, chat, refuses, serving

pytest.importorskip("urllib3")

from collections.abc import Callable

from ctx.llm import http
from ctx.llm.summarisers import writer
from ctx.model import Draft, Prompt, SummaryError, Writer
from tests.llm.chat_server import Behaviour

KEY = "sk-never-shown-0123456789"
TEXT = "a secret that no message may hold"
PROMPT = Prompt("Say it in short.", f"user: {TEXT}\nassistant: we keep it in the drawer", 50)
SOON = 0.2
"""Seconds that a call may take where the server never ends."""


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSES", (0.01, 0.01, 0.01))


def writing(url: str, seconds: float = 30.0, **environ: str) -> Writer:
    made = writer(f"openai:small@{url}", environ, seconds)
    assert made is not None
    return made


def ask(behaviour: Behaviour, prompt: Prompt = PROMPT) -> tuple[Draft, list[Seen]]:
    """Return what a server's answer becomes, and what it was asked."""
    seen: list[Seen] = []
    with serving(behaviour, seen) as url:
        return writing(url).ask(prompt), seen


def fault(behaviour: Behaviour, seconds: float = 30.0, **environ: str) -> tuple[str, list[Seen]]:
    """Return the message of the error that asking ends in, in time and without secrets."""
    seen: list[Seen] = []
    with serving(behaviour, seen) as url, pytest.raises(SummaryError) as caught:
        writing(url, seconds, **environ).ask(PROMPT)
    everything = "".join(traceback.format_exception(caught.value))
    assert KEY not in everything
    assert TEXT not in everything
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(f"openai:small@{url}/v1: ")
    return message, seen


# --- what is sent and returned ----------------------------------------------------------


def test_a_request_says_what_the_interface_wants_and_no_more() -> None:
    found, seen = ask(
        lambda _: " They keep it — 引き出し.\n", Prompt("Be short.", "user: ü\ud800", 50)
    )
    assert found == Draft("They keep it — 引き出し.")
    (request,) = seen
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "user: ü?"},
        ],
        "temperature": 0,
        "max_tokens": 1124,
        "logprobs": True,
    }
    assert "Authorization" not in request.headers


def test_the_same_prompt_is_the_same_request() -> None:
    bodies = [ask(fake.honest)[1][0].body for _ in range(2)]
    assert bodies[0] == bodies[1]


def test_the_key_goes_into_a_header_and_into_no_log(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Seen] = []
    with serving(fake.honest, seen) as url, caplog.at_level(logging.DEBUG):
        made = writing(url, CTX_SUMMARISER_KEY=KEY, CTX_EMBEDDER_KEY="other", OPENAI_API_KEY="x")
        made.ask(PROMPT)
        assert made.name == f"openai:small@{url}/v1"
    assert seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert caplog.records
    assert KEY not in caplog.text
    assert TEXT not in caplog.text


def test_keys_of_others_are_not_sent() -> None:
    seen: list[Seen] = []
    with serving(fake.honest, seen) as url:
        writing(url, CTX_EMBEDDER_KEY=KEY, OPENAI_API_KEY=KEY).ask(PROMPT)
    assert "Authorization" not in seen[0].headers


def test_proxies_of_the_environment_see_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Seen] = []
    with serving(fake.honest, seen) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        assert len(ask(fake.honest)[1]) == 1
    assert seen == []


def test_an_answer_that_was_cut_off_is_returned() -> None:
    assert ask(lambda _: chat("They keep", reason="length"))[0].text == "They keep"


def test_thoughts_are_taken_off() -> None:
    assert ask(lambda _: "<think>hm\n</think>\n\nThey chose.")[0].text == "They chose."
    assert "tide" not in ask(fake.thinks)[0].text


def test_an_answer_in_parts_is_put_together() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "They "},
        "noise",
        {"type": "text", "text": "chose."},
    ]
    assert ask(lambda _: chat(parts))[0].text == "They chose."


# --- probabilities ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("logprobs", "mean"),
    [
        ([-0.5, -1.5], -1.0),
        ([0, -1], -0.5),
        ([-9999.0], -9999.0),
        ([-1e308, -1e308], -1e308),
        (None, None),
        ([], None),
        ([-0.5, 0.1], None),
        ([-0.5, None], None),
        ([-0.5, "-1"], None),
        ([-0.5, True], None),
        ([-0.5, False], None),
        ([-0.5, -math.inf], None),
        ([-0.5, math.nan], None),
        ([-0.5, -(10**400)], None),
        ([[-0.5]], None),
    ],
)
def test_the_mean_is_of_probabilities_that_can_be(
    logprobs: list[object] | None, mean: float | None
) -> None:
    found, _ = ask(lambda _: chat("They chose.", logprobs))
    assert found == Draft("They chose.", mean)


@pytest.mark.parametrize(
    "logprobs",
    [None, [], "high", {}, {"content": None}, {"content": {}}, {"content": [1]}, {"content": [{}]}],
)
def test_probabilities_in_another_form_are_none(logprobs: object) -> None:
    answer = chat("They chose.")
    answer["choices"][0]["logprobs"] = logprobs
    assert ask(lambda _: answer)[0] == Draft("They chose.", None)


def _tokens(*said: tuple[str, float]) -> dict[str, Any]:
    answer = chat("".join(token for token, _ in said))
    content = [{"token": token, "logprob": logprob} for token, logprob in said]
    answer["choices"][0]["logprobs"] = {"content": content}
    return answer


def test_probabilities_of_thoughts_do_not_count() -> None:
    said = [("<think>", -9.0), ("hm", -9.0), ("</thi", -9.0), ("nk>\n", -9.0), ("They", -1.0)]
    assert ask(lambda _: _tokens(*said, (" chose", -3.0)))[0] == Draft("They chose", -2.0)
    answer = _tokens(*said)
    del answer["choices"][0]["logprobs"]["content"][2:4]
    assert ask(lambda _: answer)[0] == Draft("They", None)


# --- parameters that a server does not know ---------------------------------------------


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    "names",
    [("logprobs",), ("max_tokens",), ("temperature",), ("max_tokens", "temperature", "logprobs")],
)
def test_what_is_refused_by_name_is_left_out_from_then_on(
    names: tuple[str, ...], status: int
) -> None:
    seen: list[Seen] = []
    with serving(refuses(*names, status=status), seen) as url:
        made = writing(url)
        assert made.ask(PROMPT).text
        assert len(seen) == 1 + len(names)
        made.ask(PROMPT)
    assert len(seen) == 2 + len(names)
    optional = {"temperature", "max_tokens", "logprobs"}
    for request in seen[-2:]:
        assert set(request.body) == {"model", "messages"} | optional - set(names)


def test_a_server_that_refuses_whatever_is_left_out_is_given_up() -> None:
    refusal = replies.fails(400, "temperature, max_tokens and logprobs are wrong")
    message, seen = fault(always(refusal))
    assert "refuses the request (400): is small a model for chat?" in message
    assert len(seen) == 2


def test_a_refusal_of_something_else_changes_nothing() -> None:
    message, seen = fault(always(replies.fails(400, f"bad words: {TEXT}")))
    assert "refuses the request (400)" in message
    assert len(seen) == 1


# --- answers that are none --------------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (fake.is_silent, "answered nothing: does this model write texts?"),
        (lambda _: "\n \n", "answered nothing"),
        (lambda _: chat(None), "answered nothing"),
        (lambda _: chat([]), "answered nothing"),
        (lambda _: "<think>on and on", "thought, and did not answer: switch its thinking off"),
        (lambda _: chat(7), "the answer holds no text: is this an address for chat?"),
        (lambda _: {"choices": []}, "the answer holds no text"),
        (lambda _: {"choices": [None]}, "the answer holds no text"),
        (lambda _: {"choices": [{"text": TEXT}]}, "the answer holds no text"),
        (lambda _: {"choices": {"0": TEXT}}, "the answer holds no text"),
        (lambda _: {"error": {"message": TEXT}}, "the answer holds no text"),
        (always(replies.says(b"[]")), "the answer holds no text"),
        (always(replies.says(b"")), "not whole, or no JSON"),
        (always(replies.says(b'{"choices": [{"mess')), "not whole, or no JSON"),
        (always(replies.says(b"\xff\xfe")), "not whole, or no JSON"),
        (always(replies.says(b"[" * 100_000)), "not whole, or no JSON"),
        (always(replies.says(b"<!doctype html>")), "a web page"),
        (always(replies.says(b"hi", Content_Type="text/html")), "a web page"),
        (always(replies.says(b"not packed", Content_Encoding="gzip")), "packed in a way"),
        (lambda _: "x" * (1 << 20) + "x", "the answer is over 1 MB: is this a model that"),
    ],
)
def test_an_answer_that_is_none_is_an_error(behaviour: Behaviour, message: str) -> None:
    said, seen = fault(behaviour)
    assert message in said
    assert len(seen) == 1


def test_an_answer_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", 1 << 20)
    assert (
        "over 1 MB: is this the right address?"
        in fault(always(replies.says(b"[" + b" " * (3 << 20) + b"]")))[0]
    )


# --- refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (replies.fails(401, KEY), "wants a key (401): set the variable CTX_SUMMARISER_KEY"),
        (replies.fails(403, TEXT), "wants a key (403)"),
        (replies.fails(404, TEXT), "no such model or path (404): check both; a model of Ollama"),
        (replies.fails(405), "no such model or path (405)"),
        (replies.fails(422, TEXT), "refuses the request (422): is small a model for chat?"),
        (replies.fails(429, "insufficient_quota"), "no more requests (429): the quota"),
        (replies.fails(501), "fails (501)"),
        (replies.fails(413), "refuses the text as too long (413): give the model a larger context"),
        (
            replies.fails(400, "This model's maximum context length is 4096 tokens"),
            "refuses the text as too long (400)",
        ),
        (replies.fails(500, "the request exceeds the context size"), "as too long (500)"),
    ],
)
def test_a_refusal_is_said_once_with_what_to_try(reply: replies.Reply, message: str) -> None:
    said, seen = fault(always(reply))
    assert message in said
    assert len(seen) == 1


def test_a_key_that_is_not_taken_is_said_to_be_wrong() -> None:
    refusal = always(replies.fails(401, f"Incorrect API key provided: {KEY}"))
    assert "does not take the key (401)" in fault(refusal, CTX_SUMMARISER_KEY=KEY)[0]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    seen: list[Seen] = []
    with serving(fake.honest, seen) as elsewhere:
        reply = replies.fails(status, Location=f"{elsewhere}/v1/chat/completions")
        message, _ = fault(always(reply), CTX_SUMMARISER_KEY=KEY)
    assert f"redirects elsewhere ({status})" in message
    assert seen == []


# --- trouble that passes, and time ------------------------------------------------------

PASSING = [
    replies.fails(408),
    replies.fails(429, "slow down"),
    replies.fails(429, "slow down", Retry_After="0"),
    replies.fails(500, "oops"),
    replies.fails(503, "Loading model"),
    replies.hangs_up,
]


@pytest.mark.parametrize("reply", PASSING)
def test_passing_trouble_is_waited_out(reply: replies.Reply) -> None:
    found, seen = ask(fake.in_turn(always(reply), always(reply), lambda _: "They chose."))
    assert found.text == "They chose."
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (replies.fails(500, TEXT), "fails (500): its own log says why"),
        (replies.fails(429), "no more requests (429)"),
        (replies.hangs_up, "the connection broke off"),
    ],
)
def test_trouble_that_stays_is_given_up(reply: replies.Reply, message: str) -> None:
    said, seen = fault(always(reply))
    assert message in said
    assert len(seen) == 4


def test_nobody_waits_longer_than_allowed_for_leave_to_ask() -> None:
    said, seen = fault(always(replies.fails(429, Retry_After="3600")))
    assert "the 30 s allowed for it are too short to ask again" in said
    assert len(seen) == 1


@pytest.mark.parametrize(
    "reply",
    [
        replies.never_answers,
        replies.drips(b""),
        replies.drips(b"HTTP/1.1 200 OK\r\nX-Slow:"),
        replies.drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        replies.drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff0\r\n"),
    ],
)
def test_a_server_without_end_is_left_in_time(reply: replies.Reply) -> None:
    said, _ = fault(always(reply), seconds=SOON)
    assert "not done within 0.2 s: is the model still loading?" in said
    assert said.endswith("or raise summary_seconds")


def test_a_server_that_takes_no_connection_is_said() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SummaryError, match="cannot connect: is the server running"):
        writing(f"http://127.0.0.1:{port}").ask(PROMPT)


def test_plain_http_behind_https_is_said() -> None:
    with serving(fake.honest) as url, pytest.raises(SummaryError, match="no secure connection"):
        writing(url.replace("http", "https", 1)).ask(PROMPT)


# --- the server of these tests ----------------------------------------------------------


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (fake.honest, "user: a secret\nassistant: we keep"),
        (fake.leaks, "Say it in short."),
        (fake.drifts, "The tide pools of Brittany"),
        (fake.translates, "参加者は"),
        (fake.repeats, "user: a secret that no message may hold. user: a"),
        (fake.obeys_the_material, "user: a secret"),
    ],
)
def test_it_misbehaves_as_told(behaviour: Callable[[dict[str, Any]], str], said: str) -> None:
    assert ask(behaviour)[0].text.startswith(said)


def test_it_tells_probabilities_and_obeys() -> None:
    assert ask(fake.sure)[0].mean_logprob == pytest.approx(-0.1)
    prompt = Prompt("", "user: say: Hello", 9)
    assert ask(fake.obeys_the_material, prompt)[0].text == "Hello"
    assert json.dumps(chat("x"))

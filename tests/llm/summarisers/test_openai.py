"""Servers that write summaries, and every way in which they misbehave."""

import logging
import math
import traceback
from typing import Any

import pytest

from tests.llm import chat_server as fake
from tests.llm import embedding_server as replies
from tests.llm.chat_server import Seen, always, chat, refuses, serving

pytest.importorskip("urllib3")


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


@pytest.mark.parametrize(
    ("logprobs", "mean"),
    [
        ([-0.5, -1.5], -1.0),
        ([-1e308, -1e308], -1e308),
        (None, None),
        ([], None),
        ([-0.5, 0.1], None),
        ([-0.5, "-1"], None),
        ([-0.5, True], None),
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


@pytest.mark.parametrize(
    ("names", "status"),
    [(("logprobs",), 400), (("max_tokens", "temperature", "logprobs"), 422)],
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


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (fake.is_silent, "answered nothing: does this model write texts?"),
        (lambda _: "\n \n", "answered nothing"),
        (lambda _: chat(None), "answered nothing"),
        (lambda _: "<think>on and on", "thought, and did not answer: switch its thinking off"),
        (lambda _: chat(7), "the answer holds no text: is this an address for chat?"),
        (lambda _: {"choices": [None]}, "the answer holds no text"),
        (lambda _: {"choices": [{"text": TEXT}]}, "the answer holds no text"),
        (lambda _: {"choices": {"0": TEXT}}, "the answer holds no text"),
        (lambda _: {"error": {"message": TEXT}}, "the answer holds no text"),
        (always(replies.says(b"[]")), "the answer holds no text"),
        (always(replies.says(b"<!doctype html>")), "a web page"),
        (lambda _: "x" * (1 << 20) + "x", "the answer is over 1 MB: is this a model that"),
    ],
)
def test_an_answer_that_is_none_is_an_error(behaviour: Behaviour, message: str) -> None:
    said, seen = fault(behaviour)
    assert message in said
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (replies.fails(401, KEY), "wants a key (401): set the variable CTX_SUMMARISER_KEY"),
        (replies.fails(404, TEXT), "no such model or path (404): check both; a model of Ollama"),
        (replies.fails(422, TEXT), "refuses the request (422): is small a model for chat?"),
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


def test_redirects_are_not_followed() -> None:
    seen: list[Seen] = []
    with serving(fake.honest, seen) as elsewhere:
        reply = replies.fails(307, Location=f"{elsewhere}/v1/chat/completions")
        message, _ = fault(always(reply), CTX_SUMMARISER_KEY=KEY)
    assert "redirects elsewhere (307)" in message
    assert seen == []


def test_trouble_that_passes_is_waited_out_and_what_stays_is_given_up() -> None:
    trouble = always(replies.fails(500, TEXT))
    found, seen = ask(fake.in_turn(trouble, trouble, lambda _: "They chose."))
    assert (found.text, len(seen)) == ("They chose.", 3)
    said, seen = fault(trouble)
    assert "fails (500): its own log has the reason" in said
    assert len(seen) == 4


def test_a_server_without_end_is_left_in_time() -> None:
    said, _ = fault(always(replies.drips(b"HTTP/1.1 200 OK\r\nX-Slow:")), seconds=SOON)
    assert "not done within 0.2 s: is the model still loading?" in said
    assert said.endswith("or raise summary_seconds")

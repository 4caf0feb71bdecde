"""What answers of servers and programs mean, in the words of who asks."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.errors import UsageError
from ctx.llm import answers as meaning
from ctx.llm.answers import MAX_BYTES, Answer, draft, without_thoughts
from ctx.llm.spec import Client, address, key
from ctx.model import SummaryError

# --- what those who ask servers share, and what each says in its own words ---------------

ACME = Client("acme", "acme_seconds", ValueError, "CTX_ACME_KEY", "/things", "things", "big")


FORM = "(write openai:MODEL@URL, such as openai:big@http://localhost:11434)"
ALONE = "name the address alone; a key belongs into the variable CTX_ACME_KEY"
HOLDS = "acme: the URL holds a"


def test_a_wrong_address_is_refused_in_the_words_of_who_asks() -> None:
    for argument, message in (
        ("m", f"acme: 'openai:' needs a model and an address {FORM}"),
        ("m@http://", f"acme: the address after 'openai:' is not a URL {FORM}"),
        ("m@http://x@h", f"{HOLDS} user or password (put the key into the variable CTX_ACME_KEY)"),
        ("m@http://h/?x", f"{HOLDS} query or fragment ({ALONE})"),
    ):
        with pytest.raises(UsageError) as caught:
            address(argument, ACME)
        assert str(caught.value) == message, argument


def test_a_key_is_looked_for_by_its_own_name_and_refused_by_its_own_error() -> None:
    place = address("m@http://h", ACME)
    assert key(place, {"CTX_ACME_KEY": " k\n", "CTX_EMBEDDER_KEY": "other"}, ACME) == "k"
    with pytest.raises(ValueError, match=r"^CTX_ACME_KEY holds characters that no key has"):
        key(place, {"CTX_ACME_KEY": "two words"}, ACME)


# --- what answers mean ------------------------------------------------------------------


def _answer(status: int, body: bytes = b"", kind: str = "application/json") -> Answer:
    return Answer(status, kind, None, body)


def test_what_a_refusal_for_size_is() -> None:
    for status, body, size in (
        (413, b"", True),
        (400, b"maximum context length is 512", True),
        (422, b"batch size 66 > maximum allowed batch size 16", True),
        (500, b"input is too large to process", True),
        (503, b"too many requests", False),
        (400, b"unknown field", False),
        (400, b" " * 2000 + b"too large", False),
    ):
        assert meaning.is_size(_answer(status, body)) is size, status


def test_what_may_pass() -> None:
    for status, body, passes in (
        (408, b"", True), (425, b"", True), (429, b"slow down", True),
        (429, b'{"code": "insufficient_quota"}', False), (500, b"", True), (501, b"", False),
        (505, b"", False), (599, b"", True), (400, b"", False), (404, b"", False),
    ):  # fmt: skip
        assert meaning.is_passing(_answer(status, body)) is passes, status


def test_a_refusal_names_variable_and_purpose_of_who_asks() -> None:
    place = address("m@http://h", ACME)
    assert meaning.refusal(_answer(401), place, ACME, has_key=False) == (
        "wants a key (401): set the variable CTX_ACME_KEY"
    )
    assert meaning.refusal(_answer(400), place, ACME, has_key=False) == (
        "refuses the request (400): is m a model for things?"
    )


def test_what_is_no_json_is_the_error_of_who_asks() -> None:
    pytest.importorskip("urllib3")
    from ctx.llm.http import parsed

    assert parsed(_answer(200, b'{"a": 1}'), "m", ACME) == {"a": 1}
    with pytest.raises(ValueError, match=r"^m: the answer is not whole, or no JSON: try again$"):
        parsed(_answer(200, b"secret"), "m", ACME)
    with pytest.raises(ValueError, match=r"^m: answered with a web page"):
        parsed(_answer(200, b"{}", "text/html"), "m", ACME)


# --- what is left of an answer -----------------------------------------------------------


def test_an_answer_is_what_follows_the_thoughts() -> None:
    for said, answer in (
        ("They chose SQLite.", "They chose SQLite."),
        ("\ufeff\r\n They chose.\r\n\r\nThey left.\r\n", "They chose.\n\nThey left."),
        ("<think>Hm.\nWell.</think>\n\nThey chose SQLite.", "They chose SQLite."),
        ("\n<think></think>They chose.", "They chose."),
        ("Hm, they want it short.\n</think>\n\nThey chose.", "They chose."),
        ("Short, then.</think> \nThey chose.", "They chose."),
        # Marks in the middle of a line, or of an answer, are what was talked about.
        ("The parser drops </think> from answers.", "The parser drops </think> from answers."),
        ("It reads <think>x</think>\nand goes on.", "It reads <think>x</think>\nand goes on."),
        ("<think>a</think>It reads </think> now.", "It reads </think> now."),
        ("a\ud800b", "a?b"),
    ):
        found = draft(said, "m")
        assert (found.text, found.mean_logprob) == (answer, None), said


def test_an_answer_of_nothing_is_an_error() -> None:
    for said in ("", " \n\t", "\ufeff", "\r\n"):
        with pytest.raises(
            SummaryError, match=r"^m: answered nothing: does this model write texts\?$"
        ):
            draft(said, "m")


def test_thoughts_without_an_answer_are_an_error() -> None:
    for said in ("<think>a secret", "<think>a secret</think>\n", "x\n</think>"):
        with pytest.raises(SummaryError, match=r"^m: thought, and did not answer") as caught:
            draft(said, "m")
        assert "secret" not in str(caught.value), said


def test_an_answer_may_have_a_megabyte_and_no_more() -> None:
    assert len(draft("é" * (MAX_BYTES // 2), "m").text) == MAX_BYTES // 2
    with pytest.raises(SummaryError, match=r"^m: the answer is over 1 MB"):
        draft("é" * (MAX_BYTES // 2) + "x", "m")


@given(st.text() | st.lists(st.sampled_from(["<think>", "</think>", "a", "\n", " "])).map("".join))
@example("</think>")
def test_what_is_taken_off_stands_before_what_is_left(text: str) -> None:
    left = without_thoughts(text)
    assert text.endswith(left)
    assert not left.lstrip().startswith("<think>") or "</think>" in text.removesuffix(left)
    if "think>" not in text:
        assert left == text

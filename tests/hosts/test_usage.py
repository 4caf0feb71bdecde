"""What transcripts tell of how full the window is."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ctx.hosts.transcripts import NAMES, format_of
from ctx.model.transcripts import Format

FORMATS = [*map(format_of, NAMES)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


def line(record: object) -> bytes:
    return json.dumps(record).encode()


def test_claude_tells_what_the_last_answer_counted() -> None:
    usage = {
        "input_tokens": 4, "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 20_000, "output_tokens": 300,
    }  # fmt: skip
    lines = [
        line({"type": "assistant", "message": {"usage": {"input_tokens": 1}}}),
        line({"type": "assistant", "message": {"usage": usage}}),
        line({"type": "assistant", "isSidechain": True, "message": {"usage": {"input_tokens": 9}}}),
        line({"type": "user", "message": {"content": "x"}}),
        b"{torn",
    ]
    assert format_of("claude").usage(lines) == (20_404, None)
    lines.append(line({"type": "system", "subtype": "compact_boundary"}))
    assert format_of("claude").usage(lines) == (None, None), "of the window before"


def test_codex_tells_what_is_used_of_what() -> None:
    info = {"last_token_usage": {"total_tokens": 7_000}, "model_context_window": 258_400}
    lines = [
        line({"type": "event_msg", "payload": {"type": "token_count", "info": info}}),
        line({"type": "event_msg", "payload": {"type": "token_count", "info": None}}),
    ]
    assert format_of("codex").usage(lines) == (7_000, 258_400)
    lines.append(line({"type": "compacted", "payload": {"message": "What was done so far"}}))
    assert format_of("codex").usage(lines) == (None, None), "of the window before"


def test_gemini_tells_what_the_last_message_counted() -> None:
    lines = [line({"type": "gemini", "tokens": {"total": 1_234}})]
    assert format_of("gemini").usage(lines) == (1_234, None)


def test_a_transcript_that_tells_nothing_tells_nothing() -> None:
    odd = [b"", b"[1]", b"\xff", b"{}", line({"type": "assistant", "message": {"usage": 3}})]
    odd.append(line({"type": "assistant", "message": {"usage": {"input_tokens": -1}}}))
    odd.append(line({"payload": {"type": "token_count", "info": {"last_token_usage": "x"}}}))
    odd.append(line({"tokens": {"total": True}}))
    assert {one.usage(lines) for one in FORMATS for lines in (odd, [])} == {(None, None)}


@given(st.sampled_from(FORMATS), st.lists(st.binary(max_size=30) | JSON.map(line), max_size=5))
def test_whatever_a_transcript_holds_usage_does_not_raise(one: Format, lines: list[bytes]) -> None:
    used, length = one.usage(lines)
    assert used is None or used >= 0
    assert length is None or length >= 0

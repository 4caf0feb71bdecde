"""What is obeyed or hidden is written out; ordinary text of any language stays as it is."""

import json

from hypothesis import given
from hypothesis import strategies as st

from ctx.text.names import shown
from ctx.text.visible import escaped_json, visible, visible_json

ORDINARY = (
    "می‌خواهم", "क्‍ष", "ශ්‍රී", "שלום\u200f!", "ภาษา\u200bไทย", "Donau\u00addampf",
    "👩‍👩‍👧‍👦 ❤️‍🔥 🏳️‍🌈 1️⃣ ✅", "葛\U000e0100", "ᠮᠣᠩ\u180bᠭᠣᠯ", "a\u2060b", "\u2061x",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "tab\tand\nline", "\ufffd\ue000", "Z\u0351a\u0363",
)  # fmt: skip
OBEYED = (
    "\0", "\x07", "\x1b", "\r", "\x0b", "\x0c", "\x7f", "\x85", "\x9b", "\u2028", "\u2029",
    "\u202e", "\u2066", "\u206a", "\ufeff", "\ufff9", "\U000e0041", "\U000e0001", "\udcff",
    "a\ufe01", "❤\ufe0f\ufe01", "\u200b\u200c\u200d",
)  # fmt: skip
anything = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("".join(ORDINARY + OBEYED)),
        st.sampled_from('\u200b\u200d\u2060\ufe00\ufe0f\U000e0100\x1b\U000e007fa1 \\"u'),
    )
)


def test_ordinary_text_stays_and_what_is_obeyed_or_hidden_is_written_out() -> None:
    for text in ORDINARY:
        assert visible(text) == text
        assert visible_json(json.dumps(text)) == json.dumps(text)
    for text in OBEYED:
        assert visible(f"x {text} y").isprintable() or "\ufe0f" in text
        assert visible(f"x {text} y") != f"x {text} y"
        assert shown(f"{text}\t\n.md").isprintable() or "\ufe0f" in text


@given(anything, anything)
def test_once_is_enough_and_lines_are_apart(text: str, more: str) -> None:
    once = visible(text)
    assert visible(once) == once
    assert visible(f"{text}\n{more}") == f"{once}\n{visible(more)}"
    once.encode()


@given(st.dictionaries(anything, anything | st.integers()), st.booleans(), st.integers(0, 1))
def test_strings_of_json_are_as_text_is(
    value: dict[str, object],
    ascii_only: bool,
    indent: int,
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    clean = {
        visible(key): visible(one) if isinstance(one, str) else one for key, one in value.items()
    }
    assert json.loads(visible_json(text)) == clean
    assert json.loads(escaped_json(text)) == value
    assert visible(escaped_json(text)) == escaped_json(text)

"""Lines of a file that change one by one: every other byte stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.edit.entries import below_heading
from ctx.edit.lines import Lines

MARKS = {"utf-8": b"", "utf-8-sig": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe",
         "utf-16-be": b"\xfe\xff"}  # fmt: skip


def encoded(text: str, codec: str) -> bytes:
    name = codec.removesuffix("-sig")
    return MARKS[codec] + text.encode(name)


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_a_line_is_inserted_and_replaced_in_any_encoding(codec: str, eol: str) -> None:
    data = encoded(f"ä{eol}b{eol}c", codec)
    held = Lines(data)
    assert list(held.texts) == ["ä", "b", "c"]
    assert held.inserted(1, ["x", ""]) == encoded(f"ä{eol}x{eol}{eol}b{eol}c", codec)
    assert held.inserted(3, ["x"]) == encoded(f"ä{eol}b{eol}c{eol}x{eol}", codec)
    assert held.replaced(0, "ö ö") == encoded(f"ö ö{eol}b{eol}c", codec)
    assert held.replaced(2, "") == encoded(f"ä{eol}b{eol}", codec)


def test_what_is_no_text_stays() -> None:
    assert Lines(b"a\xff\n\x80b").replaced(1, "c") == b"a\xff\nc"
    assert Lines(b"a\n\x80b\n").inserted(1, ["c"]) == b"a\nc\n\x80b\n"
    wide = b"\xff\xfe" + "a\n".encode("utf-16-le") + b"\x00\xd8"
    assert Lines(wide + b"x").inserted(1, ["c"]) == (
        b"\xff\xfe" + "a\nc\n".encode("utf-16-le") + b"\x00\xd8x"
    )


_ANY = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xff", b"\xc3\xa4", b"\0"]))
    .map(b"".join),
)  # fmt: skip


@given(_ANY, st.sampled_from(list(MARKS.values())), st.data())
def test_all_other_bytes_stay(data: bytes, mark: bytes, drawn: st.DataObject) -> None:
    whole = mark + data
    held = Lines(whole)
    number = drawn.draw(st.integers(0, len(held.texts)))
    start = held.offset(number)
    after = held.inserted(number, ["x"])
    tail = len(whole) - start
    assert after[:start] == whole[:start]
    assert after[len(after) - tail :] == whole[start:]
    if number < len(held.texts):
        assert held.replaced(number, held.texts[number]) == whole
        assert list(Lines(held.replaced(number, "y")).texts) == [
            *held.texts[:number], "y", *held.texts[number + 1 :]
        ]  # fmt: skip


def test_a_line_stands_apart_below_a_heading() -> None:
    for text, heading, after in (
        ("## A\n\nbody\n", 0, "## A\n\nX\n\nbody\n"), ("## A\nbody\n", 0, "## A\n\nX\n\nbody\n"),
        ("## A", 0, "## A\n\nX\n"), ("## A\n", 0, "## A\n\nX\n"),
        ("## A\n\n\n## B\n", 0, "## A\n\nX\n\n\n## B\n"),
        ("## A\n## B\n", 0, "## A\n\nX\n\n## B\n"),
        ("# T\n\nA\n---\nbody\n", 2, "# T\n\nA\n---\n\nX\n\nbody\n"),
        ("A\nB\n===\n", 0, "A\nB\n===\n\nX\n"),
        ("## A\r\n\r\nbody\r\n", 0, "## A\r\n\r\nX\r\n\r\nbody\r\n"),
    ):  # fmt: skip
        assert below_heading(text.encode(), heading, "X").decode() == after, text

"""JSON as people write it, drawn for property tests: a text, and the value that it stands for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from ctx.model import Json, JsonObject


class Document(NamedTuple):
    """A text and its value."""

    text: str
    value: JsonObject


_SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.sampled_from(("", "// no", "/* no */", '"', "\\", "{", "},", "é 日本 🎉", "a\nb"))
    | st.text(st.characters(codec="utf-8"), max_size=8)
)  # fmt: skip
_KEYS = st.sampled_from(
    ("a", "b", "model", "ключ", "x y", 'q"', "//", "Stop", "matcher", "version")
)


@st.composite
def documents(draw: DrawFn) -> Document:  # noqa: C901 - a grammar, a rule a function
    """Draw settings: an object with comments, any blanks, trailing commas and doubled names."""
    eol = draw(st.sampled_from(("\n", "\r\n")))
    lined = draw(st.booleans())
    blanks = ["", " ", "  ", "\t"]
    comments = ["/* c */", '/* { " */ ', f"// l {eol}", f"  // }}, {eol}"]
    gaps: st.SearchStrategy[str] = st.sampled_from(
        [*blanks, eol, f"{eol}  ", *comments] if lined else [*blanks, *comments[:2]]
    )

    def gap() -> str:
        parts: list[str] = draw(st.lists(gaps, max_size=2))
        return "".join(parts)

    def member(key: str, depth: int, *, hooks: bool) -> tuple[str, Json]:
        if hooks and key == "hooks" and depth == 0:
            text, value = of_events()
        else:
            text, value = one(depth + 1)
        return f"{json.dumps(key, ensure_ascii=draw(st.booleans()))}{gap()}:{gap()}{text}", value

    def joined(parts: list[str], opening: str, closing: str) -> str:
        text = f",{gap()}".join(f"{gap()}{part}{gap()}" for part in parts)
        ends = draw(st.sampled_from((False, True)))
        trailing = f",{gap()}" if parts and ends else ""
        return f"{opening}{gap()}{text}{trailing}{closing}"

    def an_object(depth: int, keys: list[str]) -> tuple[str, JsonObject]:
        pairs = [(key, *member(key, depth, hooks=True)) for key in keys]
        return joined([text for _, text, _ in pairs], "{", "}"), {
            key: value for key, _, value in pairs
        }

    def one(depth: int) -> tuple[str, Json]:
        kind = draw(st.integers(0, 5 if depth < 4 else 3))
        if kind == 4:
            items = [one(depth + 1) for _ in range(draw(st.integers(0, 3)))]
            return joined([text for text, _ in items], "[", "]"), [value for _, value in items]
        if kind == 5:
            return an_object(depth, draw(st.lists(_KEYS, max_size=3)))
        value = draw(_SCALARS)
        return json.dumps(value, ensure_ascii=draw(st.booleans())), value

    def of_events() -> tuple[str, Json]:
        names = draw(st.lists(st.sampled_from(("SessionStart", "Stop", "x")), max_size=3))
        pairs = []
        for name in names:
            items = [group() for _ in range(draw(st.integers(0, 2)))]
            text = joined([text for text, _ in items], "[", "]")
            pairs.append((name, text, [value for _, value in items]))
        texts = [f"{json.dumps(name)}{gap()}:{gap()}{text}" for name, text, _ in pairs]
        return joined(texts, "{", "}"), {name: value for name, _, value in pairs}

    def group() -> tuple[str, Json]:
        hook = '{"type": "command", "command": "echo"}'
        return joined([f'"hooks":{gap()}[{hook}]'], "{", "}"), {
            "hooks": [{"type": "command", "command": "echo"}]
        }

    keys = draw(st.lists(_KEYS | st.just("hooks"), max_size=4))
    text, value = an_object(0, keys)
    return Document(f"{gap()}{text}{gap()}", value)

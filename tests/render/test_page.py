"""The page of ``ctx explain --html`` as a text: what is in it can be nothing but text."""

import json
import re
from base64 import b64decode
from hashlib import sha256
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from ctx.render.page import inert, page

NASTY = ("</script>", "<!--", "-->", "<script>", "</Style>", "]]>", "\u2028", "{{script}}", "&amp;")
TEXTS = st.one_of(st.text(max_size=30), st.lists(st.sampled_from(NASTY), max_size=4).map("".join))


class Parsed(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}
        self._inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = True

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            at = len(self.tags) - 1
            self.texts[at] = self.texts.get(at, "") + data

    def texts_of(self, tag: str) -> list[str]:
        return [self.texts.get(at, "") for at, (name, _) in enumerate(self.tags) if name == tag]


@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)))
def test_data_says_the_same_and_ends_no_script(data: object) -> None:
    text = inert(data)
    assert json.loads(text) == data
    assert not re.search("[<\u2028\u2029]", text)


@given(TEXTS, TEXTS)
def test_texts_change_nothing_of_the_page(title: str, text: str) -> None:
    plain = Parsed(page("", {"text": ""}))
    found = Parsed(page(title, {"text": text}))
    assert found.tags == plain.tags
    scripts = found.texts_of("script")
    assert json.loads(scripts[0]) == {"text": text}
    assert scripts[1:] == plain.texts_of("script")[1:]
    assert found.texts_of("style") == plain.texts_of("style")
    assert found.texts_of("title") == [title]


def test_nothing_may_be_loaded_and_only_what_is_in_it_runs() -> None:
    found = Parsed(page("title", {}))
    policy = next(
        attributes["content"]
        for tag, attributes in found.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        allowed = b64decode(rules[rule].removeprefix("'sha256-").removesuffix("'"))
        assert sha256(found.texts_of(tag)[-1].encode()).digest() == allowed
    # The policy stands before all that it is about.
    assert [tag for tag, _ in found.tags].index("style") > 3


def test_it_names_no_other_place() -> None:
    text = page("title", {})
    assert not re.search(r"https?:|//[a-z]|url\(|@import|\bfetch\b|XMLHttpRequest|WebSocket", text)
    assert not [
        (tag, name)
        for tag, attributes in Parsed(text).tags
        for name in attributes
        if name in ("src", "srcset", "action") or name.startswith("on") or name == "style"
    ]


def test_texts_reach_it_as_text_only() -> None:
    script = Parsed(page("title", {})).texts_of("script")[-1]
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", script
    )

"""Changing JSON by splicing its text: what is not changed stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.edit.json_splice import DEEPEST, ScanError, at_path, scan, with_item, with_member, without
from ctx.model import Json
from tests.hooks.documents import Document, documents


def value(text: str) -> object:
    node = scan(text)
    return None if node is None else node.value


# --- reading ------------------------------------------------------------------------------


def test_json_with_comments_is_read() -> None:
    for text, expected in (
        ("{}", {}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": [1, 2,], /* x */ }', {"a": [1, 2]}),
        ('// first\r\n{"a": "// no" } // last', {"a": "// no"}),
        ('["\\u00e9\\n", -1.5e3, true, false, null]', ["é\n", -1500.0, True, False, None]),
        ("/**/ 7 /* * / **/", 7),
        ('"alone"', "alone"),
    ):
        assert value(text) == expected, text


def test_blanks_and_comments_alone_hold_nothing() -> None:
    for text in ("", " \r\n\t", "// only", "/* a */ // b\n"):
        assert scan(text) is None, text


def test_what_is_no_json_says_where_and_what() -> None:
    for text, at, what in (
        ("{", 1, "a name"), ("[1 2]", 3, "a comma or ]"), ("[1", 2, "a comma or ]"),
        ('{"a" 1}', 5, "a colon"), ('{"a": }', 6, "no value"), ("{a: 1}", 1, "a name"),
        ("{'a': 1}", 1, "a name"), ('{"a": 1} x', 9, "behind the end"),
        ("{} {}", 3, "behind the end"), ('{"a": "b}', 6, "a text never ends"),
        ('"a\nb"', 0, "a text never ends"), ('"\\x"', 0, "a text never ends"),
        ("{ /* a", 2, "a comment never ends"), ("01", 0, "no value"), ("1.", 0, "no value"),
        ("+1", 0, "no value"), ("nul", 0, "no value"), ("nullx", 0, "no value"),
        ("NaN", 0, "no value"), ("[,]", 1, "no value"),
        ("[" * (DEEPEST + 2), DEEPEST + 1, "deeper"), ("9" * 5000, 0, "cannot be read"),
        ("[1\u00a0]", 2, "a comma or ]"),
    ):  # fmt: skip
        with pytest.raises(ScanError, match=what) as caught:
            scan(text)
        assert caught.value.at == at, text


@given(documents())
def test_a_text_is_read_as_what_it_stands_for(document: Document) -> None:
    assert value(document.text) == document.value


@given(st.text('{}[]",:/*\\ \n1at', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = scan(text)
    except ScanError as error:
        start, end = error.at, len(text)
    else:
        start, end = (node.start, node.end) if node else (0, 0)
    assert 0 <= start <= end <= len(text)


# --- putting in ---------------------------------------------------------------------------


def test_a_member_takes_the_ways_of_its_file() -> None:
    for text, expected in (
        ("", '{\n  "k": 1\n}\n'),
        ("// c", '// c\n{\n  "k": 1\n}\n'),
        ("// c\r\n", '// c\r\n{\r\n  "k": 1\r\n}\r\n'),
        ("{}", '{  \n  "k": 1\n}'),
        ("{ }", '{  \n  "k": 1\n }'),
        ("{\n}", '{  \n  "k": 1\n\n}'),
        ("{ // c\n}", '{  \n  "k": 1\n // c\n}'),
        ('{"a": 1}', '{"a": 1, "k": 1}'),
        ('{"a": 1,}', '{"a": 1, "k": 1,}'),
        ('{"a": 1 /* b */}', '{"a": 1 /* b */, "k": 1}'),
        ('{"a": 1 // b\n}', '{"a": 1, // b\n  "k": 1\n}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"k": 1\n}\n'),
        ('{\n    "a": 1,\n}', '{\n    "a": 1,\n    "k": 1,\n}'),
        ('{\n  "a": 1 // b\n  // c\n}', '{\n  "a": 1, // b\n  "k": 1\n  // c\n}'),
        ('{\n  "a": 1, /* b */ // c\n}', '{\n  "a": 1, /* b */ // c\n  "k": 1,\n}'),
        ('{\r\n  "a": 1}', '{\r\n  "a": 1,\r\n  "k": 1}'),
    ):
        assert with_member(text, ("k",), 1) == expected, text


def test_what_is_missing_on_the_way_is_made() -> None:
    assert with_item("{}", ("h", "e"), 1) == '{  \n  "h": {\n    "e": [\n      1\n    ]\n  }\n}'
    assert with_item('{"h": {}}', ("h", "e"), 1) == '{"h": {  "e": [1]}}'
    assert with_item('{"h": {"e": [0]}}', ("h", "e"), 1) == '{"h": {"e": [0, 1]}}'


def test_of_members_with_the_same_name_the_last_is_changed() -> None:
    # It is the one that hosts read.
    assert with_item('{"e": [1], "e": [2]}', ("e",), 3) == '{"e": [1], "e": [2, 3]}'


def test_something_else_in_the_place_is_refused() -> None:
    for text in ('{"h": []}', '{"h": 1}', '{"h": {"e": {}}}', "[]", "7"):
        with pytest.raises(ScanError, match="where one should be"):
            with_item(text, ("h", "e"), 1)


@given(documents(), st.sampled_from((1, {"a": ["x", {}]}, "日本", [])))
def test_a_member_is_added_and_nothing_else_changes(document: Document, new: Json) -> None:
    # And taking it out again leaves what was there; blanks of what was empty are closed up.
    text = with_member(document.text, ("the new one",), new)
    assert value(text) == {**document.value, "the new one": new}
    node = scan(text)
    assert node is not None
    back = without(text, node, len(node.members or ()) - 1)
    assert value(back) == document.value
    if document.value:
        assert back == document.text


# --- taking out ---------------------------------------------------------------------------


def test_what_is_taken_out_takes_its_comma() -> None:
    for text, place, expected in (
        ('{"a": 1, "b": 2}', 1, '{"a": 1}'),
        ('{"a": 1, "b": 2}', 0, '{ "b": 2}'),
        ('{"a": 1, "b": 2,}', 1, '{"a": 1,}'),
        ('{"a": 1}', 0, "{}"),
        ('{\n  "a": 1\n}', 0, "{\n}"),
        ('{  \n  "a": 1\n}', 0, "{}"),
        ('{  "a": 1 }', 0, "{ }"),
        ('{\n  // mine\n  "a": 1\n}', 0, "{\n  // mine\n}"),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', 1, '{\n  "a": 1 // one\n // two\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 }', 1, '{\n  "a": 1 // one\n }'),
        ("[1, /* x */ 2, 3]", 1, "[1, /* x */ 3]"),
        ("[1 /* x */, 2]", 1, "[1 /* x */]"),
        ('{"a": [ /* x */ "// y" ]}', 0, "{\n/* x */}"),
        ('{\n  "a": 1,\n  "b": [ // x\n  ], "c": 2\n}', 1, '{\n  "a": 1,\n  // x\n "c": 2\n}'),
        ('{\n  "a": 1,\n  "b": [\n    // x\n  ]\n}', 1, '{\n  "a": 1\n  // x\n}'),
    ):
        node = scan(text)
        assert node is not None, text
        assert without(text, node, place) == expected, text


@given(documents(), st.data())
def test_any_member_can_be_taken_out(document: Document, data: st.DataObject) -> None:
    # The others keep their values, and no comment goes.
    node = scan(document.text)
    assert node is not None
    members = node.members or ()
    if members:
        place = data.draw(st.integers(0, len(members) - 1))
        text = without(document.text, node, place)
        left = {one.key: one.node.value for at, one in enumerate(members) if at != place}
        assert value(text) == left
        for mark in ("/* c */", "// l"):
            assert text.count(mark) == document.text.count(mark)


def test_a_path_is_followed_to_the_last_of_its_name() -> None:
    node = scan('{"a": {"b": 1}, "a": {"b": 2}, "c": []}')
    for path, expected in ((("a", "b"), 2), (("c", "d"), None), (("x",), None)):
        found = at_path(node, path)
        assert (found.value if found else None) == expected

"""What a tool takes, and how a call that gives something else is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ctx.errors import UsageError
from ctx.mcp.tool import MOST_CHARACTERS, Argument, arguments_of, schema
from ctx.model import JsonObject

ARGUMENTS = (
    Argument("query", help="What to look for", required=True),
    Argument("limit", "integer", least=1),
    Argument("kind", "array", choices=("task", "turn")),
    Argument("form", choices=("md", "json")),
    Argument("force", "boolean"),
)


def test_the_schema() -> None:
    told = schema(ARGUMENTS)
    Draft202012Validator.check_schema(told)
    assert told == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for"},
            "limit": {"type": "integer", "minimum": 1},
            "kind": {"type": "array", "items": {"type": "string", "enum": ["task", "turn"]}},
            "form": {"type": "string", "enum": ["md", "json"]},
            "force": {"type": "boolean"},
        },
        "required": ["query"],
    }
    assert schema(()) == {"type": "object", "properties": {}}


def test_what_is_meant_is_taken() -> None:
    a: JsonObject = {"query": "a"}
    assert arguments_of(ARGUMENTS, a) == a
    assert arguments_of(ARGUMENTS, {"query": "", "limit": None}) == {"query": ""}
    for limit in (3, " 3 ", 3.0):
        assert arguments_of(ARGUMENTS, {**a, "limit": limit}) == {**a, "limit": 3}
    assert arguments_of(ARGUMENTS, {**a, "kind": "task"}) == {**a, "kind": ["task"]}
    others: tuple[JsonObject, ...] = ({**a, "kind": []}, {**a, "force": False})
    for same in others:
        assert arguments_of(ARGUMENTS, same) == same


REFUSED: list[tuple[JsonObject, str]] = [
    ({}, "query: is missing (What to look for)"),
    ({"query": None}, "query: is missing (What to look for)"),
    ({"query": 1}, "query: is a number (give a string)"),
    ({"query": {}}, "query: is an object (give a string)"),
    ({"query": "a" * (MOST_CHARACTERS + 1)}, "query: 1,048,577 characters are over the limit"),
    ({"query": "a", "limit": 0}, "limit: 0 is under 1"),
    ({"query": "a", "limit": True}, "limit: is true or false (give a whole number)"),
    ({"query": "a", "limit": 1.5}, "limit: is a number (give a whole number)"),
    ({"query": "a", "limit": "²"}, "limit: is a string (give a whole number)"),
    ({"query": "a", "limit": "9" * 5_000}, "limit: is a string (give a whole number)"),
    ({"query": "a", "limit": 10**15}, "far too large"),
    ({"query": "a", "kind": {"a": 1}}, "kind: is an object (give an array of strings)"),
    ({"query": "a", "kind": ["task", 1]}, "kind: is a number (give an array of strings)"),
    ({"query": "a", "kind": ["dream"]}, "kind: 'dream' is not known (one of task, turn)"),
    ({"query": "a", "form": "xml"}, "form: 'xml' is not known (one of md, json)"),
    ({"query": "a", "force": "yes"}, "force: is a string (give true or false)"),
    ({"query": "a", "Query": "b"}, "'Query': is no argument (one of query, limit, kind,"),
]


def test_what_is_not_is_refused() -> None:
    for arguments, why in REFUSED:
        with pytest.raises(UsageError) as refused:
            arguments_of(ARGUMENTS, arguments)
        assert why in str(refused.value)


def test_what_a_host_adds_is_passed_over() -> None:
    """Gemini CLI 0.61.0 adds the first; others add a dummy where a tool takes nothing."""
    a: JsonObject = {"query": "a", "wait_for_previous": True}
    assert arguments_of(ARGUMENTS, a) == {"query": "a"}
    assert arguments_of((), {"random_string": "x", "_placeholder": True}) == {}
    with pytest.raises(UsageError, match="limt"):
        arguments_of(ARGUMENTS, {**a, "limt": 3})


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
_NAMES = st.sampled_from([one.name for one in ARGUMENTS]) | st.text()


@given(st.dictionaries(_NAMES, _ANYTHING) | st.dictionaries(_NAMES, st.text("12task")))
def test_whatever_is_given_what_is_taken_has_its_type(given: JsonObject) -> None:
    try:
        found = arguments_of(ARGUMENTS, given)
    except UsageError as refused:
        assert "\n" not in str(refused)  # noqa: PT017 - or nothing is refused at all
        return
    assert list(Draft202012Validator(schema(ARGUMENTS)).iter_errors(found)) == []

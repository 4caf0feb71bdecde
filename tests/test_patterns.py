"""No pattern of ctx can be made to work for longer than the square of a text."""

import json
import re
import subprocess
import sys
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]

import pytest

from tests.ambiguity import NotJudgedError
from tests.backtracking import judge, machine_of
from tests.hostile import HANGS, REPOSITORY, environment
from tests.sampling import sampled

BOUNDED = {
    ("ctx/text/ignored.py", r"(?:.*/)?[^/]*"): (
        2,
        "a path: 4,096 bytes; slower lines are left out",
    ),
    ("ctx/checks/rules/missing_path.py", r"(?::\d+(?:[-:]"): (2, "code in a line: 300 characters"),
    ("ctx/text/secrets/assigned.py", "([^"): (2, "tried behind ://, 256 characters a part"),
    ("ctx/text/secrets/assigned.py", r"\w*\Z"): (2, "a name: 64 characters and its last word"),
    ("ctx/text/visible.py", '"(?>(?:[^"'): (2, "JSON of ctx, whose strings are closed"),
    ("ctx/text/token_patterns.py", r"(?::\d+(?:-\d+)?)+$"): (2, "MAX_CHARS: 200 characters"),
    ("ctx/edit/json_splice.py", "//"): (2, "a text that was parsed: what is opened is closed"),
    ("ctx/edit/json_splice.py", '"(?:'): (2, "a text that was parsed: what is opened is closed"),
    ("ctx/edit/json_splice.py", '"(?>'): (2, "tried at one place, under another name"),
    ("ctx/edit/json_splice.py", "-?(?:0"): (2, "tried at one place, under another name"),
}
"""Patterns, by module and beginning, whose work grows with the square of a text, and what bounds
the text or the work. All others take time in step with a text's length. What is said to be
bounded by a line is so as the reader has it: 65,536 characters."""


@pytest.fixture(scope="module")
def compiled() -> dict[str, list[dict[str, object]]]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.compiled"], capture_output=True, check=True, cwd=REPOSITORY,
        env=environment(), timeout=10 * HANGS,
    )  # fmt: skip
    found: dict[str, list[dict[str, object]]] = json.loads(ran.stdout)
    return found


def test_every_place_that_compiles_a_pattern_was_reached(
    compiled: dict[str, list[dict[str, object]]],
) -> None:
    assert not compiled["missed"], "say in tests/compiled.py how it is called"
    assert len(compiled["patterns"]) > 300


def test_no_pattern_works_long(compiled: dict[str, list[dict[str, object]]]) -> None:
    slow = []
    for one in compiled["patterns"]:
        text = str(one["pattern"])
        found = judge(
            text.encode("latin-1") if one["binary"] else text,
            int(str(one["flags"])),
            anchored=bool(one["anchored"]),
        )
        module = str(one["place"]).partition(":")[0]
        known = [
            most
            for (file, begins), (most, _) in BOUNDED.items()
            if file == module and text.startswith(begins)
        ]
        if found.degree > max(known, default=1):
            slow.append(f"{one['place']}: {text!r} on {found.text}: degree {found.degree}")
    assert not slow, "\n".join(slow)


def test_no_pattern_repeats_possessively_what_is_not_one_character(
    compiled: dict[str, list[dict[str, object]]],
) -> None:
    """Python up to 3.11.4 goes on inside a repetition that failed: ``(?>(?:ab)*)`` does not.

    Patterns so found other text, or missed secrets, and with a lookbehind never came to an end.
    """
    found = [
        one["place"]
        for one in compiled["patterns"]
        if _repeats_more(_parser.parse(str(one["pattern"]), int(str(one["flags"]))))
    ]
    assert found == []


def _repeats_more(tree: object) -> bool:
    """Whether a parsed pattern has a possessive repeat of more than one character."""
    if isinstance(tree, tuple) and len(tree) == 2 and tree[0] is _constants.POSSESSIVE_REPEAT:
        return not _compiler._simple(tree[1][2])
    if not isinstance(tree, (tuple, list, _parser.SubPattern)):
        return False
    return any(map(_repeats_more, tree))


EVIL = (
    r"^((?:[^\s:=#][^\s:=]*[ \t]*)+)::?(?!=)",
    r"(a+)+b", r"(a|a)*b", r"(a*)*b", r"(a|ab|b)*c", r"(?>(a+)+b)", r"(?:(?:(?:ab?)+)+c)++",
    r"(?:a(?:b?|c?))*d", r"(\w+\s?)*$", r"(?=(a+)+b)a", r"(?!(a+)+b)a", r"([a-z]+)*\1!",
    r"(?i:(?:xA|[Xy]a|y)*)b", r"(?:a{1,30})+b", r"(.*)(.*)(.*)x",
    r"^a*a*a*b", r"\s+\s+$", r"<(\w+)[^>]*>.*</\1>.*!", r"(?s).*a.*a.*b", r"(?:\d+[ ,]*)*x",
)  # fmt: skip
QUADRATIC_ONES = (r"a+b", r"\s+$", r"x*y", r"^a*a*b", r"(?>a+)+b", r"(?:a++)+b", r'"[^\\]*\\')
HARMLESS = (
    r"abc", r"\w+", r"^\s+$", r"(?:\d{1,3}\.){3}\d{1,3}", r"(['\"])x\1", r"(?<!a)a++b",
    r"(?:^|(?<=,))[^,]*+,", r"\b(?:one|two|three)\b", r"(?<![\w-])[\w-]{1,9}(?=:)",
    r"(?>[^\"\\]+|\\.)*+", r"\A(?:a|b)*c", r"^(?:[ab]*+c)*+d", r"(?m)^#{1,6}[ \t]++\S",
)  # fmt: skip


def test_patterns_that_explode_or_take_the_square_are_found_and_no_others() -> None:
    assert [pattern for pattern in sampled(EVIL, 3) if judge(pattern).degree <= 2] == []
    assert [pattern for pattern in QUADRATIC_ONES if judge(pattern).degree != 2] == []
    assert [pattern for pattern in HARMLESS if judge(pattern).degree != 1] == []


def test_what_cannot_be_judged_is_said() -> None:
    with pytest.raises(NotJudgedError):
        judge(r"(x)?(?(1)(a+)+b|c)")


def test_what_is_tried_at_one_place_is_judged_so() -> None:
    assert judge(r"a+b", anchored=True).degree == 1
    assert judge(r"(a+)+b", anchored=True).degree > 2
    assert judge(rb"(a+)+b").degree > 2


def test_the_machine_finds_what_re_finds() -> None:
    """It counts the steps of the same search only if it makes the same choices."""
    texts = ("", "a", "aab", "aaac", "abcd", "x,y,", "one two", "1.2.3.4", '"a\\"', "  \n ")
    for pattern in (*EVIL[1:9], *QUADRATIC_ONES, *HARMLESS):
        machine = machine_of(pattern)
        for text in texts:
            found = [one.span() for one in re.finditer(pattern, text)]
            assert machine.spans(text) == found, pattern

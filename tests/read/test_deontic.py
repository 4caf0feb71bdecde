"""The deontic reader: golden cases, and what holds of any text.

A golden case is a line: the modality that binds, or ``-`` where the paragraph is no rule, a
tab, the paragraph.
"""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.read.authored.deontic.clause import sentences
from ctx.read.authored.deontic.reading import Instruction, read
from tests.sampling import sampled
from tests.strategies import WORDS

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "deontic"
CUES = {
    "modal", "prohibition", "permission", "imperative", "identity", "default", "lead-in",
    "label", "fragment", "priority",
}  # fmt: skip

SPEECH = (
    "you", "must", "never", "not", "do", "if", "when", "run", "tests", "the", "agent", "no", "is",
    "may", "only", "use", ",", ".", ";", ":", "->", "—", "?", "(", ")", '"', "'", "`", "``", "```",
    "“", "”", "*", "**", "don't", "should", "be", "always", "and", "but", "then", "A", "I", "ON_X",
    "\n", "\n\n", "…", "required", "they", "said", "that",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(SPEECH), max_size=60).map(" ".join),
    st.lists(st.sampled_from(SPEECH + WORDS), max_size=40).map(" ".join),
    st.lists(st.sampled_from(SPEECH), max_size=60).map("".join),
)
NEUTRAL = "The sky is blue."
MB = 1_000_000


def cases() -> list[tuple[str, str, str]]:
    lines = [
        (path.stem, *line.split("\t"))
        for path in sorted(GOLDEN.glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [(stem, expected, text) for stem, expected, text in lines]


def modality(text: str) -> str:
    return read(text).modality or "-"


def test_there_are_cases_of_both_kinds() -> None:
    rules = [expected != "-" for _, expected, _ in cases()]
    assert rules.count(True) >= 300 <= rules.count(False)


def as_printed(text: str) -> Iterator[str]:
    """Yield ``text`` as it may stand in a document: wrapped, in a list, with other quotes."""
    yield text
    yield text.replace(" ", "\n")
    yield f"{text}\n\n{NEUTRAL}"
    yield text.replace("'", "’")
    first, _, rest = text.partition(" ")
    if first.isalpha():
        yield f"- **{first}** {rest}"


@pytest.mark.parametrize("stem", sorted({stem for stem, _, _ in cases()}))
def test_golden(stem: str) -> None:
    wrong = [
        (expected, printed)
        for kind, expected, text in cases()
        for printed in as_printed(text)
        if kind == stem and modality(printed) != expected
    ]
    assert wrong == []


@pytest.mark.parametrize(("half", "least"), [("dev", 0.97), ("held-out", 0.94)])
def test_files_of_other_tools_are_read_as_they_are_labelled(half: str, least: float) -> None:
    data = Path(__file__).resolve().parents[2] / "benchmarks" / f"deontic-interop-{half}.json"
    units = [one for one in json.loads(data.read_text("utf-8")) if one["language"] == "en"]
    said = [(bool(read(one["text"]).instructions), one["rule"]) for one in units]
    hits, wrong = said.count((True, True)), sum(found != rule for found, rule in said)
    assert 2 * hits / (2 * hits + wrong) >= least  # F1


def test_what_explains_is_told_from_what_rules() -> None:
    for expected, text in (
        ("-", "- No unit tests\n- Need coverage"),
        ("-", "Supersedes [6. Use one broker](0006-use-one-broker.md)"),
        ("-", "User can:\n- View thumbnails\n- Delete items"),
        ("obligatory", "- View thumbnails\n- Delete items"),
    ):
        assert modality(text) == expected, expected


@given(TEXTS)
def test_instructions_are_in_order_and_within_the_text(text: str) -> None:
    found = read(text).instructions
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.start <= other.start for one, other in pairwise(found))
    assert {one.cue for one in found} <= CUES


@given(TEXTS)
def test_what_instructs_still_does_with_more_behind_it(text: str) -> None:
    assert bool(read(f"{text}\n\n{NEUTRAL}").instructions) >= bool(read(text).instructions)


@given(st.lists(st.sampled_from([word for word in SPEECH if not word.isspace()])))
def test_wrapping_changes_nothing(words: list[str]) -> None:
    read_flat = [one[3:] for one in read(" ".join(words)).instructions]
    assert [one[3:] for one in read("\n".join(words)).instructions] == read_flat


@given(TEXTS)
def test_the_pair_of_a_conflict_is_of_one_action(text: str) -> None:
    for one, other in read(text).conflicts:
        assert one.action == other.action
        assert {one.modality, other.modality} == {"obligatory", "forbidden"}


def test_the_binding_modality_forbids_first() -> None:
    text = "You may read the logs. Keep them short. Never delete them."
    assert [one.modality for one in read(text).instructions] == [
        "permitted", "obligatory", "forbidden",
    ]  # fmt: skip
    assert read(text).modality == "forbidden"
    assert read("You may read the logs. Keep them short.").modality == "obligatory"
    assert not read(NEUTRAL).modality


def test_the_same_action_obliged_and_forbidden_is_a_conflict() -> None:
    for text in (
        "Always rebase your branch. Never rebase a branch.",
        "The agent must commit to main. Agents must not commit to main.",
        "Do not use globals. Use globals.",
        "If the build fails, tag the commit. If the build fails, do not tag the commit.",
        "Do not forget to seal the box. Never seal the box.",
    ):
        ((one, other),) = read(text).conflicts
        assert one.start < other.start, text


def test_different_actions_are_no_conflict() -> None:
    for text in (
        "Use threads. Do not use processes.",
        "Run the tests on Linux. Do not run the tests on Windows.",
        "Generated files must be checked in. Secrets must not be checked in.",
        "You may push. Never push.",
        "If the disk is full, run the collector. If the disk is new, do not run the collector.",
        "Run the collector. While a backup runs, do not run the collector.",
        "Do not forget to seal the box. Seal the box.",
    ):
        assert not read(text).conflicts, text


def test_what_is_not_to_be_forgotten_is_to_be_done() -> None:
    for text in (
        "Don't forget to flush.",
        "Never forget to flush.",
        "Do not fail to flush the pipe.",
    ):
        (one,) = read(text).instructions
        assert one.modality == "obligatory", text
        assert one.action.startswith("flush"), text


def test_a_numbered_thing_is_no_command() -> None:
    assert not read("Test 7 fails on Windows").instructions
    assert read("Retry 3 times.").instructions


def test_next_to_nothing_is_no_rule() -> None:
    for text in ("", " ", "\n\n", "...", "`", '"', "()", "- ", "> ", "\x00", "🎉"):
        assert read(text) == ((),), text


LONG_RUNS = (
    "if ", "you ", "not ", "never ", "```", "`", '"', "“", "'a ", "(", "(a", "-", "=", ".", "…",
    " ", "\n ", "\n", "a-", "a'", "/.", "http://.", "<a ", "must ", "do not ", "run ", "no ", "_",
    "*", ", ", ": ", "\u3042", "e.g. ", "se", "ed", "re-", "we, ", "run and ", "run, ",
)  # fmt: skip


def test_a_long_run_of_anything_ends() -> None:
    for unit in sampled(LONG_RUNS, 3):  # quadratic time would take hours
        read(unit * (MB // 10 // len(unit)))


def test_no_sentence_grows_with_the_text() -> None:
    for unit in ("if you must ", "the cache is warm ", "run it and then "):
        # What is done a word is bounded by the longest sentence: so the whole is linear.
        sizes = [max(len(one.words) for one in sentences(unit * times)) for times in (500, 5000)]
        assert sizes[0] == sizes[1] < 300, unit


def test_an_instruction_is_a_plain_tuple() -> None:
    assert read("Keep functions short.").instructions == (
        Instruction("obligatory", 0, 21, "imperative", "keep function short"),
    )

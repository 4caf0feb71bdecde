"""Focus terms: every share below is worked out by hand."""

from collections.abc import Sequence

import pytest

from ctx.model import Entry, Question
from ctx.rank.prospects import FEW, FOCUS, MOST_TERMS, QUERY, TASKS, FocusTerms, focus_terms
from tests.rank.hands import TODAY, Hand, means
from tests.read.samples import entry

ALL = "cache retry payment mail label zebra src/net/retry.py"
"""What the one entry of most tests holds."""


def _focus(
    query: str = "", tasks: Sequence[Entry] = (), focus: Sequence[str] = (), held: str = ALL
) -> FocusTerms:
    parts = [Hand([entry("a", body=held)])]
    question = Question(query, tuple(tasks), TODAY, focus=tuple(focus))
    return focus_terms(question, means(parts, query).lexicon)


def _names(found: FocusTerms) -> list[str]:
    return [term.name for term in found.terms]


def _share(found: FocusTerms, *names: str) -> float:
    return found.overlap(sum(1 << _names(found).index(name) for name in names))


def _task(text: str, status: str = "in-progress") -> Entry:
    return entry(text, body=f"- [ ] {text}", kind="task", status=status)


def test_overlap_is_the_share_of_the_terms_that_are_held() -> None:
    found = _focus("the cache and the retry of a payment")
    assert _names(found) == ["cach", "payment", "retri"]
    assert _share(found, "cach") == pytest.approx(1 / 3)
    assert _share(found, "cach", "retri") == pytest.approx(2 / 3)
    assert _share(found, *_names(found)) == 1


def test_a_name_of_several_words_is_a_term_of_its_own() -> None:
    found = _focus("what of src/net/retry.py", held=f"{ALL} of src net py")
    assert "src/net/retry.py" in _names(found)
    assert "retry.py" in _names(found)


def test_a_name_of_one_word_is_its_stem() -> None:
    found = _focus("why does `Payments` fail", held="payments fail")
    assert _names(found) == ["fail", "payment"]


def test_origins_count_as_wholes() -> None:
    assert (QUERY, FOCUS, TASKS) == (1.0, 1.0, 0.5)
    found = _focus("cache", [_task("zebra payment mail")])
    assert _share(found, "cach") == pytest.approx(1 / 1.5)
    assert _share(found, "zebra") == pytest.approx(0.5 / 1.5 / 3)
    assert _share(found, *_names(found)) == pytest.approx(1)


def test_files_in_focus_are_looked_at() -> None:
    found = _focus(focus=["src/net/retry.py"])
    assert {"src/net/retry.py", "retry.py"} <= set(_names(found))


def test_only_work_in_progress_is_looked_at() -> None:
    found = _focus("", [_task("cache"), _task("retry", status="")])
    assert _names(found) == ["cach"]


def test_without_anything_else_the_most_urgent_tasks_are() -> None:
    tasks = [_task(word, status="") for word in ("cache", "zebra", "payment", "mail")]
    assert FEW == 3
    assert _names(_focus("", tasks)) == ["cach", "payment", "zebra"]
    assert _names(_focus("label", tasks)) == ["label"]


def test_common_words_of_a_task_say_nothing() -> None:
    held = f"{ALL} make it again after the last one"
    assert _names(_focus("", [_task("make the cache again, after the last one")], held=held)) == [
        "cach"
    ]


def test_labels_dates_and_numbers_of_a_task_say_nothing() -> None:
    task = _task("cache #in-progress #priority:high #added:2026-01-20 12 zebra")
    held = f"{ALL} in progress priority high 2026 12"
    assert _names(_focus("", [task], held=held)) == ["cach", "zebra"]


def test_of_too_many_terms_the_rarest_count() -> None:
    rare = [f"rare{number}" for number in range(MOST_TERMS)]
    parts = [Hand([entry("a", body=" ".join([*rare, "common"])), entry("b", body="common")])]
    question = Question(" ".join([*rare, "common"]), (), TODAY)
    found = focus_terms(question, means(parts, question.query).lexicon)
    assert len(found.terms) == MOST_TERMS
    assert "common" not in _names(found)


def test_masks_say_who_holds_which_term() -> None:
    parts = [Hand([entry("a", body="cache"), entry("b", body="retry cache"), entry("c", body="x")])]
    found = focus_terms(Question("cache retry", (), TODAY), means(parts, "").lexicon)
    assert _names(found) == ["cach", "retri"]
    assert found.masks == {0: 0b01, 1: 0b11}

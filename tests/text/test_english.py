"""Words by class, which readers put together."""

import re
from pathlib import Path

import ctx
from ctx.text import english
from ctx.text.english import DAYS, FUNCTION, MONTHS, SHORT, words_of


def test_a_function_word_is_of_one_class() -> None:
    each = [word for name in FUNCTION for word in words_of(name)]
    assert len(each) == len(set(each)) == len(words_of(*FUNCTION))
    assert {"who", "myself", "would", "between", "unless", "never"} <= set(each)


def test_each_class_has_lower_case_words_each_once() -> None:
    for name, members in english._classes().items():
        words = members.split()
        assert words, name
        assert len(words) == len(set(words)), name
        assert words == [word.lower() for word in words], name


def test_each_class_has_a_reader() -> None:
    source = "\n".join(path.read_text("utf-8") for path in Path(ctx.__file__).parent.rglob("*.py"))
    assert [name for name in english._classes() if f'"{name}"' not in source] == []


def test_months_and_days() -> None:
    assert (len(MONTHS), len(DAYS), SHORT[8], SHORT[-1]) == (12, 7, "sep", "sept")
    assert all(re.fullmatch("[a-z]+day", day) for day in DAYS)

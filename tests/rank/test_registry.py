"""Rankers by name."""

from datetime import date

import pytest

from ctx.errors import UsageError
from ctx.model import Question
from ctx.rank import RANKERS, fields, ranker, text
from ctx.store.no_cache import WordsInMemory
from tests.read.samples import Hand, entry


@pytest.mark.parametrize("name", RANKERS)
def test_every_ranker_returns_every_entry_once(name: str) -> None:
    entries = [entry(f"Title {n}", timestamp=f"2026-01-{n + 1:02}") for n in range(25)]
    parts = [Hand(entries)]
    means = WordsInMemory().indexes(parts, fields, text, "title")
    scored = ranker(name)(parts, Question("title", (), date(2026, 1, 31), indexes=means))
    assert sorted(one.entry.id for one in scored) == sorted(one.id for one in entries)
    assert [one.score for one in scored] == sorted((one.score for one in scored), reverse=True)


def test_an_unknown_ranker_is_an_error_that_names_the_others() -> None:
    for name in ("", "Brackets", "no-such", "urgency", "../rank"):
        with pytest.raises(UsageError) as error:
            ranker(name)
        assert "brackets" in f"{error.value} {vars(error.value)}", name

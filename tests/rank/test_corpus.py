"""A corpus: positions, files and filters, held against a plain list of everything."""

from collections.abc import Sequence
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import KINDS, Kind, Question
from ctx.rank.corpus import Corpus
from tests.rank.hands import TODAY, Gone, Hand, Piece, turn
from tests.read.samples import entry

DAYS = st.sampled_from(("", "2026-01-01", "2026-01-30-101112", "2027-01-01", "not a date"))
quick = settings(max_examples=60)


def _piece(session: int, sizes: Sequence[int], number: int) -> Piece:
    name = f"s{session}"
    turns = [turn("x", session=name, speaker=f"speaker {size}") for size in sizes]
    return Piece(
        [one._replace(size=size) for one, size in zip(turns, sizes, strict=True)],
        f"{name}/{number}",
    )


@st.composite
def _sessions(draw: st.DrawFn) -> list[Piece]:
    """Draw sessions in pieces of any size, each with a turn at least."""
    pieces = st.lists(st.lists(st.integers(0, 90), min_size=1, max_size=4), min_size=1, max_size=3)
    drawn = draw(st.lists(pieces, max_size=4))
    return [
        _piece(session, sizes, number)
        for session, of_one in enumerate(drawn)
        for number, sizes in enumerate(of_one)
    ]


@quick
@given(_sessions())
def test_a_position_counts_all_entries_in_order(parts: list[Piece]) -> None:
    corpus = Corpus(parts)
    plain = [part.entry(place) for part in parts for place in range(len(part))]
    assert len(corpus) == len(plain)
    for position, one in enumerate(plain):
        assert corpus.entry(position) == one
        assert corpus.size(position) == one.size
        assert corpus.speaker(position) == one.speaker


@quick
@given(_sessions())
def test_the_pieces_of_a_session_are_one_source(parts: list[Piece]) -> None:
    corpus = Corpus(parts)
    plain = [part.entry(place) for part in parts for place in range(len(part))]
    expected: list[tuple[int, int]] = []
    begin = 0
    for _, group in groupby(plain, key=lambda one: one.source):
        expected.append((begin, begin + len(list(group))))
        begin = expected[-1][1]
    assert list(corpus.sources()) == expected
    for first, last in expected:
        for at in range(first, last):
            assert [*corpus.around(at, len(corpus))] == [*range(first, last)]


@quick
@given(
    st.lists(st.tuples(st.sampled_from(sorted(KINDS)), DAYS, st.booleans()), max_size=8),
    st.frozensets(st.sampled_from(sorted(KINDS))),
    st.sampled_from(("", "0001-01-01", "2026-01-01", "2026-01-02", "2026-01-30", "9999-01-01")),
)
def test_filters_take_exactly_what_they_say(
    drawn: list[tuple[Kind, str, bool]], kinds: frozenset[Kind], since: str
) -> None:
    parts = [
        Gone([entry(kind=kind, timestamp=day, source=f"{n}.md")], {0} if gone else set())
        for n, (kind, day, gone) in enumerate(drawn)
    ]
    question = Question("x", (), TODAY, kinds=kinds, since=since)
    askable = Corpus(parts).asked_for(question)
    for position, (kind, day, gone) in enumerate(drawn):
        young = not since or day[:10] >= since
        assert (position in askable) == (kind in kinds and young and not gone)


@pytest.mark.parametrize(
    ("statuses", "wanted"),
    [
        ((), {0, 1, 6}), (("done",), {2, 6}), (("done", "skipped"), {2, 3, 6}), (("open",), {0, 1}),
        (("superseded",), {4, 5}), (("todo",), {1}), (("in-progress",), {0}), (("archived",), {6}),
        (("all",), set(range(7))),
    ],
)  # fmt: skip
def test_what_is_closed_is_asked_for(statuses: tuple[str, ...], wanted: set[int]) -> None:
    tasks = ("in-progress", "", "done", "skipped")
    parts = [
        Hand([entry(kind="task", status=status) for status in tasks]),
        Hand([entry(status="superseded")]),
        Hand([entry(status="superseded", source="decisions/x.md")]),
        Hand([entry(kind="task", status="done", source="archive/tasks-2026-01-01.md")]),
    ]
    question = Question("x", (), TODAY, statuses=frozenset(statuses))
    askable = Corpus(parts).asked_for(question)
    assert {position for position in range(7) if position in askable} == wanted
    held = {position for found in askable.by_kind(range(7)) for position in found}
    assert held == wanted

"""What every kind of ``Part`` promises: the entries of a file, of some of them, and of a server."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Entry, Kind, Part
from ctx.read.columns import Archived, Excerpt
from ctx.share.asked import Asked
from ctx.share.asked import Part as SharedPart
from ctx.share.server import Server, Talk, Visible
from ctx.text.words import term_ids
from tests.rank.hands import turn
from tests.read.samples import Hand, Memory, read_all, write

_TURNS = st.lists(
    st.tuples(
        st.sampled_from(("user", "assistant", "Ann")),
        st.sampled_from(("", "2026-11-21", "2026-11-22")),
        st.sampled_from(("retry the queue", "a lock, then the queue", "größe", "x")),
    ),
    max_size=8,
)
Turns = list[tuple[str, str, str]]


class _Server:
    """Answers what ``Asked`` asks of a server, and counts the statements."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self.statements = 0

    def spans(self, every: Sequence[tuple[str, Any, bool]]) -> list[list[Any]]:
        self.statements += 1
        return [
            [
                (session, at, e.timestamp, 0, e.id.partition("#")[2], e.speaker, "asks" if at % 2
                 else "", e.size * 4, "", None, e.body if whole else None)
                for session, first, last in spans
                for at, e in enumerate(self._entries[first : last + 1], first)
            ]
            for _, spans, whole in every
        ]  # fmt: skip


def _hand(turns: Turns) -> list[Entry]:
    return [
        turn(body, speaker=speaker, timestamp=day, number=at)
        for at, (speaker, day, body) in enumerate(turns)
    ]


def _shared(turns: Turns) -> tuple[SharedPart, _Server]:
    entries = _hand(turns)
    server = _Server(entries)
    names = sorted({one.speaker for one in entries})
    talk = Talk(1, "s1", "turn", len(entries), names, [0] if entries else [])
    visible = Visible(1, "shop", 1, len(entries), 10)
    asked = Asked(cast("Server", server), visible, [talk], str)
    return asked.parts[0], server


def _read(turns: Turns) -> Part:
    decisions = "".join(
        f"## [2026-11-2{at % 9}-120000] {body}\n\n{body}\n\n" for at, (*_, body) in enumerate(turns)
    )
    with TemporaryDirectory() as folder:
        root = write(Path(folder), {"DECISIONS.md": f"# Decisions\n\n{decisions}"})
        shelf = Memory()
        read_all(root, shelf)
        ((part,),) = [source.parts for source in read_all(root, shelf).sources]
    return part


KINDS: dict[str, Callable[[Turns], Part]] = {
    "by hand": lambda turns: Hand(_hand(turns)),
    "a file": _read,
    "some of a file": lambda turns: _some(_read(turns)),
    "an archive": lambda turns: Archived(_read(turns)),
    "of a server": lambda turns: _shared(turns)[0],
    "some of a server": lambda turns: _some(_shared(turns)[0]),
}


def _some(part: Part) -> Excerpt:
    kind: Kind = part.kind
    return Excerpt(part, range(0, len(part), 2), kind)


@pytest.mark.parametrize("kind", KINDS)
@given(turns=_TURNS)
def test_a_part_describes_its_entries_in_every_way_alike(kind: str, turns: Turns) -> None:
    part = KINDS[kind](turns)
    entries = [part.entry(place) for place in range(len(part))]
    columns: list[tuple[Sequence[object], list[object]]] = [
        (part.timestamps, [one.timestamp for one in entries]),
        (part.sizes, [one.size for one in entries]),
        (part.speakers, [one.speaker for one in entries]),
        (part.confidences, [one.confidence for one in entries]),
    ]
    for column, values in columns:
        if not len(column):  # no entry has such a value
            assert not any(values) or values == [e.size for e in entries] == []
            continue
        assert len(column) == len(part)
        assert [*column] == values
        assert [column[place] for place in range(len(part))] == values
        assert column[-1] == values[-1]
        assert [*column[1:3]] == values[1:3]
        assert [*reversed(column)] == values[::-1]
        assert values[-1] in column
        with pytest.raises(IndexError):
            column[len(part)]
    assert part.names == set(part.speakers)
    assert {one.kind for one in entries} <= {part.kind}
    assert {one.source for one in entries} <= {part.source}
    assert part.superseded | part.steps <= set(range(len(part)))
    assert isinstance(part.digest, bytes)


@pytest.mark.parametrize("kind", KINDS)
@given(turns=_TURNS)
def test_a_part_finds_the_entries_that_hold_a_term(kind: str, turns: Turns) -> None:
    part = KINDS[kind](turns)
    terms = [*term_ids("queue lock größe absent")]
    held = [set(part.entry(place).terms) for place in range(len(part))]
    expected = [(t, places) for t in terms if (places := [p for p, h in enumerate(held) if t in h])]
    assert [(term, [*places]) for term, places in part.holding(terms)] == expected


def test_a_column_of_a_server_is_fetched_in_one_statement() -> None:
    part, server = _shared([("user", "2026-11-21", "retry")] * 500)
    assert max(part.timestamps) == "2026-11-21"
    assert server.statements == 1
    assert [*part.sizes] == [part.sizes[0]] * 500
    assert server.statements == 1


def test_what_bears_a_mark_is_told_by_membership_alone() -> None:
    part, _ = _shared([("user", "2026-11-21", "retry")] * 3)
    marked = part._asked.marked("asks")
    assert [at in marked for at in range(3)] == [False, True, False]
    with pytest.raises(TypeError):
        iter(cast("Any", marked))

"""Records of a compaction: what counts, whatever the file says."""

import json
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import JsonObject, Lines, Summary
from ctx.read import lineage
from ctx.read.compactions import count, record
from ctx.read.files import RefusedError
from ctx.read.lineage import Declined, Elevated, Lineage, Run, Spans

RUN = Run(1, 40, 40, 0, 2, 20, "2026-01-02T03:04:05Z", "tf-idf")


def summary(name: str, spans: Lines, level: int = 1, sources: tuple[str, ...] = ()) -> Summary:
    turns = count(spans)
    sources = sources or tuple(f"t{number}" for number in range(turns))
    return Summary(
        name, "s", level, f"Text of {name}.", sources, spans, turns, 100, 20, "2026-01-01",
        "2026-01-02", RUN.compacted, "extractive", "", "tf-idf", 0.5, "d", "",
    )  # fmt: skip


def taken(*records: lineage.Record | None, run: Run = RUN) -> list[bool]:
    state = Lineage()
    assert state.take(run)
    return [state.take(one) for one in records]


def stored(one: lineage.Record) -> JsonObject:
    fields = {"type": type(one).__name__.lower(), **one._asdict()}
    read: JsonObject = json.loads(json.dumps(fields))
    return read


@pytest.mark.parametrize(
    "one",
    [
        RUN,
        Elevated(3, "t3"),
        Declined(1, ((1, 2), (4, 4)), ("a", "b", "c"), 3, "why"),
        summary("s1-00000000000a", ((1, 2), (4, 9))),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_record_is_read_as_it_was_written(one: lineage.Record) -> None:
    assert record(stored(one)) == one


ODD: list[JsonObject] = [
    {"type": "other"}, {"level": 0}, {"level": True}, {"level": "1"}, {"lines": []},
    {"lines": [[2, 1]]}, {"lines": [[0, 1]]}, {"lines": [[1, 2], [3, 4]]},
    {"lines": [[3, 4], [1, 1]]}, {"lines": [[1]]}, {"lines": [["1", 2]]}, {"lines": None},
    {"sources": []}, {"sources": [1]}, {"sources": "t1"}, {"id": ""}, {"id": 5},
    {"confidence": 1.5}, {"confidence": float("nan")}, {"confidence": True},
    {"confidence": "0.5"}, {"turns": -1}, {"tokens": -1},
    {"lines": [[1.5, 2]]}, {"lines": [[1, 10**30]]}, {"sources": [["a"]]}, {"text": None},
    {"confidence": 10**400}, {"id": "\ud800"}, {"level": 3_000},
]  # fmt: skip


def test_an_odd_record_is_none() -> None:
    fields = stored(summary("s1-00000000000a", ((1, 2),)))
    assert record(fields)
    for change in ODD:
        with pytest.raises(ValueError, match=r"record|has|level"):
            record({**fields, **change})


def test_a_run_of_more_turns_than_lines_is_none() -> None:
    with pytest.raises(ValueError, match="more turns than lines"):
        record(stored(RUN._replace(turns=30, elevated=11)))
    with pytest.raises(ValueError, match="has no end"):
        record(stored(RUN._replace(end=10**30)))


@given(st.sets(st.integers(1, 40)), st.randoms())
def test_spans_are_the_lines_that_were_added(wanted: set[int], draw: Random) -> None:
    every = sorted(wanted)
    draw.shuffle(every)
    spans = Spans()
    for line in every:
        spans.add(line, line)
    runs = spans.runs()
    assert {line for line in range(50) if line in spans} == wanted
    assert [line for first, last in runs for line in range(first, last + 1)] == sorted(wanted)
    assert all(after[0] > before[1] + 1 for before, after in pairwise(runs))
    assert spans.last == max(wanted, default=0)
    for first in range(1, 41):
        assert spans.meets(first, first + 3) == bool(wanted & {*range(first, first + 4)})


def test_a_line_counts_once() -> None:
    one = summary("s1-00000000000a", ((1, 3), (5, 6)))
    assert taken(
        one,
        one,
        summary("s1-00000000000b", ((6, 8),)),
        Elevated(2, "t"),
        Elevated(4, "t"),
        Elevated(4, "t"),
        Declined(1, ((4, 4),), ("t",), 1, "why"),
        Declined(1, ((7, 8),), ("t", "u"), 2, "why"),
        summary("s1-00000000000c", ((8, 9),)),
        summary("s1-00000000000d", ((9, 9),)),
    ) == [True, False, False, False, True, False, False, True, False, True]  # fmt: skip


def test_sources_lines_and_turns_must_be_as_many() -> None:
    one = summary("s1-00000000000a", ((1, 4),))
    assert taken(one._replace(turns=5), one._replace(sources=("a",)), one) == [False, False, True]


def test_a_name_is_taken_once() -> None:
    first, second = summary("s1-00000000000a", ((1, 2),)), summary("s1-00000000000a", ((3, 4),))
    assert taken(first, second) == [True, False]
    top = summary("s1-00000000000a", ((1, 2),), 2, ("s1-00000000000a",))
    assert taken(first, top) == [True, False]


def test_a_summary_of_summaries_stands_on_what_is_before_it() -> None:
    low, other = summary("s1-00000000000a", ((1, 2),)), summary("s1-00000000000b", ((3, 4),))
    top = summary("s2-00000000000a", ((1, 4),), 2, ("s1-00000000000a", "s1-00000000000b"))
    assert taken(low, top, other, top) == [True, False, True, True]
    assert taken(low, other, top._replace(turns=3)) == [True, True, False]
    assert taken(low, other, top._replace(lines=((1, 3), (5, 5)))) == [True, True, False]
    assert taken(low, other, top._replace(level=3)) == [True, True, False]
    assert taken(low, other, top._replace(sources=("s1-00000000000a", "s1-00000000000a"))) == [
        True,
        True,
        False,
    ]
    again = top._replace(id="s2-00000000000b")
    assert taken(low, other, top, again) == [True, True, True, False]
    itself = summary("s2-00000000000a", ((1, 2),), 2, ("s2-00000000000a",))
    assert taken(low, itself) == [True, False]


def test_what_waits_is_what_no_summary_covers() -> None:
    state = Lineage()
    low = [summary(f"s1-{number:012x}", ((number, number),)) for number in range(1, 4)]
    assert state.take(RUN)
    for one in low:
        assert state.take(one)
    assert state.take(
        summary("s2-00000000000a", ((1, 1), (3, 3)), 2, ("s1-000000000001", "s1-000000000003"))
    )
    assert [one.id for one in state.waiting[1]] == ["s1-000000000002"]
    assert [one.id for one in state.waiting[2]] == ["s2-00000000000a"]
    assert state.last == {1: "Text of s1-000000000003.", 2: "Text of s2-00000000000a."}
    assert state.take(Declined(2, ((2, 2),), ("s1-000000000002",), 1, "why"))
    assert state.waiting[1] == []


def test_a_run_is_whole_when_all_of_it_is_done() -> None:
    state = Lineage()
    steps: list[tuple[lineage.Record, bool]] = [
        (RUN._replace(end=6, turns=5, elevated=1), False),
        (summary("s1-00000000000a", ((1, 2),)), False),
        (Declined(1, ((4, 6),), (), 3, "why"), False),
        (Elevated(3, "t"), True),
        (RUN._replace(start=7, end=9, turns=2), False),
    ]
    last = (0, 0, 0, 0)
    assert state.whole
    for one, whole in steps:
        last = (state.last_covered, state.last_elevated, state.before.last, state.done.last)
        assert state.take(one)
        assert state.whole == whole
    assert last == (6, 3, 0, 6)
    assert (state.last_covered, state.last_elevated, state.before.last) == (0, 0, 6)


def put(root: Path, *records: lineage.Record | bytes) -> None:
    place = root / "sessions" / "summaries" / "s.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    lines = (one if isinstance(one, bytes) else json.dumps(stored(one)).encode() for one in records)
    place.write_bytes(b"".join(line + b"\n" for line in lines))


def test_what_cannot_be_read_is_passed_over_and_counted(tmp_path: Path) -> None:
    low = summary("s1-00000000000a", ((1, 2),))
    put(tmp_path, RUN, b"torn", low, b'{"type": "summary"}', b"\xff", low)
    state = Lineage()
    assert list(lineage.counting(str(tmp_path), "s.jsonl", state)) == [RUN, low]
    assert state.odd == 4
    assert lineage.names(str(tmp_path)) == ["s.jsonl"]


def test_a_file_that_leads_out_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(root, RUN)
    place = root / "sessions" / "summaries" / "s.jsonl"
    place.rename(tmp_path / "s.jsonl")
    place.symlink_to(tmp_path / "s.jsonl")
    with pytest.raises(RefusedError, match="is a link out of the context directory"):
        list(lineage.records(str(root), "s.jsonl"))


def family() -> list[lineage.Record]:
    low = [summary(f"s1-{number:012x}", ((number, number),)) for number in range(1, 5)]
    middle = [
        summary("s2-00000000000a", ((1, 2),), 2, ("s1-000000000001", "s1-000000000002")),
        summary("s2-00000000000b", ((3, 4),), 2, ("s1-000000000003", "s1-000000000004")),
    ]
    top = summary("s3-00000000000a", ((1, 4),), 3, ("s2-00000000000a", "s2-00000000000b"))
    return [RUN, *low[:2], middle[0], *low[2:], middle[1], top]


def test_the_way_up_ends_at_the_top() -> None:
    found = lineage.upwards(family(), lambda one: one.id == "s1-000000000002")
    assert [one.id for one in found] == ["s1-000000000002", "s2-00000000000a", "s3-00000000000a"]
    assert lineage.upwards(family(), lambda _one: False) == []


def test_the_way_down_finds_all_that_a_summary_stands_for() -> None:
    top = lineage.upwards(family(), lambda one: one.id == "s2-00000000000b")[0]
    assert [one.id for one in lineage.below(family(), top)] == [
        "s1-000000000003",
        "s1-000000000004",
        "s2-00000000000b",
    ]

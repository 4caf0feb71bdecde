"""The walk of a compaction: every turn has its place, nothing is done twice, nothing is lost."""

import base64
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.errors import FileError
from ctx.model import (
    Cluster,
    Draft,
    EmbeddingError,
    Summary,
    SummaryError,
    Turn,
    Vectors,
    VectorSpace,
)
from ctx.model.boundaries import Boundaries, base_start, longest
from ctx.read import lineage, stored
from ctx.read.lineage import Declined, Elevated, Run
from ctx.sessions import compaction
from ctx.sessions.compaction import LONGEST_RULE, is_rule, making
from ctx.sessions.compaction.making import MOST_FAILURES, TOO_LONG, Outcome, summarise
from ctx.text import tokens
from ctx.text.vector_space import TermSpace
from tests.deaths import SHARED
from tests.deaths import check as check_deaths
from tests.sessions.compacting import session, turns

ROOT = Path(__file__).resolve().parents[2]
NAME = "s.jsonl"
WHEN = "2026-02-03T04:05:06Z"
TAIL = compaction.Tail(4, 60, tokens.counter("heuristic"))
MEANS = compaction.Means(TermSpace(), None)
posix = pytest.mark.skipif(os.name != "posix", reason="forks and signals of POSIX")


def asked(size: int = 3, tail: compaction.Tail = TAIL, when: str = WHEN) -> compaction.Settings:
    return compaction.Settings(size, tail, when)


def compact(
    root: Path, want: compaction.Settings | None = None, means: compaction.Means = MEANS
) -> list[object]:
    return list(compaction.compact(str(root), NAME, want or asked(), means))


def summaries(root: Path) -> Path:
    return root / "sessions" / "summaries" / NAME


def records(root: Path) -> list[lineage.Record]:
    state = lineage.Lineage()
    found = list(lineage.counting(str(root), NAME, state))
    assert state.odd == 0
    return found


def said(number: int, text: str = "", **fields: object) -> dict[str, object]:
    text = text or f"The gate {number} was moved to the wall {number * 7}."
    return {"id": f"t{number}", "session": "s", "role": "assistant", "text": text, **fields}


def put(root: Path, every: Iterable[Mapping[str, object] | bytes]) -> Path:
    session(root / "sessions" / NAME, every)
    return root


class Sorted(NamedTuple):
    """What became of every line of a session."""

    covered: Counter[int]
    elevated: set[int]
    declined: set[int]

    @property
    def done(self) -> set[int]:
        return {*self.covered, *self.elevated, *self.declined}


def sort(every: Iterable[lineage.Record]) -> Sorted:
    found = Sorted(Counter(), set(), set())
    for one in every:
        match one:
            case Elevated(line):
                found.elevated.add(line)
            case Declined() if one.level == 1:
                found.declined.update(_lines(one.lines))
            case Summary() if one.level == 1:
                found.covered.update(_lines(one.lines))
            case _:
                pass
    return found


def _lines(spans: Sequence[tuple[int, int]]) -> list[int]:
    return [line for first, last in spans for line in range(first, last + 1)]


# --- by hand --------------------------------------------------------------------------------


def test_seven_turns_before_the_tail_are_three_clusters(tmp_path: Path) -> None:
    """With n = 7, k = 3: c = 3, and turn i goes to ⌊3i/7⌋: 0 0 0 1 1 2 2."""
    tail = TAIL._replace(turns=2, tokens=0)
    put(tmp_path, [said(number, ts=f"2026-01-0{9 - number}") for number in range(9)])
    compact(tmp_path, asked(tail=tail))
    run, *made = records(tmp_path)
    assert run == Run(1, 7, 7, 0, 3, 3, WHEN, "tf-idf")
    tops = [one for one in made if isinstance(one, Summary)]
    assert [one.lines for one in tops] == [((1, 3),), ((4, 5),), ((6, 7),)]
    first = tops[0]
    assert first.sources == ("t0", "t1", "t2")
    assert (first.earliest, first.latest) == ("2026-01-07", "2026-01-09")
    assert (first.session, first.level, first.turns, first.compacted) == ("s", 1, 3, WHEN)
    assert first.covered == sum(tokens.estimate(str(said(n)["text"])) for n in range(3))
    assert first.tokens == tokens.estimate(first.text) < first.covered
    assert (first.method, first.space) == ("extractive", "tf-idf")


def test_a_session_that_is_all_tail_makes_no_file(tmp_path: Path) -> None:
    put(tmp_path, [said(number) for number in range(4)])
    (seen,) = compact(tmp_path)
    assert isinstance(seen, compaction.Look)
    assert (seen.turns, seen.tail, seen.pending) == (4, 4, 0)
    assert os.listdir(tmp_path / "sessions") == [NAME]


def test_a_rule_of_a_user_is_elevated(tmp_path: Path) -> None:
    rule = "Never push to main without a review."
    every = [said(number) for number in range(12)]
    every[2] |= {"text": rule}
    every[5] |= {"text": rule, "role": "user", "id": ""}
    put(tmp_path, every)
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    run, *made = records(tmp_path)
    assert isinstance(run, Run)
    assert (run.turns, run.elevated) == (7, 1)
    assert [one for one in made if isinstance(one, Elevated)] == [Elevated(6, "line-6")]
    assert sort(made).covered == Counter({1, 2, 3, 4, 5, 7, 8})


def test_a_long_paste_of_a_user_is_not_read_for_rules() -> None:
    rule = "Never push to main without a review. "
    assert is_rule(Turn("1", "s", "", "user", rule))
    assert not is_rule(Turn("1", "s", "", "tool", rule))
    assert not is_rule(Turn("1", "s", "", "user", "We talked about it."))
    assert is_rule(Turn("1", "s", "", "user", rule.ljust(LONGEST_RULE)))
    assert not is_rule(Turn("1", "s", "", "user", rule.ljust(LONGEST_RULE + 1)))


def test_a_bundle_that_is_too_long_is_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "MOST_TURNS", 4)
    put(tmp_path, [said(number, bundle="b" if number < 5 else "") for number in range(12)])
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    _, first, *others = records(tmp_path)
    assert first == Declined(1, ((1, 5),), (), 5, TOO_LONG)
    assert [one.lines for one in others if isinstance(one, Summary)] == [((6, 6),), ((7, 8),)]
    before = summaries(tmp_path).read_bytes()
    compact(tmp_path)
    assert summaries(tmp_path).read_bytes() == before


def test_a_cluster_without_a_summary_is_declined_and_said(tmp_path: Path) -> None:
    put(tmp_path, [said(number, " ") for number in range(10)])
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    declined = [one for one in records(tmp_path) if isinstance(one, Declined)]
    assert [one.turns for one in declined] == [3, 3]
    assert {one.why for one in declined} == {"it holds no text"}


def spied(monkeypatch: pytest.MonkeyPatch) -> list[Cluster]:
    """Return the list that every cluster is noted in when it is outcome."""
    seen: list[Cluster] = []

    def spy(cluster: Cluster, space: VectorSpace, _summariser: object, covered: int) -> Outcome:
        seen.append(cluster)
        return summarise(cluster, space, None, covered)

    monkeypatch.setattr(making, "summarise", spy)
    return seen


def test_only_what_a_summariser_is_shown_is_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = spied(monkeypatch)
    payload = base64.b64encode(bytes(range(256))).decode()
    output = "The build took 41 seconds and made 7 files in the folder."
    texts = (f"The key: {payload}", output, output, output)
    roles = ("assistant", "tool", "tool", "assistant")
    every = [said(n, texts[n % 4], role=roles[n % 4], speaker="Ada") for n in range(8)]
    before = put(tmp_path, every) / "sessions" / NAME
    data = before.read_bytes()
    compact(tmp_path, asked(4, TAIL._replace(tokens=0)))
    (cluster,) = seen
    shown = [one.text for one in cluster.utterances]
    assert shown[0] == f"The key: [base64, {len(payload)} characters]"
    assert shown[1:] == [output, f"[repeated tool output, {len(output)} characters]", output]
    assert [one.speaker for one in cluster.utterances] == ["Ada"] * 4
    assert before.read_bytes() == data


def test_twenty_summaries_become_one_right_after_the_twentieth(tmp_path: Path) -> None:
    put(tmp_path, [said(number) for number in range(49)])
    compact(tmp_path, asked(2, TAIL._replace(tokens=0)))
    made = records(tmp_path)[1:]
    assert [one.level for one in made if isinstance(one, Summary)] == [*[1] * 20, 2, *[1] * 3]
    top, low = made[20], made[:20]
    assert isinstance(top, Summary)
    assert top.sources == tuple(one.id for one in low if isinstance(one, Summary))
    assert top.id.startswith("s2-")
    assert (top.lines, top.turns) == (((1, 40),), 40)
    assert top.covered == sum(one.covered for one in low if isinstance(one, Summary))
    digests = [one.digest for one in low if isinstance(one, Summary)]
    assert top.digest == lineage.stands_for(digests)


def test_each_summary_knows_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = spied(monkeypatch)
    put(tmp_path, [said(number) for number in range(10)])
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    put(tmp_path, [said(number) for number in range(10, 14)])
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    texts = [one.text for one in records(tmp_path) if isinstance(one, Summary)]
    assert [one.before for one in seen] == ["", *texts[:-1]]


def test_a_name_follows_from_session_and_sources(tmp_path: Path) -> None:
    for number in (1, 2):
        put(tmp_path / str(number), [said(number) for number in range(12)])
        compact(tmp_path / str(number), asked(when=f"2026-0{number}-01"))
    one, other = (records(tmp_path / str(number)) for number in (1, 2))
    assert one != other
    names = [[made.id for made in every if isinstance(made, Summary)] for every in (one, other)]
    assert names[0] == names[1]
    assert all(len(name) == 15 for name in names[0])


# --- again, and after more turns ------------------------------------------------------------


def test_compacting_again_changes_nothing(tmp_path: Path) -> None:
    put(tmp_path, turns(60))
    compact(tmp_path)
    before = summaries(tmp_path).read_bytes()
    (seen,) = compact(tmp_path, asked(when="later"))
    assert isinstance(seen, compaction.Look)
    assert seen.pending == 0
    assert summaries(tmp_path).read_bytes() == before


def test_only_what_is_new_is_compacted(tmp_path: Path) -> None:
    put(tmp_path, turns(40))
    compact(tmp_path)
    before = summaries(tmp_path).read_bytes()
    put(tmp_path, turns(30, 40))
    compact(tmp_path, asked(when="later"))
    after = summaries(tmp_path).read_bytes()
    assert after.startswith(before)
    every = records(tmp_path)
    found = sort(every)
    assert set(found.covered.values()) == {1}
    run = [one for one in every if isinstance(one, Run)]
    assert [one.compacted for one in run] == [WHEN, "later"]
    assert run[1].start == run[0].end + 1


def test_a_record_that_was_damaged_is_made_again(tmp_path: Path) -> None:
    put(tmp_path, [said(number) for number in range(30)])
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    lines = summaries(tmp_path).read_bytes().splitlines(keepends=True)
    lost = json.loads(lines[3])["lines"]
    lines[3] = b"\x00" * 40 + b"\n"
    summaries(tmp_path).write_bytes(b"".join(lines))
    compact(tmp_path, asked(tail=TAIL._replace(tokens=0)))
    state = lineage.Lineage()
    found = sort(lineage.counting(str(tmp_path), NAME, state))
    assert (state.odd, set(found.covered.values())) == (1, {1})
    assert found.done == {*range(1, 27)}
    last = json.loads(summaries(tmp_path).read_bytes().splitlines()[-1])
    assert last["lines"] == lost


def test_a_session_that_lost_lines_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, [said(number) for number in range(30)]) / "sessions" / NAME
    compact(tmp_path)
    before = summaries(tmp_path).read_bytes()
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:10]))
    with pytest.raises(FileError, match=r"has 10 lines, where \d+ are summarised"):
        compact(tmp_path)
    assert summaries(tmp_path).read_bytes() == before


# --- cut off anywhere -----------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_completed_to_the_same_bytes(tmp_path: Path) -> None:
    """At the end of every record, and inside of it; 20 summaries of level 1 wait at one."""
    put(tmp_path, turns(24))
    compact(tmp_path, asked(2))
    put(tmp_path, turns(40, 24))
    compact(tmp_path, asked(2))
    right = summaries(tmp_path).read_bytes()
    assert right.count(b'"type": "run"') == 2
    begun = right.index(b"\n", right.rindex(b'{"type": "run"'))  # what is lost whole is another
    assert b'"level": 2' in right[begun:]
    end = 0
    for line in right.splitlines(keepends=True):
        for cut in (end, end + len(line) // 2, end + len(line) - 1):
            if cut < begun:
                continue
            summaries(tmp_path).write_bytes(right[:cut])
            compact(tmp_path, asked(5, when="another"))
            assert summaries(tmp_path).read_bytes() == right, (end, cut)
        end += len(line)


@posix
@pytest.mark.parametrize("way", ["calls", "halves", "bytes", "full"])
def test_a_compaction_that_dies_is_completed_by_the_next(tmp_path: Path, way: str) -> None:
    check_deaths("tests.sessions.compacting", tmp_path, way, least=30)


# --- writers and spaces that fail -----------------------------------------------------------


class Failing:
    """A summariser that fails, or says something of its own."""

    method = "abstractive"
    model = "m"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked = 0

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        del cluster, limit
        self.asked += 1
        if self.answers and (answer := self.answers.pop(0)):
            return Draft(answer)
        raise SummaryError("no answer")


def test_a_summariser_that_fails_three_times_is_not_asked_again(tmp_path: Path) -> None:
    put(tmp_path, [said(number) for number in range(40)])
    failing = Failing()
    found = compact(tmp_path, means=compaction.Means(TermSpace(), failing))
    silenced = [one for one in found if isinstance(one, compaction.Silenced)]
    assert failing.asked == MOST_FAILURES == 3
    assert [one.why for one in silenced] == ["abstractive failed: no answer"]
    made = [one for one in records(tmp_path) if isinstance(one, Summary)]
    assert len(made) > 5
    assert [bool(one.note) for one in made] == [number < 3 for number in range(len(made))]
    assert {one.method for one in made} == {"extractive"}


class Unreliable:
    """A space that fails after some calls."""

    name = "unreliable"

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def of(self, texts: Sequence[str], known: int | None = None) -> Vectors:
        self.calls -= 1
        if self.calls < 0:
            raise EmbeddingError("the model is gone")
        return TermSpace().of(texts, known)


def test_what_is_done_before_an_embedder_fails_stays(tmp_path: Path) -> None:
    put(tmp_path, turns(60))
    compact(tmp_path, means=compaction.Means(Unreliable(999), None))
    right = summaries(tmp_path).read_bytes()
    summaries(tmp_path).unlink()
    with pytest.raises(EmbeddingError):
        compact(tmp_path, means=compaction.Means(Unreliable(9), None))
    part = summaries(tmp_path).read_bytes()
    assert right.startswith(part)
    assert part.count(b'"type": "summary"') == 4
    compact(tmp_path, means=compaction.Means(Unreliable(999), None))
    assert summaries(tmp_path).read_bytes() == right


# --- planning -------------------------------------------------------------------------------


def test_a_plan_says_what_a_compaction_does(tmp_path: Path) -> None:
    put(tmp_path, turns(60))
    planned = compaction.plan(str(tmp_path), NAME, asked())
    assert os.listdir(tmp_path / "sessions") == [NAME]
    compact(tmp_path)
    every = records(tmp_path)
    found = sort(every)
    pieces = sum(isinstance(one, (Summary, Declined)) and one.level == 1 for one in every)
    assert (planned.turns, planned.clusters, planned.elevated) == (
        len(found.covered) + len(found.declined),
        pieces,
        len(found.elevated),
    )
    whole = summaries(tmp_path).read_bytes()
    lines = whole.splitlines(keepends=True)
    summaries(tmp_path).write_bytes(b"".join(lines[:4]))
    put(tmp_path, turns(20, 60))
    left = compaction.plan(str(tmp_path), NAME, asked())
    assert summaries(tmp_path).read_bytes() == b"".join(lines[:4])
    before = sort(records(tmp_path))
    compact(tmp_path)
    after = sort(records(tmp_path))
    assert left.turns == len(after.covered) + len(after.declined) - len(before.covered)
    assert left.elevated == len(after.elevated) - len(before.elevated)


# --- any session ----------------------------------------------------------------------------

TEXTS = (
    "The gate was moved to the wall of the garden. It took three days.",
    "Never push to main without a review.",
    "We decided to keep the release train, because the tests take two hours.",
    "ok",
    "",
    "She bought a bicycle in May and sold it in June for 120 euros.",
)
TURNS = st.one_of(
    st.builds(
        lambda role, text, bundle, name: {
            "role": role, "text": text, "session": "s", **({"bundle": bundle} if bundle else {}),
            **({"id": name} if name else {}),
        },
        st.sampled_from(["user", "assistant", "tool"]),
        st.sampled_from(TEXTS),
        st.sampled_from(["", "", "", "a", "b", "c"]),
        st.sampled_from(["", "x", "y", "z"]),
    ),
    st.sampled_from([b"torn", b"[]", b"", b'{"role": "user"}']),
)  # fmt: skip


def tail_starts(root: Path, tail: compaction.Tail) -> int:
    """Return the line where a packet's tail would start, if texts cost all that there is."""
    every = list(stored.turns(str(root), NAME))
    if not every:
        return 1
    boundaries = Boundaries(
        (at, one.turn.bundle) for at, one in enumerate(every) if one.turn.bundle
    )
    prices = [max(1, tokens.estimate(one.turn.text)) for one in every]
    base = longest_base = 0

    class Thread:
        def __len__(self) -> int:
            return len(every)

    base = base_start(Thread(), tail.turns, boundaries)
    longest_base = sum(prices[base:])
    room = max(tail.tokens, longest_base) - longest_base
    return every[longest(base, boundaries, prices.__getitem__, room)].line


@settings(max_examples=30)
@given(
    st.lists(st.lists(TURNS, max_size=25), min_size=1, max_size=3),
    st.integers(-1, 6),
    st.integers(1, 5),
    st.integers(0, 80),
)
def test_every_turn_has_one_place(
    parts: Sequence[Sequence[Mapping[str, object] | bytes]], size: int, least: int, room: int
) -> None:
    tail = TAIL._replace(turns=least, tokens=room)
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        root = Path(folder)
        for part in parts:
            put(root, part)
            before = sort(records(root)).done
            compact(root, asked(size, tail))
            every = records(root)
            found = sort(every)
            start = tail_starts(root, tail)
            lines = {one.line: one.turn for one in stored.turns(str(root), NAME)}
            assert set(found.covered.values()) <= {1}
            assert not found.elevated & (found.declined | {*found.covered})
            assert not found.declined & {*found.covered}
            assert all(line < start for line in found.done - before)
            assert found.done | {line for line in lines if line >= start} == {*lines}
            assert {line for line in found.done if is_rule(lines[line])} == found.elevated
            check_clusters(every, lines, before)


def check_clusters(
    every: Sequence[lineage.Record], lines: Mapping[int, Turn], before: set[int]
) -> None:
    """Bundles are whole, and clusters are those of the formula but for them."""
    made = [
        one
        for one in every
        if isinstance(one, (Summary, Declined)) and one.level == 1
        and not before & {*_lines(one.lines)}
    ]  # fmt: skip
    place = {line: number for number, one in enumerate(made) for line in _lines(one.lines)}
    new = sorted(place)
    homes: dict[str, set[int]] = {}
    for line in new:
        if lines[line].bundle:
            homes.setdefault(lines[line].bundle, set()).add(place[line])
    assert all(len(home) == 1 for home in homes.values())
    if not new:
        return
    run = [one for one in every if isinstance(one, Run)][-1]
    assert (run.turns, run.clusters) == (len(new), compaction.cluster_count(len(new), run.size))
    bundled = Boundaries(
        (at, lines[line].bundle) for at, line in enumerate(new) if lines[line].bundle
    )
    wanted = [
        compaction.cluster_of(bundled.back(at), run.turns, run.clusters) for at in range(len(new))
    ]
    assert [place[line] for line in new] == [sorted({*wanted}).index(home) for home in wanted]


@settings(max_examples=30)
@given(st.lists(TURNS, max_size=40), st.integers(1, 3), st.data())
def test_a_file_of_summaries_may_say_anything(
    part: Sequence[Mapping[str, object] | bytes], size: int, data: st.DataObject
) -> None:
    """Lines of a file are lost, doubled and swapped: still every line has one place at most."""
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        root = Path(folder)
        put(root, part)
        compact(root, asked(size, TAIL._replace(tokens=0)))
        if not summaries(root).exists():
            return
        lines = summaries(root).read_bytes().splitlines(keepends=True)
        shuffled = data.draw(st.lists(st.sampled_from(lines), max_size=2 * len(lines)))
        summaries(root).write_bytes(b"".join(shuffled))
        compact(root, asked(size, TAIL._replace(tokens=0)))
        found = sort(lineage.counting(str(root), NAME))
        assert set(found.covered.values()) <= {1}
        start = tail_starts(root, TAIL._replace(tokens=0))
        known = {one.line for one in stored.turns(str(root), NAME)}
        assert found.done == {line for line in known if line < start}
        again = summaries(root).read_bytes()
        compact(root, asked(size, TAIL._replace(tokens=0)))
        assert summaries(root).read_bytes() == again


def test_work_is_written_before_it_is_told(tmp_path: Path) -> None:
    put(tmp_path, turns(40))
    events = compaction.compact(str(tmp_path), NAME, asked(), MEANS)
    told = 0
    for one in events:
        if isinstance(one, (Summary, Elevated, Declined)):
            told += 1
            assert summaries(tmp_path).read_bytes().count(b"\n") == told + 1
            if told == 5:
                break
    events.close()
    compact(tmp_path, asked(when="another"))
    assert b"another" not in summaries(tmp_path).read_bytes()

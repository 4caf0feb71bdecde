"""The session's tail: where it may start, and what of it a plan includes."""

from collections.abc import Iterator, Sequence
from typing import cast

from hypothesis import example, given
from hypothesis import strategies as st

from ctx.fit import Offer, plan
from ctx.fit.continuity import Tail
from ctx.fit.offer import tail_limit
from ctx.model import Entry, Request, Scored, Section, SectionName, Selection
from ctx.model.boundaries import Boundaries, base_start, longest
from tests.fit.flat import Flat, offer, scored
from tests.rank.test_brackets import TODAY
from tests.read.samples import entry


class Session:
    """A session: what each turn costs, and its bundle (a dot where it stands alone)."""

    def __init__(self, sizes: Sequence[int], names: Sequence[str]) -> None:
        self.sizes = sizes
        self.names = names

    def __len__(self) -> int:
        return len(self.sizes)

    def turn(self, index: int) -> Entry:
        name = self.names[index].strip(".")
        one = entry(f"turn {index}", kind="turn", size=self.sizes[index], source="sessions/a.jsonl")
        return one._replace(bundle=name, speaker="user")

    def bundles(self) -> Iterator[tuple[int, str]]:
        return ((at, name) for at, name in enumerate(self.names) if name.strip("."))

    def offered(self) -> list[Scored]:
        return [Scored(self.turn(at), 1.0, ()) for at in reversed(range(len(self)))]


def session(sizes: Sequence[int], names: Sequence[str] = "") -> Session:
    return Session(sizes, names or "." * len(sizes))


def choice(thread: Session | None, **others: list[Scored]) -> Offer:
    ranked: dict[SectionName, list[Scored]] = {"turns": thread.offered() if thread else []}
    ranked.update(cast("dict[SectionName, list[Scored]]", others))
    return offer(ranked)._replace(thread=thread)


def asked(budget: int, *, share: float = 0.15, turns: int = 4) -> Request:
    return Request("/", TODAY, budget).having(tail_share=share, tail_turns=turns)


def planned(offered: Offer, request: Request, measure: Flat | None = None) -> Selection:
    return plan(offered, request, measure or Flat())


def section(selection: Selection, name: str) -> Section | None:
    return next((one for one in selection.sections if one.name == name), None)


def said(selection: Selection, name: str = "tail") -> list[int]:
    found = section(selection, name)
    runs = (*found.included, *found.titles) if found else ()
    return [int(one.entry.title.split()[-1]) for one in runs]


def test_without_a_session_there_is_no_tail() -> None:
    for thread in (None, session([])):
        selection = planned(choice(thread, decisions=scored("decision", [5])), asked(1000))
        assert section(selection, "tail") is None
        assert Tail(thread, asked(1000), Flat()).bases()[0].included == ()


def test_a_tail_grows_towards_its_share() -> None:
    # Base 4 · 10; the share of 1,000 is 150: eleven more.
    thread = session([10] * 200)
    selection = planned(choice(thread), asked(1000))
    assert said(selection) == list(range(185, 200))
    tail = section(selection, "tail")
    assert tail is not None
    assert (tail.used, tail.budget, tail.omitted) == (150, 150, 0)
    # The older ones are offered by what they are worth: here the last first.
    assert said(selection, "turns")[:3] == [184, 183, 182]


def test_a_base_without_room_is_cut_bundle_by_bundle_and_says_so() -> None:
    # Rules 500 of 1,000; the base is 600, its last three turns 300.
    thread = session([100, 100, 200, 200, 100], ".aa..")
    choices = choice(thread, rules=scored("rule", [300]))
    selection = planned(choices, asked(800))
    assert said(selection) == [3, 4]
    assert "the session's last 4 turns cost 600 tokens" in selection.degraded
    assert "2 of them are included" in selection.degraded
    alone = planned(choices, asked(450))
    assert said(alone) == [4]
    assert "1 of them is included" in alone.degraded
    nothing = planned(choices, asked(350))
    assert said(nothing) == []
    assert "none is included" in nothing.degraded


def test_tasks_and_soft_rules_come_before_more_of_the_tail() -> None:
    # Of 960 beside the base of 40 tasks have 384 and conventions 192; the tail has what is left.
    offered = choice(
        session([10] * 200),
        tasks=scored("task", [40] * 50),
        conventions=scored("convention", [20] * 50),
    )
    selection = planned(offered, asked(1000, share=0.5))
    tasks, soft, tail = (section(selection, name) for name in ("tasks", "conventions", "tail"))
    assert tasks is not None
    assert soft is not None
    assert tail is not None
    assert (tasks.budget, soft.budget) == (384, 192)
    assert tail.budget == 1000 - 384 - 192
    assert tail.used == 420


def test_no_more_turns_are_made_than_could_be_said() -> None:
    made: list[int] = []

    class Counting(Session):
        def turn(self, index: int) -> Entry:
            made.append(index)
            return super().turn(index)

    thread = Counting([10] * 50_000, "." * 50_000)
    Tail(thread, asked(1000), Flat())
    assert set(made) == set(range(49_984, 50_000))


def test_a_long_base_is_priced_in_one_pass() -> None:
    measure = Flat()
    Tail(session([10] * 1000), asked(100_000, turns=1000), measure).bases()
    assert measure.counted < 10_000


_sessions = st.lists(st.tuples(st.integers(1, 60), st.sampled_from("....abc")), max_size=16).map(
    lambda turns: session([size for size, _ in turns], [name for _, name in turns])
)
_requests = st.builds(
    asked,
    st.integers(0, 900),
    share=st.sampled_from((0.0, 0.15, 0.5, 1.0)),
    turns=st.integers(1, 8),
)


@given(_sessions, _requests, st.integers(0, 400))
@example(session([5, 5], "aa"), asked(9, turns=1), 0)
def test_the_tail_follows_from_its_definition(
    thread: Session, request_: Request, rules: int
) -> None:
    offered = choice(thread, rules=scored("rule", [rules]))
    selection = planned(offered, request_)
    if rules > request_.budget:
        assert said(selection) == []
        return
    names = [name.strip(".") for name in thread.names]
    start = base_start(thread, request_.settings.tail_turns, Boundaries(thread.bundles()))
    base = sum(thread.sizes[start:])
    found = said(selection)
    assert found == list(range(len(thread) - len(found), len(thread)))
    assert not splits(names, len(thread) - len(found))
    if rules + base > request_.budget:
        whole = [at for at in range(start, len(thread) + 1) if not splits(names, at)]
        fits = [at for at in whole if rules + sum(thread.sizes[at:]) <= request_.budget]
        assert len(thread) - len(found) == min(fits)
        assert "there is no room beside the rules" in selection.degraded
        return
    limit = tail_limit(request_.budget, request_.settings.tail_share, base, rules)
    first = longest_by_trying(names, thread.sizes, start, limit - base)
    assert len(thread) - len(found) == first


@given(
    _sessions,
    _requests,
    st.lists(st.integers(1, 90), max_size=5),
    st.lists(st.integers(1, 90), max_size=5),
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_turns_are_said_once_and_the_budget_is_kept(  # noqa: PLR0917 - as they are drawn
    thread: Session, request_: Request, rules: list[int], others: list[int], line: int, heading: int
) -> None:
    measure = Flat(line=line, heading=heading)
    offered = choice(
        thread,
        rules=scored("rule", rules),
        tasks=scored("task", others),
        conventions=scored("convention", others),
        decisions=scored("decision", others),
    )
    selection = planned(offered, request_, measure)
    tail, older = said(selection), said(selection, "turns")
    assert len({*tail, *older}) == len(tail) + len(older)
    hard = section(selection, "rules")
    assert hard is not None
    if [one.name for one in selection.sections] != ["rules"]:
        assert [one.entry.size for one in hard.included] == rules
        assert measure.whole(selection) <= request_.budget
    names = [name.strip(".") for name in thread.names]
    assert tail == list(range(len(thread) - len(tail), len(thread)))
    assert not splits(names, len(thread) - len(tail))
    if not selection.degraded:
        start = base_start(thread, request_.settings.tail_turns, Boundaries(thread.bundles()))
        assert len(tail) >= len(thread) - start


class Thread:
    """A session that is asked for its length and its bundles, and for no turn."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def turn(self, index: int) -> Entry:
        raise AssertionError(index)

    def bundles(self) -> Iterator[tuple[int, str]]:
        return ((index, name) for index, name in enumerate(self.names) if name)


def boundaries(names: Sequence[str]) -> Boundaries:
    return Boundaries(Thread(names).bundles())


def splits(names: Sequence[str], cut: int) -> bool:
    """Return whether turns of one bundle stand on both sides of a cut before turn ``cut``."""
    return bool({*names[:cut]} & {*names[cut:]} - {""})


def back(names: Sequence[str], index: int) -> int:
    """Return the nearest cut at or before ``index`` that splits nothing, by trying."""
    return next(cut for cut in range(index, -1, -1) if not splits(names, cut))


sessions = st.lists(st.sampled_from(("", "", "a", "b", "c", "d")), max_size=14)
"""Bundles that overlap, nest and interleave."""


@given(sessions)
@example(list("abab"))
@example(list("abba"))
@example(["a", "", "a", "b", "b"])
@example(["a", "b", "a", "c", "b", "c", ""])
@example(["a"])
def test_a_cut_goes_back_to_where_no_bundle_is_split(names: list[str]) -> None:
    found = boundaries(names)
    for index in range(len(names) + 1):
        assert found.back(index) == back(names, index)
        assert found.back(found.back(index)) == found.back(index)


@given(sessions, st.integers(1, 20))
def test_the_base_is_the_shortest_whole_suffix_with_enough_turns(
    names: list[str], least: int
) -> None:
    start = base_start(Thread(names), least, boundaries(names))
    whole = [cut for cut in range(len(names) + 1) if not splits(names, cut)]
    long_enough = [cut for cut in whole if len(names) - cut >= least]
    assert start == (max(long_enough) if long_enough else 0)


def longest_by_trying(names: Sequence[str], prices: Sequence[int], start: int, room: int) -> int:
    whole = [cut for cut in range(start + 1) if not splits(names, cut)]
    return min(cut for cut in [*whole, start] if sum(prices[cut:start]) <= max(room, 0))


@st.composite
def _priced(draw: st.DrawFn) -> tuple[list[str], list[int], int]:
    names = draw(sessions)
    prices = draw(st.lists(st.integers(1, 9), min_size=len(names), max_size=len(names)))
    return names, prices, back(names, draw(st.integers(0, len(names))))


@given(_priced(), st.integers(-5, 60))
def test_the_longest_suffix_that_fits(drawn: tuple[list[str], list[int], int], room: int) -> None:
    names, prices, start = drawn
    found = longest(start, boundaries(names), prices.__getitem__, room)
    assert found == longest_by_trying(names, prices, start, room)
    assert not splits(names, found) or found == start


def test_no_more_is_priced_than_could_fit() -> None:
    asked: list[int] = []

    def price(index: int) -> int:
        asked.append(index)
        return 10

    assert longest(100_000, Boundaries(()), price, 35) == 99_997
    assert asked == [99_999, 99_998, 99_997, 99_996]
    asked.clear()
    one = Boundaries([(0, "all"), (99_999, "all")])
    assert longest(100_000, one, price, 35) == 100_000
    assert len(asked) == 4


def test_no_section_is_planned_less_than_nothing_where_turns_take_what_tasks_do_not_need() -> None:
    others = {"tasks": scored("task", [10]), "decisions": scored("decision", [300, 300])}
    request = asked(200, share=1.0, turns=1).having(tasks_share=1.0, conventions_share=0.0)
    selection = planned(choice(session([20] * 3), **others), request)
    assert min(section.budget for section in selection.sections) == 0

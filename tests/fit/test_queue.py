"""The queue yields what looking at everything each time would, without looking at everything."""

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.fit.planners.acs import Queue, priced
from ctx.fit.preference import DEAR, Candidate, Progress
from ctx.model import LEVELS, Fragment, Included, Level, LodMix, Measure
from tests.fit.flat import Flat, Likely, Priced, fragment, likely
from tests.read.samples import entry

MUCH = 10**6


def anything(at: int, level: Level) -> bool:  # noqa: ARG001 - whatever it is
    return True


def queue(*prospects: Likely, terms: int = 0, measure: Measure | None = None) -> Queue:
    return Queue(prospects, measure or Flat(), Progress(terms, MUCH, LodMix()))


def title_of(one: Candidate | None) -> str:
    """Return what was taken: the letter of the entry and its level's."""
    return "" if one is None else one.id[-1] + one.fragment.level[0]


def whole(name: str, benefit: float = 0.5, **more: int) -> Likely:
    return likely(name, 0, benefit, levels_=("full",), **more)  # type: ignore[arg-type]


def test_a_fragment_has_its_price_its_place_and_its_source() -> None:
    prospect = likely("b", 80, source="notes.md")
    made = priced(prospect, prospect.fragments()[1], 7, Flat())
    assert made == Candidate(fragment("key", 0.5), 20, 7, "notes.md", prospect.scored.entry.id)


def test_an_entry_is_not_read_before_its_turn() -> None:
    best, second, third = whole("a", 0.9), whole("b", 0.5), whole("c", 0.2)
    line = queue(third, second, best)
    assert title_of(line.take(MUCH, anything)) == "af"
    # The bound of an entry that is unread allows for covering something: .05 of a lead.
    assert (best.reads, second.reads, third.reads) == (1, 0, 0)
    assert title_of(line.take(MUCH, anything)) == "bf"
    assert (best.reads, second.reads, third.reads) == (1, 1, 0)


def test_an_entry_whose_title_is_not_affordable_is_not_even_read() -> None:
    dear, cheap = likely("a", benefit=0.9), likely("b")

    def second(at: int, level: Level) -> bool:  # noqa: ARG001 - whatever the level
        return at == 1

    assert title_of(queue(dear, cheap).take(MUCH, second)) == "bt"
    assert dear.reads == 0


def test_a_level_that_is_not_affordable_is_not_priced() -> None:
    measure = Flat()

    def titles(at: int, level: Level) -> bool:  # noqa: ARG001 - whatever the entry
        return level == "title"

    queue(likely("a"), measure=measure).take(MUCH, titles)
    assert measure.counted == 1


# Against a reference that looks at everything each time


class Case(NamedTuple):
    """Entries, and what happens while they are chosen."""

    prospects: tuple[Likely, ...]
    measure: Priced
    terms: int
    budget: int
    mix: LodMix
    refused: frozenset[tuple[str, Level]]
    """What turns out not to fit when it is taken."""


_POINTS = (0.0, 0.3, 0.4999, 0.5, 0.5003, 0.52, 0.55, 0.551)
_COSTS = (0, 1, 2, 100, 101, DEAR)


@st.composite
def _fragments(draw: st.DrawFn, costs: Sequence[int]) -> list[Fragment]:
    """Draw an entry's levels; what it is worth may lie on a score or on a benefit."""
    levels = LEVELS if draw(st.booleans()) else (LEVELS[0], LEVELS[2])
    same = draw(st.booleans())
    common = fragment(
        "full",
        moment=draw(st.integers(0, 1)),
        citations=draw(st.integers(0, 1)),
        unresolved=draw(st.integers(0, 1)),
    )
    made = []
    for level in levels:
        points = draw(st.sampled_from(_POINTS))
        factor = 1 if same else 1 + costs[LEVELS.index(level)] / DEAR
        covers = draw(st.integers(0, 7))
        made.append(common._replace(level=level, benefit=min(1, points * factor), covers=covers))
    return made


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a case in which ties are frequent."""
    prospects = []
    prices: dict[tuple[str, Level], int] = {}
    for name in draw(st.permutations("abcdefghij"[: draw(st.integers(1, 10))])):
        costs = sorted(draw(st.tuples(*[st.sampled_from(_COSTS)] * 3)), reverse=True)
        made = draw(_fragments(costs))
        one = entry(name, source=f"{draw(st.sampled_from('xxyzvw'))}.md")._replace(id=name)
        spare = draw(st.sampled_from((0.0, 0.0, 0.02, 0.5)))
        prospects.append(Likely(one, made, bound=max(it.benefit for it in made) + spare))
        prices.update({(one.id, level): cost for level, cost in zip(LEVELS, costs, strict=True)})
    return Case(
        tuple(prospects),
        Priced(prices, draw(st.sampled_from((None, None, 0)))),
        draw(st.integers(0, 3)),
        draw(st.sampled_from((0, 3, 150, 400, 1200, 5000))),
        draw(st.sampled_from((LodMix(), LodMix(), LodMix(0.9, 0.1, 0.0)))),
        draw(st.frozensets(st.sampled_from(sorted(prices)), max_size=3)),
    )


class Till:
    """What is left of a budget, and what was bought."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.left = case.budget
        self.progress = Progress(case.terms, case.budget, case.mix)
        self.bought: dict[int, Candidate] = {}
        self.order: list[tuple[str, Level]] = []

    def affordable(self, at: int, level: Level) -> bool:
        known = self.bought.get(at)
        if known:
            return LEVELS.index(level) < LEVELS.index(known.fragment.level)
        price = self.case.measure.unit(Included(self.case.prospects[at].scored, level))
        return price <= self.left

    def buy(self, one: Candidate) -> None:
        what = one.id, one.fragment.level
        instead = self.bought.get(one.place)
        price = one.cost - (instead.cost if instead else 0)
        if price <= self.left and what not in self.case.refused:
            self.order.append(what)
            self.left -= price
            self.bought[one.place] = one
            self.progress.choose(one, instead)


def by_queue(case: Case) -> Till:
    till = Till(case)
    line = Queue(case.prospects, case.measure, till.progress)
    while (one := line.take(till.left, till.affordable)) is not None:
        till.buy(one)
    return till


def by_looking(case: Case) -> Till:
    """Choose by looking at all fragments that are affordable, each time."""
    till = Till(case)
    rest = [
        priced(prospect, made, place, case.measure)
        for place, prospect in enumerate(case.prospects)
        for made in prospect.fragments()
    ]
    while now := [one for one in rest if till.affordable(one.place, one.fragment.level)]:
        best = min(now, key=lambda one: till.progress.key(one, till.left))
        rest.remove(best)
        till.buy(best)
    return till


@settings(max_examples=80)
@given(cases())
def test_the_queue_yields_what_looking_at_everything_each_time_does(case: Case) -> None:
    assert by_queue(case).order == by_looking(case).order


@given(cases(), st.randoms(use_true_random=False))
def test_shuffling_the_prospects_changes_nothing(case: Case, random: object) -> None:
    shuffled = list(case.prospects)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert by_queue(case).order == by_queue(case._replace(prospects=tuple(shuffled))).order

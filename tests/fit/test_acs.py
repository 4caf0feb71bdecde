"""The benefit/cost planner: every figure below is worked out from flat prices.

A title costs 2, key lines a quarter of the whole; where the price shall not matter, entries
have one level and cost a token.
"""

from collections.abc import Sequence
from datetime import date
from math import nextafter
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit.ledger import Ledger, Run
from ctx.fit.planner import Chosen, Room
from ctx.fit.planners.acs import WORTH_OVERSHOOT, choose
from ctx.fit.preference import DEAR
from ctx.model import LEVELS, Candidates, Included, Kind, Level, Request, SectionName
from tests.fit.flat import Flat, Likely, Priced, likely, offer, total

TODAY = date(2026, 1, 31)
ABOVE = nextafter(WORTH_OVERSHOOT, 1)


class Made(NamedTuple):
    told: Chosen
    said: list[str]
    """Title and first letter of the level, in the order of the first choice of each entry."""
    room: Room


def room(prospects: Sequence[Likely], budget: int, measure: Flat) -> Room:
    def run(name: SectionName, kind: Kind) -> Run:
        ranked = [one.scored for one in prospects if one.scored.entry.kind == kind]
        return Run(name, ranked, total(ranked), f"{name.upper()}.md")

    decisions, learnings = run("decisions", "decision"), run("learnings", "learning")
    lore, turns = run("lore", "lore"), run("turns", "turn")
    runs = [decisions, learnings, lore, turns]
    ledger = Ledger(measure, runs, budget, 0)
    for one in runs:
        ledger.reserve(one)
    fixed = run("tasks", "task"), run("conventions", "convention")
    return Room(ledger, decisions, learnings, lore, turns, *fixed)


def made(
    *prospects: Likely,
    budget: int,
    terms: int = 0,
    measure: Flat | None = None,
    overshoot: bool = False,
) -> Made:
    filled = room(prospects, budget, measure or Flat())
    choice = offer({})._replace(planned=Candidates(prospects, ["term"] * terms))
    request = Request("/", TODAY, budget=budget, planner="acs", allow_overshoot=overshoot)
    told = choose(filled, choice, request)
    said = [
        run.entry(place).title + level[0]
        for run in filled.runs
        for place, level in run.levels.items()
    ]
    return Made(told, said, filled)


def chosen(*prospects: Likely, budget: int, terms: int = 0, measure: Flat | None = None) -> str:
    return " ".join(made(*prospects, budget=budget, terms=terms, measure=measure).said)


def whole(
    title: str,
    points: float = 0.5,
    size: int = 1,
    *,
    covers: int = 0,
    source: str = "",
    **marks: int,
) -> Likely:
    """Return an entry that has one level, and a score of ``points`` whatever it costs."""
    benefit = points * (1 + size / DEAR)
    return likely(title, size, benefit, covers, ("full",), source=source, **marks)  # type: ignore[arg-type]


def test_no_candidates_are_an_empty_plan() -> None:
    assert made(budget=1000)[:2] == (Chosen(), [])
    assert made(budget=1000, overshoot=True)[:2] == (Chosen(), [])


def test_what_no_section_offers_is_not_chosen() -> None:
    # A turn of the session's tail, which is said there.
    choice = offer({})._replace(planned=Candidates([likely("a")]))
    filled = room([], 1000, Flat())
    assert choose(filled, choice, Request("/", TODAY, planner="acs")) == Chosen()
    assert not any(run.levels for run in filled.runs)


def test_what_is_worth_most_comes_first_and_what_does_not_fit_is_passed_over() -> None:
    a, b, c = whole("a", 0.9, 60), whole("b", 0.8, 60), whole("c", 0.3, 40)
    assert chosen(c, b, a, budget=100) == "af cf"


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(1, ""), (2, "at"), (24, "at"), (25, "ak"), (99, "ak"), (100, "af"), (1000, "af")],
)
def test_a_better_level_replaces_a_worse_one_where_room_is_left(budget: int, expected: str) -> None:
    found = made(likely("a", 100), budget=budget)
    assert " ".join(found.said) == expected
    costs = {"": 0, "at": 2, "ak": 25, "af": 100}
    assert found.room.ledger.spent == costs[expected]


def test_a_worse_level_never_replaces_a_better_one() -> None:
    # Whole it says so much more that it comes before its own title.
    parts = likely("a", 100, 0.9).fragments()
    parts = [part._replace(benefit=0.1) if part.level != "full" else part for part in parts]
    assert chosen(Likely(likely("a", 100).scored.entry, parts), budget=200) == "af"


def test_a_title_that_was_replaced_has_no_share() -> None:
    # The title of "a" cost 2; then there are 4 tokens of whole entries alone.
    a, b = likely("a", 4, 0.9, 0, ("full", "title")), whole("b", 0.5, 2)
    z = likely("z", 100, 0.5 * (1 + 2 / DEAR), 0, ("title",))
    assert chosen(a, b, z, budget=6) == "af zt"


def test_above_nine_tenths_the_best_is_said_past_the_budget_where_that_is_allowed() -> None:
    pair = likely("a", 200, 0.95), likely("b", 300, 0.96)
    found = made(*pair, budget=100, overshoot=True)
    assert found.said == ["bf"]  # it alone
    id_ = pair[1].scored.entry.id
    assert found.told == Chosen(
        overshoot=f"{id_} costs 300 tokens and is included in full, "
        "as --allow-overshoot asks (benefit 0.96)."
    )
    assert found.room.ledger.spent == 300


@pytest.mark.parametrize(
    ("benefit", "allowed", "expected"),
    [
        (ABOVE, True, "af"),
        (1.0, True, "af"),
        (WORTH_OVERSHOOT, True, "ak"),  # not above it
        (0.5, True, "ak"),
        (1.0, False, "ak"),  # never by default
    ],
)
def test_overshoot_needs_leave_and_a_benefit_above_nine_tenths(
    benefit: float, allowed: bool, expected: str
) -> None:
    found = made(likely("a", 200, benefit), budget=100, overshoot=allowed)
    assert found.said == [expected]
    assert bool(found.told.overshoot) == (expected == "af")
    assert bool(found.told.note) == (expected != "af")


def test_of_several_the_most_beneficial_overshoots_by_the_tie_breaks() -> None:
    def best(*prospects: Likely) -> str:
        (said,) = made(*prospects, budget=10, overshoot=True).said
        assert made(*reversed(prospects), budget=10, overshoot=True).said == [said]
        return said

    assert best(likely("a", 99, 0.95), likely("z", 99, 0.96)) == "zf"
    # Not the best for its cost.
    assert best(likely("a", 20, 0.95), likely("z", 9000, 0.96)) == "zf"
    assert best(likely("a", 99, 0.95, moment=1), likely("z", 99, 0.95, moment=2)) == "zf"
    assert best(likely("a", 99, 0.95), likely("z", 99, 0.95, citations=1)) == "zf"
    assert best(likely("a", 99, 0.95, unresolved=1), likely("z", 99, 0.95)) == "zf"
    assert best(likely("a", 99, 0.95), likely("z", 99, 0.95)) == "af"
    # Whichever could have been worth more.
    assert best(likely("a", 99, 0.95), likely("z", 99, 0.95, bound=1.0)) == "af"
    assert best(likely("a", 99, 0.95), likely("z", 99, 0.91, bound=1.0)) == "af"


def test_what_cannot_be_the_most_beneficial_is_not_read_for_it() -> None:
    best, other = likely("a", 99, 0.95), likely("z", 99, 0.5)
    made(other, best, budget=10, overshoot=True)
    assert (best.reads > 0, other.reads) == (True, 0)


@pytest.mark.parametrize(
    ("budget", "expected", "how"),
    [
        (199, "ak", "included by its key lines"), (50, "ak", "included by its key lines"),
        (49, "at", "included by its title"), (2, "at", "included by its title"),
        (1, "", "left out"),
    ],
)  # fmt: skip
def test_else_its_best_level_that_fits_is_said_and_why_is_told(
    budget: int, expected: str, how: str
) -> None:
    one = likely("a", 200, 0.8)
    found = made(one, budget=budget)
    assert " ".join(found.said) == expected
    # The figure is what there was, not what is left behind it.
    assert found.told == Chosen(
        note=f"no entry fits whole into the {budget} tokens that rules, tasks and conventions "
        f"leave; the best one, {one.scored.entry.id}, is {how}"
    )


def test_the_most_beneficial_has_room_before_those_that_are_cheaper() -> None:
    # By the score alone the titles of "a" to "c" would leave no room for these key lines.
    cheap = [likely(name, 100, 0.75, 0, ("full", "title")) for name in "abc"]
    assert chosen(*cheap, likely("z", 80, 0.76), budget=20) == "zk"


def test_the_best_one_alone_is_a_pick_like_others() -> None:
    # It covers the term that "c" covers as well, so that "o", worth more, comes next.
    best = likely("z", 80, 0.8, 1, ("full", "title"))
    c, o = likely("c", 90, 0.5, 1, ("full", "title")), likely("o", 90, 0.53, 0, ("full", "title"))
    assert chosen(best, c, o, budget=4, terms=1) == "zt ot"


def test_what_fits_once_no_line_counts_it_fits() -> None:
    # The line costs 10 of the 100; it falls away once the only entry is said.
    for overshoot in (False, True):
        found = made(likely("a", 95, 1.0), budget=100, overshoot=overshoot, measure=Flat(line=10))
        assert found.told == Chosen()
        assert found.said == ["af"]
        assert found.room.ledger.spent == 95


def priced(*prospects: Likely, line: int = 0) -> Priced:
    """Return flat prices that are known without counting."""
    said = [Included(one.scored, level) for one in prospects for level in LEVELS]
    return Priced({(one.entry.id, one.level): Flat().unit(one) for one in said}, line=line)


def test_what_cannot_fit_is_passed_over_unread() -> None:
    # "b" leaves 1 token: no title is that short.
    a, b = likely("a", 500, 0.1), likely("b", 99, 0.9)
    assert chosen(a, b, budget=100, measure=priced(a, b)) == "bf"
    assert (a.reads, b.reads) == (0, 1)


_entries = st.tuples(
    st.sampled_from((0, 1, 4, 40, 99, 100, 400)),
    st.sampled_from((0.0, 0.5, 0.5004, 0.55, WORTH_OVERSHOOT, ABOVE, 1.0)),
    st.integers(0, 3),
    st.sampled_from((("full", "key", "title"), ("full", "title"))),
    st.sampled_from(("decision", "learning", "lore", "turn")),
    st.sampled_from("xyz"),
    st.integers(0, 1),
    st.sampled_from((0.0, 0.0, 0.3)),
)


@st.composite
def offers(draw: st.DrawFn) -> list[Likely]:
    made_ = []
    for at, row in enumerate(draw(st.lists(_entries, max_size=9))):
        size, benefit, covers, levels, kind, source, moment, spare = row
        made_.append(
            likely(
                f"t{at}",
                size,
                benefit,
                covers,
                levels,
                kind,
                source=f"{source}.md",
                moment=moment,
                bound=benefit + spare,
            )
        )
    return draw(st.permutations(made_))


_budgets = st.sampled_from((0, 1, 2, 10, 30, 99, 100, 150, 300, 2000))
_measures = st.builds(
    lambda line, heading: (line, heading), st.sampled_from((0, 5)), st.sampled_from((0, 3))
)


@given(offers(), _budgets, st.integers(0, 2), _measures, st.booleans())
def test_the_budget_is_never_passed_but_by_an_overshoot_that_is_told(
    prospects: list[Likely], budget: int, terms: int, prices: tuple[int, int], overshoot: bool
) -> None:
    line, heading = prices
    found = made(
        *prospects,
        budget=budget,
        terms=terms,
        measure=Flat(line=line, heading=heading),
        overshoot=overshoot,
    )
    if found.told.overshoot:
        assert overshoot
        assert [word[-1] for word in found.said] == ["f"]
    else:
        assert found.room.ledger.spent <= budget


@given(offers(), _budgets, st.integers(0, 2), st.booleans(), st.randoms(use_true_random=False))
def test_shuffling_the_prospects_changes_nothing(
    prospects: list[Likely], budget: int, terms: int, overshoot: bool, random: object
) -> None:
    # Entries are offered to the sections in another order as well.
    found = made(*prospects, budget=budget, terms=terms, overshoot=overshoot)
    shuffled = list(prospects)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = made(*shuffled, budget=budget, terms=terms, overshoot=overshoot)
    assert again[:2] == found[:2]


@given(offers(), _budgets)
def test_each_entry_is_said_once_at_a_level_that_it_has(
    prospects: list[Likely], budget: int
) -> None:
    has: dict[str, set[Level]] = {
        one.scored.entry.id: {part.level for part in one.fragments()} for one in prospects
    }
    found = made(*prospects, budget=budget)
    for run in found.room.runs:
        for place, level in run.levels.items():
            assert level in has[run.entry(place).id]

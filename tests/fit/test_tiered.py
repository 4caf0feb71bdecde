"""Tiers: every figure below is worked out from flat prices."""

from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.fit import Total
from ctx.fit.planners.tiered import _proportion
from ctx.model import Kind, Section
from tests.fit.flat import Flat, fitted, levels, offer, scored
from tests.sampling import ALL

KINDS: dict[str, Kind] = {
    "rules": "rule", "tasks": "task", "conventions": "convention", "decisions": "decision",
    "learnings": "learning",
}  # fmt: skip

# Budgets of 1,000: 400 for tasks, 200 for conventions, and at least 30 % of the rest each.


def packed(
    budget: int = 1000, *, superseded: Sequence[int] = (), line: int = 0, **sizes: Sequence[int]
) -> dict[str, Section]:
    ranked = {name: scored(KINDS[name], run) for name, run in sizes.items()}
    if superseded:
        ranked["decisions"] += scored("decision", superseded, "superseded")
    return fitted(offer(ranked), budget, Flat(line=line))  # type: ignore[arg-type]


def test_tasks_take_two_fifths_first() -> None:
    fit = packed(tasks=[100] * 9, decisions=[100] * 9)
    # Tasks: 320 of 400 whole, then titles; decisions: the other 588 or so. Nothing is left over.
    assert fit["tasks"].budget == 400
    assert levels(fit["tasks"]).startswith("FFF")
    assert fit["decisions"].used >= 500


def test_conventions_take_a_fifth_as_the_longest_prefix() -> None:
    fit = packed(conventions=[90, 90, 90, 5, 5], decisions=[50] * 400)
    # 90 + 90 fit 200, the third does not; the small ones after it are not pulled forward.
    assert [one.entry.size for one in fit["conventions"].included] == [90, 90]
    assert fit["conventions"].budget == 200


def test_what_a_tier_leaves_flows_to_the_others() -> None:
    assert packed(conventions=[10], decisions=[99] * 10)["decisions"].used == 990
    assert packed(decisions=[10], learnings=[99] * 10)["learnings"].used >= 980
    back = packed(tasks=[100] * 6, conventions=[100] * 3, decisions=[100])
    assert [levels(section) for section in back.values()][1:4] == ["FFFFFF", "FFF", "F"]


def test_the_split_is_in_proportion_to_content_within_its_limits() -> None:
    for decisions, learnings, share in (
        (50, 50, 0.5), (60, 40, 0.6), (90, 10, 0.7), (1, 99, 0.3), (10, 0, 1), (0, 10, 0),
        (0, 0, 0),
    ):  # fmt: skip
        assert _proportion(decisions, learnings) == share, decisions


def test_superseded_is_said_only_where_everything_fits() -> None:
    for budget, current, superseded, expected in (
        (139, [50, 50], [40], "FF"),
        (140, [50, 50], [40], "FFF"),
        (100, [50, 500], [5], "Ft"),
        (100, [200], [5], "K"),  # though 50 tokens are left, and 5 would do
    ):
        fit = packed(budget, decisions=current, superseded=superseded)
        assert levels(fit["decisions"]) == expected, budget


def test_superseded_is_not_counted_as_left_out() -> None:
    section = packed(100, decisions=[50] * 9, superseded=[50] * 9, line=5)["decisions"]
    assert section.omitted == 9 - len(section.included) - len(section.titles)


def test_what_the_ranker_did_not_return_is_counted_as_left_out() -> None:
    choice = offer({"decisions": scored("decision", [50, 5])})
    more = choice._replace(totals={"decisions": Total(200, 10_000)})
    assert levels(fitted(more, 1000, Flat(line=5))["decisions"]) == "FF+198"


sizes = st.lists(st.integers(1, 400), max_size=12)


@given(
    st.tuples(sizes, sizes, sizes, sizes, sizes),
    st.integers(0, 2000),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_the_budget_is_kept_and_spent(
    drawn: tuple[list[int], ...], budget: int, line: int, heading: int
) -> None:
    rules, tasks, conventions, decisions, learnings = drawn
    measure = Flat(line=line, heading=heading, most=budget)
    choice = offer(
        {name: scored(KINDS[name], run) for name, run in zip(KINDS, drawn, strict=True)}  # type: ignore[misc]
    )
    fit = fitted(choice, budget, measure)
    used = sum(map(measure.section, fit.values()))
    assert used <= budget
    if len(fit) == 1:
        return  # the rules alone fill the packet
    assert [one.entry.size for one in fit["rules"].included] == rules
    prefix = [one.entry.size for one in fit["conventions"].included]
    assert prefix == conventions[: len(prefix)]
    titled = {one.entry.id for section in fit.values() for one in section.titles}
    said = {one.entry.id for section in fit.values() for one in section.included}
    assert not titled & said
    everything = sum((*rules, *tasks, *conventions, *decisions, *learnings)) + 5 * heading
    if everything <= budget:
        assert not titled
        assert len(said) == sum(map(len, choice.ranked.values()))
    entries = sum(len(choice.ranked[one.name]) - len(one.included) for one in fit.values())
    dearest = max((*tasks, *conventions, *decisions, *learnings, 0))
    assert not entries or budget - used < dearest + 5 * (line + heading), (
        "the next would have fitted"
    )


_ORDER = {"full": 3, "key": 2, "title": 1}


def swept(drawn: Sequence[Sequence[int]], measure: Flat, step: int) -> tuple[int, int]:
    """Return how often an entry is included, and how often the next budget includes less of it."""
    choice = offer(
        {name: scored(KINDS[name], run) for name, run in zip(KINDS, drawn, strict=True)}  # type: ignore[misc]
    )
    before: dict[str, int] = {}
    falls = steps = 0
    for budget in range(sum(drawn[0]) + 900, 2400, step):
        fit = fitted(choice, budget, measure)
        after = {
            each.entry.id: _ORDER[each.level]
            for section in fit.values()
            for each in (*section.included, *section.titles)
        }
        steps += len(before)
        falls += sum(after.get(id_, 0) < level for id_, level in before.items())
        before = after
    return steps, falls


# None leaves a gap (``GAP`` of at least 900 tokens) that smaller ones behind it may fill.
small = st.lists(st.integers(1, 45), max_size=40)


@settings(max_examples=20)
@given(st.tuples(small, small, small, small, small))
def test_more_budget_takes_nothing_away(drawn: tuple[list[int], ...]) -> None:
    assert swept(drawn, Flat(), 50)[1] == 0


def test_headings_and_lines_of_counts_take_next_to_nothing_away() -> None:
    random = Random(18)  # noqa: S311 - the same entries on every machine
    steps = falls = 0
    for _ in range(30 if ALL else 12):
        drawn = [[random.randint(5, 60) for _ in range(random.randint(0, 40))] for _ in KINDS]
        drawn[0] = drawn[0][:3]
        more = swept(drawn, Flat(line=9, heading=4), 50)
        steps, falls = steps + more[0], falls + more[1]
    assert falls <= 0.002 * steps, (falls, steps)


def test_no_tier_is_cut_below_its_share_while_a_lower_one_has_anything() -> None:
    for budget in range(0, 700, 10):
        fit = packed(
            budget, rules=[100], tasks=[20] * 30, conventions=[20] * 30, decisions=[20] * 30
        )
        if len(fit) > 1:
            used = [fit[name].used for name in ("tasks", "conventions", "decisions")]
            left = budget - 100
            for at, share in enumerate((0.4, 0.2, 0.4)):
                assert used[at] + 20 > share * left or not any(used[at + 1 :]), (budget, used)


def test_what_a_query_finds_comes_before_conventions() -> None:
    ranked = {
        "tasks": scored("task", [50] * 9),
        "conventions": scored("convention", [20] * 9),
        "decisions": scored("decision", [40] * 9),
    }
    choice = offer(ranked)  # type: ignore[arg-type]
    asked = choice._replace(found=ranked["decisions"][5:7])
    for budget, found, conventions in ((50, "tt", ""), (90, "FF", ""), (180, "FF", "F")):
        fit = fitted(asked, budget)
        assert levels(fit["conventions"])[:1].strip("+") == conventions, budget
        assert levels(fit["decisions"]).startswith(found), budget

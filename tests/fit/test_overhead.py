"""Rules, read order, warnings and the law of the budget around what is chosen."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit import plan
from ctx.model import Modality, Request, Scored, SectionName, Selection
from tests.fit.flat import Flat, documents, offer, scored
from tests.rank.test_brackets import TODAY

# --- the frame ---------------------------------------------------------------------------


class Framed(Flat):
    """Names cost 3, warnings 5, a degraded line 7."""

    def whole(self, selection: Selection) -> int:
        frame = 3 * len(selection.read_order) + 5 * len(selection.warnings)
        return super().whole(selection) + frame + (7 if selection.degraded else 0)


def framed(
    budget: int,
    rules: list[int],
    *,
    names: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    hard_share: float = 0.4,
    run: list[Scored] | None = None,
) -> Selection:
    sections: dict[SectionName, list[Scored]] = {
        "rules": run or scored("rule", rules),
        "tasks": scored("task", [5]),
    }
    choice = offer(sections, names, warnings)
    request = Request("/", TODAY, budget).having(hard_share=hard_share)
    return plan(choice, request, Framed())


def test_rules_over_their_share_are_whole_and_say_so_with_the_figures() -> None:
    selection = framed(1000, [300, 101])
    assert len(selection.sections[0].included) == 2
    assert "401 tokens" in selection.degraded
    assert "400 (40% of 1,000)" in selection.degraded
    assert len(selection.sections[1].included) == 1


def test_the_share_is_a_setting() -> None:
    assert framed(1000, [401], hard_share=0.5).degraded == ""
    assert framed(1000, [1], hard_share=0.0).degraded != ""


def test_of_rules_over_the_budget_those_that_fit_are_said_and_nothing_else() -> None:
    selection = framed(1000, [800, 300], names=("A.md",), warnings=("oh",))
    assert [section.name for section in selection.sections] == ["rules"]
    (rules,) = selection.sections
    assert [one.entry.size for one in rules.included] == [800]
    assert (rules.omitted, rules.omitted_files) == (1, "CONSTITUTION.md")
    assert (selection.read_order, selection.warnings) == ((), ())
    assert selection.degraded == (
        "no room for 1 of 2 rules in the budget of 1,000: "
        "the rules cost 1,100 tokens, the rest of the packet 0."
    )


def test_prohibitions_come_before_commands_and_these_before_the_rest() -> None:
    run = scored("rule", [100] * 6)
    ways: list[Modality | Literal[""]] = [
        "",
        "obligatory",
        "forbidden",
        "obligatory",
        "",
        "forbidden",
    ]
    run = [
        one._replace(entry=one.entry._replace(modality=way))
        for one, way in zip(run, ways, strict=True)
    ]
    for budget, kept in (
        (250, [2, 5]),
        (350, [1, 2, 5]),
        (450, [1, 2, 3, 5]),
        (550, [0, 1, 2, 3, 5]),
    ):
        selection = framed(budget, [], run=run)
        ids = [one.entry.id for one in selection.sections[0].included]
        assert ids == [run[at].entry.id for at in kept], budget


@pytest.mark.parametrize("rules", [[], [10, 20]])
def test_budget_zero_says_the_instruction_only(rules: list[int]) -> None:
    selection = framed(0, rules, names=("A.md",), warnings=("oh",))
    assert all(not s.included and not s.titles for s in selection.sections)
    assert selection.read_order == ()
    assert bool(selection.degraded) == bool(rules)


def test_files_to_read_are_shown_as_far_as_their_share_goes() -> None:
    names = ("one.md", "two.md", *(f"other-{n:02}.md" for n in range(50)))
    selection = framed(4000, [10], names=names)
    shown = len(selection.read_order)
    assert selection.read_order == documents(names[:shown])
    assert selection.read_more == len(names) - shown
    assert 1 < shown < len(names)


def test_names_and_warnings_give_way_to_rules() -> None:
    names = ("A.md", "B.md")
    for cost, shown in ((9_994, names), (9_995, ())):  # 3 for each name
        selection = framed(10_000, [cost], names=names, hard_share=1.0)
        assert selection.read_order == documents(shown)
        assert len(selection.sections[0].included) == 1


def test_warnings_that_do_not_fit_are_counted() -> None:
    warnings = tuple(f"FILE{n}.md: cannot be read: no permission" for n in range(40))
    selection = framed(2000, [10], warnings=warnings)
    assert 1 < len(selection.warnings) < 40
    assert selection.warnings[-1] == f"… and {41 - len(selection.warnings)} more on stderr"


# --- the law of the budget, with measures whose whole is not the sum of its pieces -------

CHOICE = offer(
    {
        "tasks": scored("task", [60] * 9),
        "conventions": scored("convention", [40] * 9),
        "decisions": scored("decision", [70] * 9),
        "learnings": scored("learning", [30] * 9),
    }
)


class Dear(Flat):
    """The whole costs more, or less, than its pieces."""

    def __init__(self, percent: int) -> None:
        super().__init__(line=4, heading=3)
        self.percent = percent

    def whole(self, selection: Selection) -> int:
        return super().whole(selection) * self.percent // 100


def said(selection: Selection) -> int:
    return sum(len(one.included) + len(one.titles) for one in selection.sections)


@pytest.mark.parametrize("percent", [101, 110, 150, 200, 1000])
def test_what_is_too_long_as_a_whole_is_taken_back(percent: int) -> None:
    measure = Dear(percent)
    selection = plan(CHOICE, Request("/", TODAY, budget=1000), measure)
    assert measure.whole(selection) <= 1000
    plain = plan(CHOICE, Request("/", TODAY, budget=1000), Dear(100))
    assert Dear(100).whole(selection) <= min(Dear(100).whole(plain), 100_000 // percent)
    assert said(selection) > 0 or percent == 1000


@pytest.mark.parametrize("percent", [95, 80, 50])
def test_what_is_shorter_as_a_whole_is_spent_again(percent: int) -> None:
    measure = Dear(percent)
    selection = plan(CHOICE, Request("/", TODAY, budget=1000), measure)
    plain = plan(CHOICE, Request("/", TODAY, budget=1000), Dear(100))
    assert measure.whole(selection) <= 1000
    assert measure.whole(selection) > measure.whole(plain)


@given(st.integers(50, 300), st.integers(0, 2500))
def test_no_measure_makes_the_law_break(percent: int, budget: int) -> None:
    measure = Dear(percent)
    assert measure.whole(plan(CHOICE, Request("/", TODAY, budget=budget), measure)) <= budget


def test_a_whole_that_never_fits_says_only_the_frame() -> None:
    class Jumpy(Flat):
        def whole(self, selection: Selection) -> int:
            return 5000 if len(selection.sections) > 1 else 0

    selection = plan(CHOICE, Request("/", TODAY, budget=1000), Jumpy())
    assert [section.name for section in selection.sections] == ["rules"]

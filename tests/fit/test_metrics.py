"""The figures of a plan, worked out by hand."""

from datetime import date

from ctx.fit import Weighed
from ctx.fit.delivery import metrics, picks
from ctx.fit.preference import score
from ctx.model import (
    Candidates,
    Entry,
    Included,
    Level,
    Metrics,
    Pick,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from tests.fit.flat import Flat, Likely, fragment, likely
from tests.read.samples import entry


def section(name: SectionName, *said: tuple[Entry, Level]) -> Section:
    made = [Included(Scored(one, 7.5, ()), level) for one, level in said]
    whole = tuple(one for one in made if one.level != "title")
    return Section(name, 0, 0, whole, tuple(one for one in made if one.level == "title"), 0, "")


def selection(*sections: Section) -> Selection:
    return Selection(sections, (), 0, "", ())


def of(one: Likely) -> Entry:
    return one.scored.entry


def test_a_pick_has_the_figures_of_its_level() -> None:
    one = entry("a", size=400)
    parts = [fragment("full", 0.9, covers=3), fragment("key", 0.6, covers=1)]
    planned = Candidates([Likely(one, parts)])
    (pick,) = picks(selection(section("decisions", (one, "key"))), planned, Flat())
    assert pick == Pick(Included(Scored(one, 7.5, ()), "key"), 100, 0.6, score(0.6, 100), 1)


def test_picks_are_of_decisions_learnings_lore_and_older_turns_the_best_first() -> None:
    kinds = {"decisions": "decision", "learnings": "learning", "lore": "lore", "turns": "turn"}
    made = {
        name: likely(name, 0, at / 10, kind=kind)  # type: ignore[arg-type]
        for at, (name, kind) in enumerate(kinds.items())
    }
    sections = [section(name, (of(one), "full")) for name, one in made.items()]  # type: ignore[arg-type]
    fixed = [
        section("rules", (entry("r", kind="rule"), "full")),
        section("tasks", (entry("t", kind="task"), "full")),
        section("conventions", (entry("c", kind="convention"), "full")),
        section("tail", (entry("x", kind="turn"), "full")),
    ]
    found = picks(selection(*fixed, *sections), Candidates([*made.values()]), Flat())
    assert [pick.included.entry.title for pick in found] == [
        "turns", "lore", "learnings", "decisions",
    ]  # fmt: skip


def test_where_the_planner_knows_no_benefit_the_rankers_score_stands_for_it() -> None:
    one = entry("a", size=400)
    (pick,) = picks(selection(section("decisions", (one, "full"))), Candidates(), Flat())
    assert pick == Pick(Included(Scored(one, 7.5, ()), "full"), 400, 7.5, 7.5, 0)


def pick(name: str, benefit: float, covers: int = 0, *, cost: int = 100, source: str = "") -> Pick:
    said = Included(Scored(entry(name, source=source), benefit, ()), "full")
    return Pick(said, cost, benefit, benefit / 2, covers)


ASKED = Request("/", date(2026, 1, 31), budget=1000, planner="acs")
PLAIN = Selection((), (), 0, "", ())


def figures(
    chosen: list[Pick], terms: list[str], candidates: int = 0, seconds: float = 0.0
) -> Metrics:
    """Return the figures of a plan, all but the name of its request."""
    weighed = Weighed(Candidates((), terms), candidates, seconds)
    return metrics(chosen, weighed, ASKED, PLAIN)._replace(request_id="", planner="")


def test_a_request_is_named_by_what_was_asked_and_chosen() -> None:
    weighed = Weighed(Candidates(), 0, 0.0)

    def name(asked: Request, chosen: Selection = PLAIN) -> str:
        return metrics([], weighed, asked, chosen).request_id

    assert len(name(ASKED)) == 16
    assert name(ASKED) == name(ASKED._replace(root="/elsewhere", project="/there", now=1.0))
    assert name(ASKED) != name(ASKED._replace(query="x"))
    assert name(ASKED) != name(ASKED._replace(session="s"))
    assert name(ASKED) != name(ASKED._replace(focus=("a.py",)))
    assert name(ASKED) != name(ASKED, selection(section("decisions", (entry("a"), "full"))))
    assert metrics([], weighed, ASKED, PLAIN).planner == "acs"


def test_with_a_budget_of_0_nothing_could_be_chosen() -> None:
    weighed = Weighed(Candidates(), 60, 0.0)
    assert metrics([], weighed, ASKED._replace(budget=0), PLAIN).candidate_count == 0


def test_the_metrics_of_a_plan() -> None:
    chosen = [
        pick("a", 0.9, 0b001, source="x.md"),
        pick("b", 0.6, 0b011, source="y.md", cost=50),
        pick("c", 0.3, 0b010, source="x.md"),
        pick("d", 0.2, source="x.md"),
    ]
    found = figures(chosen, ["p", "q", "r"], 60, 0.01234)
    assert found == Metrics(
        request_id="",
        planner="",
        planner_ms=12.3,
        candidate_count=60,
        tokens_selected=350,
        coverage_entities=0.6667,  # p and q of three
        diversity_score=0.5,  # two files, four entries
        mean_benefit=0.5,
        top3=(("x.md#-a", 0.45), ("y.md#-b", 0.3), ("x.md#-c", 0.15)),
    )

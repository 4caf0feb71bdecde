"""The ladder of detail in a section that overflows."""

import pytest

from ctx.fit import Total
from ctx.fit.degrade import PATIENCE, entries, include, unfold
from ctx.fit.ledger import Ledger, Run
from tests.fit.flat import TITLE, Flat, fitted, levels, offer, scored, total


def filled(sizes: list[int], allowance: int, measure: Flat | None = None) -> Run:
    ranked = scored("decision", sizes)
    run = Run("decisions", ranked, total(ranked), "DECISIONS.md")
    ledger = Ledger(measure or Flat(), [run], 100_000, 0)
    include(ledger, entries(ledger, run), allowance)
    return run


def ladder(run: Run) -> str:
    return "".join(
        {"full": "F", "key": "K", "title": "t"}[run.levels[n]] if n in run.levels else "."
        for n in range(len(run.ranked))
    )


def test_whole_up_to_four_fifths_then_titles() -> None:
    run = filled([20] * 10, 100)
    # 80 tokens whole, then titles of 2 in the other 20.
    assert ladder(run) == "FFFFtttttt"
    assert run.used == 4 * 20 + 6 * TITLE


def test_what_is_large_for_now_waits_for_smaller_ones() -> None:
    # 500 adds 450 to its title and key lines: it waits until as much is included.
    sizes = [500, *[40] * 40]
    assert ladder(filled(sizes, 500)).startswith("KFFFFF")
    assert ladder(filled(sizes, 1500)).startswith("FFFFFF")


def test_what_does_not_fit_ends_the_section() -> None:
    assert ladder(filled([50, 40, 20, 20], 100)) == "FFtt"


def test_the_first_is_not_forced_in() -> None:
    run = filled([15_000, 30, 30, 30], 100, keyless())
    assert ladder(run) == "tFFF"


def keyless() -> Flat:
    measure = Flat()
    measure.keyed = False
    return measure


@pytest.mark.parametrize("measure", [keyless(), Flat()])
def test_one_whose_key_lines_do_not_fit_is_said_by_its_title(measure: Flat) -> None:
    size = 15_000 if measure.keyed else 300
    assert ladder(filled([size, 5], 100, measure)) == "tF"


def test_the_search_for_a_smaller_one_ends() -> None:
    sizes = [79, *[50] * (PATIENCE + 5), 1]
    run = filled(sizes, 100)
    assert run.levels[0] == "full"
    assert run.levels.get(len(sizes) - 1) != "full"


def test_the_last_summary_is_replaced_in_part_where_much_remains() -> None:
    ranked = scored("summary", [10]) + scored("turn", [30, 80])
    summary, *turns = (one.entry for one in ranked)
    ranked[0] = ranked[0]._replace(entry=summary._replace(covers=2))
    for place, turn in enumerate(turns, 1):
        entry = turn._replace(ancestors=(summary.id,))
        ranked[place] = ranked[place]._replace(entry=entry)
    run = Run("turns", ranked, Total(2, 110), "sessions")
    ledger = Ledger(Flat(), [run], 60, 0)
    ledger.include(run, 0, "full", 60)
    unfold(ledger, run)
    assert ladder(run) == ".Ft"


def test_older_turns_stay_summarised_where_newer_ones_have_no_room() -> None:
    ranked = scored("summary", [10, 10]) + scored("turn", [60, 10, 20, 20])
    new, old = (one.entry for one in ranked[:2])
    for place, summary in enumerate((new, old)):
        ranked[place] = ranked[place]._replace(entry=summary._replace(covers=2))
    for place, summary in zip(range(2, 6), (new, new, old, old), strict=True):
        entry = ranked[place].entry._replace(ancestors=(summary.id,))
        ranked[place] = ranked[place]._replace(entry=entry)
    run = Run("turns", ranked, Total(4, 110), "sessions")
    for budget, expected in ((60, ".FtF.."), (81, ".FFF.."), (110, "..FFFF")):
        run.levels.clear()
        ledger = Ledger(Flat(), [run], budget, 0)
        ledger.include(run, 0, "full", 60)
        ledger.include(run, 1, "full", 60)
        unfold(ledger, run)
        assert ladder(run) == expected, budget


def test_no_line_where_there_is_no_room_for_it() -> None:
    section = fitted(offer({"decisions": scored("decision", [50] * 9)}), 8, Flat(line=9))[
        "decisions"
    ]
    assert (levels(section), section.omitted) == ("tttt", 0)

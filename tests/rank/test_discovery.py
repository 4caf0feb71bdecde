"""Two passes, one hop and what time selects: figures by hand (``retrieval-math``, section 7)."""

from datetime import date, timedelta
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import Entry, Frontmatter, Kind, Question, Scored
from ctx.rank import discovery
from ctx.rank.discovery import BREADTH, LEAST_BREADTH, PARENTS
from ctx.rank.links import ETA_HOP
from ctx.rank.relevance import CANDIDATES
from ctx.rank.stopping import Relevant
from tests.rank.hands import TODAY, Asked, Hand, Told, check, corpora, find, titles, turn
from tests.read.samples import entry

FILLERS = Hand([entry(f"Filler {n}", source="fillers.md") for n in range(30)])


def _alone(*entries: Entry) -> list[Hand]:
    """Return a part for each entry, so that no neighbour matters, and enough of others."""
    return [*(Hand([one._replace(source=f"{n}.md")]) for n, one in enumerate(entries)), FILLERS]


def _parts(found: list[Scored], title: str) -> dict[str, float]:
    return next(dict(one.parts) for one in found if one.entry.title == title)


@settings(max_examples=80)
@given(corpora())
def test_scores_and_parts_are_in_0_1_whatever_is_asked(asked: Asked) -> None:
    check(asked, "discovery")


@settings(max_examples=25)
@given(corpora())
def test_time_selects_nothing_that_filters_leave_out(asked: Asked) -> None:
    query = "how many days between the payment and the zebra, since when, before the cache"
    check(asked._replace(query=query), "discovery")


def test_without_keywords_coverage_is_0() -> None:
    for near in (None, Told([0.5] * 31), Told([0.0] * 31), Told([-1.0] * 31)):
        for query in ("the of and what", "", "!!! ---", "👩‍👩‍👧‍👦", "\x00"):
            for one in find(_alone(entry("The what")), query, near=near):
                assert dict(one.parts)["keywords"] == 0.0
                assert 0 < one.score <= 1


@pytest.mark.parametrize("acc", [1, 10, 10**18])
def test_frequency_is_that_of_section_7_3(acc: int) -> None:
    parts = _alone(entry("Zebra one"), entry("Zebra two"))
    one = parts[0].entry(0)
    before, after = find(parts, "zebra"), find(parts, "zebra", acc={one.id: acc})
    gained = _parts(after, "Zebra one")["authority"] - _parts(before, "Zebra one")["authority"]
    assert gained == pytest.approx(0.2 * log(1 + acc) / log(1 + acc + 1))
    assert _parts(after, "Zebra two") == _parts(before, "Zebra two")
    assert titles(after)[0] == "Zebra one"


@pytest.mark.parametrize(
    ("kind", "trust", "standing"),
    [
        ("decision", None, 0.5), ("decision", 0.0, 0.0), ("decision", 1.0, 1.0),
        ("lore", None, 1.0), ("lore", 0.1, 1.0), ("turn", 0.3, 0.3),
    ],
)  # fmt: skip
def test_authority_is_that_of_section_7_3(kind: Kind, trust: float | None, standing: float) -> None:
    one = entry("Zebra", "zebra", kind=kind)._replace(
        front=Frontmatter(trust=trust), speaker="user"
    )
    assert _parts(find(_alone(one), "zebra"), "Zebra")["authority"] == pytest.approx(0.3 * standing)


def test_of_two_alike_the_newer_comes_first_and_the_future_is_as_new_as_today() -> None:
    days = [(TODAY + timedelta(days)).isoformat() for days in (-300, -30, 0, 300)]
    found = find(_alone(*(entry("Zebra", timestamp=day) for day in days)), "zebra")[:4]
    assert [one.entry.timestamp for one in found] == [days[2], days[3], days[1], days[0]]
    assert found[0].score == found[1].score


def test_only_the_most_similar_are_looked_at_further() -> None:
    found = {at: Relevant(1 - at / 10_000, (), 0.0, 1.0) for at in range(1_000)}
    question = Question("zebra", (), date(2026, 1, 1))
    for most, k_1 in ((5, BREADTH * 5), (1, LEAST_BREADTH), (None, 1_000)):
        first = discovery._first_pass(found, question._replace(most=most))
        assert list(first) == list(range(k_1))


def test_as_many_of_each_kind_are_found_as_are_wanted() -> None:
    zebras = [entry(f"Zebra {n}", source="z.md") for n in range(50)]
    striped = [entry(f"Zebra {n}", kind="learning", source="f.md") for n in range(50)]
    parts = [Hand(zebras), Hand(striped)]
    for most in (5, 1):
        kinds = [one.entry.kind for one in find(parts, "zebra", most=most)]
        assert (kinds.count("decision"), kinds.count("learning")) == (most, most)
    assert len(find(parts, "zebra", most=None)) == 100


def test_what_is_no_nearer_than_random_pairs_is_not_found() -> None:
    sims = [1.0, 0.2, 0.0, *[0.0] * 30]
    found = find(_alone(*map(entry, ("One", "Two", "Three"))), "nobody wrote this", near=Told(sims))
    assert titles(found) == ["One"]


def _linking(body: str = "", **fields: object) -> Entry:
    one = entry("Zebra", body, timestamp=TODAY.isoformat(), source="from.md")
    return one._replace(id="from.md#zebra", **fields)  # type: ignore[arg-type]


TARGET = entry("Other", "Nothing alike.", source="to.md")._replace(id="to.md#other")
WAYS = [
    _linking("See [[Other]]."),
    _linking("See [there](to.md#other)."),
    _linking(front=Frontmatter(related=("Other",))),
    _linking(front=Frontmatter(related=("to.md#other",))),
    _linking(supersedes="other"),
]


@pytest.mark.parametrize("one", WAYS)
def test_what_a_strong_entry_points_to_is_found_without_a_word_in_common(one: Entry) -> None:
    found = find([Hand([one]), FILLERS, Hand([TARGET])], "zebra")
    assert titles(found) == ["Zebra", "Other"]
    assert dict(found[1].parts) == {"hop": pytest.approx(ETA_HOP * found[0].score)}
    assert found[1].score == pytest.approx(ETA_HOP * found[0].score)


def test_what_is_out_of_date_or_filtered_is_not_hopped_to() -> None:
    one = WAYS[0]
    gone = TARGET._replace(status="superseded")
    assert titles(find([Hand([one]), FILLERS, Hand([gone])], "zebra")) == ["Zebra"]
    parts = [Hand([one]), FILLERS, Hand([TARGET])]
    assert titles(find(parts, "zebra", since="2026-01-01")) == ["Zebra"]
    learning = Hand([TARGET._replace(kind="learning")])
    only = frozenset({"decision"})
    assert titles(find([Hand([one]), FILLERS, learning], "zebra", kinds=only)) == ["Zebra"]


def test_the_better_of_two_scores_counts() -> None:
    weak = entry("Filler zebra", " ".join(["filler"] * 400), source="to.md")
    strong = _linking("zebra zebra [[Filler zebra]]")
    parts = [Hand([strong]), FILLERS, Hand([weak])]
    alone = find([Hand([_linking("zebra zebra")]), FILLERS, Hand([weak])], "zebra")
    found = {one.entry.title: one for one in find(parts, "zebra")}
    own = next(one.score for one in alone if one.entry.title == weak.title)
    assert found[weak.title].score == pytest.approx(max(own, ETA_HOP * found["Zebra"].score))


def test_links_of_the_best_only_are_followed() -> None:
    today = TODAY.isoformat()
    zebras = [entry("Zebra", timestamp=today, source=f"z{n}.md") for n in range(PARENTS)]
    zebras.append(entry("Zebra", "A [[Other]].", timestamp=today, source="last.md"))
    fillers = Hand([entry(f"Filler {n}", source="f.md") for n in range(200)])
    parts = [*(Hand([one]) for one in zebras), fillers, Hand([TARGET])]
    assert "Other" not in titles(find(parts, "zebra"))
    assert "Other" in titles(find([*parts[1:]], "zebra"))


TALK = [
    "The outage began on 2026-01-03 at 10:15.",
    "We had lunch.",
    "The release notes came on 2026-01-09.",
    *[f"Filler {n} of the talk" for n in range(30)],
]
WHEN = "How many days between the outage and the release notes?"


def _talk() -> list[Hand]:
    return [Hand([turn(text, session=f"s{n}", number=n) for n, text in enumerate(TALK)])]


def test_a_question_about_time_puts_its_anchors_first() -> None:
    found = find(_talk(), WHEN, per_token=False)
    first = [one for one in found if "temporal" in dict(one.parts)]
    assert first == found[: len(first)]
    assert {TALK[0], TALK[2]} <= {one.entry.body for one in first}


@pytest.mark.parametrize("most", [1, 4, 200, None])
@pytest.mark.parametrize("count", [LEAST_BREADTH, CANDIDATES])
def test_dates_are_recovered_from_what_the_passes_cut(count: int, most: int | None) -> None:
    """Section 9.6: the only entry with both dates is less alike than all that name one event."""
    notes = [
        entry(f"{name} {n}", f"The {name}.", kind="learning", source="l.md")
        for n in range(count)
        for name in ("kickoff", "launch")
    ]
    words = " ".join(f"word{n}" for n in range(20))
    dates = f"The kickoff was on 2026-01-03, the launch on 2026-03-09 at 10:15. {words}"
    plan = entry("Plan", dates, kind="learning", source="l.md")
    query = "days between kickoff and launch"
    found = find([Hand([*notes, plan])], query, most=most, per_token=False)
    assert found[0].entry.title == "Plan"
    assert {"similarity", "temporal"} <= dict(found[0].parts).keys()


def test_events_are_found_by_meaning() -> None:
    """What shares no word with the query is selected where an event of it means the same."""
    bodies = ["All went dark on 2026-01-03 at 10:15.", *(f"Filler {n}" for n in range(30))]
    parts = [Hand([turn(text, session=f"s{n}", number=n) for n, text in enumerate(bodies)])]

    class Near(Told):
        def similarities(self, query: str) -> list[float]:
            return [0.9 if query == "outage" else 0.2, *([0.1] * 30)]

    query = "How many days after the outage was that?"
    found = find(parts, query, near=Near([0.2] * 31))
    alone = find(parts, query, near=Told([0.2, *([0.1] * 30)]))
    assert found[0].entry.body == bodies[0]
    first, other = dict(found[0].parts), dict(alone[0].parts)
    assert first["temporal"] > other["temporal"]  # by what it covers


@settings(max_examples=25)
@given(st.permutations(range(6)))
def test_the_order_of_files_decides_ties_only(order: list[int]) -> None:
    bodies = ["zebra", "zebra cache", "zebra cache retry", "retry", "cache retry", "zebra zebra"]
    parts = [Hand([entry(f"T{n}", bodies[n], source=f"{n}.md", size=9)]) for n in order]
    found = find([*parts, FILLERS], "zebra cache retry")
    usual = find([*(parts[order.index(n)] for n in range(6)), FILLERS], "zebra cache retry")
    assert {(one.entry.title, one.score) for one in found} == {
        (one.entry.title, one.score) for one in usual
    }
    assert [one.score for one in found] == [one.score for one in usual]

"""A packet in its session: what it does to the memory, and what the memory makes of it."""

from collections.abc import Mapping
from datetime import date

from ctx.fit import Delivery
from ctx.fit.delivery import ORDER, TOP, Ties, current, picks, remembered, ties
from ctx.fit.kv_cache import MAX_ITEMS
from ctx.model import (
    NEVER,
    Candidates,
    Delivered,
    Entry,
    Included,
    KVPolicy,
    Memory,
    Metrics,
    Plan,
    Request,
    Revoked,
    Scored,
    Section,
    Selection,
)
from tests.fit.flat import Likely, Telling, documents, likely
from tests.read.samples import entry

NOW = 1_790_000_000.0
DAY = 86_400.0
FIGURES = Metrics("", "acs", 0.0, 0, 0, 0.0, 0.0, 0.0, ())
UNKNOWN = Memory("s")
NONE: tuple[dict[str, Revoked], dict[str, Entry]] = ({}, {})


def packet(*chosen: Likely, order: tuple[str, ...] = ()) -> Selection:
    said = tuple(Included(one.scored, "full") for one in chosen)
    return Selection((Section("decisions", 0, 0, said, (), 0, ""),), documents(order), 0, "", ())


def over(*ids: str) -> dict[str, Revoked]:
    return {id_: Revoked(id_, "", "removed") for id_ in ids}


def titled(*chosen: Likely) -> Section:
    return Section(
        "decisions", 0, 0, (), tuple(Included(one.scored, "title") for one in chosen), 0, ""
    )


def heard(
    selection: Selection,
    memory: Memory | None,
    *chosen: Likely,
    ties: Ties | None = None,
    delta: bool = False,
    later: float = 0.0,
    budget: int = 10_000,
) -> Delivery:
    """Return ``selection``, for which ``chosen`` were weighed, as a session hears it."""
    drawn = Plan(picks(selection, Candidates(chosen), Telling()), (), FIGURES, None)
    request = Request(
        "/",
        date(2026, 1, 31),
        budget=budget,
        planner="acs",
        memory=memory,
        news_only=delta,
        now=NOW + later,
    )
    return remembered(selection, drawn, ties or Ties(), request, Telling())


def items(found: Delivery) -> Mapping[str, Delivered]:
    assert found.memory is not None
    return found.memory.items


def policy(found: Delivery) -> KVPolicy:
    assert found.plan.policy is not None
    return found.plan.policy


def id_of(one: Likely) -> str:
    return one.scored.entry.id


def stale(name: str, **fields: object) -> Delivered:
    """Return what was told two days ago, of no benefit now: the policy lets it go."""
    plain = Delivered(f"old.md#{name}", "full", "1" * 16, 100, 0.1, NOW - 2 * DAY)
    return plain._replace(**fields)  # type: ignore[arg-type]


def memory(*items: Delivered) -> Memory:
    return Memory("s", {item.id: item for item in items})


def test_without_a_session_nothing_is_remembered() -> None:
    one = likely("a")
    found = heard(packet(one), None, one, delta=True)
    assert found.selection == packet(one)
    assert found.plan.policy is None
    assert found.plan.metrics == FIGURES
    assert found.memory is None


def test_the_first_packet_is_heard_whole_and_remembered() -> None:
    one = likely("a", benefit=0.7)
    found = heard(packet(one, order=("x.md",)), UNKNOWN, one, delta=True)
    assert found.selection == packet(one, order=("x.md",))
    assert set(items(found)) == {id_of(one), ORDER}
    known = items(found)[id_of(one)]
    assert (known.benefit, known.sent, known.size) == (0.7, NOW, 100)


def test_hits_and_misses_are_of_entries_alone() -> None:
    a, b = likely("a"), likely("b")
    first = heard(packet(a, order=("x.md",)), UNKNOWN, a)
    assert first.plan.metrics == FIGURES._replace(hits=0, misses=1)
    second = heard(packet(a, b, order=("x.md",)), first.memory, a, b)
    assert second.plan.metrics == FIGURES._replace(hits=1, misses=1, cache_hit_rate=0.5)
    third = heard(packet(a, b, order=("y.md",)), second.memory, a, b)
    assert third.plan.metrics == FIGURES._replace(hits=2, misses=0, cache_hit_rate=1.0)


def test_what_goes_is_counted_and_may_be_forgotten() -> None:
    one = likely("a", 600)
    found = heard(packet(one), memory(stale("z")), one)
    assert found.plan.metrics.evictions == 1
    assert found.plan.policy == KVPolicy(compress=(id_of(one),), evict=("old.md#z",))
    assert set(items(found)) == {id_of(one)}


def test_what_no_file_says_any_more_may_be_forgotten_though_it_is_pinned() -> None:
    one = likely("a")
    before = memory(stale("z", pinned=True))
    found = heard(packet(one), before, one, ties=Ties(revoked=over("old.md#z")))
    assert policy(found).evict == ("old.md#z",)


def test_what_the_chosen_link_to_is_pinned_and_does_not_go() -> None:
    one = likely("a")
    found = heard(packet(one), memory(stale("z")), one, ties=Ties(needed=frozenset({"old.md#z"})))
    assert found.plan.metrics.evictions == 0
    assert policy(found).pin == ("old.md#z",)
    assert "old.md#z" in items(found)


def test_only_what_is_news_is_heard_where_that_is_asked_for() -> None:
    a, b = likely("a"), likely("b")
    before = heard(packet(a), UNKNOWN, a).memory
    assert before is not None
    before = before._replace(items={**before.items, "old.md#z": stale("z")})
    whole = heard(packet(a, b), before, a, b)
    assert whole.selection == packet(a, b)
    found = heard(packet(a, b), before, a, b, delta=True)
    assert found.selection == packet(b)._replace(news_only=True)
    # What is known is as much a part of the plan as what is new.
    assert set(items(found)) == set(items(whole)) == {id_of(a), id_of(b)}
    assert found.plan == whole.plan


def test_what_the_packet_says_is_never_to_be_forgotten() -> None:
    # More is known and said again than the memory holds as a rule.
    many = [likely(f"t{n:03}") for n in range(MAX_ITEMS + 6)]
    known = {
        key: item
        for half in (many[:35], many[35:])
        for key, item in (heard(packet(*half), UNKNOWN, *half).memory or UNKNOWN).items.items()
    }
    assert len(known) == MAX_ITEMS + 6
    found = heard(packet(*many), Memory("s", known), *many, delta=True)
    assert found.plan.metrics.evictions == 0
    assert policy(found).evict == ()
    assert found.selection.forget == ()
    assert len(items(found)) == MAX_ITEMS + 6  # as many as the packet says


def test_the_chosen_need_what_they_link_to() -> None:
    a, b = likely("a", needs=["x", "y"]), likely("b", needs=["z"])
    chosen = picks(packet(a), Candidates([a, b]), Telling())
    assert ties(chosen, Candidates([a, b]), *NONE).needed == {"x", "y"}
    assert ties([], Candidates([a, b]), *NONE).needed == frozenset()


def test_the_best_candidates_are_promoted_chosen_or_not() -> None:
    assert TOP == 8
    many = [likely(f"t{n}", benefit=n / 10) for n in range(10)]
    assert ties([], Candidates(many), *NONE).best == {id_of(one) for one in many[2:]}
    chosen = picks(packet(many[0]), Candidates(), Telling())
    assert ties(chosen, Candidates(), *NONE).best == {id_of(many[0])}  # where nothing was weighed


def test_what_was_told_otherwise_is_not_known_and_is_to_be_forgotten() -> None:
    a, b, c = likely("a"), likely("b"), likely("c")
    before = heard(packet(a, b, c), UNKNOWN, a, b, c).memory
    both = Ties(changed={id_of(a): a.scored.entry, id_of(b): b.scored.entry})
    # One is in the packet; the other is said although it is not.
    found = heard(packet(a, c), before, a, c, ties=both, delta=True)
    (section,) = found.selection.sections
    assert [it.entry.title for it in section.included] == ["a", "b"]
    assert found.selection.revoked == ()
    assert set(items(found)) == {id_of(a), id_of(b), id_of(c)}
    # Where it is said less fully than before, what the session has is not so any more.
    by_title = packet(c)._replace(sections=(*packet(c).sections, titled(a)))
    found = heard(by_title, before, a, c, ties=both, delta=True)
    assert found.selection.revoked == (Revoked(id_of(a), "a", "changed"),)


def test_what_could_not_be_named_is_named_another_time() -> None:
    a, b = likely("a", 4_000), likely("b", 5_990)
    before = heard(packet(a), UNKNOWN, a).memory
    assert before is not None
    before = before._replace(items={**before.items, **memory(stale("y"), stale("z")).items})
    both = Ties(revoked=over("old.md#y", "old.md#z"))
    # 5,990 of 10,000 are new, 5 for the head: one name of 3 fits.
    found = heard(packet(a, b), before, a, b, ties=both, delta=True, budget=6_000)
    assert (found.selection.revoked, found.selection.more_revoked) == (
        (over("old.md#y")["old.md#y"],),
        1,
    )
    assert items(found)["old.md#z"] == stale("z")
    assert "old.md#y" not in items(found)


def test_what_was_told_long_ago_is_not_known() -> None:
    a = likely("a")
    before = heard(packet(a), UNKNOWN, a).memory
    assert current(before, NOW + DAY) == before
    later = current(before, NOW + DAY + 1)
    assert later is not None
    assert later.items[id_of(a)].digest == NEVER
    assert later.items[id_of(a)].uses == 1
    assert current(None, NOW) is None
    assert current(UNKNOWN, NOW) == UNKNOWN


def test_a_whole_packet_is_all_that_its_session_was_told() -> None:
    a, b = likely("a"), likely("b")
    before = heard(packet(a, b, order=("A.md",)), UNKNOWN, a, b).memory
    after = heard(packet(a), before, a, later=60).memory
    assert after is not None
    assert after.items[id_of(a)].digest != NEVER
    assert after.items[id_of(b)].digest == after.items[ORDER].digest == NEVER
    # It is news again, and nothing that could be forgotten.
    assert heard(packet(a, b), after, a, b, delta=True).selection == packet(b)._replace(
        news_only=True
    )
    gone = Ties(revoked=over(id_of(b)))
    assert heard(packet(a), after, a, ties=gone, delta=True).selection.revoked == ()


def test_what_is_said_beside_the_choice_is_remembered_as_well() -> None:
    rule = Included(Scored(entry("r", kind="rule"), 0.0, ()), "full")
    rules = Selection((Section("rules", 0, 0, (rule,), (), 0, ""),), (), 0, "", ())
    found = heard(rules, UNKNOWN)
    assert items(found)[rule.entry.id].pinned
    assert found.plan.policy == KVPolicy(pin=(rule.entry.id,))

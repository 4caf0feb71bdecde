"""What a session knows, as a cache: each rule by hand, and what holds after any packets."""

from collections.abc import Iterable
from itertools import product
from math import exp, floor, log, nan, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ctx.fit.kv_cache import (
    admitted,
    candidates_to_evict,
    eviction_score,
    is_known,
    policy,
    reuse,
    update,
)
from ctx.model import LEVELS, Delivered, KVPolicy, Level, Memory, digest_of

# --- the memory as a cache ---------------------------------------------------------------

NOW = 1_790_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR


def known(id_: str, level: Level = "full", text: str = "one", **fields: object) -> Delivered:
    """Return an entry of which ``text`` is said, told now, of benefit .5 and 100 tokens."""
    digests = {part: digest_of(f"{id_} {part} {text}") for part in ("full", "key", "title")}
    below = {
        "full": {"key_digest": digests["key"], "title_digest": digests["title"]},
        "key": {"title_digest": digests["title"]},
        "title": {},
    }[level]
    plain = Delivered(id_, level, digests[level], size=100, benefit=0.5, sent=NOW)
    return plain._replace(**{**below, **fields})  # type: ignore[arg-type]


def memory(*items: Delivered) -> Memory:
    return Memory("s", {item.id: item for item in items})


def many(count: int, prefix: str = "k", **fields: float) -> list[Delivered]:
    return [known(f"{prefix}{n:03}")._replace(**fields) for n in range(count)]  # type: ignore[arg-type]


def knows(held: Memory, one: Delivered) -> bool:
    return is_known(held, one.id, one.level, one.digest)


# The formulas


def test_the_eviction_score() -> None:
    for age_h, size, benefit, score in (
        (0, 0, 0.0, 0.0),
        (1, 0, 0.0, log(2)),
        (0, 1000, 0.0, 1.0),
        (0, 0, 1.0, -2.0),
        (23, 250, 0.4, log(24) + 0.25 - 0.8),
        (-5, 250, 0.4, 0.25 - 0.8),  # a clock that was set back
    ):
        assert eviction_score(age_h, size, benefit) == pytest.approx(score, abs=1e-12), age_h


def test_reuse_decays_by_the_week() -> None:
    for uses, age_h, expected in (
        (1, 0, 0.0),  # said once: not used again
        (2, 0, 1.0),
        (5, 0, 4.0),
        (5, 168, 4 / exp(1)),
        (5, -7, 4.0),
        (0, 0, 0.0),
    ):
        assert reuse(uses, age_h) == pytest.approx(expected), uses


# What is known


def test_a_digest_is_the_same_everywhere() -> None:
    assert digest_of("") == "e4a6a0577479b2b4"
    assert digest_of("größe\udcff") == digest_of("größe\udcff") != digest_of("größe")


def test_better_levels_tell_the_lesser_ones() -> None:
    for (told, level), (asked, other) in product(enumerate(LEVELS), enumerate(LEVELS)):
        assert knows(memory(known("a", level)), known("a", other)) is (told <= asked)


def test_what_changed_is_not_known() -> None:
    for told, asked in product(LEVELS, LEVELS):
        assert not knows(memory(known("a", told)), known("a", asked, "two"))


def test_a_title_is_known_although_the_body_changed() -> None:
    old, new = known("a"), known("a", text="two")._replace(title_digest=known("a").title_digest)
    assert not knows(memory(old), new)
    assert is_known(memory(old), "a", "title", new.title_digest)


def test_what_nobody_worked_out_is_not_known() -> None:
    plain = known("a")._replace(key_digest="", title_digest="")
    assert knows(memory(plain), plain)
    assert not knows(memory(plain), known("a", "title"))
    assert not is_known(memory(plain), "a", "key", "")


# Who goes first


def test_only_as_many_go_as_are_over_the_limit() -> None:
    assert candidates_to_evict(many(6), 4, NOW) == ["k000", "k001"]
    assert len(candidates_to_evict(many(6), 0, NOW)) == 6
    assert len(candidates_to_evict(many(6), -1, NOW)) == 6


def test_being_used_again_counts_for_116_hours() -> None:
    for hours, first in ((116, "once"), (117, "twice")):
        # exp(-116/168) = .501 is rounded to 1, and exp(-117/168) = .498 to 0.
        twice = known("twice", uses=2, sent=NOW - hours * HOUR)
        once = known("once", sent=NOW)
        assert candidates_to_evict([twice, once], 1, NOW) == [first], hours


@pytest.mark.parametrize(
    "worse",
    [
        known("b", sent=NOW - HOUR),
        known("b", size=101),
        known("b", benefit=0.49),
        known("b", sent=NOW - 6 * HOUR, benefit=0.9),  # ln 7 + .1 - 1.8 = .25 > .1 - 1
        known("b", size=1000, benefit=0.9),  # 1 - 1.8 = -.8 > .1 - 1 = -.9
    ],
)
def test_of_equal_reuse_the_greater_score_goes(worse: Delivered) -> None:
    assert candidates_to_evict([known("a"), worse], 1, NOW) == ["b"]


def test_promoted_items_stay() -> None:
    items = [known("a", sent=NOW - DAY), known("b")]
    assert candidates_to_evict(items, 1, NOW) == ["a"]
    assert candidates_to_evict(items, 1, NOW, frozenset({"a"})) == ["b"]


@given(st.permutations(many(3) + many(3, "j", uses=2) + many(3, "i", benefit=0.1)))
def test_the_order_of_eviction_is_total(items: list[Delivered]) -> None:
    gone = candidates_to_evict(items, 0, NOW)
    assert gone == [f"{prefix}00{n}" for prefix in "ikj" for n in range(3)]


# Who comes in


def test_past_the_limit_they_come_in_at_a_falling_rate() -> None:
    for count, expected in ((1, 1), (4, 2), (6, 3), (12, 3), (13, 4), (999, 4)):
        # ⌈n·4/(4 + n)⌉: 4/5, 8/6, 12/7, 16/8, 20/9, 24/10, 48/16, 52/17.
        assert len(admitted(many(count), 4, 4)) == expected, count


@given(st.integers(0, 300), st.integers(0, 100), st.integers(1, 100))
def test_more_news_come_in_at_a_smaller_share(count: int, held: int, limit: int) -> None:
    def past(news: int) -> int:
        return len(admitted(many(news), limit + held, limit))

    assert past(count) <= past(count + 1) <= past(count) + 1
    assert past(2 * count) <= 2 * past(count)
    assert min(1, count) <= past(count) <= min(count, limit)
    room = max(0, limit - held)
    assert len(admitted(many(count), held, limit)) == min(count, room) + past(max(0, count - room))


# A packet


def test_the_first_packet_is_remembered() -> None:
    said = [known("a", sent=1.0, uses=9), known("b", "title", pinned=True)]
    found = update(Memory("s"), said, NOW)
    assert found.memory == memory(known("a"), known("b", "title", pinned=True))
    assert (found.evicted, found.refused, found.hits, found.misses) == ((), (), 0, 2)


@pytest.mark.parametrize(
    ("held", "said", "expected", "hit"),
    [
        (known("a"), known("a", benefit=0.7), known("a", benefit=0.7), True),
        *(
            (known("a", size=900), known("a", level, size=20), known("a", size=900), True)
            for level in ("key", "title")
        ),
        *((known("a"), *[known("a", level, "two")] * 2, False) for level in LEVELS),
        (known("a", key_digest="", title_digest=""), known("a"), known("a"), True),
    ],
    ids=range(7),
)
def test_the_better_level_stays_where_it_still_holds(
    held: Delivered, said: Delivered, expected: Delivered, hit: bool
) -> None:
    found = update(memory(held), [said], NOW + 60)
    assert found.memory.items["a"] == expected._replace(uses=2, sent=NOW + 60)
    assert (found.hits, found.misses) == (int(hit), int(not hit))


def test_a_pin_lasts_until_the_item_is_said_without_it() -> None:
    pinned = memory(known("a", pinned=True))
    assert update(pinned, [known("b")], NOW).memory.items["a"].pinned
    assert not update(pinned, [known("a")], NOW).memory.items["a"].pinned
    assert update(memory(known("a")), [known("a", pinned=True)], NOW).memory.items["a"].pinned


def test_an_entry_said_twice_in_a_packet_is_held_at_its_best_level_and_used_once() -> None:
    found = update(Memory("s"), [known("a", "title"), known("a"), known("a", "key")], NOW)
    assert found.memory == memory(known("a"))
    assert (found.hits, found.misses) == (0, 3)


def test_a_benefit_out_of_range_is_clamped() -> None:
    for told, kept in ((1.5, 1.0), (-1.0, 0.0), (nan, 0.0), (0.25, 0.25)):
        assert (
            update(Memory("s"), [known("a", benefit=told)], NOW).memory.items["a"].benefit == kept
        )


def test_what_the_policy_evicts_goes_although_there_is_room() -> None:
    stale = known("a", benefit=0.1, sent=NOW - 25 * HOUR)
    found = update(memory(stale, known("b", benefit=0.1)), [], NOW)
    assert found.evicted == ("a",)
    assert found.memory == memory(known("b", benefit=0.1))._replace(evictions=1)


def test_what_is_stale_stays_where_it_is_said_or_promoted_or_pinned() -> None:
    stale = known("a", benefit=0.1, sent=NOW - 25 * HOUR)
    assert update(memory(stale), [known("a", benefit=0.1)], NOW).evicted == ()
    assert update(memory(stale), [], NOW, promoted=frozenset({"a"})).evicted == ()
    assert update(memory(stale._replace(pinned=True)), [], NOW).evicted == ()


def test_the_evicted_come_in_the_order_of_their_reasons() -> None:
    held = memory(
        known("z"),
        known("y", benefit=0.1, sent=NOW - 25 * HOUR),
        known("x", sent=NOW - HOUR),
        known("w", sent=NOW - HOUR, uses=3),
    )
    found = update(held, [known("new")], NOW, limit=2, gone=frozenset({"z"}))
    assert found.evicted == ("z", "y", "x")
    assert found.memory.items.keys() == {"w", "new"}
    assert found.memory.evictions == 3


def test_news_do_not_displace_what_is_said_again_with_them() -> None:
    # All four are in the same packet as the new one: there is nothing older to go.
    held = many(4, sent=NOW - HOUR)
    found = update(memory(*held), [*held, known("new", benefit=1.0)], NOW, limit=4)
    assert found.refused == ("new",)
    assert found.evicted == ()
    assert (found.hits, found.misses) == (4, 1)


def test_the_memory_given_is_not_changed() -> None:
    held = memory(*many(3))
    update(held, many(2), NOW + 60, limit=1, gone=frozenset({"k002"}))
    assert held == memory(*many(3))


# Any packets

IDS = [f"e{n}" for n in range(14)]
LIMIT = 4
items = st.builds(
    known,
    st.sampled_from(IDS),
    st.sampled_from(["full", "key", "title"]),
    st.sampled_from(["one", "two"]),
    size=st.integers(0, 3000),
    benefit=st.floats(0, 1) | st.sampled_from([0.1, 0.5]),
    pinned=st.booleans(),
)
packets = st.lists(items, max_size=12, unique_by=lambda item: item.id)
ids = st.frozensets(st.sampled_from(IDS), max_size=8)


def loose(items: Iterable[Delivered]) -> int:
    return sum(not item.pinned for item in items)


class Session(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.memory = Memory("s")
        self.now = NOW
        self.limit = LIMIT

    @rule(
        said=packets,
        promoted=ids,
        gone=ids,
        hours=st.integers(-2, 200),
        limit=st.integers(0, 6),
        chance=st.randoms(use_true_random=False),
    )
    def tell(  # noqa: PLR0917
        self,
        said: list[Delivered],
        promoted: frozenset[str],
        gone: frozenset[str],
        hours: int,
        limit: int,
        chance: object,
    ) -> None:
        self.now += hours * HOUR
        self.limit = limit
        before = self.memory
        found = update(before, said, self.now, limit, promoted=promoted, gone=gone)

        shuffled = list(said)
        chance.shuffle(shuffled)  # type: ignore[attr-defined]
        again = update(before, shuffled, self.now, limit, promoted=promoted, gone=gone)
        assert again == found
        assert list(again.memory.items) == list(found.memory.items)

        told = {one.id for one in said}
        assert found.hits + found.misses == len(said)
        assert found.hits == sum(knows(before, one) for one in said)
        left = {*found.evicted, *found.refused}
        for one in said:
            assert knows(found.memory, one) is (one.id not in left)
        pinned = {key for key, item in before.items.items() if item.pinned}
        assert pinned - gone - told <= found.memory.items.keys()
        assert {one.id for one in said if one.pinned} <= found.memory.items.keys()
        assert before.items.keys() - found.memory.items.keys() == set(found.evicted)
        assert len(found.evicted) == len(set(found.evicted))
        assert found.memory.evictions == before.evictions + len(found.evicted)
        assert set(found.refused) <= told - before.items.keys()
        assert found.memory.items.keys() & gone <= told
        self.memory = found.memory

    @invariant()
    def the_limit_holds(self) -> None:
        assert loose(self.memory.items.values()) <= self.limit

    @invariant()
    def every_item_is_in_its_place(self) -> None:
        assert all(key == item.id and item.uses >= 1 for key, item in self.memory.items.items())


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=20, stateful_step_count=25)


@given(st.integers(0, 40), st.integers(0, 12))
def test_packets_of_other_things_displace_the_older_ones(new: int, limit: int) -> None:
    held = memory(*many(limit, "old", sent=NOW - DAY))
    found = update(held, many(new, "new"), NOW, limit)
    share = -floor(-new * limit / (limit + new)) if new and limit else 0
    assert len(found.evicted) == share
    assert len(found.refused) == new - share


# --- pin, compress, evict ----------------------------------------------------------------

ITEM = Delivered("a", "full", "0" * 16, size=100, benefit=0.9, sent=NOW)

told = st.builds(
    Delivered,
    id=st.text(max_size=2),
    level=st.sampled_from(["full", "key", "title"]),
    digest=st.just("0" * 16),
    size=st.integers(0, 2000),
    benefit=st.floats(0, 1) | st.sampled_from([0.2, 0.3, 0.6]),
    sent=st.sampled_from([NOW, NOW - DAY, NOW - DAY - 1, NOW + DAY]),
    pinned=st.booleans(),
)


def test_a_title_is_pinned() -> None:
    assert policy([ITEM._replace(level="title")], NOW) == KVPolicy(pin=("a",))


def test_what_was_pinned_stays_pinned_until_it_is_said_again() -> None:
    stale = ITEM._replace(benefit=0.0, sent=0.0)
    assert policy([stale._replace(pinned=True)], NOW) == KVPolicy(pin=("a",))
    assert policy([stale], NOW) == KVPolicy(evict=("a",))


@pytest.mark.parametrize(
    "item",
    [
        ITEM._replace(size=900, benefit=0.5),  # would be compressed
        ITEM._replace(benefit=0.1, sent=NOW - 2 * DAY),  # would be evicted
    ],
)
def test_pinning_comes_first(item: Delivered) -> None:
    assert policy([item], NOW, needed=frozenset({"a"})) == KVPolicy(pin=("a",))
    assert policy([item._replace(level="title")], NOW) == KVPolicy(pin=("a",))


def test_a_large_body_of_medium_benefit_is_compressed() -> None:
    for size, benefit, compressed in (
        (501, 0.45, True),
        (500, 0.45, False),  # more than 500
        (501, 0.3, True),  # both ends are in
        (501, nextafter(0.3, 0), False),
        (501, 0.6, True),
        (501, nextafter(0.6, 1), False),
    ):
        found = policy([ITEM._replace(size=size, benefit=benefit)], NOW)
        assert found == KVPolicy(compress=("a",) if compressed else ()), size


@pytest.mark.parametrize("level", ["full", "key"])
@pytest.mark.parametrize(
    ("benefit", "age", "evicted"),
    [
        (0.1, DAY + 1, True),
        (0.1, DAY, False),  # more than 24 hours
        (0.1, -DAY, False),  # a clock that was set back
        (0.2, DAY + 1, False),  # less than .2
        (nextafter(0.2, 0), DAY + 1, True),
        (0.0, 1e12, True),
    ],
)
def test_what_is_stale_and_of_low_benefit_is_evicted(
    level: str, benefit: float, age: float, evicted: bool
) -> None:
    item = ITEM._replace(level=level, benefit=benefit, sent=NOW - age)  # type: ignore[arg-type]
    assert policy([item], NOW) == KVPolicy(evict=("a",) if evicted else ())


def test_the_lists_are_in_the_order_given() -> None:
    stale = ITEM._replace(benefit=0.1, sent=NOW - 2 * DAY)
    large = ITEM._replace(size=900, benefit=0.5)
    given_ = [
        stale._replace(id="z"),
        large._replace(id="y"),
        ITEM._replace(id="x", level="title"),
        ITEM,
        ITEM._replace(id="m", level="title"),
        large._replace(id="n"),
        stale._replace(id="b"),
    ]
    assert policy(given_, NOW) == KVPolicy(("x", "m"), ("y", "n"), ("z", "b"))


@given(st.lists(told, unique_by=lambda item: item.id), st.sets(st.text(max_size=1)))
def test_each_id_is_in_one_list_at_most(said: list[Delivered], needed: set[str]) -> None:
    found = policy(said, NOW, needed)
    listed = [key for part in found for key in part]
    assert len(listed) == len(set(listed))
    assert {item.id for item in said} >= set(listed)
    assert {item.id for item in said if item.id in needed} <= set(found.pin)

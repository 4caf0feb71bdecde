"""Pin, compress, evict: each rule of the source with its exact edges."""

from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit.kv_cache import policy
from ctx.model import Delivered, KVPolicy

NOW = 1_790_000_000.0
DAY = 86_400.0
ITEM = Delivered("a", "full", "0" * 16, size=100, benefit=0.9, sent=NOW)

items = st.builds(
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


@pytest.mark.parametrize(
    ("size", "benefit", "compressed"),
    [
        (501, 0.45, True),
        (500, 0.45, False),  # more than 500
        (501, 0.3, True),  # both ends are in
        (501, nextafter(0.3, 0), False),
        (501, 0.6, True),
        (501, nextafter(0.6, 1), False),
    ],
)
def test_a_large_body_of_medium_benefit_is_compressed(
    size: int, benefit: float, compressed: bool
) -> None:
    found = policy([ITEM._replace(size=size, benefit=benefit)], NOW)
    assert found == KVPolicy(compress=("a",) if compressed else ())


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


@given(st.lists(items, unique_by=lambda item: item.id), st.sets(st.text(max_size=1)))
def test_each_id_is_in_one_list_at_most(said: list[Delivered], needed: set[str]) -> None:
    found = policy(said, NOW, needed)
    listed = [key for part in found for key in part]
    assert len(listed) == len(set(listed))
    assert {item.id for item in said} >= set(listed)
    assert {item.id for item in said if item.id in needed} <= set(found.pin)

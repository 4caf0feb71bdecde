"""What a packet tells its session, entry by entry, and what of the next one is news."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.fit.delivery import ORDER, delivered, is_loose, naming, news, order_digest, with_changed
from ctx.model import (
    LEVELS,
    Delivered,
    Entry,
    Included,
    Kind,
    Level,
    Memory,
    Revoked,
    Scored,
    Section,
    SectionName,
    Selection,
    digest_of,
)
from ctx.text.levels import digest_at
from tests.fit.flat import Flat, Telling, documents
from tests.read.samples import entry

# --- what a packet tells its session, entry by entry -------------------------------------

BODY = "**Decision**: Keep it.\n\n**Context**: Long ago, and far away."


def made(one: Entry, level: Level = "full", name: SectionName | None = None) -> Selection:
    said = (Included(Scored(one, 0.5, ()), level),)
    noted = level == "title"
    section = Section(
        name or one.section, 0, 0, () if noted else said, said if noted else (), 0, ""
    )
    return Selection((section,), (), 0, "", ())


def only(one: Entry, level: Level = "full", name: SectionName | None = None) -> Delivered:
    (known,) = delivered(made(one, level, name), {one.id: 0.7}, Flat())
    return known


def test_what_is_told_has_its_level_price_benefit_and_digests() -> None:
    one = entry("a", BODY, size=400)
    full, key, title = (digest_at(one, level) for level in LEVELS)
    assert only(one) == Delivered(
        one.id, "full", full, 400, 0.7, 0.0, pinned=False, key_digest=key, title_digest=title
    )
    assert only(one, "key") == Delivered(
        one.id, "key", key, 100, 0.7, 0.0, pinned=False, title_digest=title
    )
    assert only(one, "title") == Delivered(one.id, "title", title, 2, 0.7, 0.0, pinned=True)


def test_what_has_no_key_lines_has_no_digest_of_them() -> None:
    assert only(entry("a", "Short.")).key_digest == ""


@pytest.mark.parametrize("kind", ["rule", "task", "convention"])
@pytest.mark.parametrize("level", LEVELS)
def test_rules_tasks_and_conventions_are_pinned(kind: Kind, level: Level) -> None:
    assert only(entry("a", BODY, kind=kind), level).pinned


@pytest.mark.parametrize("kind", ["decision", "learning", "lore", "turn"])
@pytest.mark.parametrize(("level", "pinned"), [("full", False), ("key", False), ("title", True)])
def test_what_is_said_for_its_worth_is_pinned_by_its_title_alone(
    kind: Kind, level: Level, pinned: bool
) -> None:
    one = entry("a", BODY, kind=kind)
    assert only(one, level).pinned == pinned
    assert is_loose(Included(Scored(one, 0.5, ()), level)) != pinned


def test_the_turns_of_the_tail_are_loose_as_it_moves_on() -> None:
    assert not only(entry("a", kind="turn"), name="tail").pinned


def test_the_read_order_is_told_as_what_no_entry_is() -> None:
    packet = made(entry("a"))._replace(read_order=documents(("x.md", "y.md")))
    order, _ = delivered(packet, {}, Flat())
    digest = digest_of("x.md\ny.md")
    assert order == Delivered(ORDER, "title", digest, 0, 0.0, 0.0, pinned=True)
    assert order_digest(packet) == digest
    assert order_digest(packet._replace(read_order=documents(("y.md", "x.md")))) != digest
    assert ORDER.startswith("#")  # an id starts with its file
    assert len(list(delivered(made(entry("a")), {}, Flat()))) == 1


# --- what of a packet is news ------------------------------------------------------------

OTHER = BODY.replace("Keep", "Drop")
MUCH = 100_000
UNKNOWN = Memory("s")


def one(title: str, level: Level = "full", body: str = BODY, *, size: int = 100) -> Included:
    return Included(Scored(entry(title, body, size=size), 0.5, ()), level)


def packet(
    *said: Included, order: tuple[str, ...] = (), name: SectionName = "decisions", unsaid: int = 0
) -> Selection:
    whole = tuple(it for it in said if it.level != "title")
    noted = tuple(it for it in said if it.level == "title")
    sections = (Section(name, 0, 0, whole, noted, unsaid, "D.md"),) if said else ()
    return Selection(sections, documents(order), 0, "", ("a warning",))


def after(*packets: Selection) -> Memory:
    """Return what a session knows that was told ``packets``."""
    items = [item for made in packets for item in delivered(made, {}, Telling())]
    return Memory("s", {item.id: item for item in items})


def gone(ids: Iterable[str]) -> tuple[Revoked, ...]:
    return tuple(Revoked(id_, "", "removed") for id_ in ids)


def heard(
    said: Selection, memory: Memory, over: Sequence[str] = (), budget: int = MUCH
) -> Selection:
    if not memory.items:
        return said
    found = news(said, memory, budget, Telling())
    return naming(found, gone(over), budget, Telling()) if found.news_only else found


def names(selection: Selection) -> str:
    """Return what is said: title and first letter of the level."""
    return " ".join(
        it.entry.title + it.level[0]
        for section in selection.sections
        for it in (*section.included, *section.titles)
    )


KNOWN = one("k")
"""Costs 100, so that saying it again costs more than saying that only news are said."""


def test_what_is_left_out_is_counted_no_more() -> None:
    said = packet(one("a"), order=("x.md",), unsaid=3)
    found = news(said, UNKNOWN, MUCH, Telling(line=10))
    assert (found.news_only, [it.omitted for it in found.sections]) == (True, [0])


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_known_at_the_same_level_is_left_out(level: Level) -> None:
    before = packet(KNOWN, one("a", level))
    found = heard(packet(KNOWN, one("a", level), one("b", level)), after(before))
    assert names(found) == f"b{level[0]}"
    assert found.news_only


def test_where_all_is_known_nothing_is_said() -> None:
    said = packet(one("a"), one("b", "title"), order=("x.md",), unsaid=3)
    found = heard(said, after(said))
    assert found == Selection((), (), 0, "", (), news_only=True)
    assert found.has_no_news


@pytest.mark.parametrize("level", ["full", "key"])
def test_a_changed_body_is_news(level: Level) -> None:
    now = packet(one("a", level, OTHER), one("b", level))
    assert names(heard(now, after(packet(one("a", level), one("b", level))))) == f"a{level[0]}"


@pytest.mark.parametrize(
    ("before", "now", "is_news"),
    [
        ("full", "key", False), ("full", "title", False), ("key", "title", False),
        ("key", "full", True), ("title", "full", True), ("title", "key", True),
    ],
)  # fmt: skip
def test_a_lesser_level_is_known_through_a_better_one_and_not_the_other_way(
    before: Level, now: Level, is_news: bool
) -> None:
    found = heard(packet(KNOWN, one("a", now)), after(packet(KNOWN, one("a", before))))
    assert names(found) == (f"a{now[0]}" if is_news else "")


def test_a_section_says_what_is_new_and_not_again_how_many_there_are() -> None:
    before = packet(one("a"), one("t", "title"))
    now = packet(one("a"), one("b"), one("t", "title"), one("u", "title"), unsaid=9)
    (section,) = heard(now, after(before)).sections
    assert [it.entry.title for it in section.included] == ["b"]
    assert [it.entry.title for it in section.titles] == ["u"]
    assert section.omitted == 0


def test_the_read_order_is_said_only_where_it_changed() -> None:
    before = packet(one("a"), order=("x.md", "y.md"))
    same = packet(one("b"), order=("x.md", "y.md"))._replace(read_more=2)
    found = heard(same, after(before))
    assert (found.read_order, found.read_more) == ((), 0)
    for order in (("y.md", "x.md"), ("x.md",)):
        changed = packet(one("a"), one("b"), order=order)._replace(read_more=2)
        found = heard(changed, after(before))
        assert (found.read_order, found.read_more) == (documents(order), 2)


def test_what_is_gone_is_named() -> None:
    now, memory = packet(one("a", size=50), one("b", size=20)), after(packet(one("a", size=50)))
    assert heard(now, memory, "xy", budget=1000).revoked == gone("xy")
    assert heard(now, memory, "", budget=1000).revoked == ()


def test_what_is_gone_is_named_as_far_as_the_budget_goes() -> None:
    # 5 for the head, and 988 of 1,000 for what is new: two names of 3 each fit.
    now, memory = packet(one("a", size=900), one("b", size=988)), after(packet(one("a")))
    found = heard(now, memory, "uvwxyz", budget=1000)
    assert (found.revoked, found.more_revoked) == (gone("uv"), 4)


def test_what_has_changed_is_said_as_fully_as_it_fits() -> None:
    said = packet(one("a", size=50))._replace(news_only=True)
    changed = [entry("b", size=40), entry("c", kind="learning", size=30), entry("d", size=3)]
    # 50 and 5 for the head; 40 fit into 100, of 30 a quarter does not, a title of 2 does.
    found, added = with_changed(said, changed, 100, Telling())
    assert [f"{it.entry.title}{it.level[0]}" for it in added] == ["bf", "ct", "df"]
    assert sorted(names(found).split()) == ["af", "bf", "ct", "df"]
    assert with_changed(said, changed, 55, Telling()) == (said, [])


def test_news_that_would_cost_more_than_the_packet_are_the_packet() -> None:
    # The head costs 5, what is known 4.
    now, memory = packet(one("a", size=4), one("b")), after(packet(one("a")))
    assert heard(now, memory) is now
    as_much = packet(one("a", size=5), one("b"))
    assert names(heard(as_much, memory)) == "bf"


def test_a_packet_over_the_budget_says_its_news_all_the_same() -> None:
    # Degraded: its rules pass the budget, and the session knows half of them.
    before, now = packet(one("a"), name="rules"), packet(one("a"), one("b"), name="rules")
    found = heard(now._replace(degraded="why"), after(before), "x", budget=90)
    assert (names(found), found.degraded, found.revoked) == ("bf", "why", ())


def test_news_that_are_within_the_budget_overshoot_nothing() -> None:
    before = packet(one("a", size=900))
    now = packet(one("a", size=900), one("b", size=200))._replace(overshoot="over")
    assert heard(now, after(before), budget=1000).overshoot == ""
    assert heard(now, after(before), budget=200).overshoot == "over"


_ones = st.builds(
    one,
    st.sampled_from("abcdef"),
    st.sampled_from(LEVELS),
    st.sampled_from((BODY, OTHER)),
    size=st.sampled_from((0, 3, 8, 100)),
)
_packets = st.builds(
    lambda said, order, unsaid: packet(*said, order=order, unsaid=unsaid),
    st.lists(_ones, max_size=6, unique_by=lambda it: it.entry.id),
    st.sampled_from(((), ("x.md",), ("x.md", "y.md"))),
    st.integers(0, 3),
)


@given(_packets, _packets, st.lists(st.sampled_from("uvwxyz")), st.integers(0, 1000))
def test_news_cost_no_more_than_the_packet_or_its_budget(
    before: Selection, now: Selection, over: list[str], budget: int
) -> None:
    found = heard(now, after(before), over, budget)
    cost, full = Telling().whole(found), Telling().whole(now)
    assert cost <= full or found.has_no_news or found.revoked
    assert cost <= max(budget, 0) or full > budget
    assert gone(over)[: len(found.revoked)] == found.revoked


@given(_packets, _packets)
def test_news_and_what_was_known_are_the_packet(before: Selection, now: Selection) -> None:
    found = heard(now, after(before))
    said = set(names(found).split())
    assert said <= set(names(now).split())
    if found.news_only:
        unsaid = set(names(now).split()) - said
        titles = {name[0] for name in names(before).split()}
        assert {name[0] for name in unsaid} <= titles


@given(_packets)
def test_saying_a_packet_twice_is_no_news(now: Selection) -> None:
    found = heard(now, after(now))
    assert found is now or found.has_no_news

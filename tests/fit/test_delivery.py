"""What a packet tells its session, entry by entry."""

import pytest

from ctx.fit.delivery import ORDER, delivered, is_loose, order_digest
from ctx.model import (
    LEVELS,
    Delivered,
    Entry,
    Included,
    Kind,
    Level,
    Scored,
    Section,
    SectionName,
    Selection,
    digest_of,
)
from ctx.text.levels import digest_at
from tests.fit.flat import Flat
from tests.read.samples import entry

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
    packet = made(entry("a"))._replace(read_order=("x.md", "y.md"))
    order, _ = delivered(packet, {}, Flat())
    digest = digest_of("x.md\ny.md")
    assert order == Delivered(ORDER, "title", digest, 0, 0.0, 0.0, pinned=True)
    assert order_digest(packet) == digest
    assert order_digest(packet._replace(read_order=("y.md", "x.md"))) != digest
    assert ORDER.startswith("#")  # an id starts with its file
    assert len(list(delivered(made(entry("a")), {}, Flat()))) == 1

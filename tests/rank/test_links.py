"""What entries point to, and what a hop brings."""

from collections.abc import Iterable
from math import inf, nan
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import Entry, Frontmatter
from ctx.rank.corpus import Corpus
from ctx.rank.links import Found, Links, hop, merge
from tests.rank.hands import WORDS, Hand, turn
from tests.read.samples import entry, read_all, write

# --- what entries point to, by each way of saying it -------------------------------------

TARGET = entry("The Target: a title", timestamp="2026-01-02", source="LEARNINGS.md")._replace(
    id="LEARNINGS.md#2026-01-02"
)
OTHER = entry("Other", source="learnings/deep.md")._replace(id="learnings/deep.md#other")


def _from(body: str = "", source: str = "DECISIONS.md", **fields: object) -> Entry:
    one = entry("From", body, source=source)._replace(id=f"{source}#from")
    return one._replace(**fields)  # type: ignore[arg-type]


def _leads(one: Entry, *others: Entry) -> list[str]:
    """Return the ids that the first of the entries leads to."""
    corpus = Corpus([Hand([each]) for each in (one, *others)])
    return [corpus.entry(at).id for at in Links(corpus).of(0)]


def test_a_link_leads_to_its_entry() -> None:
    for body in (
        "[[The Target: a title]]", "see [[the target: A TITLE]].",
        "[[The Target: a title|that one]]", "[[LEARNINGS.md#2026-01-02]]", "[[2026-01-02]]",
        "[x](LEARNINGS.md#2026-01-02)", "[x](learnings.md#2026-01-02)",
        "[x](./LEARNINGS.md#2026-01-02)", "[x](<LEARNINGS.md#2026-01-02>)",
        '[x](LEARNINGS.md#2026-01-02 "a title")', "[x](LEARNINGS%2Emd#2026-01-02)",
        "![x](LEARNINGS.md#2026-01-02)",
        "[a](nowhere.md#x) [[nobody]] [x](LEARNINGS.md#2026-01-02)",
    ):  # fmt: skip
        assert _leads(_from(body), OTHER, TARGET) == [TARGET.id], body


def test_a_dead_link_leads_nowhere() -> None:
    for body in (
        "", "[[]]", "[[ ]]", "[[Nobody]]", "[[The Target: a title", "[[The\nTarget: a title]]",
        "[x](LEARNINGS.md)", "[x](#2026-01-02)", "[x](LEARNINGS.md#)",
        "[x](https://example.org/LEARNINGS.md#2026-01-02)", "[x](file:LEARNINGS.md#2026-01-02)",
        "[x](/etc/LEARNINGS.md#2026-01-02)", "[x](LEARNINGS.md# 2026-01-02)",
        "LEARNINGS.md#2026-01-02", "[[" * 2_000, "](" * 2_000, "[[a|" + "b" * 100_000,
    ):  # fmt: skip
        assert _leads(_from(body), OTHER, TARGET) == [], body


def test_a_link_without_a_file_stays_in_its_own() -> None:
    one = _from("[x](#2026-01-02)", source="LEARNINGS.md")
    assert _leads(one, TARGET) == [TARGET.id]


def test_a_link_is_read_from_the_folder_of_its_file() -> None:
    one = _from("[x](deep.md#other)", source="learnings/here.md")
    assert _leads(one, OTHER) == [OTHER.id]


def test_a_link_leads_out_of_the_folder_of_its_file() -> None:
    for link in ("../LEARNINGS.md#2026-01-02", "./../LEARNINGS.md#2026-01-02"):
        assert _leads(_from(f"[x]({link})", source="decisions/p.md"), TARGET) == [TARGET.id], link


def test_related_leads_to_its_entry() -> None:
    for name in ("The Target: a title", "2026-01-02", "LEARNINGS.md#2026-01-02"):
        assert _leads(_from(front=Frontmatter(related=("nobody", name))), TARGET) == [TARGET.id]


def test_what_an_entry_supersedes_is_linked() -> None:
    for claim in (
        "the target: a title", "2026-01-02", "[2026-01-02] The Target: a title", '"2026-01-02"',
    ):  # fmt: skip
        assert _leads(_from(supersedes=f"nobody\n{claim}"), TARGET) == [TARGET.id], claim


def test_links_stand_in_their_order_each_once() -> None:
    body = "[[Other]] [[The Target: a title]] [[Other]] [x](LEARNINGS.md#2026-01-02)"
    assert _leads(_from(body), TARGET, OTHER) == [OTHER.id, TARGET.id]


def test_a_name_that_several_entries_have_leads_to_none() -> None:
    twin = OTHER._replace(id="learnings/twin.md#other", source="learnings/twin.md")
    assert _leads(_from("[[Other]]"), OTHER, twin) == []
    assert _leads(_from("[x](learnings/twin.md#other)"), OTHER, twin) == [twin.id]


def test_turns_are_linked_by_their_ids_only() -> None:
    said = turn("zebra", number=7)
    assert _leads(_from(f"[[{said.title}]] [[t7]]"), said) == []
    assert _leads(_from(f"[[{said.id}]]"), said) == [said.id]


def test_related_keys_and_anchors_of_real_files_lead_to_entries(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = write(
        tmp_path_factory.mktemp("links"),
        {
            "decisions/a.md": "---\nrelated: [Plain title]\n"
            "hop_targets: [LEARNINGS.md#2026-01-02]\n---\n"
            "## From here\n\nAs [all](../LEARNINGS.md) and [so](#and-here).\n\n## And here\n",
            "LEARNINGS.md": "## [2026-01-02] Dated\n\nBody.\n\n## Plain title\n\nBody.\n",
        },
    )
    corpus = Corpus([part for source in read_all(root).sources for part in source.parts])
    ids = [corpus.entry(at).id for at in range(len(corpus))]
    found = Links(corpus).of(ids.index("decisions/a.md#from-here"))
    assert [ids[at] for at in found] == [
        "decisions/a.md#and-here",
        "LEARNINGS.md#plain-title",
        "LEARNINGS.md#2026-01-02",
    ]


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=5))
def test_every_link_leads_to_a_position_there_is(bodies: list[str]) -> None:
    entries = [entry(body[:9], body, source="b.md") for body in bodies]
    corpus = Corpus([Hand(entries)])
    for position in range(len(corpus)):
        found = Links(corpus).of(position)
        assert len(found) == len(set(found))
        assert set(found) <= set(range(len(corpus)))


# --- one hop -----------------------------------------------------------------------------

T = TypeVar("T")
POSITION = st.integers(0, 7)
SCORES = st.dictionaries(POSITION, st.floats(0, 1))
GRAPH = st.dictionaries(POSITION, st.lists(POSITION))


def hopped_in(scores: dict[int, float], graph: dict[int, list[int]]) -> list[Found]:
    return hop(scores, lambda position: graph.get(position, ()))


def test_a_neighbour_inherits_half_of_its_best_parent() -> None:
    graph = {1: [8, 9], 2: [8]}
    assert hopped_in({1: 0.4, 2: 0.8}, graph) == [Found(8, 0.4, 2), Found(9, 0.2, 1)]


def test_what_inherits_less_than_the_threshold_is_left_out() -> None:
    graph = {1: [8], 2: [9]}
    assert hopped_in({1: 0.3, 2: 0.29}, graph) == [Found(8, 0.15, 1)]  # 0.15 is enough
    assert hopped_in({1: 0.0}, graph) == []


def test_what_was_found_by_itself_may_be_reached_too() -> None:
    scores = {1: 1.0, 2: 0.2}
    both = hopped_in(scores, {1: [2, 8]})
    assert both == [Found(2, 0.5, 1), Found(8, 0.5, 1)]
    assert merge(scores, both) == [Found(1, 1.0), Found(2, 0.5, 1), Found(8, 0.5, 1)]


def test_merge_keeps_the_better_of_two() -> None:
    hopped = [Found(1, 0.4, 2), Found(2, 0.5, 1), Found(3, 0.3, 1)]
    assert merge({1: 0.6, 2: 0.5}, hopped) == [
        Found(1, 0.6),
        Found(2, 0.5),  # its own, where both are equal
        Found(3, 0.3, 1),
    ]


def test_of_equal_parents_the_first_by_position() -> None:
    assert hopped_in({2: 0.6, 1: 0.6}, {1: [8], 2: [8]}) == [Found(8, 0.3, 1)]


def test_scores_out_of_range_are_clamped() -> None:
    scores = {1: inf, 2: nan, 3: -1.0}
    assert hopped_in(scores, {1: [7], 2: [8], 3: [9]}) == [Found(7, 0.5, 1)]
    assert merge(scores, []) == [Found(1, 1.0), Found(2, 0.0), Found(3, 0.0)]


@given(SCORES, GRAPH, st.randoms())
def test_hops_stay_in_range_whatever_the_order(
    scores: dict[int, float], graph: dict[int, list[int]], random: Random
) -> None:
    hopped = hopped_in(scores, graph)
    merged = merge(scores, hopped)
    assert all(0 <= found.score < 1 for found in hopped)
    assert all(0 <= found.score <= 1 for found in merged)
    positions = {*scores, *(found.position for found in hopped)}
    assert {found.position for found in merged} == positions
    for found in merged:
        assert found.score >= scores.get(found.position, 0)
    mixed = {position: shuffled(graph[position], random) for position in shuffled(graph, random)}
    again = hopped_in({at: scores[at] for at in shuffled(scores, random)}, mixed)
    assert again == hopped
    assert merge(scores, shuffled(hopped, random)) == merged


def shuffled(items: Iterable[T], random: Random) -> list[T]:
    mixed = list(items)
    random.shuffle(mixed)
    return mixed

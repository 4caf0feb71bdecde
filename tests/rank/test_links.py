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


@pytest.mark.parametrize(
    "body",
    [
        "[[The Target: a title]]",
        "see [[the target: A TITLE]].",
        "[[The Target: a title|that one]]",
        "[[LEARNINGS.md#2026-01-02]]",
        "[[2026-01-02]]",
        "[x](LEARNINGS.md#2026-01-02)",
        "[x](learnings.md#2026-01-02)",
        "[x](./LEARNINGS.md#2026-01-02)",
        "[x](<LEARNINGS.md#2026-01-02>)",
        '[x](LEARNINGS.md#2026-01-02 "a title")',
        "[x](LEARNINGS%2Emd#2026-01-02)",
        "![x](LEARNINGS.md#2026-01-02)",
        "[a](nowhere.md#x) [[nobody]] [x](LEARNINGS.md#2026-01-02)",
    ],
)
def test_a_link_leads_to_its_entry(body: str) -> None:
    assert _leads(_from(body), OTHER, TARGET) == [TARGET.id]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[[]]",
        "[[ ]]",
        "[[Nobody]]",
        "[[The Target: a title",
        "[[The\nTarget: a title]]",
        "[x](LEARNINGS.md)",
        "[x](#2026-01-02)",
        "[x](LEARNINGS.md#)",
        "[x](https://example.org/LEARNINGS.md#2026-01-02)",
        "[x](file:LEARNINGS.md#2026-01-02)",
        "[x](/etc/LEARNINGS.md#2026-01-02)",
        "[x](LEARNINGS.md# 2026-01-02)",
        "LEARNINGS.md#2026-01-02",
        "[[" * 2_000,
        "](" * 2_000,
        "[[a|" + "b" * 100_000,
    ],
)
def test_a_dead_link_leads_nowhere(body: str) -> None:
    assert _leads(_from(body), OTHER, TARGET) == []


def test_a_link_without_a_file_stays_in_its_own() -> None:
    one = _from("[x](#2026-01-02)", source="LEARNINGS.md")
    assert _leads(one, TARGET) == [TARGET.id]


def test_a_link_is_read_from_the_folder_of_its_file() -> None:
    one = _from("[x](deep.md#other)", source="learnings/here.md")
    assert _leads(one, OTHER) == [OTHER.id]


@pytest.mark.parametrize("link", ["../LEARNINGS.md#2026-01-02", "./../LEARNINGS.md#2026-01-02"])
def test_a_link_leads_out_of_the_folder_of_its_file(link: str) -> None:
    assert _leads(_from(f"[x]({link})", source="decisions/p.md"), TARGET) == [TARGET.id]


@pytest.mark.parametrize("name", ["The Target: a title", "2026-01-02", "LEARNINGS.md#2026-01-02"])
def test_related_leads_to_its_entry(name: str) -> None:
    assert _leads(_from(front=Frontmatter(related=("nobody", name))), TARGET) == [TARGET.id]


@pytest.mark.parametrize(
    "claim",
    ["the target: a title", "2026-01-02", "[2026-01-02] The Target: a title", '"2026-01-02"'],
)
def test_what_an_entry_supersedes_is_linked(claim: str) -> None:
    assert _leads(_from(supersedes=f"nobody\n{claim}"), TARGET) == [TARGET.id]


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
KEY = st.sampled_from("abcdefgh")
SCORES = st.dictionaries(KEY, st.floats(0, 1))
GRAPH = st.dictionaries(KEY, st.lists(KEY))


def test_a_neighbour_inherits_half_of_its_best_parent() -> None:
    graph = {"a": ["x", "y"], "b": ["x"]}
    assert hop({"a": 0.4, "b": 0.8}, graph) == [Found("x", 0.4, "b"), Found("y", 0.2, "a")]


def test_what_inherits_less_than_the_threshold_is_left_out() -> None:
    graph = {"a": ["x"], "b": ["y"]}
    assert [one.key for one in hop({"a": 0.3, "b": 0.29}, graph)] == ["x"]  # 0.15 is enough
    assert hop({"a": 0.3}, graph, theta=0.2) == []
    assert hop({"a": 0.0}, graph, theta=0) == [Found("x", 0.0, "a")]


def test_what_was_found_by_itself_is_no_hop_unless_asked_for() -> None:
    graph = {"a": ["b", "x"]}
    scores = {"a": 1.0, "b": 0.2}
    assert [one.key for one in hop(scores, graph)] == ["x"]
    both = hop(scores, graph, outside=False)
    assert both == [Found("b", 0.5, "a"), Found("x", 0.5, "a")]
    assert merge(scores, both) == [Found("a", 1.0), Found("b", 0.5, "a"), Found("x", 0.5, "a")]


def test_merge_keeps_the_better_of_two() -> None:
    hopped = [Found("a", 0.4, "b"), Found("b", 0.5, "a"), Found("c", 0.3, "a")]
    assert merge({"a": 0.6, "b": 0.5}, hopped) == [
        Found("a", 0.6),
        Found("b", 0.5),  # its own, where both are equal
        Found("c", 0.3, "a"),
    ]


@pytest.mark.parametrize("graph", [{}, {"a": []}, {"a": ["a"]}, {"b": ["a"]}])
def test_a_neighbourhood_without_anyone(graph: dict[str, list[str]]) -> None:
    assert hop({"a": 1.0}, graph) == []
    assert hop({"a": 1.0}, lambda key: graph.get(key, ())) == []
    assert hop({}, graph) == []


def test_cycles_end() -> None:
    ring = {str(at): [str((at + 1) % 5000)] for at in range(5000)}
    assert hop({"7": 1.0}, ring) == [Found("8", 0.5, "7")]
    assert hop(dict.fromkeys(ring, 1.0), ring) == []
    assert len(hop(dict.fromkeys(ring, 1.0), ring, outside=False)) == 5000


def test_of_equal_parents_the_first_by_key() -> None:
    assert hop({"b": 0.6, "a": 0.6}, {"a": ["x"], "b": ["x"]}) == [Found("x", 0.3, "a")]


def test_scores_out_of_range_are_clamped() -> None:
    graph = {"a": ["x"], "b": ["y"], "c": ["z"]}
    scores = {"a": inf, "b": nan, "c": -1.0}
    assert hop(scores, graph, theta=0) == [
        Found("x", 0.5, "a"),
        Found("y", 0.0, "b"),
        Found("z", 0.0, "c"),
    ]
    assert merge(scores, []) == [Found("a", 1.0), Found("b", 0.0), Found("c", 0.0)]


@pytest.mark.parametrize(
    ("eta", "theta"), [(0, 0), (1, 0), (-1, 0), (nan, 0), (0.5, -0.1), (0.5, 1.1), (0.5, nan)]
)
def test_figures_out_of_range_are_refused(eta: float, theta: float) -> None:
    with pytest.raises(ValueError, match=r"_hop is"):
        hop({"a": 1.0}, {}, eta=eta, theta=theta)


@given(SCORES, GRAPH, st.booleans(), st.randoms())
def test_hops_stay_in_range_whatever_the_order(
    scores: dict[str, float], graph: dict[str, list[str]], outside: bool, random: Random
) -> None:
    hopped = hop(scores, graph, outside=outside)
    merged = merge(scores, hopped)
    assert all(0 <= one.score < 1 for one in hopped)
    assert all(0 <= one.score <= 1 for one in merged)
    assert {one.key for one in merged} == {*scores, *(one.key for one in hopped)}
    for one in merged:
        assert one.score >= scores.get(one.key, 0)
    mixed = {key: shuffled(graph[key], random) for key in shuffled(graph, random)}
    again = hop({key: scores[key] for key in shuffled(scores, random)}, mixed, outside=outside)
    assert again == hopped
    assert merge(scores, shuffled(hopped, random)) == merged


def shuffled(items: Iterable[T], random: Random) -> list[T]:
    mixed = list(items)
    random.shuffle(mixed)
    return mixed

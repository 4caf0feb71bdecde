"""Whole packets in each format."""

import json
import re
from datetime import date
from itertools import pairwise, product
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from ctx.app.walk import assemble
from ctx.errors import UsageError
from ctx.model import (
    Document,
    Entry,
    Format,
    Included,
    Level,
    Packet,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from ctx.render import FORMATS, Costs, form, layout
from ctx.render.explain import as_json, as_table
from ctx.store.no_cache import WordsInMemory
from ctx.text.tokens import counter
from tests.read.samples import FIXTURES, Nothing, entry
from tests.render.test_pieces import KINDS, request, section, sections

NAMES = [
    *("project", "read_order", "read_more", "constitution", "conventions"),
    *("decisions", "learnings", "summaries", "tasks", "instruction", "omitted"),
    *("warnings", "degraded", "tokenizer", "day", "budget", "tokens_used"),
]

EXTRA = (
    *("read_about", "recent_turns", "lore", "earlier_turns"),
    *("constitution_from", "conventions_from"),
)
"""Names that are there only where they hold something."""

KEYS = ("constitution", "tasks", "conventions", "decisions", "learnings", "lore", "earlier_turns")
"""Where a packet says the sections that are drawn."""


def packet(root: Path, budget: int, kind: Format) -> Packet:
    asked = Request(str(root), date(2026, 1, 31), budget, kind, explain=True)
    return assemble(asked, counter("heuristic"), Nothing(), WordsInMemory())


def text(*sections: Section, kind: Format = "md", degraded: str = "") -> str:
    files = (Document(".context/A.md", "what it is", 1200),)
    selection = Selection(tuple(sections), files, 2, degraded, ("a warning",))
    return Costs(request(kind), counter("heuristic")).text(selection)[0]


def told(
    name: SectionName, entries: list[Entry], level: Level = "full", unsaid: int = 0
) -> Section:
    return section(name, [Included(Scored(one, 0.0, ()), level) for one in entries], unsaid)


@pytest.mark.parametrize(("body", "times"), [("- First of all.", 1), ("First of all: a b.", 2)])
def test_what_is_no_more_than_its_title_stands_there_once(body: str, times: int) -> None:
    """Of a file without headings the first line is the title."""
    assert (
        text(told("lore", [entry("First of all.", body, kind="lore")])).count("First of all")
        == times
    )


@pytest.mark.parametrize("root", FIXTURES, ids=lambda path: path.parent.name)
def test_the_count_is_of_what_is_printed(root: Path) -> None:
    for kind, budget in product(
        cast("list[Format]", [*FORMATS]), (0, 50, 200, 500, 1000, 4000, 32_000)
    ):
        made = packet(root, budget, kind)
        assert made.tokens == counter("heuristic").count(made.text)
        assert made.tokens <= budget
        if made.selection.least:
            assert made.selection.degraded
            continue
        assert made.text.endswith("\n")
        if kind == "json":
            data = json.loads(made.text)
            assert [name for name in data if name not in EXTRA] == NAMES
            assert data["tokens_used"] == made.tokens
            assert data["budget"] == budget
            assert data["degraded"] == bool(made.selection.degraded)


@given(sections())
def test_json_is_valid_and_says_all_that_markdown_says(drawn: list[Section]) -> None:
    data = json.loads(text(*drawn, kind="json", degraded='so "bad"'))
    assert [name for name in data if name not in EXTRA] == NAMES
    for one, key in zip(drawn, KEYS, strict=True):
        inside = one.titles if one.name == "tasks" else ()
        assert len(data.get(key, ())) == len(one.included) + len(inside)
    assert data["warnings"] == ['degraded: so "bad"', "a warning"]
    assert (data["read_order"], data["read_more"]) == ([".context/A.md"], 2)
    assert data["read_about"] == [{"for": "what it is", "tokens": 1200}]
    assert sum(row["count"] for row in data["omitted"]) == sum(one.omitted for one in drawn)


@given(sections())
def test_markdown_headings_nest(drawn: list[Section]) -> None:
    tokens = MarkdownIt("commonmark").parse(text(*drawn))
    found = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    assert found[0] == 1
    assert found.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(found))


SAID: list[SectionName] = [
    *("rules", "tasks", "tail", "conventions", "decisions", "learnings", "lore", "turns")
]


def test_what_changes_from_call_to_call_comes_last() -> None:
    kinds = {**KINDS, "tail": KINDS["turns"]}
    every = [told(name, [entry(name, f"- {name}", kind=kinds[name])]) for name in SAID]
    lines = [line for line in text(*every).split("\n") if line.startswith("## ")]
    assert lines == [
        "## Read These Files", "## Constitution", "## Conventions", "## Decisions",
        "## Learnings", "## Background", "## Current Tasks", "## Earlier Turns",
        "## Recent Turns",
    ]  # fmt: skip
    assert [name for name in json.loads(text(*every, kind="json")) if name in KEYS] == [
        *("constitution", "conventions", "decisions", "learnings", "lore"),
        *("tasks", "earlier_turns"),
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_what_was_chosen_is_oldest_first_in_markdown_and_best_first_in_json(kind: Format) -> None:
    dates = ("2026-01-02", "", "2025-12-31-090000", "2026-01-02-080000", "")
    ranked = [
        entry(f"no {at}", f"Body {at}.", timestamp=day)._replace(line=9 - at)
        for at, day in enumerate(dates)
    ]
    made = text(told("decisions", ranked), kind=kind)
    assert re.findall("no [0-4]", made) == (
        ["no 4", "no 1", "no 2", "no 0", "no 3"]
        if kind == "md"
        else [f"no {at}" for at in range(5)]
    )


def test_items_are_grouped_and_each_lead_is_said_once_above_its_own() -> None:
    def item(title: str, group: str, lead: str = "") -> Entry:
        return entry(title, f"- {title}", kind="convention", group=group, lead=lead)

    made = text(
        told(
            "conventions",
            [
                item("one", "Git"),
                item("push", "Git", "Do not:"),
                item("two", "Code"),
                item("rewrite", "Git", "Do not:"),
                item("three", "Git"),
            ],
        )
    )
    inside = made.partition("## Conventions\n\n")[2].partition("---")[0]
    place = layout.place(item("one", "Git"))
    assert inside == (
        f"### Git ({place})\n\n- one\n- three\n\nDo not:\n\n- push\n- rewrite\n\n"
        f"### Code ({place})\n\n- two\n\n"
    )


def test_json_gives_heading_and_lead_with_each_item() -> None:
    items = [
        entry(t, f"- {t}", kind="rule", group="Git", lead="Do not:") for t in ("push", "rewrite")
    ]
    data = json.loads(text(told("rules", items), kind="json"))
    assert data["constitution"] == ["Git\nDo not:\n- push", "Git\nDo not:\n- rewrite"]
    assert data["constitution_from"] == [[items[0].source, 2]]


@pytest.mark.parametrize("root", FIXTURES, ids=lambda path: path.parent.name)
def test_the_explanation_is_the_same_packet_and_more(root: Path) -> None:
    made = packet(root, 600, "json")
    data = json.loads(as_json(made))
    rows = data.pop("entries")
    assert data == json.loads(made.text)
    assert len(rows) == len(made.verdicts) > 0
    for row in rows:
        assert row["outcome"] in ("full", "key", "title", "out")
        assert row["reason"]
        assert row["tokens"] > 0
        assert (row["level"] is None) == (row["outcome"] == "out")
    assert len(as_table(made).splitlines()) == 2 + len(made.selection.sections) + len(rows)


def test_an_explained_packet_is_the_packet() -> None:
    for root in FIXTURES:
        asked = Request(str(root), date(2026, 1, 31), 600)
        plain = assemble(asked, counter("heuristic"), Nothing(), WordsInMemory())
        explained = assemble(
            asked._replace(explain=True), counter("heuristic"), Nothing(), WordsInMemory()
        )
        assert plain.text == explained.text


def test_an_unknown_format_is_an_error_that_names_the_others() -> None:
    for name in ("", "yaml", "MD", "markdown"):
        with pytest.raises(UsageError) as error:
            form(name)
        assert "json" in f"{error.value} {vars(error.value)}", name


class Circle:
    """A tokenizer for which a packet that states its cost has another cost."""

    name = "circle"

    def count(self, text: str) -> int:
        data = json.loads(text) if text.startswith("{\n") else {"tokens_used": 0}
        return 101 if data["tokens_used"] % 2 == 0 else 100


def test_a_cost_that_goes_in_circles_is_not_understated() -> None:
    selection = Selection((), (), 0, "", ())
    made, tokens = Costs(request("json"), Circle()).text(selection)
    assert json.loads(made)["tokens_used"] >= tokens

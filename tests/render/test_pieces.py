"""Pieces priced one by one, and the whole that they make: what a plan may rely on."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import (
    SECTIONS,
    Entry,
    Format,
    Included,
    Kind,
    Level,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from ctx.render import FORMATS, Costs
from ctx.render.layout import WITHOUT_GROUPS
from ctx.text.tokens import counter
from tests.read.samples import CORPORA, FIXTURES, NO_CORPORA, entry, read_all

TODAY = date(2026, 1, 31)
KINDS: dict[SectionName, Kind] = {
    "rules": "rule",
    "tasks": "task",
    "conventions": "convention",
    "decisions": "decision",
    "learnings": "learning",
    "lore": "lore",
    "turns": "turn",
}
MOST_OFF = 3
"""Tokens by which the sum of Markdown pieces may fall below the whole, by the heuristic."""


def request(form: Format, budget: int = 8000) -> Request:
    return Request("/", TODAY, budget, form)


def section(name: SectionName, said: list[Included], unsaid: int = 0) -> Section:
    noted = tuple(one for one in said if one.level == "title")
    told = tuple(one for one in said if one.level != "title")
    return Section(name, 0, 0, told, noted, unsaid, f"{name.upper()}.md")


def priced(costs: Costs, one: Section) -> int:
    """Add up a section as a ledger does: headings, groups, runs, units, titles, the count."""
    total = sum(map(costs.unit, (*one.included, *one.titles)))
    listed = one.name not in WITHOUT_GROUPS
    if one.included or (listed and one.titles):
        total += costs.heading(one.name)
    if listed:
        groups = {(e.source, e.group): e for e in (said.entry for said in one.included)}
        runs = {(e.source, e.group, e.lead): e for e in (said.entry for said in one.included)}
        total += sum(map(costs.group, groups.values())) + sum(map(costs.run, runs.values()))
    if one.titles:
        total += costs.titles(one.name)
    return total + (costs.omitted(one.name, one.omitted, one.omitted_files) if one.omitted else 0)


def sums(form: Format, sections: list[Section]) -> tuple[int, int]:
    """Return the sum of the pieces and what the whole adds to an empty packet."""
    costs = Costs(request(form), counter("heuristic"))
    empty = costs.whole(Selection((), (), 0, "", ()))
    whole = costs.whole(Selection(tuple(sections), (), 0, "", ()))
    pieces = sum(priced(costs, one) for one in sections)
    if any(one.titles for one in sections if one.name in WITHOUT_GROUPS):
        pieces += costs.titles_heading()
    if any(one.included for one in sections if one.name == "rules"):
        pieces += counter("heuristic").count("Keep every rule above.")
    return pieces, whole - empty


def all_said(entries: list[Entry], level: Level) -> list[Section]:
    return [
        section(
            name, [Included(Scored(one, 0.0, ()), level) for one in entries if one.section == name]
        )
        for name in SECTIONS
    ]


texts = st.sampled_from(
    ("A body.", "Two\nlines, and `code`.", "- a list\n  - nested\n- more",
     "| a | b |\n|---|---|\n| 1 | 2 |", "```py\nx = 1\n```",
     "**Decision**: Keep it.\n\n**Rationale**: It works. And more.",
     'A "quote", a \\ and a \t tab', "日本語の本文。", "Größe, café — “so”",
     "/a/path that starts with a slash", "<b>html</b>", "> a quote")
)  # fmt: skip
levels: st.SearchStrategy[Level] = st.sampled_from(["full", "key", "title"])


@st.composite
def sections(draw: st.DrawFn) -> list[Section]:
    made = []
    for name, kind in KINDS.items():
        said = []
        for at in range(draw(st.integers(0, 4))):
            body = draw(texts)
            one = entry(
                f"Title {at} {draw(st.sampled_from(['', '“so”', '/x', '決済']))}",
                f"- {body}" if kind in ("rule", "task", "convention") else body,
                kind=kind,
                tier="hard" if kind == "rule" else None,
                timestamp=draw(st.sampled_from(["", "2026-01-02", "2026-01-02-030405"])),
                group=draw(st.sampled_from(["", "Group", "Größe"])),
                lead=draw(st.sampled_from(["", "Do not:"])),
            )
            if kind == "turn":
                one = one._replace(speaker=draw(st.sampled_from(["user", "Zoë"])))
            level: Level = "full" if kind == "rule" else draw(levels)
            said.append(Included(Scored(one, 0.0, ()), level))
        made.append(section(name, said, draw(st.sampled_from([0, 0, 7]))))
    return made


@given(sections())
def test_markdown_pieces_sum_up_to_the_whole(drawn: list[Section]) -> None:
    pieces, whole = sums("md", drawn)
    assert abs(pieces - whole) <= MOST_OFF


@given(sections())
def test_json_pieces_never_sum_up_to_less_than_the_whole(drawn: list[Section]) -> None:
    pieces, whole = sums("json", drawn)
    # An array that is not empty opens its own lines: up to two tokens for each of eight, and of the
    # two that name the files of rules and of conventions.
    assert pieces + 16 + MOST_OFF >= whole
    assert pieces <= whole * 1.1 + 20


@pytest.mark.parametrize("level", ["full", "title"])
@pytest.mark.parametrize("root", FIXTURES, ids=lambda path: path.parent.name)
def test_fixtures_sum_up(root: Path, level: Level) -> None:
    pieces, whole = sums("md", all_said(read_all(root).entries, level))
    assert abs(pieces - whole) <= MOST_OFF


@pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
@pytest.mark.parametrize("root", CORPORA, ids=lambda path: path.parent.name)
def test_corpora_sum_up(root: Path) -> None:
    pieces, whole = sums("md", all_said(read_all(root).entries, "full"))
    assert abs(pieces - whole) <= whole / 1000 + MOST_OFF


@pytest.mark.parametrize("form", FORMATS)
def test_an_estimate_is_no_more_than_the_count(form: Format) -> None:
    costs = Costs(request(form), counter("heuristic"))
    for root in FIXTURES:
        for one in read_all(root).entries:
            for level in ("full", "key", "title"):
                said = Included(Scored(one, 0.0, ()), level)
                if costs.has(said):
                    assert costs.least(said) <= costs.unit(said)

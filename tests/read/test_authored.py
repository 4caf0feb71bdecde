"""Authored documents as entries: what becomes a rule, what lore, and in which words."""

from pathlib import Path

import pytest
from hypothesis import given

from ctx import read
from ctx.hosts.sources import chosen
from ctx.model import Context, Entry, Part
from ctx.read.authored.partition import CONSTITUTION, partition
from ctx.read.card import Card
from ctx.read.markdown.blocks import closed
from tests.read.samples import LIMITS, Memory, Nothing, read_all, said, write
from tests.read.test_partition import documents, has_words, text_of


def cards(text: str) -> list[Card]:
    return CONSTITUTION(text)


def steering(folder: Path, text: str | bytes) -> Context:
    return read_all(write(folder, {"CONSTITUTION.md": text}))


def without_indent(text: str) -> str:
    """Return ``text`` without the indentation of its first line, on every line that has it."""
    lines = text.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip(" \t"))
    short = [line[: len(line) - len(line.lstrip(" \t"))][:indent] for line in lines]
    return "\n".join(line[len(cut) :] for line, cut in zip(lines, short, strict=True))


@given(documents)
def test_every_hard_and_soft_node_is_a_card_word_for_word(text: str) -> None:
    found = cards(text)
    rules = iter([card for card in found if card.tier != "variant"])
    for node in partition(text):
        words = without_indent(text_of(text, node))
        if node.tier == "variant" or node.introduces or not has_words(words):
            continue
        # In order, each once; it may go on with the example that it announces.
        card = next(
            card
            for card in rules
            if card.body in (words.rstrip(), closed(words.rstrip()))  # nothing is left open
            or (card.body.startswith(f"{words}\n") and words.rstrip(" *_")[-1:] == ":")
        )
        assert (card.tier, card.lead, card.group) == (node.tier, node.lead, node.group)
        assert (card.line, card.modality) == (node.start, node.modality)


@given(documents)
def test_cards_stand_where_they_say(text: str) -> None:
    lines = text.split("\n")
    at = -1
    for card in cards(text):
        assert at < card.line <= card.end_line < len(lines)
        assert card.title.strip()
        assert "\n" not in card.title
        assert card.body
        stripped = [line.strip() for line in lines[card.line : card.end_line + 1]]
        above, _, last = card.body.rpartition("\n")
        body = above if closed(above) == card.body else f"{above}\n{last}"  # closed at its end
        assert {line.strip() for line in body.split("\n")} <= {*stripped, ""}
        at = card.end_line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_white_space_at_line_ends_is_kept(tmp_path: Path, end: str) -> None:
    text = "- Never lose a byte  \n  that a person wrote \t\n\n      code  \n  end   \n- next  \n"
    bodies = [one.body for one in steering(tmp_path, text.replace("\n", end)).entries]
    assert bodies == [
        "- Never lose a byte  \n  that a person wrote \t\n\n      code  \n  end",
        "- next",
    ]


def test_an_item_loses_its_own_indentation_and_no_more() -> None:
    text = "  - one\n    two\n      - three\n\n        four\n"
    assert [card.body for card in cards(text)] == ["- one\n  two\n    - three\n\n      four"]
    lazy = "  - one\ntwo\n"
    assert [card.body for card in cards(lazy)] == ["- one\ntwo"]


def test_utf16_reads_as_utf8_does(tmp_path: Path) -> None:
    text = "# Größe\n\n- 日本 🎉\n\nLore.\n"
    plain = steering(tmp_path / "one", text)
    wide = steering(tmp_path / "two", text.encode("utf-16"))
    assert list(map(said, plain.entries)) == list(map(said, wide.entries))


def test_an_introduction_of_nothing_is_a_rule_itself() -> None:
    found = cards("You must test it:\n\n-\n")
    assert any("You must test it:" in card.lead + card.body for card in found)


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("- Run the tests before you push.", "obligatory"),
        ("- Never push to `main`.", "forbidden"),
        ("- You may skip the demo.", "permitted"),
        ("- `a.py`", ""),
        ("Do not:\n\n- push to `main`", "forbidden"),
        ("## Do NOT\n\n- Push to `main`", "forbidden"),
        ("## Never do\n\n### Git\n\n- Push to `main`", "forbidden"),
        ("## ❌ Avoid\n\n- Long functions", "forbidden"),
        ("## Verboten\n\n- Auf `main` pushen", "forbidden"),
        ("## Do not use mocks\n\n- Use the fakes in `tests/`", "obligatory"),
        ("## No mocks\n\n- Use the fakes in `tests/`", "obligatory"),
        ("## Do NOT\n\n- Push\n\n## Workflow\n\n- Run the tests", "obligatory"),
    ],
)
def test_how_an_item_binds(tmp_path: Path, text: str, modality: str) -> None:
    one = steering(tmp_path, text).entries[-1]
    assert (one.tier, one.modality) == ("hard", modality)


MIXED = (
    "# A\n\nLore of a payment.\n\n- payment rule\n\n# B\n\nLore of B.\n\n- rule\n\n> soft payment\n"
)


def _parts(context: Context) -> tuple[Part, ...]:
    (source,) = context.sources
    return source.parts


def test_rules_and_lore_are_parts_of_their_own(tmp_path: Path) -> None:
    rules, lore = _parts(steering(tmp_path, MIXED))
    assert (rules.kind, lore.kind) == ("rule", "lore")
    assert [one.title for one in _entries(rules)] == ["payment rule", "rule", "soft payment"]
    assert [one.title for one in _entries(lore)] == ["A", "B"]
    assert {one.kind for one in _entries(rules)} == {"rule"}
    assert {one.kind for one in _entries(lore)} == {"lore"}
    assert {one.section for one in _entries(rules)} == {"rules", "conventions"}


def _entries(part: Part) -> list[Entry]:
    return [part.entry(place) for place in range(len(part))]


def test_an_excerpt_answers_by_its_own_places(tmp_path: Path) -> None:
    context = steering(tmp_path, MIXED)
    everything = [one for part in _parts(context) for one in _entries(part)]
    assert len({one.id for one in everything}) == len(everything) == 5
    terms = sorted({term for one in everything for term in one.terms})
    for part in _parts(context):
        entries = _entries(part)
        assert list(part.timestamps) == [one.timestamp for one in entries]
        assert list(part.sizes) == [one.size for one in entries]
        assert part.superseded == set()
        held = {term: list(places) for term, places in part.holding(terms)}
        expected = {
            term: [at for at, one in enumerate(entries) if term in one.terms] for term in terms
        }
        assert held == {term: places for term, places in expected.items() if places}


def test_superseded_files_are_gone_in_every_part(tmp_path: Path) -> None:
    rules, lore = _parts(steering(tmp_path, f"---\nstatus: superseded\n---\n{MIXED}"))
    assert (rules.superseded, lore.superseded) == ({0, 1, 2}, {0, 1})


def wanted(root: Path, *groups: tuple[str, ...], shelf: Memory | None = None) -> Context:
    limits = LIMITS._replace(project=str(root.parent))
    asked = read.Wanted(chosen(documents=groups).origins, levels=("..",))
    return read.read(str(root), shelf or Nothing(), limits, asked)


def test_authored_documents_follow_the_constitution(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    write(
        root,
        {"CONSTITUTION.md": "- one\n", "steering/x.md": "- Never push three\n", "TASKS.md": ""},
    )
    write(tmp_path, {"AGENTS.md": "- Never push two\n\nLore.\n"})
    context = wanted(root, ("AGENTS.md", "CLAUDE.md"))
    assert [one.path for one in context.sources] == [
        "CONSTITUTION.md", "../AGENTS.md", "steering/x.md", "TASKS.md"
    ]  # fmt: skip
    assert [one.id for one in context.entries[:2]] == [
        "CONSTITUTION.md#one",
        "../AGENTS.md#never-push-two",
    ]
    assert read.places(context)["rules"] == "CONSTITUTION.md, AGENTS.md, steering/"
    assert read.places(context)["lore"] == "AGENTS.md"


def test_of_each_group_the_first_that_is_there(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    write(tmp_path, {"B.md": "- b\n", "C.md": "- c\n", ".context/TASKS.md": ""})
    context = wanted(root, ("A.md", "B.md", "C.md"), ("X.md",), ("C.md",))
    assert [one.title for one in context.entries] == ["b", "c"]
    assert context.seen["../A.md"] == ()
    assert context.seen["../X.md"] == ()
    assert context.seen["../B.md"]
    assert "../A.md" not in "".join(context.warnings)


def test_an_authored_document_is_remembered(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    write(tmp_path, {"AGENTS.md": MIXED, ".context/TASKS.md": ""})
    shelf = Memory(trusting=True)
    fresh = wanted(root, ("AGENTS.md",), shelf=shelf)
    again = wanted(root, ("AGENTS.md",), shelf=shelf)
    assert list(map(said, fresh.entries)) == list(map(said, again.entries))
    (tmp_path / "AGENTS.md").write_text(MIXED + "\n- Never push new\n", encoding="utf-8")
    edited = wanted(root, ("AGENTS.md",), shelf=shelf)
    assert [one.title for one in edited.entries if one.tier == "hard"][-1] == "Never push new"


def test_a_link_out_of_the_project_is_left_out(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(tmp_path, {"outside.md": "- out\n", "project/.context/TASKS.md": ""})
    (project / "AGENTS.md").symlink_to(tmp_path / "outside.md")
    context = wanted(project / ".context", ("AGENTS.md",))
    assert context.entries == []
    assert context.warnings[0].startswith("../AGENTS.md: is a link out of the project")

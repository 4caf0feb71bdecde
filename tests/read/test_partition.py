"""The partition of authored documents: what it holds of any text, and the rules one by one."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.read.authored.document import Document, document
from ctx.read.authored.partition import INSTRUCTING, Node, partition, to_mend
from ctx.read.markdown.blocks import normalise
from ctx.text.visible import visible
from tests.read.strategies import texts

TIERS = {"hard", "soft", "variant"}
KINDS = {
    "item", "paragraph", "quote", "heading", "code", "html", "table", "frontmatter", "comment",
    "divider", "definition",
}  # fmt: skip
UTF16 = ("utf-16-le", "utf-16-be")
_mark = st.sampled_from(
    ("<!-- ctx:hard -->", "<!-- ctx:soft -->", "<!-- ctx:variant -->", "<!--ctx:HARD-->",
     "<!-- ctx:hrad -->", "Do not:", "You must test it.", "Never:  ")
)  # fmt: skip
_front = st.sampled_from(
    ("", "", "", "---\nrules:\n  - one\n\ntitle: two\n---\n", "---\nname: x\nnever: |\n  y\n---\n",
     "---\nname: x\n\n\n---\n\n\n", "---\n# a comment\nsystem-prompt: x\n---\n", "---\nopen: x\n")
)  # fmt: skip
documents = st.builds(
    lambda front, parts: normalise(front + "\n".join(parts)),
    _front,
    st.lists(st.one_of(texts, texts, _mark), max_size=5),
)
"""Authored documents as hypothesis draws them."""


def tiers(text: str) -> list[tuple[str, str, str]]:
    """Return tier, kind and first line of every node."""
    lines = text.split("\n")
    return [(node.tier, node.kind, lines[node.start].strip()) for node in partition(text)]


def tier_of(text: str, line: str) -> str:
    found = [tier for tier, _, first in tiers(text) if first == line]
    assert len(found) == 1, tiers(text)
    return found[0]


def text_of(text: str, node: Node) -> str:
    return "\n".join(text.split("\n")[node.start : node.end])


def has_words(text: str) -> bool:
    """Return whether a node is more than marks of lists, quotes and boxes."""
    return bool(text.strip("-+*> \t\n0123456789.)[]xX\x0c~/:|`"))


# --- any text -----------------------------------------------------------------------------


@given(documents)
@example("")
@example("\n \n\t\n")
@example("[a]: /b\n\n[c]: /d")
@example("```\nnever closed\n\n\n")
@example("- item\n\n\n  - nested\n\n\n\nafter")
def test_every_line_that_is_not_blank_is_in_one_node(text: str) -> None:
    lines = text.split("\n")
    at = 0
    for node in partition(text):
        assert at <= node.start < node.end <= len(lines)
        assert not "".join(lines[at : node.start]).strip()
        assert lines[node.start].strip()
        assert lines[node.end - 1].strip()
        at = node.end
    assert not "".join(lines[at:]).strip()


@given(documents)
def test_every_node_has_one_tier_and_one_kind(text: str) -> None:
    for node in partition(text):
        assert node.tier in TIERS
        assert node.kind in KINDS
        assert node.modality in {"", "obligatory", "forbidden", "permitted"}
        assert not node.lead or node.kind == "item"
        assert not node.introduces or node.kind == "paragraph"
    assert partition(text) == partition(text)


@given(documents)
@example("---\nrules: x\n---")
@example("- a\n\n  b")
@example("<div>")
def test_a_final_newline_changes_nothing(text: str) -> None:
    assert partition(text + "\n") == partition(text)
    assert partition(text + "\n\n \n") == partition(text)


@given(documents, st.sampled_from(("\r\n", "\r")))
def test_other_line_ends_change_nothing(text: str, end: str) -> None:
    assert partition(normalise(text.replace("\n", end))) == partition(text)


@given(documents)
def test_an_introduction_is_a_node_of_its_own(text: str) -> None:
    before, outer, introductions = None, None, list[str]()
    for node in partition(text):
        if node.kind == "item" and node.lead:
            assert before is not None
            if before.introduces:  # a list may have two introductions, and no more
                assert node.lead in (introductions[-1], "\n\n".join(introductions[-2:]))
            else:
                assert node.lead == before.lead
            assert node.tier == before.tier
        elif before is not None and before.introduces:
            assert node.introduces
            assert outer is None or not outer.introduces
        if node.introduces:
            introductions.append(text_of(text, node).strip())
        before, outer = node, before


# --- places in the file -------------------------------------------------------------------


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace")


def _codec(data: bytes) -> str:
    return {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "utf-8")


def check_places(data: bytes, name: str = "doc.md") -> Document:
    """Hold that the nodes' bytes are their texts, and with white space all that there is."""
    found = document(name, data)
    codec = _codec(data)
    at = 0
    between = []
    for leaf in found.leaves:
        assert at <= leaf.offset < leaf.end <= len(data)
        piece = data[leaf.offset : leaf.end].decode(codec, "replace")
        assert visible(normalise(piece)) == visible(leaf.text)
        between.append(data[at : leaf.offset])
        at = leaf.end
    between.append(data[at:])
    for rest in between:
        assert not rest.decode(codec, "replace").strip("\ufeff").strip(), rest
    return found


LINE_END = st.sampled_from(("\n", "\r\n", "\r"))
INVALID = (b"\xff", b"\xe6\x97", b"\x80\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\xc3", b"\0")


@given(documents, LINE_END, st.booleans())
@example("\ufefftext", "\n", True)
@example("- a\x85b\u2028c\x0bd\n\n- e", "\r", False)
def test_bytes_of_utf8(text: str, end: str, bom: bool) -> None:
    data = text.replace("\n", end).encode()
    check_places(b"\xef\xbb\xbf" * bom + data)


@given(documents, LINE_END, st.sampled_from(UTF16))
@example("Ā\n\n- 🎉\n", "\r\n", "utf-16-le")
@example("Ā\n\n- 🎉\n", "\r", "utf-16-be")
def test_bytes_of_utf16(text: str, end: str, codec: str) -> None:
    mark = "\ufeff".encode(codec)
    found = check_places(mark + text.replace("\n", end).encode(codec))
    assert [leaf.node for leaf in found.leaves] == partition(visible(normalise(text)), "any")
    assert "UTF-16" in found.warnings[0]


# In UTF-16 these hold the bytes of \r, \n and NUL without being one of them.
def test_characters_of_utf16_that_hold_the_bytes_of_a_line_end() -> None:
    chars = "\u0a0a\u0d0a\u0d00\u0a05\u010a\u0100"
    for codec, char, end in product(UTF16, chars, ("", "\n", "\r\n")):
        found = check_places("\ufeff".encode(codec) + f"- item {char}{end}".encode(codec))
        assert found.leaves[0].text == f"- item {char}"


@given(documents, LINE_END, st.lists(st.sampled_from(INVALID), min_size=1, max_size=4), st.data())
def test_bytes_that_are_not_utf8(
    text: str, end: str, noise: list[bytes], drawn: st.DataObject
) -> None:
    text = visible(text)
    data = text.replace("\n", end).encode()
    for one in noise:
        at = drawn.draw(st.integers(0, len(data)))
        data = data[:at] + one + data[at:]
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        found = check_places(data)
        assert [leaf.node for leaf in found.leaves] == partition(normalise(_decoded(data)), "any")


def test_conflicts_name_the_line_and_both_sentences() -> None:
    text = "# Rules\n\nYou must run the tests. Never run the tests.\n"
    (conflict,) = document("doc.md", text.encode()).conflicts
    assert conflict.line == 3
    assert (conflict.obliges, conflict.forbids) == (
        "You must run the tests.",
        "Never run the tests.",
    )


def test_a_mark_that_names_no_tier_is_said() -> None:
    text = "<!-- ctx:hrad -->\n- item\n\n<!-- ctx:soft -->\n\ntext ctx:x\n<!-- ctx:x --> more\n"
    text += "\n<!-- ctx:context -->\n\nOf another tool.\n\n<!-- ctx:end -->\n"
    assert [line for line, _ in to_mend(text, partition(text))] == [1]
    assert document("a.md", text.encode()).warnings == (
        "a.md:1: ctx:hrad names no tier; did you mean hard?",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!-- ctx:hard because -->\n- a", (1, "ctx:hard because names no tier; did you mean")),
        ("\n<!-- ctx:soft --> text\n", (2, "ctx:soft shares its line")),
        ("- a\n  <!-- ctx:variant -->\n- b", (2, "ctx:variant is inside a list item")),
        ("a <!-- ctx:hard -->", (1, "ctx:hard shares its line")),
        (
            "<!-- ctx:soft -->\n\n<!-- ctx:hard -->\n- a",
            (1, "ctx:soft overrules nothing: ctx:hard"),
        ),
        ("- a\n\n<!-- ctx:hard -->\n", (3, "ctx:hard overrules nothing: no block")),
    ],
)
def test_a_mark_that_overrules_nothing_is_said(text: str, expected: tuple[int, str]) -> None:
    (warning,) = document("a.md", text.encode()).warnings
    assert warning.startswith(f"a.md:{expected[0]}: {expected[1]}")


def test_marks_that_overrule_and_those_that_code_shows_are_not_named() -> None:
    for text in (
        "<!-- ctx:soft -->\n\n<!-- why -->\n\n# A", "write `<!-- ctx:soft -->` before it",
        "```\n<!-- ctx:soft -->\n```", "- show:\n  ```\n  <!-- ctx:soft -->\n  ```",
        "    <!-- ctx:soft -->", "- a\n<!-- ctx:variant -->\n- b",
    ):  # fmt: skip
        assert document("a.md", text.encode()).warnings == (), text


# --- tiers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("- Never push\n- src/a.py", ["hard", "variant"]),
        ("## Conventions\n\n- Tabs\n- Try to be brief", ["hard", "soft"]),
        ("## Structure\n\n- src/a.py\n- src/b.py", ["variant", "variant"]),
        ("## Commands\n\n- Build: `make all`\n- Test: `make test`", ["variant", "variant"]),
        ("## Tips\n\n- Use `x`\n- Keep it\n- Write tests\n- Tabs", ["soft"] * 4),
        ("## Overview\n\n- Use `x`\n- Keep it\n- Write tests\n- Tabs", ["hard"] * 4),
        ("## Overview\n\n- Use `x`\n- Keep it\n- Tabs", ["soft", "soft", "variant"]),
        ("Commands that may ask:\n\n- `scp`: use `-o`", ["hard"]),
        ("You may skip:\n\n- The demo", ["soft"]),
    ],
)
def test_words_and_headings_decide_for_any_agent(text: str, tiers: list[str]) -> None:
    assert [node.tier for node in partition(text, "any") if node.kind == "item"] == tiers


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("flowchart TD\n    A[Start] --> B[Update the docs]\n    B --> C[Never push]", "variant"),
        ("    B{Is it done?} -->|No| C[Create a plan]\n    C --> D[Ask first]", "variant"),
        ("sequenceDiagram\n    A->>B: Always ask first", "variant"),
        ("Always replace `a` --> `b`.", "hard"),
        ("Never draw a flowchart TD --> it is unreadable.", "hard"),
    ],
)
def test_a_diagram_outside_of_code_holds_no_rules(text: str, tier: str) -> None:
    (node,) = (each for each in partition(f"## Work\n\n{text}\n", "any") if each.kind != "heading")
    assert node.tier == tier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- item", ("hard", "item")),
        ("3) item", ("hard", "item")),
        ("- [x] item", ("hard", "item")),
        ("- [a link](b.md)", ("hard", "item")),
        ("> The sky was blue.", ("soft", "quote")),
        ("You must test it.", ("soft", "paragraph")),
        ("The sky is blue.", ("variant", "paragraph")),
        ("# You must test it", ("variant", "heading")),
        ("```\n- item\n```", ("variant", "code")),
        ("    - item", ("variant", "code")),
        ("| a | b |\n|---|---|\n| never | do |", ("variant", "table")),
        ("<div>\nNever do it.\n</div>", ("variant", "html")),
        ("<!-- never -->", ("variant", "comment")),
        ("[a]: /never", ("variant", "definition")),
        ("***", ("variant", "divider")),
    ],
)  # fmt: skip
def test_the_tier_of_each_kind(text: str, expected: tuple[str, str]) -> None:
    (node,) = partition(text)
    assert (node.tier, node.kind) == expected


def test_a_line_under_a_paragraph_makes_no_heading() -> None:
    for rule in ("---", "===", "=", "- - -"):
        nodes = partition(f"Never do it.\n{rule}\n\nText.")
        assert all(node.kind != "heading" and not node.group for node in nodes), rule
        assert (nodes[0].tier, nodes[0].kind, nodes[0].start) == ("soft", "paragraph", 0), rule


# --- frontmatter --------------------------------------------------------------------------


def test_frontmatter_is_split_by_keys() -> None:
    text = (
        "---\nname: x\nrules:\n  - one\n\n  - two\ndo-not: three\ntitle: y\nNEVER: z\n---\n- item\n"
    )
    found = [(node.tier, node.kind, text_of(text, node)) for node in partition(text)]
    assert found == [
        ("variant", "frontmatter", "---\nname: x"),
        ("hard", "frontmatter", "rules:\n  - one\n\n  - two\ndo-not: three"),
        ("variant", "frontmatter", "title: y"),
        ("hard", "frontmatter", "NEVER: z"),
        ("variant", "frontmatter", "---"),
        ("hard", "item", "- item"),
    ]


def test_each_instructing_key() -> None:
    for key in INSTRUCTING:
        for written in (key, key.upper(), key.replace("_", "-")):
            text = f"---\ntitle: a\n{written}: b\nauthor: c\n---\n"
            assert tier_of(text, f"{written}: b") == "hard"
            assert tier_of(text, "author: c") == "variant"


def test_keys_that_only_look_like_it() -> None:
    for key in ("ruleset", "rules_of", "my-rules", "rules.x", "  rules", "-rules"):
        text = f"---\ntitle: a\n{key}: b\n---\n"
        assert {node.tier for node in partition(text)} == {"variant"}, key


def test_what_is_no_frontmatter() -> None:
    for text in ("---\nrules: x\n", "\n---\nrules: x\n---\n", "---\nno key\n---\n"):
        assert "frontmatter" not in {node.kind for node in partition(text)}, text


# --- introductions ------------------------------------------------------------------------


def test_an_introduction_is_hard_as_its_list() -> None:
    for lead in ("Do not:", "**Do not:**", "_Do not_:", "Before you\npush:"):
        nodes = partition(f"{lead}\n\n- a\n- b\n\ntext\n\n- c\n")
        assert [(node.tier, node.introduces, node.lead) for node in nodes] == [
            ("hard", True, ""), ("hard", False, lead), ("hard", False, lead),
            ("variant", False, ""), ("hard", False, ""),
        ]  # fmt: skip


# --- what the author overrules ------------------------------------------------------------

BLOCKS = {
    "- item": "hard", "> quote": "soft", "You must test it.": "soft", "The sky is blue.": "variant",
    "```\ncode\n```": "variant", "| a | b |\n|---|---|": "variant", "<div>\nx\n</div>": "variant",
    "***": "variant",
}  # fmt: skip


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n<!-- another -->\n\n"])
def test_a_comment_overrules_the_next_block(gap: str) -> None:
    for block, tier in product(BLOCKS, TIERS):
        text = f"<!-- ctx:{tier} -->{gap}{block}\n\n\n{block}\n"
        found = [node for node in partition(text) if node.kind != "comment"]
        expected = [tier, tier] if block == "- item" else [tier, BLOCKS[block]]  # one list
        assert [node.tier for node in found] == expected


def test_how_the_comment_may_be_written() -> None:
    for mark, obeyed in (
        ("<!--ctx:soft-->", True), ("<!-- CTX:Soft -->", True), ("<!-- ctx: soft -->", True),
        ("<!--\nctx:soft\n-->", True), ("<!-- ctx:sot -->", False),
        ("<!-- ctx:soft please -->", False), ("<!-- ctx:soft --> text", False),
        ("`<!-- ctx:soft -->`", False),
    ):  # fmt: skip
        assert tier_of(f"{mark}\n\n- item\n", "- item") == ("soft" if obeyed else "hard"), mark


def test_a_comment_before_an_introduction_overrules_its_list() -> None:
    text = "<!-- ctx:soft -->\nRead these:\n\n- a\n- b\n\nAnd\n\n- c"
    assert [node.tier for node in partition(text) if node.kind != "comment"] == [
        "soft", "soft", "soft", "variant", "hard"
    ]  # fmt: skip


def test_a_comment_before_a_heading_overrules_its_section() -> None:
    text = (
        "<!-- ctx:variant -->\n## Files\n\n- a\n\n> q\n\n### Deeper\n\n- b\n\n"
        "<!-- ctx:hard -->\n- c\n\n1. d\n\n## Next\n\n- e"
    )
    found = {text_of(text, node): node.tier for node in partition(text)}
    assert [found[line] for line in ("- a", "> q", "- b", "- c", "1. d", "- e")] == [
        "variant", "variant", "variant", "hard", "variant", "hard"
    ]  # fmt: skip
    assert {found[line] for line in ("## Files", "### Deeper", "## Next")} == {"variant"}


@pytest.mark.parametrize(("items", "hard"), [
    ("- Token counts\n- Secure storage of keys\n- Retries\n- Event listeners for changes\n", []),
    ("- Token counts\n- **Keys:** Secure storage of keys\n- Retries\n", []),
    ("- Token counts\n- Log every retry\n- Retries\n", [1]),
    ("- Token counts\n- Validate keys\n- Retries\n", [1]),
    ("- **{name}/README.md** - Service documentation\n- Use {name} for it\n- Tests\n", [1]),
    ("- Log errors\n- Cache results\n- Run all tests\n", [0, 1, 2]),
])  # fmt: skip
def test_among_names_what_could_be_one_is_no_rule(items: str, hard: list[int]) -> None:
    found = partition(f"Also:\n\n{items}", "any")
    tiers = [node.tier for node in found if node.kind == "item"]
    assert [number for number, tier in enumerate(tiers) if tier == "hard"] == hard


@pytest.mark.parametrize(("items", "tier"), [
    ("- Never push\n- Ask first\n- Run tests\n- Use `await find()` for all locators\n", "hard"),
    ("- Run `make all` to build\n- Use `make lint` for style\n", "variant"),
])  # fmt: skip
def test_a_command_among_rules_is_one(items: str, tier: str) -> None:
    assert partition(f"## Rules\n\n{items}", "any")[-1].tier == tier


def test_a_diagram_without_a_fence_is_no_rule() -> None:
    text = "flowchart TD\n  A[Start] --> B[Check memory]\n  B --> C[Update documents]\n"
    assert partition(text, "any")[-1].tier == "variant"
    assert partition("Check memory --> then update documents.\n", "any")[-1].tier == "hard"


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("There are two ways to build it:\n\n- Run `make` once\n- Open the IDE\n", ["soft"] * 2),
        ("Bump it when:\n\n- Clear the cache\n- Run the tests\n", ["hard"] * 2),
        ("Each change needs:\n\n- Clear the cache\n- Run the tests\n", ["hard"] * 2),
        ("# Rules\n\n- Exposes the API\n- Names in English\n", ["variant", "hard"]),
        ("# Checklist\n\n- [ ] Exposes the API\n- [ ] Names in English\n", ["hard"] * 2),
        (
            "- Names are short (use `id`).\n- Check health with `app doctor --all`\n",
            ["variant"] * 2,
        ),
        ("- [ ] Checked with `app doctor --all`\n", ["hard"]),
        ("(Always ask the user.)\n", ["hard"]),
    ],
)
def test_statements_are_told_from_rules_by_subject_and_voice(text: str, tiers: list[str]) -> None:
    nodes = [node for node in partition(text, "any") if node.kind in {"item", "paragraph"}]
    assert [node.tier for node in nodes if not node.introduces] == tiers

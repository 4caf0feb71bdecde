"""Authored documents of real projects: partitioned whole, and every rule of them in the packet.

The documents are those of the shared corpora, where they are beside the checkout, and every
Markdown file of ``fixtures/``: any Markdown is an authored document if a project says so.
"""

import json
import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctx.app.walk import assemble
from ctx.model import Format, Packet, Request
from ctx.read.authored.document import Leaf
from ctx.read.markdown.nested import nested
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.text.tokens import counter
from ctx.text.visible import visible
from tests.read.samples import NO_CORPORA
from tests.read.test_partition import check_places, documents, has_words

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "corpora"
CORPORA = sorted((*SHARED.glob("authored/*/*.md"), *SHARED.glob("**/CONSTITUTION.md")))
FIXTURES = sorted(ROOT.glob("fixtures/**/*.md"))
BUDGETS = (0, 500, 2000, 8000, 40_000)
FORMATS: tuple[Format, ...] = ("md", "json")
TASKS = "# Tasks\n\n- [ ] Mend the retry policy #in-progress\n- [ ] Write the guide\n"
FEWEST = 10
"""Rules that a project's authored document holds at least."""

_OPEN_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[ ?\][ \t]+(?=\S)", re.MULTILINE)

corpora = pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
of_corpora = pytest.mark.parametrize(
    "path", CORPORA, ids=lambda path: f"{path.parent.name}-{path.stem}"
)


class Placed(NamedTuple):
    """A project with one authored document."""

    root: str
    """Its context directory."""
    authored: tuple[tuple[str, ...], ...]

    def pack(self, budget: int, format_: Format) -> Packet:
        request = Request(
            self.root, date(2026, 2, 1), budget, format_, query="retry",
            project=str(Path(self.root).parent), authored=self.authored, levels=("..",),
        )  # fmt: skip
        return assemble(request, counter("heuristic"), NoCache(), WordsInMemory())


NAMES = ("AGENTS.md", "CLAUDE.md", ".context/CONSTITUTION.md", ".context/steering/rules.md")
"""Where an authored document can stand in a project."""


def place(folder: Path, name: str, data: bytes) -> Placed:
    """Make a project that holds ``data`` as ``name``."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / ".context").mkdir(exist_ok=True)
    (folder / ".context" / "TASKS.md").write_text(TASKS, encoding="utf-8")
    (folder / name).write_bytes(data)
    return Placed(str(folder / ".context"), (("AGENTS.md", "CLAUDE.md"),))


# --- what has to hold ---------------------------------------------------------------------


def check_partition(data: bytes, name: str) -> list[Leaf]:
    """Hold that the nodes of a document are disjoint and complete; return the hard ones.

    Without bullets that have no text, which say nothing.
    """
    leaves = check_places(data, name).leaves
    return [leaf for leaf in leaves if leaf.node.tier == "hard" and has_words(leaf.text)]


def as_said(text: str) -> str:
    """Return a rule's text without its own outer indentation."""
    lines = text.split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip(" \t"))
    widths = [min(indent, len(line) - len(line.lstrip(" \t"))) for line in lines]
    return "\n".join(line[cut:] for line, cut in zip(lines, widths, strict=True))


def holds(said: str, words: str) -> bool:
    """Return whether ``said`` holds ``words`` as whole lines, white space at their end apart.

    Open check boxes apart as well: a packet leaves them out of rules, which are no tasks.
    """
    said, words = _OPEN_BOX.sub(r"\1", said), _OPEN_BOX.sub(r"\1", words)
    return any(f"\n{one}\n" in f"\n{said}\n" for one in (words, words.rstrip()))


def check_said(packet: Packet, hard: list[Leaf]) -> None:
    """Hold that a packet says every hard node, word for word and in whole lines.

    Unless the rules alone are over its budget: then some are omitted.

    An introduction is said in front of its items: in Markdown once for all of them that
    follow each other, in JSON with each. A rule may go on with the example that it announces.
    A heading in a rule is one of a deeper level.
    """
    if "the budget of" in packet.selection.degraded:
        return
    if packet.request.format == "json":
        said: list[str] = json.loads(packet.text)["constitution"]
    else:
        said = [packet.text]
    for leaf in hard:
        lead = nested(leaf.node.lead)
        if leaf.node.introduces:
            assert any(holds(one, nested(leaf.text.strip())) for one in said), leaf
        elif lead:
            after = [one.partition(f"{lead}\n")[1:] for one in said]
            assert any(holds(rest, nested(as_said(leaf.text))) for found, rest in after if found), (
                leaf
            )
        else:
            assert any(holds(one, nested(as_said(leaf.text))) for one in said), leaf


def check_packets(placed: Placed, hard: list[Leaf], budgets: tuple[int, ...] = BUDGETS) -> None:
    for format_ in FORMATS:
        for budget in budgets:
            packet = placed.pack(budget, format_)
            check_said(packet, hard)
            assert packet.tokens <= budget


# --- real documents -----------------------------------------------------------------------


@corpora
@of_corpora
def test_packets_hold_every_rule_of_the_corpora(path: Path, tmp_path: Path) -> None:
    inside = path.name == "CONSTITUTION.md"
    data = path.read_bytes()
    name = f".context/{path.name}" if inside else path.name
    hard = check_partition(data, name)
    assert hard
    assert inside or len(hard) >= FEWEST
    check_packets(place(tmp_path, name, data), hard)
    data = data.replace(b"\n", b"\r\n")
    for number, name in enumerate(NAMES):
        hard = check_partition(data, name)
        check_packets(place(tmp_path / str(number), name, data), hard, (20_000,))


@corpora
def test_packets_hold_the_rules_of_several_documents(tmp_path: Path) -> None:
    hard = []
    for number, path in enumerate(CORPORA):
        data = path.read_bytes()
        name = f".context/steering/{number}.md"
        place(tmp_path, name, data)
        hard += check_partition(data, name)
    check_packets(Placed(str(tmp_path / ".context"), ()), hard, (0, 1000, 60_000))


def test_documents_of_the_fixtures_are_partitioned_whole() -> None:
    rules = []
    for path in FIXTURES:
        data = path.read_bytes()
        for end in (b"\n", b"\r\n", b"\r"):
            rules += check_partition(data.replace(b"\n", end), "CONSTITUTION.md")
        text = data.decode("utf-8-sig", "replace")
        for codec in ("utf-16-le", "utf-16-be"):
            check_partition("\ufeff".encode(codec) + text.encode(codec), "AGENTS.md")
    assert len(rules) > FEWEST
    assert any(leaf.node.introduces for leaf in rules)


def test_packets_hold_every_rule_of_the_fixtures(tmp_path: Path) -> None:
    for number, path in enumerate(FIXTURES):
        data = path.read_bytes()
        name = NAMES[number % len(NAMES)]
        hard = check_partition(data, name)
        placed = place(tmp_path / str(number), name, data)
        check_packets(placed, hard, (0, 20_000))


# --- any document -------------------------------------------------------------------------


@settings(max_examples=40)
@given(documents, st.sampled_from(FORMATS), st.sampled_from(NAMES), st.sampled_from(BUDGETS))
@example("- one  \n  two\n\n  three\t\n", "md", "AGENTS.md", 0)
@example("Do not:\n\n- a\n\nDo not:\n\n- a\n", "json", "AGENTS.md", 0)
def test_packets_hold_every_rule_of_any_document(
    tmp_path_factory: pytest.TempPathFactory, text: str, format_: Format, name: str, budget: int
) -> None:
    text = visible(text)  # what is obeyed or hidden is written out
    data = text.encode()
    placed = place(tmp_path_factory.mktemp("any"), name, data)
    hard = check_partition(data, name)
    # A paragraph that begins with a bracket has a test of its own.
    hard = [leaf for leaf in hard if leaf.node.kind != "paragraph" or leaf.text.strip()[0] != "["]
    spoken = {lead for leaf in hard for lead in leaf.node.lead.split("\n\n")}
    said = [leaf for leaf in hard if not leaf.node.introduces or leaf.text.strip() in spoken]
    check_said(placed.pack(budget, format_), said)


def test_a_paragraph_that_begins_with_a_link_is_said_word_for_word(tmp_path: Path) -> None:
    data = b"<!-- ctx:hard -->\n[The guide](guide.md) is what you must read.\n"
    check_packets(
        place(tmp_path, "AGENTS.md", data), check_partition(data, "AGENTS.md"), (0, 1000, 20_000)
    )

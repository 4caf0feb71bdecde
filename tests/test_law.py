"""The law of the budget, for any directory, any budget, every format and every counter.

1. The packet, counted as it is printed, costs no more than its budget, whatever that is.
2. Every rule of the constitution is said, word for word, but for check boxes.
3. The entry that comes next would not fit.
4. The same files give the same bytes.
"""

import json
import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ctx import __version__
from ctx.app.walk import assemble
from ctx.model import (
    SECTIONS,
    Counter,
    Format,
    Included,
    Packet,
    Request,
    Section,
    Selection,
    Verdict,
)
from ctx.render import Costs
from ctx.render.explain import as_json, as_table
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.store.parse_cache import Index
from ctx.text.tokens import counter
from ctx.text.visible import visible
from tests.rank.hands import call
from tests.sampling import ALL, sampled
from tests.strategies import Directory, budgets, directories, pick

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = sorted(path.parent for path in ROOT.glob("fixtures/*/.context/"))
CORPORA = sorted((ROOT.parent / "shared" / "corpora").glob("**/.context/"))
AS_OF = date(2026, 2, 1)
EVERYTHING = 10_000_000
"""A budget that holds every generated directory whole."""
LADDER = (0, 100, 250, 500, 1000, 2000, 4000, 8000, 20_000, 200_000)
FILLED = 0.95
"""Share of the budget that is used at least where entries that would fit are omitted: the planner
leaves up to 5 % free rather than include what a greater budget would include later."""
FILLED_FROM = 2000
"""Budget over which a packet is filled to that share."""
FORMATS: tuple[Format, ...] = ("md", "json")
COUNTERS = ("heuristic", "o200k", "cl100k", "lines.json", "bytes.json")

CIRCLE = 4
"""Tokens by which a JSON packet may overstate its cost, where no figure makes itself true: a
figure of five digits is one token to some tokenizers and five to others, by its digits."""

SLOW = settings(max_examples=60 if ALL else 10)


class Case(NamedTuple):
    """A directory on disk, and how to ask for its packet."""

    root: str
    budget: int
    format: Format
    counter: Counter

    def pack(self, *, budget: int | None = None, store: str = "", explain: bool = True) -> Packet:
        request = Request(
            self.root, AS_OF, self.budget if budget is None else budget, self.format,
            query="payment 決済", explain=explain,
        ).having(tokenizer=self.counter.name)  # fmt: skip
        if not store:
            return assemble(request, self.counter, NoCache(), WordsInMemory())
        with Index(store, __version__, 1 << 62) as index:  # so late that all files are settled
            return assemble(request, self.counter, index, WordsInMemory())

    def say(self, *, store: str = "") -> bytes:
        return self.pack(store=store, explain=False).text.encode("utf-8", "replace")


@pytest.fixture(scope="session")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two tokenizers: one that cuts at line ends, one whose tokens run over them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    folder = tmp_path_factory.mktemp("tokenizers")
    texts = [path.read_text("utf-8", "replace") for path in ROOT.glob("fixtures/*/.context/*.md")]
    texts += [json.dumps(text, ensure_ascii=False) for text in texts]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    for name, regex in (("lines.json", True), ("bytes.json", False)):
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)
        made.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=600, initial_alphabet=alphabet, show_progress=False
        )
        made.train_from_iterator(texts if regex else [t[:3000] for t in texts], trainer)
        made.save(str(folder / name))
    return folder


@cache
def _schema() -> Draft202012Validator:
    definition = json.loads((ROOT / "docs" / "packet.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(definition)
    return Draft202012Validator(definition)


@cache
def _counter(name: str, folder: Path) -> Counter:
    return counter(str(folder / name) if name.endswith(".json") else name)


# --- the law, as checks that name what is broken ------------------------------------------


def check_budget(packet: Packet, counting: Counter) -> None:
    printed = packet.text.encode("utf-8", "replace").decode("utf-8")
    tokens = counting.count(printed)
    assert tokens == packet.tokens <= packet.request.budget


def check_degraded(packet: Packet) -> None:
    """A packet without room for its own lines holds counts at most, and any counts its rules."""
    selection, budget = packet.selection, packet.request.budget
    rules = next(one for one in selection.sections if one.name == "rules")
    if selection.least:
        assert f"the budget of {budget:,}" in selection.degraded
        assert [one.name for one in selection.sections] == ["rules"]
        assert not rules.entries
    elif packet.request.format == "json":
        assert selection.degraded in packet.text
    lacking = sum(entry.tier == "hard" for entry in packet.context.entries) - len(rules.included)
    if lacking and rules.omitted:
        assert rules.omitted == lacking
        assert omitted_line(packet.request.format, lacking) in packet.text
    elif lacking:
        assert selection.least


def omitted_line(format_: Format, count: int) -> str:
    """Return the beginning of what a packet says of ``count`` rules that it lacks."""
    if format_ == "json":
        return f'{{"what": "required rules", "count": {count}, "files": '
    return f"- {count} required rule{'' if count == 1 else 's'}: "


def check_rules(packet: Packet, rules: tuple[str, ...]) -> None:
    if packet.request.format == "json":
        said = "\n".join(json.loads(packet.text or "{}").get("constitution", []))
    else:
        said = packet.text
    hard = [entry for entry in packet.context.entries if entry.tier == "hard"]
    if "the budget of" in packet.selection.degraded:  # the rules alone are over it
        rules = ()
        hard = [one.entry for one in packet.selection.entries if one.entry.tier == "hard"]
    for rule in rules:
        assert visible(rule) in said
    for entry in hard:
        assert entry.body in said or OPEN_BOX.sub(r"\1", entry.body) in said


OPEN_BOX = re.compile(r"^([ \t]*(?:[-*+]|\d+[.)])[ \t]+)\[ ?\][ \t]+", re.MULTILINE)
"""An item with a box, which a rule has no more in a packet: it would look like an open task."""


def check_maximal(packet: Packet, counting: Counter) -> None:
    """The entry that comes next does not fit whole; without one, nothing has no room."""
    next_id = packet.selection.next_id
    for verdict in _cheapest(packet):
        if verdict.scored.entry.id == next_id:
            wider = _with(packet.selection, Included(verdict.scored, "full"))
            tokens = Costs(packet.request, counting).whole(wider)
            assert tokens > packet.request.budget, f"{next_id} would fit"


def _cheapest(packet: Packet) -> list[Verdict]:
    gone = ("done", "skipped", "superseded")
    out = [
        one
        for one in packet.verdicts
        if one.outcome == "out"
        and one.scored.entry.kind in ("task", "decision", "learning")
        and one.scored.entry.status not in gone
    ]
    return sorted(out, key=lambda one: one.tokens)[:3]


def _with(selection: Selection, one: Included) -> Selection:
    sections = {section.name: section for section in selection.sections}
    name = one.entry.section
    section = sections.get(name, Section(name, 0, 0, (), (), 0, ""))
    omitted = max(0, section.omitted - 1)
    sections[name] = section._replace(included=(*section.included, one), omitted=omitted)
    return selection._replace(sections=tuple(sections[n] for n in SECTIONS if n in sections))


def check_filled(packet: Packet) -> None:
    """A packet that leaves something out uses at least 95 % of its budget.

    Where no title is longer than the rest: one of 120 emoji costs more than 5 % of 2,000.
    """
    out = _cheapest(packet)
    budget = packet.request.budget
    if out and budget > FILLED_FROM and out[0].tokens < (1 - FILLED) * budget:
        assert packet.tokens >= FILLED * budget


def check_json(packet: Packet) -> None:
    if packet.request.format != "json":
        assert as_table(packet).count("\n") >= len(packet.verdicts)
        return
    for text in (packet.text, as_json(packet)):
        said = json.loads(text or "{}")
        assert [error.message for error in _schema().iter_errors(said)] == []
        if packet.selection.least:
            continue
        assert packet.tokens <= said["tokens_used"] <= packet.tokens + CIRCLE
        assert said["degraded"] is bool(packet.selection.degraded)
    assert len(json.loads(as_json(packet))["entries"]) == len(packet.verdicts)


def check_account(packet: Packet) -> None:
    ids = [entry.id for entry in packet.context.entries]
    assert len(set(ids)) == len(ids)
    assert sorted(one.scored.entry.id for one in packet.verdicts) == sorted(ids)


def check_all(case: Case, rules: tuple[str, ...] = (), *, store: str = "") -> Packet:
    packet = case.pack(store=store)
    check_budget(packet, case.counter)
    check_degraded(packet)
    check_rules(packet, rules)
    check_json(packet)
    check_account(packet)
    check_maximal(packet, case.counter)
    check_filled(packet)
    return packet


# --- any directory ------------------------------------------------------------------------


@pytest.mark.parametrize("name", COUNTERS)
@SLOW
@given(directory=directories(), budget=budgets(), format_=st.sampled_from(FORMATS))
def test_the_law_holds_for_any_directory(
    *,
    tokenizers: Path,
    name: str,
    directory: Directory,
    budget: float,
    format_: Format,
) -> None:
    with TemporaryDirectory() as folder:
        root = str(directory.write(Path(folder, ".context")))
        case = Case(root, EVERYTHING, format_, _counter(name, tokenizers))
        tokens = pick(budget, lambda: case.pack().tokens)
        check_all(case._replace(budget=tokens), directory.rules)


@SLOW
@given(
    directory=directories(),
    budget=budgets(),
    format_=st.sampled_from(FORMATS),
    random=st.randoms(use_true_random=False),
)
def test_the_same_files_give_the_same_bytes(
    directory: Directory, budget: float, format_: Format, random: Random
) -> None:
    order = list(range(len(directory.files)))
    random.shuffle(order)
    with TemporaryDirectory() as folder:
        base = Path(folder)
        root = str(directory.write(base / "one" / "shop" / ".context"))
        case = Case(root, EVERYTHING, format_, counter("heuristic"))
        case = case._replace(budget=pick(budget, lambda: case.pack().tokens))
        said = case.say()
        assert case.say() == said
        shuffled = str(directory.write(base / "two" / "shop" / ".context", order))
        assert case._replace(root=shuffled).say() == said
        store = base / "store"
        store.mkdir()
        assert case.say(store=str(store)) == said  # nothing is remembered yet
        assert case.say(store=str(store)) == said  # all is


@SLOW
@given(directory=directories(), budget=budgets(), extra=st.integers(1, 400))
def test_an_entry_that_was_read_before_an_edit_is_read_alike_after_it(
    directory: Directory, budget: float, extra: int
) -> None:
    """The store takes unchanged pieces of an edited file from memory: nobody may notice."""
    with TemporaryDirectory() as folder:
        root = directory.write(Path(folder, ".context"))
        store = Path(folder, "store")
        store.mkdir()
        case = Case(str(root), EVERYTHING, "md", counter("heuristic"))
        case = case._replace(budget=pick(budget, lambda: case.pack().tokens))
        case.say(store=str(store))
        for name, data in directory.files:
            at = len(data) * extra // 400
            (root / name).write_bytes(data[:at] + b"\n- [ ] new\n\n## New\n\nx\n" + data[at:])
        assert case.say(store=str(store)) == case.say()


@pytest.mark.parametrize("format_", FORMATS)
def test_an_estimated_line_alone_keeps_the_budget_too(tmp_path: Path, format_: Format) -> None:
    """Names of files may be dearer than estimated, and the rest of a packet makes up for it."""
    for name in (".clinerules", ".cursorrules", ".windsurfrules"):
        (tmp_path / name).write_text(f"- Never open {name}.\n- Never close {name}.\n")
        for budget in range(60):
            asked = ("--format", format_, "--budget", str(budget))
            done = call("agent", "--dir", str(tmp_path), *asked)
            for exact in ("o200k", "cl100k"):
                assert counter(exact).count(done.text) <= budget


# --- real directories ---------------------------------------------------------------------


def _ladder(root: Path) -> Iterator[Case]:
    for at, budget in enumerate(LADDER):
        for format_, name in zip(
            FORMATS, ("o200k", "heuristic")[:: -1 if at % 2 else 1], strict=True
        ):
            yield Case(str(root), budget, format_, counter(name))


@pytest.mark.parametrize(
    "root", [*FIXTURES, *sampled(CORPORA, 2, 1)], ids=lambda path: path.parent.name
)
def test_the_law_holds_for_real_directories(root: Path, tmp_path: Path) -> None:
    """Check more than holds for any directory: real titles are short, real words usual."""
    exact = counter("o200k")
    for case in _ladder(root):
        packet = check_all(case, store=str(tmp_path))
        if packet.selection.degraded:
            continue
        assert exact.count(packet.text) <= case.budget, "the default counter undercounts"
        if case.budget > FILLED_FROM and any(map(_is_cut, packet.verdicts)):
            assert packet.tokens >= FILLED * case.budget


def _is_cut(verdict: Verdict) -> bool:
    """Whether an entry is said by less than all of it, for want of room."""
    reason = verdict.reason.removeprefix("omitted: ")
    return reason.startswith(("even", "its title", "the required", "title only", "key lines"))


# --- the schema ---------------------------------------------------------------------------


EXTRA = ("recent_turns", "lore", "earlier_turns", "constitution_from", "conventions_from")
"""Names that are there only where they hold something."""


def test_the_schema_names_all_that_a_packet_holds() -> None:
    """Consumers ignore unknown names; here an undocumented one is a fault."""
    definition = json.loads(json.dumps(_schema().schema))
    definition["additionalProperties"] = False
    definition["$defs"]["entry"]["additionalProperties"] = False
    strict = Draft202012Validator(definition)
    for root in FIXTURES:
        packet = Case(str(root), 1000, "json", counter("heuristic")).pack()
        said = json.loads(as_json(packet))
        assert [error.message for error in strict.iter_errors(said)] == []
        assert set(said) <= set(definition["properties"])
        assert set(definition["anyOf"][0]["required"]) == set(said) - {"entries", *EXTRA}


def test_the_schema_refuses_what_is_no_packet() -> None:
    packet = Case(str(FIXTURES[0]), 1000, "json", counter("heuristic")).pack()
    said = json.loads(packet.text)
    assert _schema().is_valid(said)
    assert _schema().is_valid(said | {"rules": []})  # a name that nobody knows is allowed
    assert not _schema().is_valid({key: said[key] for key in said if key != "constitution"})
    changes: tuple[dict[str, object], ...] = (
        {"budget": -1}, {"budget": "1"}, {"degraded": "no"}, {"tasks": "one"}, {"warnings": [1]},
        {"tokens_used": 1.5}, {"tokenizer": ""}, {"entries": [{}]}, {"entries": {}},
        {"instruction": None},
    )  # fmt: skip
    assert not any(_schema().is_valid(said | change) for change in changes)

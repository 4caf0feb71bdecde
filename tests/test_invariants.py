"""The invariants of the assembly law, one test each.

Source: ``retrieval-math``, section 7.10; the numbers are its own. Each is asked of whole
packets, made as ``ctx agent`` makes them, and judged by what ``session_strategies`` knows of
the project rather than by what the program says of itself. The tenth bounds a multiplier that
ctx does not compute.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import NamedTuple, cast
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctx import __version__
from ctx.app.walk import assemble
from ctx.fit import offer
from ctx.model import (
    Counter,
    Entry,
    Format,
    Included,
    Packet,
    ParseCache,
    Request,
    Scored,
    Section,
    SectionName,
    Selection,
)
from ctx.rank import BY_AGE, RANKERS
from ctx.read import sessions
from ctx.render import Costs
from ctx.render.explain import as_json, as_table
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.store.parse_cache import Index
from ctx.text.tokens import counter
from ctx.text.visible import visible
from tests.sampling import ALL
from tests.session_strategies import (
    AUTHORED,
    SESSION,
    Ask,
    Project,
    asks,
    base,
    cuts,
    projects,
    roomy,
    squeezed,
    uneven,
)

AS_OF = date(2026, 2, 1)
TOKENIZERS = ("heuristic", "heuristic", "o200k") if find_spec("rs_bpe") else ("heuristic",)
PLAIN = Ask(1000, "md", "heuristic", "", 0.4, 0.2, 0.0, 0.4, 1, 256 * 1024)
MARK = re.compile(r"zq\d+x")
NOTICE = 150
"""Tokens that the notices of a degraded packet may cost."""
LINES = 400
"""Tokens that headings, counting lines, warnings and the read order may cost."""


def some(examples: int) -> settings:
    """Return settings for a test that is worth so many examples, or a part of them."""
    return settings(max_examples=examples if ALL else examples // 4)


@cache
def _counter(name: str) -> Counter:
    return counter(name)


def pack(root: Path, ask: Ask, shelf: ParseCache | None = None, ranker: str = "brackets") -> Packet:
    """Return the packet that is asked for, as ``ctx agent --session s1 --explain`` makes it."""
    request = Request(
        str(root / ".context"), AS_OF, ask.budget, cast("Format", ask.format), ask.query,
        explain=True,
        project=str(root), authored=AUTHORED, levels=("..",), session=SESSION,
        state=str(root / ".state"),
        ranker=ranker,
    ).having(
        tokenizer=ask.tokenizer, hard_share=ask.hard_share, tasks_share=ask.tasks_share,
        conventions_share=ask.conventions_share, tail_share=ask.tail_share,
        tail_turns=ask.tail_turns,
    )  # fmt: skip
    with mock.patch.object(sessions, "PIECE", ask.piece):
        return assemble(request, _counter(ask.tokenizer), shelf or NoCache(), WordsInMemory())


def packed(project: Project, ask: Ask, ranker: str = "brackets") -> Packet:
    """Return the packet of a project that is written for this one packet."""
    with project.written() as root:
        return pack(root, ask, ranker=ranker)


# --- what a packet says -------------------------------------------------------------------


def section(packet: Packet, name: SectionName) -> Section:
    """Return a section, an empty one where the packet has none of that name."""
    found = [one for one in packet.selection.sections if one.name == name]
    return found[0] if found else Section(name, 0, 0, (), (), 0, "")


def whole(packet: Packet, name: SectionName) -> list[Entry]:
    """Return the entries that a section says whole, in its order."""
    return [one.entry for one in section(packet, name).included if one.level == "full"]


def mentioned(one: Section) -> list[Entry]:
    """Return the entries that a section says at any level."""
    return [said.entry for said in (*one.included, *one.titles)]


def marks(entry: Entry) -> set[str]:
    """Return the marks of the texts that an entry holds."""
    return set(MARK.findall(entry.body))


def told(packet: Packet) -> list[Entry]:
    """Return the turns of the session, oldest first."""
    thread = packet.context.thread
    return [thread.turn(index) for index in range(len(thread))] if thread else []


def costs(packet: Packet) -> Costs:
    """Return a measure that has seen nothing yet."""
    return Costs(packet.request, _counter(packet.request.settings.tokenizer))


def price(packet: Packet, entry: Entry) -> int:
    """Return the tokens of an entry said whole."""
    return costs(packet).unit(Included(Scored(entry, 0.0, ()), "full"))


def bare(packet: Packet, turns: list[Entry]) -> int:
    """Return the tokens of a packet of all rules and ``turns``, without any notice."""
    tail = tuple(Included(Scored(turn, 0.0, ()), "full") for turn in turns)
    said = (section(packet, "rules"), Section("tail", 0, 0, tail, (), 0, ""))
    return costs(packet).whole(Selection(said, (), 0, "", ()))


# --- 1 ------------------------------------------------------------------------------------


@some(60)
@given(projects(), asks(TOKENIZERS))
def test_invariant_1_the_hard_tier_is_complete_for_every_query(project: Project, ask: Ask) -> None:
    with project.written() as root:
        packets = [pack(root, ask._replace(query=query)) for query in (ask.query, "", "zq2x")]
    hard = project.of("hard")
    for packet in packets:
        if section(packet, "rules").omitted or packet.selection.least:
            assert [one.name for one in packet.selection.sections] == ["rules"]
            continue  # the rules alone are over budget
        if ask.format == "json":
            said = "\n".join(json.loads(packet.text)["constitution"])
        else:
            said = packet.text
        for text in hard:
            assert visible(text.body) in said
        rules = whole(packet, "rules")
        assert [marks(entry) for entry in rules] == [{text.mark} for text in hard]
        assert section(packet, "rules").titles == ()


# --- 2 ------------------------------------------------------------------------------------


@some(120)
@given(projects(), asks(TOKENIZERS))
@example(uneven(), PLAIN)
def test_invariant_2_soft_is_a_prefix(project: Project, ask: Ask) -> None:
    packet = packed(project, ask)
    order = [text.mark for text in project.of("soft")]
    bodies = {text.mark: text.body for text in project.texts}
    conventions = section(packet, "conventions")
    said = whole(packet, "conventions")
    assert [mark for entry in said for mark in marks(entry)] == order[: len(said)]
    assert len(said) == len(conventions.included), "an entry that is cut is none of the prefix"
    for mark in order[: len(said)]:
        assert visible(bodies[mark]) in _texts(packet, "conventions")
    if any(verdict.outcome != "full" for verdict in packet.verdicts):
        assert conventions.budget <= int(ask.conventions_share * ask.budget)
    _check_longest(packet, len(said))


def _texts(packet: Packet, key: str) -> str:
    """Return what an array of a JSON packet says; all of a Markdown packet."""
    if packet.request.format == "md":
        return packet.text
    return "\n".join(json.loads(packet.text)[key])


def _check_longest(packet: Packet, said: int) -> None:
    """The prefix is the longest: the next entry does not fit its budget any more."""
    conventions = section(packet, "conventions")
    soft = [one for one in packet.context.entries if one.section == "conventions"]
    if said == len(soft) or not conventions.budget:
        return
    measure, entry = costs(packet), soft[said]
    following = price(packet, entry) + measure.group(entry) + measure.run(entry)
    frame = measure.heading("conventions")
    frame += measure.omitted("conventions", len(soft), conventions.omitted_files)
    assert conventions.used + following + frame > conventions.budget


# --- 3 ------------------------------------------------------------------------------------


@some(120)
@given(projects(), asks(TOKENIZERS))
def test_invariant_3_partitions_are_disjoint(project: Project, ask: Ask) -> None:
    packet = packed(project, ask)
    entries = packet.context.entries
    assert len({entry.id for entry in entries}) == len(entries)
    for tier in ("hard", "soft", "variant"):
        found = [entry for entry in entries if entry.tier == tier and entry.kind in AUTHORED_KINDS]
        held = [mark for entry in found for mark in sorted(marks(entry))]
        assert sorted(held) == sorted(text.mark for text in project.texts if text.tier == tier)
    said = [one for part in packet.selection.sections for one in mentioned(part)]
    assert len({entry.id for entry in said}) == len(said)
    for name, tier in (("rules", "hard"), ("conventions", "soft"), ("lore", "variant")):
        expected = {text.mark for text in project.texts if text.tier == tier}
        for entry in mentioned(section(packet, cast("SectionName", name))):
            assert marks(entry) <= expected
    for turn in project.turns:
        if turn.mark:
            assert packet.text.count(turn.mark) <= 1, "said twice: as one of the last, and earlier"
    last = {entry.id for entry in mentioned(section(packet, "tail"))}
    assert not last & {entry.id for entry in mentioned(section(packet, "turns"))}


AUTHORED_KINDS = ("rule", "convention", "lore")


def _turn(id_: str, text: str) -> str:
    return json.dumps({"id": id_, "role": "user", "text": text}) + "\n"


@pytest.mark.parametrize(
    ("ids", "piece"), [(("same", "other", "same"), 1), (("same", "same", "same~2"), 256 * 1024)]
)
def test_invariant_3_holds_for_turns_that_share_an_id(
    tmp_path: Path, ids: tuple[str, ...], piece: int
) -> None:
    """They stay apart: each is said, and none of them twice."""
    (tmp_path / ".state" / "sessions").mkdir(parents=True)
    lines = [_turn(id_, f"zq{number}x") for number, id_ in enumerate(ids)]
    (tmp_path / ".state" / "sessions" / "s1.jsonl").write_text("".join(lines), "utf-8")
    packet = pack(tmp_path, PLAIN._replace(piece=piece))
    entries = packet.context.entries
    assert len({entry.id for entry in entries}) == len(entries) == len(ids)
    for number in range(len(ids)):
        assert packet.text.count(f"zq{number}x") == 1


# --- 4 ------------------------------------------------------------------------------------


@some(150)
@given(
    projects(),
    st.one_of(asks(TOKENIZERS), roomy(TOKENIZERS)),
    st.one_of(st.none(), st.integers(-50, 1000)),
)
@example(squeezed(), PLAIN._replace(tail_share=0.6), 300)
def test_invariant_4_the_base_tail_is_present(
    project: Project, ask: Ask, beside: int | None
) -> None:
    """``beside`` are tokens of the budget beside the rules and the base; None for any budget."""
    with project.written() as root:
        packet = pack(root, ask)
        if beside is not None:
            least = told(packet)[base(project.turns, ask.tail_turns) :]
            ask = ask._replace(budget=max(0, bare(packet, least) + beside))
            packet = pack(root, ask)
    turns = told(packet)
    assert [turn.body for turn in turns] == [turn.text for turn in project.turns]
    tail = whole(packet, "tail")
    assert tail == turns[len(turns) - len(tail) :], "not the last turns, in their order"
    assert len(turns) - len(tail) in cuts(project.turns), "splits what belongs together"
    check_verbatim(packet, [turn.body for turn in tail])
    least = turns[base(project.turns, ask.tail_turns) :]
    cost = sum(price(packet, turn) for turn in least)
    degraded = packet.selection.degraded
    if bare(packet, least) + NOTICE <= ask.budget:
        assert len(tail) >= len(least), "there is room for the base"
    if len(tail) < len(least):
        assert f"cost {cost:,} tokens" in degraded or f"the budget of {ask.budget:,}" in degraded
        # Markdown has it on standard error, and counts the turns that it omits.
        counted = any(one.name == "turns" and one.omitted for one in packet.selection.sections)
        if ask.format == "md":
            assert not counted or " earlier turns: " in packet.text
        else:
            assert packet.selection.least or degraded in packet.text
    share = max(int(ask.tail_share * ask.budget), cost)
    assert sum(price(packet, turn) for turn in tail) <= share
    _check_extended(project, packet, len(tail), ask)


def test_invariant_4_holds_where_the_base_fits_to_the_token(tmp_path: Path) -> None:
    (tmp_path / ".state" / "sessions").mkdir(parents=True)
    lines = _turn("a", "zq0x") + _turn("b", "zq1x")
    (tmp_path / ".state" / "sessions" / "s1.jsonl").write_text(lines, "utf-8")
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context" / "DECISIONS.md").write_text("## Choice\n\n" + "On and on. " * 900)
    ask = PLAIN._replace(tail_turns=2)
    packet = pack(tmp_path, ask)
    least = bare(packet, told(packet))
    for more in range(60):
        packet = pack(tmp_path, ask._replace(budget=least + more))
        assert len(whole(packet, "tail")) == 2


@pytest.mark.parametrize("form", ["md", "json"])
def test_invariant_4_keeps_the_order_of_turns_that_look_like_lists(
    tmp_path: Path, form: str
) -> None:
    texts = ["zq0x", "- [ ] zq1x", "zq2x"]
    (tmp_path / ".state" / "sessions").mkdir(parents=True)
    lines = "".join(_turn(f"t{n}", text) for n, text in enumerate(texts))
    (tmp_path / ".state" / "sessions" / "s1.jsonl").write_text(lines, "utf-8")
    (tmp_path / ".context").mkdir()
    check_verbatim(pack(tmp_path, PLAIN._replace(format=form, tail_turns=3)), texts)


def check_verbatim(packet: Packet, texts: list[str]) -> None:
    """Each text is said as it is, one after the other, where the last turns are."""
    if packet.request.format == "json":
        said = json.loads(packet.text or "{}").get("recent_turns", [])
        assert [one["text"] for one in said] == texts
        return
    at = packet.text.find("\n## Recent Turns\n")
    assert (at < 0) == (not texts)
    for text in texts:
        ticks = max([2, *map(len, re.findall("`+", text))]) + 1
        fence = "`" * ticks
        quoted = f":\n\n{fence}\n{text}\n{fence}\n"
        assert quoted in packet.text[at:]
        at = packet.text.index(quoted, at) + len(quoted)


def _check_extended(project: Project, packet: Packet, said: int, ask: Ask) -> None:
    """Where even the next bundle would have fitted beside all that comes first, it is said."""
    turns = told(packet)
    start = len(turns) - said
    if not start:
        return
    earlier = max(place for place in cuts(project.turns) if place < start)
    cost = sum(price(packet, turn) for turn in turns[earlier:])
    first = (ask.tasks_share + ask.conventions_share) * ask.budget
    room = ask.budget - first - bare(packet, []) - NOTICE - LINES
    assert cost > min(room, int(ask.tail_share * ask.budget)), "the tail ends before its share"


# --- 5 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranker", RANKERS)
@some(80)
@given(project=projects(), ask=asks(TOKENIZERS))
def test_invariant_5_scores_are_bounded(ranker: str, project: Project, ask: Ask) -> None:
    packet = packed(project, ask, ranker)
    said = [
        one.scored for part in packet.selection.sections for one in (*part.included, *part.titles)
    ]
    account = [verdict.scored for verdict in packet.verdicts]
    assert {turn.id for turn in told(packet)} <= {one.entry.id for one in account}
    for one in (*said, *account):
        assert isfinite(one.score)
        assert 0 <= one.score <= (2.0 if ranker == BY_AGE else 1.0)
        for name, value in one.parts:
            assert isfinite(value)
            assert value >= 0
            assert name not in ("recency", "relevance") or value <= 1


# --- 6 ------------------------------------------------------------------------------------


@some(150)
@given(projects(), asks(TOKENIZERS))
def test_invariant_6_the_budget_is_respected(project: Project, ask: Ask) -> None:
    packet = packed(project, ask)
    selection = packet.selection
    printed = packet.text.encode("utf-8", "replace").decode()
    tokens = _counter(ask.tokenizer).count(printed)
    assert tokens == packet.tokens <= ask.budget
    rules = whole(packet, "rules")
    cost = sum(price(packet, rule) for rule in rules)
    if cost > int(ask.hard_share * ask.budget):
        assert selection.degraded, "the rules pass their share"
    is_full = f"the budget of {ask.budget:,}" in selection.degraded
    if is_full:
        assert ask.format == "md" or selection.least or selection.degraded in packet.text
        assert bare(packet, []) + NOTICE > ask.budget, "rules and frame would have fitted"
        assert [one.name for one in selection.sections] == ["rules"]
        assert (selection.read_order, selection.warnings) == ((), ())
    if selection.degraded:
        short = len(whole(packet, "tail")) < min(ask.tail_turns, len(project.turns))
        assert cost * 2 > int(ask.hard_share * ask.budget) or short or is_full


# --- 7 ------------------------------------------------------------------------------------


@some(60)
@given(projects(), asks(TOKENIZERS))
def test_invariant_7_nothing_but_the_older_turns_is_for_retrieval_to_shorten(
    project: Project, ask: Ask
) -> None:
    with project.written() as root:
        (root / "store").mkdir()
        before = _state(root / ".context")
        packet = pack(root, ask)
        with Index(str(root / "store"), __version__, 1 << 62) as index:
            kept = pack(root, ask, index)
        with Index(str(root / "store"), __version__, 1 << 62) as index:
            again = pack(root, ask, index)
        assert _state(root / ".context") == before, "a packet is made from files, not of them"
    for other in (kept, again):
        assert [turn.id for turn in told(other)] == [turn.id for turn in told(packet)]
    tail, older = section(packet, "tail"), section(packet, "turns")
    assert tail.titles == ()
    assert tail.omitted == 0
    assert all(one.level == "full" for one in tail.included), "the last turns are never shortened"
    last = {one.entry.id for one in tail.included}
    offered = [entry.id for entry in mentioned(older)]
    assert not last & set(offered)
    elevated = section(packet, "elevated")  # what a user asked for has a section of its own
    total = len(project.turns) + project.others - len(last)
    total -= len(mentioned(elevated)) + elevated.omitted
    assert len(offered) + older.omitted == total or (older.omitted == 0 and len(offered) < total)
    for verdict in packet.verdicts:
        if verdict.scored.entry.id in last:
            assert verdict.outcome == "full"


def _state(folder: Path) -> Mapping[str, tuple[bytes, int]]:
    found: dict[str, tuple[bytes, int]] = {}
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (data, os.stat(path).st_mtime_ns)
    return found


# --- 8 ------------------------------------------------------------------------------------


class Edges(NamedTuple):
    """Decisions and learnings, and which of them says that it supersedes which."""

    size: int
    edges: frozenset[tuple[int, int]]

    def superseded(self) -> set[int]:
        return {to for at, to in self.edges if at != to}

    def write(self, folder: Path) -> None:
        names = ("DECISIONS.md", "LEARNINGS.md", "decisions/x.md")
        related = ", ".join(f"Choice zq{at}x" for at in range(self.size))
        texts = dict.fromkeys(names, "")
        texts["decisions/x.md"] = f"---\nrelated: [{related}]\nhop_targets: [{related}]\n---\n\n"
        for at in range(self.size):
            claims = "".join(
                f"**Supersedes**: Choice zq{to}x\n\n"
                for start, to in sorted(self.edges)
                if start == at
            )
            texts[names[at % 3]] += (
                f"## Choice zq{at}x\n\n{claims}**Decision**: so be it, {at}.\n\n"
            )
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True, parents=True)
            (folder / name).write_text(text, "utf-8")


def _ring(size: int) -> Edges:
    """Return a cycle through all of them, longer than Python lets functions nest."""
    return Edges(size, frozenset((at, (at + 1) % size) for at in range(size)))


def _chain(size: int) -> Edges:
    return Edges(size, frozenset(pairwise(range(size))))


_NODE = st.integers(0, 8)
_GRAPHS = st.builds(Edges, st.just(9), st.frozensets(st.tuples(_NODE, _NODE), max_size=20))


@some(40)
@given(
    st.one_of(_GRAPHS, _GRAPHS, st.sampled_from((1, 2, 3, 1500)).map(_ring), st.just(_chain(9))),
    asks(TOKENIZERS),
)
def test_invariant_8_hops_end(graph: Edges, ask: Ask) -> None:
    project = Project({}, (), (), 0)
    with project.written() as root:
        graph.write(root / ".context")
        packet = pack(root, ask)
    names = {f"Choice zq{at}x" for at in graph.superseded()}
    gone = {one.id for one in packet.context.entries if one.title in names}
    assert {one.id for one in packet.context.entries if one.status == "superseded"} == gone
    assert len(packet.context.entries) == graph.size
    said = {entry.id for part in packet.selection.sections for entry in mentioned(part)}
    if said & gone:
        assert all(verdict.outcome == "full" for verdict in packet.verdicts), "beside all else"
    for verdict in packet.verdicts:
        assert (verdict.scored.score == 0) == (verdict.scored.entry.id in gone)


# --- 9 ------------------------------------------------------------------------------------


def _with_session(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Project], Project]:
    def changed(project: Project) -> Project:
        name = f".state/sessions/{SESSION}.jsonl"
        lines = change([line for line in project.files[name].split(b"\n") if _is_turn(line)])
        return project._replace(files={**project.files, name: b"\n".join(lines)})

    return changed


def _is_turn(line: bytes) -> bool:
    return line.startswith(b'{"id": ') and line.endswith(b"}") and b'"ts"' in line


def _only(part: str) -> Callable[[Project], Project]:
    def changed(project: Project) -> Project:
        files = {name: data for name, data in project.files.items() if part in name}
        return project._replace(files=files)

    return changed


def _in_one_bundle(lines: list[bytes]) -> list[bytes]:
    return [json.dumps({**json.loads(line), "bundle": "all"}).encode() for line in lines]


def _titles(project: Project) -> Project:
    """Return a project whose decisions and learnings have titles and nothing else."""
    texts = "".join(f"## [2026-01-10] Choice {number}\n\n" for number in range(400)).encode()
    dated = {".context/DECISIONS.md": texts, ".context/learnings/x.md": texts}
    return project._replace(files={**project.files, **dated})


def _empty(project: Project) -> Project:
    return project._replace(files=dict.fromkeys(project.files, b""))


PROJECTS: dict[str, Callable[[Project], Project]] = {
    "as it is": lambda project: project,
    "an empty session": _with_session(lambda _: []),
    "a session of one turn": _with_session(lambda lines: lines[-1:]),
    "a session in one bundle": _with_session(_in_one_bundle),
    "a session of torn lines": _with_session(lambda lines: [line[:-3] for line in lines]),
    "nothing at all": _only("nothing"),
    "empty files": _empty,
    "sessions alone": _only("sessions/"),
    "a constitution alone": _only("CONSTITUTION"),
    "titles without bodies": _titles,
}


def _shares(hard: float, soft: float, tail: float, tasks: float) -> Callable[[Ask], Ask]:
    return lambda ask: ask._replace(
        hard_share=hard, conventions_share=soft, tail_share=tail, tasks_share=tasks
    )


ASKS: dict[str, Callable[[Ask], Ask]] = {
    "as drawn": lambda ask: ask,
    "a base larger than the session": lambda ask: ask._replace(tail_turns=1_000_000),
    "no shares": _shares(0, 0, 0, 0),
    "all for the rules": _shares(1, 0, 0, 0),
    "all for conventions": _shares(0, 1, 0, 0),
    "all for the tail": _shares(0, 0, 1, 0),
    "all for the tail and for the tasks": _shares(0, 0, 1, 1),
    "no budget": lambda ask: ask._replace(budget=0),
    "a budget of one": lambda ask: ask._replace(budget=1),
    "a huge budget": lambda ask: ask._replace(budget=10**12),
    "no keywords": lambda ask: ask._replace(query="!!! … ???"),
    "no query": lambda ask: ask._replace(query=""),
}


@pytest.mark.parametrize("kind", PROJECTS)
@some(14)
@given(project=projects(), ask=asks(TOKENIZERS), how=st.sampled_from(tuple(ASKS)))
def test_invariant_9_edge_cases(kind: str, project: Project, ask: Ask, how: str) -> None:
    packet = packed(PROJECTS[kind](project), ASKS[how](ask))
    for part in packet.selection.sections:
        assert min(part.budget, part.used, part.omitted) >= 0
    for verdict in packet.verdicts:
        assert verdict.tokens >= 0
        assert not re.search(r"(?<!\w)-\d|\bnan\b|\binf\b", verdict.reason)
    heads = as_table(packet).split("outcome")[0]
    assert not re.search(r"-\d|\bnan\b|\binf\b", heads)
    account = as_json(packet) if ask.format == "json" else json.dumps(packet.selection, default=str)
    assert all(isfinite(number) and number >= 0 for number in _numbers(json.loads(account)))
    assert not re.search(r"… and -\d", packet.text)


@given(
    budget=st.integers(0, 10**9),
    share=st.floats(0, 1),
    spent=st.integers(0, 10**9),
    base_cost=st.integers(0, 10**9),
)
def test_invariant_9_no_limit_is_negative(
    budget: int, share: float, spent: int, base_cost: int
) -> None:
    """The law's own terms, also where what must be said has taken more than there is."""
    limits = [
        offer.hard_limit(budget, share),
        offer.tail_limit(budget, share, base_cost, spent),
    ]
    assert all(0 <= limit <= budget for limit in limits)


def _numbers(value: object) -> Iterator[float]:
    """Yield every number in what JSON holds."""
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from _numbers(one)

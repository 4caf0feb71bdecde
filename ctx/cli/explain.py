"""``ctx explain``: why a packet holds what it holds, and what it would take to hold more."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ctx.app.explain.as_json import as_object, is_unfound, parts_of
from ctx.app.explain.look import Looked, Part, Row, look
from ctx.app.explain.sweep import STEPS, Run, Span
from ctx.app.options import PacketOptions
from ctx.app.packet import notes
from ctx.app.workspace import focused
from ctx.cli.agent import with_query
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, progress, screen_of
from ctx.edit import atomic
from ctx.edit.links import Links
from ctx.errors import UsageError
from ctx.model import Outcome
from ctx.streams import complain, safe, write_json, write_lines, write_out
from ctx.world import World

BEST = 40  # entries that are listed where not all are
WIDTH = 32  # columns of a bar
_NAMES: dict[Outcome, str] = {
    "full": "full", "key": "key lines", "title": "title only", "out": "omitted"
}  # fmt: skip
_COLOURS: dict[Outcome, str] = {"full": "green", "key": "yellow", "title": "yellow", "out": "dim"}
_USED, _GIVEN, _ASKED = "█", "▒", "·"
_AT = "{:>8}  {:>8}"
_HEAD = f"outcome       score  tokens  {_AT.format('at all', 'full')}  entry"


@taking(
    "budget", "query", "dir", "tokenizer", "as-of", "ranker", "embedder", "rerank", "planner",
    "focus", "allow-overshoot", "session", "resume", "delta", "context-length", "used-tokens",
    "threshold-tokens", "json",
    grouped=True,
)  # fmt: skip
def explain(
    options: PacketOptions,
    entry: str = "",
    *,
    html: str | None = None,
    all_: bool = False,
    json: bool = False,
) -> None:
    """Explain why each entry is included, a title only, or omitted, and what budget it needs.

    An entry needs the smallest budget that includes it, as a title and in full: the packet is
    made at many budgets, up to 4 times its own, and for one entry to the token. Changes neither
    the delivery log nor the counts. Exit codes: 0 success, 2 usage, also where ID names no
    entry or several, 4 no context directory, 6 a file that cannot be read or written.
    """
    _check(html, entry, as_json=json)
    world = World()
    workspace = focused(with_query(options), world, complain)
    workspace.loaded  # noqa: B018 - wrong settings end the call before anything is shown
    with progress("packets", STEPS + 1, world, counts="packets") as tick:
        looked = look(workspace, wanted=entry, whole=all_, tick=tick)
    for note in notes(looked.packet, workspace):
        complain(note)
    if looked.bounded:
        complain(looked.bounded)
    if html is not None:
        _write_page(html, looked, workspace.links)
    elif json:
        write_json(as_object(looked))
    elif not looked.rows:
        write_lines([f"{workspace.root}: no entries to explain; `ctx add` writes one"])
    elif screen := screen_of(world):
        _draw(screen, looked, everything=all_)
    else:
        write_lines(lines(looked, everything=all_))


def _check(html: str | None, wanted: str, *, as_json: bool) -> None:
    if html is None:
        return
    if as_json or wanted:
        other = "--json" if as_json else "an entry"
        raise UsageError(f"--html: shows all of it, and not {other}", "ask for one of the two")
    if html == "" or os.path.isdir(html):
        what = f"{html} is a directory" if html else "no file is named"
        raise UsageError(f"--html: {what}", "name a file, or - for standard output")


def _write_page(html: str, looked: Looked, links: Links) -> None:
    from ctx.app.explain.page import page_of  # its template is read

    data = page_of(looked).encode("utf-8", "replace")
    if html == "-":
        write_out(data)
    else:
        atomic.write(html, data, links=links)
        complain(f"{html}: written, {len(data):,} bytes")


def listed(rows: Sequence[Row], *, everything: bool) -> Sequence[Row]:
    """Return the entries worth a line: what comes in next, and what is full if it has room."""
    if everything:
        return rows
    short = [row for row in rows if row.verdict.outcome != "full"][:BEST]
    whole = [row for row in rows if row.verdict.outcome == "full"]
    whole.sort(key=lambda row: -row.verdict.scored.score)
    kept = {id(row) for row in (*short, *whole[: BEST - len(short)])}
    return [row for row in rows if id(row) in kept]


def lines(looked: Looked, *, everything: bool) -> Iterator[str]:
    """Yield what is known as plain lines, columns apart by two spaces."""
    yield _head(looked)
    for part in _shown(looked):
        share = part.share
        yield (
            f"section  {part.name:<11}  asked {part.asked:>7,}  given {share.given:>7,}  "
            f"used {share.used:>7,}  included {share.included:,}  "
            f"title only {share.titles:,}  omitted {share.omitted:,}"
        )
    if looked.one:
        yield from _one_lines(looked, looked.one)
        return
    yield _counts(looked)
    rows = listed(looked.rows, everything=everything)
    yield _HEAD
    for row in rows:
        reason = row.verdict.reason.removeprefix("omitted: ")
        yield f"{_figures(row)}  {_where(row)} {row.verdict.scored.entry.title}: {reason}"
    yield from _more(looked, rows)


def _figures(row: Row) -> str:
    verdict = row.verdict
    return (
        f"{_NAMES[verdict.outcome]:10}  {verdict.scored.score:7.3f}  {verdict.tokens:6,}  "
        f"{_AT.format(_from(row.takes.title), _from(row.takes.full))}"
    )


def _head(looked: Looked) -> str:
    packet = looked.packet
    return (
        f"packet  {packet.tokens:,} of {packet.request.budget:,} tokens "
        f"({packet.request.settings.tokenizer}), {looked.overhead:,} of them overhead"
    )


def _shown(looked: Looked) -> list[Part]:
    return [one for one in looked.parts if not looked.one or one.name == looked.one.section]


def _counts(looked: Looked) -> str:
    outcomes = [row.verdict.outcome for row in looked.rows]
    tally = Counter(outcomes)
    counts = ", ".join(f"{tally[outcome]:,} {name}" for outcome, name in _NAMES.items())
    return f"entries  {len(outcomes):,}: {counts}"


def _from(span: Span | None) -> str:
    """Return a budget for a column: ``–`` where none that was tried is enough."""
    return f"{span.start:,}" if span else "–"


def _where(row: Row) -> str:
    entry = row.verdict.scored.entry
    return f"{entry.id} ({entry.path}:{entry.line})"


def _more(looked: Looked, rows: Sequence[Row]) -> Iterator[str]:
    if more := len(looked.rows) - len(rows):
        whole = sum(row.verdict.outcome == "full" for row in looked.rows)
        whole -= sum(row.verdict.outcome == "full" for row in rows)
        in_full = f", {whole:,} of them full" if whole else ""
        yield f"… and {more:,} more{in_full}: --all lists them, an id explains one"
    to = f", to the next {looked.within:,} tokens" if looked.within else ""
    most = looked.steps[-1].budget
    yield f"at all, full: the budget from which on{to}; – is none up to {most:,}"


def _one_lines(looked: Looked, row: Row) -> Iterator[str]:
    verdict, entry = row.verdict, row.verdict.scored.entry
    yield f"entry  {_where(row)}"
    yield f"title  {entry.title}"
    yield f"kind  {entry.kind}, {entry.tier}{f', {entry.timestamp}' if entry.timestamp else ''}"
    yield f"outcome  {verdict.reason}"
    costs = ", ".join(f"{_NAMES[level]} {cost:,}" for level, cost in row.costs.items())
    yield f"tokens  {costs}"
    unfound = is_unfound(verdict.scored, looked.packet.request)
    note = ": it is not what is asked for, and among such it comes by its parts" if unfound else ""
    yield f"score  {verdict.scored.score:.4g}{note}"
    for part in parts_of(verdict.scored, looked.packet.request):
        weight = f" ({part.weight})" if part.weight else ""
        yield f"part  {part.name} = {part.value:.4g}: {part.meaning}{weight}"
    yield f"budgets  {'; '.join(_during(looked.history))}"
    yield from (f"takes  {line}" for line in needs(looked, row))


def _during(runs: Sequence[Run]) -> Iterator[str]:
    """Yield the budgets of each run; where the next one begins is not always looked for."""
    follow = [run.first for run in runs[1:]]
    for run, after in zip_longest(runs, follow):
        span = f"{run.first:,}" + (f" to {run.last:,}" if run.last > run.first else "")
        unknown = " or a little more" if after is not None and after > run.last + 1 else ""
        yield f"{_NAMES[run.outcome]} at {span}{unknown}"


def needs(looked: Looked, row: Row) -> Iterator[str]:
    """Yield what it would take to include an entry."""
    if looked.never:
        yield f"no budget brings it in: {looked.never}"
        return
    yield f"at all: {_needed(row.takes.title)}"
    yield f"in full: {_needed(row.takes.full)}"


def _needed(span: Span | None) -> str:
    if span is None:
        return "no budget that was tried is enough"
    if not span.start:
        return "any budget"
    until = f", nor at some budget above {span.end:,}" if span.end is not None else ""
    return f"a budget of {span.start:,}; with a token less it is not{until}"


def _draw(screen: Screen, looked: Looked, *, everything: bool) -> None:
    screen.draw(safe(_head(looked)))
    _draw_sections(screen, looked)
    if looked.one:
        for line in _one_lines(looked, looked.one):
            name, _, text = line.partition("  ")
            style = "bold" if name == "title" else ""
            screen.draw((f"{name}  ", "dim"), (safe(text), style), wrap=False)
        return
    screen.draw(_counts(looked))
    rows = listed(looked.rows, everything=everything)
    screen.draw((f"outcome     tokens  {_AT.format('at all', 'full')}  entry", "bold"))
    for row in rows:
        outcome, entry = row.verdict.outcome, row.verdict.scored.entry
        figures = _AT.format(_from(row.takes.title), _from(row.takes.full))
        screen.draw(
            (f"{_NAMES[outcome]:10}", _COLOURS[outcome]),
            f"  {row.verdict.tokens:6,}  {figures}  ",
            (safe(" ".join(entry.title.split())), "bold"),
            cut=True,
        )
    for note in (*_more(looked, rows), "why: ctx explain with words of a title, or an id"):
        screen.draw((safe(note), "dim"))


def _draw_sections(screen: Screen, looked: Looked) -> None:
    table = screen.table()
    table.add_column("section")
    table.add_column(f"{_USED} used {_GIVEN} given {_ASKED} asked", no_wrap=True)
    for name in ("used", "given", "asked"):
        table.add_column(name, justify="right")
    for part in _shown(looked):
        used, given, asked = bar(part)
        blocks = screen.text((_USED * used, "cyan"), _GIVEN * given, (_ASKED * asked, "dim"))
        figures = (part.share.used, part.share.given, part.asked)
        table.add_row(part.name, blocks, *(f"{figure:,}" for figure in figures))
    screen.print(table)


def bar(part: Part) -> tuple[int, int, int]:
    """Return the columns of a section's bar: used, given beyond that, asked beyond both.

    They are ``WIDTH`` at most; what is used always shows.
    """
    used, given = part.share.used, part.share.given
    most = max(part.asked, given, used, 1)
    drawn = max(WIDTH * used // most, 1 if used else 0)
    reached = max(drawn, WIDTH * max(used, given) // most)
    return drawn, reached - drawn, WIDTH - reached if part.asked > max(used, given) else 0

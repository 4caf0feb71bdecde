"""An explained packet on a terminal, or as lines: bars of sections, and a table of entries."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.explain.score_parts import is_unfound, parts_of
from ctx.streams import safe, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from ctx.app.explain.look import Looked, Part, Row
    from ctx.app.explain.sweep import Run, Span
    from ctx.model import Outcome
    from ctx.world import World

BEST = 40
"""Entries that are listed where not all are."""
WIDTH = 32
"""Columns of a bar."""
_NAMES: dict[Outcome, str] = {"full": "whole", "key": "key lines", "title": "title", "out": "out"}
_USED, _GIVEN, _ASKED = "█", "▒", "·"


class Bar(NamedTuple):
    """A section's bar, in columns: used, given beyond that, asked beyond both."""

    used: int
    given: int
    asked: int


def bar(part: Part, width: int = WIDTH) -> Bar:
    """Return the bar of a section; ``width`` columns are the greatest of its figures.

    What is used shows, however little it is; and nothing does that is not there.
    """
    used, given = part.share.used, part.share.given
    most = max(part.asked, given, used, 1)
    drawn = max(width * used // most, 1 if used else 0)
    reached = max(drawn, width * max(used, given) // most)
    return Bar(drawn, reached - drawn, width - reached if part.asked > max(used, given) else 0)


def show(looked: Looked, world: World, *, everything: bool) -> None:
    """Write what is known of a packet, or of one entry of it, to standard output."""
    if world.draws():
        _draw(looked, everything=everything)
        return
    text = "".join(f"{line}\n" for line in lines(looked, everything=everything))
    write_out(safe(text).encode("utf-8", "replace"))


def listed(rows: Sequence[Row], *, everything: bool) -> Sequence[Row]:
    """Return the entries that are worth a line.

    Not those that are whole, which need nothing, unless there is room for them as well; and of
    the others those that come in next.
    """
    if everything:
        return rows
    short = [row for row in rows if row.verdict.outcome != "full"][:BEST]
    kept = {id(row) for row in short}
    whole = [row for row in rows if row.verdict.outcome == "full"]
    whole.sort(key=lambda row: -row.verdict.scored.score)
    kept |= {id(row) for row in whole[: BEST - len(short)]}
    return [row for row in rows if id(row) in kept]


# --- as lines -----------------------------------------------------------------------------


def lines(looked: Looked, *, everything: bool) -> Iterator[str]:
    """Yield what is known as plain lines, columns apart by two spaces."""
    yield _head(looked)
    for part in _shown(looked):
        yield _section_line(part)
    if looked.one:
        yield from _one_lines(looked, looked.one)
        return
    yield _counts(looked)
    rows = listed(looked.rows, everything=everything)
    yield _HEAD
    for row in rows:
        yield f"{_figures(row)}  {_where(row)} {row.verdict.scored.entry.title}: {_reason(row)}"
    yield from _more(looked, rows)


_AT = "{:>8}  {:>8}"
_HEAD = f"outcome      score  tokens  {_AT.format('at all', 'whole')}  entry"


def _figures(row: Row) -> str:
    verdict = row.verdict
    return (
        f"{_NAMES[verdict.outcome]:9}  {verdict.scored.score:7.3f}  {verdict.tokens:6,}  "
        f"{_AT.format(_from(row.takes.title), _from(row.takes.full))}"
    )


def _head(looked: Looked) -> str:
    packet = looked.packet
    return (
        f"packet  {packet.tokens:,} of {packet.request.budget:,} tokens "
        f"({packet.request.tokenizer}), {looked.frame:,} of them for the frame"
    )


def _shown(looked: Looked) -> list[Part]:
    """Return the sections to show: of one entry its own."""
    return [one for one in looked.parts if not looked.one or one.name == looked.one.section]


def _section_line(part: Part) -> str:
    share = part.share
    return (
        f"section  {part.name:<11}  asked {part.asked:>7,}  given {share.given:>7,}  "
        f"used {share.used:>7,}  said {share.said:,}  titles {share.titles:,}  "
        f"left out {share.left_out:,}"
    )


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
    return f"{entry.id} ({entry.source}:{entry.line})"


def _reason(row: Row) -> str:
    return row.verdict.reason.removeprefix("out: ")


def _more(looked: Looked, rows: Sequence[Row]) -> Iterator[str]:
    more = len(looked.rows) - len(rows)
    if more:
        whole = sum(row.verdict.outcome == "full" for row in looked.rows)
        whole -= sum(row.verdict.outcome == "full" for row in rows)
        said = f", {whole:,} of them whole" if whole else ""
        yield f"… and {more:,} more{said}: --all lists them, an id explains one"
    to = f", to the next {looked.within:,} tokens" if looked.within else ""
    most = looked.steps[-1].budget
    yield f"at all, whole: the budget from which on{to}; – is none up to {most:,}"


def _one_lines(looked: Looked, row: Row) -> Iterator[str]:
    """Yield all that is known of one entry."""
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
    """Yield what it would take to have an entry said."""
    if looked.never:
        yield f"no budget brings it in: {looked.never}"
        return
    yield f"at all: {_needed(row.takes.title)}"
    yield f"whole: {_needed(row.takes.full)}"


def _needed(span: Span | None) -> str:
    if span is None:
        return "no budget that was tried is enough"
    if not span.start:
        return "any budget"
    until = f", and no more above {span.end:,}" if span.end is not None else ""
    return f"a budget of {span.start:,}; with a token less it is not{until}"


# --- drawn --------------------------------------------------------------------------------


def _draw(looked: Looked, *, everything: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_escaped(_head(looked)))
    _draw_sections(console, looked)
    if looked.one:
        for line in _one_lines(looked, looked.one):
            name, _, text = line.partition("  ")
            console.print(f"[bold]{name}[/bold]  {_escaped(text)}", soft_wrap=True)
        return
    console.print(_escaped(_counts(looked)))
    rows = listed(looked.rows, everything=everything)
    _draw_entries(console, rows)
    for line in _more(looked, rows):
        console.print(f"[dim]{_escaped(line)}[/dim]")


def _draw_sections(console: Console, looked: Looked) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("section")
    table.add_column(f"{_USED} used {_GIVEN} given {_ASKED} asked", no_wrap=True)
    for name in ("used", "given", "asked"):
        table.add_column(name, justify="right")
    for part in _shown(looked):
        drawn, share = bar(part), part.share
        blocks = (
            f"[cyan]{_USED * drawn.used}[/cyan]{_GIVEN * drawn.given}"
            f"[dim]{_ASKED * drawn.asked}[/dim]"
        )
        figures = (share.used, share.given, part.asked)
        table.add_row(part.name, blocks, *(f"{figure:,}" for figure in figures))
    console.print(table)


def _draw_entries(console: Console, rows: Sequence[Row]) -> None:
    """Draw three lines each: figures and title, where it stands, and why.

    Ids are copied: they are never broken, whereas a title that is too long is cut.
    """
    from rich.text import Text

    console.print(_HEAD, style="bold", no_wrap=True, overflow="ellipsis")
    for row in rows:
        title = " ".join(row.verdict.scored.entry.title.split())
        console.print(f"{_figures(row)}  {_escaped(title)}", no_wrap=True, overflow="ellipsis")
        console.print(f"[dim]  {_escaped(_where(row))}[/dim]", soft_wrap=True)
        for line in Text(safe(_reason(row))).wrap(console, max(1, console.width - 2)):
            console.print(Text("  ").append_text(line))


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(safe(text))

"""``ctx session expand``: the turns that a summary covers, or what covers what."""

from collections.abc import Iterator

from ctx.app.expanding import Lineage, Search, turns_of
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import locate, readable
from ctx.cli.session.show import write_turns
from ctx.cli.terminal import write_answer
from ctx.errors import OK, UNREADABLE
from ctx.model import Lines, Summary
from ctx.read.lineage import stale
from ctx.read.sessions import FOLDER
from ctx.streams import complain
from ctx.text.names import masked_all, shown

_MOST_SOURCES = 8  # sources that a person is shown


@taking("dir", "json")
def expand(
    options: PacketOptions,
    summary: str,
    *,
    lineage: bool = False,
    json: bool = False,
) -> int:
    """Show the turns that a summary covers, as they are stored but for secrets.

    Exit codes: 0 shown, 2 usage or no such summary, 4 no context directory, 6 a file that
    cannot be read, or a session that has changed since.
    """
    world, root, state = locate(options)
    with readable(state):
        place = Search(state, complain).find(summary)
        if lineage:
            found = Lineage(state, place, summary)
            write_answer(masked_all(found.as_object()), _lines(found), as_json=json)
            return OK
        redact = not load(root, world, options).settings.allow_secrets
        write_turns(turns_of(state, place), as_json=json, redact=redact)
        if place.summary is None or not stale(state, place.name, place.summary):
            return OK
    complain(
        f"{FOLDER}/{place.name}: has changed since {shown(place.summary.id)} was made: these are "
        "not the turns that it was made of"
    )
    return UNREADABLE


def _lines(found: Lineage) -> Iterator[str]:
    where = f"{shown(found.session)} ({FOLDER}/{found.name})"
    record = found.summary
    if record is None:
        why = f": {shown(found.why)}" if found.why else ""
        yield f"turn {shown(found.id)} · line {found.line:,} of {where}"
        yield f"state: {found.state}{why}"
    else:
        yield f"summary {_about(record)} · of {where}"
        yield f"turns: {record.turns:,} in lines {_spans(record.lines)}, {record.covered:,} tokens"
        yield f"text: {record.tokens:,} tokens, confidence measured in {shown(record.space)}"
        yield f"times: {shown(record.earliest) or 'undated'} to {shown(record.latest) or 'undated'}"
        yield f"compacted: {shown(record.compacted)}"
        if record.note:
            yield f"note: {shown(record.note)}"
        more = f" and {len(record.sources) - _MOST_SOURCES:,} more"
        sources = ", ".join(shown(name) for name in record.sources[:_MOST_SOURCES])
        yield f"sources: {sources}{more if len(record.sources) > _MOST_SOURCES else ''}"
    yield from (f"part of: {_about(parent)}" for parent in found.parents)


def _about(record: Summary) -> str:
    model = f" by {shown(record.model)}" if record.model else ""
    return (
        f"{shown(record.id)} · level {record.level} · {shown(record.method)}{model} · "
        f"confidence {record.confidence:.3g}"
    )


def _spans(spans: Lines) -> str:
    parts = [f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in spans]
    return ", ".join(parts[:_MOST_SOURCES]) + (", …" if len(parts) > _MOST_SOURCES else "")

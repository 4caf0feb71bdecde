"""``ctx session show`` and ``tail``: turns of a session, for a person or as they are stored."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from json import dumps
from json import loads as json_of

from ctx.app.options import PacketOptions
from ctx.app.packet import make
from ctx.app.sessions import named
from ctx.app.settings import load
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import locate, readable
from ctx.errors import DEGRADED, OK, UsageError
from ctx.model import Turn
from ctx.read import stored
from ctx.read.stored import Stored
from ctx.sessions.notes import Step, steps
from ctx.streams import complain, safe, write_out
from ctx.text.names import masked_all, shown, shown_line
from ctx.text.secrets import mask
from ctx.text.visible import escaped_json

_BATCH = 64 * 1024  # bytes that are written at once


@taking("dir", "json")
def show(
    options: PacketOptions,
    session: str,
    *,
    turn: str | None = None,
    work: bool = False,
    json: bool = False,
) -> None:
    """Show the turns of a stored session, oldest first, each quoted in a fence.

    With --work a line for each request, and for each call of a tool the files that it read or
    changed, or the command and how it ended, with branch and directory where these change.
    Exit codes: 0 shown, 2 usage, or no such session or turn, 4 no context directory, 6 a file
    that cannot be read.
    """
    world, root, state = locate(options)
    with readable(state):
        name = named(state, session)
        chosen = (one for one in stored.ordered(state, name) if turn is None or one.turn.id == turn)
        redact = not load(root, world, options).settings.allow_secrets
        if work:
            done = steps(one.turn for one in stored.ordered(state, name))
            chosen_steps = [step for step in done if turn in (None, step.turn)]
            any_ = _write_steps(chosen_steps, as_json=json, redact=redact)
        else:
            any_ = write_turns(chosen, as_json=json, redact=redact)
        if not any_ and turn is not None:
            raise UsageError(f"{shown(session)}: has no turn {turn!r}", "show it without --turn")


@taking("budget", "strict", "dir", "json")
def tail(
    options: PacketOptions,
    session: str,
    *,
    json: bool = False,
) -> int:
    """Show the last turns that a packet for the session includes: a base, and more if they fit.

    The base is the last four turns (the setting tail_turns). Exit codes: 0 shown, 2 usage
    or no such session, 4 no context directory, 5 the base does not fit and --strict or
    the settings ask for strictness, 6 a file that cannot be read.
    """
    world, root, state = locate(options)
    with readable(state):
        name = named(state, session)
        options = options.replace(session=stored.identity(state, name))
        workspace = Workspace(options, world, root=root)
        packet = make(workspace)
        included = {
            one.entry.line
            for section in packet.selection.sections
            if section.name == "tail"
            for one in section.included
        }
        turns = (one for one in stored.turns(state, name) if one.line in included)
        write_turns(turns, as_json=json, redact=not workspace.settings.allow_secrets)
        degraded = packet.selection.degraded
        # A packet that is degraded only because its rules exceed their share has its base.
        most = workspace.settings.tail_turns
        base = sum(1 for _ in islice(stored.turns(state, name), most)) if degraded else 0
    if degraded:
        complain(f"degraded: {degraded}")
    return DEGRADED if workspace.settings.strict and len(included) < base else OK


def write_turns(turns: Iterable[Stored], *, as_json: bool, redact: bool) -> bool:
    """Print turns as text or as stored, redacted if asked to; return whether there were any."""
    any_, batch, size = False, list[bytes](), 0
    for text in _json(turns, redact=redact) if as_json else _text(turns, redact=redact):
        any_ = True
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            write_out(b"".join(batch))
            batch, size = [], 0
    if batch:
        write_out(b"".join(batch))
    return any_


def _write_steps(done: Iterable[Step], *, as_json: bool, redact: bool) -> bool:
    """Print steps, one a line; return whether there were any."""
    lines, where = list[str](), ("", "")
    for step in done:
        if as_json:
            fields = masked_all(step._asdict(), mask) if redact else step._asdict()
            lines.append(escaped_json(dumps(fields, ensure_ascii=False)))
            continue
        if where != (step.branch, step.cwd):
            where = (step.branch, step.cwd)
            lines.append(" in ".join(filter(None, where)))
        lines.append(f"  {_did(step)}" if not step.asked else f"{step.turn}  {step.asked}")
    text = "".join(f"{line if as_json else shown_line(line)}\n" for line in lines)
    write_out((mask(text) if redact and not as_json else text).encode())
    return bool(lines)


def _did(step: Step) -> str:
    ended = f" ({step.ended})" if step.ended else ""
    for verb, what in (("changed", step.changed), ("ran", [step.ran]), ("read", step.read)):
        if any(what):
            return f"{verb} {', '.join(what)}{ended}"
    return ""


def _json(turns: Iterable[Stored], *, redact: bool) -> Iterator[bytes]:
    """Yield the lines of turns, with what a terminal obeys or hides escaped as in JSON."""
    for one in turns:
        line = one.data.decode()
        yield f"{escaped_json(_redacted(line) if redact else line)}\n".encode()


def _redacted(line: str) -> str:
    try:
        fields = json_of(line)
    except ValueError:
        return mask(line)
    if (held := masked_all(fields, mask)) != fields:
        line = dumps(held, ensure_ascii=False)
    whole = mask(line)  # also those that are known by the names of fields
    try:
        return whole if whole == line or json_of(whole) else line
    except ValueError:
        return line


def _text(turns: Iterable[Stored], *, redact: bool) -> Iterator[bytes]:
    gap = ""
    for one in turns:
        text = mask(one.turn.text) if redact else one.turn.text
        yield f"{gap}{_heading(one.turn)}\n\n{_fenced(safe(text))}\n".encode()
        gap = "\n"


def _heading(turn: Turn) -> str:
    who = f"{turn.role} ({turn.speaker})" if turn.speaker else turn.role
    parts = (who, turn.ts, turn.id, turn.bundle and f"bundle {turn.bundle}")
    return f"## {' · '.join(shown(part) for part in parts if part)}"


def _fenced(text: str) -> str:
    """Return a text between fences that nothing in it can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"

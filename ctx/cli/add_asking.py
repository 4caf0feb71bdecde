"""``ctx add`` as a person meets it: what is missing is asked for, or written in an editor."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from ctx.app.add import Added, RepeatsError, add
from ctx.app.addable import MAIN, PARTS, Adding, check_kind, check_options, missing
from ctx.app.editor import EditorError, drafted, keep
from ctx.app.workspace import Workspace
from ctx.edit.entries import STAMP
from ctx.edit.prose import item, line
from ctx.errors import OK, CtxError, UsageError
from ctx.streams import answers, complain, safe, safe_json, write_err, write_out
from ctx.text.checkbox import without_marker
from ctx.world import World

_HINT = "<!-- Save to add it. Leave nothing to add nothing. -->"
_STAMPED = re.compile(r"#{0,6}[ \t]*(?:\[\d{4}-\d{2}-\d{2}[^\]]{0,12}\][ \t]*)?")
_NAMES = "|".join(sorted({name.capitalize() for names in PARTS.values() for name in names}))
_EMPTY = re.compile(
    rf"^\*\*(?:{_NAMES})\*\*:[ \t]*(?:\n[ \t]*)*(?=^\*\*(?:{_NAMES})\*\*:|\Z)", re.MULTILINE
)
_LABELS = re.compile(r"(?:^|\s)#[a-z][\w-]*(?::\S*)?", re.IGNORECASE)


class Options(NamedTuple):
    """How it is asked for and said."""

    edit: bool = False
    as_json: bool = False


def run(workspace: Workspace, what: Adding, options: Options) -> int:
    """Add one entry, asking for what is missing where somebody can answer; return the exit code."""
    world = workspace.world
    workspace.loaded  # noqa: B018 - wrong settings end the call before anything is asked
    check_kind(what)
    check_options(what)
    asks = answers() and world.at_terminal() and not options.as_json
    if options.edit:
        found = _add_edited(workspace, what, asks=asks)
        if not found:
            complain("nothing was added: the editor left nothing")
            return OK
    else:
        told = _asked(what) if asks else what
        found = _add_told(workspace, told, asks=asks, typed=told != what)
    _say(found, as_json=options.as_json)
    return OK


def _add_edited(workspace: Workspace, what: Adding, *, asks: bool) -> Added | None:
    """Add what somebody leaves in an editor that shows them the form; nothing where it is empty.

    The editor's file goes when the entry stands.
    """
    try:
        with drafted(
            f"{_form(what, workspace.world)}\n\n{_HINT}\n", workspace.world.environ, complain
        ) as left:
            text = left.replace("\r\n", "\n").replace(_HINT, "").strip()
            return _add(workspace, _taken(what, text), asks=asks) if text else None
    except EditorError as error:
        raise UsageError(f"nothing was added: {error}") from error


def _add_told(workspace: Workspace, what: Adding, *, asks: bool, typed: bool) -> Added:
    """Add what was given and what was ``typed``, which is kept where it cannot be added."""
    try:
        return _add(workspace, what, asks=asks)
    except CtxError:
        if typed:
            with suppress(OSError):  # the error itself is what counts then
                complain(f"what was typed is kept in {keep(_form(what, workspace.world))}")
        raise


def _add(workspace: Workspace, what: Adding, *, asks: bool) -> Added:
    """Add an entry; whoever ``asks`` is asked where it repeats one."""
    try:
        return add(workspace, what)
    except RepeatsError as error:
        if not asks or not _wants(error):
            raise
        return add(workspace, what._replace(force=True))


# --- asking -------------------------------------------------------------------------------


def _tell(text: str) -> None:
    """Show a text to who is asked: others have written it, so nothing in it is obeyed."""
    write_err(safe(text).encode("utf-8", "backslashreplace"))


def _asked(what: Adding) -> Adding:
    """Return what is to be added, completed by the one who is asked."""
    if not what.title.strip():
        what = what._replace(title=_answer("title", needed=True))
    told = dict(what.parts)
    for name in missing(what):
        told[name] = _answer(name, needed=name == MAIN[what.kind])
    return what._replace(parts=told)


def _answer(name: str, *, needed: bool) -> str:
    """Return what is typed for a part, one line; UsageError where the input ends."""
    while True:
        _tell(f"{name}: " if needed else f"{name} (Enter for none): ")
        typed = sys.stdin.readline()
        if not typed:
            _tell("\n")
            raise UsageError(f"nothing was added: no answer for {name}", "give it as an option")
        if typed.strip() or not needed:
            return typed.strip()


def _wants(error: RepeatsError) -> bool:
    """Ask whether an entry is added although it repeats others."""
    for one in error.similar:
        _tell(f"repeats {one.id} “{one.title}” ({one.how} {one.likeness:.2f})\n")
    _tell("add it all the same? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# --- an editor ----------------------------------------------------------------------------


def _form(what: Adding, world: World) -> str:
    title = line(what.title)
    if what.kind in PARTS:
        parts = (
            f"**{name.capitalize()}**: {what.parts.get(name, '')}".rstrip()
            for name in PARTS[what.kind]
        )
        return "\n\n".join((f"## {title}".rstrip(), *parts))
    if what.kind != "task":
        return f"- {item(what.title)}"
    now = datetime.fromtimestamp(world.now_ns // 10**9).astimezone()
    priority = f" #priority:{what.priority}" if what.priority else ""
    return f"- [ ] {item(what.title)}{priority} #added:{now.strftime(STAMP)}"


def _taken(what: Adding, text: str) -> Adding:
    """Return what an editor left as what is to be added; parts without text are left out."""
    first, _, rest = text.partition("\n")
    if what.kind in PARTS:
        title = _STAMPED.sub("", first, count=1).strip()
        body = _EMPTY.sub("", rest.strip()).strip()
        if not body:
            raise UsageError("nothing was added: there is a title and no text", "give it both")
        return what._replace(title=title, parts={}, markdown=body)
    marker = "- [ ] " if what.kind == "task" else "- "
    if without_marker(first) == first:
        text = f"{marker}{text}"
    title = _LABELS.sub("", without_marker(first)).strip()
    return what._replace(title=title, markdown=text)


# --- saying -------------------------------------------------------------------------------


def _say(added: Added, *, as_json: bool) -> None:
    for one in added.similar:
        complain(f"repeats {one.id} “{one.title}” ({one.how} {one.likeness:.2f})")
    if added.note:
        complain(added.note)
    if as_json:
        text = safe_json(f"{json.dumps(added.as_json(), ensure_ascii=False, indent=1)}\n")
    else:
        text = safe("".join(f"{line}\n" for line in _lines(added)))
    write_out(text.encode("utf-8", "replace"))


def _lines(added: Added) -> Iterator[str]:
    entry = added.entry
    name = entry.source.rpartition(".")[0]
    is_known = not entry.group or entry.group.casefold() == name.casefold()
    under = "" if is_known else f", under “{entry.group}”"
    yield f"added {entry.id}: {entry.title} ({entry.source}:{entry.line}{under})"
    if added.supersedes:
        yield f"superseded {added.supersedes}"

"""``ctx add``: what is missing is asked for on a terminal, or written in an editor."""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from ctx.app import add as adding
from ctx.app.add import Added, RepeatsError
from ctx.app.addable import MAIN, PARTS, Adding, check_kind, check_options, missing
from ctx.app.editor import EditorError, drafted, keep
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.edit.entries import STAMP
from ctx.edit.prose import item, line
from ctx.errors import CtxError, UsageError
from ctx.hosts import sessions
from ctx.streams import answers, complain, prompt
from ctx.text.checkbox import without_marker
from ctx.world import World

_HINT = "<!-- Save to add it. Leave nothing to add nothing. -->"
_STAMPED = re.compile(r"#{0,6}[ \t]*(?:\[\d{4}-\d{2}-\d{2}[^\]]{0,12}\][ \t]*)?")
_NAMES = "|".join(sorted({name.capitalize() for names in PARTS.values() for name in names}))
_EMPTY = re.compile(
    rf"^\*\*(?:{_NAMES})\*\*:[ \t]*(?:\n[ \t]*)*(?=^\*\*(?:{_NAMES})\*\*:|\Z)", re.MULTILINE
)
_LABELS = re.compile(r"(?:^|\s)#[a-z][\w-]*(?::\S*)?", re.IGNORECASE)


@taking("dir", "json")
def add(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    kind: str = "",
    title: str = "",
    *,
    context: str | None = None,
    decision: str | None = None,
    rationale: str | None = None,
    consequence: str | None = None,
    lesson: str | None = None,
    application: str | None = None,
    supersedes: str = "",
    alias: list[str] | None = None,
    phase: str = "",
    priority: str = "",
    needs: list[str] | None = None,
    session: str | None = None,
    commit: str = "",
    file: list[str] | None = None,
    edit: bool = False,
    force: bool = False,
    json: bool = False,
) -> None:  # fmt: skip
    """Add an entry, newest first, and change nothing else in its file.

    A decision has a context, a decision, a rationale and a consequence; a learning a context, a
    lesson and an application. A part that is not given is asked for on a terminal and an
    error in a pipe; "" leaves it empty. An entry that repeats another is asked about, and refused
    in a pipe. A task goes to the first phase with open tasks, a convention or rule above all
    groups; a missing file is created. Exit codes: 0 added, 2 usage, or it repeats an
    entry, 4 no context directory, 6 a file that cannot be read or written.
    """
    given = {
        "context": context, "decision": decision, "rationale": rationale,
        "consequence": consequence, "lesson": lesson, "application": application,
    }  # fmt: skip
    what = Adding(
        kind.strip().lower(),
        title,
        {name: text for name, text in given.items() if text is not None},
        supersedes,
        tuple(alias or ()),
        phase,
        priority.strip().lower(),
        needs=tuple(needs or ()),
        force=force,
    )
    workspace = Workspace(options, World())
    if session is None and (what.kind in PARTS or what.kind == "task"):  # rules cost tokens
        found = {workspace.world.environ.get(name, "") for name in sessions()} - {""}
        session = found.pop() if len(found) == 1 else ""  # of two one agent called the other
    named = (("session", [session]), ("commit", [commit]), ("file", file or []))
    what = what._replace(
        cites=tuple((kind, name) for kind, names in named for name in names if name)
    )
    workspace.loaded  # noqa: B018 - wrong settings end the call before anything is asked
    check_kind(what)
    check_options(what)
    asks = answers() and workspace.world.at_terminal() and not json
    if edit:
        added = _add_edited(workspace, what, asks=asks)
        if added is None:
            complain("nothing was added: the editor left nothing")
            return
    else:
        completed = _completed(what) if asks else what
        added = _add_typed(workspace, completed, asks=asks, typed=completed != what)
    for entry in added.similar:
        complain(f"repeats {entry.id} “{entry.title}” ({entry.how} {entry.likeness:.2f})")
    if added.note:
        complain(added.note)
    write_answer(added.as_json(), _lines(added), as_json=json)


def _lines(added: Added) -> Iterator[str]:
    entry = added.entry
    name = entry.source.rpartition(".")[0]
    is_known = not entry.group or entry.group.casefold() == name.casefold()
    under = "" if is_known else f", under “{entry.group}”"
    yield f"added {entry.id}: {entry.title} ({entry.source}:{entry.line}{under})"
    if added.supersedes:
        yield f"superseded {added.supersedes}"


def _add_edited(workspace: Workspace, what: Adding, *, asks: bool) -> Added | None:
    """Add what somebody leaves in an editor that shows the form; None where it is empty."""
    try:
        with drafted(
            f"{_form(what, workspace.world)}\n\n{_HINT}\n", workspace.world.environ, complain
        ) as left:
            text = left.replace("\r\n", "\n").replace(_HINT, "").strip()
            return _add(workspace, _read(what, text), asks=asks) if text else None
    except EditorError as error:
        raise UsageError(f"nothing was added: {error}") from error


def _add_typed(workspace: Workspace, what: Adding, *, asks: bool, typed: bool) -> Added:
    """Add what was given and what was ``typed``, which is kept where it cannot be added."""
    try:
        return _add(workspace, what, asks=asks)
    except CtxError:
        if typed:
            with suppress(OSError):  # the error itself is what counts then
                complain(f"what was typed is kept in {keep(_form(what, workspace.world))}")
        raise


def _add(workspace: Workspace, what: Adding, *, asks: bool) -> Added:
    try:
        return adding.add(workspace, what)
    except RepeatsError as error:
        if not asks or not _wants(error):
            raise
        return adding.add(workspace, what._replace(force=True))


def _completed(what: Adding) -> Adding:
    if not what.title.strip():
        what = what._replace(title=_answer("title", needed=True))
    parts = dict(what.parts)
    for name in missing(what):
        parts[name] = _answer(name, needed=name == MAIN[what.kind])
    return what._replace(parts=parts)


def _answer(name: str, *, needed: bool) -> str:
    while True:
        prompt(f"{name}: " if needed else f"{name} (Enter for none): ")
        typed = sys.stdin.readline()
        if not typed:
            prompt("\n")
            raise UsageError(f"nothing was added: no answer for {name}", "give it as an option")
        if typed.strip() or not needed:
            return typed.strip()


def _wants(error: RepeatsError) -> bool:
    for entry in error.similar:
        prompt(f"repeats {entry.id} “{entry.title}” ({entry.how} {entry.likeness:.2f})\n")
    prompt("add it all the same? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


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


def _read(what: Adding, text: str) -> Adding:
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

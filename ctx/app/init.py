"""``ctx init``: make what is missing of a context directory, each file whole or not at all.

Examples of the format are in comments, so that nothing in a fresh file counts as an entry.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from ctx.app.find import here, repository
from ctx.config import SETTINGS
from ctx.edit import atomic
from ctx.errors import OK, CtxError, FileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.app.workspace import Workspace

DIRECTORY = ".context"
NEXT = "next: write your rules into .context/CONSTITUTION.md, then run: ctx agent"
FOUND = "next: run ctx agent: its packet is made from these files"


def run(
    root: str,
    *,
    minimal: bool = False,
    say: Callable[[str], None],
    found: Callable[[], list[str]] = list,
) -> int:
    """Make what is missing of ``root``'s context directory and return the exit code.

    Existing files are never changed. ``say`` is given one line a file, then those that ``found``
    returns once all is made, and a last one with what to do next.
    """
    if not root:
        raise FileError("the working directory is gone", "change to one that is there")
    root = os.path.abspath(root)
    home = os.path.join(root, DIRECTORY)
    texts = files(minimal=minimal)
    _foresee(root, home, texts)
    fresh = _make_folder(home)
    try:
        spelled = _spellings(home, texts)
        for name, text in texts.items():
            made = name not in spelled and atomic.create(os.path.join(home, name), text.encode())
            say(f"{'created' if made else 'kept'} {DIRECTORY}/{spelled.get(name, name)}")
    except BaseException:
        if fresh:  # an empty one would be a context directory that says nothing
            with suppress(OSError):
                os.rmdir(home)
        raise
    others = found()
    for line in (*others, FOUND if others else NEXT):
        say(line)
    return OK


def beside(workspace: Workspace) -> list[str]:
    """Return a line for each file or folder beside the context directory that is read as well.

    No line where settings are wrong, or what is there cannot be read: who asks for a packet gets
    the message.
    """
    try:
        context = workspace.read(lambda context: context, own=True)
    except CtxError:
        return []
    paths = [(source.origin, source.path) for source in context.sources if source.origin]
    many = Counter((origin, path.rpartition("/")[0]) for origin, path in paths)
    lines = dict[str, None]()
    for origin, path in paths:
        folder = path.rpartition("/")[0]
        count = many[origin, folder]
        name = here(workspace.root, path if count == 1 else folder, workspace.world.cwd)
        what = f"{name} ({origin})" if count == 1 else f"{name}/: {count:,} files"
        lines[f"reads {what}"] = None
    return list(lines)


def _foresee(root: str, home: str, texts: dict[str, str]) -> None:
    again = "move it away, then run ctx init again"
    inside = os.path.join(os.path.realpath(repository(root)), "")
    if os.path.islink(home) and not os.path.realpath(home).startswith(inside):
        raise FileError(f"{home}: is a link out of the project", again)
    if os.path.lexists(home) and not os.path.isdir(home):
        raise FileError(f"{home}: is not a directory", again)
    folder = home if os.path.isdir(home) else root
    if folder == home and texts.keys() <= _spellings(home, texts).keys():
        return  # nothing is missing
    if not os.path.isdir(folder):
        raise FileError(f"{folder}: no such directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{folder}: directory is not writable")


def _make_folder(home: str) -> bool:
    try:
        os.mkdir(home)
    except OSError as error:
        if os.path.isdir(home):
            return False
        raise FileError(f"{home}: cannot be created: {error.strerror or error}") from error
    return True


def _spellings(home: str, texts: dict[str, str]) -> dict[str, str]:
    """Return how files that exist are spelled: ``Tasks.md`` needs no ``TASKS.md`` beside it."""
    try:
        names = {name.lower(): name for name in os.listdir(home)}
    except OSError as error:
        raise FileError(f"{home}: cannot be read: {error.strerror or error}") from error
    return {name: names[name.lower()] for name in texts if name.lower() in names}


_CONSTITUTION = """\
# Constitution

<!--
The rules that always hold. Each list item is one hard rule, and every packet includes all
of them, so keep them few and short. A packet without room for them is marked as degraded.

Write them below this comment, one item a rule:

- Never commit secrets, tokens or customer data.
- All tests pass before a change is merged.
  - Nested items belong to the rule above them.

What is good practice rather than law belongs in CONVENTIONS.md.
-->
"""

_TASKS = """\
# Tasks

<!--
The work in hand. Write tasks below this comment, under headings that name their phase:

## Phase 1: Import

- [ ] Read CSV files with a header #added:2026-01-31-093000
- [ ] Reject rows without a date #in-progress #priority:high #branch:import
      Indented lines and items under a task are a part of it.
  - [ ] Name the line in the message
- [ ] Ask for the licence of the sample data #blocked @maria
- [x] Choose a parser
- [-] Support fixed-width files

Marks:  [ ] open   [x] done   [-] skipped; a task under a done task is done.
Labels: #in-progress  #blocked  #priority:high, medium or low  #added:YYYY-MM-DD-HHMMSS
        #session:ID  #branch:NAME  #commit:HASH  @person

Tasks in progress come first, then by priority, then the newest. Words of open tasks
decide which decisions and learnings come along.
-->
"""

_CONVENTIONS = """\
# Conventions

<!--
How things are done here. Each list item is one convention, grouped by headings. The
most important come first: where room is short, a packet includes as many from the top as fit.

## Names

- Modules are nouns, functions are verbs.

## Errors

- A message says what happened, where, and what to try next.
-->
"""

_DECISIONS = """\
# Decisions

<!--
What was decided, and why, so that nobody has to decide it again. Newest first, directly
below this comment. The heading carries the date, with or without the time:

## [2026-01-31-143000] Keep the index in SQLite

**Context**: Searching all files on every start took two seconds.

**Decision**: Keep an index in SQLite beside the files.

**Rationale**: It needs no server, and it can be deleted and rebuilt at any time.

**Consequence**: The index must never be the only place that holds something.

When a later decision replaces an earlier one, say so in both. In the new one:

**Supersedes**: Keep the index in memory

In the old one, directly below its heading:

**Status**: Superseded by "Keep the index in SQLite"

Superseded entries stay in the file as history and leave the packet, unless it has room
for everything.
A long file can be split by theme: decisions/storage.md holds entries just like this one.
-->
"""

_LEARNINGS = """\
# Learnings

<!--
What was found out the hard way, so that it is found out once. Newest first, directly
below this comment. The heading carries the date, with or without the time:

## [2026-01-31-160500] The test server drops idle connections

**Context**: Nightly tests failed at random.

**Lesson**: The server closes connections that are idle for 60 seconds.

**Application**: Open a connection per test, or send a ping every 30 seconds.

A learning that proves wrong stays, with this line directly below its heading:

~~Superseded: the server was replaced.~~

A long file can be split by theme: learnings/testing.md holds entries just like this one.
-->
"""

_ARCHITECTURE = """\
# Architecture

<!--
How the parts fit together: what each is for, what talks to what, and where to look.
Packets name this file among those to read; they do not quote it.
-->
"""

_GLOSSARY = """\
# Glossary

<!--
The words of this project, one a line, each with the one meaning it has here:

- **Packet**: what an agent is given to start from.

Packets name this file among those to read; they do not quote it.
-->
"""

_CONFIG = """\
# Settings of ctx in this project. Lines that start with # change nothing: each shows a
# default. The later wins: default, user file, this file, CTX_* variable, --flag.
"""

_CORE = {
    "CONSTITUTION.md": _CONSTITUTION,
    "TASKS.md": _TASKS,
    "CONVENTIONS.md": _CONVENTIONS,
    "DECISIONS.md": _DECISIONS,
    "LEARNINGS.md": _LEARNINGS,
}
_MORE = {"ARCHITECTURE.md": _ARCHITECTURE, "GLOSSARY.md": _GLOSSARY}


def files(*, minimal: bool) -> dict[str, str]:
    """Return the files of a new context directory: name to text, in order of importance."""
    return _CORE if minimal else _CORE | _MORE | {"config.toml": config()}


def form(name: str) -> str:
    """Return what the file ``name`` holds before anything is written into it."""
    return _CORE[name]


def config() -> str:
    """Return a settings file that holds every setting at its default, commented out."""
    return _CONFIG + "".join(
        f"\n# {setting.help}: {setting.kind.allowed}.\n"
        f"# {setting.name} = {_toml(setting.default)}\n"
        for setting in SETTINGS
        if setting.in_files and setting.project.values
    )


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)

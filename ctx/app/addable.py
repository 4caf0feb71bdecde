"""What can be added: its parts, and whether a call gives them."""

from collections.abc import Mapping
from typing import NamedTuple

from ctx.app.editing import HOMES
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.text.nearest import meant

PARTS: dict[str, tuple[str, ...]] = {
    "decision": ("context", "decision", "rationale", "consequence"),
    "learning": ("context", "lesson", "application"),
}
"""What entries of a kind say beside their title, in order; the others are items of a list."""
MAIN = {"decision": "decision", "learning": "lesson"}  # the part that no entry is without
PRIORITIES = ("high", "medium", "low")


class Adding(NamedTuple):
    """What is to be added."""

    kind: str  # ``decision``, ``learning``, ``task``, ``convention`` or ``rule``
    title: str  # of an item of a list its whole text
    parts: Mapping[str, str] = {}  # texts by name (``PARTS``); one left empty on purpose is there
    supersedes: str = ""  # the decision or learning that it replaces: id, title or words
    aliases: tuple[str, ...] = ()  # other names of the decision or learning
    phase: str = ""  # the heading that an item goes under; empty where the file decides
    priority: str = ""  # of a task: ``high``, ``medium`` or ``low``; empty for none
    markdown: str = ""  # instead of parts or an item's line: what a person wrote
    about: tuple[str, ...] = ()  # lines below a convention: who gave it, and where; a task's labels
    needs: tuple[str, ...] = ()  # of a task: open tasks to close before it, by id, title or words
    cites: tuple[tuple[str, str], ...] = ()  # ``session``, ``commit`` or ``file``, and its name
    force: bool = False  # whether it is added although it repeats an entry


def missing(what: Adding) -> list[str]:
    """Return the parts that are not given, in their order."""
    if what.markdown:
        return []
    return [name for name in PARTS.get(what.kind, ()) if name not in what.parts]


def check(what: Adding) -> None:
    """Raise UsageError for what cannot be added so, naming what is missing or does not belong."""
    check_kind(what)
    check_options(what)
    if not what.title.strip():
        raise UsageError("TITLE: is empty", f"say the {what.kind} in one line")
    lacking = missing(what)
    if lacking:
        raise UsageError(
            f"a {what.kind} needs {', '.join(f'--{name}' for name in lacking)}, too",
            '"" leaves it empty; --edit opens an editor',
        )
    main = MAIN.get(what.kind)
    if main and not what.markdown and not what.parts[main].strip():
        raise UsageError(f"--{main}: is empty", f"a {what.kind} holds at least that")


def check_kind(what: Adding) -> None:
    """Raise UsageError for a kind that nothing can be added of."""
    if what.kind not in HOMES:
        hint = meant(what.kind, list(HOMES))
        raise UsageError(
            f"{quoted(what.kind)} is nothing to add" if what.kind else "KIND: name what to add",
            hint,
        )


def check_options(what: Adding) -> None:
    """Raise UsageError for options that belong to entries of another kind."""
    own = PARTS.get(what.kind, ())
    for name in what.parts:
        if name not in own:
            kinds = " and ".join(f"{kind}s" for kind, parts in PARTS.items() if name in parts)
            raise UsageError(
                f"--{name}: a {what.kind} has none", f"{kinds or 'no entries'} have it"
            )
    if what.supersedes and what.kind not in PARTS:
        raise UsageError(
            f"--supersedes: a {what.kind} supersedes nothing", "decisions and learnings do"
        )
    if what.aliases and what.kind not in PARTS:
        raise UsageError(f"--alias: a {what.kind} has none", "decisions and learnings have them")
    for alias in what.aliases:
        if not alias.strip() or "," in alias:
            wrong = "holds a comma" if alias.strip() else "is empty"
            raise UsageError(
                f"--alias: {quoted(alias)} {wrong}", "give one name, and --alias again"
            )
    if what.phase and what.kind in PARTS:
        raise UsageError(
            f"--phase: a {what.kind} stands under no heading", "tasks, conventions and rules do"
        )
    _check_labels(what)


def _check_labels(what: Adding) -> None:
    for name, given in (("needs", what.needs), ("priority", what.priority)):
        if given and what.kind != "task":
            raise UsageError(f"--{name}: a {what.kind} has none", "tasks have one")
    if what.priority and what.priority not in PRIORITIES:
        raise UsageError(
            f"--priority: unknown priority {quoted(what.priority)}",
            f"one of {', '.join(PRIORITIES)}",
        )

"""Which tasks have to be closed before a task, read alike everywhere: ``needs: Buy a printer``."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from ctx.model import ARCHIVED, Entry
from ctx.text.checkbox import ITEM, check_mark
from ctx.text.levels import short_id
from ctx.text.regex import regex

_ID = r"(?:\d{6,18}|[\w./-]+\.md(?:#[\w~-]+|:\d+)|[A-Z]{1,8}-?\d+(?:\.\d+)*)\b"
_LABELLED = regex(r"(?i)(?<![\w`])#(?:needs|blocked-by|depends-on):([^\s`]+)")
_NOTED = regex(  # a line below the first that says nothing else
    rf"(?i)(?<=\n)[ \t>]*(?:{ITEM}[ \t]+)?[*_]{{0,3}}(?:needs|blocked by|depends on)"
    r"[*_]{0,3}:[*_]{0,3}[ \t]*(\S.*)"
)
_WITHIN = regex(  # ids in a sentence: words could be about anything
    rf"\b(?:(?i:needs):|(?i:blocked by|depends on):?)[ \t]+({_ID}(?:(?:,|,?[ \t]and)[ \t]+{_ID})*)"
)
_LABELS = regex(r"(?i)(?<![ \t])[ \t]+`?#[a-z][\w-]*(?::[^\s`]*)?`?")
_AND = regex(r"[,;](?:[ \t]+and\b)?|[ \t]and[ \t]")
_NUMBERED = regex(r"[A-Z]{1,8}-?\d+(?:\.\d+)*\b")  # a task's number: ``T012``, ``CART-7``
_EDGES = ' \t.;:()*_"“”`[]'
_HOME = "TASKS.md"  # the file that archived tasks were in: others name them by their ids there


def needs_in(body: str) -> Iterator[str]:
    """Yield what a task, not one below it, names as needed: ids or titles, with commas."""
    below = -1  # indentation of the task below that a line may belong to; -1 for none
    for number, line in enumerate(body.split("\n")):
        text = line.lstrip()
        indent = len(line) - len(text)
        if number and text and not 0 <= below < indent:
            below = indent if check_mark(text) is not None else -1
        if below < 0:
            yield from _LABELLED.findall(text)
            if number and (noted := _NOTED.match(f"\n{text}", 1)):
                yield _LABELS.sub("", noted[1]).strip()
            else:
                yield from _WITHIN.findall(text)


def without_notes(body: str) -> str:
    """Return a task without the lines that only say what it needs: they are not of its title."""
    return _NOTED.sub("", body)


class Needs:
    """Tasks by what others may name them by."""

    def __init__(self, tasks: Iterable[Entry]) -> None:
        """Take every task that may be named, closed ones included: only their needs are known."""
        self._tasks = list(tasks)
        self._names: dict[str, list[Entry]] = {}
        self._needs = {task.id: [*needs_in(task.body)] for task in self._tasks}
        for task in self._tasks:
            anchor = task.id.partition("#")[2]
            id_ = f"{_HOME}#{anchor}" if task.source.startswith(ARCHIVED) else task.id
            names = {task.id, id_, anchor, f"#{anchor}", task.title, f"{task.source}:{task.line}"}
            names.update(short_id(id_, digits) for digits in range(6, 19))
            if numbered := _NUMBERED.match(task.title):  # which other files number, too
                names.add(f"{task.source}\n{numbered[0]}")
            for name in names:
                self._names.setdefault(name.strip(_EDGES).casefold(), []).append(task)

    def of(self, task: Entry) -> tuple[list[Entry], list[str]]:
        """Return the tasks that ``task`` needs, and what it names as needed that is no task."""
        found: dict[str, Entry] = {}
        unknown = []
        for need in self._needs[task.id]:
            for name in [need] if self._at(need, task) else _AND.split(need):
                named = self._at(name, task)
                found.update((other.id, other) for other in named)
                if not named and name.strip(_EDGES):
                    unknown.append(name.strip(_EDGES))
        return [*found.values()], unknown

    def open(self, task: Entry) -> list[Entry]:
        """Return the tasks that ``task`` needs and that are not closed; none for a closed one."""
        return [other for other in self.of(task)[0] if other.is_current and task.is_current]

    @cached_property
    def waiting(self) -> dict[str, list[Entry]]:
        """The open tasks that need an open one, by the id of that one."""
        found: dict[str, list[Entry]] = {}
        for task in self._tasks:
            for need in self.open(task):
                found.setdefault(need.id, []).append(task)
        return found

    def _at(self, name: str, task: Entry) -> list[Entry]:
        folded = name.strip(_EDGES).casefold()
        return self._names.get(folded) or self._names.get(f"{task.source}\n{folded}".casefold(), [])

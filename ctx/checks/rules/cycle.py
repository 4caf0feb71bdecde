"""Entries that supersede each other in a circle, and tasks that need each other: none is first."""

from collections.abc import Iterator, Mapping, Sequence

from ctx.checks.rules.no_successor import status_of
from ctx.checks.types import Fault, Subject, quoted
from ctx.model import Entry
from ctx.text.needs import Needs

_REMEDY = "take one of the claims out: the entry that holds supersedes, and is not superseded"
_NEED_REMEDY = "take one of the needs out: none of these tasks is ever ready"
_NAMED = 4  # entries of a circle that the message names


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each circle once, at its first entry."""
    entries = {
        entry.id: entry for entry in subject.entries if entry.kind in ("decision", "learning")
    }
    yield from _found(entries, _follows(entries, subject), "supersedes", _REMEDY)
    tasks = {entry.id: entry for entry in subject.entries if entry.kind == "task"}
    needs = Needs(tasks.values())
    needed = {name: [need.id for need in needs.open(task)] for name, task in tasks.items()}
    yield from _found(tasks, needed, "needs", _NEED_REMEDY)


def _found(
    entries: Mapping[str, Entry], follows: Mapping[str, Sequence[str]], verb: str, remedy: str
) -> Iterator[Fault]:
    order = {name: at for at, name in enumerate(entries)}
    for circle in _circles(follows):
        at = circle.index(min(circle, key=order.__getitem__))
        run = [entries[name] for name in (*circle[at:], *circle[:at])]
        message = f"{quoted(run[0].title)} {verb} itself"
        if len(run) > 1:
            others = " > ".join(f"{entry.source}:{entry.line}" for entry in run[1:_NAMED])
            more = f" > {len(run) - _NAMED:,} more" if len(run) > _NAMED else ""
            way = f"itself > {others}{more} > itself"
            message = f"{quoted(run[0].title)} {verb} in a circle: {way}"
        yield Fault(run[0].source, run[0].line, message, remedy)


def _follows(entries: Mapping[str, Entry], subject: Subject) -> dict[str, list[str]]:
    """Return by id the entries that each entry supersedes, as either of the two states."""
    found: dict[str, dict[str, None]] = {}
    for name, entry in entries.items():
        for claim in filter(None, entry.supersedes.split("\n")):
            for old in subject.names.entries(claim):
                if old.id in entries:
                    found.setdefault(name, {})[old.id] = None
        status = status_of(entry)
        for new in subject.names.entries(status.by) if status and status.by else ():
            if new.id in entries:
                found.setdefault(new.id, {})[name] = None
    return {name: list(olds) for name, olds in found.items()}


def _circles(follows: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield circles, no entry in two of them: what a walk from each entry comes back to."""
    done: set[str] = set()
    for start in follows:
        path: dict[str, int] = {}
        stack = [(start, 0)]
        while stack:
            name, next_one = stack.pop()
            if next_one == 0:
                if name in done:
                    continue
                path[name] = len(path)
            olds = follows.get(name, [])
            if next_one == len(olds):
                done.add(name)
                del path[name]
                continue
            stack.append((name, next_one + 1))
            old = olds[next_one]
            if old in path:
                circle = list(path)[path[old] :]
                if done.isdisjoint(circle):
                    done.update(circle)
                    yield circle
            elif old not in done:
                stack.append((old, 0))

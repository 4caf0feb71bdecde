"""What a model has before it, request by request, and how often each marked text is in it.

A window is what one agent of one session is sent between two compactions. Of the requests that
answer one prompt the last is looked at: it holds all that came before.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MARK = re.compile(r"\bmark(?:-[a-z0-9]+)+|\b(?:task|said)(?:-\d+)+\b")
"""``mark-…`` is in a file of the project, ``task-…`` in a prompt, ``said-…`` in an answer."""
ANSWERS = "said-"
MAIN = "main"
"""The agent that a person writes to."""
OWN = frozenset({"model", "call"})
"""Roles of what the model itself wrote."""
BYTES_A_TOKEN = 4


class Text(NamedTuple):
    """A piece of a request."""

    role: str
    """``tools``, ``system``, ``added`` (by the host or a hook), ``user``, ``model``, ``call`` or
    ``result``."""
    place: str
    """Where it is in the request: ``messages[2].content[0]``."""
    text: str


class Request(NamedTuple):
    """A recorded request of a host."""

    number: int
    """From 1."""
    kind: str
    """``turn``, ``compact`` (asks for the summary of a window) or ``side`` (titles and such)."""
    session: str
    """The session in which the prompt was given, by its name in the scenario."""
    agent: str
    """``main``, or the kind of subagent and its number."""
    prompt: int
    """The number of the prompt, from 1; 0 of what answers none."""
    texts: tuple[Text, ...]


class Window(NamedTuple):
    """What an agent had before it when it answered a prompt."""

    session: str
    agent: str
    segment: int
    """How many compactions came before."""
    prompt: int
    texts: tuple[Text, ...]

    @property
    def calls(self) -> str:
        """The calls of tools in it, as one text."""
        return "\n".join(each.text for each in self.texts if each.role == "call")


class Fault(NamedTuple):
    """A marked text that is not in a window exactly once."""

    mark: str
    times: int
    """0 where it is missing."""
    session: str
    agent: str
    segment: int
    prompt: int
    """The first in whose window this is so."""
    places: tuple[str, ...]
    """Where it is, each with the role."""


def windows(requests: Iterable[Request]) -> list[Window]:
    """Return the last window of each agent for each prompt, in the order of the requests."""
    segments: dict[str, int] = {}
    last: dict[tuple[str, str, int, int], Window] = {}
    for request in requests:
        segment = segments.get(request.session, 0) if request.agent == MAIN else 0
        if request.kind == "compact":
            segments[request.session] = segments.get(request.session, 0) + 1
        elif request.kind == "turn":
            key = (request.session, request.agent, segment, request.prompt)
            last.pop(key, None)
            last[key] = Window(*key, request.texts)
    return list(last.values())


def counts(window: Window) -> dict[str, list[str]]:
    """Return where each mark is in a window, once for each time.

    What a model wrote is left out, but for its answers: each is in the window as such.
    """
    found: dict[str, list[str]] = {}
    for text in window.texts:
        for mark in MARK.findall(text.text):
            if text.role not in OWN or (mark.startswith(ANSWERS) and text.role == "model"):
                found.setdefault(mark, []).append(f"{text.role} {text.place}")
    return found


def faults(
    requests: Iterable[Request], needed: Callable[[Window], Iterable[str]]
) -> Iterator[Fault]:
    """Yield each mark that is missing from a window that needs it, or in a window twice.

    The same fault in later prompts of a window is yielded once.
    """
    seen: set[tuple[str, str, str, int, bool]] = set()
    for window in windows(requests):
        found = counts(window)
        for mark in sorted({*needed(window), *found}):
            places = found.get(mark, [])
            key = (mark, window.session, window.agent, window.segment, bool(places))
            if (len(places) > 1 or (not places and mark in {*needed(window)})) and key not in seen:
                seen.add(key)
                yield Fault(mark, len(places), *window[:4], tuple(places))


def unasked(texts: Iterable[Text]) -> tuple[Text, ...]:
    """Return texts without the results of tools."""
    return tuple(each for each in texts if each.role != "result")


def as_sent(request: Request) -> str:
    """Return a request as one text, in the order in which a model reads it."""
    return "".join(f"\0{each.role}\0{each.text}" for each in request.texts)


def tokens(requests: Iterable[Request]) -> int:
    """Return what all requests together cost, in tokens of 4 bytes."""
    return sum(len(as_sent(each).encode()) for each in requests) // BYTES_A_TOKEN


def common_share(requests: Sequence[Request]) -> float:
    """Return the share of each request that begins the next one too, from 0 to 1.

    A provider charges less for a beginning that it has seen. Requests of one agent follow each
    other; 1 where each only adds to the one before, or there is no second one.
    """
    shared = whole = 0
    agents: dict[tuple[str, str], list[str]] = {}
    for request in requests:
        if request.kind == "turn":
            agents.setdefault((request.session, request.agent), []).append(as_sent(request))
    for before, after in (pair for sent in agents.values() for pair in pairwise(sent)):
        shared += _common(before, after)
        whole += len(before)
    return shared / whole if whole else 1.0


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:  # the first difference, by halves
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low

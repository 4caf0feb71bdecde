"""How a strategy is carried out: numbered steps that name commands which can be run as written.

``ctx agent`` and ``ctx search`` get the options that the decision needs; the host's own tools
are named instead of ``ctx search`` where it lists some.
"""

from collections.abc import Sequence
from shlex import join
from typing import Literal, NamedTuple

Strategy = Literal["STUFF", "HYBRID", "RAG", "RAG+GRAPH"]
"""Include all of the content; retrieve some and read on; retrieve; retrieve along links."""

LEAST_RETRIEVED = 4_000
"""Fewer tokens are not worth retrieving."""
LEAST_LOOKED_UP = 500
"""Fewer tokens are not worth looking up besides."""
LONGEST_QUERY = 1_000
"""Characters of a query that a command repeats: nobody checks a longer line."""
_JOINERS = "\u200c\u200d"
"""Invisible parts of words, as in Persian and Hindi."""
_NAMED = 3
"""Paths that a step names."""


def typed(query: str) -> str:
    """Return ``query`` as a command repeats it: one line of text that can be typed.

    White space and characters that cannot be shown become spaces; words over ``LONGEST_QUERY``
    are left out. ``-`` alone would mean standard input, and becomes empty.
    """
    shown = "".join(char if char.isprintable() or char in _JOINERS else " " for char in query)
    line = " ".join(shown.split())
    if len(line) > LONGEST_QUERY:
        cut = line[: LONGEST_QUERY + 1]
        line = cut.rpartition(" ")[0] or line[:LONGEST_QUERY]
    return "" if line == "-" else line


class Hand(NamedTuple):
    """What is at hand to carry a decision out."""

    tools: Sequence[str] = ()
    """Names of the host's own tools, which then replace ``ctx search``."""
    paths: Sequence[str] = ()
    """The paths of the content, as given."""
    directory: bool = True
    """Whether there is a context directory."""
    keeps: bool = True
    """Whether an index can be stored."""
    meaning: bool = True
    """Whether the static embedder can be used."""


class Step(NamedTuple):
    """One step of carrying a decision out."""

    do: str
    command: str = ""
    """A line for a POSIX shell, which can be run as written; empty where the reader acts."""
    tools: tuple[str, ...] = ()
    """The host's tools that the step needs."""


class Plan(NamedTuple):
    """A decision, and its figures."""

    strategy: Strategy
    query: str
    content: int
    """Tokens of the content."""
    available: int
    """Tokens that are free."""
    retrieved: int
    """Tokens to retrieve."""
    context_length: int
    hand: Hand = Hand()
    in_crisis: bool = False
    """Whether the query is that of somebody in distress."""


def steps(plan: Plan) -> tuple[Step, ...]:
    """Return the steps that carry ``plan`` out, in order."""
    work = _Work(plan)
    found = work.stuff() if plan.strategy == "STUFF" else work.retrieve()
    if not plan.hand.directory and any(step.command for step in found):
        found = [Step("Make a context directory, since there is none.", "ctx init"), *found]
    if plan.in_crisis:
        found.append(Step("Accuracy is paramount. Ground every answer in verified sources."))
    return tuple(found)


class _Work:
    """The steps of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rest = max(0, plan.available - plan.retrieved)
        self._query = typed(plan.query)
        self._tools = tuple(dict.fromkeys(name for name in plan.hand.tools if name.strip()))
        self._names = ", ".join(map(typed, self._tools))
        self._paths = _listed(plan.hand.paths)
        self._where = f" from {self._paths}" if self._paths else ""

    def stuff(self) -> list[Step]:
        """Return steps that include all of the content."""
        size = self._plan.content
        by = f" with {self._names}" if self._tools else ""
        whole = f"Say all of the content{self._where}{by}, {size:,} tokens; look nothing up."
        return [Step(whole, tools=self._tools), self._rules(self._plan.available - size)]

    def retrieve(self) -> list[Step]:
        """Return steps that retrieve and include what is found."""
        return self._room() + (self._ask() if self._tools else self._find())

    def _room(self) -> list[Step]:
        free = self._plan.available
        if free >= LEAST_RETRIEVED or not self._plan.context_length:
            return []
        left = f"{free:,} are free" if free else "nothing is free"
        least = f"{LEAST_RETRIEVED:,} tokens are the least to retrieve, and {left}"
        return [Step(f"Make room first, by compacting or a new session: {least}.")]

    def _ask(self) -> list[Step]:
        """Return steps that ask the host's tools for what is retrieved."""
        what = f"what the query needs{self._where}, {self._plan.retrieved:,} tokens at most"
        asked = [Step(f"Ask {self._names} for {what}.", tools=self._tools)]
        if self._rest >= LEAST_LOOKED_UP:
            asked.append(self._rules(self._rest))
        return asked

    def _rules(self, budget: int) -> Step:
        what = "Add the rules and what is known of the project, in what is left."
        return Step(what, self._packet(budget))

    def _find(self) -> list[Step]:
        plan = self._plan
        about = "what the query is about" if self._query else "what is known of the project"
        found, extra = self._index() if plan.strategy != "HYBRID" else ([], [])
        looked_up = plan.retrieved // 2 if self._query else 0
        if looked_up < LEAST_LOOKED_UP:
            looked_up = 0
        packet = self._packet(plan.retrieved - looked_up, extra)
        found.append(Step(f"Retrieve the rules and {about}.", packet))
        if looked_up:
            found.append(Step("Look up what is still missing.", self._search(looked_up, extra)))
        if self._paths and self._rest >= LEAST_LOOKED_UP:
            found.append(Step(f"Read in {self._paths} only what is needed, in what is then left."))
        return found

    def _index(self) -> tuple[list[Step], list[str]]:
        """Return the step that indexes, and the options that use the index."""
        plan = self._plan
        extra = ["--embedder", "static"] if plan.hand.meaning and self._query else []
        what = "words and meaning" if extra else "words"
        made = [Step(f"Index {what}, once.", join(["ctx", "index", *extra]))]
        if plan.strategy == "RAG+GRAPH" and self._query:
            extra = [*extra, "--ranker", "discovery"]  # which follows links
        return made if plan.hand.keeps else [], extra

    def _search(self, budget: int, extra: Sequence[str]) -> str:
        options = ["--budget", str(budget), *extra]
        asked = [self._query, *options]
        if self._query[0] == "-":
            asked = [*options, "--", self._query]
        return join(["ctx", "search", *asked])

    def _packet(self, budget: int, extra: Sequence[str] = ()) -> str:
        """Return the call of ``ctx agent`` for ``budget`` tokens.

        It has no options of the window: they would decide again, by pressure, and retrieve
        nothing from half full on.
        """
        query = self._query
        asked = ["--query", query] if query else []
        if query[:1] == "-":
            asked = [f"--query={query}"]
        parts = ["--budget", str(budget), *asked, *extra]
        return join(["ctx", "agent", *parts])


def _listed(paths: Sequence[str]) -> str:
    """Return ``paths`` as a list in a sentence, each once, the first of many."""
    names = [typed(path) for path in dict.fromkeys(paths)]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")

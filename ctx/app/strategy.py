"""Strategy: include all of the content, a part of it, or only what is looked up.

Source: ``strategy``, section "Strategy". A heuristic that can be checked by hand: the words of
the query give the class of task, and the first row of a table that holds decides. Figures are
tokens, k is 1,000. An answer has numbered steps that name commands which can be run as written:
``ctx agent`` and ``ctx search`` get the options that the decision needs; the host's own tools
are named instead of ``ctx search`` where it lists some.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from shlex import join
from typing import Literal, NamedTuple, cast

from ctx.app.find import find_any
from ctx.app.options import PacketOptions
from ctx.app.window import free_tokens, kept_tokens, phrase_in, tokens
from ctx.config import quoted, whole_number
from ctx.model import JsonObject
from ctx.text.names import shown
from ctx.text.tables import groups
from ctx.world import World

Strategy = Literal["STUFF", "HYBRID", "RAG", "RAG+GRAPH"]
"""Include all of the content; retrieve some and read on; retrieve; retrieve along links."""
TaskClass = Literal["rag_critical", "stuff_friendly", "hybrid", "unknown"]
Origin = Literal["chars", "files", "size", "assumed"]  # how the size of the content is known

K = 1_000
SMALL = 32 * K  # content up to this size is included whole where it fits
LARGE = 128 * K  # content over this size is looked up unless it can be included whole
HUGE = 1_000 * K  # content over this size is too large to be found by words and nearness alone
NARROW = 16 * K  # a context length under this holds little beside what is retrieved
SHARES: Mapping[Strategy, int] = {"STUFF": 0, "HYBRID": 30, "RAG": 70, "RAG+GRAPH": 70}
"""Percent of the free tokens that is retrieved."""
LEAST_RETRIEVED = 4_000  # fewer tokens are not worth retrieving
LEAST_LOOKED_UP = 500  # fewer tokens are not worth looking up besides
LONGEST_QUERY = 1_000  # characters of a query that a command repeats: nobody checks a longer line
_JOINERS = "\u200c\u200d"  # invisible parts of words, as in Persian and Hindi
_NAMED = 3  # paths that a step names
ORIGINS: Mapping[Origin, tuple[str, str]] = {
    "chars": ("counted in characters", "by its characters"),
    "files": ("the sizes of files", "by the sizes of its files"),
    "size": ("a word for the size", "by the word for its size"),
    "assumed": ("assumed", "which is assumed, as its size is not known"),
}
"""How the size of the content is known: in a word, and as the end of a sentence."""


class Options(NamedTuple):
    """What the command was given, as typed."""

    query: str
    paths: Sequence[str] = ()
    chars: str | None = None
    size: str = ""
    context_length: str | None = None
    used_tokens: str | None = None
    tools: Sequence[str] = ()


def advise(options: Options, world: "World") -> tuple["Answer", tuple[str, ...]]:
    """Return the advice for ``options``, their query as it is, and warnings. Raises CtxError."""
    from ctx.app.settings import load  # the server of MCP starts without settings

    root = find_any(world)
    reranker = load(root, world, PacketOptions()).settings.rerank
    rerank = "" if reranker == "none" else reranker
    tools = [name.strip() for given in options.tools for name in given.split(",")]
    meaning = find_spec("numpy") is not None
    hand = Hand(tools, options.paths, bool(root), world.keeps, meaning, rerank)
    ask = Ask(options.query, hand=hand)
    if options.context_length is not None:
        ask = ask._replace(context_length=whole_number("--context-length", options.context_length))
    if options.used_tokens is not None:
        ask = ask._replace(used_tokens=whole_number("--used-tokens", options.used_tokens))
    size, warnings = content(options, world)
    return decide(ask._replace(content=size)), warnings


def content(options: Options, world: "World") -> tuple["Content", tuple[str, ...]]:
    """Return the size of the content and warnings: by characters, else files, else a word."""
    if options.chars is not None:
        return Content(in_tokens(whole_number("--chars", options.chars)), "chars"), ()
    if options.paths:
        from ctx.app.content import measure  # which loads a library

        measured = measure(options.paths, world.cwd, world.home)
        return Content(in_tokens(measured.bytes), "files"), measured.warnings
    size = options.size.strip().lower()
    if size in SIZES:
        return Content(SIZES[size], "size"), ()
    assumed = Content(ASSUMED)
    if size in ("", "unknown"):
        return assumed, ()
    known = ", ".join(SIZES)
    what = f"unknown size {quoted(options.size)} (one of {known}): {assumed.tokens:,} tokens"
    return assumed, (f"--size: {what}",)


SIZES = {
    "tiny": 2 * K, "small": 8 * K, "medium": 32 * K, "large": 100 * K, "huge": 500 * K,
    "massive": 2_000 * K,
}  # fmt: skip
ASSUMED = 64 * K  # assumed tokens of content of unknown size
_PER_TOKEN = 4  # characters, or bytes of a file


class Content(NamedTuple):
    """The size of the content."""

    tokens: int
    origin: Origin = "assumed"


def in_tokens(size: int) -> int:
    """Return characters or bytes ÷ 4, rounded up: content over a limit is never at it."""
    return -(-size // _PER_TOKEN)


class Task(NamedTuple):
    """A kind of task, and the phrases by which a query shows it."""

    name: str
    task_class: TaskClass
    phrases: tuple[str, ...]


TASKS = tuple(
    Task(name, cast("TaskClass", task_class), tuple(phrase for (phrase,) in rows))
    for name, (task_class, rows) in groups(__file__, "strategy.txt").items()
)
CRISIS = TASKS[0].phrases


def task_of(query: str) -> tuple[TaskClass, str]:
    """Return the class of the task, and the phrase of the query that shows it; empty for none."""
    for task in TASKS:
        if phrase := phrase_in(query, task.phrases, beginnings=True):
            return task.task_class, phrase
    return "unknown", ""


class Facts(NamedTuple):
    """What the table decides by."""

    task: TaskClass
    content: int  # tokens
    available: int  # tokens that are free
    context_length: int

    @property
    def fits(self) -> bool:
        """Whether all of the content can be included."""
        return self.content <= self.available

    @property
    def mixes(self) -> bool:
        """Whether the task gains from an overview and from details alike."""
        return self.task in ("hybrid", "stuff_friendly")


class Row(NamedTuple):
    """One row of the table of decisions."""

    name: str
    holds: Callable[[Facts], bool]
    strategy: Strategy
    confidence: float
    why: str  # the row in words, for who reads the answer


ROWS = (  # the table of the source, in its order: the first row that holds decides
    Row(
        "critical-fits", lambda it: it.task == "rag_critical" and it.fits, "HYBRID", 0.85,
        "It could be included whole, but the answer has to rest on what was looked up.",
    ),
    Row(
        "small-fits", lambda it: it.content <= SMALL and it.fits, "STUFF", 0.95,
        f"Up to {SMALL:,} tokens that fit are included whole.",
    ),
    Row(
        "making-fits", lambda it: it.fits and it.task == "stuff_friendly", "STUFF", 0.85,
        "Who makes something of the content is best served by the whole of it, and it fits.",
    ),
    Row(
        "mixed-narrow",
        lambda it: it.content <= LARGE and it.mixes and it.context_length < NARROW, "RAG", 0.80,
        f"A context of under {NARROW:,} tokens has room for little but what is looked up.",
    ),
    Row(
        "mixed", lambda it: it.content <= LARGE and it.mixes, "HYBRID", 0.75,
        f"Up to {LARGE:,} tokens are worth reading on in, once a part was retrieved.",
    ),
    Row(
        "huge", lambda it: it.content > HUGE, "RAG+GRAPH", 0.70,
        f"Among over {HUGE:,} tokens links lead to what words alone do not find.",
    ),
    Row(
        "large", lambda it: it.content > LARGE or not it.fits, "RAG", 0.80,
        f"What does not fit, or is over {LARGE:,} tokens, is looked up.",
    ),
    Row(
        "otherwise", lambda _: True, "HYBRID", 0.60,
        "It fits, and the task is not known: a part is retrieved, and the rest read where needed.",
    ),
)  # fmt: skip


def row_of(facts: Facts) -> Row:
    """Return the first row that holds."""
    return next(row for row in ROWS if row.holds(facts))


def retrieval_budget(strategy: Strategy, available: int) -> int:
    """Return the tokens to retrieve: none for STUFF, else a share of what is free.

    30 % for HYBRID, 70 % for RAG with or without a graph, and at least 4,000, even where less is
    free: less is not worth retrieving, and the steps say to make room first.
    """
    share = SHARES[strategy]
    return max(LEAST_RETRIEVED, available * share // 100) if share else 0


class Hand(NamedTuple):
    """What is at hand to carry a decision out."""

    tools: Sequence[str] = ()  # names of the host's own tools, which then replace ``ctx search``
    paths: Sequence[str] = ()  # the paths of the content, as given
    directory: bool = True  # whether there is a context directory
    keeps: bool = True  # whether an index can be stored
    meaning: bool = True  # whether the static embedder can be used
    rerank: str = ""  # the reranker that is set up; empty for none


class Step(NamedTuple):
    """One step of carrying a decision out."""

    do: str
    command: str = ""  # a line for a POSIX shell to run as written; empty where the reader acts
    tools: tuple[str, ...] = ()  # the host's tools that the step needs


class Ask(NamedTuple):
    """The question; negative figures are 0, those over ``MOST`` are ``MOST``."""

    query: str
    content: Content = Content(ASSUMED)
    context_length: int = LARGE
    used_tokens: int = 0
    hand: Hand = Hand()


class Answer(NamedTuple):
    """The advice, and its reasons."""

    strategy: Strategy
    confidence: float  # as in the row that decided
    reasoning: tuple[str, ...]  # sentences with the figures
    task_class: TaskClass
    signal: str  # the phrase of the query that shows the task; empty for none
    tokens: int  # of the content
    tokens_from: Origin
    context_length: int
    used_tokens: int
    budget: int  # free tokens, with which the content is compared
    fits: bool
    utilisation: float  # content ÷ budget (1 where nothing is free); over 1 it does not fit
    retrieval_budget: int  # tokens to retrieve
    steps: tuple[Step, ...] = ()

    def as_json(self, query: str, warnings: Sequence[str]) -> "JsonObject":
        """Return the answer to ``query`` as JSON has it."""
        return {
            "query": query,
            **self._asdict(),
            "reasoning": " ".join(self.reasoning),
            "signal": self.signal or None,
            "steps": [
                {"step": number, **step._asdict(), "command": step.command or None}
                for number, step in enumerate(self.steps, start=1)
            ],
            "warnings": [*warnings],
        }


def decide(ask: Ask) -> Answer:
    """Return the strategy for ``ask``, with its reasons and its steps. There always is one."""
    length, used = tokens(ask.context_length), tokens(ask.used_tokens)
    size = Content(tokens(ask.content.tokens), ask.content.origin)
    ask = ask._replace(context_length=length, used_tokens=used, content=size)
    task_class, signal = task_of(ask.query)
    facts = Facts(task_class, size.tokens, free_tokens(length, used), length)
    row = row_of(facts)
    answer = Answer(
        strategy=row.strategy,
        confidence=row.confidence,
        reasoning=_reasons(ask, facts, signal, row.why),
        tokens=size.tokens,
        tokens_from=size.origin,
        budget=facts.available,
        context_length=length,
        used_tokens=used,
        fits=facts.fits,
        utilisation=round(size.tokens / max(1, facts.available), 4),
        task_class=task_class,
        signal=signal,
        retrieval_budget=retrieval_budget(row.strategy, facts.available),
    )
    return answer._replace(steps=steps(answer, ask))


def _reasons(ask: Ask, facts: Facts, signal: str, why: str) -> tuple[str, ...]:
    task = f"'{signal}' in the query shows" if signal else "No phrase of the query shows"
    used = f"Of {facts.context_length:,} tokens {ask.used_tokens:,} are used"
    kept = f"{kept_tokens(facts.context_length):,} kept for the answer"
    if facts.available:
        free = f"{facts.available:,} are free, so it {'fits' if facts.fits else 'does not fit'}"
    else:
        free = "nothing is free" if facts.fits else "nothing is free, so it does not fit"
    return (
        f"The content has {facts.content:,} tokens, {ORIGINS[ask.content.origin][1]}.",
        f"{used} and {kept}: {free}.",
        f"{task} the task: {facts.task}.",
        why,
    )


def typed(query: str) -> str:
    """Return ``query`` on a line as it can be typed, ``LONGEST_QUERY`` at most; empty for ``-``."""
    shown = "".join(char if char.isprintable() or char in _JOINERS else " " for char in query)
    line = " ".join(shown.split())
    if len(line) > LONGEST_QUERY:
        cut = line[: LONGEST_QUERY + 1]
        line = cut.rpartition(" ")[0] or line[:LONGEST_QUERY]
    return "" if line == "-" else line


RERANK = Step("Rerank what was found: put first what answers the query by itself.")
VERIFY = Step("Verify each fact that you state at its source; leave out what no source holds.")
CITE = Step("Cite the source of each fact: the file and line, or the id, that is beside it.")
LOOKED_UP: tuple[Strategy, ...] = ("RAG", "RAG+GRAPH")  # those that include only what is found


def steps(answer: Answer, ask: Ask) -> tuple[Step, ...]:
    """Return the steps that carry out what ``answer`` says about ``ask``, in order."""
    work = _Work(answer, ask)
    found = work.stuff() if answer.strategy == "STUFF" else work.retrieve()
    if not ask.hand.directory and any(step.command for step in found):
        found = [Step("Make a context directory, since there is none.", "ctx init"), *found]
    if answer.strategy in LOOKED_UP and ask.query.strip() and not work.reranker:
        found.append(RERANK)
    if answer.strategy in LOOKED_UP or answer.task_class == "rag_critical":
        found += [VERIFY, CITE]
    if answer.signal in CRISIS:
        found.append(Step("Accuracy is paramount. Ground every answer in verified sources."))
    return tuple(found)


class _Work:
    def __init__(self, answer: Answer, ask: Ask) -> None:
        self._answer = answer
        self._hand = ask.hand
        self._rest = max(0, answer.budget - answer.retrieval_budget)
        self._query = typed(ask.query)
        self._tools = tuple(dict.fromkeys(name for name in ask.hand.tools if name.strip()))
        self._names = ", ".join(map(typed, self._tools))
        names = [typed(shown(path)) for path in dict.fromkeys(ask.hand.paths)]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        self._paths = ", ".join(names[:_NAMED]) + more
        self._where = f" from {self._paths}" if self._paths else ""
        self.reranker = "" if self._tools else typed(ask.hand.rerank)  # empty for none

    def stuff(self) -> list[Step]:
        size = self._answer.tokens
        by = f" with {self._names}" if self._tools else ""
        whole = f"Include all of the content{self._where}{by}, {size:,} tokens; look nothing up."
        return [Step(whole, tools=self._tools), self._rules(self._answer.budget - size)]

    def retrieve(self) -> list[Step]:
        steps = self._ask() if self._tools else self._find()
        free = self._answer.budget
        if free >= LEAST_RETRIEVED or not self._answer.context_length:
            return steps
        left = f"{free:,} are free" if free else "nothing is free"
        least = f"{LEAST_RETRIEVED:,} tokens are the least to retrieve, and {left}"
        return [Step(f"Make room first, by compacting or a new session: {least}."), *steps]

    def _ask(self) -> list[Step]:
        most = f"{self._answer.retrieval_budget:,} tokens at most"
        what = f"what the query needs{self._where}, {most}"
        asked = [Step(f"Ask {self._names} for {what}.", tools=self._tools)]
        if self._rest >= LEAST_LOOKED_UP:
            asked.append(self._rules(self._rest))
        return asked

    def _rules(self, budget: int) -> Step:
        what = "Add the rules and what is known of the project, in what is left."
        return Step(what, self._packet(budget))

    def _find(self) -> list[Step]:
        retrieved = self._answer.retrieval_budget
        about = "what the query is about" if self._query else "what is known of the project"
        found, extra = self._index() if self._answer.strategy != "HYBRID" else ([], [])
        looked_up = retrieved // 2 if self._query else 0
        if looked_up < LEAST_LOOKED_UP:
            looked_up = 0
        packet = self._packet(retrieved - looked_up, extra)
        found.append(Step(f"Retrieve the rules and {about}.", packet))
        if looked_up:
            found.append(Step("Look up what is still missing.", self._search(looked_up, extra)))
        if self._paths and self._rest >= LEAST_LOOKED_UP:
            found.append(Step(f"Read in {self._paths} only what is needed, in what is then left."))
        return found

    def _index(self) -> tuple[list[Step], list[str]]:
        """Return the step that indexes, and the options that use the index."""
        extra = ["--embedder", "static"] if self._hand.meaning and self._query else []
        what = "words and meaning" if extra else "words"
        made = [Step(f"Index {what}, once.", join(["ctx", "index", *extra]))]
        if self._answer.strategy == "RAG+GRAPH" and self._query:
            extra = [*extra, "--ranker", "discovery"]  # which follows links
        if self.reranker and self._query:
            extra = [*extra, "--rerank", self.reranker]
        return made if self._hand.keeps else [], extra

    def _search(self, budget: int, extra: Sequence[str]) -> str:
        options = ["--budget", str(budget), *extra]
        first = self._query[0] == "-"
        asked = [*options, "--", self._query] if first else [self._query, *options]
        return join(["ctx", "search", *asked])

    def _packet(self, budget: int, extra: Sequence[str] = ()) -> str:
        """Return the call of ``ctx agent``; options of the window would decide again."""
        query = self._query
        asked = ["--query", query] if query else []
        if query[:1] == "-":
            asked = [f"--query={query}"]
        return join(["ctx", "agent", "--budget", str(budget), *asked, *extra])

"""Strategy: include all of the content, a part of it, or only what is looked up.

Source: ``strategy``, section "Strategy". A heuristic that can be checked by hand: the words of
the query give the class of task, and the first row of a table that holds decides. Figures are
tokens, k is 1,000. Nothing here reads a file or knows an entry.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from ctx.app.strategy_steps import LEAST_RETRIEVED, Hand, Plan, Step, Strategy, steps
from ctx.app.window import free_tokens, kept_tokens, phrase_in, tokens

TaskClass = Literal["rag_critical", "stuff_friendly", "hybrid", "unknown"]
Origin = Literal["chars", "files", "size", "assumed"]
"""How the size of the content is known."""

K = 1_000
SMALL = 32 * K
"""Content up to this size is included whole where it fits."""
LARGE = 128 * K
"""Content over this size is looked up unless it can be included whole."""
HUGE = 1_000 * K
"""Content over this size is too large to be found by words and nearness alone."""
NARROW = 16 * K
"""A context length under this holds little beside what is retrieved."""
SHARES: Mapping[Strategy, int] = {"STUFF": 0, "HYBRID": 30, "RAG": 70, "RAG+GRAPH": 70}
"""Percent of the free tokens that is retrieved."""

# --- the size of the content --------------------------------------------------------------

SIZES = {
    "tiny": 2 * K, "small": 8 * K, "medium": 32 * K, "large": 100 * K, "huge": 500 * K,
    "massive": 2_000 * K,
}  # fmt: skip
ASSUMED = 64 * K
"""Assumed tokens of content of unknown size."""
_PER_TOKEN = 4
"""Characters, or bytes of a file."""


class Content(NamedTuple):
    """The size of the content."""

    tokens: int
    origin: Origin = "assumed"


def content(chars: int | None = None, file_bytes: int | None = None, size: str = "") -> Content:
    """Return the size of the content: characters ÷ 4, else bytes ÷ 4, else by word, else 64k.

    A part of a token counts as one, so that content over a limit is never at it. ``size`` is a
    key of ``SIZES`` in any case; any other word counts as none.
    """
    if chars is not None:
        return Content(-(-tokens(chars) // _PER_TOKEN), "chars")
    if file_bytes is not None:
        return Content(-(-tokens(file_bytes) // _PER_TOKEN), "files")
    known = SIZES.get(size.strip().casefold())
    return Content(ASSUMED) if known is None else Content(known, "size")


# --- the class of the task ----------------------------------------------------------------


class Task(NamedTuple):
    """A kind of task, and the phrases by which a query shows it."""

    name: str
    task_class: TaskClass
    phrases: tuple[str, ...]


CRISIS = (
    "suicid", "kill myself", "end my life", "want to die", "self-harm", "crisis", "emergency",
    "988", "don't want to live", "better off dead",
)  # fmt: skip
"""Phrases of somebody in distress: the answer has to rest on what was looked up."""
TASKS = (
    Task("crisis", "rag_critical", CRISIS),
    Task(
        "factual",
        "rag_critical",
        (
            "what is", "who is", "when did", "where is", "how many", "cite", "source",
            "reference", "according to", "evidence", "fact check", "verify", "accurate",
            "precise", "research", "paper", "study", "arxiv",
        ),
    ),
    Task(
        "making",
        "stuff_friendly",
        (
            "write a", "draft", "story", "poem", "creative", "brainstorm", "idea", "imagine",
            "design", "translate", "rewrite", "summarize this", "review this code", "refactor",
        ),
    ),
    Task(
        "analysis",
        "hybrid",
        (
            "analyze", "compare", "evaluate", "assess", "plan", "strategy", "pros and cons",
            "trade-off", "explain", "describe", "how does", "why does",
        ),
    ),
)  # fmt: skip
"""The first task decides of which the query has a phrase, as the beginnings of words."""


def task_of(query: str) -> tuple[TaskClass, str]:
    """Return the class of the task, and the phrase of the query that shows it; empty for none."""
    for task in TASKS:
        if phrase := phrase_in(query, task.phrases, beginnings=True):
            return task.task_class, phrase
    return "unknown", ""


# --- the decision -------------------------------------------------------------------------


class Facts(NamedTuple):
    """What the table decides by."""

    task: TaskClass
    content: int
    """Tokens."""
    available: int
    """Tokens that are free."""
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
    why: str
    """The row in words, for who reads the answer."""


ROWS = (
    Row(
        "critical-fits",
        lambda it: it.task == "rag_critical" and it.fits,
        "HYBRID",
        0.85,
        "It could be said whole, but the answer has to rest on what was looked up.",
    ),
    Row(
        "small-fits",
        lambda it: it.content <= SMALL and it.fits,
        "STUFF",
        0.95,
        f"Up to {SMALL:,} tokens that fit are said whole.",
    ),
    Row(
        "making-fits",
        lambda it: it.fits and it.task == "stuff_friendly",
        "STUFF",
        0.85,
        "Who makes something of the content is best served by the whole of it, and it fits.",
    ),
    Row(
        "mixed-narrow",
        lambda it: it.content <= LARGE and it.mixes and it.context_length < NARROW,
        "RAG",
        0.80,
        f"A context of under {NARROW:,} tokens has room for little but what is looked up.",
    ),
    Row(
        "mixed",
        lambda it: it.content <= LARGE and it.mixes,
        "HYBRID",
        0.75,
        f"Up to {LARGE:,} tokens are worth reading on in, once a part was retrieved.",
    ),
    Row(
        "huge",
        lambda it: it.content > HUGE,
        "RAG+GRAPH",
        0.70,
        f"Among over {HUGE:,} tokens links lead to what words alone do not find.",
    ),
    Row(
        "large",
        lambda it: it.content > LARGE or not it.fits,
        "RAG",
        0.80,
        f"What does not fit, or is over {LARGE:,} tokens, is looked up.",
    ),
    Row(
        "otherwise",
        lambda _: True,
        "HYBRID",
        0.60,
        "It fits, and nothing tells what for: a part is retrieved, and read on from.",
    ),
)
"""The table of the source, in its order: the first row that holds decides."""


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


# --- the answer ---------------------------------------------------------------------------


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
    confidence: float
    """As in the row that decided."""
    reasoning: tuple[str, ...]
    """Sentences with the figures."""
    tokens: int
    """Of the content."""
    origin: Origin
    budget: int
    """Free tokens, with which the content is compared."""
    context_length: int
    used_tokens: int
    fits: bool
    utilisation: float
    """Content ÷ budget, by 1 where nothing is free; four digits. Over 1 it does not fit."""
    task_class: TaskClass
    signal: str
    """The phrase of the query that shows the task; empty for none."""
    retrieval_budget: int
    """Tokens to retrieve."""
    steps: tuple[Step, ...]


def decide(ask: Ask) -> Answer:
    """Return the strategy for ``ask``, with its reasons and its steps. There always is one."""
    length, used = tokens(ask.context_length), tokens(ask.used_tokens)
    size = Content(tokens(ask.content.tokens), ask.content.origin)
    ask = ask._replace(context_length=length, used_tokens=used, content=size)
    task_class, signal = task_of(ask.query)
    facts = Facts(task_class, size.tokens, free_tokens(length, used), length)
    row = row_of(facts)
    retrieved = retrieval_budget(row.strategy, facts.available)
    plan = Plan(
        row.strategy, ask.query, size.tokens, facts.available, retrieved, length, ask.hand,
        in_crisis=signal in CRISIS,
    )  # fmt: skip
    return Answer(
        strategy=row.strategy,
        confidence=row.confidence,
        reasoning=_reasons(ask, facts, signal, row.why),
        tokens=size.tokens,
        origin=size.origin,
        budget=facts.available,
        context_length=length,
        used_tokens=used,
        fits=facts.fits,
        utilisation=round(size.tokens / max(1, facts.available), 4),
        task_class=task_class,
        signal=signal,
        retrieval_budget=retrieved,
        steps=steps(plan),
    )


_ORIGINS: Mapping[Origin, str] = {
    "chars": "by its characters",
    "files": "by the sizes of its files",
    "size": "by the word for its size",
    "assumed": "which is assumed, as nothing tells its size",
}


def _reasons(ask: Ask, facts: Facts, signal: str, why: str) -> tuple[str, ...]:
    """Return the sentences that lead to the decision, figures included."""
    task = f"'{signal}' in the query tells" if signal else "No phrase of the query tells"
    used = f"Of {facts.context_length:,} tokens {ask.used_tokens:,} are used"
    kept = f"{kept_tokens(facts.context_length):,} kept for the answer"
    if facts.available:
        free = f"{facts.available:,} are free, so it {'fits' if facts.fits else 'does not fit'}"
    else:
        free = "nothing is free" if facts.fits else "nothing is free, so it does not fit"
    return (
        f"The content has {facts.content:,} tokens, {_ORIGINS[ask.content.origin]}.",
        f"{used} and {kept}: {free}.",
        f"{task} the task: {facts.task}.",
        why,
    )

"""Values that are the same in every directory: names out of the program's own registries."""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import get_args

from ctx import rank
from ctx.app.strategy import SIZES as WORDS
from ctx.cli.completing import FILE, Asked, Value
from ctx.hosts import GIT, GIT_EVENT, all_hooks, hooks_of
from ctx.llm.embedders import NONE, SCHEMES
from ctx.llm.spec import GROUP
from ctx.llm.summarisers import EXTRACTIVE
from ctx.model import PLURALS, STATUSES, Kind
from ctx.text.tokens import NAMES

_KINDS = {"lore": "background in an authored document", "turn": "turns of sessions"}
_LIBRARIES = {"o200k": "rs_bpe", "cl100k": "rs_bpe"}
FILES = (FILE,)
FOCUS = (Value("git", "all files that git calls changed"), FILE)
FORMATS = (Value("md", "Markdown"), Value("json", "one JSON object"))
FILLS = (Value("none", "nothing"), Value("recent", "what is recent"))
RULES = (Value("whole"), Value("pointed", "by file and size"))
PLANNERS = (
    Value("tiered", "a share of the budget for each section"),
    Value("acs", "by benefit and cost"),
)
RERANKERS = (Value(NONE, "in the order of the ranker"),)  # the others need a path
RANKERS = (
    Value("auto", f"{rank.BY_AGE} without a query, {rank.BY_QUERY} with one"),
    *(Value(name, info.help) for name, info in rank.RANKERS.items()),
)
FINDERS = tuple(Value(name, rank.RANKERS[name].help) for name in rank.FINDERS)
SIZES = tuple(Value(name, f"{tokens:,} tokens") for name, tokens in WORDS.items())
LISTED = (
    *(Value(many, _KINDS.get(kind, "")) for many, kind in PLURALS.items()),
    Value("sessions", "those that are stored"),
)
TOOLS = (
    *(Value(hooks.name, hooks.title) for hooks in all_hooks()),
    Value(GIT, "reminds of decisions that nobody wrote down"),
)
SUMMARISERS = (Value(EXTRACTIVE, "sentences of the turns, no model"),)  # others need an address


def kinds(asked: Asked) -> Iterator[Value]:
    """Return kinds of entries, also behind others and a comma."""
    return _behind_commas(get_args(Kind), asked.word)


def statuses(asked: Asked) -> Iterator[Value]:
    """Return statuses of entries, also behind others and a comma."""
    return _behind_commas(STATUSES, asked.word)


def _behind_commas(names: Iterable[str], word: str) -> Iterator[Value]:
    head = word[: word.rfind(",") + 1]
    given = head.split(",")
    for name in names:
        if name not in given:
            yield Value(f"{head}{name}", _KINDS.get(name, ""))


def tokenizers(_: Asked) -> Iterator[Value]:
    """Return the counters that can count here, and files."""
    for name in NAMES:
        library = _LIBRARIES.get(name)
        if library is None or find_spec(library):
            yield Value(name, "exact" if library else "needs no library")
    yield FILE


def embedders(_: Asked) -> Iterator[Value]:
    """Return the embedders that need no address: those of other packages last."""
    from importlib.metadata import entry_points  # slow

    yield Value(NONE, "words alone")
    if find_spec("numpy"):
        yield from (
            Value(name, "comes with ctx")
            for name, scheme in SCHEMES.items()
            if not scheme.takes_argument
        )
    # Not by ``ctx.llm.embedders.plugins``, which needs numpy.
    named = sorted({one.name for one in entry_points(group=GROUP)})
    yield from (Value(name, "of another package") for name in named)


def events(asked: Asked) -> Iterable[Value]:
    """Return the events for which the tool on the line runs hooks."""
    name = str(asked.given.get("tool") or "")
    if name == GIT:
        return (Value(GIT_EVENT),)
    found = hooks_of(name)
    return map(Value, found.events if found else ())

"""Advice on how to give a model some content: all of it, a part, or what is looked up."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import find
from ctx.app.strategy_rules import SIZES, Ask, content, decide
from ctx.app.strategy_steps import Hand
from ctx.config import quoted
from ctx.config.numbers import whole
from ctx.errors import NoDirectoryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.app.strategy_rules import Answer, Content
    from ctx.world import World


ORIGINS = {
    "chars": "counted in characters",
    "files": "the sizes of files",
    "size": "a word for the size",
    "assumed": "assumed",
}


class Options(NamedTuple):
    """What the command was given, as typed."""

    query: str
    paths: Sequence[str] = ()
    chars: str | None = None
    size: str = ""
    context_length: str | None = None
    used_tokens: str | None = None
    tools: Sequence[str] = ()


class Advice(NamedTuple):
    """An answer, and what it is told as."""

    answer: Answer
    warnings: tuple[str, ...]
    told: dict[str, object]
    """The object of ``--json``."""


def advised(options: Options, world: World) -> Advice:
    """Return the advice for ``options``, whose query is taken as it is. Raises CtxError."""
    ask = Ask(options.query, hand=_hand(options, world))
    if options.context_length is not None:
        ask = ask._replace(context_length=whole("--context-length", options.context_length))
    if options.used_tokens is not None:
        ask = ask._replace(used_tokens=whole("--used-tokens", options.used_tokens))
    size, warnings = _content(options, world)
    answer = decide(ask._replace(content=size))
    return Advice(answer, tuple(warnings), _object(options.query, answer, warnings))


def _hand(options: Options, world: World) -> Hand:
    try:
        find("", world)
        directory = True
    except NoDirectoryError:
        directory = False
    tools = [name.strip() for given in options.tools for name in given.split(",")]
    return Hand(
        tools=tools,
        paths=options.paths,
        directory=directory,
        keeps=not world.environ.get("CTX_NO_CACHE"),
        meaning=find_spec("numpy") is not None,
    )


def _content(options: Options, world: World) -> tuple[Content, tuple[str, ...]]:
    """Return the size of the content, and what is to be said about it."""
    if options.chars is not None:
        return content(chars=whole("--chars", options.chars)), ()
    if options.paths:
        from ctx.app.content import measure  # which loads a library

        found = measure(options.paths, world.cwd, world.home)
        return content(file_bytes=found.bytes), found.warnings
    size = options.size.strip().lower()
    if size in ("", "unknown", *SIZES):
        return content(size=size), ()
    taken = content()
    words = ", ".join(SIZES)
    return taken, (f"--size: {quoted(options.size)} is none of {words}: {taken.tokens:,} tokens",)


def _object(query: str, answer: Answer, warnings: Sequence[str]) -> dict[str, object]:
    return {
        "query": query,
        "strategy": answer.strategy,
        "confidence": answer.confidence,
        "reasoning": " ".join(answer.reasoning),
        "task_class": answer.task_class,
        "signal": answer.signal or None,
        "tokens": answer.tokens,
        "tokens_from": answer.origin,
        "context_length": answer.context_length,
        "used_tokens": answer.used_tokens,
        "budget": answer.budget,
        "fits": answer.fits,
        "utilisation": answer.utilisation,
        "retrieval_budget": answer.retrieval_budget,
        "steps": [
            {
                "step": number,
                "do": step.do,
                "command": step.command or None,
                "tools": step.tools,
            }
            for number, step in enumerate(answer.steps, start=1)
        ],
        "warnings": warnings,
    }

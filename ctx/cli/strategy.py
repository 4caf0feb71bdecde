"""``ctx strategy``: whether to say content whole, a part of it, or what is looked up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ctx.app.strategy import ORIGINS, Options, advised
from ctx.cli.agent import query_of
from ctx.errors import OK
from ctx.streams import complain, safe, safe_json, write_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.app.strategy_rules import Answer
    from ctx.world import World


def run(options: Options, world: World) -> int:
    """Print what is advised; return the exit code."""
    options = options._replace(query=query_of(options.query, "QUERY"))
    advice = advised(options, world)
    for warning in advice.warnings:
        complain(warning)
    if options.as_json:
        text = f"{json.dumps(advice.told, ensure_ascii=False, indent=1)}\n"
    else:
        text = "".join(f"{line}\n" for line in _lines(advice.answer))
    text = safe_json(text) if options.as_json else safe(text)
    write_out(text.encode())
    return OK


def _lines(answer: Answer) -> Iterator[str]:
    """Yield the answer as plain lines, labels apart by two spaces."""
    yield f"strategy    {answer.strategy}"
    yield f"confidence  {answer.confidence:.2f}"
    yield f"task        {answer.task_class}"
    yield f"content     {answer.tokens:,} tokens ({ORIGINS[answer.origin]})"
    yield f"budget      {answer.budget:,} tokens of {answer.context_length:,} are free"
    share = f"{answer.utilisation:.2f} of the budget, if all is said"
    yield f"utilised    {share if answer.budget else 'nothing is free'}"
    yield f"retrieve    {answer.retrieval_budget:,} tokens"
    yield from (f"why         {sentence}" for sentence in answer.reasoning)
    for number, step in enumerate(answer.steps, start=1):
        yield f"{number}. {step.do}"
        if step.command:
            yield f"   {step.command}"

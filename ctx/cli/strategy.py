"""``ctx strategy``: whether to give content whole, a part of it, or what is looked up."""

from collections.abc import Iterator

from ctx.app.options import PacketOptions
from ctx.app.strategy import ORIGINS, Answer, Options, advise
from ctx.cli.agent import query_of
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.streams import complain
from ctx.world import World


@taking("path", "chars", "size", "context-length", "used-tokens", "tool", "json")
def strategy(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    query: str,
    *,
    path: list[str] | None = None,
    chars: str | None = None,
    size: str | None = None,
    tool: list[str] | None = None,
    json: bool = False,
) -> None:
    """Advise whether to give a model all of some content, a part, or only what is looked up.

    Prints the figures, a budget, and steps that can be run as they are. Exit codes:
    0 success, 2 usage, 6 a path is not there.
    """
    asked = Options(
        query_of(query, "QUERY"), path or (), chars, size or "",
        options.context_length, options.used_tokens, tool or (),
    )  # fmt: skip
    answer, warnings = advise(asked, World())
    for warning in warnings:
        complain(warning)
    write_answer(answer.as_json(asked.query, warnings), _lines(answer), as_json=json)


def _lines(answer: Answer) -> Iterator[str]:
    yield f"strategy    {answer.strategy}"
    yield f"confidence  {answer.confidence:.2f}"
    yield f"task        {answer.task_class}"
    yield f"content     {answer.tokens:,} tokens ({ORIGINS[answer.tokens_from][0]})"
    yield f"budget      {answer.budget:,} tokens of {answer.context_length:,} are free"
    share = f"{answer.utilisation:.2f} of the budget, if all is included"
    yield f"utilised    {share if answer.budget else 'nothing is free'}"
    yield f"retrieve    {answer.retrieval_budget:,} tokens"
    yield from (f"why         {sentence}" for sentence in answer.reasoning)
    for number, step in enumerate(answer.steps, start=1):
        yield f"{number}. {step.do}"
        if step.command:
            yield f"   {step.command}"

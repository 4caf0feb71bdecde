"""From a call of a tool to its text, which keeps a bound of tokens."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.options import PacketOptions
from ctx.errors import CtxError
from ctx.mcp.tool import Call, arguments_of
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctx.mcp.tool import Tool
    from ctx.model import Counter, Json, JsonObject


_CUTS = ((8_000, 20), (1_000, 10), (200, 5), (40, 2))
"""Characters that single texts are cut to, and items that lists beside the rows are, in turn,
until a row of what is too long fits: hundreds of warnings must not hide what was asked for."""
NEXT = "{next}"  # replaced in a hint by the number of the first row that is not there
FIRST = "from"  # the member of a result that gives the number of its first row, where that is not 1


class Bound(NamedTuple):
    """How long a result may be, and what gives way."""

    most: int  # tokens
    count: Callable[[str], int]
    run: str  # the member that is cut short: a list by its rows, a text by its lines
    hint: str  # how to ask for the rest

    def holds(self, text: str) -> bool:
        """Whether ``text`` is short enough."""
        return self.count(text) <= self.most


def within(result: JsonObject, bound: Bound) -> str:
    """Return ``result`` as JSON within ``bound``.

    What is too long loses rows from the end of its run, and texts that no bound could hold are
    cut, with an ellipsis. Its member ``truncated`` then names what is missing.
    """
    text = dumped(result)
    if bound.holds(text):
        return text
    for length, items in _CUTS:
        text = _Cutting(result, length, items, bound).longest()
        if text:
            return text
    return dumped({"truncated": f"nothing of it fits {bound.most:,} tokens"})


def dumped(value: Json) -> str:
    """Return ``value`` as JSON without white space, which costs tokens."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Cutting:
    def __init__(self, result: JsonObject, length: int, items: int, bound: Bound) -> None:
        self._bound = bound
        run = result.get(bound.run)
        self._is_text = isinstance(run, str)
        whole = _rows(run)
        self._rows = [_cut(row, length) for row in whole]
        rest = {name: value for name, value in result.items() if name != bound.run}
        few = {name: _first(value, items) for name, value in rest.items()}
        self._rest = {name: _cut(value, length) for name, value in few.items()}
        cut = ("texts", self._rows != whole or self._rest != few), ("lists", few != rest)
        self._shortened = " and ".join(f"long {what} are cut" for what, is_so in cut if is_so)
        first = result.get(FIRST)
        self._first = first if isinstance(first, int) else 1

    def longest(self) -> str:
        """Return as much as there is room for; empty where there is none for the first row."""
        count = len(self._rows)
        if self._bound.holds(text := self._with(count)):
            return text
        fits, over = 0, count
        while over - fits > 1:
            middle = (fits + over) // 2
            if self._bound.holds(self._with(middle)):
                fits = middle
            else:
                over = middle
        return self._with(fits) if fits else ""

    def _with(self, kept: int) -> str:
        shown = dict(self._rest)
        missing = self._shortened
        if self._rows:
            rows = self._rows[:kept]
            shown[self._bound.run] = "".join(map(str, rows)) if self._is_text else rows
        if kept < len(self._rows):
            what = f"lines of {self._bound.run}" if self._is_text else self._bound.run
            part = f"{kept:,} of {len(self._rows):,} {what} are here"
            hint = self._bound.hint.replace(NEXT, str(self._first + kept))
            missing = f"{part}{', and ' if missing else ''}{missing}: {hint}"
        return dumped({**shown, "truncated": missing})


def _rows(run: Json) -> list[Json]:
    if isinstance(run, str):
        return [*run.splitlines(keepends=True)]
    return run if isinstance(run, list) else []


def _first(value: Json, items: int) -> Json:
    """Return ``value`` with no more than ``items`` where it is a list, of texts how many more."""
    if not isinstance(value, list) or len(value) <= items:
        return value
    more = [f"… and {len(value) - items:,} more"] if isinstance(value[items], str) else []
    return [*value[:items], *more]


def _cut(value: Json, length: int) -> Json:
    if isinstance(value, str):
        return value if len(value) <= length else f"{value[:length]}…"
    if isinstance(value, list):
        return [_cut(inner, length) for inner in value]
    if isinstance(value, dict):
        return {name: _cut(inner, length) for name, inner in value.items()}
    return value


def call_tool(tool: Tool, given: JsonObject, dir_: str) -> str:
    """Return the result of ``tool`` as text of at most the tokens that it allows.

    Raises CtxError for what cannot be taken or answered.
    """
    call = Call(arguments_of(tool.arguments, given), dir_, World())
    # Before anything is written: what was added must not end as if it had not been.
    bound = Bound(tool.most, _counter(call).count, tool.run, tool.hint)
    result = tool.answer(call)
    with suppress(CtxError):  # also without a directory, or where nothing is kept
        from ctx.app.noting import called

        called(call.root, call.world)
    return result if isinstance(result, str) else within(result, bound)


def _counter(call: Call) -> Counter:
    from ctx.app.settings import load
    from ctx.text.tokens import counter

    try:
        settings = call._replace(given={}).workspace().settings
    except CtxError:  # no directory, which not every tool needs
        settings = load("", call.world, PacketOptions()).settings
    return counter(settings.tokenizer)

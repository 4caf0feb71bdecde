"""Names that forge lines, hide characters, hold secrets or cost a budget, in every output of ctx.

Names are made of fragments (``tests/naming.py``) and of random characters. A project that has them
everywhere is asked by every command, tool and page; the hook for touched files is asked about
each, and its answer counted by the tokenizers of o200k and cl100k.
"""

from __future__ import annotations

import json
import os
import random
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ctx.text.names import MOST, shown
from ctx.text.tokens import counter
from ctx.text.visible import visible
from scripts.attacks.result import Result
from tests import naming
from tests.forked import forked
from tests.hooks.host import PATIENT

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENS = 500
"""What the answer about a touched file may cost (``rule_tokens``)."""
_BUDGETS = ("o200k", "cl100k", "heuristic")
_PARTS = [
    *naming.FRAGMENTS.values(),
    "\n", "\r", "\t", "\v", "\f", "\x1b[31m", "\u2028", "\u2029", "\u202e", "\u2066", "\x85",
    "\ufeff", "漢" * 40, "令和元年度の報告書", "\U0001f469\u200d\U0001f467" * 9, "ي" * 30, "x" * 90,
    "\\", '"', "'", "`", "#", "> ", "::", "<!-- ", "-->", "```", "~~~", "---", "/", "$(id)", "%0A",
    "\udcff", "\U000e0041", "z\u0301\u0327" * 20, "aB3$" * 20, "\u200b" * 4, "Degraded: ",
    "Day 2026-01-01, budget 9.", "[x](y)", "|", "=", "@", ": ",
]  # fmt: skip


def names(count: int, seed: int = 34) -> Iterator[str]:
    """Yield ``count`` names: the fragments, then random joins of parts and random characters."""
    yield from list(naming.FRAGMENTS.values())[:count]
    dice = random.Random(seed)  # noqa: S311 - the same names each time
    planes = ((32, 126), (160, 0x2FF), (0x2000, 0x206F), (0x3040, 0x9FFF), (0x1F300, 0x1FAFF))
    for _ in range(count - len(naming.FRAGMENTS)):
        parts = dice.choices(_PARTS, k=dice.randint(1, 6))
        if dice.randrange(3) == 0:
            parts += [chr(dice.randint(*dice.choice(planes))) for _ in range(dice.randint(1, 300))]
        dice.shuffle(parts)
        yield "".join(parts).replace("\0", "") or "x"


@contextmanager
def _at_home() -> Iterator[tuple[Path, dict[str, str]]]:
    before = dict(os.environ)
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        os.environ.update(HOME=str(home), XDG_CACHE_HOME=f"{home}/c", XDG_STATE_HOME=f"{home}/s")
        try:
            yield Path(folder), dict(os.environ)
        finally:
            os.environ.clear()
            os.environ.update(before)


def attack(*, full: bool) -> Iterator[Result]:
    """Yield what came of names by themselves, at the hook for touched files, and in all outputs."""
    yield _alone(100_000 if full else 5_000)
    yield _touched(1_000 if full else 40)
    yield _everywhere(len(naming.FRAGMENTS) + 60 if full else 1)


def _alone(count: int) -> Result:
    failed = []
    counting = [counter(name) for name in _BUDGETS]
    for name in names(count):
        said = shown(name)
        why = [
            *(["shown again otherwise"] if shown(said) != said else []),
            *(["hidden characters"] if visible(said) != said or "\n" in said else []),
            *(["a secret"] if naming.secret() in said else []),
            *(["too long"] if len(said.encode()) > MOST else []),
            *(
                f"{one.name}: {one.count(said)} tokens"
                for one in counting
                if one.count(said) > MOST
            ),
        ]
        failed += [f"{name[:80]!r}: {', '.join(why)}"] if why else []
    return Result("a name by itself", count, tuple(failed))


def _touched(count: int) -> Result:
    failed = []
    counting = [counter(name) for name in _BUDGETS]
    with _at_home() as (base, environ):
        place = naming.project(base, ["plain"], "shop")
        rules = "".join(f"- Never do thing {number} 禁止事項.\n" for number in range(99))
        Path(place, ".cursor/rules/all.mdc").write_text(f"---\nglobs: '**/*.zz'\n---\n{rules}")
        for number, name in enumerate(names(count)):
            files = [f"{place}/{name}.zz", f"{place}/{name[::-1]}/{name}.zz"]
            event = {"session_id": f"s{number}", "cwd": place, "tool_name": "Write"}
            stdin = json.dumps({**event, "tool_input": {"files": files}}).encode()
            words = ["hook", "run", "claude", "PreToolUse", PATIENT]
            ran = forked(words, place, environ, stdin=stdin)
            told = json.loads(ran.out)["hookSpecificOutput"]["additionalContext"] if ran.out else ""
            why = naming.faults(naming.Output("answer", told))
            tokens = [f"{one.name}: {one.count(ran.out.decode())} tokens" for one in counting
                      if one.count(ran.out.decode()) > TOKENS]  # fmt: skip
            if why or tokens:
                failed.append(f"{name[:80]!r}: {', '.join((*why, *tokens))}")
    return Result("a name of a touched file", count, tuple(failed))


def _everywhere(count: int) -> Result:
    tried, failed, every = 0, list[str](), [*names(max(count, len(naming.FRAGMENTS)))]
    step = len(naming.FRAGMENTS)
    for first in range(0, count, step):
        with _at_home() as (base, environ):
            some = [naming.fitting(name) or "x" for name in every[first : first + step]]
            place = naming.project(base, some, f"shop {some[0]}")
            for output in naming.outputs(place, some[: count - first], environ):
                tried += 1
                failed += naming.faults(output)
    return Result("names everywhere, in every output", tried, tuple(failed))

"""What the completion scripts of shells ask ``ctx``, and what it answers.

A script sets ``_CTX_COMPLETE`` to ``complete_<shell>`` and calls ``ctx``:

===========  =============================================  ================================
shell        says what is typed by                          reads on each line
===========  =============================================  ================================
bash         ``_CTX_LINE``, the line up to the cursor, and  what stands in the place of
             ``_CTX_WORD``, what bash would replace of it   ``_CTX_WORD``, quoted
zsh          arguments, the last one being typed            ``value:description``
fish         arguments, and ``_CTX_WORD``, the one that is  value, tab, description
             being typed, as it stands on the line
powershell   ``_CTX_WORDS``, all of it as a JSON list       what is put in, what is shown,
                                                            description, with tabs between
===========  =============================================  ================================

The exit code is 0, or ``FILES`` where the shell should complete names of files. Nothing that
goes wrong is told, unless ``CTX_DEBUG`` is set: whoever presses Tab asked for no message.
"""

from __future__ import annotations

import gc
from contextlib import redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING

from ctx.cli.shell import forms, line
from ctx.cli.shell.teach import INSTRUCTION, SCRIPTS, script
from ctx.errors import OK, CtxError, UsageError
from ctx.streams import write_out
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ctx.cli.completing import Value
    from ctx.cli.shell.line import Typed

FILES = 1
"""Exit code: nothing is known here but names of files."""
_ASKED: Mapping[str, Callable[[Sequence[str], Mapping[str, str]], Typed]] = {
    "bash": line.bash,
    "zsh": line.zsh,
    "fish": line.fish,
    "powershell": line.powershell,
}
_ANSWER: Mapping[str, Callable[[Value, Typed], str]] = {
    "bash": forms.bash,
    "zsh": forms.zsh,
    "fish": forms.fish,
    "powershell": forms.powershell,
}


def run(instruction: str, arguments: Sequence[str], world: World) -> int:
    """Do what a script or a person asks: ``complete_<shell>``, or ``source_<shell>``.

    Raises UsageError for anything else.
    """
    action, _, shell = instruction.partition("_")
    if shell not in SCRIPTS or action not in {"complete", "source"}:
        known = ", ".join(f"source_{name}" for name in SCRIPTS)
        raise UsageError(f"{INSTRUCTION}: {instruction!r} is no instruction", f"one of {known}")
    if action == "source":
        write_out(script(shell).encode())
        return OK
    found, typed = _found(shell, arguments, world)
    lines = [_ANSWER[shell](one, typed) for one in found if one.type == "plain"]
    write_out("".join(f"{text}\n" for text in lines if text).encode("utf-8", "replace"))
    return FILES if not lines and any(one.type == "file" for one in found) else OK


def _found(shell: str, arguments: Sequence[str], world: World) -> tuple[Sequence[Value], Typed]:
    gc.disable()  # the process ends before a collection could pay for itself
    typed = line.Typed((), "")
    with redirect_stderr(StringIO()):
        try:
            typed = _ASKED[shell](arguments, world.environ)
            from ctx.cli import completing

            return completing.complete(typed.before, typed.word, world), typed
        except (CtxError, ValueError, OSError):
            if world.environ.get("CTX_DEBUG"):
                raise
            return (), typed

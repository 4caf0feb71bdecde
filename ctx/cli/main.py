"""The command line: which command was asked for, and how its errors end.

Errors that a user can cause end in one line and a documented exit code; anything else is
a bug of ctx, with a line to report. A closed pipe is not an error.
"""

from __future__ import annotations

import gc
import os
import sys

from ctx import __version__
from ctx.app.options import PacketOptions, plain
from ctx.errors import BUG, INTERRUPTED, OK, CtxError
from ctx.streams import complain, report_of, silence, write_out
from ctx.world import World

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``ctx`` with ``arguments`` (default: those of the process); return the exit code."""
    if arguments is not None:
        return _guarded(list(arguments))
    gc.disable()  # the process ends before a collection could pay for itself
    code = _guarded(sys.argv[1:])
    _leave(code)
    return code


_PACKETS = frozenset({"ctx.hooks.runner", "ctx.cli.agent"})  # they leave nothing to do at the end


def _leave(code: int) -> None:
    """End at once after a packet, and where an embedder is at work: Python would wait for it."""
    if "typer" not in sys.modules and not _PACKETS.isdisjoint(sys.modules):
        os._exit(code)  # which has written all it had to: the rest would cost a seventh of it
    deadline = sys.modules.get("ctx.llm.deadline")
    if deadline is not None and deadline.left_behind():
        os._exit(code)  # what was written is flushed


def _guarded(asked: Sequence[str]) -> int:
    try:
        return _run(asked)
    except CtxError as error:
        from ctx.text.secrets import mask  # messages name entries, and repeat what was typed

        complain(mask(error.line), tuple(map(mask, error.details)))
        return error.exit_code
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        silence()
        return OK
    except Exception as error:  # noqa: BLE001 - the last handler: a bug becomes a report
        return _report(error)


def _run(asked: Sequence[str]) -> int:
    instruction = os.environ.get("_CTX_COMPLETE")
    if instruction is not None:
        from ctx.cli import shell

        # Whoever has the variable set for another reason does not have a hook fail its host.
        if asked[:2] != ["hook", "run"] or shell.knows(instruction):
            return shell.run(instruction, asked, World())
    if asked in (["--version"], ["-V"]):
        write_out(f"ctx {__version__}\n".encode())
        return OK
    read = plain(asked[1:]) if asked[:1] == ["agent"] else None
    if read and not read[0]:
        from ctx.cli import agent

        return agent.run(PacketOptions(**read[1]), World())
    if asked[:2] == ["hook", "run"]:
        from ctx.hooks import runner

        call = runner.call_of(asked[2:])
        if call:
            return runner.run(call, World())
    if asked == ["mcp"]:  # as hosts start it, and wait for the handshake
        from ctx.mcp import serve

        return serve.run("", http=False, port=None)
    if any("-completion" in argument for argument in asked):
        from ctx.cli.shell import teach

        teach()
    from ctx.cli.app import run  # typer: for help, mistakes and every other command

    return run(asked)


def _report(error: Exception) -> int:
    if os.environ.get("CTX_DEBUG"):
        raise error
    complain(report_of(error))
    return BUG

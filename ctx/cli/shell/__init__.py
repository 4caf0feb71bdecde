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
goes wrong is shown, unless ``CTX_DEBUG`` is set: whoever presses Tab asked for no message.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO

from ctx.cli.completing import Value
from ctx.cli.shell import line
from ctx.cli.shell.line import Typed
from ctx.errors import OK, UsageError
from ctx.streams import write_out
from ctx.world import World

INSTRUCTION = "_CTX_COMPLETE"  # the variable that a script sets
SCRIPTS = {"bash": "ctx.bash", "zsh": "_ctx", "fish": "ctx.fish", "powershell": "ctx.ps1"}
"""The shells, and how the file of each is called."""
FILES = 1  # exit code: nothing is known here but names of files
_UNSAFE_IN_BASH = re.compile(r"^#|[^\w@%+=:,./#-]")
_UNSAFE_IN_DOUBLE_QUOTES = re.compile(r'([$`"\\])')
_SAFE_IN_POWERSHELL = re.compile(r"[\w./][\w./:#+=-]*|--?\w[\w-]*")
_POWERSHELL_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")  # each ends a quoted text


def knows(instruction: str) -> bool:
    """Return whether ``run`` takes ``instruction``."""
    action, _, shell = instruction.partition("_")
    return shell in SCRIPTS and action in {"complete", "source"}


def run(instruction: str, arguments: Sequence[str], world: World) -> int:
    """Do ``complete_<shell>`` or ``source_<shell>``; UsageError for anything else."""
    action, _, shell = instruction.partition("_")
    if not knows(instruction):
        known = ", ".join(f"source_{name}" for name in SCRIPTS)
        raise UsageError(f"{INSTRUCTION}: {instruction!r} is no instruction", f"one of {known}")
    if action == "source":
        write_out(script(shell).encode())
        return OK
    found, typed = _found(shell, arguments, world)
    lines = [_WRITE[shell](suggestion, typed) for suggestion in found if suggestion.type == "plain"]
    write_out("".join(f"{text}\n" for text in lines if text).encode("utf-8", "replace"))
    return FILES if not lines and any(suggestion.type == "file" for suggestion in found) else OK


def _found(shell: str, arguments: Sequence[str], world: World) -> tuple[Sequence[Value], Typed]:
    typed = line.Typed((), "")
    with redirect_stderr(StringIO()):
        try:
            typed = _READ[shell](arguments, world.environ)
            from ctx.cli import completing

            return completing.complete(typed.before, typed.word, world), typed
        except Exception:
            if world.environ.get("CTX_DEBUG"):
                raise
            return (), typed


# --- what a shell reads -------------------------------------------------------------------
#
# Ids are made of names of files, and a name may hold anything: what is put on a line is quoted,
# so that the shell takes it for one word and evaluates nothing in it.


def as_bash(suggestion: Value, typed: Typed) -> str:
    """Return what replaces the word on the line; bash shows no descriptions."""
    text = suggestion.value[typed.kept :]
    if typed.quote == "'":
        return text.replace("'", "'\\''")
    if typed.quote:  # history is expanded between double quotes, and no backslash prevents it
        return _UNSAFE_IN_DOUBLE_QUOTES.sub(r"\\\1", text).replace("!", "\"'!'\"")
    return _UNSAFE_IN_BASH.sub(lambda found: "\\" + found[0], text)


def as_zsh(suggestion: Value, _: Typed) -> str:
    """Return value and description; zsh quotes what it puts in."""
    value = re.sub(r"([\\:])", r"\\\1", suggestion.value)
    text = suggestion.help.replace("\\", "\\\\")
    return f"{value}:{text}" if text else value


def as_fish(suggestion: Value, _: Typed) -> str:
    """Return value and description; fish quotes what it puts in."""
    return f"{suggestion.value}\t{suggestion.help}" if suggestion.help else suggestion.value


def as_powershell(suggestion: Value, _: Typed) -> str:
    """Return what is put in, what is shown, and a description, which may not be empty."""
    text = suggestion.value
    if not _SAFE_IN_POWERSHELL.fullmatch(text):
        text = "'{}'".format(_POWERSHELL_QUOTES.sub(r"\1\1", text))
    return f"{text}\t{suggestion.value}\t{suggestion.help or suggestion.value}"


_READ: Mapping[str, Callable[[Sequence[str], Mapping[str, str]], Typed]] = {
    "bash": line.bash,
    "zsh": line.zsh,
    "fish": line.fish,
    "powershell": line.powershell,
}
_WRITE: Mapping[str, Callable[[Value, Typed], str]] = {
    "bash": as_bash,
    "zsh": as_zsh,
    "fish": as_fish,
    "powershell": as_powershell,
}


def script(shell: str) -> str:
    """Return the script that ``shell`` reads."""
    folder = os.path.join(os.path.dirname(__file__), "scripts")
    with open(os.path.join(folder, SCRIPTS[shell]), encoding="utf-8") as file:
        return file.read()


def teach() -> None:
    """Let typer's ``--install-completion`` and ``--show-completion`` give these scripts.

    Its own speak another protocol, and let the shell evaluate what titles hold. Raises UsageError
    where ctx was called from no shell, or from one that has no script.
    """
    from typer import _completion_shared as typers

    named = os.environ.get("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION")  # as an argument
    if not named and typers._get_shell_name() not in {*SCRIPTS, "pwsh"}:  # noqa: SLF001
        raise UsageError(
            "completion: ctx was not called from bash, zsh, fish or PowerShell",
            f"call it there; `{INSTRUCTION}=source_bash ctx` prints a script",
        )
    for shell in SCRIPTS:
        typers._completion_scripts[shell] = script(shell).replace("%", "%%")  # noqa: SLF001
    typers._completion_scripts["pwsh"] = typers._completion_scripts["powershell"]  # noqa: SLF001

"""The completion scripts of shells, and how typer installs them."""

from __future__ import annotations

import os

from ctx.errors import UsageError

INSTRUCTION = "_CTX_COMPLETE"
"""The variable that a script sets."""
SCRIPTS = {
    "bash": "ctx.bash",
    "zsh": "_ctx",
    "fish": "ctx.fish",
    "powershell": "ctx.ps1",
}
"""The shells, and how the file of each is called."""


def script(shell: str) -> str:
    """Return the script that ``shell`` reads."""
    folder = os.path.join(os.path.dirname(__file__), "scripts")
    with open(os.path.join(folder, SCRIPTS[shell]), encoding="utf-8") as file:
        return file.read()


def teach() -> None:
    """Let typer's ``--install-completion`` and ``--show-completion`` give these scripts.

    Its own speak another protocol, and let the shell evaluate what titles say. Raises UsageError
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

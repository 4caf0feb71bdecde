"""Regenerate what is made from the program: the reference and the shell completions.

    python3 scripts/dev.py docs             write docs/reference.md and completions/
    python3 scripts/dev.py docs --check     write nothing; name the files that differ, exit 1

Every word of the reference comes from where the program has it: options from the live
commands, settings from their table, exit codes from the constants and their docstrings.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ctx import config, errors
from ctx.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typer.core import TyperCommand

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "docs/reference.md"
SHELLS = {
    "bash": "completions/ctx.bash",
    "zsh": "completions/_ctx",
    "fish": "completions/ctx.fish",
    "powershell": "completions/ctx.ps1",
}
ZSH_FIRST_TAB = (
    "\n# zsh loads this file at the first Tab, and expects it to answer that one too.\n"
    '[[ $zsh_eval_context[-1] == loadautofunc ]] && _ctx_completion "$@"\n'
)
SWITCHES = {
    "CTX_NO_CACHE": "Set to anything: neither read nor write `.context/.ctx/`",
    "CTX_DEBUG": "Set to anything: show the traceback of a bug instead of one line",
    "CTX_EMBEDDER_KEY": "Key for a server of embeddings; sent to the address in `embedder` only",
    "CTX_SUMMARISER_KEY": "Key for a server that writes; sent to the address in `summariser` only",
}
"""The variables of ``config.NOT_SETTINGS``."""
HEAD = """\
# Reference

Generated from the program by `python3 scripts/dev.py docs`: do not edit. The
[guide](guide.md) explains what this page lists.
"""
PRECEDENCE = """\
The later wins: default, `~/.config/ctx/config.toml`, `config.toml` in the context directory,
variable, flag. A file holds lines like `budget = 8000`.
"""


class Option(NamedTuple):
    """One option as its help shows it."""

    usage: str
    help: str


class Command(NamedTuple):
    """One command as its help shows it."""

    name: str
    usage: str
    help: str
    options: tuple[Option, ...]
    example: str


# --- the commands -------------------------------------------------------------------------


def commands() -> list[Command]:
    """Return ``ctx`` itself and all its commands, in the order of its help."""
    group = cast("TyperGroup", get_command(app))
    context = typer.Context(group, info_name="ctx")
    return list(_commands(group, context))


def _commands(command: TyperCommand | TyperGroup, context: typer.Context) -> Iterator[Command]:
    yield _command(command, context)
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            inner = cast("TyperCommand | TyperGroup", command.get_command(context, name))
            yield from _commands(inner, typer.Context(inner, info_name=name, parent=context))


def _command(command: TyperCommand | TyperGroup, context: typer.Context) -> Command:
    records = (param.get_help_record(context) for param in command.get_params(context))
    return Command(
        context.command_path,
        " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        inspect.cleandoc(command.help or ""),
        tuple(Option(*record) for record in records if record),
        (command.epilog or "").removeprefix("Example: "),
    )


def flags(found: Sequence[Command]) -> set[str]:
    """Return every flag that some command takes: ``--budget``."""
    usages = [option.usage for command in found for option in command.options]
    return {flag for usage in usages for flag in re.findall(r"--[a-z][a-z-]*", usage)}


def _described(command: Command) -> Iterator[str]:
    yield f"## {command.name}\n"
    yield f"{command.help}\n"
    yield f"Usage: `{command.usage}`\n"
    yield _table(("option", "what it does"), [(_code(o.usage), o.help) for o in command.options])
    yield f"Example:\n\n    {command.example}\n"


# --- settings, variables, exit codes ------------------------------------------------------


def _settings(known: set[str]) -> str:
    rows = [
        (
            _code(setting.name) if setting.in_files else "–",
            _code(setting.variable),
            _code(setting.flag) if setting.flag in known else "–",
            _code(_toml(setting.default)),
            f"{setting.help}: {setting.kind.allowed}",
        )
        for setting in config.SETTINGS
    ]
    return _table(("in a file", "variable", "flag", "default", "meaning"), rows)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _variables() -> str:
    return _table(
        ("variable", "meaning"), [(_code(name), SWITCHES[name]) for name in config.NOT_SETTINGS]
    )


def exit_codes(names: set[str]) -> list[tuple[int, str]]:
    """Return the exit codes and what each says; ``names`` are the commands there are."""
    body = ast.parse(inspect.getsource(errors)).body
    found = []
    for node, after in pairwise(body):
        match node, after:
            case ast.Assign(value=ast.Constant(value=int(code))), ast.Expr(
                value=ast.Constant(value=str(said))
            ):
                text = said.replace("``", "`")
                if set(re.findall(r"`(ctx \w+)`", text)) <= names:
                    found.append((code, text))
            case _:
                pass
    return found


# --- the page -----------------------------------------------------------------------------


def reference() -> str:
    """Return ``docs/reference.md``."""
    found = commands()
    codes = exit_codes({command.name for command in found})
    parts = [HEAD, *(part for command in found for part in _described(command))]
    parts += [
        "## Settings\n",
        PRECEDENCE,
        _settings(flags(found)),
        "## Other variables\n",
        _variables(),
        "## Exit codes\n",
        _table(("code", "meaning"), [(str(code), text) for code, text in codes]),
    ]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _code(text: str) -> str:
    return f"`{text}`"


# --- completions --------------------------------------------------------------------------


def completion(shell: str) -> str:
    """Return what typer has ``shell`` source: the program is asked as a shell would ask it."""
    said = subprocess.run(
        [sys.executable, "-m", "ctx"],
        cwd=ROOT,
        env={**os.environ, "_CTX_COMPLETE": f"source_{shell}"},
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    ).stdout
    script = said.strip() + "\n"
    return script + ZSH_FIRST_TAB if shell == "zsh" else script


# --- writing ------------------------------------------------------------------------------


def outputs() -> Mapping[str, str]:
    """Return every generated file: path from the root to text."""
    completions = {path: completion(shell) for shell, path in SHELLS.items()}
    return {REFERENCE: reference(), **completions}


def drifted(made: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Return the files below ``root`` that are not as they would be made."""
    return [path for path, text in made.items() if _read(root / path) != text]


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def main(argv: Sequence[str]) -> int:
    """Write the generated files, or with ``--check`` name those that differ."""
    parser = argparse.ArgumentParser(description="Regenerate reference and completions.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on drift")
    check = parser.parse_args(argv).check
    made = outputs()
    stale = drifted(made)
    for name in stale:
        if check:
            print(f"{name} is out of date: run python3 scripts/dev.py docs")
        else:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(made[name], encoding="utf-8", newline="\n")
            print(f"wrote {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

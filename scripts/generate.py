"""Regenerate what is made from others: reference, manual page, plugins, charts.

    python3 scripts/dev.py docs             write all of them
    python3 scripts/dev.py docs --check     write nothing; name the files that differ, exit 1

What they say comes from where the program has it: options from the live commands, settings from
their table, exit codes from the constants and their docstrings.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctx import __version__, config, errors
from ctx.cli.app import app
from ctx.hosts import sources
from scripts import charts, man, plugins, tables
from scripts.man import Item
from scripts.tables import code, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typer.core import TyperCommand

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "docs/reference.md"
GUIDE = "docs/guide.md"
RIGHTS = "who may set what"
"""The name of the generated table of the guide."""
MANUAL = "docs/man/ctx.1"
SIGNS = "ctx/hosts/signs.py"
SWITCHES = {
    "CTX_CACHE_DIR": "Folder for what can be rebuilt, in place of the system's (`ctx cache`)",
    "CTX_STATE_DIR": "Folder for what sessions were sent, in place of the system's",
    "CTX_GLOBAL_DIR": "Folder of what holds in every project, or none (`~/.config/ctx/context`)",
    "CTX_NO_CACHE": "Set to anything: keep nothing for the next call, and read nothing kept",
    "CTX_DEBUG": "Set to anything: show the traceback of a bug instead of one line",
    "CTX_CONTEXT_LENGTH": "Tokens of the agent's window, for hooks whose host tells only its use",
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


class Param(NamedTuple):
    """What a command takes."""

    names: tuple[str, ...]
    """As they are written: ``--budget``; of an argument its name in Python."""
    takes_value: bool


class Command(NamedTuple):
    """One command as its help shows it."""

    name: str
    usage: str
    help: str
    options: tuple[Option, ...]
    example: str
    params: tuple[Param, ...]


# --- the commands -------------------------------------------------------------------------


def commands() -> list[Command]:
    """Return ``ctx`` itself and all its commands, in the order of its help."""
    group = cast("TyperGroup", get_command(app))
    context = typer.Context(group, info_name="ctx", **group.context_settings)
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
        tuple(
            Param(tuple(param.opts), not getattr(param, "is_flag", False))
            for param in command.params
        ),
    )


def flags(found: Sequence[Command]) -> set[str]:
    """Return every flag that some command takes: ``--budget``."""
    usages = [option.usage for command in found for option in command.options]
    return {flag for usage in usages for flag in re.findall(r"--[a-z][a-z-]*", usage)}


def page_of(command: Command) -> str:
    """Return the page of a command, for the site."""
    return "\n".join(_described(command)).replace("## ", "# ", 1)


def _described(command: Command) -> Iterator[str]:
    yield f"## {command.name}\n"
    yield f"{command.help}\n"
    yield f"Usage: `{command.usage}`\n"
    yield table(("option", "what it does"), [(code(o.usage), o.help) for o in command.options])
    yield f"Example:\n\n    {command.example}\n"


# --- settings, variables, exit codes ------------------------------------------------------


def _settings(known: set[str]) -> str:
    rows = [
        (
            code(setting.name) if setting.in_files else "–",
            code(setting.variable),
            code(setting.flag) if setting.flag in known else "–",
            code(_toml(setting.default)),
            f"{setting.help}: {setting.kind.allowed}",
        )
        for setting in config.SETTINGS
    ]
    return table(("in a file", "variable", "flag", "default", "meaning"), rows)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _variables() -> str:
    return table(
        ("variable", "meaning"), [(code(name), SWITCHES[name]) for name in config.NOT_SETTINGS]
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


# --- the guide ----------------------------------------------------------------------------


def rights() -> str:
    """Return the table of who may set what."""
    known = flags(commands())
    rows = [
        (
            code(setting.name),
            code(_toml(setting.default)) if len(_toml(setting.default)) < _LONG else "a list",
            ", ".join(
                ["file"] * setting.in_files + ["variable"] + ["flag"] * (setting.flag in known)
            ),
            (setting.project.values or "no") if setting.in_files else "no",
        )
        for setting in config.SETTINGS
    ]
    return table(("setting", "default", "you", "a project's `config.toml`"), rows)


_LONG = 40
"""Characters of a default that the guide leaves to the reference."""

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
        table(("code", "meaning"), [(str(code), text) for code, text in codes]),
    ]
    return "\n".join(parts)


# --- the manual page ----------------------------------------------------------------------

DESCRIPTION = """\
`ctx` turns a directory of Markdown files, `.context/`, into one packet that an AI coding agent can
start from: its rules, the work in hand, and the decisions, learnings and past turns that matter
now, in no more tokens than it was given.

The packet goes to standard output, warnings and errors to standard error. Files are the truth:
whatever `ctx` keeps beside them can be deleted at any time.
"""
FILES = (
    Item(".context/", "The context directory, here or in a folder above."),
    Item(".context/config.toml", "Settings of the project."),
    Item("~/.config/ctx/config.toml", "Settings of yours, for all projects."),
    Item("~/.cache/ctx/", "What is kept for speed; can be deleted. See `ctx cache`."),
    Item("~/.local/state/ctx/", "What is kept about sessions. See `ctx cache`."),
)
EXAMPLES = (
    Item("ctx init", "Make a context directory in the current folder:"),
    Item("ctx agent --budget 8000", "Print the packet that an agent starts from:"),
    Item(
        "ctx agent --budget 4000 --query 'retry policy' --format json", "What is about a question:"
    ),
    Item("ctx search 'retry policy' --kind decision,turn --since 90d", "Find entries and turns:"),
)
SEE_ALSO = """\
The guide, the formats of the files and this reference are in the folder `docs/` of the project.
Completions of shells: `ctx --install-completion`.
"""


def manual() -> str:
    """Return ``docs/man/ctx.1``."""
    found = commands()
    known = flags(found)
    return man.page(
        man.Manual(
            __version__,
            man.released((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__),
            found[0].help.rstrip("."),
            DESCRIPTION,
            found,
            [_setting(one, known) for one in config.SETTINGS],
            [Item(name, f"{SWITCHES[name]}.") for name in config.NOT_SETTINGS],
            FILES,
            [Item(str(code), text) for code, text in exit_codes({one.name for one in found})],
            EXAMPLES,
            SEE_ALSO,
        )
    )


def _setting(one: config.Setting, known: set[str]) -> Item:
    names = [one.name] * one.in_files + [one.variable] + [one.flag] * (one.flag in known)
    told = f"{one.help}: {one.kind.allowed}. Default: {_toml(one.default)}."
    return Item(", ".join(names), told)


# --- modules ------------------------------------------------------------------------------


def signs() -> list[str]:
    """Return what makes a folder a project without a context directory.

    The places of the sources that are usually read, or the folders that hold them: each place is
    one of these, or below one.
    """
    every = [
        sign
        for origin in sources.REGISTRY
        if origin.usual
        for sign in (
            [origin.sign] if origin.sign else [place.partition("/*")[0] for place in origin.places]
        )
    ]
    return [
        sign
        for sign in dict.fromkeys(every)
        if not any(sign.startswith(f"{other}/") for other in every)
    ]


def _table_of_signs() -> str:
    """Return ``ctx/hosts/signs.py``: a table that is looked at before anything is imported."""
    names = ", ".join(f'"{sign}"' for sign in signs())
    lines = textwrap.wrap(names, 94, break_on_hyphens=False)
    inner = "\n".join(f"    {line}" for line in lines)
    return (
        '"""What makes a folder a project without a context directory: made by '
        f'scripts/generate.py."""\n\nSIGNS = (\n{inner},\n)  # fmt: skip\n'
    )


# --- writing ------------------------------------------------------------------------------


def outputs() -> Mapping[str, str]:
    """Return every generated file: path from the root to text."""
    return {
        REFERENCE: reference(),
        GUIDE: tables.filled((ROOT / GUIDE).read_text("utf-8"), {RIGHTS: rights()}),
        MANUAL: manual(),
        SIGNS: _table_of_signs(),
        **charts.outputs(),
        **plugins.outputs(),
        **tables.documents(ROOT),
    }


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
    parser = argparse.ArgumentParser(description="Regenerate reference, manual page, plugins.")
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

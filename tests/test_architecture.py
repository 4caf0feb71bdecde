"""The rules of the architecture, held by walking the syntax trees of every module of ctx."""

import ast
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeGuard

import pytest

ROOT = Path(__file__).resolve().parent.parent

FOUNDATION = ("errors", "digest", "typed", "repository", "model", "text")
"""What every package may import."""
PACKAGES: dict[str, tuple[str, ...]] = {
    "errors": (),
    "digest": (),
    "typed": (),
    "repository": (),
    "model": ("errors", "digest", "typed"),
    "text": ("errors", "digest", "typed", "model"),
    "hosts": FOUNDATION,
    "config": FOUNDATION,
    "read": FOUNDATION,
    "rank": FOUNDATION,
    "fit": FOUNDATION,
    "render": FOUNDATION,
    "checks": FOUNDATION,
    "store": FOUNDATION,
    "llm": FOUNDATION,
    "edit": FOUNDATION,
    "share": FOUNDATION,
    "sessions": (*FOUNDATION, "hosts", "read", "edit"),
    "world": (*FOUNDATION, "store"),
    "app": (
        *FOUNDATION, "hosts", "config", "read", "rank", "fit", "render", "checks", "store", "llm",
        "edit", "share", "sessions", "world",
    ),
    "streams": ("errors", "text"),
    "hooks": (
        *FOUNDATION, "hosts", "config", "read", "fit", "render", "store", "edit", "world", "app",
        "streams",
    ),
    "mcp": (*FOUNDATION, "hosts", "config", "read", "fit", "render", "world", "app", "streams"),
    # The tools of mcp, which import no SDK, are answered to pages as well.
    "serve": (*FOUNDATION, "hosts", "read", "render", "edit", "world", "app", "streams", "mcp"),
}  # fmt: skip
"""Each package, and the packages that it may import; ``ctx.cli`` may import all of them."""
LIBRARIES = {
    **dict.fromkeys(
        ("read", "rank"), frozenset({"markdown_it", "frontmatter", "yaml", "Stemmer", "rapidfuzz"})
    ),
    "model": frozenset({"numpy"}),  # in types alone
    "text": frozenset({"Stemmer", "detect_secrets", "numpy", "rapidfuzz", "rs_bpe", "tokenizers"}),
    "app": frozenset({"rapidfuzz"}),
    "mcp": frozenset({"anyio", "mcp", "mcp_types", "pydantic", "starlette", "uvicorn"}),
    "sessions": frozenset({"rapidfuzz"}),
    "checks": frozenset({"rapidfuzz"}),
    "store": frozenset({"numpy"}),
    "share": frozenset({"psycopg"}),
    "llm": frozenset({"huggingface_hub", "numpy", "sentence_transformers", "urllib3"}),
}
"""The libraries made for a package's job, beside the standard library."""
SHELL_LIBRARIES = frozenset({"typer", "click", "rich"})
INTERFACES = frozenset({"cli", "mcp", "hooks", "serve", "world", "streams"})
"""The packages that print, exit, or look at the clock, the environment and the terminal."""

MAX_LINES = 600
MAX_DOOR_LINES = 15

SHELL_BUILTINS = frozenset({"print", "input", "exit", "quit", "breakpoint", "SystemExit"})
SHELL_NAMES = frozenset({
    "datetime.date.today", "datetime.datetime.now", "datetime.datetime.today",
    "datetime.datetime.utcnow", "os._exit", "os.environ", "os.environb", "os.get_terminal_size",
    "os.getcwd", "os.getcwdb", "os.getenv", "os.isatty", "pathlib.Path.cwd",
    "shutil.get_terminal_size", "sys.__stderr__", "sys.__stdin__", "sys.__stdout__", "sys.argv",
    "sys.exit", "sys.stderr", "sys.stdin", "sys.stdout", "time.localtime", "time.time",
    "time.time_ns",
})  # fmt: skip
SHELL_ATTRIBUTES = frozenset({"isatty"})
"""Attributes that give the shell away, whatever they are asked of."""


CLOCKS = frozenset(
    {
        *(name for name in SHELL_NAMES if name.startswith("datetime.")),
        "time.monotonic",
        "time.perf_counter",
        "time.time",
    }
)
"""What tells a test the day, or how long something took."""
GUARDS = ("tests.hooks.host", "tests.llm.summarisers.test_command")
"""Tests that may ask how long they have waited, so as not to hang."""


class Module(NamedTuple):
    """One module, as read."""

    name: str
    """Dotted, without ``.__init__``."""
    is_package: bool
    source: str
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def top(self) -> str:
        return top_of(self.name)

    @property
    def is_interface(self) -> bool:
        return self.name == "ctx.__main__" or self.top in INTERFACES


class Import(NamedTuple):
    """One name that a module imports, in full."""

    target: str
    line: int


def top_of(target: str) -> str:
    parts = target.split(".")
    return parts[1] if parts[0] == "ctx" and len(parts) > 1 else ""


def is_within(target: str, module: str) -> bool:
    return target == module or target.startswith(f"{module}.")


def at(module: Module, line: int, message: str) -> str:
    return f"{module.name}:{line}: {message}"


# Imports


def imports(module: Module, *, dynamic: bool = True) -> Iterator[Import]:
    """Yield every import, wherever it stands: in functions and under TYPE_CHECKING, too.

    With ``dynamic`` also what ``import_module`` may load: a registry, and its whole package.
    """
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(names=names):
                base = base_of(module, node)
                yield from (Import(f"{base}.{alias.name}", node.lineno) for alias in names)
            case ast.Call(args=[first, *_]) if dynamic and is_dynamic_import(node):
                yield Import(dynamic_target(module, first), node.lineno)
            case _:
                pass


def base_of(module: Module, node: ast.ImportFrom) -> str:
    """Return what ``from … import`` imports from, with its dots resolved."""
    if not node.level:
        return node.module or ""
    parts = module.package.split(".")
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def is_dynamic_import(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in {"import_module", "__import__"}
        case _:
            return False


def dynamic_target(module: Module, argument: ast.expr) -> str:
    """Return what is known of a module named by an expression: its text, or how it begins."""
    match argument:
        case ast.Constant(value=str(text)):
            pass
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            pass
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add() | ast.Mod()):
            text = text.partition("%")[0]
        case _:
            return f"{module.package}.?"
    return (module.package + text if text.startswith(".") else text).rstrip(".")


def bad_imports_of_packages(module: Module) -> list[str]:
    """A package imports its own files, those below it, the standard library and its libraries."""
    if module.top not in PACKAGES:
        return []
    own = [f"ctx.{package}" for package in (module.top, *PACKAGES[module.top])]
    outside = LIBRARIES.get(module.top, frozenset()) | sys.stdlib_module_names
    return [
        at(module, line, f"ctx.{module.top} may not import {target}")
        for target, line in imports(module)
        if target.partition(".")[0] not in outside
        and target not in ("ctx.__version__", "ctx.__file__")
        and not any(is_within(target, name) for name in own)
    ]


def circles(modules: Sequence[Module]) -> list[set[str]]:
    """Return the sets of modules that import each other, in whatever place they do."""
    names = {module.name for module in modules}
    leads = {
        module.name: {
            name
            for target, _ in imports(module, dynamic=False)
            for name in (target, target.rpartition(".")[0])
            if name in names - {module.name} and not (name != target and target in names)
        }
        for module in modules
    }
    reached: dict[str, set[str]] = {}
    for name, first in leads.items():
        seen: set[str] = set()
        ahead = list(first)
        while ahead:
            here = ahead.pop()
            if here not in seen:
                seen.add(here)
                ahead += leads[here]
        reached[name] = seen
    found = [
        {other for other in reached[name] if name in reached[other]}
        for name in sorted(names)
        if name in reached[name]
    ]
    return [circle for place, circle in enumerate(found) if circle not in found[:place]]


def bad_imports_of_shell(module: Module) -> list[str]:
    """Only ctx.cli draws and parses commands, and only the door opens it."""
    if module.top == "cli":
        return []
    return [
        at(module, line, f"only ctx.cli may import {target}")
        for target, line in imports(module)
        if target.partition(".")[0] in SHELL_LIBRARIES
        or (is_within(target, "ctx.cli") and module.name != "ctx.__main__")
    ]


# The world outside: terminal, clock, environment, working directory


def aliases(module: Module) -> dict[str, str]:
    """Map each imported name to what it stands for."""
    known: dict[str, str] = {}
    for node in ast.walk(module.tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    first = alias.name.partition(".")[0]
                    known[alias.asname or first] = alias.name if alias.asname else first
            case ast.ImportFrom(names=names):
                base = base_of(module, node)
                known.update(
                    {alias.asname or alias.name: f"{base}.{alias.name}" for alias in names}
                )
            case _:
                pass
    return known


def full_name(node: ast.expr, known: dict[str, str]) -> str:
    """Return the dotted name that an expression stands for, empty where it is none."""
    match node:
        case ast.Name(id=name):
            return known.get(name, name)
        case ast.Attribute(value=value, attr=attribute):
            owner = full_name(value, known)
            return f"{owner}.{attribute}" if owner else ""
        case _:
            return ""


def bad_uses_of_the_world(module: Module) -> list[str]:
    """Only the interfaces print, exit, read the clock, the environment or a terminal."""
    if module.is_interface:
        return []
    known = aliases(module)
    found = [Import(target, line) for target, line in imports(module) if target in SHELL_NAMES]
    for node in ast.walk(module.tree):
        match node:
            case ast.Name(id=name) if known.get(name, name) in SHELL_BUILTINS:
                found.append(Import(name, node.lineno))
            case ast.Attribute(attr=attribute):
                name = full_name(node, known)
                if name in SHELL_NAMES or attribute in SHELL_ATTRIBUTES:
                    found.append(Import(name or attribute, node.lineno))
            case _:
                pass
    return [at(module, line, f"only a face may use {name}") for name, line in found]


# Size


def bad_size(module: Module) -> list[str]:
    """A package is small enough to read, and `ctx.__main__` only starts it."""
    limit = MAX_DOOR_LINES if module.name == "ctx.__main__" else MAX_LINES
    lines = len(module.source.splitlines())
    return [at(module, lines, f"{lines} lines, at most {limit}")] if lines > limit else []


RULES = (
    bad_imports_of_packages,
    bad_imports_of_shell,
    bad_uses_of_the_world,
    bad_size,
)


def parsed(name: str, source: str, *, is_package: bool = False) -> Module:
    return Module(name, is_package, source, ast.parse(source))


def bad_clocks(module: Module) -> list[str]:
    """No test reads the real day, or judges by seconds."""
    known = aliases(module)
    names = {(full_name(one, known), one.lineno) for one in ast.walk(module.tree) if is_named(one)}
    return [
        at(module, line, f"a test may not use {name}")
        for name, line in sorted(names)
        if name in CLOCKS and not (name == "time.monotonic" and module.name in GUARDS)
    ]


def is_named(node: ast.AST) -> TypeGuard[ast.Attribute | ast.Name]:
    return isinstance(node, ast.Attribute | ast.Name)


@cache
def house(folder: str = "ctx", word: str = "") -> list[Module]:
    """Read every module of ctx, or of another folder, that holds the pattern ``word``."""
    modules = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        source = path.read_text(encoding="utf-8")
        if re.search(word, source):
            modules.append(parsed(name, source, is_package=is_package))
    return modules


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps(rule: Callable[[Module], list[str]]) -> None:
    assert [found for module in house() for found in rule(module)] == []


def test_no_test_reads_the_day_or_judges_by_seconds() -> None:
    modules = house("tests", r"\b(?:date)?time\b")
    assert len(modules) > 20
    assert [found for module in modules for found in bad_clocks(module)] == []


def test_a_test_that_reads_a_clock_is_found() -> None:
    for source in (
        "import time\ntime.time()", "from time import perf_counter\nperf_counter()",
        "import time\nend = time.monotonic() + 5", "import datetime as dt\ndt.datetime.now(dt.UTC)",
        "from datetime import date\ndate.today()",
    ):  # fmt: skip
        assert len(bad_clocks(parsed("tests.test_it", source))) == 1


def test_the_whole_house_is_walked() -> None:
    names = {module.name for module in house()}
    assert {"ctx", "ctx.model", "ctx.text.tokens", "ctx.errors"} <= names
    packages = {name.split(".")[1] for name in names if "." in name}
    assert packages == {*PACKAGES, "cli", "__main__"}


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(house()) == []


def test_a_circle_is_found() -> None:
    one = parsed("ctx.one", "from ctx import two")
    two = parsed("ctx.two", "def late():\n    from ctx.three import name")
    three = parsed("ctx.three", "if TYPE_CHECKING:\n    import ctx.one")
    assert circles([one, two, three]) == [{"ctx.one", "ctx.two", "ctx.three"}]
    assert circles([one, two, parsed("ctx.three", "import os")]) == []


def test_the_packages_lead_in_one_direction() -> None:
    order = list(PACKAGES)
    assert all(set(PACKAGES[package]) <= set(order[:place]) for place, package in enumerate(order))


# Each rule has to be able to fail.


def test_a_room_that_reaches_outside_is_found() -> None:
    for name, source in (
        ("ctx.read.tasks", "from ctx.rank import brackets"),
        ("ctx.read.tasks", "from ctx.rank.brackets import score"),
        ("ctx.read.tasks", "import ctx.rank.brackets"),
        ("ctx.read.tasks", "import ctx.rank.brackets as own"),
        ("ctx.read.tasks", "from ctx import rank"), ("ctx.read.tasks", "from .. import rank"),
        ("ctx.read.tasks", "from ..rank import brackets"),
        ("ctx.read.deep.tasks", "from ...rank import brackets"),
        ("ctx.rank.brackets", "def late():\n    from ctx.fit import planner"),
        ("ctx.rank.brackets", "if TYPE_CHECKING:\n    from ctx.fit.planner import Plan"),
        ("ctx.rank", "import importlib\nimportlib.import_module('ctx.fit.planner')"),
        ("ctx.rank", "from importlib import import_module\nimport_module(f'ctx.fit.{name}')"),
        ("ctx.rank", "__import__('ctx.fit.' + name)"),
        ("ctx.rank.brackets", "__import__('ctx.fit.%s' % name)"), ("ctx.fit.planner", "import ctx"),
        ("ctx.fit.planner", "from ctx import *"),
        ("ctx.fit.planner", "from ctx.app.walk import assemble"),
        ("ctx.fit.planner", "from ctx.modelling import Entry"),
        ("ctx.fit.planner", "def late():\n    import rapidfuzz"),
        ("ctx.render.json", "import numpy as np"),
        ("ctx.store.parse_cache", "from ctx.read import entries"),
        ("ctx.store.parse_cache", "import rapidfuzz"),
        ("ctx.llm.embedders.static", "from ctx.store import parse_cache"),
        ("ctx.edit.change", "import ctx.store.parse_cache"),
        ("ctx.sessions.importing", "import yaml"),
        ("ctx.sessions.compaction.making", "from ctx.llm.summarisers import writer"),
        ("ctx.read.files", "from ctx.edit import atomic"),
        ("ctx.checks.rules.dead_link", "from ctx.read import files"),
        ("ctx.hooks.install", "from ctx.cli import world"),
        ("ctx.app.walk", "from ctx.hooks import host"),
        ("ctx.text.words", "from ctx.rank import brackets"),
        ("ctx.model.entries", "from ..text import words"),
        ("ctx.config.table", "from ctx.store import places"),
    ):  # fmt: skip
        assert len(bad_imports_of_packages(parsed(name, source))) == 1


def test_a_room_may_use_what_is_its_own() -> None:
    for name, source in (
        ("ctx.read.tasks", "from ctx.model import Entry, Kind"),
        ("ctx.read.tasks", "from ctx import model, text, errors"),
        ("ctx.read.tasks", "from . import blocks"), ("ctx.read.tasks", "from .blocks import split"),
        ("ctx.read.tasks", "from ..model import Entry"),
        ("ctx.read.tasks", "import re, json, collections.abc"),
        ("ctx.read.tasks", "from markdown_it import MarkdownIt\nimport yaml, frontmatter"),
        ("ctx.rank.fuzzy", "from rapidfuzz import fuzz\nimport Stemmer"),
        ("ctx.rank.fuzzy", "from importlib import import_module\nimport_module(f'{here}.{name}')"),
        ("ctx.store.parse_cache", "import sqlite3\nfrom ctx.model import Kept"),
        ("ctx.sessions.importing", "import sqlite3\nfrom ctx.edit import atomic"),
        ("ctx.sessions.compaction", "from ctx import read, edit"),
        ("ctx.app.walk", "from ctx import read, rank, fit, render, store, llm"),
        ("ctx.llm.http", "import urllib3"),
        ("ctx.cli.agent", "from ctx import hooks\nimport typer"),
    ):  # fmt: skip
        assert bad_imports_of_packages(parsed(name, source)) == []


def test_relative_imports_start_from_the_package() -> None:
    source = "from .. import rank\nfrom . import tasks"
    inside = imports(parsed("ctx.read.tasks", source))
    assert [found.target for found in inside] == ["ctx.rank", "ctx.read.tasks"]
    package = imports(parsed("ctx.read", source, is_package=True))
    assert [found.target for found in package] == ["ctx.rank", "ctx.read.tasks"]
    top = imports(parsed("ctx.app", "from .rank import brackets\nfrom . import read"))
    assert [found.target for found in top] == ["ctx.rank.brackets", "ctx.read"]


def test_a_shell_imported_from_inside_is_found() -> None:
    for name, source in (
        ("ctx.app.walk", "import typer"), ("ctx.app.walk", "from rich.table import Table"),
        ("ctx.app.walk", "from ..cli import agent"), ("ctx.__main__", "import typer"),
    ):  # fmt: skip
        assert len(bad_imports_of_shell(parsed(name, source))) == 1


def test_the_door_opens_the_shell() -> None:
    assert bad_imports_of_shell(parsed("ctx.__main__", "from ctx.cli import main")) == []
    assert bad_imports_of_shell(parsed("ctx.cli.agent", "import typer, rich.console")) == []


def test_the_world_used_below_the_shell_is_found() -> None:
    for source in (
        "print('x')", "show = print", "input()", "raise SystemExit(1)", "import sys\nsys.exit(1)",
        "import sys\nsys.stdout.write('x')", "import sys as system\nsystem.stdin.read()",
        "import os\nos.environ['HOME']", "import os\nos.environ.get('HOME')",
        "import os\nos.getenv('HOME')", "import os\nos.getcwd()", "import os.path\nos.getcwd()",
        "import time\ntime.time()", "import datetime\ndatetime.date.today()",
        "import datetime as dt\ndt.datetime.now(dt.UTC)", "from datetime import date\ndate.today()",
        "from datetime import datetime as moment\nmoment.now()",
        "def late():\n    from datetime import datetime\n    return datetime.utcnow()",
        "from pathlib import Path\nPath.cwd()", "stream.isatty()", "streams[0].isatty()",
        "from os import environ", "from time import time", "from sys import stdout as out",
    ):  # fmt: skip
        assert len(bad_uses_of_the_world(parsed("ctx.app.walk", source))) == 1
        assert bad_uses_of_the_world(parsed("ctx.cli.agent", source)) == []


def test_harmless_neighbours_are_left_alone() -> None:
    for source in (
        "clock.now()", "from datetime import date\ndate.fromisoformat(text)",
        "import os\nos.stat(path)", "import sys\nsys.intern(name)", "record.time.time",
        "import time\ntime.perf_counter()",
    ):  # fmt: skip
        assert bad_uses_of_the_world(parsed("ctx.app.walk", source)) == []


def test_a_module_that_is_too_long_is_found() -> None:
    for name, limit in (("ctx.app.walk", 600), ("ctx.__main__", 15)):
        assert bad_size(parsed(name, "x = 1\n" * limit)) == []
        assert len(bad_size(parsed(name, "x = 1\n" * (limit + 1)))) == 1

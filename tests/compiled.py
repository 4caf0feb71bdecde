"""Every regular expression that ctx compiles: all of its modules imported, and what is made later.

    python -m tests.compiled

Prints them as JSON, and the places in the source that compile something and were not reached. In
a process of its own: modules that are imported already compile nothing any more.
"""

# ruff: noqa: S102, S307, ANN401, C901 - it runs what the source says

import ast
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import ctx

ROOT = Path(ctx.__file__).resolve().parent
METHODS = frozenset(
    {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
)
ANCHORED = frozenset({"match", "fullmatch"})
"""Ways of asking that try a pattern at one place."""
MAKERS = {
    "ctx.text.ignored": "Rules(b'*.py')",
    "ctx.text.secrets.assigned": (
        "[_compiled(one) for many in _OPTIONS.values() for row in many for one in row[1:]]"
    ),
    "ctx.read.markdown.plain": "_fence(['```', '```'], 0)",
    "ctx.text.globs": (
        "[_compiled(one) for one in ('src/**/*.{ts,tsx}', '**/a*/**/b*[!c-e]?/**/d/**', 'a*b*c*d')]"
    ),
    "ctx.read.instructing.model": "[pattern(*key) for key in tables()]",
    "ctx.app.trace": "_pattern(['cart.py', 'cart%20two.py'])",
    "ctx.hosts.wrappers": "spoken('<a>b</a>')",
    "ctx.share": "_hint('')",
    "ctx.text.outline": "_opens('```')",
}
"""Calls of what compiles a pattern with arguments, by module."""
TABLES: dict[str, str] = {}
"""Functions that compile what they are given: they are given every text of their module."""


class Site(NamedTuple):
    """A place in the source that compiles a pattern."""

    first: int
    last: int
    anchored: bool
    """Whether it is only ever tried at one place of a text."""
    function: str
    """The function of no arguments that it stands in; empty for another, or none."""


@cache
def sites(path: str) -> list[Site]:
    """Return the places of a module that compile a pattern."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found: list[Site] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise SystemExit(f"{path}:{node.lineno}: import re, and not of it")
        match node:
            case ast.Attribute(ast.Name("re"), attr) if attr in METHODS:
                pass
            case ast.Name("regex", ast.Load()):
                attr = "compile"
            case _:
                continue
        parent = above[node]
        call = parent if isinstance(parent, ast.Call) else node
        anchored = attr in ANCHORED
        parents: list[ast.AST] = [call]
        while parents[-1] in above:
            parents.append(above[parents[-1]])
        inside = [one for one in parents if isinstance(one, ast.FunctionDef)]
        if attr == "compile" and isinstance(parents[1], ast.Assign):
            anchored = _is_anchored(parents[1], inside[0] if inside else tree, above)
        plain = inside and not (inside[0].args.args or inside[0].args.kwonlyargs)
        name = inside[0].name if plain else ""
        found.append(Site(call.lineno, call.end_lineno or call.lineno, anchored, name))
    return found


def _is_anchored(made: ast.Assign, where: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    """Whether a pattern with a name of its own is only asked to ``match`` or ``fullmatch``."""
    if len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
        return False
    name = made.targets[0].id
    uses = [
        above[node]
        for node in ast.walk(where)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    asked = all(isinstance(use, ast.Attribute) and use.attr in ANCHORED for use in uses)
    own = name.startswith("_") or not isinstance(where, ast.Module)
    return own and bool(uses) and asked


def recorded() -> tuple[list[dict[str, object]], list[str]]:
    """Import all of ctx; return its patterns, and the places that compiled none."""
    found: dict[tuple[str, int, Any, int], bool] = {}
    reached: set[tuple[str, Site]] = set()
    own: Any = re
    compile_ = own._compile

    def record(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__ and frame.f_back:
            frame = frame.f_back
        path, line = frame.f_code.co_filename, frame.f_lineno
        if path.startswith(str(ROOT)):
            for site in sites(path):
                if site.first <= line <= site.last:
                    reached.add((path, site))
                    if not isinstance(pattern, re.Pattern):
                        found[path, line, pattern, int(flags)] = site.anchored
        return compile_(pattern, flags)

    own._compile = record
    vars(importlib.import_module("ctx.text.regex"))["regex"] = re.compile  # now, not at first use
    names = [module.name for module in pkgutil.walk_packages(ctx.__path__, "ctx.")]
    names = [name for name in names if not name.endswith(("__main__", ".regex"))]
    modules = list(map(importlib.import_module, names))
    for module in modules:
        _exercise(module)
    missed = []
    for module in modules:
        path = inspect.getfile(module)
        for site in sites(path):
            if (path, site) not in reached:
                literal = _written(module, site)
                if literal is None:
                    missed.append(f"{Path(path).relative_to(ROOT.parent)}:{site.first}")
                else:
                    found[path, site.first, *literal] = site.anchored
    told = [
        {
            "place": f"{Path(path).relative_to(ROOT.parent).as_posix()}:{line}",
            "pattern": pattern if isinstance(pattern, str) else pattern.decode("latin-1"),
            "binary": isinstance(pattern, bytes), "flags": flags, "anchored": anchored,
        }
        for (path, line, pattern, flags), anchored in found.items()
    ]  # fmt: skip
    return told, missed


def _exercise(module: ModuleType) -> None:
    """Call what compiles patterns when it is asked: functions of no arguments, and ``MAKERS``."""
    for site in sites(inspect.getfile(module)):
        made = getattr(module, site.function, None) if site.function else None
        if callable(made):
            made()
    exec(MAKERS.get(module.__name__, ""), vars(module))
    if made := getattr(module, TABLES.get(module.__name__, ""), None):
        for text in _texts([value for name, value in vars(module).items() if name[:2] != "__"]):
            made(text)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)


def _written(module: ModuleType, site: Site) -> tuple[Any, int] | None:
    """Return pattern and flags of a call in a function, where its module alone says them."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not (isinstance(node, ast.Call) and (node.lineno, node.end_lineno) == site[:2]):
            continue
        if ast.unparse(node.func).startswith("re."):
            flags = [ast.unparse(one) for one in node.args[1:] if _is_flag(one)]
            try:
                pattern = eval(ast.unparse(node.args[0]), vars(module))
            except NameError:
                return None
            return pattern, int(eval(" | ".join(flags) or "0", {"re": re}))
    return None


def _is_flag(node: ast.AST) -> bool:
    names = [one for one in ast.walk(node) if isinstance(one, ast.Attribute)]
    return bool(names) and all(ast.unparse(one).startswith("re.") for one in names)


if __name__ == "__main__":
    patterns, unseen = recorded()
    sys.stdout.write(json.dumps({"patterns": patterns, "missed": unseen}))

"""Commands that the work tree no longer knows, as far as its files decide that."""

import json
import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple

from ctx.checks.rules.missing_path import path_in, spans
from ctx.checks.types import Document, Fault, Subject, Tree, quoted
from ctx.text.english import words_of

_NAME = re.compile(r"[A-Za-z0-9][\w:.@/-]*")
_FILE = re.compile(r"(?:\./)?[\w.@+-]+(?:/[\w.@+-]+)*\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|php)")
_PROMPT = re.compile(r"^[ \t>]*(?:[$%][ \t]+)?")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*[:?]?=")
_SPLIT = re.compile(r"&&|\|\||;")
_COMMENT = re.compile(r"\s#(?:\s.*)?$")

_INTERPRETERS = frozenset({"python", "python3", "bash", "sh", "zsh", "node", "ruby", "perl"})
_USUAL = words_of("scripts")  # names of scripts; other words after pnpm may be programs
_RECIPE = re.compile(
    r"^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?!=)|^alias[ \t]+([\w-]+)", re.MULTILINE
)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_MAKES_ONE = ("CMakeLists.txt", "configure", "configure.ac", "Makefile.am", "Makefile.in")
_JUSTFILES = ("justfile", "Justfile", ".justfile")


_Names = (
    AbstractSet[str] | None
)  # that a tool knows in this work tree; None where it is not certain


class _Called(NamedTuple):
    tool: str
    name: str


def check(subject: Subject) -> Iterator[Fault]:
    """Yield commands whose script, target, recipe or file does not exist."""
    if (tree := subject.tree) is None:
        return
    known = cache(lambda tool: _READERS.get(tool, scripts)(tree))
    for document in subject.documents:
        seen: set[_Called] = set()
        for line, text in _commands(document):
            for called in filter(None, map(_called, _SPLIT.split(text))):
                if called not in seen and not _exists(called, tree, known):
                    seen.add(called)
                    what = f"{called.tool} has no {quoted(called.name)}"
                    if called.tool in _INTERPRETERS or not called.tool:
                        what = f"there is no {quoted(called.name)} to run"
                    remedy = "write the command that does it now, or take it out"
                    yield Fault(document.path, line, what, remedy)


def _commands(document: Document) -> Iterator[tuple[int, str]]:
    for span in spans(document):
        if not path_in(span.text):  # paths are for the rule missing-path
            yield span
    for number in sorted(document.text.shell - document.history - document.tasks):
        yield number, _COMMENT.sub("", _PROMPT.sub("", document.text.lines[number - 1]))


def _called(command: str) -> _Called | None:
    """Return what a command asks a tool for; None for what no file decides."""
    words = command.split()
    while words and _ASSIGNED.match(words[0]):
        del words[0]
    if not words or any(char in command for char in "<>{}$*…`|()\\"):
        return None
    first = words[0]
    if first in ("make", "just"):
        words = [word for word in words[1:] if not _ASSIGNED.match(word)]
        return _Called(first, words[0]) if len(words) == 1 and _NAME.fullmatch(words[0]) else None
    if first in ("npm", "pnpm", "yarn", "bun"):
        return _script(first, words[1:])
    # A file that an interpreter runs, or that runs by itself.
    tool, file = (first, words[1] if words[1:] else "") if first in _INTERPRETERS else ("", first)
    is_run = _FILE.fullmatch(file) and (tool or file.startswith("./"))
    return _Called(tool, file.removeprefix("./")) if is_run else None


def _script(tool: str, words: list[str]) -> _Called | None:
    words = words[: words.index("--")] if "--" in words else words
    if any(word.startswith("-") for word in words[:2]) or not words:
        return None  # an option may name another folder
    if words[0] == "run" and len(words) > 1:
        usual = tool in ("npm", "pnpm") or _is_usual(words[1])
        return _Called(f"{tool} run", words[1]) if usual and _NAME.fullmatch(words[1]) else None
    if tool == "npm":
        return _Called("npm run", words[0]) if words[0] == "test" else None
    if tool == "bun":
        return None  # its own commands have the names of scripts
    return _Called(f"{tool} run", words[0]) if _is_usual(words[0]) else None


def _is_usual(word: str) -> bool:
    return word in _USUAL or (":" in word and _NAME.fullmatch(word) is not None)


def _exists(called: _Called, tree: Tree, known: Callable[[str], _Names]) -> bool:
    if called.tool in _INTERPRETERS or not called.tool:
        foreign = "/" in called.name and not tree.has_root(called.name)
        return foreign or tree.ignores(called.name) or tree.holds(called.name)
    names = known(called.tool.partition(" ")[0])
    return names is None or called.name in names


def scripts(tree: Tree) -> _Names:
    """Return the scripts of every ``package.json``; None where one cannot be read."""
    found: set[str] = set()
    for text in tree.files("package.json"):
        try:
            package = json.loads(text or "")
        except (ValueError, RecursionError):
            return None
        named = package.get("scripts") if isinstance(package, dict) else None
        found.update(named if isinstance(named, dict) else ())
    return found


def targets(tree: Tree) -> _Names:
    """Return the targets of every Makefile; None where there may be others."""
    found: set[str] = set()
    texts = list(tree.files(*_MAKEFILES))
    for text in texts:
        if text is None or re.search(r"^-?s?include\b|^\$\(eval|^define\b", text, re.MULTILINE):
            return None
        for line in text.replace("\\\n", " ").split("\n"):
            head, colon, rest = line.partition("#")[0].partition(":")
            is_rule = colon and "=" not in head and not head[:1].isspace()
            if is_rule and not rest.startswith(("=", ":=", "::=")):  # which assign
                found.update(head.split())
    open_ended = any("%" in name or "$" in name for name in found)
    made = not texts and any(tree.holds(name) for name in _MAKES_ONE)
    return None if open_ended or made else found


def recipes(tree: Tree) -> _Names:
    """Return the recipes of every justfile; None without one: ``just`` may begin a sentence."""
    every = list(tree.files(*_JUSTFILES))
    texts = [text for text in every if text is not None]
    found = {one or other for text in texts for one, other in _RECIPE.findall(text)}
    more = any(re.search(r"^(?:import|mod)\b", text, re.MULTILINE) for text in texts)
    return found if texts and len(texts) == len(every) and not more else None


_READERS: dict[str, Callable[[Tree], _Names]] = {"make": targets, "just": recipes}

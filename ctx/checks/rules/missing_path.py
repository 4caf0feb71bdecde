"""Paths in the text that no longer exist.

Only paths that begin with a folder of the work tree: others may be of another project.
"""

import re
from collections.abc import Iterator

from ctx.checks.spans import path_in, spans
from ctx.checks.types import Fault, Subject, Tree, quoted
from ctx.text.token_patterns import is_file

_REMEDY = "write where it is now, or say that it is gone"
_SYMBOL = re.compile(r"\.[A-Z_a-z]\w*$")


def check(subject: Subject) -> Iterator[Fault]:
    """Yield paths in code spans that the work tree does not hold."""
    if subject.tree is None:
        return
    for document in subject.documents:
        seen: set[str] = set()
        for span in spans(document):
            path = path_in(span.text)
            if path and path not in seen and _is_gone(path, subject):
                seen.add(path)
                moved = subject.tree.elsewhere(path)
                remedy = f"write {quoted(moved)}, if it was moved there" if moved else _REMEDY
                yield Fault(document.path, span.line, f"there is no {quoted(path)}", remedy)


def _is_gone(path: str, subject: Subject) -> bool:
    tree = subject.tree
    bare = path.rstrip("/")
    if tree is None or not tree.has_root(path) or _is_made(bare) or tree.ignores(path):
        return False
    if tree.holds(bare) or subject.exists(bare):
        return False
    return is_file(bare) or path.endswith("/") or not _is_symbol(bare, tree)


def _is_made(path: str) -> bool:
    """Return whether programs keep their state there: in hidden folders, except documents."""
    hidden = path.removeprefix("./").startswith(".") and not path.startswith(".github/")
    return hidden and not path.endswith(".md")


def _is_symbol(path: str, tree: Tree) -> bool:
    """Return whether a name behind a dot is in a file or package: ``net/retry.Policy``."""
    symbol = _SYMBOL.search(path)
    return symbol is not None and tree.holds(path[: symbol.start()])

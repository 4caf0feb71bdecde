"""What ``dev.py test --quick`` leaves out: it runs what a change breaks first, in a short time.

Left out are properties, whatever starts a process or a thread, and the files of ``SLOW``. The code
of a test and of its fixtures names what it starts, so that nobody has to mark tests.
"""

import os
import subprocess
import threading
from collections.abc import Iterator
from functools import cache
from inspect import unwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest

STARTS = (subprocess.run, subprocess.Popen, subprocess.check_output, os.fork, threading.Thread)
"""What a quick test does not call."""
LONG = (
    "serve/test_pages.py", "test_page.py", "test_transcripts.py", "test_patterns.py",
    "app/explain/test_explain.py", "test_docs.py", "test_law.py", "test_hostile.py",
)  # fmt: skip
"""The files that take longest: with all tests they begin, lest one of them is the last to end."""
SLOW = (
    "test_", "cli/", "hooks/", "mcp/", "serve/", "share/",  # the whole program, or a server
    "app/explain/", "app/test_project.py", "edit/test_line_ends.py", "store/test_damage.py",
    "store/test_vectors.py",
)  # fmt: skip
"""How the paths of files begin whose tests take long for what they find in one package."""
ALWAYS = ("test_architecture.py", "test_quick.py")
"""Of these, files that a quick run has all the same."""
FOLDER = Path(__file__).parent


def is_slow(path: Path) -> bool:
    """Whether a file has no quick tests, so that it need not be imported."""
    if not path.is_relative_to(FOLDER) or not path.is_file():
        return False
    name = path.relative_to(FOLDER).as_posix()
    return name.startswith(SLOW) and name not in ALWAYS


def is_quick(item: pytest.Item) -> bool:
    """Whether a test belongs to those of ``--quick``."""
    if not isinstance(item, pytest.Function) or hasattr(item.obj, "is_hypothesis_test"):
        return False
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    functions = (item.function, *(one.func for several in fixtures for one in several))
    return not any(starts(unwrap(function)) for function in functions)


@cache
def starts(function: object) -> bool:
    """Whether a function of the tests, or one that it names, starts a process or a thread."""
    if not isinstance(function, FunctionType) or not function.__module__.startswith("tests"):
        return False
    pending: list[object] = [function]
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if any(one is each for each in STARTS):
            return True
        if isinstance(one, FunctionType) and one.__module__.startswith("tests"):
            pending += _named(one)
        elif isinstance(one, type) and one.__module__.startswith("tests"):
            pending += vars(one).values()
    return False


def _named(function: FunctionType) -> Iterator[object]:
    names = set(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from (vars(value).get(other) for other in names)
        else:
            yield value
    for cell in function.__closure__ or ():
        yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _names(value)

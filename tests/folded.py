"""A file system that takes names in any case and any Unicode form, as those of macOS and Windows.

Below one folder a name that is not there leads to the file whose name differs in case or in form
alone. Folders are listed as they are, as such file systems do it.
"""

from __future__ import annotations

import builtins
import io
import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

_ONE = (
    "access", "chmod", "getxattr", "listdir", "listxattr", "lstat", "mkdir", "open", "readlink",
    "rmdir", "scandir", "setxattr", "stat", "unlink", "utime",
)  # fmt: skip
_TWO = ("link", "rename", "replace")


def fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@contextmanager
def folding(top: Path) -> Iterator[None]:
    """Let names below ``top`` be taken in any case and any form meanwhile."""
    base, lexists, listdir = str(top), os.lstat, os.listdir

    def actual(path: object) -> object:
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        full = os.path.normpath(os.path.join(os.getcwd(), text)) if text else ""
        if not full.startswith(base + os.sep):
            return path
        found = base
        for name in full[len(base) + 1 :].split(os.sep):
            found = os.path.join(found, name)
            try:
                lexists(found)
            except OSError:
                folder = os.path.dirname(found)
                names = listdir(folder) if os.path.isdir(folder) else []
                same = [other for other in names if fold(other) == fold(name)]
                found = os.path.join(folder, same[0] if same else name)
        return found

    def taking(function: Callable[..., Any], paths: int) -> Callable[..., Any]:
        def folded(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - those of any function
            return function(*map(actual, given[:paths]), *given[paths:], **named)

        return folded

    with ExitStack() as stack:
        for name in filter(partial(hasattr, os), (*_ONE, *_TWO)):
            function = taking(getattr(os, name), 1 if name in _ONE else 2)
            stack.enter_context(mock.patch.object(os, name, function))
        for module in (builtins, io):
            stack.enter_context(mock.patch.object(module, "open", taking(io.open, 1)))
        yield

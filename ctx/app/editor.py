"""A draft that a person edits in their editor, and that is kept if it cannot be used."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ctx.edit.atomic import remove


class EditorError(Exception):
    """An editor that is not there, or that failed; one line."""


def edit(text: str, environ: Mapping[str, str], warn: Callable[[str], None]) -> str:
    """Return ``text`` as it is left in the editor of VISUAL or EDITOR; raises EditorError."""
    with drafted(text, environ, warn) as left:
        return left


@contextmanager
def drafted(text: str, environ: Mapping[str, str], warn: Callable[[str], None]) -> Iterator[str]:
    """Yield ``text`` as it is left in an editor; raises EditorError as ``edit``.

    Its file goes when all went well; else it stays, and a message names it.
    """
    try:
        path = keep(text)
    except OSError as error:
        raise EditorError(f"no temporary file can be written: {error.strerror}") from error
    given = _bytes_of(path)
    try:
        yield _edited(path, environ)
    except BaseException:
        if _bytes_of(path) in (given, b""):
            remove(path)
        else:  # nothing that a person wrote is lost
            warn(f"what was written is kept in {path}")
        raise
    remove(path)


def _edited(path: str, environ: Mapping[str, str]) -> str:
    posix = os.name == "posix"  # elsewhere a backslash is part of a path
    usual = "vi" if posix else "notepad"
    called = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip() or usual
    try:
        words = [*shlex.split(called, posix=posix), path]
        code = subprocess.run(words, check=False).returncode  # noqa: S603 - the person's own
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"{called}: cannot be used: {why} (VISUAL or EDITOR names another editor)"
        raise EditorError(message) from error
    if code:
        raise EditorError(f"{called}: ended with code {code}; what it left was not taken")
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except OSError as error:
        raise EditorError(f"{called}: left no file: {error.strerror}") from error
    except UnicodeDecodeError as error:
        message = f"{called}: left what is not UTF-8 (byte {error.start})"
        raise EditorError(message) from error


def _bytes_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def keep(text: str) -> str:
    """Write ``text`` to a new file that nobody else may read; return its path, or raise OSError."""
    handle, path = tempfile.mkstemp(prefix="ctx-", suffix=".md")
    try:
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError:
        remove(path)
        raise
    return path

"""The files of a directory as rules look at them: Markdown with its zones, and all that is text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ctx.check import Document, Piece, zoned
from ctx.read import files
from ctx.read.blocks import normalise
from ctx.read.decode import decode
from ctx.read.directory import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Context, Entry, Source
    from ctx.read import Limits

IMPORTED = "sessions/"
"""How sources are called that the user imported: they lie outside the directory."""
STORE = ".ctx"
"""What ctx itself keeps; made of what the other files hold."""
PIECE = 1024 * 1024
"""Bytes of a file that are looked at together."""
_PEEK = 8192
"""Bytes by which a file is taken for text or not."""
_OVER = frozenset({"superseded", "done", "skipped"})
_BOMS = (b"\xff\xfe", b"\xfe\xff")
_TEXTS = (".md", ".jsonl", ".toml")
"""Endings of files that are read as text, whatever they hold."""
_SESSION = ".jsonl"
_HIDDEN = frozenset({STORE, ".git"})


def is_archived(source: str) -> bool:
    """Return whether a file holds what no packet says."""
    return source.startswith(f"{ARCHIVE}/")


def documents(context: Context, limits: Limits) -> list[Document]:
    """Return the Markdown files that packets say, and those of the root that they name."""
    real = {files.shown(path): path for path in paths(context.root)}
    sources = {one.path: one for one in context.sources if not is_archived(one.path)}
    markdown = [path for path in sources if path.lower().endswith(".md")]
    found = []
    for path in dict.fromkeys((*markdown, *context.read_order)):
        text = _text(context.root, real.get(path, path), limits)
        if text is not None:
            found.append(_document(path, text, sources.get(path)))
    return found


def _text(root: str, path: str, limits: Limits) -> str | None:
    """Return a file as it is parsed; None where it cannot be, of which the reader has warned."""
    try:
        files.inspect(root, path, limits)
        data = files.load(root, path, limits).data
    except files.RefusedError:
        return None
    return normalise(decode(path, data)[0])


def _document(path: str, text: str, source: Source | None) -> Document:
    entries = source.entries if source else []
    kind = source.parts[0].kind if source and source.parts else ""
    past = _lines(one for one in entries if one.status in _OVER)
    tasks = _lines(one for one in entries if one.kind == "task")
    return Document(path, kind, zoned(text), past, tasks)


def _lines(entries: Iterator[Entry]) -> frozenset[int]:
    return frozenset(line for one in entries for line in range(one.line, one.end_line + 1))


def paths(root: str) -> Iterator[str]:
    """Yield every file of a directory but the store's, relative to it, sorted by folder."""
    found = [path for path, is_folder in files.below(root, _HIDDEN) if not is_folder]
    yield from sorted(found, key=lambda path: (*path.rpartition("/")[::2],))


def pieces(context: Context, state: str, limits: Limits) -> Iterator[Piece]:
    """Yield all that is text of a directory and the documents beside it, in pieces.

    Those of imported sessions, which lie below ``state``, are named by their absolute paths.
    """
    beside = (one.path for one in context.sources if one.path.startswith("../"))
    imported = (one.path for one in context.sources if one.path.startswith(IMPORTED))
    for path in (*paths(context.root), *beside):
        yield from _pieces(context.root, path, limits)
    for path in imported:
        for piece in _pieces(state, path, limits):
            yield piece._replace(path=os.path.join(state, piece.path))


def _pieces(root: str, path: str, limits: Limits) -> Iterator[Piece]:
    """Yield the pieces of one file; none of what cannot be read, or is no text."""
    if path.endswith(_SESSION):
        limits = limits._replace(max_bytes=sys.maxsize)  # as the reader has it
    line = 1
    try:
        files.inspect(root, path, limits)
        with files.opened(files.place(root, path)) as file:
            head = file.read(_PEEK)
            wide = head.startswith(_BOMS)
            if b"\0" in head and not wide and not path.lower().endswith(_TEXTS):
                return
            file.seek(0)
            while data := file.read() if wide else b"".join(file.readlines(PIECE)):
                text = decode(path, data)[0].replace("\r\n", "\n").replace("\r", "\n")
                yield Piece(files.shown(path), line, text)
                line += text.count("\n")
    except (files.RefusedError, OSError):
        return  # the reader has warned of what a packet would say of it


class Places:
    """Tells whether there is something at a path, as far as the project goes."""

    def __init__(self, root: str, project: str) -> None:
        """Look below ``root``, and below ``project`` unless that is empty."""
        self._root = root
        self._project = os.path.join(os.path.realpath(project), "") if project else ""
        self._known: dict[str, bool | None] = {}

    def __call__(self, path: str) -> bool | None:
        """Return whether there is something at ``path``, told from the context directory.

        None for what lies outside of it where there is no project, or outside of the project.
        """
        if path not in self._known:
            self._known[path] = self._look(path)
        return self._known[path]

    def _look(self, path: str) -> bool | None:
        place = os.path.normpath(os.path.join(self._root, path))
        inside = place.startswith(os.path.join(os.path.normpath(self._root), ""))
        if not inside and place != os.path.normpath(self._root):
            real = os.path.realpath(place)
            if not self._project or not os.path.join(real, "").startswith(self._project):
                return None
        try:
            return os.path.lexists(place)
        except (ValueError, UnicodeEncodeError):
            return False  # no file can be called so

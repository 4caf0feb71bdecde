"""``ctx index``: bring words and vectors up to date now, so that no hook has to.

Everything here can be deleted at any time, and is made again when it is missing.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctx.app.cache import NOWHERE, Indexed, check_writable
from ctx.app.library import LOADING, open_vectors
from ctx.app.options import PacketOptions
from ctx.app.settings import store_mark
from ctx.app.walk import indexable
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.terminal import progress, write_answer
from ctx.edit.atomic import explained
from ctx.errors import EmbedderError, FileError
from ctx.llm.embedders import check
from ctx.model import CacheLossError, EmbeddingError, Fields, ParseCache, Part, Text
from ctx.store import Store, open_store
from ctx.store.no_cache import NoCache
from ctx.store.parse_cache import Index
from ctx.streams import complain
from ctx.text.names import shown
from ctx.world import World

if TYPE_CHECKING:
    from ctx.store.vectors import Vectors

_QUESTION = (
    "What is this about?"  # asked for its vector, to see whether there is a model, and which
)


@taking("embedder", "dir", "json")
def index(
    options: PacketOptions,
    *,
    rebuild: bool = False,
    status: bool = False,
    json: bool = False,
) -> None:
    """Index words and vectors now, so that no hook has to wait.

    An interrupted index continues where it stopped. Exit codes: 0 done, 2 usage, 4 no context
    directory, 6 the cache cannot be written, 7 the embedder cannot be used or failed.
    """
    world = World()
    workspace = Workspace(options, world)
    root = workspace.root
    check(workspace.settings.embedder)
    if not world.keeps and not status:
        raise FileError("CTX_NO_CACHE is set: nothing may be kept", "unset it to index")
    # What is there may be looked at all the same.
    store = open_store(root, world.environ, world.home) if status else workspace.store
    if not (store.cache or status):
        raise FileError(NOWHERE, "see `ctx cache`")
    if not status:
        check_writable(store)
    indexing = _Indexing(workspace, store)
    found = indexing.look() if status else indexing.make(rebuild=rebuild)
    write_answer(found._asdict(), _lines(found), as_json=json)


def _lines(found: Indexed) -> list[str]:
    lines = [f"{shown(found.root)}: {found.entries:,} entries, {found.bytes / 2**20:,.1f} MiB"]
    lines.append(_line("words", found.words, found.entries))
    if found.embedder == "none":
        lines.append('vectors: no embedder is set up (embedder = "static" in the settings)')
    else:
        lines.append(_line(f"vectors ({found.embedder})", found.vectors, found.entries))
    return lines


def _line(what: str, done: int, total: int) -> str:
    left = "" if done == total else ", `ctx index` makes the rest"
    return f"{what}: {done:,} of {total:,} entries{left}"


class _Indexing:
    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._root = workspace.root
        self._settings = workspace.settings
        self._store = store
        self._world = workspace.world
        self._request = workspace.request()

    def look(self) -> Indexed:
        parts, _, _ = self._read(NoCache())
        with self._store.words(store_mark(self._settings)) as words:
            indexed = words.current(parts)
        done = 0
        if self._settings.embedder != "none":
            with self._vectors(read_only=True) as kept:
                done = kept.current(parts)
        return self._status(parts, indexed, done)

    def make(self, *, rebuild: bool) -> Indexed:
        """Make what is missing, or all of it; what was made is kept, however this ends."""
        if rebuild and self._settings.embedder != "none":
            with self._vectors() as kept:
                kept.ask(_QUESTION)  # before anything is thrown away
                kept.forget()
        if rebuild:
            self._store.forget_index()
        try:
            mark = store_mark(self._settings)
            with self._store.parse_cache(mark, self._world.now_ns) as cache:
                made = self._indexed(cache)
        except CacheLossError:  # another process writes, or nothing can be written
            made = self._indexed(NoCache())
        return self._status(*made)  # once all is closed, and as large as it will be

    def _indexed(self, cache: Index | NoCache) -> tuple[Sequence[Part], int, int]:
        parts, fields, text = self._read(cache)
        cache.flush()
        cache.forget_others(self._root)
        total = sum(map(len, parts))
        with self._store.words(store_mark(self._settings)) as words:
            with progress("words", total, self._world, counts="entries") as show:
                words.refresh(parts, fields, show)
            indexed = words.current(parts)
        if indexed < total:
            complain(f"{self._store.cache}: words could not be kept there now; run it again")
        if self._settings.embedder == "none":
            return parts, indexed, 0
        with self._vectors() as kept:
            kept.ask(_QUESTION)  # a model that has changed shows itself
            return parts, indexed, self._embed(kept, parts, text, total)

    def _embed(self, kept: "Vectors", parts: Sequence[Part], text: Text, total: int) -> int:
        with progress("vectors", total, self._world, counts="entries") as show:

            def go_on(done: int, _total: int) -> bool:
                if show:
                    show(done)
                return True

            state = kept.refresh(parts, text, go_on)
            go_on(state.done, total)
        if not state.whole:
            raise EmbedderError(
                f"{state.done:,} of {state.total:,} entries have vectors: {state.why}",
                "run it again to go on",
            )
        kept.forget_others(parts)
        return kept.current(parts)

    @contextmanager
    def _vectors(self, *, read_only: bool = False) -> Iterator["Vectors"]:
        try:
            with open_vectors(
                self._store, self._settings, self._world.environ, LOADING, read_only=read_only
            ) as kept:
                yield kept
        except EmbeddingError as error:
            raise EmbedderError(str(error)) from error

    def _read(self, cache: ParseCache) -> tuple[Sequence[Part], Fields, Text]:
        with explained(self._root, "read"):
            return indexable(self._request, cache)

    def _status(self, parts: Sequence[Part], words: int, done: int) -> Indexed:
        paths = filter(os.path.isfile, self._store.index_files())
        size = sum(map(os.path.getsize, paths))
        embedder = self._settings.embedder
        return Indexed(self._root, sum(map(len, parts)), words, embedder, done, size)

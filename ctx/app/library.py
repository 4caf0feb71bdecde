"""What rankers may ask: words, vectors and counts, each as far as it can be had in time.

Wires the store and the embedders to what makes a packet. Words are always there; vectors
only where an embedder is set up, answers, and does so before the deadline.
"""

from __future__ import annotations

import time

from ctx import rank
from ctx.app.settings import store_mark
from ctx.model import ARCHIVED, EmbeddingError, Indexes, RerankError
from ctx.typed import TYPE_CHECKING
from ctx.world import single_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from ctx.config import Settings
    from ctx.model import Embedder, Fields, Nearness, Part, Text, VectorSpace
    from ctx.store import Store
    from ctx.store.vectors import Vectors
    from ctx.store.words import Lexicon

LOADING = 600.0  # most seconds for a batch of texts: a model may have to be loaded
_LEAST = 0.1  # seconds that a call is given at least; none begins when there is less left


class Library:
    """The words and vectors of one directory, to be closed."""

    def __init__(
        self, store: Store, settings: Settings, environ: Mapping[str, str], as_of: date
    ) -> None:
        self._store = store
        self._settings = settings
        self._environ = environ
        self._as_of = as_of
        self._lexicon: Lexicon | None = None
        self._vectors: Vectors | None = None

    def close(self) -> None:
        """Close what was opened."""
        if self._lexicon:
            self._lexicon.close()
        if self._vectors:
            self._vectors.close()

    def indexes(self, parts: Sequence[Part], fields: Fields, text: Text, query: str) -> Indexes:
        """Return what can be asked about ``parts``; closes what was returned before."""
        self.close()
        near, warnings = self._near(parts, text, query)
        # The words that are kept are those of every other call: they are not to be exchanged.
        archive = any(part.source.startswith(ARCHIVED) for part in parts)
        lexicon = self._store.words(store_mark(self._settings), kept=not archive)
        self._lexicon = lexicon
        lexicon.refresh(parts, fields)
        reranker = None
        if self._settings.rerank != "none":
            from ctx.llm import rerankers  # only where one is asked for

            seconds = self._settings.rerank_seconds
            try:
                reranker = rerankers.reranker(self._settings.rerank, self._environ, seconds)
            except RerankError as error:
                warnings = (*warnings, f"not reranked: {error}")
        counts = self._store.counts(self._as_of)
        return Indexes(lexicon, near, counts, warnings, reranker, self._settings.rerank_hits)

    def _near(
        self, parts: Sequence[Part], text: Text, query: str
    ) -> tuple[Nearness | None, tuple[str, ...]]:
        seconds = self._settings.embed_seconds
        if self._settings.embedder == "none" or not query.strip():
            return None, ()
        end = time.monotonic() + seconds
        settings = self._settings
        try:
            self._vectors = vectors = open_vectors(self._store, settings, self._environ, seconds)
            vectors.ask(query, *rank.events(query))
            half = max(_LEAST, (end - time.monotonic()) / 2)
            if settings.embedder != "static":  # which takes no time worth limiting
                vectors.replace(embedder_of(settings, self._environ, half))
            # A batch that begins in the first half of what is left ends in the second.
            state = vectors.refresh(parts, text, lambda _d, _t: time.monotonic() < end - half)
        except EmbeddingError as error:
            return None, (f"ranked by words alone: {error}",)
        if state.whole:
            return vectors, ()
        have = f"{state.done:,} of {state.total:,} entries have vectors"
        return None, (f"ranked by words alone: {have}, {state.why} (`ctx index` makes the rest)",)


def open_vectors(
    store: Store,
    settings: Settings,
    environ: Mapping[str, str],
    seconds: float,
    *,
    read_only: bool = False,
) -> Vectors:
    """Return the vectors of the embedder in ``settings``; a call takes ``seconds`` at most.

    With ``read_only`` the store must not change. Raises EmbeddingError, UsageError.
    """
    single_thread()
    made = embedder_of(settings, environ, seconds)
    return store.vectors(made, cascade=settings.cascade, read_only=read_only)


def space_of(settings: Settings, environ: Mapping[str, str]) -> VectorSpace:
    """Return the space of the embedder of ``settings``, of terms where there is none.

    Raises as ``open_vectors``; for commands that may wait, ``LOADING`` seconds for each batch.
    """
    from ctx.text.vector_space import EmbeddedSpace, TermSpace  # not for packets

    if settings.embedder == "none":
        return TermSpace()
    return EmbeddedSpace(embedder_of(settings, environ))


def embedder_of(
    settings: Settings, environ: Mapping[str, str], seconds: float = LOADING
) -> Embedder:
    """Return the embedder of ``settings``; raises as ``open_vectors``."""
    from ctx.llm import embedders

    made = embedders.embedder(settings.embedder, environ, seconds)
    if made is None:
        raise EmbeddingError('no embedder is set up (embedder = "static" in the settings)')
    return made

"""Search the team's server beside the directory: it gives candidates, ctx ranks them as its own."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import zip_longest
from threading import Thread
from typing import TYPE_CHECKING

from ctx import rank
from ctx.app.library import embedder_of
from ctx.app.walk import search_parts
from ctx.config import Settings
from ctx.errors import ServiceError, UsageError
from ctx.llm.deadline import THREAD
from ctx.model import Embedder, Found, Indexes, Nearness, Scored, SearchRequest
from ctx.read.card import title_of
from ctx.share.asked import MEANT, Asked, fetch, vectors
from ctx.share.server import HIT, NOTHING, Clock, Held, Server
from ctx.text.words import index_words
from ctx.world import World, single_thread

if TYPE_CHECKING:
    from ctx.store.vectors import Elsewhere

MOST = 5  # repositories whose entries are ranked: those whose best entries hold most of the query
_RARE, _BEGUN = 10, 32
"""Entries that hold a word, from which on words that begin with it are not looked for, and how
many of these are: as ``ctx.rank.relevance`` has them."""
_SLICE = 0.02  # seconds between two looks at a clock


class Asking:
    """A question to the server, under way while the directory is searched."""

    def __init__(
        self, asked: SearchRequest, settings: Settings, world: World, repositories: Sequence[str]
    ) -> None:
        """Ask for the best of ``repositories``, of all that are visible where none are named."""
        if not settings.share_server:
            raise UsageError(
                "--shared: no server is set up", "share_server in ~/.config/ctx/config.toml"
            )
        self._asked = asked
        self._settings = settings
        self._environ = world.environ
        self._names = list(repositories) or None
        self._clock = Clock(settings.share_ms / 1000)
        self._found: list[Found] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name=THREAD, daemon=True)
        self._thread.start()

    def found(self) -> tuple[list[Found], str]:
        """Return what each repository holds, and why there is nothing; waits within the limit.

        Raises UsageError.
        """
        while self._thread.is_alive() and self._clock.left() > 0:
            self._thread.join(_SLICE)
        if self._thread.is_alive():
            return [], f"the team's server: no answer in {self._settings.share_ms} ms"
        if isinstance(self._error, ServiceError):
            return [], self._error.line
        if self._error:
            raise self._error
        return self._found, ""

    def _run(self) -> None:
        try:
            with Server(self._settings.share_server, self._environ, self._clock) as server:
                server.identity()
                self._found = list(self._answers(server))
        except BaseException as error:  # noqa: BLE001 - raised by who waits for it
            self._error = error

    def _answers(self, server: Server) -> Iterator[Found]:
        query = self._asked.request.query
        words, beginnings = rank.lookups(query)
        embedder = None
        if self._settings.embedder != "none" and server.has_vectors():
            single_thread()
            embedder = embedder_of(self._settings, self._environ, self._settings.embed_seconds)
        visible = {each.name: each for each in server.visible(self._names)}
        if missing := [name for name in self._names or () if name not in visible]:
            raise UsageError(
                f"--repo: the server shows you no {missing[0]!r}", "`ctx share status`"
            )
        holders = server.holders([*visible], words)
        chosen = _telling(holders)
        rare = {name: rare_of(beginnings, holders[name]) for name in chosen}
        beginnings = sorted({form for forms in rare.values() for form in forms})
        begun = server.begun(chosen, beginnings)
        more = {
            stem for name in chosen for stem in _begun(rare[name], begun[name]) if stem not in words
        }
        if len(chosen) < len(visible) or more:
            words += sorted(more)
            holders = server.holders(chosen, words)
        parts = server.parts(chosen)
        every = []
        for name in chosen:
            asked = Asked(server, visible[name], parts.get(name, ()), title_of)
            asked.know(beginnings, begun[name])
            asked.take(words, holders[name])
            every.append(asked)
        near = _nearness(every, query, embedder) if embedder else []
        best = fetch(every, words, [each.similarities(query) for each in near])
        if embedder:
            wanted = [
                sorted(asked.around(at, MEANT).union(each.pairs)) if asked.examined else []
                for asked, each, at in zip(every, near, best, strict=True)
            ]
            found = vectors(every, embedder.name, wanted)
            for each, positions, rows in zip(near, wanted, found, strict=True):
                each.take(positions, rows)
        for asked, nearness in zip_longest(every, near):
            if asked.examined:
                indexes = partial(_indexes, asked, nearness, query)
                answer = search_parts(self._asked, asked.parts, indexes)
                for one in answer.scored:
                    _ = one.entry.body  # while there is a connection
                yield answer


def _nearness(every: Sequence[Asked], query: str, embedder: Embedder) -> "list[Elsewhere]":
    from ctx.store.vectors import Elsewhere, Vectors

    model, known = embedder.name, Vectors("", embedder)
    known.ask(query, *rank.events(query))

    @cache
    def compared(vector: tuple[int, ...]) -> list[list[float]]:
        near = every[0].server.near([asked.repository.name for asked in every], model, vector)
        return [asked.cosines(rows) for asked, rows in zip(every, near, strict=True)]

    def one(number: int, asked: Asked) -> "Elsewhere":
        return Elsewhere(
            known,
            sum(map(len, asked.parts)),
            lambda vector: compared(vector)[number],
            lambda positions: vectors([asked], model, [positions])[0],
        )

    return [one(number, asked) for number, asked in enumerate(every)]


def _indexes(asked: Asked, near: Nearness | None, known: str, query: str) -> Indexes:
    if query != known:  # it was corrected
        fetch([asked], rank.lookups(query)[0], [near.similarities(query)] if near else ())
    return Indexes(asked, near, examined=asked.examined, expect=asked.expect)


def _telling(holders: Mapping[str, Mapping[str, Held]]) -> list[str]:
    """Return the repositories whose best entries hold most of what is asked, by its rarity."""
    known = {word for held in holders.values() for word in held}
    frequency = {
        word: sum(held.get(word, NOTHING).held for held in holders.values()) for word in known
    }
    worth = {}
    for name, held in holders.items():
        own: dict[int, float] = {}
        for word, (_, hits) in held.items():
            rarity = 1 / frequency[word]
            for entry, *_ in HIT.iter_unpack(hits or b""):
                own[entry] = own.get(entry, 0.0) + rarity
        worth[name] = max(own.values(), default=0.0)
    return sorted(worth, key=lambda name: (-worth[name], name))[:MOST]


def rare_of(forms: Sequence[str], holders: Mapping[str, Held]) -> list[str]:
    """Return the words that so little holds that what begins with them is looked for as well."""
    return [form for form in forms if holders.get(index_words(form)[0], NOTHING).held < _RARE]


def _begun(rare: Sequence[str], begun: Sequence[str]) -> Iterator[str]:
    """Yield the stems of words that begin as a rare word of the query does."""
    every = sorted(begun, key=lambda word: (len(word), word))
    for form in rare:
        for word in [word for word in every if word.startswith(form)][:_BEGUN]:
            yield from index_words(word)


def joined(own: Sequence[Found], shared: Sequence[Found]) -> Found:
    """Return the results of directories and repositories as one, each entry once, best first.

    Scores are 1 for the best of each: they are weighed by how much of what is asked it answers.
    """
    seen: set[tuple[str, str]] = set()
    weighed: list[tuple[float, Scored]] = []
    for number, found in enumerate((*own, *shared)):
        best = max((each.relevance for each in found.scored), default=0.0)
        for each in found.scored:
            key = each.entry.timestamp, each.entry.body
            if key not in seen or number < len(own):
                seen.add(key)
                weighed.append((best * each.score, each))
    weighed.sort(key=lambda pair: (not pair[1].named, -pair[0]))
    first = own[0]
    return first._replace(
        scored=rank.foreign_last(each for _, each in weighed),
        warnings=tuple(line for found in own for line in found.warnings),
    )

"""How much of what is asked an entry answers, the same in every directory, and where to stop.

The order of ``ctx.rank.relevance`` does not show where even the best entry is about something
else. So each has a relevance as well: the share of the query's information that it holds, raised by
its meaning where that is nearer than chance. ``docs/benchmarks.md`` shows what it was fitted on.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from math import log, sqrt

from ctx.model import Nearness, Question
from ctx.rank.corpus import Corpus
from ctx.text.words import index_words, is_common, searched_words
from ctx.typed import NamedTuple

NEARBY = 1  # entries on either side that count as nearby
AROUND = 3  # entries on either side that count as around
RELEVANT = {True: 0.45, False: 0.5}  # relevance of the best at least, of talk and of the rest
OF_LIST = 1 / 3  # share of ``RELEVANT`` for a list of keywords: each entry may answer one
TEXTS = 100  # texts without the words, added before rarity is counted: three of five are rare then
WHOLE = 20.0  # information, in nats, that is all of a long query's: one entry cannot answer it all
IN_BODY, IN_TITLE = 0.9, 0.8  # what a word counts, and how much more where the title holds it, too
GUESSED = 0.5  # what a word counts that was typed otherwise, unless it is all that is asked for
IN_PASSING = 0.7  # what a word of a long entry counts at least
OF_AROUND = 0.5  # share that words around a turn count; those nearby count as its own
BEGUN = 0.5  # what a word counts that only begins so
BY_NAME = 0.5  # relevance of a turn by nothing but its speaker's name in the query
BY_MEANING = 0.5  # by meaning alone, at most: it finds what is alike, not what is answered
USUAL, FULL = 2.0, 4.5  # deviations over random pairs where meaning begins to count, and in full
_TALK = frozenset({"turn", "summary"})
STOP = {True: 0.1, False: 0.75}
"""Share of the best at which to stop: of talk, and of other entries, there of relevance times the
root of similarity. An entry answers alone; turns answer together, and each holds little of it."""
LONG = 60.0  # nats of a query that ``STOP`` is for; the share falls as a longer one is longer
_BILLION = 1_000_000_000
_LEAST_IDF = 1e-6  # as FTS5 has it, for words that most entries hold

Parts = tuple[tuple[str, float], ...]  # signals by name, each in [0, 1]


class Relevant(NamedTuple):
    """How relevant one entry is to a query."""

    sim: float  # in [0, 1]; 1 for the best one
    parts: Parts
    m_norm: float  # m_norm(K, d): share of the query's keywords it holds (``retrieval-math`` 7.5)
    relevance: float  # in [0, 1], the same in every directory: how much of what is asked it answers


class Held(NamedTuple):
    """The entries that hold a word."""

    hits: dict[int, int]  # BM25 in billionths, by position, without superseded entries
    frequency: int  # how many there are, superseded ones included
    begun: frozenset[int]  # those that only hold a word which begins with it
    guessed: bool  # whether it was typed otherwise, and corrected


class Judged(NamedTuple):
    """What is relevant at all."""

    relevance: dict[int, float]  # in [0, 1], by position
    kept: Container[int]  # what the query names, or that holds all of its words: relevant if any is
    lenience: float  # what ``RELEVANT`` is multiplied by
    breadth: float  # what ``STOP`` is multiplied by, in [0, 1]


def judged(  # noqa: PLR0913, PLR0917 - what was found of what is asked
    corpus: Corpus,
    question: Question,
    chosen: Sequence[int],
    holders: Mapping[str, Held],
    spoken: Mapping[int, float],
    near: Nearness | None,
) -> Judged:
    """Return how relevant the ``chosen`` entries are.

    ``holders`` are the entries that hold each word of the query, ``spoken`` the turns of speakers
    that it names. Where no text holds a word of the query, that is a list of keywords: those that
    the directory does not know are left out if it knows most, and if there is none nothing is
    irrelevant.
    """
    asked = {w: held for w, held in holders.items() if held.hits or not _has_parts(w, holders)}
    telling = {word: held for word, held in asked.items() if not is_common(word)} or asked
    sure = {word: held for word, held in telling.items() if held.hits and not held.guessed}
    common = [is_common(word) for word, _ in searched_words(question.query)]
    is_list = not any(common) and 2 * len(sure) > len(telling)
    if is_list:
        telling = sure
    guessed = GUESSED if sure or any(common) else 1.0
    informed, known, total = _informed(telling, len(corpus), chosen, guessed)
    shares = _shares(corpus, chosen, informed, known)
    by_meaning = _unusual(chosen, near, question.query) if near else {}
    relevance = {
        at: 1
        - (1 - share)
        * (1 - BY_NAME * spoken.get(at, 0.0))
        * (1 - BY_MEANING * by_meaning.get(at, 0.0))
        for at, share in shares.items()
    }
    relevance |= {at: 1.0 for at in question.named if at in relevance}
    kept = set(question.named)
    if len(sure) == len(telling):
        kept.update(at for at in chosen if all(at in hits for hits in informed.values()))
    lenience = OF_LIST if is_list else 0.0 if all(common) else 1.0
    return Judged(relevance, kept, lenience, LONG / max(total, LONG))


def _informed(
    holders: Mapping[str, Held], count: int, chosen: Sequence[int], guessed: float
) -> tuple[dict[str, dict[int, float]], float, float]:
    """Return the part of the query's information that entries have by word, in [0, 1].

    And the part that the directory has, and all of it, in nats. The rarer a word, the more; one in
    passing in a long entry counts less, as BM25 weighs it, and a guess ``guessed``.
    """
    information = {
        word: log(
            1 + (count + TEXTS - holders[word].frequency + 0.5) / (holders[word].frequency + 0.5)
        )
        for word in holders
    }
    total = sum(information.values())
    found = {}
    for word in holders:
        hits, frequency, begun, is_guessed = holders[word]
        if hits:
            part = information[word] / min(total, WHOLE) * (guessed if is_guessed else 1.0)
            usual = _BILLION * idf(frequency, count)  # one mention in an entry of usual length
            found[word] = {
                at: part * (BEGUN if at in begun else min(1.0, max(IN_PASSING, hits[at] / usual)))
                for at in chosen
                if at in hits
            }
    known = sum(information[word] for word in found if not holders[word].guessed)
    return found, known / total if total else 0.0, total


def _has_parts(word: str, others: Iterable[str]) -> bool:
    """Whether ``word`` is made of others, as an identifier is: they say what it is about."""
    return sum(len(other) for other in others if other != word and other in word) >= len(word) / 2


def _shares(
    corpus: Corpus, chosen: Sequence[int], informed: Mapping[str, Mapping[int, float]], known: float
) -> dict[int, float]:
    """Return the share of the query in entries, in [0, 1]; titles as far as that is ``known``."""
    hits = list(informed.values())
    nearby = within(corpus, chosen, hits, NEARBY)
    around = within(corpus, chosen, hits, AROUND)
    found = {}
    for at in chosen:
        if is_talk(corpus, at):
            share = (1 - OF_AROUND) * nearby[at] + OF_AROUND * around[at]
        else:
            share = IN_BODY * nearby[at]  # which is itself alone
            if nearby[at]:
                title = informed.keys() & index_words(corpus.entry(at).title)
                share += (
                    IN_TITLE * known * sum(informed[word].get(at, 0.0) for word in sorted(title))
                )
        found[at] = min(1.0, share)
    return found


def _unusual(chosen: Sequence[int], near: Nearness, query: str) -> dict[int, float]:
    """Return how much nearer entries are in meaning than random pairs, in [0, 1]."""
    beyond = zip(chosen, near.beyond(query, chosen), strict=True)
    steps = {at: (deviations - USUAL) / (FULL - USUAL) for at, deviations in beyond}
    return {at: min(1.0, step) for at, step in steps.items() if step > 0}


def stopped(
    corpus: Corpus, found: Mapping[int, Relevant], by: Judged, question: Question
) -> dict[int, Relevant]:
    """Return what of ``found`` is relevant, the best of it with similarity 1.

    What has less relevance than ``question.least`` is not. Where that is None, all is if the best
    is below ``RELEVANT``, else what reaches its share ``STOP`` of the best; likewise all talk.
    Relevance is how much is answered, similarity whether an entry is about it: to stop takes both.
    With ``question.rest`` what answers anything stays, with similarity 0.
    """
    if question.least is not None:
        kept = {at for at, one in found.items() if one.relevance >= question.least}
    else:
        kept = set()
        for talk, share in STOP.items():
            worth = {
                at: one.relevance * (1.0 if talk else sqrt(one.sim))
                for at, one in found.items()
                if is_talk(corpus, at) is talk
            }
            most = max((found[at].relevance for at in worth), default=0.0)
            if most >= by.lenience * RELEVANT[talk]:
                lenience = by.lenience if most < RELEVANT[talk] else 1.0
                floor = share * by.breadth * lenience * max(worth.values(), default=0.0)
                kept |= {at for at in worth if worth[at] >= floor or at in by.kept}
    most = max((found[at].sim for at in kept), default=1.0)
    return {
        at: one._replace(sim=one.sim / most if at in kept else 0.0)
        for at, one in found.items()
        if at in kept or (question.rest and one.relevance > 0)
    }


def within(
    corpus: Corpus, chosen: Sequence[int], held: Sequence[Mapping[int, float]], reach: int
) -> dict[int, float]:
    """Add up each word's best score within ``reach``: repeats make nothing more relevant."""
    by_position: dict[int, list[tuple[int, float]]] = {}
    for word, hits in enumerate(held):
        for at, score in hits.items():
            by_position.setdefault(at, []).append((word, score))
    found = {}
    for position in chosen:
        best: dict[int, float] = {}
        for at in corpus.around(position, reach):
            for word, score in by_position.get(at, ()):
                if score > best.get(word, 0.0):
                    best[word] = score
        found[position] = sum(best[word] for word in sorted(best))
    return found


def idf(holders: int, entries: int) -> float:
    """Return the inverse frequency of a word, over 0, as FTS5 has it."""
    return max(_LEAST_IDF, log((entries - holders + 0.5) / (holders + 0.5)))


def is_talk(corpus: Corpus, at: int) -> bool:
    """Return whether an entry is a turn, or a summary of turns."""
    return corpus.part(at).kind in _TALK

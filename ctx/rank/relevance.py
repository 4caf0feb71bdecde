"""How relevant entries are to a query: several signals, each scaled to its best, added up.

That is their order; which of them are relevant at all ``ctx.rank.stopping`` decides. A turn alone
holds little: "Yes, last Friday!" answers the question before it. So it is judged by its own words
and meaning and by those of its neighbours, and every entry by its whole session or file. Without an
embedder words alone decide. Source: ``spec/ranking.md``, section Similarity; weights were fitted on
the development data of the benchmarks, the same for all sets (``docs/benchmarks.md``).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from heapq import nlargest
from math import log
from posixpath import basename

from ctx.model import Lexicon, Nearness, Question
from ctx.rank.corpus import DIGITS, Askable, Corpus
from ctx.rank.marks import ASKS, PREFERS, asks_for_advice
from ctx.rank.score import m_norm
from ctx.rank.stopping import AROUND, BEGUN, NEARBY, Held, Relevant, idf, judged, stopped, within
from ctx.text.entities import entities
from ctx.text.regex import regex
from ctx.text.words import STOPS, index_words, is_common, searched_words

WEIGHTS = {  # what each signal adds to the sum, where it is at its best
    "words": 1.0, "words nearby": 0.5, "words around": 1.0, "source": 0.5, "title": 0.5,
    "speaker": 0.75, "names": 0.5, "question": 0.3, "meaning": 1.0, "meaning nearby": 0.5,
    "meaning around": 0.5,
}  # fmt: skip
FACTORS = {"asks": 0.8, "preference": 2.0, "step": 0.3, "user": 1.3}
"""Of the sum of a turn: one that ends in a question; one with a preference of its speaker, where
advice is asked; a call of a tool, its output or announcement; one of the user of an agent."""
CANDIDATES = 500  # entries of each kind examined further: best by words, as many by meaning
DATED = 64  # the same of those that name most dates, for a question about time
SAMPLE = 10_000  # similarities from which the median is taken
MOST_WORDS = 32  # words of a query that are looked up: of a longer one the rarest
MOST_COUNTED = 1_000  # words of a query among which the rarest are searched
BEGINNING = 4  # letters from which on a word of a query also finds the words that begin with it
ENOUGH = 10  # entries that hold a word itself, with which those are not looked for
MOST_BEGUN = 32  # words that begin so and are searched: the shortest
MOST_PARTS = 5  # words of a query that may make up one identifier; of longer texts they are words
_WHOLE = regex(r"[^\W_]{1,64}(?:[._/:]{1,2}[^\W_]{1,64})+")  # ``retry_policy``, ``src/net``
_ROLES = frozenset({"user", "assistant", "tool"})
_K1, _B = 1.2, 0.75  # parameters of BM25, as FTS5 has them


def relevance(  # noqa: PLR0913, PLR0917 - what is asked, of what, and by what
    corpus: Corpus,
    question: Question,
    askable: Askable,
    lexicon: Lexicon,
    near: Nearness | None = None,
    density: Callable[[int], float] | None = None,
) -> dict[int, Relevant]:
    """Return how relevant entries are to a query, by position; irrelevant ones are left out.

    Only entries of ``askable``; what is irrelevant ``ctx.rank.stopping`` decides. Without ``near``
    words decide alone. With ``density``, A(d) by position, entries that share a word and name most
    dates are examined as well.
    """
    query = question.query
    words, are_keywords = _words(query, lexicon)
    holders = _held(corpus, words, lexicon, askable, question.guessed)
    by = {word: found.hits for word, found in holders.items() if found.hits}
    held = list(by.values())
    own = Counter[int]()
    for hits in held:
        own.update(hits)
    asking = lexicon.marked(ASKS)
    sims = near.similarities(query) if near else []
    most = (question.indexes and question.indexes.examined) or CANDIDATES
    best = _best(askable, own, own, most) + _best(askable, range(len(sims)), sims, most)
    if density:
        dated = (at for at in own if at in askable and density(at))
        best += nlargest(DATED, dated, key=lambda at: (density(at), own[at], -at))
    around = set[int]().union(*(corpus.around(position, AROUND) for position in best))
    chosen = sorted(position for position in around if position in askable)
    speakers = _named(corpus, query)
    spoken = {at: 1.0 for at in chosen if corpus.speaker(at) in speakers} if speakers else {}
    signals = {
        "words": _scaled({position: own.get(position, 0) for position in chosen}),
        "words nearby": _scaled(within(corpus, chosen, held, NEARBY)),
        "words around": _scaled(within(corpus, chosen, held, AROUND)),
        "source": _sources(corpus, chosen, held),
        "title": _titles(corpus, chosen, by),
        "speaker": spoken if len(speakers) == 1 else {},
        "names": _names(corpus, chosen, query, by),
        "question": _answers(corpus, chosen, own, asking),
    }
    if near and sims:
        signals |= _meanings(corpus, chosen, query, near, sims)
    keywords = len(words) if are_keywords else 0
    covered = {at: m_norm(sum(at in hits for hits in held), keywords) for at in chosen}
    judgement = judged(corpus, question, chosen, holders, spoken, near)
    factors = _factors(corpus, chosen, asking, query, lexicon)
    found = _added(chosen, signals, factors, covered if keywords else {}, judgement.relevance)
    return stopped(corpus, found, judgement, question)


def _meanings(
    corpus: Corpus, chosen: Sequence[int], query: str, near: Nearness, sims: Sequence[float]
) -> dict[str, dict[int, float]]:
    found = {
        "meaning": _beyond(
            {position: sims[position] for position in chosen},
            _median(sims[:: max(1, len(sims) // SAMPLE)]),
        )
    }
    for name, reach in (("meaning nearby", NEARBY), ("meaning around", AROUND)):
        spans = [corpus.around(position, reach) for position in chosen]
        joined = near.joined(query, spans)
        found[name] = _beyond(dict(zip(chosen, joined, strict=True)))
    return found


def _beyond(scores: Mapping[int, float], usual: float | None = None) -> dict[int, float]:
    """Return scores above the usual one, scaled so that usual is 0 and the best is 1."""
    if usual is None:
        usual = _median(scores.values()) if scores else 0.0
    most = max(scores.values(), default=0.0) - usual
    return {position: (score - usual) / most for position, score in scores.items() if score > usual}


def _words(query: str, lexicon: Lexicon) -> tuple[dict[str, str], bool]:
    """Return the words of a query to look up, before and after stemming; whether they are keywords.

    A query without keywords is looked up by all its words. An identifier counts once: its parts are
    looked up where nothing holds it whole, and the query is no long text.
    """
    is_text = len(query.split()) > MOST_WORDS
    found = searched_words(query, bool if is_text else lexicon.frequency)
    wholes = filter(None, map(_phrase, _WHOLE.findall(query)[:MOST_WORDS]))
    every = dict(found) | dict(_joined(found, lexicon)) | dict.fromkeys(wholes, "")
    keywords = [word for word in every if word not in STOPS]
    asked = keywords or list(every)
    if len(asked) > MOST_WORDS:
        counted = asked[:MOST_COUNTED]
        frequency = {word: lexicon.frequency(word) for word in counted}
        known = [word for word in counted if frequency[word]]
        rarest = set(sorted(known, key=frequency.__getitem__)[:MOST_WORDS])
        asked = [word for word in known if word in rarest]
    return {word: every[word] for word in asked}, bool(keywords)


def lookups(query: str) -> tuple[list[str], list[str]]:
    """Return words and phrases that a query is looked up by, and what rare words may begin with."""
    found = searched_words(query)
    wholes = filter(None, map(_phrase, _WHOLE.findall(query)[:MOST_WORDS]))
    joined: list[str] = []
    if 1 < len(found) <= MOST_PARTS:
        joined = [stem for stem, _ in searched_words("".join(form for _, form in found))]
    words = dict.fromkeys([*(stem for stem, _ in found), *wholes, *joined])
    forms = dict.fromkeys(
        _beginning(stem, form) for stem, form in found if len(form) >= BEGINNING and form.isalpha()
    )
    return [*words][:MOST_COUNTED], [*forms][:MOST_WORDS]


def _phrase(identifier: str) -> str:
    """Return the words of an identifier as they follow each other in what holds it."""
    return " ".join(stem for stem, form in searched_words(identifier) if form)


def _joined(words: Sequence[tuple[str, str]], lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """Yield the identifier of the directory whose parts are the whole query."""
    if 1 < len(words) <= MOST_PARTS:
        for stem, whole in searched_words("".join(form for _, form in words)):
            # As it is indexed: the whole, and its parts behind it.
            if lexicon.frequency(" ".join([stem, *(part for part, _ in words)])):
                yield stem, whole


def _held(
    corpus: Corpus,
    words: Mapping[str, str],
    lexicon: Lexicon,
    askable: Askable,
    guessed: AbstractSet[str],
) -> dict[str, Held]:
    """Return the entries that hold each word; of a rare one also what begins with it."""
    superseded = list(askable.superseded())
    steps = corpus.steps
    held = {}
    for word, form in words.items():
        hits = dict(lexicon.holding(word))
        begun = frozenset[int]()
        if len(hits) < ENOUGH and len(form) >= BEGINNING and form.isalpha():
            own = frozenset(hits)
            derived = (
                known
                for known in lexicon.forms(_beginning(word, form))
                if known.startswith(form) or len(known) <= len(form) + 2
            )
            _add_begun(hits, word, derived, len(corpus), lexicon)
            if not hits and steps and len(words) > 1:  # people abbreviate what they work on
                shorter = [
                    known
                    for known in lexicon.forms(form[:BEGINNING])
                    if form[:-3].startswith(known) and not is_common(known)
                ]
                _add_begun(hits, word, shorter[-1:], len(corpus), lexicon)
            begun = frozenset(hits.keys() - own)
        frequency = len(hits)
        if steps:
            talk = hits.keys() - steps
            frequency = max(1, len(talk)) if hits else 0
            rarer = idf(frequency, len(corpus)) / idf(len(hits), len(corpus))
            hits |= {at: round(rarer * hits[at]) for at in talk}
        for position in superseded:
            hits.pop(position, None)
        held[word] = Held(hits, frequency, begun, guessed=form in guessed)
    return held


def _beginning(stem: str, form: str) -> str:
    """Return what words begin with that are as ``form``: leakage, where leaked is asked for."""
    is_inflected = form.startswith(stem) and BEGINNING <= len(stem) <= len(form) - 2
    return stem if is_inflected else form


def _add_begun(
    hits: dict[int, int], word: str, forms: Iterable[str], entries: int, lexicon: Lexicon
) -> None:
    """Add what has one of ``forms``, as if these were one word, as rare as ``word``."""
    begun = sorted(forms, key=lambda other: (len(other), other))[:MOST_BEGUN]
    stems = dict.fromkeys(stem for other in begun for stem in index_words(other))
    others = [dict(lexicon.holding(stem)) for stem in stems if stem != word]
    together = idf(len(hits) or len(set[int]().union(*others)), entries)
    for held in others:
        share = BEGUN * together / idf(len(held), entries)
        for at, score in held.items():
            hits[at] = max(hits.get(at, 0), round(share * score), 1)


def _best(
    askable: Askable, positions: Iterable[int], scores: Mapping[int, int] | list[float], most: int
) -> list[int]:
    """Return the ``most`` best of ``positions`` of each kind: talk must not crowd out the rest."""
    return [
        position
        for held in askable.by_kind(positions)
        for position in nlargest(most, held, key=lambda at: (scores[at], -at))
    ]


def _sources(
    corpus: Corpus, chosen: Sequence[int], held: Sequence[Mapping[int, int]]
) -> dict[int, float]:
    """Return BM25, in [0, 1], of sources as if they were documents of as many words as entries."""
    spans = list(corpus.sources())
    starts = [first for first, _ in spans]
    number = partial(bisect_right, starts)
    lengths = [last - first for first, last in spans]
    mean = max(1.0, sum(lengths) / len(lengths)) if lengths else 1.0
    scores: Counter[int] = Counter()
    for hits in held:
        counts = Counter(map(number, hits))
        idf = max(0.0, log((len(spans) - len(counts) + 0.5) / (len(counts) + 0.5)))
        for at, count in counts.items():
            norm = _K1 * (1 - _B + _B * lengths[at - 1] / mean)
            scores[at] += round(1_000_000 * idf * count * (_K1 + 1) / (count + norm))
    by_source = _scaled(scores)
    return {position: by_source.get(number(position), 0.0) for position in chosen}


def _titles(
    corpus: Corpus, chosen: Sequence[int], held: Mapping[str, Mapping[int, int]]
) -> dict[int, float]:
    """Return how much of the query is in a document's title and file name, by rarity."""
    rarity = {word: log(1 + len(corpus) / len(hits)) for word, hits in held.items()}
    by_name: dict[tuple[str, str], int] = {}
    scores = {}
    for at in chosen:
        if corpus.part(at).kind != "lore":
            continue
        entry = corpus.entry(at)
        name = (entry.group or entry.title, entry.source)
        if name not in by_name:
            file = basename(entry.source).rpartition(".")[0]
            words = set(index_words(f"{name[0]} {file}"))
            total = sum(rarity[word] for word in held if word in words)
            by_name[name] = round(1_000_000 * total)
        scores[at] = by_name[name]
    return _scaled(scores)


def _named(corpus: Corpus, query: str) -> set[str]:
    names = {name for part in corpus.parts for name in part.names} - _ROLES
    asked = set(index_words(query))
    return {name for name in names if asked.issuperset(index_words(name) or [name])}


def _names(
    corpus: Corpus, chosen: Sequence[int], query: str, held: Mapping[str, Mapping[int, int]]
) -> dict[int, float]:
    """Return the share of the entities of several words in ``query`` that entries hold as such."""
    named = {}
    for name in entities(query):
        parts = set(index_words(name))
        if len(parts) > 1 and parts <= held.keys():
            named[name] = frozenset.intersection(*(frozenset(held[part]) for part in parts))
    found: dict[int, float] = {}
    for at in chosen:
        if likely := [name for name, holders in named.items() if at in holders]:
            entry = corpus.entry(at)
            held_here = entities(f"{entry.title}\n{entry.body}")
            if share := sum(name in held_here for name in likely) / len(named):
                found[at] = share
    return found


def _answers(
    corpus: Corpus, chosen: Sequence[int], own: Mapping[int, int], asking: Container[int]
) -> dict[int, float]:
    """Return BM25 of the question before each turn, in [0, 1]: an answer repeats little of it."""
    found = {}
    for at in chosen:
        before = corpus.around(at, 1)[0]
        if before < at and before in asking and before in own:
            found[at] = own[before]
    return _scaled(found)


def _factors(
    corpus: Corpus, chosen: Sequence[int], asking: Container[int], query: str, lexicon: Lexicon
) -> dict[str, Container[int]]:
    return {
        "asks": asking,
        "preference": lexicon.marked(PREFERS) if asks_for_advice(query) else frozenset(),
        "step": corpus.steps,
        "user": {at for at in chosen if corpus.speaker(at) == "user"},
    }


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    most = max(scores.values(), default=0)
    return {position: score / most for position, score in scores.items()} if most else {}


def _added(
    chosen: Sequence[int],
    signals: Mapping[str, Mapping[int, float]],
    factors: Mapping[str, Container[int]],
    covered: Mapping[int, float],
    absolute: Mapping[int, float],
) -> dict[int, Relevant]:
    """Add the signals up by their weights, multiply, and scale the product to its best."""
    sums = dict.fromkeys(chosen, 0.0)
    parts: dict[int, list[tuple[str, float]]] = {position: [] for position in chosen}
    for name, values in signals.items():
        for position, value in values.items():
            sums[position] += WEIGHTS[name] * value
            if value > 0:
                parts[position].append((name, value))
    for name, held in factors.items():
        for position in filter(held.__contains__, sums):
            sums[position] *= FACTORS[name]
            parts[position].append((name, 1.0))
    most = max(sums.values(), default=0.0)
    return {
        position: Relevant(
            total / most,
            tuple(parts[position]),
            covered.get(position, 0.0),
            round(absolute[position], DIGITS),
        )
        for position, total in sums.items()
        if total > 0
    }


def _median(values: Iterable[float]) -> float:
    """Return the median of ``values``, at least one; ``statistics`` takes long to import."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

"""Entries that a question names by their title or an alias, and names that mean the same."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import fsum, log
from typing import Any, NamedTuple, cast

from ctx.model import Entry, Lexicon, Part
from ctx.rank.corpus import Corpus
from ctx.text.aliases import aliases
from ctx.text.words import STOPS, index_words, is_common, searched_words

MOST_ASKED = 100  # words of a question; a longer text names nothing, however much it mentions
LEAST_SHARE = 0.5  # share of a question's information that a name has: else it is only mentioned
Stems = tuple[str, ...]
Groups = Sequence[Sequence[str]]  # names that a glossary uses for one thing each


def glossed(lexicon: Lexicon, query: str, groups: Groups) -> Lexicon:
    """Return a lexicon in which names of ``groups`` in ``query`` also find their other names."""
    return cast("Lexicon", _Glossed(lexicon, query, groups)) if groups else lexicon


class _Glossed:
    def __init__(self, lexicon: Lexicon, query: str, groups: Groups) -> None:
        self._lexicon = lexicon
        self._others: dict[str, list[str]] = {}
        for name, others in _held(_stems(query), groups):
            for stem in name:
                self._others.setdefault(stem, []).extend(map(" ".join, others))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of the lexicon
        return getattr(self._lexicon, name)

    def holding(self, word: str) -> list[tuple[int, int]]:
        """Return the entries that hold ``word`` or another name of what it is part of."""
        found = self._lexicon.holding(word)
        if word not in self._others:
            return found
        best = dict(found)
        for phrase in self._others[word]:
            for at, score in self._lexicon.holding(phrase):
                best[at] = max(best.get(at, 0), score)
        return sorted(best.items())


def named(
    parts: Sequence[Part], query: str, lexicon: Lexicon, groups: Groups = ()
) -> frozenset[int]:
    """Return the positions of the entries that ``query`` names by title or alias.

    It holds all words of an alias, or of a title of two words and more, one after the other; a
    title of one word where it is an identifier, or all that is asked for. Another name in
    ``groups`` counts as the name itself. Turns and summaries have no names.
    """
    asked = _stems(query)
    if len(asked) > MOST_ASKED:
        return frozenset()
    readings = [asked, *_read_otherwise(asked, groups)]
    corpus = Corpus(parts)
    words = {stem for reading in readings for stem in reading} - STOPS
    titled = lexicon.titled(sorted(words)) if words else []
    rarity = cache(lambda stem: log(1 + len(corpus) / (lexicon.frequency(stem) or 1)))
    return frozenset(
        at
        for at in titled
        if corpus.part(at).kind not in ("turn", "summary")
        and _is_named(corpus.entry(at), readings, rarity)
    )


def _share(name: Iterable[str], asked: Iterable[str], rarity: Callable[[str], float]) -> float:
    """Return the share of ``name`` in the information of ``asked``, in [0, 1]."""
    held = set(name)
    others = {stem for stem in asked if not is_common(stem)} - held
    own = fsum(map(rarity, held))
    return own / (own + fsum(map(rarity, others)))


def _is_named(entry: Entry, readings: Sequence[Stems], rarity: Callable[[str], float]) -> bool:
    """``rarity`` is the information of a stem, in nats."""
    title = _stems(entry.title)
    others = [(stems, True) for stems in map(_stems, aliases(entry))]
    # An identifier of one word has parts.
    is_telling = len(_telling(title)) > 1 or len(searched_words(entry.title)) > len(title)
    for name, may_be_part in ((title, is_telling), *others):
        telling = _telling(name)
        for asked in readings if telling else ():
            is_part = may_be_part and any(_places(asked, name))
            if telling == _telling(asked) or (
                is_part and _share(telling, asked, rarity) >= LEAST_SHARE
            ):
                return True
    return False


class _Name(NamedTuple):
    stems: Stems
    others: list[Stems]  # the other names of the same thing


def _held(asked: Stems, groups: Groups) -> Iterator[_Name]:
    for group in groups:
        names = list(dict.fromkeys(map(_stems, group)))
        for name in names:
            if name and any(_places(asked, name)):
                yield _Name(name, [other for other in names if other and other != name])


def _read_otherwise(asked: Stems, groups: Groups) -> Iterator[Stems]:
    """Yield the query with one name replaced by another of the same thing."""
    for name, others in _held(asked, groups):
        place = next(at for at, fits in enumerate(_places(asked, name)) if fits)
        for other in others:
            yield asked[:place] + other + asked[place + len(name) :]


def _places(asked: Stems, name: Stems) -> Iterator[bool]:
    """Yield for each word of ``asked`` whether ``name`` begins there."""
    return (asked[at : at + len(name)] == name for at in range(len(asked) - len(name) + 1))


def _stems(text: str) -> Stems:
    return tuple(index_words(text))


def _telling(name: Stems) -> list[str]:
    return [stem for stem in name if stem not in STOPS]

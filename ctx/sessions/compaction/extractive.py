"""A summary of sentences from the turns: those that represent most of the talk.

Each utterance u weighs w(u) = m(u)^¾, where m is the number of its distinct words that mean
something. What a set S of sentences leaves out of u is

    r(u, S) = (1 − β·max cos²(b, u) over b in before) · Π (1 − cos²(s, u)) over s in S

since cos² is the share of u that lies along s; cosines under 0 count as 0. So S represents
F(S) = Σ w(u)·(1 − r(u, S)), where an utterance counts less the more of it is included: this is
centrality (a sentence near to many utterances) and redundancy control (what is near to a chosen
sentence gains little) in one, and the content of the summary before counts half (β).

Where an agent called tools, the sentences are the notes of ``ctx.sessions.notes``, each of which
counts whole and follows the name of its kind.

Sentences are taken one after the other, always the one with the most v(s)·ΔF / tokens^¾, until
the limit is reached. v(s) = (1 + marks)·min(1, (m − 1)/3)², m counting the words of s as those of
u, half of that for a question, and a quarter of 1 + marks for a line of code; marks are a name, a
figure and a time, at most 3: what people come back for. A gain never grows by
taking others first, so an earlier one is a bound, and most need not be computed again.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from operator import mul

from ctx.model import Cluster, Draft, Utterance, VectorSpace
from ctx.sessions.notes import is_work, notes
from ctx.text.english import DAYS, MONTHS
from ctx.text.regex import regex
from ctx.text.sentences import Sentence, is_question, pieces, sentences
from ctx.text.tokens import estimate
from ctx.text.words import STOPS, index_words

BETA = 0.5  # β in [0, 1]: how much a repetition of the summary before is discounted
DAMPED = 0.75  # exponent of words and tokens: at 1 long turns outweigh others, at ½ short ones do
ASKS = 0.5  # worth of a question, relative to a statement
CODE = 0.25  # worth of a line of code: alone it says little

NOTE = "note"  # role of a note: a whole statement, however short it is, and never a question
TELLING = 4  # words that mean something below which a sentence tells little: "Fine with me."

_FIGURE = regex(r"\d")
_NAME = regex(r"(?<=[\w,;:] )[^\W\d_]\w+")
_NAMES = [name for name in (*MONTHS, *DAYS) if name != "may"]  # it is a verb, too
_TIME = regex(
    rf"(?i)\b(?:{'|'.join(_NAMES)}|yesterday|today|tonight|tomorrow|ago"
    r"|(?:last|next|this|past) (?:week|month|year|night|weekend|spring|summer|fall|autumn|winter)"
    r")\b"
    r"|昨天|今天|明天|昨日|今日|明日|어제|오늘|내일"
)


class Extractive:
    """The summariser that needs no model, and is the same on every machine."""

    method = "extractive"
    model = ""

    def __init__(self, space: VectorSpace) -> None:
        self._space = space

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        """Return sentences of ``cluster`` in their order, of at most ``limit`` tokens in all.

        Speakers precede what they say, where they change. If no sentence is short enough, the
        shortest; empty if there is none. Raises EmbeddingError.
        """
        every, cluster = _sentences(cluster)
        first = {sentence.text.casefold(): sentence for sentence in reversed(every)}
        # Without repetitions to the letter, such as of an import.
        distinct = [sentence for sentence in every if first[sentence.text.casefold()] is sentence]
        chosen = _choose(distinct, cluster, limit, self._space)
        if not chosen and distinct:
            chosen = [min(distinct, key=lambda sentence: estimate(sentence.text))]
        return Draft(rendered(chosen, cluster.utterances))


def _sentences(cluster: Cluster) -> tuple[list[Sentence], Cluster]:
    """Return the sentences of ``cluster`` and their speakers: of work, notes by kind."""
    if not is_work(cluster.utterances):
        return sentences(cluster.utterances), cluster
    stated = notes(cluster.utterances)
    spoken = [Utterance(note.kind, note.text, NOTE) for note in stated]
    every = [Sentence(place, note.text) for place, note in enumerate(stated)]
    return every, cluster._replace(utterances=spoken)


def rendered(chosen: Sequence[Sentence], utterances: Sequence[Utterance]) -> str:
    """Return sentences as text: a line for each run of one speaker; ``…`` between utterances."""
    lines: list[str] = []
    last, place = "", -1
    for sentence in chosen:
        utterance = utterances[sentence.utterance]
        speaker = named(utterance)
        if speaker and speaker == last:
            lines[-1] += f"{'' if sentence.utterance == place else ' …'} {sentence.text}"
        else:
            lines.append(attributed(utterance, sentence.text))
        last, place = speaker, sentence.utterance
    return "\n".join(lines)


def named(utterance: Utterance) -> str:
    """Return the speaker, on one line."""
    return " ".join(utterance.speaker.split())


def attributed(utterance: Utterance, text: str) -> str:
    """Return ``text`` after the speaker of ``utterance``, if there is one."""
    speaker = named(utterance)
    return f"{speaker}: {text}" if speaker else text


def _choose(
    found: list[Sentence], cluster: Cluster, limit: int, space: VectorSpace
) -> list[Sentence]:
    """Return the sentences that are worth most within ``limit`` tokens, in their order."""
    fit = _Fit(found, cluster.utterances, limit)
    rates, near, left = _talk(found, fit.costs, cluster, space)
    heap = [
        (-rate * _gain(row, left), at)
        for at, (rate, row) in enumerate(zip(rates, near, strict=True))
    ]
    heapify(heap)
    while heap:
        bound, at = heappop(heap)
        worth = -rates[at] * _gain(near[at], left)
        if worth > bound and heap and (worth, at) > heap[0]:
            heappush(heap, (worth, at))
        elif worth < 0 and fit.take(at):
            left = [weight * (1 - share) for weight, share in zip(left, near[at], strict=True)]
    return fit.within()


def _gain(row: Sequence[float], left: Sequence[float]) -> float:
    """Return by how much F grows with a sentence, if ``left`` is w(u)·r(u, S); at least 0."""
    return sum(map(mul, row, left), 0.0)


class _Fit:
    """The sentences taken so far, and whether one more fits."""

    def __init__(self, found: list[Sentence], utterances: Sequence[Utterance], limit: int) -> None:
        self._found, self._utterances, self._limit = found, utterances, limit
        names = [estimate(f"{named(utterance)}: ") for utterance in utterances]
        self.costs = [max(1, estimate(each.text)) + names[each.utterance] for each in found]
        """Tokens of each sentence with its speaker, roughly; at least 1."""
        self._taken: list[int] = []
        self._spent = 0
        self._exact = True

    def take(self, at: int) -> bool:
        """Take the sentence ``at`` if there is room for it; return whether there was."""
        if self._spent + self.costs[at] > self._limit and not self._exact:
            # A speaker is named once for a whole run: count the text so far.
            self._spent, self._exact = estimate(self._text()), True
        if self._spent + self.costs[at] > self._limit:
            return False
        self._taken.append(at)
        self._spent += self.costs[at]
        self._exact = False
        return True

    def within(self) -> list[Sentence]:
        """Return the sentences taken, in their order, without the last ones over the limit."""
        while self._taken and estimate(self._text()) > self._limit:
            self._taken.pop()
        return [self._found[at] for at in sorted(self._taken)]

    def _text(self) -> str:
        return rendered([self._found[at] for at in sorted(self._taken)], self._utterances)


def _talk(
    found: list[Sentence], costs: Sequence[int], cluster: Cluster, space: VectorSpace
) -> tuple[list[float], list[array[float]], list[float]]:
    """Return v(s) / tokens^¾ of each sentence, its row of cos²(s, u), and w(u)·r(u, nothing)."""
    texts = [sentence.text for sentence in found]
    spoken = [utterance.text for utterance in cluster.utterances]
    before = [text for text, _ in pieces(cluster.before)]
    vectors = space.of([*texts, *spoken, *before], len(texts))
    first, end = len(texts), len(texts) + len(spoken)
    # In arrays: for a summary of summaries these are a million figures.
    shares: list[array[float]] = []
    weights: list[float] = []
    for at, text in enumerate(spoken, first):
        row = [max(0.0, cos) ** 2 for cos in vectors.cosines(at)]
        shares.append(array("d", row[:first]))
        weights.append(_meaning(text) ** DAMPED * (1 - BETA * max(row[end:], default=0.0)))
    speakers = {word for utterance in cluster.utterances for word in utterance.speaker.split()}
    values = [
        _value(sentence, speakers, is_note=cluster.utterances[sentence.utterance].role == NOTE)
        for sentence in found
    ]
    rates = [value / cost**DAMPED for value, cost in zip(values, costs, strict=True)]
    near = [array("d", (row[place] for row in shares)) for place in range(first)]
    return rates, near, weights


def _meaning(text: str) -> int:
    return len(set(index_words(text)) - STOPS) or 1


def _value(sentence: Sentence, speakers: set[str], *, is_note: bool) -> float:
    """Return v(s), in [0, 4]."""
    text = sentence.text
    marks = (
        any(name[0].isupper() and name not in speakers for name in _NAME.findall(text))
        + bool(_FIGURE.search(text))
        + bool(_TIME.search(text))
    )
    if is_note:
        return 1.0 + marks
    if sentence.code:
        return CODE * (1 + marks)
    telling = min(1.0, (_meaning(text) - 1) / (TELLING - 1)) ** 2
    return (ASKS if is_question(text) else 1.0) * (1 + marks) * telling

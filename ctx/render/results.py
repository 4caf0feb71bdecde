"""The results of a search, as Markdown or JSON, with a snippet of each."""

import json
import os
import re
from collections.abc import Sequence
from itertools import islice

from ctx.errors import UsageError
from ctx.model import Counter, Entry, Found, Included, JsonObject, Scored, SearchRequest
from ctx.render import layout, markdown
from ctx.text.levels import dated_title
from ctx.text.sentences import split
from ctx.text.words import STOPS, searched_words

CHARS = 240  # longest snippet
_PARTS = re.compile(  # ends of paragraphs and items; a line that only wraps ends nothing
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>#|]|\d{1,9}[.)])[ \t])"
)
_SOURCE = re.compile(r"^\*\*Source\*\*:.*", re.MULTILINE)
_RUN = re.compile(r"\S{1,40}")  # words, or in unspaced scripts pieces of a word's greatest length
_MOST_SENTENCES = 500  # sentences of an entry that are compared, from its beginning
_BEGINNING = 4  # letters from which on a word is also found by its beginning
_DIGITS = 4  # decimals of scores


def snippet(text: str, asked: frozenset[str]) -> str:
    """Return the first sentence with most of the stems ``asked``, on one line, cut where long."""
    parts = (" ".join(part.split()) for part in _PARTS.split(text))
    sentences = (each.strip() for part in parts for each in split(part) if each.strip())
    best = max(
        islice(sentences, _MOST_SENTENCES),
        key=lambda sentence: len(_held(sentence, asked)),
        default="",
    )
    return _cut(best, asked)


def _cut(text: str, asked: frozenset[str]) -> str:
    if len(text) <= CHARS:
        return text
    first = next((word.start() for word in _RUN.finditer(text) if _held(word[0], asked)), 0)
    start = max(0, min(first - CHARS // 3, len(text) - CHARS))
    space = text.find(" ", start, first)
    start = space + 1 if start and space >= 0 else start
    end = start + CHARS - 1
    if end < len(text):
        space = text.rfind(" ", first + 1, end)
        end = space if space >= 0 else end
    return ("… " if start else "") + text[start:end].strip() + (" …" if end < len(text) else "")


def _held(text: str, asked: frozenset[str]) -> set[str]:
    """Return the stems of ``asked`` that ``text`` holds, or that a word of it begins with."""
    found = {word for pair in searched_words(text) for word in pair}
    return {
        stem for stem in asked
        if stem in found
        or (len(stem) >= _BEGINNING and any(word.startswith(stem) for word in found))
    }  # fmt: skip


def heading(scored: Scored, number: int) -> str:
    """Return the line that a result begins with, where it is not JSON."""
    return f"{number}. {dated_title(scored.entry)}"


class Results:
    """Writes the results of one search, and counts their tokens."""

    def __init__(
        self, search: SearchRequest, results: int, counter: Counter, found: Sequence[Found] = ()
    ) -> None:
        """Write what was ``found``, of so many ``results``; UsageError if nothing fits."""
        self._search = search
        self._found = results
        misses = [] if results else [each.nearest for each in found if each.nearest]
        self._nearest = max(misses, key=lambda each: each.relevance, default=None)
        self._counter = counter
        self._corrections = dict(pair for each in found for pair in each.corrections)
        queries = [each.query for each in found] or [search.request.query]
        asked = [stem for query in queries for stem, _ in searched_words(query)]
        self._asked = frozenset(asked) - STOPS or frozenset(asked)
        self._json = search.request.format == "json"
        budget = search.request.budget
        least = counter.count(self.text([]))
        if search.whole and self._nearest and least > budget:
            self._nearest = None
            least = counter.count(self.text([]))
        if search.whole and least > budget:
            raise UsageError(
                f"--budget: {budget} tokens do not hold an empty answer ({least} tokens)",
                "ask for more, or for --limit instead",
            )
        self.room = budget - least  # tokens for results, where they are shown in full

    def cost(self, scored: Scored) -> int:
        """Return the tokens of one result."""
        return self._counter.count(self._piece(scored, 10_000))  # with as long a number as any

    def within(self, chosen: Sequence[Scored]) -> list[Scored]:
        """Return as many of ``chosen`` as fit the budget, counted on the whole answer."""
        hits = list(chosen)
        while hits and self._counter.count(self.text(hits)) > self._search.request.budget:
            hits.pop()
        return hits

    def text(self, hits: Sequence[Scored]) -> str:
        """Return the whole answer."""
        pieces = "".join(self._piece(hit, number) for number, hit in enumerate(hits, 1))
        more = self._found > len(hits)
        if self._json:
            request = self._search.request
            head: JsonObject = {"query": request.query, "ranker": request.ranker, "more": more}
            if self._corrections:
                head["corrections"] = {**self._corrections}
            if self._nearest:
                entry, relevance = self._nearest.entry, self._nearest.relevance
                near: JsonObject = {"id": entry.id, "title": entry.title, "relevance": relevance}
                head["nearest"] = near
            lines = "".join(
                f"{json.dumps(key)}: {_dumped(value)},\n" for key, value in head.items()
            )
            results = pieces.removesuffix(",\n") + ("\n" if pieces else "")
            return f'{{\n{lines}"results": [\n{results}]\n}}\n'
        if not self._found:
            return self._nothing()
        if not more:
            return pieces
        limited = not self._search.whole or len(hits) == self._search.limit
        option = "--limit" if limited else "--budget"
        rest = "There is more" if pieces else "What is found does not fit"
        return f"{pieces}{rest}: raise {option}.\n"

    def _nothing(self) -> str:
        if self._nearest is None:
            return "Nothing found.\n"
        entry, relevance = self._nearest.entry, self._nearest.relevance
        title = _cut(dated_title(entry), self._asked)
        return (
            f"Nothing relevant found. The nearest is {title!r} ({entry.id}), "
            f"relevance {relevance:.2f}: --min-relevance 0 shows it.\n"
        )

    def _piece(self, scored: Scored, number: int) -> str:
        return self._row(scored) if self._json else self._item(scored, number)

    def _item(self, scored: Scored, number: int) -> str:
        entry = scored.entry
        source = os.path.join(scored.directory, entry.source) if scored.directory else entry.path
        meta = f"{entry.kind} {entry.id} ({source}:{entry.line})"
        if scored.named or scored.how:
            meta += f", {scored.how or 'named'}"
        if self._search.request.explain:
            # Under a budget the tokens are for the entries, not for the parts of their scores.
            shown = () if self._search.whole else scored.parts
            parts = ", ".join(f"{name} {value:.2f}" for name, value in shown)
            meta += f", relevance {scored.relevance:.2f}, score {scored.score:.3f}"
            meta += f": {parts}" if parts else ""
        head = f"{heading(scored, number)}\n   {meta}\n"
        if not self._search.whole:
            return f"{head}   > {self._snippet(entry)}\n\n"
        if entry.kind in ("turn", "summary"):
            return f"{head}\n{markdown.unit(Included(scored, 'full'))}"
        return f"{head}\n{_whole(entry)}\n\n"

    def _row(self, scored: Scored) -> str:
        entry = scored.entry
        row: JsonObject = {
            "id": entry.id,
            "kind": entry.kind,
            "source": entry.source,
            "line": entry.line,
            "end_line": entry.end_line,
            "title": entry.title,
            "timestamp": entry.timestamp,
            "score": round(scored.score, _DIGITS),
            "named": scored.named,
            "relevance": round(scored.relevance, _DIGITS),
        }
        if scored.how:
            row["how"] = scored.how
        if scored.directory:
            row["directory"] = scored.directory
        if not self._search.whole:
            row["parts"] = {name: round(value, _DIGITS) for name, value in scored.parts}
        if entry.kind == "turn":
            row |= {"speaker": entry.speaker, "ts": layout.moment(entry.timestamp)}
        if entry.status:
            row["status"] = entry.status
        if entry.kind == "summary":
            row |= {"turns": entry.covers, "confidence": entry.confidence}
        if self._search.whole:
            row["text"] = _whole(entry)
        else:
            row["snippet"] = self._snippet(entry)
        return f"{_dumped(row)},\n"

    def _snippet(self, entry: Entry) -> str:
        lead = f"{' '.join(entry.lead.split())} " if entry.lead else ""
        text = _SOURCE.sub("", entry.body)  # where it is from is not what it states
        return lead + snippet(text, self._asked)


def _whole(entry: Entry) -> str:
    """Return an entry after its introduction, which may reverse its meaning."""
    return f"{entry.lead}\n\n{entry.body}" if entry.lead else entry.body


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

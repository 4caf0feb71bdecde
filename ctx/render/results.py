"""The results of a search, as Markdown or JSON, with a snippet of each."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ctx.errors import UsageError
from ctx.model import Said
from ctx.render import layout, markdown
from ctx.text.levels import dated_title
from ctx.text.words import STOPS, index_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Counter, Entry, Inquiry, Scored


CHARS = 240
"""Longest snippet."""
_PARTS = re.compile(
    r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>#|]|\d{1,9}[.)])[ \t])"
)
"""Ends of sentences, paragraphs and items; a line that only wraps ends nothing."""
_RUN = re.compile(r"\S{1,40}")
"""Words; of scripts without spaces pieces that are as long as a word may be."""
_LOOKED_AT = 500
"""Sentences of an entry that are looked at: a longer one is not read to its end."""


def snippet(text: str, asked: frozenset[str]) -> str:
    """Return the sentence of ``text`` that holds most of the stems ``asked``, on one line.

    The first of several; the beginning where none holds any. Longer ones are cut between
    words, near the first that was asked for.
    """
    best, most = "", -1
    for count, part in enumerate(_sentences(text)):
        if count >= _LOOKED_AT:
            break
        held = len(asked.intersection(index_words(part)))
        if held > most:
            best, most = part, held
    return _cut(best, asked)


def _sentences(text: str) -> Iterator[str]:
    return (" ".join(part.split()) for part in _PARTS.split(text) if part.strip())


def _cut(text: str, asked: frozenset[str]) -> str:
    if len(text) <= CHARS:
        return text
    found = _RUN.finditer(text)
    at = next((one.start() for one in found if asked.intersection(index_words(one[0]))), 0)
    start = max(0, min(at - CHARS // 3, len(text) - CHARS))
    space = text.find(" ", start, at)
    start = space + 1 if start and space >= 0 else start
    end = start + CHARS - 1
    if end < len(text):
        space = text.rfind(" ", at + 1, end)
        end = space if space >= 0 else end
    return ("… " if start else "") + text[start:end].strip() + (" …" if end < len(text) else "")


_DIGITS = 4
"""Decimals of scores: more would say nothing."""


class Results:
    """How the results of one inquiry are written, and what that costs."""

    def __init__(self, inquiry: Inquiry, found: int, counter: Counter) -> None:
        """Write in the inquiry's format; ``found`` entries were, perhaps more than can be said.

        Raises UsageError where its budget does not hold an empty answer.
        """
        self._inquiry = inquiry
        self._found = found
        self._counter = counter
        asked = index_words(inquiry.request.query)
        self._asked = frozenset(asked) - STOPS or frozenset(asked)
        self._json = inquiry.request.format == "json"
        budget = inquiry.request.budget
        least = counter.count(self.text([]))
        if inquiry.whole and least > budget:
            raise UsageError(
                f"--budget: {budget} tokens do not hold an empty answer ({least} tokens)",
                "ask for more, or for --limit instead",
            )
        self.room = budget - least
        """Tokens for results, where they are said whole."""

    def cost(self, scored: Scored) -> int:
        """Return the tokens of one result."""
        return self._counter.count(self._piece(scored, 10_000))  # with as long a number as any

    def within(self, chosen: Sequence[Scored]) -> list[Scored]:
        """Return as many of ``chosen`` as fit the budget, counted on what is printed."""
        kept = list(chosen)
        while kept and self._counter.count(self.text(kept)) > self._inquiry.request.budget:
            kept.pop()
        return kept

    def text(self, hits: Sequence[Scored]) -> str:
        """Return the whole answer."""
        pieces = [self._piece(one, number) for number, one in enumerate(hits, 1)]
        return self._object(pieces) if self._json else self._list(pieces)

    def _piece(self, scored: Scored, number: int) -> str:
        return self._row(scored) if self._json else self._item(scored, number)

    # --- for people -----------------------------------------------------------------------

    def _list(self, pieces: Sequence[str]) -> str:
        if not self._found:
            return "Nothing found.\n"
        if not self._more(pieces):
            return "".join(pieces)
        limited = not self._inquiry.whole or len(pieces) == self._inquiry.limit
        option = "--limit" if limited else "--budget"
        rest = "There is more" if pieces else "What is found does not fit"
        return "".join(pieces) + f"{rest}: raise {option}.\n"

    def _more(self, pieces: Sequence[str]) -> bool:
        return self._found > len(pieces)

    def _item(self, scored: Scored, number: int) -> str:
        entry = scored.entry
        # Where tokens count, they are for what is found, not for how.
        told = () if self._inquiry.whole else scored.parts
        parts = ", ".join(f"{name} {value:.2f}" for name, value in told)
        meta = f"{entry.kind} {entry.id} ({entry.source}:{entry.line}), score {scored.score:.3f}"
        head = f"{number}. {dated_title(entry)}\n   {meta}{f': {parts}' if parts else ''}\n"
        if not self._inquiry.whole:
            return f"{head}   > {self._snippet(entry)}\n\n"
        if entry.kind in ("turn", "summary"):
            return f"{head}\n{markdown.unit(Said(scored, 'full'))}"
        return f"{head}\n{_whole(entry)}\n\n"

    # --- for programs ---------------------------------------------------------------------

    def _object(self, pieces: Sequence[str]) -> str:
        request = self._inquiry.request
        head = {"query": request.query, "ranker": request.ranker, "more": self._more(pieces)}
        lines = [f"{json.dumps(key)}: {_dumped(value)},\n" for key, value in head.items()]
        results = "".join(pieces).removesuffix(",\n")
        end = "\n" if results else ""
        return f'{{\n{"".join(lines)}"results": [\n{results}{end}]\n}}\n'

    def _row(self, scored: Scored) -> str:
        entry = scored.entry
        row: dict[str, object] = {
            "id": entry.id,
            "kind": entry.kind,
            "source": entry.source,
            "line": entry.line,
            "end_line": entry.end_line,
            "title": entry.title,
            "timestamp": entry.timestamp,
            "score": round(scored.score, _DIGITS),
        }
        if not self._inquiry.whole:
            row["parts"] = {name: round(value, _DIGITS) for name, value in scored.parts}
        if entry.kind == "turn":
            row |= {"speaker": entry.speaker, "ts": layout.moment(entry.timestamp)}
        if entry.status:
            row["status"] = entry.status
        if entry.kind == "summary":
            row |= {"turns": entry.covers, "confidence": entry.confidence}
        if self._inquiry.whole:
            row["text"] = _whole(entry)
        else:
            row["snippet"] = self._snippet(entry)
        return f"{_dumped(row)},\n"

    def _snippet(self, entry: Entry) -> str:
        """Return what of an entry the query is about, with what introduces it."""
        lead = f"{' '.join(entry.lead.split())} " if entry.lead else ""
        return lead + snippet(entry.body, self._asked)


def _whole(entry: Entry) -> str:
    """Return an entry with what introduces it, which may turn its meaning around."""
    return f"{entry.lead}\n\n{entry.body}" if entry.lead else entry.body


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

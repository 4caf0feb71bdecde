"""What summaries keep of the evidence that questions need, and what `ctx session expand` leads to.

    python -m benchmarks.summaries --set locomo --data PATH [--embedder static] [--json]

Each conversation is one session. It is compacted, and every question asked before and after:

    turns                as it was before: turns alone
    turns or summaries   what `ctx search` finds then: the better of a summary and its turns
    summaries            turns that are summarised are left out: only their summaries are there
    first sentences      likewise, with the first sentences of each cluster, as many tokens

`included`: a turn counts where it is included, or a sentence of it in a summary that is. `led to`:
also where a summary that covers it is included, which expand unfolds. Counted as in
`benchmarks/recall.py`; `packets` are those of `ctx agent --query`, counted as rendered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import sessions_of
from benchmarks.datasets import SETS, Chat, Question
from ctx import fit
from ctx.app import walk as packet
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.main import main as ctx
from ctx.model import Entry, Library, ParseCache, Request, SearchRequest
from ctx.text.sentences import pieces
from ctx.text.tokens import counter, estimate
from ctx.world import World

CHARS_A_TOKEN = 4
LEAST_WORDS = 3
"""Of a sentence that tells a turn from others."""
PLACE = "sessions/summaries/talk.jsonl"


class Score(NamedTuple):
    """Recall of one question."""

    how: str
    measure: str
    category: str
    tokens: int
    recall: float


class Compaction(NamedTuple):
    """What was made of one conversation."""

    turns: int
    summaries: int
    covered: int
    """Tokens of the turns that are summed up."""
    tokens: int
    """Tokens of their summaries."""
    confidence: float
    """Mean."""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=("locomo", "beam"), default="locomo", help="which data")
    parser.add_argument("--data", type=Path, required=True, help="where it is")
    parser.add_argument("--embedder", default="none", help="of the summaries and the search")
    parser.add_argument("--tokens", type=int, nargs="+", default=(2_000,), help="count at these")
    parser.add_argument("--packets", action="store_true", help="pack with ctx agent --query, too")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    scores: list[Score] = []
    made: list[Compaction] = []
    for case in SETS[options.set](options.data):
        assert isinstance(case, Chat)  # noqa: S101 - both sets are
        with tempfile.TemporaryDirectory() as folder:
            compaction, found = _measured(_Talk(case.joined("talk"), Path(folder)), options)
        made.append(compaction)
        scores += found
    _print(options, made, scores)
    return 0


class _Talk:
    """One conversation, on disk."""

    def __init__(self, case: Chat, folder: Path) -> None:
        self.case = case
        self.root = folder / ".context"
        self.root.mkdir()
        case.write(self.root)
        self.run("import", str(folder / "chat.jsonl"))
        self.texts = {str(row["id"]): str(row["text"]) for row in self.rows("sessions/talk.jsonl")}

    def run(self, command: str, *arguments: str) -> None:
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(None),
        ):
            code = ctx(["session", command, *arguments, "--dir", str(self.root)])
        if code:
            raise SystemExit(f"summaries: ctx session {command} failed with {code}")

    def rows(self, path: str) -> list[dict[str, object]]:
        lines = (sessions_of(self.root).parent / path).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def _measured(talk: _Talk, options: argparse.Namespace) -> tuple[Compaction, list[Score]]:
    """Return what was made of a conversation, and the recall in every way."""
    scores = list(_asked(talk, options, "turns", _anything))
    scores += _packed(talk, options, "packets before")
    talk.run("compact", "--embedder", options.embedder)
    rows = [row for row in talk.rows(PLACE) if row["type"] == "summary"]
    scores += _asked(talk, options, "turns or summaries", _anything)
    scores += _packed(talk, options, "packets after")
    scores += _asked(talk, options, "summaries", _in_short)
    _replace_by_first_sentences(talk)
    scores += _asked(talk, options, "first sentences", _in_short)
    return _compaction(talk, rows), scores


def _compaction(talk: _Talk, rows: Sequence[dict[str, object]]) -> Compaction:
    first = [row for row in rows if row["level"] == 1]

    def total(field: str) -> float:
        return sum(float(str(row[field])) for row in first)

    return Compaction(
        len(talk.texts),
        len(rows),
        int(total("covered")),
        int(total("tokens")),
        total("confidence") / len(first),
    )


def _replace_by_first_sentences(talk: _Talk) -> None:
    """Put the first sentences of each cluster in the place of its summary, as many tokens."""
    kept = []
    for row in talk.rows(PLACE):
        if row["type"] == "summary" and row["level"] == 1:
            sources = row["sources"]
            assert isinstance(sources, list)  # noqa: S101 - as it is written
            row["text"] = _first(map(talk.texts.__getitem__, sources), int(str(row["tokens"])))
        kept.append(json.dumps(row))
    (sessions_of(talk.root).parent / PLACE).write_text("\n".join(kept) + "\n", encoding="utf-8")


def _first(texts: Iterable[str], tokens: int) -> str:
    said = ""
    for text in texts:
        for sentence, _ in pieces(text):
            longer = f"{said}\n{sentence}".lstrip()
            if said and estimate(longer) > tokens:
                return said
            said = longer
    return said


# --- what is found ------------------------------------------------------------------------


def _anything(entry: Entry) -> bool:  # noqa: ARG001 - whatever it is
    return True


def _in_short(entry: Entry) -> bool:
    """Whether an entry is a summary, or a turn that none stands for."""
    return not (entry.kind == "turn" and entry.ancestors)


def _asked(
    talk: _Talk, options: argparse.Namespace, how: str, allowed: Callable[[Entry], bool]
) -> Iterator[Score]:
    """Ask all questions in one walk; yield the recall of what is found and ``allowed``."""
    workspace = _patient(talk, PacketOptions(embedder=options.embedder, query="?"))
    request = workspace.request()

    def walk(shelf: ParseCache, library: Library) -> list[Score]:
        found: list[Score] = []
        for question in talk.case.questions:
            asked = request._replace(query=question.text)
            ranked = _ranked(asked, shelf, library, allowed)
            for tokens in options.tokens:
                held = _pack(talk, ranked, tokens)
                found += _judged(talk, question, held, how, tokens)
        return found

    yield from workspace.walk(walk, request)


def _patient(talk: _Talk, given: PacketOptions) -> Workspace:
    """Return the directory with an embedder that may take its time."""
    workspace = Workspace(given, World(), root=str(talk.root))
    return workspace.having(workspace.settings._replace(embed_seconds=3600.0))


def _ranked(
    request: Request, shelf: ParseCache, library: Library, allowed: Callable[[Entry], bool]
) -> list[Entry]:
    found = packet.ranked(SearchRequest(request, None, whole=True), shelf, library)
    if any("words alone" in warning for warning in found.warnings):
        # The figure would not be the embedder's.
        raise SystemExit(f"summaries: {found.warnings[-1]}")
    return [one.entry for one in fit.either(one for one in found.scored if allowed(one.entry))]


def _pack(talk: _Talk, ranked: Sequence[Entry], tokens: float) -> list[Entry]:
    held = []
    for entry in ranked:
        known = talk.case.costs.get(talk.case.item(entry))
        cost = (len(entry.body) if known is None else known) / CHARS_A_TOKEN
        if cost <= tokens:
            tokens -= cost
            held.append(entry)
    return held


def _packed(talk: _Talk, options: argparse.Namespace, how: str) -> Iterator[Score]:
    """Pack every question with ``ctx agent --query``, and look at what is said whole."""
    if options.packets:
        for tokens in options.tokens:
            yield from _packed_within(talk, options, how, tokens)


def _packed_within(talk: _Talk, options: argparse.Namespace, how: str, tokens: int) -> list[Score]:
    options_ = PacketOptions(embedder=options.embedder, budget=str(tokens), query="?")
    workspace = _patient(talk, options_)
    counting = counter(workspace.settings.tokenizer)
    given = workspace.request()

    def walk(shelf: ParseCache, library: Library) -> list[Score]:
        found: list[Score] = []
        for question in talk.case.questions:
            made = packet.assemble(given._replace(query=question.text), counting, shelf, library)
            said = [one for section in made.selection.sections for one in section.included]
            held = [one.entry for one in said if one.level == "full"]
            found += _judged(talk, question, held, how, tokens)
        return found

    return workspace.walk(walk, given)


def _judged(
    talk: _Talk, question: Question, held: Sequence[Entry], how: str, tokens: int
) -> Iterator[Score]:
    """Yield the share of a question's evidence that is included, and that is led to."""
    said = {talk.case.item(entry) for entry in held if entry.kind == "turn"}
    short = [" ".join(entry.body.split()) for entry in held if entry.kind == "summary"]
    led = {line for entry in held if entry.kind == "summary" for line in _sources(talk, entry)}
    gold = question.gold
    kept = {one for one in gold if one in said or _is_in(talk.texts[one], short)}
    for measure, found in (("included", kept), ("led to", kept | gold & (said | led))):
        yield Score(how, measure, question.category, tokens, len(found) / len(gold))


def _sources(talk: _Talk, entry: Entry) -> frozenset[str]:
    """Return the turns that a summary stands for."""
    known = _SOURCES.setdefault(str(talk.root), {})
    if not known:
        lines = [str(row["id"]) for row in talk.rows("sessions/talk.jsonl")]
        for row in talk.rows(PLACE):
            if row["type"] == "summary":
                spans = row["lines"]
                assert isinstance(spans, list)  # noqa: S101 - as it is written
                known[str(row["id"])] = frozenset(
                    lines[at - 1] for first, last in spans for at in range(first, last + 1)
                )
    return known[entry.id.rpartition("#")[2]]


_SOURCES: dict[str, dict[str, frozenset[str]]] = {}


def _is_in(text: str, short: Sequence[str]) -> bool:
    """Whether a sentence of ``text`` stands in one of the summaries."""
    for sentence, _ in pieces(text):
        told = " ".join(sentence.split())
        if len(told.split()) >= LEAST_WORDS and any(told in one for one in short):
            return True
    return False


# --- the table ----------------------------------------------------------------------------


def _print(
    options: argparse.Namespace, made: Sequence[Compaction], scores: Sequence[Score]
) -> None:
    means: dict[tuple[str, str, int], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for score in scores:
        for category in ("all", score.category):
            means[score.how, score.measure, score.tokens][category].append(score.recall)
    categories = ["all", *sorted({score.category for score in scores})]
    covered, tokens = sum(one.covered for one in made), sum(one.tokens for one in made)
    figures = {
        "set": options.set,
        "embedder": options.embedder,
        "conversations": len(made),
        "turns": sum(one.turns for one in made),
        "summaries": sum(one.summaries for one in made),
        "compression": round(covered / tokens, 2),
        "confidence": round(sum(one.confidence for one in made) / len(made), 3),
    }
    rows = [(*key, *(sum(row[c]) / len(row[c]) for c in categories)) for key, row in means.items()]
    if options.json:
        names = ("how", "measure", "tokens", *categories)
        recall = [dict(zip(names, row, strict=True)) for row in rows]
        print(json.dumps({**figures, "recall": recall}, indent=1))
        return
    print(", ".join(f"{name} {value}" for name, value in figures.items()))
    print(f"{'':20}{'':8}{'tokens':>7}" + "".join(f"{name:>16}" for name in categories))
    for how, measure, at, *values in rows:
        print(f"{how:20}{measure:8}{at:>7,}" + "".join(f"{value:16.3f}" for value in values))


if __name__ == "__main__":
    sys.exit(main())

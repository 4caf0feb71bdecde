"""Summaries by a language model: how it is asked."""

import os
import re

from ctx.model import Cluster, Draft, Prompt, Writer
from ctx.sessions.compaction.extractive import attributed
from ctx.text import encodable

_WORDS_PER_TOKEN = 0.7
_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.txt")
with open(_FILE, encoding="utf-8") as _file:
    _INSTRUCTIONS, _BEFORE = _file.read().partition("[instructions]\n")[2].split("\n[before]\n")


def prompt(cluster: Cluster, limit: int) -> Prompt:
    """Return how to ask a model for a summary of about ``limit`` tokens.

    Turns are in fences longer than any run of backticks inside.
    """
    before = cluster.before.strip()
    words = max(10, int(limit * _WORDS_PER_TOKEN))
    turns = "\n".join(attributed(turn, turn.text) for turn in cluster.utterances)
    blocks = [_fenced("earlier summary", before)] if before else []
    blocks.append(_fenced("turns", turns))
    return Prompt(
        instructions=_INSTRUCTIONS.format(before=_BEFORE if before else "", words=words),
        material="\n\n".join(blocks) + "\n",
        limit=limit,
    )


def _fenced(label: str, text: str) -> str:
    """Return ``text`` as a fenced block; what cannot be encoded is replaced."""
    text = encodable(text)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{label}\n{text}\n{fence}"


class Abstractive:
    """A summariser that asks a model. It returns a draft, which is judged."""

    method = "abstractive"

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    @property
    def model(self) -> str:
        """The name of the writer."""
        return self._writer.name

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        """Return the model's summary of ``cluster`` in about ``limit`` tokens, or SummaryError."""
        return self._writer.ask(prompt(cluster, limit))

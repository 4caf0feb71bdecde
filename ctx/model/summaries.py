"""Summaries of turns, as they are stored, and what makes them."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Sequence
from typing import NamedTuple, Protocol

Lines = tuple[tuple[int, int], ...]
"""Runs of lines, first and last of each, counted from 1; rising, apart by at least a line."""


class Summary(NamedTuple):
    """What stands for turns of one session: a line of ``sessions/summaries/<session>.jsonl``.

    Summaries only add: the turns stay where they are, and ``lines`` leads back to them.
    """

    id: str
    """``s<level>-<digest>`` of the session and the sources: the same wherever it is made."""
    session: str
    level: int
    """1 for what is made of turns, n + 1 for what is made of summaries of level n."""
    text: str
    sources: tuple[str, ...]
    """Ids of what it was made of, in their order: turns, or summaries of the level below."""
    lines: Lines
    """Where the turns that it stands for are in the session's file, whatever its level."""
    turns: int
    """How many they are; at least 1."""
    covered: int
    """Tokens of their texts, by the heuristic counter."""
    tokens: int
    """Tokens of ``text``, likewise."""
    earliest: str
    """The first time that any of the turns tells, as written; empty where none does."""
    latest: str
    compacted: str
    """When the run began that made it, ISO 8601."""
    method: str
    """``extractive``, ``abstractive``, ``first-sentences`` or ``trivial`` (of a single turn)."""
    model: str
    """What wrote an abstractive one; empty for the others."""
    space: str
    """What ``confidence`` was measured with: ``tf-idf``, or the name of an embedder."""
    confidence: float
    """How well it stands for its sources, in [0, 1] (``retrieval-math`` 5.4)."""
    digest: str
    """Stands for the bytes of ``lines``."""
    note: str = ""
    """Why it is not what was asked for, such as an abstractive text that was refused."""


class Utterance(NamedTuple):
    """A source as a summariser is shown it."""

    speaker: str
    """A name, else a role; empty for a summary."""
    text: str
    """Cleaned of what is not talk."""


class Cluster(NamedTuple):
    """What becomes one summary."""

    said: Sequence[Utterance]
    """In their order; at least one."""
    before: str = ""
    """The summary of what came before it, so that this one can say what changed."""


class Draft(NamedTuple):
    """A text that may become a summary."""

    text: str
    mean_logprob: float | None = None
    """Mean of the logarithms of its tokens' probabilities, at most 0; None where the model
    does not say."""


class Prompt(NamedTuple):
    """What a model is asked."""

    instructions: str
    material: str
    """The cluster, quoted as data."""
    limit: int
    """Tokens that the answer may have."""


class SummaryError(Exception):
    """A writer cannot be used, or failed: one line, with what to try.

    Never holds a key, or any of the texts that were to be summarised.
    """


class Summariser(Protocol):
    """Makes a draft of a cluster."""

    @property
    def method(self) -> str:
        """``extractive`` or ``abstractive``."""
        ...

    @property
    def model(self) -> str:
        """The model that writes it, without secrets; empty where none does."""
        ...

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        """Return a draft of about ``limit`` tokens at most. Raises SummaryError."""
        ...


class Writer(Protocol):
    """A model that answers prompts: a command, or a server."""

    @property
    def name(self) -> str:
        """Model and place, without secrets."""
        ...

    def ask(self, prompt: Prompt) -> Draft:
        """Return the model's answer, without what it thought before it. Raises SummaryError."""
        ...


class Vectors(Protocol):
    """Some texts as unit vectors; a text that says nothing is the zero vector."""

    def __len__(self) -> int:
        """Return the number of texts."""
        ...

    def cosines(self, at: int) -> Sequence[float]:
        """Return the cosine of the text at ``at`` and of every text, in [-1, 1]."""
        ...

    def to_mean(self, places: Sequence[int]) -> Sequence[float]:
        """Return the cosine of every text and of the mean of those at ``places``, in [-1, 1].

        0 where that mean is zero.
        """
        ...


class Space(Protocol):
    """Turns texts into vectors that can be compared."""

    @property
    def name(self) -> str:
        """``tf-idf``, or the name of an embedder."""
        ...

    def of(self, texts: Sequence[str], known: int | None = None) -> Vectors:
        """Return the vectors of ``texts``.

        The first ``known`` of them, all where it is None, tell how rare words are. Raises
        EmbeddingError.
        """
        ...

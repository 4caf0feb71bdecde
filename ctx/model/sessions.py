"""Turns of sessions and summaries of them."""

import re
from collections.abc import Mapping, Sequence

from ctx.digest import blake2b
from ctx.model.entries import Json
from ctx.typed import NamedTuple, Protocol

_RESERVED = frozenset(  # names of devices on Windows, whatever follows their first dot
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
FOREIGN = "./sessions"  # of sessions that came with the repository: anyone may have written them
Lines = tuple[tuple[int, int], ...]  # first and last of runs of lines, from 1, rising, with gaps


class Turn(NamedTuple):
    """One message of a session, as it is stored: a line of JSON."""

    id: str  # unique within its session
    session: str
    ts: str  # ISO 8601 as written; empty where the transcript has no time
    role: str  # ``user``, ``assistant`` or ``tool``
    text: str
    speaker: str = ""  # a name, where more than one person has the same role
    bundle: str = ""  # turns of a session that share this name belong together
    extra: Mapping[str, Json] = {}  # fields that ctx does not know, kept as they were


SHARED = "shared"  # of what was pulled from the team's server, by repository: others wrote it


def session_file(session: str) -> str:
    """Return the name of a session's file: its id where that is safe, else a slug and a digest."""
    is_safe = (
        re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", session)
        and not session.endswith(".")
        and session.split(".", 1)[0] not in _RESERVED
        # No id that ends like a digest, but for UUIDs.
        and (not re.fullmatch(r".*-[0-9a-f]{12}", session) or _is_uuid(session))
    )
    if is_safe:
        return f"{session}.jsonl"
    digest = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    # No dots: the part before the first one could be the name of a device.
    slug = re.sub(r"[^a-z0-9_]+", "-", session.lower()).strip("-_")[:60].rstrip("-_") or "session"
    if _is_uuid(f"{slug}-{digest}"):
        slug += "_"
    return f"{slug}-{digest}.jsonl"


def _is_uuid(name: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name))


class Summary(NamedTuple):
    """A summary of turns of one session: a line of ``sessions/summaries/<session>.jsonl``."""

    id: str  # ``s<level>-<digest>`` of the session and the sources: the same on every machine
    session: str
    level: int  # 1 for a summary of turns, n + 1 for a summary of summaries of level n
    text: str
    sources: tuple[str, ...]  # ids of its turns, or of summaries a level below, in their order
    lines: Lines  # the lines of its turns in the session's file, whatever its level
    turns: int  # the number of its turns; at least 1
    covered: int  # tokens of their texts, by the heuristic counter
    tokens: int  # tokens of ``text``, likewise
    earliest: str  # the first timestamp of its turns, as written; empty where none has one
    latest: str
    compacted: str  # when the run that made it began, ISO 8601
    method: str  # ``extractive``, ``abstractive``, ``first-sentences`` or ``trivial`` (one turn)
    model: str  # the model that wrote an abstractive one; empty for the others
    space: str  # what ``confidence`` was measured with: ``tf-idf``, or the name of an embedder
    confidence: float  # how well it represents its sources, in [0, 1] (``retrieval-math`` 5.4)
    digest: str  # the digest of the bytes of ``lines``
    note: str = ""  # why it is not what was asked for: an abstractive text was refused, say


class Utterance(NamedTuple):
    """A turn or summary as a summariser gets it."""

    speaker: str  # a name, else a role; empty for a summary
    text: str  # without payloads and other text that nobody spoke
    role: str = ""  # ``user``, ``assistant`` or ``tool``; empty for a summary


class Cluster(NamedTuple):
    """Utterances that become one summary."""

    utterances: Sequence[Utterance]  # in their order; at least one
    before: str = ""  # the summary of the turns before, so that this one can name what changed


class Draft(NamedTuple):
    """A text that may become a summary."""

    text: str
    mean_logprob: float | None = None  # of the tokens' log-probabilities, at most 0; or None


class Prompt(NamedTuple):
    """A request to a model."""

    instructions: str
    material: str  # the cluster, quoted as data
    limit: int  # tokens that the answer may have


class SummaryError(Exception):
    """A writer cannot be used, or failed: one line, which holds no key and no text."""


class Summariser(Protocol):
    """Makes a draft of a cluster."""

    @property
    def method(self) -> str:
        """``extractive`` or ``abstractive``."""

    @property
    def model(self) -> str:
        """The model that writes the draft, without secrets; empty where none does."""

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        """Return a draft of about ``limit`` tokens at most. Raises SummaryError."""


class Writer(Protocol):
    """A model that answers prompts: a command, or a server."""

    @property
    def name(self) -> str:
        """Model and place, without secrets."""

    def ask(self, prompt: Prompt) -> Draft:
        """Return the model's answer, without its thoughts. Raises SummaryError."""


class Vectors(Protocol):
    """Some texts as unit vectors; a text without words or meaning is the zero vector."""

    def __len__(self) -> int:
        """Return the number of texts."""

    def cosines(self, at: int) -> Sequence[float]:
        """Return the cosine of the text at ``at`` and of every text, in [-1, 1]."""

    def to_mean(self, places: Sequence[int]) -> Sequence[float]:
        """Return the cosine, in [-1, 1], of every text and the mean of some; 0 if that is."""


class VectorSpace(Protocol):
    """Turns texts into vectors that can be compared."""

    @property
    def name(self) -> str:
        """``tf-idf``, or the name of an embedder."""

    def of(self, texts: Sequence[str], known: int | None = None) -> Vectors:
        """Return vectors of ``texts``; words are as rare as in the first ``known``, else in all.

        Raises EmbeddingError.
        """

"""The registry of parsers by kind of file, and what they return for a chunk: a card an entry."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module

from ctx.model import Kind, Tier
from ctx.text.regex import regex
from ctx.typed import NamedTuple

PARSERS = {  # module and name of each parser, by the kind that ``directory.READERS`` names
    "articles": ("authored.partition", "ARTICLES"),
    "authored": ("authored.partition", "AUTHORED"),
    "constitution": ("authored.partition", "CONSTITUTION"),
    "steering": ("authored.partition", "STEERING"),
    "tasks": ("tasks", "TASKS"),
    "conventions": ("entries", "CONVENTIONS"),
    "decisions": ("entries", "DECISIONS"),
    "learnings": ("entries", "LEARNINGS"),
    "sections": ("entries", "SECTIONS"),
    "requirements": ("entries", "REQUIREMENTS"),
    "adr": ("adr", "RECORD"),
    "change": ("single", "CHANGE"),
    "proposal": ("single", "PROPOSAL"),
    "skill": ("single", "SKILL"),
}
TITLE_CHARS = 120  # longest title; a longer one is cut between words and ends in an ellipsis
SLUG_WORDS = 8
INDEXES = ("themes", "index")  # headings of lists that name themed files instead of holding entries

_BREAK = regex(r"[ \t]*(?:$|(?:[-*+>|]|\d{1,9}[.)])[ \t]|```|~~~)")
_SPACE = regex(r"\s+")
_SLUG = regex(r"[^\w]+")


class Card(NamedTuple):
    """An entry as a parser finds it; lines are counted from 0 within its chunk."""

    anchor: str  # the entry's name within its file: a timestamp or a slug
    tier: Tier
    title: str
    line: int
    end_line: int  # inclusive
    body: str
    timestamp: str = ""
    status: str = ""
    priority: int = 0
    group: str = ""
    lead: str = ""
    supersedes: str = ""
    modality: str = ""
    speaker: str = ""
    bundle: str = ""
    confidence: float | None = None
    covers: int = 1
    size: int = 0  # an estimate of the body's tokens; 0 from parsers, as ``title_size``
    title_size: int = 0
    is_step: bool = False  # of a turn: whether it calls a tool, is its output, or announces a call
    standing: tuple[tuple[object, ...], ...] = ()  # the standing instructions in a turn (``rows``)


class Parser(NamedTuple):
    """Finds the entries of one kind of file."""

    kind: Kind  # what the entries are
    cards: Callable[[str], Iterable[Card]]  # yields the cards of a chunk
    cut_level: int = 0  # level of headings that start a chunk, or higher; 0 for one chunk a file
    reads_front: bool = False  # whether it reads frontmatter, too
    named: Callable[[str, str], Iterable[Card]] | None = None
    """Yields the cards of a file that is one entry, given its name (``name_of``) and its text, in
    place of ``cards``; None where a file holds several."""

    def of(self, path: str) -> "Parser":
        """Return the parser of the file at ``path``."""
        return self._replace(cards=partial(self.named, name_of(path))) if self.named else self

    def __call__(self, text: str) -> list[Card]:
        """Return the cards of a chunk."""
        return list(self.cards(text))


def parser_of(kind: str) -> Parser:
    """Return the parser of ``kind``; only its module is loaded."""
    module, name = PARSERS[kind]
    parser: Parser = getattr(import_module(f"ctx.read.{module}"), name)
    return parser


def slug(title: str) -> str:
    """Return the first words of ``title`` as a name for links: ``keep-the-budget``."""
    words = _SLUG.sub(" ", title.casefold()).split()
    return "-".join(words[:SLUG_WORDS]) or "untitled"


_OF_FOLDERS = frozenset({"design", "proposal", "skill", "spec", "tasks"})


def name_of(path: str) -> str:
    """Return the name of a file that is one entry, or of its folder where all are called alike."""
    folder, _, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return folder.rpartition("/")[2] if stem.lower() in _OF_FOLDERS else stem


def title_of(text: str) -> str:
    """Return the first paragraph on one line, cut between words; an ellipsis shows a cut."""
    lines = text.rstrip().split("\n")
    end = next((n for n, line in enumerate(lines) if n and _BREAK.match(line)), len(lines))
    title = _SPACE.sub(" ", " ".join(lines[:end])).strip()
    if len(title) > TITLE_CHARS:
        return title[:TITLE_CHARS].rsplit(" ", 1)[0].rstrip(" ,;:—-") + " …"
    if end == len(lines) or title.endswith((".", "!", "?", "…")):
        return title
    return title.rstrip(" ,;:—-") + " …"


def dedent(lines: Sequence[str], *, trailing: bool = False) -> str:
    """Return an item's lines without its indentation; spaces at their ends stay if ``trailing``."""
    first = lines[0]
    indent = len(first) - len(first.lstrip(" \t"))
    stripped = [first.lstrip(" \t")]
    for line in lines[1:]:
        width = len(line) - len(line.lstrip(" \t"))
        stripped.append(line[min(indent, width) :])
    if not trailing:
        stripped = [line.rstrip() for line in stripped]
    return "\n".join(stripped).rstrip()

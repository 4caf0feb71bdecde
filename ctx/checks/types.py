"""What check rules read and report, and text of files made safe for messages."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from ctx.checks.zones import Zoned
from ctx.model import Entry, Modality, Scope
from ctx.text import supersedes
from ctx.text.names import cut, on_one_line
from ctx.text.secrets import Secret, mask

LOOKED_AT = 2_000  # characters of a text that are searched for secrets, and for what is shown
MOST = 80  # characters of a file's text in a message
Severity = Literal["error", "warning"]  # errors make packets wrong; warnings mislead or cost
_CUT = " …"  # ends a title that was cut
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}(?:-\d{4,6})?")
_MARKUP = re.compile(r"[*_`~]")


def quoted(text: str) -> str:
    """Return ``text`` in quotation marks, in one line, cut where it is long."""
    return f"'{brief(text)}'"


def brief(text: str) -> str:
    """Return ``text`` in one line, cut where it is long."""
    return cut(on_one_line(" ".join(mask(text[:LOOKED_AT]).split())), MOST)


def named(char: str) -> str:
    """Return the name of a character that cannot be shown: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


class Finding(NamedTuple):
    """Something wrong, by the rule that found it."""

    rule: str
    severity: Severity
    file: str  # relative to the context directory, with forward slashes
    line: int  # counted from 1
    message: str  # one line; text of the file in it is as untrusted as the file
    remedy: str  # what to do, with the command that does it if there is one


class Fault(NamedTuple):
    """What a rule finds, without the rule's name."""

    file: str
    line: int
    message: str
    remedy: str


class Document(NamedTuple):
    """A Markdown file that a packet includes, or lists among those to read."""

    path: str
    kind: str  # of its entries, as ``Entry.kind``; empty for a file that packets only list
    text: Zoned  # its lines, and what each of them is
    history: frozenset[int]  # lines, from 1, of superseded entries and closed tasks
    tasks: frozenset[int]  # lines, from 1, of tasks: what they name may have yet to be made


class Piece(NamedTuple):
    """A run of a readable file's lines, Markdown or not."""

    path: str
    first: int  # its first line, counted from 1
    text: str


class Instruction(NamedTuple):
    """One instruction of a rule or a convention."""

    entry: Entry
    modality: Modality
    action: str  # as stems, after its condition; two instructions are of one action if it is equal
    sentence: str  # as written


class Rules(NamedTuple):
    """What a packet includes of one file of rules, and to which files of the project it applies."""

    file: str
    origin: str  # the name of its source in the registry; empty for files of the context directory
    size: int  # bytes
    scope: Scope | None  # None where its rules apply to all files
    always: Sequence[Entry]  # its rules and guidelines that are included whatever is in focus
    most_bytes: Mapping[str, int]  # bytes of this source that a host loads at most, by host


class RuleFile(NamedTuple):
    """A file that has rules."""

    file: str
    tokens: int  # of its rules in the packet, without the headings that they share


class RuleCost(NamedTuple):
    """What rules cost in the packet of the configured budget."""

    tokens: int
    limit: int  # tokens above which they exceed their share
    budget: int
    share: float  # in [0, 1]
    files: Sequence[RuleFile]  # the files that have rules, the most expensive first; at least one
    line: int  # line of the first rule in the first of these files
    typed: str  # the first of these files, as a path that can be typed


class Names:
    """Entries and files by each of their names."""

    def __init__(self, entries: Iterable[Entry], files: Iterable[str]) -> None:
        self._ids: dict[str, list[Entry]] = {}
        self.tasks: list[Entry] = []  # all tasks, archived ones included
        self._cut: list[str] = []
        self._dates: set[str] = set()
        self._others: set[str] = set()
        for entry in entries:
            self._add(entry)
        for path in files:
            folded = path.casefold()
            name = folded.rpartition("/")[2]
            self._others.update(
                (folded, name, folded.removesuffix(".md"), name.removesuffix(".md"))
            )

    def _add(self, entry: Entry) -> None:
        if entry.kind == "task":
            self.tasks.append(entry)
        title = entry.title.casefold()
        anchor = entry.id.partition("#")[2].casefold()
        self._others.update(alias.casefold() for alias in entry.front.aliases)
        self._others.add(anchor)
        if entry.kind == "turn":
            self._others.add(entry.id.casefold())
            return
        if title.endswith(_CUT):
            self._cut.append(title.removesuffix(_CUT))
        self._others.add(_MARKUP.sub("", title))
        for name in supersedes.names(entry.title, entry.timestamp, entry.id):
            if name:
                self._ids.setdefault(name, []).append(entry)
        if _STAMP.fullmatch(entry.timestamp):
            self._dates.add(entry.timestamp[: len("2026-01-31")])

    def resolve(self, claim: str) -> bool:
        """Return whether any reading of ``claim`` names something that exists."""
        return any(
            name in self._ids
            or name in self._others
            or name in self._dates
            or any(map(name.startswith, self._cut))
            for name in supersedes.readings(claim)
        )

    def entries(self, claim: str) -> Sequence[Entry]:
        """Return the entries that ``claim`` supersedes: none of a shared date or number."""
        found: dict[str, Entry] = {}
        for name in supersedes.readings(claim):
            named = self._ids.get(name, [])
            if len(named) == 1 or not supersedes.is_shared(name):
                found.update((entry.id, entry) for entry in named)
        return list(found.values())


class Tree(Protocol):
    """The work tree around a context directory."""

    def holds(self, path: str) -> bool:
        """Whether a file or folder is called ``path``, or ends with it; endings may be missing."""

    def elsewhere(self, path: str) -> str:
        """Return the only place that has the last name of ``path``; empty if none or several."""

    def has_root(self, path: str) -> bool:
        """Return whether the first folder of ``path`` exists: then it is about this tree."""

    def ignores(self, path: str) -> bool:
        """Return whether git would ignore ``path``, so that it may exist elsewhere."""

    def meets(self, *scopes: Scope) -> bool:
        """Return whether a file is in all ``scopes``; true where that takes too long to know."""

    def files(self, *names: str) -> Iterator[str | None]:
        """Yield the text of each file of one of ``names``; None for one that is not read."""


class Subject(NamedTuple):
    """A context directory, as rules read it."""

    entries: Sequence[Entry]  # all that a packet may include, in reading order
    names: Names  # the names of entries and files, archived ones included
    documents: Sequence[Document]
    pieces: Callable[[], Iterable[Piece]]  # yields each readable file, anew at each call
    warnings: Sequence[str]  # what could not be read as meant: ``FILE:LINE: what``
    instructions: Sequence[Instruction]
    exists: Callable[[str], bool | None]  # whether a path exists; None outside of the project
    tree: Tree | None  # None without a work tree around the directory
    rule_cost: RuleCost | None  # None if the rules were not priced
    rules: Sequence[Rules]  # the files of rules, in order of precedence
    secrets: Callable[[str], Iterable[Secret]]  # returns the secrets in a text
    left_out: Callable[[str, str], object]  # takes a rule's name, and what it did not look at

    def lines_of(self, path: str) -> Sequence[str]:
        """Return the lines of a document; none where it is not at hand."""
        return next((each.text.lines for each in self.documents if each.path == path), ())

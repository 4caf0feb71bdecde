"""What check rules look at, what they report, and text of files made safe for messages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ctx.text.secrets import mask

if TYPE_CHECKING:
    from ctx.checks.naming import Names
    from ctx.checks.zones import Zoned
    from ctx.model import Entry, Modality


LOOKED_AT = 2_000
"""Characters of a text that are looked at for secrets, and for what is shown."""
MOST = 80
"""Characters of a file's text in a message."""


def quoted(text: str, most: int = MOST) -> str:
    """Return ``text`` in quotation marks, in one line, cut where it is long."""
    return f"'{brief(text, most)}'"


def brief(text: str, most: int = MOST) -> str:
    """Return ``text`` in one line, cut where it is long."""
    shown = plain(" ".join(mask(text[:LOOKED_AT]).split()))
    return shown if len(shown) <= most else f"{shown[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    r"""Return ``text`` with every character that is not printed shown as ``\ufffd``."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def named(char: str) -> str:
    """Return how a character is told of that cannot be shown: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character')}"


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


Severity = Literal["error", "warning"]
"""An error makes packets wrong or dangerous; a warning misleads or costs."""


class Finding(NamedTuple):
    """Something to mend."""

    rule: str
    severity: Severity
    file: str
    """Relative to the context directory, with forward slashes."""
    line: int
    """Counted from 1."""
    message: str
    """One line; whatever text of the file it holds may hold anything that the file does."""
    remedy: str
    """What to do, with the command that does it where there is one."""


class Fault(NamedTuple):
    """What a rule finds, before it has the rule's name."""

    file: str
    line: int
    message: str
    remedy: str


class Document(NamedTuple):
    """A Markdown file that a packet says, or names among those to read."""

    path: str
    kind: str
    """Of its entries, as ``Entry.kind``; empty for a file that packets only name."""
    text: Zoned
    """Its lines, and what each of them is."""
    history: frozenset[int]
    """Lines, from 1, of entries that are out of date and of closed tasks: what they say was so."""
    tasks: frozenset[int]
    """Lines, from 1, of tasks: what they name may have yet to be made."""


class Piece(NamedTuple):
    """A run of a readable file's lines, Markdown or not."""

    path: str
    first: int
    """Its first line, counted from 1."""
    text: str


class Instructed(NamedTuple):
    """One thing that a rule or a convention tells to do, or not to do."""

    entry: Entry
    modality: Modality
    action: str
    """As stems, behind the condition that it is under; two are of one action where it is equal."""
    said: str
    """Its sentence."""


class Dear(NamedTuple):
    """A file that has rules."""

    file: str
    tokens: int
    """Of its rules in the packet, without the headings that they share."""


class Hard(NamedTuple):
    """What rules cost in the packet of the configured budget."""

    tokens: int
    limit: int
    """Tokens over which they pass their share."""
    budget: int
    share: float
    """In [0, 1]."""
    dearest: Sequence[Dear]
    """The files that have rules, those first that cost most; at least one."""
    line: int
    """Of the first rule of the first."""
    typed: str
    """The first, as somebody can type it where they stand."""


class Tree(Protocol):
    """The work tree around a context directory."""

    def holds(self, path: str) -> bool:
        """Return whether a file or folder is called ``path``, or ends with it, a name whole.

        A file may be named without its ending.
        """
        ...

    def elsewhere(self, path: str) -> str:
        """Return the one place that has the last name of ``path``; empty where none or several."""
        ...

    def has_root(self, path: str) -> bool:
        """Return whether the first folder of ``path`` is there: then it speaks of this tree."""
        ...

    def ignores(self, path: str) -> bool:
        """Return whether git would ignore ``path``, so that nobody can say whether it is made."""
        ...

    def files(self, *names: str) -> Iterator[str | None]:
        """Yield the text of each file of one of ``names``; None for one that is left unread."""
        ...


class Secret(Protocol):
    """Something in a text that opens a door."""

    @property
    def line(self) -> int:
        """Counted from 1."""
        ...

    @property
    def kind(self) -> str:
        """What it opens, as people say it: ``AWS Access Key``."""
        ...


class Subject(NamedTuple):
    """A context directory, as rules look at it."""

    entries: Sequence[Entry]
    """All that a packet may say, in reading order."""
    names: Names
    """What entries and files are called, archived ones included."""
    documents: Sequence[Document]
    pieces: Callable[[], Iterable[Piece]]
    """Gives every readable file of the directory, again each time it is asked."""
    warnings: Sequence[str]
    """What could not be read as meant: ``FILE:LINE: what`` or ``FILE: what``."""
    instructed: Sequence[Instructed]
    exists: Callable[[str], bool | None]
    """Tells whether there is something at a path relative to the context directory; None where
    nobody can tell, since it leads out of the project."""
    tree: Tree | None
    """None where there is no work tree around the directory."""
    hard: Hard | None
    """None where nobody asked for it."""
    secrets: Callable[[str], Iterable[Secret]]
    """Finds secrets in a text."""


Check = Callable[[Subject], Iterator[Fault]]
"""The signature of every rule."""


class Rule(NamedTuple):
    """One thing that is looked for."""

    name: str
    severity: Severity
    help: str
    """What it finds, in one line."""
    check: Check

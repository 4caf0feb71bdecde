"""Other names of entries, and names that a glossary puts beside each other."""

from collections.abc import Iterator

from ctx.model import Entry
from ctx.text.regex import regex
from ctx.text.words import STOPS, index_words

LABEL = "Also called"
_CALLED = regex(
    r"(?im)^[ \t>*-]*(?:\*\*|__)?(?:also called|aliases)(?:\*\*|__)?:(?:\*\*|__)?"
    r"[ \t]*(\S[^\n]{0,500})"
)
_NAME_WORDS = 3  # words of a meaning in a glossary that is a name; more explain
MOST_NAMES = 32  # names of one thing in a glossary: each in a question is searched by all others
_TERM_CHARS = 60
_ITEM = regex(r"[ \t]*[-*+][ \t]+(.+)")
_DEFINED = regex(r"(.{1,80}?)(?::(?:\*\*|__)?|[ \t][—–=-])[ \t](.+)")
_HEADING = regex(r"#{2,6}[ \t]+(.+)")
_BESIDE = regex(r"[/;|,]|[ \t]or[ \t]")
_IN_BRACKETS = regex(r"\(([^()]{1,60})\)")
_REST = regex(r"[.;:(!?]|[ \t][—–-][ \t]")
_MARKS = " \t*_`\"'“”#."
_ARTICLES = "one our any each everi some not der die das ein eine le la un une el"
_EXPLAINS = STOPS.union(_ARTICLES.split())  # words that begin an explanation, and no name


def aliases(entry: Entry) -> tuple[str, ...]:
    """Return an entry's names in the frontmatter and in ``**Also called**: pg, Postgres``."""
    return *entry.front.aliases, *_called(entry.body)


def _called(text: str) -> list[str]:
    parts = ",".join(_CALLED.findall(text)).split(",")
    return [name for part in parts if (name := part.strip(_MARKS))]


def glossary(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the names that a glossary uses for one thing each, two or more.

    Read are items (``- **pg**: PostgreSQL``), rows of tables, and headings with the line below
    them. A term is a name; its meaning is one where it has up to three words and begins with none
    of grammar; of a meaning only what precedes the first full stop, bracket or dash is looked at.
    """
    found: list[tuple[str, ...]] = []
    heading: list[str] = []
    for line in text.splitlines():
        if called := _called(line):
            found.append((*heading, *called))
        elif match := _HEADING.match(line):
            heading = _terms(match[1])
            found.append(tuple(heading))
        elif match := _ITEM.fullmatch(line):
            heading = []
            if defined := _DEFINED.fullmatch(match[1]):
                found.append((*_terms(defined[1]), *_meanings(defined[2])))
        elif line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) > 1:
                found.append((*_terms(cells[0]), *_meanings(cells[1])))
        elif line.strip() and heading:
            found.append((*heading, *_meanings(line.removeprefix(":"))))
            heading = []
    groups = (tuple(dict.fromkeys(filter(_is_name, names[:MOST_NAMES]))) for names in found)
    return tuple(names for names in groups if len(names) > 1)


def _names(text: str) -> list[str]:
    return [name for part in _BESIDE.split(text) if (name := part.strip(_MARKS))]


def _terms(text: str) -> list[str]:
    """Return the names of a term: ``Application programming interface (API)`` has two."""
    bare = _IN_BRACKETS.sub(" ", text)
    return [
        name
        for part in (bare, *_IN_BRACKETS.findall(text))
        for name in _names(part)
        if len(name) <= _TERM_CHARS
    ]


def _meanings(text: str) -> Iterator[str]:
    """Yield the names that a meaning begins with, up to the first that explains."""
    for name in _names(_REST.split(text, 1)[0]):
        stems = index_words(name)
        if not stems or len(name.split()) > _NAME_WORDS or stems[0] in _EXPLAINS:
            return
        yield name


def _is_name(name: str) -> bool:
    return not STOPS.issuperset(index_words(name))

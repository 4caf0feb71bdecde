"""What the registry records of a source: its files, their form, and the scope of their rules."""

from collections.abc import Callable, Collection

from ctx.model import Frontmatter, Json, Scope
from ctx.typed import Literal, NamedTuple

ScopeOf = Callable[[Frontmatter, str], Scope | None]  # the scope of a file, by its path; or None


Moment = Literal["start", "read", "touch"]  # ``touch``: as an agent reads or edits a file


class Loads(NamedTuple):
    """That a host loads a source's files by itself.

    Those for all files, and those of the folders from the project's root to the one in which it
    works, when a session starts; ``scoped`` is about the others.
    """

    host: str  # as ``ctx hook`` names it
    since: str = ""  # the first version that does; empty where all that have hooks do
    condition: str = ""  # when it does, for people; empty for always
    most_bytes: int = 0  # bytes of all files that it loads, less the deepest; 0 for no limit
    page: str = ""  # where this was read
    scoped: Moment = "start"  # when it loads rules for some files; ``start``: not, or uncertain
    subagents: bool = False  # whether its subagents load them, too; but those of ``BARE``
    imports: bool = False  # whether it loads what they import
    places: tuple[str, ...] = ()  # the source's places that it loads; all where there are none
    unless: tuple[str, ...] = ()
    """Signs that it may not: a file that is there, in the same folder or below ``~``, or text that
    one of the project's or of the user's settings holds (``.claude/settings.json: Excludes``)."""


class Origin(NamedTuple):
    """One source: a kind of file that a tool or a person keeps beside the code."""

    name: str  # as settings and ``ctx status`` name it
    places: tuple[str, ...]
    """Relative to a folder of the project, in order of precedence: a file, all files of a folder
    (``.clinerules/*.md``), or those of its folders as well (``x/**/*.md``, ``x/**/SKILL.md``)."""
    gives: str  # what it gives, in a few words for people
    parser: str = "authored"  # the name of the parser in ``card.PARSERS``
    scope: ScopeOf | None = None  # none where its rules always apply, below the folder of the place
    leveled: bool = False  # also in each folder from the root to files in focus, nearest first
    imports: bool = False  # whether ``@path`` in its files includes another file
    alternatives: bool = False  # whether only the first place that exists in a folder is read
    loads: tuple[Loads, ...] = ()  # the hosts that load it by themselves
    usual: bool = True  # whether it is read unless settings say otherwise
    skips: Callable[[str], bool] | None = None  # whether a path below a place is not read
    knows: bool = False  # whether it gives decisions, background or tasks, quoted, and no rules
    searched: bool = False  # whether only what reads all there is reads it: a search, and no packet


def strings(value: Json) -> tuple[str, ...]:
    """Return patterns as a list or one text holds them, separated by commas outside of braces."""
    if value is None:
        return ()
    from ctx.text.globs import split  # patterns that few projects need

    if isinstance(value, list):
        return tuple(pattern for item in value for pattern in strings(item))
    return tuple(part.strip("\"'") for part in split(str(value)))


def described(front: Frontmatter) -> str:
    """Return the description of a file; empty without one."""
    return " ".join(str(front.extra.get("description") or "").split())


def matching(dialect: str, front: Frontmatter, patterns: tuple[str, ...], base: str = "") -> Scope:
    """Return the scope of rules for files that match ``patterns``, or of all without any."""
    about = described(front)
    return Scope(dialect, "match" if patterns else "always", patterns, base, about)


def scope_by(dialect: str, key: str) -> ScopeOf:
    """Return what scopes rules by the patterns of ``key``; without any they always apply."""
    return lambda front, _path: matching(dialect, front, strings(front.extra.get(key)))


def matched(scope: Scope, path: str) -> str:
    """Return the pattern by which a scope of mode ``match`` applies to ``path``, or nothing."""
    if scope.base and not path.startswith(f"{scope.base}/"):
        return ""
    from ctx.text.globs import matching as first_match  # as above

    return first_match(scope.patterns, path[len(scope.base) :])


def applies(scope: Scope | None, focus: Collection[str]) -> bool:
    """Return whether rules of this scope belong to a packet for ``focus``, or to any packet."""
    if scope is None or scope.is_for_all:
        return True
    return scope.mode == "match" and any(matched(scope, path) for path in focus)

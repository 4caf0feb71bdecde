"""What is recorded of a source of rules and knowledge, and of the hosts that load it themselves."""

from collections.abc import Callable

from ctx.model.entries import Frontmatter, Scope
from ctx.typed import Literal, NamedTuple

ScopeOf = Callable[[Frontmatter, str], Scope | None]  # the scope of a file, by its path; or None

Moment = Literal["start", "read", "edit", "shell", "subagent", "compaction"]
"""When a host loads files: at the start of a session those for all files, and those of the folders
from the project's root to the one in which it works; as it reads or edits a file, or names one in
its shell, those for that file; at the start of a subagent, and after a compaction, as at its
own start."""


class Loads(NamedTuple):
    """That a host loads a source's files by itself; several of one source add up."""

    source: str  # the name of the source
    moments: tuple[Moment, ...] = ("start",)  # none of which it is uncertain
    host: str = ""  # as ``ctx hook`` names it; the registry sets it
    since: str = ""  # the first version that does; empty where all that have hooks do
    until: str = ""  # the first version that does no longer; empty where none is known
    condition: str = ""  # when it does, for people; empty for always
    most_bytes: int = 0  # bytes of all files that it loads, less the deepest; 0 for no limit
    page: str = ""  # where this was read, and when
    resolves: tuple[Literal["imports", "outer imports", "links"], ...] = ()
    """Whether it loads what the files import, also where it works in a folder that does not hold
    that, and what links out of the project lead to."""
    agents: tuple[str, ...] = ()  # types of its subagents that load it; all where there are none
    bare: tuple[str, ...] = ()  # types of its subagents that load none of it, whatever others do
    places: tuple[str, ...] = ()  # the source's places that it loads; all where there are none
    replaced_by: str = ""  # a file that it loads in place of the one beside it; empty for none
    in_repository: bool = False  # whether it loads those above where it works in a repository only
    unless: tuple[str, ...] = ()
    """Signs that it may not: a file that is there, in the same folder or below ``~``, or text that
    one of the project's or of the user's settings holds (``.editor/settings.json: Excludes``)."""


class Origin(NamedTuple):
    """One source: a kind of file that a tool or a person keeps beside the code."""

    name: str  # as settings and ``ctx status`` name it
    places: tuple[str, ...]
    """Relative to a folder of the project, in order of precedence: a file, all files of a folder
    (``.rules/*.md``), or those of its folders as well (``x/**/*.md``, ``x/**/SKILL.md``)."""
    gives: str  # what it gives, in a few words for people
    tool: str = ""  # the program whose files these are, for people; empty where it is none
    parser: str = "authored"  # the name of the parser in ``card.PARSERS``
    scope: ScopeOf | None = None  # none where its rules always apply, below the folder of the place
    leveled: bool = False  # also in each folder from the root to files in focus, nearest first
    imports: bool = False  # whether ``@path`` in its files includes another file
    alternatives: bool = False  # whether only the first place that exists in a folder is read
    loads: tuple[Loads, ...] = ()  # the hosts that load it by themselves; the registry sets it
    usual: bool = True  # whether it is read unless settings say otherwise
    skips: Callable[[str], bool] | None = None  # whether a path below a place is not read
    knows: bool = False  # whether it gives decisions, background or tasks, quoted, and no rules
    searched: bool = False  # whether only what reads all there is reads it: a search, and no packet
    sign: str = ""  # a folder that makes a project one without a context directory; else its places
    imported: bool = False  # whether ``ctx import`` copies its files without being given a path
    export: str = ""  # the file into which ``ctx export`` writes rules; empty for none
    export_head: tuple[str, ...] = ()  # lines with which such a file begins, if it is new
